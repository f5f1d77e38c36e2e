"""The rings of sparse multirings and all ways on them, arc by arc."""

from __future__ import annotations

from hopscape.papers.multiring.families import SparseMultiring

__all__ = ["brute_rings", "brute_ways"]


def brute_rings(member):
    """All simplex rings as lists of nodes, from the table or by walking."""
    if isinstance(member, SparseMultiring):
        rows = member.table().tolist()
        return [ring for row in rows for ring in (row, row[::-1])]
    out = []
    for s in member.rings:
        left = set(range(member.n))
        while left:
            ring = [min(left)]
            while (ring[-1] + s) % member.n != ring[0]:
                ring.append((ring[-1] + s) % member.n)
            left -= set(ring)
            out.append(ring)
    return out


def brute_ways(rings, dead=lambda tail, head, ring: False):
    """Every way along every ring, arc by arc; a dead arc ends it."""
    ways, first = {}, 0
    for i, ring in enumerate(rings):
        size = len(ring)
        for p in range(size):
            arcs = []
            for k in range(size - 1):
                tail, head = ring[(p + k) % size], ring[(p + k + 1) % size]
                if dead(tail, head, i):
                    break
                arcs.append(first + (p + k) % size)
                ways.setdefault((ring[p], head), []).append(list(arcs))
        first += size
    return ways, first
