"""What the paper does not say, but holds: exact distances, cuts, permutations, total exchange."""

from __future__ import annotations

import numpy as np

from hopscape.collectives import lower_bounds, run_algorithm
from hopscape.collectives.products import permute_by_rows
from hopscape.core.goal import Goal
from hopscape.core.network import Network
from hopscape.core.verify import verify
from hopscape.families.expanded import Expanded
from hopscape.ledger import brute
from hopscape.ledger.claim import Outcome, judge
from hopscape.ledger.papers.heawood.comparison import smallest
from hopscape.ledger.papers.heawood.expanded import expanded
from hopscape.ledger.papers.heawood.folded import folded, petersen
from hopscape.ledger.papers.heawood.graph import heawood
from hopscape.ledger.papers.heawood.performance import bases, distrusted

__all__: list[str] = []


def check_distance() -> Outcome:
    """Covering walks plus lamp distances, and the routes, against search."""
    wrong, pairs = [], 0
    for network, step in ((expanded(heawood(), 1), 4), (expanded(petersen(), 2), 40)):
        rows, router = brute.rows_of(network), network.router()
        sources = range(0, network.order, step)
        truth = brute.distances(rows, sources)
        everybody = np.arange(network.order)
        for i, source in enumerate(sources):
            told = router.distances(np.full_like(everybody, source), everybody)
            pairs += len(told)
            for v in np.flatnonzero(told != truth[i])[:1].tolist():
                wrong.append(f"{network.spec}: {source} to {v} is {truth[i][v]}, told {told[v]}")
            wrong += brute.wrong_routes(network, rows, source, truth[i], [source * 31 + 7])
    return judge(wrong, f"{pairs} pairs of RE-H(1) and RE-P(2) agree, {len(wrong)} exceptions")


def check_cut_nodes() -> Outcome:
    """With one level the connectors, and nobody else, are cut nodes."""
    import networkx

    wrong, parts = [], []
    for base in (heawood(), petersen()):
        network = expanded(base, 1)
        cuts = set(networkx.articulation_points(brute.graph(brute.rows_of(network))))
        wanted = {v for v in range(network.order) if v % base.order == 0}
        told = network.facts.node_connectivity
        parts.append(f"{network.spec}: {len(cuts)} cut nodes, our closed form {told}")
        if cuts != wanted or told != 1:
            wrong.append(parts[-1])
    return judge(wrong, "; ".join(parts))


def check_permutation() -> Outcome:
    """Random and bad permutations of H in 3 rounds, of FH(2) in 9, all verified."""
    rng = np.random.default_rng(0)
    shifts = [[(x + s) % 14 for x in range(14)] for s in range(1, 14, 2)]
    mirrored = [[(s - x) % 14 for x in range(14)] for s in range(0, 14, 3)]
    tried = [*shifts, *mirrored, *(rng.permutation(14).tolist() for _ in range(12))]
    wrong, worst = [], {1: 0, 2: 0}
    cases = [(1, targets) for targets in tried]
    cases += [(2, rng.permutation(196).tolist()), (2, np.arange(196)[::-1].tolist())]
    for n, targets in cases:
        network = folded(heawood(), n)
        plan = permute_by_rows(network, (heawood(),) * n, targets)
        worst[n] = max(worst[n], plan.rounds)
        verdict = verify(plan)
        if not verdict or plan.rounds > 3 * (2 * n - 1):
            wrong.append(f"FH({n}): {verdict.reason or f'{plan.rounds} rounds'}")
    return judge(
        wrong, f"{len(cases)} permutations: at most {worst[1]} rounds on H, {worst[2]} on FH(2)"
    )


def check_exchange() -> Outcome:
    """Gossip and total exchange of FH(1), FH(2), total exchange of RE-H(1): rounds and bounds."""
    wrong, parts = [], []
    known = {"FH(1)": (5, 9), "FH(2)": (33, 126), "RE-H(1)": (None, 9 * 14**2)}
    cases = {
        "FH(1)": (folded(heawood(), 1), "translations"),
        "FH(2)": (folded(heawood(), 2), "translations"),
        "RE-H(1)": (expanded(heawood(), 1), "bandwidth"),
    }
    for name, (network, algorithm) in cases.items():
        for goal, rounds in zip((Goal.all_gather(), Goal.all_to_all()), known[name], strict=True):
            if rounds is None:
                continue
            made = run_algorithm(network, goal, algorithm)
            verdict = verify(made)
            bound = lower_bounds(network, goal)[0].rounds
            parts.append(f"{name} {goal.kind} {made.rounds} (at least {bound})")
            if not verdict or not made.rounds == bound == rounds:
                wrong.append(f"{parts[-1]}: {verdict.reason or f'not {rounds}'}")
    return judge(wrong, "; ".join(parts))


def check_cheaper_still() -> Outcome:
    """PCC(m) = RE(cycle, Petersen, m) and duplex Kautz networks against all six, by true costs."""
    wrong = list(distrusted())
    ring = Network.from_links(4, range(4), [1, 2, 3, 0])
    reach = brute.diameter(brute.rows_of(Network.of(Expanded(ring, 4, petersen()))), range(4))
    first = {}
    for name in ("PCC", "Kautz 3"):
        beaten = []
        for k in [*range(4, 60), *range(60, 101, 8)]:
            mine = smallest(name, k, *bases())
            six = [
                smallest(n, k, *bases()) for n in ("hypercube", "CCC", "F-P", "RE-P", "F-H", "RE-H")
            ]
            if mine is None or any(one is not None and one.cost <= mine.cost for one in six):
                beaten.append(k)
        first[name] = max(beaten, default=3) + 1
    told = smallest("PCC", 15, *bases())
    if told is None or told.diameter != reach:
        wrong.append(f"PCC(4) has diameter {reach}, told {told}")
    wrong += [f"{name} only from k = {k}" for name, k in first.items() if k > 20]
    text = ", ".join(f"{name} from 2^{k} nodes on" for name, k in first.items())
    return judge(wrong, f"cheaper than all six, up to 2^100: {text}")
