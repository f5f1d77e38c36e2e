"""The hand-over of a fabric with dead parts: cables, tables and plans around them.

Nodes, ports, cables, GUIDs and LIDs keep their numbers, so that every file can be laid beside the
one of the whole fabric; routes change only where they were broken.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from hopscape.collectives.survivors import Survivors, survivors
from hopscape.core.arrays import NO_OFFSET
from hopscape.core.errors import ArgumentError
from hopscape.core.faults import Faults
from hopscape.core.files import make_folder, require_room, whole_folder, write_text
from hopscape.core.network import Network
from hopscape.core.numbers import signed_json
from hopscape.core.tables import in_markdown
from hopscape.deadlock.repair import repaired_shortest
from hopscape.design.conditions import Conditions
from hopscape.design.floorplan import place
from hopscape.design.handover import HANDED_OVER, tried
from hopscape.design.schedules import write_schedules
from hopscape.formats.infiniband import PORT_WORDS, write_rest
from hopscape.formats.programs import write_manifest
from hopscape.formats.simgrid import channel_names, write_simgrid
from hopscape.formats.tables import write_cables, write_routing_table
from hopscape.metrics.routes import Routes, all_routes

__all__ = ["MOST_NODES", "hand_over_broken", "routes_around"]

MOST_NODES = 2100
"""Nodes whose tables are written as text."""
_README = """\
# {spec} with dead parts

{dead}. {ends} endpoints of {all_ends} are alive.

Nodes, ports, cables, GUIDs and LIDs have the numbers of the whole fabric. {numbering}

| file | what it is |
|---|---|
{table}

Copy `guid2lid` into OpenSM's cache folder first: the tables name LIDs. `changes.csv` lists the
entries of the one-lane tables that differ from those of the whole fabric.

Let the real programs try it: `hopscape check .`
"""


def hand_over_broken(
    network: Network,
    faults: Faults,
    folder: str | Path,
    conditions: Conditions | None = None,
    *,
    force: bool = False,
) -> list[str]:
    """Write what running a fabric with dead parts takes; the folder appears whole or not at all.

    Args:
        faults: What is dead; nodes that are left without a line count as dead too.
        conditions: The floor plan.
        force: Overwrite files that hopscape did not write.

    Returns:
        list of str: Names of the files, each with what it is.

    Raises:
        ArgumentError: Where nothing is dead, or no endpoint is left.
        DisconnectedError: Where what is left hangs apart.
    """
    if not faults:
        raise ArgumentError(f"nothing of {network.spec} is dead")
    if network.order > MOST_NODES:
        raise ArgumentError(
            f"{network.spec} has {network.order:,} nodes; tables around dead parts are written for"
            f" up to {MOST_NODES:,}"
        )
    every = faults.with_cut_off(network)
    left = survivors(network, sorted(every.nodes), every.pairs())
    require_room(folder, HANDED_OVER, force=force)
    with whole_folder(folder, force=force) as top:
        told = [_cables(network, every, conditions or Conditions(), top)]
        whole = all_routes(network)
        routes = routes_around(whole, left)
        write_routing_table(replace(routes, network=network), top / "routing.csv")
        told.append(("routing.csv", f"row at, column to: the port, by {routes.name}; 0 where dead"))
        told.append(tried("opensm/", lambda: _opensm(whole, every, top)))
        told.append(tried("simgrid/", lambda: _simgrid(network, routes, top)))
        told += write_schedules(left.left, top, left)
        told += _elsewhere(network, every)
        write_text(top / "summary.json", signed_json(_summary(network, every, left)))
        told.append(("summary.json", "what is dead and how much is left"))
        write_text(top / "README.md", _readme(network, every, left, told))
        write_manifest(network.spec, top)
    return [f"{name}: {what}" for name, what in told]


def routes_around(whole: Routes, left: Survivors) -> Routes:
    """Routes around dead parts by the channels of the whole network, among live endpoints."""
    found = repaired_shortest(whole, left.left, left.nodes, left.channels)
    network = left.whole
    view = network.among(left.nodes[left.left.endpoints].tolist())
    table = np.full((network.order, network.order), NO_OFFSET, dtype=np.uint8)
    known = found.table != NO_OFFSET
    taken = left.left.indptr[:-1] + np.where(known, found.table, 0)
    channels = left.channels[np.minimum(taken, len(left.channels) - 1)]
    offsets = channels - network.indptr[left.nodes]
    table[np.ix_(left.nodes, left.nodes)] = np.where(known, offsets, NO_OFFSET)
    return replace(found, network=view, table=table, targets=np.arange(network.order))


def _cables(network: Network, faults: Faults, given: Conditions, top: Path) -> tuple[str, str]:
    placed = place(network, given.plan)
    names = [placed.plan.name(int(p)) for p in placed.places]
    write_cables(network, top / "cables.csv", names, placed.lengths.tolist(), faults=faults)
    dead = faults.channels(network)
    gone = int(dead.sum()) // (2 if network.duplex else 1)
    return "cables.csv", f"the cables that work, under their numbers; {gone} are dead"


def _opensm(whole: Routes, faults: Faults, top: Path) -> str:
    words = []
    for subnet, written, rewritten in write_rest(whole, faults, top / "opensm"):
        name = f"plane-{subnet.plane}/: " if subnet.plane else ""
        words.append(f"{name}{rewritten.words()}. {written.words()}")
    return "; ".join(words)


def _simgrid(network: Network, routes: Routes, top: Path) -> str:
    names = channel_names(network)  # by the ports of the whole, which may have gaps
    write_simgrid(routes, make_folder(top / "simgrid") / "platform.xml", names=names)
    return "platform.xml: the live hosts and the routes of routing.csv"


def _elsewhere(network: Network, faults: Faults) -> list[tuple[str, str]]:
    """What is not written for a broken fabric, and why."""
    parts = [f"--dead {v}" for v in sorted(faults.nodes)]
    parts += [f"--dead-link {u}-{v}" for u, v in faults.pairs()]
    code = f'`hopscape emit "{network.spec}" --to verilog {" ".join(parts)}` writes it'
    return [
        ("(no verilog/)", code),
        ("(no booksim/, sst.graphml)", "their networks number what is left anew"),
        ("(no bill.csv, proofs.json)", "they are of the whole fabric"),
    ]


def _summary(network: Network, faults: Faults, left: Survivors) -> dict[str, object]:
    return {
        "spec": network.spec,
        "dead_nodes": sorted(faults.nodes),
        "dead_links": [list(pair) for pair in faults.pairs()],
        "endpoints": left.left.endpoint_count,
        "links": left.left.links,
    }


def _readme(network: Network, faults: Faults, left: Survivors, told: list[tuple[str, str]]) -> str:
    nodes = ", ".join(map(str, sorted(faults.nodes))) or "none"
    links = ", ".join(f"{u}-{v}" for u, v in faults.pairs()) or "none"
    return _README.format(
        spec=in_markdown(network.spec),
        dead=f"Dead nodes: {nodes}. Dead links: {links}",
        ends=left.left.endpoint_count,
        all_ends=network.endpoint_count,
        numbering=PORT_WORDS,
        table="\n".join(f"| {name} | {in_markdown(what)} |" for name, what in told),
    )
