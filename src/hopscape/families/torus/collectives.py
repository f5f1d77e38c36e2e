"""The broadcasts of torus and mesh under the names of ``hopscape broadcast --algorithm``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from hopscape.collectives.circuits.anyside import best_schedule, mesh_schedule
from hopscape.collectives.circuits.kindred import by_kindred
from hopscape.collectives.circuits.pipelined import pipelined_broadcast
from hopscape.collectives.circuits.schemes import SCHEMES, scheme, scheme_names
from hopscape.collectives.circuits.search import search_circuits
from hopscape.collectives.circuits.torus import to_schedule
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import ALL_PORT_ONLY, Model, Served
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule

__all__ = ["mesh_collectives", "torus_collectives"]

Build = Callable[[Network, Goal, Model], Schedule]

CIRCUITS = Served(ports=(None,), switching=("circuit",))
ANY_PORTS = Served(switching=("circuit",))
_CIRCUIT = "circuits in the fewest rounds this project knows, for any sides"
_PIPELINED = "2d spanning trees without common channels, for many chunks (store-and-forward)"


def torus_collectives(sides: Sequence[int]) -> tuple[Collective, ...]:
    """``circuit`` for every torus, the named schemes where the side is a power of 2d + 1."""
    algorithms = [
        Collective("circuit", "broadcast", _CIRCUIT, _torus_circuit, ANY_PORTS, one_piece=True)
    ]
    algorithms.append(
        Collective(
            "circuit",
            "reduce",
            f"{_CIRCUIT}, backwards",
            _torus_reduce,
            ANY_PORTS,
            one_piece=True,
        )
    )
    for name in scheme_names(sides):
        whole = Collective(name, "broadcast", SCHEMES[name], _named(name), CIRCUITS, one_piece=True)
        what = f"{SCHEMES[name]}, pruned"
        pruned = replace(whole, goal="one-to-many", summary=what, build=_pruned(name))
        algorithms += [whole, pruned]
    if min(sides) >= 3:
        algorithms.append(
            Collective("pipelined", "broadcast", _PIPELINED, _pipelined, ALL_PORT_ONLY)
        )
    return tuple(algorithms)


def _pipelined(network: Network, goal: Goal, model: Model) -> Schedule:
    return pipelined_broadcast(network, _root(goal), goal.chunks, model)


def mesh_collectives() -> tuple[Collective, ...]:
    """``circuit`` for every mesh."""
    return (Collective("circuit", "broadcast", _CIRCUIT, _mesh_circuit, ANY_PORTS, one_piece=True),)


def _root(goal: Goal) -> int:
    return goal.root if goal.root is not None else 0


def _torus_circuit(network: Network, goal: Goal, model: Model) -> Schedule:
    return by_kindred(network, goal, model, _on_torus)


def _on_torus(network: Network, goal: Goal, model: Model) -> Schedule:
    if _is_special(goal, model):
        return search_circuits(network, goal, model)
    return best_schedule(network, _root(goal), model)


def _mesh_circuit(network: Network, goal: Goal, model: Model) -> Schedule:
    return by_kindred(network, goal, model, _on_mesh)


def _on_mesh(network: Network, goal: Goal, model: Model) -> Schedule:
    if _is_special(goal, model):
        return search_circuits(network, goal, model)
    return mesh_schedule(network, _root(goal), model)


def _is_special(goal: Goal, model: Model) -> bool:
    """Are there several sources, fewer ports than links, or only some circuits?"""
    return bool(goal.sources) or model.ports is not None or model.circuits != "any"


def _torus_reduce(network: Network, goal: Goal, model: Model) -> Schedule:
    """A broadcast backwards; where circuits end at a common node, only links stay apart."""
    rules = model.converging()
    forth = _torus_circuit(network, Goal.broadcast(_root(goal)), rules.backwards())
    back = forth.reversed(goal, name="circuit, reversed")
    if rules.ports == 1 and model.shares == "vertex":
        return back.under(model)
    meets = back.model.disjoint == "vertex"
    return back.under(replace(back.model, disjoint="edge")) if meets else back


def _named(name: str) -> Build:
    def build(network: Network, goal: Goal, model: Model) -> Schedule:
        program = scheme(name, network.family.sides)  # type: ignore[union-attr]
        return to_schedule(program, network, _root(goal), model, name)

    return build


def _pruned(name: str) -> Build:
    """Only the calls on the way to a target are made."""

    def build(network: Network, goal: Goal, model: Model) -> Schedule:
        whole = _named(name)(network, Goal.broadcast(_root(goal)), model)
        parent = np.full(network.order, -1, dtype=np.int64)
        parent[whole.target] = whole.source
        needed = np.zeros(network.order, dtype=bool)
        at = np.asarray(goal.targets, dtype=np.int64)
        while len(at):
            needed[at] = True
            at = np.unique(parent[at])
            at = at[(at >= 0) & ~needed[np.maximum(at, 0)]]
        program = scheme(name, network.family.sides)  # type: ignore[union-attr]
        return to_schedule(
            program, network, _root(goal), model, name, goal, keep=lambda ends: needed[ends]
        )

    return build
