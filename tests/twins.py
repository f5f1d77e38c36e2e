"""Every compiled kernel has a slow, obvious twin: which, and in which test.

A key is a module under ``src/hopscape``; its value is the test file (under ``tests``) that compares
the two, and the function, class or method that is the twin: some test there uses it and the kernel,
itself or through what calls it. ``tests/test_twins.py`` checks the table.
"""

from __future__ import annotations

TWINS = {
    "collectives.breadth_kernels": ("collectives/test_breadth.py", "slow_balance"),
    "collectives.flows.path_kernels": ("collectives/flows/test_flows.py", "slow_graph"),
    "collectives.forest.flow_kernels": ("collectives/forest/test_forest.py", "slow_flow"),
    "collectives.plan_kernels": ("collectives/test_plan.py", "slow_times"),
    "collectives.classics.swap_kernels": ("collectives/classics/test_rank_swaps.py", "slow_cost"),
    "collectives.circuits.numeration_kernels": (
        "collectives/circuits/test_torus_numeration.py",
        "slow_digits",
    ),
    "collectives.circuits.ordered_kernels": (
        "collectives/circuits/test_ordered_circuits.py",
        "route_by_hand",
    ),
    "collectives.circuits.path_kernels": ("collectives/circuits/test_paths.py", "split_flow"),
    "collectives.circuits.search_kernels": (
        "collectives/circuits/test_circuit_search.py",
        "flow_with_ports",
    ),
    "collectives.circuits.words_kernels": (
        "collectives/circuits/test_words_kernels.py",
        "slow_words",
    ),
    "collectives.colouring_kernels": ("collectives/test_colouring_kernels.py", "is_proper"),
    "collectives.greedy_kernels": ("collectives/test_greedy_kernels.py", "slow_rounds"),
    "collectives.orbit_kernels": ("collectives/test_orbit_kernels.py", "play"),
    "core.cut_through_kernels": ("core/test_cut_through.py", "slow_loads"),
    "core.distance_kernels": ("core/test_distance_kernels.py", "Graph.distances"),
    "core.grid_kernels": ("core/test_grid_kernels.py", "hops_by_networkx"),
    "core.pair_kernels": ("core/test_pair_kernels.py", "slow_channels"),
    "core.pairing_kernels": ("core/test_pairing_kernels.py", "slow_pairs"),
    "core.verify_kernels": ("core/test_verify.py", "slow_verify"),
    "deadlock.dependency_kernels": ("deadlock/test_dependency_kernels.py", "slow_counts"),
    "deadlock.layer_kernels": ("deadlock/test_honest.py", "dependencies"),
    "deadlock.one_lane_kernels": ("deadlock/test_one_lane.py", "slow_grow"),
    "deadlock.rising_kernels": ("deadlock/test_rising_kernels.py", "walked"),
    "deadlock.symmetric_kernels": ("deadlock/test_symmetric.py", "slow_layers"),
    "deadlock.table_kernels": ("deadlock/test_table_kernels.py", "slow_port"),
    "algebra.designs.cover_kernels": (
        "algebra/designs/test_designs.py",
        "brute_cover",
    ),
    "ledger.papers.multiring.jump_kernels": (
        "ledger/test_jump_kernels.py",
        "slow_jumps",
    ),
    "families.blockdesign.meeting_kernels": (
        "families/blockdesign/test_two_level.py",
        "brute_loads",
    ),
    "families.blockdesign.orbit_kernels": (
        "families/blockdesign/test_two_level.py",
        "twin_distances",
    ),
    "families.blockdesign.portal_kernels": ("families/blockdesign/test_two_level.py", "searched"),
    "simulate.contention_kernels": (
        "simulate/test_contention.py",
        "slow_conflicts",
    ),
    "families.circulant.ball_kernels": (
        "families/circulant/test_circulant_figures.py",
        "distances_from",
    ),
    "families.circulant.routing_kernels": ("families/circulant/test_circulant_lattice.py", "bfs"),
    "search.circulant.scan_kernels": (
        "search/circulant/test_scan_kernels.py",
        "slow_scan",
    ),
    "families.expanded.route_kernels": (
        "families/expanded/test_expanded_kernels.py",
        "slow_distances",
    ),
    "search.multiring.order_kernels": (
        "search/multiring/test_orders.py",
        "brute_ways",
    ),
    "algebra.rational_kernels": (
        "algebra/test_rational_kernels.py",
        "slow_echelon",
    ),
    "search.multiring.scan_kernels": (
        "search/multiring/test_multiring_search.py",
        "every_set",
    ),
    "families.petersen_cycles.balance_kernels": (
        "families/petersen_cycles/test_balance_kernels.py",
        "cheapest",
    ),
    "ledger.papers.rpc.rival_kernels": ("ledger/test_rpc_rivals.py", "circulant_diameter"),
    "metrics.bisection_kernels": ("metrics/test_cut_kernels.py", "least_cut"),
    "metrics.clique_kernels": ("metrics/test_groups.py", "largest_clique"),
    "metrics.throughput_kernels": ("metrics/test_throughput.py", "paths_between"),
    "metrics.concurrent_kernels": ("metrics/test_concurrent.py", "slow_bounds"),
    "metrics.congestion_kernels": ("metrics/test_placement_kernels.py", "least_peak"),
    "metrics.connectivity_kernels": ("metrics/test_flow_kernels.py", "connectivity_of_nodes"),
    "metrics.cut_kernels": ("metrics/test_cut_kernels.py", "least_cut"),
    "metrics.flow_kernels": ("metrics/test_flow_kernels.py", "unit_flow"),
    "metrics.girth_kernels": ("metrics/test_girth_kernels.py", "Graph.girth"),
    "metrics.matching_kernels": ("metrics/test_matching_kernels.py", "slow_matching"),
    "metrics.placement_kernels": ("metrics/test_placement_kernels.py", "slow_places"),
    "metrics.route_kernels": ("metrics/test_route_kernels.py", "slow_table"),
    "simulate.engine_kernels": ("simulate/test_slow_engine.py", "SlowEngine"),
    "simulate.entry_kernels": ("simulate/test_entry_kernels.py", "slow_entry"),
    "simulate.fault_kernels": ("simulate/test_fault_kernels.py", "slow_ports"),
    "simulate.packet_kernels": ("simulate/test_packet_kernels.py", "slow_splitmix"),
    "simulate.rings.slots_kernels": ("simulate/rings/test_slots.py", "Twin"),
    "simulate.router_kernels": ("simulate/test_slow_engine.py", "SlowEngine"),
    "simulate.source_kernels": ("simulate/test_source_kernels.py", "slow_births"),
    "simulate.stuck_kernels": ("simulate/test_faults.py", "busy_rows"),
    "simulate.switch_kernels": ("simulate/test_slow_engine.py", "SlowEngine"),
    "core.vector_kernels": ("core/test_distance_kernels.py", "Graph.distances"),
    "core.random_kernels": ("core/test_random_kernels.py", "slow_draws"),
    "search.graph.measure_kernels": ("search/graph/test_graph_search.py", "slow_total"),
    "search.graph.move_kernels": ("search/graph/test_graph_search.py", "slow_total"),
    "search.graph.anneal_kernels": ("search/graph/test_graph_search.py", "slow_total"),
    "search.graph.orbit_kernels": ("search/graph/test_graph_search.py", "_distant"),
    "search.graph.pair_kernels": ("search/graph/test_graph_search.py", "far_pairs"),
    "families.classic.random_kernels": ("families/classic/test_random.py", "slow_pairing"),
    "families.torus.routing_kernels": (
        "families/torus/test_torus_routing_kernels.py",
        "slow_offsets",
    ),
}
