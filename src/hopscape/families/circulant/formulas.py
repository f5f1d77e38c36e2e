"""Path vectors as formulas: a closed form, or the shortest of a few candidates.

Without a closed form, a difference v is first led near to the origin: x = v·u - Σ t_k b_k, where u
leads to node 1, b_k is a reduced basis of the closed walks, and t_k is v times a constant, shifted
and rounded (Babai's rounding, without a division). A shortest vector is then x less one of a few
vectors of the lattice, which are worked out here, once, and become constants of the code.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from hopscape.algebra.lattices.lattice import Lattice
from hopscape.algebra.reduction import Vector, dot, l1
from hopscape.core.arrays import IntArray
from hopscape.core.errors import TooLargeError
from hopscape.core.formula import Value, absolute, choose, constant, less, ordered
from hopscape.families.circulant.forms import CellForm, RingForm

__all__ = ["MOST_COMPARED", "path_vector"]

MOST_COMPARED = 1 << 18
"""Up to this order the candidates are found, and ties settled, by trying every difference."""

_MOST_CANDIDATES = 2000
_SPARE_BITS = 3


def path_vector(
    gap: Value,
    form: RingForm | CellForm | None,
    lattice: Callable[[], Lattice],
    every: Callable[[], IntArray],
) -> list[Value]:
    """A shortest path vector to the node at a difference, one value for each generator.

    Args:
        gap: From 0 to nodes - 1.
        form: A closed form where there is one.
        lattice: The lattice of closed walks.
        every: The router's vectors of all differences, for ties.

    Raises:
        TooLargeError: When too many candidates would be needed.
    """
    if form is None:
        return _nearest(gap, lattice(), every)
    found = _ring(gap, form) if isinstance(form, RingForm) else _cell(gap, form)
    out: list[Value] = [constant(0)] * len(found)
    for value, slot, sign in zip(found, form.slots, form.signs, strict=True):
        out[slot] = value if sign > 0 else 0 - value
    return [value.named(f"x{i}", f"steps of generator {i}") for i, value in enumerate(out)]


def _ring(gap: Value, form: RingForm) -> list[Value]:
    """As :meth:`RingForm.vector`."""
    half = (form.s2 + form.s3) // 2
    i = (gap // form.s3).named("i", "turns of the largest generator")
    rest = gap % form.s3
    mirrored = less(half, rest).named("mirrored")
    delta = choose(mirrored, 2 * half - rest, rest).narrow(0, half).named("delta")
    j, e = (delta // form.s2).named("j"), (delta % form.s2).named("e")
    k = (e - form.h).named("k")
    size = absolute(k)
    hops = ordered(form.p + form.q - i - j + size, form.h + i + j - size)
    hops = hops.named("far", "is it nearer from the other end?")
    high = less(0, k)
    x = choose(hops, k, choose(high, e - form.s2, e))
    y = choose(hops, j - form.q, choose(high, j + 1, j))
    z = choose(hops, i - form.p, choose(mirrored, i + 1, i))
    turned = choose(hops, 0 - y, 1 - y)
    return [choose(mirrored, 0 - x, x), choose(mirrored, turned, y), z]


def _cell(gap: Value, form: CellForm) -> list[Value]:
    """As :meth:`CellForm.vector`: the first shortest of the eight corners."""
    nodes = form.nodes
    at = (gap * form.factor % nodes if form.factor != 1 else gap).named("turned")
    floors = [
        (at * (w % nodes) // nodes + at * (w // nodes)).named(f"t{i}")
        for i, w in enumerate(form.rows)
    ]
    start = []
    for i in range(3):
        x = at if i == 0 else constant(0)
        for t, b in zip(floors, form.basis, strict=True):
            x = x - t * b[i]
        start.append(x.narrow(-2 * nodes, 2 * nodes))
    corners = [
        tuple(sum(up * b[i] for up, b in zip(ups, form.basis, strict=True)) for i in range(3))
        for ups in itertools.product((0, 1), repeat=3)
    ]
    reach = sum(l1(b) for b in form.basis)
    start = [
        x.narrow(-reach, reach).named(f"start{i}", "near to the origin")
        for i, x in enumerate(start)
    ]
    return _shortest(start, corners)


def _shortest(start: Sequence[Value], candidates: Sequence[Vector]) -> list[Value]:
    """The first shortest of the vectors `start` less a candidate."""
    best: list[Value] = []
    least: Value | None = None
    for number, candidate in enumerate(candidates):
        vector = [x - c for x, c in zip(start, candidate, strict=True)]
        length = absolute(vector[0])
        for x in vector[1:]:
            length = length + absolute(x)
        length = length.named(f"length{number}", f"less {tuple(candidate)}")
        if least is None:
            best, least = vector, length
            continue
        better = less(length, least).named(f"better{number}")
        least = choose(better, length, least)
        best = [choose(better, x, y) for x, y in zip(vector, best, strict=True)]
    return best


# -- any circulant: candidates worked out beforehand ------------------------------------------


def _nearest(gap: Value, lattice: Lattice, every: Callable[[], IntArray]) -> list[Value]:
    unit, factors, shift = _rounding(lattice)
    n, nodes = len(unit), lattice.nodes
    half = 1 << (shift - 1)
    turns = [((gap * f + half) >> shift).named(f"t{k}") for k, f in enumerate(factors)]
    reach = sum(map(l1, lattice.basis))
    start = []
    for i in range(n):
        x = gap * unit[i]
        for t, b in zip(turns, lattice.basis, strict=True):
            x = x - t * b[i]
        start.append(x.narrow(-reach, reach).named(f"start{i}", "near to the origin"))
    if nodes <= MOST_COMPARED:
        v = np.arange(nodes, dtype=np.int64)
        rounded = (v[:, None] * np.asarray(factors) + half) >> shift
        places = v[:, None] * np.asarray(unit) - rounded @ np.asarray(lattice.basis)
        candidates = _needed(places, every())
    else:
        candidates = _possible(lattice)
    vector = _shortest(start, candidates)
    return [value.named(f"x{i}", f"steps of generator {i}") for i, value in enumerate(vector)]


def _rounding(lattice: Lattice) -> tuple[Vector, list[int], int]:
    """A vector to node 1 with coordinates from 0 to 1, and these as fractions of a power of 2."""
    rows, determinant = lattice.inverse
    unit = lattice.unit
    floors = [dot(row, unit) // determinant for row in rows]
    for t, b in zip(floors, lattice.basis, strict=True):
        unit = tuple(x - t * y for x, y in zip(unit, b, strict=True))
    shift = lattice.nodes.bit_length() + _SPARE_BITS
    parts = [dot(row, unit) for row in rows]
    factors = [((part << (shift + 1)) + determinant) // (2 * determinant) for part in parts]
    return unit, factors, shift


def _possible(lattice: Lattice) -> list[Vector]:
    """Every lattice vector that could lead to a shortest one, from anywhere in the cell.

    With rounding errors below 1/16, x has coordinates below 9/16, so that |x| <= 9/16 Σ|b_k|; what
    is taken from it is at most twice as long.
    """
    rows, determinant = lattice.inverse
    reach = 9 * sum(map(l1, lattice.basis)) // 8
    widths = [max(map(abs, row)) * reach // determinant for row in rows]
    count = int(np.prod([2 * w + 1 for w in widths], dtype=object))
    if count > 100 * _MOST_CANDIDATES:
        found: list[Vector] = []
    else:
        ranges = [range(-w, w + 1) for w in widths]
        found = [
            tuple(dot(ts, column) for column in zip(*lattice.basis, strict=True))
            for ts in itertools.product(*ranges)
        ]
        found = sorted((v for v in found if l1(v) <= reach), key=lambda v: (l1(v), v))
    if not 0 < len(found) <= _MOST_CANDIDATES:
        raise TooLargeError(
            f"the circulant of {lattice.nodes} nodes and generators {lattice.generators} needs more"
            f" than {_MOST_CANDIDATES} candidates in a formula; up to {MOST_COMPARED} nodes there"
            " are few"
        )
    return found


def _needed(places: IntArray, vectors: IntArray) -> list[Vector]:
    """A short list of candidates, in an order in which the first shortest one is the router's.

    Where no order settles all ties as the router does, another shortest path is taken.
    """
    moves = np.unique(places - vectors, axis=0)
    lengths = np.abs(vectors).sum(axis=1)
    ports = _first_steps(vectors)
    tie = np.zeros((len(moves), len(places)), dtype=bool)
    good = np.zeros_like(tie)
    for c, move in enumerate(moves):
        moved = places - move
        tie[c] = np.abs(moved).sum(axis=1) == lengths
        good[c] = tie[c] & (_first_steps(moved) == ports)
    chosen = _cover(good)
    order = _arrange(tie[chosen], good[chosen])
    return [tuple(int(x) for x in moves[chosen[c]]) for c in order]


def _first_steps(vectors: IntArray) -> IntArray:
    """Axis and sign of the first step of each vector."""
    axis = (vectors != 0).argmax(axis=1)
    found: IntArray = 2 * axis + (vectors[np.arange(len(vectors)), axis] < 0)
    return found


def _cover(good: IntArray) -> IntArray:
    """Rows that together are good everywhere: always the one that adds most."""
    left = np.ones(good.shape[1], dtype=bool)
    chosen: list[int] = []
    while left.any():
        chosen.append(int((good & left).sum(axis=1).argmax()))
        left &= ~good[chosen[-1]]
    return np.asarray(chosen)


def _arrange(tie: IntArray, good: IntArray) -> list[int]:
    """An order of the candidates that settles as many ties as possible as they should be."""
    left = np.ones(tie.shape[1], dtype=bool)
    rest, order = list(range(len(tie))), []
    while rest:
        wrong = [int((tie[c] & ~good[c] & left).sum()) for c in rest]
        gain = [int((good[c] & left).sum()) for c in rest]
        c = min(range(len(rest)), key=lambda i: (wrong[i], -gain[i]))
        order.append(rest.pop(c))
        left &= ~tie[order[-1]]
    return order
