"""The paper 'heawood': its claims, and the studies and pictures that go with it.

`printed` holds what the paper prints, `graph`, `folded`, `expanded`, `performance` and `beyond` the
checks, chapter by chapter, `plants` the errors that these must notice.
"""

from hopscape.ledger.claim import Paper
from hopscape.ledger.papers.heawood.claims import CLAIMS

__all__ = ["PAPER"]

PAPER = Paper(
    "heawood",
    "Tang, Lin, Jiang: scalable interconnection networks based on the Heawood graph (in Chinese)",
    (
        "petersen",
        "heawood",
        "hypercube",
        "ccc",
        "folded",
        "expanded",
    ),
    CLAIMS,
)
