"""All commands: in which panel of the help they stand, and where they are.

A command is a function of a module of :mod:`hopscape.cli.commands`, written ``module:function``;
the module is imported when its command runs.
"""

from __future__ import annotations

__all__ = ["BARE", "GROUPS", "OLD", "PANELS"]

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
        "structure": "structure:structure",
        "draw": "networks:draw",
        "explore": "explore:explore",
    },
    "Route and survive": {
        "route": "routing:route",
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
        "docs": "manual:docs",
        "warm-up": "warmup:warm_up",
    },
    "One family": {
        "blockdesign": "",
        "circulant": "",
        "multiring": "",
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
            "circulant": "atlas:search_circulant",
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
    "blockdesign": (
        "Block designs, distributed switches and two-level machines.",
        {
            "list": "blockdesign:designs",
            "blocks": "blockdesign:design_blocks",
            "check": "blockdesign:design_check",
            "cover": "blockdesign:difference_cover",
            "digraph": "blockdesign:digraph_table",
            "permutation": "blockdesign:check_permutation",
            "routes": "blockdesign:route_around",
            "machines": "blockdesign:machines",
        },
    ),
    "circulant": (
        "Circulant graphs: what is known of one, and the best of a size.",
        {
            "show": "circulant:circulant",
            "search": "atlas:search_circulant",
        },
    ),
    "multiring": (
        "Parallel rings: what they carry, slot by slot, and which ones to choose.",
        {
            "capacity": "multiring:capacity",
            "simulate": "rings:simulate_rings",
            "table": "rings:ring_table",
            "routes": "rings:ring_routes",
            "torus": "rings:ring_torus",
            "search": "multiring:search_multiring",
            "order": "multiring:search_order",
        },
    ),
}

OLD: dict[str, tuple[str, str]] = {
    "detour": ("routing:detour", "route --dead"),
    "capacity": ("multiring:capacity", "multiring capacity"),
    "rings": ("rings:simulate_rings", "multiring simulate"),
    "ring-table": ("rings:ring_table", "multiring table"),
    "ring-routes": ("rings:ring_routes", "multiring routes"),
    "ring-torus": ("rings:ring_torus", "multiring torus"),
    "designs": ("blockdesign:designs", "blockdesign list"),
    "design-blocks": ("blockdesign:design_blocks", "blockdesign blocks"),
    "design-check": ("blockdesign:design_check", "blockdesign check"),
    "difference-cover": ("blockdesign:difference_cover", "blockdesign cover"),
    "digraph-table": ("blockdesign:digraph_table", "blockdesign digraph"),
    "check-permutation": ("blockdesign:check_permutation", "blockdesign permutation"),
    "route-around": ("blockdesign:route_around", "blockdesign routes"),
    "machines": ("blockdesign:machines", "blockdesign machines"),
}
"""Names of the release before: where the command is, and what it is called now."""

BARE: dict[str, str] = {"circulant": "show"}
"""Groups that were commands: what they still do with an argument that names no command."""
