"""The linear program of all groups' demands against bounds that were proved in another way."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape import Goal
from hopscape.collectives.bounds import bandwidth_optimum
from hopscape.collectives.flows import exchange_bound
from hopscape.workloads import Chip, LanguageModel, ModelJob, Split, step
from hopscape.workloads.flow_bounds import GroupDemand, least_seconds

NETWORKS = ("ring(6)", "mesh(2, 3)", "petersen", "kautz(2, 2, duplex=true)", "xgft([3, 2], [1, 2])")


def least(spec: str, *demands: tuple[str, list[list[int]], float]) -> float:
    network = hopscape.build(spec)
    asked = [
        GroupDemand(goal, np.asarray(rows), np.full(len(rows), size))
        for goal, rows, size in demands
    ]
    found = least_seconds(asked, network, network.capacities().astype(float))
    assert found is not None
    return found


@pytest.mark.parametrize("spec", NETWORKS)
def test_one_group_takes_what_is_known(spec: str) -> None:
    network = hopscape.build(spec)
    ends = network.endpoints.tolist()
    n = len(ends)
    flow = float(exchange_bound(network).rounds)
    assert least(spec, ("all-to-all", [ends], n)) == pytest.approx(flow, rel=1e-5)
    optimum = bandwidth_optimum(network, Goal.all_gather())
    assert optimum is not None
    gather = least(spec, ("all-gather", [ends], n))
    assert gather == pytest.approx(float(optimum.rounds), rel=1e-5)
    if network.duplex:
        assert least(spec, ("reduce-scatter", [ends], n)) == pytest.approx(gather, rel=1e-5)
    ports = sum(len(network.neighbours(v)) for v in ends)
    both = least(spec, ("all-reduce", [ends], n))
    assert both >= 2 * (n - 1) * n / ports * (1 - 1e-5)
    assert both >= gather * (1 - 1e-5)  # what is summed up must reach everybody, too


def test_groups_share_channels() -> None:
    """Two pairs across a ring of four: two links lead from the senders to the others."""
    pairs = [[0, 2], [1, 3]]
    assert least("ring(4)", ("message", pairs, 1.0)) == pytest.approx(1.0, rel=1e-5)
    assert least("ring(4)", ("all-reduce", pairs, 1.0)) == pytest.approx(1.0, rel=1e-5)
    twice = ("message", pairs, 1.0), ("all-reduce", pairs, 1.0)
    assert least("ring(4)", *twice) == pytest.approx(2.0, rel=1e-5)
    assert least("ring(4)", ("broadcast", [[0, 1, 2, 3]], 1.0)) == pytest.approx(0.5, rel=1e-5)


def test_a_program_that_is_too_large_is_left_out() -> None:
    network = hopscape.build("torus(3, 3)")
    one = GroupDemand("all-to-all", np.arange(9)[None, :], np.asarray([9.0]))
    rate = network.capacities().astype(float)
    assert least_seconds([one], network, rate, most=9 * 36 - 1) is None
    assert least_seconds([one], network, rate, most=9 * 36) is not None
    assert least_seconds([], network, rate) == 0.0


def test_a_step_is_bounded_by_all_groups_together() -> None:
    """No cut that is looked at is as narrow as what all routes together need."""
    model = LanguageModel(hidden=256, layers=4, heads=8, seq=256, vocab=512, experts=8, top=4)
    job = ModelJob(model, Split(batch=10, dp=10, ep=2), Chip(tflops=1e4))
    found = step(job, "petersen")
    assert found.seconds is not None
    named = [one for one in found.bounds if "linear program" in one.reason]
    assert named
    for one in named:
        assert 0 < one.seconds <= found.seconds * (1 + 1e-9)
