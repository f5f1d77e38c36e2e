"""The paper's comparison in numbers: printed formulas, and what is true.

Nothing here builds a network: formulas are functions of the number of levels n, which the paper
takes as a real number, and true values come from covering walks.

Figures that compare families: diameter, cost and bandwidth against the size of the network.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.distances import distance_rows
from hopscape.core.files import write_atomically
from hopscape.core.network import Network
from hopscape.papers.heawood.expanded import Expanded
from hopscape.papers.heawood.structure import _power

__all__ = [
    "PRINTED",
    "Printed",
    "Stretch",
    "best_connectors",
    "ccc_diameter",
    "digit_stretch",
    "draw_bandwidth",
    "draw_curves",
    "members",
    "pcc_diameter",
    "printed_at",
    "smallest",
]


@dataclass(frozen=True)
class Printed:
    """A row of the paper's table.

    Attributes:
        bits: log2 of the number of nodes, by n.
        degree, diameter: As printed, by n.
        levels: The largest n for which the network exists.
    """

    name: str
    bits: Callable[[float], float]
    degree: Callable[[float], float]
    diameter: Callable[[float], float]
    levels: int | None = None


_TEN, _FOURTEEN = math.log2(10), math.log2(14)
PRINTED = (
    Printed("hypercube", lambda n: n, lambda n: n, lambda n: n),
    Printed(
        "CCC", lambda n: n + math.log2(n), lambda n: 3, lambda n: 2 * n - 1 + math.floor(n / 2)
    ),
    Printed("F-P", lambda n: _TEN * (n + 1), lambda n: 3 * n + 3, lambda n: 2 * n + 2),
    Printed("RE-P", lambda n: _TEN * (n + 1), lambda n: 6, lambda n: 4 * n + 2, 10),
    Printed("F-H", lambda n: _FOURTEEN * (n + 1), lambda n: 3 * n + 3, lambda n: 3 * n + 3),
    Printed("RE-H", lambda n: _FOURTEEN * (n + 1), lambda n: 6, lambda n: 6 * n + 3, 14),
)


def printed_at(row: Printed, bits: float) -> tuple[float, float, float]:
    """(n, diameter, cost) of a printed row for 2^bits nodes, n being real.

    The CCC's floor is left away, so that the curve is smooth.

    Examples:
        >>> [round(x, 2) for x in printed_at(PRINTED[5], 20)]
        [4.25, 28.52, 171.11]
    """
    low, high = -1.0 if row.name != "CCC" else 1e-9, bits + 2.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if row.bits(middle) < bits else (low, middle)
    n = (low + high) / 2
    diameter = 2.5 * n - 1 if row.name == "CCC" else row.diameter(n)
    return n, diameter, row.degree(n) * diameter


def ccc_diameter(n: int) -> int:
    """True diameter of the cube-connected cycles, one less than printed from n = 4 on."""
    return 6 if n == 3 else 2 * n - 2 + n // 2


def pcc_diameter(m: int) -> int:
    """True diameter of RE(cycle of m, Petersen, m)."""
    return 9 if m == 3 else 3 * m + m // 2 - 2


@dataclass(frozen=True)
class Member:
    """One network of a family: its size, degree, diameter."""

    family: str
    n: int
    nodes: int
    degree: int
    diameter: int

    @property
    def cost(self) -> int:
        """Degree times diameter."""
        return self.degree * self.diameter


def members(family: str, n: int, heawood: Network, petersen: Network) -> Member | None:
    """The n-th member of a compared family with its true values; None where it does not exist.

    Args:
        family: hypercube, CCC, F-P, RE-P, F-H, RE-H, WBF (wrapped butterfly), PCC, HCC, Kautz 2,
            Kautz 3.
        n: Dimension, levels, or length of words.
    """
    makers: dict[str, Callable[[], tuple[int, int, int]]] = {
        "hypercube": lambda: (1 << n, n, n),
        "CCC": lambda: (n << n, 3, ccc_diameter(n)),
        "F-P": lambda: (10 ** (n + 1), 3 * n + 3, 2 * n + 2),
        "F-H": lambda: (14 ** (n + 1), 3 * n + 3, 3 * n + 3),
        "RE-P": lambda: (10 ** (n + 1), 6 if n else 3, _diameter(petersen, n)),
        "RE-H": lambda: (14 ** (n + 1), 6 if n else 3, _diameter(heawood, n)),
        "WBF": lambda: (n << n, 4, n + n // 2),
        "PCC": lambda: (n * 10**n, 5, pcc_diameter(n)),
        "HCC": lambda: (n * 14**n, 5, n + pcc_diameter(n)),
        "Kautz 2": lambda: (3 << (n - 1), 4, n),
        "Kautz 3": lambda: (4 * 3 ** (n - 1), 6, n),
    }
    least = {"hypercube": 1, "CCC": 3, "WBF": 3, "PCC": 3, "HCC": 3, "Kautz 2": 1, "Kautz 3": 1}
    most = {"RE-P": petersen.order, "RE-H": heawood.order}
    if n < least.get(family, 0) or n > most.get(family, n):
        return None
    return Member(family, n, *makers[family]())


@lru_cache(maxsize=256)
def _diameter(base: Network, n: int) -> int:
    hops = int(distance_rows(base, np.arange(base.order)).max())
    return n * hops + int(Expanded(base, n).walks.through_all().max())


def smallest(family: str, bits: int, heawood: Network, petersen: Network) -> Member | None:
    """The smallest member with at least 2^bits nodes; None when the family ends before."""
    n = 0
    while n <= bits + 3:
        member = members(family, n, heawood, petersen)
        if member is not None and member.nodes >= 1 << bits:
            return member
        n += 1
    return None


@dataclass(frozen=True)
class Stretch:
    """Digit-by-digit routes against shortest ones, over all ordered pairs of distinct nodes."""

    longest: int
    worst: Fraction
    mean: float


def digit_stretch(family: Expanded) -> Stretch:
    """How much longer the digit-by-digit routes are, exactly, without visiting the pairs."""
    base, n = family.base, family.n
    size = base.order
    hops_between = distance_rows(base, np.arange(size)).astype(np.int64)
    apart = np.bincount(distance_rows(family.lamp, np.arange(family.lamp.order)).ravel()).tolist()
    apart[0] = 0
    starts, ends = np.divmod(np.arange(size * size), size)
    pairs: Counter[tuple[int, int, int]] = Counter()
    for number in range(1 << n):
        chosen = [i for i in range(n) if number >> i & 1]
        stops = [family.connectors[i] for i in chosen[::-1]]
        inner = sum(int(hops_between[a, b]) for a, b in pairwise(stops))
        wanted = np.zeros((size * size, n), dtype=bool)
        wanted[:, chosen] = True
        short = family.walks.lengths(starts, wanted, ends)
        long = (
            hops_between[starts, stops[0]] + inner + hops_between[stops[-1], ends]
            if stops
            else hops_between.ravel()
        )
        key = long * 1024 + short
        for value, count in zip(*np.unique(key, return_counts=True), strict=True):
            pairs[(len(chosen), *divmod(int(value), 1024))] += int(count)
    total, number_of, longest, worst = 0.0, 0, 0, Fraction(1)
    for (levels, long_walk, short_walk), count in pairs.items():
        for hops, count_of_words in enumerate(_power(apart, levels)):
            weight = count * count_of_words * family.lamp.order ** (n - levels)
            if weight and hops + short_walk:
                total += weight * (hops + long_walk) / (hops + short_walk)
                number_of += weight
                longest = max(longest, hops + long_walk)
                worst = max(worst, Fraction(hops + long_walk, hops + short_walk))
    return Stretch(longest, worst, total / number_of)


def best_connectors(base: Network, n: int) -> tuple[int, int]:
    """Least and greatest longest covering walk over all choices of n connectors of a base.

    The diameter of the expanded network is this plus n diameters of the lamp.
    """
    full = Expanded(base, base.order)
    size = base.order
    starts, ends = np.divmod(np.arange(size * size), size)
    rows = []
    for chosen in combinations(range(size), n):
        wanted = np.zeros((size * size, size), dtype=bool)
        wanted[:, chosen] = True
        rows.append(int(full.walks.lengths(starts, wanted, ends).max()))
    return min(rows), max(rows)


_COLOURS = {
    "hypercube": "#444444",
    "CCC": "#8c6d31",
    "F-P": "#7fb8da",
    "RE-P": "#1f77b4",
    "F-H": "#f2a37a",
    "RE-H": "#d1401f",
    "WBF": "#9467bd",
    "PCC": "#2ca02c",
    "HCC": "#98c379",
    "Kautz 2": "#b5179e",
    "Kautz 3": "#e377c2",
    "Moore bound": "#000000",
}
_LINES = {"printed": "--", "true": "-", "bound": ":"}


def draw_curves(rows: Sequence[Mapping[str, Any]], value: str, label: str, path: Path) -> None:
    """Printed curves dashed, true values solid (each ends where its family ends), the bound dotted.

    Args:
        rows: With keys family, kind, k, exists and `value`.
        value: Which key to draw.
        label: Of the upright axis, which is logarithmic.
        path: SVG, PNG or PDF.
    """
    figure, axes = _page()
    for (family, kind), points in _by_line(rows).items():
        style = {"color": _COLOURS[family], "linestyle": _LINES[kind], "linewidth": 1.6}
        real = [p for p in points if p["exists"]]
        axes.plot([p["k"] for p in real], [p[value] for p in real], **style)
        beyond = [p for p in points if not p["exists"]]
        if beyond:  # printed, but there is no such network
            pale = style | {"alpha": 0.3}
            axes.plot([p["k"] for p in beyond], [p[value] for p in beyond], **pale)
        if kind != "printed" and real:
            axes.plot(real[-1]["k"], real[-1][value], "o", color=_COLOURS[family], markersize=4)
    axes.set_yscale("log")
    axes.set_ylabel(label)
    _finish(figure, axes, path, {row["family"] for row in rows}, "dashed: as printed; solid: true")


def draw_bandwidth(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Data per node and round in total exchange, at best."""
    figure, axes = _page()
    names = list(dict.fromkeys(row["family"] for row in rows))
    for name in names:
        mine = [row for row in rows if row["family"] == name]
        axes.plot(
            [row["k"] for row in mine],
            [row["bandwidth"] for row in mine],
            color=_COLOURS[name],
            linewidth=1.6,
        )
    axes.set_yscale("log")
    axes.set_ylabel("total exchange: data per node and round, at best")
    _finish(figure, axes, path, set(names), "")


def _page() -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.2), layout="constrained")
    return figure, figure.subplots()


def _by_line(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    out: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        out.setdefault((row["family"], row["kind"]), []).append(row)
    return out


def _finish(figure: Any, axes: Any, path: Path, families: set[str], note: str) -> None:
    axes.set_xlabel("log₂ of the number of nodes")
    axes.grid(alpha=0.25)
    for name in (name for name in _COLOURS if name in families):
        axes.plot([], [], color=_COLOURS[name], label=name, linewidth=1.6)
    axes.legend(ncols=2, fontsize=8, frameon=False, title=note or None, title_fontsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    kind = path.suffix.lstrip(".")
    write_atomically(path, lambda out: figure.savefig(out, format=kind, dpi=150))
