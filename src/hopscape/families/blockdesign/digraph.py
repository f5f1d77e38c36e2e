"""Quasi-complete digraph of m² endpoints, and the switched multirings of p^r nodes behind it."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Family, Layout, Parameter, integers
from hopscape.core.layout import circle
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.router import FamilyRouter, Router
from hopscape.families.blockdesign.crossbars import SimplexCrossbars
from hopscape.families.blockdesign.two_hops import TwoHops

__all__ = ["QuasicompleteDigraph", "SwitchedMultiring", "wiring_table"]


class QuasicompleteDigraph(TwoHops, SimplexCrossbars):
    """Simplex crossbars with their router and collectives."""

    def router(self, network: Network) -> Router:
        return DigraphRouter(network, self.m)


class DigraphRouter(Router):
    """Digits of the difference: units to the crossbar, multiples of m to the endpoint."""

    name = "self-routing"

    def __init__(self, network: Network, m: int) -> None:
        super().__init__(network)
        self._m, self._n = m, m * m

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        m, n = self._m, self._n
        delta = (to - at) % n
        up, over = at < n, to < n
        near = np.where(up, delta < m, delta % m == 0)
        mixed = up != over
        return np.where(at == to, 0, np.where(mixed, np.where(near, 1, 3), 2))

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        m, n = self._m, self._n
        delta = (to - at) % n
        up, over = at < n, to < n
        near = np.where(up, delta < m, delta % m == 0)
        # an endpoint takes the units; a crossbar the multiples of m, to an endpoint of either kind
        port = np.where(up, delta % m, delta // m)
        port = np.where((up != over) & ~near, 0, port)
        return np.where(at == to, -1, port)


def wiring_table(m: int) -> list[dict[str, int | list[int]]]:
    """Which endpoints each crossbar hears and which it speaks to, counted from 1 as in print.

    Row i, column j: from (i - j) mod N + 1, to (i - 1 + (j - 1) m) mod N + 1.

    Examples:
        >>> wiring_table(3)[3]
        {'switch': 4, 'from': [4, 3, 2], 'to': [4, 7, 1]}
    """
    high = QuasicompleteDigraph.parameters[0].high
    if not 2 <= m <= (high or m):
        raise ArgumentError(f"m is {m}; it must be from 2 to {high}")
    n = m * m
    require_memory(200 * n * m, f"the wiring table of {n} crossbars")
    columns = range(1, m + 1)
    return [
        {
            "switch": i,
            "from": [(i - j) % n + 1 for j in columns],
            "to": [(i - 1 + (j - 1) * m) % n + 1 for j in columns],
        }
        for i in range(1, n + 1)
    ]


class SwitchedMultiring(Family):
    """p^r nodes, rings of steps d·p^k: every node is r hops away, a hop per digit.

    Simplex: digits 1..p-1. Duplex, for odd p: digits ±1..±(p-1)/2.
    """

    name = "switched_multiring"
    summary = "full r-dimensional switched multiring: p^r nodes, steps d·p^k, diameter r"
    parameters = (
        *integers(p=("base of the digits", 2, 1024)),
        Parameter("r", "int", "number of digits", low=1, high=24, default=2),
        Parameter("duplex", "flag", "rings both ways, for odd p", default=False),
    )
    example = "switched_multiring(3, r=2)"
    transitive = True

    def __init__(self, p: int, r: int = 2, duplex: bool = False) -> None:
        if duplex and p % 2 == 0:
            reach = 2 * ((p - 1) // 2) + 1
            raise ArgumentError(
                f"p is {p}; duplex rings need an odd p (digits of ±{(p - 1) // 2} would reach"
                f" {reach**r} of {p**r} nodes)"
            )
        self.p, self.r, self.duplex = p, r, duplex
        self._digits = _signed(p) if duplex else list(range(1, p))

    @property
    def order(self) -> int:
        return int(self.p**self.r)

    @property
    def ports(self) -> int:
        return (self.p - 1) * self.r

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The steps of the rings, lowest dimension first."""
        return tuple(d * self.p**k for k in range(self.r) for d in self._digits)

    def neighbours(self, nodes: IntArray) -> IntArray:
        columns = [(nodes + step) % self.order for step in self.steps]
        return np.stack(columns, axis=1)

    def facts(self) -> Facts:
        hops = self.r * (self.p - 1) * self.p ** (self.r - 1)
        return Facts.regular(
            self.order,
            self.ports,
            duplex=self.duplex,
            connected=True,
            diameter=self.r,
            radius=self.r,
            mean_distance=Fraction(hops, self.order - 1),
            vertex_transitive=True,
        )

    def router(self, network: Network) -> Router:
        return DigitRouter(network, self)

    def layout(self) -> Layout:
        return Layout(circle(self.order))


def _signed(p: int) -> list[int]:
    return [d for k in range(1, (p - 1) // 2 + 1) for d in (k, -k)]


class DigitRouter(FamilyRouter[SwitchedMultiring]):
    """One hop per digit of the difference that is not 0, the lowest first."""

    name = "digits"

    def _split(self, at: IntArray, to: IntArray) -> IntArray:
        """Digits of the difference, lowest first; in the duplex form from -(p-1)/2 to (p-1)/2."""
        family = self._family
        p, rest = family.p, (to - at) % family.order
        digits = np.empty((len(rest), family.r), dtype=np.int64)
        for k in range(family.r):
            digit = rest % p
            if family.duplex:
                digit = np.where(2 * digit > p, digit - p, digit)
            digits[:, k] = digit
            rest = (rest - digit) // p
        return digits

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        count: IntArray = np.count_nonzero(self._split(at, to), axis=1)
        return count

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        digits = self._split(at, to)
        moving = digits != 0
        k = moving.argmax(axis=1)
        digit = digits[np.arange(len(digits)), k]
        if self._family.duplex:
            port = 2 * (np.abs(digit) - 1) + (digit < 0)
        else:
            port = digit - 1
        return np.where(moving.any(axis=1), k * (self._family.p - 1) + port, -1)
