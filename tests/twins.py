"""Every compiled kernel has a slow, obvious twin: which, and in which test.

A row names a module under ``src/hopscape``, the test file (under ``tests``) that compares the two,
and the function, class or method that is the twin: some test there uses it and the kernel, itself
or through what calls it. ``tests/test_twins.py`` checks the table.
"""

from __future__ import annotations

_TABLE = """
collectives.breadth_kernels collectives/test_breadth.py slow_balance
collectives.circuits.chain_kernels collectives/circuits/test_chains.py least_sum
collectives.circuits.path_kernels collectives/circuits/test_paths.py split_flow
collectives.circuits.search_kernels collectives/circuits/test_circuit_search.py flow_with_ports
collectives.circuits.search_kernels collectives/circuits/test_ordered_circuits.py route_by_hand
collectives.classics.swap_kernels collectives/classics/test_rank_swaps.py slow_cost
collectives.colouring_kernels collectives/test_colouring_kernels.py is_proper
collectives.executed_kernels collectives/test_executed.py played
collectives.flow_path_kernels collectives/flows/test_flows.py slow_graph
collectives.forest_kernels collectives/forest/test_forest.py slow_flow
collectives.greedy_kernels collectives/test_greedy_kernels.py slow_rounds
collectives.rarest_kernels collectives/test_few_rounds.py replayed
collectives.rounds_kernels collectives/test_few_rounds.py delivered
collectives.symmetric_kernels collectives/test_orbit_kernels.py play
collectives.plan_kernels collectives/test_plan.py slow_times
collectives.plan_kernels collectives/test_over_time.py slow_rounds
core.annealing_kernels core/test_annealing_kernels.py slow_heats
core.distance_kernels core/test_distance_kernels.py PlainGraph.distances
core.grid_kernels core/test_grid_kernels.py hops_by_networkx
core.grid_kernels core/test_pairing_kernels.py slow_pairs
core.grid_kernels core/test_random_kernels.py slow_draws
core.search_kernels core/test_search_kernels.py slow_channels
core.vector_kernels core/test_distance_kernels.py PlainGraph.distances
core.verify_kernels core/test_cut_through.py slow_loads
core.verify_kernels core/test_verify.py slow_verify
deadlock.dependency_kernels deadlock/test_dependency_kernels.py slow_counts
deadlock.dependency_kernels deadlock/test_table_kernels.py slow_port
deadlock.lane_search_kernels deadlock/test_lane_search.py slow_count
deadlock.layer_kernels deadlock/test_honest.py dependencies
deadlock.layer_kernels deadlock/test_rising_kernels.py walked
deadlock.layer_kernels deadlock/test_symmetric.py slow_layers
deadlock.leaf_kernels deadlock/test_folded_classes.py slow_classes
deadlock.one_lane_kernels deadlock/test_one_lane.py slow_grow
deadlock.shift_kernels deadlock/test_folded_classes.py slow_classes
families.circulant.ball_kernels families/circulant/test_circulant_figures.py distances_from
families.circulant.routing_kernels families/circulant/test_circulant_lattice.py bfs
families.classic.random_kernels families/classic/test_random.py slow_pairing
families.torus.routing_kernels families/torus/test_torus_routing_kernels.py slow_offsets
metrics.bisection_kernels metrics/test_cut_kernels.py least_cut
metrics.blossom_kernels metrics/test_blossom_kernels.py slow_alone
metrics.connectivity_kernels metrics/test_flow_kernels.py connectivity_of_nodes
metrics.cut_kernels metrics/test_cut_kernels.py least_cut
metrics.flow_kernels metrics/test_flow_kernels.py unit_flow
metrics.girth_kernels metrics/test_girth_kernels.py PlainGraph.girth
metrics.matching_kernels metrics/test_matching_kernels.py slow_matching
metrics.placement_kernels metrics/test_placement_kernels.py least_peak
metrics.placement_kernels metrics/test_placement_kernels.py slow_places
metrics.route_kernels metrics/test_route_kernels.py slow_table
metrics.throughput_kernels metrics/test_concurrent.py slow_bounds
metrics.throughput_kernels metrics/test_throughput.py paths_between
papers.blockdesign.contention_kernels papers/blockdesign/test_contention.py slow_conflicts
papers.blockdesign.cover_kernels papers/blockdesign/test_designs.py brute_cover
papers.blockdesign.jump_kernels papers/blockdesign/test_jump_kernels.py slow_jumps
papers.blockdesign.meeting_kernels papers/blockdesign/test_two_level.py brute_loads
papers.blockdesign.shared_kernels papers/blockdesign/test_crossbars.py slow_anneal
papers.blockdesign.two_level_kernels papers/blockdesign/test_two_level.py searched
papers.blockdesign.two_level_kernels papers/blockdesign/test_two_level.py twin_distances
papers.circulant.loop_kernels papers/circulant/test_loop_atlas.py slow_total
papers.circulant.orbit_kernels papers/circulant/test_orbit_search.py bfs
papers.circulant.search_kernels papers/circulant/test_scan_kernels.py slow_scan
papers.heawood.route_kernels papers/heawood/test_expanded_kernels.py slow_distances
papers.multiring.rational_kernels papers/multiring/test_rational_kernels.py slow_echelon
papers.multiring.search_kernels papers/multiring/test_multiring_search.py every_set
papers.multiring.search_kernels papers/multiring/test_orders.py brute_ways
papers.multiring.slots_kernels papers/multiring/test_slots.py Twin
papers.rpc.balance_kernels papers/rpc/test_balance_kernels.py cheapest
papers.rpc.balance_kernels papers/rpc/test_rpc_rivals.py circulant_diameter
papers.rpc.clique_kernels papers/rpc/test_groups.py largest_clique
papers.torusbcast.numeration_kernels papers/torusbcast/test_torus_numeration.py slow_digits
papers.torusbcast.words_kernels papers/torusbcast/test_words_kernels.py slow_words
search.graph.anneal_kernels search/graph/test_graph_search.py slow_total
search.graph.dense_kernels search/graph/test_graph_search.py _distant
search.graph.dense_kernels search/graph/test_graph_search.py far_pairs
search.graph.measure_kernels search/graph/test_graph_search.py slow_total
search.graph.move_kernels search/graph/test_graph_search.py slow_total
simulate.engine_kernels simulate/test_slow_engine.py SlowEngine
simulate.entry_kernels simulate/test_folds.py require_alike
simulate.gate_kernels simulate/test_parts.py compare
simulate.packet_kernels simulate/test_packet_kernels.py slow_splitmix
simulate.router_kernels simulate/test_slow_engine.py SlowEngine
simulate.source_kernels simulate/test_source_kernels.py slow_births
simulate.stuck_kernels simulate/test_faults.py busy_rows
simulate.switch_kernels simulate/test_slow_engine.py SlowEngine
simulate.table_kernels simulate/test_entry_kernels.py slow_entry
simulate.table_kernels simulate/test_fault_kernels.py slow_ports
workloads.path_kernels workloads/test_step.py slow_longest
workloads.share_kernels workloads/test_step.py slow_shares
workloads.timeline_kernels workloads/test_timeline.py slow_ends
"""

TWINS = [tuple(line.split()) for line in _TABLE.split("\n")[1:-1]]
