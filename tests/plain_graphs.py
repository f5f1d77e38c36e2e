"""Multigraphs as rows, searched in the plainest way."""

from __future__ import annotations

from collections import deque

import numpy as np
from hypothesis import strategies as st

NO_CYCLE = 10**6


class Graph:
    """A multigraph as rows, with its reversed rows and the pairing of its channels."""

    def __init__(self, n, duplex=(), simplex=()):
        links = [(tail, head, kind) for kind, (tail, head) in enumerate(duplex)]
        channels = [(tail, head, kind) for tail, head, kind in links]
        channels += [(head, tail, kind) for tail, head, kind in links]
        channels += [(tail, head, -1) for tail, head in simplex]
        channels.sort(key=lambda channel: channel[0])
        self.n = n
        self.tails = [tail for tail, _, _ in channels]
        self.indptr, self.heads = self._rows([(tail, head) for tail, head, _ in channels])
        self.reversed = self._rows([(head, tail) for tail, head, _ in channels])
        self.reverse = np.full(len(channels), -1, np.int32)
        ends = {}
        for i, (_, _, link) in enumerate(channels):
            if link >= 0 and link in ends:
                self.reverse[i], self.reverse[ends[link]] = ends[link], i
            ends[link] = i

    def _rows(self, pairs):
        pairs = sorted(pairs, key=lambda pair: pair[0])
        indptr = np.zeros(self.n + 1, np.int64)
        for tail, _ in pairs:
            indptr[tail + 1 :] += 1
        return indptr, np.array([head for _, head in pairs], np.int32)

    @property
    def forward(self):
        return self.indptr, self.heads

    def distances(self, source):
        found = {source: 0}
        queue = deque([source])
        while queue:
            v = queue.popleft()
            for u in self.heads[self.indptr[v] : self.indptr[v + 1]].tolist():
                if u not in found:
                    found[u] = found[v] + 1
                    queue.append(u)
        return found

    def girth(self):
        """Shortest walk over channels, none turning back, that ends where it began."""
        best = NO_CYCLE
        for first in range(len(self.heads)):
            depth = {first: 1}
            queue = deque([first])
            while queue:
                channel = queue.popleft()
                v = self.heads[channel]
                if v == self.tails[first]:
                    best = min(best, depth[channel])
                    break
                for after in range(self.indptr[v], self.indptr[v + 1]):
                    if after != self.reverse[channel] and after not in depth:
                        depth[after] = depth[channel] + 1
                        queue.append(after)
        return best


@st.composite
def graphs(draw, largest=150, kinds=("duplex", "simplex", "mixed")):
    n = draw(st.integers(1, largest))
    kind = draw(st.sampled_from(kinds))
    channels = draw(st.integers(0, 3 * n))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pairs = generator.integers(n, size=(channels, 2))
    if draw(st.booleans()):  # near neighbours only: large distances
        pairs[:, 1] = np.minimum(pairs[:, 0] + generator.integers(0, 3, channels), n - 1)
    if draw(st.booleans()):
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    pairs = pairs.tolist()
    split = {"duplex": len(pairs), "simplex": 0, "mixed": len(pairs) // 2}[kind]
    return Graph(n, pairs[:split], pairs[split:])
