"""Machines judged by one step of a job: what is timed, ranked, lost with a switch, refused."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace

import pytest

from commands import ask, refused, shown
from hopscape.core.errors import ArgumentError
from hopscape.design import Design
from hopscape.design.designer import design
from hopscape.design.report.page import html_report
from hopscape.design.steps import JobRequirements, best_timeline, finalists, time_machine
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.registry import build
from hopscape.workloads import ModelJob, live_endpoints, read_job, step
from hopscape.workloads.gantt import SCRUB

JOB = """
[model]
name = "small"
hidden = 1024
layers = 4
heads = 8
seq = 512
vocab = 1000
[job]
tp = 4
dp = 4
batch = 16
[chip]
tflops = 100
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> JobRequirements:
    path = tmp_path_factory.mktemp("jobs") / "job.toml"
    path.write_text(JOB)
    families = ("complete", "leaf_spine", "ring")
    return JobRequirements(16, 8, families=families, job=str(path), weights={"step-cost": 1.0})


@pytest.fixture(scope="module")
def found(asked: JobRequirements) -> Design:
    return design(asked)


def test_machines_are_ranked_by_what_a_step_costs(found: Design, asked: JobRequirements) -> None:
    timed = [one for one in found.candidates if "step" in one.figures]
    assert timed == found.candidates[: len(timed)]
    assert len({one.family for one in timed}) == 3
    costs = [one.value("step") * one.value("money") for one in timed]
    assert costs == sorted(costs)
    rate = asked.price_list.rate
    for one in timed:
        again = step(asked.job, one.spec, costs={"beta": 8e-3 / rate})
        assert one.value("step") == pytest.approx(again.seconds)
        assert one.value("step_bound") == pytest.approx(again.bound.seconds)
        assert one.value("step_bound") <= one.value("step")
        assert one.value("step_cost") == pytest.approx(again.seconds * one.value("money") / 1e3)
    fast = design(replace(asked, weights={"step": 1.0})).candidates[: len(timed)]
    times = [one.value("step") for one in fast]
    assert times == sorted(times)
    assert "One step of small takes" in found.answer
    assert f"--job {asked.job}" in found.command


def test_the_report_has_a_step_to_scrub(found: Design) -> None:
    """Its script is let run by the page's own policy, and every rank has bars."""
    page = html_report(found, found.command)
    assert "One step, moment by moment" in page
    assert {f'data-rank="{rank}"' for rank in range(16)} <= set(page.split())
    digest = base64.b64encode(hashlib.sha256(SCRUB.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in page
    assert f"<script>{SCRUB}</script>" in page
    other = replace(found, requirements=found.requirements.by_cost)
    assert best_timeline(other.requirements, found.best.spec) is not None
    assert best_timeline(SwitchedRequirements(16, 8), found.best.spec) is None


def test_loss_is_that_of_a_dead_switch(asked: JobRequirements) -> None:
    """A leaf of four endpoints takes a replica away; a spine only bandwidth."""
    rate, spec = asked.price_list.rate, "leaf_spine(4, 2, 4, links=2)"
    record = time_machine(spec, asked.job, rate)
    assert not isinstance(record, str)
    network, job = build(spec), read_job(asked.job)
    assert isinstance(job, ModelJob)
    whole = step(job, network, costs={"beta": 8e-3 / rate}).seconds
    worst = 0.0
    for switch in range(16, network.order):
        left = len(live_endpoints(network, [switch]))
        assert left == (12 if switch < 20 else 16)
        other = job
        if left < 16:
            other = replace(job, split=replace(job.split, dp=3, batch=12))
        made = step(other, network, costs={"beta": 8e-3 / rate}, dead_nodes=[switch]).seconds
        assert whole is not None
        assert made is not None
        worst = max(worst, 1 - (other.split.batch / 16) * whole / made)
    assert record["loss"] == pytest.approx(worst)
    assert "of each kind of switch" in record["lost"]


def test_finalists_differ_in_what_they_carry(found: Design) -> None:
    few = finalists(found.candidates, 2)
    assert len(few) == 2
    assert max(float(one.value("line_throughput")) for one in few) >= 1 - 1e-9
    assert not any(one.trouble for one in few)


def test_the_command_says_what_python_says(asked: JobRequirements, found: Design) -> None:
    words = ["design", "--job", asked.job, "--endpoints", "16", "--radix", "8"]
    words += ["--families", ",".join(asked.families)]
    rows = ask(*words)["candidates"]
    timed = [row for row in rows if row.get("step") is not None]
    best = found.best
    assert [timed[0][key] for key in ("spec", "step", "step_loss")] == [
        best.spec, best.value("step"), best.value("step_loss"),
    ]  # fmt: skip
    table = shown(*words, "--wide")
    assert "step x cost" in table
    row = next(line for line in table.splitlines() if line.startswith(f"{best.name}  "))
    assert row.rstrip().endswith(best.spec)
    few = refused("design", "--job", asked.job, "--endpoints", "8", "--radix", "8")
    assert "has 16 ranks; --endpoints is 8" in few
    assert "belongs to switched" in refused("design", "--job", asked.job, "-n", "16", "-p", "4")
    assert "'step' is not a criterion" in refused(
        "design", "--endpoints", "16", "--radix", "8", "--matters", "step"
    )
    with pytest.raises(ArgumentError, match="has 16 ranks"):
        replace(asked, endpoints=8)
