"""What the paper does not say, but holds: cuts, symmetry, distances, shorter schedules."""

from __future__ import annotations

import numpy as np

from hopscape.collectives import lower_bounds
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.families.petersen_cycles.networks import RingOfPetersenCycles
from hopscape.ledger import brute
from hopscape.ledger.claim import Outcome, judge
from hopscape.ledger.papers.rpc import comparison
from hopscape.ledger.papers.rpc.routing import (
    HALF,
    HARD,
    HARD_WITH_DETOURS,
    PAPER,
    made,
    permuted,
    trials,
)
from hopscape.ledger.papers.rpc.structure import _moves, pc, rpc
from hopscape.ledger.papers.rpc.worst import reversal

__all__: list[str] = []


def check_connectivity() -> Outcome:
    import networkx

    found = {k: networkx.node_connectivity(brute.graph(brute.rows_of(rpc(k)))) for k in (1, 2, 3)}
    told = {k: RingOfPetersenCycles(k).facts().node_connectivity for k in found}
    wrong = [f"k = {k}: {cut} nodes part it" for k, cut in found.items() if cut != k + 2]
    ours = [f"k = {k}: our closed form says {told[k]}" for k in found if told[k] != found[k]]
    text = f"least cuts of nodes for k = 1, 2, 3: {list(found.values())}"
    return brute.settled(ours, judge(wrong, text))


def check_symmetries() -> Outcome:
    moves = _moves(brute.rows_of(pc()))
    fixing = sum(move[0] == 0 for move in moves)
    wrong = [] if len(moves) == 120 else [f"{len(moves)} automorphisms"]
    return judge(wrong, f"{len(moves)} automorphisms, {fixing} of them keep node 0")


def check_mean() -> Outcome:
    wrong, ours, links = [], [], []
    for k in range(1, 9):
        rows = brute.rows_of(rpc(k))
        links.append(sum(map(len, rows)) // 2)
        if links[-1] != {1: 45, 2: 120}.get(k, 75 * k):
            wrong.append(f"k = {k}: {links[-1]} links")
        hops = int(brute.distances(rows, range(30)).sum())  # slices look alike
        if hops != (101 * k + 30 * (k * k // 4)) * 30:
            wrong.append(f"k = {k}: {hops} hops from the nodes of a slice")
        facts = RingOfPetersenCycles(k).facts()
        if facts.mean_distance != comparison.rpc_mean(k) or facts.links != links[-1]:
            ours.append(f"k = {k}: our closed forms say {facts.mean_distance}, {facts.links} links")
    text = f"k = 1..8: {links} links; distances add up to 101k + 30 floor(k²/4) from every node"
    return brute.settled(ours, judge(wrong, text))


def check_detours() -> Outcome:
    rounds = [permuted(pc(), t, "slice-detour", PAPER) for t in
              (np.asarray(HARD), np.asarray(HARD_WITH_DETOURS), *trials(30, 12))]  # fmt: skip
    wrong = [f"{r} rounds" for r in rounds if r > 11]
    text = f"{len(rounds)} permutations of a slice, half duplex, packed: at most {max(rounds)}"
    return judge(wrong, f"{text} rounds with detours in the third step")


def check_two_way() -> Outcome:
    wrong, rounds = [], {}
    for k in (*range(1, 7), 16):
        rounds[k] = max(permuted(rpc(k), t, "two-way", Model()) for t in trials(30 * k))
        if rounds[k] > k // 2 + 10:
            wrong.append(f"k = {k}: {rounds[k]} rounds")
    least = permuted(rpc(16), reversal(480), "general", Model())
    text = f"rounds by k: {rounds}; one way round RPC(16) takes {least}"
    return judge(wrong, text)


def check_gathers() -> Outcome:
    """Packed messages in seven rounds on a slice; single messages as few as links allow."""
    wrong, parts = [], []
    for k in (1, 2, 3):
        single = made(rpc(k), Goal.all_gather(), "bandwidth", HALF).rounds
        rows = brute.rows_of(rpc(k))
        need = -(-len(rows) * (len(rows) - 1) // (sum(map(len, rows)) // 2))
        told = lower_bounds(rpc(k), Goal.all_gather(), HALF)[0].rounds
        parts.append(f"k = {k}: {single} rounds")
        if not single == need == told:
            wrong.append(f"k = {k}: {single} rounds, at least {need} by counting, {told} told")
    packed = made(pc(), Goal.all_gather(), "packed", PAPER).rounds
    if packed != 7:
        wrong.append(f"{packed} rounds packed on PC")
    return judge(wrong, f"single messages, {', '.join(parts)}; packed on PC {packed}")
