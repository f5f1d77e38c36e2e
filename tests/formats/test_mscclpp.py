"""Execution plans of MSCCL++: right in every order of threads, and spoilt ones are noticed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from plan_threads import right

from hopscape.collectives.choose import run_algorithm
from hopscape.core.errors import FileFormatError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.formats.mscclpp import write_mscclpp
from hopscape.formats.mscclpp_check import run_mscclpp
from hopscape.registry import build

SMALL = ["ring(2)", "ring(4)", "complete(4)", "mesh(1, 3)"]
WIDE = ["complete(18)", "mesh(3, 4)"]  # more peers, blocks of 64 operations


def _goals(spec: str) -> list[Goal]:
    net = build(spec)
    all_reduce = Goal.all_reduce(net.endpoint_count)
    return [Goal.all_gather(), Goal.reduce_scatter(), all_reduce, Goal.all_to_all()]


def _plan(spec: str, goal: Goal, path: Path) -> dict[str, Any]:
    write_mscclpp(run_algorithm(build(spec), goal, "generic", None), path)
    plan: dict[str, Any] = json.loads(path.read_text())
    return plan


def _without_one_nop(plan: dict[str, Any], every: int = 1) -> Iterator[dict[str, Any]]:
    """The plan without one of its barriers, for every one of them."""
    seen = 0
    for gpu in plan["gpus"]:
        for block in gpu["threadblocks"]:
            for i in [i for i, op in enumerate(block["ops"]) if op["name"] == "nop"]:
                seen += 1
                if seen % every == 0:
                    nop = block["ops"].pop(i)
                    yield plan
                    block["ops"].insert(i, nop)


@pytest.mark.parametrize("spec", SMALL)
def test_any_order_of_threads_gives_the_same(tmp_path: Path, spec: str) -> None:
    for goal in _goals(spec):
        plan = _plan(spec, goal, tmp_path / "x.json")
        found = run_mscclpp(tmp_path / "x.json")
        assert found, found.reason
        assert all(right(plan, seed) for seed in range(2)), goal.kind


@pytest.mark.parametrize("spec", ["ring(3)", "complete(4)"])
def test_no_barrier_can_be_left_out(tmp_path: Path, spec: str) -> None:
    path = tmp_path / "y.json"
    for goal in _goals(spec):
        plan = _plan(spec, goal, tmp_path / "x.json")
        for spoilt in _without_one_nop(plan):
            path.write_text(json.dumps(spoilt))
            assert not run_mscclpp(path)


def test_threads_show_what_the_clocks_say(tmp_path: Path) -> None:
    """Without a barrier some order of threads ends wrongly: the refusals are no false alarms."""
    plan = _plan("ring(3)", Goal.reduce_scatter(), tmp_path / "x.json")
    shown = [
        not all(right(spoilt, seed) for seed in range(20))
        for spoilt in _without_one_nop(plan, every=12)
    ]
    assert sum(shown) > len(shown) / 3


@pytest.mark.parametrize("spec", WIDE)
def test_longer_programs_go_on_in_the_next_block(tmp_path: Path, spec: str) -> None:
    for goal in _goals(spec):
        plan = _plan(spec, goal, tmp_path / "x.json")
        found = run_mscclpp(tmp_path / "x.json", seed=3)
        assert found, found.reason
        for gpu in plan["gpus"]:
            for block in gpu["threadblocks"]:
                assert len(block["ops"]) <= 64
                assert sum(len(x["channel_ids"]) for x in block["channels"]) <= 16
                names = [op["name"] for op in block["ops"]]
                assert ("nop", "nop") not in pairwise(names)
                assert names[-1] != "nop"


def test_without_a_barrier_between_blocks(tmp_path: Path) -> None:
    plan = _plan("complete(18)", Goal.all_to_all(), tmp_path / "x.json")
    assert len(plan["gpus"][0]["threadblocks"]) > 4
    for spoilt in _without_one_nop(plan, every=397):
        (tmp_path / "y.json").write_text(json.dumps(spoilt))
        assert not run_mscclpp(tmp_path / "y.json")


def _first(plan: dict[str, Any], name: str) -> tuple[list[Any], int]:
    ops = plan["gpus"][0]["threadblocks"][0]["ops"]
    return ops, next(i for i, op in enumerate(ops) if op["name"] == name)


def _put(plan: dict[str, Any]) -> dict[str, Any]:
    ops, i = _first(plan, "put")
    found: dict[str, Any] = ops[i]
    return found


def test_what_the_executor_misreads_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"

    def refused(words: str, plan: dict[str, Any]) -> None:
        path.write_text(json.dumps(plan))
        with pytest.raises(FileFormatError, match=words):
            run_mscclpp(path)

    def fresh() -> dict[str, Any]:
        return _plan("ring(4)", Goal.all_gather(), tmp_path / "good.json")

    plan = fresh()
    target = _put(plan)["dst_buff"][0]
    target["buff_id"] = target.pop("buffer_id")
    refused("has no buffer_id, which the executor reads", plan)
    plan = fresh()
    _put(plan)["dst_buff"][0]["buffer_id"] = 2
    refused("buffer_id is 2; there are 2", plan)
    plan = fresh()
    ops, _ = _first(plan, "put")
    ops += [{"name": "nop"}] * (65 - len(ops))
    refused("has 65 operations; the executor holds 64", plan)
    plan = fresh()
    plan["gpus"][0]["threadblocks"][0]["channels"][0]["channel_ids"] = [0, 1] * 9
    refused("has 18 channels; the executor holds 16", plan)
    plan = fresh()
    _put(plan)["src_buff"][0]["index"] = 9
    refused("put goes beyond buffer i of rank 0, which has 1 chunks", plan)
    plan = fresh()
    plan["max_message_size"] = 2**64 - 1
    refused("longer than the offsets", plan)
    plan = fresh()
    del plan["gpus"][1]["input_chunks"]
    refused("rank 1 has no input_chunks", plan)


def test_deadlocks_and_signals_that_are_left(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for name, words in (("signal", "deadlock"), ("wait", "race|left|nothing was written")):
        plan = _plan("ring(4)", Goal.all_gather(), path)
        ops, i = _first(plan, name)
        ops.pop(i)
        path.write_text(json.dumps(plan))
        assert any(word in run_mscclpp(path).reason for word in words.split("|"))


def test_programs_too_long_for_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hopscape.formats.mscclpp._MOST_BLOCKS", 1)
    with pytest.raises(TooLargeError, match="plans of MSCCL\\+\\+ are written for up to 1"):
        _plan("complete(18)", Goal.all_to_all(), tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()
