"""Few rounds of unit messages: local searches against plain replays, bounds and brute force."""

from __future__ import annotations

from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest

import hopscape
from hopscape import Goal, Model, Network, Schedule, verify
from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.contest import compete
from hopscape.collectives.forest import bottleneck
from hopscape.collectives.negotiated import PERMUTATION, _hops, negotiated_schedule
from hopscape.collectives.rarest import few_pieces, rarest_first, ways_of
from hopscape.collectives.rarest_kernels import NEVER, Ways, gather_rounds
from hopscape.collectives.rates import exchange_rate, gather_rate
from hopscape.collectives.rounds_kernels import Packets, negotiate
from hopscape.core.channels import ChannelClass

RULES = [
    {},
    {"ports": 1},
    {"ports": 2},
    {"duplex": "half"},
    {"ports": 1, "duplex": "half"},
]


def network_of(graph: nx.Graph, name: str = "graph") -> Network:
    graph = nx.convert_node_labels_to_integers(graph)
    u, v = zip(*graph.edges(), strict=True)
    return Network.from_links(len(graph), np.array(u), np.array(v), spec=name)


KARATE = network_of(nx.Graph(nx.karate_club_graph().edges()), "karate")


def lanes_kept(ways: Ways, moves: list[tuple[int, int]]) -> bool:
    """Is no lane used beyond its room in any round? Moves are rounds and ways."""
    used: dict[tuple[int, int], int] = {}
    for when, way in moves:
        for lane in ways.lane[ways.start[way] : ways.start[way + 1]].tolist():
            used[when, lane] = used.get((when, lane), 0) + 1
    return all(count <= ways.room[lane] for (_, lane), count in used.items())


def replayed(ways: Ways, origin: list[int], arrive: np.ndarray, via: np.ndarray) -> bool:
    """Every arrival by a way into the node, from one that had the chunk before; lanes are kept."""
    ends = np.repeat(np.arange(len(ways.into) - 1), np.diff(ways.into))
    moves = []
    for (node, chunk), when in np.ndenumerate(arrive):
        if when < 0:
            assert origin[chunk] == node
        elif when < NEVER:
            way = via[node, chunk]
            assert ends[way] == node
            assert arrive[ways.source[way], chunk] < when
            moves.append((int(when), int(way)))
    return lanes_kept(ways, moves)


def delivered(ways: Ways, packets: Packets, rounds: int) -> bool:
    """Every packet goes from way to way in rising rounds to its target; lanes are kept."""
    ends = np.repeat(np.arange(len(ways.into) - 1), np.diff(ways.into))
    moves = []
    for p, count in enumerate(packets.hops.tolist()):
        at, last = packets.source[p], -1
        for when, way in zip(packets.when[p, :count], packets.way[p, :count], strict=True):
            assert last < when < rounds
            assert ways.source[way] == at
            at, last = ends[way], when
            moves.append((int(when), int(way)))
        assert at == packets.target[p]
    return lanes_kept(ways, moves)


def fewest_by_hand(net: Network, most: int) -> int:
    """Rounds of an all-gather with all ports, by trying everything that can be sent."""
    states = {tuple(frozenset({v}) for v in range(net.order))}
    everything = frozenset(range(net.order))
    for rounds in range(1, most + 1):
        later = set()
        for state in states:
            gets = []
            for v in range(net.order):
                choices = [
                    [{c} for c in state[u] - state[v]] or [set()]
                    for u in net.tails[net.heads == v].tolist()
                ]
                gets.append({state[v].union(*picked) for picked in product(*choices)})
            later |= set(product(*gets))
        if any(all(has == everything for has in state) for state in later):
            return rounds
        states = later
    return most + 1


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("spec", ["petersen", "mesh(3, 4)", "fat_tree(4)", "bcube(2, 1)"])
def test_what_the_search_says_can_be_played(spec, rules):
    net = hopscape.build(spec)
    model = Model(switching="cut-through" if net.has_switches else "store-and-forward", **rules)
    paths = ways_of(net, model)
    ends = net.endpoints.astype(np.int64)
    wanted = np.zeros(net.order, dtype=np.int64)
    wanted[ends] = 1
    rounds, arrive, via, _ = gather_rounds(paths.ways, ends, wanted, 1, 200_000, 3)
    assert replayed(paths.ways, ends.tolist(), arrive, via)
    assert arrive[ends].max() == rounds - 1


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("spec", ["petersen", "mesh(3, 4)", "fat_tree(4)", "bcube(2, 1)"])
def test_negotiated_routes_can_be_played(spec, rules):
    net = hopscape.build(spec)
    model = Model(switching="cut-through" if net.has_switches else "store-and-forward", **rules)
    paths = ways_of(net, model, every=True)
    apart = _hops(net, paths)
    pairs = [(u, v) for u in net.endpoints.tolist() for v in net.endpoints.tolist() if u != v]
    source, target = np.array(pairs, dtype=np.int64).T.copy()
    table = np.zeros((2, len(pairs), int(apart.max()) + 1), dtype=np.int64)
    packets = Packets(source, target, np.zeros(len(pairs), np.int64), *table)
    rounds = 90
    met, _ = negotiate(paths.ways, apart, packets, rounds, 1, 1_000_000, 5)
    assert met == 0
    assert delivered(paths.ways, packets, rounds)


def test_the_distances_of_all_pairs_are_counted():
    """A permutation of few packets on many nodes is not a short search."""
    net = hopscape.build("torus(40, 40)")
    pairs = net.order * (net.order + len(net.heads))
    assert PERMUTATION.cost(net, Goal.permutation(range(net.order)), Model()) > 2 * pairs


@pytest.mark.parametrize("seed", range(6))
def test_as_few_rounds_as_can_be(seed):
    graph = nx.gnp_random_graph(4, 0.6, seed=seed)
    graph.add_edges_from(nx.path_graph(4).edges())
    net = network_of(graph)
    assert rarest_first(net, Goal.all_gather()).rounds == fewest_by_hand(net, 4)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(8))
def test_no_bound_is_above_a_schedule(seed, rules):
    graph = nx.connected_watts_strogatz_graph(6 + seed, 4, 0.5, seed=seed)
    net, model = network_of(graph), Model(**rules)
    for goal, make in (
        (Goal.all_gather(), rarest_first),
        (Goal.all_to_all(), negotiated_schedule),
    ):
        made = make(net, goal, model)
        assert verify(made).holds
        assert made.rounds >= lower_bounds(net, goal, model)[0].rounds
        assert made.rounds <= 1.35 * lower_bounds(net, goal, model)[0].rounds + 1


def test_named_all_gathers():
    for spec, rounds in (
        ("random_regular(30, 5)", 6),
        ("mesh(4, 4)", 8),
        ("mesh(3, 7)", 10),
        ("xpander(4, 4)", 5),
        ("hammingmesh(2, 2, 2, 2)", 4),
        ("rail_optimized(2, 3, units=2)", 6),
    ):
        found = compete(hopscape.build(spec), Goal.all_gather())
        assert found.best.rounds == found.bounds[0].rounds == rounds
    one = compete(KARATE, Goal.all_gather(), {"ports": 1})
    assert one.best.rounds == one.bounds[0].rounds == 90


def faster_lines(spec: str, times: int) -> Network:
    """A switched machine whose endpoints have faster lines than its switches."""
    net = hopscape.build(spec)
    once = net.tails < net.heads
    line = (np.isin(net.tails, net.endpoints) | np.isin(net.heads, net.endpoints))[once]
    classes = [ChannelClass("between", 1), ChannelClass("line", times)]
    switches = np.setdiff1d(np.arange(net.order), net.endpoints)
    ends = net.tails[once], net.heads[once]
    return Network.from_links(
        net.order, *ends, switches=switches, classes=classes, kinds=line.astype(int), spec=spec
    )


@pytest.mark.parametrize(
    "net", [hopscape.build("hammingmesh(2, 2, 2, 2)"), faster_lines("leaf_spine(4, 2, 4)", 2)]
)
def test_long_data_through_switches_at_the_optimum(net):
    """Pieces that are sent where they are rarest fill every round of the optimum."""
    found = compete(net, Goal.all_gather(), size=1e9)
    optimum = float(bottleneck(net).rounds)
    pieces = found.best.schedule.goal.chunks
    assert found.best.algorithm == "rarest-first"
    assert pieces > 1
    assert found.best.rounds == round(optimum * pieces)
    assert found.best.time(found.costs, 1e9) < 1.02 * found.least_time(1e9)


def test_pieces_are_tried_where_a_short_search_places_them():
    rules = Model(switching="cut-through", packing="packed", beta=2e-5)
    small, large = hopscape.build("fat_tree(4)"), hopscape.build("fat_tree(8)")
    assert few_pieces(small, Goal.all_gather(), rules, 1e9) == [1, 8]
    assert few_pieces(small, Goal.all_gather(), rules, 1e3) == [1]
    assert few_pieces(large, Goal.all_gather(), rules, 1e9) == [1]


def test_named_all_to_alls():
    for spec, rounds in (("ring(8)", 8), ("ring(12)", 18), ("dcell(3, 1)", 12)):
        found = compete(hopscape.build(spec), Goal.all_to_all())
        assert found.best.duration == found.bounds[0].rounds == rounds
    ports = compete(hopscape.build("petersen"), Goal.all_to_all(), {"ports": 1})
    assert ports.best.rounds == ports.bounds[0].rounds == 15


@pytest.mark.parametrize("kind", ["all-gather", "all-to-all", "reduce-scatter"])
@pytest.mark.parametrize("spec", ["fat_tree(4)", "hyperx((3, 3), p=1)", "dragonfly(3, 1, p=1)"])
def test_half_duplex_through_switches(spec, kind):
    found = compete(hopscape.build(spec), Goal(kind), {"duplex": "half"})
    assert found.best.verdict.holds
    assert found.best.duration >= found.bounds[0].rounds


def test_rates_of_half_duplex_and_ports():
    ring = hopscape.build("ring(6)")
    assert gather_rate(ring, Model(duplex="half")) == pytest.approx(5)  # 30 hops, 6 links
    assert exchange_rate(ring, Model(ports=1)) == pytest.approx(9)  # 1 + 1 + 2 + 2 + 3
    star = network_of(nx.star_graph(4))
    assert gather_rate(star, Model(ports=1)) == pytest.approx(16)  # the hub sends 4 to each of 4


def test_messages_that_run_through_take_ports_at_their_ends_only():
    """Shifts of ring(6) in cut-through: 1 + 2 + 2 + 2 + 1, below what stops at every node take."""
    net = hopscape.build("ring(6)")
    one = Model(ports=1, switching="cut-through")
    goal = Goal.all_to_all()
    clockwise = {v: w for v, w in zip(net.tails.tolist(), net.heads.tolist()) if w == (v + 1) % 6}
    by_ends = {(int(v), int(w)): c for c, (v, w) in enumerate(zip(net.tails, net.heads))}
    assert len(clockwise) == 6
    when, chunks, start, channels = [], [], [0], []
    for shift in range(1, 6):
        for v in range(6):
            back = shift > 3 or (shift == 3 and v % 2)
            step, hops = (-1, 6 - shift) if back else (1, shift)
            nodes = [(v + step * k) % 6 for k in range(hops + 1)]
            channels += [by_ends[ends] for ends in pairwise(nodes)]
            start.append(len(channels))
            when.append(shift - 1)
            chunks.append(6 * v + nodes[-1])
    made = Schedule.from_columns(
        net, one, goal, round=when, channels=channels, path_start=start, chunk=chunks
    )
    verdict = verify(made)
    assert verdict.holds, verdict.reason
    assert verdict.details["sizes"] == 8
    assert lower_bounds(net, goal, one)[0].rounds <= 8
    assert lower_bounds(net, goal, Model(ports=1))[0].rounds == 9


def test_printed_bounds_are_what_is_proved():
    for spec, rules, bound in (
        ("leaf_spine(5, 2, 4)", {}, 32),
        ("rpc(3)", {"ports": 1}, 363),
        ("dragonfly(3, 1, p=2)", {}, 36),
    ):
        net = hopscape.build(spec)
        if net.has_switches:
            rules = {"switching": "cut-through", **rules}
        assert lower_bounds(net, Goal.all_to_all(), Model(**rules))[0].rounds == bound


@pytest.mark.parametrize("spec", ["petersen", "mesh(3, 4)", "hypercube(3)"])
@pytest.mark.parametrize("rules", [{"ports": 1}, {"ports": 2}, {"duplex": "half"}])
def test_prices_prove_nearly_what_the_linear_program_does(
    monkeypatch: pytest.MonkeyPatch, spec: str, rules: dict
) -> None:
    net, model = hopscape.build(spec), Model(**rules)
    best = exchange_rate(net, model)
    monkeypatch.setattr("hopscape.collectives.rates._VARIABLES", 0)
    assert 0.9 * best < exchange_rate(net, model) <= best * (1 + 1e-9)
