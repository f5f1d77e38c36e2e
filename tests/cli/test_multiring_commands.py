"""The commands about multirings, as a user types them."""

from __future__ import annotations

import json
import os
from fractions import Fraction

import pytest

from hopscape.cli import main


def run(*words):
    """Exit code of one command."""
    try:
        code = main(list(words))
    except SystemExit as end:
        code = end.code
    return code or 0


def as_json(capsys, *words):
    assert run(*words, "--format", "json") == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("spec", "shortest", "balanced", "rings"),
    [
        ("multiring(16, 1, 3)", "20/1", "240/11", 4),
        ("multiring(32, 1, 2, 3, 7)", "992/17", "17918/253", 8),
        ("multiring(16, 1, 2, 3, 7, -7, -4, -3, -1)", "48/1", "7930/107", 8),
        ("multiring(16, 1, copies=2)", "15/1", "15/1", 4),
        ("sparse_multiring(2, 10)", "420/19", "420/19", 6),
        ("sparse_multiring(4, 16)", "102/1", "102/1", 26),
    ],
)
def test_capacity(capsys, spec, shortest, balanced, rings):
    record = as_json(capsys, "capacity", spec)
    assert record["shortest"]["capacity"] == shortest
    assert record["balanced"]["capacity"] == balanced
    for name in ("shortest", "balanced"):
        part = record[name]
        for key in ("capacity", "load"):
            assert float(Fraction(part[key])) == part[f"{key}_decimal"]
        assert [float(Fraction(x)) for x in part["loads"]] == part["loads_decimal"]
        assert len(part["loads"]) == rings
        assert max(map(Fraction, part["loads"])) == Fraction(part["load"])
        n = record["nodes"]
        assert Fraction(part["capacity"]) * Fraction(part["load"]) == n * (n - 1)


def test_capacity_of_distributions_tori_and_changes_of_ring(capsys, tmp_path):
    near = ",".join(["1"] * 3 + ["0"] * 12)
    record = as_json(capsys, "capacity", "multiring(16, 1, 3)", "--distribution", near)
    assert record["moore_bound"] is None
    assert record["balanced"]["capacity_decimal"] > 21.9
    path = tmp_path / "weights.txt"
    path.write_text(near.replace(",", "\n"))
    assert as_json(capsys, "capacity", "multiring(16, 1, 3)", "--distribution", str(path)) == record
    torus = as_json(capsys, "capacity", "product(multiring(16, 1, 3), sparse_multiring(2, 10))")
    assert torus["nodes"] == 240
    assert Fraction(torus["rate"]) == min(Fraction(16, 11), Fraction(420, 19) / 14)
    record = as_json(capsys, "capacity", "multiring(32, 1, 2, 3, 7)", "--compare")
    assert record["switching"]["mean_hops"] < 3
    assert run("capacity", "multiring(32, 1, 2, 3, 7)") == 0
    assert "70.8221  = 17918/253  (proved)" in capsys.readouterr().out
    assert run("capacity", "sparse_multiring(4, 18)") == 0
    assert "2 on every ring" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("capacity", "petersen"), "petersen is not a multiring"),
        (("capacity", "multiring(16, 1, 3)", "--distribution", "1,x"), "neither 'uniform'"),
        (("capacity", "multiring(16, 1, 3)", "--distribution", "1,2"), "need 15"),
        (("capacity", "sparse_multiring(2, 4)", "--distribution", "1,2"), "is for multiring"),
        (("search", "multiring", "--nodes", "x"), "nodes is 'x'"),
        (("search", "multiring", "--nodes", "16", "--rings", "7"), "rings is 7"),
        (("search", "multiring", "--nodes", "16,32", "--rings", "4", "--grow"), "pairs the lists"),
        (("search", "ring-order", "multiring(16, 1, 3)"), "is not a sparse_multiring"),
        (("rings", "multiring(16, 1, 3)", "--mode", "odd"), "mode is 'odd'"),
        (("rings", "multiring(16, 1, 3)", "--mode", "open"), "load is 0.0"),
        (("rings", "petersen"), "simulated for multiring"),
        (("rings", "multiring(16, 1, 3)", "--mode", "open", "--load", "1000"), "carries 21.8182"),
        (("rings", "multiring(16, 1, 3)", "--mode", "open", "--load", "5", "--load", "22"),
         "load is 22"),
        (("rings", "multiring(16, 1, 3)", "--load", "5"), "--load is for --mode open"),
        (("rings", "multiring(16, 1, 3)", "--window", "5"), "--window is for --mode window"),
        (("rings", "multiring(16, 1, 3)", "--seed", "-5"), "seed is -5"),
        (("rings", "sparse_multiring(10, K=2147483647)"), "too many places"),
        (("rings", "multiring(99999999999, 1, 3)"), "routes on 4 rings"),
        (("capacity", "multiring(18446744073709551616, 1, 3)"), "routes on 4 rings"),
        (("capacity", "sparse_multiring(10, 2147483647, sigma=9)"), "ways"),
        (("capacity", "multiring(16, 1, 3, copies=99999999999)"), "ports; at most"),
        (("capacity", "multiring(16, 1, 3)", "--dead-ring", "7"), "the rings are 1, 3, -1, -3"),
        (("capacity", "multiring(16, 1, 3)", "--dead-ring", "1", "--worst-fault"), "looks for"),
        (("capacity", "multiring(16, 1, 3)", "--dead-node", "1", "--compare"), "neither"),
        (("capacity", "product(ring(4), ring(4))", "--worst-fault"), "not a multiring"),
        (("capacity", "torus(4, 4)", "--dead-node", "1"), "is not a multiring"),
        (("search", "multiring", "--nodes", "16..99999999999"), "at most 100000"),
        (("search", "multiring", "--nodes", "99999999999"), "bytes"),
        (("search", "ring-order", "sparse_multiring(2, 8)", "--seed", "-1"), "seed -1"),
        (("search", "ring-order", "sparse_multiring(2, 2000000000000)"), "too many places"),
        (("ring-table", "sparse_multiring(10, K=2147483647)"), "TB"),
        (("ring-routes", "torus(4, 4)"), "is not a multiring"),
        (("ring-routes", "multiring(16, 1, 3)", "--schedule", "best"), "schedule is 'best'"),
        (("ring-torus", "--ports", "1"), "must be at least"),
        (("ring-torus", "--keep", "0"), "must be at least"),
        (("ring-torus", "--ports", "4", "--nodes", "999999", "--longest", "9", "--printed",
          "--processes", "1"), "no torus of up to 3 lines"),
        (("route", "torus(4, 4)", "0", "1", "--router", "one-ring"), "is unknown"),
        (("deadlock", "multiring(16, 1, 3)", "--router", "one-ring", "--routing", "ugal"), "fixed"),
        (("simulate", "multiring(8, 1)", "--router", "one-ring", "--fail-node", "1", "--load",
          "0.1"), "do not go round"),
        (("simulate", "multiring(8, 1)", "--router", "one-ring", "-t", "worst", "--load", "0.1"),
         "is not known"),
    ],
)  # fmt: skip
def test_refusals(capsys, words, message):
    assert run(*words) == 2
    assert message in capsys.readouterr().err


def test_search(capsys, tmp_path):
    words = ("search", "multiring", "--nodes", "16", "--rings", "6", "--processes", "1")
    record = as_json(capsys, *words)
    assert record["capacity"] == "48/1"
    assert record["proved"]
    assert record["sets"][0]["cheapest"] == [2, 3, 5]
    cheap = as_json(capsys, *words, "--cable", "12")
    assert Fraction(cheap["capacity"]) == Fraction(240) / Fraction(133, 23)
    front = as_json(capsys, *words[:-2], "--front")["front"]
    assert front[0]["cable"] <= 12
    assert front[-1]["capacity"] == "48/1"
    table = tmp_path / "kept"
    grid = ("search", "multiring", "--nodes", "9..10", "--rings", "4", "--processes", "1",
            "--table", str(table))  # fmt: skip
    cells = as_json(capsys, *grid)["cells"]
    assert [cell["nodes"] for cell in cells] == [9, 10]
    assert os.path.getsize(table) > 0
    assert as_json(capsys, *grid)["cells"] == cells
    free = as_json(capsys, "search", "multiring", "--nodes", "8", "--rings", "3", "--unpaired")
    assert free["unpaired"]
    grown = as_json(capsys, "search", "multiring", "--nodes", "8,13", "--rings", "2,4", "--grow")
    assert len(grown["steps"]) == 2
    assert run(*grid) == 0
    assert "best steps" in capsys.readouterr().out


def test_order(capsys):
    record = as_json(capsys, "search", "ring-order", "sparse_multiring(2, 8)", "--tries", "1")
    assert Fraction(record["before"]) <= Fraction(record["balanced"]["capacity"])
    assert Fraction(record["balanced"]["capacity"]) <= Fraction(record["upper_bound"])
    assert record["spec"].startswith("sparse_multiring(2, 8")


def test_ring_table(capsys):
    rings = as_json(capsys, "ring-table", "sparse_multiring(2, 10)")["rings"]
    assert [rings[2][str(p)] for p in range(1, 11)] == [3, 2, 6, 5, 9, 8, 12, 11, 15, 14]
    assert run("ring-table", "sparse_multiring(4, 16)") == 0
    assert " 50 " in capsys.readouterr().out
    assert run("ring-table", "ring(4)") == 2


def test_simulation(capsys):
    [found] = as_json(capsys, "rings", "multiring(16, 1, 3)", "--slots", "4000")["runs"]
    assert abs(found["effective"] - 240 / 11) < 0.5
    runs = as_json(
        capsys, "rings", "multiring(16, 1, 3)", "--mode", "open", "--load", "5", "--load", "15",
        "--insertion", "--slots", "4000",
    )["runs"]  # fmt: skip
    assert [r["offered"] for r in runs] == [5, 15]
    assert runs[0]["wait"] < runs[1]["wait"]


def test_torus_designer(capsys):
    words = ("ring-torus", "--sparse", "--printed", "--ports", "20", "--nodes", "20000",
             "--longest", "28", "--processes", "1")  # fmt: skip
    designs = as_json(capsys, *words)["designs"]
    assert Fraction(designs[0]["rate"]) >= 2
    assert designs[0]["nodes"] >= 20000
    assert {d["name"] for d in designs} >= {"Gemini", "paper, full rings", "paper, sparse rings"}
    full = as_json(
        capsys, "ring-torus", "--ports", "8", "--nodes", "80", "--longest", "12", "--processes", "1"
    )["designs"]
    assert sum(full[0]["ports"]) <= 8
    assert full[0]["nodes"] >= 80


def test_torus_of_all_kinds_of_lines(capsys, tmp_path):
    """Sparse and reordered lines beat full ones, and each design needs less cable than the last."""
    words = ("ring-torus", "--ports", "8", "--nodes", "100", "--longest", "14", "--processes", "1",
             "--table", str(tmp_path / "kept"), "--keep", "50")  # fmt: skip
    designs = [d for d in as_json(capsys, *words)["designs"] if d["name"] == "designed"]
    full = [d for d in as_json(capsys, *words, "--full")["designs"] if d["name"] == "designed"]
    assert Fraction(designs[0]["rate"]) >= Fraction(full[0]["rate"])
    assert any("sparse" in d["spec"] for d in designs)
    assert not any("sparse" in d["spec"] for d in full)
    for front in (designs, full):
        rates = [Fraction(d["rate"]) for d in front]
        cables = [Fraction(d["cable_per_node"]) for d in front]
        assert rates == sorted(rates, reverse=True)
        assert cables == sorted(set(cables), reverse=True)
    for d in designs[:3]:
        assert as_json(capsys, "capacity", d["spec"])["rate"] == d["rate"]


def test_staying_on_one_ring(capsys):
    spec = "multiring(16, 1, 3)"
    record = as_json(capsys, "route", spec, "0", "8", "--router", "balanced-rings")
    assert sum(way["share"] for way in record["ways"]) == pytest.approx(1)
    assert all(len(set(way["ports"])) == 1 for way in record["ways"])
    record = as_json(capsys, "load", spec, "--router", "balanced-rings")
    assert 16 * record["throughput"] == pytest.approx(240 / 11)
    record = as_json(capsys, "deadlock", spec, "--router", "one-ring", "--vcs", "2")
    assert (record["deadlock_free"], record["vcs"], record["router"]) == (True, 2, "one-ring")
    record = as_json(capsys, "simulate", spec, "--router", "balanced-rings", "--load", "0.2")
    assert record["points"][0]["busiest"] == pytest.approx(0.2 * 16 * 11 / 240, rel=0.1)
    rows = as_json(capsys, "ring-routes", spec)["routes"]
    assert sum(Fraction(row["share"]) for row in rows) == 15
    rows = as_json(capsys, "ring-routes", "sparse_multiring(2, 4)", "--source", "all")["routes"]
    assert sum(Fraction(row["share"]) for row in rows) == 30


def test_capacity_with_dead_parts(capsys):
    spec = "multiring(16, 1, 3)"
    record = as_json(capsys, "capacity", spec, "--dead-arc", "0-1")
    assert (record["balanced"]["capacity"], record["balanced"]["proved"]) == ("96/5", True)
    assert record["whole"] == "240/11"
    record = as_json(capsys, "capacity", spec, "--dead-ring", "-3", "--dead-node", "4")
    assert record["live_nodes"] == 15
    rows = as_json(capsys, "capacity", spec, "--worst-fault")["faults"]
    assert rows[0]["kind"] == "node"
    assert rows[0]["balanced"]["capacity"] == "105/8"
    assert run("capacity", "sparse_multiring(2, 4)", "--dead-ring", "0") == 0
    assert "ordered pairs" in capsys.readouterr().out
    record = as_json(capsys, "capacity", "distributed_switch(7, 4, 2)", "--dead-crossbar", "7")
    assert record["balanced"]["capacity"] == "21/1"
    assert run("capacity", "distributed_switch(7, 4, 2)") == 0
    assert "28.0000" in capsys.readouterr().out
    assert run("capacity", "sparse_multiring(3, 18446744073709551616)") == 0
    assert "56.0000" in capsys.readouterr().out


def test_pictures(capsys, tmp_path):
    assert run("study", "multiring", "--quick", "-o", str(tmp_path / "new")) == 0
    made = sorted(p.name for p in (tmp_path / "new").iterdir())
    assert made == sorted(
        f"multiring-{name}.{end}"
        for name in ("rings", "sparse", "capacity", "loads", "delays")
        for end in ("svg", "png")
    )
    assert (tmp_path / "new" / "multiring-rings.svg").read_text().startswith("<?xml")
