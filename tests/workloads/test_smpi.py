"""A step as traces of SMPI: nobody waits for ever, all that is sent is taken, all work is there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import hopscape
from commands import run, shown
from hopscape.design.handover import hand_over
from hopscape.formats.check import check_folder
from hopscape.metrics.routes import all_routes
from hopscape.workloads import Chip, Fabric, LanguageModel, ModelJob, Placement, Split, execute
from hopscape.workloads.smpi import SPEED, FixedRoutes, write_smpi
from hopscape.workloads.transformer import make_step

MODEL = LanguageModel(hidden=1024, layers=4, heads=8, seq=512, vocab=1024)
JOB = ModelJob(MODEL, Split(batch=16, tp=2, pp=2, dp=2), Chip(tflops=100, bandwidth=1000))
SMALL = Path(__file__).parents[2] / "examples" / "jobs" / "small.toml"


def untimed(ranks: list[list[list[str]]]) -> int:
    """Entries that are left when every rank goes as far as it can."""
    at, sent = [0] * len(ranks), set()
    posted: set[tuple[str, ...]] = set()
    while True:
        moved = False
        for rank, entries in enumerate(ranks):
            while at[rank] < len(entries):
                _, what, *words = entries[at[rank]]
                if what == "isend":
                    sent.add((str(rank), words[0], words[1]))
                elif what == "irecv":
                    posted.add((words[0], str(rank), words[1]))
                elif what == "wait" and not (tuple(words) in sent and tuple(words) in posted):
                    break
                at[rank] += 1
                moved = True
        if not moved:
            assert sent == posted
            return sum(len(x) for x in ranks) - sum(at)


@pytest.mark.parametrize("spec", ["torus(2, 4)", "xgft([4, 2], [1, 2])"])
def test_traces_can_be_replayed(spec: str, tmp_path: Path) -> None:
    network = hopscape.build(spec)
    ways = FixedRoutes(all_routes(network))
    fabric = Fabric(network, Placement.in_order(network, 8), routing=ways)
    found = execute(make_step(JOB), fabric, keep=True)
    write_smpi(found, tmp_path / "smpi", [f"n{v}" for v in range(network.order)])
    names = (tmp_path / "smpi" / "traces").read_text().split()
    ranks = [
        [line.split() for line in (tmp_path / "smpi" / name).read_text().splitlines()]
        for name in names
    ]
    assert untimed(ranks) == 0
    work = found.workload
    for rank, entries in enumerate(ranks):
        assert {row[0] for row in entries} == {str(rank)}
        assert (entries[0][1], entries[-1][1]) == ("init", "finalize")
        flops = sum(float(row[2]) for row in entries if row[1] == "compute")
        mine = (work.rank == rank) & (work.kind == 0)
        assert flops / SPEED == pytest.approx(work.seconds[mine].sum(), rel=1e-6)
    said = json.loads((tmp_path / "smpi" / "step.json").read_text())
    assert (said["seconds"], said["ranks"]) == (found.seconds, 8)
    at, to = (x.ravel() for x in np.meshgrid(network.endpoints, network.endpoints))
    for a, b, hops in zip(at, to, ways.distances(at, to), strict=True):
        assert ways.route(int(a), int(b)).length == hops


def test_a_hand_over_without_room_for_the_job_says_so(tmp_path: Path) -> None:
    told = hand_over("ring(5)", tmp_path / "a", job=JOB)
    assert any("(no smpi/): the job has 8 ranks" in line for line in told)
    done = run("check", str(tmp_path / "a"), "--with", "smpi")
    assert done.returncode == 2


@pytest.mark.acceptance
@pytest.mark.skipif(shutil.which("smpirun") is None, reason="smpirun is not installed")
@pytest.mark.parametrize("spec", ["torus(2, 4)", "xgft([8], [1])", "leaf_spine(2, 2, 4, links=2)"])
def test_smpi_takes_as_long(spec: str, tmp_path: Path) -> None:
    shown("handover", spec, "--job", str(SMALL), "--out", str(tmp_path / "a"))
    (found,) = check_folder(tmp_path / "a", ["smpi"])
    assert found.verdict, found.verdict and found.verdict.reason
    told = json.loads((tmp_path / "a" / "smpi" / "step.json").read_text())
    (tmp_path / "a" / "smpi" / "step.json").write_text(
        json.dumps(told | {"seconds": 1.1 * told["seconds"]})
    )
    from hopscape.formats.smpi_check import check_smpi

    assert not check_smpi(tmp_path / "a")
