"""hopscape explore SPEC... -o page.html: options are honoured or refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from commands import run, shown

SMALL = ("--schedules", "none", "--traffic", "none", "--no-bisection", "--no-deadlock")


def networks(place: Path) -> list[dict[str, Any]]:
    found = re.search(r'id="hopscape-data">(.*?)</script>', place.read_text(encoding="utf-8"))
    assert found is not None
    return list(json.loads(found[1])["networks"])


def test_a_page_of_two_networks(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    out = shown("explore", "ring(6)", "petersen", "-o", str(place), *SMALL)
    assert out.startswith(f"wrote {place}: ")
    assert [one["spec"] for one in networks(place)] == ["ring(6)", "petersen"]
    for one in networks(place):
        assert (one["schedules"], one["traffic"]) == ([], [])
        assert one["bisection"] is one["deadlock"] is one["recording"] is None


def test_parts_that_are_asked_for(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    asked = (
        "--schedules",
        "broadcast, reduce",
        "--traffic",
        "uniform,shuffle",
        "--simulate",
        "0.1",
    )
    shown("explore", "ring(8)", "-o", str(place), *asked, "--seed", "3")
    [one] = networks(place)
    assert [plan["name"] for plan in one["schedules"]] == ["broadcast", "reduce"]
    assert [load["name"] for load in one["traffic"]] == ["uniform", "shuffle"]
    assert one["recording"]["load"] == 0.1
    assert one["bisection"]["cut"] == 2
    assert one["deadlock"]["vcs"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ring(6)", "-o", "x.svg"), "x.svg is not a page; name an .html file"),
        (("nonsense(6)", "-o", "x.html"), "nonsense"),
        (("torus(300, 300)", "-o", "x.html"), "has 90,000 nodes; the page shows up to 20,000"),
        (("ring(6)",) * 9 + ("-o", "x.html"), "9 networks are given; a page has up to 8"),
        (("ring(6)", "-o", "x.html", "--schedules", "foo"), "schedule 'foo' is unknown"),
        (("ring(6)", "-o", "x.html", "--schedules", "a,,b"), "write names separated by commas"),
        (("ring(6)", "-o", "x.html", "--traffic", "uniform,uniform"), "a name is given twice"),
        (("ring(6)", "-o", "x.html", "--traffic", "foo"), "foo"),
        (("ring(6)", "-o", "x.html", "--simulate", "0"), "it must be above 0"),
        (("ring(6)", "-o", "x.html", "--simulate", "99"), "load is 99"),
        (("ring(6)", "-o", "x.html", "--seed", "1"), "--seed is for --traffic"),
        (("ring(6)", "-o", "/no/such/folder/x.html", *SMALL), "there is no folder"),
    ],
)
def test_what_is_wrong_is_refused(words: tuple[str, ...], message: str) -> None:
    done = run("explore", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path("x.html").exists()
