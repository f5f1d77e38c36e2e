"""Deadlock: can a routing deadlock, and what prevents it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hopscape.cli.options import RoutingOption, SpecArgument
from hopscape.cli.output import Format, FormatOption, OutputOption, emit
from hopscape.core.errors import ArgumentError


def deadlock(
    spec: SpecArgument,
    router: Annotated[
        str,
        typer.Option("--router", help="auto, closed, table, search, updown, or a family's own."),
    ] = "auto",
    vcs: Annotated[
        int, typer.Option("--vcs", help="Virtual-channel classes to check the routing with.")
    ] = 1,
    method: Annotated[
        str, typer.Option("--method", help="How classes are found: auto, dateline, layers, rising.")
    ] = "auto",
    routing: RoutingOption = "fixed",
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Can the routing deadlock? The cycle if so, and how many virtual channels prevent it."""
    from hopscape.deadlock import (
        certify,
        find_classes,
        find_source_classes,
        single_class,
    )
    from hopscape.registry import build

    if vcs < 1:
        raise ArgumentError(f"vcs is {vcs}; it must be at least 1")
    if routing not in _NEEDS:
        raise ArgumentError(f"routing is {routing!r}; choose {', '.join(_NEEDS)}")
    network = build(spec)
    chosen_router: Any = None if router == "auto" else network.router(router)
    anywhere = routing == "adaptive"
    asked: Any = method
    table: Any
    if chosen_router is not None and not chosen_router.chained:
        if routing != "fixed":
            raise ArgumentError(f"routing is {routing!r}; {chosen_router.name} routes are fixed")
        table, classes, proof = find_source_classes(network, chosen_router, method=asked)
    else:
        table, classes, proof = find_classes(
            network, chosen_router, method=asked, anywhere=anywhere
        )
    plain = certify(table, single_class(table), anywhere=anywhere)
    times, more, words = _NEEDS[routing]
    needed = classes.count * times + more
    judged = proof if vcs >= needed else plain
    free = judged.deadlock_free and vcs >= (needed if routing != "fixed" else 1)
    because = judged.words()
    if judged.deadlock_free and not free:
        because = f"{routing} routing is certified with {needed} virtual channels, not with {vcs}"
    record = {
        "spec": network.spec,
        "router": table.router,
        "routing": routing,
        "deadlock_free": free,
        "vcs": needed,
        "least": proof.least if routing == "fixed" else "upper bound",
        "at_least": proof.at_least * times,
        "cycle": [list(step) for step in judged.cycle] or None,
        "words": because,
        "method": classes.method,
        "judged_with": min(vcs, classes.count) if judged is proof else 1,
        "dependencies": judged.dependencies,
        "certificate": proof.words() + words,
    }
    count = f"{needed} ({classes.method}; {record['least']})"
    lines = {
        "routes": _ROUTES.get(table.router, table.router) + words,
        f"with {vcs} virtual channel{'s' * (vcs > 1)}": "free of deadlock"
        if free
        else "can deadlock",
        "because": because,
        "virtual channels needed": count,
    }
    emit(record, style, output, title=network.spec, table=lines)


_NEEDS = {
    "fixed": (1, 0, ""),
    "adaptive": (
        1,
        1,
        "; adaptive packets may leave for these channels at any node, and keep them",
    ),
    "valiant": (2, 0, "; once for each of the two phases"),
    "ugal": (2, 0, "; once for each of the two phases"),
}
"""Phases, further channels, and what the certificate adds, for each routing."""
_ROUTES = {"table": "shortest routes by the lowest port"}
