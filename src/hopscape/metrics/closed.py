"""What is known of a network without measuring: its family's closed forms, and what they imply."""

from __future__ import annotations

from dataclasses import replace

from hopscape.core.family import Facts
from hopscape.core.network import Network

__all__ = ["absent", "closed_facts"]


def closed_facts(network: Network) -> Facts:
    """The family's facts, and those that follow from them.

    Degrees and channels count each other; a vertex-transitive network is as wide as it is deep;
    Whitney's inequality (node connectivity ≤ edge connectivity ≤ least degree) closes where its
    ends meet; where one node is all there is, everything is known.

    Examples:
        >>> import hopscape
        >>> closed_facts(hopscape.build("path(1)")).connected
        True
    """
    facts = _counted(network, network.facts)
    facts = _seen_alike(network, facts)
    return _connected(network, facts)


def _counted(network: Network, facts: Facts) -> Facts:
    """Degrees, channels and links."""
    low, high, channels = facts.degree_min, facts.degree_max, facts.channels
    if channels is None and low is not None and low == high:
        channels = network.order * low
    links = facts.links
    if network.duplex and channels is None and links is not None:
        channels = 2 * links
    if links is None and channels is not None:
        links = channels // 2 if network.duplex else channels
    return replace(facts, channels=channels, links=links)


def _seen_alike(network: Network, facts: Facts) -> Facts:
    """Vertex-transitivity, and degrees and eccentricities that it makes equal."""
    alike, low, high = facts.vertex_transitive, facts.degree_min, facts.degree_max
    if alike is None and network.symmetry is not None and network.symmetry.transitive:
        alike = True
    if alike is None and low is not None and high is not None and low != high:
        alike = False
    if alike:
        low = high if low is None else low
        high = low if high is None else high
    radius = facts.diameter if alike and facts.radius is None else facts.radius
    return replace(facts, vertex_transitive=alike, degree_min=low, degree_max=high, radius=radius)


def _connected(network: Network, facts: Facts) -> Facts:
    """Connectedness and connectivity."""
    whole = facts.connected
    if whole is None and (network.order == 1 or facts.diameter is not None):
        whole = True
    nodes, edges = facts.node_connectivity, facts.edge_connectivity
    if whole is False:
        nodes, edges = 0, 0
    if edges is None and nodes is not None and nodes == facts.degree_min:
        edges = nodes
    diameter = 0 if network.order == 1 and facts.diameter is None else facts.diameter
    return replace(
        facts, connected=whole, node_connectivity=nodes, edge_connectivity=edges, diameter=diameter
    )


def absent(network: Network, facts: Facts, name: str) -> str:
    """Why a network has no such figure, if that is known without measuring; else nothing.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("path(9)")
        >>> absent(net, closed_facts(net), "girth")
        'no cycle'
    """
    if name in ("diameter", "radius", "mean_distance") and facts.connected is False:
        return "not connected"
    if name == "mean_distance" and network.order == 1:
        return "one node"
    if name == "girth" and facts.links is not None:
        tree = network.duplex and facts.connected and facts.links == network.order - 1
        return "no cycle" if tree or facts.links == 0 else ""
    return ""
