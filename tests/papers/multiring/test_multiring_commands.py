"""The commands about multirings, as a user types them."""

from __future__ import annotations

import os
from fractions import Fraction

import pytest

from commands import ask, refused, shown


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
def test_capacity(spec, shortest, balanced, rings):
    record = ask("capacity", spec)
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


def test_capacity_of_distributions_tori_and_changes_of_ring(tmp_path):
    near = ",".join(["1"] * 3 + ["0"] * 12)
    record = ask("capacity", "multiring(16, 1, 3)", "--distribution", near)
    assert record["moore_bound"] is None
    assert record["balanced"]["capacity_decimal"] > 21.9
    path = tmp_path / "weights.txt"
    path.write_text(near.replace(",", "\n"))
    assert ask("capacity", "multiring(16, 1, 3)", "--distribution", str(path)) == record
    torus = ask("capacity", "product(multiring(16, 1, 3), sparse_multiring(2, 10))")
    assert torus["nodes"] == 240
    assert Fraction(torus["rate"]) == min(Fraction(16, 11), Fraction(420, 19) / 14)
    record = ask("capacity", "multiring(32, 1, 2, 3, 7)", "--compare")
    assert record["switching"]["mean_hops"] < 3
    assert "70.8221  = 17918/253  (proved)" in shown("capacity", "multiring(32, 1, 2, 3, 7)")
    assert "2 on every ring" in shown("capacity", "sparse_multiring(4, 18)")


def test_search(tmp_path):
    words = ("search", "multiring", "--nodes", "16", "--rings", "6", "--workers", "1")
    record = ask(*words)
    assert record["capacity"] == "48/1"
    assert record["proved"]
    assert record["sets"][0]["cheapest"] == [2, 3, 5]
    cheap = ask(*words, "--cable", "12")
    assert Fraction(cheap["capacity"]) == Fraction(240) / Fraction(133, 23)
    front = ask(*words[:-2], "--front")["front"]
    assert front[0]["cable"] <= 12
    assert front[-1]["capacity"] == "48/1"
    table = tmp_path / "kept"
    grid = ("search", "multiring", "--nodes", "9:10", "--rings", "4", "--workers", "1",
            "--resume", str(table))  # fmt: skip
    cells = ask(*grid)["cells"]
    assert [cell["nodes"] for cell in cells] == [9, 10]
    assert os.path.getsize(table) > 0
    assert ask(*grid)["cells"] == cells
    free = ask("search", "multiring", "--nodes", "8", "--rings", "3", "--unpaired")
    assert free["unpaired"]
    grown = ask("search", "multiring", "--nodes", "8,13", "--rings", "2,4", "--grow")
    assert len(grown["steps"]) == 2
    assert "best steps" in shown(*grid)


def test_order():
    record = ask("search", "ring-order", "sparse_multiring(2, 8)", "--tries", "1")
    assert Fraction(record["before"]) <= Fraction(record["balanced"]["capacity"])
    assert Fraction(record["balanced"]["capacity"]) <= Fraction(record["upper_bound"])
    assert record["spec"].startswith("sparse_multiring(2, 8")


def test_ring_table():
    rings = ask("ring-table", "sparse_multiring(2, 10)")["rings"]
    assert [rings[2][str(p)] for p in range(1, 11)] == [3, 2, 6, 5, 9, 8, 12, 11, 15, 14]
    assert " 50 " in shown("ring-table", "sparse_multiring(4, 16)")
    refused("ring-table", "ring(4)")


def test_simulation():
    [found] = ask("rings", "multiring(16, 1, 3)", "--slots", "4000")["runs"]
    assert abs(found["effective"] - 240 / 11) < 0.5
    runs = ask("rings", "multiring(16, 1, 3)", "--mode", "open", "--load", "5", "--load", "15",
        "--insertion", "--slots", "4000",
    )["runs"]  # fmt: skip
    assert [r["offered"] for r in runs] == [5, 15]
    assert runs[0]["wait"] < runs[1]["wait"]


def test_torus_designer():
    words = ("ring-torus", "--sparse", "--printed", "--ports", "20", "--nodes", "20000",
             "--longest", "28", "--workers", "1")  # fmt: skip
    designs = ask(*words)["designs"]
    assert Fraction(designs[0]["rate"]) >= 2
    assert designs[0]["nodes"] >= 20000
    assert {d["name"] for d in designs} >= {"Gemini", "paper, full rings", "paper, sparse rings"}
    full = ask("ring-torus", "--ports", "8", "--nodes", "80", "--longest", "12", "--workers", "1")[
        "designs"
    ]
    assert sum(full[0]["ports"]) <= 8
    assert full[0]["nodes"] >= 80


def test_torus_of_all_kinds_of_lines(tmp_path):
    """Sparse and reordered lines beat full ones, and each design needs less cable than the last."""
    words = ("ring-torus", "--ports", "8", "--nodes", "100", "--longest", "14", "--workers", "1",
             "--resume", str(tmp_path / "kept"), "--top", "50")  # fmt: skip
    designs = [d for d in ask(*words)["designs"] if d["name"] == "designed"]
    full = [d for d in ask(*words, "--full")["designs"] if d["name"] == "designed"]
    assert Fraction(designs[0]["rate"]) >= Fraction(full[0]["rate"])
    assert any("sparse" in d["spec"] for d in designs)
    assert not any("sparse" in d["spec"] for d in full)
    for front in (designs, full):
        rates = [Fraction(d["rate"]) for d in front]
        cables = [Fraction(d["cable_per_node"]) for d in front]
        assert rates == sorted(rates, reverse=True)
        assert cables == sorted(set(cables), reverse=True)
    for d in designs[:3]:
        assert ask("capacity", d["spec"])["rate"] == d["rate"]


def test_staying_on_one_ring():
    spec = "multiring(16, 1, 3)"
    record = ask("route", spec, "0", "8", "--router", "balanced-rings")
    assert sum(way["share"] for way in record["ways"]) == pytest.approx(1)
    assert all(len(set(way["ports"])) == 1 for way in record["ways"])
    record = ask("load", spec, "--router", "balanced-rings")
    assert 16 * record["throughput"] == pytest.approx(240 / 11)
    record = ask("deadlock", spec, "--router", "one-ring", "--vcs", "2")
    assert (record["deadlock_free"], record["vcs"], record["router"]) == (True, 2, "one-ring")
    record = ask("simulate", spec, "--router", "balanced-rings", "--load", "0.2")
    assert record["points"][0]["busiest"] == pytest.approx(0.2 * 16 * 11 / 240, rel=0.1)
    rows = ask("ring-routes", spec)["routes"]
    assert sum(Fraction(row["share"]) for row in rows) == 15
    rows = ask("ring-routes", "sparse_multiring(2, 4)", "--source", "all")["routes"]
    assert sum(Fraction(row["share"]) for row in rows) == 30


def test_capacity_with_dead_parts():
    spec = "multiring(16, 1, 3)"
    record = ask("capacity", spec, "--dead-arc", "0-1")
    assert (record["balanced"]["capacity"], record["balanced"]["proved"]) == ("96/5", True)
    assert record["whole"] == "240/11"
    record = ask("capacity", spec, "--dead-ring", "-3", "--dead", "4")
    assert record["live_nodes"] == 15
    rows = ask("capacity", spec, "--worst-fault")["faults"]
    assert rows[0]["kind"] == "node"
    assert rows[0]["balanced"]["capacity"] == "105/8"
    assert "ordered pairs" in shown("capacity", "sparse_multiring(2, 4)", "--dead-ring", "0")
    record = ask("capacity", "distributed_switch(7, 4, 2)", "--dead-crossbar", "7")
    assert record["balanced"]["capacity"] == "21/1"
    assert "28.0000" in shown("capacity", "distributed_switch(7, 4, 2)")
    assert "56.0000" in shown("capacity", "sparse_multiring(3, 18446744073709551616)")


def test_pictures(tmp_path):
    shown("study", "multiring", "--quick", "--out", str(tmp_path / "new"))
    made = sorted(p.name for p in (tmp_path / "new").glob("[!.]*"))
    assert made == sorted(
        f"multiring-{name}.{end}"
        for name in ("rings", "sparse", "capacity", "loads", "delays")
        for end in ("svg", "png")
    )
    assert (tmp_path / "new" / "multiring-rings.svg").read_text().startswith("<?xml")
