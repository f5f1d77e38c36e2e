"""Collectives as they are asked for: by a method, a function or a command, the answer is the same.

:func:`ask` turns a question into a goal, holds the contest (on what is left, where parts are dead)
and returns it with the winner. The commands print the answer, the functions below and the methods
of a network (``net.all_gather()``) return its schedule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields
from typing import Any

from hopscape.collectives.contest import Contest, compete
from hopscape.collectives.dying import RepairedPlan, repair_under_way
from hopscape.collectives.records import read_sizes
from hopscape.collectives.survivors import Survivors, survivors
from hopscape.collectives.under_way import Death
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import ROOTED, Goal, GoalKind, read_permutation
from hopscape.core.model import Model
from hopscape.core.network import Network, NodeLike
from hopscape.core.schedule import Schedule

__all__ = [
    "Answer",
    "CollectiveRequest",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "ask",
    "broadcast",
    "gather",
    "multicast",
    "permute",
    "reduce",
    "reduce_scatter",
    "scatter",
]

BEST = "best"
_OF_CIRCUITS = ("disjoint", "circuits")
_RULES = tuple(field.name for field in fields(Model))
_ASKED = ("sources", "groups", "pieces", "sliced", "dead", "dead_links", "dies")
Size = int | float | str


@dataclass(frozen=True)
class CollectiveRequest:
    """What is asked of a network; nodes in the numbers of the whole network.

    Attributes:
        root: The first endpoint (of the group, of those alive) when left out.
        sources: Further nodes that have the data of a broadcast or multicast.
        pieces: Chunks that every datum comes in.
        sliced: A chunk per endpoint, in an all-reduce.
        dead, dead_links: Parts that are not used; endpoints that are dead do not take part.
        dies: Parts that die while the schedule is under way, as ``NODE@ROUND`` or ``A-B@ROUND``.
    """

    kind: GoalKind
    root: NodeLike | None = None
    sources: Sequence[NodeLike] = ()
    targets: Sequence[NodeLike] = ()
    groups: Sequence[Sequence[int]] = ()
    pieces: int = 1
    sliced: bool = False
    dead: Sequence[NodeLike] = ()
    dead_links: Sequence[tuple[NodeLike, NodeLike]] = ()
    dies: Sequence[str | Death] = ()

    def deaths(self, network: Network) -> list[Death]:
        """What dies, read."""
        return [one if isinstance(one, Death) else Death.read(network, one) for one in self.dies]

    def left(self, network: Network) -> Survivors | None:
        """What is left without the dead parts; None where all is alive."""
        nodes = sorted({network.node(node) for node in self.dead})
        links = [(network.node(u), network.node(v)) for u, v in self.dead_links]
        return survivors(network, nodes, links) if nodes or links else None

    def goal(self, network: Network, left: Survivors | None) -> Goal:
        """The goal, in the numbers of what is left."""
        inside = network if left is None else left.left
        groups = tuple(tuple(group) for group in self.groups)
        root: int | None = None
        sources = [network.node(node) for node in self.sources]
        if self.kind in ROOTED:
            alive = inside.endpoints if left is None else left.nodes[inside.endpoints]
            first = groups[0][0] if groups else int(alive[0])
            root = first if self.root is None else network.node(self.root)
        nodes = [network.node(node) for node in self.targets]
        targets = tuple(nodes) if self.kind == "permutation" else tuple(sorted(set(nodes)))
        chunks = self.pieces
        if self.sliced:
            chunks = len(groups[0]) if groups else inside.endpoint_count
        goal = Goal(self.kind, root, chunks, targets, groups, tuple(sources))
        return goal if left is None else left.inside(goal)


@dataclass(frozen=True)
class Answer:
    """The contest, what it was held on where parts are dead, and the winner on the whole.

    Attributes:
        repair: What became of the winner where parts die under way; `schedule` is the repaired one.
    """

    contest: Contest
    left: Survivors | None
    schedule: Schedule
    repair: RepairedPlan | None = None


def ask(
    network: Network,
    question: CollectiveRequest | Goal,
    asked: Mapping[str, Any] | None = None,
    *,
    left: Survivors | None = None,
    dies: Sequence[Death] = (),
    size: float | None = None,
    algorithm: str = BEST,
    time_limit: float | None = None,
) -> Answer:
    """Hold the contest that answers a question.

    Args:
        question: A goal stands for what is left already.
        asked: Rules and costs of the model that are asked for.
        dies: Parts that die while the winner is under way.
        size: Bytes of a node's buffer.
        algorithm: ``best`` (all are tried), or one by name.
        time_limit: Work of one search, in seconds of 10⁸ steps.

    Examples:
        >>> import hopscape
        >>> answer = ask(hopscape.build("torus(8, 8)"), CollectiveRequest("all-gather"))
        >>> answer.schedule.rounds, answer.contest.bounds[0].rounds
        (16, 16)
    """
    if time_limit is not None and not time_limit > 0:
        raise ArgumentError(f"the time limit is {time_limit:g} s; it must be above 0")
    rules = _checked(asked or {})
    if isinstance(question, CollectiveRequest):
        left = question.left(network)
        dies = question.deaths(network)
        question = question.goal(network, left)
    inside = network if left is None else left.left
    name = None if algorithm == BEST else algorithm
    contest = compete(
        inside, question, rules, size=size, algorithm=name, seconds=time_limit, left=left
    )
    best = contest.best
    schedule = copy(best.schedule) if left is None else left.told(best.schedule)
    schedule.name = best.algorithm
    if not dies:
        return Answer(contest, left, schedule)
    repair = repair_under_way(contest, schedule, dies, left, rules, time_limit)
    return Answer(contest, left, repair.schedule, repair)


def _checked(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The rules and costs that are asked for; refuse what is none."""
    rules = {name: value for name, value in asked.items() if value is not None}
    for name in rules:
        if name not in _RULES:
            raise ArgumentError(f"{name!r} is no rule of a model; there are {', '.join(_RULES)}")
    for name in _OF_CIRCUITS:
        if name in rules and rules.get("switching") != "circuit":
            raise ArgumentError(f"{name} is a rule of circuits; it needs switching 'circuit'")
    return rules


def read_size(size: Size) -> float:
    """Bytes, as a number or as text such as ``64KB``."""
    low, high = read_sizes(size if isinstance(size, str) else str(round(size)))
    if low != high:
        raise ArgumentError(f"bytes is {size!r}; a schedule is for one size, such as 64KB")
    return low


def _best(
    network: Network,
    kind: GoalKind,
    model: Model | Mapping[str, Any] | None,
    options: dict[str, Any],
    **own: Any,
) -> Schedule:
    """The schedule that answers a question; what is neither part of it nor of the search is a rule.

    Options that the goal has not (groups of a multicast, several chunks of a scatter) are refused
    by :class:`~hopscape.Goal`.
    """
    for name in _ASKED:
        if name in options:
            own[name] = options.pop(name)
    if "chunks" in options:
        own["pieces"] = options.pop("chunks")
    size, algorithm = options.pop("bytes", None), options.pop("algorithm", BEST)
    limit = options.pop("time_limit", None)
    rules = dict(model.to_dict() if isinstance(model, Model) else model or {})
    if isinstance(model, Model) and model.switching != "circuit":
        rules = {name: value for name, value in rules.items() if name not in _OF_CIRCUITS}
    return ask(
        network,
        CollectiveRequest(kind, **own),
        rules | options,
        size=None if size is None else read_size(size),
        algorithm=algorithm,
        time_limit=limit,
    ).schedule


Rules = Model | Mapping[str, Any] | None


def broadcast(
    network: Network, root: NodeLike | None = None, model: Rules = None, **options: Any
) -> Schedule:
    """The best schedule that brings one node's data to all, as ``hopscape broadcast`` finds it.

    Args:
        root: The first endpoint when left out.
        model: Rules and costs that are asked for; they may stand among the options (``ports=1``).
        **options: ``bytes`` (a number, or ``"64KB"``): the buffer of a node; the shortest time
            wins. ``algorithm``: one by name. ``chunks`` or ``pieces`` of the data, ``sources`` that
            have them as well, ``groups``, ``dead`` nodes, ``dead_links``, ``dies`` (parts that die
            under way, as ``"5@3"``), ``time_limit``; rules and costs of a
            :class:`~hopscape.Model`.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("hypercube(4)")
        >>> broadcast(net, 3).rounds, broadcast(net, dead=[1]).rounds
        (4, 4)
    """
    return _best(network, "broadcast", model, options, root=root)


def multicast(
    network: Network,
    targets: Sequence[NodeLike],
    root: NodeLike | None = None,
    model: Rules = None,
    **options: Any,
) -> Schedule:
    """The best schedule of one node's data to some (one-to-many); options as of `broadcast`."""
    return _best(network, "one-to-many", model, options, root=root, targets=targets)


def reduce(
    network: Network, root: NodeLike | None = None, model: Rules = None, **options: Any
) -> Schedule:
    """The best schedule that adds all shares up at one node; options as of `broadcast`."""
    return _best(network, "reduce", model, options, root=root)


def scatter(
    network: Network, root: NodeLike | None = None, model: Rules = None, **options: Any
) -> Schedule:
    """The best schedule from one node to each its own; options as of `broadcast`."""
    return _best(network, "scatter", model, options, root=root)


def gather(
    network: Network, root: NodeLike | None = None, model: Rules = None, **options: Any
) -> Schedule:
    """The best schedule from each its own to one node; options as of `broadcast`."""
    return _best(network, "gather", model, options, root=root)


def all_gather(network: Network, model: Rules = None, **options: Any) -> Schedule:
    """The best schedule of everybody's data to everybody; options as of `broadcast`.

    Examples:
        >>> import hopscape
        >>> all_gather(hopscape.build("torus(8, 8)")).rounds
        16
    """
    return _best(network, "all-gather", model, options)


def reduce_scatter(network: Network, model: Rules = None, **options: Any) -> Schedule:
    """The best schedule that adds all shares up, one part at each; options as of `broadcast`."""
    return _best(network, "reduce-scatter", model, options)


def all_reduce(network: Network, model: Rules = None, **options: Any) -> Schedule:
    """The best schedule that adds all shares up everywhere; options as of `broadcast`.

    ``sliced=True`` asks for a chunk per endpoint.

    Examples:
        >>> import hopscape
        >>> all_reduce(hopscape.build("torus(4, 4)")).rounds
        4
    """
    return _best(network, "all-reduce", model, options)


def all_to_all(network: Network, model: Rules = None, **options: Any) -> Schedule:
    """The best schedule from each to each its own; options as of `broadcast`."""
    return _best(network, "all-to-all", model, options)


def permute(
    network: Network, targets: Sequence[NodeLike] | str, model: Rules = None, **options: Any
) -> Schedule:
    """The best schedule of the j-th endpoint's datum to ``targets[j]``; options as of `broadcast`.

    Args:
        targets: Each endpoint once; or a file of them, or ``random:SEED``.
    """
    if isinstance(targets, str):
        targets = read_permutation(network, targets)
    return _best(network, "permutation", model, options, targets=targets)
