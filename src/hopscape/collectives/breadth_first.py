"""Breadth-first broadcasts: all-gather in as many steps as the diameter, balanced in each step.

In step t every node takes from its neighbours the data of all nodes at distance t. Which neighbour
sends which is a flow problem at each node for itself, so that the busiest channel of every step
carries as little as shortest paths allow (Zhao et al., "Efficient direct-connect topologies for
collective communications", 2022, there by linear programs).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.plan import Plan
from hopscape.collectives.survivors import gathered_backwards, gathered_twice
from hopscape.collectives.symmetric import WRITTEN, Carried
from hopscape.collectives.symmetric_plans import breadth_first_plan
from hopscape.collectives.symmetric_translations import known_symmetries
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import ALL_PORT_ONLY, Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

__all__ = [
    "ALL_GATHER",
    "ALL_REDUCE",
    "REDUCE_SCATTER",
    "BreadthFirst",
    "breadth_first",
    "breadth_first_schedule",
]

_STEPS = 30.0
"""Steps per hop of a tree, 0.3 µs."""


@dataclass(frozen=True)
class BreadthFirst:
    """Balanced breadth-first broadcasts of all endpoints.

    Attributes:
        parent (int32[endpoints * pieces, order]): The channel by which each piece comes to each
            node, -1 where it does not.
        rounds (int64[steps]): Pieces on the busiest channel in each step, in rounds of the
            network's room.
        distance: array, shape (endpoints, order)
    """

    parent: IntArray
    rounds: IntArray
    distance: IntArray


def breadth_first(network: Network, pieces: int = 1) -> BreadthFirst:
    """Trees of shortest paths of all endpoints, channels shared evenly in every step.

    Time is about 0.3 µs per root and node, memory 74 bytes per root and node.

    Examples:
        >>> import hopscape
        >>> breadth_first(hopscape.build("torus(4, 4)")).rounds  # the bound is 4
        array([1, 2, 1, 1])
    """
    from hopscape.collectives.breadth_kernels import breadth_first_trees

    ends, order = network.endpoints.astype(np.int64), network.order
    require_memory(
        (70 * pieces + 4) * len(ends) * order, f"the trees of {len(ends)} roots in {network.spec}"
    )
    check_time(f"the trees of {len(ends)} roots in {network.spec}")
    distance = distance_rows(network, ends)
    if unreached(distance[:, ends]).any():
        raise DisconnectedError(
            f"{network.spec} has nodes that cannot be reached, so that no schedule exists"
        )
    hops = int(distance[:, ends].max(initial=0))
    parent = np.full((len(ends) * pieces, order), -1, dtype=np.int32)
    rounds = np.zeros(hops + 1, dtype=np.int64)
    breadth_first_trees(network.incoming(), network.room(), distance, pieces, parent, rounds)
    return BreadthFirst(parent, rounds[1:], distance)


@verified
def breadth_first_schedule(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """All-gather, reduce-scatter or all-reduce by balanced breadth-first broadcasts.

    With packed messages it takes as many rounds as the diameter, with unit messages about as many
    as the busiest channels of all steps carry. Reduce-scatter runs backwards, all-reduce is both.
    Beyond 3,000 nodes one node per orbit is planned where symmetries are known, unit messages.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("torus(4, 4)")
        >>> breadth_first_schedule(net, Goal.all_gather()).rounds
        5
        >>> breadth_first_schedule(net, Goal.all_gather(), Model(packing="packed")).rounds
        4
    """
    if goal.kind == "reduce-scatter":
        return gathered_backwards(network, goal, model, breadth_first_schedule)
    if goal.kind == "all-reduce":
        return gathered_twice(network, goal, model, breadth_first_schedule, "breadth-first")
    if not ALL_PORT_ONLY.allows(model):
        raise ArgumentError(
            f"algorithm 'breadth-first' serves {ALL_PORT_ONLY.describe()}, not {model.describe()}"
        )
    large = network.order > WRITTEN and model.packing == "unit" and goal.chunks == 1
    view = known_symmetries(network) if large else None
    if view is not None:
        return Carried(breadth_first_plan(view)[0], goal, model, "breadth-first")
    trees = breadth_first(network, goal.chunks)
    plan, steps = _plan(network, trees, goal.chunks)
    if model.packing == "unit":
        return plan.schedule(network, goal, "breadth-first", model)
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=steps,
        channels=plan.channel,
        chunk=plan.chunk,
        name="breadth-first",
    )


def breadth_first_cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of growing the trees of all roots, or of one root per orbit on large networks."""
    roots, pieces = network.endpoint_count, goal.chunks
    if goal.kind == "all-reduce":
        pieces = max(1, pieces // max(1, roots))
    planned = network.order > WRITTEN and not network.has_switches and network.symmetry is not None
    if planned and model.packing == "unit" and pieces == 1 and network.symmetry is not None:
        roots = len(network.symmetry.representatives)
    return _STEPS * pieces * roots * network.order


def _plan(network: Network, trees: BreadthFirst, pieces: int) -> tuple[Plan, IntArray]:
    """The hops of all trees that lead to endpoints, and the step of each."""
    parent = trees.parent
    if network.has_switches:
        parent = _pruned(network, trees, pieces)
    chunk, node = np.nonzero(parent >= 0)
    channel = parent[chunk, node].astype(np.int64)
    number = np.full(parent.shape, -1, dtype=np.int64)
    number[chunk, node] = np.arange(len(channel))
    before = number[chunk, network.tails[channel]]
    steps = trees.distance[chunk // pieces, node].astype(np.int64) - 1
    return Plan(channel, before, chunk.astype(np.int64)), steps


def _pruned(network: Network, trees: BreadthFirst, pieces: int) -> IntArray:
    """Without the branches that lead to no endpoint."""
    parent = trees.parent.copy()
    keep = np.zeros(parent.shape, dtype=bool)
    keep[:, network.endpoints] = True
    levels = np.repeat(trees.distance, pieces, axis=0)
    for t in range(len(trees.rounds), 0, -1):
        chunk, node = np.nonzero((levels == t) & keep & (parent >= 0))
        keep[chunk, network.tails[parent[chunk, node]]] = True
    parent[~keep | (levels > len(trees.rounds))] = -1
    return parent


_WHAT = "breadth-first broadcasts, balanced in every step: as few steps as the diameter"
ALL_GATHER = Collective(
    "breadth-first",
    "all-gather",
    _WHAT,
    breadth_first_schedule,
    ALL_PORT_ONLY,
    cost=breadth_first_cost,
)
REDUCE_SCATTER = replace(ALL_GATHER, goal="reduce-scatter")
ALL_REDUCE = replace(ALL_GATHER, goal="all-reduce")
