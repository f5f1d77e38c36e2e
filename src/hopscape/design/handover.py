"""Hand-over: everything that the builders of a network need, in one folder, and reading it back."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, FileFormatError, HopscapeError
from hopscape.core.files import write_atomically
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.design.candidates import Candidate
from hopscape.design.conditions import Conditions
from hopscape.design.designer import Design
from hopscape.design.floorplan import place
from hopscape.design.lanes import Lanes, find_lanes
from hopscape.design.report import html_report, markdown_report, pictures
from hopscape.design.schedules import ALL_PORT, ONE_PORT, best_schedule
from hopscape.design.switched import SwitchedDesign
from hopscape.design.table import figure_record, machine_records, ranking_records
from hopscape.export.cables import read_cables, write_cables
from hopscape.export.infiniband import write_infiniband
from hopscape.export.tables import write_routing_table
from hopscape.interchange import read_network, write_network
from hopscape.interchange.convert import link_ends
from hopscape.metrics.routes import Routes, all_routes
from hopscape.registry import build, build_within

__all__ = ["hand_over", "read_back", "write_design"]

_TABLE_ORDER = 2100
_GATHER_ORDER = 300


def write_design(
    found: Design | SwitchedDesign, folder: str | Path, *, choose: str | None = None
) -> list[str]:
    """Write the report and the hand-over of the chosen candidate.

    Parameters
    ----------
    found : Design or SwitchedDesign
    folder : path
        Made if it is not there.
    choose : str, optional
        Spec of the candidate; the first of the ranking when left out.

    Returns
    -------
    list of str
        What was written, a line each.
    """
    chosen = found.best if choose is None else found.find(choose)
    top = _folder(Path(folder))
    command = found.requirements.command()
    drawn = list(pictures(found))  # once for all three
    _write(top / "report.html", html_report(found, command, drawn))
    _write(top / "report.md", markdown_report(found, command, shown=drawn))
    shown = _folder(top / "pictures")
    for name, _, kind, data in drawn:
        write_atomically(shown / f"{name}.{kind}", partial(_put, data=data))
    switched = isinstance(found, SwitchedDesign)
    records = machine_records(found.candidates, found.candidates) if switched else []
    ranking = {
        "requirements": found.requirements.to_dict(),
        "complete": found.complete,
        "candidates": records or ranking_records(found.candidates),
        **({"answer": found.answer} if isinstance(found, SwitchedDesign) else {}),
    }
    _write(top / "ranking.json", _json(ranking))
    lines = [f"wrote {top / 'report.html'} and {top / 'report.md'}"]
    place_ = top / "network"
    hand_over(chosen, place_, found.requirements.conditions)
    return [*lines, f"wrote {place_}: everything about {chosen.spec}"]


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{path} cannot be made: {error.strerror}") from error
    return path


def _put(out: IO[bytes], data: bytes) -> None:
    out.write(data)


def _write(path: Path, text: str) -> None:
    write_atomically(path, lambda out: out.write(text.encode()))


def _json(value: Any) -> str:
    from hopscape.core.plain import plain

    return json.dumps(plain(value), indent=1, ensure_ascii=False) + "\n"


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
    top = _folder(Path(folder))
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
    _write(top / "summary.json", _json(summary))
    told.append(("summary.json", "what was measured, and how each figure is known"))
    _write(top / "README.md", _readme(network, told))
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
    _write(top / "lanes.json", _json(lanes.to_dict()))
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

    write_booksim(network, Settings(), _folder(top / "booksim") / "network.cfg")
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
        "from hopscape.design.handover import read_back",
        'network = read_back(".")',
        "```",
        "",
    ]
    return "\n".join(lines)


def read_back(folder: str | Path) -> Network:
    """Read the network of a hand-over and check that all its files agree.

    Raises
    ------
    FileFormatError
        When a file is missing or two of them tell different networks.
    """
    top = Path(folder)
    network, ports = read_cables(top / "cables.csv")
    listed = read_network(top / "network.edges")
    drawn = read_network(top / "network.graphml")
    for name, other in (("network.edges", listed), ("network.graphml", drawn)):
        if not _same(network, other):
            raise FileFormatError(f"{top / name} and cables.csv tell different networks")
    spec_net = (
        build_within(top / "cables.csv")(network.spec) if network.spec != "cables" else network
    )
    if not _same(network, spec_net):
        raise FileFormatError(f"{top / 'cables.csv'} is not the wiring of {network.spec}")
    if network.spec != "cables":
        _check_ports(network, ports, spec_net, top)
    return spec_net


def _check_ports(listed: Network, ports: IntArray, network: Network, top: Path) -> None:
    """Does every cable of the list leave by the ports that the network has for it?"""
    tails, heads, _ = link_ends(listed)
    for at, to, port in ((tails, heads, ports[:, 0]), (heads, tails, ports[:, 1])):
        if at is heads and not network.duplex:
            continue
        channel = network.channel_at(at.astype(np.int64), port)
        wrong = (channel < 0) | (network.heads[np.maximum(channel, 0)] != to)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise FileFormatError(
                f"{top / 'cables.csv'}: cable {i + 1} is at port {int(port[i]) + 1} of node"
                f" {int(at[i])}, which does not lead to node {int(to[i])} in {network.spec}"
            )


def _same(a: Network, b: Network) -> bool:
    if a.order != b.order or a.duplex != b.duplex or len(a.heads) != len(b.heads):
        return False
    return np.array_equal(_pairs(a), _pairs(b))


def _pairs(network: Network) -> Any:
    pairs = network.tails.astype(np.int64) * network.order + network.heads
    return np.sort(pairs)
