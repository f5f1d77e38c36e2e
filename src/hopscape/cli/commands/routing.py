"""Commands about routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from hopscape.cli.commands.networks import SpecArgument
from hopscape.cli.output import Format, FormatOption, OutputOption, emit
from hopscape.registry import build

__all__ = ["route"]


def route(
    spec: SpecArgument,
    a: Annotated[str, typer.Argument(metavar="A", help="From: a node number or '(1, 2)'.")],
    b: Annotated[str, typer.Argument(metavar="B", help="To: a node number or an address.")],
    router: Annotated[
        str,
        typer.Option("--router", help="auto, closed (formula), table, search, or a family's own."),
    ] = "auto",
    disjoint: Annotated[
        bool, typer.Option("--disjoint", help="Also all ways that share no node in between.")
    ] = False,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Route from A to B: nodes, addresses and ports."""
    network = build(spec)
    start, end = network.node(a), network.node(b)
    way = network.router(router, pairs=1)
    found = way.route(start, end)
    record: dict[str, Any] = {
        "spec": network.spec,
        "path": list(found.path),
        "addresses": [network.addresses.data(v) for v in found.path],
        "ports": list(found.ports),
        "length": found.length,
        "exact": way.exact,
        "router": way.name,
        "first_ports": list(way.all_ports(start, end)),
    }
    table = {
        "length": f"{found.length} hops" + (" (shortest)" if way.exact else ""),
        "path": " → ".join(_few(found.path, str)),
        "addresses": " → ".join(_few(found.path, network.addresses.text)),
        "ports": ", ".join(_few(found.ports, str)) or "-",
        "shortest ways begin by": "ports " + ", ".join(map(str, record["first_ports"])),
        "router": way.name,
    }
    if found.length == 0 or not way.chained:
        del table["shortest ways begin by"]
    if not way.chained:
        record["ways"] = _shared_ways(way, start, end)
        for i, one in enumerate(record["ways"], 1):
            text = " → ".join(_few(tuple(one["path"]), str))
            table[f"way {i}"] = f"{one['share']:.4g} of the traffic, {one['length']} hops: {text}"
    if disjoint:
        from hopscape.metrics import disjoint_paths

        paths = disjoint_paths(network, start, end)
        record["disjoint_paths"] = paths
        for i, path in enumerate(paths, 1):
            table[f"disjoint way {i}"] = f"{len(path) - 1} hops: " + " → ".join(map(str, path))
    title = f"{network.spec}: {network.addresses.text(start)} to {network.addresses.text(end)}"
    emit(record, style, output, title=title, table=table)


def _shared_ways(way: Any, start: int, end: int) -> list[dict[str, Any]]:
    """All ways that the traffic of the pair is shared out among."""
    import numpy as np

    out = []
    for shares, nodes, ports in way.ways(np.asarray([start]), np.asarray([end])):
        taken = [int(p) for p in ports[0] if p >= 0]
        path = [int(v) for v in nodes[0][: len(taken) + 1]]
        if shares[0] > 0 and taken:
            out.append(
                {"share": float(shares[0]), "length": len(taken), "path": path, "ports": taken}
            )
    return out


def _few(items: tuple[int, ...], write: Callable[[int], str], most: int = 60) -> list[str]:
    """Texts of the items; of a long list the beginning and the end (JSON has all)."""
    if len(items) <= most:
        return [write(item) for item in items]
    return [*map(write, items[: most // 2]), "…", *map(write, items[-5:])]
