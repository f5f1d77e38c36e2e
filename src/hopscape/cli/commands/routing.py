"""Commands about routes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from hopscape.cli.options import (
    DeadLinkOption,
    DeadOption,
    RouterOption,
    SpecArgument,
    option,
    read_dead_links,
    refuse,
)
from hopscape.cli.output import emit
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.numbers import number
from hopscape.core.router import Route
from hopscape.registry import build

__all__ = ["detour", "route", "route_round"]

FromArgument = Annotated[str, typer.Argument(metavar="A", help="From: a node number or '(1, 2)'.")]
ToArgument = Annotated[str, typer.Argument(metavar="B", help="To: a node number or an address.")]


def route(
    spec: SpecArgument,
    a: FromArgument,
    b: ToArgument,
    router: RouterOption = "auto",
    dead: DeadOption = None,
    dead_link: DeadLinkOption = None,
    disjoint: Annotated[bool, option("Also all routes that share no intermediate node.")] = False,
) -> None:
    """Route from A to B: nodes, addresses and ports; around dead nodes and links if there are."""
    network = build(spec)
    start, end = network.node(a), network.node(b)
    if dead or dead_link:
        refuse(("router",), "does not go with dead parts: routes around them are searched")
        record, table = route_round(network, start, end, dead or [], dead_link or [])
    else:
        record, table = _routed(network, start, end, router)
    if disjoint:
        from hopscape.metrics import disjoint_paths

        nodes, links = record.get("dead_nodes", ()), record.get("dead_links", ())
        paths = disjoint_paths(network, start, end, dead_nodes=nodes, dead_links=links)
        record["disjoint_paths"] = paths
        for i, path in enumerate(paths, 1):
            text = " → ".join(map(str, path))
            table[f"disjoint route {i}"] = f"{len(path) - 1} hops: {text}"
    title = f"{network.spec}: {network.addresses.text(start)} to {network.addresses.text(end)}"
    emit(record, title=title, table=table)


def detour(
    spec: SpecArgument,
    a: FromArgument,
    b: ToArgument,
    dead: DeadOption = None,
    dead_link: DeadLinkOption = None,
    ways: Annotated[bool, option("Also routes that share no intermediate node.")] = False,
) -> None:
    """Route around dead nodes and links, in networks of any size."""
    network = build(spec)
    if network.node(a) == network.node(b):
        same = network.node(a)
        raise ArgumentError(f"A and B are both node {same}; a detour needs two different nodes")
    route(spec, a, b, "auto", dead, dead_link, ways)


def _routed(
    network: Network, start: int, end: int, router: str
) -> tuple[dict[str, Any], dict[str, str]]:
    """The route that a router gives, for scripts and for people."""
    routing = network.router(router, pairs=1)
    path = routing.route(start, end)
    record = _record(network, path) | {
        "exact": routing.exact,
        "router": routing.name,
        "first_ports": list(routing.all_ports(start, end)),
    }
    table = {"length": f"{path.length} hops" + (" (shortest)" if routing.exact else "")}
    table |= _path_texts(network, path.path, path.ports)
    if path.length and routing.chained:
        table["first ports"] = ", ".join(map(str, record["first_ports"])) + " (of shortest routes)"
    table["router"] = routing.name
    if not routing.chained:
        record["ways"] = []
        for i, (share, one) in enumerate(routing.shared_routes(start, end), 1):
            shared = {"share": share, "length": one.length, "path": one.path, "ports": one.ports}
            record["ways"].append(shared)
            text = " → ".join(_few(one.path, str))
            table[f"route {i}"] = f"{number(share)} of the traffic, {one.length} hops: {text}"
    return record, table


def _path_texts(network: Network, path: tuple[int, ...], ports: tuple[int, ...]) -> dict[str, str]:
    return {
        "path": " → ".join(_few(path, str)),
        "addresses": " → ".join(_few(path, network.addresses.text)),
        "ports": f"{', '.join(_few(ports, str))} (counted from 0)" if ports else "-",
    } | _note(network)


def _note(network: Network) -> dict[str, str]:
    """What a route leaves aside, if anything."""
    note = network.unheeded("routes count hops", "capacity", "delay", "length")
    return {"note": note} if note else {}


def route_round(
    network: Network, start: int, end: int, dead: Sequence[str], dead_links: Sequence[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """A shortest route that avoids what is dead, for scripts and for people."""
    from hopscape.core.detours import route_around

    nodes = [network.node(v) for v in dead]
    links = read_dead_links(network, dead_links)
    path = route_around(network, start, end, dead_nodes=nodes, dead_links=links)
    usual = network.router(pairs=1).distance(start, end)
    record = _record(network, path) | {
        "distance": usual,
        "dead_nodes": nodes,
        "dead_links": [list(link) for link in links],
    }
    table = {"length": f"{path.length} hops; {usual} with nothing dead"}
    return record, table | _path_texts(network, path.path, path.ports)


def _record(network: Network, path: Route) -> dict[str, Any]:
    return {
        "spec": network.spec,
        "path": list(path.path),
        "addresses": network.addresses.listed(path.path),
        "ports": list(path.ports),
        "length": path.length,
    } | _note(network)


def _few(items: tuple[int, ...], write: Callable[[int], str], most: int = 60) -> list[str]:
    """Texts of the items; of a long list the beginning and the end (JSON has all)."""
    if len(items) <= most:
        return [write(item) for item in items]
    return [*map(write, items[: most // 2]), "…", *map(write, items[-5:])]
