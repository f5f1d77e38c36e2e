"""Is a router right? Compare it with breadth-first search."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_to
from hopscape.core.errors import ArgumentError
from hopscape.core.router import Router
from hopscape.core.verdict import Verdict

__all__ = ["check_router"]


def check_router(router: Router, *, targets: int | None = None, seed: int = 0) -> Verdict:
    """Compare a router with breadth-first search.

    For each target, from every node: is the distance the true one (or, for a router that does not
    claim to be exact, at least not shorter), does the next port lead to a neighbour whose own route
    is one hop shorter, and are unreachable nodes reported as such? Following ports then always
    arrives, so that distances and routes are checked together.

    Args:
        targets: Check all sources against this many seeded random targets; all targets when left
            out.

    Returns:
        Verdict: With the first counter-example: `from`, `to`, what was found and what is true.

    Examples:
        >>> import hopscape
        >>> print(check_router(hopscape.build("torus(5, 4)").router()))
        holds: 400 pairs agree with breadth-first search
    """
    if targets is not None and targets < 1:
        raise ArgumentError(f"targets is {targets}; it must be at least 1")
    network = router.network
    order = len(network.indptr) - 1  # builds the arrays, or refuses
    chosen: IntArray = np.arange(order)
    if targets is not None and targets < order:
        chosen = np.sort(np.random.default_rng(seed).choice(order, size=targets, replace=False))
    nodes = np.arange(order)
    for target in chosen:
        wrong = _first_error(router, nodes, int(target))
        if wrong is not None:
            return wrong
    return Verdict(
        True,
        f"{len(chosen) * order} pairs agree with breadth-first search",
        details={"pairs": len(chosen) * order, "targets": len(chosen), "exact": router.exact},
    )


def _first_error(router: Router, nodes: IntArray, target: int) -> Verdict | None:
    network = router.network
    truth = distances_to(network, target).astype(np.int64)
    to = np.full(len(nodes), target)
    claimed = router.distances(nodes, to).astype(np.int64)
    off = claimed != truth
    if not router.exact:
        off &= (claimed < truth) | (truth <= 0)
    if off.any():
        node = int(np.argmax(off))
        return _counter_example(node, target, "distance", int(claimed[node]), int(truth[node]))
    ports = router.next_ports(nodes, to).astype(np.int64)
    moving = (truth > 0).astype(bool)
    off = (ports >= 0) != moving
    if off.any():
        node = int(np.argmax(off))
        wanted = "a port" if moving[node] else "no port (-1)"
        return _counter_example(node, target, "next port", int(ports[node]), wanted)
    rows = network.rows(nodes[moving])
    off = ports[moving] >= rows.shape[1]
    if off.any():
        node = int(nodes[moving][np.argmax(off)])
        return _counter_example(node, target, "next port", int(ports[node]), "a wired port")
    after = rows[np.arange(len(rows)), ports[moving]]
    left = np.where(after >= 0, claimed[np.maximum(after, 0)], -2)
    off = left != claimed[moving] - 1
    if off.any():
        node = int(nodes[moving][np.argmax(off)])
        return _counter_example(
            node,
            target,
            "distance left after the next hop",
            int(left[np.argmax(off)]),
            int(claimed[node]) - 1,
        )
    return None


def _counter_example(node: int, target: int, what: str, answer: object, true: object) -> Verdict:
    return Verdict(
        False,
        f"from node {node} to node {target} the {what} is {answer}; it should be {true}",
        where={"from": node, "to": target, "what": what, "found": answer, "true": true},
    )
