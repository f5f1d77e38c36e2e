"""What channels carry and nodes add up at least, in buffers: bounds on the time of long data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hopscape.collectives.bounds import CUTS, bandwidth_optimum, least_rate
from hopscape.collectives.partitions import worst_partition
from hopscape.core.arrays import Floats
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network

__all__ = ["least_load", "least_moved"]

_PARTS = 400_000
"""Endpoints times channels up to which the worst partition is looked for: some seconds."""


def least_load(
    network: Network, goal: Goal, model: Model = Model(), barriers: bool = True
) -> tuple[float, float]:
    """What the busiest channel carries, and what the busiest node adds up, at least.

    In buffers, summed over rounds: in no schedule is the busiest channel (by its capacity) less
    busy. A node takes in and gives out by as many channels at once as the model allows; sums are
    sent at least 2 (n - 1) times as a whole in an all-reduce, unless switches add. What no cut lets
    through, what the parts of a network must exchange in an all-reduce, and what the routes of an
    all-to-all must share, counts as well.

    Args:
        barriers: Rounds of unit messages last as long where all of them are on fast links; without
            barriers they do not.

    Examples:
        >>> import hopscape
        >>> least_load(hopscape.build("ring(8)"), hopscape.Goal.all_gather())
        (0.4375, 0.0)
    """
    if len(goal.groups) > 1:
        if len({len(group) for group in goal.groups}) > 1:
            return 0.0, 0.0
        each = [least_load(network, part, model, barriers) for part in goal.parts()]
        return max(load for load, _ in each), max(added for _, added in each)
    load, added = _node_load(network, goal, model)
    if not load:
        return 0.0, added
    by_rates = _rate_load(network, goal, model, barriers)
    return max(load, _cut_load(network, goal, model), by_rates), added


def _rate_load(network: Network, goal: Goal, model: Model, barriers: bool) -> float:
    """What few ports or half duplex make channels carry, by their capacity, in buffers."""
    rounds = least_rate(network, replace(goal, chunks=1), model)
    if rounds is None:
        return 0.0
    unit = float(network.capacities().max(initial=1.0))
    if barriers:
        unit /= float(network.room().max(initial=1))
    return rounds / (network.endpoint_count * unit)


def _cut_load(network: Network, goal: Goal, model: Model) -> float:
    """What the worst cut makes its channels carry, by their capacity, in buffers."""
    if len(goal.groups) == 1:
        return _cut_load(network.among(goal.groups[0]), goal.everywhere(), model)
    ends, small = network.endpoint_count, len(network.heads) * network.endpoint_count <= CUTS
    if goal.groups or goal.sources or not small or not network.materialised:
        return 0.0
    from hopscape.collectives.forest import root_cut

    unit = float(network.capacities().max(initial=1.0)) / float(network.room().max(initial=1))
    if goal.kind in ("all-gather", "reduce-scatter", "all-to-all"):
        optimum = bandwidth_optimum(network, replace(goal, chunks=1))
        return 0.0 if optimum is None else float(optimum.rounds) / (ends * unit)
    if goal.kind in ("broadcast", "reduce"):
        assert goal.root is not None
        return 1 / (root_cut(network, goal.root, inward=goal.kind == "reduce") * unit)
    if goal.kind == "all-reduce":
        first = int(network.endpoints[0])
        least = min(root_cut(network, first, inward=way) for way in (False, True))
        seen = not model.in_network and _uneven(network)
        parts = worst_partition(network) if seen and ends * len(network.heads) <= _PARTS else None
        return max(1 / least, 0.0 if parts is None else float(parts.rounds)) / unit
    return 0.0


def _node_load(network: Network, goal: Goal, model: Model) -> tuple[float, float]:
    """The same by what every node takes in and gives out."""
    ends = goal.members(network)
    count = len(ends)
    if count < 2 or len(goal.groups) > 1:
        return 0.0, 0.0
    share = (count - 1) / count
    gives, takes = _widths(network, model, into=False), _widths(network, model, into=True)
    narrow_in, narrow_out = float(takes[ends].min()), float(gives[ends].min())
    root = goal.root
    have = [] if root is None else [root, *goal.sources]
    others = np.setdiff1d(ends, have)
    if not len(others):
        return 0.0, 0.0
    added = share if goal.kind in ("reduce-scatter", "all-reduce") else 0.0
    if root is not None:
        inward, outward = float(takes[root]), float(gives[have].sum())
        far_in, far_out = float(takes[others].min()), float(gives[others].min())
        loads = {
            "scatter": share / outward,
            "gather": share / inward,
            "broadcast": max(1 / outward, 1 / far_in),
            "reduce": max(1 / inward, 1 / far_out),
        }
        sums = float(goal.kind == "reduce" and not model.in_network)  # the root adds up everything
        return loads.get(goal.kind, 0.0), sums
    if goal.kind == "all-reduce":
        whole = float(gives[ends].sum())
        traffic = 0.0 if model.in_network else 2 * (count - 1) / whole
        return max(1 / narrow_in, traffic), 0.0 if model.in_network else added
    loads = {
        "all-gather": share / narrow_in,
        "reduce-scatter": share / narrow_out,
        "all-to-all": max(share / narrow_out, share / narrow_in),
    }
    return loads.get(goal.kind, 0.0), 0.0 if model.in_network else added


def _widths(network: Network, rules: Model, into: bool) -> Floats:
    """What each node can send or receive at once, by capacity."""
    capacity = network.capacities()
    at = network.heads if into else network.tails
    out: Floats = np.bincount(at, weights=capacity, minlength=network.order).astype(np.float64)
    if rules.ports is not None:
        out = np.minimum(out, rules.ports * float(capacity.max(initial=1.0))).astype(np.float64)
    floor: Floats = np.maximum(out, 1e-12)
    return floor


def least_moved(network: Network, goal: Goal, model: Model) -> float:
    """What carrying and adding up a buffer costs together, at least, at the prices of the model.

    Examples:
        >>> import hopscape
        >>> mesh, goal = hopscape.build("mesh(3, 7)"), hopscape.Goal.all_reduce()
        >>> load, added = least_load(mesh, goal)
        >>> at = Model(beta=2.0, gamma=1.0)
        >>> round(2 * load + added, 3), round(least_moved(mesh, goal, at), 3)
        (2.202, 2.39)
    """
    load, added = least_load(network, goal, model)
    apart = model.beta * load + model.gamma * added
    ends = goal.members(network)
    if goal.kind != "all-reduce" or len(goal.groups) > 1 or len(ends) < 2 or model.in_network:
        return apart
    return max(apart, _sums_cost(_widths(network, model, into=True)[ends], load, added, model))


def _uneven(network: Network) -> bool:
    """May parts of the network be narrower than its nodes?"""
    like = network.symmetry is not None and network.symmetry.transitive
    return network.materialised and not (like and network.one_speed and not network.has_switches)


def _sums_cost(widths: Floats, load: float, added: float, model: Model) -> float:
    """The cheapest balance of what busiest channels carry and busiest nodes add in an all-reduce.

    Sums are sent 2 (n - 1) times (Harary and Schwenk 1974). A node takes no more of them than its
    channels carry, and adds up all but one, the result: with load t and a additions, the sum over
    nodes of the lesser of width · t and a + 1 is 2 (n - 1) at least. That bounds a polygon, of
    which some corner is cheapest.

    Args:
        widths: What each node takes in at once.
        load, added: What either is at least.
    """
    wide = np.sort(widths)[::-1]
    full = np.arange(len(wide) + 1)  # so many of the widest nodes add as much as any
    rest = np.concatenate([np.cumsum(wide[::-1])[::-1], [0.0]])
    sums = 2.0 * (len(wide) - 1)
    corners = sums / (rest[:-1] + full[:-1] * wide)
    by_adding = (sums - full[:-1] * (added + 1)) / rest[:-1]
    loads = np.maximum(np.concatenate([[load], corners, by_adding]), load)
    adds = ((sums - loads[:, None] * rest[1:]) / full[1:]).max(axis=1) - 1
    return float((model.beta * loads + model.gamma * np.maximum(adds, added)).min())
