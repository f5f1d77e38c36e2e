"""The example package under examples/plugin: installed, and used by every command it adds to."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import numpy as np
import pytest

from hopscape.core import plugins
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.simulate import traffic
from hopscape.store.records import digest

EXAMPLE = Path(__file__).parent.parent / "examples" / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="the example is built with hatchling")
    place = tmp_path_factory.mktemp("plugin")
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(place)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(EXAMPLE)], check=True)
    return place


_ALL = """
import contextlib, io, json, sys
from hopscape.cli import main

told = []
for words in json.loads(sys.stdin.read()):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main(words)
    told.append(out.getvalue())
print(json.dumps(told))
"""


def answers(place: Path, *commands: Sequence[str]) -> list[str]:
    """What commands print one after the other in a process that finds the packages of a folder."""
    run = subprocess.run(
        [sys.executable, "-c", _ALL],
        env=os.environ | {"PYTHONPATH": str(place)},
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=True,
    )
    told: list[str] = json.loads(run.stdout)
    return told


def test_every_kind_of_plugin_is_found_by_its_commands(installed: Path, tmp_path: Path) -> None:
    shown, rows, routed, sent, exported, judged = answers(
        installed,
        ["show", "wheel(8)", "-f", "json"],
        ["compare", "wheel(8)", "ring(9)", "--columns", "spread", "-f", "json"],
        ["route", "wheel(8)", "1", "2", "--router", "by-hub", "-f", "json"],
        ["broadcast", "wheel(8)", "--algorithm", "star", "-f", "json"],
        ["export", "wheel(8)", "-o", str(tmp_path / "wheel.adj")],
        ["ledger", "--paper", "wheel", "-f", "json"],
    )
    wheel = json.loads(shown)
    assert (wheel["nodes"], wheel["diameter"]) == (9, 2)
    assert [row["degree_spread"] for row in json.loads(rows)] == [5, 0]
    assert json.loads(routed)["path"] == [1, 0, 2]
    found = json.loads(sent)
    assert (found["rounds"], found["verdict"]) == (1, "holds")
    assert exported
    assert (tmp_path / "wheel.adj").read_text().splitlines()[1] == "1: 0 2 8"
    assert '"verdict": "holds"' in judged
    assert json.loads(judged)[0]["searched"] == [{"what": "wheels", "count": 16, "expected": 16}]


def test_commands_and_studies_of_a_package(installed: Path, tmp_path: Path) -> None:
    overview, table, _ = answers(
        installed,
        ["--help"],
        ["wheels", "table", "--most", "5", "-f", "json"],
        ["study", "wheel", str(tmp_path / "out")],
    )
    assert "Wheels: a hub wired" in overview
    assert [(row["network"], row["diameter"]) for row in json.loads(table)] == [
        ("wheel(3)", 1), ("wheel(4)", 2), ("wheel(5)", 2),
    ]  # fmt: skip
    [written] = (tmp_path / "out").iterdir()
    assert len(written.read_text().splitlines()) == 19


def test_two_packages_with_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, the last one won, and nobody was told."""
    group = "hopscape.exporters"
    pair = [EntryPoint("edges", f"{package}:EDGES", group) for package in ("here", "there")]
    monkeypatch.setattr(plugins, "_all_entries", lambda: EntryPoints(pair))
    with pytest.raises(HopscapeError, match=r"'edges' is declared by .* and by .*another name"):
        plugins.plugin_entries.__wrapped__("exporters")
    monkeypatch.setattr(plugins, "_all_entries", lambda: EntryPoints([pair[0], pair[0]]))
    assert plugins.plugin_entries.__wrapped__("exporters") == {"edges": pair[0]}


def test_a_pattern_of_traffic(installed: Path) -> None:
    words = ["simulate", "ring(6)", "-t", "opposite", "--load", "0.1", "-f", "json"]
    [told] = answers(installed, [*words, "--cycles", "500", "--warmup", "100"])
    row = json.loads(told)
    assert row["traffic"] == "opposite"
    assert row["points"][0]["hops"] == pytest.approx(4)  # three links, and out of the network


def test_a_column_of_a_package_in_design(installed: Path) -> None:
    """Measured like the others, shown when it is asked for, and in JSON."""
    words = ["design", "--nodes", "9", "--ports", "8", "--exact", "--families", "wheel,ring"]
    told, table = answers(installed, [*words, "-f", "json"], [*words, "--columns", "spread"])
    spread = {one["spec"]: one["degree_spread"] for one in json.loads(told)["candidates"]}
    assert spread == {"wheel(8)": 5, "ring(9)": 0}
    assert "spread" in table.splitlines()[1]


@pytest.mark.parametrize("name", ["half2", "2half", "Half", "half.2-x_y"])
def test_names_of_traffic_may_have_digits_and_capitals(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets = np.asarray([3, 4, 5, 0, 1, 2])
    monkeypatch.setattr(traffic, "load_plugins", lambda group: {name: lambda n, sides: targets})
    assert traffic.make_traffic(name, 6).targets.tolist() == targets.tolist()
    with pytest.raises(ArgumentError, match=r"'half3' is unknown; choose .*half"):
        traffic.make_traffic("half3", 6)
    with pytest.raises(ArgumentError, match="cannot be read"):
        traffic.make_traffic("half 2", 6)


def test_a_broken_plugin_is_named(tmp_path: Path) -> None:
    metadata = tmp_path / "broken-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[hopscape.columns]\nodd = no_such_module:X\n")
    run = subprocess.run(
        [sys.executable, "-m", "hopscape", "explain", "girth"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    told = " ".join(run.stderr.split())
    assert "hopscape.columns entry 'odd' of broken cannot be loaded" in told
    assert "Traceback" not in run.stderr


def test_keys_of_results_follow_other_packages(installed: Path, tmp_path: Path) -> None:
    """Another version of a package, or another content of its module, is another key."""
    place = tmp_path / "copy"
    shutil.copytree(installed, place)
    code = "from hopscape.store import digest; print(digest('a', 1))"

    def key() -> str:
        environment = os.environ | {"PYTHONPATH": str(place)}
        run = [sys.executable, "-c", code]
        return subprocess.run(
            run, env=environment, capture_output=True, text=True, check=True
        ).stdout

    first = key()
    assert key() == first
    [module] = place.glob("hopscape_wheel/__init__.py")
    module.write_text(module.read_text() + "# changed\n")
    second = key()
    [metadata] = place.glob("*.dist-info/METADATA")
    metadata.write_text(re.sub(r"(?m)^Version: .*$", "Version: 99.0", metadata.read_text()))
    assert len({first, second, key(), digest("a", 1)}) == 4
