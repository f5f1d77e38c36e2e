"""Translations of Cayley graphs and their products: the group under which one node stands for all.

Let u·s be where the translation that moves node 0 to u moves node s. Every link leads from some u
to u·s with s a neighbour of node 0, its kind. If in each round every node uses each kind of link
for data that stand at the same relative place, no channel is used twice: it is enough to plan for
node 0 and to use each pair (round, kind) once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hopscape.collectives.symmetric import Orbits, View, is_written
from hopscape.collectives.symmetric_plans import exchange_under, gather_under, matching_cost
from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import ALL_PORT_ONLY, Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule

__all__ = [
    "CARRIED",
    "Shifts",
    "Translated",
    "by_translations",
    "known_symmetries",
    "under_translations",
]

CARRIED = {"all-gather": Goal.all_gather, "all-to-all": Goal.all_to_all}
"""Kinds of goals that translations serve."""


class Shifts:
    """Translations of a product, entry by entry.

    Args:
        factors: Each of a family that knows its translations.

    Attributes:
        kinds (list of (axis, port)): Kinds of links: the wired ports of node 0.
        step (int64[kinds, order]): Where a link of each kind leads from each place.
    """

    def __init__(self, factors: Sequence[Network]) -> None:
        self.box = MixedRadix([factor.order for factor in factors])
        self.order = self.box.order
        self._sizes = [factor.order for factor in factors]
        self._moves = [_translate(factor) for factor in factors]
        self.digits = self.box.tuples(np.arange(self.order)).astype(np.int64)
        starts = [list(factor.neighbours(0)) for factor in factors]
        self.kinds = [(i, p) for i, row in enumerate(starts) for p, v in enumerate(row) if v >= 0]
        strides = [self.order]
        for factor in factors:
            strides.append(strides[-1] // factor.order)
        self._strides = strides[1:]
        steps, ports = [], []
        offsets = np.cumsum([0] + [factor.ports for factor in factors])
        for axis, port in self.kinds:
            here = self.digits[:, axis]
            there = self._moves[axis](here, np.asarray(starts[axis][port]))
            steps.append(np.arange(self.order) + (there - here) * self._strides[axis])
            rows = factors[axis].neighbours(np.arange(factors[axis].order))
            rank = starts[axis][: port + 1].count(starts[axis][port])  # among parallel links
            taken = ((rows[here] == there[:, None]).cumsum(axis=1) == rank).argmax(axis=1)
            ports.append(offsets[axis] + taken)
        shape = len(self.kinds), self.order
        self.step = np.asarray(steps, dtype=np.int64).reshape(shape)
        self.ports = np.asarray(ports, dtype=np.int64).reshape(shape)

    def moved(self, by: int) -> IntArray:
        """Where the translation that moves place 0 to `by` moves every place."""
        out = np.zeros(self.order, dtype=np.int64)
        for axis, move in enumerate(self._moves):
            out += move(self.digits[by, axis], self.digits[:, axis]) * self._strides[axis]
        return out


def _translate(factor: Network) -> Callable[[IntArray, IntArray], IntArray]:
    """The translations of a factor as a function of (by, nodes)."""
    family, zero = factor.family, np.zeros(1, dtype=np.int64)
    if family is None or family.translate(zero, zero) is None:
        raise ArgumentError(f"{factor.spec} has no translations that are known")
    known = family

    def move(by: IntArray, nodes: IntArray) -> IntArray:
        moved = known.translate(np.asarray(by), np.asarray(nodes))
        assert moved is not None
        return moved.astype(np.int64)

    return move


class Translated:
    """A Cayley graph under its translations: all nodes are one orbit, ports of node 0 the kinds.

    For plans that stand for all nodes (:class:`~hopscape.collectives.symmetric.OrbitPlan`).
    """

    def __init__(self, network: Network, factors: Sequence[Network]) -> None:
        self.network, self.shifts = network, Shifts(factors)
        self.own = np.zeros(1, dtype=np.int64)
        self.kinds = np.full(len(network.heads), -1, dtype=np.int64)
        nodes = np.arange(network.order)
        for kind, ports in enumerate(self.shifts.ports):
            self.kinds[network.channel_at(nodes, ports)] = kind

    @property
    def members(self) -> int:
        """Size of the group."""
        return self.network.order

    def fault(self) -> str:
        """What is wrong with the translations or the kinds of channels; empty when nothing is.

        Permutations that move node 0 to each of its neighbours and commute with the steps over
        links of each kind: in a connected network they generate a group that moves node 0 to every
        node by exactly one member.
        """
        step, order = self.shifts.step, self.network.order
        if (np.bincount(self.kinds + 1, minlength=1)[1:] != order).any() or -1 in self.kinds:
            return "a kind has more or fewer channels than there are nodes"
        if (step[self.kinds, self.network.tails] != self.network.heads).any():
            return "a channel does not lead where its kind leads"
        for start in np.unique(step[:, 0]).tolist():
            move = self.shifts.moved(start)
            if move[0] != start or (np.bincount(move, minlength=order) != 1).any():
                return f"the translation to node {start} is not a permutation that moves 0 there"
            if any((move[permutation] != permutation[move]).any() for permutation in step):
                return f"the translation to node {start} does not lead links to links of their kind"
        return ""


def by_translations(kind: str, factors: Sequence[Network] | None = None) -> Collective:
    """The named algorithm for all-gather or all-to-all; the network itself is the usual factor.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("heawood")
        >>> gather = by_translations("all-gather").build(net, Goal.all_gather(), Model())
        >>> print(hopscape.verify(gather))
        holds: all-gather: 14 of 14 nodes reached in 5 rounds, 182 messages, 0 duplicates
        >>> by_translations("all-to-all").build(net, Goal.all_to_all(), Model()).rounds
        9
    """

    def build(network: Network, _: Goal, model: Model) -> Schedule:
        if model.ports is not None or model.duplex == "half" or model.switching == "circuit":
            raise ArgumentError("translations are for all ports, full duplex, store-and-forward")
        view = under_translations(network, factors or [network])
        plan = gather_under if kind == "all-gather" else exchange_under
        return plan(view, CARRIED[kind](), model, "translations")

    what = "one node's schedule carried to all by translations, all-port"
    return Collective("translations", kind, what, build, ALL_PORT_ONLY, cost=matching_cost)


def known_symmetries(network: Network) -> View | None:
    """A group under which few nodes stand for all; None where none is known, or switches forward.

    Translations first, since no table of them is kept; else the maps that the family knows.
    """
    family, zero = network.family, np.zeros(1, dtype=np.int64)
    if family is None or network.has_switches:
        return None
    if family.translate(zero, zero) is not None:
        return Translated(network, [network])
    return Orbits(network) if family.rotations() is not None else None


def under_translations(network: Network, factors: Sequence[Network]) -> Orbits | Translated:
    """The network under its translations: a table of them where schedules are written out."""
    if not is_written(network):
        return Translated(network, factors)
    shifts = Shifts(factors)
    require_memory(24 * network.order**2, f"the translations of {network.spec}")
    return Orbits(network, np.stack([shifts.moved(by) for by in range(network.order)]))
