"""The claims of the paper on RPC(k), in its order, each with errors that its check must notice."""

from __future__ import annotations

from hopscape.ledger.papers.rpc import groups, plants, structure
from hopscape.ledger.papers.rpc.claims_later import LATER_CLAIMS
from hopscape.ledger.papers.rpc.entries import claim

__all__ = ["CLAIMS"]

_STRUCTURE = (
    claim(
        "rpc-intro-mesh",
        "introduction",
        "below 300 nodes RP is clearly better than the 2-D mesh, above 300 no longer",
        "diameters against meshes and tori of all shapes, k up to 500",
        structure.check_mesh,
        plants.print_as("RP_BEATS_MESH_BELOW", 1440),
        plants.RP_FORM,
    ),
    claim(
        "rpc-relatives",
        "introduction",
        "the extensions of RP are shallower, but raise its degree from 5 to 7 or 11",
        "DLCPG, TCP, DCP and HRN with 250 nodes, as reconstructed here; breadth-first search",
        structure.check_relatives,
        plants.print_as("RELATIVES", (5, 7, 9)),
        plants.CUT,
    ),
    claim(
        "rpc-petersen",
        "section 1.2",
        "the Petersen graph has degree 3, diameter 2, is symmetric, and has three disjoint paths "
        "of lengths 1, 4, 4 or 2, 3, 3 between any two nodes",
        "breadth-first search, all automorphisms, all triples of disjoint paths",
        structure.check_petersen,
        plants.PETERSEN_WIRES,
        plants.print_as("PATHS", {1: (1, 4, 4), 2: (2, 3, 4)}),
    ),
    claim(
        "rpc-pc",
        "section 2.1",
        "PC has 30 nodes of degree 3, diameter 5, and is regular and symmetric",
        "breadth-first search from every node, all automorphisms",
        structure.check_pc,
        plants.WIRES,
        plants.print_as("PC", (30, 3, 6)),
    ),
    claim(
        "rpc-pc-cycles",
        "section 2.1, definition 6",
        "two cycles of PC are joined, by nodes (m, n) and (n, m), or both joined to a third",
        "all 45 pairs of cycles",
        structure.check_pc_cycles,
        plants.WIRES,
    ),
    claim(
        "rpc-construction",
        "section 2.2",
        "RPC(k) has 30k nodes: k copies of PC, equal nodes joined to 30 rings",
        "the definition written out, all nodes for k = 1..7",
        structure.check_construction,
        plants.WIRES,
        plants.CUT,
    ),
    claim(
        "rpc-degree",
        "property 1",
        "RPC(k) is regular, of degree 3 for k = 1 and 5 for k > 1",
        "counted for k = 1..8",
        structure.check_degree,
        plants.print_as("degree", lambda k: {1: 3, 2: 4}.get(k, 5), "printed with 4 at k = 2"),
        plants.CUT,
    ),
    claim(
        "rpc-diameter",
        "property 2",
        "the diameter of RPC(k) is floor(k/2) + 5",
        "breadth-first search, k = 1..14 and 24",
        structure.check_diameter,
        plants.print_as("diameter", lambda k: -(-k // 2) + 5, "printed with a ceiling"),
        plants.DIAMETER,
    ),
    claim(
        "rpc-table-1",
        "table 1",
        "degrees 5, 5, 4, 2 and diameters floor(k/2) + 5, floor(3k/2) + 2, "
        "2 floor(sqrt(30k)/2), 15k",
        "RPC, RP and ring by search for k = 3..6, tori of all shapes for k = 1..200",
        structure.check_table,
        plants.print_as("rp_diameter", lambda k: 3 * k // 2 + 3, "RP printed one larger"),
        plants.print_as("TABLE_DEGREES", {"RPC": 5, "RP": 5, "torus": 5, "ring": 2}),
        plants.CUT,
        plants.TORI,
    ),
    claim(
        "rpc-p3",
        "property 3",
        "above 90 nodes RPC has a smaller diameter than RP",
        "k = 1..2000 by closed forms that are measured for k = 1..7",
        structure.check_p3,
        plants.print_as("SMALLER_THAN_RP_ABOVE", 60),
        plants.print_as("SMALLER_THAN_RP_ABOVE", 120),
        plants.RPC_FORM,
    ),
    claim(
        "rpc-p3-limit",
        "property 3",
        "the larger k, the closer comes the diameter to 1/3 of RP's",
        "k = 4..2000",
        structure.check_p3_limit,
        plants.print_as("RATIO", 1 / 2),
        plants.RP_FORM,
    ),
    claim(
        "rpc-p4",
        "property 4",
        "below 2940 nodes RPC has a smaller diameter than the 2-D torus",
        "the printed formula and tori of all shapes",
        structure.check_p4,
        plants.print_as("SMALLER_THAN_TORUS_BELOW", 4000),
        plants.TORI,
        plants.RPC_FORM,
    ),
    claim(
        "rpc-2940",
        "section 2.3",
        "2940 nodes of 2 to 16 processors make 5880 to 47040; up to there RPC is below the torus",
        "multiplied out; diameters against tori of all shapes",
        structure.check_processors,
        plants.print_as("PROCESSORS", (2940, (2, 16), (5880, 47000))),
        plants.print_as("PROCESSORS", (2910, (2, 16), (5820, 46560)), "97 slices instead of 98"),
        plants.RPC_FORM,
    ),
)

_GROUPS = (
    claim(
        "rpc-eq1",
        "equation (1)",
        "the best group of m nodes of RPC has diameter 1, 2, 3, 4 "
        "up to m = 3, 6, 12, 20, then 5 + (m - 1) div 30",
        "searches on RPC(8), m = 2..62; cliques by networkx for distances 1 to 4",
        groups.check_eq1,
        plants.formula_as(
            "rpc",
            lambda m: 4 if m == 13 else m,
            "equation (1) printed as m",
        ),
        plants.SEARCH,
    ),
    claim(
        "rpc-eq2",
        "equation (2)",
        "the best group of m nodes of RP has diameter 2 + (m - 1) div 10 (1 for m = 2)",
        "searches on RP(12), m = 2..41; cliques by networkx for distances 1 to 4",
        groups.check_eq2,
        plants.formula_as("rp", lambda m: 2 + m // 10, "equation (2) printed with m div 10"),
        plants.SEARCH,
    ),
    claim(
        "rpc-eq3",
        "equation (3)",
        "the best group of m nodes of a 2-D torus has diameter 2 (sqrt(m) - 1)",
        "searches on a 12 x 12 torus, m = 2..25; cliques by networkx for distances 1 to 4",
        groups.check_eq3,
        plants.formula_as(
            "torus",
            lambda m: next(t for t in range(9) if ((t + 1) ** 2 + 1 - t % 2) // 2 >= m),
            "equation (3) printed with diamonds",
        ),
        plants.SEARCH,
    ),
    claim(
        "rpc-p5",
        "property 5",
        "for m = 3 and m > 46 the groups of RPC are better than those of RP",
        "true values, m = 2..3136, by closed forms held against searches",
        groups.check_p5,
        plants.print_as("GROUPS_BEAT_RP", (7, 46)),
        plants.group_form("rp"),
    ),
    claim(
        "rpc-p5-limit",
        "property 5",
        "the larger m, the closer comes the group to 1/3 of RP's diameter",
        "true values, m = 100..3136",
        groups.check_p5_limit,
        plants.print_as("RATIO", 1 / 2),
        plants.group_form("rpc"),
    ),
    claim(
        "rpc-p6",
        "property 6",
        "for m <= 3136 the groups of RPC are better than those of the 2-D torus",
        "true values, m = 2..3136",
        groups.check_p6,
        plants.print_as("GROUPS_BEAT_TORUS", 1500),
        plants.group_form("torus"),
    ),
    claim(
        "rpc-p6-half",
        "property 6",
        "for 81 <= m <= 441 the groups of RPC have less than half the diameter of the torus's",
        "true values and printed formulas",
        groups.check_p6_half,
        plants.print_as("HALF_OF_TORUS", (81, 80), "no size named"),
        plants.group_form("torus"),
    ),
)

CLAIMS = (*_STRUCTURE, *_GROUPS, *LATER_CLAIMS)
