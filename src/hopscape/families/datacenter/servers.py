"""Server-centric networks, in which servers forward: BCube and DCell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hopscape.core.addresses import Addresses, node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.facts import circle
from hopscape.core.family import Facts, Family, Layout, Symmetry, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Router, pick, spread
from hopscape.families.datacenter.routers import Levels

__all__ = ["BCube", "DCell"]


class BCube(Family):
    """Servers with k + 1 digits below n; a switch joins the n servers that differ in one digit.

    Guo et al., "BCube: a high performance, server-centric network architecture for modular data
    centers", SIGCOMM 2009: n^(k+1) servers with k + 1 ports, (k + 1)·n^k switches with n ports.
    Port i of a server leads to its switch of level i, which changes digit i (the last one is 0).
    """

    name = "bcube"
    summary = "BCube: n^(k+1) servers with k + 1 ports each, (k + 1)·n^k switches of n ports"
    parameters = integers(n=("ports of a switch", 2), k=("levels of switches, less 1", 0, 60))
    example = "bcube(3, 1)"

    def __init__(self, n: int, k: int) -> None:
        self.n, self.k = n, k
        self.servers, self.level = n ** (k + 1), n**k

    @property
    def order(self) -> int:
        return self.servers + (self.k + 1) * self.level

    @property
    def ports(self) -> int:
        return max(self.n, self.k + 1)

    @property
    def addresses(self) -> Addresses:
        n, k = self.n, self.k
        switches = [(*(n,) * (k - i), 1, *(n,) * i) for i in range(k + 1)]
        return Levels([(n,) * (k + 1), *switches])

    def switches(self) -> range:
        return range(self.servers, self.order)

    def places(self, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Level (-1 for a server), and the digits as a number, that of the level being 0."""
        index = nodes - self.servers
        level = np.where(index < 0, -1, index // self.level).astype(np.int64)
        kind = node_dtype(self.order)
        power = np.asarray([self.n**i for i in range(self.k + 1)], dtype=kind)[np.maximum(level, 0)]
        rest = index % self.level
        word = rest // power * (power * self.n) + rest % power
        return level, np.where(index < 0, nodes, word)

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        level, word = self.places(nodes)
        for i in range(self.k + 1):
            power = self.n**i
            here = np.flatnonzero(level == -1)
            rest = word[here] // (power * self.n) * power + word[here] % power
            out[here, i] = self.servers + i * self.level + rest
            here = np.flatnonzero(level == i)
            digit = np.arange(self.n).astype(nodes.dtype)
            out[here, : self.n] = word[here][:, None] + digit * power
        return out

    def facts(self) -> Facts:
        least = min(self.n, self.k + 1)
        return Facts.duplex(
            (self.k + 1) * self.servers,
            least,
            self.ports,
            diameter=2 * self.k + 2,
            girth=8 if self.k else None,
            edge_connectivity=least,
        )

    def symmetry(self) -> Symmetry:
        firsts = [self.servers + i * self.level for i in range(self.k + 1)]
        return Symmetry((0, *firsts), (self.servers, *(self.level,) * (self.k + 1)))

    def layout(self) -> Layout:
        """Servers in a row, group by group; the switches of each level in a row above them."""
        group = np.arange(self.servers) // self.n
        across = np.arange(self.servers) + 0.6 * group
        rows = [np.stack([across, np.zeros(self.servers)], axis=1)]
        width = float(across[-1])
        for level in range(self.k + 1):
            if level == 0:
                places = across.reshape(-1, self.n).mean(axis=1)
            else:
                places = (np.arange(self.level) + 0.5) * width / self.level
            height = np.full(self.level, (level + 1) * max(0.22 * width, 1.5))
            rows.append(np.stack([places, height], axis=1))
        return Layout(np.concatenate(rows))

    def router(self, network: Network) -> Router:
        return BCubeRouter(network, self)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Two to four levels; the sizes are powers."""
        for k in range(1, min(4, requirement.ports)):
            sizes = {n ** (k + 1): n for n in range(2, requirement.ports + 1)}
            yield from (cls(sizes[size], k).spec for size in requirement.near(sizes)[:1])


class BCubeRouter(FamilyRouter[BCube]):
    """One digit after the other, in any order: each takes two hops."""

    name = "digit by digit"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        family = self._family
        (level_a, a), (level_b, b) = family.places(at), family.places(to)
        wrong = np.zeros(len(at), dtype=np.int64)
        for i in range(family.k + 1):
            power = family.n**i
            differs = a // power % family.n != b // power % family.n
            wrong += (differs & (level_a != i) & (level_b != i)).astype(np.int64)
        out = 2 * wrong + (level_a >= 0) + (level_b >= 0)
        return np.where(at == to, 0, out)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return pick(self.shortest_ports(at, to), spread(at, to))


class DCell(Family):
    """Cells of n servers round a switch; t + 1 cells of t servers make the next level, complete.

    Guo, Wu, Tan, Shi, Zhang and Lu, "DCell: a scalable and fault-tolerant network structure for
    data centers", SIGCOMM 2008. Port 0 of a server leads to its switch, port i to the cell of level
    i - 1 that it is linked to: server j - 1 of part i with server i of part j, for i < j.
    """

    name = "dcell"
    summary = "DCell: cells of n servers round a switch, joined completely level by level"
    parameters = integers(n="ports of a switch", k=("levels above the switches", 0, 8))
    example = "dcell(3, 1)"

    def __init__(self, n: int, k: int) -> None:
        self.n, self.k = n, k
        self.sizes = [n]
        for _ in range(k):
            self.sizes.append(self.sizes[-1] * (self.sizes[-1] + 1))
        self.servers = self.sizes[-1]

    @property
    def order(self) -> int:
        return self.servers + self.servers // self.n

    @property
    def ports(self) -> int:
        return max(self.n, self.k + 1)

    @property
    def addresses(self) -> Addresses:
        parts = [size + 1 for size in self.sizes[:-1]][::-1]
        return Levels([(*parts, self.n), (*parts, 1)])

    def switches(self) -> range:
        return range(self.servers, self.order)

    def gates(self, at: IntArray, to: IntArray, level: int) -> tuple[IntArray, IntArray]:
        """The servers at both ends of the link between the parts of two servers at a level."""
        small, large = self.sizes[level - 1], self.sizes[level]
        base = at // large * large
        i, j = (at - base) // small, (to - base) // small
        leave = base + i * small + np.where(i < j, j - 1, j)
        enter = base + j * small + np.where(j < i, i - 1, i)
        return leave, enter

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        here = np.flatnonzero(nodes < self.servers)
        server = nodes[here]
        out[here, 0] = self.servers + server // self.n
        for level in range(1, self.k + 1):
            small, large = self.sizes[level - 1], self.sizes[level]
            part, number = server % large // small, server % small
            other = np.where(number >= part, number + 1, number)
            back = np.where(number >= part, part, part - 1)
            out[here, level] = server // large * large + other * small + back
        here = np.flatnonzero(nodes >= self.servers)
        first = (nodes[here] - self.servers) * self.n
        out[here, : self.n] = first[:, None] + np.arange(self.n).astype(nodes.dtype)
        return out

    def facts(self) -> Facts:
        links = self.servers + self.k * self.servers // 2
        return Facts.duplex(links, min(self.n, self.k + 1), self.ports)

    def layout(self) -> Layout:
        """Cells round a circle, each a switch among its servers; cells of cells likewise."""
        around = circle(self.n, 1.0)
        centres, reach = np.zeros((1, 2)), 1.0
        for size in self.sizes[:-1]:
            parts = size + 1
            large = (reach + 0.9) / np.sin(np.pi / max(parts, 2))
            inner = centres
            centres = (circle(parts, large)[:, None, :] + inner[None, :, :]).reshape(-1, 2)
            reach += large
        servers = (centres[:, None, :] + around[None, :, :]).reshape(-1, 2)
        return Layout(np.concatenate([servers, centres]))

    def router(self, network: Network) -> Router:
        return DCellRouter(network, self)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        for k in range(1, min(4, requirement.ports)):
            sizes = {cls(n, k).servers: n for n in range(2, requirement.ports + 1)}
            yield from (cls(sizes[size], k).spec for size in requirement.near(sizes)[:1])


class DCellRouter(FamilyRouter[DCell]):
    """DCellRouting: by the link between the two parts of the highest level that differ.

    Not always shortest; at most 2^(k+1) - 1 hops from server to server when two servers of a cell
    count as one hop apart.
    """

    name = "cell by cell"
    exact = False

    def _servers(self, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Is it a switch, and the server (the first of its cell for a switch)?"""
        family = self._family
        switch = nodes >= family.servers
        return switch, np.where(switch, (nodes - family.servers) * family.n, nodes)

    def _hops(
        self, a: IntArray, b: IntArray, level: int, free_a: IntArray, free_b: IntArray
    ) -> IntArray:
        """Hops between servers of one cell of a level; a free end is the switch, not the server."""
        if level == 0:
            return np.where((a == b) | free_a | free_b, 0, 2)
        family = self._family
        size = family.sizes[level - 1]
        out = np.zeros(len(a), dtype=np.int64)
        same = a // size == b // size
        some = np.flatnonzero(same)
        if len(some):
            out[some] = self._hops(a[some], b[some], level - 1, free_a[some], free_b[some])
        some = np.flatnonzero(~same)
        if len(some):
            leave, enter = family.gates(a[some], b[some], level)
            none = np.zeros(len(some), dtype=bool)
            first = self._hops(a[some], leave, level - 1, free_a[some], none)
            out[some] = first + 1 + self._hops(enter, b[some], level - 1, none, free_b[some])
        return out

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        (switch_a, a), (switch_b, b) = self._servers(at), self._servers(to)
        free_a, free_b = switch_a.astype(bool), switch_b.astype(bool)
        out = self._hops(a, b, self._family.k, free_a, free_b) + free_a + free_b
        return np.where(at == to, 0, out)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        family = self._family
        (switch_a, a), (_, target) = self._servers(at), self._servers(to)
        out = np.full(len(at), -2)
        for level in range(family.k, 0, -1):
            size = family.sizes[level - 1]
            differs = (a // size != target // size) & (out == -2)
            leave, _ = family.gates(a, target, level)
            here = differs & (a == leave) & ~switch_a
            out = np.where(here, level, out)
            target = np.where(differs & ~here, leave, target)
        inside = np.where(switch_a, (target % family.n).astype(np.int64), 0)
        out = np.where(out == -2, inside, out)
        return np.where(at == to, -1, out)

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        """The one port that the routing takes."""
        port = self.next_ports(at, to)
        mask: IntArray = np.arange(self._family.ports) == port[:, None]
        return mask
