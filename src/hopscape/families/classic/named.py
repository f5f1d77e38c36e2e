"""More small graphs with famous symmetry, most of them from their LCF notation.

LCF notation [a, b, ...]^k names a cubic graph with a Hamiltonian cycle: node v is wired to v + 1,
v - 1 and v + shift, where the shifts are repeated round the cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import circle
from hopscape.core.family import Facts, Family, Layout, ListedFamily, Parameter, Symmetry, integers

__all__ = [
    "F26A",
    "LCF",
    "Coxeter",
    "Desargues",
    "Dodecahedron",
    "Dyck",
    "HoffmanSingleton",
    "McGee",
    "MoebiusKantor",
    "Nauru",
    "Pappus",
    "TutteCoxeter",
]


_TURNED = 4096  # nodes: the table of turns has up to their square, 128 MiB


class LCF(Family):
    """A cubic graph with a Hamiltonian cycle, from its LCF notation."""

    name = "lcf"
    summary = "cubic graph in LCF notation: a cycle, and chords whose shifts repeat round it"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("shifts", "ints", "how far each chord leads, in brackets"),
        *integers(repeats="how often the shifts are repeated"),
    )
    example = "lcf([5, -5], 7)"

    def __init__(self, shifts: Sequence[int], repeats: int) -> None:
        self.shifts, self.repeats = tuple(shifts), repeats
        order = self.order
        if order < 3:
            raise ArgumentError(f"shifts and repeats make {order} nodes; a cycle needs 3")
        for v in range(len(self.shifts)):
            to = (v + self.shifts[v]) % order
            back = (to + self.shifts[to % len(self.shifts)]) % order
            if back != v or to in (v, (v + 1) % order, (v - 1) % order):
                raise ArgumentError(
                    f"the chord of node {v} leads to {to}, whose chord leads to {back}"
                )

    @property
    def order(self) -> int:
        return len(self.shifts) * self.repeats

    @property
    def ports(self) -> int:
        return 3

    def neighbours(self, nodes: IntArray) -> IntArray:
        shifts = np.asarray([shift % self.order for shift in self.shifts], dtype=nodes.dtype)
        chord = nodes + shifts[(nodes % len(self.shifts)).astype(np.int64)]
        return np.stack([nodes + 1, nodes - 1, chord], axis=1) % self.order

    def facts(self) -> Facts:
        return Facts.regular(self.order, 3, connected=True)

    def symmetry(self) -> Symmetry:
        """Turning by a whole pattern of shifts changes nothing."""
        kinds = len(self.shifts)
        return super().symmetry() or Symmetry(tuple(range(kinds)), (self.repeats,) * kinds)

    def rotations(self) -> IntArray | None:
        """Turns by whole patterns of shifts."""
        if self.order > _TURNED:
            return None
        turn = len(self.shifts) * np.arange(self.repeats)[:, None]
        return (np.arange(self.order)[None, :] + turn) % self.order

    def layout(self) -> Layout:
        return Layout(circle(self.order))


class _Named(LCF):
    """A vertex-transitive graph (unless it says otherwise) with a name of its own."""

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    notation: ClassVar[tuple[tuple[int, ...], int]]
    title: ClassVar[str]
    diameter: ClassVar[int]
    """The radius as well."""
    girth: ClassVar[int]
    distance_sum: ClassVar[int]
    """Sum of the distances from a node (on average, where nodes differ)."""
    bisection: ClassVar[int]
    transitive: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        order = len(cls.notation[0]) * cls.notation[1]
        figures = f"degree 3, diameter {cls.diameter}, girth {cls.girth}"
        cls.summary, cls.example = f"{cls.title}: {order} nodes, {figures}", cls.name

    def __init__(self) -> None:
        super().__init__(*self.notation)

    def facts(self) -> Facts:
        return Facts.symmetric(
            self.order,
            3,
            self.diameter,
            mean_distance=Fraction(self.distance_sum, self.order - 1),
            girth=self.girth,
            bisection=self.bisection,
            vertex_transitive=self.transitive,
        )


class MoebiusKantor(_Named):
    """The Möbius–Kantor graph, GP(8, 3)."""

    name = "moebius_kantor"
    title = "Möbius–Kantor graph"
    notation, diameter, girth = ((5, -5), 8), 4, 6
    distance_sum, bisection = 34, 6


class Pappus(_Named):
    """The Pappus graph."""

    name = "pappus"
    title = "Pappus graph"
    notation, diameter, girth = ((5, 7, -7, 7, -7, -5), 3), 4, 6
    distance_sum, bisection = 41, 7


class Desargues(_Named):
    """The Desargues graph, GP(10, 3)."""

    name = "desargues"
    title = "Desargues graph"
    notation, diameter, girth = ((5, -5, 9, -9), 5), 5, 6
    distance_sum, bisection = 50, 6


class Dodecahedron(_Named):
    """The graph of the dodecahedron, GP(10, 2)."""

    name = "dodecahedron"
    title = "dodecahedron"
    notation, diameter, girth = ((10, 7, 4, -4, -7, 10, -4, 7, -7, 4), 2), 5, 5
    distance_sum, bisection = 50, 6


class McGee(_Named):
    """The McGee graph, the smallest cubic graph of girth 7; not vertex-transitive."""

    name = "mcgee"
    title = "McGee graph"
    notation, diameter, girth = ((12, 7, -7), 8), 4, 7
    distance_sum, bisection = 59, 8
    transitive = False


class Nauru(_Named):
    """The Nauru graph, GP(12, 5)."""

    name = "nauru"
    title = "Nauru graph"
    notation, diameter, girth = ((5, -9, 7, -7, 9, -5), 4), 4, 6
    distance_sum, bisection = 62, 8


class F26A(_Named):
    """The symmetric cubic graph F26A."""

    name = "f26a"
    title = "F26A"
    notation, diameter, girth = ((-7, 7), 13), 5, 6
    distance_sum, bisection = 71, 9


class TutteCoxeter(_Named):
    """The Tutte–Coxeter graph (Tutte's 8-cage)."""

    name = "tutte_coxeter"
    title = "Tutte–Coxeter graph"
    notation, diameter, girth = ((-13, -9, 7, -7, 9, 13), 5), 4, 8
    distance_sum, bisection = 83, 9


class Dyck(_Named):
    """The Dyck graph."""

    name = "dyck"
    title = "Dyck graph"
    notation, diameter, girth = ((5, -5, 13, -13), 8), 5, 6
    distance_sum, bisection = 98, 8


class Coxeter(ListedFamily):
    """The Coxeter graph: seven hubs, each joined to one node of three 7-cycles of steps 1, 2, 3."""

    name = "coxeter"
    summary = "Coxeter graph: 28 nodes, degree 3, diameter 4, girth 7, no Hamiltonian cycle"
    example = "coxeter"
    transitive = True

    @property
    def order(self) -> int:
        return 28

    def links(self) -> tuple[IntArray, IntArray]:
        i = np.arange(7)
        tails = [np.tile(i, 3)] + [7 * k + i for k in (1, 2, 3)]
        heads = [np.concatenate([7 * k + i for k in (1, 2, 3)])]
        heads += [7 * k + (i + k) % 7 for k in (1, 2, 3)]
        return np.concatenate(tails), np.concatenate(heads)

    def facts(self) -> Facts:
        mean = Fraction(25, 9)
        return Facts.symmetric(self.order, 3, 4, mean_distance=mean, girth=7, bisection=10)

    def layout(self) -> Layout:
        return Layout(np.concatenate([circle(7, r) for r in (0.7, 1.0, 0.48, 0.26)]))


class HoffmanSingleton(ListedFamily):
    """Five pentagons P_h and five pentagrams Q_i; node j of P_h is joined to h·i + j of Q_i."""

    name = "hoffman_singleton"
    summary = "Hoffman–Singleton graph: 50 nodes, degree 7, diameter 2 (a Moore graph)"
    example = "hoffman_singleton"
    transitive = True

    @property
    def order(self) -> int:
        return 50

    def links(self) -> tuple[IntArray, IntArray]:
        h, j = (x.ravel() for x in np.meshgrid(np.arange(5), np.arange(5), indexing="ij"))
        tails = [5 * h + j, 25 + 5 * h + j]
        heads = [5 * h + (j + 1) % 5, 25 + 5 * h + (j + 2) % 5]
        for i in range(5):
            tails.append(5 * h + j)
            heads.append(25 + 5 * i + (h * i + j) % 5)
        return np.concatenate(tails), np.concatenate(heads)

    def facts(self) -> Facts:
        return Facts.symmetric(self.order, 7, 2, mean_distance=Fraction(13, 7), girth=5)

    @classmethod
    def pieces(cls, ports: int) -> tuple[HoffmanSingleton, ...]:
        return (cls(),) if ports >= 7 else ()

    def layout(self) -> Layout:
        return Layout(circle(50))
