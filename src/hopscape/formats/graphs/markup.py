"""GML (nested lists of keys and values) and GEXF 1.3, the format of Gephi, with positions."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from hopscape.core.network import Network
from hopscape.core.reading import TextFile
from hopscape.formats.graphs.draft import Draft, Token, tokens
from hopscape.formats.graphs.libraries import described_links, node_places

__all__ = ["read_gexf", "read_gml", "write_gexf", "write_gml"]

_PATTERN = re.compile(
    r"""(?P<skip>\s+|\#[^\n]*)
    |(?P<string>"[^"]*")
    |(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]))
    |(?P<key>[A-Za-z]\w*)
    |(?P<mark>[\[\]])""",
    re.VERBOSE | re.ASCII,
)
_DEEPEST = 50  # real files nest two or three deep
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
            fields = {k: v for k, v, _ in value if not isinstance(v, list)}
            draft.link(numbers[ends[0]], numbers[ends[1]], fields, word.error)
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
    values = [v for k, v, _ in value if k == key] if isinstance(value, list) else []
    return values[0] if values and isinstance(values[0], str) else None


def _identity(value: Any, key: str, word: Token) -> str:
    entry = _one(value, key)
    if entry is None:
        raise word.error(f"{word.text} has no {key}")
    return entry


def _string(text: str) -> str:
    plain = text.encode("ascii", "xmlcharrefreplace").decode().replace('"', "&quot;")
    return f'"{" ".join(plain.split())}"'


def write_gml(network: Network, out: IO[bytes]) -> None:
    """Write a GML file, with places under ``graphics``."""
    lines = ["graph [", f"  directed {int(not network.duplex)}"]
    lines.append(f"  comment {_string(network.spec.replace('&', '&amp;'))}")
    ends, places = set(network.endpoints.tolist()), node_places(network)
    links = list(described_links(network))
    if len({(a, b) for a, b, _ in links}) < len(links):
        lines.append("  multigraph 1")  # networkx takes parallel links then
    for v in range(network.order):
        kind = "" if v in ends else ' kind "switch"'
        where = (
            f" graphics [ x {places[v, 0]:.4f} y {places[v, 1]:.4f} ]" if places is not None else ""
        )
        lines.append(f'  node [ id {v} label "{v}"{kind}{where} ]')
    for a, b, attributes in links:
        text = " ".join(f"{key} {value}" for key, value in attributes.items())
        lines.append(f"  edge [ source {a} target {b} {text} ]")
    out.write(("\n".join([*lines, "]"]) + "\n").encode())


_SPACES = 'xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz"'


def read_gexf(path: Path, spec: str, directed: bool) -> Network:
    """Read a GEXF file: its static nodes and edges."""
    file = TextFile(path)
    try:
        root = ElementTree.fromstring(file.text.encode())
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise file.error(f"it is not a GEXF graph: {error}") from error
    graph = next((child for child in root if _tag(child) == "graph"), None)
    if _tag(root) != "gexf" or graph is None:
        raise file.error("it is not a GEXF graph: there is no graph in a gexf element")
    kind = graph.get("defaultedgetype", "undirected")
    draft = Draft(directed or kind == "directed")
    titles = _titles(graph)
    for node in _inside(graph, "nodes", "node"):
        name = node.get("id")
        if name is None or name in draft.names:
            raise file.error(f"node {name!r:.40} has no id, or one that is there already")
        draft.node(name, _said(node, titles))
    for number, edge in enumerate(_inside(graph, "edges", "edge"), 1):
        ends = [edge.get("source"), edge.get("target")]
        if any(end not in draft.names for end in ends):
            raise file.error(f"edge {number} joins nodes that are not listed: {ends!r:.80}")
        if edge.get("type", kind) not in (kind, "") and not directed:
            raise file.error(f"edge {number} is {edge.get('type')}, but the graph is {kind}")
        a, b = (draft.names[str(end)] for end in ends)
        draft.link(a, b, _said(edge, titles), file.error)
    return draft.network(spec, file.error)


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _inside(graph: Any, group: str, tag: str) -> list[Any]:
    return [e for part in graph if _tag(part) == group for e in part if _tag(e) == tag]


def _titles(graph: Any) -> dict[str, str]:
    """The titles of attributes, by class and id."""
    return {
        f"{part.get('class')} {one.get('id')}": str(one.get("title"))
        for part in graph
        if _tag(part) == "attributes"
        for one in part
    }


def _said(element: Any, titles: dict[str, str]) -> dict[str, Any]:
    kind = _tag(element)
    return {
        titles.get(f"{kind} {value.get('for')}", ""): value.get("value")
        for part in element
        if _tag(part) == "attvalues"
        for value in part
    }


def write_gexf(network: Network, out: IO[bytes]) -> None:
    """Write a GEXF file."""
    links = list(described_links(network))
    known = ["port", *sorted({key for *_, attributes in links for key in attributes} - {"port"})]
    kind = "undirected" if network.duplex else "directed"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<gexf {_SPACES} version="1.3">',
        f"  <meta><creator>hopscape</creator><description>{_text(network.spec)}</description>",
        "  </meta>",
        f'  <graph defaultedgetype="{kind}">',
        '    <attributes class="node"><attribute id="0" title="kind" type="string"/></attributes>',
        '    <attributes class="edge"><attribute id="0" title="port" type="integer"/>',
        *(
            f'      <attribute id="{i}" title="{k}" type="double"/>'
            for i, k in enumerate(known[1:], 1)
        ),
        "    </attributes>",
        "    <nodes>",
    ]
    ends, places = set(network.endpoints.tolist()), node_places(network)
    for v in range(network.order):
        what = "endpoint" if v in ends else "switch"
        where = ""
        if places is not None:
            where = f'<viz:position x="{places[v, 0]:.4f}" y="{places[v, 1]:.4f}" z="0"/>'
        label = quoteattr(_clean(network.addresses.text(v)))
        lines.append(
            f'      <node id="{v}" label={label}>{where}'
            f'<attvalues><attvalue for="0" value="{what}"/></attvalues></node>'
        )
    lines += ["    </nodes>", "    <edges>"]
    for i, (a, b, attributes) in enumerate(links):
        cells = "".join(
            f'<attvalue for="{known.index(k)}" value="{v}"/>' for k, v in attributes.items()
        )
        lines.append(
            f'      <edge id="{i}" source="{a}" target="{b}"><attvalues>{cells}</attvalues></edge>'
        )
    out.write("\n".join([*lines, "    </edges>", "  </graph>", "</gexf>", ""]).encode())


def _clean(text: str) -> str:
    """Without characters that XML cannot hold."""
    return "".join(c if c >= " " and c not in "\ufffe\uffff" else " " for c in text)


def _text(text: str) -> str:
    return _clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
