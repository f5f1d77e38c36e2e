"""Plans: which hop follows which, before anything is said of rounds.

A plan is a forest: every hop moves a chunk over a channel after the hop that brought it there.
Trees of an all-gather, paths of an all-to-all and several groups at once are all forests, so that
one function gives rounds to all of them, with the capacities of the channels. Where switches only
forward, a path past them is held as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, ScheduleError
from hopscape.core.goal import Goal
from hopscape.core.model import ALL_PORT_ONLY, Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

if TYPE_CHECKING:
    from hopscape.collectives.plan_kernels import WaveMessages

__all__ = ["PathPlan", "Plan", "cut_in_pieces", "hop_rounds"]

_TRIES, _PASSES, _HOPS = 40, 30, 1_500_000
"""Orders that are tried, passes that push hops forward, and hops of all tries together."""
_PATH_TRIES, _MOVES, _PATH_WORK = 40, 400_000, 300_000_000
"""The same for paths: orders, moves of paths, and steps of either."""
_WAVE_WORK, _WAVE_TRIES = 40_000_000, 2
"""Channels of all paths times rounds beyond which shorter rounds are not tried, and orders."""
_AGAIN_TRIES, _AGAIN_WORK = 8, 20_000_000
"""Orders that are tried for every period, and channels of all paths times rounds of each."""
_START_UPS = 0.1
"""Starting a round over carrying a chunk, at most, where rounds take one chunk on any channel:
beyond, start-ups alone cost what shorter plans gain."""
_NEAR = 1.07
"""Times what the busiest channel carries: pushed paths that take no longer are good enough."""
_SETTLES = 12
"""Numbers of rounds that are tried by moving paths: halving a gap of hundreds takes so many."""


@dataclass(frozen=True)
class Plan:
    """Hops in no order of time.

    Attributes:
        channel: int64[hops]
        before (int64[hops]): The hop after which each hop may be made, or -1.
        chunk: int64[hops]
    """

    channel: IntArray
    before: IntArray
    chunk: IntArray

    @classmethod
    def of(cls, schedule: Schedule) -> Plan:
        """The plan behind a schedule in which nothing is added up.

        Examples:
            >>> import hopscape
            >>> from hopscape.collectives.generic import broadcast
            >>> Plan.of(broadcast(hopscape.build("path(4)"), 0)).before
            array([-1,  0,  1])
        """
        from hopscape.collectives.plan_kernels import hops_before
        from hopscape.core.verify_kernels import by_chunk

        if len(schedule.channels) != schedule.transfers:
            raise ScheduleError("a plan is made of single hops; this schedule has circuits")
        origins = schedule.goal.on(schedule.network).origins
        order = np.empty(schedule.transfers, np.int64)
        start = by_chunk(schedule.chunk, len(origins), order)
        before = hops_before(
            start, order, schedule.source, schedule.target, origins, schedule.network.order
        )
        if (before < -1).any():
            t = int(np.argmax(before < -1))
            raise ScheduleError(f"transfer {t} sends chunk {schedule.chunk[t]}, which never came")
        return cls(schedule.channels.astype(np.int64), before, schedule.chunk)

    @classmethod
    def joined(cls, plans: Sequence[Plan], offsets: Sequence[int]) -> Plan:
        """Several plans side by side; the chunks of each are counted from its offset."""
        starts = np.cumsum([0, *(len(plan.channel) for plan in plans)])
        return cls(
            np.concatenate([plan.channel for plan in plans]),
            np.concatenate(
                [
                    np.where(plan.before < 0, -1, plan.before + start)
                    for plan, start in zip(plans, starts, strict=False)
                ]
            ),
            np.concatenate([p.chunk + low for p, low in zip(plans, offsets, strict=True)]),
        )

    def in_pieces(self, pieces: int) -> Plan:
        """Every chunk cut in pieces that all take the same hops."""
        hops = len(self.channel)
        shift = hops * np.repeat(np.arange(pieces), hops)
        before = np.tile(self.before, pieces)
        return Plan(
            np.tile(self.channel, pieces),
            np.where(before < 0, -1, before + shift),
            np.tile(self.chunk * pieces, pieces) + shift // max(hops, 1),
        )

    def load(self, network: Network) -> int:
        """Rounds that the busiest channel needs: no timing of the plan takes fewer."""
        carried = np.bincount(self.channel, minlength=len(network.heads))
        return int((-(-carried // network.room())).max(initial=0))

    def schedule(
        self, network: Network, goal: Goal, name: str, model: Model = Model(), tries: int = 0
    ) -> Schedule:
        """Give rounds to the hops: a schedule for all ports, full duplex, store-and-forward."""
        rules = _all_port(goal, model)
        require_memory(120 * len(self.channel), f"{goal.kind} on {network.spec}")
        rounds = hop_rounds(self.channel, self.before, network.room(), tries)
        return Schedule.from_columns(
            network, rules, goal, round=rounds, channels=self.channel, chunk=self.chunk, name=name
        )

    def repeated(
        self,
        network: Network,
        goal: Goal,
        period: int,
        times: int,
        name: str,
        model: Model = Model(),
    ) -> Schedule:
        """The plan again and again, every `period` rounds, which is its load or more.

        Chunk c becomes chunks c·times and the `times` - 1 that follow.
        """
        rules = _all_port(goal, model)
        hops = len(self.channel)
        require_memory(120 * hops * times, f"{goal.kind} on {network.spec}")
        first = periodic_rounds(self.channel, self.before, network.room(), period)
        again = np.repeat(np.arange(times), hops)
        return Schedule.from_columns(
            network,
            rules,
            goal,
            round=np.tile(first, times) + period * again,
            channels=np.tile(self.channel, times),
            chunk=np.tile(self.chunk * times, times) + again,
            name=name,
        )


def cut_in_pieces(schedule: Schedule, goal: Goal) -> Schedule:
    """A schedule for one chunk per datum, for data in `goal.chunks` pieces that go the same ways.

    Packed messages take all pieces at once. Hop by hop with all ports, pieces follow each other as
    soon as channels are free; under other rules the schedule is run once for each piece.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.generic import broadcast
        >>> plan = cut_in_pieces(broadcast(hopscape.build("path(4)"), 0), Goal.broadcast(0, 5))
        >>> plan.rounds, hopscape.verify(plan).holds
        (7, True)
    """
    turned = {"reduce": "broadcast", "reduce-scatter": "all-gather"}.get(goal.kind)
    if turned is not None and schedule.network.duplex:
        forth = schedule.reversed(replace(schedule.goal, kind=turned))  # type: ignore[arg-type]
        pieces = cut_in_pieces(forth, replace(goal, kind=turned))  # type: ignore[arg-type]
        return pieces.reversed(goal, name=schedule.name).under(schedule.model)
    network, model, times = schedule.network, schedule.model, goal.chunks
    transfers = schedule.transfers
    require_memory(120 * times * len(schedule.channels), f"{goal.kind} on {network.spec}")
    again = np.repeat(np.arange(times), transfers)
    later = 0 if model.packing == "packed" else schedule.rounds
    lengths = np.tile(np.diff(schedule.path_start), times)
    repeated = Schedule.from_columns(
        network,
        model,
        goal,
        round=np.tile(schedule.round, times).astype(np.int64) + later * again,
        channels=np.tile(schedule.channels, times),
        path_start=np.concatenate([[0], np.cumsum(lengths)]),
        chunk=np.tile(schedule.chunk * times, times) + again,
        rounds=schedule.rounds + later * (times - 1),
        name=schedule.name,
    )
    single = len(schedule.channels) == transfers and not schedule.goal.on(network).combines
    if model.packing == "packed" or not single or not ALL_PORT_ONLY.allows(model):
        return repeated
    plan = Plan.of(schedule).in_pieces(times)
    piped = plan.schedule(network, goal, schedule.name, model)
    return piped if piped.rounds < repeated.rounds else repeated


def _all_port(goal: Goal, model: Model) -> Model:
    if not ALL_PORT_ONLY.allows(model):
        raise ArgumentError(
            f"{goal.describe()} is planned for {ALL_PORT_ONLY.describe()}, not {model.describe()}"
        )
    return model


@dataclass(frozen=True)
class PathPlan:
    """Paths from endpoint to endpoint in no order of time, chunk by chunk.

    Attributes:
        start (int64[paths + 1]): Path p takes ``channel[start[p]:start[p + 1]]``.
        channel: int64[...]
        before (int64[paths]): The path after which each path may be taken, or -1.
        chunk: int64[paths]
    """

    start: IntArray
    channel: IntArray
    before: IntArray
    chunk: IntArray

    def in_pieces(self, pieces: int) -> PathPlan:
        """Every chunk cut in pieces that all take the same paths."""
        paths, hops = len(self.before), len(self.channel)
        times = np.repeat(np.arange(pieces), paths)
        before = np.tile(self.before, pieces)
        ends = np.tile(self.start[1:], pieces) + hops * times
        return PathPlan(
            np.concatenate([[0], ends]).astype(np.int64),
            np.tile(self.channel, pieces),
            np.where(before < 0, -1, before + paths * times),
            np.tile(self.chunk * pieces, pieces) + times,
        )

    def by_hops(self, network: Network) -> Plan:
        """The same hop by hop: a chunk that has come to a node goes on from there."""
        from hopscape.collectives.plan_kernels import tree_hops

        ends = network.tails.astype(np.int64), network.heads.astype(np.int64)
        made = tree_hops(self.start, self.channel, self.chunk, ends, network.order)
        return Plan(made[0], made[1], self.chunk[made[2]])

    def schedule(
        self, network: Network, goal: Goal, name: str, model: Model = Model(), waves: int = 1
    ) -> Schedule:
        """A schedule: hop by hop, or path by path where the model has circuits or cut-through.

        Args:
            waves: How often the same plan comes, one part of the paths after the other.
        """
        if model.switching == "store-and-forward":
            return self.by_hops(network).schedule(network, goal, name, model)
        if model.ports is not None or model.duplex == "half" or model.disjoint != "arc":
            raise ArgumentError(
                f"{goal.describe()} is planned for all ports, full duplex and paths that share no"
                f" channel, not {model.describe()}"
            )
        require_memory(120 * len(self.channel), f"{goal.kind} on {network.spec}")
        if waves > 1 and model.switching == "cut-through" and model.packing == "packed":
            rounds = self._in_waves(network, waves, model)
        else:  # circuits hold their channels alone
            alone = model.switching == "circuit"
            ones = np.ones(len(network.heads), dtype=np.int64)
            rounds = self._rounds(ones if alone else network.room())
        return Schedule.from_columns(
            network,
            model,
            goal,
            round=rounds,
            channels=self.channel,
            path_start=self.start,
            chunk=self.chunk,
            name=name,
        )

    def _rounds(self, room: IntArray) -> IntArray:
        """A round for every path, the longest chains first; the best of some random orders."""
        from hopscape.collectives.plan_kernels import heights, time_paths

        if not len(self.before):
            return np.zeros(0, dtype=np.int64)
        height = heights(self.before)
        carried = -(-np.bincount(self.channel, minlength=len(room)) // room)
        least = max(int(carried.max()), int(height.max()) + 1)
        busiest = np.maximum.reduceat(carried[self.channel], self.start[:-1])
        generator = np.random.default_rng(0)
        best = None
        work = len(self.channel) * least
        for attempt in range(max(1, min(_PATH_TRIES, _PATH_WORK // max(work, 1)))):
            check_time("giving rounds to the paths")
            noise = generator.random(len(height))
            keys = (noise, -busiest, -height) if attempt % 2 == 0 else (noise, -height)
            order = np.lexsort(keys)
            rounds = time_paths(self.start, self.channel, self.before, room, order)
            if best is None or rounds.max() < best.max():
                best = rounds
            if int(best.max()) + 1 <= least:
                break
        assert best is not None
        return self._settled(best, room, least) if (self.before < 0).all() else best

    def _in_waves(self, network: Network, waves: int, model: Model) -> IntArray:
        """Rounds of several times what a channel carries in one, as many as the costs ask for.

        Every wave loads the channels evenly. Either one wave comes after the other, again and
        again in the same rounds; or waves are begun one after the other, and what the first ones
        leave idle, later ones take. Chunks on the same way are one message.
        """
        from hopscape.collectives.plan_kernels import WaveMessages, heights, time_messages
        from hopscape.collectives.pushed import HeldPaths, pushed_rounds

        room = network.room()
        first, last = self.channel[self.start[:-1]], self.channel[self.start[1:] - 1]
        source, target = network.tails[first].astype(np.int64), network.heads[last].astype(np.int64)
        ends = network.tails, network.heads
        limits = np.stack([np.bincount(at, room, network.order).astype(np.int64) for at in ends])
        way, height = self._ways(first, last), heights(self.before)
        wave = np.arange(len(height)) // max(len(height) // waves, 1)
        carried = float((np.bincount(self.channel, minlength=len(room)) / room).max())
        unit = float(network.capacities().max()) / float(room.max())
        each, chunk = (model.alpha + model.delta, model.beta / unit) if model.beta else (1e-6, 1.0)
        whole, generator = int(-(-carried // waves)), np.random.default_rng(0)
        messages = WaveMessages(way, source, target, limits)
        least, best = np.inf, None
        if each <= _START_UPS * chunk:
            best = pushed_rounds(HeldPaths(self.start, self.channel, self.before, room), waves)
        if best is not None:
            least = each * (best.max() + 1) + chunk * self._busy(room, best)
            if least <= _NEAR * chunk * carried:
                return best
        again = self._again(room, waves, messages, (each, chunk))
        if again is not None:
            price = each * (again.max() + 1) + chunk * self._busy(room, again)
            best, least = (again, price) if price < least else (best, least)
        for fold in sorted({1, 2, 4, whole}, reverse=True):
            if best is not None and len(self.channel) * carried / fold > _WAVE_WORK:
                continue
            for attempt in range(_WAVE_TRIES):
                check_time("giving rounds to the paths")
                late = wave * (carried / waves / fold) - height + generator.random(len(height))
                order = np.lexsort((-height, late) if attempt else (-height, wave))
                made = time_messages(
                    self.start, self.channel, self.before, fold * room, order, messages
                )
                price = each * (made.max() + 1) + chunk * self._busy(room, made)
                if price < least:
                    best, least = made, price
        assert best is not None
        return best

    def _again(
        self, room: IntArray, waves: int, messages: WaveMessages, costs: tuple[float, float]
    ) -> IntArray | None:
        """Rounds of one wave that all others follow in, a period apart; None: none were found.

        The period, and the order in which paths take rounds, are those of the least price.
        """
        from hopscape.collectives.plan_kernels import WaveMessages, heights, place_messages

        paths = len(self.before) // waves
        height = heights(self.before[:paths])
        start, before = self.start[: paths + 1], self.before[:paths]
        channel = self.channel[: start[-1]]
        carried = np.bincount(channel, minlength=len(room)) / room
        busiest = np.maximum.reduceat(carried[channel], start[:-1])
        whole = float(carried.max())
        way, source, target, limits = messages
        first = WaveMessages(way[:paths], source[:paths], target[:paths], limits)
        generator = np.random.default_rng(0)
        best, fewest, least = None, 1, np.inf
        work = len(channel)
        for period in range(1, int(2 * whole) + 2):
            tries = max(1, min(_AGAIN_TRIES, _AGAIN_WORK // (work * period)))
            for attempt in range(tries):
                noise = generator.random(paths)
                keys = (noise, -busiest, -height) if attempt % 2 else (noise, -height)
                order = np.lexsort(keys)
                slots, busy = place_messages(
                    start, channel, before, room, order, first, period, whole / period
                )
                if not len(slots):
                    continue
                rounds = period * (waves - 1) + int(slots.max()) + 1
                price = costs[0] * rounds + costs[1] * busy * rounds / period
                if price < least:
                    best, fewest, least = slots, period, price
        if best is None:
            return None
        return np.tile(best, waves) + fewest * np.repeat(np.arange(waves), paths)

    def _ways(self, first: IntArray, last: IntArray) -> IntArray:
        """A number for each path, the same where paths are."""
        mixed = np.concatenate([[0], np.cumsum(self.channel**2)])
        keys = np.stack([first, last, mixed[self.start[1:]] - mixed[self.start[:-1]]], axis=1)
        return np.unique(keys, axis=0, return_inverse=True)[1].ravel().astype(np.int64)

    def _busy(self, room: IntArray, rounds: IntArray) -> float:
        """What the busiest channels of all rounds carry, by their room."""
        last = int(rounds.max()) + 1
        each = np.repeat(rounds, np.diff(self.start)) * len(room) + self.channel
        cells, counts = np.unique(each, return_counts=True)
        load = np.zeros(last)
        np.maximum.at(load, cells // len(room), counts / room[cells % len(room)])
        return float(load.sum())

    def _settled(self, rounds: IntArray, room: IntArray, least: int) -> IntArray:
        """Fewer rounds by moving paths that meet others, where no path waits for another."""
        from hopscape.collectives.plan_kernels import settle_paths

        best, total = rounds, int(rounds.max()) + 1
        gap = total - least
        moves = min(_MOVES, _PATH_WORK // max(1, len(self.channel) // len(rounds) * total))
        for _ in range(_SETTLES):
            if gap <= 0 or total <= least:
                break
            check_time("giving rounds to the paths")
            step = max(1, gap // 2)
            again, aim = best.copy(), total - step
            if settle_paths(self.start, self.channel, room, again, aim, moves, aim) == 0:
                best, total, gap = again, aim, aim - least
            elif step == 1:
                break
            else:
                gap = step
        return best


def path_cost(paths: int) -> float:
    """Steps of giving rounds to so many paths, about: 40,000 each, as measured on 32 to 100 nodes,
    and no more than the tries and moves together may take.
    """
    return min(40_000.0 * paths, 2.0 * _PATH_WORK)


def periodic_rounds(channel: IntArray, before: IntArray, room: IntArray, period: int) -> IntArray:
    """A round for every hop such that the plan can be begun anew every `period` rounds."""
    from hopscape.collectives.plan_kernels import place_periodically

    first = hop_rounds(channel, before, room)
    order = np.argsort(first, kind="stable")
    return place_periodically(channel, before, room, order, period)


def hop_rounds(channel: IntArray, before: IntArray, room: IntArray, tries: int = 0) -> IntArray:
    """A round for every hop, by rising chains, no channel beyond its room; as few as are found."""
    from hopscape.collectives.plan_kernels import heights, push_hops, time_hops

    channel, before = channel.astype(np.int64), before.astype(np.int64)
    if not len(channel):
        return np.zeros(0, dtype=np.int64)
    height = heights(before)
    carried = np.bincount(channel, minlength=len(room))
    least = max(int((-(-carried // room)).max()), int(height.max()) + 1)
    best, fewest = before, -1
    generator = np.random.default_rng(0)
    for attempt in range(tries or max(1, min(_TRIES, _HOPS // len(channel)))):
        check_time("giving rounds to the hops")
        urgent, order = _priorities(height, attempt, generator)
        rounds = time_hops(channel, before, urgent, room, order)
        used = push_hops(channel, before, room, rounds, least, _PASSES)
        if fewest < 0 or used < fewest:
            best, fewest = rounds, int(used)
        if fewest <= least:
            break
    return best


def _priorities(
    height: IntArray, attempt: int, generator: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """What is most urgent, and how ties are broken: hops to go, nothing at all, or with noise."""
    if not attempt:
        return height, np.arange(len(height))
    noise = generator.integers(0, int(height.max()) + 2, len(height))
    kinds = (0 * height, height, height + noise, noise)
    return kinds[(attempt - 1) % len(kinds)], generator.permutation(len(height))
