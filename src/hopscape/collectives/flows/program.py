"""The linear program of an all-to-all: fractional routes with the least load."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.collectives.free_group import Orbits
from hopscape.core.arrays import Floats
from hopscape.core.network import Network

__all__ = ["best_weights"]


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
    found = linprog(
        price,
        A_ub=limit,
        b_ub=np.zeros(kinds),
        A_eq=conserve,
        b_eq=demand.ravel(),
        method="highs-ipm",
    )
    if found.status != 0:
        return None
    return np.abs(np.asarray(found.ineqlin.marginals))[orbits.kinds]
