"""The paper on Heawood networks: claims are judged as they are known, by checks that can fail."""

from __future__ import annotations

from rulings import JudgedClaims, rulings

from hopscape.ledger.papers.heawood.claims import CLAIMS

CORRECTED = {
    "heawood-basic-route",
    "heawood-basic-broadcast",
    "heawood-folded-broadcast",
    "heawood-sizes",
    "heawood-ccc-diameter",
    "heawood-cost-one-nth",
    "heawood-folded-diameter",
    "heawood-cheaper-than-hypercube",
}
REFUTED = {
    "heawood-expanded-regular",
    "heawood-expanded-diameter",
    "heawood-expanded-petersen-diameter",
    "heawood-expanded-route",
    "heawood-expanded-broadcast",
    "heawood-expanded-cost",
    "heawood-table-costs",
    "heawood-range",
}
BEYOND = {
    "classic-heawood-distances",
    "classic-heawood-opposite",
    "classic-heawood-bisection",
    "heawood-cayley",
    "heawood-expanded-distance",
    "heawood-expanded-cuts",
    "heawood-permutations",
    "heawood-exchange",
    "heawood-cheaper-still",
}
NAMES = [c.key for c in CLAIMS]
RULINGS = rulings(NAMES, "", corrected=CORRECTED, refuted=REFUTED)


class TestClaims(JudgedClaims):
    claims = CLAIMS
    rulings = RULINGS
    beyond = BEYOND
    texts = (
        ("heawood-basic-route", "as printed 56 fail, with a plain else 0"),
        ("heawood-basic-broadcast", "10 of 14 nodes, 13 messages"),
        ("heawood-expanded-diameter", "3, 9, 12, 17, 20, 25, 28, 31, 36, 39, 43, 47, 50, 53, 56"),
        ("heawood-expanded-petersen-diameter", "2, 6, 9, 12, 15, 17, 20, 23, 25, 29, 31"),
        ("heawood-expanded-route", "as printed 6, connector and else put right 84"),
        ("heawood-expanded-broadcast", "1364 messages, 1169 of them duplicates"),
        ("heawood-folded-diameter", "30.9%"),
        ("heawood-cheaper-still", "PCC from 2^13 nodes on, Kautz 3 from 2^8"),
        ("heawood-more-than-hypercube", "14 nodes at diameter 3"),
    )
