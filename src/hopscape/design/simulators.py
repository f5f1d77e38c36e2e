"""A hand-over for simulators of others: SST, gem5, ASTRA-sim; and who has seen which file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.files import make_folder, write_text
from hopscape.core.network import Network
from hopscape.core.numbers import signed_json
from hopscape.core.schedule import Schedule
from hopscape.formats.astra import write_analytical, write_htsim, write_ns3, write_systems
from hopscape.formats.garnet import NAME, write_garnet
from hopscape.formats.simgrid import BANDWIDTH, LATENCY
from hopscape.formats.sst import write_sst_routes
from hopscape.metrics.routes import Routes
from hopscape.workloads import (
    Fabric,
    GroupPlan,
    Placement,
    Workload,
    WorkloadBuilder,
    execute,
    write_workload,
)

__all__ = [
    "SEEN",
    "messages",
    "write_for_astra",
    "write_for_gem5",
    "write_for_sst",
]

_BYTES = 65536  # of a transfer in chakra/
_RUNS = "hopscape check . --with"
SEEN = {
    "opensm/": f"OpenSM, ibsim and ibdmchk: `{_RUNS} opensm`",
    "ethernet/": f"FRR: `{_RUNS} frr`; containerlab has not read fabric.clab.yml",
    "topology.conf": "slurmctld 22.05; topology.yaml, for Slurm 25.05 and later, by no program",
    "nccl/": "NCCL's own reader of topologies and its example plugin (June 2026); no GPU",
    "netbox/": "no program; its columns are those of the import forms of NetBox 4.6",
    "simgrid/": f"SimGrid: `{_RUNS} simgrid`",
    "smpi/": f"SimGrid's SMPI: `{_RUNS} smpi`",
    "booksim/": f"BookSim 2: `{_RUNS} booksim`, and `hopscape simulate --booksim` beside it",
    "sst.graphml": "SST's reader of graphs (anytopo's Python, outside SST)",
    "sst/": "SST's Python of merlin outside SST: graph, table and script; no simulation was run",
    "gem5/": "Python with a stand-in for gem5's objects; not gem5",
    "verilog/": f"Icarus Verilog: `{_RUNS} iverilog`",
    "msccl/*.xml": "msccl-tools' own check, if it is installed; no GPU",
    "msccl/*.json": "an interpreter by the rules of MSCCL++'s executor; no GPU",
    "chakra/": "ASTRA-sim's analytical back end, as workloads and as custom collectives",
    "astra/": f"network.yml and the custom collectives: ASTRA-sim's analytical back end,"
    f" `{_RUNS} astra`; ns3_topology.txt and network.topo: no program",
}
"""File, as the README lists it, and who has seen such files."""


def write_for_sst(routes: Routes, top: Path) -> str:
    """merlin's anytopo with our routes."""
    return write_sst_routes(routes, top / "sst", bandwidth=BANDWIDTH, latency=LATENCY)


def write_for_gem5(network: Network, top: Path) -> str:
    """A topology of Ruby."""
    path = make_folder(top / "gem5") / f"{NAME}.py"
    text = write_garnet(network, path)
    return f"{NAME}.py, {text}"


def write_for_astra(network: Network, top: Path) -> str:
    """The network for ASTRA-sim's back ends, and the schedules of ``chakra/`` as collectives.

    Raises:
        ArgumentError: When there is neither.
    """
    folder = make_folder(top / "astra")
    writers = {
        "ns3_topology.txt": write_ns3,
        "network.topo": write_htsim,
        "network.yml": write_analytical,
    }
    told, why = [], []
    for name, write in writers.items():
        try:
            text = write(network, folder / name)
            told.append(f"{name}: {text}")
        except HopscapeError as error:
            if isinstance(error.__cause__, OSError):
                raise
            why.append(f"no {name}: {error}")
    names = _traced(top)
    if names:
        write_systems(folder, names)
        work = _one_all_reduce(network, _BYTES)
        write_workload(work, folder / "workload", "step")
        if (folder / "network.yml").is_file():
            _write_times(network, work, top, names)
        told.append(
            f"workload/ is one all-reduce, which {' or '.join(f'{name}.json' for name in names)}"
            " replaces by the schedule of that name, sent as its dependencies allow (as workloads,"
            " traces have one send of a rank under way)"
        )
    if not told:
        raise ArgumentError("; ".join(why))
    return ". ".join([*told, *why])


def _traced(top: Path) -> list[str]:
    """Schedules of the folder that there are traces of."""
    return sorted(path.name[: -len(".0.et")] for path in (top / "chakra").glob("*.0.et"))


def _schedule(network: Network, top: Path, name: str) -> Schedule:
    path = next(x for x in (top / f"{name}.json", top / f"{name}.npz") if x.is_file())
    return Schedule.load(path, lambda _: network)


def _write_times(network: Network, work: Workload, top: Path, names: Sequence[str]) -> None:
    """``astra/times.json``: nanoseconds of each schedule by our copy of the analytical model."""
    times = {}
    for name in names:
        rows, after = messages(_schedule(network, top, name))
        times[name] = round(1e9 * _seconds(network, work, rows, after), 3)
    write_text(top / "astra" / "times.json", signed_json({"nanoseconds": times}))


def _seconds(
    network: Network,
    work: Workload,
    rows: list[tuple[int, int]],
    after: list[list[int]],
) -> float:
    """How long messages take, each after those that it waits for."""
    whole = [(a, b, 1.0) for a, b in rows]
    plan = GroupPlan.of_messages("replayed", network.endpoint_count, whole, after)
    costs = {"alpha": 0.0, "beta": 1e6 / BANDWIDTH, "gamma": 0.0, "delta": 1e6 * LATENCY}
    placement = Placement.in_order(network, network.endpoint_count)
    named = {"all-reduce": plan}
    fabric = Fabric(network, placement, executor="astra", costs=costs, algorithms=named)
    return execute(work, fabric).seconds


def messages(schedule: Schedule) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """Messages of a schedule, by ranks; each waits for all that brought its sender the chunk."""
    rank = {node: i for i, node in enumerate(schedule.network.endpoints.tolist())}
    columns = (schedule.round, schedule.source, schedule.target, schedule.chunk)
    rows = sorted(zip(*(x.tolist() for x in columns), strict=True))
    held: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    after = []
    for i, (now, a, b, chunk) in enumerate(rows):
        after.append([sent for sent, when in held[a, chunk] if when < now])
        held[b, chunk].append((i, now))
    return [(rank[a], rank[b]) for _, a, b, _ in rows], after


def _one_all_reduce(network: Network, size: float) -> Workload:
    draft = WorkloadBuilder(network.endpoint_count)
    draft.collective("all-reduce", range(network.endpoint_count), size)
    return draft.workload()
