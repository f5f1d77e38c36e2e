"""Permutations by whole routes: any switched network, and what is left of it."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.contest import candidates, compete, search_steps
from hopscape.collectives.routed import first_free, routed_around
from hopscape.collectives.survivors import survivors
from hopscape.core.faults import Faults
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.verify import verify

SPECS = ["fat_tree(4)", "dragonfly(4, 2, 2)", "two_level(complete(4), complete(9))", "torus(4, 4)"]


def drawn(network, seed):
    return np.random.default_rng(seed).permutation(network.endpoint_count)


@pytest.mark.parametrize("spec", SPECS)
def test_detours_pass_by_what_is_dead(spec):
    """Routes of the whole network, in their order; only those that meet a dead part are others."""
    network = hopscape.build(spec)
    goal = Goal.permutation(network.endpoints[drawn(network, 2)])
    plain = routed_around(network, goal, Faults())
    links = [(int(network.tails[c]), int(network.heads[c])) for c in plain.channels[[3, 20]]]
    links = [link for link in links if min(network.degrees[list(link)]) > 1]
    faults = Faults.of(network, dead_links=links)
    dead = faults.channels(network)
    made = routed_around(network, goal, faults)
    assert links
    assert verify(made)
    assert not dead[made.channels].any()
    assert sorted(made.chunk) == sorted(plain.chunk)
    before, after = (
        {int(s.chunk[t]): s.channels[s.path_start[t] : s.path_start[t + 1]].tolist()
         for t in range(s.transfers)}
        for s in (plain, made)
    )  # fmt: skip
    for chunk, path in before.items():
        assert dead[path].any() or after[chunk] == path


def test_rounds_are_the_first_that_are_free():
    rng = np.random.default_rng(1)
    paths = [rng.choice(9, rng.integers(1, 4), replace=False) for _ in range(40)]
    starts = np.cumsum([0, *map(len, paths)])
    order = rng.permutation(40)
    when = first_free(starts, np.concatenate(paths), order)
    done: list[int] = []
    for k in order.tolist():
        met = {int(when[j]) for j in done if set(paths[j]) & set(paths[k])}
        assert when[k] == min(set(range(41)) - met)
        done.append(k)


def test_searches_count_their_paths_past_switches():
    """Paths past the switches are work: all pairs of thousands of endpoints are refused."""
    network = hopscape.build("fat_tree(28)")
    goal = Goal.permutation(drawn(network, 1))
    model = Model(switching="cut-through")
    search = next(one for one in candidates(network, goal) if one.name == "negotiated")
    assert search_steps(search, network, goal, model) > 30 * 1e8
    small = hopscape.build("fat_tree(4)")
    assert search_steps(search, small, Goal.permutation(drawn(small, 1)), model) < 30 * 1e8


def test_what_is_left_is_served_by_detours():
    network = hopscape.build("fat_tree(6)")
    left = survivors(network, [74], [(55, 73)])
    goal = Goal.permutation(drawn(left.left, 4))
    contest = compete(left.left, goal, algorithm="routed", left=left)
    told = left.told(contest.best.schedule)
    assert verify(told)
    assert not left.faults.channels(network)[told.channels].any()
    names = [one.name for one in candidates(left.left, goal, left)]
    assert names.count("routed") == 1


def test_distances_by_search_are_sampled_when_they_are_many(monkeypatch):
    monkeypatch.setattr("hopscape.collectives.bounds._SEARCHES", 10)
    monkeypatch.setattr("hopscape.core.router._TABLE_ORDER", 10)
    ring = hopscape.build("ring(40)")
    left = hopscape.Network.from_links(40, ring.tails, ring.heads, duplex=False)
    bounds = lower_bounds(left, Goal.permutation(np.roll(np.arange(40), 7)), Model())
    assert any(bound.why == "two nodes are 7 hops apart" for bound in bounds)
