"""Crossbars shared by supernodes: which N, with c crossbars M × M each, meet in w of them or more.

The open question of chapter 6: how several channels of a node and several crossbars of a supernode
are best assigned. A *sharing* is a list of at most cN blocks of at most M of N points; every point
is in at most cM blocks, and every two points are together in at least w. Counting gives
w(N - 1) <= cM(M - 1). Four kinds of constructions come near:

* symmetric designs and difference covers, repeated (c = w: planes meet the bound);
* large planes whose blocks are broken into c of M elements that hold all their pairs (c = 3: blocks
  of 3M/2; c = 4: of 5M/3);
* base blocks found by search (:mod:`hopscape.papers.blockdesign.shared_covers`);
* transversal designs: k = M groups of q points, and lines that meet every group once, from a field
  or a difference matrix; the groups, of about cM/w points, are filled up by smaller blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from hopscape.algebra.fields import galois_field, prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.processes import require_memory
from hopscape.core.verdict import Verdict
from hopscape.papers.blockdesign.covers import difference_cover, find_cover
from hopscape.papers.blockdesign.designs import constructions, existence
from hopscape.papers.blockdesign.difference_sets import AbelianGroup, singer
from hopscape.papers.blockdesign.shared_covers import Bases, kept_covers

__all__ = [
    "BlockCell",
    "Sharing",
    "best_sharing",
    "check_sharing",
    "develop",
    "find_sharing",
    "most_points",
    "pair_multiplicities",
    "sharings",
    "transversal",
]

MOST_RADIX = 64
"""Ports of a crossbar; the paper asks for 30 to 50, and optical ones have not many more."""
MOST_CROSSBARS = 8

_SMALL_COVER = 400, 24  # points and elements up to which one cover is searched for at once
_SHORT_SEARCH = 200_000  # steps of a search for base blocks: a fraction of a second


@dataclass(frozen=True)
class Sharing:
    """One way to share crossbars.

    Attributes:
        points, radix, crossbars, ways: N, M, c and w.
        how: The construction, in words.
        make: Gives the blocks: int64[blocks, radix], filled up with -1 on the right.
        moduli: The group whose shifts keep all ports, the points being its elements; empty when
            there is none.
    """

    points: int
    radix: int
    crossbars: int
    ways: int
    how: str
    make: Callable[[], IntArray]
    moduli: tuple[int, ...] = ()

    def blocks(self) -> IntArray:
        """The blocks, checked by definition.

        Raises:
            AssertionError: When they are not what is said of them, which is a mistake here.
        """
        blocks = self.make()
        verdict = check_sharing(blocks, self.points, self.radix, self.crossbars, self.ways)
        assert verdict, f"{self.how}: {verdict.reason}"
        return blocks


def pair_multiplicities(blocks: IntArray, points: int) -> IntArray:
    """How often every two points are in a block together: int32[N, N].

    The diagonal has the number of blocks of each point.

    Examples:
        >>> pair_multiplicities(np.array([[0, 1], [1, 2], [1, -1]]), 3).tolist()
        [[1, 1, 0], [1, 3, 1], [0, 1, 1]]
    """
    from scipy.sparse import csr_array

    require_memory(16 * points * points, f"the pairs of {points} supernodes")
    row, place = np.nonzero(blocks >= 0)
    ones = np.ones(len(row), dtype=np.int32)
    held = csr_array((ones, (blocks[row, place], row)), shape=(points, len(blocks)))
    often: IntArray = (held @ held.T).toarray()
    return often


def check_sharing(blocks: IntArray, points: int, radix: int, crossbars: int, ways: int) -> Verdict:
    """Do these blocks join so many points, by the definition?

    Examples:
        >>> print(check_sharing(develop((7,), [(0, 1, 3)]), 7, 3, 1, 1))
        holds: 7 blocks of at most 3 of 7 points, every pair in 1 or more
    """
    if blocks.ndim != 2 or blocks.shape[1] > radix:
        return Verdict(False, f"a block has more than {radix} points")
    if len(blocks) > crossbars * points:
        return Verdict(False, f"{len(blocks)} blocks are more than {crossbars} for each point")
    if blocks.max(initial=-1) >= points or blocks.min(initial=0) < -1:
        return Verdict(False, f"a block has a point beyond 0..{points - 1}")
    ordered = np.sort(blocks, axis=1)
    if ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any():
        return Verdict(False, "a block holds a point twice")
    often = pair_multiplicities(blocks, points)
    degree = np.diagonal(often)
    if degree.max(initial=0) > crossbars * radix:
        a = int(degree.argmax())
        return Verdict(False, f"point {a} is in {degree[a]} blocks, not {crossbars * radix}")
    short = often < ways
    np.fill_diagonal(short, False)
    if short.any():
        a, b = (int(x[0]) for x in np.nonzero(short))
        text = f"points {a} and {b} are together in {often[a, b]} blocks, not {ways}"
        return Verdict(False, text, {"pair": [a, b]})
    text = f"{len(blocks)} blocks of at most {radix} of {points} points, every pair in {ways}"
    return Verdict(True, text + " or more")


def most_points(radix: int, crossbars: int, ways: int) -> tuple[int, str]:
    """No sharing has more points, and why.

    Examples:
        >>> most_points(7, 1, 1)[0]
        42
        >>> most_points(42, 2, 1)
        (3445, 'counting: w(N - 1) <= cM(M - 1)')
    """
    top = crossbars * radix * (radix - 1) // ways + 1
    exact = (top - 1) * ways == crossbars * radix * (radix - 1)
    if crossbars == 1 and exact and 1 <= ways < radix < top:
        known = existence(top, radix, ways)
        if known.status == "impossible":
            text = f"counting allows {top}, but no symmetric design B({top}, {radix}, {ways})"
            return top - 1, f"{text}: {known.reason}"
    return top, "counting: w(N - 1) <= cM(M - 1)"


def develop(moduli: tuple[int, ...], bases: Sequence[Sequence[int]]) -> IntArray:
    """All shifts of base blocks: row b·N + g is base block b, each element plus g.

    Examples:
        >>> develop((7,), [(0, 1, 3)])[:2].tolist()
        [[0, 1, 3], [1, 2, 4]]
    """
    group = AbelianGroup(moduli)
    every = np.arange(group.order)[:, None]
    width = max(map(len, bases))
    out = np.full((len(bases), group.order, width), -1, dtype=np.int64)
    for b, base in enumerate(bases):
        out[b, :, : len(base)] = group.add(every, np.asarray(base)[None, :])
    return out.reshape(-1, width)


# -- transversal designs ------------------------------------------------------------------------


def transversal(groups: int, size: int, often: int) -> IntArray | None:
    """Blocks that meet every group once, points of different groups together `often` times.

    Point (i, g) is i · size + g. None where no construction is known here: `size` must be a prime
    power q, and there are at most q + 1 groups, or, from a difference matrix, 2q + 1 with
    `often` = 2, and `often` · q + 1 where that is a power of the same prime. With more than one
    copy of the q² lines of a plane, `often` is any number.

    Examples:
        >>> transversal(3, 2, 1).tolist()
        [[0, 2, 4], [1, 3, 4], [0, 3, 5], [1, 2, 5]]
        >>> transversal(7, 3, 2).shape, transversal(7, 3, 1) is None
        ((18, 7), True)
    """
    if prime_power(size) is None:
        return None
    if groups <= size + 1:
        once = _lines(_products(size, 1), size, groups)
        return np.tile(once, (often, 1))
    matrix = _matrix(size, often)
    if matrix is None or groups > often * size + 1:
        return None
    return _lines(matrix, size, groups)


def _products(size: int, often: int) -> IntArray:
    """Row x, column y: x·y in the field of often · size elements, without its lowest digits."""
    field = galois_field(often * size)
    every = np.arange(often * size)
    return field.multiply(every[:, None], every[None, :]) // often


def _matrix(size: int, often: int) -> IntArray | None:
    """A difference matrix: the difference of two rows has each element `often` times."""
    power, whole = prime_power(size), prime_power(often * size)
    if whole is not None and power is not None and whole[0] == power[0]:
        return _products(size, often)
    return _doubled(size) if often == 2 else None


def _doubled(q: int) -> IntArray:
    """2q rows and columns over the field of q elements, q odd (D. Jungnickel, 1979).

    Rows (0, x) and (1, x), columns (0, y) and (1, y): forms of degree two, whose difference between
    the two kinds of rows is k minus a square in one kind of column, and k minus n times a square in
    the other, n no square: together they take every value twice.
    """
    field = galois_field(q)
    every = np.arange(q)
    squares = set(field.multiply(every, every).tolist())
    n = next(x for x in range(2, q) if x not in squares)
    four = field.power(field.add(1, 1), 2)
    quarter = field.inverse(four)
    low = field.subtract(field.inverse(field.multiply(four, n)), quarter)
    high = field.subtract(quarter, field.multiply(quarter, n))
    x, y = every[:, None], every[None, :]
    square, product = field.multiply(x, x), field.multiply(x, y)
    bent = field.subtract(product, field.multiply(y, y))
    right = field.add(field.multiply(n, bent), field.multiply(high, square))
    return np.block([[product, field.add(product, field.multiply(low, square))], [bent, right]])


def _lines(matrix: IntArray, size: int, groups: int) -> IntArray:
    """Blocks of a difference matrix; the columns are parallel classes, for one group more."""
    field = galois_field(size)
    rows, columns = matrix.shape
    used = min(rows, groups)
    moved = field.add(matrix[:used].T[:, None, :], np.arange(size)[None, :, None])
    out = moved + np.arange(used) * size
    if groups > rows:
        every = np.arange(columns) // (columns // size) + rows * size
        extra = np.broadcast_to(every[:, None, None], (columns, size, 1))
        out = np.concatenate([out, extra], axis=2)
    return out.reshape(columns * size, groups)


def _fillings(size: int, radix: int) -> Iterator[tuple[int, int, int]]:
    """Ways to cover the pairs of a group by blocks: order of a plane, blocks, blocks of a point.

    The group is cut into as many parts as a plane has points, and a line is a block. Order 0 is the
    group itself, order 1 a triangle.
    """
    for order in (0, 1, 2, 3, 4, 5, 7, 8, 9):
        parts = order * order + order + 1
        widest = -(-size // parts)
        if widest * (order + 1) <= radix:
            lines = _filling(order, size)
            yield order, len(lines), order + 1


@lru_cache(maxsize=256)
def _filling(order: int, size: int) -> tuple[tuple[int, ...], ...]:
    """The blocks of a group that is filled up by a plane: those of two points and more."""
    parts = order * order + order + 1
    if order == 0:
        plane = np.zeros((1, 1), dtype=np.int64)
    elif order == 1:
        plane = np.array([[0, 1], [1, 2], [2, 0]])
    else:
        plane = singer(order).blocks()
    cut = [part.tolist() for part in np.array_split(np.arange(size), parts)]
    blocks = (tuple(x for i in line for x in cut[i]) for line in plane.tolist())
    return tuple(block for block in blocks if len(block) > 1)


def _padded(rows: list[IntArray], radix: int) -> IntArray:
    """Rows of blocks under one another, filled up with -1 on the right."""
    return np.concatenate(
        [np.pad(row, ((0, 0), (0, radix - row.shape[1])), constant_values=-1) for row in rows]
    )


def _filled(groups: int, size: int, often: int, radix: int, order: int) -> IntArray:
    """A transversal design whose groups are filled up, as often as its lines meet."""
    lines = transversal(groups, size, often)
    assert lines is not None
    rows = [lines]
    start = np.arange(groups)[:, None] * size
    for block in _filling(order, size):
        rows += [start + np.asarray(block)[None, :]] * often
    return _padded(rows, radix)


def _transversals(radix: int, crossbars: int, ways: int) -> Iterator[Sharing]:
    ports = crossbars * radix
    for size in range(2, ports // ways + 1):
        if prime_power(size) is None:
            continue
        filling = next(_fillings(size, radix), None)
        if filling is None:
            continue
        order, blocks, degree = filling
        if ways * (size + degree) > ports:
            continue
        most = size + 1
        if _matrix_rows(size, ways) is not None:
            most = max(most, ways * size + 1)
        for groups in range(min(radix, most), 1, -1):
            points = groups * size
            if ways * (size * size + groups * blocks) > crossbars * points:
                break
            how = f"transversal design of {groups} groups of {size}"
            if order:
                how += f", groups filled by {blocks} blocks"

            def make(k: int = groups, q: int = size, t: int = order) -> IntArray:
                return _filled(k, q, ways, radix, t)

            yield Sharing(points, radix, crossbars, ways, how, make)


def _matrix_rows(size: int, often: int) -> int | None:
    """How many rows a difference matrix known here has, without making it."""
    power, whole = prime_power(size), prime_power(often * size)
    if power is None or often == 1:
        return None
    same = whole is not None and whole[0] == power[0]
    return often * size if same or often == 2 else None


# -- groups ---------------------------------------------------------------------------------------


def _repeated(radix: int, crossbars: int, ways: int) -> Iterator[Sharing]:
    """Symmetric designs, as often as they are needed: with the largest blocks that fit."""
    for copies in range(1, min(crossbars, ways) + 1):
        often = -(-ways // copies)
        for m in range(often + 1, radix + 1):
            n, rest = divmod(m * (m - 1), often)
            if rest or n + 1 <= m or not existence(n + 1, m, often).built:
                continue
            built = next(constructions(n + 1, m, often))
            base = built.how
            times = f"{copies} times " if copies > 1 else ""

            def make(order: int = n + 1, m: int = m, s: int = often, k: int = copies) -> IntArray:
                design = next(constructions(order, m, s)).build()
                return np.tile(design.blocks, (k, 1))

            how = f"{times}B({n + 1}, {m}, {often}): {base}"
            yield Sharing(n + 1, radix, crossbars, ways, how, make, _moduli(n + 1, m, often))


@lru_cache(maxsize=4096)
def _moduli(n: int, m: int, sigma: int) -> tuple[int, ...]:
    """The group of a design from a difference set that is known to be cyclic; else empty."""
    how = next(constructions(n, m, sigma)).how
    return (n,) if how.startswith("Singer") else ()


_PIECES = {
    3: (3, ((0, 1), (1, 2), (2, 0))),
    4: (5, ((0, 1, 2), (0, 3, 4), (1, 3, 4), (2, 3, 4))),
}
"""By number of pieces: parts of a block, and the parts of each piece. Every pair is in a piece."""


def _broken(radix: int, crossbars: int, ways: int) -> Iterator[Sharing]:
    """Planes whose blocks are broken into pieces that hold all their pairs."""
    for count, (parts, pieces) in _PIECES.items():
        if count * ways > crossbars:
            continue
        for q in range(radix, 2 * radix):
            if prime_power(q) is None:
                continue
            cut = [part.tolist() for part in np.array_split(np.arange(q + 1), parts)]
            chosen = [[i for part in piece for i in cut[part]] for piece in pieces]
            if max(map(len, chosen)) > radix:
                break

            def make(q: int = q, chosen: list[list[int]] = chosen) -> IntArray:
                base = singer(q).elements
                return develop((q * q + q + 1,), [[base[i] for i in p] for p in chosen] * ways)

            how = f"plane of order {q}, blocks of {q + 1} broken into {count}"
            points = q * q + q + 1
            yield Sharing(points, radix, crossbars, ways, how, make, (points,))


def _stored(radix: int, crossbars: int, ways: int) -> Iterator[Sharing]:
    """Base blocks that a search has found."""
    for (m, c, w), (moduli, bases) in kept_covers().items():
        order = prod(moduli)
        if m <= radix and c <= crossbars and w >= ways and order > radix:
            how = f"{c} base blocks of {m} elements of {AbelianGroup(moduli)}, found by search"

            def make(moduli: tuple[int, ...] = moduli, bases: Bases = bases) -> IntArray:
                return develop(moduli, bases)

            yield Sharing(order, radix, crossbars, ways, how, make, moduli)


def _all(radix: int, crossbars: int, ways: int) -> Iterator[Sharing]:
    yield from _stored(radix, crossbars, ways)
    yield from _repeated(radix, crossbars, ways)
    yield from _broken(radix, crossbars, ways)
    yield from _transversals(radix, crossbars, ways)
    if ways <= crossbars * radix:
        yield _together(radix, crossbars, ways)


def _together(radix: int, crossbars: int, ways: int) -> Sharing:
    """As many points as a crossbar has ports: all of them in w blocks."""

    def make() -> IntArray:
        return np.tile(np.arange(radix), (ways, 1))

    return Sharing(radix, radix, crossbars, ways, "all at every crossbar", make)


def _check(radix: int, crossbars: int, ways: int) -> None:
    for name, value, low, high in (
        ("radix", radix, 2, MOST_RADIX),
        ("crossbars", crossbars, 1, MOST_CROSSBARS),
        ("ways", ways, 1, MOST_CROSSBARS),
    ):
        if not low <= value <= high:
            raise ArgumentError(f"{name} is {value}; it must be from {low} to {high}")


@lru_cache(maxsize=4096)
def sharings(radix: int, crossbars: int, ways: int) -> tuple[Sharing, ...]:
    """One for every number of points that is built here, the largest first.

    Of several with the same number of points one with a group, whose routing tables are small.

    Examples:
        >>> [(s.points, s.how) for s in sharings(8, 3, 2)][2:3]
        [(64, 'transversal design of 8 groups of 8')]
    """
    _check(radix, crossbars, ways)
    best: dict[int, Sharing] = {}
    for sharing in _all(radix, crossbars, ways):
        known = best.get(sharing.points)
        if known is None or (sharing.moduli and not known.moduli):
            best[sharing.points] = sharing
    return tuple(best[n] for n in sorted(best, reverse=True))


def best_sharing(radix: int, crossbars: int, ways: int) -> Sharing | None:
    """The one with the most points, or None."""
    return next(iter(sharings(radix, crossbars, ways)), None)


@lru_cache(maxsize=64)
def find_sharing(points: int, radix: int, crossbars: int, ways: int) -> Sharing:
    """A sharing of so many points: a construction, or a short search for base blocks.

    Raises:
        ArgumentError: When none is known, with the nearest numbers of points.
    """
    _check(radix, crossbars, ways)
    top, why = most_points(radix, crossbars, ways)
    if points > top:
        raise ArgumentError(
            f"{points} supernodes cannot meet {ways} times in {crossbars} crossbars of {radix}"
            f" ports each; at most {top} ({why})"
        )
    known = sharings(radix, crossbars, ways)
    for sharing in known:
        if sharing.points == points:
            return sharing
    found = _search(points, radix, crossbars, ways)
    if found is not None:
        return found
    above = min((s.points for s in known if s.points > points), default=None)
    below = max((s.points for s in known if s.points < points), default=None)
    near = " and ".join(str(n) for n in (below, above) if n is not None)
    raise ArgumentError(
        f"no way is known to let {points} supernodes meet {ways} times in {crossbars} crossbars of"
        f" {radix} ports each; nearest numbers: {near or 'none'}"
    )


def _search(points: int, radix: int, crossbars: int, ways: int) -> Sharing | None:
    """What a short search finds in the cyclic group: one cover repeated, or several blocks."""
    size = min(radix, points)
    if ways <= crossbars and points <= _SMALL_COVER[0] and size <= _SMALL_COVER[1]:
        cover = find_cover(points, size) if size < points else None
        if cover is not None and cover.elements is not None:
            bases = [cover.elements] * ways
            return _cyclic(points, radix, crossbars, ways, bases, cover.moduli)
    if points <= _SMALL_COVER[0]:
        found = difference_cover(points, size, blocks=crossbars, ways=ways, budget=_SHORT_SEARCH)
        if found.elements is not None:
            return _cyclic(points, radix, crossbars, ways, list(found.blocks), found.moduli)
    return None


def _cyclic(
    points: int, radix: int, crossbars: int, ways: int, bases: list[tuple[int, ...]],
    moduli: tuple[int, ...],
) -> Sharing:  # fmt: skip
    how = f"base blocks of {AbelianGroup(moduli)} found by a short search"
    return Sharing(points, radix, crossbars, ways, how, lambda: develop(moduli, bases), moduli)


@dataclass(frozen=True)
class BlockCell:
    """What is known of the most supernodes for M, c and w.

    Attributes:
        built, how: The most points of a sharing that is built here.
        most, why: No sharing has more points.
        status: {'built', 'refuted', 'bounded'}: it meets the bound by counting; it meets the bound,
            which is below that by counting; or it lies below the bound.
    """

    radix: int
    crossbars: int
    ways: int
    built: int
    how: str
    most: int
    why: str

    @property
    def status(self) -> str:
        if self.built < self.most:
            return "bounded"
        return "built" if self.why.startswith("counting:") else "refuted"


def cell(radix: int, crossbars: int, ways: int) -> BlockCell:
    """What is known of one cell of the table.

    Examples:
        >>> cell(8, 1, 1).built, cell(8, 1, 1).status, cell(8, 2, 1).status
        (57, 'built', 'bounded')
    """
    best = best_sharing(radix, crossbars, ways)
    most, why = most_points(radix, crossbars, ways)
    built, how = (best.points, best.how) if best is not None else (1, "one supernode")
    return BlockCell(radix, crossbars, ways, built, how, most, why)
