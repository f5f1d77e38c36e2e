"""groups, embed, study, permute and allgather as scripts use them."""

from __future__ import annotations

import csv
import io
import json
from contextlib import redirect_stderr, redirect_stdout

import pytest

from hopscape.cli import main


def run(*arguments):
    out, complaints, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(complaints):
        try:
            main(list(arguments))
        except SystemExit as leaving:
            code = int(leaving.code or 0)
    return code, out.getvalue(), complaints.getvalue()


def ask(*arguments):
    code, out, complaints = run(*arguments, "--format", "json")
    assert code == 0, complaints
    return json.loads(out)


def test_groups():
    found = ask("groups", "rpc(3)", "--size", "9")
    assert (found["diameter"], found["exact"], len(found["nodes"])) == (2, True, 9)
    code, out, _ = run("groups", "torus(7, 7)", "-m", "5")
    assert code == 0
    assert "yes" in out


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
    code, _, complaints = run("permute", "pc", "--permutation", str(place))
    assert code == 2
    assert "two nodes to node 0" in complaints


def test_allgather():
    found = ask("allgather", "rpc(3)", "--duplex", "half", "--packing", "packed", "-a", "paper")
    assert (found["steps"], found["verdict"]) == (12, "holds")
    best = ask("allgather", "rpc(3)", "--duplex", "half", "-a", "bandwidth")
    assert best["steps"] == best["lower_bound"] == 36


def test_algorithms_are_listed():
    code, out, _ = run("permute", "rpc(3)", "--algorithm", "list")
    assert code == 0
    assert all(name in out for name in ("slice-detour", "two-way", "balanced"))


def test_embed():
    found = ask("embed", "ring(60)", "rpc(2)")
    assert (found["dilation"], found["congestion"], found["exact"]) == (1, 1, True)


@pytest.mark.slow
def test_study(tmp_path):
    code, out, complaints = run(
        *("study", "rpc", str(tmp_path / "rpc"), "--effort", "2"),
        *("--only", "groups", "--only", "crossovers", "--only", "gathers"),
    )
    assert code == 0, complaints
    assert "groups.svg" in out
    rows = list(csv.DictReader((tmp_path / "rpc" / "crossovers.csv").open()))
    assert {row["rival"]: row["worse"] for row in rows}["rp"] == "1-2"
    rows = list(csv.DictReader((tmp_path / "rpc" / "gathers.csv").open()))
    assert {row["verdict"] for row in rows} == {"holds"}
    assert (tmp_path / "rpc" / "groups.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("groups", "rpc(2)", "--size", "61"), "from 1 to 60"),
        (("groups", "rpc(0)", "--size", "2"), "at least 1"),
        (("embed", "ring(31)", "pc"), "only 30"),
        (("route", "rpc(3)", "(0, 3, 1)", "0"), "ports towards 2, 4, 8"),
        (("study", "rpc", "nowhere", "--only", "nothing"), "table 'nothing' is unknown"),
        (("allgather", "rpc(2)", "-a", "packed", "--duplex", "half"), "packed messages"),
    ],
)
def test_bad_requests(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, complaints = run(*arguments)
    assert code == 2
    assert words in complaints
    assert list(tmp_path.iterdir()) == []
