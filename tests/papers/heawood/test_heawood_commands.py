"""The commands of the folded and expanded networks, as a user runs them."""

from __future__ import annotations

import csv

import pytest

from commands import ask, refused, shown


def test_show_and_route():
    found = ask("show", "expanded(heawood, 14)")
    assert found["nodes"] == 14**15
    assert found["diameter"] == 56
    found = ask("route", "expanded(heawood, 2)", "(0, 0, 0)", "(7, 7, 7)")
    assert found["addresses"][-1] == [7, 7, 7]
    assert found["length"] == 9
    assert found["exact"]


def test_detour():
    found = ask("detour", "heawood", "0", "1", "--dead-link", "0 - 1", "--ways")
    assert (found["length"], found["distance"]) == (5, 1)
    lengths = sorted(len(way) - 1 for way in found["disjoint_paths"])
    assert lengths == [5, 5]  # none over the dead link
    for arguments, words in (
        (("0", "0"), "two different nodes"),
        (("0", "1", "--dead-link", "0 - 2"), "no such link"),
        (("0", "1", "--dead-link", "0"), "two nodes with"),
        (("0", "1", "--dead", "1"), "is dead"),
    ):
        assert words in " ".join(refused("detour", "heawood", *arguments).split())


def test_search_bases():
    rows = ask("search", "bases", "--degree", "5", "--bits", "8", "--top", "3")
    assert len(rows) == 3
    assert [r["cost_per_bit"] for r in rows] == sorted(r["cost_per_bit"] for r in rows)
    assert all(r["degree"] <= 5 and r["nodes"] >= 256 for r in rows)


@pytest.mark.slow
def test_study(tmp_path):
    shown("study", "heawood", "--out", str(tmp_path / "study"), "-f", "csv")
    folder = tmp_path / "study"
    rows = list(csv.DictReader((folder / "table1.csv").open()))
    mine = {(r["family"], int(r["n"])): r for r in rows}
    assert mine["RE-H", 14]["diameter"] == "56"
    assert mine["RE-H", 14]["printed_diameter"] == "87"
    assert mine["CCC", 5]["agrees"] == "False"
    for name in ("figure5", "figure6", "bandwidth"):
        assert (folder / f"{name}.svg").stat().st_size > 10_000


def test_study_refuses_bad_places(tmp_path):
    place = tmp_path / "file"
    place.write_text("here")
    refused("study", "heawood", "--out", str(place))
    refused("study", "heawood", "--out", str(tmp_path / "x"), "--picture", "gif")
    assert not (tmp_path / "x").exists()
