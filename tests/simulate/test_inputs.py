"""Inputs from other programs, wrong ones, and the engine without a compiler."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscape
from hopscape.cli import main
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.formats.booksim import read_anynet, read_booksim, split_list, write_booksim
from hopscape.simulate import Settings, build_setup, make_traffic
from hopscape.simulate.jobs import traffic_for
from hopscape.simulate.sweep import parse_loads


def _config(tmp_path, text):
    path = tmp_path / "net.cfg"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "targets", "shares", "warned"),
    [
        ("hotspot({{0,9,27,54},{1,1,1,1}})", [0, 9, 27, 54], [1, 1, 1, 1], False),
        ("hotspot({{0,9},{3,1}})", [0, 9], [3, 1], False),
        ("hotspot({{0,9}})", [0, 9], [1, 1], False),
        ("hotspot({{4,5,6},{2}})", [4, 5, 6], [2, 2, 2], False),
        ("hotspot({0,9,27,54},{1,1,1,1})", [0], [1], True),
        ("hotspot({9,0})", [9], [1], True),
        ("hotspot(5)", [5], [1], False),
        ("hotspot({5})", [5], [1], False),
    ],
)
def test_hotspots_are_those_that_booksim_reads(tmp_path, text, targets, shares, warned):
    job = read_booksim(_config(tmp_path, f"traffic = {text};"))
    row = np.zeros(64)
    np.add.at(row, targets, np.asarray(shares, dtype=float) / sum(shares))
    assert np.allclose(make_traffic(job.traffic, 64).matrix(64), row)
    assert any("two pairs of braces" in note for note in job.notes) == warned
    assert job.values["traffic"] == text


def test_hotspots_are_written_so_that_booksim_reads_them(tmp_path):
    network = hopscape.build("ring(8)")
    for text in ("hotspot({1,5},{3,1})", "hotspot({{1,5},{3,1}})", "hotspot({1,5})"):
        write_booksim(network, Settings(), tmp_path / "x.cfg", traffic=text)
        job = read_booksim(tmp_path / "x.cfg")
        found = make_traffic(job.traffic, 8).matrix(8)
        assert np.allclose(found, make_traffic(text, 8).matrix(8))
        assert not any("hotspot" in note for note in job.notes)
    for text in ("permutation(3)", "bit-complement", "neighbour", "tornado"):
        write_booksim(network, Settings(), tmp_path / "x.cfg", traffic=text)
        again = make_traffic(read_booksim(tmp_path / "x.cfg").traffic, 8).targets
        assert again.tolist() == make_traffic(text, 8).targets.tolist()
    for text in ("worst", "uniform-others", "mine.csv", "hotspot()"):
        with pytest.raises(ArgumentError):
            write_booksim(network, Settings(), tmp_path / "x.cfg", traffic=text)


def _slow_split(text):
    """BookSim's rule by recursion on the depth of every character."""
    if not text.startswith("{"):
        return [text] if text else []
    out, word, depth = [], "", 0
    for letter in text[1:]:
        if depth == 0 and letter in ",}":
            out += [word] if word else []
            word = ""
            continue
        depth += {"{": 1, "}": -1}.get(letter, 0)
        word += letter
    return out


@given(st.text("{},12", max_size=12))
def test_lists_are_split_as_booksim_does(text):
    if text.count("{") == text.count("}"):
        assert split_list(text) == _slow_split(text)


@pytest.mark.parametrize(
    "line",
    [
        'k = "";',
        "k = inf;",
        "k = 2.5;",
        "k = {8,8};",
        f"k = {'9' * 400};",
        "n = 100000;",
        "warmup_periods = nan;",
        "burst_alpha = true;",
        "injection_rate = lots;",
        "packet_size = {1,x};",
        "packet_size = {};",
        "latency_thres = inf;",
        "num_vcs = 1e300;",
        "traffic = hotspot();",
        "traffic = hotspot({{-1}});",
        "traffic = hotspot({{99}});",
        "seed = -1;",
    ],
)
def test_wrong_values_of_booksim_are_refused_in_one_sentence(tmp_path, capsys, line):
    with pytest.raises(SystemExit) as end:
        main(["simulate", "--booksim", str(_config(tmp_path, line))])
    assert end.value.code == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert len(told) == 1
    assert told[0].startswith("hopscape: ")


def test_whole_numbers_may_be_written_as_floats(tmp_path):
    job = read_booksim(_config(tmp_path, "k = 4.0; packet_size = {1,4}; seed = time;"))
    assert (job.spec, job.settings.packet, job.seed) == ("torus(4, 4)", (1, 4), 0)


@pytest.mark.parametrize(
    "text",
    [
        "router ² node 0 router 1",
        "router 0 node 0 router ²",
        "router 0 node 0 router 4294967296",
        "router 0 node 0 router 1000000",
        "router 0 node 0 router 1 99999",
        f"router 0 node 0 router {'9' * 5000}",
        "router",
        "",
    ],
)
def test_wrong_network_files_are_refused_at_once(tmp_path, text):
    path = tmp_path / "x.anynet"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HopscapeError):
        read_anynet(path)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("mesh(4, 2)", "product(path(4), path(2))"),
        ("torus(4, 4)", "product(ring(4), ring(4))"),
        ("torus(3, 4, 5)", "mesh(3, 4, 5)"),
        ("hypercube(4)", "mesh(2, 2, 2, 2)"),
    ],
)
def test_same_addresses_same_traffic(first, second):
    one, two = (build_setup(hopscape.build(spec), Settings()) for spec in (first, second))
    for pattern in ("transpose", "tornado", "neighbour", "shuffle"):
        found = traffic_for(one, pattern, 0).targets
        assert found.tolist() == traffic_for(two, pattern, 0).targets.tolist()
        assert sorted(found.tolist()) == list(range(one.endpoints))


def test_transpose_swaps_halves_of_the_address():
    cube = build_setup(hopscape.build("hypercube(4)"), Settings())
    halves = [(s >> 2) | (s & 3) << 2 for s in range(16)]
    assert traffic_for(cube, "transpose", 0).targets.tolist() == halves
    grid = build_setup(hopscape.build("mesh(4, 2)"), Settings())
    assert traffic_for(grid, "transpose", 0).targets.tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    assert traffic_for(grid, "tornado", 0).targets.tolist() == [2, 3, 4, 5, 6, 7, 0, 1]


@pytest.mark.parametrize("text", ["0:1:1e-9", "0:inf:1", "nan", "inf", "0:1:1e-320", "-0.1", ""])
def test_wrong_loads_are_refused_before_they_are_written_out(text):
    with pytest.raises(ArgumentError, match="load"):
        parse_loads(text)


def test_a_negative_seed_is_refused(capsys):
    for traffic in ("uniform", "permutation", "permutation(-3)"):
        with pytest.raises(SystemExit) as end:
            main(["simulate", "ring(4)", "--load", "0.1", "--seed", "-1", "--traffic", traffic])
        assert end.value.code == 2
        assert re.search("at least 0|from 0 to", capsys.readouterr().err)


def test_the_engine_runs_without_a_compiler():
    routings = ("fixed", "adaptive", "valiant", "ugal")
    script = (
        "import json, sys, hopscape\n"
        "from hopscape.simulate import Settings, build_setup, make_traffic, run_point\n"
        "for routing in sys.argv[1:]:\n"
        "    setup = build_setup(hopscape.build('torus(3, 4)'), Settings(packet=(1, 3), vcs=5,"
        " routing=routing))\n"
        "    point = run_point(setup, make_traffic('uniform', 12), 0.5, warmup=100, cycles=100)\n"
        "    print(json.dumps([point.latency, point.accepted, point.flit_hops, point.created]))"
    )
    found = []
    for off in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", script, *routings],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
        )
        assert done.returncode == 0, done.stderr
        found.append([json.loads(line) for line in done.stdout.splitlines()])
    assert found[0] == found[1]
    assert len({str(one) for one in found[0]}) == len(routings)
