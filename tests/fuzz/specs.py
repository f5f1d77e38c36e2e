"""Random specs from the families' own parameters: right ones, odd ones, huge ones, nested ones."""

from __future__ import annotations

import random
import string

import hopscape
from hopscape.core.family import Family, Parameter
from hopscape.core.spec import write_value

_EDGES = (
    0, 1, -1, 2, 3, 63, 64, 65, 255, 256, 257, 1000, 65535, 65536, 999_983, 10**6, 2**31 - 1, 2**31,
    2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64, 2**64 + 13, 10**30, -(2**63) - 1, 10**200,
)  # fmt: skip
_WORDS = ("none", "true", "false", '"x"', "[]", "()", "nan", "1.5", "1e400", "-0", "", "٣", "0x1")


def random_spec(rng: random.Random, depth: int = 0) -> str:
    """A spec of a random family; seldom damaged as a text."""
    families = hopscape.all_families()
    family = families[rng.choice(sorted(families))]
    arguments = [text for p in family.parameters for text in _arguments(p, rng, depth)]
    if rng.random() < 0.05:
        arguments.append(rng.choice(_WORDS))
    if rng.random() < 0.02 and arguments:
        arguments.pop(rng.randrange(len(arguments)))
    inner = ", ".join(arguments)
    spec = f"{family.name}({inner})" if inner or rng.random() < 0.5 else family.name
    if depth == 0 and rng.random() < 0.2:
        spec = _example(family, rng)
    return _garble(spec, rng) if depth == 0 and rng.random() < 0.1 else spec


def _arguments(parameter: Parameter, rng: random.Random, depth: int) -> list[str]:
    if parameter.variadic:
        count = rng.choice((0, 1, 1, 2, 2, 3, 4, 7))
        return [_value(parameter, rng, depth) for _ in range(count)]
    text = _value(parameter, rng, depth)
    optional = parameter.default is not hopscape.core.family.REQUIRED
    if optional:
        return [f"{parameter.name}={text}"] if rng.random() < 0.5 else []
    return [f"{parameter.name}={text}" if rng.random() < 0.05 else text]


def _value(parameter: Parameter, rng: random.Random, depth: int) -> str:
    if rng.random() < 0.02:
        return rng.choice(_WORDS)
    if parameter.kind == "network":
        return random_spec(rng, depth + 1) if depth < 3 else "ring(5)"
    if parameter.kind == "text":
        letters = "".join(rng.choice(string.printable) for _ in range(rng.randrange(8)))
        return write_value(rng.choice((letters, "graph.edges", "/dev/null", "..", "nothing.npz")))
    if parameter.kind == "flag":
        return rng.choice(("true", "false", "0", "1", "2"))
    if parameter.kind == "ints":
        return write_value([_integer(parameter, rng) for _ in range(rng.choice((0, 1, 2, 3, 6)))])
    return str(_integer(parameter, rng))


def _integer(parameter: Parameter, rng: random.Random) -> int:
    low = parameter.low if parameter.low is not None else 0
    kind = rng.random()
    if kind < 0.65:
        return low + rng.choice((0, 0, 1, 1, 2, 3, 4, 5, 7, 9, 12, 20, rng.randrange(40)))
    if kind < 0.8:
        return rng.randrange(10 ** rng.randrange(1, 8))
    if kind < 0.85 and parameter.high is not None:
        return parameter.high + rng.choice((-1, 0, 1))
    return rng.choice(_EDGES)


def _example(family: type[Family], rng: random.Random) -> str:
    """The family's own example with one number changed."""
    text = family.example
    digits = [i for i, c in enumerate(text) if c.isdigit()]
    if not digits:
        return text
    at = rng.choice(digits)
    return text[:at] + str(rng.choice(_EDGES)) + text[at + 1 :]


def _garble(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    letter = rng.choice("()[],='\" \t\n\x00é²_.-+eE0" + string.ascii_letters)
    return text[:at] + letter + text[at + rng.randrange(2) :]
