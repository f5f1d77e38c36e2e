"""Links as the page numbers them, and channels by link.

The page knows links: a duplex link once, a simplex channel once. Channel 2i of the page runs along
link i, channel 2i + 1 against it (there is none where the link is simplex).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.network import Network
from hopscape.interchange.convert import link_ends

__all__ = ["Links", "number_links"]


@dataclass(frozen=True)
class Links:
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


def number_links(network: Network) -> Links:
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
    return Links(tails.astype(np.int64), heads.astype(np.int64), first, second, channel)
