"""Commands about collectives: one per goal, and verify for schedule files.

The commands of the goals differ in their options only, so they are made from a table, `GOALS`: a
goal gets its command by a row there and a line in :mod:`hopscape.cli.contents`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.commands.networks import SpecArgument
from hopscape.cli.output import Format, FormatOption, OutputOption, emit, emit_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal, GoalKind, read_permutation
from hopscape.core.network import Network
from hopscape.registry import build, build_within

__all__ = ["GOALS", "GoalCommand", "verify"]

FromOption = Annotated[str, typer.Option("--from", help="The root: a node number or an address.")]
ToOption = Annotated[str, typer.Option("--to", help="The root: a node number or an address.")]
TargetsOption = Annotated[
    list[str], typer.Option("--to", help="A target; give the option once for each.")
]
PermutationOption = Annotated[
    str,
    typer.Option("--permutation", help="A file of node numbers, one per endpoint, or random:SEED."),
]
SlicedOption = Annotated[
    bool,
    typer.Option("--sliced", help="A chunk per node (reduce-scatter, all-gather): long data."),
]
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

_ROOT_FROM = (("root", FromOption, "0"),)
_ROOT_TO = (("root", ToOption, "0"),)
_RULES: dict[str, Any] = {
    "ports": PortsOption,
    "duplex": DuplexOption,
    "packing": PackingOption,
    "switching": SwitchingOption,
    "alpha": AlphaOption,
    "beta": BetaOption,
    "delta": DeltaOption,
}
"""Rules of the model and costs, in the order of the help."""


@dataclass(frozen=True)
class GoalCommand:
    """A goal as a command.

    Attributes
    ----------
    kind : GoalKind
    summary : str
    own : tuple of (name, type, default)
        Its own options; ``...`` for the default of one that must be given.
    rules : str
        Which rules and costs can be asked for; the others follow from the goal.
    """

    kind: GoalKind
    summary: str
    own: tuple[tuple[str, Any, Any], ...] = ()
    rules: str = "ports duplex packing"

    @property
    def signature(self) -> Signature:
        """What typer reads: the network, the own options, and those that all have."""
        options = [
            ("spec", SpecArgument, ...),
            *self.own,
            ("algorithm", AlgorithmOption, "generic"),
            *((name, _RULES[name], None) for name in self.rules.split()),
            ("save", SaveOption, None),
            ("style", FormatOption, Format.table),
            ("output", OutputOption, None),
        ]
        return Signature([_parameter(*option) for option in options])


def _parameter(name: str, kind: Any, default: Any) -> Parameter:
    given = Parameter.empty if default is ... else default
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=kind, default=given)


GOALS: dict[str, GoalCommand] = {
    "broadcast": GoalCommand(
        "broadcast",
        "Broadcast from one node to all, checked.",
        _ROOT_FROM,
        "ports duplex packing switching alpha beta delta",
    ),
    "reduce": GoalCommand(
        "reduce",
        "Add up everybody's share at one node, checked.",
        _ROOT_TO,
        "ports duplex alpha beta delta",
    ),
    "scatter": GoalCommand("scatter", "Send from one node to each its own, checked.", _ROOT_FROM),
    "gather": GoalCommand("gather", "Collect from each its own at one node, checked.", _ROOT_TO),
    "multicast": GoalCommand(
        "one-to-many",
        "Send from one node to some (one-to-many), checked.",
        (("targets", TargetsOption, ...), *_ROOT_FROM),
        "ports duplex",
    ),
    "allgather": GoalCommand(
        "all-gather",
        "Bring everybody's data to everybody, checked.",
        rules="ports duplex packing alpha beta",
    ),
    "allreduce": GoalCommand(
        "all-reduce",
        "Add up everybody's share everywhere, checked.",
        (("sliced", SlicedOption, False),),
        "ports duplex packing alpha beta",
    ),
    "alltoall": GoalCommand(
        "all-to-all",
        "Send from each to each its own (personalised), checked.",
        rules="ports duplex packing alpha beta",
    ),
    "permute": GoalCommand(
        "permutation",
        "Send every node's datum to another node, each node once, checked.",
        (("permutation", PermutationOption, "random:0"),),
    ),
}


def __getattr__(name: str) -> Callable[..., None]:
    """The command of a goal, made when it is called for."""
    if name not in GOALS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    goal = GOALS[name]

    def command(**given: Any) -> None:
        _run(goal.kind, **given)

    command.__name__ = name
    command.__doc__ = goal.summary
    command.__signature__ = goal.signature  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in goal.signature.parameters.values()}
    return command


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


def _run(
    kind: GoalKind,
    spec: str,
    algorithm: str,
    save: Path | None,
    style: Format,
    output: Path | None,
    *,
    root: str | None = None,
    targets: list[str] | None = None,
    permutation: str | None = None,
    sliced: bool = False,
    **rules: Any,
) -> None:
    """Find a schedule, check it and say so; rules that are not given are the algorithm's."""
    from hopscape.collectives.choose import report, run_algorithm

    network = build(spec)
    asked = {name: value for name, value in rules.items() if value is not None}
    goal = Goal(
        kind,
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


def _targets(
    network: Network, targets: list[str] | None, permutation: str | None
) -> tuple[int, ...]:
    if targets is not None:
        return tuple(sorted({network.node(t) for t in targets}))
    return () if permutation is None else read_permutation(network, permutation)


def _finish(record: dict[str, Any], style: Format, output: Path | None) -> None:
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
    if "note" in record:
        table["note"] = record["note"]
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
