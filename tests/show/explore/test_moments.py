"""A step on the page: what moments say adds up to what was executed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hopscape
from commands import refused, shown
from hopscape.core.errors import ArgumentError
from hopscape.show.explore import payload
from hopscape.show.explore.moments import channel_moments, rank_moments, step_data
from hopscape.show.explore.packing import number_links, unpack
from hopscape.workloads import (
    Chip,
    Fabric,
    LanguageModel,
    ModelJob,
    Placement,
    Split,
    Timeline,
    execute,
    make_step,
)

MODEL = LanguageModel(hidden=512, layers=4, heads=8, seq=256, vocab=512)
JOB = ModelJob(MODEL, Split(batch=8, tp=2, pp=2, dp=2), Chip(tflops=100, bandwidth=1000))


@pytest.fixture(scope="module")
def executed() -> Timeline:
    network = hopscape.build("leaf_spine(2, 2, 4)")
    return execute(make_step(JOB), Fabric(network, Placement.in_order(network, 8)), keep=True)


def test_channels_carry_in_all_moments_what_they_carry_in_the_step(executed: Timeline) -> None:
    for moments in (7, 50):
        found = channel_moments(executed, moments)
        each = executed.seconds / moments
        assert np.allclose(found.sum(axis=0) * each, executed.busy, rtol=1e-9)
        slow = np.zeros_like(found)
        for one in executed.messages():
            for channel in one["channels"]:
                lasts = one["bytes"] * executed.fabric.per_byte[channel]
                for m in range(moments):
                    low, high = max(one["start"], m * each), min(one["end"], (m + 1) * each)
                    share = max(high - low, 0.0) / (one["end"] - one["start"])
                    slow[m, channel] += lasts * share / each
        assert np.allclose(found, slow, atol=1e-9)


def test_ranks_do_what_takes_most_of_a_moment(executed: Timeline) -> None:
    work, moments = executed.workload, 40
    works = rank_moments(executed, moments, computes=True)
    each = executed.seconds / moments
    for rank in (0, 5):
        for m in range(moments):
            spent = dict.fromkeys(range(len(work.labels)), 0.0)
            for part in np.flatnonzero((work.rank == rank) & (work.kind == 0)).tolist():
                low, high = executed.start[part], executed.end[part]
                spent[int(work.label[part])] += max(
                    min(high, (m + 1) * each) - max(low, m * each), 0.0
                )
            label = int(works[m, rank]) - 1
            longest = max(spent.values())
            assert label < 0 if longest == 0 else spent[label] == pytest.approx(longest)
    data = rank_moments(executed, moments, computes=False)
    assert {work.labels[i - 1] for i in np.unique(data[data > 0])} >= {"tp", "dp"}


def test_the_page_has_it_and_a_step_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    network = hopscape.build("torus(3, 3)")
    links = number_links(network)
    found = step_data(network, links, JOB)
    assert payload(network, job=JOB)["step"] == found
    assert payload(network)["step"] is None
    assert unpack(found["busy"]).max() <= 100
    assert len(unpack(found["busy"])) == found["moments"] * 2 * len(links.tails)
    assert len(unpack(found["works"])) == found["moments"] * found["ranks"]
    with pytest.raises(ArgumentError, match="the job has 8 ranks"):
        step_data(hopscape.build("ring(5)"), number_links(hopscape.build("ring(5)")), JOB)
    wrong = refused("explore", "ring(8)", "--job", str(tmp_path / "no.toml"), "-o", "page.html")
    assert "no.toml" in wrong


def test_the_command_takes_a_job(tmp_path: Path) -> None:
    job = Path(__file__).parents[3] / "examples" / "jobs" / "small.toml"
    asked = ("--schedules", "none", "--traffic", "none", "--no-bisection", "--no-deadlock")
    place = tmp_path / "page.html"
    shown("explore", "xgft([8], [1])", "--job", str(job), "-o", str(place), *asked)
    assert "One step of gpt-1.3b" in place.read_text()
