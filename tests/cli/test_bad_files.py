"""Every file that a command reads, spoilt in every way: one sentence, and never a traceback."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import hopscape
from commands import Done, run, shown
from fuzz.watch import forget_peak, resident
from hopscape.core.files import GRAPH_ENDINGS
from hopscape.formats.graphs import write_network
from hopscape.proofs import check

ROOT = Path(__file__).parents[2]


def _put(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text, encoding="utf-8")


def _schedule(path: Path) -> None:
    hopscape.build("ring(5)").broadcast().save(path)


def _prices(path: Path) -> None:
    path.write_bytes(files("hopscape.design").joinpath("price_lists", "400g.toml").read_bytes())


def _graph(path: Path) -> None:
    write_network(hopscape.build("petersen"), path)


def _store(*words: str) -> Callable[[Path], object]:
    return lambda path: shown(*words, "--resume", str(path))


_ROWS = "\n".join(",".join(str((i + j) % 3) for j in range(4)) for i in range(4)) + "\n"
_SIMULATE = (
    "simulate",
    "ring(4)",
    "--cycles",
    "50",
    "--warmup",
    "10",
    "--load",
    "0.1",
    "--workers",
    "1",
)
_GRAPH = (
    "search",
    "graph",
    "--nodes",
    "10",
    "--degree",
    "3",
    "--workers",
    "1",
    "--time-limit",
    "0.2",
)

DOORS: dict[str, tuple[str, Callable[[Path], object], tuple[str, ...]]] = {
    "config": ("a.toml", _put('wide = true\ncolumns = ["diameter"]\n'),
               ("show", "ring(4)", "--config")),
    "prices": ("a.toml", _prices, ("prices",)),
    "design prices": ("a.toml", _prices,
                      ("design", "--endpoints", "8", "--radix", "8", "--workers", "1", "--prices")),
    "job": ("a.toml", lambda p: p.write_bytes((ROOT / "examples/jobs/small.toml").read_bytes()),
            ("step", "--on", "torus(4, 4)")),
    "schedule json": ("s.json", _schedule, ("verify",)),
    "schedule npz": ("s.npz", _schedule, ("verify",)),
    "replay": ("s.json", _schedule, ("simulate", "ring(5)", "--schedule")),
    "groups": ("g.txt", _put("0 1\n2 3\n"), ("allreduce", "ring(4)", "--groups")),
    "permutation": ("p.txt", _put("1 2 3 0\n"), ("permute", "ring(4)", "--permutation")),
    "place": ("p.txt", _put("3 2 1 0 4 5 6 7\n"),
              ("step", str(ROOT / "examples/jobs/small.toml"), "--on", "torus(4, 2)", "--place")),
    "load csv": ("m.csv", _put(_ROWS), ("load", "ring(4)", "--traffic")),
    "load npy": ("m.npy", lambda p: np.save(p, np.ones((4, 4))), ("load", "ring(4)", "--traffic")),
    "traffic": ("m.csv", _put(_ROWS), (*_SIMULATE, "--traffic")),
    "trace": ("t.trace", _put("cycle,source,target,flits\n0,1,2,4\n3,2,0,4\n"),
              ("simulate", "ring(4)", "--workers", "1", "--traffic")),
    "booksim": ("b.cfg", _put("topology = torus;\nk = 3;\nn = 1;\nrouting_function = dim_order;\n"
                              "num_vcs = 2;\ninjection_rate = 0.1;\nsample_period = 50;\n"
                              "max_samples = 2;\n"), ("simulate", "--booksim")),
    "store of loads": ("r.jsonl", _store(*_SIMULATE), (*_SIMULATE, "--resume")),
    "store of searches": ("r.jsonl", _store(*_GRAPH), (*_GRAPH, "--resume")),
    "proof": ("p.json", lambda p: hopscape.build("petersen").proof("distances").save(p),
              ("hopscape-check",)),
    **{f"graph {ending}": (f"g{ending}", _graph, ("show",))
       for ending in sorted({*GRAPH_ENDINGS} - {".edgelist", ".txt", ".golf", ".gv"})},
}  # fmt: skip
if find_spec("hopscape.papers") is not None:
    DOORS |= {
        "blocks": ("b.txt", _put("0 1 3\n1 2 4\n2 3 5\n3 4 6\n4 5 0\n5 6 1\n6 0 2\n"),
                   ("blockdesign", "check")),
        "blocks json": ("b.json", _put('{"blocks": [[0, 1], [1, 2], [2, 0]]}'),
                        ("blockdesign", "check")),
        "distribution": ("d.txt", _put("3,1,1/2,2,0.25,1,1\n"),
                         ("multiring", "capacity", "multiring(8, 1, 3)", "--distribution")),
    }  # fmt: skip


def _spoilt(good: bytes) -> Iterator[tuple[str, bytes]]:
    """Other contents, most of them made of a good one."""
    yield "empty", b""
    yield "blank", b" \n\n"
    yield "digits", b"9" * 5000
    yield "brackets", b"[" * 900 + b"]" * 900
    yield "open brackets", b"[" * 100_000
    yield "braces", b'{"a":' * 900 + b"1" + b"}" * 900
    yield "no text", b"\xff\xfe\xfd" * 20
    yield "nothing", bytes(200)
    yield "wide letters", good.decode("latin-1").encode("utf-16")
    yield "gzip cut short", b"\x1f\x8b\x08\x00" + good[:20]
    yield "mark only", b"\xef\xbb\xbf"
    for part in (1, 2, 3):
        yield f"{part}/4", good[: len(good) * part // 4]
    yield "twice", good + good
    yield "one letter less", good[:-2]
    numbers = list(re.finditer(rb"(?<![\w.])\d+(?![\w.])", good))
    for at in sorted({0, len(numbers) // 2, len(numbers) - 1} if numbers else ()):
        begin, end = numbers[at].span()
        for word in (b"9" * 5000, b"-1", b"2.5", b"1e999", b"9" * 25, b"true", b"[" * 900, b"x",
                     b"\xd9\xa3", b"null", b'"3"', b"1" + b"0" * 12):  # fmt: skip
            yield f"number {at}: {word.decode()[:6]}", good[:begin] + word + good[end:]
    keys = list(re.finditer(rb'"\w+": ?("[^"]*"|-?\d+|\[\]|null|true|false), ', good))
    if keys:
        begin, end = keys[-1].span()
        yield "a key twice", good[:end] + good[begin:end] + good[end:]
    lines = good.splitlines(keepends=True)
    if len(lines) > 1:
        yield "a line twice", b"".join([*lines, lines[-1]])
        yield "last line first", b"".join([lines[-1], *lines[:-1]])
        yield "without the first line", b"".join(lines[1:])


def _open(words: tuple[str, ...], file: Path, capsys: pytest.CaptureFixture[str]) -> Done:
    if words[0] != "hopscape-check":
        return run(*words, str(file))
    code = check.main([str(file)])
    told = capsys.readouterr()
    return Done(code, told.out, told.err)


def _require_sentence(done: Done, case: str) -> None:
    assert done.returncode in (0, 1, 2), f"{case}: {done.stderr[-500:]}"
    assert "Traceback" not in done.stderr, f"{case}: {done.stderr[-2000:]}"
    if done.returncode == 2:
        lines = done.stderr.splitlines()
        assert 1 <= len(lines) <= 5, f"{case}: {done.stderr[-2000:]}"
        assert max(map(len, lines)) < 1000, f"{case}: {done.stderr[-2000:]}"


@pytest.mark.parametrize("door", DOORS)
def test_a_spoilt_file_is_one_sentence(
    door: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPSCAPE_MEMORY", "300M")
    name, make, words = DOORS[door]
    file = tmp_path / name
    make(file)
    good = file.read_bytes()
    first = _open(words, file, capsys)
    assert first.returncode in (0, 1), first.stderr
    for case, content in _spoilt(good):
        file.write_bytes(content)
        forget_peak()
        before = resident("VmRSS")
        _require_sentence(_open(words, file, capsys), f"{door}, {case}")
        assert resident("VmHWM") - before < 700 * 10**6, f"{door}, {case}"


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no /dev/zero")
@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_file_is_one_sentence(
    door: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPSCAPE_MEMORY", "300M")
    name, _, words = DOORS[door]
    places = [tmp_path / place / name for place in ("endless", "pipe", "folder", "gap", "none")]
    endless, pipe, folder, gap, none = places
    for place in places:
        place.parent.mkdir()
    endless.symlink_to("/dev/zero")
    os.mkfifo(pipe)
    folder.mkdir()
    gap.touch()
    os.truncate(gap, 50 * 10**9)  # holes take no room on the disk
    for place in places:
        if place == none and "--resume" in words:
            continue  # a new file of results
        if place == gap and words[0] == "hopscape-check":
            continue  # which reads a billion letters, whatever the limit
        done = _open(words, place, capsys)
        _require_sentence(done, f"{door}, {place.parent.name}")
        assert done.returncode == 2, f"{door}, {place.parent.name}: {done.stdout}"
