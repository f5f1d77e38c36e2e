"""Chains of calls: cheapest circuits against a linear program, and who is called when."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import hopscape
from hopscape import Goal, Model, Network, verify
from hopscape.collectives import run_algorithm
from hopscape.collectives.circuits.chain_kernels import chains, cheapest_flows, shorten
from hopscape.collectives.circuits.chains import shortened
from hopscape.collectives.circuits.paths import chain_lengths, split_wires, wires_of
from hopscape.collectives.circuits.search import search_circuits
from hopscape.collectives.contest import compete
from hopscape.core.distances import distances_from

NETWORKS = ("petersen", "mesh(3, 4)", "circulant(11, 1, 4)", "torus(3, 3)", "hypercube(3)")


def least_sum(network: Network, room: dict[int, int], chain: dict[int, int], targets: list[int]):
    """The least sum of chains, by a linear program; None: the targets cannot all be served.

    A link carries at most one circuit; flows of unit capacities are whole where a sum is least.
    """
    count, starts = len(network.heads), sorted(room)
    balance = np.zeros((network.order, count + len(starts)))
    balance[network.heads, np.arange(count)] += 1
    balance[network.tails, np.arange(count)] -= 1
    for k, v in enumerate(starts):
        balance[v, count + k] = 1
    wanted = np.bincount(targets, minlength=network.order)
    cost = [1.0] * count + [chain[v] for v in starts]
    limits = [(0, 1)] * count + [(0, room[v]) for v in starts]
    found = linprog(cost, A_eq=balance, b_eq=wanted, bounds=limits)
    return round(found.fun) if found.status == 0 else None


@given(st.sampled_from(NETWORKS), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_flows_cost_what_the_linear_program_says(spec, seed):
    network, draw = hopscape.build(spec), np.random.default_rng(seed)
    nodes = draw.permutation(network.order)
    have, targets = nodes[: draw.integers(1, 4)], nodes[4 : 5 + draw.integers(1, 6)]
    room, chain = np.full(network.order, -1, dtype=np.int64), np.zeros(network.order, np.int64)
    room[have], chain[have] = draw.integers(1, 4, len(have)), draw.integers(0, 5, len(have))
    wires, flows, left = wires_of(network), np.zeros(len(network.heads), dtype=bool), room.copy()
    before = {int(v): (int(room[v]), int(chain[v])) for v in have}
    served = cheapest_flows(wires, left, chain, flows, targets.astype(np.int64))
    best = least_sum(
        network,
        {v: most for v, (most, _) in before.items()},
        {v: way for v, (_, way) in before.items()},
        targets.tolist(),
    )
    assert served == (best is not None)
    if served:
        begun = (room - left)[have]
        assert (begun >= 0).all()
        assert int(flows.sum() + begun @ chain[have]) == best
        assert not (flows & flows[network.reverse]).any()


@pytest.mark.parametrize("disjoint", ["edge", "vertex"])
@pytest.mark.parametrize("spec", ["mesh(4, 5)", "circulant(30, 1, 7)", "torus(3, 7)", "path(9)"])
def test_chains_get_shorter_in_the_same_rounds(spec, disjoint):
    network = hopscape.build(spec)
    plain = search_circuits(
        network, Goal.broadcast(1), Model(switching="circuit", disjoint=disjoint)
    )
    made = shortened(plain)
    assert verify(made).holds
    assert (made.rounds, made.model) == (plain.rounds, plain.model)
    far = int(distances_from(network, 1).max())
    longest = int(chain_lengths(made).max())
    assert far <= longest <= int(chain_lengths(plain).max())
    if disjoint == "edge":
        assert longest <= max(1.15 * far, far + 1)


def test_what_shorten_says_is_what_the_chains_are():
    """Excess over the bound, counted again; more rounds than needed reach the distance."""
    network = hopscape.build("mesh(4, 5)")
    plain = search_circuits(network, Goal.broadcast(0))
    for wires in (wires_of(network), split_wires(network)):
        full = np.resize(network.degrees.astype(np.int64), len(wires.gate))
        order = plain.target.astype(np.int64)
        counts = np.bincount(plain.round).astype(np.int64)
        out = np.zeros(len(full), np.int64), np.zeros(len(full), np.int64)
        have, bound = np.array([0]), 7 * wires.hop
        over = shorten(wires, full, have, (order, counts), bound, 200, 1)
        if over < 0:
            continue
        assert chains(wires, full, have, (order, counts), out)
        assert np.maximum(out[0][order] - bound, 0).sum() == over
        assert sorted(order.tolist()) == list(range(1, 20))
        assert counts.sum() == 19


@pytest.mark.parametrize("spec", ["mesh(5, 6)", "circulant(60, 1, 9)", "torus(6, 7)"])
def test_rounds_are_traded_for_length(spec):
    network = hopscape.build(spec)
    far = int(distances_from(network, 3).max())
    few, short = (
        run_algorithm(network, Goal.broadcast(3), name, {"switching": "circuit"})
        for name in ("circuit", "short-chains")
    )
    assert int(chain_lengths(short).max()) == far
    assert few.rounds <= short.rounds <= few.rounds + 2
    assert verify(short).holds
    asked = {"switching": "circuit"}
    back = compete(network, Goal.reduce(3), asked, algorithm="short-chains").best
    assert back.rounds == short.rounds
