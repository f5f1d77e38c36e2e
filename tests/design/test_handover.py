"""The command, the report in a browser, and the folder that is read back."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import hopscape
from hopscape.cli import main
from hopscape.core.distances import distances_from
from hopscape.core.errors import FileFormatError, TooLargeError
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify
from hopscape.design import handover
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.handover import hand_over, read_back
from hopscape.metrics.columns import measure_columns
from hopscape.registry import build


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A design of 16 nodes, written once for all tests."""
    top = tmp_path_factory.mktemp("design")
    words = "design --nodes 16 --ports 4 --families torus,hypercube,random_regular --workers 1"
    with pytest.raises(SystemExit) as left:
        main([*words.split(), "--out", str(top / "out"), "-f", "json", "-o", str(top / "j.json")])
    assert left.value.code == 0
    return top


def test_json_has_every_candidate_with_all_columns(folder: Path) -> None:
    from hopscape.design import ALL_COLUMNS

    data = json.loads((folder / "j.json").read_text())
    assert data["complete"] is True
    assert len(data["candidates"]) >= 5
    for record in data["candidates"]:
        assert set(ALL_COLUMNS) | {"spec", "score", "how"} <= set(record)
    assert json.loads((folder / "out" / "ranking.json").read_text())["candidates"]


def test_every_record_says_which_version_wrote_it(folder: Path) -> None:
    own = ["j.json", "out/ranking.json"]
    own += [f"out/network/{name}.json" for name in ("summary", "lanes", "manifest")]
    for name in own:
        assert json.loads((folder / name).read_text())["hopscape"] == hopscape.__version__, name


def test_the_folder_gives_the_same_network_back(folder: Path) -> None:
    data = json.loads((folder / "j.json").read_text())
    spec = data["candidates"][0]["spec"]
    place = folder / "out" / "network"
    network = read_back(place)
    original = build(spec)
    assert network.spec == spec
    assert np.array_equal(network.heads, original.heads)
    assert np.array_equal(network.indptr, original.indptr)
    for name in ("broadcast.json", "all-gather.json"):
        schedule = Schedule.load(place / name, hopscape.build)
        assert verify(schedule)
    text = (place / "README.md").read_text()
    for name in ("cables.csv", "routing.csv", "opensm/", "booksim/", "network.graphml"):
        assert name in text
    assert (place / "booksim" / "network.cfg").exists()
    assert (place / "opensm" / "routes.lfts").exists()


def test_a_changed_folder_is_noticed(tmp_path: Path) -> None:
    hand_over("ring(6)", tmp_path)
    assert read_back(tmp_path).spec == "ring(6)"
    edges = tmp_path / "network.edges"
    edges.write_text(edges.read_text().replace("0 1", "0 2"))
    with pytest.raises(FileFormatError, match="different networks"):
        read_back(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("# hopscape torus(3, 4)", "# hopscape circulant(12, 1, 3)", "is not the wiring"),
        ("\n1,1,1,1,1,", "\n1,1,1,1,3,", "port"),
    ],
)
def test_a_cable_list_of_another_network_is_noticed(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    hand_over("torus(3, 4)", tmp_path)
    cables = tmp_path / "cables.csv"
    text = cables.read_text()
    assert old in text
    cables.write_text(text.replace(old, new, 1))
    with pytest.raises(FileFormatError, match=words):
        read_back(tmp_path)


@pytest.mark.parametrize("spec", ["kautz(2, 3)", "fat_tree(4)", "hypercube(3)", "rpc(2)"])
def test_simplex_and_switched_networks_are_handed_over(spec: str, tmp_path: Path) -> None:
    told = hand_over(spec, tmp_path)
    assert read_back(tmp_path).spec == spec
    assert any("(no opensm/)" in line for line in told) == (spec == "kautz(2, 3)")


def test_the_rule_for_lanes_and_the_schedules_are_those_of_the_ranking(tmp_path: Path) -> None:
    told = hand_over("torus(5, 5)", tmp_path)
    lanes = json.loads((tmp_path / "lanes.json").read_text())
    assert (lanes["method"], lanes["classes"]) == ("dateline", 2)
    assert len(lanes["datelines"]) == 20  # one for each direction of each of the ten rings
    gather = Schedule.load(tmp_path / "all-gather.json", build)
    column = measure_columns(build("torus(5, 5)"), ["allgather"], columns=ALL_COLUMNS)["allgather"]
    assert f"{gather.rounds} rounds" in column.note
    assert any("translations algorithm, checked" in line for line in told)


def test_the_report_needs_nothing_else(folder: Path) -> None:
    page = (folder / "out" / "report.html").read_text()
    assert re.findall(r"(?:src|href)=['\"](?!data:)[^'\"]*", page) == ['href="explorer.html']
    assert (folder / "out" / "explorer.html").exists()
    assert "url(" not in page
    assert "hopscape design --nodes 16 --ports 4 --families torus,hypercube,random_regular" in page
    markdown = (folder / "out" / "report.md").read_text()
    for name in re.findall(r"\]\((pictures/[^)]+)\)", markdown):
        assert (folder / "out" / name).exists()


@pytest.mark.acceptance
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium (Debian: chromium)")
def test_the_report_in_a_browser(folder: Path, tmp_path: Path) -> None:
    """Its script runs, all rows and pictures are there, and nothing went wrong."""
    chromium = str(shutil.which("chromium"))
    quiet = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
    quiet += " --disable-background-networking --disable-component-update --disable-sync"
    page = (folder / "out" / "report.html").as_uri()
    run = subprocess.run(
        [chromium, *quiet.split(), f"--user-data-dir={tmp_path}", "--dump-dom", page],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    data = json.loads((folder / "j.json").read_text())
    assert f'data-ready="{len(data["candidates"])}"' in run.stdout
    assert run.stdout.count("<figure") >= 4
    assert data["candidates"][0]["spec"] in run.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--nodes 1000 --ports 1", "at least 2 ports"),
        ("--nodes 1001 --ports 3 --exact --regular", "1000 or 1002"),
        ("--nodes 100 --ports 4 --floor 2x2x4", "2x13x4 would hold them"),
        ("--nodes 100 --ports 4 --floor 2x2", "such as 4x8x32"),
        ("--nodes 100 --ports 4 --cables 20", "at least 99"),
        ("--nodes 100 --ports 4 --exact --at-least", "contradict"),
        ("--nodes 100 --ports 4 --matters speed", "is not a criterion"),
        ("--nodes 100 --ports 4 --columns speed", "is unknown"),
        ("--nodes 16 --ports 4 --families torus --cable-length 0.5 --workers 1", "the nearest"),
    ],
)
def test_bad_input_in_one_sentence(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["design", *words.split()])
    assert left.value.code == 2
    text = capsys.readouterr().err
    assert said in text
    assert text.count("\n") == 1


def test_memory_is_asked_for_before_it_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = build("torus(30, 30)")
    monkeypatch.setenv("HOPSCAPE_MEMORY", "500K")
    with pytest.raises(TooLargeError, match=r"the cable list of torus\(30, 30\) would need 648 kB"):
        hand_over(network, tmp_path / "plan")
    assert not list(tmp_path.iterdir())


def test_table_and_pareto(capsys: pytest.CaptureFixture[str]) -> None:
    words = "design -n 16 -p 4 --families torus,hypercube,path --workers 1 --pareto"
    with pytest.raises(SystemExit):
        main(words.split())
    shown = capsys.readouterr().out
    assert "torus(4, 4)" in shown
    assert "dominated" not in shown


def test_curves_of_the_finalists(tmp_path: Path) -> None:
    words = "design -n 16 -p 4 --families torus --workers 1 --simulate -f json"
    with pytest.raises(SystemExit):
        main([*words.split(), "-o", str(tmp_path / "j.json")])
    points = json.loads((tmp_path / "j.json").read_text())["curves"]
    low = [p["latency"] for p in points if not p["saturated"]]
    assert len(points) >= 6
    assert all(latency > 0 for latency in low)


def test_shortest_routes_are_handed_over_where_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slow in ("write_schedules", "_measured"):
        monkeypatch.setattr(handover, slow, lambda *given: {} if len(given) == 1 else [])
    monkeypatch.setattr(handover, "write_for_astra", lambda *given: "")
    spec, mean = "dragonfly(3, 2, p=1)", {}
    for routing in ("family", "shortest"):
        with pytest.raises(SystemExit) as left:
            main(["handover", spec, "--routing", routing, "--out", str(tmp_path / routing)])
        assert left.value.code == 0
        rows = (tmp_path / routing / "routing.csv").read_text().splitlines()
        lines = [line.split(",") for line in rows if line[:1].isdigit()]
        net = build(spec)
        hops = []
        for source in net.endpoints.tolist():
            for to in set(net.endpoints.tolist()) - {source}:
                at, count = source, 0
                while at != to:
                    port = np.array(int(lines[at][to + 1]) - 1)
                    at, count = int(net.heads[net.channel_at(np.array(at), port)]), count + 1
                hops.append(count)
        mean[routing] = float(np.mean(hops))
    exact = [
        distances_from(net, v)[net.endpoints].sum() / (len(net.endpoints) - 1)
        for v in net.endpoints.tolist()
    ]
    assert mean["shortest"] == pytest.approx(np.mean(exact))
    assert mean["family"] > mean["shortest"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--routing", "long"], "--routing is 'long'; it can be family or shortest"),
        (["--routing", "shortest", "--dead", "1"], "--routing does not go with dead parts"),
    ],
)
def test_routings_that_are_not_handed_over(
    words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["handover", "dragonfly(3, 2, p=1)", "--out", str(tmp_path / "new"), *words])
    assert left.value.code == 2
    assert why in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
