"""How a machine grows into a larger one of its family: what is bought, and which cables are moved.

Every switch of the present machine becomes a switch of the larger one. A cable between two switches
that are joined there as well stays; the others are moved, or are over. Which switch becomes which
is a quadratic assignment: the switches are mapped one after the other, each where most of its
cables stay, and then moved and exchanged as long as more cables stay. So the number of cables moved
is that of a plan, which fewer may do; 0 is proved. Time O(switches * degree^2) for every pass.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.design.bill import Bill, BillPart
from hopscape.formats.graphs.libraries import link_ends

if TYPE_CHECKING:
    from hopscape.design.machine import Machine
    from hopscape.design.prices import Item, PriceList

__all__ = [
    "Cabling",
    "Growth",
    "added_parts",
    "best_growth",
    "grow",
    "growth_text",
    "moved_figure",
]

_LIKE = 1e-4  # of a cable: what tells apart places that keep as many, by what is around them
_PASSES = 12  # of moves and exchanges; a pass that gains nothing ends them
_PLACES = 4  # that are tried for a switch, the best first: others gain nothing mostly
_REFINED = 60_000_000  # switches times degrees squared beyond which the first map stays


@dataclass(frozen=True)
class Cabling:
    """Switches, the cables between them, and what hangs on them.

    Attributes:
        indptr, heads (int64[...]): Whom each switch is joined to, each neighbour once.
        cables (int64[...]): By how many cables.
        lines (int64[order]): Lines of endpoints at each switch; 0 where endpoints are routers.
        hosts (bool[order]): Nodes that are endpoints, with lines to several switches.
        copies: Planes or rails that are all like this.
        base: Spec of the network whose nodes these are, for their addresses; may be empty.
    """

    indptr: IntArray
    heads: IntArray
    cables: IntArray
    lines: IntArray
    hosts: IntArray
    copies: int = 1
    base: str = ""

    @classmethod
    def of_machine(cls, machine: Machine, base: str = "") -> Cabling:
        """One plane of a switched machine."""
        graph = machine.flow
        lines = np.where(graph.hosts, 0, graph.ends * graph.lines)
        made = _merged(graph.order, graph.tails, graph.heads, np.round(graph.speeds))
        return cls(*made, lines, graph.hosts, machine.planes * machine.rails, base)

    @classmethod
    def of_network(cls, network: Network) -> Cabling:
        """A direct machine, whose nodes are routers."""
        tails, heads, _ = link_ends(network)
        both = np.concatenate([tails, heads]), np.concatenate([heads, tails])
        made = _merged(network.order, *both, np.ones(2 * len(tails)))
        none = np.zeros(network.order, dtype=np.int64)
        return cls(*made, none, none.astype(bool), base=network.spec)

    @property
    def order(self) -> int:
        return len(self.lines)

    @property
    def total(self) -> int:
        """Cables between switches, of one copy."""
        return int(self.cables.sum()) // 2

    def row(self, node: int) -> tuple[IntArray, IntArray]:
        """Neighbours of a switch, and the cables to each."""
        part = slice(self.indptr[node], self.indptr[node + 1])
        return self.heads[part], self.cables[part]


def _merged(
    order: int, tails: IntArray, heads: IntArray, cables: Floats
) -> tuple[IntArray, IntArray, IntArray]:
    """Rows of channels in which each neighbour stands once."""
    pairs, where = np.unique(tails.astype(np.int64) * order + heads, return_inverse=True)
    many = np.bincount(where.ravel(), cables, minlength=len(pairs)).astype(np.int64)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(pairs // order, minlength=order))])
    return indptr.astype(np.int64), pairs % order, many


class Growth(NamedTuple):
    """What becomes of a machine when it grows.

    Attributes:
        where (int64[switches]): Switch of the larger machine that each becomes.
        kept: Cables that stay, lines to endpoints counted; of all copies.
        moved: Cables of which an end is plugged in elsewhere, or both are.
        bought: Cables that are new.
        switches: Switches (or nodes) that are new.
    """

    where: IntArray
    kept: int
    moved: int
    bought: int
    switches: int


def grow(now: Cabling, then: Cabling) -> Growth | None:
    """A plan by which one machine becomes the other; None where it has fewer switches or copies.

    Examples:
        >>> import hopscape
        >>> ring = lambda n: Cabling.of_network(hopscape.build(f"ring({n})"))
        >>> grow(ring(6), ring(9))[1:]
        (5, 1, 3, 3)
    """
    if then.copies != now.copies or (then.hosts.sum() < now.hosts.sum()):
        return None
    if int((~then.hosts).sum()) < int((~now.hosts).sum()):
        return None
    work = now.order * max(1.0, (len(now.heads) / now.order) * (len(then.heads) / then.order))
    best: tuple[int, IntArray] | None = None
    for where in _first_maps(now, then):
        if work <= _REFINED:
            where = _refined(now, then, where)
        stays = _stays(now, then, where)
        if best is None or stays > best[0]:
            best = (stays, where)
    assert best is not None
    return _counted(now, then, best[1])


def _counted(now: Cabling, then: Cabling, where: IntArray) -> Growth:
    """The lists of cables of both machines compared, under a map of the switches."""
    links = _kept_links(now, then, where)
    lines = int(np.minimum(now.lines, then.lines[where]).sum())
    moved = bought = 0
    for stay, old, new in (
        (links, now.total, then.total),
        (lines, int(now.lines.sum()), int(then.lines.sum())),
    ):
        again = min(old, new) - stay
        moved += again
        bought += new - stay - again
    more = int((~then.hosts).sum()) - int((~now.hosts).sum())
    times = now.copies
    return Growth(where, times * (links + lines), times * moved, times * bought, times * more)


def _kept_links(now: Cabling, then: Cabling, where: IntArray) -> int:
    tails = np.repeat(np.arange(now.order), np.diff(now.indptr))
    wanted = where[tails] * then.order + where[now.heads]
    known = np.repeat(np.arange(then.order), np.diff(then.indptr)) * then.order + then.heads
    at = np.searchsorted(known, wanted)
    found = at < len(known)
    found[found] = known[at[found]] == wanted[found]
    return int(np.minimum(now.cables[found], then.cables[at[found]]).sum()) // 2


def _stays(now: Cabling, then: Cabling, where: IntArray) -> int:
    return _kept_links(now, then, where) + int(np.minimum(now.lines, then.lines[where]).sum())


def _first_maps(now: Cabling, then: Cabling) -> Iterable[IntArray]:
    """By number, by address, and greedily."""
    if not now.hosts.any() and not then.hosts.any():
        yield np.arange(now.order)
        if (by_address := _by_address(now, then)) is not None:
            yield by_address
    yield _greedy(now, then)


def _by_address(now: Cabling, then: Cabling) -> IntArray | None:
    """Switches keep their coordinates, where the larger machine has all of these."""
    from hopscape.registry import build

    if not now.base or not then.base:
        return None
    first, second = (build(spec).addresses for spec in (now.base, then.base))
    if not (isinstance(first, MixedRadix) and isinstance(second, MixedRadix)):
        return None
    small, large = (np.asarray(a.tuples(np.arange(k.order))) for a, k in
                    ((first, now), (second, then)))  # fmt: skip
    if len(small) != now.order or small.shape[1] != large.shape[1]:
        return None
    sides = large.max(axis=0) + 1
    if (small.max(axis=0) >= sides).any():
        return None
    numbers = np.full(int(np.prod(sides)), -1)
    numbers[np.ravel_multi_index(tuple(large.T), tuple(sides))] = np.arange(then.order)
    where = numbers[np.ravel_multi_index(tuple(small.T), tuple(sides))]
    return None if (where < 0).any() else where


def _greedy(now: Cabling, then: Cabling) -> IntArray:
    """One switch after the other, where most of its cables to those before it stay."""
    gain = np.minimum(now.lines[:, None], then.lines[None, :]).astype(np.float64)
    gain[now.hosts[:, None] != then.hosts[None, :]] = -np.inf
    ports = [np.bincount(np.repeat(np.arange(k.order), np.diff(k.indptr)), k.cables, k.order)
             for k in (now, then)]  # fmt: skip
    gain += np.minimum(ports[0][:, None], ports[1][None, :]) * _LIKE * _LIKE
    where, common = np.full(now.order, -1), [_common(k) for k in (now, then)]
    for _ in range(now.order):
        u, v = divmod(int(gain.argmax()), then.order)
        where[u] = v
        gain[u, :] = gain[:, v] = -np.inf
        nodes, cables = now.row(u)
        others, there = then.row(v)
        near = [c[k.indptr[x] : k.indptr[x + 1]] for c, k, x in
                zip(common, (now, then), (u, v), strict=True)]  # fmt: skip
        gain[np.ix_(nodes, others)] += np.minimum(cables[:, None], there[None, :])
        gain[np.ix_(nodes, others)] += _LIKE * np.minimum(near[0][:, None], near[1][None, :])
    return where


def _common(cabling: Cabling) -> Floats:
    """float64[neighbours]: neighbours that the two ends of a link have in common."""
    from scipy.sparse import csr_array

    order = cabling.order
    ones = np.ones(len(cabling.heads))
    if not len(ones):  # one switch
        return ones
    joined = csr_array((ones, cabling.heads, cabling.indptr), shape=(order, order))
    squares = (joined @ joined).tocsr()
    tails = np.repeat(np.arange(order), np.diff(cabling.indptr))
    return np.asarray(squares[tails, cabling.heads], dtype=np.float64).ravel()


def _refined(now: Cabling, then: Cabling, where: IntArray) -> IntArray:
    """Move a switch to a free place, or exchange two, as long as more cables stay."""
    where, owner = where.copy(), np.full(then.order, -1)
    owner[where] = np.arange(now.order)

    def stay_at(u: int) -> Floats:
        """Cables of a switch that would stay, for every place."""
        out = np.minimum(now.lines[u], then.lines).astype(np.float64)
        nodes, cables = now.row(u)
        for place, count in zip(where[nodes].tolist(), cables.tolist(), strict=True):
            others, there = then.row(place)
            out[others] += np.minimum(count, there)
        out[then.hosts != now.hosts[u]] = -np.inf
        return out

    for _ in range(_PASSES):
        gained = False
        for u in range(now.order):
            own = stay_at(u)
            here = int(where[u])
            for v in np.argsort(-own, kind="stable")[:_PLACES].tolist():
                if own[v] <= own[here]:
                    break
                more, other = own[v] - own[here], int(owner[v])
                if other >= 0:
                    theirs = stay_at(other)
                    more += (
                        theirs[here] - theirs[v] + 2 * _between(now, then, (u, other), (here, v))
                    )
                if more > 0:
                    where[u], owner[v], owner[here] = v, u, other
                    if other >= 0:
                        where[other] = here
                    gained = True
                    break
        if not gained:
            break
    return where


def _between(now: Cabling, then: Cabling, pair: tuple[int, int], at: tuple[int, int]) -> float:
    """Cables between two switches that stay where these are: an exchange leaves them."""
    nodes, cables = now.row(pair[0])
    others, there = then.row(at[0])
    alike = cables[nodes == pair[1]], there[others == at[1]]
    return float(min(alike[0][0], alike[1][0])) if len(alike[0]) and len(alike[1]) else 0.0


def best_growth(now: Cabling, many: Iterable[tuple[str, Cabling]]) -> tuple[str, Growth] | None:
    """Of several larger machines the one for which the fewest cables are moved, then bought."""
    plans = [(spec, plan) for spec, then in many if (plan := grow(now, then)) is not None]
    return min(plans, key=lambda one: (one[1].moved, one[1].bought, one[0]), default=None)


def moved_figure(moved: int, note: str) -> Measured[int]:
    """Cables that a plan moves: none is proved, of more another plan may move fewer."""
    if not moved:
        return Measured(0, "exact", note)
    return Measured(moved, "bound", f"{note}; another plan may move fewer", low=0, high=moved)


def added_parts(
    now: Machine, then: Machine, where: IntArray, bills: tuple[Bill, Bill], prices: PriceList
) -> list[BillPart]:
    """What is not there yet, each line to the cent.

    A switch that the present machine has is bought again where it has too few ports. Cables,
    transceivers and interfaces of the larger bill that the present one has are used again.
    """
    copies = then.planes * then.rails
    sizes = [prices.switch(max(1, int(ports))).size for ports in now.ports.tolist()]
    have = np.zeros(then.graph.order)
    have[where] = sizes
    boxes: dict[Item, int] = {}
    for box, ports, size in zip(then.boxes, then.ports.tolist(), have.tolist(), strict=True):
        if box and ports > size:
            item = prices.switch(int(ports))
            boxes[item] = boxes.get(item, 0) + copies
    out = [
        BillPart(
            f"{item.name or 'switch'} of {item.size:g} ports" + f" ({item.part})" * bool(item.part),
            count, None, round(count * item.price, 2), count * item.watts, "switch", item.part,
        )
        for item, count in sorted(boxes.items(), key=lambda one: one[0].size)
    ]  # fmt: skip
    old = {part.part: part for part in bills[0].parts}
    for part in bills[1].parts:
        more = part.pieces - (old[part.part].pieces if part.part in old else 0)
        if part.kind != "switch" and more > 0:
            money = round(more * (part.money or 0.0) / part.pieces, 2)
            out.append(BillPart(part.part, more, None, money, None, part.kind, part.number))
    return out


def growth_text(now: Cabling, then: Cabling, plan: Growth, parts: Sequence[BillPart]) -> str:
    """The plan as CSV: what is bought, what becomes of each switch, which cables are moved.

    First what is bought, line by line with its price; then, switch by switch and trunk by trunk,
    the cables that are unplugged and those that are plugged in. Of machines of several planes or
    rails the switches of one are listed, and the pieces are those of all.

    Examples:
        >>> import hopscape
        >>> ring = lambda n: Cabling.of_network(hopscape.build(f"ring({n})"))
        >>> plan = grow(ring(3), ring(4))
        >>> print(growth_text(ring(3), ring(4), plan, []))
        step,action,what,here,there,pieces,money,number
        2,becomes,switch,0,0,1,,
        2,becomes,switch,1,1,1,,
        2,becomes,switch,2,2,1,,
        3,unplug,cable,0,2,1,,
        4,plug in,cable,0,3,1,,
        4,plug in,cable,2,3,1,,
        <BLANKLINE>
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["step", "action", "what", "here", "there", "pieces", "money", "number"])
    for part in parts:
        money = "" if part.money is None else f"{part.money:.2f}"
        writer.writerow([1, "buy", part.part, "", "", part.pieces, money, part.number])
    times, where = now.copies, plan.where.tolist()
    for switch, to in enumerate(where):
        what = "endpoint" if now.hosts[switch] else "switch"
        writer.writerow([2, "becomes", what, switch, to, times, "", ""])
    here, there = _trunks(now), _trunks(then)
    stay: dict[tuple[int, int], int] = {}
    for (u, v), cables in here.items():
        pair = min(where[u], where[v]), max(where[u], where[v])
        stay[pair] = min(cables, there.get(pair, 0))
        if more := cables - stay[pair]:
            writer.writerow([3, "unplug", "cable", u, v, times * more, "", ""])
    lines = np.zeros(then.order, dtype=np.int64)
    lines[plan.where] = np.minimum(now.lines, then.lines[plan.where])
    for switch, more in enumerate((now.lines - lines[plan.where]).tolist()):
        if more:
            writer.writerow([3, "unplug", "line of an endpoint", switch, "", times * more, "", ""])
    for pair, cables in there.items():
        if more := cables - stay.get(pair, 0):
            writer.writerow([4, "plug in", "cable", *pair, times * more, "", ""])
    for switch, more in enumerate((then.lines - lines).tolist()):
        if more:
            writer.writerow([4, "plug in", "line of an endpoint", switch, "", times * more, "", ""])
    return out.getvalue()


def _trunks(cabling: Cabling) -> dict[tuple[int, int], int]:
    """Cables between two switches, the smaller number first."""
    tails = np.repeat(np.arange(cabling.order), np.diff(cabling.indptr))
    every = zip(tails.tolist(), cabling.heads.tolist(), cabling.cables.tolist(), strict=True)
    return {(u, v): count for u, v, count in every if u < v}


@lru_cache(maxsize=8)
def bill_at(spec: str, prices: str) -> Bill:
    """The bill of a machine on a floor as large as it needs."""
    from hopscape.design.bill import priced
    from hopscape.design.prices import load_prices
    from hopscape.registry import build

    return priced(build(spec), None, load_prices(prices))[1]
