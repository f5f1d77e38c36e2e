"""Commands about collectives: one per goal, and verify for schedule files.

The commands of the goals differ in their options only, so they are made from a table, `GOALS`: a
goal gets its command by a row there and a line in :mod:`hopscape.cli.overview`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from hopscape.cli.collective_output import finish, list_transfers, pick_algorithms, save_pictures
from hopscape.cli.options import (
    OUTPUT_PANEL,
    DeadLinkOption,
    DeadOption,
    DiesOption,
    ProofOption,
    ScheduleArgument,
    SpecArgument,
    option,
    read_dead_links,
    refuse,
    time_limit_option,
)
from hopscape.cli.output import emit_rows, write_proofs
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal, GoalKind, read_permutation
from hopscape.core.network import Network
from hopscape.core.reading import TextFile
from hopscape.registry import build, build_within

if TYPE_CHECKING:
    from hopscape.collectives.front import Answer
    from hopscape.collectives.survivors import Survivors

__all__ = ["GOALS", "GoalCommand", "verify"]


def _parameter(name: str, kind: Any, default: Any = None) -> Parameter:
    given = Parameter.empty if default is ... else default
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=kind, default=given)


def _option(
    name: str, kind: Any, help: str, *names: str, default: Any = None, panel: str | None = None
) -> Parameter:
    """An option; ``...`` for the default of one that must be given."""
    return _parameter(name, Annotated[kind, option(help, *names, rich_help_panel=panel)], default)


_ROOT = "The root: a node number or an address (default: the first endpoint)."
_AGAIN = " Repeatable in broadcast and multicast, where several nodes hold the data."
_ROOT_FROM = (_option("root", list[str] | None, _ROOT + _AGAIN, "--from"),)
_ROOT_TO = (_option("root", str | None, _ROOT, "--to"),)
_TARGETS = _option("targets", list[str], "A target (repeatable).", "--to", default=...)
_PIECES = (_option("pieces", int, "Pieces that each chunk is cut into, for long data.", default=1),)
_SLICED = _option(
    "sliced",
    bool,
    "One chunk per node (reduce-scatter, all-gather), for long data.",
    default=False,
)
_PERMUTATION = _option(
    "permutation",
    str,
    "A file of node numbers, one per endpoint, or random:SEED.",
    default="random:0",
)
_WHAT = (
    _option(
        "algorithm",
        str,
        "A name, 'best' (try all) or 'list'.",
        "--algorithm",
        "-a",
        default="best",
    ),
    _option(
        "size",
        str | None,
        "Size of a node's buffer (64KB) or a range (1KB:1GB); gives times in µs.",
        "--bytes",
    ),
)
_GROUPS = (
    _option(
        "group",
        list[str] | None,
        "Only among these endpoints (0,1,8,9); repeatable, groups run side by side.",
    ),
    _option(
        "group_file",
        Path | None,
        "A file of groups, one per line, all run side by side.",
        "--groups",
    ),
)
_MODEL_PANEL = "Model and costs"
_RULES = {
    name: _option(name, kind | None, help, panel=_MODEL_PANEL)
    for name, kind, help in (
        ("ports", int, "Messages per node and round (default: all ports)."),
        ("duplex", str, "full or half (default: full, unless the algorithm needs half)."),
        ("packing", str, "unit (one chunk per message) or packed (default with --bytes)."),
        (
            "switching",
            str,
            "store-and-forward, circuit or cut-through (default with switches or --bytes).",
        ),
        (
            "disjoint",
            str,
            "What circuits of a round must not share: vertex, edge (link) or arc (channel).",
        ),
        (
            "circuits",
            str,
            "any, dimension-ordered (axis by axis, as such routers connect them) or"
            " last-axis-first.",
        ),
        ("alpha", float, "Start-up cost of a round (default: 1; in µs with --bytes)."),
        (
            "beta",
            float,
            "Cost per chunk of the longest message (default: 0; with --bytes, 2e-5 µs per byte).",
        ),
        ("gamma", float, "Cost per chunk reduced (default: 0; with --bytes, 1e-5 µs per byte)."),
        ("delta", float, "Cost per hop of the longest path (default: 0; with --bytes, 0.1 µs)."),
    )
}
"""Rules of the model and costs, in the order of the help."""
_HOW = (
    _option(
        "in_network",
        bool,
        "Switches store, copy and reduce (default: they only forward).",
        default=False,
        panel=_MODEL_PANEL,
    ),
    _parameter(
        "limit",
        Annotated[
            float | None,
            time_limit_option(
                "Budget of each search, in seconds of 10⁸ steps (default: 30);"
                " longer ones are skipped."
            ),
        ],
    ),
    _option(
        "listed",
        bool,
        "Print the transfers, round by round, instead of the summary.",
        "--list",
        default=False,
        panel=OUTPUT_PANEL,
    ),
    _option(
        "figure",
        Path | None,
        "Draw the rounds, or time over size: .svg, .png or .pdf.",
        panel=OUTPUT_PANEL,
    ),
    _option("animate", Path | None, "Play the rounds: .html or .gif.", panel=OUTPUT_PANEL),
    _option("save", Path | None, "Write the schedule: .json or .npz.", panel=OUTPUT_PANEL),
    _parameter("proof", ProofOption),
)
_PLAIN = "ports duplex packing switching disjoint circuits alpha beta delta"
_ADDING = "ports duplex packing switching disjoint circuits alpha beta gamma delta"


@dataclass(frozen=True)
class GoalOptions:
    """Options that only some goals have, as they are written."""

    root: str | list[str] | None = None
    targets: Sequence[str] = ()
    group: Sequence[str] | None = None
    group_file: Path | None = None
    pieces: int = 1
    sliced: bool = False
    permutation: str | None = None


@dataclass(frozen=True)
class GoalCommand:
    """A goal as a command.

    Attributes:
        own: Its own options.
        rules: Which rules and costs can be asked for.
    """

    kind: GoalKind
    summary: str
    own: tuple[Parameter, ...] = ()
    rules: str = _PLAIN

    @property
    def signature(self) -> Signature:
        """What typer reads: the network, the own options, and those that all have."""
        return Signature(
            [
                _parameter("spec", SpecArgument, ...),
                *self.own,
                *_WHAT,
                *(() if self.kind == "one-to-many" else _GROUPS),
                _parameter("dead", DeadOption),
                _parameter("dead_link", DeadLinkOption),
                _parameter("dies", DiesOption),
                *(_RULES[name] for name in self.rules.split()),
                *_HOW,
            ]
        )


GOALS: dict[str, GoalCommand] = {
    "broadcast": GoalCommand("broadcast", "Broadcast from one node to all, checked.", _ROOT_FROM),
    "reduce": GoalCommand(
        "reduce", "Reduce all nodes' data at one node, checked.", _ROOT_TO, _ADDING
    ),
    "scatter": GoalCommand(
        "scatter", "Send separate data from one node to each, checked.", _ROOT_FROM
    ),
    "gather": GoalCommand(
        "gather", "Collect separate data from each node at one node, checked.", _ROOT_TO
    ),
    "multicast": GoalCommand(
        "one-to-many",
        "Send from one node to some (one-to-many), checked.",
        (_TARGETS, *_ROOT_FROM),
    ),
    "allgather": GoalCommand(
        "all-gather", "Send every node's data to every node, checked.", _PIECES
    ),
    "reduce_scatter": GoalCommand(
        "reduce-scatter",
        "Reduce all nodes' data, one part at each node, checked.",
        _PIECES,
        _ADDING,
    ),
    "allreduce": GoalCommand(
        "all-reduce",
        "Reduce all nodes' data, the result at every node, checked.",
        (_SLICED,),
        _ADDING,
    ),
    "alltoall": GoalCommand(
        "all-to-all", "Send separate data from every node to every node, checked.", _PIECES
    ),
    "permute": GoalCommand(
        "permutation",
        "Send each node's data to one other node, as a permutation says, checked.",
        (_PERMUTATION,),
    ),
}


def __getattr__(name: str) -> Callable[..., None]:
    """The command of a goal, made when it is called for."""
    if name not in GOALS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    goal = GOALS[name]

    def command(**given: Any) -> None:
        own = {
            field.name: given.pop(field.name)
            for field in fields(GoalOptions)
            if field.name in given
        }
        rules = {name: given.pop(name) for name in goal.rules.split()}
        _run(goal.kind, GoalOptions(**own), rules, **given)

    command.__name__ = name
    command.__doc__ = goal.summary
    command.__signature__ = goal.signature  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in goal.signature.parameters.values()}
    return command


def verify(
    file: ScheduleArgument,
    dead: DeadOption = None,
    dead_link: DeadLinkOption = None,
    dies: DiesOption = None,
    proof: ProofOption = None,
) -> None:
    """Check a schedule file: every rule of its model, every promise of its goal, no dead part."""
    from hopscape.collectives.choose import report
    from hopscape.collectives.survivors import check_alive
    from hopscape.collectives.under_way import Death, check_dying
    from hopscape.core.schedule import Schedule

    schedule = Schedule.load(file, build_within(file))
    record = report(schedule)
    nodes, links = _faults(schedule.network, dead, dead_link)
    if nodes or links:
        record |= check_alive(schedule, nodes, links, record["verdict"] == "holds")
    if dies:
        deaths = [Death.read(schedule.network, text) for text in dies]
        record |= check_dying(schedule, deaths, record["verdict"] == "holds")
    proofs = []
    if proof is not None and record["verdict"] == "holds":
        proofs = [schedule.proof()]
    finish(record)
    if proof is not None:
        write_proofs(proof, proofs)


def _run(
    kind: GoalKind,
    own: GoalOptions,
    rules: Mapping[str, Any],
    *,
    spec: str,
    algorithm: str,
    size: str | None,
    dead: list[str] | None,
    dead_link: list[str] | None,
    dies: list[str] | None,
    in_network: bool,
    limit: float | None,
    listed: bool,
    figure: Path | None,
    animate: Path | None,
    save: Path | None,
    proof: Path | None,
) -> None:
    """Find the best schedule, check it and say so."""
    from hopscape.collectives.front import CollectiveRequest, ask
    from hopscape.collectives.records import contest_record, fault_record, read_sizes
    from hopscape.collectives.under_way import Death

    if limit is not None and not limit > 0:
        raise ArgumentError(f"--time-limit is {limit:g} s; it must be above 0")
    whole = build(spec)
    nodes, links = _faults(whole, dead, dead_link)
    left = CollectiveRequest(kind, dead=nodes, dead_links=links).left(whole)
    goal, asked = _goal(kind, whole, left, own), _asked(rules, in_network)
    sizes = None if size is None else read_sizes(size)
    deaths = [Death.read(whole, text) for text in dies or ()]
    if deaths and sizes is not None and sizes[0] < sizes[1]:
        raise ArgumentError(f"--bytes is {size!r}; with --dies it must be one size")
    if algorithm == "list":
        refuse(
            ("save", "figure", "animate", "listed", "proof"),
            "has nothing to write with --algorithm list",
        )
        inside = whole if left is None else left.left
        emit_rows(pick_algorithms(inside, goal, asked, sizes, left))
        return
    bytes_ = None if sizes is None else sizes[1]
    answer = ask(
        whole,
        goal,
        asked,
        left=left,
        dies=deaths,
        size=bytes_,
        algorithm=algorithm,
        time_limit=limit,
    )
    contest, schedule = answer.contest, answer.schedule
    repaired = answer.repair is not None
    record = _repair_record(answer) if repaired else contest_record(contest, sizes)
    proofs = [] if proof is None else [(schedule if repaired else contest.best.schedule).proof()]
    if left is not None and not repaired:
        record |= fault_record(contest, left, nodes, links, asked=asked, seconds=limit)
    if save is not None:
        schedule.save(save)
    save_pictures(contest, schedule, sizes, figure, animate)
    if listed:
        list_transfers(schedule, record)
    else:
        finish(record)
    if proof is not None:
        write_proofs(proof, proofs)


def _repair_record(answer: Answer) -> dict[str, Any]:
    """What is said of a schedule that was repaired under way."""
    from hopscape.collectives.choose import report
    from hopscape.collectives.dying import repair_record

    assert answer.repair is not None
    own = report(answer.schedule, answer.repair.entry.verdict)
    return own | repair_record(answer.repair, answer.contest)


def _asked(rules: Mapping[str, Any], in_network: bool) -> dict[str, Any]:
    """The rules and costs of the model that were given."""
    asked = {name: value for name, value in rules.items() if value is not None}
    for name in ("disjoint", "circuits"):
        if asked.get(name) is not None and asked.get("switching") != "circuit":
            raise ArgumentError(f"--{name} is a rule of circuits; it needs --switching circuit")
    return asked | ({"in_network": True} if in_network else {})


def _goal(kind: GoalKind, whole: Network, left: Survivors | None, own: GoalOptions) -> Goal:
    """The goal that the options ask for, in the numbers of what is left."""
    from hopscape.collectives.front import CollectiveRequest

    groups = tuple(_members(whole, text) for text in _group_texts(own))
    if own.permutation is not None:
        if groups:
            raise ArgumentError(
                "--group is for other collectives; name the targets of all endpoints"
            )
        alive = whole if left is None else left.left
        return Goal.permutation(read_permutation(alive, own.permutation))
    named = _listed(own.root)
    root = named[0] if named else None
    asked = CollectiveRequest(kind, root, named[1:], own.targets, groups, own.pieces, own.sliced)
    return asked.goal(whole, left)


def _listed(value: str | list[str] | None) -> list[str]:
    """An option that was given once or several times, or not at all."""
    return [value] if isinstance(value, str) else value or []


def _group_texts(own: GoalOptions) -> list[str]:
    """The groups as they are written, one by one or line by line in a file."""
    texts = list(own.group or ())
    if own.group_file is not None:
        lines = TextFile(own.group_file).lines("#")
        texts += [",".join(word.text for word in line.words()) for line in lines]
        if not texts:
            raise ArgumentError(f"{own.group_file} has no groups")
    return texts


def _members(network: Network, text: str) -> tuple[int, ...]:
    """The endpoints of a group: node numbers or ranges, such as 0,1,8-11."""
    out: list[int] = []
    for word in text.split(","):
        ends = word.strip().split("-")
        if len(ends) > 2 or not all(end.strip().isdigit() for end in ends):
            raise ArgumentError(f"group {text!r} must be node numbers and ranges, such as 0,1,8-11")
        low, high = network.node(ends[0]), network.node(ends[-1])
        if high < low:
            raise ArgumentError(f"group {text!r} has a range that falls, {word.strip()}")
        out += range(low, high + 1)
    return tuple(out)


def _faults(
    network: Network, dead: list[str] | None, dead_link: list[str] | None
) -> tuple[list[int], list[tuple[int, int]]]:
    """Dead nodes and links, as numbers."""
    nodes = sorted({network.node(text) for text in dead or ()})
    return nodes, read_dead_links(network, dead_link)
