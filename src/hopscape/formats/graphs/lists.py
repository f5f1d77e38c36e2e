"""Plain lists for other programs: node-link JSON, adjacency lists, bare edges, MatrixMarket.

MatrixMarket is read here because scipy's reader crashes on damaged files (arrays too short). The
format: R. F. Boisvert, R. Pozo, K. Remington, *The Matrix Market exchange formats*, NISTIR 5935,
1996.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.reading import TextFile, TextLine, Word, load_json
from hopscape.formats.graphs.draft import Draft
from hopscape.formats.graphs.libraries import (
    described_links,
    link_ends,
    node_places,
    require_plain,
)

if TYPE_CHECKING:
    import scipy.sparse

__all__ = [
    "read_adjacency",
    "read_matrix_market",
    "read_node_link",
    "write_adjacency",
    "write_golf",
    "write_node_link",
]


def read_node_link(path: Path, spec: str, directed: bool) -> Network:
    """Read node-link JSON (networkx, D3): ``nodes`` with ``id``, ``links`` or ``edges``.

    Raises:
        FileFormatError: With the number of the node or link.
    """
    data = load_json(path)

    def error(message: str) -> FileFormatError:
        return FileFormatError(f"{path}: {message}")

    if not isinstance(data, dict) or not isinstance(data.get("nodes"), list):
        raise error("it is not a node-link graph: an object with the lists nodes and links")
    links = data.get("links", data.get("edges"))
    if not isinstance(links, list):
        raise error("it is not a node-link graph: it has no list links (or edges)")
    draft = Draft(directed or data.get("directed") is True)
    for number, node in enumerate(data["nodes"]):
        name = _name(node.get("id")) if isinstance(node, dict) else None
        if name is None or name in draft.names:
            raise error(f"nodes[{number}] has no id, or one that is there already: {node!r:.60}")
        draft.node(name, node)
    for number, link in enumerate(links):
        pair = (
            [_name(link.get(end)) for end in ("source", "target")] if isinstance(link, dict) else []
        )
        if len(pair) != 2 or any(end not in draft.names for end in pair):
            raise error(f"links[{number}] joins no two nodes that are listed: {link!r:.80}")
        a, b = (draft.names[str(end)] for end in pair)
        draft.link(a, b, link, lambda m, n=number: error(f"links[{n}]: {m}"))  # type: ignore[misc]
    return draft.network(spec, error)


def _name(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | str) or len(str(value)) > 1000:
        return None
    return str(value)


def write_node_link(network: Network, out: IO[bytes]) -> None:
    """Write node-link JSON."""
    ends, places = set(network.endpoints.tolist()), node_places(network)
    nodes = [
        {"id": v, "address": network.addresses.text(v)}
        | {"kind": "endpoint" if v in ends else "switch"}
        | ({} if places is None else {"x": round(places[v, 0], 4), "y": round(places[v, 1], 4)})
        for v in range(network.order)
    ]
    links = [
        {"source": a, "target": b} | attributes for a, b, attributes in described_links(network)
    ]
    data = {
        "directed": not network.duplex,
        "multigraph": True,
        "graph": {"spec": network.spec},
        "nodes": nodes,
        "links": links,
    }
    out.write((json.dumps(data, indent=1) + "\n").encode())


def read_adjacency(path: Path, spec: str, directed: bool) -> Network:
    """Read an adjacency list: on each line a node and its neighbours, with or without a colon.

    Where every link is named at both of its ends, it is read once; else each mention is a link.
    The comments ``# nodes N`` and ``# directed`` are understood, as in edge lists.

    Raises:
        FileFormatError: With line and column.
    """
    file = TextFile(path)
    draft, mentions = Draft(directed), []
    for line in file.lines():
        body, mark, comment = line.text.partition("#")
        count = re.fullmatch(r"\s*nodes:?\s+([0-9]+)\s*", comment) if mark else None
        if count is not None:
            word = Word(count[1], line, len(body) + count.start(1) + 2)
            for v in range(word.integer("the number of nodes", 1, 10**7)):
                draft.node(str(v))
        draft.directed |= comment.strip() == "directed"
        head, colon, rest = body.partition(":")
        words = [*head.split(), *rest.replace(",", " ").split()] if colon else body.split()
        if colon and len(head.split()) != 1:
            raise line.error("expected one node before the colon")
        numbers = [draft.node(word) for word in words]
        mentions += [(numbers[0], other) for other in numbers[1:]]
    counts = Counter(mentions)
    twice = not draft.directed and all(counts[b, a] == n for (a, b), n in counts.items())
    for a, b in mentions:
        if not twice or a <= b:
            draft.link(a, b, {}, file.error)
    return draft.network(spec, file.error)


def write_adjacency(network: Network, out: IO[bytes]) -> None:
    """Write an adjacency list as networkx does: every link at one of its ends only."""
    require_plain(network, "an adjacency list")
    tails, heads, _ = link_ends(network)
    rows: list[list[int]] = [[] for _ in range(network.order)]
    for a, b in zip(tails.tolist(), heads.tolist(), strict=True):
        rows[a].append(b)
    lines = [f"# hopscape {network.spec}", f"# nodes {network.order}"]
    lines += [] if network.duplex else ["# directed"]
    lines = [" ".join(line.split()) for line in lines]
    lines += [" ".join(map(str, [v, *row])) for v, row in enumerate(rows)]
    out.write(("\n".join(lines) + "\n").encode())


def write_golf(network: Network, out: IO[bytes]) -> None:
    """Write the edges alone, as Graph Golf and igraph take them: no comment, no heading.

    What the two columns cannot say is refused: simplex channels, and nodes that no link names.
    """
    require_plain(network, "a list of bare edges")
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels, which bare edges cannot say")
    tails, heads, _ = link_ends(network)
    if len(np.unique(np.concatenate([tails, heads]))) < network.order:
        raise ArgumentError(f"{network.spec} has nodes without links, which bare edges cannot name")
    np.savetxt(out, np.stack([tails, heads], axis=1), fmt="%d", delimiter=" ")


_FIELDS = ("integer", "real", "double", "pattern")
_SHAPES = ("general", "symmetric")
_MOST = 2**31 - 1  # rows and entries in 32 bits
_LARGEST = 2.0**53  # whole numbers up to here are exact in floats


def read_matrix_market(path: str | Path) -> scipy.sparse.coo_array:
    """The sparse matrix of a file, entries of a symmetric one on both sides.

    Raises:
        FileFormatError: When it is not a whole file of real numbers, with the line where that
            shows.
    """
    from scipy.sparse import coo_array

    file = TextFile(path)
    dense, field, symmetric = _header(file)
    lines = list(file.lines("%"))
    sizes = lines[0].integers("a size", 0, _MOST) if lines else np.zeros(0, dtype=np.int64)
    if len(sizes) != (2 if dense else 3):
        raise file.error("the line with the size of the matrix is missing")
    rows, columns = int(sizes[0]), int(sizes[1])
    if symmetric and rows != columns:
        raise lines[0].error(f"a symmetric matrix is square, not {rows} × {columns}")
    promised = int(sizes[2]) if not dense else rows * columns
    if dense and symmetric:
        promised = rows * (rows + 1) // 2
    if len(lines) - 1 != promised:
        raise lines[0].error(f"{promised} entries are promised, {len(lines) - 1} lines follow")
    require_memory(40 * (promised + rows), f"the matrix of {path}")
    cells = _entries(lines[1:], 1 if dense else 2 if field == "pattern" else 3)
    if dense:
        i, j, values = _dense_places(rows, columns, symmetric, cells[:, 0])
    else:
        i, j = (_places(lines, cells[:, k], n) for k, n in ((0, rows), (1, columns)))
        values = cells[:, 2] if field != "pattern" else np.ones(len(cells))
    if symmetric:
        off = i != j
        i, j = np.concatenate([i, j[off]]), np.concatenate([j, i[off]])
        values = np.concatenate([values, values[off]])
    nonzero = values != 0
    return coo_array((values[nonzero], (i[nonzero], j[nonzero])), shape=(rows, columns))


def _header(file: TextFile) -> tuple[bool, str, bool]:
    """Is it dense; the kind of its entries; is it symmetric?"""
    words = file.text.split("\n", 1)[0].lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise file.error("it does not begin with '%%MatrixMarket matrix ...'")
    layout, field, shape = words[2:]
    if layout not in ("coordinate", "array") or field not in _FIELDS or shape not in _SHAPES:
        raise file.error(
            f"a matrix that is {layout} {field} {shape}; read are coordinate or array,"
            f" {', '.join(_FIELDS)}, {' or '.join(_SHAPES)}"
        )
    return layout == "array", field, shape == "symmetric"


def _entries(lines: list[TextLine], width: int) -> Any:
    """The numbers of all entries; line by line only where something is wrong."""
    text = "\n".join(line.text for line in lines)
    if text.isascii() and "_" not in text:
        try:
            numbers = np.array(text.split(), dtype=np.float64)
            if len(numbers) == width * len(lines) and np.all(np.abs(numbers) <= _LARGEST):
                return numbers.reshape(-1, width)
        except ValueError:
            pass
    for line in lines:
        if len(line.reals("an entry", -_LARGEST, _LARGEST)) != width:
            raise line.error(f"an entry has {width} numbers")
    raise FileFormatError(f"{lines[0].file.path}: numbers are separated by blanks")


def _places(lines: list[TextLine], given: Any, count: int) -> IntArray:
    wrong = (given < 1) | (given > count) | (given != np.floor(given))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise lines[at + 1].error(f"a place is {given[at]:g}; it must be from 1 to {count}")
    return given.astype(np.int64) - 1


def _dense_places(rows: int, columns: int, symmetric: bool, values: Any) -> tuple[Any, Any, Any]:
    """Column by column; of a symmetric matrix only from the diagonal down."""
    if not symmetric:
        at = np.arange(math.prod((rows, columns)))
        return at % max(rows, 1), at // max(rows, 1), values
    j, i = np.triu_indices(rows)
    return i, j, values
