"""Large circulants of degree 8 to 11 by formula.

Degrees 10 and 11 by their lattices. Of five generators s_i of Z_N the closed walks {x : Σ x_i s_i
≡ 0 mod N} are a lattice of determinant N in Z⁵. The best ones known lie close to 4d/5 times a cubic
one: rows with about 4d/5 on the diagonal and ±1 or 0 elsewhere, antisymmetric. Half the sum of its
rows is a closed walk as well for degree 10; for degree 11 it is a walk to the node N/2, one step
away. Which signs and which diagonal hold the most nodes depends on d mod 5. Every vector w gives
generators D M⁻¹ w mod D, D = det M, of closed walks M; they generate all of Z_D for the w below.
"""

from __future__ import annotations

from itertools import combinations

from hopscape.algebra.reduction import solve

__all__ = ["closed_form"]

_A = (-1, -1, -1, -1, -1, -1, 0, 0, 0, 1)  # above the diagonal, row by row
_B = (-1, -1, -1, -1, -1, 0, 0, 0, 0, -1)
_C = (-1, -1, -1, 0, -1, -1, 0, 0, -1, -1)
_LATTICES = {  # degree, d mod 5: signs, diagonal less 4 (d div 5), w
    (10, 0): (_A, (0, 1, 0, 1, 0), (0, 0, 0, 1, 0)),
    (10, 1): (_C, (1, 1, 1, 1, 2), (0, 1, 0, 1, -1)),
    (10, 2): (_B, (2, 2, 2, 2, 2), (0, 0, 0, 1, 0)),
    (10, 3): (_C, (3, 3, 3, 3, 2), (1, 0, 0, 1, 0)),
    (10, 4): (_A, (4, 3, 4, 3, 4), (0, 0, 0, 0, 1)),
    (11, 0): (_B, (0, 0, 0, 0, 0), (1, 0, 1, 0, -1)),
    (11, 1): (_A, (0, 1, 2, 1, 0), (0, 0, 0, 0, 1)),
    (11, 2): (_A, (2, 1, 2, 1, 2), (0, 0, 0, 0, 1)),
    (11, 3): (_A, (2, 3, 2, 3, 2), (0, 0, 0, 1, 0)),
    (11, 4): (_A, (2, 3, 4, 3, 4), (0, 0, 0, 0, 1)),
}
_LEAST = {8: 2, 9: 2, 10: 5, 11: 5}  # diameters; the atlas has the smaller ones


def closed_form(degree: int, d: int) -> tuple[int, tuple[int, ...]] | None:
    """A large circulant of degree 8 to 11 and diameter d by formula: nodes and generators.

    The orders are those of R. R. Lewis (The degree-diameter problem for circulant graphs of degree
    8 and 9, 2014; of degree 10 and 11, arXiv:1803.07071), the generators of degree 8 too. Those of
    degree 9 were fitted to what a search among sets {1, s, a, a + t, N/2} found for diameters up to
    12, the lattices of degrees 10 and 11 to the largest known of diameters 5 to 10. Tests measure
    all of them.

    Returns:
        tuple or None: None for other degrees, and for degrees 10 and 11 below diameter 5.

    Examples:
        >>> closed_form(8, 7)
        (1712, (1, 215, 608, 616))
        >>> closed_form(9, 7)
        (2548, (1, 7, 521, 571, 1274))
        >>> closed_form(11, 6)
        (3200, (11, 59, 125, 159, 729, 1600))
        >>> closed_form(12, 7) is None
        True
    """
    if d < _LEAST.get(degree, d + 1):
        return None
    if degree >= 10:
        return _by_lattice(degree, d)
    odd = d % 2
    if degree == 8 and odd:
        nodes = (d**4 + 2 * d**3 + 6 * d**2 + 6 * d + 1) // 2
        far, a = (d**3 + d**2 + 5 * d + 3) // 2, (d**4 + 2 * d**2 - 8 * d - 11) // 4
        return nodes, (1, far, a, a + d + 1)
    if degree == 8:
        nodes = (d**4 + 2 * d**3 + 6 * d**2 + 4 * d) // 2
        far, a = (d**3 + 2 * d**2 + 6 * d + 2) // 2, (d**4 + 4 * d**2 - 8 * d) // 4
        return nodes, (1, far, a, a + d)
    nodes = d**4 + 3 * d**2 + (0 if odd else 2 * d)
    if odd:
        sign = 1 if d % 4 == 1 else -1
        a = (d**4 + d**2 - 2 + sign * (d**3 + 3 * d)) // 4
        return nodes, (1, d, a, a + d**2 + 1, nodes // 2)
    a = nodes // 2 - (d**3 + d**2 + 2 * d + 2) // 2
    return nodes, (1, d + 1, a, a + d**2, nodes // 2)


def _by_lattice(degree: int, d: int) -> tuple[int, tuple[int, ...]]:
    signs, diagonal, w = _LATTICES[degree, d % 5]
    walks = [[0] * 5 for _ in range(5)]
    for (i, j), sign in zip(combinations(range(5), 2), signs, strict=True):
        walks[i][j], walks[j][i] = sign, -sign
    for i, more in enumerate(diagonal):
        walks[i][i] = 4 * (d // 5) + more
    if degree == 10:
        walks[4] = [sum(column) // 2 for column in zip(*walks, strict=True)]
    solved = solve(walks, [[x] for x in w])
    assert solved is not None
    rows, nodes = solved
    generators = sorted(min(row[0] % nodes, -row[0] % nodes) for row in rows)
    return nodes, (*generators, *([nodes // 2] if degree == 11 else []))
