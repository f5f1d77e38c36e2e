"""The paper 'torusbcast': its claims, and the studies and pictures that go with it."""

from hopscape.ledger.claim import Paper
from hopscape.ledger.papers.torusbcast import claims

__all__ = ["PAPER"]

PAPER = Paper(
    "torusbcast",
    "Okazaki, Ono, Sadahiro, Yamashita: efficient broadcasting on torus networks",
    ("torus",),
    (*claims.CLAIMS,),
)
