"""Arrays as short text: the smallest type that holds them, deflated, in base64."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hopscape.core.arrays import Array

__all__ = ["pack", "packed_size", "unpack"]

_WHOLE = ("u1", "u2", "u4", "i1", "i2", "i4")


def pack(values: ArrayLike) -> dict[str, Any]:
    """An array for the page: ``{"t": type, "n": entries, "d": base64 of raw deflate}``.

    Whole numbers take the smallest of u1, u2, u4, i1, i2, i4 that holds them all; others are f4.

    Examples:
        >>> packed = pack([1, 2, 300])
        >>> packed["t"], packed["n"], unpack(packed).tolist()
        ('u2', 3, [1, 2, 300])
    """
    array = np.ascontiguousarray(values).ravel()
    kind = _kind(array)
    engine = zlib.compressobj(9, zlib.DEFLATED, -15)
    raw = engine.compress(array.astype(f"<{kind}").tobytes()) + engine.flush()
    return {"t": kind, "n": len(array), "d": base64.b64encode(raw).decode("ascii")}


def unpack(packed: dict[str, Any]) -> Array:
    """The array again."""
    raw = zlib.decompress(base64.b64decode(packed["d"]), -15)
    return np.frombuffer(raw, dtype=f"<{packed['t']}")


def packed_size(packed: dict[str, Any]) -> int:
    """How many bytes of the page it takes, about."""
    return len(packed["d"]) + 30


def _kind(array: Array) -> str:
    if array.dtype.kind == "f":
        return "f4"
    if not array.size:
        return "u1"
    low, high = int(array.min()), int(array.max())
    return next(
        kind
        for kind in _WHOLE
        if np.iinfo(np.dtype(kind)).min <= low and high <= np.iinfo(np.dtype(kind)).max
    )
