"""All-gather and all-to-all on Cayley graphs: one node's schedule, carried to all by translations.

Let u·s be where the translation that moves node 0 to u moves node s. Every link leads from some u
to u·s with s a neighbour of node 0, its kind. If in each round every node uses each kind of link
for data that stand at the same relative place, no channel is used twice: it is enough to plan for
node 0 and to use each pair (round, kind) once.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hopscape.collectives.symmetric import Carried, is_written
from hopscape.collectives.symmetric_plans import exchange_by_orbit, gather_by_orbit
from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError
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
    "plan_all_gather",
    "plan_all_to_all",
]

CARRIED = {"all-gather": Goal.all_gather, "all-to-all": Goal.all_to_all}
"""Kinds of goals that translations serve."""
_TRIES = 20
"""Seeds that are tried until the load of the busiest kind is met."""
_WORDS = 60
"""Shortest words to one place that are kept to choose from: their number grows like a binomial."""


@dataclass(frozen=True)
class Step:
    """In `round`, data at relative place `place` go over links of one kind; `aim` is their end."""

    round: int
    kind: int
    place: int
    aim: int


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

    def unreachable(self) -> int | None:
        """A place that no links lead to from place 0, or None."""
        have = np.zeros(self.order, dtype=bool)
        fresh = np.zeros(1, dtype=np.int64)
        while len(fresh):
            have[fresh] = True
            fresh = np.unique(self.step[:, fresh])
            fresh = fresh[~have[fresh]]
        return None if have.all() else int(np.argmin(have))

    def product(self, place: int) -> IntArray:
        """v·place for every node v."""
        out = np.zeros(self.order, dtype=np.int64)
        for axis, move in enumerate(self._moves):
            out += move(self.digits[:, axis], self.digits[place, axis]) * self._strides[axis]
        return out

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


def plan_all_gather(shifts: Shifts, seed: int = 0) -> list[Step]:
    """Bring node 0's datum to every place, each (round, kind) used once; as short as it gets.

    In every round a matching gives each kind of link a new place, as far as there are any.
    """
    generator = np.random.default_rng(seed)
    have = np.zeros(shifts.order, dtype=bool)
    have[0] = True
    plan: list[Step] = []
    now = 0
    while not have.all():
        offers = []
        for step in shifts.step:
            places = np.nonzero(have & ~have[step])[0]
            offers.append(generator.permutation(places)[: 4 * len(shifts.kinds)])
        taken = _match([[int(shifts.step[k][h]) for h in hs] for k, hs in enumerate(offers)])
        for kind, place in taken.items():
            before = int(next(h for h in offers[kind] if shifts.step[kind][h] == place))
            plan.append(Step(now, kind, before, place))
        have[list(taken.values())] = True
        now += 1
    return plan


def _match(offers: list[list[int]]) -> dict[int, int]:
    """Give each kind one of its offers, no offer twice, as many kinds as possible."""
    owner: dict[int, int] = {}

    def claim(kind: int, seen: set[int]) -> bool:
        for place in offers[kind]:
            if place not in seen:
                seen.add(place)
                if place not in owner or claim(owner[place], seen):
                    owner[place] = kind
                    return True
        return False

    for kind in range(len(offers)):
        claim(kind, set())
    return {kind: place for place, kind in owner.items()}


def plan_all_to_all(shifts: Shifts, seed: int = 0) -> list[Step]:
    """Bring a datum of node 0 to each place, each (round, kind) used once; as short as it gets.

    Every datum goes by a shortest path; paths are chosen so that all kinds of links carry alike.
    Links are given to the datum with most hops left; several seeds are tried.
    """
    if shifts.order == 1:
        return []
    words = _balanced_words(shifts, seed)
    load = np.zeros(len(shifts.kinds), dtype=np.int64)
    for word in words:
        for kinds in word:
            np.add.at(load, list(kinds), 1)
    bound = int(load.max(initial=0))
    best: list[Step] | None = None
    for attempt in range(_TRIES):
        plan = _play(shifts, words, seed + attempt)
        if best is None or plan[-1].round < best[-1].round:
            best = plan
        if not best or best[-1].round + 1 <= bound:
            break
    assert best is not None
    return best


Word = tuple[int, ...]


def _balanced_words(shifts: Shifts, seed: int) -> list[list[Word]]:
    """For each place one word of kinds per axis that leads there, kinds used evenly."""
    chosen: list[dict[int, Word]] = []
    first = 0
    for axis, size in enumerate(shifts._sizes):
        count = sum(1 for a, _ in shifts.kinds if a == axis)
        kinds = range(first, first + count)
        stride = shifts._strides[axis]
        steps = {k: shifts.step[k][np.arange(size) * stride] // stride for k in kinds}
        chosen.append(_even_choice(_all_words(size, steps), kinds, seed))
        first += count
    return [
        [chosen[axis][int(digit)] for axis, digit in enumerate(row) if digit]
        for row in shifts.digits
    ]


def _all_words(size: int, steps: dict[int, IntArray]) -> list[list[Word]]:
    """All shortest words from place 0 to each place of one axis, or many of them."""
    words: list[list[Word]] = [[] for _ in range(size)]
    words[0] = [()]
    frontier = [0]
    while frontier:
        reached: dict[int, list[Word]] = {}
        for place in frontier:
            for kind, step in steps.items():
                there = int(step[place])
                if not words[there]:
                    some = words[place][:_WORDS]
                    reached.setdefault(there, []).extend((*w, kind) for w in some)
        for there, shortest in reached.items():
            words[there] = shortest
        frontier = list(reached)
    return words


def _even_choice(words: list[list[Word]], kinds: Sequence[int], seed: int) -> dict[int, Word]:
    """One word per place, so that the most used kind is used as little as can be found."""
    if not kinds:
        return {0: ()}
    generator = np.random.default_rng(seed)
    best: dict[int, Word] = {}
    least = None
    open_ = [v for v, choices in enumerate(words) if len(choices) > 1]
    for _ in range(_TRIES):
        choice = {v: choices[0] for v, choices in enumerate(words)}
        use = dict.fromkeys(kinds, 0)
        for choices in words:
            if len(choices) == 1:
                for k in choices[0]:
                    use[k] += 1
        for v in generator.permutation(open_).tolist() if open_ else []:
            choices = [words[v][i] for i in generator.permutation(len(words[v]))]
            choice[v] = min(
                choices, key=lambda w: sorted((use[k] + w.count(k) for k in kinds), reverse=True)
            )
            for k in choice[v]:
                use[k] += 1
        most = max(use.values(), default=0)
        if least is None or most < least:
            best, least = choice, most
    return best


def _play(shifts: Shifts, words: list[list[Word]], seed: int) -> list[Step]:
    """Let every kind of link serve, in each round, the datum with most hops left."""
    generator = np.random.default_rng(seed)
    jobs = range(1, shifts.order)
    waiting: list[list[tuple[int, float, int, int]]] = [[] for _ in shifts.kinds]
    todo = [list(word) for word in words]
    left = [sum(map(len, word)) for word in words]
    at = [0] * shifts.order
    ties = generator.random(shifts.order)
    for g in jobs:
        for slot, word in enumerate(todo[g]):
            heapq.heappush(waiting[word[0]], (-left[g], float(ties[g]), g, slot))
    plan: list[Step] = []
    open_jobs, now = sum(left), 0
    while open_jobs:
        busy: set[int] = set()
        moved: list[tuple[int, int]] = []
        for kind in generator.permutation(len(shifts.kinds)).tolist():
            queue, aside = waiting[kind], []
            while queue:
                key, tie, g, slot = heapq.heappop(queue)
                if g in busy:
                    aside.append((key, tie, g, slot))
                elif key != -left[g]:
                    heapq.heappush(queue, (-left[g], tie, g, slot))
                else:
                    plan.append(Step(now, kind, at[g], g))
                    busy.add(g)
                    moved.append((g, slot))
                    at[g] = int(shifts.step[kind][at[g]])
                    break
            for item in aside:
                heapq.heappush(queue, item)
        for g, slot in moved:
            left[g] -= 1
            todo[g][slot] = todo[g][slot][1:]
            if todo[g][slot]:
                entry = (-left[g], float(ties[g]), g, slot)
                heapq.heappush(waiting[todo[g][slot][0]], entry)
        open_jobs -= len(moved)
        now += 1
    return plan


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
        return _carry(network, factors or [network], CARRIED[kind](), model)

    what = "one node's schedule carried to all by translations, all-port"
    return Collective("translations", kind, what, build, ALL_PORT_ONLY)


def _carry(network: Network, factors: Sequence[Network], goal: Goal, rules: Model) -> Schedule:
    gather = goal.kind == "all-gather"
    if not is_written(network):
        view = Translated(network, factors)
        made = gather_by_orbit(view) if gather else exchange_by_orbit(view)
        return Carried(made, goal, rules, "translations")
    shifts = Shifts(factors)
    lost = shifts.unreachable()
    if lost is not None:
        raise DisconnectedError(f"node {lost} cannot be reached from node 0 in {network.spec}")
    plan = plan_all_gather(shifts) if gather else plan_all_to_all(shifts)
    order = shifts.order
    require_memory(60 * len(plan) * order, f"{goal.kind} by translations on {network.spec}")
    channel = [network.channel_at(np.arange(order), ports) for ports in shifts.ports]
    channels = np.empty((len(plan), order), dtype=np.int64)
    chunk = np.empty((len(plan), order), dtype=np.int64)
    origins = np.arange(order)
    for i, step in enumerate(plan):
        channels[i] = channel[step.kind][shifts.product(step.place)]
        chunk[i] = origins if gather else origins * order + shifts.product(step.aim)
    return Schedule.from_columns(
        network,
        rules,
        goal,
        round=np.repeat([step.round for step in plan], order),
        channels=channels.ravel(),
        chunk=chunk.ravel(),
        name="translations",
    )
