"""Fat trees of any levels and taper: XGFT, leaf-spine, folded Clos and k-ary n-trees.

All are extended generalised fat trees (Öhring, Ibel, Das and Kumar, "On generalized fat trees",
IPPS 1995) with parallel links (Zahavi, "Fat-tree routing and node ordering providing contention
free traffic for MPI global collectives", JPDC 2012).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, prod
from typing import ClassVar

import numpy as np

from hopscape.core.addresses import Addresses, node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Family, Layout, Parameter, Symmetry, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router
from hopscape.families.datacenter.routers import Levels, tiers

__all__ = ["XGFT", "Clos", "KaryTree", "LeafSpine"]


class XGFT(Family):
    """Levels 0 (endpoints) to h; a node of level i has m_i children and w_{i+1} parents.

    A node of level i has digits x_h .. x_{i+1}, y_i .. y_1; its parents are got by replacing
    x_{i+1} by any y_{i+1}, each over so many parallel links. Ports lead down first (child by
    child), then up.
    """

    name = "xgft"
    plain = "fat tree"
    standard = True
    summary = "extended generalised fat tree of any levels and taper, with parallel links"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("children", "ints", "children of a node of level 1, 2, ...", low=1),
        Parameter("parents", "ints", "parents of a node of level 0, 1, ...", low=1),
        Parameter(
            "links", "ints", "parallel links below level 1, 2, ...; 1 each", low=1, default=None
        ),
    )
    example = "xgft([3, 2, 2], [1, 2, 3])"
    links: tuple[int, ...] | int | None

    def __init__(
        self,
        children: Sequence[int],
        parents: Sequence[int],
        links: Sequence[int] | None = None,
    ) -> None:
        self.children, self.parents = tuple(children), tuple(parents)
        self.links = None if links is None or set(links) == {1} else tuple(links)
        if not children or len(children) != len(parents):
            raise ArgumentError(
                f"children has {len(children)} entries and parents {len(parents)}; both must have"
                " one for each level above the endpoints, and at least one"
            )
        if links is not None and len(links) != len(children):
            raise ArgumentError(
                f"links has {len(links)} entries; it must have {len(children)}, one for each level"
            )
        self._tree(self.children, self.parents, tuple(links or ()) or (1,) * len(children))

    def _tree(self, m: tuple[int, ...], w: tuple[int, ...], trunks: tuple[int, ...]) -> None:
        self.m, self.w, self.trunks = m, w, trunks
        self.height = len(m)
        self.below = [prod(w[:i]) for i in range(self.height + 1)]  # values of the digits y
        self.sizes = [prod(m[i:]) * self.below[i] for i in range(self.height + 1)]
        self.starts = [sum(self.sizes[:i]) for i in range(self.height + 2)]
        self.downs = [0, *(a * t for a, t in zip(m, trunks, strict=True))]
        self.ups = [*(a * t for a, t in zip(w, trunks, strict=True)), 0]

    @property
    def order(self) -> int:
        return self.starts[-1]

    @property
    def ports(self) -> int:
        return max(a + b for a, b in zip(self.downs, self.ups, strict=True))

    @property
    def addresses(self) -> Addresses:
        h = self.height
        return Levels([(*self.m[i:][::-1], *self.w[:i][::-1]) for i in range(h + 1)])

    def switches(self) -> range:
        return range(self.starts[1], self.order)

    def level_of(self, nodes: IntArray) -> IntArray:
        """Level of each node."""
        out = np.zeros(len(nodes), dtype=np.int64)
        for start in self.starts[1:-1]:
            out += (nodes >= start).astype(np.int64)
        return out

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        levels = self.level_of(nodes)
        for level in range(self.height + 1):
            here = np.flatnonzero(levels == level)
            if not len(here):
                continue
            index = nodes[here] - self.starts[level]
            high, low = index // self.below[level], index % self.below[level]
            if level:
                port = (np.arange(self.downs[level]) // self.trunks[level - 1]).astype(nodes.dtype)
                low_below = (low % self.below[level - 1])[:, None]
                child = (high * self.m[level - 1])[:, None] + port
                row = self.starts[level - 1] + child * self.below[level - 1] + low_below
                out[here, : self.downs[level]] = row
            if level < self.height:
                port = (np.arange(self.ups[level]) // self.trunks[level]).astype(nodes.dtype)
                above = (high // self.m[level] * self.below[level + 1] + low)[:, None]
                row = self.starts[level + 1] + above + port * self.below[level]
                out[here, self.downs[level] : self.downs[level] + self.ups[level]] = row
        return out

    def facts(self) -> Facts:
        degrees = [a + b for a, b in zip(self.downs, self.ups, strict=True)]
        links = sum(size * up for size, up in zip(self.sizes, self.ups, strict=True))
        loops = any(t > 1 for t in self.trunks)
        square = any(a > 1 and b > 1 for a, b in zip(self.m, self.w, strict=True))
        reach = [max(self._farthest(a, b) for b in self._tops()) for a in self._tops()]
        return Facts.duplex(
            links,
            min(degrees),
            max(degrees),
            diameter=max(reach),
            radius=min(reach),
            mean_distance=self._mean(),
            girth=2 if loops else 4 if square else None,
        )

    def _tops(self) -> range:
        return range(self.height + 1)

    def _farthest(self, a: int, b: int) -> int:
        """Largest distance from a node of level a to one of level b."""
        low = next((i for i in range(min(a, b)) if self.w[i] > 1), min(a, b))
        top = range(self.height, max(a, b), -1)
        high = next((i for i in top if self.m[i - 1] > 1), max(a, b))
        return 2 * (high - low) - abs(a - b)

    def _mean(self) -> Fraction:
        """A route from level a to b that goes down to low and up to high has so many hops:
        2 (high - low) - abs(a - b). Low depends on the digits y alone, high on the digits x."""
        total = 0
        lows = [self._lowest(level) for level in self._tops()]
        highs = [self._highest(level) for level in self._tops()]
        for a, b in product(self._tops(), repeat=2):
            left, right = min(a, b), max(a, b)
            free = prod(self.m[left:right]) * prod(self.w[left:right])
            (low, below), (high, above) = lows[left], highs[right]
            sums = 2 * (high * below - low * above) - (right - left) * below * above
            total += free * sums
        return Fraction(total, self.order * (self.order - 1))

    def _lowest(self, level: int) -> tuple[int, int]:
        """Over all pairs of digits y up to a level: how far down they lead, and their number."""
        w, total = self.w, level * prod(self.w[:level])
        for i in range(level):
            total += i * prod(w[:i]) * w[i] * (w[i] - 1) * prod(w[i + 1 : level]) ** 2
        return total, prod(w[:level]) ** 2

    def _highest(self, level: int) -> tuple[int, int]:
        """Over all pairs of digits x beyond a level: how far up they lead, and their number."""
        m, total = self.m, level * prod(self.m[level:])
        for i in range(level, self.height):
            total += (i + 1) * prod(m[i + 1 :]) * m[i] * (m[i] - 1) * prod(m[level:i]) ** 2
        return total, prod(m[level:]) ** 2

    def symmetry(self) -> Symmetry:
        return Symmetry(tuple(self.starts[:-1]), tuple(self.sizes))

    def router(self, network: Network) -> Router:
        return TreeRouter(network, self)

    def layout(self) -> Layout:
        return tiers(self.sizes)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Three levels of any shape that carry what is asked for, the fewest switches and links.

        A leaf, and a pod, has uplinks for what uniform traffic sends out of it, or for all that its
        endpoints send. (Two levels are leaf_spine's.)
        """
        if requirement.throughput is None or requirement.ports < 4:
            return
        shapes = _shapes(requirement)
        _, m2, m3, w2, l2, w3, l3 = shapes
        switches = m2 * m3 + m3 * w2 + w2 * w3
        links = m2 * m3 * w2 * l2 + m3 * w2 * w3 * l3
        seen: set[int] = set()
        each = ceil(requirement.most / 3)
        for first, then in (
            (switches, links),
            (links, switches),
            (switches * requirement.ports + 2 * links, switches),
        ):
            for i in np.lexsort((then, first))[:each].tolist():
                if i not in seen:
                    seen.add(i)
                    a, b, c, up, k, top, j = (int(column[i]) for column in shapes)
                    yield cls((a, b, c), (1, up, top), (1, k, j)).spec


class TreeRouter(Router):
    """Up by the destination's digits (d-mod-k), then down; switches are reached, too.

    A route from level a to level b must go down to the lowest digit y in which the ends differ and
    up to the highest digit x: up first where it ends no higher than it begins (a >= b).
    """

    name = "up and down"

    def __init__(self, network: Network, tree: XGFT) -> None:
        super().__init__(network)
        self._tree = tree

    def _split(self, nodes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Level, digits x as a number (those below the level are 0), digits y as a number."""
        tree = self._tree
        level = tree.level_of(nodes)
        kind = node_dtype(tree.order)
        starts = np.asarray(tree.starts[:-1], dtype=kind)[level]
        below = np.asarray(tree.below, dtype=kind)[level]
        scale = np.asarray([prod(tree.m[:i]) for i in range(tree.height + 1)], dtype=kind)[level]
        index = nodes - starts
        return level, index // below * scale, index % below

    def _ends(self, at: IntArray, to: IntArray) -> tuple[IntArray, ...]:
        """Levels of both ends, and the lowest and the highest level that a route must visit."""
        tree = self._tree
        a, xa, ya = self._split(at)
        b, xb, yb = self._split(to)
        low, high = np.minimum(a, b), np.maximum(a, b)
        for i in range(tree.height, 0, -1):
            scale, below = prod(tree.m[: i - 1]), tree.below[i - 1]
            same = xa // scale % tree.m[i - 1] == xb // scale % tree.m[i - 1]
            high = np.where((i > np.maximum(a, b)) & (i > high) & ~same, i, high)
            same = ya // below % tree.w[i - 1] == yb // below % tree.w[i - 1]
            low = np.where((i <= np.minimum(a, b)) & ~same, i - 1, low)
        return a, b, low, high, xb, yb

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        a, b, low, high, _, _ = self._ends(at, to)
        return 2 * (high - low) - np.abs(a - b)

    def _choices(self, at: IntArray, to: IntArray) -> tuple[IntArray, ...]:
        """May the route go up, and down; by which parent and child (-1: any)?"""
        tree = self._tree
        a, b, low, high, xb, yb = self._ends(at, to)
        down_first, up_first = a <= b, a >= b
        any_up = (a < high) & up_first
        up = any_up | ((a == low) & (high > low) & down_first)
        down = (a > low) & (down_first | ((a == high) & up_first))
        parent, child = np.full(len(at), -1), np.full(len(at), -1)
        for i in range(tree.height):
            digit = (yb // tree.below[i] % tree.w[i]).astype(np.int64)
            parent = np.where((a == i) & (i < b) & ~any_up, digit, parent)
            digit = (xb // prod(tree.m[:i]) % tree.m[i]).astype(np.int64)
            child = np.where((a == i + 1) & (i >= b) & ~(down_first & (a > low)), digit, child)
        return a, up, down, parent, child

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        tree = self._tree
        level, up, down, parent, child = self._choices(at, to)
        mask = np.zeros((len(at), tree.ports), dtype=bool)
        for i in range(tree.height + 1):
            here = np.flatnonzero(level == i)
            if i:
                number = np.arange(tree.downs[i]) // tree.trunks[i - 1]
                wanted = child[here][:, None]
                allowed = down[here][:, None] & ((wanted < 0) | (wanted == number))
                mask[here, : tree.downs[i]] = allowed
            if i < tree.height:
                number = np.arange(tree.ups[i]) // tree.trunks[i]
                wanted = parent[here][:, None]
                allowed = up[here][:, None] & ((wanted < 0) | (wanted == number))
                mask[here, tree.downs[i] : tree.downs[i] + tree.ups[i]] = allowed
        return mask

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        tree = self._tree
        level, up, down, parent, child = self._choices(at, to)
        out = np.full(len(at), -1)
        for i in range(tree.height + 1):
            if i < tree.height:  # the port by which everything goes up to this destination
                number = (to // tree.below[i] % tree.ups[i]).astype(np.int64)
                trunk, w = tree.trunks[i], tree.w[i]
                wanted = np.where(parent < 0, number % w, parent) * trunk + number // w
                out = np.where((level == i) & up, tree.downs[i] + wanted, out)
            if i:
                trunk, w = tree.trunks[i - 1], tree.w[i - 1]
                copy = (to // tree.below[i - 1] % tree.ups[i - 1]).astype(np.int64) // w
                wanted = np.where(child < 0, (to % tree.m[i - 1]).astype(np.int64), child)
                out = np.where((level == i) & down, wanted * trunk + copy, out)
        return out


class LeafSpine(XGFT):
    """Leaves with p endpoints each, every one linked to every spine."""

    name = "leaf_spine"
    plain = "leaf-spine"
    standard = True
    unequal = "leaves"
    summary = "leaf-spine (two-level fat tree): leaves with p endpoints, each linked to all spines"
    parameters = (
        *integers(leaves="leaf switches", spines="spine switches", p="endpoints per leaf"),
        Parameter("links", "int", "parallel links from a leaf to a spine", low=1, default=1),
    )
    example = "leaf_spine(4, 2, 3)"

    def __init__(self, leaves: int, spines: int, p: int, links: int = 1) -> None:
        self.leaves, self.spines, self.p, self.links = leaves, spines, p, links
        self._tree((p, leaves), (1, spines), (1, links))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Leaves full of ports: as many uplinks as endpoints, and as few as the demand allows."""
        radix = requirement.ports
        yield from cls._fewest(requirement)
        for p, up in _tapered(requirement):
            for leaves in _around(requirement, p):
                if not 2 <= leaves <= radix:
                    continue
                links = max(n for n in _divisors(up) if n * leaves <= radix)
                yield cls(leaves, up // links, p, links).spec

    @classmethod
    def _fewest(cls, requirement: Requirement) -> list[str]:
        """Those with the fewest switches, then links, whose uplinks carry what is asked for."""
        radix, share = requirement.ports, requirement.throughput or 1.0
        cheapest: dict[tuple[int, int], tuple[int, int, int, int]] = {}
        for p in range(radix - 1, 0, -1):
            leaves = ceil(requirement.nodes / p)
            if not 2 <= leaves <= radix or not requirement.fits(leaves * p):
                continue
            away = p * (leaves - 1) * p / (leaves * p - 1)
            for up in {ceil(share * away - 1e-9), ceil(share * p - 1e-9), p}:
                for links in range(1, radix // leaves + 1):
                    for spines in range(least := ceil(up / links), least + requirement.spare + 1):
                        if 0 < spines * links <= radix - p:
                            cost = (leaves + spines, leaves * spines * links)
                            cheapest.setdefault(cost, (leaves, spines, p, links))
        return [cls(*cheapest[cost]).spec for cost in sorted(cheapest)[: requirement.most]]

    @classmethod
    def limits(cls, radix: int, throughput: float) -> Iterator[tuple[int, str]]:
        """A spine has a port for every leaf: radix leaves, with p endpoints each.

        Examples:
            >>> list(LeafSpine.limits(64, 1.0)), list(LeafSpine.limits(64, 0.5))
            ([(2048, 'a third level')], [(2688, 'a third level')])
        """
        yield radix * _endpoints_of_leaf(radix, throughput), "a third level"


class Clos(XGFT):
    """The folded Clos network of switches of one radix; leaves may have more ends than uplinks.

    Leaves have `down` endpoints and their other ports up, middle levels half of their ports down
    and half up, and the top all of them down: to `pods` parts, over parallel links where there are
    fewer parts than ports.
    """

    name = "clos"
    plain = "fat tree"
    standard = True
    summary = "folded Clos (fat tree) of r-port switches: any levels, taper and number of pods"
    parameters = (
        *integers(radix=("ports of a switch", 2, 1 << 20), levels=("levels of switches", 1, 60)),
        Parameter("down", "int", "endpoints per leaf; half of the ports", low=1, default=None),
        Parameter("pods", "int", "parts below the top; as many as ports", low=1, default=None),
    )
    example = "clos(4, 2, down=2)"

    def __init__(
        self, radix: int, levels: int, down: int | None = None, pods: int | None = None
    ) -> None:
        self.radix, self.levels, self.down, self.pods = radix, levels, down, pods
        half = radix // 2
        if pods is not None and (levels == 1 or pods > radix):
            allowed = "left out with one level" if levels == 1 else f"at most radix, {radix}"
            raise ArgumentError(f"pods is {pods}; it must be {allowed}")
        if levels == 1:
            if down is not None and down > radix:
                raise ArgumentError(f"down is {down}; it must be at most radix, {radix}")
            self._tree((down or radix,), (1,), (1,))
            return
        if down is not None and down >= radix:
            raise ArgumentError(f"down is {down}; it must be below radix, {radix}")
        up = half if down is None else radix - down
        parts = radix if pods is None else pods
        m = (half if down is None else down, *(half,) * (levels - 2), parts)
        ups = (up, *(half,) * (levels - 2))
        links = max(n for n in _divisors(ups[-1]) if n * parts <= radix)
        w = (1, *ups[:-1], ups[-1] // links)
        self._tree(m, w, (1,) * (levels - 1) + (links,))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """One level, or three and more (leaf_spine has two), with and without taper."""
        radix, half = requirement.ports, requirement.ports // 2
        if 2 <= requirement.nodes <= radix:
            yield cls(radix, 1, down=requirement.nodes).spec
        for levels in (3, 4) if half else ():
            for down, _ in _tapered(requirement):
                for pods in _around(requirement, down * half ** (levels - 2)):
                    if 2 <= pods <= radix:
                        yield cls(radix, levels, None if down == half else down, pods).spec

    @classmethod
    def limits(cls, radix: int, throughput: float) -> Iterator[tuple[int, str]]:
        """Radix pods, in which every level multiplies the endpoints of a leaf by radix / 2.

        Examples:
            >>> list(Clos.limits(64, 1.0))
            [(65536, 'a fourth level'), (2097152, 'a fifth level')]
        """
        down, half = _endpoints_of_leaf(radix, throughput), radix // 2
        yield radix * down * half, "a fourth level"
        yield radix * down * half**2, "a fifth level"


class KaryTree(XGFT):
    """n levels of k^(n-1) switches with 2k ports, k^n endpoints (Petrini and Vanneschi, 1997)."""

    name = "kary_ntree"
    standard = False
    summary = "k-ary n-tree: k^n endpoints, n levels of k^(n-1) switches with 2k ports"
    parameters = integers(k="children of a switch", n=("levels of switches", 1, 60))
    example = "kary_ntree(2, 3)"

    def __init__(self, k: int, n: int) -> None:
        self.k, self.n = k, n
        self._tree((k,) * n, (1, *(k,) * (n - 1)), (1,) * n)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        for n in range(2, 12):
            sizes = {k**n: k for k in range(2, requirement.ports // 2 + 1)}
            yield from (cls(sizes[size], n).spec for size in requirement.near(sizes)[:1])


def _shapes(requirement: Requirement) -> tuple[IntArray, ...]:
    """Children, parents and links of trees of three levels: m1, m2, m3, w2, l2, w3 and l3.

    All numbers of leaves in a pod and of pods, with so many parallel links below and above the
    middle as fit; the rest is as small as the traffic allows. O((radix log radix)²) shapes.
    """
    radix, ends = requirement.ports, requirement.low
    pairs = np.array([(m, n) for m in range(2, radix) for n in range(1, radix // m + 1)])
    a, b = (x.ravel() for x in np.meshgrid(np.arange(len(pairs)), np.arange(len(pairs))))
    (m2, l2), (m3, l3) = pairs[a].T, pairs[b].T
    m1 = -(-ends // (m2 * m3))
    size = m1 * m2 * m3
    keep = (size <= requirement.high) & (m1 < radix)
    m1, m2, m3, l2, l3 = (x[keep] for x in (m1, m2, m3, l2, l3))
    share, fitting = requirement.throughput or 1.0, []
    pod = np.minimum(ends - 1, m1 * m2)
    away = [(np.ones(len(m1)), ((ends - part) / (ends - 1))) for part in (m1, pod)]
    for leaf_out, pod_out in product(*away):
        need = np.ceil(share * m1 * leaf_out - 1e-9).astype(np.int64)
        w2 = -(-need // l2)
        up = np.maximum(1, np.ceil(share * pod * pod_out / w2 - 1e-9).astype(np.int64))
        w3 = -(-up // l3)
        below, above = -(-need // w2), -(-up // w3)  # no more links than that takes
        fits = (m1 + w2 * below <= radix) & (m2 * below + w3 * above <= radix)
        fitting.append(np.stack([m1, m2, m3, w2, below, w3, above])[:, fits])
    return tuple(np.unique(np.concatenate(fitting, axis=1), axis=1))


def _endpoints_of_leaf(radix: int, throughput: float) -> int:
    """Most endpoints of a leaf whose other ports carry this share of what they send."""
    return max((p for p in range(1, radix) if throughput * p <= radix - p), default=0)


def _tapered(requirement: Requirement) -> list[tuple[int, int]]:
    """Endpoints and uplinks of a leaf: as many of both, and fewer uplinks as far as they do."""
    radix, wanted = requirement.ports, requirement.throughput
    tapers = [1.0, 2.0, 3.0] if wanted is None else [1.0, 1 / wanted] if wanted < 1 else [1.0]
    shapes = [(radix // 2, radix // 2)] + [(int(radix * t / (t + 1)), 0) for t in tapers[1:]]
    return [(p, up or radix - p) for p, up in shapes if 0 < p < radix]


def _divisors(n: int) -> list[int]:
    return [d for d in range(1, n + 1) if n % d == 0]


def _around(requirement: Requirement, part: int) -> list[int]:
    """How many parts of this size come nearest to the number looked for, within its limits."""
    if part < 1:
        return []
    below = requirement.nodes // part
    return [size // part for size in requirement.near([below * part, (below + 1) * part])]
