"""A run of the flit simulator as a film, and load-latency curves, for the page."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.explore.links import Links
from hopscape.explore.packing import pack

__all__ = ["curve_data", "recording_data"]

_FRAMES = 200
_EVERY = 5
_MOST_ENTRIES = 6_000_000
_CURVE_CYCLES = 2000


def recording_data(
    network: Network, links: Links, load: float, traffic: str = "uniform", seed: int = 0
) -> dict[str, Any]:
    """A recorded run from an empty network on.

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
    queues, moved, told = [], [], []
    before = np.zeros(channels, dtype=np.int64)
    still = False
    for frame in range(1, frames + 1):
        still = still or run.to(frame * _EVERY)
        held = state.vcs[: channels << shift, layout.COUNT].reshape(channels, -1).sum(axis=1)
        used = counters.used[:channels].copy()
        queues.append(_by_page(links, held))
        moved.append(_by_page(links, used - before))
        told.append((state.scalars[layout.IN_FLIGHT], state.scalars[layout.DELIVERED]))
        before = used
    window = counters.windows[:frames]
    arrived = window[:, layout.W_COUNT]
    latency = np.where(arrived > 0, window[:, layout.W_LATENCY] / np.maximum(arrived, 1), 0.0)
    words = (
        f"{traffic} traffic at {load:g} flits per endpoint and cycle, {settings.vcs} virtual"
        f" channels of {settings.buffer} flits; from an empty network on"
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
        "in_flight": pack([int(a) for a, _ in told]),
        "delivered": pack([int(b) for _, b in told]),
        "latency": pack(latency.astype(float)),
        "deadlocked": bool(still),
    }


def _by_page(links: Links, values: Any) -> Any:
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
    top, found = saturation(setup, pattern, seed=seed, cycles=_CURVE_CYCLES, precision=0.05)
    known = {point.offered: point for point in found}
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
