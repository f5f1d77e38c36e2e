"""Claims about degree, diameter, groups and rivals."""

from __future__ import annotations

from functools import cache

import numpy as np

from hopscape.core.family import Family, Symmetry
from hopscape.core.network import Network
from hopscape.families.petersen_cycles.groups_known import (
    printed_rp_group,
    printed_rpc_group,
    printed_torus_group,
    rpc_group,
    torus_group,
)
from hopscape.families.petersen_cycles.networks import (
    DoubleLoopPetersen,
    HierarchicalRings,
    PetersenCycles,
    RingOfPetersen,
    RingOfPetersenCycles,
    TorusOfPetersen,
    TwoDoubleLoopsPetersen,
)
from hopscape.families.petersen_cycles.slices import PETERSEN
from hopscape.interchange import to_networkx
from hopscape.ledger.claim import Claim, Outcome, Ruling
from hopscape.ledger.papers.rpc.comparison import (
    best_torus,
    compare,
    group_rows,
    ranges,
    rp_diameter,
    rpc_diameter,
    torus_formula,
)
from hopscape.metrics.distances import distance_profile
from hopscape.metrics.groups import best_group

__all__ = ["STRUCTURE_CLAIMS"]


def _net(family: Family) -> Network:
    return Network.of(family)


def _measured_diameter(family: Family) -> int:
    found = distance_profile(_net(family), exact=True).diameter
    assert found is not None
    return found


def _simple_paths(a: int, b: int) -> list[frozenset[int]]:
    """The inner nodes of all simple paths of the Petersen graph between two nodes, up to 4 hops."""
    found: list[frozenset[int]] = []

    def extend(path: list[int]) -> None:
        if path[-1] == b:
            found.append(frozenset(path[1:-1]))
        elif len(path) < 5:
            for v in PETERSEN[path[-1]]:
                if v not in path:
                    extend([*path, v])

    extend([a])
    return found


def _check_petersen() -> Outcome:
    network = _net(RingOfPetersen(1))
    profile = distance_profile(network, exact=True)
    wanted = {1: (1, 4, 4), 2: (2, 3, 3)}
    wrong = []
    for a in range(10):
        for b in range(10):
            if a == b:
                continue
            lengths = wanted[1 if b in PETERSEN[a] else 2]
            inner = _simple_paths(a, b)
            triples = {
                tuple(sorted(len(p) + 1 for p in (x, y, z)))
                for i, x in enumerate(inner)
                for j, y in enumerate(inner[i + 1 :], i + 1)
                for z in inner[j + 1 :]
                if not (x & y or x & z or y & z)
            }
            if min(triples, key=sum, default=()) != lengths:
                wrong.append((a, b))
    ok = not wrong and profile.diameter == 2 and set(network.degrees.tolist()) == {3}
    return Outcome(
        "holds" if ok else "refuted",
        f"degree 3, diameter {profile.diameter}, disjoint paths of lengths 1, 4, 4 and 2, 3, 3 for "
        f"{90 - len(wrong)} of 90 ordered pairs",
    )


def _check_pc() -> Outcome:
    network = _net(PetersenCycles())
    profiles = {
        tuple(np.bincount(row).tolist())
        for row in network.router()
        .distances(np.repeat(np.arange(30), 30), np.tile(np.arange(30), 30))
        .reshape(30, 30)
    }
    far = _measured_diameter(PetersenCycles())
    ok = far == 5 and set(network.degrees.tolist()) == {3} and len(profiles) == 1
    levels = ", ".join(map(str, next(iter(profiles))))
    return Outcome(
        "holds" if ok else "refuted",
        f"30 nodes, degree 3, diameter {far}, levels {levels} from every node",
    )


def _check_degree() -> Outcome:
    found = {k: set(_net(RingOfPetersenCycles(k)).degrees.tolist()) for k in range(1, 9)}
    regular = all(len(degrees) == 1 for degrees in found.values())
    wrong = [k for k, degrees in found.items() if degrees != {3 if k == 1 else 5}]
    ruling: Ruling = "holds" if not wrong else "holds corrected" if regular else "refuted"
    return Outcome(
        ruling,
        "degrees for k = 1..8: " + ", ".join(str(max(d)) for d in found.values()),
        f"not 5 at k = {ranges(wrong)}: two slices are joined by single links" if wrong else "",
    )


def _check_diameter() -> Outcome:
    measured = {k: _measured_diameter(RingOfPetersenCycles(k)) for k in range(1, 25)}
    floor = all(d == k // 2 + 5 for k, d in measured.items())
    ceiling = [k for k, d in measured.items() if d != -(-k // 2) + 5]
    return Outcome(
        "holds" if floor else "refuted",
        "breadth-first search from every node, k = 1..24, agrees with the floor",
        f"read as a ceiling it would be wrong at k = {ranges(ceiling)}" if ceiling else "",
    )


def _check_table() -> Outcome:
    rows = compare(range(1, 201), circulants=False)
    wrong = [row["k"] for row in rows if row["torus"] != row["torus_formula"]]
    small = all(
        _measured_diameter(RingOfPetersen(3 * k)) == rp_diameter(3 * k) for k in range(1, 7)
    )
    square = torus_formula(900) == best_torus(900)[2]
    ok = small and square
    return Outcome(
        "holds corrected" if ok and wrong else "holds" if ok else "refuted",
        f"RPC, RP and ring agree; the torus column differs from the best 2-D torus for "
        f"{len(wrong)} of k = 1..200",
        f"the formula is for square N: at k = 1 the 5x6 torus has diameter {best_torus(30)[2]}, "
        f"the formula says {torus_formula(30)}",
    )


def _check_p3() -> Outcome:
    worse = [k for k in range(1, 2001) if rpc_diameter(k) >= rp_diameter(3 * k)]
    ok = max(worse) == 3
    return Outcome(
        "holds" if ok else "refuted",
        f"not smaller for k = {ranges(worse)}, smaller for every other k up to 2000",
        "at k = 3 (90 nodes) the two are equal; the proof solves the inequality with <=",
    )


def _check_p3_limit() -> Outcome:
    ratio = [rpc_diameter(k) / rp_diameter(3 * k) for k in range(1, 2001)]
    rises = [k for k in range(4, 2000) if ratio[k] > ratio[k - 1]]
    near = abs(ratio[-1] - 1 / 3)
    return Outcome(
        "holds corrected" if rises and near < 0.01 else "refuted" if near >= 0.01 else "holds",
        f"ratio {ratio[-1]:.4f} at k = 2000; it rises at {len(rises)} steps, the first from "
        f"k = {rises[0] if rises else '-'} to the next",
        "the limit is 1/3, but the ratio does not fall with every k",
    )


def _check_p4() -> Outcome:
    formula = [k for k in range(1, 98) if rpc_diameter(k) >= torus_formula(30 * k)]
    real = [k for k in range(1, 98) if rpc_diameter(k) >= best_torus(30 * k)[2]]
    ruling: Ruling = (
        "holds" if not formula and not real else "holds corrected" if len(real) < 3 else "refuted"
    )
    return Outcome(
        ruling,
        f"below 2940 nodes not smaller than the formula at k = {ranges(formula)}, than the best "
        f"2-D torus at k = {ranges(real)}",
        "against real tori true for k = 2..97; the bound 98 comes from leaving out the floors",
    )


@cache
def _searched(name: str, most: int) -> dict[int, int]:
    """Diameters of the best groups by search, all exact."""
    network = _net(RingOfPetersenCycles(8) if name == "rpc" else RingOfPetersen(12))
    found = {}
    for m in range(2, most + 1):
        group = best_group(network, m)
        assert group.exact
        found[m] = group.diameter
    return found


def _check_eq1() -> Outcome:
    true = _searched("rpc", 62)
    wrong = [m for m, d in true.items() if d != printed_rpc_group(m)]
    cap = best_group(_net(RingOfPetersenCycles(3)), 61)
    return Outcome(
        "holds corrected" if wrong == [19, 20] else "refuted" if wrong else "holds",
        f"RPC(8), m = 2..62 searched in full: differs at m = {ranges(wrong)} "
        f"(printed {printed_rpc_group(19)}, true {true[19]})",
        f"4 is possible up to m = 18 only; and the diameter is a cap: RPC(3), m = 61 has "
        f"{cap.diameter}, printed {printed_rpc_group(61)}",
    )


def _check_eq2() -> Outcome:
    true = _searched("rp", 41)
    wrong = [m for m, d in true.items() if d != printed_rp_group(m)]
    small = best_group(_net(RingOfPetersen(3)), 3).diameter
    return Outcome(
        "holds" if not wrong else "refuted",
        f"RP(12), m = 2..41 searched in full: differs at m: {ranges(wrong)}",
        f"exceptions: RP(3) has triangles, m = 3 gives {small}; the diameter is a cap",
    )


def _torus(side: int) -> Network:
    """A square torus."""
    v = np.arange(side * side)
    right, down = v - v % side + (v + 1) % side, (v + side) % (side * side)
    ends = np.concatenate([v, v]), np.concatenate([right, down])
    return Network.from_links(len(v), *ends, symmetry=Symmetry.of_transitive(len(v)))


def _check_eq3() -> Outcome:
    network = _torus(12)
    true = {m: best_group(network, m).diameter for m in range(2, 26)}
    agrees = all(true[m] == torus_group(m) for m in true)
    above = [m for m in true if printed_torus_group(m) > true[m]]
    return Outcome(
        "refuted" if agrees and above else "holds",
        f"12 x 12 torus, m = 2..25 searched in full: diamonds are best; the formula is above the "
        f"true value at m = {ranges(above)}",
        f"m = 5: true {true[5]}, printed {printed_torus_group(5):.2f}; least t with "
        "t²/2 + t + 1 >= m (t even) or (t + 1)²/2 >= m (t odd)",
    )


def _check_p5() -> Outcome:
    rows = group_rows()
    not_worse = [r["m"] for r in rows if r["rpc"] <= r["rp"]]
    better = [r["m"] for r in rows if r["rpc"] < r["rp"]]
    claimed = {3, *range(47, 3137)}
    ok = claimed <= set(not_worse)
    sharp = claimed == set(not_worse)
    return Outcome(
        "holds" if ok and sharp else "holds corrected" if ok else "refuted",
        f"<= for m = {ranges(not_worse)}; < for m = {ranges(better)}",
        "true for the sizes named, but 46 is no threshold of either relation",
    )


def _check_p6() -> Outcome:
    rows = group_rows()
    worse = [r["m"] for r in rows if r["rpc"] > r["torus"]]
    printed = [r["m"] for r in rows if r["rpc_printed"] > r["torus_printed"]]
    return Outcome(
        "refuted" if worse else "holds",
        f"true groups: RPC worse for {len(worse)} sizes, from m = {worse[0] if worse else '-'} on; "
        f"by the printed formulas at m = {ranges(printed)}",
        f"always worse from m = {_always(worse)} to 3136" if worse else "",
    )


def _always(numbers: list[int]) -> int:
    """The start of the last unbroken run."""
    start = numbers[-1]
    for n in reversed(numbers[:-1]):
        if n != start - 1:
            break
        start = n
    return start


def _check_p6_half() -> Outcome:
    rows = group_rows()
    printed = [
        r["m"] for r in rows if 81 <= r["m"] <= 441 and 2 * r["rpc_printed"] >= r["torus_printed"]
    ]
    true = [r["m"] for r in rows if 2 * r["rpc"] < r["torus"]]
    return Outcome(
        "refuted" if not true else "holds corrected",
        f"printed formulas: not less than half at {len(printed)} of the sizes 81..441; true "
        f"groups: less than half: {ranges(true)}",
        "a consequence of the wrong formula for tori",
    )


def _check_intro_mesh() -> Outcome:
    def best_mesh(nodes: int) -> int:
        a, b, _ = best_torus(nodes)
        return a + b - 2

    torus = next(k for k in range(2, 500) if rp_diameter(k) >= best_torus(10 * k)[2])
    mesh = next(k for k in range(2, 500) if rp_diameter(k) >= best_mesh(10 * k))
    ruling: Ruling = "holds" if mesh == 30 else "holds corrected" if torus == 30 else "refuted"
    return Outcome(
        ruling,
        f"RP(k) is first not smaller than the best 2-D torus at k = {torus} ({10 * torus} nodes), "
        f"than the best 2-D mesh at k = {mesh} ({10 * mesh} nodes)",
        "300 nodes is the threshold against tori, not meshes",
    )


def _check_relatives() -> Outcome:
    found = {
        "RP": _net(RingOfPetersen(6)),
        "DLCPG": _net(DoubleLoopPetersen(8)),
        "TCP": _net(TorusOfPetersen(4)),
        "DCP": _net(TwoDoubleLoopsPetersen(5)),
        "HRN with 3 rings": _net(HierarchicalRings((3, 3, 4))),
    }
    degrees = {name: int(network.degrees.max()) for name, network in found.items()}
    ok = list(degrees.values()) == [5, 7, 7, 11, 9]
    text = ", ".join(f"{name} {degree}" for name, degree in degrees.items())
    return Outcome("holds" if ok else "refuted", f"degrees as built: {text}")


def _check_connectivity() -> Outcome:
    import networkx

    least = networkx.node_connectivity(to_networkx(_net(PetersenCycles())))
    return Outcome(
        "holds" if least == 3 else "refuted",
        f"at least {least} disjoint paths between any two nodes",
    )


def _check_k_capacity() -> Outcome:
    rows = {m: rpc_group(m, 98) for m in (30, 60, 2940)}
    ok = rows[2940] == rpc_diameter(98) and 2940 * 2 == 5880 and 2940 * 16 == 47040
    return Outcome(
        "holds" if ok else "refuted",
        f"RPC(98) has 2940 nodes and diameter {rpc_diameter(98)}; 2 to 16 processors each make "
        "5880 to 47040",
        f"but at 2940 nodes the best torus has diameter {best_torus(2940)[2]} as well",
    )


STRUCTURE_CLAIMS = (
    Claim(
        "rpc-petersen",
        "rpc",
        "section 1.2",
        "The Petersen graph has degree 3, diameter 2, and "
        "three disjoint paths of lengths 1, 4, 4 or 2, 3, 3 between any two nodes.",
        "all ordered pairs",
        _check_petersen,
    ),
    Claim(
        "rpc-pc",
        "rpc",
        "section 2.1",
        "PC has 30 nodes, degree 3, diameter 5, and is symmetric.",
        "breadth-first search from every node",
        _check_pc,
    ),
    Claim(
        "rpc-pc-paths",
        "rpc",
        "section 2.1",
        "PC keeps the regularity of the Petersen graph: "
        "three disjoint paths between any two nodes.",
        "flows between all pairs (networkx)",
        _check_connectivity,
    ),
    Claim(
        "rpc-degree",
        "rpc",
        "property 1",
        "RPC(k) is regular, of degree 3 for k = 1 and 5 for k > 1.",
        "built for k = 1..8",
        _check_degree,
    ),
    Claim(
        "rpc-diameter",
        "rpc",
        "property 2",
        "The diameter of RPC(k) is floor(k/2) + 5.",
        "breadth-first search, k = 1..24",
        _check_diameter,
    ),
    Claim(
        "rpc-table-1",
        "rpc",
        "table 1",
        "Diameters: RPC floor(k/2) + 5, RP floor(3k/2) + 2, torus 2 floor(sqrt(30k)/2), ring 15k.",
        "k = 1..200, all shapes of tori",
        _check_table,
    ),
    Claim(
        "rpc-p3",
        "rpc",
        "property 3",
        "Above 90 nodes RPC has a smaller diameter than RP.",
        "k = 1..2000",
        _check_p3,
    ),
    Claim(
        "rpc-p3-limit",
        "rpc",
        "property 3",
        "The larger k, the closer the ratio of the diameters comes to 1/3.",
        "k = 1..2000",
        _check_p3_limit,
    ),
    Claim(
        "rpc-p4",
        "rpc",
        "property 4",
        "Below 2940 nodes RPC has a smaller diameter than the 2-D torus.",
        "k = 1..97, formula and all shapes",
        _check_p4,
    ),
    Claim(
        "rpc-2940",
        "rpc",
        "section 2.3",
        "With 2940 nodes of 2 to 16 processors, 5880 to 47040 processors can be joined.",
        "arithmetic, diameters",
        _check_k_capacity,
    ),
    Claim(
        "rpc-eq1",
        "rpc",
        "equation (1)",
        "The best group of m nodes of RPC has diameter 1, 2, 3, 4 "
        "up to m = 3, 6, 12, 20, then 5 + (m - 1) div 30.",
        "clique search on RPC(8), m = 2..62",
        _check_eq1,
    ),
    Claim(
        "rpc-eq2",
        "rpc",
        "equation (2)",
        "The best group of m nodes of RP has diameter 2 + (m - 1) div 10 (1 for m = 2).",
        "clique search on RP(12), m = 2..41",
        _check_eq2,
    ),
    Claim(
        "rpc-eq3",
        "rpc",
        "equation (3)",
        "The best group of m nodes of a 2-D torus has diameter 2 (sqrt(m) - 1).",
        "clique search on a 12 x 12 torus, m = 2..25",
        _check_eq3,
    ),
    Claim(
        "rpc-p5",
        "rpc",
        "property 5",
        "For m = 3 and m > 46 the groups of RPC are better than those of RP.",
        "true values, m = 2..3136",
        _check_p5,
    ),
    Claim(
        "rpc-p6",
        "rpc",
        "property 6",
        "For m <= 3136 the groups of RPC are better than those of the 2-D torus.",
        "true values, m = 2..3136",
        _check_p6,
    ),
    Claim(
        "rpc-p6-half",
        "rpc",
        "property 6",
        "For 81 <= m <= 441 the groups of RPC have less than "
        "half the diameter of those of the torus.",
        "true values, m = 2..3136",
        _check_p6_half,
    ),
    Claim(
        "rpc-intro-mesh",
        "rpc",
        "introduction",
        "Below 300 nodes RP is clearly better than the 2-D mesh, above 300 no longer.",
        "diameters, all shapes of tori and meshes",
        _check_intro_mesh,
    ),
    Claim(
        "rpc-relatives",
        "rpc",
        "introduction",
        "The extensions of RP raise the degree from 5 to 7 or 11.",
        "degrees of the networks as reconstructed here",
        _check_relatives,
    ),
)
