"""Networks as objects of other libraries, and back.

A network from whatever holds a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hopscape.core.addresses import Addresses, Labels, ListedTuples
from hopscape.core.arrays import Array, IntArray
from hopscape.core.channels import ATTRIBUTES, group_links, link_attribute
from hopscape.core.errors import ArgumentError, FileFormatError, MissingPackageError
from hopscape.core.facts import Points, circle
from hopscape.core.network import Network
from hopscape.core.processes import require_memory

if TYPE_CHECKING:
    import igraph
    import networkx
    import scipy.sparse

__all__ = [
    "XML_BYTES",
    "described_links",
    "from_anything",
    "from_edges",
    "from_igraph",
    "from_networkx",
    "from_rustworkx",
    "from_scipy",
    "link_attributes",
    "link_ends",
    "named",
    "node_places",
    "require_graph_memory",
    "require_plain",
    "to_igraph",
    "to_networkx",
    "to_scipy",
]

_GRAPH_BYTES = 1000
XML_BYTES = 2500
"""Of each node and link of a networkx graph, and of one that is written as XML, both measured."""
_MOST_PLACES = 100_000  # nodes: beyond, a drawing of single nodes shows nothing


def require_graph_memory(network: Network, each: int) -> None:
    """Refuse a graph of so many bytes for each node and link that would not fit in memory."""
    require_memory(each * (network.order + network.links), f"the graph of {network.spec}")


def link_ends(network: Network) -> tuple[IntArray, IntArray, IntArray]:
    """Tails, heads and channel numbers of all links: a duplex link once, by its first channel."""
    channel = np.arange(len(network.heads))
    reverse = network.reverse
    once = channel[(reverse < 0) | (channel <= reverse)]
    return network.tails[once], network.heads[once], once


def named(names: list[str]) -> Addresses | None:
    """Labels, unless the names are just the numbers 0..n-1 in order."""
    if names == [str(i) for i in range(len(names))]:
        return None
    if len(set(names)) < len(names):
        raise ArgumentError("two nodes have the same name")
    return Labels(names)


def node_places(network: Network) -> Points | None:
    """Where the nodes stand in the family's drawing, else round a circle; x, y in 1/72 inch.

    None beyond 100,000 nodes.
    """
    if network.order > _MOST_PLACES:
        return None
    family = network.family
    layout = family.layout() if family is not None else None
    places = layout.positions if layout is not None else circle(network.order)
    spread = float(np.ptp(places, axis=0).max()) or 1.0
    points: Points = (places - places.min(axis=0)) * (72.0 * network.order**0.5 / spread)
    return points


def require_plain(network: Network, form: str) -> None:
    """Refuse what a format without attributes cannot say: capacities, delays and lengths."""
    if network.unheeded("", *ATTRIBUTES):
        raise ArgumentError(
            f"{network.spec} has channels of several kinds, which {form} cannot say; write .edges,"
            " .csv, .graphml, .gexf, .gml, .dot or .json"
        )


def to_networkx(network: Network, *, numbered: bool = False) -> networkx.Graph:
    """As a networkx graph; :func:`from_networkx` makes the same network of it.

    Args:
        numbered: Nodes are numbers in any case, and addresses are texts: for files, which hold no
            tuples.

    Returns:
        Graph or DiGraph (MultiGraph or MultiDiGraph when there are parallel links): Nodes have the
            names that they came with, else they are numbers; with attributes ``address`` (a tuple)
            and ``kind`` (endpoint or switch). Edges have ``port`` (at the tail) and, in duplex
            networks, ``back_port`` (at the head), and ``capacity``, ``delay`` and ``length`` where
            the network knows them.

    Examples:
        >>> import hopscape
        >>> graph = to_networkx(hopscape.build("torus(3, 4)"))
        >>> graph.number_of_edges(), graph.nodes[7]["address"]
        (24, (1, 3))
    """
    import networkx

    require_graph_memory(network, _GRAPH_BYTES)
    tails, heads, _ = link_ends(network)
    ends = np.sort(np.stack([tails, heads]), axis=0) if network.duplex else np.stack([tails, heads])
    parallel = len(np.unique(ends, axis=1).T) < len(tails)
    kinds = {
        (True, False): networkx.Graph,
        (True, True): networkx.MultiGraph,
        (False, False): networkx.DiGraph,
        (False, True): networkx.MultiDiGraph,
    }
    graph = kinds[network.duplex, parallel](spec=network.spec)
    switches = set(range(network.order)) - set(network.endpoints.tolist())
    addresses = network.addresses
    names = [v if numbered else addresses.name(v) for v in range(network.order)]
    for v, name in enumerate(names):
        kind = "switch" if v in switches else "endpoint"
        address = addresses.text(v) if numbered else addresses.tuple(v)
        graph.add_node(name, address=address, kind=kind)
    for tail, head, attributes in described_links(network, back=True):
        graph.add_edge(names[tail], names[head], **attributes)
    return graph


def from_networkx(
    graph: networkx.Graph,
    spec: str = "networkx",
    *,
    weight: str | None = None,
    loops: bool = False,
) -> Network:
    """A network from a networkx graph: undirected edges become duplex links.

    Nodes are numbered in the order of the graph. Names that are tuples of integers become addresses
    and others labels, unless the nodes are the numbers 0..n-1; these may have an ``address``. A
    node attribute ``kind`` equal to ``"switch"`` makes a switch; edge attributes ``capacity``,
    ``delay`` and ``length`` make the kinds of channels.

    Args:
        weight ({'capacity', 'delay', 'length', 'ignore'}, optional): What the edges' ``weight`` is,
            where they have one.
        loops: May a node of an undirected graph be linked to itself?

    Raises:
        FileFormatError: When it is and may not, or edges have a ``weight`` and nobody says what it
            is.

    Examples:
        >>> import networkx
        >>> grid = from_networkx(networkx.grid_2d_graph(3, 3))
        >>> grid.node((1, 2)), grid.address(3)
        (5, (1, 0))
    """
    nodes = list(graph.nodes)
    if not nodes:
        raise FileFormatError("the graph has no nodes")
    number = {node: i for i, node in enumerate(nodes)}
    if _are_numbers(nodes):
        number = {node: int(node) for node in nodes}
        nodes.sort()
    edges = list(graph.edges(data=True))
    if not loops and not graph.is_directed():
        _refuse_loops((a, b) for a, b, _ in edges)
    meaning = _meaning_of_weights(edges, weight)
    array = np.asarray([(number[a], number[b]) for a, b, _ in edges], dtype=np.int64).reshape(-1, 2)
    classes, which = group_links([_said(f"link {a}-{b}", meaning(data)) for a, b, data in edges])
    switched = sorted(number[v] for v, kind in graph.nodes(data="kind") if kind == "switch")
    return Network.from_links(
        len(nodes),
        array[:, 0],
        array[:, 1],
        duplex=not graph.is_directed(),
        spec=spec,
        addresses=_addresses(nodes, [graph.nodes[node].get("address") for node in nodes]),
        switches=np.asarray(switched, dtype=np.int64) if switched else None,
        classes=classes,
        kinds=which,
    )


def _refuse_loops(ends: Iterable[Sequence[Any]]) -> None:
    """A duplex link joins two nodes; a loop in somebody's graph is a slip of the pen."""
    for a, b in ends:
        if a == b:
            raise FileFormatError(f"node {a!r} is linked to itself; leave such links out")


def _are_numbers(nodes: list[Any]) -> bool:
    """Are the nodes the integers 0..n-1, in any order?"""
    whole = all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in nodes)
    return whole and set(nodes) == set(range(len(nodes)))


def _meaning_of_weights(
    edges: list[tuple[Any, Any, dict[str, Any]]], weight: str | None
) -> Callable[[dict[str, Any]], Mapping[str, Any]]:
    """What to read of the attributes of an edge."""
    if weight not in (None, "ignore", *ATTRIBUTES):
        allowed = ", ".join(map(repr, ATTRIBUTES))
        raise ArgumentError(f"weight is {weight!r}; it must be one of {allowed} or 'ignore'")
    if weight is None and any(data.get("weight", 1) != 1 for _, _, data in edges):
        raise FileFormatError(
            "the edges have a 'weight', which may be a capacity, a delay or a length; say which:"
            " hopscape.from_networkx(graph, weight='capacity'), or weight='ignore'"
        )
    if weight in (None, "ignore"):
        return lambda data: data
    return lambda data: {weight: data.get("weight")} | data


def _addresses(nodes: list[Any], attributes: list[Any]) -> Addresses | None:
    """What nodes are called: tuples of integers, their addresses, or names."""
    if _are_numbers(nodes):
        rows = _rows(attributes)
        plain = rows is None or rows.shape[1] < 2
        return None if plain or rows is None else ListedTuples(rows)
    if (rows := _rows(nodes)) is not None:
        return ListedTuples(rows, names=True)
    texts = [str(node) for node in nodes]
    if len(set(texts)) < len(texts):
        raise ArgumentError("two nodes have the same name")
    return Labels(texts, nodes)


def _rows(tuples: list[Any]) -> IntArray | None:
    """Tuples of integers as rows of an array, if they all have one length and differ."""
    width = len(tuples[0]) if isinstance(tuples[0], tuple) else 0
    for row in tuples:
        if not isinstance(row, tuple) or len(row) != width or width == 0:
            return None
        if not all(isinstance(x, int | np.integer) and abs(int(x)) < 2**62 for x in row):
            return None
    if len(set(tuples)) < len(tuples):
        return None
    return np.asarray(tuples, dtype=np.int64).reshape(len(tuples), width)


def _said(link: str, attributes: Mapping[str, object]) -> dict[str, float]:
    """What a graph of another library says of a link."""
    given = {name: attributes[name] for name in ATTRIBUTES if attributes.get(name) is not None}
    try:
        return {name: link_attribute(name, value) for name, value in given.items()}
    except ArgumentError as error:
        raise FileFormatError(f"{link}: {error}") from error


def link_attributes(network: Network, channels: IntArray) -> list[dict[str, float]]:
    """Capacity, delay and length of channels, those that any channel has; empty: there are none."""
    kinds = network.classes
    known = [name for name in ATTRIBUTES if any(kind.says(name) for kind in kinds)]
    if not known:
        return []
    each = [{"capacity": k.speed, "delay": k.delay, "length": k.length} for k in kinds]
    for name in known:  # one type for a column: GraphML declares it once
        if any(isinstance(one[name], float) for one in each):
            for one in each:
                one[name] = None if (value := one[name]) is None else float(value)
    plain = [{n: v for n in known if (v := one[n]) is not None} for one in each]
    return [plain[k] for k in network.class_of(channels).tolist()]


def described_links(
    network: Network, back: bool = False
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Tail, head and attributes of each link: the port at the tail, then :func:`link_attributes`.

    Args:
        back: The port at the head as well, in duplex networks.
    """
    require_graph_memory(network, _GRAPH_BYTES)
    tails, heads, channels = link_ends(network)
    ports = {"port": network.port_of(channels).tolist()}
    if back and network.duplex:
        ports["back_port"] = network.port_of(network.reverse[channels]).tolist()
    attributes = link_attributes(network, channels)
    for i, (tail, head) in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)):
        link = {name: column[i] for name, column in ports.items()}
        yield tail, head, link | (attributes[i] if attributes else {})


def to_scipy(network: Network) -> scipy.sparse.csr_array:
    """As a sparse matrix: entry (u, v) counts the channels from u to v."""
    from scipy.sparse import csr_array

    ones = np.ones(len(network.heads), dtype=np.int32)
    shape = (network.order, network.order)
    matrix = csr_array((ones, network.heads, network.indptr), shape=shape, copy=True)
    matrix.sum_duplicates()
    return matrix


def from_scipy(matrix: Any, spec: str = "matrix", duplex: bool | None = None) -> Network:
    """A network from a sparse (or dense) matrix of channel counts.

    Args:
        matrix: sparse array or ndarray, square, of integers of at least 0
        duplex: By default a symmetric matrix with an even diagonal (a duplex loop is two channels)
            gives duplex links, any other simplex channels.
    """
    from scipy.sparse import coo_array, csr_array

    try:
        entries = coo_array(matrix)
    except (TypeError, ValueError) as error:
        raise FileFormatError(f"this is not an adjacency matrix: {error}") from error
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1] or entries.shape[0] < 1:
        raise FileFormatError(f"an adjacency matrix is square, not of shape {entries.shape}")
    counts = np.asarray(entries.data)
    if counts.dtype.kind not in "biuf" or not np.all((counts >= 0) & (counts == np.floor(counts))):
        raise FileFormatError("an adjacency matrix holds numbers of channels: integers from 0 on")
    require_memory(_wiring_bytes(entries.shape[0], counts), f"the wiring of {spec}")
    entries = coo_array((counts.astype(np.int64), entries.coords), shape=entries.shape)
    entries.sum_duplicates()
    loops = entries.data[entries.coords[0] == entries.coords[1]]
    twin = csr_array(entries)
    symmetric = abs(twin - twin.T).count_nonzero() == 0 and not np.any(loops % 2)
    both_ways = symmetric if duplex is None else duplex
    if both_ways and not symmetric:
        raise FileFormatError(
            "the matrix is not symmetric with an even diagonal, so its links are not duplex"
        )
    rows, columns = entries.coords
    keep = rows <= columns if both_ways else np.ones(len(rows), dtype=bool)
    times = entries.data[keep]
    if both_ways:  # a duplex loop is two channels from a node to itself
        times = np.where(rows[keep] == columns[keep], times // 2, times)
    return Network.from_links(
        int(entries.shape[0]),
        np.repeat(rows[keep], times),
        np.repeat(columns[keep], times),
        duplex=both_ways,
        spec=spec,
    )


def to_igraph(network: Network) -> igraph.Graph:
    """As an igraph graph (needs the package igraph)."""
    igraph_ = _igraph()
    tails, heads, channels = link_ends(network)
    ends = np.stack([tails, heads], axis=1).tolist()
    graph = igraph_.Graph(n=network.order, edges=ends, directed=not network.duplex)
    graph["spec"] = network.spec
    attributes = link_attributes(network, channels)
    for name in ATTRIBUTES if attributes else ():
        graph.es[name] = [link.get(name) for link in attributes]
    graph.vs["address"] = [network.addresses.text(v) for v in range(network.order)]
    kinds = np.full(network.order, "switch", dtype=object)
    kinds[network.endpoints] = "endpoint"
    graph.vs["kind"] = kinds.tolist()
    return graph


def from_igraph(graph: igraph.Graph, spec: str = "igraph") -> Network:
    """A network from an igraph graph: undirected edges become duplex links.

    A vertex attribute ``kind`` equal to ``"switch"`` makes a switch; ``name`` becomes the label;
    edge attributes ``capacity``, ``delay`` and ``length`` make the kinds of channels.
    """
    if not graph.vcount():
        raise FileFormatError("the graph has no nodes")
    ends = np.asarray(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    if not graph.is_directed():
        _refuse_loops(ends.tolist())
    names = graph.vs["name"] if "name" in graph.vs.attributes() else None
    kinds = graph.vs["kind"] if "kind" in graph.vs.attributes() else []
    switches = [v for v, kind in enumerate(kinds) if kind == "switch"]
    attributes = [_said(f"link {e.source}-{e.target}", e.attributes()) for e in graph.es]
    classes, which = group_links(attributes)
    return Network.from_links(
        graph.vcount(),
        ends[:, 0],
        ends[:, 1],
        duplex=not graph.is_directed(),
        spec=spec,
        addresses=named([str(name) for name in names]) if names else None,
        switches=np.asarray(switches, dtype=np.int64) if switches else None,
        classes=classes,
        kinds=which,
    )


def _wiring_bytes(order: int, counts: IntArray) -> int:
    """Memory that so many channels will take; no number of them is too large to be named."""
    channels = float(counts.sum(dtype=float))
    return 40 * order + 60 * int(min(channels, 1e300))


def _igraph() -> Any:
    try:
        import igraph
    except ImportError as error:
        raise MissingPackageError(
            "this needs the package igraph: pip install 'hopscape[igraph]'"
        ) from error
    return igraph


def from_anything(thing: Any) -> Network:
    """A network from a graph of another library, an edge list or an array.

    Args:
        thing (networkx, igraph or rustworkx graph, scipy sparse matrix, array, or pairs of nodes):
            A square array is an adjacency matrix, one with two columns (and not two rows) an edge
            list.

    Examples:
        >>> from_anything([("a", "b"), ("b", "c")]).links
        2
        >>> import numpy as np
        >>> from_anything(np.ones((4, 4)) - np.eye(4)).links
        6
    """
    if isinstance(thing, Network):
        return thing
    makers = {"networkx": from_networkx, "igraph": from_igraph, "rustworkx": from_rustworkx}
    origins = {kind.__module__.partition(".")[0] for kind in type(thing).__mro__}
    for name, make in makers.items():
        if name in origins:
            return make(thing)
    if "scipy" in origins:
        return from_scipy(thing)
    if isinstance(thing, np.ndarray):
        return _from_array(thing)
    if isinstance(thing, Iterable) and not isinstance(thing, str | bytes | dict):
        return from_edges(list(thing))
    raise ArgumentError(
        f"a network cannot be made of {type(thing).__name__}; give a spec, a path, a graph of"
        " networkx, igraph or rustworkx, a scipy matrix, an array or pairs of nodes"
    )


def _from_array(array: Array) -> Network:
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        import scipy.sparse

        return from_scipy(scipy.sparse.csr_array(array))
    if array.ndim == 2 and array.shape[1] == 2:
        return from_edges(array.tolist())
    shape = " × ".join(map(str, array.shape))
    raise ArgumentError(
        f"the array is {shape}; it must be square (an adjacency matrix) or have two columns (links)"
    )


def from_edges(pairs: Sequence[Sequence[Any]], spec: str = "edges") -> Network:
    """A network of duplex links from pairs of nodes.

    Nodes that are numbers 0, 1, 2, ... keep them; all others are numbered as they come, and their
    names are kept.

    Examples:
        >>> net = from_edges([("a", "b"), ("b", "c")])
        >>> net.neighbours(1), net.node("c")
        ((0, 2), 2)
    """
    for pair in pairs:
        if isinstance(pair, str | bytes) or not isinstance(pair, Iterable) or len(pair) != 2:
            raise ArgumentError(f"link {pair!r} is not a pair of nodes")
    if not pairs:
        raise ArgumentError("the edge list is empty; a network needs at least one node")
    _refuse_loops(pairs)
    nodes = list(dict.fromkeys(node for pair in pairs for node in pair))
    whole = all(isinstance(node, int | np.integer) and not isinstance(node, bool) for node in nodes)
    if whole and min(nodes) >= 0 and max(nodes) < 2 * len(nodes):
        order, number = int(max(nodes)) + 1, {node: int(node) for node in nodes}
        names = None
    else:
        order, number = len(nodes), {node: i for i, node in enumerate(nodes)}
        names = named([str(node) for node in nodes])
    ends = np.asarray([[number[a], number[b]] for a, b in pairs], dtype=np.int64)
    return Network.from_links(order, ends[:, 0], ends[:, 1], spec=spec, addresses=names)


def from_rustworkx(graph: Any, spec: str = "rustworkx") -> Network:
    """A network from a rustworkx PyGraph (duplex links) or PyDiGraph (one direction each).

    Nodes are numbered in the order of the graph; payloads that are texts are kept as names.
    """
    indices = list(graph.node_indices())
    if not indices:
        raise ArgumentError("the graph has no nodes")
    number = {index: i for i, index in enumerate(indices)}
    ends = np.asarray([[number[a], number[b]] for a, b in graph.edge_list()], dtype=np.int64)
    ends = ends.reshape(-1, 2)
    if hasattr(graph, "degree"):
        _refuse_loops(ends.tolist())
    names = [graph[index] for index in indices]
    texts = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    return Network.from_links(
        len(indices),
        ends[:, 0],
        ends[:, 1],
        duplex=hasattr(graph, "degree"),
        spec=spec,
        addresses=named(names) if texts else None,
    )
