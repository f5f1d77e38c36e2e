"""The paper 'rpc': its claims, and the studies and pictures that go with it."""

from hopscape.ledger.claim import Paper
from hopscape.ledger.papers.rpc import claims

__all__ = ["PAPER"]

PAPER = Paper(
    "rpc",
    "Xing, Liu, Yang: a practical interconnection network RPC(k)",
    (
        "petersen",
        "pc",
        "rpc",
        "rp",
        "ring_of_cycles",
        "dlcpg",
        "dcp",
        "tcp",
        "hrn",
    ),
    claims.CLAIMS,
)
