"""Routes on one lane beside the routes that need several: mean hops, busiest link, service levels.

    python benchmarks/one_lane.py "circulant(64, 1, 14)" "rpc(3)"

Without arguments thirty networks. The ratio is the busiest link of one lane over that of the usual
routes (the family's own, else shortest ones). The last column is the least that the ratio can be on
a ring, where it is proved (`least_on_a_ring`).
"""

from __future__ import annotations

import sys

import hopscape
from hopscape.deadlock.classes import find_classes
from hopscape.deadlock.one_lane import one_lane_routes
from hopscape.metrics.routes import all_routes

SPECS = (
    "torus(4, 4)", "torus(6, 6)", "torus(8, 8)", "torus(3, 4, 5)", "torus(4, 4, 4)", "mesh(6, 6)",
    "hypercube(6)", "ring(16)", "circulant(16, 1, 4)", "circulant(64, 1, 14)",
    "circulant(55, 1, 5, 21)", "rpc(2)", "rpc(3)", "rpc(4)", "multiring(16, 1, 3)",
    "multiring(36, 1, 5)", "dragonfly(4, 2, p=2)", "slim_fly(5, p=3)", "polarfly(5, p=3)",
    "spectralfly(3, 5)", "folded(petersen, 2)", "folded(heawood, 1)", "expanded(petersen, 1)",
    "hyperx([4, 4], p=4)", "fat_tree(4)", "leaf_spine(4, 2, 4)", "ccc(3)", "ccc(4)",
    "product(ring(5), petersen)", "random_regular(40, 4, seed=1)",
)  # fmt: skip


def least_on_a_ring(nodes: int) -> int:
    """A bound on the busiest link of any routes on one lane of a ring.

    Some turn each way round, at nodes u and v, is taken by no route, or the channels of that way
    wait in a circle. Were there nodes on both sides between u and v, a pair across them would have
    no way. If u is v, the others send along a line of nodes - 1. If they are neighbours, the others
    send along a line of nodes - 2, and to u one way round and to v the other, over each link as
    much as if it were one node longer. The middle link carries half of them to the other half.
    """
    return (nodes - 1) // 2 * (nodes // 2)


def main() -> None:
    """Print the table."""
    print("| network | busiest link | one lane | mean hops | one lane | levels | ratio | least |")
    print("|---|---|---|---|---|---|---|---|")
    for spec in sys.argv[1:] or SPECS:
        network = hopscape.build(spec)
        usual = all_routes(network)
        one = one_lane_routes(network, usual)
        levels = find_classes(network, method="layers")[2].classes if one is not usual else 1
        busiest, alone = int(usual.loads.max()), int(one.loads.max())
        ring = network.ports == 2 and (network.degrees == 2).all() and not network.has_switches
        least = f"{least_on_a_ring(network.order) / busiest:.2f}" if ring else ""
        print(
            f"| `{spec}` | {busiest} | {alone} | {usual.mean:.3f} | {one.mean:.3f} | {levels} |"
            f" {alone / busiest:.2f} | {least} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
