"""GEXF 1.3, the format of Gephi, with places."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from hopscape.core.network import Network
from hopscape.core.reading import TextFile
from hopscape.interchange.convert import described_links, node_places
from hopscape.interchange.draft import Draft

__all__ = ["read_gexf", "write_gexf"]

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
    known = ["port", *sorted({key for *_, told in links for key in told} - {"port"})]
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
    for i, (a, b, told) in enumerate(links):
        cells = "".join(f'<attvalue for="{known.index(k)}" value="{v}"/>' for k, v in told.items())
        lines.append(
            f'      <edge id="{i}" source="{a}" target="{b}"><attvalues>{cells}</attvalues></edge>'
        )
    out.write("\n".join([*lines, "    </edges>", "  </graph>", "</gexf>", ""]).encode())


def _clean(text: str) -> str:
    """Without characters that XML cannot hold."""
    return "".join(c if c >= " " and c not in "\ufffe\uffff" else " " for c in text)


def _text(text: str) -> str:
    return _clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
