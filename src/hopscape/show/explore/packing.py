"""Arrays as short text: the smallest type that holds them, deflated, in base64.

Links as the page numbers them, and channels by link.

The page knows links: a duplex link once, a simplex channel once. Channel 2i of the page runs along
link i, channel 2i + 1 against it (there is none where the link is simplex).
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hopscape.core.arrays import Array, Floats, IntArray
from hopscape.core.network import Network
from hopscape.formats.graphs.libraries import link_ends

__all__ = ["PageLinks", "number_links", "pack", "packed_size", "unpack"]

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


@dataclass(frozen=True)
class PageLinks:
    """All links of a network.

    Attributes:
        tails, heads: int64[links]
        first, second (int64[links]): The channels of a link along it and against it (-1: simplex).
        channel (int64[channels]): The number on the page of every channel of the network.
    """

    tails: IntArray
    heads: IntArray
    first: IntArray
    second: IntArray
    channel: IntArray

    def by_channel(self, values: Floats) -> Floats:
        """Values of the network's channels in the order of the page; 0 where there is none."""
        out = np.zeros(2 * len(self.tails))
        out[self.channel] = values
        return out


def number_links(network: Network) -> PageLinks:
    """The links of a network in the order of the page.

    Examples:
        >>> import hopscape
        >>> links = number_links(hopscape.build("path(3)"))
        >>> links.tails.tolist(), links.heads.tolist(), links.channel.tolist()
        ([0, 1], [1, 2], [0, 2, 1, 3])
    """
    tails, heads, first = link_ends(network)
    second = network.reverse[first].astype(np.int64)
    channel = np.zeros(len(network.heads), dtype=np.int64)
    duplex = second >= 0
    channel[second[duplex]] = 2 * np.flatnonzero(duplex) + 1
    channel[first] = 2 * np.arange(len(first))
    return PageLinks(tails.astype(np.int64), heads.astype(np.int64), first, second, channel)
