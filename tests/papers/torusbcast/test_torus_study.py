"""Lattice chains, perfect codes, the ledger, the study and its pictures."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from typer.testing import CliRunner

from hopscape.cli.app import app
from hopscape.collectives.circuits.torus import displacement, length, steps
from hopscape.core.errors import ArgumentError
from hopscape.papers.torusbcast import pictures, study
from hopscape.papers.torusbcast import pictures as tilings
from hopscape.papers.torusbcast.claims_beyond import chain_totals
from hopscape.papers.torusbcast.codes import (
    check_code_lemma,
    corner_in_code,
    lattice_codes,
    torus_codes,
)
from hopscape.papers.torusbcast.flags import chain_classes, chains, quotient, shortest_words


def test_chains_and_classes():
    assert len(chains()) == 456
    classes = chain_classes()
    assert len(classes) == 30
    assert sum(size for _, size in classes) == 456


def test_uniform_schemes_exhaustively():
    assert chain_totals("vertex") == [(5, 4, 1), (6, 4, 1), (7, 4, 1), (9, 3, 1)]
    edge = chain_totals("edge")
    assert len(edge) == 17
    assert sum(edge[0]) == 10


def slow_shortest(functionals, targets, base, most):
    """All ways to choose one simple word per target, by brute force (tiny quotients only)."""
    graph = quotient(functionals, base)
    ends = graph.number(targets, functionals).tolist()

    def walks(bound):
        found = {end: [] for end in ends}
        stack = [(0, ())]
        while stack:
            v, path = stack.pop()
            if path and v in found:
                found[v].append(frozenset(path))
                continue
            if len(path) < bound:
                stack += [
                    (int(w), (*path, int(w)))
                    for w in graph.steps[v]
                    if w != 0 and int(w) not in path
                ]
        return [sorted(set(found[end]), key=len) for end in ends]

    def choose(rows, used):
        if not rows:
            return True
        return any(choose(rows[1:], used | path) for path in rows[0] if not path & used)

    for bound in range(1, most + 1):
        if choose(walks(bound), frozenset()):
            return bound
    return None


def test_shortest_words_agree_with_brute_force():
    """Every chain 5 Z^2 < L < Z^2: first round modulo 5, second modulo L."""
    for plane in product(range(5), repeat=2):
        if not any(plane):
            continue
        line = next(v for v in product(range(5), repeat=2) if any(v) and np.dot(v, plane) % 5 == 0)
        one = next(v for v in product(range(5), repeat=2) if np.dot(v, plane) % 5 == 1)
        for functionals, generator in ((np.eye(2, dtype=int), line), (np.array([plane]), one)):
            targets = np.array([[k * x % 5 for x in generator] for k in range(1, 5)])
            mine = shortest_words(functionals, targets, "vertex", 5, most=5)
            assert mine.proved
            assert mine.length == slow_shortest(functionals, targets, 5, 5)


def test_words_found_are_disjoint_and_lead_to_the_targets():
    for chain, _ in chain_classes()[-4:]:
        for r in (1, 2, 3):
            functionals, targets = chain.functionals(r), chain.targets(r)
            found = shortest_words(functionals, targets, "vertex", 7)
            graph = quotient(functionals, 7)
            ends = graph.number(np.array([displacement(w, 3) for w in found.words]), functionals)
            assert sorted(ends) == sorted(graph.number(targets, functionals))
            met = [graph.number(steps(w, 3)[0][1:], functionals) for w in found.words]
            every = np.concatenate(met)
            assert len(np.unique(every)) == len(every)
            assert 0 not in every
            assert max(map(length, found.words)) == found.length


def test_paired_words_are_found_too():
    chain = chain_classes()[-4][0]
    args = (chain.functionals(1), chain.targets(1), "vertex", 7)
    assert shortest_words(*args, paired=True).length >= shortest_words(*args).length


def test_perfect_codes():
    for side, dimension in ((5, 2), (7, 3), (3, 1)):
        codes = torus_codes(side, dimension)
        assert len(codes) == len(lattice_codes(dimension))
        for a in lattice_codes(dimension):
            code = {
                p
                for p in product(range(side), repeat=dimension)
                if np.dot(a, p) % (2 * dimension + 1) == 0
            }
            assert frozenset(code) in codes
    assert torus_codes(4, 2) == []
    assert check_code_lemma()
    assert [corner_in_code(d) for d in range(1, 13)] == [False, False] + [True] * 10


def test_times_of_long_messages():
    assert study.relay_time(6, 73, 100.0, 10.0, 0.1, 0.01) == pytest.approx(6 * 11 + 7.3)
    best, packets = study.pipelined_time(72, 6, 1e5, 10.0, 0.1, 0.01)
    every = [(72 + q - 1) * (10.1 + 1e3 / (6 * q)) for q in range(1, 400)]
    assert best == pytest.approx(min(every))
    assert packets == 1 + int(np.argmin(every))
    rows = study.crossover_rows(points=15)
    assert rows[0]["relay"] < rows[0]["trees"]
    assert rows[-1]["relay"] > rows[-1]["trees"]
    assert all(row["ideal"] < row["trees"] for row in rows)
    assert all(row["tree_rounds"] == 26 + row["packets"] - 1 for row in rows)


def test_pictures_are_written(tmp_path):
    figure = tilings.tiling_figure(pictures.plane_tilings(1))
    tilings.save_figure(figure, tmp_path / "tiles.svg")
    assert (tmp_path / "tiles.svg").read_text().count("<path") > 5
    with pytest.raises(ArgumentError, match="must end in"):
        tilings.save_figure(figure, tmp_path / "tiles.doc")
    rounds = pictures.plane_rounds(1)
    tilings.save_figure(tilings.circuit_figure(5, rounds), tmp_path / "rounds.png")
    tilings.save_animation(5, rounds, tmp_path / "rounds.gif")
    assert (tmp_path / "rounds.gif").read_bytes()[:3] == b"GIF"
    assert tilings.containment_figure(pictures.plane_containment()) is not None
    assert tilings.space_figure(pictures.space_tiles()[:1]) is not None


def test_wrapped_paths_are_cut_at_the_rim():
    path = np.array([[3, 0], [4, 0], [0, 0], [1, 0]])
    pieces = tilings._segments(path, 5)
    assert [p.tolist() for p in pieces] == [
        [[3.0, 0.0], [4.0, 0.0], [4.5, 0.0]],
        [[-0.5, 0.0], [0.0, 0.0], [1.0, 0.0]],
    ]


def test_command_line_keys():
    runner = CliRunner()
    said = runner.invoke(
        app,
        [
            "broadcast",
            "torus(25,25)",
            "--algorithm",
            "numeration",
            "--from",
            "0",
            "--format",
            "json",
            "--alpha",
            "3",
            "--delta",
            "0.5",
        ],
    )
    record = json.loads(said.stdout)
    assert record["max_path"] == record["sum_round_max"] == 24
    assert record["disjoint"] == "vertex"
    assert record["time"] == 24.0
    assert record["rounds"] == record["lower_bound"] == 4
    for name in (
        "numeration",
        "numeration-11",
        "numeration-10",
        "axis",
        "optimal",
        "edge-disjoint",
    ):
        said = runner.invoke(app, ["broadcast", "torus(7,7,7)", "-a", name, "-f", "json"])
        assert json.loads(said.stdout)["verdict"] == "holds"


def test_study_command():
    said = CliRunner().invoke(app, ["study", "torus-broadcast", "--levels", "1", "-f", "json"])
    record = json.loads(said.stdout)
    keys = {"schemes", "chains", "codes", "delays", "many_sources", "pipelines", "crossover"}
    assert keys | {"hopscape"} == set(record)
    assert all(row["rounds"] == row["lower_bound"] for row in record["many_sources"])
    for name in ("many_sources", "pipelines"):
        assert all(row["verdict"] == "holds" for row in record[name])
    assert len(record["chains"]) == 30
    assert all(row["verdict"] == "holds" for row in record["schemes"])
    assert [row["runs_with_clashes"] > 0 for row in record["delays"]] == [False, False, False, True]


@pytest.mark.slow
def test_study_folder(tmp_path):
    place = tmp_path / "out"
    said = CliRunner().invoke(app, ["study", "torus-broadcast", "--out", str(place)])
    assert said.exit_code == 0
    for name in ("tiles.svg", "rounds.png", "containment.svg", "space-tiles.png", "crossover.svg"):
        assert (place / name).stat().st_size > 10_000
    assert (place / "rounds.gif").exists()
    assert json.loads((place / "study.json").read_text())["codes"]["lemma"] is True
