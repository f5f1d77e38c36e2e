"""Commands about shared crossbars: how many supernodes they join, what a machine carries."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from hopscape.cli.ended import ended_code, ended_word
from hopscape.cli.options import (
    DaskOption,
    ResumeOption,
    SeedOption,
    SpecArgument,
    WorkersOption,
    given,
    option,
    read_numbers,
    refuse,
)
from hopscape.cli.output import emit, emit_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.numbers import number
from hopscape.registry import build

__all__ = ["machine_rates", "search_machines", "shared_crossbars"]

_MOST = 1000  # numbers of an option


def shared_crossbars(
    radix: Annotated[str, option("Ports of a crossbar, as 8 or 2:44.")] = "2:44",
    crossbars: Annotated[str, option("Crossbars of a supernode, as 1:4.")] = "1:4",
    ways: Annotated[
        str, option("Crossbars in which two supernodes meet, as 1:3.", "--multiplicity")
    ] = "1:3",
    search: Annotated[
        int, option("Also search base blocks, with so many annealing steps each.", min=0)
    ] = 0,
    grid: Annotated[
        bool, option("A row for each M, a column for each c and w: built of at most.")
    ] = False,
    seed: SeedOption = 0,
    resume: ResumeOption = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
) -> None:
    """List how many supernodes shared crossbars join: built here, and the proved bound.

    'built' meets the bound by counting, w(N - 1) <= cM(M - 1); 'refuted' meets a bound below it,
    since the design that counting allows does not exist; 'bounded' lies between the two numbers.
    """
    from hopscape.papers.blockdesign.shared_search import cell_rows
    from hopscape.store import Store, Work

    if not search:
        refuse(("seed", "resume", "workers", "dask"), "is for --search")
    if not 0 <= seed < 2**31:
        raise ArgumentError(f"seed is {seed}; it must be from 0 to {2**31 - 1}")
    numbers = [
        read_numbers(text, name, _MOST)
        for text, name in ((radix, "radix"), (crossbars, "crossbars"), (ways, "ways"))
    ]
    with Store(resume) as store:
        work = Work(resume=store, workers=workers, dask=dask)
        rows, stopped = _as_far(cell_rows(*numbers, steps=search, seed=seed, **work))
    if grid:
        emit_rows(_grid(rows), title="supernodes that shared crossbars join, by M, c and w")
        _end(stopped)
        return
    columns = {
        "radix": "M",
        "crossbars": "c",
        "ways": "w",
        "supernodes": "supernodes",
        "at_most": "at most",
        "status": "status",
        "how": "how",
    }
    emit_rows(rows, title="supernodes that shared crossbars join", columns=columns)
    _end(stopped)


def _grid(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each M; a star marks a bound below that of counting."""
    out: dict[int, dict[str, Any]] = {}
    for row in rows:
        line = out.setdefault(row["radix"], {"M": row["radix"]})
        star = "" if row["why"].startswith("counting:") else "*"
        limit = "" if row["status"] != "bounded" else f" of {row['at_most']}"
        line[f"c={row['crossbars']} w={row['ways']}"] = f"{row['supernodes']}{limit}{star}"
    return list(out.values())


def _as_far(rows: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], bool]:
    """All rows, or those until Ctrl-C, and whether it came."""
    out: list[dict[str, Any]] = []
    try:
        for row in rows:
            out.append(row)
    except KeyboardInterrupt:
        return out, True
    return out, False


def _end(stopped: bool) -> None:
    if stopped:
        print(f"hopscape: {ended_word()}; this is what was finished", file=sys.stderr)
        raise typer.Exit(ended_code())


def machine_rates(
    spec: SpecArgument,
    step: Annotated[int, option("Supernode g sends to supernode g + STEP, of one to one.")] = 1,
    simulate: Annotated[int, option("Also flit by flit, for so many cycles.", min=0)] = 0,
    speedup: Annotated[int, option("Flits that an input sends through a switch in a cycle.")] = 2,
    seed: SeedOption = 0,
) -> None:
    """Work out exactly what a machine with shared crossbars carries, and what one crossbar costs.

    Uniform traffic takes all ways between two supernodes alike. Traffic from every supernode to one
    other takes the ways of the two, or goes over supernodes taken by lot (Valiant). Survivors are
    the pairs of supernodes that still meet when any one crossbar fails, the worst of all crossbars.
    """
    from hopscape.papers.blockdesign import crossbar_rates as room
    from hopscape.papers.blockdesign.crossbar_machine import CrossbarMachine
    from hopscape.papers.blockdesign.machine_search import direct_jumps

    if not simulate and given("speedup", "seed"):
        refuse(("speedup", "seed"), "is for --simulate")
    network = build(spec)
    family = network.family
    if not isinstance(family, CrossbarMachine):
        raise ArgumentError(f"{spec} is not a crossbar_machine(...)")
    rates = room.machine_rates(family, step=step)
    losses = room.crossbar_losses(family)
    worst = min(losses, key=lambda loss: (loss.kept, loss.crossbar))
    jumps, mean = direct_jumps(family)
    record: dict[str, Any] = {
        "spec": network.spec,
        "nodes": family.ends,
        "supernodes": family.count,
        "crossbars": len(losses),
        "how": family.shared.sharing.how,
        "jumps": jumps,
        "mean_jumps": mean,
        **rates.to_dict(),
        "worst_crossbar": worst.crossbar,
        "parted": worst.parted,
        "survivors": worst.kept,
        "survivors_best": max(loss.kept for loss in losses),
    }
    shown = {
        "supernodes": f"{family.count}, {family.size} nodes each: {family.ends} in all",
        "crossbars": f"{len(losses)} of at most {family.shared.m} ports: {record['how']}",
        "jumps": f"{jumps} at most, {number(mean)} in the mean, by direct ways",
        "uniform": f"{number(rates.uniform)} for each node, bound by {rates.bound_by} channels",
        "to one supernode": f"{number(rates.one)} by its own ways",
        "the same by Valiant": f"{number(rates.valiant)}, {number(rates.share)} of uniform",
        "without any one crossbar": (
            f"{100 * worst.kept:.4f} % of the pairs of supernodes still meet"
            f" ({worst.parted} do not, at the worst)"
        ),
    }
    if simulate:
        record["simulated"] = _simulated(network, family.size * step, simulate, speedup, seed)
        for name, value in record["simulated"].items():
            shown[f"simulated: {name}"] = number(value)
    emit(record, title=network.spec, table=shown)


def _simulated(network: Any, shift: int, cycles: int, speedup: int, seed: int) -> dict[str, float]:
    """What is accepted at full load, flit by flit."""
    from hopscape.simulate import Job, Settings, simulate

    settings = Settings(speedup=speedup)
    out: dict[str, float] = {}
    for name, traffic, router in (
        ("uniform", "uniform-others", "ways"),
        ("one", f"shift({shift})", "ways"),
        ("valiant", f"shift({shift})", "valiant"),
    ):
        job = Job(network.spec, traffic, 1.0, settings, router=router, cycles=cycles, seed=seed)
        [point] = simulate(job)
        out[name] = point["accepted"]
    out["share"] = out["valiant"] / out["uniform"]
    return out


def search_machines(
    nodes: Annotated[int, option("Least number of nodes.")] = 100_000,
    supernode: Annotated[
        list[str] | None, option("Network inside a supernode (repeatable).")
    ] = None,
    k3: Annotated[str, option("K3 ports of a node, as 1:4.")] = "1:4",
    crossbars: Annotated[str, option("Crossbars of a supernode, as 1:4.")] = "1:4",
    ways: Annotated[str, option("Ways between two supernodes, as 1:3.", "--multiplicity")] = "1:3",
    speeds: Annotated[str, option("Speeds that a K3 port may have, as 1,2.")] = "1",
    metres: Annotated[float, option("Length of a cable between supernodes.")] = 20.0,
    prices: Annotated[str, option("Price list, a name or a .toml file.")] = "default",
    all_: Annotated[bool, option("All machines, not only the front.", "--all")] = False,
    resume: ResumeOption = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
) -> None:
    """Search machines with shared crossbars: the front of rate, jumps, survivors and cost.

    A machine is on the front where no other is at least as good in all four. Rates are in links
    inside a supernode, for each node; cost is for each node, with crossbars, cables and the links
    inside supernodes.
    """
    from hopscape.papers.blockdesign.machine_search import (
        MachineQuestion,
        front_of,
        measure_machines,
    )
    from hopscape.store import Store, Work

    lists = {"ports": k3, "crossbars": crossbars, "ways": ways, "speeds": speeds}
    question = MachineQuestion(
        nodes=nodes,
        supernodes=tuple(supernode or MachineQuestion.supernodes),
        metres=metres,
        prices=prices,
        **{name: tuple(read_numbers(text, name, 64)) for name, text in lists.items()},
    )
    with Store(resume) as store:
        work = Work(resume=store, workers=workers, dask=dask)
        rows, stopped = _as_far(measure_machines(question, **work))
    columns = {
        "cost": "cost",
        "rate": "rate",
        "rate_to_one": "to one",
        "mean_jumps": "jumps",
        "survivors": "survivors",
        "nodes": "nodes",
        "ports": "K3",
        "crossbars": "c",
        "ways": "w",
        "radix": "M",
        "spec": "spec",
    }
    emit_rows(rows if all_ else front_of(rows), title="machines", columns=columns)
    _end(stopped)
