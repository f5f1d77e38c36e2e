"""A short run of every campaign, always the same cases; long ones: python -m tests.fuzz."""

from __future__ import annotations

import json
import random
import sys

import pytest

from . import forever
from .commands import all_commands, random_command
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


def test_the_corpus_keeps_failures_and_the_seed(tmp_path, monkeypatch):
    """What fails is kept, tried again first, and put aside when it is mended."""
    seen = []

    def specs(count, seed):
        seen.append(seed)
        tally = Tally()
        if seed == 1:
            tally.run("ring(5)", lambda: 1 // 0)
        return tally

    monkeypatch.setattr(forever, "_campaigns", lambda folder: {"specs": specs})
    assert forever.fuzz_forever(tmp_path / "corpus", 2) == 1
    [kept] = (tmp_path / "corpus").glob("*.json")
    assert json.loads(kept.read_text())["case"] == "ring(5)"
    assert forever.fuzz_forever(tmp_path / "corpus", 1) == 0  # ring(5) is built well
    assert [path.suffix for path in (tmp_path / "corpus").iterdir() if path.stem == kept.stem] == [
        ".mended"
    ]
    assert seen == [0, 1, 2]


def test_long_commands_are_drawn_in_earnest():
    rng, known = random.Random(3), all_commands()
    drawn = [random_command(known, rng, ".", long=True) for _ in range(300)]
    assert {"search", "study", "design"} <= {words[0] for words in drawn}
    assert not any("--nothing-like-this" in words for words in drawn)


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
