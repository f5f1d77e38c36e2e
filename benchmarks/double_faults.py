"""Random double link faults: how many one-lane fabrics keep the ways that still work.

``python benchmarks/double_faults.py``: ten networks, ten pairs of cables each, by lot. A row says
to how many endpoints ways that work were given up too (0: only broken ways were laid), and what
share of the nodes has an entry that changes; the last line counts. All routes are free of cycles.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.distances import distances_from
from hopscape.core.faults import Faults
from hopscape.core.network import Network
from hopscape.deadlock.one_lane import cyclic_channels, one_lane_routes
from hopscape.deadlock.repair import repaired_one_lane, repaired_shortest
from hopscape.metrics.routes import all_routes
from hopscape.registry import build

SPECS = (
    *("torus(4, 4)", "torus(3, 3, 3)", "petersen", "circulant(32, 1, 7)", "folded(heawood, 1)"),
    *("slim_fly(5)", "dragonfly(4, 2)", "hypercube(5)", "rpc(3)", "polarfly(3)"),
)
CASES = 10


def two_cables(network: Network, seed: int) -> Faults:
    """Two links between switches, without which the network hangs together."""
    random = np.random.default_rng(seed)
    ends = network.endpoints if network.has_switches else []
    inner = np.flatnonzero(~np.isin(network.tails, ends) & ~np.isin(network.heads, ends))
    while True:
        cut = random.choice(inner, 2, replace=False)
        pairs = zip(network.tails[cut].tolist(), network.heads[cut].tolist(), strict=True)
        faults = Faults.of(network, [], list(pairs))
        if distances_from(faults.rest(network)[0], 0).min() >= 0:
            return faults


def main() -> None:
    """Print a row for each network."""
    kept = some = every = 0
    for spec in SPECS:
        network = build(spec)
        routes = all_routes(network)
        before = one_lane_routes(network, routes)
        given_up, touched = [], []
        for seed in range(CASES):
            left, nodes, channels = two_cables(network, seed).rest(network)
            shortest = repaired_shortest(routes, left, nodes, channels)
            after, anew = repaired_one_lane(before, left, nodes, channels, shortest)
            assert cyclic_channels(after) == 0
            given_up.append(anew)
            place = np.full(len(network.heads) + 1, -1)
            place[channels] = np.arange(len(channels))
            taken = network.indptr[:-1] + before.table.astype(np.int64)
            old = place[np.minimum(taken, len(network.heads))]
            new = left.indptr[:-1] + after.table.astype(np.int64)
            targets = left.endpoints
            apart = np.arange(left.order) != targets[:, None]
            touched.append(float(((old != new)[targets] & apart).any(axis=0).mean()))
        kept += given_up.count(0)
        every += given_up.count(network.endpoint_count)
        some += sum(0 < x < network.endpoint_count for x in given_up)
        print(
            f"{spec:20} of {network.endpoint_count:3} endpoints anew {given_up},"
            f" nodes with a change {np.mean(touched):.0%}"
        )
    print(f"{kept} by broken ways alone, {some} with some endpoints anew, {every} laid anew whole")


if __name__ == "__main__":
    main()
