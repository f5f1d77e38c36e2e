"""Commands about collectives: one per goal, and verify for schedule files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.commands.networks import SpecArgument
from hopscape.cli.output import Format, FormatOption, OutputOption, emit, emit_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.reading import TextFile
from hopscape.registry import build, build_within

__all__ = [
    "allgather",
    "allreduce",
    "alltoall",
    "broadcast",
    "gather",
    "multicast",
    "permute",
    "reduce",
    "scatter",
    "verify",
]

FromOption = Annotated[str, typer.Option("--from", help="The root: a node number or an address.")]
ToOption = Annotated[str, typer.Option("--to", help="The root: a node number or an address.")]
AlgorithmOption = Annotated[
    str,
    typer.Option("--algorithm", "-a", help="A family's own algorithm; 'list' shows what there is."),
]
PortsOption = Annotated[
    int | None, typer.Option("--ports", help="Messages per node and round; all ports without.")
]
DuplexOption = Annotated[
    str | None, typer.Option("--duplex", help="full or half; full unless the algorithm needs half.")
]
PackingOption = Annotated[
    str | None, typer.Option("--packing", help="unit (one chunk per message, usual) or packed.")
]
SwitchingOption = Annotated[
    str | None,
    typer.Option("--switching", help="store-and-forward or circuit; as the algorithm needs it."),
]
AlphaOption = Annotated[
    float | None, typer.Option("--alpha", help="Cost of a round (start-up), 1 without.")
]
BetaOption = Annotated[
    float | None, typer.Option("--beta", help="Cost per chunk of the longest message, 0 without.")
]
DeltaOption = Annotated[
    float | None, typer.Option("--delta", help="Cost per hop of the longest path, 0 without.")
]
SaveOption = Annotated[
    Path | None, typer.Option("--save", help="Write the schedule: .json or .npz.")
]


def broadcast(
    spec: SpecArgument,
    root: FromOption = "0",
    algorithm: AlgorithmOption = "generic",
    ports: PortsOption = None,
    duplex: DuplexOption = None,
    packing: PackingOption = None,
    switching: SwitchingOption = None,
    alpha: AlphaOption = None,
    beta: BetaOption = None,
    delta: DeltaOption = None,
    save: SaveOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Broadcast from one node to all, checked."""
    asked = _asked(ports, duplex, packing, switching, alpha, beta, delta)
    _run(spec, "broadcast", root, algorithm, asked, save, style, output)


def reduce(
    spec: SpecArgument,
    root: ToOption = "0",
    algorithm: AlgorithmOption = "generic",
    ports: PortsOption = None,
    duplex: DuplexOption = None,
    alpha: AlphaOption = None,
    beta: BetaOption = None,
    delta: DeltaOption = None,
    save: SaveOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Add up everybody's share at one node, checked."""
    asked = _asked(ports, duplex, alpha=alpha, beta=beta, delta=delta)
    _run(spec, "reduce", root, algorithm, asked, save, style, output)


def scatter(
    spec: SpecArgument,
    root: FromOption = "0",
    algorithm: AlgorithmOption = "generic",
    ports: PortsOption = None,
    duplex: DuplexOption = None,
    packing: PackingOption = None,
    save: SaveOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Send from one node to each its own, checked."""
    asked = _asked(ports, duplex, packing)
    _run(spec, "scatter", root, algorithm, asked, save, style, output)


def gather(
    spec: SpecArgument,
    root: ToOption = "0",
    algorithm: AlgorithmOption = "generic",
    ports: PortsOption = None,
    duplex: DuplexOption = None,
    packing: PackingOption = None,
    save: SaveOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Collect from each its own at one node, checked."""
    asked = _asked(ports, duplex, packing)
    _run(spec, "gather", root, algorithm, asked, save, style, output)


def multicast(
    spec: SpecArgument,
    targets: Annotated[
        list[str], typer.Option("--to", help="A target; give the option once for each.")
    ],
    root: FromOption = "0",
    algorithm: AlgorithmOption = "generic",
    ports: PortsOption = None,
    duplex: DuplexOption = None,
    save: SaveOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Send from one node to some (one-to-many), checked."""
    asked = _asked(ports, duplex)
    _run(spec, "one-to-many", root, algorithm, asked, save, style, output, targets=targets)


def allgather(
    spec: SpecArgument,
    algorithm: AlgorithmOption = "generic",
    ports: PortsOption = None,
    duplex: DuplexOption = None,
    packing: PackingOption = None,
    alpha: AlphaOption = None,
    beta: BetaOption = None,
    save: SaveOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Bring everybody's data to everybody, checked."""
    asked = _asked(ports, duplex, packing, alpha=alpha, beta=beta)
    _run(spec, "all-gather", None, algorithm, asked, save, style, output)


def allreduce(
    spec: SpecArgument,
    sliced: Annotated[
        bool,
        typer.Option("--sliced", help="A chunk per node (reduce-scatter, all-gather): long data."),
    ] = False,
    algorithm: AlgorithmOption = "generic",
    ports: PortsOption = None,
    duplex: DuplexOption = None,
    packing: PackingOption = None,
    alpha: AlphaOption = None,
    beta: BetaOption = None,
    save: SaveOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Add up everybody's share everywhere, checked."""
    asked = _asked(ports, duplex, packing, alpha=alpha, beta=beta)
    _run(spec, "all-reduce", None, algorithm, asked, save, style, output, sliced=sliced)


def alltoall(
    spec: SpecArgument,
    algorithm: AlgorithmOption = "generic",
    ports: PortsOption = None,
    duplex: DuplexOption = None,
    packing: PackingOption = None,
    alpha: AlphaOption = None,
    beta: BetaOption = None,
    save: SaveOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Send from each to each its own (personalised), checked."""
    asked = _asked(ports, duplex, packing, alpha=alpha, beta=beta)
    _run(spec, "all-to-all", None, algorithm, asked, save, style, output)


def permute(
    spec: SpecArgument,
    permutation: Annotated[
        str,
        typer.Option(
            "--permutation", help="A file of node numbers, one per endpoint, or random:SEED."
        ),
    ] = "random:0",
    algorithm: AlgorithmOption = "generic",
    ports: PortsOption = None,
    duplex: DuplexOption = None,
    packing: PackingOption = None,
    save: SaveOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Send every node's datum to another node, each node once, checked."""
    asked = _asked(ports, duplex, packing)
    _run(spec, "permutation", None, algorithm, asked, save, style, output, permutation=permutation)


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A schedule: .json or .npz.")],
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Check a schedule file: every rule of its model, every promise of its goal."""
    from hopscape.collectives.choose import report
    from hopscape.core.schedule import Schedule

    record = report(Schedule.load(file, build_within(file)))
    _finish(record, style, output)


def _asked(
    ports: int | None,
    duplex: str | None,
    packing: str | None = None,
    switching: str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    delta: float | None = None,
) -> dict[str, Any]:
    """The rules and costs that were asked for; the others are as the algorithm likes them."""
    wish: dict[str, Any] = {
        "ports": ports,
        "duplex": duplex,
        "packing": packing,
        "switching": switching,
        "alpha": alpha,
        "beta": beta,
        "delta": delta,
    }
    return {name: value for name, value in wish.items() if value is not None}


def _run(
    spec: str,
    kind: str,
    root: str | None,
    algorithm: str,
    asked: dict[str, Any],
    save: Path | None,
    style: Format,
    output: Path | None,
    *,
    targets: list[str] | None = None,
    permutation: str | None = None,
    sliced: bool = False,
) -> None:
    from hopscape.collectives.choose import report, run_algorithm
    from hopscape.core.goal import Goal

    network = build(spec)
    chosen: Any = kind
    goal = Goal(
        chosen,
        network.node(root) if root is not None else None,
        network.endpoint_count if sliced else 1,
        _targets(network, targets, permutation),
    )
    if algorithm == "list":
        if save is not None:
            raise ArgumentError("--save has nothing to write with --algorithm list")
        emit_rows(_listed(network, goal, asked), style, output)
        return
    schedule = run_algorithm(network, goal, algorithm, asked)
    record = report(schedule)
    if save is not None:
        schedule.save(save)
    _finish(record, style, output)


def _listed(network: Any, goal: Any, asked: dict[str, Any]) -> list[dict[str, str]]:
    """The algorithms for a goal, those that serve what is asked for."""
    from hopscape.collectives.choose import algorithms, named_algorithms
    from hopscape.core.model import ANY_MODEL

    serves = {one.name: one.serves for one in named_algorithms(network, goal)}
    return [
        {"algorithm": name, "what": what, "serves": served.describe()}
        for name, what in algorithms(network, goal).items()
        if (served := serves.get(name, ANY_MODEL)).allows(served.model(**asked))
    ]


def _targets(network: Any, targets: list[str] | None, permutation: str | None) -> tuple[int, ...]:
    import numpy as np

    if targets is not None:
        return tuple(sorted({network.node(t) for t in targets}))
    if permutation is None:
        return ()
    seed = re.fullmatch(r"random:([0-9]{1,18})", permutation)
    if seed:
        generator = np.random.default_rng(int(seed[1]))
        return tuple(generator.permutation(network.endpoints).tolist())
    if not Path(permutation).is_file():
        raise ArgumentError(
            f"permutation {permutation!r} is neither random:SEED nor a readable file"
        )
    lines = TextFile(permutation).lines("#")
    words = [word for line in lines for word in line.words()]
    return tuple(word.integer("a node", 0, network.order - 1) for word in words)


def _finish(record: dict[str, Any], style: Format, output: Path | None) -> None:
    from hopscape.core.goal import Goal
    from hopscape.core.model import Model

    goal, model = Goal.from_dict(record["goal"]), Model.from_dict(record["model"])
    best = record["lower_bounds"][0]["why"] if record["lower_bounds"] else ""
    table = {
        "model": model.describe(),
        "algorithm": record["algorithm"],
        "rounds": str(record["rounds"]),
        "lower bound": f"{record['lower_bound']}" + (f"  ({best})" if best else ""),
        "messages": f"{record['messages']:,}",
        "duplicates": _maybe(record["duplicates"]),
        "nodes served": _maybe(record["reached"]),
        "time": f"{record['time']:g}" if "time" in record else "-",
        **_circuit_lines(record),
        "verdict": f"{record['verdict']}: {record['reason']}",
    }
    title = f"{record['spec']}: {goal.describe()}"
    emit(record, style, output, title=title, table=table)
    if record["verdict"] != "holds":
        raise typer.Exit(1)


def _circuit_lines(record: dict[str, Any]) -> dict[str, str]:
    """What is said of circuits only."""
    if record.get("disjoint") is None:
        return {}
    bound = record.get("path_lower_bound")
    least = f"  (at least {bound})" if bound is not None else ""
    return {
        "circuits share no": {"vertex": "node", "edge": "link", "arc": "channel"}[
            record["disjoint"]
        ],
        "longest chain": f"{_maybe(record.get('max_path'))} hops{least}",
        "sum of longest calls": f"{record['sum_round_max']:,} hops",
    }


def _maybe(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
