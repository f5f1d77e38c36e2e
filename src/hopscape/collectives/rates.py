"""Least rounds per chunk under rules of ports and duplex: linear programs over rates of channels.

What a channel carries in all rounds together is its rate. Rates obey ports and links as single
rounds do, so that no schedule takes fewer rounds than the best rates.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from hopscape.collectives.flows import each_alone, grown_prices
from hopscape.collectives.forest import bottleneck
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import DisconnectedError
from hopscape.core.model import Model
from hopscape.core.network import Network

__all__ = ["exchange_rate", "gather_rate", "gather_rates"]

_VARIABLES = 8_000
"""Sources times channels up to which the program of an all-to-all is solved: about a second."""
_PRICED = 2_500_000
"""The same up to which prices are sought instead, four times at least."""
_FLOWS = 60_000
"""Endpoints times channels up to which cuts of an all-gather are looked for."""
_PASSES, _FINE = 80, 10**6
"""Rounds of cuts that are added (expanded networks of 100 nodes take 34 to 43), and how finely
rates are measured in the search for cuts."""
_STEP, _NEAR = 0.8, 1.0005
"""How far from rates that break no cut the next ones lie towards those of the program, and how
many times as many rounds they may take: with a step of 0.5 it took a fifth longer."""


def _limits(network: Network, model: Model) -> tuple[Any, Floats]:
    """Rows that add up what uses the same link or port, and what each allows in a round."""
    from scipy.sparse import coo_array, vstack

    channels, nodes = len(network.heads), network.order
    own = np.arange(channels)
    half = model.duplex == "half"
    lane = np.where(half & (network.reverse >= 0), np.minimum(own, network.reverse), own)
    _, row = np.unique(lane, return_inverse=True)
    room = np.zeros(int(row.max(initial=-1)) + 1)
    room[row] = network.room()
    ones = np.ones(channels)
    parts = [coo_array((ones, (row, own)), shape=(len(room), channels))]
    if model.ports is not None and model.switching == "store-and-forward":
        # messages that run through whole paths take ports at their ends only
        sends = coo_array((ones, (network.tails, own)), shape=(nodes, channels))
        takes = coo_array((ones, (network.heads, own)), shape=(nodes, channels))
        both = [sends + takes] if half else [sends, takes]
        for part in both:
            parts.append(part.tocoo())
            room = np.concatenate([room, np.full(nodes, float(model.ports))])
    return vstack(parts).tocsr(), room


def gather_rate(network: Network, model: Model) -> float | None:
    """Rounds per chunk of an all-gather, at least; None where it would take long to find.

    Examples:
        >>> import hopscape
        >>> round(gather_rate(hopscape.build("petersen"), Model(ports=1, duplex="half")), 6)
        18.0
    """
    found = gather_rates(network, model)
    return None if found is None else found[0]


def gather_rates(network: Network, model: Model) -> tuple[float, Floats] | None:
    """Rounds per chunk of an all-gather, at least, and what channels carry in hardly more.

    Whatever part of the network an endpoint is in, the chunks of all others must enter it. These
    cuts are added to a linear program as rates are found that break them, between its rates and
    the best ones known that break none (Ben-Ameur and Neto 2007): at first, those of all ports.
    """
    rules = replace(model, alpha=0.0, beta=0.0, gamma=0.0, delta=0.0)
    return _gather_rates(network, rules, network.endpoints.tobytes())


@lru_cache(maxsize=4)
def _gather_rates(
    network: Network, model: Model, ends_as_bytes: bytes
) -> tuple[float, Floats] | None:
    from scipy.sparse import csr_array

    ends, channels = network.endpoints.astype(np.int64), len(network.heads)
    if len(ends) < 2 or len(ends) * channels > _FLOWS:
        return None
    rows, room = _limits(network, model)
    cuts = [network.heads == v for v in ends.tolist()]
    needs = [len(ends) - 1.0] * len(ends)
    if model.switching != "store-and-forward" and not model.in_network:
        # switches only forward: endpoints send as much as endpoints receive
        cuts.append(np.isin(network.tails, ends))
        needs.append(len(ends) * (len(ends) - 1.0))
    try:
        whole: Floats = float(bottleneck(network).rounds) * network.room().astype(np.float64)
    except DisconnectedError:
        return None
    within = csr_array(np.array(cuts, float)) @ whole
    whole = whole * max(1.0, float((np.array(needs) / within).max()))
    best = 0.0
    for _ in range(_PASSES):
        found = _cheapest(rows, room, cuts, needs)
        if found is None:
            break
        best, rates = found
        more: list[IntArray] = []
        while not more and float((rows @ whole / room).max()) > best * _NEAR:
            between = _STEP * rates + (1 - _STEP) * whole
            more = _broken_cuts(network, between, ends)
            whole = whole if more else between
        if not more:
            break
        for inside in more:
            cuts.append(~inside[network.tails] & inside[network.heads])
            needs.append(float((~inside[ends]).sum()))
    return (best, whole) if best else None


def _cheapest(
    rows: Any, room: Floats, cuts: list[IntArray], needs: list[float]
) -> tuple[float, Floats] | None:
    """The fewest rounds in which channels can carry what these cuts need, and what they carry."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, vstack

    limit = hstack([rows, csr_array(-room[:, None])])
    lower = csr_array(-np.hstack([np.array(cuts, float), np.zeros((len(cuts), 1))]))
    price = np.zeros(rows.shape[1] + 1)
    price[-1] = 1.0
    solution: Any = linprog(
        price,
        A_ub=vstack([limit, lower]),
        b_ub=np.concatenate([np.zeros(len(room)), -np.array(needs)]),
        method="highs",
    )
    return (float(solution.fun), solution.x[:-1]) if solution.status == 0 else None


def _broken_cuts(network: Network, rates: Floats, ends: IntArray) -> list[IntArray]:
    """Parts of the network around endpoints that too little enters at these rates."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    nodes = network.order
    fine = np.rint(rates * _FINE).astype(np.int32)
    tails = np.concatenate([network.tails, np.full(len(ends), nodes)])
    heads = np.concatenate([network.heads, ends])
    values = np.concatenate([fine, np.full(len(ends), _FINE, dtype=np.int32)])
    graph = csr_array((values, (tails, heads)), shape=(nodes + 1,) * 2)
    graph.sum_duplicates()
    out: list[IntArray] = []
    for v in ends.tolist():
        flow = maximum_flow(graph, nodes, v)
        if flow.flow_value >= (len(ends) - 1e-3) * _FINE:
            continue
        left = csr_array(graph - flow.flow)
        left.data = np.maximum(left.data, 0)
        left.eliminate_zeros()
        reached = breadth_first_order(left, nodes, return_predecessors=False)
        inside = np.ones(nodes + 1, dtype=bool)
        inside[reached] = False
        out.append(inside[:-1])
    return out


def exchange_rate(network: Network, model: Model) -> float | None:
    """Rounds per chunk of an all-to-all, at least; None where it would take long to find.

    Up to some thousand variables the best rates; beyond, what prices of links and ports prove.

    Examples:
        >>> import hopscape
        >>> round(exchange_rate(hopscape.build("petersen"), Model(ports=1)), 6)
        15.0
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, csr_array, eye_array, hstack, kron

    ends = network.endpoints.astype(np.int64)
    nodes, channels = network.order, len(network.heads)
    if len(ends) < 2 or len(ends) * channels > _PRICED:
        return None
    if len(ends) * channels > _VARIABLES:
        return _priced_rate(network, model)
    span = np.arange(channels)
    signs = np.concatenate([np.ones(channels), -np.ones(channels)])
    at = np.concatenate([network.heads, network.tails])
    one = coo_array((signs, (at, np.concatenate([span, span]))), shape=(nodes, channels)).tocsr()
    demand = np.zeros((len(ends), nodes))
    demand[:, ends] = 1.0
    demand[np.arange(len(ends)), ends] = -(len(ends) - 1.0)
    flows: Any = kron(eye_array(len(ends)), one)
    rows, room = _limits(network, model)
    price = np.zeros(len(ends) * channels + 1)
    price[-1] = 1.0
    solution: Any = linprog(
        price,
        A_ub=hstack([rows] * len(ends) + [csr_array(-room[:, None])]),
        b_ub=np.zeros(len(room)),
        A_eq=hstack([flows, csr_array((flows.shape[0], 1))]),
        b_eq=demand.ravel(),
        method="highs-ipm",
    )
    return float(solution.fun) if solution.status == 0 else None


def _priced_rate(network: Network, model: Model) -> float:
    """Whatever its route, a chunk pays at least the cheapest; a round has room for so much."""
    from hopscape.collectives.flow_path_kernels import tree_loads

    rows, room = _limits(network, model)
    ends = network.endpoints.astype(np.int64)
    ports = np.asarray(rows.sum(axis=1)).ravel() > 2  # a link is two channels at most
    best = 0.0
    for price in (
        grown_prices(network, each_alone(network), rows, room),
        1.0 * ports,
        1.0 * ~ports,
    ):
        if price.any():
            weight = price @ rows
            total, _ = tree_loads(network.indptr, network.heads, network.tails, weight, ends, ends)
            best = max(best, float(total) / float(price @ room))
    return best
