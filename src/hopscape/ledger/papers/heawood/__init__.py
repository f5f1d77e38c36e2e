"""The paper 'heawood': its claims, and the studies and pictures that go with it."""

from hopscape.ledger.claim import Paper
from hopscape.ledger.papers.heawood import classic, expanded, folded, graph

__all__ = ["PAPER"]

PAPER = Paper(
    "heawood",
    "scalable interconnection networks based on the Heawood graph",
    (
        "petersen",
        "heawood",
        "hypercube",
        "ccc",
        "folded",
        "expanded",
    ),
    (
        *graph.CLAIMS,
        *(c for c in classic.CLAIMS if c.paper == "heawood"),
        *folded.CLAIMS,
        *expanded.CLAIMS,
    ),
)
