"""What readers of graph files collect: nodes, links and what is said of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopscape.core.channels import ATTRIBUTES, group_links, link_attribute
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.network import Network
from hopscape.core.reading import TextFile, TextLine, Word
from hopscape.formats.graphs.libraries import named

__all__ = ["Draft", "Token", "tokens"]

Complaint = Callable[[str], FileFormatError]


@dataclass
class Draft:
    """A graph while it is read.

    Nodes are numbered as they come; names that are the numbers 0..n-1 keep their value.
    """

    directed: bool = False
    names: dict[str, int] = field(default_factory=dict)
    switches: set[int] = field(default_factory=set)
    ends: list[tuple[int, int]] = field(default_factory=list)
    said: list[dict[str, float]] = field(default_factory=list)

    def node(self, name: str, attributes: Mapping[str, Any] | None = None) -> int:
        """A node, new or known; ``kind`` equal to ``switch`` makes it a switch."""
        number = self.names.setdefault(name, len(self.names))
        if attributes and attributes.get("kind") == "switch":
            self.switches.add(number)
        return number

    def link(self, a: int, b: int, attributes: Mapping[str, Any], error: Complaint) -> None:
        """A link with its capacity, delay and length, where they are said."""
        self.ends.append((a, b))
        given = {name: attributes[name] for name in ATTRIBUTES if attributes.get(name) is not None}
        try:
            self.said.append({name: link_attribute(name, value) for name, value in given.items()})
        except ArgumentError as problem:
            raise error(str(problem)) from problem

    def network(self, spec: str, error: Complaint) -> Network:
        """The network, once all is read."""
        if not self.names:
            raise error("there are no nodes in it")
        names = list(self.names)
        place = list(range(len(names)))
        if all(re.fullmatch(r"0|[1-9][0-9]{0,9}", name, re.ASCII) for name in names):
            values = [int(name) for name in names]
            if sorted(values) == place:
                place, names = values, [str(i) for i in range(len(names))]
        turn = np.asarray(place, dtype=np.int64)
        ends = turn[np.asarray(self.ends, dtype=np.int64).reshape(-1, 2)]
        classes, kinds = group_links(self.said)
        switches = np.sort(turn[sorted(self.switches)]) if self.switches else None
        return Network.from_links(
            len(names),
            ends[:, 0],
            ends[:, 1],
            duplex=not self.directed,
            spec=spec,
            addresses=named(names),
            switches=switches,
            classes=classes,
            kinds=kinds,
        )


@dataclass(frozen=True)
class Token:
    """A word of a file by its kind, and where it stands."""

    kind: str
    text: str
    word: Word

    def error(self, message: str) -> FileFormatError:
        """A complaint about this word."""
        return self.word.error(message)


def tokens(file: TextFile, pattern: re.Pattern[str]) -> Iterator[Token]:
    """The words of a file, by a pattern of named groups; the group ``skip`` is left out.

    Raises:
        FileFormatError: At the first character that the pattern does not know.
    """
    text = file.text
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    at = 0
    while at < len(text):
        row = bisect_right(starts, at)
        line = TextLine(file, row, "")
        match = pattern.match(text, at)
        if match is None or match.end() == at:
            raise line.error(f"{text[at]!r} is not expected here", at - starts[row - 1] + 1)
        kind = match.lastgroup or ""
        if kind != "skip":
            yield Token(kind, match[0], Word(match[0], line, at - starts[row - 1] + 1))
        at = match.end()
