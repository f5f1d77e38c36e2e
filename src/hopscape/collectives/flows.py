"""How fast everybody can send to everybody: the flow bound of an all-to-all.

Give every channel a weight. Every chunk uses up at least the weighted distance of its ends, a round
offers at most the sum of the weights times what the channels carry: the quotient bounds the rounds
from below. The best weights are the dual of a multicommodity flow, so that this bound is the least
load that fractional routes can have (Shahrokhi and Matula 1990). Weights are made whole before the
bound is computed: it holds whatever the linear program did.

The linear program of an all-to-all: fractional routes with the least load.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.collectives.symmetric import Orbits
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import DisconnectedError
from hopscape.core.network import Network
from hopscape.core.progress import check_time

__all__ = [
    "ExchangeBound",
    "best_weights",
    "each_alone",
    "exchange_bound",
    "grown_prices",
    "orbits_of",
    "weighted_bound",
]

_VARIABLES = 15_000
"""Sources times channels up to which the linear program is solved."""
_FINE = 10**7
"""What weights are multiplied by before they are rounded, if no small factor makes them whole."""
_STEPS, _EFFORT = 60, 10_000_000
"""Steps in which weights grow, and sources times channels of all steps; four are always made."""


@dataclass(frozen=True)
class ExchangeBound:
    """A lower bound on the rounds per chunk of an all-to-all.

    Attributes:
        weight (int64[channels]): The weights that prove it.
        exact: Do fractional routes reach it?
    """

    rounds: Fraction
    weight: IntArray
    exact: bool

    def describe(self) -> str:
        """The proof in words."""
        used = int(np.count_nonzero(self.weight))
        if used and len(np.unique(self.weight[self.weight > 0])) == 1:
            return f"the routes of all pairs must share {used} channel{'s' * (used > 1)}"
        return f"the routes of all pairs must share {used} weighted channels (flow bound)"


def orbits_of(network: Network) -> Orbits:
    """Orbits under the symmetries that the family knows, each node and channel alone otherwise."""
    family = network.family
    moves = family.rotations() if family is not None and network.one_speed else None
    return each_alone(network) if moves is None else Orbits(network, moves)


def each_alone(network: Network) -> Orbits:
    """Every node and channel by itself: the orbits of the identity."""
    return Orbits(network, np.arange(network.order)[None, :])


def weighted_bound(network: Network, weight: IntArray, orbits: Orbits) -> Fraction:
    """The bound that whole weights prove, by one search for every orbit of endpoints.

    Channels of one orbit must have the same weight.
    """
    total, _ = _searches(network, weight.astype(np.float64), orbits)
    offered = int((weight * network.room()).sum())
    return Fraction(round(total) * len(orbits.moves), offered) if offered else Fraction(0)


def _searches(network: Network, weight: Floats, orbits: Orbits) -> tuple[float, IntArray]:
    """Weighted distances of all pairs (one source per orbit), and what cheapest paths carry."""
    from hopscape.collectives.flow_path_kernels import tree_loads

    ends = network.endpoints.astype(np.int64)
    own = np.intersect1d(orbits.own, ends)
    total, load = tree_loads(network.indptr, network.heads, network.tails, weight, own, ends)
    if np.isinf(total):
        raise DisconnectedError(
            f"{network.spec} has nodes that cannot be reached, so that no schedule exists"
        )
    return total, load


def exchange_bound(network: Network, most: int = _VARIABLES) -> ExchangeBound:
    """The least load per round that routes of an all-to-all can have, exact where it is small.

    Up to `most` variables (sources, one of each orbit, times channels) a linear program (HiGHS)
    finds the best weights. Beyond, channels become the heavier, the more cheapest paths they
    carry, for a number of steps (Young 1995): a bound, a little below the best.

    Examples:
        >>> import hopscape
        >>> exchange_bound(hopscape.build("mesh(4, 4)")).rounds
        Fraction(16, 1)
        >>> exchange_bound(hopscape.build("kautz(2, 3, duplex=true)")).rounds
        Fraction(13, 2)
    """
    orbits = orbits_of(network)
    ends = network.endpoints.astype(np.int64)
    if len(ends) < 2:
        return ExchangeBound(Fraction(0), np.zeros(len(network.heads), np.int64), True)
    exact = len(np.intersect1d(orbits.own, ends)) * len(network.heads) <= most
    weights = [np.ones(len(network.heads), dtype=np.int64)]
    optimal = None
    if exact:
        optimal = best_weights(network, orbits)
        exact = optimal is not None
    weights.append(whole_weights(_grown_weights(network, orbits) if optimal is None else optimal))
    bounds = [(weighted_bound(network, weight, orbits), weight) for weight in weights]
    rounds, weight = max([*_accesses(network, ends), *bounds], key=lambda bound: bound[0])
    return ExchangeBound(rounds, weight, exact)


def grown_prices(network: Network, orbits: Orbits, rows: Any, room: Floats) -> Floats:
    """Prices of lanes that grow where cheapest paths crowd; those of the best bound seen.

    Args:
        rows (sparse[lanes, channels]): Which lanes every channel takes up.
        room (float[lanes]): What each lane lets through in a round, all its channels together.
    """
    price = 1.0 / room
    best, dearest = -1.0, price
    total, load = _searches(network, price @ rows, orbits)
    effort = max(1, len(network.heads) * len(np.intersect1d(orbits.own, network.endpoints)))
    for step in range(max(4, min(_STEPS, _EFFORT // effort))):
        check_time(f"the flow bound of {network.spec}")
        bound = total / float(price @ room)
        if bound > best:
            best, dearest = bound, price
        shared = rows @ load / room
        price = price * np.exp(shared / max(float(shared.max()), 1e-9) / (2 + step) ** 0.5)
        price /= price.max()
        total, load = _searches(network, price @ rows, orbits)
    return dearest


def _grown_weights(network: Network, orbits: Orbits) -> Floats:
    """Weights of channels, alike in every orbit."""
    from scipy.sparse import csr_array

    channels, kinds = len(network.heads), orbits.kinds
    rows = csr_array((np.ones(channels), (kinds, np.arange(channels))))
    prices = grown_prices(network, orbits, rows, rows @ network.room().astype(np.float64))
    grown: Floats = prices[kinds]
    return grown


def whole_weights(weight: Floats) -> IntArray:
    """Weights as whole numbers, small ones where a few values are enough."""
    scaled = np.maximum(weight, 0.0) / max(float(weight.max(initial=0.0)), 1e-300)
    for fine in (1, 2, 3, 4, 6, 12, 60, _FINE):
        whole = np.rint(scaled * fine)
        if np.abs(whole - scaled * fine).max(initial=0.0) < 1e-6 * fine:
            break
    return whole.astype(np.int64)


def _accesses(network: Network, ends: IntArray) -> list[tuple[Fraction, IntArray]]:
    """What the endpoint with the narrowest access must send and receive, with the weights."""
    out = []
    for at in (network.tails, network.heads):
        width = np.bincount(at, weights=network.room(), minlength=network.order)[ends]
        weight = (at == ends[int(width.argmin())]).astype(np.int64)
        if width.min():
            out.append((Fraction(len(ends) - 1, int(width.min())), weight))
    return out


def best_weights(network: Network, orbits: Orbits) -> Floats | None:
    """The dual of the capacities: weights of channels that prove the least load; None: no routes.

    For each source (the lowest endpoint of an orbit) the flow to all endpoints at once; the flows
    of all sources share the kinds of channels.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, csr_array, eye_array, hstack, kron

    ends = network.endpoints.astype(np.int64)
    own = np.intersect1d(orbits.own, ends)
    nodes, channels = network.order, len(network.heads)
    kinds = int(orbits.kinds.max(initial=-1)) + 1
    span = np.arange(channels)
    signs = np.concatenate([np.ones(channels), -np.ones(channels)])
    rows = np.concatenate([network.heads, network.tails])
    one = coo_array((signs, (rows, np.concatenate([span, span]))), shape=(nodes, channels)).tocsr()
    demand = np.zeros((len(own), nodes))
    demand[:, ends] = 1.0
    demand[np.arange(len(own)), own] = -(len(ends) - 1.0)
    flows: Any = kron(eye_array(len(own)), one)
    conserve: Any = hstack([flows, csr_array((flows.shape[0], 1))]).tocsr()
    shared = coo_array((np.ones(channels), (orbits.kinds, span)), shape=(kinds, channels)).tocsr()
    room = np.zeros(kinds)
    room[orbits.kinds] = network.room()
    limit: Any = hstack([shared] * len(own) + [csr_array(-room[:, None])]).tocsr()
    price = np.zeros(conserve.shape[1])
    price[-1] = 1.0
    solution = linprog(
        price,
        A_ub=limit,
        b_ub=np.zeros(kinds),
        A_eq=conserve,
        b_eq=demand.ravel(),
        method="highs-ipm",
    )
    if solution.status != 0:
        return None
    return np.abs(np.asarray(solution.ineqlin.marginals))[orbits.kinds]
