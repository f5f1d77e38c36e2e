"""What the page is told about a network: compact, plain data.

Layouts that need a computation are made here; the page itself makes the circle, the rings and
layers round a node, and the adjacency matrix. Most routers are one of two rules, which need no
table: the lowest port that begins a shortest route, or a port that depends on the difference of two
addresses alone. All others are shipped as a table of next ports, deflated, while that is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hopscape._version import __version__
from hopscape.core.addresses import Labels, MixedRadix
from hopscape.core.arrays import IntArray, NoWay
from hopscape.core.channels import only_names
from hopscape.core.distances import distances_from_each
from hopscape.core.errors import TooLargeError
from hopscape.core.facts import Points
from hopscape.core.network import Network
from hopscape.core.numbers import number, shortened
from hopscape.core.router import Router
from hopscape.show.draw.lines import detours, fans
from hopscape.show.draw.places import place_nodes
from hopscape.show.explore.packing import PageLinks, number_links, pack, packed_size
from hopscape.show.explore.panels import MOST_NODES as MOST_DEADLOCK
from hopscape.show.explore.panels import (
    bisection_data,
    curve_data,
    deadlock_data,
    recording_data,
    schedules_data,
    traffic_data,
    usual_schedules,
    usual_traffic,
)

__all__ = ["MOST_LINKS", "MOST_NODES", "layouts", "payload", "router_rule"]

MOST_NODES = 20_000  # nodes and links that browsers still turn fluently
MOST_LINKS = 100_000  # as MOST_NODES
_LONGEST_NAME = 200  # letters of a node's name on the page


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
    job: Any = None,
) -> dict[str, Any]:
    """A network for the page.

    Args:
        network: Up to 20,000 nodes and 100,000 links.
        schedules: Names of :data:`hopscape.show.explore.panels.SCHEDULES`; when left out, those
            that are cheap for a network of this size.
        traffic: Patterns of the simulator and ``worst`` for channel loads; when left out, uniform
            and, if that is cheap, the worst permutation.
        bisection, deadlock: The cut into halves, and the classes of virtual channels with the cycle
            that there would be; when left out, up to 1,000 nodes.
        simulate: Record a run of the flit simulator at this load.
        curve: Simulate a load-latency curve.
        seed: Of traffic and simulations.
        job: A job or a workload (:mod:`hopscape.workloads`), of which one step can be scrubbed
            through.

    Returns:
        dict: Plain data for :func:`hopscape.show.explore.page`. Arrays are packed
            (:func:`hopscape.show.explore.packing.pack`):

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
                :mod:`hopscape.show.explore.payload`, :mod:`hopscape.show.explore.payload`.
            ``schedules, traffic, bisection, deadlock, recording, curves``
                As :mod:`hopscape.show.explore.panels`, :mod:`~hopscape.show.explore.panels`,
                :mod:`~hopscape.show.explore.panels` and :mod:`~hopscape.show.explore.panels` say.
            ``step``
                As :func:`hopscape.show.explore.moments.step_data` says, or null.
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
    absent = {
        "--schedules": schedules is None and "circuit" not in names and network.endpoint_count > 1,
        "--bisection": bisection is None and not small,
        "--deadlock": deadlock is None and not small,
    }
    asked = [name for name, missing in absent.items() if missing]
    if asked:
        more.append(f"For its size, this page leaves out what {', '.join(asked)} would add.")
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
        "step": None if job is None else _step(network, links, job),
        "notes": notes + more + left,
    }


def _step(network: Network, links: PageLinks, job: Any) -> dict[str, Any]:
    from hopscape.show.explore.moments import step_data

    return step_data(network, links, job)


def _wanted(wish: bool | None, usual: bool) -> bool:
    return usual if wish is None else wish


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

    summary = summarise(network)
    how = summary["how"]
    low, high = summary["degree"]["min"], summary["degree"]["max"]
    mean = summary["mean_distance"]
    rows = [
        ("nodes", f"{network.order:,}", ""),
        ("endpoints", f"{summary['endpoints']:,}", ""),
        ("links" if network.duplex else "channels", f"{network.links:,}", how["links"]),
        ("degree", str(high) if low == high else f"{low} to {high}", how["degree"]),
        ("connected", _said(summary["connected"]), how["connected"]),
        ("diameter", _said(summary["diameter"]), how["diameter"]),
        ("mean distance", "-" if mean is None else number(mean), how["mean_distance"]),
        ("vertex-transitive", _said(summary["vertex_transitive"]), how["vertex_transitive"]),
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
        return {"names": [shortened(name, _LONGEST_NAME) for name in known.names]}
    if isinstance(known, MixedRadix):
        return {"sides": list(known.sides)} if known.width > 1 else None
    return {"names": [known.text(node) for node in range(network.order)]}


def _kinds(network: Network, links: PageLinks) -> list[dict[str, Any]]:
    """Kinds of links: by generator or port, and by class of channel."""
    out = []
    ports = network.port_of(links.first)
    named = only_names(network.classes)
    if not (network.classes and named) and len(ports) and ports.max() < 32:
        names = [f"port {p}" for p in range(int(ports.max()) + 1)]
        out.append({"title": "port", "names": names, "of": pack(ports)})
    if network.classes:
        names = [kind.name for kind in network.classes]
        kinds = network.class_of(links.first)
        title = "kind of link" if named else "class of channel"
        out.append({"title": title, "names": names, "of": pack(kinds)})
    return out


_GRID = 30_000  # coordinates are whole numbers of 16 bits
_PIVOTS = 50  # as in show/draw/places.py
_MOST_FORCE = 5000  # nodes: forces between all pairs are computed in the browser, round by round


def layouts(network: Network, links: PageLinks) -> tuple[list[dict[str, Any]], list[str]]:
    """Layouts for the page, the family's own first, and notes on what was left out.

    A layout is ``{"name", "title", "dims", "at": packed}`` with the coordinates of node 0, then of
    node 1, ...; whole numbers from 0 to 30000, the same scale on all axes. ``bend`` holds the bend
    of each link in percent of its length, where links are bent.
    """
    if network.order == 0:
        return [], []
    out, notes = [], []
    own = network.family.layout() if network.family is not None else None
    if own is not None:
        bend = own.curved(links.tails, links.heads) if own.curved is not None else None
        bends = _bends(links, bend, own.positions)
        out.append(_layout("own", "Family's own drawing", own.positions, bends))
    if network.order <= _MOST_FORCE:
        places = place_nodes(network, "force").positions
        out.append(_layout("force", "Force (by distance)", places, _bends(links, None, places)))
    else:
        notes.append(f"The force layout is for up to {_MOST_FORCE} nodes; take the circle.")
    if network.order > 3:
        out.append(_layout("space", "In space (3-D)", _space(network, links), None))
    return out, notes


def _layout(name: str, title: str, places: Points, bend: Points | None) -> dict[str, Any]:
    low = places.min(axis=0)
    reach = float((places.max(axis=0) - low).max()) or 1.0
    scaled = np.round((places - low) * (_GRID / reach)).astype(np.int64)
    out = {"name": name, "title": title, "dims": places.shape[1], "at": pack(scaled)}
    if bend is not None and bend.any():
        out["bend"] = pack(np.clip(np.round(100 * bend), -127, 127).astype(np.int64))
    return out


_CLEAR = 0.22  # of the drawing over the root of the nodes: a little more than a node's radius there


def _bends(links: PageLinks, own: Points | None, places: Points) -> Points:
    """What a layout says, parallel links fanned out, and others round nodes on their way."""
    loops = links.tails == links.heads
    fan = np.where(loops, 0.0, 0.12 * fans(links.tails, links.heads))
    base = np.zeros(len(loops)) if own is None else np.where(loops, 0.0, own)
    bend: Points = base + fan
    straight = np.flatnonzero((bend == 0) & ~loops)
    clear = _CLEAR * float(np.ptp(places, axis=0).max()) / len(places) ** 0.5
    bend[straight] = detours(places, links.tails[straight], links.heads[straight], clear, False)
    return bend


def _space(network: Network, links: PageLinks) -> Points:
    """Coordinates in space: by address where links follow its digits, else by distances."""
    sides = network.addresses.sides if isinstance(network.addresses, MixedRadix) else ()
    long = [i for i, side in enumerate(sides) if side > 1]
    if len(long) >= 3 and len(links.tails):
        digits = network.addresses.tuples(np.arange(network.order))
        moved = (digits[links.tails] != digits[links.heads]).sum(axis=1)
        if (moved == 1).mean() > 0.9:
            return _box(digits, [(i, sides[i]) for i in long])
    return _by_distances(network)


def _box(digits: IntArray, axes: list[tuple[int, int]]) -> Points:
    """A box of boxes: the digits take turns on the three axes."""
    out = np.zeros((len(digits), 3))
    scale = np.ones(3)
    for turn, (i, side) in enumerate(reversed(axes)):
        axis = 2 - turn % 3
        out[:, axis] += scale[axis] * digits[:, i]
        scale[axis] *= side + 0.6
    return out


def _by_distances(network: Network) -> Points:
    """Three spectral coordinates from the distances to some nodes (pivot MDS)."""
    pivots = np.unique(np.linspace(0, network.order - 1, _PIVOTS).astype(int))
    hops = distances_from_each(network, pivots).T.astype(float)
    hops[hops < 0] = hops.max() + 1
    square = -(hops**2) / 2
    centred = square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean()
    _, vectors = np.linalg.eigh(centred.T @ centred)
    places = centred @ vectors[:, -3:]
    reach = np.abs(places).max(axis=0)
    angle = 2.4 * np.arange(network.order)
    spiral = 0.02 * np.stack([np.cos(angle), np.sin(angle), np.cos(0.37 * angle)], axis=1)
    spread: Points = places / np.where(reach > 1e-9, reach, 1.0) + spiral
    return spread


_MOST_PAIRS = 25_000_000  # 5,000 nodes: next ports of all pairs are looked through for a rule
_MOST_BYTES = 400_000  # of a packed table of ports; beyond, the page searches for itself
_BLOCK = 1 << 20  # pairs asked for together: arrays of 8 MiB
_NONE = NoWay(np.uint8)


def router_rule(network: Network) -> tuple[dict[str, Any], list[str]]:
    """How the page routes, and notes on what it cannot do.

    ``{"name", "exact", "rule"}`` with one of these rules:

    lowest
        The lowest port that begins a shortest route.
    shift
        ``ports[index of (to - at) digit by digit modulo sides]``, with the packed ports and sides.
    table
        ``ports[at * order + to]``; 255 where there is none.
    """
    router = network.router()
    head: dict[str, Any] = {"name": router.name, "exact": bool(router.exact)}
    if router.name in ("table", "search"):
        return head | {"rule": "lowest"}, []
    lost = f"Routes are shortest by the lowest port, not those of the {router.name} router: "
    if not router.chained:
        return head | {"rule": "lowest", "instead": True}, [lost + "its sources decide."]
    if network.order**2 > _MOST_PAIRS or network.ports >= _NONE.value:
        return head | {"rule": "lowest", "instead": True}, [lost + "its table is too large."]
    shifted = _by_shift(network, router)
    if shifted is not None:
        return head | {"rule": "shift"} | shifted, []
    rows = [_ports(router, low, high) for low, high in _blocks(network.order)]
    packed = pack(np.concatenate(rows) if rows else np.zeros(0, dtype=np.uint8))
    if packed_size(packed) > _MOST_BYTES:
        return head | {"rule": "lowest", "instead": True}, [lost + "its table is too large."]
    return head | {"rule": "table", "ports": packed}, []


def _blocks(order: int) -> Iterator[tuple[int, int]]:
    step = max(1, _BLOCK // max(order, 1))
    return ((low, min(low + step, order)) for low in range(0, order, step))


def _ports(router: Router, low: int, high: int) -> IntArray:
    """Next ports from some nodes to all: uint8[(high - low) * order]."""
    order = router.network.order
    at = np.repeat(np.arange(low, high), order)
    to = np.tile(np.arange(order), high - low)
    ports = router.next_ports(at, to)
    return _NONE.narrow(ports)


def _by_shift(network: Network, router: Router) -> dict[str, Any] | None:
    """The ports by difference of addresses, if nothing else decides them."""
    if not isinstance(network.addresses, MixedRadix) or network.order < 2:
        return None
    sides = np.asarray(network.addresses.sides)
    digits = network.addresses.tuples(np.arange(network.order))
    first = _ports(router, 0, 1)
    for low, high in _blocks(network.order):
        here = digits[low:high, None, :]
        apart = network.addresses.numbers((digits[None, :, :] - here) % sides)
        if not np.array_equal(first[apart].ravel(), _ports(router, low, high)):
            return None
    return {"sides": sides.tolist(), "ports": pack(first)}
