"""Circuit-switched broadcast in dimension order: every circuit is the route of its ends.

On tori, meshes, hypercubes, HyperX and other products of lines a circuit runs along the first axis,
then the second, and so on (each by a shortest path), as routers that route in dimension order
connect it. So only the pairs of a round can be chosen, which is done as for any circuits: far apart
at first, then circuits are pushed about until a round serves as many as it can.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.circuits.paths import Paths, assemble, wires_of
from hopscape.core.arrays import IntArray
from hopscape.core.dimension_order import grid_for
from hopscape.core.errors import TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.progress import time_left
from hopscape.core.schedule import Schedule

__all__ = ["ordered_circuits"]

_MOST_NODES = 10_000
_TRIES = 24
_EFFORT = 4_000_000
_SPENT = 0.5
_PORTION = 50


def ordered_circuits(network: Network, goal: Goal, model: Model, *, seed: int = 0) -> Schedule:
    """A broadcast, or one to many, by dimension-ordered circuits, in as few rounds as it finds.

    Args:
        network: One whose channels each change one entry of the address.
        goal: Of one chunk, from one root or several sources.

    Examples:
        >>> import hopscape
        >>> model = Model(switching="circuit", circuits="dimension-ordered")
        >>> ordered_circuits(hopscape.build("torus(5, 5)"), Goal.broadcast(0), model).rounds
        3
    """
    if network.order > _MOST_NODES:
        raise TooLargeError(
            f"dimension-ordered circuits are searched for up to {_MOST_NODES:,} nodes;"
            f" {network.spec} has {network.order:,}"
        )
    search = _Search(network, goal, model)
    bounds = lower_bounds(network, goal, model)
    least = bounds[0].rounds if bounds else 0
    generator, best = np.random.default_rng(seed), list[Paths]()
    started = time_left()
    for attempt in range(_TRIES):
        most = len(best) - 1 if attempt else network.order
        made = search.rounds(generator, most, attempt % 3 == 0)
        if made is not None:
            best = made
        if len(best) <= least or (started < np.inf and time_left() < _SPENT * started):
            break
    return assemble(network, goal, replace(model, disjoint=model.shares), best, "circuit")


class _Search:
    """The network and what is to be served."""

    def __init__(self, network: Network, goal: Goal, model: Model) -> None:
        self.network, self.wires = network, wires_of(network)
        self.grid = grid_for(network, model.circuits)
        self.wanted = goal.on(network).wanted
        assert goal.root is not None
        self.have = [goal.root, *goal.sources]
        self.full = network.degrees.astype(np.int64)
        if model.ports is not None:
            self.full = np.minimum(self.full, model.ports)
        self.apart = model.shares == "vertex"
        channels = np.arange(len(network.heads))
        mate = np.where(network.reverse < 0, channels, network.reverse)
        shared = {"vertex": network.heads, "edge": np.minimum(channels, mate), "arc": channels}
        self.share = shared[model.shares].astype(np.int64)

    def rounds(self, generator: np.random.Generator, most: int, spread: bool) -> list[Paths] | None:
        """Rounds that serve as many as they can, far apart or by lot; None: `most` do not do."""
        room, made = np.full(self.network.order, -1, dtype=np.int64), list[Paths]()
        room[self.have] = self.full[self.have]
        while len(lack := self.wanted[room[self.wanted] < 0]):
            if len(made) >= most:
                return None
            targets, paths = self._round(room, generator.permutation(lack), generator, spread)
            made.append(paths)
            room[targets] = self.full[targets]
        return made

    def _round(
        self, room: IntArray, lack: IntArray, generator: np.random.Generator, spread: bool
    ) -> tuple[IntArray, Paths]:
        from hopscape.collectives.circuits import ordered_kernels as kernels

        owner = np.full(max(len(self.share), len(room)), -1, dtype=np.int64)
        if self.apart:
            owner[: len(room)][room >= 0] = -2  # no circuit runs through a node that has it
        state = (room.copy(), owner, np.full_like(room, -1), np.zeros_like(room))
        most = min(int(room[room >= 0].sum()), len(lack))
        served = kernels.begin(
            self.wires, self.grid, self.share, state, lack, spread and most < len(lack)
        )
        for _ in range(max(min(_EFFORT // len(room), 4_000) // _PORTION, 1)):
            if served >= most or time_left() <= 0:
                break
            seed = int(generator.integers(2**31))
            served = kernels.improve(
                self.wires, self.grid, self.share, state, lack, most, seed, _PORTION
            )
        targets = lack[state[2][lack] >= 0]
        return targets, kernels.circuits(self.wires, self.grid, state[2], state[3], targets)
