"""HammingMesh: boards that are small meshes, joined along rows and columns by switches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from hopscape.core.addresses import Addresses
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.family import Facts, Family, Layout, Parameter, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Router, pick, spread
from hopscape.families.datacenter.routers import Levels

__all__ = ["HammingMesh", "Line"]

_LONGEST = 64
"""Accelerators along a board up to which the diameter is worked out."""


class Line:
    """One row of accelerators: boards of `length` in a path, both ends of each at a switch.

    Nodes: accelerators board by board; leaf switches; spines. One switch serves all boards if it
    has ports enough, else leaves with half of their ports down, and spines. A single board has no
    switch.

    Args:
        length, boards, radix: Accelerators of a board, boards, ports of a switch.
    """

    def __init__(self, length: int, boards: int, radix: int) -> None:
        self.length, self.boards = length, boards
        self.nodes = length * boards
        self.per_leaf, self.leaves, self.spines, self.trunk = boards, int(boards > 1), 0, 0
        if 2 * boards > radix:
            self._two_levels(boards, radix)
        self.switches = self.leaves + self.spines
        self.order = self.nodes + self.switches
        self.up = self.spines * self.trunk
        wired = 2 * boards + self.leaves * self.up if boards > 1 else 0
        self.links = boards * (length - 1) + wired
        leaf = 2 * self.per_leaf + self.up
        self.degree = max(leaf, self.leaves * self.trunk) if self.leaves else 0

    def _two_levels(self, boards: int, radix: int) -> None:
        self.per_leaf = radix // 4
        up = 2 * self.per_leaf
        self.leaves = -(-boards // self.per_leaf) if self.per_leaf else 0
        widest = min(up, radix // self.leaves) if self.leaves else 0
        self.trunk = next((n for n in range(widest, 0, -1) if up % n == 0), 0)
        if not self.trunk:
            raise ArgumentError(
                f"radix is {radix}; switches of so few ports join at most"
                f" {radix * self.per_leaf if radix >= 4 else radix // 2} boards, not {boards}"
            )
        self.spines = up // self.trunk

    def split(self, nodes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Kind (0 accelerator, 1 leaf, 2 spine), board or number, and hops to the own leaf."""
        index = nodes - self.nodes
        kind = np.where(index < 0, 0, np.where(index < self.leaves, 1, 2))
        board = np.where(kind == 0, nodes // self.length, index - self.leaves * (kind == 2))
        i = nodes % self.length
        out = np.where(kind == 0, np.minimum(i + 1, self.length - i), kind - 1)
        return kind, board, out

    def distances(self, at: IntArray, to: IntArray, *, out: bool = False) -> IntArray:
        """Hops along the line; with `out`, of ways that pass an accelerator (between switches)."""
        (ka, ba, ea), (kb, bb, eb) = self.split(at), self.split(to)
        leaf_a = np.where(ka == 0, ba // self.per_leaf, ba)
        leaf_b = np.where(kb == 0, bb // self.per_leaf, bb)
        below = (ka < 2) & (kb < 2)
        by_switch = ea + eb + np.where(below & (leaf_a != leaf_b), 2, 0)
        if out:
            return by_switch + 2
        board = (ka == 0) & (kb == 0) & (ba == bb)
        along = np.abs(at - to)
        if self.boards > 1:
            along = np.minimum(along, by_switch)
        return np.where(at == to, 0, np.where(board, along, by_switch))

    def neighbours(self, nodes: IntArray) -> IntArray:
        """Up and down the line for accelerators; for switches boards first, then spines."""
        width = max(2, self.degree)
        rows = np.full((len(nodes), width), -1)
        kind, board, _ = self.split(nodes)
        at, i = kind == 0, nodes % self.length
        leaf = self.nodes + board // self.per_leaf if self.leaves else np.full(len(nodes), -1)
        rows[at, 0] = np.where(i == self.length - 1, leaf, nodes + 1)[at]
        rows[at, 1] = np.where(i == 0, leaf, nodes - 1)[at]
        here = np.flatnonzero(kind == 1)
        side = np.arange(2 * self.per_leaf)
        other = board[here][:, None] * self.per_leaf + side // 2
        end = other * self.length + (side % 2) * (self.length - 1)
        rows[here, : len(side)] = np.where(other < self.boards, end, -1)
        up = np.arange(self.up) // max(self.trunk, 1)
        rows[here, len(side) : len(side) + self.up] = self.nodes + self.leaves + up
        down = np.arange(self.leaves * self.trunk) // max(self.trunk, 1)
        rows[kind == 2, : len(down)] = self.nodes + down
        return rows

    def reach(self) -> tuple[int, int, int, int]:
        """Largest distances: of accelerators, of one and a switch, of switches, these by `out`."""
        boards = {b for b in (0, 1, self.per_leaf, self.boards - 1) if 0 <= b < self.boards}
        middle = self.length // 2  # the farthest are at the ends and in the middle of a board
        places = {0, 1, *range(middle - 2, middle + 3), self.length - 2, self.length - 1}
        ends = np.asarray(
            [b * self.length + i for b in sorted(boards) for i in places if 0 <= i < self.length]
        )
        few = [*range(min(2, self.leaves)), *(self.leaves + k for k in range(2))]
        switches = np.asarray([self.nodes + k for k in few if k < self.switches], dtype=np.int64)

        def most(some: IntArray, others: IntArray, out: bool = False) -> int:
            at, to = np.repeat(some, len(others)), np.tile(others, len(some))
            return int(self.distances(at, to, out=out).max(initial=0))

        between = most(switches, switches), most(switches, switches, out=True)
        return most(ends, ends), most(ends, switches), *between


class HammingMesh(Family):
    """x by y boards of a by b accelerators: meshes on the boards, switches along rows and columns.

    Hoefler et al., "HammingMesh: a network topology for large-scale deep learning", SC 2022. Every
    row of accelerators has a network of its own, to which both ends of each board's row are linked
    (east and west), and so has every column (north and south): one switch, or a two-level fat tree
    where 2x or 2y lines are more than its radix. One plane of it; a = b = 1 is a HyperX with two
    links per accelerator and axis.

    Nodes: accelerators by row and column, the switches of each row, the switches of each column.
    Ports of an accelerator: east, west, south, north.
    """

    name = "hammingmesh"
    summary = "HammingMesh: x by y boards of a by b accelerators, a switch for each row and column"
    parameters = (
        *integers(
            a="accelerators along a row of a board",
            b="accelerators along a column of a board",
            x="boards in a row",
            y="boards in a column",
        ),
        Parameter("radix", "int", "ports of a switch", low=2, high=1 << 20, default=64),
    )
    example = "hammingmesh(2, 2, 2, 2)"

    def __init__(self, a: int, b: int, x: int, y: int, radix: int = 64) -> None:
        self.a, self.b, self.x, self.y, self.radix = a, b, x, y, radix
        self.row, self.column = Line(a, x, radix), Line(b, y, radix)
        self.width, self.height = self.row.nodes, self.column.nodes
        ends = self.width * self.height
        rows, columns = self.height * self.row.switches, self.width * self.column.switches
        self.starts = (0, ends, ends + rows, ends + rows + columns)
        if self.order >= 2**62:
            raise TooLargeError(f"hammingmesh has {self.order} nodes; it is built below 2^62")

    @property
    def order(self) -> int:
        return self.starts[-1]

    @property
    def ports(self) -> int:
        return max(4, self.row.degree, self.column.degree)

    @property
    def addresses(self) -> Addresses:
        boxes = [(self.height, self.width), (self.height, self.row.switches)]
        return Levels([*boxes, (self.width, self.column.switches)])

    def switches(self) -> range | None:
        return range(self.starts[1], self.order) if self.order > self.starts[1] else None

    def places(self, nodes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Kind (0 accelerator, 1 switch of a row, 2 of a column), and places in row and column."""
        kind = (nodes >= self.starts[1]).astype(np.int64) + (nodes >= self.starts[2])
        index = nodes - np.asarray(self.starts[:3])[kind]
        size = max(self.row.switches, 1), max(self.column.switches, 1)
        across = np.choose(kind, [index % self.width, self.width + index % size[0],
                                  index // size[1]])  # fmt: skip
        down = np.choose(kind, [index // self.width, index // size[0],
                                self.height + index % size[1]])  # fmt: skip
        return kind, across, down

    def numbers(self, across: IntArray, down: IntArray) -> IntArray:
        """The node at these places in its row and column."""
        out = down * self.width + across
        row = self.starts[1] + down * self.row.switches + across - self.width
        column = self.starts[2] + across * self.column.switches + down - self.height
        out = np.where(across >= self.width, row, out)
        return np.where(down >= self.height, column, out)

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=np.int64)
        kind, across, down = self.places(nodes)
        here = np.flatnonzero(kind < 2)
        beyond = self.row.neighbours(across[here])
        heads = np.where(beyond >= 0, self.numbers(beyond, down[here][:, None]), -1)
        width = min(heads.shape[1], self.ports)
        out[here, :width] = heads[:, :width]
        here = np.flatnonzero(kind == 2)
        beyond = self.column.neighbours(down[here])
        width = min(beyond.shape[1], self.ports)
        heads = np.where(beyond >= 0, self.numbers(across[here][:, None], beyond), -1)
        out[here, :width] = heads[:, :width]
        here = np.flatnonzero(kind == 0)
        beyond = self.column.neighbours(down[here])[:, :2]
        heads = np.where(beyond >= 0, self.numbers(across[here][:, None], beyond), -1)
        out[here, 2:4] = heads
        return out

    @cached_property
    def _links(self) -> int:
        return self.height * self.row.links + self.width * self.column.links

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        """Hops along rows plus hops along columns; two switches of a kind are left and entered."""
        (ka, xa, ya), (kb, xb, yb) = self.places(at), self.places(to)
        across, down = self.row.distances(xa, xb), self.column.distances(ya, yb)
        rows = (ka == 1) & (kb == 1) & (ya != yb)
        across = np.where(rows, self.row.distances(xa, xb, out=True), across)
        columns = (ka == 2) & (kb == 2) & (xa != xb)
        down = np.where(columns, self.column.distances(ya, yb, out=True), down)
        return across + down

    def facts(self) -> Facts:
        return Facts(
            links=self._links,
            channels=2 * self._links,
            connected=True,
            diameter=self._diameter(),
        )

    def _diameter(self) -> int | None:
        """Hops along rows and columns add up; only switches of the same kind are told apart."""
        if max(self.a, self.b) > _LONGEST:
            return None
        row, column = self.row, self.column
        within, into, across, out = row.reach()
        down, up, along, back = column.reach()
        kinds = [within + down, into + down, within + up, across, along]
        if row.switches and column.switches:
            kinds.append(into + up)
        if row.switches and column.nodes > 1:
            kinds.append(out + down)
        if column.switches and row.nodes > 1:
            kinds.append(back + within)
        return max(kinds)

    def router(self, network: Network) -> Router:
        return HammingMeshRouter(network, self)

    def layout(self) -> Layout:
        """Boards apart; the switches of a row to its right, of a column below it."""
        at = np.arange(self.width) + 0.8 * (np.arange(self.width) // self.a)
        up = -(np.arange(self.height) + 0.8 * (np.arange(self.height) // self.b))
        rows, columns = np.arange(self.row.switches), np.arange(self.column.switches)
        parts = [
            np.stack(np.meshgrid(at, up), axis=-1).reshape(-1, 2),
            np.stack(np.meshgrid(at[-1] + 1.5 + rows, up), axis=-1).reshape(-1, 2),
            np.stack(np.meshgrid(at, up[-1] - 1.5 - columns, indexing="ij"), axis=-1),
        ]
        return Layout(np.concatenate([part.reshape(-1, 2) for part in parts]))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Square boards of 2 by 2 and 4 by 4, as the paper builds, as near a square as can be."""
        if requirement.ports < 4:
            return
        for side in (2, 4):
            best: list[tuple[int, int, int, int]] = []
            root = int((requirement.nodes / side**2) ** 0.5)
            for x in range(max(2, root // 2), root + 2):
                for size in requirement.sizes(side * side * x):
                    y = size // (side * side * x)
                    if x <= y <= requirement.ports // 2:
                        best.append((abs(size - requirement.nodes), y - x, x, y))
            yield from (cls(side, side, x, y, requirement.ports).spec
                        for _, _, x, y in sorted(best)[:2])  # fmt: skip


class HammingMeshRouter(FamilyRouter[HammingMesh]):
    """Along the row first, then along the column; on the board or over the switch."""

    name = "row, then column"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return self._family.distances(at, to)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        mask = self.shortest_ports(at, to)
        first = mask.copy()
        row = (at < self._family.starts[1]) & mask[:, :2].any(axis=1)
        first[row, 2:] = False
        return pick(first, spread(at, to))
