"""Embeddings: the nodes of a guest network placed in a host, one to a node.

The dilation is the largest host distance between two linked guest nodes, the congestion the largest
number of guest links whose paths run over one host link. Placements come from the host's family,
from annealing and from an exhaustive search, which proves that a smaller dilation is impossible
where it runs to its end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError, DisconnectedError, MissingPackageError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory

__all__ = ["Embedding", "best_embedding", "congestion", "dilation"]

_MOVES, _TRIES = 400_000, 3  # annealing for a dilation: moves of a run, and runs
_BUDGET = 2_000_000  # placements of the search that can prove
_POLISHED = 100  # guest nodes up to which they change places for less congestion
_POLISH = 300_000  # moves of a run at most
_MOVED, _LAID = 5_000, 40  # moves for each guest link, where they change places and where not
_CALLS, _FAILURES = 24, 10  # annealing runs for a congestion, and those that fail before it stays
_HEATS = (1.0, 2.5)  # in turns: what one misses, the other finds; 1.5 and 3 miss torus(5, 6) in pc
_SOLVER_TIME = 60.0  # of CP-SAT in its own deterministic unit, about a second of a processor


@dataclass(frozen=True)
class Embedding:
    """A placement and what it is worth.

    Attributes:
        guest, host: Specs.
        places: The host node of every guest node.
        lower_bound: No placement has a smaller dilation.
        exact: Is the dilation the smallest possible one?
        how: How the lower bound is known.
        routes: The host nodes that each guest link visits, no two links more than `congestion`
            times over one host link.
    """

    guest: str
    host: str
    places: tuple[int, ...]
    dilation: int
    congestion: int
    mean_dilation: float
    lower_bound: int
    exact: bool
    how: str
    routes: tuple[tuple[int, ...], ...] = ()


def _ends(guest: Network) -> tuple[IntArray, IntArray]:
    """The ends of all guest links, each once."""
    tails, heads = guest.tails.astype(np.int64), guest.heads.astype(np.int64)
    once = tails != heads
    if guest.duplex:
        once &= tails < heads
    return tails[once], heads[once]


def dilation(guest: Network, host: Network, places: IntArray) -> int:
    """The largest host distance between two linked guest nodes.

    In a host with one-way links a guest link needs both directions.

    Examples:
        >>> import hopscape
        >>> ring, torus = hopscape.build("ring(4)"), hopscape.build("torus(3, 3)")
        >>> dilation(ring, torus, np.array([0, 1, 4, 3]))
        1
    """
    tails, heads = _ends(guest)
    where = np.asarray(places, dtype=np.int64)
    router = host.router()
    there = int(router.distances(where[tails], where[heads]).max(initial=0))
    if host.duplex:
        return there
    return max(there, int(router.distances(where[heads], where[tails]).max(initial=0)))


def congestion(
    guest: Network, host: Network, places: IntArray, table: IntArray, *, seed: int = 0
) -> int:
    """Guest links over the busiest host link, on paths chosen to keep this small.

    No path is longer than the dilation, nor more than two hops longer than the shortest.

    Args:
        table: All host distances.
    """
    where = np.asarray(places, dtype=np.int64)
    return _laid(guest, host, table, where, seed, swap=False)[0]


_Laid = tuple[int, IntArray, tuple[tuple[int, ...], ...]]


def _laid(
    guest: Network, host: Network, table: IntArray, places: IntArray, seed: int, *, swap: bool
) -> _Laid:
    """(congestion, places, routes) of the best that a search of bounded length finds.

    With `swap` guest nodes change places too, without a larger dilation.
    """
    from hopscape.metrics.placement_kernels import Annealing, Guest, Host, relieve

    tails, tips = _ends(guest)
    if not len(tails):
        return 0, places, ()
    if not host.duplex:
        tails, tips = np.concatenate([tails, tips]), np.concatenate([tips, tails])
    starts, links = _links_at(tails, tips, guest.order)
    limit = int(table[places[tails], places[tips]].max())
    channels = np.arange(host.channels)
    lanes = np.where(host.reverse < 0, channels, np.minimum(channels, host.reverse))
    moves = min((_MOVED if swap else _LAID) * len(tails), _POLISH)
    laid = Guest(tails, tips, starts, links)
    over = Host(host.indptr, host.tails, host.heads, lanes, table)
    least = _crowding(tails, tips, guest.order, host, lanes)
    best: _Laid | None = None
    target, failures = least, 0
    for call in range(_CALLS):
        where = places.copy() if best is None else best[1].copy()
        effort = moves if call else 0
        search = Annealing(effort, _HEATS[call % 2], swap, seed + call)
        peak, routes, hops = relieve(laid, over, where, limit, target, search)
        within = int(table[where[tails], where[tips]].max()) <= limit
        failures = 0 if within and (best is None or peak < best[0]) else failures + 1
        if failures == 0:
            best = peak, where, _visited(host, where[tails], routes, hops)
        assert best is not None
        if best[0] <= least or failures >= _FAILURES or (limit == 1 and not swap):
            break
        target = best[0] - 1
    assert best is not None
    return best


def _links_at(tails: IntArray, tips: IntArray, order: int) -> tuple[IntArray, IntArray]:
    """The links at each guest node, as rows."""
    ends = np.concatenate([tails, tips])
    starts = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=order))])
    links = np.argsort(ends, kind="stable") % len(tails)
    return starts.astype(np.int64), links.astype(np.int64)


def _crowding(tails: IntArray, tips: IntArray, order: int, host: Network, lanes: IntArray) -> int:
    """No routes are less crowded: links must share what the host has, in all and at one node."""
    busiest = int(np.bincount(np.concatenate([tails, tips]), minlength=order).max())
    at = np.bincount(np.concatenate([host.tails, host.heads]), minlength=host.order)
    ports = max(1, int(at.max()) // (2 if host.duplex else 1))
    return max(-(-len(tails) // max(1, len(np.unique(lanes)))), -(-busiest // ports))


def _visited(
    host: Network, first: IntArray, routes: IntArray, hops: IntArray
) -> tuple[tuple[int, ...], ...]:
    return tuple(
        (int(a), *host.heads[row[:count]].tolist())
        for a, row, count in zip(first, routes, hops, strict=True)
    )


def best_embedding(
    guest: Network,
    host: Network,
    *,
    seed: int = 0,
    budget: int = _BUDGET,
    solver: bool = False,
) -> Embedding:
    """A placement of small dilation, the smallest where that can be proved.

    The exhaustive search takes at most `budget` steps per dilation; distances of the host take 3
    bytes per pair of its nodes.

    Args:
        seed: For annealing.
        budget: Steps of the exhaustive search per dilation.
        solver: Ask CP-SAT (the extra ``cpsat``) where the exhaustive search gives up.

    Raises:
        ArgumentError: When the guest has more nodes than the host.
        MissingPackageError: When `solver` is asked for and not installed.

    Examples:
        >>> import hopscape
        >>> found = best_embedding(hopscape.build("ring(9)"), hopscape.build("petersen"))
        >>> found.dilation, found.exact
        (1, True)
    """
    if guest.order > host.order:
        raise ArgumentError(
            f"guest {guest.spec} has {guest.order} nodes, host {host.spec} only {host.order}"
        )
    require_memory(3 * host.order**2, f"the distances of {host.spec} ({host.order} nodes)")
    table = distance_rows(host, np.arange(host.order))
    if unreached(table).any():
        raise DisconnectedError(f"{host.spec} has nodes that cannot reach each other")
    oneway, table = table, np.maximum(table, table.T)
    low, how = _simple_bound(guest, host, table)
    known = host.family.placements(guest) if host.family is not None else ()
    known = tuple(np.asarray(p, dtype=np.int64) for p in known if _fits(p, guest, host))
    proved = True
    for t in range(max(low, 1), int(table.max()) + 1):
        places, proof = _place(guest, host, table, t, known, seed, budget, solver)
        if places is not None:
            return _finished(guest, host, oneway, places, low, how, seed)
        if proof and proved:
            low, how = t + 1, f"dilation {t} is impossible: {proof}"
        proved = proved and bool(proof)
    return _finished(guest, host, oneway, np.arange(guest.order), low, how, seed)


def _fits(places: IntArray, guest: Network, host: Network) -> bool:
    values = np.asarray(places)
    inside = bool(((values >= 0) & (values < host.order)).all())
    return len(values) == guest.order and inside and len(np.unique(values)) == len(values)


def _finished(
    guest: Network, host: Network, oneway: IntArray, places: IntArray, low: int, how: str, seed: int
) -> Embedding:
    swap = guest.order <= _POLISHED and low > 1
    crowd, places, routes = _laid(guest, host, oneway, places, seed, swap=swap)
    tails, heads = _ends(guest)
    table = np.maximum(oneway, oneway.T)
    hops = table[places[tails], places[heads]].astype(np.int64)
    longest = int(hops.max(initial=0))
    return Embedding(
        guest.spec,
        host.spec,
        tuple(int(p) for p in places),
        longest,
        crowd,
        float(hops.mean()) if len(hops) else 0.0,
        low,
        longest == low,
        how,
        routes,
    )


def _simple_bound(guest: Network, host: Network, table: IntArray) -> tuple[int, str]:
    """Balls must fit: r hops of the guest stay within r · dilation hops of the host."""
    if not len(_ends(guest)[0]):
        return 0, "the guest has no links"
    if guest.order > 2000:
        return 1, "two linked nodes are at least 1 hop apart"
    distances = distance_rows(guest, np.arange(guest.order))
    row = distances[_widest(distances)]
    small = np.bincount(row[~unreached(row)]).cumsum()
    large = np.asarray([int((table <= d).sum(axis=1).max()) for d in range(int(table.max()) + 1)])
    low, why = 1, "two linked nodes are at least 1 hop apart"
    for r in range(1, len(small)):
        hops = int(np.argmax(large >= small[r]))
        need = -(-hops // r)
        if need > low:
            low, why = need, f"{small[r]} guest nodes lie within {r} hops of one of them"
    return low, why


def _widest(near: IntArray) -> int:
    """The guest node with most others close to it."""
    return int((near <= 1).sum(axis=1).argmax())


def _place(
    guest: Network,
    host: Network,
    table: IntArray,
    t: int,
    known: tuple[IntArray, ...],
    seed: int,
    budget: int,
    solver: bool,
) -> tuple[IntArray | None, str]:
    """A placement of dilation t, or the reason why there is none ('' when that is not known)."""
    from hopscape.metrics.placement_kernels import FOUND, NONE, anneal, place_all

    tails, heads = _ends(guest)
    for places in known:
        if int(table[places[tails], places[heads]].max(initial=0)) <= t:
            return places, ""
    indptr, links = _both_ways(guest)
    generator = np.random.default_rng(seed)
    price = np.maximum(np.arange(int(table.max()) + 1) - t, 0)
    for i in range(_TRIES):
        places = generator.permutation(host.order)[: guest.order].astype(np.int64)
        if anneal(indptr, links, table, places, price, _MOVES, seed + i) == 0:
            return places, ""
    within = _near_bits(table, t)
    domains = np.empty((guest.order, within.shape[1]), dtype=np.uint64)
    domains[:] = _word_row(np.arange(host.order), within.shape[1])
    if host.symmetry is not None:
        hub = int(np.diff(indptr).argmax())
        allowed = np.asarray(host.symmetry.representatives, dtype=np.int64)
        domains[hub] = _word_row(allowed, within.shape[1])
    if guest.order**2 * within.shape[1] * 8 < 500_000_000:
        status, places, _ = place_all(indptr, links, within, domains, budget)
        if status == FOUND:
            return places, ""
        if status == NONE:
            return None, "searched in full"
    return _solve(guest, host, table, t) if solver else (None, "")


def _both_ways(guest: Network) -> tuple[IntArray, IntArray]:
    """Rows of neighbours of the guest, whichever way its links point, without loops."""
    tails, heads = _ends(guest)
    ends, others = np.concatenate([tails, heads]), np.concatenate([heads, tails])
    order = np.argsort(ends, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=guest.order))])
    return starts.astype(np.int64), others[order].astype(np.int64)


def _word_row(nodes: IntArray, words: int) -> IntArray:
    mask = np.zeros(64 * words, dtype=bool)
    mask[nodes] = True
    return np.packbits(mask, bitorder="little").view(np.uint64)


def _near_bits(table: IntArray, t: int) -> IntArray:
    words = -(-len(table) // 64)
    mask = np.zeros((len(table), 64 * words), dtype=bool)
    mask[:, : len(table)] = (table <= t) & (table > 0)
    return np.packbits(mask, axis=1, bitorder="little").view(np.uint64)


def _solve(guest: Network, host: Network, table: IntArray, t: int) -> tuple[IntArray | None, str]:
    """The same question to CP-SAT, with a time limit."""
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise MissingPackageError(
            "a proof by CP-SAT needs the package ortools: pip install 'hopscape[cpsat]'"
        ) from error
    model = cp_model.CpModel()
    stands = [[model.new_bool_var("") for _ in range(host.order)] for _ in range(guest.order)]
    for row in stands:
        model.add_exactly_one(row)
    for h in range(host.order):
        model.add_at_most_one(row[h] for row in stands)
    within = (table <= t) & (table > 0)
    for a, b in zip(*(ends.tolist() for ends in _ends(guest)), strict=True):
        for u, v in ((a, b), (b, a)):
            for h in range(host.order):
                options = [stands[v][j] for j in np.nonzero(within[h])[0].tolist()]
                model.add_bool_or([*options, stands[u][h].negated()])
    if host.symmetry is not None and host.symmetry.transitive:
        model.add(stands[0][int(host.symmetry.representatives[0])] == 1)
    search = cp_model.CpSolver()
    search.parameters.max_deterministic_time = _SOLVER_TIME
    search.parameters.num_workers = 1
    status = search.solve(model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        places = [next(h for h, x in enumerate(row) if search.value(x)) for row in stands]
        return np.asarray(places), ""
    return None, "proved by CP-SAT" if status == cp_model.INFEASIBLE else ""
