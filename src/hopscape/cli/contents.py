"""All commands: in which panel of the help they stand, and where they are.

A command is a function of a module of :mod:`hopscape.cli.commands`, written ``module:function``;
the module is imported when its command runs.
"""

from __future__ import annotations

__all__ = ["GROUPS", "PANELS"]

PANELS: dict[str, dict[str, str]] = {
    "Find and judge": {
        "design": "design:design",
        "prices": "switched:prices",
        "compare": "networks:compare",
        "show": "networks:show",
        "families": "networks:families",
        "explain": "networks:explain",
        "distances": "networks:distances",
        "bisection": "metrics:bisection",
        "draw": "networks:draw",
    },
    "Route and survive": {
        "route": "routing:route",
        "detour": "expanded:detour",
        "deadlock": "deadlock:deadlock",
    },
    "Collectives": {
        "broadcast": "collectives:broadcast",
        "reduce": "collectives:reduce",
        "scatter": "collectives:scatter",
        "gather": "collectives:gather",
        "multicast": "collectives:multicast",
        "allgather": "collectives:allgather",
        "reduce-scatter": "collectives:reduce_scatter",
        "allreduce": "collectives:allreduce",
        "alltoall": "collectives:alltoall",
        "permute": "collectives:permute",
        "verify": "collectives:verify",
    },
    "Load": {
        "load": "metrics:load",
        "simulate": "simulate:simulate",
    },
    "Search, files and studies": {
        "search": "",
        "atlas": "",
        "export": "networks:export",
        "handover": "handover:handover",
        "check": "handover:check",
        "run-mpi": "handover:run_mpi",
        "emit": "emit:emit",
        "embed": "petersen_cycles:embed",
        "groups": "petersen_cycles:groups",
        "study": "",
        "ledger": "ledger:ledger",
    },
    "Circulants and multirings": {
        "circulant": "circulant:circulant",
        "capacity": "multiring:capacity",
        "rings": "rings:simulate_rings",
        "ring-table": "rings:ring_table",
        "ring-routes": "rings:ring_routes",
        "ring-torus": "rings:ring_torus",
    },
    "Block designs": {
        "designs": "blockdesign:designs",
        "design-blocks": "blockdesign:design_blocks",
        "design-check": "blockdesign:design_check",
        "difference-cover": "blockdesign:difference_cover",
        "digraph-table": "blockdesign:digraph_table",
        "check-permutation": "blockdesign:check_permutation",
        "route-around": "blockdesign:route_around",
        "machines": "blockdesign:machines",
    },
}

GROUPS: dict[str, tuple[str, dict[str, str]]] = {
    "atlas": (
        "Optimal networks of every size, found by exhaustive search.",
        {
            "circulant": "atlas:atlas_circulant",
            "largest": "atlas:atlas_largest",
        },
    ),
    "search": (
        "Search for the best networks of a kind.",
        {
            "graph": "graph:search_graph",
            "circulant": "circulant:search_circulant",
            "multiring": "multiring:search_multiring",
            "ring-order": "multiring:search_order",
            "bases": "expanded:search_bases",
            "torus-level": "torus:torus_level",
        },
    ),
    "study": (
        "Reproduce a study: tables and figures into a folder.",
        {
            "which-network": "design:which_network",
            "load": "load_study:study_load",
            "circulant": "circulant:study_circulant",
            "multiring": "multiring:study_multiring",
            "heawood": "expanded:study_heawood",
            "rpc": "petersen_cycles:study_rpc",
            "torus-broadcast": "torus:torus_broadcast",
        },
    ),
}
