"""Claims of the paper on switches and machines: chapters 1, 4, 5 and 6."""

from __future__ import annotations

from functools import partial

from hopscape.ledger.claim import Claim, Entries, Outcome
from hopscape.papers.blockdesign import checks_designs as designs
from hopscape.papers.blockdesign import checks_expansion as expansion
from hopscape.papers.blockdesign import checks_machines as machines
from hopscape.papers.blockdesign import checks_switches as switches
from hopscape.papers.blockdesign import printed

__all__ = ["CLAIMS"]


_ENTRIES = Entries("multiring", "blockdesign-", elsewhere="-")
_claim, _beyond = _ENTRIES.claim, _ENTRIES.also


def _count(key: str, says: str) -> Claim:
    def check() -> Outcome:
        return machines.count(*printed.COUNTS[key])

    return _claim(key, "ch. 5", says, "built, wires of all supernodes counted", check)


def _technology() -> Outcome:
    return Outcome("open", "-", "a question of technology that the authors leave open themselves")


_CHAPTER_1 = (
    _claim("ports", "ch. 1", "a node has 7 channels K1, 24 K2 and 16 K3: 47 ports; V, V/5, 2V/5",
           "told by where the wires of a supernode lead", machines.ports),
    _claim("groups", "ch. 1", "32 nodes are joined pairwise, in 4 groups of 8 by K1, else by K2",
           "all pairs of a supernode", machines.groups),
    _claim("512", "ch. 1", "a supernode has 512 channels K3", "wires of a supernode counted",
           machines.supernode_channels),
    _claim("513", "ch. 1", "513 supernodes are joined pairwise",
           "built, wires of four supernodes counted", machines.original_count),
    _claim("processors", "ch. 1", "513·32·4 is more than 64K processors",
           "nodes of the built machine", machines.processors, searches=False),
    _claim("original-jumps", "ch. 1", "a packet takes at most 3 jumps between any two nodes",
           "two sources, level by level and by the library", machines.original_jumps),
    _claim("several-times", "ch. 1",
           "several times as many nodes in all, and nodes joined by the fastest channels",
           "counted", machines.several_times),
    _claim("same-ports", "ch. 1", "a node of the larger machines needs no further channels",
           "wires of a supernode of 39 and of 49", machines.same_ports),
    _claim("fewer-channels", "chs. 1, 6", "crossbars M x M reduce the channels K3 to one of a node",
           "wires of a supernode, graph of 993 and digraph of 1024", machines.fewer_channels),
)  # fmt: skip

_CHAPTER_4 = (
    _claim("permutation", "ch. 4", "a distributed switch passes any permutation",
           "all 5040 for N = 7, 40 each on five larger ones, wires counted", switches.permutation),
    _claim("self-routing", "ch. 4", "each source chooses its way independently of the others",
           "ports asked for alone and for all packets at once", switches.self_routed),
    _claim("channels", "ch. 4", "it has far fewer channels than the complete graph",
           "links of six networks counted", switches.channels),
    _claim("ways", "ch. 4", "any two endpoints, any two crossbars: exactly sigma ways of two hops",
           "all pairs of five networks", switches.ways_of_pairs),
    _claim("redundancy", "ch. 4", "the sigma ways lead through different crossbars: spare ways",
           "every crossbar of five networks killed", switches.redundancy),
    _claim("counting", "ch. 4", "N = m(m-1)/sigma + 1", "every design built, pairs counted",
           designs.counting),
    _claim("table-4.2", "table 4.2, fig. 4.1", "the blocks of B(7, 4, 2)",
           "all pairs of elements and of blocks", designs.table_42),
    _claim("table-4.3", "table 4.3", "parameters of B(N, m, 1)",
           "built and counted pair by pair, or excluded by residues; m up to 12",
           partial(designs.designs_table, 1)),
    _claim("table-4.4", "table 4.4", "parameters of B(N, m, 2)",
           "built and counted pair by pair, or excluded by residues; m up to 11",
           partial(designs.designs_table, 2)),
    _claim("steps", "ch. 4", "long steps of the 2-D multiring are (j - p)(p - 1)",
           "nodes within two hops, p = 3, 4, 5", switches.long_steps),
    _claim("multiring", "ch. 4", "(p - 1)r rings join p^r nodes digit by digit",
           "rings read from the wires and walked, 7 sizes", switches.multiring),
    _claim("fig-4.2", "fig. 4.2", "the full 2-D multiring of 9 nodes has the steps 1, 2, 3, 6",
           "rings read from the wires and walked", switches.figure_42),
    _claim("duplex-multiring", "ch. 4", "rings of steps ±1..±(p-1)/2 make it duplex",
           "walked, p = 3..7", switches.duplex_multiring),
    _claim("digraph", "ch. 4, fig. 4.3", "N = m², one crossbar between any two endpoints",
           "ways of all pairs counted in the wires, m = 2..9", switches.digraph),
    _claim("table-4.1", "table 4.1", "the wiring for N = 9", "cell by cell", switches.table_41),
    _claim("wiring-formula", "ch. 4", "left (i - j) mod N + 1, right (i + (j - 1)m) mod N + 1",
           "all cells for N = 9, all pairs joined", partial(switches.wiring_formula, 3)),
    _claim("pilot-packet", "ch. 4",
           "a pilot packet sets a path up in two stages, by short arcs and then by long ones",
           "all pairs, p = 2..7; 40 permutations each, pilots in random order",
           expansion.pilot_packet),
    _claim("simplex-ports", "ch. 4",
           "duplex channels of a full multiring have simplex ports: ends on different parts",
           "all channels of p = 3..9", expansion.simplex_ports),
    _beyond("full-switch", "two permutations at once, random destinations, half duplex do not pass",
            "30 patterns each on (57, 8, 1), wires counted", switches.other_traffic),
)  # fmt: skip

_CHAPTER_5 = (
    _claim("no-43", "ch. 5", "B(43, 7, 1) does not exist", "Hilbert symbols, and residues",
           designs.no_43, searches=False),
    _claim("rpk-39", "ch. 5", "RPK(39, 7, 1/2) exists; i has a second way to i ± 1 and i ± 2",
           "differences counted, ways counted in the wires", designs.cover_39),
    _claim("nonblocking-39", "ch. 5", "its 39 nodes are joined by non-blocking channels",
           "40 permutations, wires counted", switches.nonblocking_39),
    _count("1561", "39·(16 + 24) + 1 = 1561 supernodes"),
    _claim("three-times", "ch. 5", "1561 are more than three times 513", "counted",
           machines.times_513, searches=False),
    _count("781", "781 supernodes with doubled channels"),
    _claim("reserve", "ch. 5", "doubled channels shorten the reserve path from 5 jumps to 3",
           "both machines built in full, one channel cut, 3 of 39 sources", machines.reserve),
    _count("1960", "1960 supernodes of 49 nodes"),
    _count("980", "980 supernodes of 49 nodes with doubled channels"),
    _claim("digraph-supernode", "ch. 5", "49 nodes, wired as in table 4.1 by the same formula",
           "all cells for N = 49, all pairs joined", partial(switches.wiring_formula, 7)),
    _beyond("largest-39", "39 is the most that 7 elements cover, over all abelian groups",
            "exhaustive search of the groups of 40 to 43", designs.largest_39),
)  # fmt: skip

_CHAPTER_6 = (
    _claim("three-jumps", "ch. 6", "paths stay within 3 jumps with crossbars between supernodes",
           "two machines of 32 nodes a supernode built in full, two sources",
           machines.crossbar_jumps),
    _claim("square", "chs. 1, 6", "crossbars M x M join N = M² supernodes, by graph or digraph",
           "endpoints and ways counted, M = 3, 5, 8, 12", designs.square),
    _claim("prime", "ch. 6", "large quasi-complete graphs are known only when M - 1 is prime",
           "all M up to 28, differences counted", designs.prime_orders),
    _claim("42", "ch. 6", "39 nodes need a crossbar of M = 42",
           "all M from 39, the plane built and counted", designs.crossbar_for_39),
    _claim("sizes", "ch. 6", "designs exist up to M = 32 and can be built for 38, 42, 44",
           "built, differences counted", designs.sizes),
    _claim("optical", "ch. 6", "whether crossbars of 30 to 50 optical ports exist is open", "-",
           _technology, searches=False),
    _claim("one-channel", "ch. 6", "one channel K3 of a node is not enough for high throughput",
           "uniform traffic, 57 supernodes of 8, against the bound of the channels",
           machines.one_channel, searches=False),
    _claim("added-channels", "ch. 6",
           "channels added in parallel between supernodes make their links fault-tolerant",
           "every channel of 13 supernodes cut, single and doubled, jumps searched",
           expansion.added_channels),
    _claim("expansion", "ch. 7",
           "a quasi-complete graph expands any network and keeps its routing",
           "six networks, two of them drawn, distances searched from twelve endpoints each",
           expansion.expansion),
    _beyond("several-crossbars",
            "c crossbars M x M for each supernode join N of them by w ways, w(N - 1) = cM(M - 1)",
            "blocks found by search, differences counted; six cases",
            designs.several_crossbars),
)  # fmt: skip

CLAIMS: tuple[Claim, ...] = (*_CHAPTER_1, *_CHAPTER_4, *_CHAPTER_5, *_CHAPTER_6)
