"""A short run of every campaign, always the same cases; long ones: python -m tests.fuzz."""

from __future__ import annotations

import sys

import pytest

from .runs import fuzz_commands, fuzz_files, fuzz_requests, fuzz_specs
from .watch import HangError, Tally

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and /proc")


@pytest.fixture(autouse=True)
def _little_memory(monkeypatch, tmp_path):
    monkeypatch.setenv("HOPSCAPE_MEMORY", "100M")
    monkeypatch.chdir(tmp_path)


def told(tally):
    return "\n".join(map(str, tally.failures))


def test_files(tmp_path):
    tally = fuzz_files(600, 1, tmp_path)
    assert not tally.failures, told(tally)
    assert 0 < tally.accepted < tally.tried


def test_specs():
    tally = fuzz_specs(350, 1)
    assert not tally.failures, told(tally)
    assert 0 < tally.accepted < tally.tried


def test_command_lines(tmp_path):
    tally = fuzz_commands(25, 1, tmp_path)
    assert not tally.failures, told(tally)


def test_requests():
    tally = fuzz_requests(400, 1)
    assert not tally.failures, told(tally)


def test_the_watch_sees():
    """Endless loops, other exceptions and hoarding are failures; refusals are not."""

    def loop():
        while True:
            pass

    def hoard():
        return bytearray(b"x" * 400 * 10**6)

    def refuse():
        import hopscape

        hopscape.build("ring(-1)")

    tally = Tally()
    tally.run("loop", loop, 0.2)
    tally.run("divide", lambda: 1 // 0)
    tally.run("hoard", hoard)
    tally.run("refuse", refuse)
    tally.run("well", lambda: 1)
    kinds = [failure.kind for failure in tally.failures]
    assert kinds[:2] == ["hang", "exception"]
    assert kinds[2:] == (["memory"] if sys.platform == "linux" else [])
    assert tally.accepted == 2
    assert not issubclass(HangError, Exception)
