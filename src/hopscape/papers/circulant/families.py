"""Circulants by formula: the families of the paper and those that it compares itself with."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import ClassVar

from hopscape.core.errors import ArgumentError
from hopscape.core.family import Parameter, integers
from hopscape.core.requirement import Requirement
from hopscape.families.circulant.closed_forms import (
    least_mean,
    max_order,
    nearest_double_loop,
    set_17,
    set_18,
    set_two_parameter,
    ulb,
)
from hopscape.families.circulant.wiring import FixedCirculant
from hopscape.papers.circulant.atlas import atlas_contents, atlas_row

__all__ = [
    "BestCirculant",
    "ChenJia",
    "DoubleLoop",
    "GammaCirculant",
    "LargestDoubleLoop",
    "OptimalCirculant",
    "TwoParameterCirculant",
    "WongCoppersmith",
    "Yebra",
    "chen_jia_order",
    "theorem1_order",
]

_DIAMETER = Parameter("d", "int", "diameter", low=1)
_VARIANTS = ("17", "18", "5", "5+", "5-")


def theorem1_order(d: int) -> int:
    """The order (4) of Theorem 1.

    Examples:
        >>> [theorem1_order(d) for d in (2, 3, 4)]
        [21, 55, 111]
    """
    k, rest = divmod(d, 3)
    if rest == 1:
        return 32 * k**3 + 48 * k**2 + 26 * k + 5
    return max_order(d, 3)


def chen_jia_order(d: int, n: int) -> int:
    """Order of the Chen-Jia graph; its range is d >= 2n - 3 (the paper says d >= n)."""
    k = (d - n + 3) // n
    return 2 * k * sum((4 * k) ** i for i in range(n))


class _OfDiameter(FixedCirculant):
    """Circulants that are given by their diameter."""

    parameters: ClassVar[tuple[Parameter, ...]] = (_DIAMETER,)
    d: int

    def known_diameter(self) -> int:
        return self.d


class OptimalCirculant(_OfDiameter):
    """The largest known circulants of three generators for a diameter."""

    name = "optimal_circulant"
    summary = "largest circulant with 3 generators for a diameter d (variants by equation number)"
    parameters = (
        _DIAMETER,
        Parameter(
            "variant", "text", 'generators by equation "17", "18" or "5" ("5+", "5-")', default="17"
        ),
    )
    example = "optimal_circulant(3)"

    def __init__(self, d: int, variant: str = "17") -> None:
        if variant not in _VARIANTS:
            raise ArgumentError(f"variant is {variant!r}; choose one of {', '.join(_VARIANTS)}")
        self.d, self.variant = d, variant
        if variant == "17":
            self._wire(max_order(d, 3), set_17(d))
        elif variant == "18":
            generators = set_18(d)
            if generators is None or d < 2:
                raise ArgumentError(f"d is {d}; equation (18) is for d = 0 or 2 mod 3, d >= 2")
            self._wire(max_order(d, 3), generators)
        else:
            self._wire_5(d, variant)

    def _wire_5(self, d: int, variant: str) -> None:
        if d < 2:
            raise ArgumentError(f"d is {d}; equation (5) needs d >= 2")
        k, rest = divmod(d, 3)
        if rest != 1 and variant != "5":
            raise ArgumentError(f'variant {variant!r} is for d = 1 mod 3; for d = {d} take "5"')
        p = (2 * k, 2 * k + (variant == "5-"), 2 * k + 1)[rest]
        self._wire(*set_two_parameter(d, p))


class BestCirculant(FixedCirculant):
    """Least diameter, then least mean distance, of all circulants of an order and degree."""

    name = "best_circulant"
    summary = "circulant of least diameter and mean distance for N nodes and a degree (atlas)"
    parameters = integers(
        nodes=("number of nodes", 3), degree=("links of a node; odd ones need an even order", 2)
    )
    example = "best_circulant(100, 6)"

    def __init__(self, nodes: int, degree: int) -> None:
        self.nodes, self.best_degree = nodes, degree
        row = atlas_row(nodes, degree)
        if row is None:
            raise ArgumentError(_not_in_atlas(nodes, degree))
        self._row = row
        self._wire(nodes, row.sets[0])

    @property
    def spec(self) -> str:
        return f"{self.name}({self.nodes}, {self.best_degree})"

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """The nearest orders, with as many ports as there are and one fewer."""
        for degree in range(requirement.ports, max(2, requirement.ports - 2), -1):
            known = (n for n in requirement.near(requirement.sizes()) if atlas_row(n, degree))
            yield from (cls(n, degree).spec for n in islice(known, 2))

    def known_diameter(self) -> int:
        return self._row.diameter

    def known_mean(self) -> Fraction:
        return self._row.mean


def _not_in_atlas(nodes: int, degree: int) -> str:
    """Why there is no row, and what to do instead."""
    if degree % 2 and nodes % 2:
        return f"nodes is {nodes}; an odd degree ({degree}) needs an even number of nodes"
    if nodes <= degree:
        return f"nodes is {nodes}; degree {degree} needs at least {degree + 1}"
    search = f"hopscape search circulant --nodes {nodes} --degree {degree}"
    known = {entry: held["high"] for entry, held in atlas_contents().items()} | {4: 100_000}
    if degree not in known:
        return f"degree is {degree}; the atlas has 2 to {max(known)}. Search instead: {search}"
    return (
        f"nodes is {nodes}; for degree {degree} the atlas goes to {known[degree]}. Search instead:"
        f" {search}"
    )


class TwoParameterCirculant(_OfDiameter):
    """The family (13)-(15) behind the proof: every member has diameter d."""

    name = "two_parameter_circulant"
    summary = "family (13)-(15): circulants of diameter d with 3 generators, for every p"
    parameters = integers(d=("diameter", 2), p="the paper's p3, at most 2d - 2")
    example = "two_parameter_circulant(4, 3)"

    def __init__(self, d: int, p: int) -> None:
        if p > 2 * d - 2:
            raise ArgumentError(f"p is {p}; it must be from 1 to 2d - 2 = {2 * d - 2}")
        self.d, self.p = d, p
        self._wire(*set_two_parameter(d, p))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """None: the largest of them are those of the optimal circulants."""
        yield from ()


class GammaCirculant(FixedCirculant):
    """Family (19), for which the paper gives its routing and broadcast."""

    name = "gamma_circulant"
    summary = (
        "family (19): (4p³+4p²+3p+1; 1, 2p+1, 4p²+2p+1), largest for its diameter if p is even"
    )
    parameters = integers(p="parameter")
    example = "gamma_circulant(2)"

    def __init__(self, p: int) -> None:
        self.p = p
        self._wire(4 * p**3 + 4 * p**2 + 3 * p + 1, (1, 2 * p + 1, 4 * p**2 + 2 * p + 1))

    def known_diameter(self) -> int:
        return (3 * self.p + 1) // 2


class DoubleLoop(FixedCirculant):
    """(N; s, s+1): the best circulant with two generators, for every order."""

    name = "double_loop"
    summary = "circulant (N; s, s+1) of least diameter with 2 generators"
    parameters = (
        *integers(nodes=("number of nodes", 5)),
        Parameter("variant", "text", '"nearest" (least mean as well) or "ulb"', default="nearest"),
    )
    example = "double_loop(21)"

    def __init__(self, nodes: int, variant: str = "nearest") -> None:
        if variant not in ("nearest", "ulb"):
            raise ArgumentError(f"variant is {variant!r}; choose nearest or ulb")
        self.nodes, self.variant = nodes, variant
        s = nearest_double_loop(nodes) if variant == "nearest" else ulb(nodes, 2)
        self._wire(nodes, (s, s + 1))

    def known_diameter(self) -> int:
        return ulb(self.nodes, 2)

    def known_mean(self) -> Fraction | None:
        return least_mean(self.nodes, 2) if self.variant == "nearest" else super().known_mean()


class LargestDoubleLoop(_OfDiameter):
    """(2d²+2d+1; 1, 2d+1): as many nodes as the ball of radius d."""

    name = "largest_double_loop"
    summary = "circulant (2d²+2d+1; 1, 2d+1): largest with 2 generators and diameter d"
    example = "largest_double_loop(3)"

    def __init__(self, d: int) -> None:
        self.d = d
        self._wire(2 * d * d + 2 * d + 1, (1, 2 * d + 1))

    def known_mean(self) -> Fraction:
        return least_mean(self.n, 2)


class Yebra(_OfDiameter):
    """Hexagonal: equivalent to (N; d, d+1, 2d+1)."""

    name = "yebra"
    summary = "circulant (3d²+3d+1; 1, 3d+1, 3d+2) of diameter d (Yebra and others)"
    example = "yebra(3)"

    def __init__(self, d: int) -> None:
        self.d = d
        self._wire(3 * d * d + 3 * d + 1, (1, 3 * d + 1, 3 * d + 2))


class WongCoppersmith(FixedCirculant):
    """Numbers with n digits to base b; a generator changes one digit."""

    name = "wong_coppersmith"
    summary = "circulant (b^n; 1, b, ..., b^(n-1)), b odd, of diameter n(b-1)/2"
    parameters = integers(b=("base, odd", 3), n=("number of generators", 1, 100))
    example = "wong_coppersmith(3, 3)"

    def __init__(self, b: int, n: int) -> None:
        if b % 2 == 0:
            raise ArgumentError(f"b is {b}; it must be odd")
        self.base, self.digits = b, n
        self._wire(b**n, [b**i for i in range(n)])

    @property
    def spec(self) -> str:
        return f"{self.name}({self.base}, {self.digits})"

    def known_diameter(self) -> int:
        return self.digits * (self.base - 1) // 2

    def known_mean(self) -> Fraction:
        """Digits from -(b-1)/2 to (b-1)/2 are a shortest vector."""
        ends = self.digits * (self.base**2 - 1) // 4
        return Fraction(ends * self.base ** (self.digits - 1), self.n - 1)


class ChenJia(FixedCirculant):
    """Diameter at most d."""

    name = "chen_jia"
    summary = "circulant of Chen and Jia with n generators and diameter at most d, d >= 2n - 3"
    parameters = integers(d=("diameter", 3), n=("number of generators", 3, 100))
    example = "chen_jia(5, 3)"

    def __init__(self, d: int, n: int) -> None:
        k = (d - n + 3) // n
        if k < 1:
            raise ArgumentError(f"d is {d}; with n = {n} it must be at least 2n - 3 = {2 * n - 3}")
        self.d, self.count = d, n
        self._wire(chen_jia_order(d, n), [(4 * k) ** i for i in range(n)])

    @property
    def spec(self) -> str:
        return f"{self.name}({self.d}, {self.count})"
