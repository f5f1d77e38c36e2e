"""What the commands about rings share: shares of routes, and which rings a SPEC names."""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from hopscape.cli.options import option
from hopscape.core.errors import ArgumentError
from hopscape.core.reading import TextFile
from hopscape.registry import build

if TYPE_CHECKING:
    from hopscape.families.multiring import SparseMultiring

__all__ = ["DistributionOption", "read_distribution", "sparse_member"]

DistributionOption = Annotated[
    str,
    option(
        "How often routes 1..N-1 are taken: uniform, weights such as 3,1,1/2, or a file.",
        "--distribution",
    ),
]


def read_distribution(text: str) -> list[Fraction] | None:
    """Weights of the routes; None when they are uniform."""
    if text == "uniform":
        return None
    if Path(text).is_file():
        lines = TextFile(text).lines("#")
        return [_weight(word.text, text) for line in lines for word in line.words()]
    return [_weight(word, text) for word in text.replace(",", " ").split()]


def _weight(word: str, text: str) -> Fraction:
    if re.fullmatch(r"[0-9.]{1,40}(e-?[0-9]{1,2})?(/[0-9]{1,40})?", word, re.ASCII):
        with suppress(ValueError, ZeroDivisionError):
            return Fraction(word)
    raise ArgumentError(
        f"distribution {text!r:.60} is neither 'uniform', a list of numbers nor a file with one:"
        f" {word!r:.40} is not a number of at least 0"
    )


def sparse_member(spec: str) -> SparseMultiring:
    """The sparse rings of a SPEC, and of no other."""
    from hopscape.families.multiring import SparseMultiring

    member = build(spec).family
    if not isinstance(member, SparseMultiring):
        raise ArgumentError(f"{spec} is not a sparse_multiring(...)")
    return member
