"""Rulings that are known, paper by paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hopscape.ledger import Claim
from hopscape.papers.blockdesign import claims as switches
from hopscape.papers.circulant import claims as circulant
from hopscape.papers.heawood import claims as heawood
from hopscape.papers.multiring import claims as multiring
from hopscape.papers.rpc import claims as rpc

__all__ = ["KNOWN", "Known"]


@dataclass(frozen=True)
class Known:
    """What is known of the claims of a paper.

    Attributes:
        prefix: Of all keys; left out of the names below.
        holds: Claims that hold as they are printed; if left out, all that are not named otherwise.
        undecided: Claims that are open.
        beyond: Claims that the paper does not make.
        texts: What the text of a claim says, by name.
    """

    claims: Sequence[Claim]
    prefix: str = ""
    holds: set[str] = field(default_factory=set)
    corrected: set[str] = field(default_factory=set)
    refuted: set[str] = field(default_factory=set)
    undecided: set[str] = field(default_factory=set)
    beyond: set[str] = field(default_factory=set)
    texts: tuple[tuple[str, str], ...] = ()

    def name(self, claim: Claim) -> str:
        """The key of a claim without the prefix."""
        return claim.key.removeprefix(self.prefix)

    @property
    def rulings(self) -> dict[str, str]:
        """By key."""
        known = dict.fromkeys(self.holds or map(self.name, self.claims), "holds")
        known |= dict.fromkeys(self.corrected, "holds corrected")
        known |= dict.fromkeys(self.refuted, "refuted") | dict.fromkeys(self.undecided, "open")
        return {self.prefix + name: ruling for name, ruling in known.items()}


KNOWN = {
    "blockdesign": Known(
        switches.CLAIMS,
        prefix="blockdesign-",
        corrected={
            "steps", "duplex-multiring", "wiring-formula", "reserve", "digraph-supernode", "square",
            "prime",
        },
        refuted={"channels", "1960", "980"},
        undecided={"optical"},
        beyond={"full-switch", "largest-39", "several-crossbars"},
        texts=(
            ("ports", "47 channels of a node"),
            ("512", "512 channels K3"),
            ("processors", "65664 processors"),
            ("original-jumps", "at most 3 jumps"),
            ("several-times", "RPK supernode 3.71 and 4.88"),
            ("channels", "(7, 4, 2) 28 against 21"),
            ("table-4.3", "impossible: N = 43; quoted: N = 111"),
            ("table-4.4", "impossible: N = 22, 29, 46"),
            ("rpk-39", "[0, 1, 2, 4, 13, 18, 33] mod 39"),
            ("1960", "= 1961 supernodes"),
            ("980", "= 981 supernodes"),
            ("reserve", "single (3, 4), doubled (3, 3)"),
            ("square", "M = 12: 133 and 144"),
            ("42", "N = 1723"),
            ("several-crossbars", "3 of 4 x 4 join 37 by 1"),
        ),
    ),
    "circulant": Known(
        circulant.CLAIMS,
        prefix="circulant-",
        holds={
            "ball", "ulb2", "ulb-bound", "ulb-below", "max-small-n", "max-below",
            "double-loop-nearest", "double-loop-ulb", "yebra", "wong-coppersmith", "wong-third",
            "bermond", "polynomials", "translation", "lemma", "table", "families", "two-parameters",
            "best-split", "equations", "theorem1", "theorem2", "even-s2", "18-equivalent", "gamma",
            "theorem3", "path-vector", "pair-routing", "broadcast-complete", "broadcast-time",
            "broadcast-any-source", "survivable", "fault-routing", "fault-broadcast", "routing-17",
            "memoryless",
        },
        corrected={"chen-jia", "above-older", "double-s2", "wide-sets", "broadcast-load"},
        refuted={"odd"},
        undecided={"np-hard", "machines", "bermond-eight-ninths"},
        beyond={"routing-17", "memoryless"},
        texts=(
            ("odd", "M(3, 4) = 104 by (104; 1, 16, 20, 27)"),
            ("broadcast-load", "duplicates as printed: 2, 10, 26, 50 = (p-1)² + 1"),
            ("broadcast-load", "54, 332, 1026, 2328 messages, one for each node"),
            ("broadcast-complete", "rounds 3, 6, 9"),
            ("chen-jia", "the range is d >= 2n - 3"),
            ("above-older", "d = 1: 7 against 7"),
            ("theorem2", "7 (1), 21 (6), 55 (3), 117 (1), 203 (3), 333 (3), 515 (1)"),
            ("theorem1", "21, 55, 111, 203, 333, 505"),
            ("even-s2", "(21; 1, 2, 8)"),
            ("survivable", "6, 6, 6"),
            ("theorem2", "6371, 7525, 8827"),
            ("wide-sets", "d = 1, (17): (2, 4)"),
        ),
    ),
    "heawood": Known(
        heawood.CLAIMS,
        corrected={
            "heawood-basic-route", "heawood-basic-broadcast", "heawood-folded-broadcast",
            "heawood-sizes", "heawood-ccc-diameter", "heawood-cost-one-nth",
            "heawood-folded-diameter", "heawood-cheaper-than-hypercube", "heawood-scalable",
            "heawood-expanded-links", "heawood-expanded-route",
        },
        refuted={
            "heawood-expanded-regular", "heawood-expanded-diameter",
            "heawood-expanded-petersen-diameter", "heawood-expanded-broadcast",
            "heawood-expanded-cost", "heawood-table-costs", "heawood-range",
        },
        undecided={"heawood-enough"},
        beyond={
            "classic-heawood-distances", "classic-heawood-opposite", "classic-heawood-bisection",
            "heawood-cayley", "heawood-expanded-distance", "heawood-expanded-cuts",
            "heawood-permutations", "heawood-exchange", "heawood-cheaper-still",
        },
        texts=(
            ("heawood-basic-route", "as printed 56 fail, with a plain else 0"),
            ("heawood-basic-broadcast", "10 of 14 nodes, 13 messages"),
            ("heawood-expanded-diameter",
             "3, 9, 12, 17, 20, 25, 28, 31, 36, 39, 43, 47, 50, 53, 56"),
            ("heawood-expanded-petersen-diameter", "2, 6, 9, 12, 15, 17, 20, 23, 25, 29, 31"),
            ("heawood-expanded-route", "as printed 6, connector and else put right 84"),
            ("heawood-expanded-broadcast", "1364 messages, 1169 of them duplicates"),
            ("heawood-folded-diameter", "30.9%"),
            ("heawood-folded-diameter", "at k = [1, 2, 3, 4, 5, 6, 8, 9, 12], not below CCC"),
            ("heawood-expanded-links", "n..13 have 3"),
            ("heawood-cheaper-still", "PCC from 2^13 nodes on, Kautz 3 from 2^8"),
            ("heawood-more-than-hypercube", "14 nodes at diameter 3"),
        ),
    ),
    "multiring": Known(
        multiring.CLAIMS,
        prefix="multiring-",
        corrected={
            "formula-2-2", "duplex-capacity", "sum-of-rings", "cable-of-family", "delays-alike",
            "least-delivery",
            "part-index", "part-numbers", "table-7-1", "sparse-nodes", "sparse-capacity",
            "sparse-capacity-7-3", "sparse-cable",
        },
        refuted={
            "start-nodes", "simplex-capacity", "table-2-4-band", "cable-sum", "delay-law",
            "delay-places", "several-times", "gemini-x", "x-balanced", "whole-torus",
            "gain-formula", "gain-of-delay", "sparse-more", "sparse-twice", "sparse-more-cable",
            "sparse-equal-nodes", "full-cable", "sparse-nodes-x", "sparse-z", "sparse-x",
            "sparse-torus-size",
        },
        beyond={"moore", "units", "split-routes", "reordered", "other-designs", "one-dead-arc"},
        texts=(
            ("table-2-3", "C = 240/11 = 21.82"),
            ("x-balanced", "70.82, 68.04, 70.14, 72.13"),
            ("square-law", "k from 0.58 (N = 14, n = 12) to 1.49"),
            ("sparse-x", "102 = 102.000"),
            ("sparse-nodes-x", "52 nodes"),
            ("whole-torus", "16/11 = 1.4545 times"),
            ("table-7-2", "0 printed cells differ"),
            ("cable-of-family", "8, 12, 26, 36, 54"),
            ("sparse-nodes-x", "m = 3, K = 15"),
        ),
    ),
    "rpc": Known(
        rpc.CLAIMS,
        prefix="rpc-",
        holds={
            "relatives", "petersen", "pc", "pc-cycles", "construction", "diameter", "p3", "eq2",
            "def7", "p7", "ring-phase", "th1", "p9", "naive", "th6", "th7", "third", "pc-paths",
            "symmetries", "mean", "detours", "two-way", "gathers", "extend", "table-regular",
            "recurrence", "one-each",
        },
        corrected={
            "intro-mesh", "degree", "table-1", "p3-limit", "p4", "2940", "eq1", "p5", "p5-limit",
            "th5", "p8", "p8-better", "p10", "p10-better", "th3-inner", "all-four",
        },
        refuted={"eq3", "p6", "p6-half", "th2", "th3", "th4", "th3-th5", "two-slices"},
        beyond={"pc-paths", "symmetries", "mean", "detours", "two-way", "gathers"},
        texts=(
            ("table-1", "differs at 158 of k = 1..200"),
            ("p4", "k = 1-2, 90, 94-97, than the best 2-D torus at k = 1"),
            ("p5", "m = 2-6, 11-12, 41-3136; better for m = 3, 51-3136"),
            ("p6", "1501-1513, 1531-3136"),
            ("th3", "(2, 2, 6, 2, 2)"),
            ("th5", "11 for eleven packets, 20 for an exchange"),
            ("p10-better", "from k = 16 on"),
            ("extend", "from k = 3 on 30 and 105, that is 75 more"),
            ("th3-inner", "9 packets in a cycle and 3 at a node"),
            ("all-four", "for k > 3 all four are"),
            ("symmetries", "120 automorphisms"),
        ),
    ),
}  # fmt: skip
