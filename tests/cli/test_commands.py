"""The command line as a person and as a script would use it."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path

import networkx
import numpy as np
import pytest

import hopscape
from commands import ask, refused, run
from hopscape.metrics import channel_load


def test_show_gives_the_promised_keys() -> None:
    found = ask("show", "torus(8,8)")
    expected = {
        "spec": "torus(8, 8)",
        "nodes": 64,
        "links": 128,
        "channels": 256,
        "degree": {"min": 4, "max": 4},
        "connected": True,
        "diameter": 8,
        "mean_distance_exact": "256/63",
        "vertex_transitive": True,
    }
    assert {key: found[key] for key in expected} == expected
    assert found["mean_distance"] == pytest.approx(256 / 63)


@pytest.mark.parametrize(
    "spec", ["mesh(4, 5)", "debruijn(2, 4)", "random_regular(30, 3, seed=4)", "ccc(4)", "path(1)"]
)
def test_show_agrees_with_networkx(spec: str) -> None:
    from hopscape.formats.graphs import to_networkx

    found = ask("show", spec)
    forced = ask("show", spec, "--exact")
    graph = to_networkx(hopscape.build(spec))
    lengths = dict(networkx.all_pairs_shortest_path_length(graph))
    far = [d for row in lengths.values() for d in row.values() if d > 0]
    assert found["diameter"] == forced["diameter"] == max(far, default=0)
    if far:
        mean = Fraction(sum(far), len(far))
        assert Fraction(found["mean_distance_exact"]) == mean
        assert Fraction(forced["mean_distance_exact"]) == mean


def test_show_of_a_disconnected_graph(tmp_path: Path) -> None:
    place = tmp_path / "two.edges"
    place.write_text("0 1\n2 3\n")
    found = ask("show", str(place))
    assert found["connected"] is False
    assert found["diameter"] is None
    assert found["mean_distance"] is None
    assert found["nodes"] == 4


def test_distances_from_a_node() -> None:
    found = ask("distances", "heawood", "--from", "3", "--each")
    assert found["source"] == 3
    assert found["histogram"] == [1, 3, 6, 4]
    assert found["distances"] == [
        hopscape.build("heawood").router().distance(3, v) for v in range(14)
    ]


def test_distances_over_all_pairs() -> None:
    found = ask("distances", "mesh(3,3)")
    assert found["histogram"] == [9, 24, 28, 16, 4]
    assert found["diameter"] == 4


def test_route_by_number_and_by_address() -> None:
    by_number = ask("route", "torus(5, 4)", "0", "11")
    by_address = ask("route", "torus(5, 4)", "(0, 0)", "(2, 3)")
    assert by_number == by_address
    assert by_number["path"][0] == 0
    assert by_number["path"][-1] == 11
    assert by_number["length"] == len(by_number["ports"]) == 3
    assert by_number["exact"] is True
    net = hopscape.build("torus(5, 4)")
    here = 0
    for port, then in zip(by_number["ports"], by_number["path"][1:], strict=True):
        assert net.neighbours(here)[port] == then
        here = then
    assert [tuple(a) for a in by_number["addresses"]] == [net.address(v) for v in by_number["path"]]


def test_route_round_dead_parts() -> None:
    found = ask(
        "route", "torus(4, 4)", "0", "10", "--dead", "1", "--dead-link", "0-4", "--disjoint"
    )
    assert found["length"] == 4
    assert (found["dead_nodes"], found["dead_links"]) == ([1], [[0, 4]])
    net = hopscape.build("torus(4, 4)")
    for path in [found["path"], *found["disjoint_paths"]]:
        assert 1 not in path
        assert (0, 4) not in set(pairwise(path))
        assert all(v in net.neighbours(u) for u, v in pairwise(path))
    assert len(found["disjoint_paths"]) == 2
    assert "is dead" in refused("route", "torus(4, 4)", "0", "10", "--dead", "10")
    assert "does not go with dead parts" in refused(
        "route", "ring(5)", "0", "2", "--dead", "1", "--router", "table"
    )
    assert "no such link" in refused("route", "ring(5)", "0", "2", "--dead-link", "0-2")


def test_route_on_a_huge_network() -> None:
    found = ask("route", "hypercube(100)", "0", str(2**100 - 1))
    assert found["length"] == 100
    assert found["path"][-1] == 2**100 - 1


def test_broadcast_gives_the_promised_keys() -> None:
    found = ask("broadcast", "petersen", "--from", "7")
    expected = {"rounds": 2, "messages": 9, "duplicates": 0, "reached": 10, "verdict": "holds"}
    assert {key: found[key] for key in expected} == expected
    assert found["lower_bound"] == 2


@pytest.mark.parametrize(
    "command",
    [
        ("reduce", "--to", "3"),
        ("scatter", "--from", "3"),
        ("gather", "--to", "3"),
        ("allgather",),
        ("allreduce",),
        ("allreduce", "--sliced"),
        ("alltoall",),
        ("permute", "--permutation", "random:5"),
        ("multicast", "--to", "1", "--to", "(2, 2)"),
        ("broadcast", "--ports", "1", "--duplex", "half"),
    ],
)
def test_every_collective_holds(command: tuple[str, ...]) -> None:
    found = ask(command[0], "torus(3, 4)", *command[1:])
    assert found["verdict"] == "holds"
    assert found["rounds"] >= found["lower_bound"] > 0


def test_saved_schedules_verify_and_broken_ones_do_not(tmp_path: Path) -> None:
    place = tmp_path / "schedule.json"
    ask("broadcast", "ring(8)", "--save", str(place))
    assert ask("verify", str(place))["verdict"] == "holds"
    data = json.loads(place.read_text())
    for column in data["transfers"].values():
        del column[3]
    place.write_text(json.dumps(data))
    done = run("verify", str(place), "--format", "json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["verdict"] == "fails"
    place.write_text(place.read_text()[: len(place.read_text()) // 2])
    assert "not a whole JSON file" in refused("verify", str(place))


def test_compare_and_its_formats(tmp_path: Path) -> None:
    rows = ask("compare", "petersen", "hypercube(3)")
    assert [row["spec"] for row in rows] == ["petersen", "hypercube(3)"]
    assert rows[0]["diameter"] == 2
    text = run("compare", "petersen", "hypercube(3)", "--format", "csv").stdout
    assert [row["nodes"] for row in csv.DictReader(io.StringIO(text))] == ["10", "8"]
    place = tmp_path / "rows.parquet"
    assert run("compare", "petersen", "-f", "parquet", "-o", str(place)).returncode == 0
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(place).to_pylist()[0]["girth"] == 5


def test_a_graph_file_is_a_network_like_any_other(tmp_path: Path) -> None:
    place = tmp_path / "mine.graphml"
    networkx.write_graphml(networkx.pappus_graph(), place)
    found = ask("show", str(place))
    assert (found["nodes"], found["diameter"], found["vertex_transitive"]) == (18, 4, True)
    assert ask("route", str(place), "0", "9")["length"] >= 1
    assert ask("broadcast", str(place))["verdict"] == "holds"
    assert run("draw", str(place), "-o", str(tmp_path / "mine.svg")).returncode == 0
    other = tmp_path / "again.edges"
    assert run("export", str(place), "-o", str(other)).returncode == 0
    assert ask("show", str(other))["links"] == 27


def test_bisection_gives_a_partition_that_reaches_it() -> None:
    found = ask("bisection", "generalized_petersen(9, 2)")
    net = hopscape.build("generalized_petersen(9, 2)")
    side = found["side"]
    crossing = sum(side[u] != side[v] for u in range(18) for v in net.neighbours(u)) // 2
    assert sum(side) == 9
    assert found["bisection"] == found["lower"] == found["upper"] == crossing


def test_load_under_a_matrix_of_traffic(tmp_path: Path) -> None:
    uniform = ask("load", "ring(8)")
    assert uniform["largest"] == pytest.approx(10 / 7)
    place = tmp_path / "shift.csv"
    rows = [["1" if j == (i + 1) % 8 else "0" for j in range(8)] for i in range(8)]
    place.write_text("\n".join(",".join(row) for row in rows))
    shifted = ask("load", "ring(8)", "--traffic", str(place), "--each")
    assert shifted["largest"] == 1
    assert sum(shifted["loads"]) == 8
    assert "8 × 8" in refused("load", "ring(8)", "--traffic", str(_square(tmp_path, 3)))


def test_load_under_the_patterns_of_the_simulator() -> None:
    """What the command says of the worst permutation, all permutations are tried for."""
    net = hopscape.build("ring(5)")
    most = max(
        channel_load(net, traffic=np.eye(5)[list(order)]).largest
        for order in permutations(range(5))
    )
    assert ask("load", "ring(5)", "--traffic", "worst")["largest"] == most
    assert ask("load", "ring(8)", "--traffic", "neighbor")["largest"] == 1
    drawn = [
        ask("load", "torus(4, 4)", "--traffic", "permutation", "--seed", seed)["largest"]
        for seed in ("2", "5")
    ]
    fixed = [
        ask("load", "torus(4, 4)", "--traffic", f"permutation({seed})")["largest"]
        for seed in (2, 5)
    ]
    assert drawn == fixed
    assert "--seed" in refused("load", "ring(8)", "--traffic", "tornado", "--seed", "2")
    assert "choose uniform" in refused("load", "ring(8)", "--traffic", "no-pattern")
    assert "no such file" in refused("load", "ring(8)", "--traffic", "none.csv")
    assert refused("load", "ring(8)", "--traffic", "").startswith("hopscape: traffic ''")


def _square(folder: Path, size: int) -> Path:
    place = folder / "square.csv"
    place.write_text("\n".join(",".join("1" * size) for _ in range(size)))
    return place


def test_families_lists_parameters_and_ranges() -> None:
    names = {row["name"]: row for row in ask("families")}
    assert names["torus"]["parameters"][0]["range"] == "integers of at least 1"
    assert ask("families", "cube_connected_cycles")["name"] == "ccc"


def test_tables_have_no_colour_codes_in_a_pipe() -> None:
    assert "\x1b" not in run("show", "petersen").stdout
    assert "\x1b" not in run("show", "petersen", NO_COLOR="1", FORCE_COLOR="").stdout


def test_the_module_runs_as_a_program() -> None:
    command = [sys.executable, "-m", "hopscape", "show", "tours(8)"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("hopscape: unknown family 'tours'; did you mean torus")
    assert "Traceback" not in done.stderr


def test_version_and_help() -> None:
    assert run("--version").stdout.strip() == f"hopscape {hopscape.__version__}"
    assert "torus(8, 8)" in run("show", "--help").stdout


def test_files_that_are_not_graphs(tmp_path: Path) -> None:
    for name, content in [
        ("words.edges", b"this is not a graph at all\n"),
        ("binary.edges", bytes(range(256))),
        ("empty.edges", b""),
        ("half.graphml", b"<graphml><graph><node id='0'/>"),
        ("bad.mtx", b"nonsense"),
        ("bad.npz", b"PK nonsense"),
    ]:
        place = tmp_path / name
        place.write_bytes(content)
        assert name in refused("show", str(place))


def test_a_disconnected_graph_cannot_be_broadcast(tmp_path: Path) -> None:
    place = tmp_path / "two.edges"
    place.write_text("0 1\n2 3\n")
    assert "cannot be reached" in refused("broadcast", str(place))
    assert "no route" in refused("route", str(place), "0", "2")


def test_memory_limit_is_named() -> None:
    complaint = refused("distances", "torus(300, 300)", "--from", "0", HOPSCAPE_MEMORY="1M")
    assert "limit of 1 MB" in complaint
    assert "number of bytes" in refused("distances", "ring(9)", HOPSCAPE_MEMORY="much")
