"""The first run: what a person sees while kernels compile, and how to compile ahead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import ask, refused, run
from hopscape.cli import progress
from hopscape.cli.commands import manual as warmup
from hopscape.core.kernel_cache import cached_kernels, kernel_folders


def test_kernels_are_counted_where_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert kernel_folders() == [tmp_path]
    assert cached_kernels() == 0
    (tmp_path / "inner").mkdir()
    for name in ("inner/a.nbi", "b.nbi", "b.1.nbc"):
        (tmp_path / name).write_text("")
    assert cached_kernels() == 2


def test_the_line_about_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    watch = progress._Watch()
    assert watch.text() == ""
    watch._fresh, watch._new, watch._about = 2, 12, 55
    assert watch.text() == "compiling kernels, first run only: 12 of about 55"
    watch._new = 60
    assert watch.text() == "compiling kernels, first run only: 60"
    watch.erase()
    assert capsys.readouterr().err == ""
    watch._write("x")
    watch.erase()
    assert capsys.readouterr().err.endswith("\r\x1b[K")


def test_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(warmup.JOBS, "search", "show petersen")
    found = ask("warm-up", "--only", "search", "--workers", "1")
    assert [row["job"] for row in found] == ["search"]
    assert "there are design" in refused("warm-up", "--only", "nothing")
    monkeypatch.setitem(warmup.JOBS, "search", "show nothing")
    assert "warming up search failed" in refused("warm-up", "--only", "search")


@pytest.mark.parametrize("job", warmup.JOBS)
def test_jobs_are_commands_as_they_are_now(job: str) -> None:
    done = run(*warmup.JOBS[job].split()[:2][: 2 if job == "search" else 1], "--help")
    assert (done.returncode, done.stderr) == (0, "")


def test_docs() -> None:
    rows = json.loads(run("docs", "-f", "json").stdout)
    assert {"start", "glossary", "python", "families/torus"} <= {row["page"] for row in rows}
    assert run("docs", "start").stdout.startswith("# Start here")
    assert run("docs", "torus").stdout == run("docs", "families/torus.md").stdout
    assert "did you mean start?" in refused("docs", "strat")


def test_families_are_searched() -> None:
    names = {row["name"] for row in ask("families", "--search", "petersen")}
    assert {"petersen", "generalized_petersen"} <= names
    assert "torus" not in names
    assert "no family has" in refused("families", "--search", "xyzzy")
    assert "leave out the name" in refused("families", "torus", "--search", "x")
