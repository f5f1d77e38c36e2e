"""The three-level fat tree of k-port switches, with destination-based up-routing.

M. Al-Fares, A. Loukissas and A. Vahdat, 2008, after the fat trees of C. E. Leiserson, 1985.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Layout, ListedFamily, integers
from hopscape.core.formula import Value, both, choose, constant, equal, inverted, less
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.router import Router, pick

__all__ = ["FatTree"]

_STRAIGHT = 1e-9  # no bend, and none round other nodes


class FatTree(ListedFamily):
    """k pods of k/2 edge and k/2 aggregation switches, (k/2)² cores, k³/4 endpoints.

    Nodes: endpoints, edge switches, aggregation switches, cores; each by pod, then by number.
    """

    name = "fat_tree"
    plain = "three-level fat tree"
    standard = True
    summary = "three-level fat tree of k-port switches: k³/4 endpoints, 5k²/4 switches"
    parameters = integers(k=("ports of a switch, even", 2))
    example = "fat_tree(4)"

    def __init__(self, k: int) -> None:
        if k % 2:
            raise ArgumentError(f"k is {k}; it must be even")
        self.k, self.half = k, k // 2
        self.hosts = k * self.half**2
        self.pairs = k * self.half
        require_memory(240 * self.hosts, f"the wiring of {self.name}({k})")

    @property
    def order(self) -> int:
        return self.hosts + 2 * self.pairs + self.half**2

    def switches(self) -> range:
        return range(self.hosts, self.order)

    def links(self) -> tuple[IntArray, IntArray]:
        half, hosts, pairs = self.half, self.hosts, self.pairs
        host = np.arange(hosts)
        edge = hosts + host // half
        pod, low, high = (
            axis.ravel()
            for axis in np.meshgrid(
                np.arange(self.k), np.arange(half), np.arange(half), indexing="ij"
            )
        )
        below = hosts + pod * half + low
        above = hosts + pairs + pod * half + high
        middle = hosts + pairs + pod * half + low
        core = hosts + 2 * pairs + low * half + high
        return np.concatenate([host, below, middle]), np.concatenate([edge, above, core])

    def facts(self) -> Facts:
        return Facts(links=3 * self.hosts, connected=True, diameter=6 if self.k > 2 else None)

    def layout(self) -> Layout:
        """In levels: endpoints below, then edge and aggregation switches by pod, cores on top."""
        hosts, pairs, half = self.hosts, self.pairs, self.half
        edge = (np.arange(pairs) + 0.5) * half
        core = (np.arange(half * half) + 0.5) * hosts / (half * half)
        across = np.concatenate([np.arange(hosts) + 0.5, edge, edge, core])
        level = np.repeat([0.0, 1.0, 2.4, 4.0], [hosts, pairs, pairs, half * half])
        places = np.stack([across, level * max(hosts / 9.0, 0.7)], axis=1)
        return Layout(places, lambda tails, heads: np.full(len(tails), _STRAIGHT))

    def router(self, network: Network) -> Router:
        return FatTreeRouter(network, self)


class FatTreeRouter(Router):
    """Up by the digits of the destination, then down the only way."""

    name = "up and down"

    def __init__(self, network: Network, tree: FatTree) -> None:
        super().__init__(network)
        self._tree = tree
        middle = tree.hosts + tree.pairs
        self._levels = (0, tree.hosts, middle, middle + tree.pairs)

    def _place(self, nodes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Level (0 endpoint .. 3 core), pod (-1 for a core), and edge or column number."""
        tree, half = self._tree, self._tree.half
        bounds = np.array([tree.hosts, tree.hosts + tree.pairs, tree.hosts + 2 * tree.pairs])
        level = np.searchsorted(bounds, nodes, side="right")
        within = nodes - np.concatenate([[0], bounds])[level]
        owner = np.where(level == 0, within // half, within)
        pod = np.where(level == 3, -1, owner // half)
        number = np.where(level == 3, within // half, owner % half)
        return level, pod, number

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        la, pa, na = self._place(at)
        lb, pb, nb = self._place(to)
        upper = np.maximum(la, lb)
        lower = np.minimum(la, lb)
        same_pod, same_number = (pa == pb) & (pa >= 0), na == nb
        out = np.where(same_pod, 4 - la - lb, 6 - la - lb)
        tail = same_pod & (upper <= 1) & same_number
        out = np.where(tail, np.where(upper == lower, 2 * (1 - upper), 1), out)
        both = (la == 2) & (lb == 2)
        out = np.where(both & same_pod, 2, out)
        out = np.where(both & ~same_pod & ~same_number, 4, out)
        one_core = upper == 3
        out = np.where(one_core & (lower == 2), np.where(same_number, 1, 3), out)
        out = np.where(one_core & (lower == 3), np.where(same_number, 2, 4), out)
        return np.where(at == to, 0, out).astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        if (to < self._tree.hosts).all():
            return self._towards_endpoints(at, to)
        mask = self.shortest_ports(at, to)
        level, _, _ = self._place(at)
        digit = np.where(level == 2, to // self._tree.half, to)
        return pick(mask, digit)

    def _towards_endpoints(self, at: IntArray, to: IntArray) -> IntArray:
        """Next ports to endpoints, as in :meth:`formula`."""
        tree, half = self._tree, self._tree.half
        low, middle, top = tree.hosts, tree.hosts + tree.pairs, tree.hosts + 2 * tree.pairs
        below, digit = to // half, to % half
        from_edge = digit + half * (at - low != below)
        from_middle = below % half + half * ((at - middle) // half != below // half)
        lower = np.where(at < middle, from_edge, from_middle)
        out: IntArray = np.where(at >= top, below // half, np.where(at < low, 0, lower))
        return np.where(at == to, -1, out)

    def goal_keys(self) -> tuple[IntArray, IntArray]:
        """Edge switches ask for the lower digit of an endpoint, others for its edge switch."""
        tree, nodes = self._tree, np.arange(self._tree.order)
        aside = (nodes >= tree.hosts) & (nodes < tree.hosts + tree.pairs)
        return aside.astype(np.uint8), np.stack([nodes // tree.half, nodes % tree.half])

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        """The same as :meth:`formula`, for one pair, with the nodes that the ports lead to."""
        nodes: list[int] = [at]
        ports: list[int] = []
        goal = self._goal(to)
        while at != to:
            port, at = self._hop(at, to, goal)
            nodes.append(at)
            ports.append(port)
        return nodes, ports

    def _goal(self, to: int) -> tuple[int, int, int]:
        """Edge switch (if it is one, or an endpoint), pod (-1: a core) and column (-1: none)."""
        tree, half = self._tree, self._tree.half
        level = bisect_right(self._levels, to) - 1
        within = to - self._levels[level]
        if level < 2:
            below = within // half if level == 0 else within
            return below, below // half, -1
        if level == 2:
            return -1, within // half, within % half
        return -1, -1, within // tree.half

    def _hop(self, at: int, to: int, goal: tuple[int, int, int]) -> tuple[int, int]:
        """The next port and node."""
        half, (_, low, middle, top) = self._tree.half, self._levels
        below, pod, column = goal
        if at < low:
            return 0, low + at // half
        if at < middle:
            edge = at - low
            if to < low and below == edge:
                return to % half, to
            up = to % half if column < 0 else column
            return half + up, middle + edge // half * half + up
        if at >= top:
            port = pod if pod >= 0 else to % self._tree.k
            return port, middle + port * half + (at - top) // half
        here, number = divmod(at - middle, half)
        across = to // half
        if below >= 0:
            port = below % half if here == pod else half + across % half
        elif pod >= 0:
            aside = half + across % half if number == column else across % self._tree.k
            port = across % half if here == pod else aside
        else:
            port = half + (to - top) % half if number == column else across % half
        if port < half:
            return port, low + here * half + port
        return port, top + number * half + port - half

    def formula(self, at: Value, to: Value) -> Value:
        """By the levels of both nodes; where several ports are shortest, digits of `to` choose."""
        tree, k, half, pairs = self._tree, self._tree.k, self._tree.half, self._tree.pairs
        low, middle = tree.hosts, tree.hosts + pairs
        top = middle + pairs
        host, edge, lower = (less(to, bound) for bound in (low, middle, top))
        below = choose(host, _within(to, 0, low) // half, _within(to, low, pairs))
        below = below.named("below", "edge switch of the destination, where it has one")
        above, core = _within(to, middle, pairs), _within(to, top, half * half)
        column = choose(lower, above % half, core // half)
        column = column.named("column", "of the switch that is the destination")
        pod = (choose(edge, below, above) // half).named("pod", "of the destination, if not a core")
        lower_digit = (to % half).named("lower_digit", "chooses among ports that are alike")
        upper_digit = (to // half).named("upper_digit", "chooses higher up")
        leaf = equal(below, _within(at, low, pairs))
        from_edge = choose(both(host, leaf), lower_digit, half + choose(edge, lower_digit, column))
        here = _within(at, middle, pairs)
        same_pod = both(equal(here // half, pod), lower)
        same_column = equal(here % half, column)
        up = half + upper_digit % half
        to_below = choose(same_pod, below % half, up)
        to_above = choose(same_pod, upper_digit % half, choose(same_column, up, upper_digit % k))
        to_core = choose(same_column, half + core % half, upper_digit % half)
        from_middle = choose(edge, to_below, choose(lower, to_above, to_core))
        port = choose(lower, pod, to % k)
        for bound, below_bound in ((top, from_middle), (middle, from_edge), (low, constant(0))):
            port = choose(less(at, bound), below_bound, port)
        return choose(equal(at, to), -1, port)


def _within(node: Value, low: int, count: int) -> Value:
    """The place of a node among `count` nodes from `low` on; 0 for others."""
    inside = both(inverted(less(node, low)), less(node, low + count))
    return choose(inside, node - low, 0).narrow(0, count - 1)
