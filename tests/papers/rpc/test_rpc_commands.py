"""groups, embed, study, permute and allgather as scripts use them."""

from __future__ import annotations

import csv

import pytest

from commands import ask, refused, shown


def test_groups():
    found = ask("groups", "rpc(3)", "--size", "9")
    assert (found["diameter"], found["exact"], len(found["nodes"])) == (2, True, 9)
    assert "yes" in shown("groups", "torus(7, 7)", "-m", "5")


def test_permute_names_its_model():
    found = ask(
        *("permute", "rpc(2)", "--permutation", "random:4", "--duplex", "half"),
        *("--packing", "unit", "--algorithm", "balanced"),
    )
    assert found["verdict"] == "holds"
    assert found["lower_bound"] <= found["steps"]
    assert (found["model"]["duplex"], found["model"]["packing"]) == ("half", "unit")


@pytest.mark.parametrize("name", ["general", "two-way"])
def test_permutation_from_a_file(tmp_path, name):
    place = tmp_path / "reversal.txt"
    place.write_text(" ".join(str(29 - i) for i in range(30)))
    found = ask("permute", "pc", "--permutation", str(place), "--duplex", "half", "-a", name)
    assert (found["steps"], found["verdict"]) == (12, "holds")
    place.write_text("0 " * 30)
    assert "two nodes to node 0" in refused("permute", "pc", "--permutation", str(place))


def test_allgather():
    found = ask("allgather", "rpc(3)", "--duplex", "half", "--packing", "packed", "-a", "paper")
    assert (found["steps"], found["verdict"]) == (12, "holds")
    best = ask("allgather", "rpc(3)", "--duplex", "half", "-a", "bandwidth")
    assert best["steps"] == best["lower_bound"] == 36


def test_algorithms_are_listed():
    out = shown("permute", "rpc(3)", "--algorithm", "list")
    assert all(name in out for name in ("slice-detour", "two-way", "balanced"))


def test_embed():
    found = ask("embed", "ring(60)", "rpc(2)")
    assert (found["dilation"], found["congestion"], found["exact"]) == (1, 1, True)


@pytest.mark.slow
def test_study(tmp_path):
    out = shown(
        *("study", "rpc", "--out", str(tmp_path / "rpc"), "--effort", "2"),
        *("--only", "groups", "--only", "crossovers", "--only", "gathers"),
    )
    assert "groups.svg" in out
    rows = list(csv.DictReader((tmp_path / "rpc" / "crossovers.csv").open()))
    assert {row["rival"]: row["worse"] for row in rows}["rp"] == "1-2"
    rows = list(csv.DictReader((tmp_path / "rpc" / "gathers.csv").open()))
    assert {row["verdict"] for row in rows} == {"holds"}
    assert (tmp_path / "rpc" / "groups.png").stat().st_size > 1000
