"""A user's own graph file as a network like any other."""

from __future__ import annotations

from hopscape.core.addresses import Addresses
from hopscape.core.arrays import IntArray
from hopscape.core.channels import ChannelClass
from hopscape.core.family import ListedFamily, Parameter
from hopscape.formats.graphs import ENDINGS, read_network
from hopscape.formats.graphs.libraries import link_ends

__all__ = ["File"]


class File(ListedFamily):
    """The graph of a file; undirected edges become duplex links."""

    name = "file"
    summary = f"your own graph from a file ({', '.join(ENDINGS)})"
    parameters = (
        Parameter("path", "text", "name of the file"),
        Parameter("directed", "flag", "read links as simplex channels", default=False),
    )
    example = 'file("graph.edges")'
    reads_files = True

    def __init__(self, path: str, directed: bool = False) -> None:
        self.path, self.directed = path, directed
        self._read = read_network(path, directed)
        self.duplex = self._read.duplex

    @property
    def order(self) -> int:
        return self._read.order

    @property
    def addresses(self) -> Addresses:
        return self._read.addresses

    def links(self) -> tuple[IntArray, IntArray]:
        tails, heads, _ = link_ends(self._read)
        return tails, heads

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """The kinds that the attributes of the links make: capacity, delay, length."""
        return self._read.classes

    def link_kinds(self) -> IntArray | None:
        return self._read.class_of(link_ends(self._read)[2])

    def switches(self) -> IntArray | range | None:
        return self._read._switches
