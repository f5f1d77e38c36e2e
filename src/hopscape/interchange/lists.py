"""Plain lists for other programs: node-link JSON, adjacency lists, and bare edges."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import IO, Any

import numpy as np

from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.network import Network
from hopscape.core.reading import TextFile, Word, load_json
from hopscape.interchange.convert import described_links, link_ends, node_places, require_plain
from hopscape.interchange.draft import Draft

__all__ = [
    "read_adjacency",
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
    links = [{"source": a, "target": b} | told for a, b, told in described_links(network)]
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
