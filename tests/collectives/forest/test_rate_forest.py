"""All-gathers under few ports and in half duplex near the bound of the linear program."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape import Goal, Model, verify
from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.contest import compete
from hopscape.collectives.forest import Arcs, Thinning, has_room
from hopscape.collectives.negotiated import negotiated_schedule
from hopscape.collectives.rate_forest import rate_forest
from hopscape.collectives.rates import gather_rates
from hopscape.core.errors import ArgumentError


@pytest.mark.parametrize(
    ("spec", "rules", "gap"),
    [
        ("expanded(ring(4), 1)", {"ports": 1}, 1.1),
        ("expanded(complete(4), 1)", {"ports": 2}, 1.1),
        ("expanded(complete(4), 1)", {"ports": 1, "duplex": "half"}, 1.1),
        ("expanded(petersen, 1)", {"ports": 2, "duplex": "half"}, 1.1),
        ("random_regular(20, 3)", {"ports": 1, "duplex": "half"}, 1.2),
    ],
)
def test_trees_keep_to_the_rates(spec: str, rules: dict[str, object], gap: float) -> None:
    net, model = hopscape.build(spec), Model(**rules)
    made = rate_forest(net, Goal.all_gather(), model)
    assert verify(made).holds
    least = lower_bounds(net, Goal.all_gather(), model)[0].rounds
    assert least <= made.rounds <= gap * least


def test_several_pieces_at_once() -> None:
    net, model = hopscape.build("expanded(ring(3), 1)"), Model(ports=1)
    made = rate_forest(net, Goal.all_gather(3), model)
    assert verify(made).holds
    assert made.rounds <= 3 * rate_forest(net, Goal.all_gather(), model).rounds


def test_it_wins_where_nodes_differ() -> None:
    net, rules = hopscape.build("expanded(complete(4), 1)"), {"ports": 2, "duplex": "half"}
    found = compete(net, Goal.all_gather(), rules)
    assert found.best.algorithm == "rate-forest"
    assert compete(net, Goal.reduce_scatter(), rules).best.rounds == found.best.rounds


def test_what_it_is_not_for() -> None:
    with pytest.raises(ArgumentError, match="forest"):
        rate_forest(hopscape.build("petersen"), Goal.all_gather())
    with pytest.raises(ArgumentError, match="must have data"):
        rate_forest(hopscape.build("fat_tree(4)"), Goal.all_gather(), Model(ports=1))


@pytest.mark.parametrize("rules", [Model(ports=1), Model(ports=2, duplex="half")])
def test_rates_break_no_cut(rules: Model) -> None:
    """Whatever the part, the chunks of the others can enter it; the bound is hardly less."""
    net = hopscape.build("random_regular(10, 3)")
    found = gather_rates(net, rules)
    assert found is not None
    least, rates = found
    for mask in range(1, 2**net.order - 1):
        part = np.array([mask >> v & 1 for v in range(net.order)], dtype=bool)
        entering = rates[~part[net.tails] & part[net.heads]].sum()
        assert entering >= (~part).sum() - 2e-3
    ports = np.bincount(net.heads, rates) + (rules.duplex == "half") * np.bincount(net.tails, rates)
    assert ports.max() <= 1.001 * least * (rules.ports or 3)


def test_thinning_keeps_room_for_the_trees() -> None:
    net = hopscape.build("mesh(3, 4)")
    plain = Arcs.of(net)
    trees = np.ones(net.order, dtype=np.int64)
    graph = Arcs(plain.nodes, plain.tails, plain.heads, 12 * plain.capacity)
    assert has_room(graph, trees)
    work = Thinning(graph, trees, plain.tails[:, None], np.full(net.order, 13))
    work.run(400)
    thin = work.thinned()
    assert has_room(thin, trees)
    assert work.excess() == int(
        np.maximum(np.bincount(thin.tails, thin.capacity, net.order) - 13, 0).sum()
    )
    assert np.bincount(thin.tails, thin.capacity).sum() < 12 * len(plain.tails) // 2


def test_packets_that_go_to_and_fro_stay_in_their_rows() -> None:
    """In triangles, routes of no more cost have more hops than tables had columns."""
    net = hopscape.build("expanded(ring(3), 1)")
    made = negotiated_schedule(net, Goal.all_to_all(), Model(ports=1))
    assert verify(made).holds
    assert made.rounds == 32
