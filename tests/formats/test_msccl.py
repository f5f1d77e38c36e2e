"""MSCCL files, carried out by an interpreter; spoilt ones are noticed."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.collectives.choose import run_algorithm
from hopscape.collectives.contest import compete
from hopscape.core.errors import ArgumentError, FileFormatError, TooLargeError
from hopscape.core.goal import Goal
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict
from hopscape.formats import msccl_check as msccl
from hopscape.formats.msccl import write_msccl
from hopscape.formats.msccl_check import (
    check_msccl,
    has_msccl_tools,
    judge_moves,
    moves_of,
    run_msccl,
)
from hopscape.formats.mscclpp import write_mscclpp
from hopscape.formats.mscclpp_check import run_mscclpp
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
        run_msccl(_spoilt(path, ' maxBytes="[0-9]+"', ""))


def test_what_msccl_has_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentError, match="MSCCL has no broadcast"):
        write_msccl(run_algorithm(build("ring(4)"), Goal.broadcast(0), "generic", None), tmp_path)
    monkeypatch.setattr("hopscape.formats.rank_moves._MOST_TRANSFERS", 19)
    with pytest.raises(TooLargeError, match="up to 19 transfers, not 20"):
        write_msccl(_schedule("ring(5)", "all-gather"), tmp_path / "x.xml")


@pytest.mark.parametrize("spec", ["circulant(128, 1, 12)", "torus(9, 9)"])
def test_beyond_64_ranks(tmp_path: Path, spec: str) -> None:
    for kind in ("all-gather", "sliced"):
        write_msccl(_schedule(spec, kind), tmp_path / "x.xml")
        found = run_msccl(tmp_path / "x.xml")
        assert found, found.reason


KINDS = ["all-gather", "reduce-scatter", "in pieces", "all-reduce", "sliced", "all-to-all"]


@pytest.mark.parametrize("kind", KINDS)
def test_moves_tell_the_whole_algorithm(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.xml"
    write_msccl(_schedule("petersen", kind), path)
    told = moves_of(path)
    held = {(r, "i", c): Counter({(r, c): 1}) for r in range(10) for c in range(100)}
    for move in told.moves:
        chunk, into = held[move.source, *move.of], (move.target, *move.into)
        held[into] = held[into] + chunk if move.adds else Counter(chunk)
    outputs = {key: shares for key, shares in held.items() if key[1] == "o"}
    size = told.factor * (1 if kind in ("reduce-scatter", "all-reduce", "sliced") else 10)
    assert len(outputs) == 10 * size
    for (rank, _, place), shares in outputs.items():
        assert shares == _promised(told.collective, told.factor, rank, place)


def _promised(collective: str, factor: int, rank: int, place: int) -> Counter[tuple[int, int]]:
    """The shares (rank, chunk of its input) that belong into a place of a rank's output."""
    if collective == "allgather":
        return Counter({divmod(place, factor): 1})
    if collective == "alltoall":
        source, piece = divmod(place, factor)
        return Counter({(source, rank * factor + piece): 1})
    chunk = place if collective == "allreduce" else rank * factor + place
    return Counter({(r, chunk): 1 for r in range(10)})


def test_check_says_what_msccl_tools_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "msccl").mkdir()
    write_msccl(_schedule("ring(4)", "all-gather"), tmp_path / "msccl" / "x.xml")
    monkeypatch.setattr(msccl, "has_msccl_tools", lambda: False)
    assert "msccl-tools is not installed" in check_msccl(tmp_path).reason
    monkeypatch.setattr(msccl, "has_msccl_tools", lambda: True)
    monkeypatch.setattr(msccl, "judge_moves", lambda told, seconds: Verdict(True, "checked"))
    found = check_msccl(tmp_path)
    assert "msccl-tools agrees" in found.reason
    assert found.details["x.xml"]["msccl_tools"] == "checked"
    monkeypatch.setattr(msccl, "judge_moves", lambda told, seconds: Verdict(False, "not so"))
    assert check_msccl(tmp_path).reason == "x.xml: not so"


@pytest.mark.parametrize(("code", "words"), [(0, "1 of 1 plans read"), (1, "x.json: no such")])
def test_the_parser_of_mscclpp_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    (tmp_path / "msccl").mkdir()
    write_mscclpp(_schedule("ring(4)", "all-gather"), tmp_path / "msccl" / "x.json")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    program = tmp_path / "mscclpp-plan"
    program.write_text(f"#!/bin/sh\necho '{words}'\nexit {code}\n")
    program.chmod(0o755)
    found = check_msccl(tmp_path)
    assert found.holds == (code == 0)
    assert ("own parser reads the plans" if code == 0 else "no such") in found.reason


@pytest.mark.skipif(not has_msccl_tools(), reason="msccl-tools is not installed")
@pytest.mark.parametrize("spec", ["ring(5)", "torus(3, 3)", "fat_tree(4)", "circulant(13, 1, 5)"])
@pytest.mark.parametrize("goal", ["all-gather", "reduce-scatter", "sliced", "all-to-all"])
def test_msccl_tools_agrees(tmp_path: Path, spec: str, goal: str) -> None:
    path = tmp_path / "x.xml"
    net = build(spec)
    kinds = {"all-gather": Goal.all_gather(), "reduce-scatter": Goal.reduce_scatter()}
    kinds |= {"sliced": Goal.all_reduce(net.endpoint_count), "all-to-all": Goal.all_to_all()}
    write_msccl(compete(net, kinds[goal], seconds=5).best.schedule, path)
    told = moves_of(path)
    assert judge_moves(told), judge_moves(told).reason
    last = max(i for i, move in enumerate(told.moves) if move.into[0] == "o")
    cut = [*told.moves[:last], *told.moves[last + 1 :]]
    assert not judge_moves(replace(told, moves=cut))
    if goal in ("reduce-scatter", "sliced"):  # of other goals it knows no sums, and stops
        again = replace(told.moves[last], adds=True)
        assert not judge_moves(replace(told, moves=[*told.moves, again]))
