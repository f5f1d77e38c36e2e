"""Rail-only networks in the ledger: what leaving the spine out saves, and what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from hopscape.core.channels import ChannelClass
from hopscape.core.network import Network
from hopscape.design.prices import load_prices
from hopscape.ledger.claim import Correction, Entries, Outcome, Paper, Tally, Value, judge
from hopscape.registry import build

__all__ = ["PAPER", "CountedClos", "forwarding_overhead", "full_clos", "machine"]

SAVED = 0.38, 0.77
"""Of the cost of the network, as the abstract says."""
LONGER = 0.082, 0.112
"""All-to-all of a mixture of experts, as the abstract says."""
_SIZES = (4096, 16384, 32768, 65536)
_ISLANDS = (8, 256)
_RADICES = (64, 128)
_SPEEDS = (8, 9, 10)
"""Line of an island by a line of a rail: 450 GB/s of NVLink against 50 GB/s is 9."""


class CountedClos(NamedTuple):
    """A folded Clos network for so many endpoints at full rate."""

    levels: int
    switches: float
    cables: int


def full_clos(endpoints: int, radix: int) -> CountedClos:
    """Levels, switches and cables; a switch that several small networks share counts in parts.

    Examples:
        >>> full_clos(128, 8)
        CountedClos(levels=3, switches=80.0, cables=384)
    """
    levels = 1
    while radix * (radix // 2) ** (levels - 1) < endpoints:
        levels += 1
    return CountedClos(levels, (2 * levels - 1) * endpoints / radix, levels * endpoints)


def _cost(clos: CountedClos, endpoints: int, radix: int) -> float:
    """Switches, copper to accelerators and fibre between switches, in USD."""
    prices = load_prices("400g")
    _, (copper, fibre) = prices.pick_cables(np.array([3.0, 30.0]))
    between = clos.cables - endpoints
    box = prices.switch(radix).price
    return float(clos.switches * box + endpoints * copper + between * fibre)


def _check_cost() -> Outcome:
    """At least what is printed; how much more depends on prices."""
    saved: dict[str, Value] = {}
    less, same, fewer, tally = [], [], [], Tally()
    tally.expect("networks counted as by the formula", 2)
    tally.expect("machines", 4 * 2 * 2)
    for spec, endpoints in (("clos(8, 3)", 128), ("clos(16, 2)", 128)):
        network, clos = build(spec), full_clos(endpoints, int(spec[5:].split(",")[0]))
        counted = network.order - network.endpoint_count, network.links
        same_counts = (network.endpoint_count, *counted) == (endpoints, *clos[1:])
        tally.add("networks counted as by the formula", int(same_counts))
    for size in _SIZES:
        for island in _ISLANDS:
            for radix in tally.each("machines", _RADICES):
                whole, rail = full_clos(size, radix), full_clos(size // island, radix)
                rails = CountedClos(rail.levels, island * rail.switches, island * rail.cables)
                share = 1 - _cost(rails, size, radix) / _cost(whole, size, radix)
                name = f"{size:,} in islands of {island}, {radix} ports"
                saved[name] = round(share, 3)
                if rail.levels == whole.levels:
                    same.append(f"{name}: {whole.levels} levels both ways, {100 * share:.0f} %")
                    continue
                fewer.append(100 * share)
                if share < SAVED[0]:
                    less.append(f"{name}: {100 * share:.0f} %")
    text = f"{min(fewer):.0f} to {max(fewer):.0f} %"
    return judge(
        [*less, *same],
        f"saved with prices of 400 Gb/s, where there are fewer levels of switches: {text}",
        Correction("only where a rail needs fewer levels of switches than the whole", less),
        values=saved,
        searched=tally,
    )


def machine(islands: int, speed: int, spine: bool) -> Network:
    """Islands of eight on eight rails, each rail one switch, and a spine above them or none."""
    gpus = 8 * islands
    ends = np.arange(gpus)
    tails = [ends, ends]
    heads = [gpus + ends // 8, gpus + islands + ends % 8]
    order = gpus + islands + 8
    if spine:
        rails = np.repeat(gpus + islands + np.arange(8), islands)
        tails.append(rails)
        heads.append(np.full(len(rails), order))
        order += 1
    kinds = np.zeros(sum(map(len, tails)), np.int64)
    kinds[:gpus] = 1
    return Network.from_links(
        order,
        np.concatenate(tails).tolist(),
        np.concatenate(heads).tolist(),
        switches=np.arange(gpus, order),
        classes=(ChannelClass("line"), ChannelClass("island", speed=speed)),
        kinds=kinds.tolist(),
    )


def _check_step() -> Outcome:
    from hopscape.workloads import LanguageModel, ModelJob, Split, load_chip, step

    model = LanguageModel(hidden=4096, layers=4, heads=32, seq=2048, vocab=32000)
    wrong, words = [], []
    values: dict[str, Value] = {}
    tally = Tally()
    for tp, pp, dp in tally.each("splits", ((8, 1, 8), (8, 2, 4), (4, 2, 8)), 3):
        job = ModelJob(model, Split(2 * dp, tp=tp, pp=pp, dp=dp), load_chip("h100"))
        plain, spine = (step(job, machine(8, 9, more), prove=False) for more in (False, True))
        name = f"{tp} x {pp} x {dp}"
        seconds = [round(one.seconds or 0.0, 9) for one in (plain, spine)]
        values[name] = seconds
        words.append(f"{name}: {seconds[0]:.4g} s, with a spine {seconds[1]:.4g}")
        if plain.seconds != spine.seconds or not plain.seconds:
            wrong.append(words[-1])
    text = f"tensors x pipeline x batch {'; '.join(words)}"
    return judge(wrong, text, values=values, searched=tally)


def forwarding_overhead(islands: int, speed: int, size: float) -> float:
    """How much longer an all-to-all takes without a spine than a line at full rate needs.

    Without a spine data go to the accelerator of the island that is on the right rail, and then
    along the rail; one after the other, as collectives of islands and of rails. With one, all that
    leaves an island could leave at full rate: no schedule is faster.
    """
    from hopscape.workloads import Fabric, Placement, WorkloadBuilder, execute

    ranks, beta = 8 * islands, 2e-5
    rails = WorkloadBuilder(ranks)
    share = size * (islands - 1) / islands  # what leaves an island
    first = {
        rank: part
        for i in range(islands)
        for rank, part in zip(
            range(8 * i, 8 * i + 8),
            rails.collective("all-to-all", range(8 * i, 8 * i + 8), share),
            strict=True,
        )
    }
    for r in range(8):
        group = range(r, ranks, 8)
        rails.collective("all-to-all", group, size, after=[[first[rank]] for rank in group])
    network = machine(islands, speed, spine=False)
    costs = {"alpha": 0.0, "beta": beta, "gamma": 0.0, "delta": 0.0}
    two = execute(rails.workload(), Fabric(network, Placement.in_order(network, ranks), costs))
    return two.seconds / (1e-6 * beta * share) - 1


def _check_experts() -> Outcome:
    values: dict[str, Value] = {}
    wrong, shares, tally = [], [], Tally()
    tally.expect("machines", 2 * 3)
    for islands in (8, 16):
        for speed in tally.each("machines", _SPEEDS):
            share = round(forwarding_overhead(islands, speed, 64e6), 6)
            shares.append(share)
            values[f"{islands} islands, {speed} times as fast"] = share
            if not LONGER[0] - 0.005 <= share <= LONGER[1] + 0.005:
                wrong.append(f"{islands} islands, {speed} times as fast: {100 * share:.1f} %")
    low, high = 100 * min(shares), 100 * max(shares)
    text = f"{low:.1f} to {high:.1f} % longer in islands 8 to 10 times as fast as a rail"
    return judge(wrong, text, values=values, searched=tally)


_claim = Entries("railonly").claim

CLAIMS = (
    _claim(
        "railonly-cost",
        "abstract",
        "A rail-only network costs 38 to 77 % less than one that joins all accelerators.",
        "folded Clos networks of full rate for 4,096 to 65,536 accelerators in islands of 8 and"
        " 256, switches of 64 and 128 ports; the table in print was not at hand, so sizes and"
        " prices (400 Gb/s) are ours",
        _check_cost,
    ),
    _claim(
        "railonly-step",
        "abstract",
        "Training takes as long as with a spine.",
        "a step on 64 accelerators in islands of 8, tensors inside islands, executed with and"
        " without a spine at full rate above the rails",
        _check_step,
    ),
    _claim(
        "railonly-experts",
        "abstract",
        "All-to-all of experts takes 8.2 to 11.2 % longer, forwarded inside islands.",
        "all-to-all between the islands of 64 and 128 accelerators executed, along islands and then"
        " along rails, against what a line at full rate needs",
        _check_experts,
    ),
)

PAPER = Paper(
    "railonly",
    "Wang, Ghobadi, Shakeri, Zhang, Hasani: Rail-only, a low-cost high-performance network for"
    " training LLMs with trillion parameters (arXiv 2307.12169)",
    ("rails",),
    CLAIMS,
    pinned=Path(__file__).with_name("pinned.jsonl"),
)
