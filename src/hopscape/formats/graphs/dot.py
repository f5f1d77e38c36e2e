"""Graphviz files (DOT): graphs and digraphs, chains of edges, attributes, groups in braces."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import IO

from hopscape.core.network import Network
from hopscape.core.reading import TextFile
from hopscape.formats.graphs.draft import Draft, Token, tokens
from hopscape.formats.graphs.libraries import described_links, node_places

__all__ = ["read_dot", "write_dot"]

_PATTERN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)
    |(?P<edge>--|->)
    |(?P<quoted>"(?:[^"\\]|\\.)*")
    |(?P<name>[^\W\d]\w*|-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?))
    |(?P<mark>[{}\[\];,=:])""",
    re.VERBOSE | re.DOTALL,
)
_DEEPEST = 50  # the reader calls itself for each group; Python's stack holds 1,000 frames


class _Reader:
    """Reads statements; one word ahead is enough."""

    def __init__(self, file: TextFile, directed: bool) -> None:
        self.file = file
        self.words = list(tokens(file, _PATTERN))
        self.at = 0
        self.draft = Draft(directed)
        self.strict = False
        self.seen: set[tuple[int, int]] = set()

    def peek(self) -> str:
        if self.at == len(self.words):
            return ""
        word = self.words[self.at]
        return word.text if word.kind in ("mark", "edge") else word.text.lower()

    def take(self, *wanted: str) -> Token:
        if self.at == len(self.words):
            raise self.file.error("it breaks off; a graph ends with a closing brace")
        word = self.words[self.at]
        if wanted and self.peek() not in wanted:
            raise word.error(f"expected {' or '.join(wanted)}, found {word.text!r:.40}")
        self.at += 1
        return word

    def name(self) -> str:
        word = self.take()
        if word.kind == "quoted":
            body = re.sub(r"\\\r?\n", "", word.text[1:-1])
            return re.sub(r'\\(["\\])', r"\1", body)
        if word.kind != "name":
            raise word.error(f"expected a name, found {word.text!r:.40}")
        return word.text

    def graph(self) -> Draft:
        if self.peek() == "strict":
            self.strict = bool(self.take())
        kind = self.take("graph", "digraph").text.lower()
        self.draft.directed |= kind == "digraph"
        self.edge = "->" if kind == "digraph" else "--"
        if self.peek() != "{":
            self.name()
        self.take("{")
        self.body(1)
        if self.at < len(self.words):
            raise self.words[self.at].error("a file with more than one graph; one is read")
        return self.draft

    def body(self, depth: int) -> None:
        while self.peek() != "}":
            if self.peek() in (";", ","):
                self.take()
            elif self.peek() in ("graph", "node", "edge"):
                self.take()
                self.attributes()
            elif self.peek() in ("subgraph", "{"):
                self.group(depth)
            else:
                self.chain()
        self.take("}")

    def group(self, depth: int) -> None:
        first = self.take("subgraph", "{")
        if depth > _DEEPEST:
            raise first.error(f"groups more than {_DEEPEST} deep")
        if first.text.lower() == "subgraph":
            if self.peek() != "{":
                self.name()
            self.take("{")
        self.body(depth + 1)
        if self.peek() in ("--", "->"):
            raise self.take().error("a link from a whole group, which is not read")

    def chain(self) -> None:
        """A node, a link or several, or ``name = value``."""
        names = [self.name()]
        if self.peek() == "=":
            self.take()
            self.name()
            return
        self.port()
        first = self.words[self.at - 1]
        while self.peek() in ("--", "->"):
            self.take(self.edge)
            if self.peek() in ("subgraph", "{"):
                raise self.take().error("a link to a whole group, which is not read")
            names.append(self.name())
            self.port()
        given = self.attributes()
        numbers = [self.draft.node(name, given if len(names) == 1 else None) for name in names]
        for a, b in pairwise(numbers):
            pair = (a, b) if self.edge == "->" else (min(a, b), max(a, b))
            if not (self.strict and pair in self.seen):
                self.draft.link(a, b, given, first.error)
            self.seen.add(pair)

    def port(self) -> None:
        while self.peek() == ":":
            self.take()
            self.name()

    def attributes(self) -> dict[str, str]:
        attributes: dict[str, str] = {}
        while self.peek() == "[":
            self.take()
            while self.peek() != "]":
                key = self.name()
                attributes[key] = "true"
                if self.peek() == "=":
                    self.take()
                    attributes[key] = self.name()
                if self.peek() in (",", ";"):
                    self.take()
            self.take("]")
        return attributes


def read_dot(path: Path, spec: str, directed: bool) -> Network:
    """Read a DOT file.

    Raises:
        FileFormatError: With line and column.
    """
    file = TextFile(path)
    return _Reader(file, directed).graph().network(spec, file.error)


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{" ".join(plain.split())}"'


def write_dot(network: Network, out: IO[bytes]) -> None:
    """Write a DOT file, with places that ``neato -n`` keeps."""
    kind, edge = ("graph", "--") if network.duplex else ("digraph", "->")
    lines = [f"{kind} {_quoted(network.spec)} {{"]
    ends = set(network.endpoints.tolist())
    places = node_places(network)
    for v in range(network.order):
        shape = "" if v in ends else ', kind="switch", shape="box"'
        where = "" if places is None else f', pos="{places[v, 0]:.4f},{places[v, 1]:.4f}"'
        lines.append(f"  {v} [label={_quoted(network.addresses.text(v))}{shape}{where}];")
    for a, b, attributes in described_links(network):
        text = ", ".join(f"{key}={value}" for key, value in attributes.items())
        lines.append(f"  {a} {edge} {b} [{text}];")
    out.write(("\n".join([*lines, "}"]) + "\n").encode())
