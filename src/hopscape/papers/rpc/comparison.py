"""RPC(k) beside its rivals of the same size: RP(3k), tori, rings and circulants of degree 5."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from hopscape.papers.rpc.groups import (
    printed_rp_group,
    printed_rpc_group,
    printed_torus_group,
    rp_group,
    rpc_group,
    torus_group,
)

__all__ = ["best_torus", "compare", "crossovers", "group_rows", "rpc_diameter", "rpc_mean"]


def rpc_diameter(k: int) -> int:
    """⌊k/2⌋ + 5."""
    return k // 2 + 5


def rpc_mean(k: int) -> Fraction:
    """Mean distance of RPC(k), over ordered pairs of distinct nodes."""
    return Fraction(101 * k + 30 * (k * k // 4), 30 * k - 1)


def rp_diameter(k: int) -> int:
    """⌊k/2⌋ + 2, of RP(k) with 10k nodes."""
    return k // 2 + 2


def best_torus(nodes: int) -> tuple[int, int, int]:
    """The 2-D torus of so many nodes that has the least diameter: sides a <= b, and diameter.

    Examples:
        >>> best_torus(30), best_torus(2940)
        ((5, 6, 5), (49, 60, 54))
    """
    shapes = [(a, nodes // a) for a in range(1, math.isqrt(nodes) + 1) if nodes % a == 0]
    a, b = min(shapes, key=lambda sides: (sides[0] // 2 + sides[1] // 2, sides[1]))
    return a, b, a // 2 + b // 2


def torus_formula(nodes: int) -> int:
    """The paper's diameter of a torus: 2⌊√N / 2⌋."""
    return 2 * (math.isqrt(nodes) // 2)


def circulant_floor(nodes: int) -> int:
    """No circulant of degree 5 has a smaller diameter: so many sums of two steps and N/2 exist."""
    t = 0
    while 4 * t * t + 2 < nodes:  # (2t² + 2t + 1) without N/2, and 2(t-1)² + 2(t-1) + 1 with it
        t += 1
    return t


def compare(slices: Iterable[int], *, circulants: bool = True) -> list[dict[str, Any]]:
    """Table 1 with true values, one row per k."""
    rows = []
    for k in slices:
        nodes = 30 * k
        a, b, hops = best_torus(nodes)
        row: dict[str, Any] = {
            "k": k,
            "nodes": nodes,
            "rpc": rpc_diameter(k),
            "rp": rp_diameter(3 * k),
            "torus": hops,
            "torus_shape": f"{a}x{b}",
            "torus_formula": torus_formula(nodes),
            "ring": nodes // 2,
            "rpc_mean": float(rpc_mean(k)),
            "ratio_rp": rpc_diameter(k) / rp_diameter(3 * k),
        }
        if circulants:
            from hopscape.papers.rpc.balance_kernels import best_circulant

            first, step, least = best_circulant(nodes, circulant_floor(nodes))
            row |= {"circulant": least, "circulant_first": first, "circulant_step": step}
        rows.append(row)
    return rows


def crossovers(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each rival the k at which RPC is not better: equal, and worse."""
    found = []
    for rival in ("rp", "torus", "torus_formula", "ring", "circulant"):
        known = [row for row in rows if rival in row]
        found.append(
            {
                "rival": rival,
                "better": ranges([r["k"] for r in known if r["rpc"] < r[rival]]),
                "equal": ranges([r["k"] for r in known if r["rpc"] == r[rival]]),
                "worse": ranges([r["k"] for r in known if r["rpc"] > r[rival]]),
            }
        )
    return found


def ranges(numbers: list[int]) -> str:
    """Ascending numbers in short.

    Examples:
        >>> ranges([1, 2, 3, 7, 9, 10])
        '1-3, 7, 9-10'
    """
    parts: list[list[int]] = []
    for n in numbers:
        if parts and n == parts[-1][1] + 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts) or "never"


def group_rows(most: int = 3136) -> list[dict[str, Any]]:
    """Diameters of the best groups in large networks: true, and as the paper prints them."""
    k = 2 * most  # so large that the diameter of the network does not matter
    return [
        {
            "m": m,
            "rpc": rpc_group(m, k),
            "rp": rp_group(m, k),
            "torus": torus_group(m),
            "rpc_printed": printed_rpc_group(m),
            "rp_printed": printed_rp_group(m),
            "torus_printed": round(printed_torus_group(m), 4),
        }
        for m in range(2, most + 1)
    ]
