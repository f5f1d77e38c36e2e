"""Values that JSON knows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape._version import __version__

__all__ = ["plain", "signed_json"]


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
