"""What the explorer's panels show of a network, computed here and packed for the page.

Four panels: virtual-channel classes and the cycle that would deadlock without them; channel loads
of traffic patterns and the bisection; a recorded run of the flit simulator with load-latency
curves; and schedules, round by round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.errors import ArgumentError, HopscapeError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict
from hopscape.core.verify import verify
from hopscape.show.explore.packing import PageLinks, pack

__all__ = [
    "MOST_NODES",
    "SCHEDULES",
    "bisection_data",
    "curve_data",
    "deadlock_data",
    "recording_data",
    "schedule_data",
    "schedules_data",
    "traffic_data",
    "usual_schedules",
    "usual_traffic",
]

MOST_NODES = 1000  # the panel of deadlocks draws the channels of all routes
_SHOWN = 7  # kinds of channels with a colour of their own


def deadlock_data(network: Network, links: PageLinks) -> dict[str, Any] | None:
    """What ``hopscape deadlock`` says; None without routes.

    ``cycle`` holds the channels that wait for each other with a single class, as the page numbers
    them; ``classes`` the number of a name in ``names`` for every channel: which classes are used
    there.
    """
    from hopscape.deadlock import certify, find_classes, find_source_classes, single_class

    if network.endpoint_count < 2 or not len(links.tails):
        return None
    router = network.router()
    table: Any
    if router.chained:
        table, classes, proof = find_classes(network)
    else:
        table, classes, proof = find_source_classes(network, router)
    plain = certify(table, single_class(table))
    of, names = _used(network, links, table, classes) if router.chained else (None, [])
    return {
        "router": table.router,
        "free": plain.deadlock_free,
        "words": plain.words(),
        "vcs": classes.count,
        "method": classes.method,
        "least": proof.least,
        "certificate": proof.words(),
        "cycle": pack(_cycle(network, links, plain.cycle)),
        "classes": None if of is None else pack(of),
        "names": names,
    }


def _cycle(network: Network, links: PageLinks, steps: tuple[tuple[int, int, int], ...]) -> IntArray:
    channels = []
    for tail, head, _ in steps:
        row = np.arange(network.indptr[tail], network.indptr[tail + 1])
        channels.append(links.channel[row[network.heads[row] == head][0]])
    return np.asarray(channels, dtype=np.int64)


def _used(
    network: Network, links: PageLinks, table: Any, classes: Any
) -> tuple[IntArray, list[str]]:
    """Which classes packets use on each channel of the page: numbers of names, and the names."""
    masks = np.zeros(2 * len(links.tails), dtype=np.int64)
    masks[links.channel] = _masks(network, table, classes)
    kinds, of = np.unique(masks, return_inverse=True)
    if len(kinds) <= _SHOWN:
        return of.ravel(), [_name(int(kind)) for kind in kinds]
    count = np.asarray([int(mask).bit_count() for mask in masks])
    return count, [f"{c} classes" for c in range(int(count.max()) + 1)]


def _name(mask: int) -> str:
    bits = [str(bit) for bit in range(mask.bit_length()) if mask >> bit & 1]
    if not bits:
        return "not used"
    return f"class{'es' * (len(bits) > 1)} {', '.join(bits)}"


def _masks(network: Network, table: Any, classes: Any) -> IntArray:
    """The classes in use on each channel as bits, all routes followed hop by hop."""
    out = np.zeros(len(network.heads), dtype=np.int64)
    ends = network.endpoints.astype(np.int64)
    sets = np.asarray(classes.sets, dtype=np.int64)
    for goal in ends.tolist():
        at = ends[ends != goal]
        mine = _first_sets(classes, sets, at, goal)
        before = np.full(len(at), -1, dtype=np.int64)
        while len(at):
            port = table.port[at, goal].astype(np.int64)
            going = port != NO_PORT
            at, port, mine, before = at[going], port[going], mine[going], before[going]
            channel = network.indptr[at] + port
            mine = _next_sets(classes, sets, (at, goal, channel, before), mine)
            np.bitwise_or.at(out, channel, mine)
            at, before = network.heads[channel].astype(np.int64), channel
            left = at != goal
            at, mine, before = at[left], mine[left], before[left]
    return out


def _first_sets(classes: Any, sets: IntArray, at: IntArray, goal: int) -> IntArray:
    if classes.method not in ("layers", "rising"):
        return np.ones(len(at), dtype=np.int64)
    if classes.layers.size == 1:
        return np.full(len(at), sets[int(classes.layers.flat[0])], dtype=np.int64)
    return sets[classes.layers[at, goal].astype(np.int64)]


def _next_sets(
    classes: Any, sets: IntArray, step: tuple[IntArray, int, IntArray, IntArray], mine: IntArray
) -> IntArray:
    """The classes on the next channel: kept, chosen anew on a ring, or risen."""
    at, goal, channel, before = step
    first = before < 0
    if classes.method == "dateline":
        rings = classes.rings
        same = ~first & (rings[before] >= 0) & (rings[channel] == rings[before])
        return np.where(same, mine, sets[classes.entry[at, goal].astype(np.int64)])
    if classes.method == "rising":
        rose = ~first & (classes.rings[before] == 1) & (classes.rings[channel] == 0)
        return np.where(rose, mine << 1, mine)
    return mine


_WORST_EFFORT = 3e9  # steps of the worst permutation: some seconds


def usual_traffic(network: Network) -> tuple[str, ...]:
    """The patterns that a page has when none is asked for."""
    if network.endpoint_count < 2 or network.order > 5000:
        return ()
    from hopscape.simulate.traffic import worst_effort

    return ("uniform", "worst") if worst_effort(network) <= _WORST_EFFORT else ("uniform",)


def traffic_data(
    network: Network, links: PageLinks, names: Sequence[str], seed: int = 0
) -> list[dict[str, Any]]:
    """Loads under traffic patterns of the simulator, by the network's own router.

    Each is ``{"name", "words", "loads": by channel of the page, "largest", "mean", "throughput",
    "how"}``.

    Raises:
        ArgumentError: For an unknown pattern.
        TooLargeError: When a pattern other than uniform is asked for more than 2,500 endpoints, or
            the worst permutation would take too long.
    """
    return [_one_pattern(network, links, name, seed) for name in names]


def _one_pattern(network: Network, links: PageLinks, name: str, seed: int) -> dict[str, Any]:
    from hopscape.metrics import channel_load
    from hopscape.simulate.traffic import pattern_matrix

    matrix: Any = "uniform" if name == "uniform" else pattern_matrix(network, name, seed)
    loads = channel_load(network, traffic=matrix, seed=seed)
    words = f"{name} traffic, {loads.how}"
    if name == "worst":
        words = "the permutation that loads one channel most"
    rate = loads.throughput
    return {
        "name": name,
        "words": words,
        "loads": pack(links.by_channel(loads.loads)),
        "largest": loads.largest,
        "mean": loads.mean,
        "throughput": rate if math.isfinite(rate) else 0.0,
        "how": loads.how,
    }


def bisection_data(network: Network, links: PageLinks) -> dict[str, Any] | None:
    """A cut into halves: ``{"words", "how", "side": 0 or 1 by node, "cut": links}``.

    None where there are no two halves.
    """
    from hopscape.metrics import bisection

    if network.endpoint_count < 2:
        return None
    cut = bisection(network)
    side = cut.side
    if side is None:  # the width is a closed form: a partition has to be looked for
        side = _cut(network)
    crossing = int((side[links.tails] != side[links.heads]).sum())
    width = cut.value
    known = f"{cut.lower} to {cut.upper}" if cut.lower else f"at most {cut.upper}"
    known = known if width is None else f"{width}"
    words = f"Bisection width {known} ({cut.how}); this cut has {crossing} links."
    return {"words": words, "how": cut.how, "side": pack(side), "cut": crossing}


def _cut(network: Network) -> Any:
    """A partition by local search, for networks whose width is a closed form."""
    from hopscape.metrics import cut_kernels as cuts

    counted = np.zeros(network.order, dtype=np.uint8)
    counted[network.endpoints] = 1
    tails = np.concatenate([network.tails, network.heads])
    heads = np.concatenate([network.heads, network.tails])
    if network.duplex:
        indptr, targets = network.indptr, network.heads
    else:
        indptr = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=network.order))])
        targets = heads[np.argsort(tails, kind="stable")]
    return cuts.multistart(indptr.astype(np.int64), targets, counted, 20, 0)[1]


_FRAMES = 200  # of a recording at most
_EVERY = 5  # cycles between two frames
_MOST_ENTRIES = 6_000_000  # numbers of a recording: pages stay below some MB when packed
_CURVE_CYCLES = 2000  # a point of the curve; the command has longer runs and intervals


def recording_data(
    network: Network, links: PageLinks, load: float, traffic: str = "uniform", seed: int = 0
) -> dict[str, Any]:
    """A recorded run that starts empty.

    A frame is taken every few cycles: ``queues`` (flits waiting at the end of each channel of the
    page) and ``moved`` (flits that it carried since the frame before), frame after frame; and by
    frame ``in_flight`` (packets), ``delivered`` (packets so far) and ``latency`` (mean of the
    packets that arrived since, 0 where there are none).

    Raises:
        ArgumentError: For a load that the endpoints cannot offer, or an unknown traffic.
    """
    from hopscape.simulate import Settings, build_setup, layout
    from hopscape.simulate.jobs import traffic_for
    from hopscape.simulate.measurement import make_source, start
    from hopscape.simulate.run import Run, blank_counters

    if not (math.isfinite(load) and load > 0):
        raise ArgumentError(f"load is {load:g}; it must be above 0 (flits per endpoint and cycle)")
    settings = Settings()
    setup = build_setup(network, settings)
    pattern = traffic_for(setup, traffic, seed)
    source = make_source(pattern, settings, load)
    state = start(setup, pattern, source, seed)
    channels = len(network.heads)
    frames = int(min(_FRAMES, max(20, _MOST_ENTRIES // max(1, 2 * channels))))
    counters = blank_counters(setup, frames + 2)
    counters.span[:] = 0, frames * _EVERY + 1, _EVERY
    run = Run(setup, state, source, counters)
    shift = int(setup.fabric.numbers[layout.N_SHIFT])
    queues, moved, cycles = [], [], []
    before = np.zeros(channels, dtype=np.int64)
    still = False
    for frame in range(1, frames + 1):
        still = still or run.to(frame * _EVERY)
        held = state.vcs[: channels << shift, layout.COUNT].reshape(channels, -1).sum(axis=1)
        used = counters.used[:channels].copy()
        queues.append(_by_page(links, held))
        moved.append(_by_page(links, used - before))
        cycles.append((state.scalars[layout.IN_FLIGHT], state.scalars[layout.DELIVERED]))
        before = used
    window = counters.windows[:frames]
    arrived = window[:, layout.W_COUNT]
    latency = np.where(arrived > 0, window[:, layout.W_LATENCY] / np.maximum(arrived, 1), 0.0)
    words = (
        f"{traffic} traffic at {load:g} flits per endpoint and cycle, {settings.vcs} virtual"
        f" channels of {settings.buffer} flits; starting empty"
    )
    return {
        "words": words,
        "load": load,
        "traffic": traffic,
        "every": _EVERY,
        "frames": frames,
        "capacity": settings.vcs * settings.buffer,
        "queues": pack(np.concatenate(queues)),
        "moved": pack(np.concatenate(moved)),
        "in_flight": pack([int(a) for a, _ in cycles]),
        "delivered": pack([int(b) for _, b in cycles]),
        "latency": pack(latency.astype(float)),
        "deadlocked": bool(still),
    }


def _by_page(links: PageLinks, values: Any) -> Any:
    out = np.zeros(2 * len(links.tails), dtype=np.int64)
    out[links.channel] = values
    return out


def curve_data(network: Network, traffic: str = "uniform", seed: int = 0) -> dict[str, Any]:
    """Latency over load up to saturation and a little beyond, by the flit simulator.

    ``{"name", "load", "latency", "p99", "accepted", "saturation"}``; null where a point saturates.
    """
    from hopscape.simulate import Settings, build_setup, run_point
    from hopscape.simulate.jobs import traffic_for
    from hopscape.simulate.measurement import saturation

    setup = build_setup(network, Settings())
    pattern = traffic_for(setup, traffic, seed)
    top, curve = saturation(setup, pattern, seed=seed, cycles=_CURVE_CYCLES, precision=0.05)
    known = {point.offered: point for point in curve}
    for share in (0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 1.1):
        load = round(share * top, 6)
        if load > 0 and all(abs(load - old) > 0.04 * top for old in known):
            known[load] = run_point(setup, pattern, load, seed=seed, cycles=_CURVE_CYCLES)
    points = [known[load] for load in sorted(known) if known[load].offered <= 1.6 * top]

    def shown(value: float) -> float | None:
        return round(float(value), 4) if math.isfinite(value) else None

    return {
        "name": traffic,
        "load": [shown(point.offered) for point in points],
        "latency": [None if point.saturated else shown(point.latency) for point in points],
        "p99": [None if point.saturated else shown(point.p99) for point in points],
        "accepted": [shown(point.accepted) for point in points],
        "saturation": shown(top),
    }


_MOST_TRANSFERS = 300_000  # that the page plays

SCHEDULES: dict[str, tuple[str, dict[str, Any]]] = {
    "broadcast": ("broadcast", {}),
    "circuit": ("broadcast", {"switching": "circuit"}),
    "one-port": ("broadcast", {"ports": 1}),
    "reduce": ("reduce", {}),
    "scatter": ("scatter", {}),
    "gather": ("gather", {}),
    "all-gather": ("all-gather", {}),
    "half-duplex": ("all-gather", {"duplex": "half"}),
    "reduce-scatter": ("reduce-scatter", {}),
    "all-reduce": ("all-reduce", {}),
    "all-to-all": ("all-to-all", {}),
}
"""What ``--schedules`` takes: the goal, and the rules of the model that are asked for."""
_ROOTED = ("broadcast", "reduce", "scatter", "gather")
_USUAL_SECONDS = 1.0  # of 10^8 steps: a page nobody asked for schedules on answers in seconds


def usual_schedules(network: Network) -> tuple[str, ...]:
    """The schedules that a page has when none is asked for."""
    ends = network.endpoint_count
    if ends < 2 or network.order > 2000:
        return ()
    if ends > 128:
        return ("broadcast",)
    if ends > (32 if network.has_switches else 64):  # the others are searched for, seconds each
        return ("broadcast", "all-gather", "all-reduce")
    return ("broadcast", "circuit", "all-gather", "half-duplex", "all-reduce")


def schedules_data(
    network: Network, links: PageLinks, names: Sequence[str], *, usual: bool = False
) -> tuple[list[dict[str, Any]], list[str]]:
    """The best schedule for each name, verified, and notes on what a page has no room for.

    Args:
        usual: Nobody asked for these: what no algorithm serves is left out without a word.

    Raises:
        ArgumentError: For an unknown name; unless `usual`, also where no algorithm serves.
        TooLargeError: Unless `usual`, when a schedule has more transfers than a page can hold.
    """
    out, notes = [], []
    for name in names:
        try:
            out.append(_best(network, links, name, _USUAL_SECONDS if usual else None))
        except TooLargeError as error:
            if not usual:
                raise
            notes.append(f"No {name} schedule: {str(error).splitlines()[0]}")
        except HopscapeError:
            if not usual:
                raise
    return out, notes


def _best(
    network: Network, links: PageLinks, name: str, seconds: float | None = None
) -> dict[str, Any]:
    from hopscape.collectives.contest import compete

    if name not in SCHEDULES:
        raise ArgumentError(f"schedule {name!r} is unknown; choose {', '.join(SCHEDULES)}")
    kind, rules = SCHEDULES[name]
    if network.endpoint_count < 2:
        raise ArgumentError(f"{network.spec} has fewer than 2 endpoints: nothing to schedule")
    pairs = network.endpoint_count**2
    if kind not in _ROOTED and pairs > _MOST_TRANSFERS:
        raise TooLargeError(
            f"{kind} among {network.endpoint_count:,} endpoints has about {pairs:,} transfers;"
            f" the page plays up to {_MOST_TRANSFERS:,} (broadcast has fewer)"
        )
    root = int(network.endpoints[0]) if kind in _ROOTED else None
    goal = Goal(kind, root)  # type: ignore[arg-type]
    contest = compete(network, goal, rules, seconds=seconds)
    best = contest.best
    bound = contest.bounds[0] if contest.bounds else None
    data = schedule_data(best.schedule, links, name, best.verdict)
    data["bound"] = bound.rounds if bound else 0
    data["why"] = bound.why if bound else ""
    data["words"] = f"{goal.describe()}, algorithm {best.algorithm}"
    return data


def schedule_data(
    schedule: Schedule, links: PageLinks, name: str = "", verdict: Verdict | None = None
) -> dict[str, Any]:
    """A schedule for the page, with the verdict on it.

    ``starts`` (first transfer of each round), ``hops`` (channels of each transfer), ``channels``
    (of all transfers, as the page numbers them) and ``chunks`` are packed.

    Args:
        verdict: Where it is known already.

    Raises:
        TooLargeError: When it has more transfers than a page can hold.
    """
    if schedule.transfers > _MOST_TRANSFERS:
        raise TooLargeError(
            f"{schedule.name} has {schedule.transfers:,} transfers;"
            f" the page plays up to {_MOST_TRANSFERS:,}"
        )
    goal = schedule.goal
    verdict = verify(schedule) if verdict is None else verdict
    known = np.asarray(schedule.channels) if len(schedule.channels) else np.zeros(0, np.int64)
    return {
        "name": name or schedule.name,
        "title": f"{name or goal.kind}: {schedule.name}",
        "words": goal.describe(),
        "model": schedule.model.describe(),
        "kind": goal.kind,
        "root": -1 if goal.root is None else int(goal.root),
        "rounds": schedule.rounds,
        "transfers": schedule.transfers,
        "bound": 0,
        "why": "",
        "verdict": "holds" if verdict else verdict.reason,
        "starts": pack(schedule.round_start),
        "hops": pack(np.diff(schedule.path_start)),
        "channels": pack(links.channel[known]),
        "chunks": pack(schedule.chunk),
    }
