"""Deadlock for the page: classes of virtual channels, and the cycle that there would be."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.network import Network
from hopscape.explore.links import Links
from hopscape.explore.packing import pack

__all__ = ["MOST_NODES", "deadlock_data"]

MOST_NODES = 1000
_SHOWN = 7


def deadlock_data(network: Network, links: Links) -> dict[str, Any] | None:
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


def _cycle(network: Network, links: Links, steps: tuple[tuple[int, int, int], ...]) -> IntArray:
    found = []
    for tail, head, _ in steps:
        row = np.arange(network.indptr[tail], network.indptr[tail + 1])
        found.append(links.channel[row[network.heads[row] == head][0]])
    return np.asarray(found, dtype=np.int64)


def _used(network: Network, links: Links, table: Any, classes: Any) -> tuple[IntArray, list[str]]:
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
