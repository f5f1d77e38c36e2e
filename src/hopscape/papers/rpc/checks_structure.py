"""Checks of sections 1 and 2: the graphs, degree and diameter, table 1, properties 1 to 4."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations, pairwise

from hopscape.core.network import Network
from hopscape.families.classic import Petersen
from hopscape.ledger.claim import Correction, Outcome, Searched, Tally, judge
from hopscape.ledger.crosscheck import settled
from hopscape.papers.heawood.checks_graph import shortest_triples
from hopscape.papers.rpc import comparison, printed
from hopscape.papers.rpc.comparison import best_torus, ranges
from hopscape.papers.rpc.families import (
    DoubleLoopPetersen,
    HierarchicalRings,
    PetersenCycles,
    RingOfPetersen,
    RingOfPetersenCycles,
    TorusOfPetersen,
    TwoDoubleLoopsPetersen,
)
from hopscape.reference import graphs

__all__: list[str] = []


_WRITTEN_OUT = 64
"""Slices up to which networks are compared with their definition before they are judged."""


def rpc(k: int) -> Network:
    network = Network.of(RingOfPetersenCycles(k))
    return graphs.as_defined(network, defined_rows(k), 5) if k <= _WRITTEN_OUT else network


def rp(k: int) -> Network:
    network = Network.of(RingOfPetersen(k))
    return graphs.as_defined(network, rp_rows(k), 5) if k <= _WRITTEN_OUT else network


def pc() -> Network:
    return graphs.as_defined(Network.of(PetersenCycles()), defined_rows(1), 5)


# -- written out again ---------------------------------------------------------------------------


def petersen_rows() -> graphs.Rows:
    """Pentagon 0..4, pentagram 5..9, spokes."""
    outer = [[(i + 1) % 5, (i - 1) % 5, i + 5] for i in range(5)]
    inner = [[5 + (i + 2) % 5, 5 + (i - 2) % 5, i] for i in range(5)]
    return [sorted(row) for row in outer + inner]


def ports() -> list[tuple[int, int]]:
    """The nodes (m, n) of PC in order."""
    return [(m, n) for m, row in enumerate(petersen_rows()) for n in row]


def defined_rows(k: int) -> graphs.Rows:
    """Section 2.2 written out: cycles for the Petersen graph's nodes, 30 rings of k nodes."""
    base, names = petersen_rows(), ports()
    number = {name: i for i, name in enumerate(names)}
    rows = []
    for s in range(k):
        for m, n in names:
            inside = [number[m, other] for other in base[m] if other != n] + [number[n, m]]
            along = {(s + 1) % k, (s - 1) % k} - {s}
            rows.append(
                sorted([30 * s + v for v in inside] + [30 * t + number[m, n] for t in along])
            )
    return rows


def rp_rows(k: int) -> graphs.Rows:
    """RP(k) written out: k Petersen graphs, corresponding nodes in rings of k."""
    base = petersen_rows()
    return [
        [10 * s + w for w in base[v]] + [10 * t + v for t in {(s + 1) % k, (s - 1) % k} - {s}]
        for s in range(k)
        for v in range(10)
    ]


def torus_rows(a: int, b: int) -> graphs.Rows:
    """A 2-D torus written out."""
    return [
        sorted({(x + dx) % a * b + (y + dy) % b for dx, dy in ((0, 1), (0, -1), (1, 0), (-1, 0))})
        for x in range(a)
        for y in range(b)
    ]


def _moves(rows: graphs.Rows) -> list[dict[int, int]]:
    """All automorphisms, by networkx."""
    from networkx.algorithms.isomorphism import GraphMatcher

    graph = graphs.graph(rows)
    return [dict(move) for move in GraphMatcher(graph, graph).isomorphisms_iter()]


# -- the graphs ----------------------------------------------------------------------------------


def check_petersen() -> Outcome:
    network = Network.of(Petersen())
    nodes, _, degrees, diameter = graphs.shape(network)
    rows = graphs.rows_of(network)
    wrong = []
    if (nodes, *degrees, diameter) != printed.PETERSEN:
        wrong.append(f"nodes, degree, diameter: {(nodes, *degrees, diameter)}")
    images = {move[0] for move in _moves(rows)}
    if len(images) < nodes:
        wrong.append(f"automorphisms move node 0 to {sorted(images)} only")
    tally = Tally()
    tally.expect("pairs of nodes", 10 * 9 // 2)
    lengths_by_distance = shortest_triples(rows, 5, tally)
    for apart, lengths in lengths_by_distance.items():
        if lengths != {printed.PATHS.get(apart)}:
            wrong.append(f"distance {apart}: disjoint paths of lengths {sorted(lengths)}")
    triples = "; ".join(
        f"distance {d}: {sorted(v)}" for d, v in sorted(lengths_by_distance.items())
    )
    return judge(
        wrong,
        f"degrees {list(degrees)}, diameter {diameter}, node 0 goes to {len(images)} nodes"
        f" by symmetry; disjoint paths, {triples}",
        searched=tally,
    )


def check_pc() -> Outcome:
    network = pc()
    nodes, links, degrees, diameter = graphs.shape(network)
    wrong = []
    if (nodes, *degrees, diameter) != printed.PC:
        wrong.append(
            f"nodes, degree, diameter: {(nodes, *degrees, diameter)}, printed {printed.PC}"
        )
    moves = _moves(graphs.rows_of(network))
    images = {move[0] for move in moves}
    if len(images) < nodes:
        wrong.append(f"automorphisms move node 0 to {len(images)} nodes only")
    return judge(
        wrong,
        f"{nodes} nodes, {links} links, degrees {list(degrees)}, diameter {diameter}; node 0 goes"
        f" to {len(images)} nodes by symmetry",
        searched=[Searched("automorphisms", len(moves), 120)],  # those of the Petersen graph
    )


def check_pc_cycles() -> Outcome:
    """Two cycles are joined, or each to the same third one, by nodes named after each other."""
    network = pc()
    rows = graphs.rows_of(network)
    wrong = []
    joined: dict[int, set[int]] = {m: set() for m in range(10)}
    for v, (m, n) in enumerate(ports()):
        for w in rows[v]:
            if w // 3 != v // 3:
                joined[m].add(w // 3)
                if ports()[w] != (n, m):
                    wrong.append(f"{(m, n)} is joined to {ports()[w]}")
    kinds = {"joined": 0, "by one third cycle": 0, "otherwise": 0}
    tally = Tally()
    for a, b in tally.each("pairs of cycles", combinations(range(10), 2), 10 * 9 // 2):
        third = len(joined[a] & joined[b])
        kind = "joined" if b in joined[a] else "by one third cycle" if third == 1 else "otherwise"
        kinds[kind] += 1
        if kind == "otherwise":
            wrong.append(f"cycles {a} and {b} have {third} cycles between them")
    text = "pairs of cycles: " + ", ".join(f"{v} {k}" for k, v in kinds.items())
    return judge(wrong, text, searched=tally)


def check_construction() -> Outcome:
    wrong, sizes, tally = [], [], Tally()
    tally.expect("nodes", 30 * 7 * 8 // 2)
    for k in range(1, 8):
        rows = graphs.rows_of(Network.of(RingOfPetersenCycles(k)))
        sizes.append(len(rows))
        if len(rows) != 30 * k:
            wrong.append(f"k = {k}: {len(rows)} nodes")
            continue
        pairs = enumerate(zip(rows, defined_rows(k), strict=True))
        for v, (mine, defined) in tally.each("nodes", pairs):
            if sorted(mine) != defined:
                wrong.append(f"k = {k}: node {v} is wired to {sorted(mine)}, defined {defined}")
        import networkx

        between = [[w for w in row if w // 30 != v // 30] for v, row in enumerate(rows)]
        rings = [len(part) for part in networkx.connected_components(graphs.graph(between))]
        if sorted(rings) != [k] * 30:
            wrong.append(f"k = {k}: {len(rings)} rings of {sorted(set(rings))} nodes")
    text = f"k = 1..7: {sizes} nodes, {len(wrong)} differ from the definition"
    return judge(wrong, text, searched=tally)


def check_degree() -> Outcome:
    wrong, fixed, parts, tally = [], [], [], Tally()
    for k in tally.each("networks", range(1, 9), 8):
        degrees = sorted({len(row) for row in graphs.rows_of(rpc(k))})
        parts.append(str(degrees))
        if degrees != [printed.degree(k)]:
            wrong.append(f"k = {k}: degrees {degrees}")
        if degrees != [4 if k == 2 else printed.degree(k)]:
            fixed.append(f"k = {k}: degrees {degrees}")
    text = "degrees for k = 1..8: " + ", ".join(parts)
    note = "4 at k = 2, where two slices are joined by single links"
    correction = Correction(note, fixed)
    return judge(wrong, text, correction, values={"degrees": parts}, searched=tally)


def check_diameter() -> Outcome:
    wrong, ours, true = [], [], {}
    tally = Tally()
    for k in tally.each("networks", [*range(1, 15), 24], 14 + 1):
        rows = graphs.rows_of(rpc(k))
        true[k] = graphs.diameter(rows, range(30) if k < 8 else [0, 11])
        if true[k] != printed.diameter(k):
            wrong.append(f"k = {k}: {true[k]}, printed {printed.diameter(k)}")
        closed_form = RingOfPetersenCycles(k).facts().diameter
        if closed_form != true[k]:
            ours.append(f"k = {k}: {closed_form}, measured {true[k]}")
        ours += graphs.wrong_facts(rpc(k)) if k < 8 else []
    up = [k for k, diameter in true.items() if diameter != -(-k // 2) + 5]
    text = f"k = {ranges(list(true))}: {list(true.values())}"
    note = f"read as a ceiling it would be wrong at k = {ranges(up)}"
    outcome = judge(wrong, text, note=note, values={"ceiling_fails": up}, searched=tally)
    return settled(ours, outcome)


def check_recurrence() -> Outcome:
    """C_1 = 5, C_2n = C_(2n-1) + 1, C_(2n+1) = C_2n: eccentricities by search, all of a slice."""
    reach = {k: graphs.diameter(graphs.rows_of(rpc(k)), range(30)) for k in range(1, 17)}
    wrong = [] if reach[1] == printed.PC[2] else [f"C_1 = {reach[1]}"]
    tally = Tally()
    for k in tally.each("steps", range(2, 17), 15):
        if reach[k] - reach[k - 1] != (k % 2 == 0):
            wrong.append(f"C_{k} = {reach[k]}, C_{k - 1} = {reach[k - 1]}")
    return judge(
        wrong,
        f"C_1, ..., C_16 = {list(reach.values())}",
        searched=tally,
    )


def check_extend() -> Outcome:
    """Links that a further slice opens and lays, and what else changes (nothing)."""
    opened, laid, wrong, ours = [], [], [], []
    for k in range(1, 13):
        before, after = graphs.rows_of(rpc(k)), graphs.rows_of(rpc(k + 1))
        old = {(u, v) for u, row in enumerate(before) for v in row if u < v}
        new = {(u, v) for u, row in enumerate(after) for v in row if u < v}
        opened.append(len(old - new))
        laid.append(len(new - old))
        between = {(30 * 0 + i, 30 * (k - 1) + i) for i in range(30)} if k > 2 else set()
        if old - new != between:
            wrong.append(f"k = {k}: {len(old - new)} links are opened, not the 30 of one joint")
        if laid[-1] - opened[-1] != (105 if k == 2 else 75):
            wrong.append(f"k = {k}: {laid[-1]} links are laid")
        if sorted(map(sorted, defined_rows(k + 1))) != sorted(map(sorted, after)):
            ours.append(f"k = {k}: RPC({k + 1}) is not wired as defined")
    text = (
        f"from k = 1, ..., 12 to k + 1: {opened} links opened, {laid} laid; from k = 3 on 30 and"
        " 105, that is 75 more, and no other link changes"
    )
    outcome = judge(
        wrong,
        text,
        values={"opened": opened, "laid": laid},
        searched=[Searched("extensions", len(laid), 12)],
    )
    return settled(ours, outcome)


def check_regular_row() -> Outcome:
    """Table 1, row "regular": RPC(k), RP(3k), the best torus and the ring with 30k nodes."""
    wrong, tried = [], 0
    for k in range(1, 25):
        a, b, _ = best_torus(30 * k)
        ring = [[(v + 1) % (30 * k), (v - 1) % (30 * k)] for v in range(30 * k)]
        for name, rows in (
            ("RPC", graphs.rows_of(rpc(k))),
            ("RP", graphs.rows_of(rp(3 * k))),
            ("torus", torus_rows(a, b)),
            ("ring", ring),
        ):
            tried += 1
            degrees = sorted({len(row) for row in rows})
            if len(degrees) > 1:
                wrong.append(f"{name}, k = {k}: degrees {degrees}")
    return judge(wrong, "k = 1..24", searched=[Searched("networks", tried, 4 * 24)])


# -- table 1 and properties 3, 4 -----------------------------------------------------------------


@cache
def distrusted() -> list[str]:
    """Where the closed forms that the comparisons use differ from what is measured."""
    wrong, tally = [], Tally()
    for k in tally.each("networks", range(1, 8), 7):
        for name, rows, closed_form in (
            (f"RPC({k})", graphs.rows_of(rpc(k)), comparison.rpc_diameter(k)),
            (f"RP({3 * k})", graphs.rows_of(rp(3 * k)), comparison.rp_diameter(3 * k)),
        ):
            hops = graphs.diameter(rows, [0, len(rows) // 2])
            if hops != closed_form:
                wrong.append(f"{name} has diameter {hops}, our closed form says {closed_form}")
    for nodes in tally.each("tori by search", (30, 60, 90, 210), 4):
        sides = [(a, nodes // a) for a in range(1, nodes + 1) if nodes % a == 0]
        least = min(graphs.diameter(torus_rows(a, b), [0]) for a, b in sides)
        if best_torus(nodes)[2] != least:
            wrong.append(f"the best torus of {nodes} nodes has {least}, not {best_torus(nodes)}")
    for nodes in tally.each("tori", range(30, 3000, 30), 3000 // 30 - 1):
        a, b, hops = best_torus(nodes)
        if not (a <= b and a * b == nodes and hops == a // 2 + b // 2):
            wrong.append(f"{a} x {b} is not a torus of {nodes} nodes with a <= b, diameter {hops}")
    return wrong + tally.short()


def check_table() -> Outcome:
    """Every cell for k = 3..6 by search, the torus for all k up to 200 by all its shapes."""
    wrong, torus, degrees, tally = [], [], {}, Tally()
    for k in tally.each("columns", range(3, 7), 4):
        built = {
            "RPC": (graphs.rows_of(rpc(k)), printed.diameter(k)),
            "RP": (graphs.rows_of(rp(3 * k)), printed.rp_diameter(k)),
            "ring": (
                [[(v + 1) % (30 * k), v - 1] for v in range(30 * k)],
                printed.ring_diameter(k),
            ),
        }
        for name, (rows, diameter) in built.items():
            rows = [[v % len(rows) for v in row] for row in rows]
            degrees[name] = sorted({len(row) for row in rows})
            if degrees[name] != [printed.TABLE_DEGREES[name]]:
                wrong.append(f"{name}, k = {k}: degrees {degrees[name]}")
            if graphs.diameter(rows, [0]) != diameter:
                wrong.append(
                    f"{name}, k = {k}: diameter {graphs.diameter(rows, [0])}, printed {diameter}"
                )
    torus_30 = torus_rows(30, 30)
    degrees["torus"] = sorted({len(row) for row in torus_30})
    if degrees["torus"] != [printed.TABLE_DEGREES["torus"]]:
        wrong.append(f"torus: degrees {degrees['torus']}")
    if graphs.diameter(torus_30, [0]) != printed.torus_diameter(30):
        wrong.append(f"the torus of 30 x 30 nodes has diameter {graphs.diameter(torus_30, [0])}")
    for k in tally.each("tori", range(1, 201), 200):
        a, b, diameter = best_torus(30 * k)
        if diameter != printed.torus_diameter(k):
            torus.append(
                f"k = {k}: the {a} x {b} torus has {diameter}, {printed.torus_diameter(k)} printed"
            )
    text = (
        f"degrees {degrees}; RPC, RP and ring for k = 3..6 and the square torus: {len(wrong)}"
        f" cells differ; the best 2-D torus differs at {len(torus)} of k = 1..200"
    )
    note = "the torus column is for square numbers of nodes"
    square = [k for k in range(1, 201) if math.isqrt(30 * k) ** 2 == 30 * k]
    fixed = [f"k = {k}: the square torus" for k in square
             if best_torus(30 * k)[2] != printed.torus_diameter(k)]  # fmt: skip
    outcome = judge(
        wrong + torus,
        text,
        Correction(note, wrong + fixed),
        values={"torus_differs": len(torus), "square": square},
        searched=tally,
    )
    return settled(distrusted(), outcome)


def check_p3() -> Outcome:
    most = 2000
    tally = Tally()
    sizes = tally.each("sizes", range(1, most + 1), 2000)
    worse = [k for k in sizes if comparison.rpc_diameter(k) >= comparison.rp_diameter(3 * k)]
    wrong = [f"k = {k}: not smaller" for k in worse if 30 * k > printed.SMALLER_THAN_RP_ABOVE]
    last = max(worse, default=0)
    pair = comparison.rpc_diameter(last), comparison.rp_diameter(3 * last)
    text = f"not smaller for k = {ranges(worse)}, smaller for all others up to {most}"
    if 30 * last < printed.SMALLER_THAN_RP_ABOVE:
        wrong.append(f"it is smaller from {30 * (last + 1)} nodes on")
    note = f"at {30 * last} nodes the two have {pair[0]} and {pair[1]}"
    return settled(distrusted(), judge(wrong, text, note=note, searched=tally))


def ratio_outcome(ratio: dict[int, float], what: str, count: int) -> Outcome:
    """Does a ratio tend to 1/3, and come closer with every step?"""
    steps = sorted(ratio)
    off = {k: abs(ratio[k] - printed.RATIO) for k in steps}
    away = [(a, b) for a, b in pairwise(steps) if off[b] > off[a] + 1e-12]
    last = steps[-1]
    wrong = [f"{ratio[last]:.4f} at {what} = {last}"] if off[last] > 0.02 else []
    rises = [f"from {what} = {a} to {b} it goes from {ratio[a]:.4f} to {ratio[b]:.4f}"
             for a, b in away]  # fmt: skip
    text = f"ratio {ratio[steps[0]]:.4f} at {what} = {steps[0]}, {ratio[last]:.4f} at {last}"
    note = f"it tends to {printed.RATIO:.4f}, but not with every {what}"
    return judge(
        wrong + rises,
        text,
        Correction(note, wrong),
        values={"last": round(ratio[last], 4), "rises": len(rises)},
        searched=[Searched("ratios", len(ratio), count)],
    )


def check_p3_limit() -> Outcome:
    ratio = {k: comparison.rpc_diameter(k) / comparison.rp_diameter(3 * k) for k in range(4, 2001)}
    return settled(distrusted(), ratio_outcome(ratio, "k", 2000 - 3))


def check_p4() -> Outcome:
    formula, real, tally = [], [], Tally()
    below = range(1, -(-printed.SMALLER_THAN_TORUS_BELOW // 30))
    for k in tally.each("sizes", below, 2940 // 30 - 1):
        formula += [k] if comparison.rpc_diameter(k) >= printed.torus_diameter(k) else []
        real += [k] if comparison.rpc_diameter(k) >= best_torus(30 * k)[2] else []
    wrong = [f"k = {k}: {comparison.rpc_diameter(k)} against {printed.torus_diameter(k)}"
             for k in formula]  # fmt: skip
    fixed = [f"k = {k}: the best torus has {best_torus(30 * k)[2]}" for k in real if k > 1]
    text = (
        f"below {printed.SMALLER_THAN_TORUS_BELOW} nodes not smaller than the formula at"
        f" k = {ranges(formula)}, than the best 2-D torus at k = {ranges(real)}"
    )
    note = "against the best torus of real shape, from k = 2 on"
    outcome = judge(
        wrong,
        text,
        Correction(note, fixed),
        values={"formula": formula, "real": real},
        searched=tally,
    )
    return settled(distrusted(), outcome)


def check_processors() -> Outcome:
    nodes, each, total = printed.PROCESSORS
    counts = tuple(nodes * n for n in each)
    wrong = [] if counts == total else [f"{nodes} nodes make {counts} processors"]
    k = nodes // 30
    mine, torus = comparison.rpc_diameter(k), best_torus(nodes)
    equal = (
        []
        if mine < torus[2]
        else [f"RPC({k}) has {mine}, the {torus[0]} x {torus[1]} torus {torus[2]}"]
    )
    tally = Tally()
    fewer = [f"RPC({j}) is no smaller"
             for j in tally.each("smaller members", range(2, k), 2940 // 30 - 2)
             if comparison.rpc_diameter(j) >= best_torus(30 * j)[2]]  # fmt: skip
    text = f"{nodes} nodes with {each} processors: {counts}; diameters {mine} and {torus[2]}"
    note = "the counts are right, but the diameter is smaller with fewer nodes only"
    tori = [
        f"the best torus of {30 * j} nodes is {_least_torus(30 * j)}"
        for j in tally.each("tori", range(1, k + 1), 2940 // 30)
        if best_torus(30 * j) != _least_torus(30 * j)
    ]
    outcome = judge(
        wrong + equal,
        text,
        Correction(note, wrong + fewer),
        values={"diameters": [mine, torus[2]], "processors": list(counts)},
        searched=tally,
    )
    return settled([*distrusted(), *tori], outcome)


def _least_torus(nodes: int) -> tuple[int, int, int]:
    """Sides and diameter, of all pairs of sides; of several the one with the shortest long side."""
    shapes = [(a, nodes // a) for a in range(1, nodes + 1) if nodes % a == 0 and a * a <= nodes]
    far, b, a = min((a // 2 + b // 2, b, a) for a, b in shapes)
    return a, b, far


# -- introduction --------------------------------------------------------------------------------


def check_mesh() -> Outcome:
    """RP(k) against the best 2-D mesh and torus with 10k nodes."""
    k = printed.RP_BEATS_MESH_BELOW // 10
    first: dict[str, int] = {}
    tally = Tally()
    for size in tally.each("sizes", range(2, 500), 498):
        a, b, diameter = best_torus(10 * size)
        for name, other in (("mesh", a + b - 2), ("torus", diameter)):
            if comparison.rp_diameter(size) >= other:
                first.setdefault(name, size)
    wrong = (
        [f"RP({first['mesh']}) is the first no smaller than a mesh"] if first["mesh"] != k else []
    )
    fixed = [f"than a torus: RP({first['torus']})"] if first["torus"] != k else []
    text = (
        f"RP(k) is first no smaller than the best 2-D mesh at k = {first['mesh']}, than the best"
        f" 2-D torus at k = {first['torus']}"
    )
    note = f"{10 * k} nodes is the threshold against tori, not meshes"
    outcome = judge(wrong, text, Correction(note, fixed), values=first, searched=tally)
    return settled(distrusted(), outcome)


def check_relatives() -> Outcome:
    """Degrees as built, and diameters against RP with as many nodes."""
    built = {
        "DLCPG": Network.of(DoubleLoopPetersen(25)),
        "TCP": Network.of(TorusOfPetersen(5)),
        "DCP": Network.of(TwoDoubleLoopsPetersen(5)),
        "HRN": Network.of(HierarchicalRings((5, 5))),
    }
    own, *raised = printed.RELATIVES
    rows = graphs.rows_of(rp(25))
    diameter, degree = graphs.diameter(rows, [0]), max(map(len, rows))
    wrong = [] if degree == own else [f"RP has degree {degree}"]
    parts = [f"RP {degree} and {diameter}"]
    tally = Tally()
    tally.expect("nodes", 4 * 250)
    for name, network in built.items():
        tally.add("nodes", len(graphs.rows_of(network)))
        rows = graphs.rows_of(network)
        (mine, *more), reach = sorted({len(row) for row in rows}), graphs.diameter(rows, [0])
        parts.append(f"{name} {mine} and {reach}")
        if mine not in raised or more or reach >= diameter:
            wrong.append(f"{parts[-1]}, degrees {[mine, *more]}")
    text = "degree and diameter with 250 nodes: " + ", ".join(parts)
    return judge(wrong, text, searched=tally)
