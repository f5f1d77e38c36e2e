"""Multirings: several rings of different steps through the same nodes.

Paper 001 (M. F. Karavay and V. S. Podlazov, topological reserves of supercomputer interconnect),
sections 2, 3, 7 and 8; its switches and machines are the room ``blockdesign``.

Nodes 0..N-1; ring S joins x to x + S mod N. Every arc carries a slot, all slots move one arc per
slot time, the destination empties a slot and may refill it at once. A packet stays on one ring, so
a *schedule* says which share of the packets for each node goes by which ring. The *capacity* is
the number of packets per slot: N(N - 1) over the load of the fullest ring. The shortest schedule
leaves rings unevenly loaded; the balanced one is the optimum of a linear program, proved in
fractions. In a *sparse* multiring a ring passes some of the nodes only, and a block design sees to
it that any two nodes share one.

======================= ======================================================================
spec                    what it is
======================= ======================================================================
multiring               rings of given steps through all nodes, duplex or simplex, in copies
sparse_multiring        duplex rings of K places, shared out among the nodes by a design
======================= ======================================================================

Wiring and routes: ``rings`` (steps, places, circuits), ``families`` (both families and collectives
that stay on one ring), ``routing`` (routers). Capacity: ``capacity`` (schedules of full rings),
``sparse_capacity``, ``exact_loads`` (the linear program and its certificate), ``rational`` with
``rational_kernels`` (equations in fractions), ``faults`` (what is left when parts are dead).
Search: ``search`` with ``search_kernels`` (best step sets, growing families, better orders),
``tables`` (many cells, kept), ``torus`` (tori of multirings). Simulation: ``traffic`` (what a
schedule sends), ``slots`` with ``slots_kernels`` (replications, intervals). The paper: ``printed``
(what it says, as printed), ``reference`` (the same numbers by walking), ``checks_common``,
``checks_full``, ``checks_delay``, ``checks_access``, ``checks_sparse`` and ``claims``
(one entry for each claim), ``pictures``, ``commands``.

Type::

    hopscape multiring capacity "multiring(16, 1, 3)"
    hopscape multiring simulate "multiring(32, 1, 2, 3, 7)" --mode window
    hopscape multiring torus --ports 20 --nodes 16384 --longest 48
    hopscape search multiring --nodes 32 --rings 8
    hopscape study multiring --out FOLDER
    hopscape ledger --paper multiring
"""

from hopscape.core.plugins import later

__getattr__ = later(
    __name__,
    {
        "families": (
            "Multiring",
            "SparseMultiring",
        ),
        "tables": (
            "full_lines",
            "sparse_lines",
        ),
    },
)
