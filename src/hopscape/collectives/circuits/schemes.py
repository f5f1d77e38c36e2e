"""The broadcasts that are known by construction, level by level.

A level takes a torus of side p·u from its origin to the grid of multiples of u, in d rounds, where
p = 2d + 1: the number of informed vertices grows by the factor p in every round, which is the most
that 2d ports allow. A broadcast on side p^m is a ladder of levels with u = p^(m-1), ..., p, 1.

A three-round broadcast on the torus of side 7 whose circuits share no link.

Found by constraint search; its longest chain of calls is 3 + 4 + 2 = 9, the diameter. One table per
round: place of the source, its words (see :mod:`hopscape.collectives.circuits.torus`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hopscape.collectives.circuits.torus import (
    Calls,
    Program,
    Word,
    displacement,
    inverse,
    parse_word,
    parse_words,
    refine,
    stretch,
    uniform_program,
    with_inverses,
)
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError

__all__ = [
    "CALLS",
    "LEVELS",
    "SCHEMES",
    "WORDS",
    "Level",
    "axis_level",
    "edge_level",
    "ladder",
    "power_of",
    "scheme",
    "scheme_names",
    "short_level",
    "word_level",
]

Level = Callable[[int], Program]
"""Takes the unit u, gives the program on side p·u that informs the multiples of u."""

WORDS: dict[str, tuple[str, ...]] = {
    # one row per round of a level; the inverse words belong to it
    "1": ("X",),
    "2": ("X2Y, Y2x", "X, Y"),
    "3-printed": ("YxY2xYz, x2yZ2x, Z2xY2Z", "yZxy, XyZ, ZxZ", "X, Y, Z"),
    "3-eleven": ("X2Y3Z, Z2x3y, Y2Z3x", "yZxy, XyZ, ZxZ", "X, Y, Z"),
    "3-ten": ("Y3X, X3Y2, ZX2yz", "XZ2, Z3y, Y2Z", "X, Y, Z"),
    "4": (
        "X3w3, YX4yw, ZX2WxzW, Wx2W4",
        "X2ZxZxZ, YXYxYz2, ZY2ZYZ2, WYXY2ZW",
        "X2y, YXz, ZXw, WYZ",
        "X, Y, Z, W",
    ),
    "5": (  # found by five.find_level
        "W2v4W3, VW2V4, XW3V2x, YW4vy, ZWv3z",
        "X5v, YX2WyV, ZXWzv, Wx4, VX3w2",
        "X3Yzy, YXZyZW, Zx2Z2W, Wz5, Vz4w",
        "X2YX2V, YXY4, Zy2x2Z, WyzVy2, Vy4Z",
        "X, Y, Z, W, V",
    ),
}


def word_level(key: str) -> Level:
    """A level in which all informed vertices use the same words, those of :data:`WORDS`."""
    rows = [with_inverses(parse_words(row)) for row in WORDS[key]]
    dimension = len(rows)
    base = uniform_program((2 * dimension + 1,) * dimension, rows)
    return lambda unit: stretch(base, (unit,) * dimension)


def axis_level(dimension: int) -> Level:
    """One axis after the other; the k-th multiple of the unit is reached over a side track.

    Every source keeps to its own side tracks, one step beside the axis, so that units of at least 3
    are needed. The longest call of a round has d·u + 2 steps.
    """

    def level(unit: int) -> Program:
        if unit < 3:
            raise ArgumentError(f"unit is {unit}; side tracks need a unit of at least 3")
        rows = []
        for axis in range(dimension):
            others = [a for a in range(dimension) if a != axis]
            words: list[Word] = [((axis, unit),)]
            for k, side in enumerate(others, start=2):
                words.append(((side, 1), (axis, k * unit), (side, -1)))
            rows.append(with_inverses(words))
        return uniform_program(((2 * dimension + 1) * unit,) * dimension, rows)

    return level


_ROUND_1 = "X3u; Zu X2u; Yu Xu"
_ROUND_2 = "Z2u Yu; Yu z2u; X Y2u x"
_ROUND_3: dict[tuple[int, int], str] = {
    (0, 0): "Yu; yu; Zu; zu; X Yu Zu x; x yu zu X",
    (1, 2): "yu; Zu; Y Z Y2u-1 Zu-1; X Yu x; x Yu Zu X; z Y2u Z",
    (1, -2): "zu; Zu; Y z Y2u-1 zu-1; X Y2u x; x Yu zu X; y zu yu-1",
    (2, 0): "Zu; zu; Yu; X Yu Zu x; x Yu zu X; y z2u Y",
}


def short_level(unit: int) -> Program:
    """The three-dimensional level of nine units in all: every call of at most 3u steps.

    The first round reaches one source in each of the seven slabs x = const; then each slab is
    served by itself, in two rounds, with detours of one step out of the slab. Needs units of at
    least 3. Not the same words everywhere: in the third round they depend on the place in the slab.
    """
    if unit < 3:
        raise ArgumentError(f"unit is {unit}; detours need a unit of at least 3")
    side = 7 * unit
    origin = np.zeros((1, 3), dtype=np.int64)
    first = with_inverses(_templates(_ROUND_1, unit))
    second = with_inverses(_templates(_ROUND_2, unit))
    slabs = np.concatenate([origin, _ends(origin, first)]) % side
    third = []
    for (y, z), text in _ROUND_3.items():
        words = _templates(text, unit)
        place = np.array([0, y, z]) * unit
        third.append(Calls((slabs + place) % side, words))
        if (y, z) != (0, 0):
            third.append(Calls((slabs - place) % side, tuple(inverse(w) for w in words)))
    rounds = ((Calls(origin, first),), (Calls(slabs, second),), tuple(third))
    return Program((side,) * 3, rounds)


def _templates(text: str, unit: int) -> tuple[Word, ...]:
    return tuple(parse_word(part, unit) for part in text.split(";"))


def _ends(sources: IntArray, words: Sequence[Word]) -> IntArray:
    dimension = sources.shape[1]
    moves = np.array([displacement(w, dimension) for w in words])
    ends: IntArray = (sources[:, None, :] + moves[None]).reshape(-1, dimension)
    return ends


def edge_level(unit: int) -> Program:
    """The three-dimensional level of nine units whose circuits share no link (but do meet)."""
    rounds = []
    for row in CALLS:
        now = []
        for place, text in row.items():
            words = tuple(parse_word(part) for part in text.split())
            now.append(Calls(np.array([place], dtype=np.int64) % 7, words))
        rounds.append(tuple(now))
    return stretch(Program((7, 7, 7), tuple(rounds), "edge"), (unit,) * 3)


def ladder(levels: Sequence[Level], base: int, dimension: int) -> Program:
    """Levels one after the other, the coarsest first: a broadcast on side base^len(levels)."""
    count = len(levels)
    side = base**count
    whole: Program | None = None
    for k, level in enumerate(levels):
        part = level(base ** (count - 1 - k))
        whole = part if whole is None else refine(whole, part)
    if whole is None:  # side 1: nothing to do
        return Program((side,) * dimension, ())
    return whole


LEVELS: dict[tuple[str, int], tuple[Level, Level]] = {
    # (algorithm, dimension): the levels above, and the last one (unit 1)
    ("numeration", 1): (word_level("1"),) * 2,
    ("numeration", 2): (word_level("2"),) * 2,
    ("numeration", 3): (word_level("3-printed"),) * 2,
    ("numeration-11", 3): (word_level("3-eleven"),) * 2,
    ("numeration-10", 3): (word_level("3-ten"),) * 2,
    ("axis", 2): (axis_level(2), word_level("2")),
    ("axis", 3): (axis_level(3), word_level("3-ten")),
    ("optimal", 1): (word_level("1"),) * 2,
    ("optimal", 2): (word_level("2"),) * 2,
    ("optimal", 3): (short_level, word_level("3-ten")),
    ("edge-disjoint", 3): (edge_level,) * 2,
    ("numeration", 4): (word_level("4"),) * 2,
    ("axis", 4): (axis_level(4), word_level("4")),
    ("numeration", 5): (word_level("5"),) * 2,
}

SCHEMES: dict[str, str] = {
    "numeration": "number-system broadcast of Okazaki et al., corrected: side (2d+1)^m",
    "numeration-11": "the same lattices, other digits in every third round: 11/9 of the diameter",
    "numeration-10": "other lattices, digits that change by round: 10/9 of the diameter",
    "axis": "axis by axis over side tracks, kept inside tiles: diameter + 6(m-1) + 1",
    "optimal": "shortest possible vertex-disjoint circuits: diameter + 1 in three dimensions",
    "edge-disjoint": "shortest possible edge-disjoint circuits: the diameter",
}


def scheme_names(sides: Sequence[int]) -> tuple[str, ...]:
    """The named schemes that exist for a torus of these sides."""
    dimension = len(sides)
    if len(set(sides)) != 1 or power_of(sides[0], 2 * dimension + 1) is None:
        return ()
    if sides[0] == 1:
        return ()
    return tuple(name for name in SCHEMES if (name, dimension) in LEVELS)


def power_of(number: int, base: int) -> int | None:
    """The exponent m with base^m = number, or None.

    Examples:
        >>> power_of(343, 7), power_of(12, 5), power_of(1, 5)
        (3, None, 0)
    """
    exponent = 0
    while number > 1 and number % base == 0:
        number //= base
        exponent += 1
    return exponent if number == 1 else None


def scheme(name: str, sides: Sequence[int]) -> Program:
    """A named broadcast on a torus.

    Raises:
        ArgumentError: When there is no such scheme for these sides; the message says where it
            exists.

    Examples:
        >>> [max(r) for r in [scheme("numeration", (25, 25)).round_lengths]]
        [15]
    """
    dimension = len(sides)
    known = [d for n, d in LEVELS if n == name]
    if not known:
        raise ArgumentError(f"scheme {name!r} is unknown; choose one of {', '.join(SCHEMES)}")
    base = 2 * dimension + 1
    exponent = power_of(sides[0], base) if len(set(sides)) == 1 else None
    if dimension not in known or not exponent:
        where = " or ".join(f"{d} axes of side {2 * d + 1}^m" for d in known)
        raise ArgumentError(f"algorithm {name!r} needs {where}, not sides {tuple(sides)}")
    upper, last = LEVELS[name, dimension]
    return ladder([upper] * (exponent - 1) + [last], base, dimension)


CALLS: tuple[dict[tuple[int, int, int], str], ...] = (
    {
        (0, 0, 0): "XYY YxY ZYZ xyy yXy zyz",
    },
    {
        (-1, -2, 0): "Xzzz YxZx ZZyZ xzzz yZZx zyxy",
        (-1, 2, 0): "XzYX YZxx ZxZZ xzzx yxx zzyz",
        (0, -1, -2): "XzXY YZxz ZXY xxxx yyx zxxx",
        (0, 0, 0): "XZYX Yxzx ZxyZ xzyx yXZX zXYz",
        (0, 1, 2): "XXXX YYX ZXXX xZxy yzXZ zxy",
        (1, -2, 0): "XZZX YXX ZZYZ xZyx yzXX zXzz",
        (1, 2, 0): "XZZZ YzzX ZYXY xZZZ yXzX zzYz",
    },
    {
        (-3, -1, -3): "X Y Z xz y z",
        (-3, -1, 1): "X Y Z x y z",
        (-3, 1, 0): "X Y Z x y z",
        (-3, 1, 2): "X Y Z x y zx",
        (-3, 2, -2): "X Y ZY x yy zY",
        (-3, 3, 1): "X Y Z x y zY",
        (-2, -3, 2): "X Y Z x y z",
        (-2, -2, -3): "X Yz Zy xy yy zx",
        (-2, -1, -1): "X Y Z xy y zy",
        (-2, 0, 3): "X Y Z x yy z",
        (-2, 1, -1): "X Y ZZ xz yx z",
        (-2, 2, 3): "X Y Zx xY yZ z",
        (-2, 3, -1): "X Y Z xZ yZ z",
        (-1, -3, -2): "XZ Y Z xx y zy",
        (-1, -3, 1): "X Y Zy xY y z",
        (-1, -3, 3): "X Y Zx xx y zX",
        (-1, -2, 0): "X Y ZX x yx z",
        (-1, -1, 2): "Xy Y Z x y z",
        (-1, 0, -2): "X Y Z x y z",
        (-1, 0, 1): "X Y ZY x yX z",
        (-1, 1, -3): "X Yx ZY xx yy z",
        (-1, 2, 0): "X Y Z xZ y z",
        (0, -2, -3): "X Y Z xy y z",
        (0, -1, -2): "XZ YY Zy xx yy zY",
        (0, 0, 0): "X Y ZY xx y z",
        (0, 1, 2): "X Y Z xY y zY",
        (0, 2, 3): "X Y Z xZ yX zY",
        (1, -2, 0): "Xz Y Z xy y z",
        (1, -1, 3): "X Y Z x y z",
        (1, 0, -1): "X Y ZX xY yx z",
        (1, 0, 2): "XX YY Zx xy yy z",
        (1, 1, -2): "X Y ZX xY yy z",
        (1, 2, 0): "X Y Z xY y z",
        (1, 3, -3): "X Y Z x y zY",
        (1, 3, -1): "X Y ZX x yx zY",
        (1, 3, 2): "XX Y ZX xz yX z",
        (2, -3, 1): "XZ Y Z x y z",
        (2, -2, -3): "Xy Y Z xZ y z",
        (2, -1, 1): "Xy Y Z x yz z",
        (2, 0, -3): "X YX Z x yX z",
        (2, 1, 1): "XY Y Z x yZ z",
        (2, 2, 3): "X YY Z xY y zY",
        (2, 3, -2): "X Y ZX xx y zX",
        (3, -3, -1): "X Y Z x yZ z",
        (3, -2, 2): "X Y Z x yZ zy",
        (3, -1, -2): "Xy Y Z x y zy",
        (3, -1, 0): "Xy Y ZY xz y zX",
        (3, 1, -1): "XY Y ZY xY y z",
        (3, 1, 3): "XY YY ZY xZ y zY",
    },
)
