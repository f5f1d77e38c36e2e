"""A design as files: report, ranking, and the hand-over of the chosen candidate.

The hand-over is everything that the builders of a network need, in one folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from hopscape.core.errors import ArgumentError, HopscapeError, TooLargeError
from hopscape.core.files import (
    make_folder,
    require_room,
    whole_folder,
    write_atomically,
    write_text,
)
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.numbers import signed_json
from hopscape.core.processes import require_memory
from hopscape.core.progress import STEPS_PER_SECOND, time_limit
from hopscape.core.tables import in_markdown
from hopscape.design.bill import BillPart, bill_of, cable_parts, write_bill
from hopscape.design.candidates import Candidate
from hopscape.design.conditions import Conditions
from hopscape.design.designer import Design
from hopscape.design.family_search import growth_plan
from hopscape.design.floorplan import RackLayout, place
from hopscape.design.growth import Cabling, grow, growth_text
from hopscape.design.machine_columns import Lanes, find_lanes
from hopscape.design.prices import load_prices
from hopscape.design.proof import prove_cost
from hopscape.design.report import html_report, markdown_report
from hopscape.design.report.floor import best_floor, pictures
from hopscape.design.report.page import Option
from hopscape.design.report.text import machines
from hopscape.design.schedules import write_schedules
from hopscape.design.simulators import SEEN, write_for_astra, write_for_gem5, write_for_sst
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.design.table import figure_record
from hopscape.formats.frr import write_frr
from hopscape.formats.graphs import write_network
from hopscape.formats.graphs.libraries import XML_BYTES, require_graph_memory, to_networkx
from hopscape.formats.infiniband import PORT_WORDS, write_subnets
from hopscape.formats.nccl import write_nccl
from hopscape.formats.netbox import write_netbox
from hopscape.formats.programs import read_back, write_manifest
from hopscape.formats.simgrid import BANDWIDTH, LATENCY, write_simgrid
from hopscape.formats.slurm import write_slurm
from hopscape.formats.sst import write_sst
from hopscape.formats.tables import write_cables, write_routing_table, write_weighted_paths
from hopscape.formats.verilog_check import write_verilog
from hopscape.metrics.columns import measure_columns
from hopscape.metrics.oblivious import optimal_oblivious
from hopscape.metrics.routes import Routes, all_routes, shortest_routes
from hopscape.metrics.throughput import switch_graph
from hopscape.proofs.make import Proof
from hopscape.proofs.offer import checker, prove, save_proofs
from hopscape.registry import build
from hopscape.show.explore.page import write_explorer
from hopscape.workloads import ModelJob, Workload, execute, read_job, step
from hopscape.workloads.smpi import FixedRoutes, write_smpi

__all__ = [
    "HANDED_OVER",
    "REPORTED",
    "hand_over",
    "read_back",
    "tried",
    "write_design",
    "write_parts",
]

HANDED_OVER = ("README.md", "cables.csv", "summary.json", "manifest.json", "network.edges")
REPORTED = ("report.html", "report.md", "ranking.json")
"""Names that tell before all is written whether a folder holds files of somebody else."""
_TABLE_ORDER = 2100
_PLATFORM_STEPS = 300_000
_STEP_BYTES = 39
_STEP_PARTS, _STEP_MESSAGES = 20_000, 200_000
"""Of a step that SMPI replays: a minute of it, and some ten megabytes."""
_CABLE_BYTES = 360  # measured, per link, until the list is written
_PROOF_WORK = 60_000
"""Endpoints times channels of proofs that are written unasked: some seconds, a few megabytes."""
_FIGURES = ("degree", "diameter", "mean_distance", "channel_load", "bisection")
_SECONDS = 10.0  # of work: what a builder waits for; figures that need more stay unknown
_README = """\
# {spec}

{endpoints} endpoints, {nodes} nodes, {links} links. {numbering} Port p of a node is the p-th on its
front plate, in every file of this folder: cables, routing tables, OpenSM's files, GraphML, SimGrid
and schedules (Verilog alone numbers its ports from 0, and says so). Rows, racks and slots count
from 1.

| file | what it is |
|---|---|
{table}

Let the real programs try it: `hopscape check .` (`hopscape check . --with all` says what is missing
and how to install it).
{opensm}
## Which programs have seen such files

| file | read or run by |
|---|---|
{seen}

Read it back in Python:

```python
from hopscape.handover import read_back
network = read_back(".")
```
"""
_WHICH = """
## OpenSM: which of the two?

- `opensm/opensm.conf`, *one lane*: routes that cannot deadlock on a single virtual lane. Take it
  where hosts have one fixed service level (UCX with `UCX_IB_SL`, most MPI settings), or where the
  longer routes do not matter.
- `opensm/service-levels/opensm.conf`: the shortest routes, or the family's own (of dragonflies over
  one global link; `--routing shortest` for others), with detours where these need more than eight
  levels. Pairs of hosts are spread over service levels by a QoS policy; hosts get
  theirs when they ask the subnet administrator for a path record
  (rdma_cm, IPoIB, MPI with path queries). A host that ignores it brings the deadlock back. The
  subnet manager must run on host {manager}.

Copy `opensm/guid2lid` into OpenSM's cache folder (`OSM_CACHE_DIR`) first: the tables name LIDs.
"""


def hand_over(
    chosen: Candidate | Network | str,
    folder: str | Path,
    conditions: Conditions | None = None,
    *,
    proofs: Sequence[Proof] = (),
    job: ModelJob | Workload | None = None,
    force: bool = False,
) -> list[str]:
    """Write everything that building a network takes; the folder appears whole or not at all.

    Args:
        chosen: Candidate, Network or spec
        conditions: Floor plan and endpoints per router.
        proofs: More to hand out.
        job: One step of it is written as traces for SimGrid's SMPI.
        force: Overwrite files that hopscape did not write.

    Returns:
        list of str: Names of the files, each with what it is.
    """
    network = chosen if isinstance(chosen, Network) else None
    if network is None:
        network = build(chosen.spec if isinstance(chosen, Candidate) else str(chosen))
    given = conditions if conditions is not None else Conditions()
    require_room(folder, HANDED_OVER, force=force)
    with whole_folder(folder, force=force) as top:
        told: list[tuple[str, str]] = []
        placed, parts = write_parts(network, top, given)
        told += parts
        told.append(tried("network.graphml", lambda: _graphml(network, top)))
        told.append(tried("sst.graphml", lambda: _sst(network, top)))
        told.append(tried("network.edges", lambda: _edges(network, top)))
        told += _routing_files(network, top, given.routing)
        told.append(tried("ethernet/", lambda: write_frr(network, top / "ethernet")))
        told.append(tried("topology.conf", lambda: write_slurm(network, top / "topology.conf")))
        told.append(tried("netbox/", lambda: _netbox(network, placed, top)))
        rate = load_prices(given.prices).rate
        told.append(tried("nccl/", lambda: write_nccl(network, top / "nccl", rate)))
        if job is not None:
            told.append(tried("smpi/", lambda: _smpi(network, job, top)))
        if given.routing == "optimal":
            told.append(tried("weighted_paths.csv", lambda: _weighted_paths(network, top)))
        told += write_schedules(network, top)
        told.append(tried("astra/", lambda: write_for_astra(network, top)))
        figures = chosen.figures if isinstance(chosen, Candidate) else _measured(network)
        summary = {"spec": network.spec, "nodes": network.order, "links": network.links}
        summary |= {"floor": placed.plan.text, "figures": figure_record(network.spec, figures)}
        write_text(top / "summary.json", signed_json(summary))
        told.append(("summary.json", "what was measured, and how each figure is known"))
        told += _proof_files(network, top, proofs)
        write_text(top / "README.md", _readme(network, told, top))
        write_manifest(network.spec, top)
    return [f"{name}: {what}" for name, what in told]


def write_parts(
    network: Network, top: Path, given: Conditions
) -> tuple[RackLayout, list[tuple[str, str]]]:
    """Write the cable list and the bill; they and the report have one placement and one price."""
    require_memory(_CABLE_BYTES * network.links, f"the cable list of {network.spec}")
    placed = place(network, given.plan)
    names = [placed.plan.name(int(p)) for p in placed.places]
    bill = tried("bill.csv", lambda: _bill(network, placed, given.prices, top))
    which = _parts(network, placed, given, bill)
    write_cables(network, top / "cables.csv", names, placed.lengths.tolist(), which)
    cables = (
        f"every cable: row, rack, slot and port at both ends, length; {placed.total:.0f} m in"
        f" all on the floor plan {placed.plan.text} (nodes {placed.how})"
    )
    return placed, [("cables.csv", cables), bill]


def _bill(network: Network, placed: RackLayout, prices: str, top: Path) -> str:
    """The bill of a machine with switches, by the price list."""
    if not network.has_switches:
        raise ArgumentError("price lists are for machines with switches")
    listed = load_prices(prices)
    bill = bill_of(network, placed.lengths, listed)
    write_bill(bill, top / "bill.csv", listed.name)
    return (
        f"all parts with prices of the list {listed.name!r}: {bill.cost:,.2f} {bill.currency},"
        f" {bill.watts:,.0f} W"
    )


def _parts(
    network: Network, placed: RackLayout, given: Conditions, bill: tuple[str, str]
) -> list[str]:
    """Which cable of the price list each one is, where there is a bill."""
    if bill[0] != "bill.csv":
        return [""] * len(placed.lengths)
    return cable_parts(network, placed.lengths, load_prices(given.prices))


def _measured(network: Network) -> dict[str, Measured[Any]]:
    """The figures that a builder asks for first, those that would take long left out."""
    with time_limit(None, _SECONDS * STEPS_PER_SECOND):
        return measure_columns(network, _FIGURES)


def _routing_files(network: Network, top: Path, routing: str | None) -> list[tuple[str, str]]:
    """Tables as CSV, for OpenSM and for BookSim; or why there are none."""
    told = []
    if network.order <= _TABLE_ORDER:
        routes = shortest_routes(network) if routing == "shortest" else all_routes(network)
        write_routing_table(routes, top / "routing.csv")
        told.append(("routing.csv", f"row at, column to: the port (from 1), by {routes.name}"))
        told.append(_lane_file(find_lanes(routes), top))
        told.append(tried("opensm/", lambda: _opensm(routes, top)))
        told.append(tried("simgrid/", lambda: _simgrid(routes, top)))
        told.append(tried("sst/", lambda: write_for_sst(routes, top)))
        told.append(tried("gem5/", lambda: write_for_gem5(network, top)))
        told.append(tried("verilog/", lambda: write_verilog(network, top / "verilog")))
    else:
        router = network.router()
        told.append(
            (
                "(no routing.csv)",
                f"{network.order}² entries are too many for a text; ask the {router.name} router"
                f" of hopscape.build({network.spec!r})",
            )
        )
    told.append(tried("booksim/", lambda: _booksim(network, top)))
    return told


def _weighted_paths(network: Network, top: Path) -> str:
    """The best fixed split over paths, which guarantees more than one path for each destination."""
    routing = optimal_oblivious(switch_graph(network))
    pairs, paths = write_weighted_paths(routing, network, top / "weighted_paths.csv")
    return (
        f"the best fixed split: {paths:,} paths of {pairs:,} pairs of switches with weights; any"
        f" permutation gets {float(routing.share.value):.4f} of the line rate (for routers that"
        " take weighted paths; routing.csv and OpenSM have one path for each destination)"
    )


def _lane_file(lanes: Lanes | None, top: Path) -> tuple[str, str]:
    """The rule for classes of virtual channels that keeps these routes free of deadlock."""
    if lanes is None:
        return "(no lanes.json)", "no rule with few classes of virtual channels was found"
    write_text(top / "lanes.json", signed_json(lanes.to_dict()))
    return "lanes.json", (
        f"classes of virtual channels: {lanes.classes}, {lanes.words()}; the rule is inside"
    )


def _proof_files(network: Network, top: Path, more: Sequence[Proof]) -> list[tuple[str, str]]:
    """Proofs of what can be proved in a moment, and the checker, which needs no hopscape."""
    proofs = list(more)
    why = f"{network.spec} is too large for proofs in a moment; 'hopscape compare --proof' has them"
    if network.endpoint_count * len(network.heads) <= _PROOF_WORK:
        for kind in ("distances", "bisection", "throughput", "deadlock-freedom"):
            try:
                proofs.append(prove(network, kind))
            except HopscapeError as error:
                why = str(error)
    write_text(top / "check.py", checker())
    told = [("check.py", "checks proofs with Python alone: python check.py proofs.json")]
    if not proofs:
        return [*told, ("(no proofs.json)", why)]
    save_proofs(top / "proofs.json", proofs)
    return [*told, ("proofs.json", "proofs of: " + "; ".join(one.verdict for one in proofs))]


def tried(name: str, write: Callable[[], str]) -> tuple[str, str]:
    """A file with what it is, or with the sentence why it is not there."""
    try:
        return name, write()
    except HopscapeError as error:
        if isinstance(error.__cause__, OSError):  # a full disk is no reason to leave one file out
            raise
        return f"(no {name})", str(error)


def _opensm(routes: Routes, top: Path) -> str:
    written = write_subnets(routes, top / "opensm")
    if not written[0][0].plane:
        return f"fabric.net for ibsim, and two hand-overs for OpenSM. {written[0][1].words()}"
    network = routes.network
    words = [
        f"plane-{one.plane}/: {len(one.hosts)} adapters' ports; {w.words()}" for one, w in written
    ]
    shared: dict[int, set[int]] = {}
    for one, _ in written:
        mine = set(one.labels[one.hosts].tolist())
        for v in mine:
            shared.setdefault(v, set()).update(mine)
    met = sum(len(found) - 1 for found in shared.values())
    pairs = network.endpoint_count * (network.endpoint_count - 1)
    inner = len(network.family.inner_switches()) if network.family is not None else 0
    nvlink = f"; the {inner} switches inside servers are outside InfiniBand" if inner else ""
    apart = f" ({pairs - met} share none: software on endpoints passes on)" if met < pairs else ""
    return (
        f"endpoints are adapters, each line a port, and every plane is a subnet with a manager of"
        f" its own; {met} of {pairs} pairs share a plane{apart}{nvlink}. " + ". ".join(words)
    )


def _simgrid(routes: Routes, top: Path) -> str:
    steps = int(routes.loads.sum())
    if steps > _PLATFORM_STEPS:
        raise TooLargeError(
            f"the routes of all pairs have {steps:,} steps, {steps * _STEP_BYTES >> 20} MB as a"
            " platform; hopscape.formats.simgrid.write_simgrid(all_routes(network), path) writes it"
        )
    write_simgrid(routes, make_folder(top / "simgrid") / "platform.xml")
    return (
        f"platform.xml: {routes.network.endpoint_count} hosts, every channel a link of"
        f" {BANDWIDTH:g} B/s (times its capacity) and {LATENCY:g} s (times its delay), the routes"
        " of routing.csv"
    )


def _smpi(network: Network, job: ModelJob | Workload, top: Path) -> str:
    """A step, or a piece of a long one, by the routes of the platform."""
    if not (top / "simgrid").is_dir():
        raise ArgumentError("SMPI replays a step on SimGrid's platform, which is not there")
    if isinstance(job, ModelJob):  # what the host does is none of the network's
        job = replace(job, chip=replace(job.chip, overhead=0.0))
    costs = {"alpha": 0.0, "beta": 1e6 / BANDWIDTH, "gamma": 0.0, "delta": 1e6 * LATENCY}
    ways = FixedRoutes(all_routes(network))
    made = step(job, network, costs=costs, router=ways, most_parts=_STEP_PARTS, prove=False)
    found = execute(made.timeline.workload, made.timeline.fabric, keep=True, like=made.timeline)
    if len(found.sent) > _STEP_MESSAGES:
        raise TooLargeError(
            f"a piece of the step has {len(found.sent):,} messages; traces are written for up to"
            f" {_STEP_MESSAGES:,}"
        )
    write_smpi(found, top / "smpi", [f"n{v}" for v in range(network.order)])
    piece = f", a piece of it ({made.repeated})" if made.repeated else ""
    return (
        f"one step of {found.workload.name or 'the traces'}{piece} for SimGrid's SMPI:"
        f" {len(found.sent):,} messages of {found.workload.ranks} ranks, {found.seconds:.6g} s by"
        " ours, without what the host takes to launch"
    )


def _booksim(network: Network, top: Path) -> str:
    from hopscape.formats.booksim import write_booksim
    from hopscape.simulate.settings import Settings

    files = write_booksim(network, Settings(), make_folder(top / "booksim") / "network.cfg")
    return f"network.cfg for BookSim 2; {files.routes}"


def _netbox(network: Network, placed: RackLayout, top: Path) -> str:
    names = [placed.plan.name(int(p)) for p in placed.places]
    return write_netbox(network, top / "netbox", names, placed.lengths.tolist(), placed.plan.slots)


def _edges(network: Network, top: Path) -> str:
    write_network(network, top / "network.edges")
    return "the same as a list of links"


def _sst(network: Network, top: Path) -> str:
    write_sst(network, top / "sst.graphml")
    return "the routers for SST's network models, each with its number of endpoints"


def _graphml(network: Network, top: Path) -> str:
    """GraphML whose ports count from 1, as those of all files of the folder do."""
    import networkx

    require_graph_memory(network, XML_BYTES)
    graph = to_networkx(network, numbered=True)
    graph.graph["numbering"] = PORT_WORDS
    for _, _, data in graph.edges(data=True):
        for key in {"port", "back_port"} & data.keys():
            data[key] += 1
    write_atomically(top / "network.graphml", lambda out: networkx.write_graphml(graph, out))
    return "the network for graph software"


def _readme(network: Network, told: list[tuple[str, str]], top: Path) -> str:
    both = any((top / "opensm").rglob("service-levels"))
    return _README.format(
        spec=in_markdown(network.spec),
        endpoints=network.endpoint_count,
        nodes=network.order,
        links=network.links,
        numbering=PORT_WORDS,
        table="\n".join(f"| {name} | {in_markdown(what)} |" for name, what in told),
        opensm=_WHICH.format(manager=f"H{int(network.endpoints[0])}") if both else "",
        seen=_seen(told),
    )


def _seen(told: list[tuple[str, str]]) -> str:
    """Which programs have read files like those of the folder."""
    there = {name for name, _ in told}
    return "\n".join(f"| {name} | {words} |" for name, words in SEEN.items() if name in there)


def write_design(
    found: Design,
    folder: str | Path,
    *,
    choose: str | None = None,
    command: str | None = None,
    options: Sequence[Option] = (),
    force: bool = False,
) -> list[str]:
    """Write the report and the hand-over of the chosen candidate.

    Args:
        folder: Made if it is not there.
        choose: Spec of the candidate; the first of the ranking when left out.
        command: As it was given; the one that asks for the same when left out.
        options (sequence of (name, value, given)): All its options.
        force: Overwrite files that hopscape did not write.

    Returns:
        list of str: What was written, a line each.
    """
    chosen = found.best if choose is None else found.find(choose)
    asked = found.command if command is None else command
    require_room(folder, REPORTED, force=force)
    with whole_folder(folder, force=force) as top:
        explorer = write_explorer({one.spec: one.name for one, _ in machines(found)}, top)
        floor = best_floor(found, chosen)
        drawn = list(pictures(found, floor))  # once for all three
        page = html_report(found, asked, drawn, floor=floor, options=options, explorer=explorer)
        write_text(top / "report.html", page)
        write_text(top / "report.md", markdown_report(found, asked, shown=drawn, floor=floor))
        shown = make_folder(top / "pictures")
        for one in drawn:
            write_atomically(shown / f"{one.name}.{one.kind}", partial(_put, data=one.data))
        write_text(top / "ranking.json", _ranking(found))
        plan = _growth_plan(chosen, found)
        if plan:
            write_text(top / "growth.csv", plan)
        proofs = _cost_proof(chosen, found)
        given = found.requirements.conditions
        asked_job = getattr(found.requirements, "job", "")
        job = read_job(asked_job) if asked_job else None
        hand_over(chosen, top / "network", given, proofs=proofs, job=job)
    place_ = Path(folder)
    grown = f"what it takes to become {chosen.value('grown')}"
    return [
        f"wrote {place_ / 'report.html'} and {place_ / 'report.md'}",
        *([f"wrote {place_ / 'growth.csv'}: {grown}"] if plan else []),
        f"wrote {place_ / 'network'}: everything about {chosen.spec}",
    ]


def _growth_plan(chosen: Candidate, found: Design) -> str:
    """What is bought and moved when it grows as asked for; empty where that is not known."""
    grown = chosen.value("grown") if "grown" in chosen.figures else None
    if grown is None:
        return ""
    question = found.requirements
    if isinstance(question, SwitchedRequirements):
        return growth_plan(chosen.spec, str(grown), question.prices)
    now, then = (Cabling.of_network(build(spec)) for spec in (chosen.spec, str(grown)))
    plan = grow(now, then)
    assert plan is not None
    nodes = BillPart("node", plan.switches), BillPart("cable", plan.bought)
    return growth_text(now, then, plan, [part for part in nodes if part.pieces])


def _cost_proof(chosen: Candidate, found: Design) -> list[Proof]:
    """What a switched machine costs and what none costs less than, where it is proved quickly."""
    network = build(chosen.spec)
    if found.kind == "direct" or network.endpoint_count * len(network.heads) > _PROOF_WORK:
        return []
    with suppress(ArgumentError, TooLargeError):
        return [prove_cost(chosen, found.requirements)]
    return []


def _ranking(found: Design) -> str:
    ranking = {
        "requirements": found.requirements.to_dict(),
        "complete": found.complete,
        "candidates": found.records(),
        "answer": found.answer,
    }
    return signed_json(ranking)


def _put(out: IO[bytes], data: bytes) -> None:
    out.write(data)
