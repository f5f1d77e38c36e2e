"""Numbers for people, written alike in tables, sentences, labels and errors.

Values that JSON knows.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape._version import __version__

__all__ = ["byte_count", "counted", "number", "plain", "shortened", "signed_json"]

_DECIMALS = 4  # what a reader compares; more digits stand in JSON
_LARGE = 1e6
"""From here on there are none."""
_ROUNDING = 1e-12
"""What is smaller is a zero that was computed."""
_WHOLE = 1e15
"""Floats from here on are no whole numbers any more, but powers of ten."""
_HUGE = 10**20  # from 21 digits on a number is its size, not its digits
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def number(value: float | Fraction, *, grouped: bool = False) -> str:
    """A number with at most four decimals; of a huge whole number its first digits and length.

    Args:
        grouped: With commas between thousands.

    Examples:
        >>> number(51 / 22), number(26.0), number(2.0e-7), number(Fraction(1, 3)), number(0.5e9)
        ('2.3182', '26', '2e-07', '0.3333', '500000000')
        >>> number(1536, grouped=True), number(14**20), number(14**20, grouped=True)
        ('1,536', '836682… (23 digits)', '836682… (23 digits)')
    """
    comma = "," if grouped else ""
    if isinstance(value, int):
        if abs(value) < _HUGE:
            return f"{value:{comma}}"
        digits = str(abs(value))
        return f"{'-' if value < 0 else ''}{digits[:6]}… ({len(digits)} digits)"
    decimal = float(value)
    if not abs(decimal) < _WHOLE or _ROUNDING < abs(decimal) < 0.5 * 10**-_DECIMALS:
        return f"{decimal:.4g}"
    if abs(decimal) >= _LARGE:
        return f"{decimal:{comma}.0f}"
    text = f"{decimal:{comma}.{_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def counted(many: float, single: str, several: str | None = None) -> str:
    """A number with its noun.

    Args:
        several: The noun in the plural, where that is not the singular with an s.

    Examples:
        >>> counted(1, "port"), counted(0, "port"), counted(1024, "switch", "switches")
        ('1 port', '0 ports', '1,024 switches')
    """
    noun = single if many == 1 else several or f"{single}s"
    return f"{number(many, grouped=True)} {noun}"


def byte_count(size: float) -> str:
    """A number of bytes.

    Examples:
        >>> byte_count(64_000), byte_count(1_530_000_000), byte_count(12)
        ('64 kB', '1.53 GB', '12 bytes')
        >>> byte_count(10**30)
        'about 10^30 bytes'
    """
    if size >= 1000 ** len(_UNITS):
        return f"about 10^{math.floor(math.log10(size))} bytes"
    step = 0
    while size >= 1000 ** (step + 1):
        step += 1
    return f"{size / 1000**step:.4g} {_UNITS[step]}"


def shortened(text: str, most: int) -> str:
    """At most so many letters of a text, with a sign where more were left out.

    Examples:
        >>> shortened("torus(8, 8)", 11), shortened("torus(16, 16)", 11)
        ('torus(8, 8)', 'torus(16, …')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def plain(value: Any) -> Any:
    """Turn a value into what JSON knows: fractions as "p/q", arrays as lists."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def signed_json(data: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> str:
    """A record, or a list of them, as JSON; ``hopscape`` is the version that wrote it.

    Every record of a list is signed, so an empty list is not.

    Examples:
        >>> import json
        >>> sorted(json.loads(signed_json({"nodes": 14})))
        ['hopscape', 'nodes']
    """
    one = isinstance(data, Mapping)
    signed = [{**plain(record), "hopscape": __version__} for record in ([data] if one else data)]
    return json.dumps(signed[0] if one else signed, indent=2, ensure_ascii=False) + "\n"
