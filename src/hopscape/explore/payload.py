"""What the page is told about a network: compact, plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopscape._version import __version__
from hopscape.core.addresses import Labels, MixedRadix
from hopscape.core.channels import only_names
from hopscape.core.errors import TooLargeError
from hopscape.core.network import Network
from hopscape.core.numbers import number
from hopscape.explore.deadlocks import MOST_NODES as MOST_DEADLOCK
from hopscape.explore.deadlocks import deadlock_data
from hopscape.explore.links import Links, number_links
from hopscape.explore.loads import bisection_data, traffic_data, usual_traffic
from hopscape.explore.packing import pack
from hopscape.explore.places import layouts
from hopscape.explore.recording import curve_data, recording_data
from hopscape.explore.routing import router_rule
from hopscape.explore.schedules import schedules_data, usual_schedules

__all__ = ["MOST_LINKS", "MOST_NODES", "payload"]

MOST_NODES = 20_000
MOST_LINKS = 100_000
_LONGEST_NAME = 200


def payload(
    network: Network,
    *,
    schedules: Sequence[str] | None = None,
    traffic: Sequence[str] | None = None,
    bisection: bool | None = None,
    deadlock: bool | None = None,
    simulate: float | None = None,
    curve: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """A network for the page.

    Args:
        network: Up to 20,000 nodes and 100,000 links.
        schedules: Names of :data:`hopscape.explore.schedules.SCHEDULES`; when left out, those that
            are cheap for a network of this size.
        traffic: Patterns of the simulator and ``worst`` for channel loads; when left out, uniform
            and, if that is cheap, the worst permutation.
        bisection, deadlock: The cut into halves, and the classes of virtual channels with the cycle
            that there would be; when left out, up to 1,000 nodes.
        simulate: Record a run of the flit simulator at this load.
        curve: Simulate a load-latency curve.
        seed: Of traffic and simulations.

    Returns:
        dict: Plain data for :func:`hopscape.explore.page`. Arrays are packed
            (:func:`hopscape.explore.packing.pack`):

            ``spec, family, order, links, duplex, facts``
                Texts and numbers; facts are rows of label, value and how it is known.
            ``tails, heads, tail_ports, head_ports``
                By link. Ports count from 1; the port at the head is 0 where a link is simplex.
            ``switches``
                Node numbers, or null.
            ``addresses``
                ``{"sides": [...]}`` (digits, the last one fastest), ``{"names": [...]}`` or null.
            ``kinds``
                Kinds of links, each ``{"title", "names", "of": kind of each link}``.
            ``layouts, router``
                :mod:`hopscape.explore.places`, :mod:`hopscape.explore.routing`.
            ``schedules, traffic, bisection, deadlock, recording, curves``
                As :mod:`hopscape.explore.schedules`, :mod:`~hopscape.explore.loads`,
                :mod:`~hopscape.explore.deadlocks` and :mod:`~hopscape.explore.recording` say.
            ``notes``
                Sentences on what was left out, and why.

    Raises:
        TooLargeError: With what to do instead.
        ArgumentError: For a part that was asked for by name and does not exist.

    Examples:
        >>> import hopscape
        >>> data = payload(hopscape.build("petersen"))
        >>> data["spec"], data["order"], data["links"], [one["name"] for one in data["layouts"]]
        ('petersen', 10, 15, ['own', 'force', 'space'])
    """
    require_small(network)
    links = number_links(network)
    names = usual_schedules(network) if schedules is None else schedules
    plans, left = schedules_data(network, links, names, usual=schedules is None)
    patterns = usual_traffic(network) if traffic is None else traffic
    small = network.order <= MOST_DEADLOCK
    pattern = next((name for name in patterns if name != "worst"), "uniform")
    loads = traffic_data(network, links, patterns, seed)
    places, notes = layouts(network, links)
    rule, more = router_rule(network)
    return {
        "format": "hopscape-explorer",
        "version": 1,
        "hopscape": __version__,
        "spec": network.spec,
        "family": "" if network.family is None else network.family.summary,
        "order": network.order,
        "links": len(links.tails),
        "duplex": network.duplex,
        "facts": _facts(network),
        "tails": pack(links.tails),
        "heads": pack(links.heads),
        "tail_ports": pack(network.port_of(links.first) + 1),
        "head_ports": pack(np.where(links.second < 0, 0, network.port_of(links.second) + 1)),
        "switches": _switches(network),
        "addresses": _addresses(network),
        "kinds": _kinds(network, links),
        "layouts": places,
        "router": rule,
        "traffic": loads,
        "bisection": bisection_data(network, links) if _wanted(bisection, small) else None,
        "deadlock": deadlock_data(network, links) if _wanted(deadlock, small) else None,
        "schedules": plans,
        "recording": None
        if simulate is None
        else recording_data(network, links, simulate, pattern, seed),
        "curves": [curve_data(network, pattern, seed)] if curve else [],
        "notes": notes + more + left,
    }


def _wanted(asked: bool | None, usual: bool) -> bool:
    return usual if asked is None else asked


def require_small(network: Network) -> None:
    """Refuse what no page can show, before anything is built."""
    advice = "'hopscape draw' makes a picture by density, 'hopscape show' the figures"
    if network.order > MOST_NODES:
        count = number(network.order, grouped=True)
        raise TooLargeError(
            f"{network.spec} has {count} nodes; the page shows up to {MOST_NODES:,}: {advice}"
        )
    if network.links > MOST_LINKS:
        raise TooLargeError(
            f"{network.spec} has {network.links:,} links; the page shows up to {MOST_LINKS:,}:"
            f" {advice}"
        )


def _facts(network: Network) -> list[list[str]]:
    """What ``hopscape show`` says, as rows of label, value and how it is known."""
    from hopscape.metrics.summary import summarise

    found = summarise(network)
    how = found["how"]
    low, high = found["degree"]["min"], found["degree"]["max"]
    mean = found["mean_distance"]
    rows = [
        ("nodes", f"{network.order:,}", ""),
        ("endpoints", f"{found['endpoints']:,}", ""),
        ("links" if network.duplex else "channels", f"{network.links:,}", how["links"]),
        ("degree", str(high) if low == high else f"{low} to {high}", how["degree"]),
        ("connected", _said(found["connected"]), how["connected"]),
        ("diameter", _said(found["diameter"]), how["diameter"]),
        ("mean distance", "-" if mean is None else number(mean), how["mean_distance"]),
        ("vertex-transitive", _said(found["vertex_transitive"]), how["vertex_transitive"]),
    ]
    return [[label, value, how] for label, value, how in rows]


def _said(value: bool | int | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


def _switches(network: Network) -> dict[str, Any] | None:
    if not network.has_switches:
        return None
    return pack(np.setdiff1d(np.arange(network.order), network.endpoints))


def _addresses(network: Network) -> dict[str, Any] | None:
    """How the page writes the addresses of nodes; None for plain numbers."""
    known = network.addresses
    if isinstance(known, Labels):
        return {"names": [name[:_LONGEST_NAME] for name in known.names]}
    if isinstance(known, MixedRadix):
        return {"sides": list(known.sides)} if known.width > 1 else None
    return {"names": [known.text(node) for node in range(network.order)]}


def _kinds(network: Network, links: Links) -> list[dict[str, Any]]:
    """Kinds of links: by generator or port, and by class of channel."""
    out = []
    ports = network.port_of(links.first)
    named = only_names(network.classes)
    if not (network.classes and named) and len(ports) and ports.max() < 32:
        names = [f"port {p + 1}" for p in range(int(ports.max()) + 1)]
        out.append({"title": "port", "names": names, "of": pack(ports)})
    if network.classes:
        names = [kind.name for kind in network.classes]
        kinds = network.class_of(links.first)
        title = "kind of link" if named else "class of channel"
        out.append({"title": title, "names": names, "of": pack(kinds)})
    return out
