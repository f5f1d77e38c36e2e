"""The commands of the folded and expanded networks, as a user runs them."""

from __future__ import annotations

import csv
import json

import pytest

from hopscape.cli import main


def run(capsys, *arguments):
    code = 0
    try:
        main(list(arguments))
    except SystemExit as stop:
        code = int(stop.code or 0)
    seen = capsys.readouterr()
    return code, seen.out, seen.err


def test_show_and_route(capsys):
    code, out, _ = run(capsys, "show", "expanded(heawood, 14)", "--format", "json")
    assert code == 0
    shown = json.loads(out)
    assert shown["nodes"] == 14**15
    assert shown["diameter"] == 56
    code, out, _ = run(
        capsys, "route", "expanded(heawood, 2)", "(0, 0, 0)", "(7, 7, 7)", "--format", "json"
    )
    found = json.loads(out)
    assert found["addresses"][-1] == [7, 7, 7]
    assert found["length"] == 9
    assert found["exact"]


def test_detour(capsys):
    code, out, _ = run(
        capsys, "detour", "heawood", "0", "1", "--dead-link", "0 - 1", "--ways", "-f", "json"
    )
    found = json.loads(out)
    assert (code, found["length"], found["distance"]) == (0, 5, 1)
    lengths = sorted(len(way) - 1 for way in found["disjoint_paths"])
    assert lengths == [5, 5]  # none over the dead link
    for arguments, words in (
        (("0", "0"), "two different nodes"),
        (("0", "1", "--dead-link", "0 - 2"), "no such link"),
        (("0", "1", "--dead-link", "0"), "two nodes with"),
        (("0", "1", "--dead", "1"), "is dead"),
    ):
        code, _, complaint = run(capsys, "detour", "heawood", *arguments)
        assert code == 2
        assert words in " ".join(complaint.split())


def test_search_bases(capsys):
    arguments = ("search", "bases", "--degree", "5", "--bits", "8", "--top", "3", "-f", "json")
    _, out, _ = run(capsys, *arguments)
    rows = json.loads(out)
    assert len(rows) == 3
    assert [r["cost_per_bit"] for r in rows] == sorted(r["cost_per_bit"] for r in rows)
    assert all(r["degree"] <= 5 and r["nodes"] >= 256 for r in rows)


@pytest.mark.slow
def test_study(capsys, tmp_path):
    code, _, _ = run(capsys, "study", "heawood", str(tmp_path / "study"), "-f", "csv")
    assert code == 0
    folder = tmp_path / "study"
    rows = list(csv.DictReader((folder / "table1.csv").open()))
    mine = {(r["family"], int(r["n"])): r for r in rows}
    assert mine["RE-H", 14]["diameter"] == "56"
    assert mine["RE-H", 14]["printed_diameter"] == "87"
    assert mine["CCC", 5]["agrees"] == "False"
    for name in ("figure5", "figure6", "bandwidth"):
        assert (folder / f"{name}.svg").stat().st_size > 10_000


def test_study_refuses_bad_places(capsys, tmp_path):
    place = tmp_path / "file"
    place.write_text("here")
    assert run(capsys, "study", "heawood", str(place))[0] == 2
    assert run(capsys, "study", "heawood", str(tmp_path / "x"), "--picture", "gif")[0] == 2
    assert not (tmp_path / "x").exists()
