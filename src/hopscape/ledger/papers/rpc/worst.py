"""Bad permutations, by seeded hill-climbing: the measured side of every bound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hopscape.collectives import run_algorithm
from hopscape.core.arrays import IntArray
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.families.petersen_cycles.balanced import balanced_slice
from hopscape.families.petersen_cycles.phases import Phases, stack_of

__all__ = ["climb_permutation", "climb_sources", "incomplete_rounds", "reversal", "swap_cycles"]


def reversal(order: int) -> IntArray:
    """Node i to node order - 1 - i."""
    return np.arange(order)[::-1].copy()


def swap_cycles(order: int, a: int = 0, b: int = 2) -> IntArray:
    """Cycles a and b of every slice of RPC(k) change places, the others stay."""
    places = np.arange(order)
    cycle = places % 30 // 3
    other = np.where(cycle == a, b, np.where(cycle == b, a, cycle))
    return places - places % 30 + 3 * other + places % 3


def climb_permutation(
    network: Network, algorithm: str, model: Model, *, steps: int, seed: int, start: IntArray
) -> tuple[int, IntArray]:
    """Swap targets at random and undo what makes it easier: rounds and permutation reached.

    Swaps stay within slices, so that permutations that keep slices do.
    """

    def cost(targets: IntArray) -> tuple[int, int]:
        made = run_algorithm(network, Goal.permutation(targets.tolist()), algorithm, model)
        return made.rounds, made.transfers

    rng = np.random.default_rng(seed)
    best = start.copy()
    value = cost(best)
    size = stack_of(network).slice.size
    for _ in range(steps):
        other = best.copy()
        base = size * int(rng.integers(network.order // size))
        i, j = base + rng.choice(size, size=2, replace=False)
        other[[i, j]] = other[[j, i]]
        new = cost(other)
        if new >= value:
            best, value = other, new
    return value[0], best


def incomplete_rounds(network: Network, sources: IntArray, model: Model) -> int:
    """Rounds of Incomplete-Permutation in one slice: the packet for node d starts at sources[d]."""
    from hopscape.families.petersen_cycles.permutations import incomplete

    phases = Phases(network, model, Goal.all_gather())
    nodes = np.arange(network.order)
    incomplete(phases, np.asarray(sources, dtype=np.int64), nodes, nodes)
    return phases.now


def balanced_rounds(network: Network, sources: IntArray, model: Model) -> int:
    """The same by the balanced slice scheduler."""
    nodes = np.arange(network.order)
    return balanced_slice(network, np.asarray(sources, dtype=np.int64), nodes, model).rounds


def climb_sources(
    network: Network,
    rounds: Callable[[Network, IntArray, Model], int],
    model: Model,
    *,
    steps: int,
    seed: int,
) -> tuple[int, IntArray]:
    """Hill-climbing over multisets of sources in one slice; starts from all packets at one node."""
    rng = np.random.default_rng(seed)
    size = network.order
    best = np.where(rng.random(size) < 0.7, 0, rng.integers(size, size=size))
    value = rounds(network, best, model)
    for _ in range(steps):
        other = best.copy()
        some = rng.choice(size, size=int(rng.integers(1, 4)), replace=False)
        other[some] = rng.choice([0, 1, *rng.integers(size, size=1).tolist()], size=len(some))
        new = rounds(network, other, model)
        if new >= value:
            best, value = other, new
    return value, best
