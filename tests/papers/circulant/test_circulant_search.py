"""The search against trying everything, and its table against being killed."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.families.circulant.closed_forms import canonical
from hopscape.families.circulant.wiring import Circulant
from hopscape.papers.circulant.search import best_circulants, largest_circulants
from hopscape.store import Store


def everything(nodes: int, count: int, ring: bool) -> tuple[int, int, list[tuple[int, ...]]]:
    """The slow twin: breadth-first search on every set."""
    found: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    for generators in itertools.combinations(range(1, nodes // 2 + 1), count):
        form = canonical(nodes, generators)
        if ring and form[0] != 1:
            continue
        far = distances_from(Network.of(Circulant(nodes, form)), 0)
        if far.min() >= 0:
            found.setdefault((int(far.max()), int(far.sum())), set()).add(form)
    best = min(found)
    return *best, sorted(found[best])


@pytest.mark.parametrize("ring", [True, False])
@pytest.mark.parametrize(
    ("orders", "count"), [(range(6, 27), 3), (range(4, 50, 3), 2), ((10, 16, 18), 4), ((64, 65), 2)]
)
def test_search_agrees_with_trying_everything(orders: range, count: int, ring: bool) -> None:
    for found in best_circulants(list(orders), count, ring=ring, workers=1):
        wanted = everything(found.nodes, count, ring)
        assert (found.diameter, found.total, list(found.sets)) == wanted


def test_largest_orders() -> None:
    assert [largest_circulants(d, 3).nodes for d in (1, 2, 3, 4)] == [7, 21, 55, 117]
    assert largest_circulants(3, 2).nodes == 25
    assert largest_circulants(4, 1).nodes == 9
    even = largest_circulants(3, 4, workers=1)
    assert (even.nodes, even.sets) == (104, ((1, 16, 20, 27),))


def test_table_survives_a_line_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    with Store(path) as table:
        first = list(best_circulants(range(20, 25), 3, ring=True, resume=table, workers=1))
    whole = path.read_bytes()
    for cut in (len(whole) - 1, len(whole) - 20, 10, 0):
        path.write_bytes(whole[:cut])
        with Store(path) as table:
            again = list(best_circulants(range(20, 25), 3, ring=True, resume=table, workers=1))
        assert again == first
        assert path.read_bytes() == whole


def test_strange_arguments_are_refused() -> None:
    with pytest.raises(ArgumentError, match="at least 6"):
        list(best_circulants([5], 3))


def test_command_line_keys() -> None:
    words = [
        "search",
        "circulant",
        "--nodes",
        "105",
        "--generators",
        "3",
        "--ring",
        "--format",
        "json",
    ]
    run = subprocess.run(
        [sys.executable, "-m", "hopscape", *words], capture_output=True, text=True, check=True
    )
    record = json.loads(run.stdout)
    assert record["diameter"] == 4
    assert record["mean_distance_exact"] == "41/13"
    assert record["sets"] == [[1, 5, 41], [1, 7, 29], [1, 16, 22]]


def wait_for(ready: Callable[[], bool], seconds: float = 120) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if ready():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
def test_killed_search_goes_on_and_leaves_no_process(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    words = ["--diameter", "8", "--ring", "--workers", "2", "--resume", str(path)]
    command = [sys.executable, "-m", "hopscape", "search", "circulant", *words]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert wait_for(lambda: path.exists() and path.read_bytes().count(b"\n") > 3)
        with pytest.raises(ArgumentError, match="another run"):
            Store(path)
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
        assert len(children) >= 2
    finally:
        running.kill()
        running.wait()
    assert wait_for(lambda: not any(Path(f"/proc/{child}").exists() for child in children))
    with Store(path) as table:
        kept = len(table)
        assert kept >= 3
        found = largest_circulants(8, 3, resume=table, workers=1)
        assert len(table) >= kept
    assert (found.nodes, found.sets) == (737, ((1, 11, 133), (1, 56, 66)))


def everything_of_degree(nodes: int, degree: int, ring: bool):
    """The slow twin by degree: every set of steps whose links are counted on the network."""
    found: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    for count in range(1, degree + 1):
        for generators in itertools.combinations(range(1, nodes // 2 + 1), count):
            if len({t % nodes for s in generators for t in (s, -s)}) != degree:
                continue
            form = canonical(nodes, generators)
            if ring and all(math.gcd(s, nodes) > 1 for s in form):
                continue
            far = distances_from(Network.of(Circulant(nodes, form)), 0)
            if far.min() >= 0:
                found.setdefault((int(far.max()), int(far.sum())), set()).add(form)
    if not found:
        return None
    best = min(found)
    return *best, sorted(found[best])


@pytest.mark.parametrize("ring", [True, False])
@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5, 6, 7])
def test_search_by_degree_agrees_with_trying_everything(degree: int, ring: bool) -> None:
    compared = 0
    for nodes in range(2, 25):
        wanted = everything_of_degree(nodes, degree, ring)
        if wanted is None:
            with pytest.raises(ArgumentError):
                list(best_circulants([nodes], degree=degree, ring=ring, workers=1))
            continue
        compared += 1
        [found] = best_circulants([nodes], degree=degree, ring=ring, workers=1)
        assert (found.diameter, found.total, list(found.sets)) == wanted
        assert found.to_dict()["lower_bound"] <= found.diameter
        assert found.degree == degree
        assert all(Circulant(nodes, s).facts().degree_max == degree for s in found.sets)
    assert compared


@pytest.mark.parametrize(("degree", "d"), [(3, 1), (3, 2), (3, 4), (4, 2), (5, 1), (5, 2), (7, 1)])
def test_largest_of_a_degree(degree: int, d: int) -> None:
    found = largest_circulants(d, degree=degree, ring=False, workers=1)
    assert found.diameter <= d
    for nodes in range(found.nodes, found.nodes + 8):
        wanted = everything_of_degree(nodes, degree, ring=False)
        assert (wanted is not None and wanted[0] <= d) == (nodes == found.nodes)


def test_degree_or_generators() -> None:
    for wrong in ({}, {"generators": 2, "degree": 4}, {"degree": 0}, {"generators": 0}):
        with pytest.raises(ArgumentError):
            list(best_circulants([20], **wrong))
        with pytest.raises(ArgumentError):
            largest_circulants(2, **wrong)
    with pytest.raises(ArgumentError, match="even number"):
        list(best_circulants([21], degree=5))
