"""Small members of every family, made from the families' own parameters.

Nothing here knows a family: whatever ``parameters`` allow is tried, and what the family accepts
below some hundred nodes is a member to be checked, however odd (one node, sides of 1 and 2, loops,
parallel links, islands, networks inside networks).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator

import numpy as np

from hopscape.core.errors import HopscapeError
from hopscape.core.family import REQUIRED, Family, Parameter
from hopscape.registry import member

__all__ = ["members", "tuples"]

TINY = (
    "ring(1)", "ring(2)", "ring(3)", "ring(4)", "path(1)", "path(3)", "complete(1)", "complete(4)",
    "mesh(1, 2)", "mesh(2, 3)", "torus(1)", "torus(2, 2)", "torus(3, 1)", "hypercube(0)",
    "circulant(1)", "circulant(4)", "circulant(2, 1)", "circulant(4, 2)", "circulant(5, 1, 1)",
    "circulant(6, 2, 3)", "debruijn(2, 1)", "debruijn(2, 2)", "kautz(2, 1)", "kautz(2, 2)",
    "debruijn(2, 2, duplex=true)", "random_regular(1, 0)", "random_regular(4, 3)",
    "multiring(3, 1, simplex=true)", "multiring(4, 2)", "multiring(2, 1, copies=2)",
    "petersen", "heawood", "product(ring(1), ring(1))", "product(path(2), ring(3))",
    "folded(ring(1), 2)", "folded(ring(3), 2)", "expanded(ring(1), 2)", "expanded(path(2), 1)",
    "ring_of_cycles(complete(2), 2)", "dragonfly(1, 1)", "dragonfly(2, 1, p=1)", "fat_tree(2)",
)  # fmt: skip
"""Parts of larger networks, each odd in its own way."""

_SPAN = 9
_MOST_TUPLES = 1500


def members(
    family: type[Family], *, most: int | None = None, order: int = 200, seed: int = 0
) -> Iterator[str]:
    """Specs that a family accepts, of at most so many nodes; all small ones, or a seeded sample."""
    found = 0
    for spec in tuples(family, seed):
        try:
            size = member(spec).order
        except (HopscapeError, MemoryError):
            continue
        if size <= order:
            yield spec
            found += 1
            if found == most:
                return


def tuples(family: type[Family], seed: int = 0) -> list[str]:
    """Specs with small values of all parameters, shuffled.

    All tuples of the required parameters (a sample when they are too many), and as many again with
    each of the others given or left out by lot.
    """
    generator = np.random.default_rng(seed)
    optional = [p.default is not REQUIRED for p in family.parameters]
    choices = [_texts(parameter) for parameter in family.parameters]
    plain = [[""] if left else texts for left, texts in zip(optional, choices, strict=True)]
    sizes = [len(texts) for texts in plain]
    total = math.prod(sizes)
    places = generator.choice(total, size=min(total, _MOST_TUPLES), replace=False)
    rows = [np.unravel_index(place, sizes) if sizes else () for place in places.tolist()]
    out = [_write(family, [plain[i][int(k)] for i, k in enumerate(row)]) for row in rows]
    for _ in range(min(math.prod(map(len, choices)), _MOST_TUPLES) if any(optional) else 0):
        some = [
            "" if left and generator.random() < 0.5 else texts[generator.integers(len(texts))]
            for left, texts in zip(optional, choices, strict=True)
        ]
        out.append(_write(family, some))
    distinct = list(dict.fromkeys(out))
    generator.shuffle(distinct)
    return distinct


def _write(family: type[Family], texts: list[str]) -> str:
    inner = ", ".join(text for text in texts if text)
    return f"{family.name}({inner})" if inner else family.name


def _texts(parameter: Parameter) -> list[str]:
    """The small values of one parameter as they are written in a spec; empty to leave it out."""
    label = "" if parameter.default is REQUIRED else f"{parameter.name}="
    texts = [f"{label}{value}" for value in _values(parameter)]
    return texts if parameter.default is REQUIRED and not parameter.variadic else ["", *texts]


def _values(parameter: Parameter) -> list[str]:
    if parameter.kind == "network":
        if not parameter.variadic:
            return list(TINY)
        some = TINY[:: max(1, len(TINY) // 12)]
        return [*TINY, *(f"{a}, {b}" for a in TINY for b in some), "ring(2), path(2), ring(3)"]
    if parameter.kind == "flag":
        return ["true", "false"]
    if parameter.kind == "text":
        return [f'"{word}"' for word in re.findall(r'"([^"]+)"', parameter.help)]
    low = 0 if parameter.low is None else parameter.low
    high = low + _SPAN if parameter.high is None else min(low + _SPAN, parameter.high)
    numbers = list(range(low, high + 1))
    if parameter.low is None:
        numbers += [-1, -2]
    few = numbers[:5]
    lists = [[], *([n] for n in numbers), *itertools.product(few, repeat=2)]
    lists += [*itertools.product(few[:3], repeat=3)]
    joined = [", ".join(map(str, values)) for values in lists]
    if parameter.kind == "ints":
        return [f"[{text}]" for text in joined]
    return joined[1:] if parameter.variadic else [str(n) for n in numbers]
