"""The hand-over: everything that the builders of a network need, in one folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hopscape.core.errors import HopscapeError
from hopscape.core.files import make_folder, write_text
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.plain import plain
from hopscape.design.candidates import Candidate
from hopscape.design.conditions import Conditions
from hopscape.design.floorplan import place
from hopscape.design.lanes import Lanes, find_lanes
from hopscape.design.schedules import ALL_PORT, ONE_PORT, best_schedule
from hopscape.design.table import figure_record
from hopscape.export.cables import write_cables
from hopscape.export.infiniband import write_infiniband
from hopscape.export.tables import write_routing_table
from hopscape.interchange import write_network
from hopscape.metrics.routes import Routes, all_routes
from hopscape.registry import build

__all__ = ["hand_over"]

_TABLE_ORDER = 2100
_GATHER_ORDER = 300


def hand_over(
    chosen: Candidate | Network | str, folder: str | Path, conditions: Conditions | None = None
) -> list[str]:
    """Write everything that building a network takes.

    Parameters
    ----------
    chosen : Candidate, Network or spec
    folder : path
    conditions : Conditions, optional
        Floor plan and endpoints per router.

    Returns
    -------
    list of str
        Names of the files, each with what it is.
    """
    figures = chosen.figures if isinstance(chosen, Candidate) else {}
    network = chosen if isinstance(chosen, Network) else None
    if network is None:
        network = build(chosen.spec if isinstance(chosen, Candidate) else str(chosen))
    given = conditions if conditions is not None else Conditions()
    top = make_folder(Path(folder))
    told: list[tuple[str, str]] = []
    placed = place(network, given.plan)
    names = [placed.plan.name(int(p)) for p in placed.places]
    write_cables(network, top / "cables.csv", names, placed.lengths.tolist())
    told.append(
        (
            "cables.csv",
            f"every cable: row, rack, slot and port at both ends, length; {placed.total:.0f} m in"
            f" all on the floor plan {placed.plan.text} (nodes {placed.how})",
        )
    )
    write_network(network, top / "network.graphml")
    write_network(network, top / "network.edges")
    told.append(("network.graphml", "the network for graph software"))
    told.append(("network.edges", "the same as a list of links"))
    told += _routing_files(network, top)
    told += _schedule_files(network, top)
    summary = {"spec": network.spec, "nodes": network.order, "links": network.links}
    summary |= {"floor": placed.plan.text, "figures": figure_record(network.spec, figures)}
    write_text(top / "summary.json", _json(summary))
    told.append(("summary.json", "what was measured, and how each figure is known"))
    write_text(top / "README.md", _readme(network, told))
    return [f"{name}: {what}" for name, what in told]


def _routing_files(network: Network, top: Path) -> list[tuple[str, str]]:
    """Tables as CSV, for OpenSM and for BookSim; or why there are none."""
    told = []
    if network.order <= _TABLE_ORDER:
        routes = all_routes(network)
        write_routing_table(routes, top / "routing.csv")
        told.append(("routing.csv", f"row at, column to: the port (from 1), by {routes.name}"))
        told.append(_lane_file(find_lanes(routes), top))
        told.append(_tried("opensm/", lambda: _infiniband(routes, top)))
    else:
        router = network.router()
        told.append(
            (
                "(no routing.csv)",
                f"{network.order}² entries are too many for a text; ask the {router.name} router"
                f" of hopscape.build({network.spec!r})",
            )
        )
    told.append(_tried("booksim/", lambda: _booksim(network, top)))
    return told


def _lane_file(lanes: Lanes | None, top: Path) -> tuple[str, str]:
    """The rule for classes of virtual channels that keeps these routes free of deadlock."""
    if lanes is None:
        return "(no lanes.json)", "no rule with few classes of virtual channels was found"
    write_text(top / "lanes.json", _json(lanes.to_dict()))
    return "lanes.json", (
        f"classes of virtual channels: {lanes.classes}, {lanes.words()}; the rule is inside"
    )


def _tried(name: str, write: Callable[[], str]) -> tuple[str, str]:
    try:
        return name, write()
    except HopscapeError as error:
        return f"(no {name})", str(error)


def _infiniband(routes: Routes, top: Path) -> str:
    write_infiniband(routes, top / "opensm")
    return (
        "fabric.net for ibsim, routes.lfts for 'opensm -R file -U routes.lfts', and guid2lid for"
        " its cache folder (OSM_CACHE_DIR)"
    )


def _booksim(network: Network, top: Path) -> str:
    from hopscape.simulate.booksim import write_booksim
    from hopscape.simulate.settings import Settings

    write_booksim(network, Settings(), make_folder(top / "booksim") / "network.cfg")
    return "network.cfg and network.anynet; BookSim routes by its own minimal paths"


def _schedule_files(network: Network, top: Path) -> list[tuple[str, str]]:
    """The best broadcast, and all-gather where its list of transfers is not too long."""
    root = int(network.endpoints[0])
    told = [_schedule(network, Goal.broadcast(root), ONE_PORT, top / "broadcast.json")]
    if network.order > _TABLE_ORDER:
        return [*told, ("(no all-gather.json)", f"{network.order}² transfers are too many")]
    kind = "json" if network.order <= _GATHER_ORDER else "npz"
    return [
        *told,
        _schedule(network, Goal.all_gather(), ALL_PORT, top / f"all-gather.{kind}"),
    ]


def _schedule(network: Network, goal: Goal, model: Model, path: Path) -> tuple[str, str]:
    found = best_schedule(network, goal, model)
    if found is None:
        return f"(no {path.name})", f"no algorithm gave a {goal.kind} that holds"
    found.schedule.save(path)
    what = f"{goal.describe()}: {found.rounds} rounds, {found.schedule.model.describe()}"
    return path.name, f"{what}; by the {found.algorithm} algorithm, checked"


def _readme(network: Network, told: list[tuple[str, str]]) -> str:
    lines = [
        f"# {network.spec}",
        "",
        f"{network.endpoint_count} endpoints, {network.order} nodes, {network.links} links. Nodes"
        " are numbered from 0, ports from 1, rows, racks and slots from 1.",
        "",
        "| file | what it is |",
        "|---|---|",
        *(f"| {name} | {what} |" for name, what in told),
        "",
        "Read it back in Python:",
        "",
        "```python",
        "from hopscape.handover import read_back",
        'network = read_back(".")',
        "```",
        "",
    ]
    return "\n".join(lines)


def _json(value: Any) -> str:
    return json.dumps(plain(value), indent=1, ensure_ascii=False) + "\n"
