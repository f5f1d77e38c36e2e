"""The exact router of circulants against graphs made to be hard for it.

Run as ``python benchmarks/circulant_adversary.py [--graphs N] [--processes P] [--seed S]``. Orders
go up to 10^18, generators up to six. Small orders are checked against breadth-first search. All are
checked against a proof in integers that there is nothing shorter: by a search of its own, which
believes none of the router's bounds and bases before it has checked them. Times are CPU time.
"""

from __future__ import annotations

import argparse
import itertools
import math
import multiprocessing
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from rich.console import Console
from rich.table import Table

import hopscape
from hopscape.algebra.closest import Chain
from hopscape.algebra.reduction import Vector, dot, l1, minus, solve
from hopscape.families.circulant.routing import CirculantRouter
from hopscape.papers.circulant.printed import distances

LARGEST = 10**18
_SMALL = 3000
_TARGETS = 3


# -- graphs -----------------------------------------------------------------------------------


def _near_fractions(rng: random.Random, nodes: int, count: int) -> list[int]:
    return [nodes // rng.randint(2, 40) + rng.randint(-30, 30) for _ in range(count)]


def _near_each_other(rng: random.Random, nodes: int, count: int) -> list[int]:
    first = rng.randrange(1, nodes)
    return [first + rng.randint(-50, 50) for _ in range(count)]


def _common_divisor(rng: random.Random, nodes: int, count: int) -> list[int]:
    divisor = rng.choice([d for d in range(1, 200) if nodes % d == 0])
    return [divisor * rng.randrange(1, max(2, nodes // divisor)) for _ in range(count)]


def _half(rng: random.Random, nodes: int, count: int) -> list[int]:
    return [rng.randrange(1, nodes) for _ in range(count - 1)] + [nodes // 2]


def _repeated(rng: random.Random, nodes: int, count: int) -> list[int]:
    found = [rng.randrange(1, nodes) for _ in range(max(1, count - rng.randint(1, 3)))]
    return [rng.choice((1, -1)) * s for s in (*found, *rng.choices(found, k=count - len(found)))]


def _tiny(rng: random.Random, nodes: int, count: int) -> list[int]:
    return [rng.randint(1, 40) for _ in range(count)]


def _powers(rng: random.Random, nodes: int, count: int) -> list[int]:
    base = rng.randint(2, 1000)
    return [base**i + rng.randint(-2, 2) for i in range(count)]


def _any(rng: random.Random, nodes: int, count: int) -> list[int]:
    return [rng.randrange(1, nodes) for _ in range(count)]


def _mixed(rng: random.Random, nodes: int, count: int) -> list[int]:
    makers = (_near_fractions, _near_each_other, _half, _repeated, _tiny, _any)
    return [rng.choice(rng.choice(makers)(rng, nodes, 4)) for _ in range(count)]


_BY_GENERATORS: dict[str, Callable[[random.Random, int, int], list[int]]] = {
    "near N/k": _near_fractions,
    "near each other": _near_each_other,
    "gcd > 1": _common_divisor,
    "N/2": _half,
    "repeated": _repeated,
    "tiny": _tiny,
    "powers": _powers,
    "any": _any,
    "mixed": _mixed,
}


def _short_vector(rng: random.Random, n: int, flat: bool) -> list[int]:
    """A short vector; a flat one keeps the L1 norm of some orthant, or nearly."""
    most = rng.choice((2, 3, 10, 30, 100, 1000))
    if not flat:
        return [rng.randint(-most, most) for _ in range(n)]
    out = [0] * n
    if n > 1 and rng.random() < 0.5:
        i, j = rng.sample(range(n), 2)
        out[i], out[j] = most, rng.choice((-1, 1)) * (most + rng.choice((0, 0, 1)))
        return out
    out = [rng.randint(-most, most) for _ in range(n)]
    out[rng.randrange(n)] -= sum(out)
    return out


def _from_basis(rng: random.Random, small: bool, count: int, flat: bool) -> tuple[int, Vector]:
    """A long thin lattice: some short vectors, the others long."""
    while True:
        short = rng.randint(1, max(1, count - 1))
        basis = [_short_vector(rng, count, flat) for _ in range(short)]
        room = (3.4 if small else 17.5) / max(1, count - short)
        for _ in range(count - short):
            long = int(10 ** rng.uniform(0.3, room))
            basis.append([rng.choice((-1, 0, 1)) * long + rng.randint(-9, 9) for _ in basis[0]])
        found = _generators_of(rng, basis)
        if found is not None and 2 <= found[0] <= (_SMALL if small else LARGEST):
            return found


def _generators_of(rng: random.Random, basis: Sequence[Vector]) -> tuple[int, Vector] | None:
    """The circulant whose closed walks are this lattice, if its quotient is cyclic."""
    size = len(basis)
    solved = solve(basis, [[int(i == j) for j in range(size)] for i in range(size)])
    if solved is None:
        return None
    rows, nodes = solved
    for _ in range(8):
        mix = [rng.randrange(nodes) for _ in range(size)]
        found = tuple(dot(row, mix) % nodes for row in rows)
        if math.gcd(nodes, *found) == 1 and all(found):
            return nodes, found
    return None


KINDS = (*_BY_GENERATORS, "long and thin", "flat")


def graph(rng: random.Random, kind: str) -> tuple[int, Vector]:
    """A circulant of a kind: its order and its generators."""
    count, small = rng.randint(1, 6), rng.random() < 0.4
    if kind not in _BY_GENERATORS:
        return _from_basis(rng, small, max(2, count), kind == "flat")
    nodes = rng.randint(2, _SMALL) if small else int(10 ** rng.uniform(3, 18))
    nodes += nodes % 2 if kind == "N/2" else 0
    made = (s % nodes for s in _BY_GENERATORS[kind](rng, nodes, count))
    return nodes, tuple(s or 1 for s in made)


# -- checks -----------------------------------------------------------------------------------


def bfs(nodes: int, generators: Vector) -> list[int]:
    """Distances from node 0; -1 where there is no path."""
    return [int(hops) for hops in distances(nodes, generators)]


class Proof:
    """Proves that no vector of a coset is within a radius, trusting nothing of the router."""

    def __init__(self, nodes: int, generators: Vector, chain: Chain) -> None:
        assert all(dot(b, generators) % nodes == 0 for b in chain.basis)
        size = len(generators)
        unit = [[int(i == j) for j in range(size)] for i in range(size)]
        solved = solve(chain.basis, unit)
        assert solved is not None
        assert solved[1] == nodes, "the basis is not that of the lattice"
        self._checked: dict[int, Chain] = {}

    def nothing_within(self, chain: Chain, x: Vector, radius: int) -> bool:
        """Is every vector of x's coset longer than the radius?"""
        b = chain.basis[-1]
        if len(chain.basis) == 1:
            sides = {p // q + up for p, q in zip(x, b, strict=True) if q for up in (0, 1)}
            return all(l1(minus(x, t, b)) > radius for t in sides)
        low, high = self._interval(chain, x, radius)
        if high - low > 7:
            other = chain.adapted(x, radius)
            self._require_same(chain, other)
            first, last = self._interval(other, x, radius)
            if last - first < high - low:
                chain, low, high, b = other, first, last, other.basis[-1]
        return all(
            self.nothing_within(chain.lower, minus(x, t, b), radius) for t in range(low, high + 1)
        )

    def _interval(self, chain: Chain, x: Vector, radius: int) -> tuple[int, int]:
        """Last coefficients that no y with |y| <= 1, blind to the other vectors, rules out."""
        if id(chain) not in self._checked:
            for corner in chain.corners:
                assert max(map(abs, corner.direction)) <= corner.scale
                assert not any(dot(corner.direction, b) for b in chain.basis[:-1])
            self._checked[id(chain)] = chain
        low, high = -math.inf, math.inf
        for y, scale, _, _ in chain.corners:
            at, slope = dot(y, x), dot(y, chain.basis[-1])
            if slope == 0:
                if abs(at) > radius * scale:
                    return 1, 0
                continue
            ends = sorted(Fraction(at + sign * radius * scale, slope) for sign in (1, -1))
            low, high = max(low, math.ceil(ends[0])), min(high, math.floor(ends[1]))
        return int(low), int(high)

    def _require_same(self, chain: Chain, other: Chain) -> None:
        """Both bases span the same lattice: each vector is a whole combination of the others."""
        if id(other) in self._checked:
            return
        for mine, theirs in ((chain.basis, other.basis), (other.basis, chain.basis)):
            gram = [[dot(a, b) for b in mine] for a in mine]
            solved = solve(gram, [[dot(a, b) for b in theirs] for a in mine])
            assert solved is not None
            rows, determinant = solved
            assert all(value % determinant == 0 for row in rows for value in row)
            for column, vector in enumerate(theirs):
                back: Vector = tuple([0] * len(vector))
                for row, a in zip(rows, mine, strict=True):
                    back = minus(back, -(row[column] // determinant), a)
                assert back == tuple(vector)


@dataclass
class Found:
    """What a kind of graph showed."""

    graphs: int = 0
    routes: int = 0
    wrong: list[str] = field(default_factory=list)
    set_up: float = 0.0
    route: float = 0.0
    slow: int = 0

    def add(self, other: Found) -> None:
        """Take in another batch."""
        self.graphs += other.graphs
        self.routes += other.routes
        self.wrong += other.wrong
        self.set_up = max(self.set_up, other.set_up)
        self.route = max(self.route, other.route)
        self.slow += other.slow


def try_graph(rng: random.Random, nodes: int, generators: Vector, found: Found) -> None:
    """Set up a router, time some routes and check them."""
    spec = f"circulant({nodes}, {', '.join(map(str, generators))})"
    network = hopscape.build(spec)
    begin = time.process_time()
    router = CirculantRouter(network, nodes, generators, "lattice")
    chains = [chain.corners for chain in router.lattice.chain.prefixes]
    router.lattice.start(1)
    found.set_up = max(found.set_up, time.process_time() - begin)
    found.graphs += len(chains) > 0
    truth = bfs(nodes, generators) if nodes <= _SMALL else None
    step = router.components
    targets = [step * rng.randrange(nodes // step) for _ in range(_TARGETS)]
    targets += [step * v for v in _holes(rng, router)]
    proof = Proof(router.lattice.nodes, router.lattice.generators, router.lattice.chain)
    for target in targets:
        begin = time.process_time()
        vector = router.vector(0, target)
        spent = time.process_time() - begin
        found.routes += 1
        found.route = max(found.route, spent)
        found.slow += spent > 0.01
        length = l1(vector)
        right = dot(vector, generators) % nodes == target % nodes
        if truth is not None:
            right = right and length == truth[target]
        start = router.lattice.to_cell(vector)
        right = right and proof.nothing_within(router.lattice.chain, start, length - 1)
        if not right:
            found.wrong.append(f"{spec} to {target}: {vector}")
    if truth is not None and nodes % 7 == 0:  # the kernel as well
        everybody = np.arange(nodes)
        far = router.distances(np.zeros_like(everybody), everybody)
        found.routes += nodes
        if far.tolist() != truth:
            found.wrong.append(f"{spec}: the kernel")


def _holes(rng: random.Random, router: CirculantRouter) -> Iterator[int]:
    """Nodes that are about half a basis vector, or several, away: the farthest are among them."""
    lattice = router.lattice
    for _ in range(_TARGETS):
        x = [Fraction(rng.randint(-2, 2)) for _ in lattice.generators]
        for b in lattice.basis:
            share = Fraction(rng.choice((0, 6, 6, 3, 4)), 12)
            x = [p + share * q for p, q in zip(x, b, strict=True)]
        yield dot([math.floor(p) for p in x], lattice.generators) % lattice.nodes


def batch(work: tuple[int, int, int]) -> dict[str, Found]:
    """Graphs first to last - 1 of a seed; kinds take turns."""
    seed, first, last = work
    found = {kind: Found() for kind in KINDS}
    for number in range(first, last):
        kind = KINDS[number % len(KINDS)]
        rng = random.Random(f"{seed} {number}")
        try_graph(rng, *graph(rng, kind), found[kind])
    return found


def campaign(graphs: int, seed: int = 0, processes: int = 1) -> dict[str, Found]:
    """Try so many graphs of all kinds."""
    step = 1000
    work = [(seed, low, min(low + step, graphs)) for low in range(0, graphs, step)]
    total = {kind: Found() for kind in KINDS}
    with multiprocessing.Pool(processes) as pool:
        results = pool.imap_unordered(batch, work) if processes > 1 else map(batch, work)
        for done, found in zip(itertools.count(1), results, strict=False):
            for kind in KINDS:
                total[kind].add(found[kind])
            if done % 20 == 0:
                wrong = sum(len(f.wrong) for f in total.values())
                print(f"{done * step} graphs, {wrong} wrong", flush=True)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    total = campaign(options.graphs, options.seed, options.processes)
    table = Table(
        "kind", "graphs", "routes", "wrong", "worst set-up ms", "worst route ms", "> 10 ms"
    )
    whole = Found()
    for found in total.values():
        whole.add(found)
    for kind, found in (*total.items(), ("all", whole)):
        table.add_row(
            kind,
            f"{found.graphs:,}",
            f"{found.routes:,}",
            str(len(found.wrong)),
            f"{1e3 * found.set_up:.2f}",
            f"{1e3 * found.route:.2f}",
            str(found.slow),
        )
    Console(width=100).print(table)
    for text in whole.wrong[:20]:
        print(text)


if __name__ == "__main__":
    main()
