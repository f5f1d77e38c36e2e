"""The paper 'multiring': its claims, and the studies and pictures that go with it."""

from hopscape.ledger.claim import Paper
from hopscape.ledger.papers.multiring import claims, switches

__all__ = ["PAPER"]

PAPER = Paper(
    "multiring",
    "M. F. Karavay, V. S. Podlazov: topological reserves of supercomputer interconnect",
    (
        "multiring",
        "sparse_multiring",
        "distributed_switch",
        "partial_switch",
        "quasicomplete_digraph",
        "switched_multiring",
        "design_expansion",
        "two_level",
    ),
    (
        *claims.CLAIMS,
        *switches.CLAIMS,
    ),
)
