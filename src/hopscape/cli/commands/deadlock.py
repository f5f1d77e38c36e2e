"""Deadlock: can a routing deadlock, and what prevents it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

from hopscape.cli.options import RoutingOption, SpecArgument, option
from hopscape.cli.output import emit

if TYPE_CHECKING:
    from hopscape.deadlock.classes import Method
    from hopscape.deadlock.judgement import Routing


def deadlock(
    spec: SpecArgument,
    router: Annotated[
        str, option("auto, closed, table, search, updown, or a family's own.")
    ] = "auto",
    vcs: Annotated[int, option("Virtual-channel classes to check the routing with.")] = 1,
    method: Annotated[
        str, option("How classes are found: auto, dateline, layers, rising.")
    ] = "auto",
    routing: RoutingOption = "fixed",
) -> None:
    """Can the routing deadlock? The cycle if so, and how many virtual channels prevent it."""
    from hopscape.deadlock import judge
    from hopscape.registry import build

    network = build(spec)
    chosen = None if router == "auto" else network.router(router)
    found = judge(
        network, chosen, vcs=vcs, method=cast("Method", method), routing=cast("Routing", routing)
    )
    record = found.to_dict()
    lines = {
        "routes": _ROUTES.get(found.router, found.router) + found.addition,
        f"with {vcs} virtual channel{'s' * (vcs > 1)}": "free of deadlock"
        if found
        else "can deadlock",
        "because": record["words"],
        "virtual channels needed": f"{found.needed} ({record['method']}; {found.least})",
    }
    emit(record, title=network.spec, table=lines)


_ROUTES = {"table": "shortest routes by the lowest port"}
