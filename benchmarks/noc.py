"""Networks in SystemVerilog beside the flit simulator, packet by packet and in the mean, and cells.

    python benchmarks/noc.py "mesh(4, 4)" "torus(4, 4)" --packets 300 --load 5 50

For each load the packets that arrive in the cycle of the flit simulator, the mean latency of the
hardware, and the simulator's with its usual settings (ties at random, packets in the network
first, windows) for the same packets. Then the cells of one router: all without buffers, those of
its routes as logic, and those of tables instead. Needs Icarus Verilog and Yosys.
"""

from __future__ import annotations

import argparse

import hopscape
from hopscape.formats.code import check_noc, emit_noc, noc_cells
from hopscape.formats.code.noc_check import read_noc, run_noc
from hopscape.simulate import Settings, build_setup
from hopscape.simulate.arrivals import arrivals


def main() -> None:
    """Print the two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="+")
    parser.add_argument("--packets", type=int, default=300)
    parser.add_argument("--load", type=int, nargs="+", default=[5, 50])
    parser.add_argument("--no-cells", action="store_true")
    given = parser.parse_args()
    nocs = {spec: emit_noc(hopscape.build(spec)) for spec in given.specs}
    print("| network | load | packets in the same cycle | mean | usual settings |")
    print("|---|---|---|---|---|")
    for spec, noc in nocs.items():
        own = noc.settings
        usual = build_setup(
            noc.network, Settings(vcs=own.vcs, buffer=own.buffer, packet=own.packet)
        )
        for load in given.load:
            verdict = check_noc(noc, packets=given.packets, load=load)
            same = f"all {given.packets}" if verdict else verdict.reason
            printed = run_noc(
                noc, packets=given.packets, seed=1, load=load, vary=False, ready=100,
                program="iverilog",
            )  # fmt: skip
            born = read_noc(printed).births(noc)
            mean = (arrivals(usual, born) - born[:, 0]).mean()
            latency = verdict.details.get("latency", float("nan"))
            print(f"| `{spec}` | {load} % | {same} | {latency:.1f} | {mean:.1f} |", flush=True)
    if given.no_cells:
        return
    print("\n| network | router | of these routes | fixed table | table of registers |")
    print("|---|---|---|---|---|")
    for spec, noc in nocs.items():
        cells = [f"{value:,}" for value in (noc_cells(noc) or {}).values()]
        print(f"| `{spec}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
