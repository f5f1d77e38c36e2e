"""Graph files: edge lists, GraphML, MatrixMarket, scipy's .npz, and those of the modules beside.

Listings of a fabric (:mod:`hopscape.formats.graphs.fabrics`) are known by their endings, as .txt
by their content.

An edge list has two node names per line, separated by blanks or a comma; ``#`` or ``%`` begins a
comment. Three comments are understood, and written: ``# nodes N`` (node names are then numbers
below N, some may have no link), ``# directed`` and ``# hopscape SPEC``.

A first line such as ``source target capacity length`` names further columns: ``capacity`` (what a
link carries in a unit of time), ``delay`` (cycles) and ``length``; GraphML has edge attributes of
these names. They make the kinds of channels of the network.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from hopscape.core.addresses import Addresses
from hopscape.core.arrays import IntArray
from hopscape.core.channels import ATTRIBUTES, group_links, link_attribute
from hopscape.core.errors import ArgumentError, FileFormatError, HopscapeError
from hopscape.core.files import FABRIC_ENDINGS, GRAPH_ENDINGS, write_atomically
from hopscape.core.network import Network
from hopscape.core.plugins import load_plugins
from hopscape.core.reading import TextFile, TextLine, Word, read_bytes, zip_bytes
from hopscape.core.spec import write_value
from hopscape.formats.graphs.dot import read_dot, write_dot
from hopscape.formats.graphs.fabrics import fabric_network, is_fabric
from hopscape.formats.graphs.graph6 import read_graph6, write_graph6, write_sparse6
from hopscape.formats.graphs.libraries import (
    XML_BYTES,
    from_networkx,
    from_scipy,
    link_attributes,
    link_ends,
    named,
    node_places,
    require_graph_memory,
    require_plain,
    to_networkx,
    to_scipy,
)
from hopscape.formats.graphs.lists import (
    read_adjacency,
    read_matrix_market,
    read_node_link,
    write_adjacency,
    write_golf,
    write_node_link,
)
from hopscape.formats.graphs.markup import read_gexf, read_gml, write_gexf, write_gml

__all__ = ["ENDINGS", "Exporter", "exporters", "read_network", "write_network"]

_EDGE_LISTS = (".edges", ".edgelist", ".txt", ".csv", ".golf")
ENDINGS = GRAPH_ENDINGS
_HEADINGS = {"source", "target", "from", "to", "src", "dst", "tail", "head"}
_LETTERS = {"a", "b", "u", "v"}


def read_network(path: str | Path, directed: bool = False) -> Network:
    """Read a graph file; its ending says what it is.

    Args:
        path: With one of ``ENDINGS`` or of ``FABRIC_ENDINGS``, plain or with .gz.
        directed: Read an edge list (or a symmetric matrix) as simplex channels.

    Raises:
        FileFormatError: When it is not what its ending promises, with the line where that shows.
    """
    place = Path(path)
    spec = f"file({write_value(str(path))}{', directed=true' if directed else ''})"
    ending = Path(place.stem).suffix.lower() if place.suffix == ".gz" else place.suffix.lower()
    known = (*ENDINGS, *FABRIC_ENDINGS)
    if ending not in known:
        raise FileFormatError(
            f"{path} has an unknown ending; graph files end in {', '.join(known)}, plain or .gz"
        )
    if ending in FABRIC_ENDINGS or (ending == ".txt" and is_fabric(TextFile(place).text)):
        return fabric_network(place, spec)
    if ending in _EDGE_LISTS:
        return _read_edges(place, spec, directed)
    if ending == ".graphml":
        return _read_graphml(place, spec)
    if ending in _READERS:
        return _READERS[ending](place, spec, directed)
    return _read_matrix(place, ending, spec, directed)


_READERS: dict[str, Callable[[Path, str, bool], Network]] = {
    ".dot": read_dot,
    ".gv": read_dot,
    ".gml": read_gml,
    ".gexf": read_gexf,
    ".g6": read_graph6,
    ".s6": read_graph6,
    ".json": read_node_link,
    ".adjlist": read_adjacency,
}


def _read_edges(path: Path, spec: str, directed: bool) -> Network:
    nodes: int | None = None
    rows: list[tuple[str, str]] = []
    columns: list[str] | None = None
    attributes: list[dict[str, float]] = []
    file = TextFile(path)
    for line in file.lines():
        body, _, comment = _split_comment(line.text)
        if comment:
            count = re.fullmatch(r"\s*nodes:?\s+([0-9]+)\s*", comment)
            if count is not None:
                word = Word(count[1], line, len(body) + count.start(1) + 2)
                nodes = word.integer("the number of nodes", 1, 2**31 - 1)
            directed = directed or comment.strip() == "directed"
        words = re.split(r"[\s,;]+", body.strip()) if body.strip() else []
        if not words:
            continue
        if columns is None:
            columns = _columns(line, words)
            if columns:
                continue
        _require_words(line, words, columns)
        rows.append((words[0], words[1]))
        if columns:
            attributes.append(_attributes(line, columns, words[2:]))
    rows = rows[_has_heading(rows) :] if not columns else rows
    if not rows and nodes is None:
        raise FileFormatError(f"{path} has no links in it")
    order, addresses, ends = _number_names(rows, nodes, path)
    classes, kinds = group_links(attributes)
    return Network.from_links(
        order,
        ends[:, 0],
        ends[:, 1],
        duplex=not directed,
        spec=spec,
        addresses=addresses,
        classes=classes,
        kinds=kinds,
    )


def _columns(line: TextLine, words: list[str]) -> list[str]:
    """The attributes that the first line names; none where it is a link, or a plain heading."""
    names = [word.lower() for word in words]
    if len(names) < 3 or not set(names[:2]) <= _HEADINGS | _LETTERS:
        return []
    for name in names[2:]:
        if name not in ATTRIBUTES:
            raise line.error(f"column {name!r:.60} is unknown; choose {', '.join(ATTRIBUTES)}")
    if len(set(names)) < len(names):
        raise line.error("a column is named twice")
    return names[2:]


def _require_words(line: TextLine, words: list[str], columns: list[str]) -> None:
    if len(words) != 2 + len(columns) or not all(words):
        wanted = "".join(f", {name}" for name in columns)
        hint = "" if columns or len(words) < 3 else "; a first line can name further columns"
        raise line.error(f"expected two node names{wanted}, found {line.text.strip()!r:.60}{hint}")


def _attributes(line: TextLine, columns: list[str], words: list[str]) -> dict[str, float]:
    try:
        return {name: link_attribute(name, word) for name, word in zip(columns, words, strict=True)}
    except ArgumentError as error:
        raise line.error(str(error)) from error


def _has_heading(rows: list[tuple[str, str]]) -> bool:
    """Is the first row a heading? Letters are one only above numbers: ``a b`` may be a link."""
    words = {word.lower() for word in rows[0]} if rows else set()
    if words <= _HEADINGS:
        return bool(words) and not words & {name.lower() for row in rows[1:] for name in row}
    return words <= _LETTERS and len(rows) > 1 and all(_is_number(n) for r in rows[1:] for n in r)


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) <= 1000


def _split_comment(line: str) -> tuple[str, str, str]:
    match = re.search(r"[#%]", line)
    if match is None:
        return line, "", ""
    return line[: match.start()], match[0], line[match.end() :]


def _number_names(
    rows: list[tuple[str, str]], nodes: int | None, path: Path
) -> tuple[int, Addresses | None, IntArray]:
    """Numbers keep their value when they fill 0..n-1; other names are numbered as they come."""
    seen: dict[str, int] = {}
    for row in rows:
        for name in row:
            seen.setdefault(name, len(seen))
    if all(map(_is_number, seen)):
        values = {name: int(name) for name in seen}
        top = max(values.values(), default=-1)
        if nodes is not None and top >= nodes:
            raise FileFormatError(f"{path} says it has {nodes} nodes, but a link names node {top}")
        count = nodes if nodes is not None else len(set(values.values()))
        if nodes is not None or top == count - 1:
            ends = np.asarray([(values[a], values[b]) for a, b in rows], dtype=np.int64)
            return count, None, ends.reshape(-1, 2)
    if nodes is not None and nodes != len(seen):
        raise FileFormatError(f"{path} says it has {nodes} nodes, but names {len(seen)}")
    ends = np.asarray([(seen[a], seen[b]) for a, b in rows], dtype=np.int64)
    return len(seen), named(list(seen)), ends.reshape(-1, 2)


def _read_graphml(path: Path, spec: str) -> Network:
    import networkx

    data = read_bytes(path)
    try:
        with warnings.catch_warnings(action="ignore"):  # about keys that nobody declared
            graph = networkx.read_graphml(io.BytesIO(data))
    except Exception as error:  # whatever a damaged file does to a parser that is not ours
        raise FileFormatError(f"{path} is not a GraphML graph: {error}") from error
    if all(_is_number(str(node)) for node in graph.nodes):
        numbers = {node: int(node) for node in graph.nodes}
        if sorted(numbers.values()) == list(range(len(numbers))):
            graph = networkx.relabel_nodes(graph, numbers)
    return from_networkx(graph, spec, weight="ignore", loops=True)


def _read_matrix(path: Path, ending: str, spec: str, directed: bool) -> Network:
    matrix: Any
    if ending == ".mtx":
        matrix = read_matrix_market(path)
    else:
        from scipy.sparse import load_npz

        data = zip_bytes(path)
        try:
            matrix = load_npz(data)
        except Exception as error:  # whatever a damaged file does to a parser that is not ours
            raise FileFormatError(f"{path} is not a sparse matrix: {error}") from error
    return from_scipy(matrix, spec, duplex=False if directed else None)


@dataclass(frozen=True)
class Exporter:
    """A format in which networks are written, registered as an entry point ``hopscape.exporters``.

    Attributes:
        endings: Of files in it: ``(".edges",)``.
        summary: One line.
        write: Takes the network and a file open for bytes.
    """

    endings: tuple[str, ...]
    summary: str
    write: Callable[[Network, IO[bytes]], None]


def exporters() -> dict[str, Exporter]:
    """All formats by the endings of their files.

    Raises:
        HopscapeError: When two claim the same ending.
    """
    by_name: dict[str, Exporter] = {}
    for name, one in load_plugins("exporters").items():
        for ending in one.endings:
            if ending in by_name:
                raise HopscapeError(f"hopscape.exporters entry {name!r} writes {ending} again")
            by_name[ending] = one
    return by_name


def write_network(network: Network, path: str | Path) -> None:
    """Write a graph file; its ending says how. It appears whole or not at all.

    Args:
        path: With one of ``ENDINGS``, or one that a package adds.
    """
    known = exporters()
    ending = Path(path).suffix.lower()
    if ending not in known:
        raise ArgumentError(f"{path} has an unknown ending; use one of {', '.join(known)}")
    write_atomically(path, lambda out: known[ending].write(network, out))


def _write_edges(
    network: Network, out: IO[bytes], separator: str = " ", title: bool = False
) -> None:
    tails, heads, channels = link_ends(network)
    attributes = link_attributes(network, channels)
    head = [f"# hopscape {network.spec}", f"# nodes {network.order}"]
    if not network.duplex:
        head.append("# directed")
    known = [name for name in ATTRIBUTES if any(name in link for link in attributes)]
    if title or known:
        head.append(separator.join(["source", "target", *known]))
    out.write(("\n".join(head) + "\n").encode())
    if any(name not in link for link in attributes for name in known):
        raise ArgumentError(
            f"some links of {network.spec} have no {' or '.join(known)}; an edge list names it for"
            " all: write .graphml"
        )
    if not known:
        np.savetxt(out, np.stack([tails, heads], axis=1), fmt="%d", delimiter=separator)
        return
    for tail, head_, link in zip(tails.tolist(), heads.tolist(), attributes, strict=True):
        row = [tail, head_, *(link[name] for name in known)]
        out.write((separator.join(map(str, row)) + "\n").encode())


def _write_csv(network: Network, out: IO[bytes]) -> None:
    _write_edges(network, out, ",", True)


def _write_graphml(network: Network, out: IO[bytes]) -> None:
    import networkx

    require_graph_memory(network, XML_BYTES)
    graph = to_networkx(network, numbered=True)
    places = node_places(network)
    for v, (x, y) in enumerate(places.tolist() if places is not None else ()):
        graph.nodes[v].update(x=x, y=y)
    networkx.write_graphml(graph, out)


def _write_matrix_market(network: Network, out: IO[bytes]) -> None:
    from scipy.io import mmwrite

    require_plain(network, "a matrix")
    mmwrite(out, to_scipy(network), field="integer", comment=f" hopscape {network.spec}")


def _write_npz(network: Network, out: IO[bytes]) -> None:
    from scipy.sparse import save_npz

    require_plain(network, "a matrix")
    save_npz(out, to_scipy(network))


EDGES = Exporter((".edges", ".edgelist", ".txt"), "one link per line", _write_edges)
CSV = Exporter((".csv",), "one link per line, with commas", _write_csv)
GRAPHML = Exporter((".graphml",), "GraphML", _write_graphml)
MATRIX_MARKET = Exporter((".mtx",), "adjacency matrix, Matrix Market", _write_matrix_market)
NPZ = Exporter((".npz",), "adjacency matrix, scipy", _write_npz)
DOT = Exporter((".dot", ".gv"), "Graphviz, with places", write_dot)
GML = Exporter((".gml",), "Graph Modelling Language, with places", write_gml)
GEXF = Exporter((".gexf",), "Gephi, with places", write_gexf)
GRAPH6 = Exporter((".g6",), "graph6: one line of text", write_graph6)
SPARSE6 = Exporter((".s6",), "sparse6: one line of text, loops and parallel links", write_sparse6)
NODE_LINK = Exporter((".json",), "node-link JSON, with places", write_node_link)
ADJACENCY = Exporter((".adjlist",), "adjacency list: a node and its neighbours", write_adjacency)
GOLF = Exporter((".golf",), "edges alone, for Graph Golf and igraph", write_golf)
