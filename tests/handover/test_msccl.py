"""MSCCL files, carried out by an interpreter; spoilt ones are noticed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.collectives.choose import run_algorithm
from hopscape.core.errors import ArgumentError, FileFormatError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.schedule import Schedule
from hopscape.export.msccl import write_msccl, write_mscclpp
from hopscape.handover.msccl import run_msccl, run_mscclpp
from hopscape.registry import build

SPECS = ["ring(2)", "ring(5)", "petersen", "torus(4, 2, 2)", "complete(5)", "random_regular(12, 3)"]


def _schedule(spec: str, kind: str) -> Schedule:
    net = build(spec)
    goal = {
        "all-gather": Goal.all_gather(),
        "reduce-scatter": Goal.reduce_scatter(),
        "in pieces": Goal.all_gather(2),
        "all-reduce": Goal.all_reduce(),
        "sliced": Goal.all_reduce(net.endpoint_count),
        "all-to-all": Goal.all_to_all(),
    }[kind]
    return run_algorithm(net, goal, "generic", None)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(
    st.sampled_from(SPECS),
    st.sampled_from(
        ["all-gather", "reduce-scatter", "in pieces", "all-reduce", "sliced", "all-to-all"]
    ),
    st.integers(0, 1000),
)
def test_every_rank_ends_with_the_right_chunks(
    tmp_path_factory: pytest.TempPathFactory, spec: str, kind: str, seed: int
) -> None:
    folder, schedule = tmp_path_factory.mktemp("msccl"), _schedule(spec, kind)
    write_msccl(schedule, folder / "x.xml")
    write_mscclpp(schedule, folder / "x.json")
    for found in (
        run_msccl(folder / "x.xml", seed=seed),
        run_mscclpp(folder / "x.json", seed=seed),
    ):
        assert found, found.reason


def test_at_64_ranks_with_the_attributes_that_the_executor_wants(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    write_msccl(_schedule("circulant(64, 1, 14)", "all-to-all"), path)
    assert run_msccl(path)
    text = path.read_text()
    head = text.splitlines()[0]
    for name in ("minBytes", "maxBytes", "outofplace", "nchunksperloop", "nchannels", "proto"):
        assert f"{name}=" in head
    assert max(map(int, re.findall(r' s="(\d+)"', text))) < 256
    blocks = re.findall(r'<tb id="\d+" send="(-?\d+)" recv="(-?\d+)"', text)
    assert all("-1" in block for block in blocks)  # at most one peer each


def _spoilt(path: Path, old: str, new: str) -> Path:
    text = path.read_text()
    assert re.search(old, text)
    path.write_text(re.sub(old, new, text, count=1))
    return path


def test_spoilt_files_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    write_msccl(_schedule("ring(5)", "sliced"), path)
    found = run_msccl(_spoilt(path, 'type="rrc"', 'type="r"'))
    assert "wrong chunk" in found.reason
    write_msccl(_schedule("ring(5)", "sliced"), path)
    found = run_msccl(_spoilt(path, r'(send="\d+" recv="-1") chan="0"', r'\1 chan="7"'))
    assert "deadlock" in found.reason
    write_msccl(_schedule("ring(5)", "sliced"), path)
    with pytest.raises(FileFormatError, match="has no maxBytes"):
        run_msccl(_spoilt(path, ' maxBytes="0"', ""))


def test_spoilt_plans_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_mscclpp(_schedule("ring(5)", "all-gather"), path)
    plan = json.loads(path.read_text())
    ops = plan["gpus"][0]["threadblocks"][0]["ops"]
    ops.remove(next(op for op in ops if op["name"] == "signal"))
    path.write_text(json.dumps(plan))
    assert "deadlock" in run_mscclpp(path).reason


def test_what_msccl_has_not(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="MSCCL has no broadcast"):
        write_msccl(run_algorithm(build("ring(4)"), Goal.broadcast(0), "generic", None), tmp_path)
    with pytest.raises(TooLargeError, match="2 to 64 ranks, not 65"):
        write_msccl(_schedule("ring(65)", "all-gather"), tmp_path / "x.xml")
