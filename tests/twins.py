"""Every compiled kernel has a slow, obvious twin: which, and in which test.

A row names a module under ``src/hopscape``, the test file (under ``tests``) that compares the two,
and the function, class or method that is the twin: some test there uses it and the kernel, itself
or through what calls it. ``tests/test_twins.py`` checks the table.
"""

from __future__ import annotations

_TABLE = """
algebra.designs.cover_kernels algebra/designs/test_designs.py brute_cover
algebra.rational_kernels algebra/test_rational_kernels.py slow_echelon
collectives.breadth_kernels collectives/test_breadth.py slow_balance
collectives.circuits.numeration_kernels collectives/circuits/test_torus_numeration.py slow_digits
collectives.circuits.ordered_kernels collectives/circuits/test_ordered_circuits.py route_by_hand
collectives.circuits.path_kernels collectives/circuits/test_paths.py split_flow
collectives.circuits.search_kernels collectives/circuits/test_circuit_search.py flow_with_ports
collectives.circuits.words_kernels collectives/circuits/test_words_kernels.py slow_words
collectives.classics.swap_kernels collectives/classics/test_rank_swaps.py slow_cost
collectives.colouring_kernels collectives/test_colouring_kernels.py is_proper
collectives.flows.path_kernels collectives/flows/test_flows.py slow_graph
collectives.forest.flow_kernels collectives/forest/test_forest.py slow_flow
collectives.greedy_kernels collectives/test_greedy_kernels.py slow_rounds
collectives.orbit_kernels collectives/test_orbit_kernels.py play
collectives.plan_kernels collectives/test_plan.py slow_times
core.cut_through_kernels core/test_cut_through.py slow_loads
core.distance_kernels core/test_distance_kernels.py Graph.distances
core.grid_kernels core/test_grid_kernels.py hops_by_networkx
core.pair_kernels core/test_pair_kernels.py slow_channels
core.pairing_kernels core/test_pairing_kernels.py slow_pairs
core.random_kernels core/test_random_kernels.py slow_draws
core.vector_kernels core/test_distance_kernels.py Graph.distances
core.verify_kernels core/test_verify.py slow_verify
deadlock.dependency_kernels deadlock/test_dependency_kernels.py slow_counts
deadlock.layer_kernels deadlock/test_honest.py dependencies
deadlock.one_lane_kernels deadlock/test_one_lane.py slow_grow
deadlock.rising_kernels deadlock/test_rising_kernels.py walked
deadlock.symmetric_kernels deadlock/test_symmetric.py slow_layers
deadlock.table_kernels deadlock/test_table_kernels.py slow_port
families.blockdesign.meeting_kernels families/blockdesign/test_two_level.py brute_loads
families.blockdesign.orbit_kernels families/blockdesign/test_two_level.py twin_distances
families.blockdesign.portal_kernels families/blockdesign/test_two_level.py searched
families.circulant.ball_kernels families/circulant/test_circulant_figures.py distances_from
families.circulant.routing_kernels families/circulant/test_circulant_lattice.py bfs
families.classic.random_kernels families/classic/test_random.py slow_pairing
families.expanded.route_kernels families/expanded/test_expanded_kernels.py slow_distances
families.petersen_cycles.balance_kernels families/petersen_cycles/test_balance_kernels.py cheapest
families.torus.routing_kernels families/torus/test_torus_routing_kernels.py slow_offsets
ledger.papers.multiring.jump_kernels ledger/test_jump_kernels.py slow_jumps
ledger.papers.rpc.rival_kernels ledger/test_rpc_rivals.py circulant_diameter
metrics.bisection_kernels metrics/test_cut_kernels.py least_cut
metrics.clique_kernels metrics/test_groups.py largest_clique
metrics.concurrent_kernels metrics/test_concurrent.py slow_bounds
metrics.congestion_kernels metrics/test_placement_kernels.py least_peak
metrics.connectivity_kernels metrics/test_flow_kernels.py connectivity_of_nodes
metrics.cut_kernels metrics/test_cut_kernels.py least_cut
metrics.flow_kernels metrics/test_flow_kernels.py unit_flow
metrics.girth_kernels metrics/test_girth_kernels.py Graph.girth
metrics.matching_kernels metrics/test_matching_kernels.py slow_matching
metrics.placement_kernels metrics/test_placement_kernels.py slow_places
metrics.route_kernels metrics/test_route_kernels.py slow_table
metrics.throughput_kernels metrics/test_throughput.py paths_between
search.circulant.scan_kernels search/circulant/test_scan_kernels.py slow_scan
search.graph.anneal_kernels search/graph/test_graph_search.py slow_total
search.graph.measure_kernels search/graph/test_graph_search.py slow_total
search.graph.move_kernels search/graph/test_graph_search.py slow_total
search.graph.orbit_kernels search/graph/test_graph_search.py _distant
search.graph.pair_kernels search/graph/test_graph_search.py far_pairs
search.multiring.order_kernels search/multiring/test_orders.py brute_ways
search.multiring.scan_kernels search/multiring/test_multiring_search.py every_set
simulate.contention_kernels simulate/test_contention.py slow_conflicts
simulate.engine_kernels simulate/test_slow_engine.py SlowEngine
simulate.entry_kernels simulate/test_entry_kernels.py slow_entry
simulate.fault_kernels simulate/test_fault_kernels.py slow_ports
simulate.packet_kernels simulate/test_packet_kernels.py slow_splitmix
simulate.rings.slots_kernels simulate/rings/test_slots.py Twin
simulate.router_kernels simulate/test_slow_engine.py SlowEngine
simulate.source_kernels simulate/test_source_kernels.py slow_births
simulate.stuck_kernels simulate/test_faults.py busy_rows
simulate.switch_kernels simulate/test_slow_engine.py SlowEngine
"""

TWINS = {kernel: (file, twin) for kernel, file, twin in map(str.split, _TABLE.split("\n")[1:-1])}
