"""Lower bounds: never above the best schedule there is, and right where the best is known."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, Network, Schedule, verify
from hopscape.collectives import lower_bounds
from hopscape.collectives.bounds import bandwidth_optimum
from hopscape.collectives.choose import run_algorithm
from hopscape.collectives.contest import compete
from hopscape.core.errors import DisconnectedError

INWARD_STAR = Network.from_links(6, [1, 2, 3, 4, 5], [0] * 5, duplex=False, spec="inward star")
TWO_PARTS = Network.from_links(5, [0, 1, 3], [1, 2, 4], spec="two parts")
PAIR = Network.from_links(2, [0], [1], spec="pair")


def best(network, goal, model=Model()):
    return max((bound.rounds for bound in lower_bounds(network, goal, model)), default=0)


def least_rounds(network, goal, model, limit=4):
    """The fewest rounds of any schedule of whole chunks, by trying all (tiny networks only)."""
    promise = goal.on(network)
    start = frozenset(enumerate(promise.origins.tolist()))
    wanted = set()
    for c, v in enumerate(promise.destinations.tolist()):
        wanted |= {(c, w) for w in (promise.wanted.tolist() if v < 0 else [v])}
    states = {start}
    for rounds in range(limit + 1):
        if any(wanted <= state for state in states):
            return rounds
        states = {new for state in states for new in after_one_round(network, model, state)}
    return limit + 1


def after_one_round(network, model, state):
    """All states that one round can lead to: nothing or one held chunk on every channel."""
    choices = []
    for tail, head in zip(network.tails.tolist(), network.heads.tolist()):
        chunks = [c for c, v in state if v == tail and (c, head) not in state]
        choices.append([None, *((c, tail, head) for c in chunks)])
    for picked in itertools.product(*choices):
        moves = [m for m in picked if m is not None]
        if allowed(network, model, picked, moves):
            yield state | {(c, head) for c, _, head in moves}


def allowed(network, model, picked, moves):
    if model.duplex == "half":
        for c, mate in enumerate(network.reverse.tolist()):
            if mate >= 0 and mate != c and picked[c] is not None and picked[mate] is not None:
                return False
    if model.ports is None:
        return True
    for v in range(network.order):
        sends = sum(tail == v for _, tail, _ in moves)
        receives = sum(head == v for _, _, head in moves)
        busy = sends + receives if model.duplex == "half" else max(sends, receives)
        if busy > model.ports:
            return False
    return True


@st.composite
def tiny(draw):
    n = draw(st.integers(2, 4))
    duplex = draw(st.booleans())
    node = st.integers(0, n - 1)
    links = draw(st.lists(st.tuples(node, node), min_size=1, max_size=3 if duplex else 5))
    switches = draw(st.lists(node, max_size=1))
    return Network.from_links(n, *zip(*links), duplex=duplex, switches=np.array(switches, int))


@settings(deadline=None, max_examples=120, derandomize=True)
@given(st.data())
def test_no_schedule_beats_a_bound(data):
    network = data.draw(tiny())
    node = st.integers(0, network.order - 1)
    goal = data.draw(
        st.one_of(
            st.builds(Goal.broadcast, node, st.integers(1, 2)),
            st.builds(Goal.one_to_many, node, st.lists(node, max_size=2), st.integers(1, 2)),
            st.builds(Goal.scatter, node),
            st.builds(Goal.gather, node),
            st.just(Goal.permutation(network.endpoints[::-1])),
        )
    )
    ports = data.draw(st.sampled_from([None, 1, 2]))
    model = Model(ports, data.draw(st.sampled_from(["full", "half"])))
    limit = 3
    least = least_rounds(network, goal, model, limit)
    try:
        assert least > limit or best(network, goal, model) <= least
    except DisconnectedError:
        assert least > limit


@pytest.mark.parametrize(
    ("spec", "goal", "model", "rounds"),
    [
        ("petersen", Goal.broadcast(0), Model(), 2),
        ("petersen", Goal.broadcast(0), Model(ports=1), 4),
        ("complete(16)", Goal.broadcast(0), Model(ports=1), 4),
        ("hypercube(6)", Goal.all_reduce(), Model(ports=1), 6),
        ("ring(9)", Goal.all_gather(), Model(), 4),
        ("ring(9)", Goal.all_gather(), Model(ports=1), 8),
        ("path(6)", Goal.gather(0), Model(), 5),
        ("ring(8)", Goal.all_to_all(), Model(), 8),
        ("ring(8)", Goal.all_to_all(), Model(duplex="half"), 16),
        ("ring(8)", Goal.all_to_all(), Model(switching="circuit"), 8),
        ("ring(8)", Goal.all_to_all(), Model(packing="packed"), 4),
        ("torus(4, 4)", Goal.permutation(range(16)), Model(), 0),
        ("debruijn(2, 4)", Goal.broadcast(0), Model(), 4),
        ("debruijn(2, 4)", Goal.reduce(0), Model(), 4),
    ],
)
def test_known_bounds(spec, goal, model, rounds):
    assert best(hopscape.build(spec), goal, model) == rounds


def test_the_strongest_comes_first_and_says_why():
    bounds = lower_bounds(hopscape.build("mesh(4, 4)"), Goal.all_to_all())
    assert [b.rounds for b in bounds] == sorted((b.rounds for b in bounds), reverse=True)
    assert "hops must share 48 channels" in " ".join(b.why for b in bounds)


def test_a_reduce_grows_by_what_comes_in():
    goal = Goal.reduce(0)
    assert best(INWARD_STAR, goal) == 1
    made = Schedule.from_columns(INWARD_STAR, Model(), goal, round=[0] * 5, channels=range(5))
    assert verify(made)


def test_the_root_needs_nothing():
    complete = hopscape.build("complete(4)")
    assert best(complete, Goal.one_to_many(0, [0, 1]), Model(ports=1)) == 1
    assert best(complete, Goal.one_to_many(0, [0], chunks=5)) == 0
    assert best(complete, Goal.one_to_many(0, [])) == 0


def test_circuits_know_no_distance_but_links():
    model = Model(switching="circuit")
    bounds = lower_bounds(hopscape.build("complete(9)"), Goal.broadcast(0), model)
    assert [b.rounds for b in bounds] == [1, 1]
    bounds = lower_bounds(hopscape.build("path(9)"), Goal.broadcast(0), model)
    assert [b.rounds for b in bounds] == [3, 3]  # 1, 2, 5, 14 from the end of a path
    why = "1 channels lead to 6 nodes, at most 1, 4, 13 informed there after each round"
    assert (3, why) in {
        (b.rounds, b.why) for b in lower_bounds(hopscape.build("path(9)"), Goal.broadcast(6), model)
    }


@pytest.mark.parametrize("count", range(1, 12))
def test_bounds_of_circuits_on_paths_are_met(count):
    """On a path the rounds by construction are the bound, from every root."""
    network = hopscape.build(f"path({count})")
    for root in range(count):
        made = run_algorithm(network, Goal.broadcast(root), "circuit")
        assert made.rounds == best(network, made.goal, made.model)


def test_switches_count_for_distance_but_want_nothing():
    star = Network.from_links(5, [0] * 4, [1, 2, 3, 4], switches=np.array([0]))
    assert best(star, Goal.broadcast(1)) == 2
    assert best(star, Goal.scatter(1)) == 4  # nothing arrives in the first round
    assert best(star, Goal.scatter(0), Model(ports=1)) == 4
    assert best(star, Goal.all_gather()) == 4
    assert best(star, Goal.all_to_all()) == 4
    assert best(star, Goal.permutation([2, 1, 4, 3])) == 2


@pytest.mark.parametrize(
    "goal",
    [
        Goal.broadcast(0),
        Goal.reduce(4),
        Goal.scatter(0),
        Goal.one_to_many(0, [3]),
        Goal.all_gather(),
        Goal.all_to_all(),
        Goal.all_reduce(),
        Goal.permutation([4, 1, 2, 3, 0]),
    ],
    ids=lambda goal: goal.kind,
)
def test_no_way_is_said(goal):
    with pytest.raises(DisconnectedError, match="two parts has nodes that cannot be reached"):
        lower_bounds(TWO_PARTS, goal)
    if goal.kind in ("all-gather", "all-to-all", "permutation"):
        with pytest.raises(DisconnectedError, match="cannot be reached"):
            lower_bounds(TWO_PARTS, goal, Model(switching="circuit"))
    else:
        lower_bounds(TWO_PARTS, goal, Model(switching="circuit"))


def test_parts_that_are_not_asked_for_do_not_matter():
    assert best(TWO_PARTS, Goal.one_to_many(0, [2])) == 2
    assert best(TWO_PARTS, Goal.permutation([2, 1, 0, 4, 3])) == 2


@pytest.mark.compiled
def test_long_networks_are_not_taken_for_broken():
    """Distances of 254 and more fill a byte, which also says that there is no path."""
    for order in (254, 255, 256, 257, 300):
        long = Network.from_links(order, range(order - 1), range(1, order))
        assert best(long, Goal.all_gather()) == order - 1
        assert lower_bounds(long, Goal.broadcast(0))[0].rounds == order - 1


def test_one_node_needs_no_rounds():
    one = Network.from_links(1, [], [])
    for goal in (Goal.broadcast(0, 3), Goal.all_gather(), Goal.all_to_all(), Goal.gather(0)):
        assert best(one, goal) == 0
    assert best(PAIR, Goal.all_reduce(2)) == 2


@pytest.mark.compiled
def test_bounds_by_cuts_and_flows():
    """What linear programs and cuts prove, as computed by hand or in the literature."""
    known = {"mesh(4, 4)": 16, "torus(3, 5)": 9, "circulant(16, 1, 4)": 8, "fat_tree(4)": 16}
    for spec, rounds in known.items():
        assert best(hopscape.build(spec), Goal.all_to_all()) == rounds
    assert best(hopscape.build("kautz(2, 3, duplex=true)"), Goal.all_to_all(2)) == 13
    two = Network.from_links(6, [0, 1, 2, 3, 4, 5, 0], [1, 2, 0, 4, 5, 3, 3], spec="bridge")
    found = lower_bounds(two, Goal.all_gather(4))[0]
    assert found.rounds == 12
    assert found.why.startswith("3 chunks must leave nodes ")
    assert found.why.endswith("at most 1 in a round (4 pieces of each)")


@pytest.mark.compiled
def test_an_all_reduce_past_switches_that_only_forward():
    net, sliced = hopscape.build("fat_tree(4)"), Goal.all_reduce(16)
    assert best(net, sliced, Model(switching="cut-through")) == 30
    assert best(net, sliced) == 21  # switches that add: 16 leave a host, the last goes 5 hops more


def test_bounds_of_groups():
    net = hopscape.build("path(5)")
    assert best(net, Goal.all_gather(groups=[[0, 4]])) == 4
    assert best(net, Goal.all_to_all(groups=[[0, 4], [1, 3]])) == 4
    many = Goal.all_to_all(chunks=3, groups=[[0, 4], [0, 4], [1, 3]])
    assert best(net, many) == 8  # 60 hops over 8 channels


def test_what_is_known_of_a_network_is_not_taken_for_its_groups() -> None:
    net = hopscape.build("torus(4, 4)")
    view = net.among([0, 1, 2, 3])
    for one, chunks in ((net, 15), (view, 3), (net, 15)):
        found = bandwidth_optimum(one, Goal.all_gather())
        assert found is not None
        assert found.rounds == Fraction(chunks, 4)
    ports = Model(ports=1)
    assert lower_bounds(net, Goal.all_gather(), ports)[0].rounds == 15
    assert lower_bounds(view, Goal.all_gather(), ports)[0].rounds == 3


@pytest.mark.parametrize("switching", ["store-and-forward", "circuit", "cut-through"])
def test_a_permutation_takes_a_round_unless_all_stay(switching):
    net, model = hopscape.build("ring(6)"), Model(switching=switching)
    assert best(net, Goal.permutation(range(6)), model) == 0
    assert best(net, Goal.permutation([1, 0, 2, 3, 4, 5]), model) == 1


@pytest.mark.parametrize("ports", [None, 1, 3])
def test_sums_that_come_by_wide_channels_share_their_room(ports: int | None) -> None:
    network = hopscape.build("rails(leaf_spine(2, 2, 4), 1, 4, speed=6)")
    goal = Goal.all_reduce(network.endpoint_count)
    room = min(1 + 6, ports or 7) * network.endpoint_count
    contest = compete(network, goal, {} if ports is None else {"ports": ports}, seconds=1)
    found = [one for one in contest.bounds if "sums must come" in one.why]
    wanted = -(-2 * (network.endpoint_count - 1) * network.endpoint_count // room)
    assert [one.rounds for one in found] == [wanted]
    assert contest.bounds[0].rounds <= contest.best.duration
