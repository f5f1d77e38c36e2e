"""Rings of Petersen-connected cycles, RPC(k) (Xing, Liu, Yang, paper 003): the system on one page.

PC is the Petersen graph with every node replaced by a triangle: 30 nodes (m, n), n a neighbour of
m, of degree 3 and diameter 5. RPC(k) stacks k copies of it and joins equal nodes to 30 rings: 30k
nodes of degree 5 and diameter ⌊k/2⌋ + 5. RP(k), of an earlier paper, does the same with the
Petersen graph itself. All networks of this room are stacks: copies of a slice, joined along rings.
The paper gives four routings (unicast, permutation, broadcast, all-to-all) and compares them and
the best groups of m nodes with RP and 2-D tori.

    hopscape show "rpc(4)"
    hopscape permute "rpc(4)" -a general              the paper's algorithm, on a random one
    hopscape allgather "rpc(4)" -a paper --duplex half --packing packed
    hopscape groups "rpc(8)" -m 18                    nodes as near to each other as possible
    hopscape study rpc --out FOLDER --only rivals     the whole comparison, k = 1..64
    hopscape ledger --paper rpc

Networks
    wiring, families    stacks in general; PC, RPC, RP and the relatives that the paper names
    cycles              long walks through a slice: rings, meshes and tori inside RPC(k)
    routing             exact routes: a table for the slice, arithmetic for the rings
Schedules
    phases              schedules in phases, each begins when the one before has ended
    permutations, slices    the paper's algorithms and better ones; triangles solved exactly
    gathers             broadcasts and all-gathers
    collectives         the names under which `hopscape broadcast -a` and others find them
Comparison
    groups              groups by clique search, and in closed form
    comparison, study   RPC(k) beside its rivals; tables and figures of the study
    balance_kernels, clique_kernels   compiled loops
Ledger
    printed             numbers and formulas as the paper prints them
    checks_structure, checks_groups, checks_routing, checks_collectives   sections 1 to 3
    claims              the claims, in the paper's order
Command line
    commands
"""

from hopscape.core.plugins import later

__getattr__ = later(
    __name__,
    {
        "families": (
            "DoubleLoopPetersen",
            "HierarchicalRings",
            "PetersenCycles",
            "RingOfCycles",
            "RingOfPetersen",
            "RingOfPetersenCycles",
            "TorusOfPetersen",
            "TwoDoubleLoopsPetersen",
        ),
    },
)
