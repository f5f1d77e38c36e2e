"""Path vectors of many nodes at once.

The slow twins are in :mod:`hopscape.algebra.lattices.cell` and :mod:`routing`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.arrays import Array, IntArray
from hopscape.core.kernel import helper, kernel

__all__ = ["cell_vectors", "lattice_vectors", "ring_vectors"]


@kernel
def ring_vectors(
    v: Array,
    nodes: int,
    s2: int,
    s3: int,
    h: int,
    q: int,
    p: int,
    slots: Array,
    signs: Array,
    out: Array,
) -> None:
    """The closed form of family (13)-(15); coordinate i goes to column slots[i], times signs[i]."""
    half = (s2 + s3) // 2
    a, b, c = slots[0], slots[1], slots[2]
    sa, sb, sc = signs[0], signs[1], signs[2]
    for row in range(len(v)):
        at = v[row]
        i = at // s3
        delta = at - i * s3
        mirrored = delta > half
        if mirrored:
            delta = 2 * half - delta
        j = delta // s2
        e = delta - j * s2
        k = e - h
        direct = h + i + j - abs(k)
        wrapped = p + q - i - j + abs(k)
        if wrapped <= direct:
            x, y, z = k, j - q, i - p
            if mirrored:
                x, y = -x, -y
        else:
            x, y, z = e, j, i
            if k > 0:
                x, y = e - s2, j + 1
            if mirrored:
                x, y, z = -x, 1 - y, z + 1
        out[row, a] = sa * x
        out[row, b] = sb * y
        out[row, c] = sc * z


@helper(forceinline=True)
def _quotient(a: int, b: int, share: float) -> int:
    """Floor of a / b for |a| < 2**62 and quotients below 2**31: a product, then put right."""
    q = math.floor(a * share)
    rest = a - q * b
    if rest < 0:
        q -= 1
    elif rest >= b:
        q += 1
    return q


@kernel
def cell_vectors(
    v: Array,
    nodes: int,
    factor: int,
    basis: Array,
    rows: Array,
    slots: Array,
    signs: Array,
    out: Array,
) -> None:
    """The best of the 8 corners of the cell that holds (factor·v mod N, 0, 0).

    `rows` holds the integers w_i with coordinate i = at·w_i / N, reduced to 0..N-1 (a whole number
    of basis vectors less); `basis` is the basis for the same coordinates.
    """
    w0, w1, w2 = rows[0], rows[1], rows[2]
    share = 1.0 / nodes
    a, b, c = slots[0], slots[1], slots[2]
    sa, sb, sc = signs[0], signs[1], signs[2]
    b00, b01, b02 = basis[0, 0], basis[0, 1], basis[0, 2]
    b10, b11, b12 = basis[1, 0], basis[1, 1], basis[1, 2]
    b20, b21, b22 = basis[2, 0], basis[2, 1], basis[2, 2]
    for row in range(len(v)):
        at = v[row] if factor == 1 else factor * v[row] % nodes
        f0 = _quotient(at * w0, nodes, share)
        f1 = _quotient(at * w1, nodes, share)
        f2 = _quotient(at * w2, nodes, share)
        x0 = at - f0 * b00 - f1 * b10 - f2 * b20
        y0 = -f0 * b01 - f1 * b11 - f2 * b21
        z0 = -f0 * b02 - f1 * b12 - f2 * b22
        best = abs(x0) + abs(y0) + abs(z0)
        x1, y1, z1 = x0, y0, z0
        for corner in range(1, 8):
            i, j, k = corner & 1, (corner >> 1) & 1, corner >> 2
            x = x0 - i * b00 - j * b10 - k * b20
            y = y0 - i * b01 - j * b11 - k * b21
            z = z0 - i * b02 - j * b12 - k * b22
            length = abs(x) + abs(y) + abs(z)
            if length < best:
                best, x1, y1, z1 = length, x, y, z
        out[row, a] = sa * x1
        out[row, b] = sb * y1
        out[row, c] = sc * z1


_FAR = 1.0e18  # above every coordinate; sums of two stay below 2^63


@helper(forceinline=True)
def _length_at(x: Array, row: int, basis: Array, t: int) -> int:
    """Length of the vector in a row of x, less t times the first basis vector."""
    total = 0
    for i in range(x.shape[1]):
        total += abs(x[row, i] - t * basis[0, i])
    return total


@helper(forceinline=True)
def _along_first(x: Array, basis: Array, share: Array, widest: int, sure: bool) -> tuple[Any, Any]:
    """The t that makes x[0] - t b_0 shortest, and its length.

    The length is convex in t. Its least value is beside x_i / b_i of some coordinate: mostly the
    widest, and for sure when it is wider than all others together.
    """
    t: Any = np.int64(math.floor(x[0, widest] * share[widest]))  # exact below 2**52
    least = _length_at(x, 0, basis, t)
    length = _length_at(x, 0, basis, t + 1)
    beyond = t - 1
    if length < least:
        t, least, beyond = t + 1, length, t + 2
    if sure or _length_at(x, 0, basis, beyond) >= least:
        return t, least
    for i in range(x.shape[1]):
        if basis[0, i] != 0:
            low = np.int64(math.floor(x[0, i] * share[i]))
            for side in range(low, low + 2):
                length = _length_at(x, 0, basis, side)
                if length < least:
                    t, least = side, length
    return t, least


@helper(forceinline=True)
def _interval(
    p: Array, k: int, inverse: Array, start: Array, sloped: Array, radius: float
) -> tuple[float, float]:
    """The t with |p - t·slope| <= radius for all corners of level k; empty as (1, 0)."""
    first, last = -_FAR, _FAR
    for c in range(start[k], sloped[k]):
        middle = p[k, c] * inverse[c]
        half = radius * inverse[c]
        least, most = middle - half, middle + half
        first = least if least > first else first
        last = most if most < last else last
    for c in range(sloped[k], start[k + 1]):
        if abs(p[k, c]) > radius:
            return 1.0, 0.0
    return first, last


@helper
def _bound(p: Array, slope: Array, k: int, begin: int, end: int, t: int) -> float:
    most = 0.0
    for c in range(begin, end):
        most = max(most, abs(p[k, c] - t * slope[k, c]))
    return most


@helper
def _lowest(p: Array, slope: Array, k: int, begin: int, end: int, low: int, high: int) -> int:
    """Where the bound, which is convex in t, is least; the middle of a short interval will do."""
    while high - low > 3:
        t = (low + high) // 2
        if _bound(p, slope, k, begin, end, t) <= _bound(p, slope, k, begin, end, t + 1):
            high = t
        else:
            low = t + 1
    return (low + high) // 2


@helper(forceinline=True)
def _to_cell(v: int, digits: Array, bits: int, dual: Array, basis: Array, x: Array) -> int:
    """Into the last row of x a vector that leads to node v, from -1/2 to 1/2 in the basis."""
    n = x.shape[0]
    top, spare = n - 1, 0
    for i in range(n):
        x[top, i] = 0
    mask = (1 << bits) - 1
    j = 0
    while v > 0:
        digit = v & mask
        for i in range(n):
            x[top, i] += digit * digits[j, i]
        v >>= bits
        j += 1
    for i in range(n):
        x[spare, i] = x[top, i]
    length = 0
    for k in range(n):
        c = 0.0
        for i in range(n):
            c += dual[k, i] * x[spare, i]
        t = np.int64(math.floor(c + 0.5))
        for i in range(n):
            x[top, i] -= t * basis[k, i]
    for i in range(n):
        length += abs(x[top, i])
    return length


@helper
def _first_vector(basis: Array) -> tuple[Any, Any, Any]:
    """For :func:`_along_first`: 1 / b_0i, the widest coordinate of b_0, and is it sure?"""
    n = basis.shape[0]
    share = np.zeros(n, np.float64)
    widest, total = 0, 0
    for i in range(n):
        if basis[0, i] != 0:
            share[i] = 1.0 / basis[0, i]
            total += abs(basis[0, i])
            if abs(basis[0, i]) > abs(basis[0, widest]):
                widest = i
    return share, widest, 2 * abs(basis[0, widest]) >= total


@helper
def _inverse_slopes(start: Array, sloped: Array, slope: Array) -> Any:
    """1 / slope of the corners that see the basis vector of their level; 1 of the others."""
    inverse = np.ones(max(slope.shape[1], 1), np.float64)
    for k in range(1, slope.shape[0]):
        for c in range(start[k], sloped[k]):
            inverse[c] = 1.0 / slope[k, c]
    return inverse


@helper(forceinline=True)
def _see(x: Array, corner: Array, p: Array) -> None:
    """Into the last row of p the products of the last row of x with all corners."""
    n, corners = corner.shape
    for c in range(corners):
        p[n - 1, c] = corner[0, c] * x[n - 1, 0]
    for i in range(1, n):
        value = float(x[n - 1, i])
        for c in range(corners):
            p[n - 1, c] += corner[i, c] * value


class _Tried(NamedTuple):
    """Coefficients of each level: those in (down, up) were tried, from the middle outwards.

    Attributes:
        low, high: Between which a shorter vector is possible.
        known: The best length when these two were computed; -1: not yet.
    """

    up: IntArray
    down: IntArray
    middle: IntArray
    low: IntArray
    high: IntArray
    known: IntArray


@helper(forceinline=True)
def _next_coefficient(tried: _Tried, k: int) -> tuple[bool, int]:
    """The untried coefficient of a level that is nearest to the middle; False when none is left."""
    can_rise, can_fall = tried.up[k] <= tried.high[k], tried.down[k] >= tried.low[k]
    if not (can_rise or can_fall):
        return False, 0
    if can_rise and (not can_fall or tried.up[k] + tried.down[k] <= 2 * tried.middle[k]):
        tried.up[k] += 1
        return True, tried.up[k] - 1
    tried.down[k] -= 1
    return True, tried.down[k] + 1


@kernel(fastmath={"nnan", "ninf", "nsz", "contract", "reassoc"})
def lattice_vectors(
    v: Array,
    digits: Array,
    bits: int,
    dual: Array,
    basis: Array,
    start: Array,
    sloped: Array,
    corner: Array,
    slope: Array,
    limit: int,
    out: Array,
    hard: Array,
) -> int:
    """A shortest vector for every node.

    Lengths are integers and floats here are off by less than 1/4 (see routing.py for the limit on
    the size of the lattice), so a bound with 1/4 to spare loses nothing.

    Args:
        v (int64[m]): Nodes, from 0 to N - 1.
        digits, bits (int64[w, n], int): Row j is a vector that leads to node 2**(bits·j).
        dual (float64[n, n]): Row i gives the i-th coordinate in the basis.
        basis: int64[n, n]
        start, sloped (int64[n + 1], int64[n]): Corners of level k are rows start[k]:start[k + 1];
            those before sloped[k] see b_k.
        corner, slope (float64[n, c]): The corners, as columns; in row k their products with b_k.
        limit: Branches after which a node is left to the caller.
        out: int64[m, n]
        hard (bool[m]): Set for the nodes that were left.

    Returns:
        int: Branches looked at, in all.
    """
    n = basis.shape[0]
    x = np.empty((n, n), np.int64)
    p = np.empty((n, max(corner.shape[1], 1)), np.float64)  # at level k: all lower corners too
    levels = np.empty((6, n), np.int64)
    tried = _Tried(levels[0], levels[1], levels[2], levels[3], levels[4], levels[5])
    inverse = _inverse_slopes(start, sloped, slope)
    share, widest, sure = _first_vector(basis)
    visited = 0
    for row in range(len(v)):
        best = _to_cell(v[row], digits, bits, dual, basis, x)
        for i in range(n):
            out[row, i] = x[n - 1, i]
        if n == 1:
            t, best = _along_first(x, basis, share, widest, sure)
            out[row, 0] -= t * basis[0, 0]
            continue
        _see(x, corner, p)
        k = n - 1
        tried.known[k] = -1
        left = limit
        while k < n and left > 0:
            if tried.known[k] != best:
                fresh = tried.known[k] < 0
                tried.known[k] = best
                first, last = _interval(p, k, inverse, start, sloped, best - 0.75)
                low, high = math.ceil(first), math.floor(last)
                tried.low[k], tried.high[k] = low, high
                if fresh:
                    tried.middle[k] = _lowest(p, slope, k, start[k], start[k + 1], low, high)
                    tried.up[k] = tried.middle[k]
                    tried.down[k] = tried.up[k] - 1
                tried.up[k] = max(tried.up[k], tried.low[k])
                tried.down[k] = min(tried.down[k], tried.high[k])
            more, t = _next_coefficient(tried, k)
            if not more:
                k += 1
                continue
            left -= 1
            for i in range(n):
                x[k - 1, i] = x[k, i] - t * basis[k, i]
            if k == 1:
                t, length = _along_first(x, basis, share, widest, sure)
                if length < best:
                    best = length
                    for i in range(n):
                        out[row, i] = x[0, i] - t * basis[0, i]
            else:
                for c in range(start[k]):
                    p[k - 1, c] = p[k, c] - t * slope[k, c]
                k -= 1
                tried.known[k] = -1
        visited += limit - left
        hard[row] = left == 0
    return visited
