"""Graph Modelling Language (GML): nested lists of keys and values."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import IO, Any

from hopscape.core.network import Network
from hopscape.core.reading import TextFile
from hopscape.interchange.convert import described_links, node_places
from hopscape.interchange.draft import Draft, Token, tokens

__all__ = ["read_gml", "write_gml"]

_PATTERN = re.compile(
    r"""(?P<skip>\s+|\#[^\n]*)
    |(?P<string>"[^"]*")
    |(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]))
    |(?P<key>[A-Za-z]\w*)
    |(?P<mark>[\[\]])""",
    re.VERBOSE | re.ASCII,
)
_DEEPEST = 50
_List = list[tuple[str, Any, Token]]


def read_gml(path: Path, spec: str, directed: bool) -> Network:
    """Read a GML file: nodes with ``id``, edges with ``source`` and ``target``.

    Raises:
        FileFormatError: With line and column.
    """
    file = TextFile(path)
    graphs = [value for key, value, _ in _parse(file) if key == "graph" and isinstance(value, list)]
    if len(graphs) != 1:
        raise file.error(f"it has {len(graphs)} graphs; one is read")
    draft = Draft(directed or _one(graphs[0], "directed") in ("1", "true"))
    labels: dict[str, str] = {}
    nodes = [(value, word) for key, value, word in graphs[0] if key == "node"]
    for value, word in nodes:
        name = _identity(value, "id", word)
        if name in labels:
            raise word.error(f"node {name!r:.40} is there twice")
        labels[name] = str(_one(value, "label") or name)
    unique = len(set(labels.values())) == len(labels)
    for value, word in nodes:
        name = _identity(value, "id", word)
        draft.node(labels[name] if unique else name, {"kind": _one(value, "kind")})
    numbers = {name: i for i, name in enumerate(labels)}
    for key, value, word in graphs[0]:
        if key == "edge":
            ends = [_identity(value, end, word) for end in ("source", "target")]
            for end in ends:
                if end not in numbers:
                    raise word.error(f"a link names node {end!r:.40}, which is not listed")
            said = {k: v for k, v, _ in value if not isinstance(v, list)}
            draft.link(numbers[ends[0]], numbers[ends[1]], said, word.error)
    return draft.network(spec, file.error)


def _parse(file: TextFile) -> _List:
    stack: list[_List] = [[]]
    key: Token | None = None
    for word in tokens(file, _PATTERN):
        if key is None and word.kind == "key":
            key = word
        elif word.text == "]" and key is None and len(stack) > 1:
            stack.pop()
        elif key is not None and word.text == "[" and len(stack) <= _DEEPEST:
            stack[-1].append((key.text, [], key))
            stack.append(stack[-1][-1][1])
            key = None
        elif key is not None and word.kind in ("string", "number", "key"):
            text = html.unescape(word.text[1:-1]) if word.kind == "string" else word.text
            stack[-1].append((key.text, text, key))
            key = None
        else:
            wanted = "a key" if key is None else f"a value of {key.text}"
            raise word.error(f"expected {wanted}, found {word.text!r:.40}")
    if key is not None or len(stack) > 1:
        raise file.error("it breaks off inside a list")
    return stack[0]


def _one(value: Any, key: str) -> str | None:
    found = [v for k, v, _ in value if k == key] if isinstance(value, list) else []
    return found[0] if found and isinstance(found[0], str) else None


def _identity(value: Any, key: str, word: Token) -> str:
    found = _one(value, key)
    if found is None:
        raise word.error(f"{word.text} has no {key}")
    return found


def _string(text: str) -> str:
    plain = text.encode("ascii", "xmlcharrefreplace").decode().replace('"', "&quot;")
    return f'"{" ".join(plain.split())}"'


def write_gml(network: Network, out: IO[bytes]) -> None:
    """Write a GML file, with places under ``graphics``."""
    lines = ["graph [", f"  directed {int(not network.duplex)}"]
    lines.append(f"  comment {_string(network.spec.replace('&', '&amp;'))}")
    ends, places = set(network.endpoints.tolist()), node_places(network)
    for v in range(network.order):
        kind = "" if v in ends else ' kind "switch"'
        where = (
            f" graphics [ x {places[v, 0]:.4f} y {places[v, 1]:.4f} ]" if places is not None else ""
        )
        lines.append(f'  node [ id {v} label "{v}"{kind}{where} ]')
    for a, b, told in described_links(network):
        text = " ".join(f"{key} {value}" for key, value in told.items())
        lines.append(f"  edge [ source {a} target {b} {text} ]")
    out.write(("\n".join([*lines, "]"]) + "\n").encode())
