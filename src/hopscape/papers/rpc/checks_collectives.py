"""Checks of sections 3.3 and 3.4: broadcast and all-to-all, and what RP takes for the same.

What the paper does not say, but holds: cuts, symmetry, distances, shorter schedules.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Literal

import numpy as np

from hopscape.collectives import lower_bounds
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.ledger.claim import Correction, Outcome, Searched, Tally, judge
from hopscape.ledger.crosscheck import settled
from hopscape.papers.rpc import comparison, printed
from hopscape.papers.rpc.checks_routing import (
    HALF,
    HARD,
    HARD_WITH_DETOURS,
    PAPER,
    made,
    permuted,
    reversal,
    trials,
)
from hopscape.papers.rpc.checks_structure import _moves, distrusted, pc, rp, rpc
from hopscape.papers.rpc.families import RingOfPetersenCycles
from hopscape.reference import graphs

__all__: list[str] = []

_FAR = 2000  # k up to which diameters are compared; the differences grow beyond


def broadcast_rounds(k: int, name: str = "tree", root: int = 0, model: Model = Model()) -> int:
    return made(rpc(k), Goal.broadcast(root), name, model).rounds


# -- broadcast -----------------------------------------------------------------------------------


def check_few_slices() -> Outcome:
    wrong, ours, rounds, tally = [], [], [], Tally()
    for k, claimed in tally.each("broadcasts", enumerate(printed.FEW_SLICES, 1), 3):
        reach = graphs.diameter(graphs.rows_of(rpc(k)), [0])
        rounds.append(broadcast_rounds(k))
        if rounds[-1] != reach:
            ours.append(f"k = {k}: {rounds[-1]} rounds, the farthest node is at {reach}")
        if reach != claimed:
            wrong.append(f"{k} slices: a node at distance {reach}, printed {claimed} sends")
    others = [
        made(rp(k), Goal.broadcast(0), "tree").rounds
        for k in tally.each("broadcasts", (1, 2, 3), 3)
    ]
    text = f"one, two, three slices: {rounds} rounds; those of RP {others}"
    outcome = judge(wrong, text, values={"rounds": rounds, "rp": others}, searched=tally)
    return settled(ours, outcome)


def check_broadcast() -> Outcome:
    wrong, ours, tried, theory = [], [], 0, 0
    rng = np.random.default_rng(36)
    for k in range(1, 9):
        rows = graphs.rows_of(rpc(k))
        roots = range(30 * k) if k < 3 else rng.choice(30 * k, 10, replace=False).tolist()
        theory += 4 * len(roots)
        reaches = graphs.distances(rows, list(roots)).max(axis=1).tolist()
        for root, reach in zip(roots, reaches, strict=True):
            if reach != printed.diameter(k):
                wrong.append(f"k = {k}: the farthest node from {root} is at {reach}")
            for name, model in product(("tree", "slice-first"), (Model(), HALF)):
                rounds, tried = broadcast_rounds(k, name, root, model), tried + 1
                if rounds != reach:
                    ours.append(f"k = {k}, {name} from {root}: {rounds} rounds, not {reach}")
    text = f"k = 1..8: both strategies and duplexes, {len(ours)} broadcasts take other rounds"
    outcome = judge(wrong, text, searched=[Searched("verified broadcasts", tried, theory)])
    return settled(ours, outcome)


def check_broadcast_better() -> Outcome:
    tally = Tally()
    rounds = {k: (broadcast_rounds(k), made(rp(3 * k), Goal.broadcast(0), "tree").rounds)
              for k in tally.each("sizes by broadcasts", range(1, 9), 8)}  # fmt: skip
    ours = [f"k = {k}: {a} and {b} rounds" for k, (a, b) in rounds.items()
            if (a, b) != (comparison.rpc_diameter(k), comparison.rp_diameter(3 * k))]  # fmt: skip
    above = printed.BROADCAST_BEATS_RP_ABOVE
    wrong = [f"k = {k}: {a} against {b} rounds" for k, (a, b) in rounds.items()
             if (a < b) != (k > above)]  # fmt: skip
    wrong += [f"k = {k}: no better"
              for k in tally.each("sizes by diameters", range(9, _FAR), 2000 - 9)
              if comparison.rpc_diameter(k) >= comparison.rp_diameter(3 * k)]  # fmt: skip
    text = f"RPC(k) and RP(3k), k = 1..8: {list(rounds.values())}; by diameters up to {_FAR}"
    return settled([*distrusted(), *ours], judge(wrong, text, searched=tally))


# -- all-to-all ----------------------------------------------------------------------------------


def gathered(k: int, name: str, model: Model) -> int:
    return made(rpc(k), Goal.all_gather(), name, model).rounds


def _fewest(half: bool, tally: Tally) -> int:
    """Rounds of an all-gather on a triangle with packed messages: all choices of directions."""
    links = ((0, 1), (1, 2), (2, 0))
    states: set[tuple[int, ...]] = {(1, 2, 4)}
    rounds = 0
    while (7, 7, 7) not in states:
        after: set[tuple[int, ...]] = set()
        for state in states:
            tally.expect("choices of directions", 2**3 if half else 1)
            choices = product((0, 1), repeat=3) if half else ((0, 0, 0),)
            for directions in tally.each("choices of directions", choices):
                new = list(state)
                for (a, b), direction in zip(links, directions, strict=True):
                    if direction == 0:
                        new[b] |= state[a]
                    if direction == 1 or not half:
                        new[a] |= state[b]
                after.add(tuple(new))
        states, rounds = after, rounds + 1
    return rounds


def _known_after(k: int, rounds: int) -> tuple[int, int]:
    """Fewest data of its own cycle, and data in all, that a node has after so many rounds."""
    plan = made(rpc(k), Goal.all_gather(), "paper", PAPER)
    held = np.eye(30 * k, dtype=bool)
    for r in range(rounds):
        now = plan.round == r
        tails, heads = plan.source[now], plan.target[now]
        new = held.copy()
        sent = held[tails, plan.chunk[now]]
        new[heads[sent], plan.chunk[now][sent]] = True
        held = new
    cycle = np.arange(30 * k) // 3
    own = (held & (cycle[:, None] == cycle[None, :])).sum(axis=1)
    return int(own.min()), int(held.sum(axis=1).min())


def check_cycle_gather() -> Outcome:
    tally = Tally()
    least, full = _fewest(True, tally), _fewest(False, tally)
    own, _ = _known_after(1, printed.CYCLE_ALL_GATHER)
    wrong = []
    if least != printed.CYCLE_ALL_GATHER:
        wrong.append(f"{least} rounds are needed and suffice")
    ours = (
        [] if own == 3 else [f"our nodes have {own} data after {printed.CYCLE_ALL_GATHER} rounds"]
    )
    text = (
        f"all choices of directions: {least} rounds in half duplex, {full} in full; our schedule"
        f" on PC gives every node {own} of 3 data of its cycle in {printed.CYCLE_ALL_GATHER}"
    )
    outcome = judge(wrong, text, searched=tally)
    return outcome if wrong else settled(ours, outcome)


def five_stages() -> tuple[int, int]:
    """Slice-All-to-All written out: rounds in half duplex, and the fewest data that a node has."""
    rows = graphs.rows_of(pc())
    held = [{v} for v in range(30)]
    received = [{v} for v in range(30)]
    rounds = 0
    for stage in range(5):
        if stage % 2 == 0:  # round the cycle, twice: everything to everybody in it
            new = [set().union(*(received[v // 3 * 3 + i] for i in range(3))) for v in range(30)]
            fresh = [new[v] - held[v] for v in range(30)]
        else:  # across, both ways, one after the other
            cross = [next(w for w in rows[v] if w // 3 != v // 3) for v in range(30)]
            fresh = [
                held[cross[v]] - held[v] if stage == 1 else received[cross[v]] for v in range(30)
            ]
        held = [held[v] | fresh[v] for v in range(30)]
        received = [held[v] if stage == 0 else fresh[v] for v in range(30)]
        rounds += 2
    return rounds, min(map(len, held))


def check_slice_gather() -> Outcome:
    rounds, data = five_stages()
    paper, unit = gathered(1, "paper", PAPER), gathered(1, "paper", HALF)
    best = gathered(1, "packed", PAPER)
    ours = [] if paper == rounds else [f"ours takes {paper} rounds, written out {rounds}"]
    wrong = []
    if data < 30:
        wrong.append(f"some node has {data} of 30 data")
    if rounds != printed.SLICE_ALL_GATHER:
        wrong.append(f"{rounds} rounds")
    text = f"{rounds} rounds, every node has {data} data; {unit} with single messages"
    note = f"an upper bound: {best} rounds are enough, verified"
    return settled(ours, judge(wrong, text, note=note))


def check_all_gather() -> Outcome:
    tally = Tally()
    packed = {k: gathered(k, "paper", PAPER) for k in tally.each("schedules", range(1, 8), 7)}
    unit = {k: gathered(k, "paper", HALF) for k in tally.each("schedules", (1, 3, 4), 3)}
    slices = five_stages()[0]
    bound = printed.ALL_GATHER
    wrong = [f"k = {k}: {r} rounds" for k, r in packed.items() if r != k + bound]
    fixed = [f"k = {k}: {r} rounds" for k, r in packed.items() if r != k + bound and k != 2]
    ours = [f"k = {k}: {r} rounds, {slices} + {k - 1} written out" for k, r in packed.items()
            if r != slices + k - 1 + (k == 2)]  # fmt: skip
    text = f"k = 1..7: {list(packed.values())} rounds packed; single messages {unit}"
    note = f"two slices have one link for both ways of a ring ({packed[2]} rounds)"
    outcome = judge(
        wrong,
        text,
        Correction(note, fixed),
        values={"packed": list(packed.values()), "single": list(unit.values())},
        searched=tally,
    )
    return settled(ours, outcome)


def check_one_by_one() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    tally.expect("roots", 2 * (1 + 2 + 3 + 4))
    for k in range(1, 5):
        each = graphs.diameter(graphs.rows_of(rpc(k)), [0])
        roots = tally.each("roots", range(0, 30 * k, 15))
        rounds = sum(broadcast_rounds(k, root=v) for v in roots) * 15
        whole = gathered(k, "paper", PAPER)
        parts.append(f"k = {k}: {rounds} (together {whole})")
        if rounds != printed.one_by_one(k) or rounds != 30 * k * each:
            wrong.append(f"k = {k}: {rounds} rounds, printed {printed.one_by_one(k)}")
        if whole >= rounds:
            wrong.append(f"k = {k}: all together take {whole} rounds")
    return judge(wrong, "; ".join(parts), searched=tally)


# -- against RP ----------------------------------------------------------------------------------


def _decided(beside: int, tally: Tally) -> int:
    """From which k on k + `beside` rounds are fewer than the diameter of RP(3k); 0 for never."""
    sizes = tally.each("sizes by diameters", range(1, _FAR), 1999)
    fails = [k for k in sizes if comparison.rp_diameter(3 * k) <= k + beside]
    last = max(fails, default=0)
    return last + 1 if last < _FAR - 1 else 0


def _against(
    rounds: Mapping[int, tuple[int, ...]], above: int, beside: int, what: str, tally: Tally
) -> Outcome:
    """RPC's rounds against those of each way of RP, and where the diameter of RP decides."""
    wrong = [
        f"k = {k}: {mine} rounds, RP({3 * k}) {min(others)}"
        for k, (mine, *others) in rounds.items()
        if k > above and mine >= min(others)
    ]
    first = _decided(beside, tally)
    slow = [f"k = {k}: {mine} rounds, more than k + {beside}"
            for k, (mine, *_) in rounds.items() if mine > k + beside + (k == 2)]  # fmt: skip
    fixed = slow if first else [*slow, "the diameter of RP(3k) never exceeds it"]
    text = f"{what}: {rounds}; RP(3k) cannot do with k + {beside} from k = {first} on"
    note = f"certain from k = {first} on, whatever RP does"
    outcome = judge(
        wrong,
        text,
        Correction(note, fixed),
        values={"rounds": [list(row) for row in rounds.values()], "certain_from": first},
        searched=tally,
    )
    return settled(distrusted(), outcome)


def check_permutation_better() -> Outcome:
    tally = Tally()
    tally.expect("permutations", 2 * 3 * 5)

    def worst(network: Network) -> int:
        drawn = tally.each("permutations", trials(network.order))
        return max(permuted(network, t, "general", Model()) for t in drawn)

    rounds = {k: (worst(rpc(k)), worst(rp(3 * k))) for k in range(1, 6)}
    what = "worst of the reversal and random permutations, RPC(k) and RP(3k)"
    return _against(rounds, printed.PERMUTATION_BEATS_RP_ABOVE, printed.PERMUTATION, what, tally)


def check_gather_better() -> Outcome:
    tally = Tally()
    rounds = {
        k: (
            gathered(k, "paper", PAPER),
            *(made(rp(3 * k), Goal.all_gather(), name, PAPER).rounds
              for name in ("slice-first", "packed")),
        )
        for k in tally.each("sizes by schedules", range(1, 8), 7)
    }  # fmt: skip
    what = "RPC(k), RP(3k) one way round, RP(3k) both ways"
    return _against(rounds, printed.ALL_GATHER_BEATS_RP_ABOVE, printed.ALL_GATHER, what, tally)


def check_all_four() -> Outcome:
    """The four routings by the paper's algorithms, RPC(k) against RP(3k)."""
    worse: dict[str, list[int]] = {}
    slices = (*range(1, 9), 12)
    table = []
    for k in slices:
        pairs = {}
        for kind, network in (("rpc", rpc(k)), ("rp", rp(3 * k))):
            gather = "paper" if kind == "rpc" else "slice-first"
            pairs[kind] = (
                graphs.diameter(graphs.rows_of(network), [0]),
                max(permuted(network, t, "general", Model()) for t in trials(30 * k, 1)),
                made(network, Goal.broadcast(0), "slice-first").rounds,
                made(network, Goal.all_gather(), gather, PAPER).rounds,
            )
        table.append([*pairs["rpc"], *pairs["rp"]])
        for name, mine, other in zip(_FOUR, pairs["rpc"], pairs["rp"], strict=True):
            if mine >= other:
                worse.setdefault(name, []).append(k)
    wrong = [f"{name}: not better at k = {ks}" for name, ks in worse.items()]
    late = [f"{name} at k = {k}" for name, ks in worse.items() for k in ks if k > 3]
    return settled(
        distrusted(),
        judge(
            wrong,
            f"k = 1..8, 12, not better: {worse}",
            Correction("for k > 3 all four are", late),
            values={**worse, "rounds": table},
            searched=[Searched("sizes", len(table), len(slices))],
        ),
    )


_FOUR = ("unicast", "permutation", "broadcast", "all-to-all")


def check_third() -> Outcome:
    """How many rounds eight slices more cost, by each algorithm of the paper on RPC and on RP."""
    few, many = 4, 12
    tally = Tally()
    tally.expect("sizes of four algorithms on two networks", 2 * 4 * 2)

    def more(kind: Literal["rpc", "rp"], name: str) -> int:
        took = []
        for k in tally.each("sizes of four algorithms on two networks", (few, many)):
            network = rpc(k) if kind == "rpc" else rp(3 * k)
            if name == "unicast":
                took.append(graphs.diameter(graphs.rows_of(network), [0]))
            elif name == "broadcast":
                took.append(made(network, Goal.broadcast(0), "slice-first").rounds)
            elif name == "permutation":
                took.append(permuted(network, reversal(network.order), "general", Model()))
            else:
                algorithm = "paper" if kind == "rpc" else "slice-first"
                took.append(made(network, Goal.all_gather(), algorithm, PAPER).rounds)
        return took[1] - took[0]

    growth = {name: (more("rpc", name), more("rp", name)) for name in _FOUR}
    wrong = [f"{name}: {a} rounds more against {b}" for name, (a, b) in growth.items()
             if abs(a / b - printed.RATIO) > 0.02]  # fmt: skip
    text = f"from k = {few} to {many}, rounds more on RPC(k) and on RP(3k): {growth}"
    return judge(wrong, text, searched=tally)


def check_connectivity() -> Outcome:
    import networkx

    tally = Tally()
    cuts = {
        k: networkx.node_connectivity(graphs.graph(graphs.rows_of(rpc(k))))
        for k in tally.each("networks", (1, 2, 3), 3)
    }
    closed_form = {k: RingOfPetersenCycles(k).facts().node_connectivity for k in cuts}
    wrong = [f"k = {k}: {cut} nodes part it" for k, cut in cuts.items() if cut != k + 2]
    ours = [
        f"k = {k}: our closed form says {closed_form[k]}" for k in cuts if closed_form[k] != cuts[k]
    ]
    ours += [text for k in cuts for text in graphs.wrong_facts(rpc(k))]
    text = f"least cuts of nodes for k = 1, 2, 3: {list(cuts.values())}"
    return settled(ours, judge(wrong, text, searched=tally))


def check_symmetries() -> Outcome:
    rows = graphs.rows_of(pc())
    moves = _moves(rows)
    kept = sum(all(m[w] in rows[m[v]] for v in range(30) for w in rows[v]) for m in moves)
    fixing = sum(move[0] == 0 for move in moves)
    wrong = [] if len(moves) == 120 else [f"{len(moves)} automorphisms"]
    text = f"{len(moves)} automorphisms, {fixing} of them keep node 0"
    return judge(wrong, text, searched=[Searched("maps that keep all links", kept, 120)])


def check_mean() -> Outcome:
    wrong, ours, links, tally = [], [], [], Tally()
    tally.expect("pairs", 30 * 30 * (8 * 9 // 2))
    for k in range(1, 9):
        rows = graphs.rows_of(rpc(k))
        links.append(sum(map(len, rows)) // 2)
        if links[-1] != {1: 45, 2: 120}.get(k, 75 * k):
            wrong.append(f"k = {k}: {links[-1]} links")
        far = graphs.distances(rows, range(30))  # slices look alike
        tally.add("pairs", far.size)
        hops = int(far.sum())
        if hops != (101 * k + 30 * (k * k // 4)) * 30:
            wrong.append(f"k = {k}: {hops} hops from the nodes of a slice")
        facts = RingOfPetersenCycles(k).facts()
        if facts.mean_distance != comparison.rpc_mean(k) or facts.links != links[-1]:
            ours.append(f"k = {k}: our closed forms say {facts.mean_distance}, {facts.links} links")
        ours += graphs.wrong_facts(rpc(k)) if k < 5 else []
    text = f"k = 1..8: {links} links; distances add up to 101k + 30 floor(k²/4) from every node"
    return settled(ours, judge(wrong, text, searched=tally))


def check_detours() -> Outcome:
    tally = Tally()
    tried = (np.asarray(HARD), np.asarray(HARD_WITH_DETOURS), *trials(30, 12))
    rounds = [
        permuted(pc(), t, "slice-detour", PAPER)
        for t in tally.each("permutations", tried, 2 + 1 + 12)
    ]
    wrong = [f"{r} rounds" for r in rounds if r > 11]
    text = f"permutations of a slice, half duplex, packed: at most {max(rounds)} rounds with"
    return judge(wrong, f"{text} detours in the third step", searched=tally)


def check_two_way() -> Outcome:
    wrong, rounds, tally = [], {}, Tally()
    tally.expect("permutations", 3 * 7)
    for k in (*range(1, 7), 16):
        drawn = tally.each("permutations", trials(30 * k))
        rounds[k] = max(permuted(rpc(k), t, "two-way", Model()) for t in drawn)
        if rounds[k] > k // 2 + 10:
            wrong.append(f"k = {k}: {rounds[k]} rounds")
    least = permuted(rpc(16), reversal(480), "general", Model())
    text = f"rounds by k: {rounds}; one way round RPC(16) takes {least}"
    return judge(wrong, text, searched=tally)


def check_gathers() -> Outcome:
    """Packed messages in seven rounds on a slice; single messages as few as links allow."""
    wrong, parts, tally = [], [], Tally()
    for k in tally.each("sizes", (1, 2, 3), 3):
        single = made(rpc(k), Goal.all_gather(), "bandwidth", HALF).rounds
        rows = graphs.rows_of(rpc(k))
        need = -(-len(rows) * (len(rows) - 1) // (sum(map(len, rows)) // 2))
        lower_bound = lower_bounds(rpc(k), Goal.all_gather(), HALF)[0].rounds
        parts.append(f"k = {k}: {single} rounds")
        if not single == need == lower_bound:
            wrong.append(
                f"k = {k}: {single} rounds, at least {need} by counting, {lower_bound} told"
            )
    packed = made(pc(), Goal.all_gather(), "packed", PAPER).rounds
    if packed != 7:
        wrong.append(f"{packed} rounds packed on PC")
    text = f"single messages, {', '.join(parts)}; packed on PC {packed}"
    return judge(wrong, text, searched=tally)
