"""Rings of Petersen-connected cycles, RPC(k), with their general form and their relatives.

============== ============================================== ======== ========
spec           what                                           nodes    degree
============== ============================================== ======== ========
pc             Petersen graph, every vertex a triangle        30       3
rpc(k)         k of these, corresponding nodes in rings       30k      5
ring_of_cycles the same for any regular graph G of degree d   nd·k     5
rp(k)          k Petersen graphs in a ring                    10k      5
dlcpg(k)       Petersen graphs on a double loop               10k      7
tcp(k)         Petersen graphs on a k × k torus               10k²     7
dcp(k)         Petersen graphs on two crossed double loops    10k²     11
hrn(k1, ...)   Petersen graphs on a torus of l axes           10·Πk    3 + 2l
============== ============================================== ======== ========

`slices` holds the tables of one slice, `wiring` and `networks` the networks, `routing` the exact
router, `permutations`, `gathers` and `collectives` the communication algorithms, `cycles`
Hamiltonian paths and cycles.
"""

from hopscape.families.petersen_cycles.networks import (
    DoubleLoopPetersen,
    HierarchicalRings,
    PetersenCycles,
    RingOfCycles,
    RingOfPetersen,
    RingOfPetersenCycles,
    TorusOfPetersen,
    TwoDoubleLoopsPetersen,
)

__all__ = [
    "DoubleLoopPetersen",
    "HierarchicalRings",
    "PetersenCycles",
    "RingOfCycles",
    "RingOfPetersen",
    "RingOfPetersenCycles",
    "TorusOfPetersen",
    "TwoDoubleLoopsPetersen",
]
