"""Layers of virtual channels found in two ways for shortest routes by the lowest port."""

from __future__ import annotations

import argparse
import time

import hopscape
from hopscape.deadlock.layers import cut_layers, find_layers
from hopscape.deadlock.routes import routing_table

_SPECS = (
    "circulant(64, 1, 14)",
    "rpc(12)",
    "random_regular(256, 4)",
    "torus(32, 32)",
    "random_regular(1024, 6)",
    "torus(16, 16, 16)",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*", default=_SPECS)
    options = parser.parse_args()
    print("| network | channels | layers (DFSSSP) | layers | seconds |\n|---|---|---|---|---|")
    for spec in ["ring(8)", *options.specs]:  # the first one compiles the kernels
        network = hopscape.build(spec)
        table = routing_table(network, network.router("table"), ties=False)
        begin = time.process_time()
        found = find_layers(table, 64)
        spent = time.process_time() - begin
        cut = cut_layers(table, 64)
        if spec != "ring(8)":
            numbers = [str(layers[0]) if layers else "over 64" for layers in (cut, found)]
            print(
                f"| `{network.spec}` | {len(network.heads):,} | {numbers[0]} | {numbers[1]} |"
                f" {spent:.1f} |"
            )


if __name__ == "__main__":
    main()
