"""The paper 'circulant': its claims, and the studies and pictures that go with it."""

from hopscape.ledger.claim import Paper
from hopscape.ledger.papers.circulant import claims

__all__ = ["PAPER"]

PAPER = Paper(
    "circulant",
    "E. A. Monakhova: three-dimensional circulant networks",
    (
        "circulant",
        "optimal_circulant",
        "two_parameter_circulant",
        "gamma_circulant",
        "double_loop",
        "largest_double_loop",
        "yebra",
        "wong_coppersmith",
        "chen_jia",
    ),
    (*claims.CLAIMS,),
)
