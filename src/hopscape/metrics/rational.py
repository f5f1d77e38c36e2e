"""Loads of even splitting as fractions, for machines small enough to count."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hopscape.metrics.channels import Channels

__all__ = ["rational_loads"]


def rational_loads(graph: Channels) -> list[Fraction]:
    """Loads of all channels when every two endpoints send 1, split evenly, as fractions."""
    loads = [Fraction(0)] * len(graph.heads)
    before: list[list[int]] = [[] for _ in range(graph.order)]
    for channel, head in enumerate(graph.heads.tolist()):
        before[head].append(channel)
    tails = graph.tails.tolist()
    for target in np.flatnonzero(graph.ends).tolist():
        distance, paths, queue = {target: 0}, {target: 1}, [target]
        steps: list[tuple[int, int, int]] = []
        for node in queue:
            for channel in before[node]:
                tail = tails[channel]
                if tail not in distance:
                    distance[tail], paths[tail] = distance[node] + 1, 0
                    queue.append(tail)
                if distance[tail] == distance[node] + 1:
                    paths[tail] += paths[node]
                    steps.append((tail, channel, node))
        flow = {v: Fraction(int(graph.ends[v]) * int(graph.ends[target])) for v in queue}
        steps.sort(key=lambda step: -distance[step[0]])
        for tail, channel, node in steps:
            part = flow[tail] * paths[node] / paths[tail]
            loads[channel] += part
            flow[node] += part
    return loads
