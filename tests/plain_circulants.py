"""Circulants to try, and their distances by the obvious search."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator


def bfs(nodes: int, generators: tuple[int, ...]) -> list[int]:
    """The slow, obvious twin."""
    far = [-1] * nodes
    far[0] = 0
    queue = deque([0])
    while queue:
        v = queue.popleft()
        for s in generators:
            for w in ((v + s) % nodes, (v - s) % nodes):
                if far[w] < 0:
                    far[w] = far[v] + 1
                    queue.append(w)
    return far


def some_circulants(
    count: int, seed: int, most: int = 4, nodes: int = 300
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Random ones and strange ones: tiny, N/2, repeated and mirrored generators, small steps."""
    rng = random.Random(seed)
    for _ in range(count):
        order = rng.choice([rng.randint(2, 9), rng.randint(2, 60), rng.randint(2, nodes)])
        largest = rng.choice([order - 1, order - 1, min(order - 1, 5)])
        generators = [rng.randint(1, largest) for _ in range(rng.randint(1, most))]
        if order % 2 == 0 and rng.random() < 0.2:
            generators[-1] = order // 2
        if rng.random() < 0.2:
            generators[0] = order - generators[-1]
        yield order, tuple(generators)
