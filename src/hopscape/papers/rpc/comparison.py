"""RPC(k) beside its rivals of the same size: closed forms, table 1 with true values, and the whole
comparison of the paper as one table.

:func:`compare` holds diameters and groups in closed form, for any k. :func:`rival_table` holds the
four routings and groups for k = 1..64: the networks with 30k nodes (the hypercube and
cube-connected cycles with at least so many), by the paper's algorithm where there is one and by the
best one here:

- unicast: hops of the longest shortest path;
- permutation: single messages, full duplex, the worst of three patterns;
- broadcast: all ports;
- all-to-all: every node learns all data, packed messages, half duplex, as the paper counts it;
- group of m nodes: the smallest diameter of m nodes.

Every figure of that table is of a schedule that was executed or verified, or of a search that
ended. All networks compared are vertex-transitive, so that one search from node 0 gives the
diameter.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import inf
from typing import Any

import numpy as np

from hopscape.collectives import lower_bounds, run_algorithm
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.papers.rpc.gathers import half_duplex_rounds, paper_stages, slice_first_stages
from hopscape.papers.rpc.groups import (
    best_groups,
    printed_rp_group,
    printed_rpc_group,
    printed_torus_group,
    rp_group,
    rpc_group,
    torus_group,
)
from hopscape.papers.rpc.phases import stack_of
from hopscape.registry import build

__all__ = [
    "GROUP_SIZES",
    "RIVALS",
    "ROUTINGS",
    "alternating_rounds",
    "best_torus",
    "compare",
    "crossovers",
    "group_rows",
    "patterns",
    "rival_crossovers",
    "rival_specs",
    "rival_table",
    "rounds_to_know_all",
    "rpc_diameter",
    "rpc_mean",
]


def rpc_diameter(k: int) -> int:
    """⌊k/2⌋ + 5."""
    return k // 2 + 5


def rpc_mean(k: int) -> Fraction:
    """Mean distance of RPC(k), over ordered pairs of distinct nodes."""
    return Fraction(101 * k + 30 * (k * k // 4), 30 * k - 1)


def rp_diameter(k: int) -> int:
    """⌊k/2⌋ + 2, of RP(k) with 10k nodes."""
    return k // 2 + 2


def best_torus(nodes: int) -> tuple[int, int, int]:
    """The 2-D torus of so many nodes that has the least diameter: sides a <= b, and diameter.

    Examples:
        >>> best_torus(30), best_torus(2940)
        ((5, 6, 5), (49, 60, 54))
    """
    shapes = [(a, nodes // a) for a in range(1, math.isqrt(nodes) + 1) if nodes % a == 0]
    a, b = min(shapes, key=lambda sides: (sides[0] // 2 + sides[1] // 2, sides[1]))
    return a, b, a // 2 + b // 2


def torus_formula(nodes: int) -> int:
    """The paper's diameter of a torus: 2⌊√N / 2⌋."""
    return 2 * (math.isqrt(nodes) // 2)


def circulant_floor(nodes: int) -> int:
    """No circulant of degree 5 has a smaller diameter: so many sums of two steps and N/2 exist."""
    t = 0
    while 4 * t * t + 2 < nodes:  # (2t² + 2t + 1) without N/2, and 2(t-1)² + 2(t-1) + 1 with it
        t += 1
    return t


def compare(slices: Iterable[int], *, circulants: bool = True) -> list[dict[str, Any]]:
    """Table 1 with true values, one row per k."""
    rows = []
    for k in slices:
        nodes = 30 * k
        a, b, diameter = best_torus(nodes)
        row: dict[str, Any] = {
            "k": k,
            "nodes": nodes,
            "rpc": rpc_diameter(k),
            "rp": rp_diameter(3 * k),
            "torus": diameter,
            "torus_shape": f"{a}x{b}",
            "torus_formula": torus_formula(nodes),
            "ring": nodes // 2,
            "rpc_mean": float(rpc_mean(k)),
            "ratio_rp": rpc_diameter(k) / rp_diameter(3 * k),
        }
        if circulants:
            from hopscape.papers.rpc.balance_kernels import best_circulant

            first, step, least = best_circulant(nodes, circulant_floor(nodes))
            row |= {"circulant": least, "circulant_first": first, "circulant_step": step}
        rows.append(row)
    return rows


def crossovers(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each rival the k at which RPC is not better: equal, and worse."""
    by_rival = []
    for rival in ("rp", "torus", "torus_formula", "ring", "circulant"):
        known = [row for row in rows if rival in row]
        by_rival.append(
            {
                "rival": rival,
                "better": ranges([r["k"] for r in known if r["rpc"] < r[rival]]),
                "equal": ranges([r["k"] for r in known if r["rpc"] == r[rival]]),
                "worse": ranges([r["k"] for r in known if r["rpc"] > r[rival]]),
            }
        )
    return by_rival


def ranges(numbers: list[int]) -> str:
    """Ascending numbers in short.

    Examples:
        >>> ranges([1, 2, 3, 7, 9, 10])
        '1-3, 7, 9-10'
    """
    parts: list[list[int]] = []
    for n in numbers:
        if parts and n == parts[-1][1] + 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts) or "never"


def group_rows(most: int = 3136) -> list[dict[str, Any]]:
    """Diameters of the best groups in large networks: true, and as the paper prints them."""
    k = 2 * most  # so large that the diameter of the network does not matter
    return [
        {
            "m": m,
            "rpc": rpc_group(m, k),
            "rp": rp_group(m, k),
            "torus": torus_group(m),
            "rpc_printed": printed_rpc_group(m),
            "rp_printed": printed_rp_group(m),
            "torus_printed": round(printed_torus_group(m), 4),
        }
        for m in range(2, most + 1)
    ]


RIVALS = ("rpc", "rp", "torus", "torus_3d", "hypercube", "ccc", "circulant")
ROUTINGS = ("unicast", "permutation", "broadcast", "all-to-all")
GROUP_SIZES = (12, 30, 60)
"""Four cycles, one slice and two slices of RPC(k)."""

_SEED = 0
"""Of the random permutation beside the reversal and the shift by half the nodes. Three patterns
keep the table under a minute; `study rpc --only permutations` climbs to worse ones."""

_BRANCHES = 200_000
"""Enough for every group of the table to be proved best; a row says so when it is not."""


# -- the networks -------------------------------------------------------------------------------


@cache
def _best_3d(nodes: int) -> tuple[int, int, int]:
    """The 3-D torus of so many nodes with the smallest diameter; sides of 2 where it must be."""
    shapes = [
        (a, b, nodes // a // b)
        for a in range(2, nodes)
        if nodes % a == 0 and a**3 <= nodes
        for b in range(a, nodes)
        if nodes // a % b == 0 and a * b * b <= nodes
    ]
    return min(shapes, key=lambda sides: (sum(side // 2 for side in sides), sides[2]))


def rival_specs(k: int) -> dict[str, str]:
    """The networks compared at k, by name.

    Examples:
        >>> list(rival_specs(4).values())[:5]
        ['rpc(4)', 'rp(12)', 'torus(10, 12)', 'torus(4, 5, 6)', 'hypercube(7)']
    """
    from hopscape.papers.rpc.balance_kernels import best_circulant

    nodes = 30 * k
    a, b, _ = best_torus(nodes)
    r, s, _ = best_circulant(nodes, circulant_floor(nodes))
    cycles = next(n for n in range(3, 64) if n * 2**n >= nodes)
    return {
        "rpc": f"rpc({k})",
        "rp": f"rp({3 * k})",
        "torus": f"torus({a}, {b})",
        "torus_3d": f"torus({', '.join(map(str, _best_3d(nodes)))})",
        "hypercube": f"hypercube({(nodes - 1).bit_length()})",
        "ccc": f"ccc({cycles})",
        "circulant": f"circulant({nodes}, {r}, {s}, {nodes // 2})",
    }


# -- all-to-all with packed messages ------------------------------------------------------------


Round = tuple[IntArray, IntArray]
"""Senders and receivers of a round."""


def rounds_to_know_all(network: Network, rounds: Iterable[Round]) -> int:
    """Execute an all-gather of packed messages: rounds until every node has every datum.

    Every message carries all that its sender knew when the round began. O(rounds · links · N / 64)
    word operations and N² / 8 bytes.

    Args:
        rounds: Round after round; it may go on for ever when all is known in the end.

    Returns:
        int: Rounds used.

    Raises:
        ValueError: When a round uses a link twice or a pair that is no link, or when data are
            missing at the end.
    """
    size = network.order
    wired = np.sort(network.tails.astype(np.int64) * size + network.heads)
    bits = np.zeros((size + 1, -(-size // 64) * 64), dtype=bool)
    bits[:size, :size], bits[size, :size] = np.eye(size, dtype=bool), True
    known = np.packbits(bits, axis=1).view(np.uint64)
    known, full = known[:size], known[size]
    ready: dict[int, tuple[Round, list[IntArray]]] = {}
    used = 0
    for one in rounds:
        if (known == full).all():
            return used
        used += 1
        if id(one) not in ready:
            ready[id(one)] = one, _by_receiver(network, wired, one)
        before, known = known, known.copy()
        for senders in ready[id(one)][1]:
            known |= before[senders]
    if (known == full).all():
        return used
    raise ValueError(f"{network.spec}: some data are missing in the end")


def _by_receiver(network: Network, wired: IntArray, one: Round) -> list[IntArray]:
    """Whom each node hears, in turn, as often as the node that hears most; itself when nobody."""
    tails, heads = (np.asarray(ends, dtype=np.int64) for ends in one)
    links = np.minimum(tails, heads) * network.order + np.maximum(tails, heads)
    pairs = tails * network.order + heads
    if len(np.unique(links)) < len(links):
        raise ValueError(f"{network.spec}: a round uses a half-duplex link twice")
    if (wired[np.searchsorted(wired, pairs) % len(wired)] != pairs).any():
        raise ValueError(f"{network.spec}: a message goes where there is no link")
    order = np.argsort(heads, kind="stable")
    first = np.searchsorted(heads[order], heads[order])
    turn = np.arange(len(order)) - first
    senders = [np.arange(network.order) for _ in range(int(turn.max(initial=-1)) + 1)]
    for t, heard in enumerate(senders):
        now = order[turn == t]
        heard[heads[now]] = tails[now]
    return senders


def alternating_rounds(network: Network) -> Iterable[Round]:
    """Half-duplex rounds for any network, without end: two colours send in turn.

    Nodes at even and at odd distance from node 0 take turns; a link between two nodes of a colour
    carries up and down in turn. On a bipartite network all is known after one round more than the
    diameter, since data only ever wait in the first round.
    """
    up = network.tails < network.heads
    pairs = np.unique(np.stack([network.tails[up], network.heads[up]], axis=1), axis=0)
    tails, heads = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
    colour = distances_from(network, 0) % 2
    turn = np.where(colour[tails] == colour[heads], 0, colour[tails])
    senders = [np.where(turn == parity, tails, heads) for parity in (0, 1)]
    return itertools.cycle([(senders[0], senders[1]), (senders[1], senders[0])])


def _staged(network: Network, stages: Sequence[tuple[int, ...]]) -> list[Round]:
    """Stages of ports as half-duplex rounds; the second direction of a link has its own round."""
    family, nodes = stack_of(network), np.arange(network.order)
    table = network.rows(nodes)
    ports = list(stages)
    first = family.slice.ports
    for loop in family.loops:
        ports += [(first,)] * (loop.size - 1)
        first += 2
    by_ports: dict[tuple[int, ...], list[Round]] = {}
    for stage in set(ports):
        tails = np.concatenate([nodes for _ in stage])
        heads = np.concatenate([table[:, port] for port in stage])
        links = np.minimum(tails, heads) * network.order + np.maximum(tails, heads)
        order = np.argsort(links, kind="stable")
        again = np.zeros(len(links), dtype=bool)
        again[order[1:]] = links[order][1:] == links[order][:-1]
        parts = [(tails[chosen], heads[chosen]) for chosen in (~again, again) if chosen.any()]
        by_ports[stage] = parts
    return [one for stage in ports for one in by_ports[stage]]


def _gathers(network: Network, name: str) -> dict[str, tuple[str, int]]:
    """Rounds of the paper's all-to-all and of the best one, with the name of the algorithm."""
    cases = {}
    taking_turns = rounds_to_know_all(network, alternating_rounds(network))
    best = ("two colours in turn", taking_turns)
    if name in ("rpc", "rp"):
        stages = paper_stages if name == "rpc" else slice_first_stages
        staged = _staged(network, stages(stack_of(network)))
        cases["paper"] = ("slices first", rounds_to_know_all(network, staged))
        channels = half_duplex_rounds(network)
        ends = [(network.tails[c], network.heads[c]) for c in channels]
        packed = ("packed", rounds_to_know_all(network, ends))
        best = min(best, packed, key=lambda one: one[1])
    return cases | {"best": best}


# -- the other routings -------------------------------------------------------------------------


def patterns(order: int) -> dict[str, IntArray]:
    """Targets of the permutations that every network of a size is given."""
    nodes = np.arange(order)
    chosen = {"reversal": nodes[::-1].copy(), "half round": (nodes + order // 2) % order}
    return chosen | {"random": np.random.default_rng(_SEED).permutation(order)}


def _verified(network: Network, goal: Goal, algorithm: str) -> int:
    """Rounds of a schedule; those that fail are refused where they are made."""
    return run_algorithm(network, goal, algorithm, Model()).rounds


def _permutations(network: Network, name: str) -> tuple[dict[str, tuple[str, int]], int]:
    """The worst of the patterns by the paper's algorithm and by the best; and a lower bound."""
    worst: dict[str, tuple[str, int]] = {}
    bound = 0
    several = ("generic", "two-way") if name in ("rpc", "rp") else ("generic",)
    for targets in patterns(network.order).values():
        goal = Goal.permutation(targets.tolist())
        least = max(one.rounds for one in lower_bounds(network, goal, Model()))
        bound = max(bound, least)
        cases = {"best": _fewest(network, goal, several, least)}
        if name in ("rpc", "rp"):
            cases["paper"] = ("general", _verified(network, goal, "general"))
        for kind, case in cases.items():
            worst[kind] = max(worst.get(kind, case), case, key=_rounds)
    return worst, bound


def _rounds(case: tuple[str, int]) -> int:
    return case[1]


def _fewest(network: Network, goal: Goal, names: Sequence[str], least: int) -> tuple[str, int]:
    """The algorithm that takes the fewest rounds; none is tried after one that meets the bound."""
    best = (names[0], _verified(network, goal, names[0]))
    for name in names[1:]:
        if best[1] > least:
            best = min(best, (name, _verified(network, goal, name)), key=_rounds)
    return best


def _broadcasts(network: Network, name: str) -> dict[str, tuple[str, int]]:
    own = name in ("rpc", "rp")
    best = "tree" if own else "generic"
    cases = {"best": (best, _verified(network, Goal.broadcast(0), best))}
    if own:
        cases["paper"] = ("slice-first", _verified(network, Goal.broadcast(0), "slice-first"))
    return cases


def _groups(network: Network, name: str) -> Iterable[tuple[str, dict[str, tuple[str, int]], int]]:
    """Smallest diameters of groups, searched for and by the printed formula."""
    printed: dict[str, Callable[[int], int]] = {"rpc": printed_rpc_group, "rp": printed_rp_group}
    sizes = [size for size in GROUP_SIZES if size <= network.order]
    for group in best_groups(network, sizes, budget=_BRANCHES):
        cases = {"best": ("search", group.diameter)}
        if name in printed:
            cases["paper"] = ("formula", printed[name](group.size))
        yield f"group of {group.size}", cases, group.lower_bound


# -- the table ----------------------------------------------------------------------------------


def rival_table(slices: Iterable[int] = range(1, 65)) -> list[dict[str, Any]]:
    """One row per k, network, routing and kind of algorithm (`paper`, `best`).

    Columns: k, network, spec, nodes, degree, routing, kind, algorithm, rounds, lower_bound (no
    algorithm takes fewer rounds on the patterns tried; no group is smaller).
    """
    rows = []
    for k in track(list(slices), "rivals of RPC(k)"):
        for name, spec in rival_specs(k).items():
            rows += [{"k": k, "network": name, **row} for row in _rows(name, spec)]
    return rows


@lru_cache(maxsize=2 * len(RIVALS))  # hypercubes and cube-connected cycles serve many k
def _rows(name: str, spec: str) -> list[dict[str, Any]]:
    network = build(spec)
    far = int(distances_from(network, 0).max())
    about = {"spec": network.spec, "nodes": network.order, "degree": int(network.degrees.max())}
    moved, bound = _permutations(network, name)
    hops = {"best": ("shortest paths", far)}
    if name in ("rpc", "rp"):
        hops["paper"] = ("ring, then slice", _longest_route(network))
    cases: list[tuple[str, dict[str, tuple[str, int]], int]] = [
        ("unicast", hops, far),
        ("permutation", moved, bound),
        ("broadcast", _broadcasts(network, name), far),
        ("all-to-all", _gathers(network, name), far),
    ]
    cases += _groups(network, name)
    return [
        {
            **about,
            "routing": routing,
            "kind": kind,
            "algorithm": algorithm,
            "rounds": rounds,
            "lower_bound": least,
        }
        for routing, kinds, least in cases
        for kind, (algorithm, rounds) in sorted(kinds.items(), reverse=True)
    ]


def _longest_route(network: Network) -> int:
    """Hops of the longest of the family's own routes from node 0."""
    nodes = np.arange(network.order)
    return int(network.router().distances(np.zeros_like(nodes), nodes).max())


def rival_crossovers(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each routing, kind and rival: the k at which RPC is better, equal and worse.

    A rival without an algorithm of the paper's is compared by its best one.
    """
    value: dict[tuple[str, str, str, int], float] = {
        (row["routing"], row["kind"], row["network"], row["k"]): row["rounds"] for row in rows
    }
    routings = list(dict.fromkeys(row["routing"] for row in rows))
    steps = sorted({row["k"] for row in rows})
    out = []
    for routing in routings:
        for kind in ("paper", "best"):
            for rival in RIVALS[1:]:
                sides: dict[str, list[int]] = {"better": [], "equal": [], "worse": []}
                for k in steps:
                    mine = value.get((routing, kind, "rpc", k))
                    best = value.get((routing, "best", rival, k), inf)
                    other = value.get((routing, kind, rival, k), best)
                    if mine is not None and other < inf:
                        side = "better" if mine < other else "equal" if mine == other else "worse"
                        sides[side].append(k)
                texts = {side: ranges(steps_on_side) for side, steps_on_side in sides.items()}
                out.append({"routing": routing, "kind": kind, "rival": rival, **texts})
    return out
