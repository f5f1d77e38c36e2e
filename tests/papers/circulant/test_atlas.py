"""The atlas against searches, breadth-first search and its own checksums."""

from __future__ import annotations

import dataclasses
import json
from collections import deque
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from commands import ask, refused, shown
from hopscape.core.errors import HopscapeError
from hopscape.core.requirement import Requirement
from hopscape.families.circulant.closed_forms import canonical
from hopscape.papers.circulant.atlas import (
    atlas_contents,
    atlas_row,
    atlas_rows,
    best_found,
    build_atlas,
    largest_order,
    largest_table,
    prove_rows,
    published,
    read_rows,
    write_rows,
)
from hopscape.papers.circulant.families import BestCirculant
from hopscape.papers.circulant.formulas import closed_form
from hopscape.papers.circulant.search import (
    best_circulants,
    largest_circulants,
    search_order,
    search_order_on_gpu,
)

DEGREES = sorted([4, *atlas_contents()])
SMALL = {2: 200, 3: 200, 4: 300, 5: 300, 6: 200, 7: 150, 8: 90, 9: 70, 10: 50, 11: 44, 12: 40}


def circulant_diameter(nodes, generators):
    """With boolean arrays: the ball grows by two shifts for each generator."""
    ball, d = np.zeros(nodes, dtype=bool), 0
    ball[0] = True
    while not ball.all():
        ball = np.logical_or.reduce(
            [ball, *(np.roll(ball, s) for g in generators for s in (g, -g))]
        )
        d += 1
    return d


def distances(nodes, generators):
    """From node 0, by breadth-first search."""
    found, queue = {0: 0}, deque([0])
    while queue:
        v = queue.popleft()
        for s in generators:
            for u in ((v + s) % nodes, (v - s) % nodes):
                if u not in found:
                    found[u] = found[v] + 1
                    queue.append(u)
    assert len(found) == nodes
    return list(found.values())


@pytest.mark.parametrize("degree", sorted(atlas_contents()))
def test_every_order_of_the_range_has_a_row(degree):
    entry = atlas_contents()[degree]
    want = [n for n in range(degree + 1, entry["high"] + 1) if not (degree % 2 and n % 2)]
    assert [row.nodes for row in atlas_rows(degree)] == want
    assert (entry["low"], entry["rows"]) == (want[0], len(want))


def test_the_promised_ranges_are_there():
    high = {degree: entry["high"] for degree, entry in atlas_contents().items()}
    assert set(range(2, 13)) == set(DEGREES)
    for degree, least in {6: 10_000, 8: 3_000, 10: 1_000, 12: 300}.items():
        assert high[degree] >= least
    assert atlas_row(100_000, 4) is not None


@settings(max_examples=60)
@given(st.sampled_from(DEGREES), st.data())
def test_rows_say_what_breadth_first_search_says(degree, data):
    row = data.draw(st.sampled_from(list(atlas_rows(degree, 0, 1000))))
    for generators in row.sets:
        far = distances(row.nodes, generators)
        assert (max(far), sum(far)) == (row.diameter, row.total)
        assert len({s % row.nodes for g in generators for s in (g, -g)}) == degree
        if degree != 4:
            assert tuple(canonical(row.nodes, generators)) == generators
    assert list(row.sets) == sorted(set(row.sets))
    assert row.count is None or len(row.sets) == min(row.count, 16)


@pytest.mark.parametrize("degree", DEGREES)
def test_small_rows_are_proved_again(degree):
    rows = list(atlas_rows(degree, 0, SMALL[degree]))
    assert [wrong for _, wrong in prove_rows(rows, workers=1) if wrong] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"diameter": 4}, "diameter 4, by search 3"),
        ({"total": 1}, "sum of distances 1"),
        ({"count": 9}, "9 optimal sets"),
        ({"sets": ((1, 2, 3),)}, "other generators"),
    ],
)
def test_a_wrong_row_is_found(change, words):
    row = atlas_row(55, 6)
    assert row is not None
    [(_, wrong)] = prove_rows([dataclasses.replace(row, **change)], workers=1)
    assert words in wrong


def test_damaged_data_is_refused(tmp_path):
    rows = list(atlas_rows(6, 0, 30))
    path = tmp_path / "rows.csv.xz"
    checksum = write_rows(rows, path)
    assert list(read_rows(path.read_bytes(), 6, checksum).values()) == rows
    write_rows(rows[1:], path)
    with pytest.raises(HopscapeError, match="damaged"):
        read_rows(path.read_bytes(), 6, checksum)


def test_a_built_folder_holds_the_rows_of_the_atlas(tmp_path):
    build_atlas(7, range(8, 61, 2), tmp_path, workers=1)
    entry = build_atlas(6, range(7, 61), tmp_path, workers=1)
    known = json.loads((tmp_path / "contents.json").read_text())
    assert list(known) == ["6", "7"]
    assert known["6"] == entry
    found = read_rows((tmp_path / entry["file"]).read_bytes(), 6, entry["sha256"])
    assert list(found.values()) == list(atlas_rows(6, 7, 60))


@pytest.mark.parametrize(("degree", "d"), [(5, 4), (6, 3), (7, 3), (8, 3), (9, 2)])
def test_the_largest_are_those_of_the_search(degree, d):
    row, proved = largest_order(d, degree)
    found = largest_circulants(d, degree=degree, ring=False, workers=1)
    assert proved
    assert (row.nodes, row.sets[0]) == (found.nodes, found.sets[0])


def test_the_best_found_have_their_diameter():
    for degree, d, nodes, generators in (*best_found(), *published()):
        if nodes > 30_000:
            continue
        assert len({s % nodes for g in generators for s in (g, -g)}) == degree
        assert circulant_diameter(nodes, generators) == d


@pytest.mark.slow
def test_all_of_the_best_found_have_their_diameter():
    for degree, d, nodes, generators in (*best_found(), *published()):
        assert len({s % nodes for g in generators for s in (g, -g)}) == degree
        assert circulant_diameter(nodes, generators) == d


@pytest.mark.parametrize("degree", [8, 9, 10, 11])
def test_formulas_have_their_diameter(degree):
    least, more = {8: (3, (20, 21)), 9: (2, (20, 21))}.get(degree, (5, ()))
    for d in (*range(least, 15), *more):
        nodes, generators = closed_form(degree, d)
        assert len({s % nodes for g in generators for s in (g, -g)}) == degree
        assert circulant_diameter(nodes, generators) == d
    assert [row["nodes"] for row in largest_table(13) if row["degree"] == degree][-1] > 10_000


def test_the_table_of_the_largest_grows_with_the_diameter():
    rows = largest_table()
    for before, after in pairwise(rows):
        if before["degree"] == after["degree"]:
            assert before["diameter"] + 1 == after["diameter"]
            assert before["nodes"] < after["nodes"] <= after["bound"]
    assert {row["known"] for row in rows if row["nodes"] == row["bound"]} == {"proved"}


def test_nothing_largest_is_below_the_atlas_or_fewer_ports():
    best = {(row["degree"], row["diameter"]): row["nodes"] for row in largest_table()}
    assert set(best) >= {(degree, d) for degree in range(2, 21) for d in range(1, 11)} - {
        (degree, d) for degree in (2, 3) for d in range(1, 11)
    }
    for degree in atlas_contents():
        for row in atlas_rows(degree):
            assert row.nodes <= best.get((degree, row.diameter), row.nodes)
    for (degree, d), nodes in best.items():
        assert nodes >= best.get((degree - 2, d), 0)
        fewer = best.get((degree - 1, d), 0)  # half the nodes is one step more, of even orders
        assert nodes >= fewer or (fewer % 2 == 1 and degree % 2 == 1)


@given(st.sampled_from([(5, 100), (6, 200), (8, 300), (12, 120)]))
def test_best_circulant_is_built_from_its_row(size):
    degree, nodes = size
    net = hopscape.build(f"best_circulant({nodes}, {degree})")
    row = atlas_row(nodes, degree)
    assert row is not None
    assert (net.order, int(net.degrees.max())) == (nodes, degree)
    plain = hopscape.build(f"circulant({nodes}, {', '.join(map(str, row.sets[0]))})")
    assert np.array_equal(net.heads, plain.heads)
    assert net.family.facts().diameter == row.diameter


def test_the_designer_is_offered_rows_near_the_size():
    members = list(BestCirculant.members(Requirement(1001, 990, 1010, 7)))
    assert members[0] == "best_circulant(1002, 7)"
    assert "best_circulant(1001, 6)" in members
    assert not list(BestCirculant.members(Requirement(10**6, 10**6, 10**6 + 5, 7)))


def test_on_a_gpu_small_orders_and_few_generators_stay_on_the_cpu(monkeypatch):
    from hopscape.papers.circulant import scanning
    from hopscape.papers.circulant import search_gpu as gpu

    asked = []

    def scan(part, best):
        asked.append((part.nodes, part.count, part.d, part.first))
        return scanning.scan_on_cpu(part, best)

    monkeypatch.setattr(gpu, "scan_on_gpu", scan)
    for arguments in [(40, 3, False, 2, 20, False), (500, 2, False, 14, 250, True)]:
        assert search_order_on_gpu(*arguments) == search_order(*arguments)
    assert not asked
    arguments = (90, 3, False, 3, 45, True)
    assert search_order_on_gpu(*arguments) == search_order(*arguments)
    parts = [first for first in range(1, 45) if 90 % first == 0]
    assert asked == [(90, 3, d, first) for d in (3, 4) for first in parts]


def test_a_real_gpu_finds_the_same_sets():
    pytest.importorskip("cupy")
    from hopscape.core.gpu import cupy
    from hopscape.papers.circulant import scanning
    from hopscape.papers.circulant import search_gpu as gpu

    try:
        cupy()
    except HopscapeError as error:
        pytest.skip(str(error))
    for nodes, count, d, half in [
        (64, 3, 4, None),
        (97, 3, 4, None),
        (128, 3, 4, True),
        (210, 4, 5, False),
        (90, 5, 3, True),
        (100, 5, 3, False),
    ]:
        slices = [(g, g + 1, nodes // 2 + 1) for g in range(1, nodes // 2 + 1) if nodes % g == 0]
        there = scanning.scan_slice(nodes, count, d, slices, half=half, scanner=gpu.scan_on_gpu)
        here = scanning.scan_slice(nodes, count, d, slices, half=half)
        assert (there["total"], there["sets"]) == (here["total"], here["sets"])


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("atlas circulant --degree 13", "degree is 13"),
        ("atlas circulant --nodes 1", "no circulant with nodes 1"),
        ("atlas circulant --degree 6 --nodes 5..x", "'5..x'"),
        ("atlas circulant --degree 6 --nodes 1:99999999999", "at most"),
        ("atlas circulant --prove", "--degree and --nodes"),
        ("atlas circulant --degree 6 --nodes 10 --prove --build x", "either"),
        ("atlas circulant --degree 6 --nodes 10 --workers 2", "--workers is for"),
        ("atlas circulant --degree 7 --nodes 9 --build x", "no circulant of degree 7"),
        ("show best_circulant(9,7)", "even number of nodes"),
        ("show best_circulant(7,8)", "at least 9"),
        ("show best_circulant(90000,6)", "goes to 10000"),
        ("show best_circulant(100,40)", "degree is 40"),
    ],
)
def test_bad_input_is_one_sentence(command, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words in refused(*command.split())
    assert not list(tmp_path.iterdir())


def test_the_commands_print_the_rows():
    [row] = ask(*["atlas", "circulant", "--degree", "6", "--nodes", "55"])
    assert (row["diameter"], row["sets"][0], row["count"]) == (3, [1, 5, 21], 2)
    shown(*["atlas", "circulant", "--degree", "6", "--nodes", "50:60", "--prove"])
    assert "55" in shown(*["atlas", "largest", "--diameter", "3"])


def test_the_files_are_small():
    folder = files("hopscape.papers.circulant").joinpath("atlas_data")
    assert sum(len(item.read_bytes()) for item in folder.iterdir()) < 2_000_000


def test_searches_refuse_unknown_devices():
    with pytest.raises(HopscapeError, match="'cpu' or 'gpu'"):
        list(best_circulants([30], 3, device="tpu"))
