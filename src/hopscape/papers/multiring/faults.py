"""Capacity when arcs, links, nodes, rings or crossbars are dead, exactly.

A fault breaks the symmetry, so that every ordered pair of live nodes is a demand of its own: it may
go along each ring that still leads from one to the other, as far as the next dead arc. A dead node
takes its arcs with it. Pairs without a path left are counted, and the others share the capacity.

The worst single fault: one of each kind that looks different, worked out and ranked.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.faults import read_link
from hopscape.core.network import Network
from hopscape.core.numbers import shortened
from hopscape.core.progress import track
from hopscape.papers.multiring.capacity import check_size
from hopscape.papers.multiring.exact_loads import LoadOptimum, LoadProgram, optimum, ring_program
from hopscape.papers.multiring.families import Multiring, SparseMultiring, ring_lengths
from hopscape.papers.multiring.rings import Circuit, circuits
from hopscape.papers.multiring.sparse_capacity import sparse_capacity

__all__ = [
    "Damage",
    "RingFaults",
    "damaged_capacity",
    "dead_arcs",
    "healthy_capacity",
    "read_faults",
    "ring_ways",
    "single_faults",
    "worst_faults",
]

_MOST_ENTRIES = 60_000_000  # of the matrix: about a gigabyte for the solver
_SHOWN = 5  # pairs without a route that are named


@dataclass(frozen=True)
class RingFaults:
    """What is dead.

    Attributes:
        arcs (tuple of (tail, head, ring)): The ring is a name of :class:`Circuit`, or empty for all
            that have such an arc.
        rings: Names of circuits; the number of a sparse ring stands for both directions.
        crossbars: Node numbers of switches.
        links (tuple of (node, node)): Cut cables: all arcs between the two, in both directions.
    """

    arcs: tuple[tuple[int, int, str], ...] = ()
    nodes: tuple[int, ...] = ()
    rings: tuple[str, ...] = ()
    crossbars: tuple[int, ...] = ()
    links: tuple[tuple[int, int], ...] = ()

    def words(self) -> str:
        """What is dead, in words."""
        texts = [f"arc {a}-{b}" + (f" of ring {name}" if name else "") for a, b, name in self.arcs]
        texts += [f"link {a}-{b}" for a, b in self.links]
        texts += [f"node {v}" for v in self.nodes]
        texts += [f"ring {name}" for name in self.rings]
        texts += [f"crossbar {v}" for v in self.crossbars]
        return ", ".join(texts) or "nothing"


def read_faults(
    network: Network,
    arcs: Sequence[str] = (),
    nodes: Sequence[str] = (),
    rings: Sequence[str] = (),
    crossbars: Sequence[str] = (),
    links: Sequence[str] = (),
) -> RingFaults:
    """Faults from texts: arcs ``0-3`` or ``0-3:RING``, links, nodes, crossbars ``7``, rings ``-3``.

    Examples:
        >>> import hopscape
        >>> read_faults(hopscape.build("multiring(16, 1, 3)"), ["0-3"], ["5"], ["-1"]).words()
        'arc 0-3, node 5, ring -1'
    """
    dead_arcs = []
    for text in arcs:
        ends, _, name = text.partition(":")
        parts = ends.split("-")
        if len(parts) != 2:
            raise ArgumentError(f"dead-arc {text!r} must be A-B or A-B:RING, two nodes")
        tail, head = (network.node(part.strip()) for part in parts)
        dead_arcs.append((tail, head, _ring_name(network, name.strip())))
    return RingFaults(
        tuple(dead_arcs),
        tuple(network.node(text.strip()) for text in nodes),
        tuple(_ring_name(network, text.strip()) for text in rings),
        tuple(network.node(text.strip()) for text in crossbars),
        tuple(read_link(network, text) for text in links),
    )


def _ring_name(network: Network, text: str) -> str:
    """The name that a full ring goes by: steps that are equal mod N are one ring.

    Steps up to N/2 are written as they are, larger ones as negative: 13 of 16 is -3, -8 is 8.
    """
    member = network.family
    step, sign, copy = text.partition("#")
    if not isinstance(member, Multiring) or not re.fullmatch(r"[+-]?[0-9]{1,18}", step, re.ASCII):
        return text
    least = int(step) % member.n
    return f"{least if 2 * least <= member.n else least - member.n}{sign}{copy}"


@dataclass(frozen=True)
class Damage:
    """What is left of the capacity.

    Attributes:
        live: Live nodes (endpoints).
        pairs: Ordered pairs of live nodes with a path; the capacity is that of traffic among these.
        stranded: Ordered pairs of live nodes without a path.
        examples (tuple of (int, int)): Some of them.
        shortest: Largest load when every pair takes its shortest paths.
        balanced: None when no pair has a path.
    """

    spec: str
    faults: RingFaults
    live: int
    pairs: int
    stranded: int
    examples: tuple[tuple[int, int], ...]
    shortest: Fraction
    balanced: LoadOptimum | None = field(repr=False)

    @property
    def capacity(self) -> Fraction:
        """Packets per slot that the best schedule carries."""
        return Fraction(self.pairs) / self.balanced.load if self.balanced else Fraction(0)

    @property
    def proved(self) -> bool:
        """Is it the most that is possible?"""
        return self.balanced is None or self.balanced.proved

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        best = self.balanced
        short = Fraction(self.pairs) / self.shortest if self.shortest else Fraction(0)
        return {
            "spec": self.spec,
            "dead": self.faults.words(),
            "live_nodes": self.live,
            "pairs": self.pairs,
            "stranded_pairs": self.stranded,
            "stranded_examples": [list(pair) for pair in self.examples],
            "shortest": {"capacity": short, "capacity_decimal": float(short)},
            "balanced": {
                "capacity": self.capacity,
                "capacity_decimal": float(self.capacity),
                "load": best.load if best else None,
                "load_bound": best.bound if best else None,
                "proved": self.proved,
            },
        }


def damaged_capacity(network: Network, faults: RingFaults) -> Damage:
    """The capacity of what is left, with its certificate.

    Args:
        network: A multiring, full or sparse, or one whose endpoints are all two hops apart over
            crossbars.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("multiring(16, 1, 3)")
        >>> damage = damaged_capacity(net, read_faults(net, arcs=["0-1"]))
        >>> damage.capacity, damage.proved
        (Fraction(96, 5), True)
    """
    member = network.family
    if isinstance(member, Multiring | SparseMultiring):
        if faults.crossbars:
            raise ArgumentError(f"{network.spec} has no crossbars")
        if isinstance(member, Multiring) and not (faults.arcs or faults.links or faults.nodes):
            return _without_rings(member, faults)
        rings = circuits(member)
        pair, program = ring_ways(member, rings, dead_arcs(rings, faults))
    elif network.has_switches:
        if faults.rings:
            raise ArgumentError(f"{network.spec} has no rings")
        pair, program = _crossbar_routes(network, faults)
    else:
        raise ArgumentError(
            f"{network.spec} is not a multiring and has no crossbars; faults are worked out for"
            " multiring(...), sparse_multiring(...) and distributed switches"
        )
    ends = [int(v) for v in network.endpoints if int(v) not in faults.nodes]
    served = set(np.unique(pair).tolist())
    lost = [(a, b) for a in ends for b in ends if a != b and a * network.order + b not in served]
    return _damage(network.spec, faults, len(ends), len(served), lost, program)


def _damage(
    spec: str,
    faults: RingFaults,
    live: int,
    pairs: int,
    lost: Sequence[tuple[int, int]],
    program: LoadProgram | None,
    each: int = 1,
) -> Damage:
    """The report; every lost pair stands for `each` of them."""
    best = optimum(program) if program is not None else None
    short = max(program.loads(program.shortest())) if program is not None else Fraction(0)
    return Damage(spec, faults, live, pairs, len(lost) * each, tuple(lost[:_SHOWN]), short, best)


def _without_rings(member: Multiring, faults: RingFaults) -> Damage:
    """Whole rings dead: all nodes are still alike, and routes from node 0 stand for all."""
    check_size(member)
    rings = circuits(member)
    dead = _dead_rings(rings, faults)
    ports = sorted({int(c.ports[0]) for c in rings if c.name not in dead})
    n = member.n
    table = np.asarray([ring_lengths(n, member.rings[j])[1:] for j in ports]).reshape(-1, n - 1)
    served = table.any(axis=0)
    routes = table[:, served]
    program = ring_program(routes, [Fraction(1)] * routes.shape[1]) if served.any() else None
    lost = [(0, r + 1) for r in np.nonzero(~served)[0].tolist()]
    return _damage(member.spec, faults, n, n * int(served.sum()), lost, program, n)


def _dead_rings(rings: Sequence[Circuit], faults: RingFaults) -> set[str]:
    """Names of the dead circuits."""
    names = {c.name for c in rings}
    dead = set()
    for name in faults.rings:
        both = {f"{name}+", f"{name}-"} & names
        if name not in names and not both:
            known = sorted({c.name.rstrip("+-") for c in rings}, key=lambda x: (len(x), x))
            raise ArgumentError(
                f"dead-ring {name!r} is not there; the rings are {', '.join(known[:12])}"
                + (", …" if len(known) > 12 else "")
            )
        dead |= both or {name}
    return dead


def dead_arcs(rings: Sequence[Circuit], faults: RingFaults) -> list[IntArray]:
    """For each circuit which of its arcs are dead."""
    dead_rings = _dead_rings(rings, faults)
    out = []
    hits: Counter[tuple[int, int, str]] = Counter()
    for c in rings:
        heads = np.roll(c.nodes, -1)
        dead = np.isin(c.nodes, faults.nodes) | np.isin(heads, faults.nodes)
        dead |= c.name in dead_rings
        for arc in faults.arcs:
            tail, head, name = arc
            if name in ("", c.name):
                mine = (c.nodes == tail) & (heads == head)
                hits[arc] += int(mine.sum())
                dead |= mine
        for a, b in faults.links:
            dead |= np.isin(c.nodes, (a, b)) & (c.nodes + heads == a + b)
        out.append(dead)
    for arc in faults.arcs:
        if not hits[arc]:
            where = f"ring {arc[2]!r} has no" if arc[2] else "no ring has an"
            raise ArgumentError(f"dead-arc {arc[0]}-{arc[1]}: {where} arc from one to the other")
    return out


def ring_ways(
    member: Multiring | SparseMultiring, rings: Sequence[Circuit], dead: Sequence[IntArray]
) -> tuple[IntArray, LoadProgram | None]:
    """The pair that each way serves, and the program over all arcs."""
    sizes = np.asarray([len(c.nodes) for c in rings])
    entries = int((sizes * (sizes - 1) * (sizes + 1) // 2).sum())
    if entries > _MOST_ENTRIES:
        raise TooLargeError(
            f"faults of {shortened(member.spec, 80)} mean a program over {entries:.3g} arcs of"
            f" ways; at most {_MOST_ENTRIES:.0e} are worked out"
        )
    pairs, starts, lengths, places = [], [], [], []
    first = 0
    for c, gone in zip(rings, dead):
        size = len(c.nodes)
        reach = _reach(gone)
        begin = np.repeat(np.arange(size), reach)
        length = np.arange(len(begin)) - np.repeat(np.cumsum(reach) - reach, reach) + 1
        pairs.append(c.nodes[begin] * member.order + c.nodes[(begin + length) % size])
        starts.append(begin)
        lengths.append(length)
        places.append(np.column_stack([np.full(len(begin), first), np.full(len(begin), size)]))
        first += size
    pair = np.concatenate(pairs)
    if not len(pair):
        return pair, None
    by_pair = np.argsort(pair, kind="stable")
    pair, begin = pair[by_pair], np.concatenate(starts)[by_pair]
    length, place = np.concatenate(lengths)[by_pair], np.concatenate(places)[by_pair]
    return pair, _arc_program(first, pair, place[:, 0], place[:, 1], begin, length)


def _reach(dead: IntArray) -> IntArray:
    """How many arcs are alive one after the other from each place on; less than once round."""
    size = len(dead)
    out = np.full(size, size - 1)
    gone = np.nonzero(dead)[0]
    if len(gone):
        ahead = np.append(gone, gone[0] + size)
        out = np.minimum(ahead[np.searchsorted(gone, np.arange(size))] - np.arange(size), size - 1)
    return out


def _arc_program(
    carriers: int,
    pair: IntArray,
    first: IntArray,
    size: IntArray,
    begin: IntArray,
    length: IntArray,
) -> LoadProgram:
    route = np.repeat(np.arange(len(pair)), length)
    starts = np.concatenate([[0], np.cumsum(length)])
    step = np.arange(starts[-1]) - starts[:-1][route]
    carrier = first[route] + (begin[route] + step) % size[route]
    _, demand = np.unique(pair, return_inverse=True)
    weights = (Fraction(1),) * (int(demand[-1]) + 1)
    return LoadProgram(carriers, demand, weights, starts, carrier, np.ones_like(carrier))


def _crossbar_routes(network: Network, faults: RingFaults) -> tuple[IntArray, LoadProgram | None]:
    """Ways of two hops over live crossbars; carriers are the channels."""
    switch = np.ones(network.order, dtype=bool)
    switch[network.endpoints] = False
    for v in faults.crossbars:
        if not switch[v]:
            raise ArgumentError(f"dead-crossbar {v} is an endpoint of {network.spec}")
    if any(switch[v] for v in faults.nodes):
        raise ArgumentError("a crossbar is given by --dead-crossbar, not by --dead")
    tails, heads = network.tails.astype(np.int64), network.heads.astype(np.int64)
    alive = ~(np.isin(tails, faults.nodes) | np.isin(heads, faults.nodes))
    alive &= ~(np.isin(tails, faults.crossbars) | np.isin(heads, faults.crossbars))
    for tail, head, name in faults.arcs:
        mine = (tails == tail) & (heads == head)
        if name or not mine.any():
            raise ArgumentError(f"dead-arc {tail}-{head}: {network.spec} has no such channel")
        alive &= ~mine
    for cut in faults.links:
        alive &= ~(np.isin(tails, cut) & (tails + heads == sum(cut)))
    up = np.nonzero(switch[heads] & ~switch[tails])[0]
    down = np.nonzero(switch[tails] & ~switch[heads])[0]
    if len(up) + len(down) < len(heads):
        raise ArgumentError(f"{network.spec} is not made of endpoints two hops apart by crossbars")
    rows = []
    for s in np.nonzero(switch)[0]:
        mine, theirs = up[(heads[up] == s) & alive[up]], down[(tails[down] == s) & alive[down]]
        a, b = np.repeat(mine, len(theirs)), np.tile(theirs, len(mine))
        keep = tails[a] != heads[b]
        rows.append(np.column_stack([a[keep], b[keep]]))
    routes = np.concatenate(rows)
    pair = tails[routes[:, 0]] * network.order + heads[routes[:, 1]]
    if not len(pair):
        return pair, None
    by_pair = np.argsort(pair, kind="stable")
    pair, routes = pair[by_pair], routes[by_pair]
    _, demand = np.unique(pair, return_inverse=True)
    weights = (Fraction(1),) * (int(demand[-1]) + 1)
    starts = 2 * np.arange(len(pair) + 1)
    carrier = routes.ravel()
    return pair, LoadProgram(len(heads), demand, weights, starts, carrier, np.ones_like(carrier))


def healthy_capacity(network: Network) -> Fraction:
    """What the best schedule carries when nothing is dead."""
    if isinstance(network.family, SparseMultiring):
        return sparse_capacity(network.family).balanced.capacity
    return damaged_capacity(network, RingFaults()).capacity


_MOST_PROGRAMS = 300  # linear programs, one for each kind of fault


def worst_faults(network: Network) -> list[dict[str, Any]]:
    """Every kind of single fault with what it leaves, the worst first.

    One of those that look alike stands for all. More stranded pairs are worse; of equal ones the
    least capacity is.

    Returns:
        list of dict: Records of :meth:`Damage.to_dict` with ``kind`` and ``alike``, how many look
            the same.
    """
    candidates = list(single_faults(network))
    if len(candidates) > _MOST_PROGRAMS:
        raise TooLargeError(
            f"{shortened(network.spec, 80)} has {len(candidates)} single faults that are not alike;"
            f" at most {_MOST_PROGRAMS} are tried, name one with --dead-link, --dead or --dead-ring"
        )
    rows = []
    for kind, alike, faults in track(candidates, f"single faults of {network.spec}"):
        damage = damaged_capacity(network, faults)
        rows.append(((-damage.stranded, damage.capacity), kind, alike, damage))
    rows.sort(key=lambda row: row[0])
    return [damage.to_dict() | {"kind": kind, "alike": alike} for _, kind, alike, damage in rows]


def single_faults(network: Network) -> Iterator[tuple[str, int, RingFaults]]:
    """Kinds of single faults, how many of each look alike, and one of them."""
    member = network.family
    if isinstance(member, Multiring):
        yield from _full_faults(member)
    elif isinstance(member, SparseMultiring):
        yield from _sparse_faults(member)
    elif network.has_switches:
        yield from _switch_faults(network)
    else:
        damaged_capacity(network, RingFaults())  # says why not


def _full_faults(member: Multiring) -> Iterator[tuple[str, int, RingFaults]]:
    """Rings that a multiplication by a unit exchanges are alike; so are all nodes."""
    n, steps = member.n, Counter(member.rings)
    names: dict[int, str] = {}
    for c in circuits(member):
        names.setdefault(member.rings[int(c.ports[0])], c.name)
    seen: set[int] = set()
    seen_cables: set[frozenset[int]] = set()
    units = [u for u in range(1, n) if math.gcd(u, n) == 1]
    same = [u for u in units if all(steps[u * s % n] == k for s, k in steps.items())]
    for s in member.rings:
        if s in seen:
            continue
        alike = {u * s % n for u in same}
        seen |= alike
        count = sum(steps[x] for x in alike)
        yield "arc", count * n, RingFaults(arcs=((0, s % n, names[s]),))
        yield "ring", count, RingFaults(rings=(names[s],))
        cables = {frozenset((x, -x % n)) for x in alike}
        if -s % n in steps and not cables & seen_cables:
            cut = ((0, s % n, names[s]), (s % n, 0, names[-s % n]))
            each = n // 2 if 2 * s == n else n
            yield "link", len(cables) * steps[s] * each, RingFaults(arcs=cut)
        seen_cables |= cables
    yield "node", n, RingFaults(nodes=(0,))


def _sparse_faults(member: SparseMultiring) -> Iterator[tuple[str, int, RingFaults]]:
    count, parts = member.ring_count, member.parts
    alike = member.blocks.base is not None
    rings = circuits(member)
    times = parts if not member.reordered else 1
    for c in rings[: 2 if alike else len(rings)]:
        heads = np.roll(c.nodes, -1)
        for i in range(len(c.nodes) // times):
            tail, head, each = int(c.nodes[i]), int(heads[i]), times * (count if alike else 1)
            arc = (tail, head, c.name)
            yield "arc", each, RingFaults(arcs=(arc,))
            if c.name.endswith("+"):
                yield "link", each, RingFaults(arcs=(arc, (head, tail, f"{c.name[:-1]}-")))
    for i in range(1 if alike else count):
        yield "ring", count if alike else 1, RingFaults(rings=(str(i),))
    residues = 1 if alike else count
    for g in range(parts // times):
        for r in range(residues):
            each = times * (count if alike else 1)
            yield "node", each, RingFaults(nodes=(g * count + r,))


def _switch_faults(network: Network) -> Iterator[tuple[str, int, RingFaults]]:
    """Crossbars, endpoints and their channels; one of those that a symmetry exchanges."""
    known, ends = network.symmetry, set(network.endpoints.tolist())
    nodes = range(network.order) if known is None else known.representatives
    sizes = [1] * network.order if known is None else known.sizes
    for v, alike in zip(nodes, sizes):
        if v not in ends:
            yield "crossbar", alike, RingFaults(crossbars=(v,))
            continue
        yield "node", alike, RingFaults(nodes=(v,))
        for head in np.unique(network.heads[network.tails == v]).tolist():
            yield "arc", alike, RingFaults(arcs=((v, head, ""),))
        for tail in np.unique(network.tails[network.heads == v]).tolist():
            yield "arc", alike, RingFaults(arcs=((tail, v, ""),))
            if network.duplex:
                yield "link", alike, RingFaults(links=((tail, v),))
