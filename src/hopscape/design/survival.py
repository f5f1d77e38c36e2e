"""What a switched machine still does when switches or links fail, whichever they are.

Every set of failures is looked at, up to symmetry: after each failure the symmetries of what is
left say which of the next ones differ. The shares are those of uniform traffic between the
endpoints that are left, over the shortest paths that are left, each cable of a trunk a path of its
own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.measured import Measured
from hopscape.metrics.throughput import SwitchGraph

__all__ = ["MOST_FAILURES", "Survival", "Survived", "survived"]

Part = Literal["switches", "links"]
MOST_FAILURES = 8
"""Failures at once that may be asked for: sets of more are too many on any machine."""
_SLACK = 1e-9
_WORK = 2_000_000_000
"""Pairs of a switch and a switch or channel, over all sets of failures: about ten seconds."""
_AT_ONCE = 20_000_000
"""The same up to which all failures are looked at without a search for symmetries."""


@dataclass(frozen=True)
class Survival:
    """Failures that a machine must survive, and the share of the line rate that must remain.

    Attributes:
        switches: So many may fail at once; their endpoints are lost.
        links: So many cables between switches may fail at once (and no switch).
        share: Of the line rate, for uniform traffic between all endpoints that are left; with 0
            it is enough that they reach each other.

    Examples:
        >>> Survival.parse("1 switch, links=2", 0.5)
        Survival(switches=1, links=2, share=0.5)
        >>> Survival.parse("switches").text
        'switches=1'
    """

    switches: int = 0
    links: int = 0
    share: float = 0.0

    def __post_init__(self) -> None:
        for name in ("switches", "links"):
            if not 0 <= getattr(self, name) <= MOST_FAILURES:
                raise ArgumentError(
                    f"--survive asks for {getattr(self, name)} {name}; it must be from 1 to"
                    f" {MOST_FAILURES}"
                )
        if not self.switches and not self.links:
            raise ArgumentError("--survive names no failure, such as 'switches=1' or 'links=2'")
        if not 0 <= self.share <= 1:
            raise ArgumentError(f"--remaining is {self.share:g}; it must be a share from 0 to 1")

    @classmethod
    def parse(cls, text: str, share: float | None = None) -> Survival:
        """Read ``switches=1``, ``2 links``, ``switch``, or both with a comma between them."""
        failures: dict[str, int] = {}
        for part in filter(None, (piece.strip().lower() for piece in text.split(","))):
            match = re.fullmatch(r"(\d+)?\s*(switch|switches|links?)\s*(?:=?\s*(\d+))?", part)
            if match is None or (match[1] and match[3]):
                raise ArgumentError(
                    f"--survive is {text!r}; it must be switches or links and how many, such as"
                    " 'switches=1' or 'links=2'"
                )
            kind = "switches" if match[2].startswith("switch") else "links"
            failures[kind] = int(match[1] or match[3] or 1)
            if not failures[kind]:
                raise ArgumentError(f"--survive asks for 0 {kind}; it must be at least 1")
        return cls(**failures, share=0.0 if share is None else share)

    @property
    def text(self) -> str:
        """As :meth:`parse` reads it."""
        both = (("switches", self.switches), ("links", self.links))
        return ",".join(f"{name}={count}" for name, count in both if count)

    @property
    def words(self) -> str:
        """As a person says it: '2 links', '1 switch'."""
        parts = []
        for name, single, count in (("switches", "switch", self.switches),
                                    ("links", "link", self.links)):  # fmt: skip
            if count:
                parts.append(f"any {count} {name}" if count > 1 else f"any {single}")
        return " or ".join(parts)

    @property
    def demand(self) -> str:
        """What is asked for, in words."""
        rest = f"{self.share:g} of the line rate" if self.share else "connected"
        return f"{rest} without {self.words}"


class Survived(NamedTuple):
    """What is left after the worst failures.

    Attributes:
        share: Of the line rate; 0 where what is left is parted.
        lost: Endpoints that are cut off when as many switches fail as may.
    """

    share: Measured[float | None]
    lost: Measured[int | None]


def survived(graph: SwitchGraph, planes: int, asked: Survival) -> Survived:
    """The share that remains after the worst failures, and the endpoints that are lost.

    Args:
        graph: One plane; the speed of a channel is its number of cables.
        planes: Copies of it that share the endpoints.

    A bound from below where planes share the endpoints: a plane that loses endpoints is not used by
    the others either.

    Examples:
        >>> from hopscape.metrics.throughput import switch_graph
        >>> import hopscape
        >>> graph = switch_graph(hopscape.build("leaf_spine(4, 4, 4)"))
        >>> found = survived(graph, 1, Survival(switches=1))
        >>> found.share.value, found.lost.value
        (0.9375, 4)
        >>> survived(graph, 1, Survival(links=1)).share.value
        0.9375
    """
    shares, lost = [], 0
    if asked.links:
        graph = _by_cable(graph)
    try:
        if asked.switches:
            least, lost = _worst_switches(graph, planes, asked)
            shares.append(least)
        if asked.links:
            shares.append(_worst_links(graph, planes, asked))
    except TooLargeError as error:
        return Survived(
            Measured(None, "unknown", str(error)), Measured(None, "unknown", str(error))
        )
    worst = min(shares)
    note = f"after {asked.words}, uniform traffic over the shortest paths that are left"
    if 0 < worst < asked.share - _SLACK:  # the search ended there
        return Survived(Measured.at_most(worst, note), Measured(lost, "exact"))
    exact = planes == 1 or not asked.switches
    share = Measured(worst, "exact", note) if exact else Measured.at_least(worst, note)
    return Survived(share, Measured(lost, "exact"))


def _worst_switches(graph: SwitchGraph, planes: int, asked: Survival) -> tuple[float, int]:
    """Share and endpoints lost after the worst failures of switches."""
    count = asked.switches
    if graph.hosted:
        return _worst_hosted(graph, asked)
    dearest = np.sort(graph.ends)[::-1]
    if planes > 1:  # endpoints keep the other planes; one that lost endpoints is left alone
        lost = int(dearest[: count // planes].sum())
        whole = graph.uniform().throughput
        return max(0, planes - count) / planes * whole, lost
    return _least(graph, "switches", count, asked.share), int(dearest[:count].sum())


def _worst_hosted(graph: SwitchGraph, asked: Survival) -> tuple[float, int]:
    """The same where endpoints have lines to several switches, and forward."""
    lost = 0
    worst = math.inf
    for left in _sets(graph, "switches", asked.switches, _Work()):
        alone = left.hosts & (np.diff(left.indptr) == 0)
        lost = max(lost, int(left.ends[alone].sum()))
        worst = min(worst, _share(_kept(left, ~alone)))
        if worst < asked.share - _SLACK or worst <= 0:
            break
    return worst, lost


def _worst_links(graph: SwitchGraph, planes: int, asked: Survival) -> float:
    """Share after the worst failures of links, however they fall on the planes."""
    if planes == 1:
        return _least(graph, "links", asked.links, asked.share)
    after = [graph.uniform().throughput]
    after += [_least(graph, "links", count, 0.0) for count in range(1, asked.links + 1)]
    # the most that is lost with so many failures, plane by plane
    lost = [0.0] * (asked.links + 1)
    for _ in range(planes):
        lost = [
            max(lost[count - here] + after[0] - after[here] for here in range(count + 1))
            for count in range(asked.links + 1)
        ]
    return max(0.0, after[0] - lost[-1] / planes)


def _least(graph: SwitchGraph, part: Part, count: int, share: float) -> float:
    """Least share after so many failures; a search that comes below `share` ends there."""
    worst = math.inf
    for left in _sets(graph, part, count, _Work()):
        worst = min(worst, _share(left))
        if worst < share - _SLACK or worst <= 0:
            break
    return 0.0 if math.isinf(worst) else worst


class _Work:
    """How much work is left for the failures of a machine."""

    def __init__(self) -> None:
        self.left = float(_WORK)

    def spend(self, graph: SwitchGraph) -> None:
        self.left -= graph.order * (graph.order + len(graph.heads))
        if self.left < 0:
            raise TooLargeError(
                f"{graph.name} has too many different sets of failures to look at all; ask"
                " --survive for fewer"
            )


def _sets(graph: SwitchGraph, part: Part, count: int, work: _Work) -> Iterator[SwitchGraph]:
    """What is left after each set of so many failures, one of each orbit at least.

    Where there are fewer links, all of them fail: a machine of one switch has none.
    """
    if not count or (part == "links" and not len(graph.heads)):
        work.spend(graph)
        yield graph
        return
    for one in _different(graph, part):
        left = _without_switch(graph, one) if part == "switches" else _without_link(graph, one)
        yield from _sets(left, part, count - 1, work)


def _different(graph: SwitchGraph, part: Part) -> list[int]:
    """Switches, or channels, one of each orbit under the symmetries of the machine.

    Those that carry most come first: a machine that does not survive is found out soon.
    """
    from hopscape.algebra.groups import AutomorphismGroup

    if part == "switches":
        chosen = np.flatnonzero(~graph.hosts)
    else:
        ordered = np.flatnonzero(graph.tails < graph.heads)
        pairs = graph.tails[ordered] * graph.order + graph.heads[ordered]
        chosen = ordered[np.unique(pairs, return_index=True)[1]]  # of parallel cables one
    each = graph.order * (graph.order + len(graph.heads))
    if (
        len(graph.heads)
        and len(chosen) * each > _AT_ONCE
        and (symmetries := graph.symmetries()) is not None
    ):
        group = AutomorphismGroup(graph.order, symmetries, 1)
        if part == "switches":
            first = {min(orbit) for orbit in group.orbits()}
            chosen = np.asarray([one for one in chosen.tolist() if one in first], dtype=np.int64)
        else:
            kind = group.pair_classes(graph.tails[chosen], graph.heads[chosen], ordered=False)
            chosen = chosen[np.unique(kind, return_index=True)[1]]
    degrees = np.bincount(graph.tails, graph.speeds, minlength=graph.order)
    ends = chosen if part == "switches" else graph.tails[chosen]
    weight = -degrees[ends]
    return [int(one) for one in chosen[np.argsort(weight, kind="stable")]]


def _share(graph: SwitchGraph) -> float:
    """Uniform throughput; 0 where some endpoints do not reach the others, or none is left."""
    if graph.endpoints < 2:
        return 0.0
    try:
        return round(graph.uniform().throughput, 6)
    except DisconnectedError:
        return 0.0


def _without_switch(graph: SwitchGraph, dead: int) -> SwitchGraph:
    stays = np.ones(graph.order, dtype=bool)
    stays[dead] = False
    return _kept(graph, stays)


def _kept(graph: SwitchGraph, stays: IntArray) -> SwitchGraph:
    """The part of a machine that is left."""
    number = np.cumsum(stays) - 1
    channels = stays[graph.tails] & stays[graph.heads]
    return _made(graph, number[graph.tails[channels]], number[graph.heads[channels]],
                 graph.speeds[channels], graph.ends[stays])  # fmt: skip


def _without_link(graph: SwitchGraph, dead: int) -> SwitchGraph:
    """A cable less between two switches, in both directions."""
    a, b = int(graph.tails[dead]), int(graph.heads[dead])
    stays = np.ones(len(graph.heads), dtype=bool)
    stays[[dead, np.flatnonzero((graph.tails == b) & (graph.heads == a))[0]]] = False
    return _made(graph, graph.tails[stays], graph.heads[stays], graph.speeds[stays], graph.ends)


def _by_cable(graph: SwitchGraph) -> SwitchGraph:
    """Trunks as parallel channels: what is sent over a trunk is split over the cables it has."""
    times = np.maximum(1, np.round(graph.speeds)).astype(np.int64)
    if (times != graph.speeds).any() or not (times > 1).any():
        return graph
    tails, heads = np.repeat(graph.tails, times), np.repeat(graph.heads, times)
    return _made(graph, tails, heads, np.ones(len(heads)), graph.ends)


def _made(
    graph: SwitchGraph, tails: IntArray, heads: IntArray, speeds: IntArray, ends: IntArray
) -> SwitchGraph:
    """A graph of channels that are sorted by the switch that they leave."""
    indptr = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=len(ends)))])
    return SwitchGraph(
        indptr.astype(graph.indptr.dtype), heads.astype(graph.heads.dtype), speeds, ends,
        graph.lines, graph.name, graph.hosted,
    )  # fmt: skip
