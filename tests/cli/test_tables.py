"""Tables in a real pseudo-terminal: nothing broken, nothing lost without a word."""

from __future__ import annotations

import fcntl
import os
import pickle
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import refused, run
from hopscape.cli import output as room
from hopscape.core.errors import ArgumentError
from hopscape.core.tables import Table, fit, wrap

ROOT = Path(__file__).parents[2]
WIDTHS = (60, 80, 120, 200)
_PRINT = (
    "import pickle, sys\nfrom hopscape.cli import output\n"
    "for table, legend in pickle.load(open(sys.argv[1], 'rb')):\n"
    "    output._print_tables([table], legend)\n    print('\\x00')\n"
)
SLOW = (
    *("search", "ledger", "torus(49, 49, 49)", "design --nodes", "design --endpoints", "1KB:1GB"),
    *("broadcast torus(25, 25)", "simulate torus(8, 8)"),
)
QUICK = [
    ("design", "--nodes", "16", "--ports", "4", "--workers", "1", "--families", "torus,circulant"),
    (
        "design",
        "--endpoints",
        "32",
        "--radix",
        "16",
        "--throughput",
        "1.0",
        "--families",
        "fat_tree,leaf_spine",
    ),
    ("broadcast", "torus(5, 5)", "--from", "0", "--ports", "1"),
    ("allreduce", "ring(4)", "--bytes", "1KB:1GB"),
    ("simulate", "mesh(3, 3)", "--load", "0.1:0.7:0.3", "--cycles", "500", "--warmup", "200"),
    ("search", "circulant", "--nodes", "30", "--generators", "2"),
    ("families", "torus"),
    ("explain",),
    ("broadcast", "torus(4, 4)", "--algorithm", "list"),
    ("compare", "cayley(25, 40, 2, 33, 123, 285, 642)", "torus(8, 8)", "-c", "nodes,degree,links"),
]


def _readme() -> list[tuple[str, ...]]:
    """The commands of the README's table that only print, and quick ones for the others."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = [shlex.split(line)[1:] for line in re.findall(r"\| `(hopscape [^`]+)`", text)]
    kept = [
        tuple(words)
        for words in found
        if not any(slow in " ".join(words) for slow in SLOW)
        and "-o" not in words
        and "schedule.json" not in words
    ]
    assert len(kept) >= 12
    return kept + QUICK


@cache
def _tables() -> list[tuple[Table, dict[str, str]]]:
    """What the commands print, caught before it is set in lines."""
    caught: list[tuple[Table, dict[str, str]]] = []

    def catch(tables: list[Table], legend: object = None) -> None:
        caught.extend((table, dict(legend or {})) for table in tables)  # type: ignore[call-overload]

    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as place:
        patch.chdir(place)  # some write a folder
        patch.setattr(room, "_print_tables", catch)
        for words in _readme():
            before = len(caught)
            done = run(*words)
            assert done.returncode == 0, (words, done.stderr)
            assert len(caught) > before, words
    return caught


def _on_terminal(kept: Path, columns: int, colour: bool) -> str:
    """What a person sees on a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "LINES")}
    environment |= {"TERM": "xterm-256color"} | ({} if colour else {"NO_COLOR": "1"})
    with subprocess.Popen(
        [sys.executable, "-c", _PRINT, str(kept)],
        stdin=slave, stdout=slave, stderr=slave, env=environment, close_fds=True,
    ) as child:  # fmt: skip
        os.close(slave)
        out = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            out += piece
        assert child.wait() == 0, out.decode()
    os.close(master)
    return out.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("columns", WIDTHS)
def test_tables_on_a_terminal(columns: int, colour: bool, tmp_path: Path) -> None:
    kept = tmp_path / "tables"
    kept.write_bytes(pickle.dumps(_tables()))
    text = _on_terminal(kept, columns, colour)
    assert ("\x1b[3" in text) is False  # bold only: no colour that a theme could hide
    screens = re.sub(r"\x1b\[[0-9;]*m", "", text).split("\x00\n")[:-1]
    assert len(screens) == len(_tables())
    for (table, legend), screen in zip(_tables(), screens, strict=True):
        lines = screen.splitlines()
        assert all(len(line) <= columns for line in lines), (table.title, screen)
        _nothing_is_broken(table, legend, screen)
        _nothing_is_lost(table, screen)


def _nothing_is_broken(table: Table, legend: dict[str, str], screen: str) -> None:
    brief = [cell for cells in table.brief.values() for cell in cells]
    sources = [*table.heads.values(), table.title, *brief, *legend.values(), *table.heads]
    sources += [cell for row in table.rows for cell in row]
    whole = {word for text in sources for word in text.split()}
    note = "hidden to fit the terminal: (--wide shows all, --columns picks)"
    heads = {w + end for head in table.heads.values() for w in head.split() for end in ",;"}
    whole |= set(note.split()) | heads | {f"{key},..." for key in table.heads}
    whole |= {w + ";" for text in legend.values() for w in text.split()}
    broken = [w for w in screen.split() if w not in whole and set(w) != {"─"}]
    assert broken == [], (table.title, screen)


def _nothing_is_lost(table: Table, screen: str) -> None:
    words = " ".join(screen.split())
    if table.heading:
        for head in table.heads.values():
            assert all(word in words for word in head.split()), head
    if "hidden to fit" not in words and len(table.rows) < 40 and not table.brief:
        for row in table.rows:
            assert all(part in words for cell in row for part in cell.split())


cells = st.one_of(
    st.integers(-(10**9), 10**9).map(str),
    st.floats(0, 1e5).map(lambda x: f"{x:.4f}"),
    st.text("abc (),→", max_size=60).map(lambda t: " ".join(t.split())),
    st.just("-"),
    st.just("≤12"),
)


@given(st.data())
def test_any_table_fits(data: st.DataObject) -> None:
    many = data.draw(st.integers(1, 6))
    heads = {f"k{i}": data.draw(st.sampled_from(["a", "mean dist.", "p99"])) for i in range(many)}
    rows = data.draw(st.lists(st.lists(cells, min_size=many, max_size=many), max_size=5))
    width = data.draw(st.integers(20, 200))
    text = fit(Table(heads, rows), width)
    assert text.width <= width
    free = fit(Table(heads, rows))
    assert free.dropped == ()
    for row in rows:
        for cell in row:
            assert any(" ".join(cell.split()) in " ".join((a + b).split()) for a, b in free.body)


@given(st.text("ab1 (),", max_size=80), st.integers(1, 40))
def test_wrapping_keeps_every_letter(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_numbers_stand_point_under_point() -> None:
    text = fit(Table({"n": "net", "x": "x"}, [("a", "1.5"), ("b", "12"), ("c", "0.1234")]))
    rows = [b for _, b in text.body]
    assert rows[0].index(".") == rows[2].index(".") == rows[1].index("12") + 2


def test_the_legend_explains_only_what_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    legend = {"~": "~ from a sample", "≤": "≤ upper bound"}
    room._print_tables([Table({"a": "a", "b": "b"}, [("x", "≤3")])], legend)
    assert capsys.readouterr().out.splitlines()[-1] == "≤ upper bound"


def test_columns_are_chosen_by_name_or_heading() -> None:
    done = run("families", "--columns", "example,family")
    assert done.stdout.split()[:2] == ["example", "family"]
    assert run("families", "-f", "csv", "--columns", "name").stdout.startswith("name\n")
    assert "did you mean example" in refused("families", "--columns", "exmple")
    assert "JSON always has all" in refused("families", "-f", "json", "--columns", "name")
    assert run("show", "ring(5)", "--columns", "diameter").stdout.split()[3:4] == ["(closed"]


@pytest.mark.parametrize(
    ("ending", "begins"),
    [
        ("json", "{"),
        ("csv", "spec,"),
        ("md", "**ring(5)**"),
        ("html", "<!doctype html>"),
        ("txt", "ring(5)\n"),
    ],
)
def test_the_ending_chooses_the_format_and_format_wins(
    ending: str, begins: str, tmp_path: Path
) -> None:
    place = tmp_path / f"out.{ending}"
    assert run("show", "ring(5)", "-o", str(place)).returncode == 0
    assert place.read_text().startswith(begins)
    assert run("show", "ring(5)", "-o", str(place), "-f", "json").returncode == 0
    assert place.read_text().startswith("{")


def test_a_wide_table_is_cut_neither_in_pipes_nor_with_wide() -> None:
    plain = run("families").stdout
    assert plain == run("families", "--wide").stdout
    assert "parameters" in plain.splitlines()[0]


@pytest.mark.slower  # a cache that slower tests fill, else its own work
@pytest.mark.papers
def test_explain_knows_what_tables_print() -> None:
    from hopscape.cli.glossary import look_up

    heads = {head for table, _ in _tables() for head in table.heads.values() if table.heading}
    labels = {row[0] for table, _ in _tables() if not table.heading for row in table.rows}
    unknown = []
    for word in sorted(heads | labels | {"≤", "≥", "~", "<", "latency", "cost"}):
        try:
            look_up(word)
        except ArgumentError:
            unknown.append(word)
    assert unknown == []


@pytest.mark.parametrize(
    ("variables", "tty", "read"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"TTY_COMPATIBLE": "0"}, True, False),
        ({"TTY_COMPATIBLE": "1"}, False, True),
        ({"TTY_COMPATIBLE": "yes"}, False, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1", "TTY_COMPATIBLE": "0"}, False, False),
    ],
)
def test_a_terminal_is_what_rich_takes_for_one(
    variables: dict[str, str], tty: bool, read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rich.console import Console

    for name in ("TTY_COMPATIBLE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: tty)
    assert room._is_terminal() == Console(file=sys.stdout).is_terminal == read


def test_the_width_is_that_of_any_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    def size(stream: int) -> os.terminal_size:
        if stream != 2:
            raise OSError("not a terminal")
        return os.terminal_size((160, 50))

    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(os, "get_terminal_size", size)
    assert room._width() == 160
    monkeypatch.setenv("COLUMNS", "72")
    assert room._width() == 72


@pytest.mark.parametrize(("term", "bold"), [("xterm", True), ("DUMB", False), ("unknown", False)])
def test_bold_where_the_terminal_can(
    term: str, bold: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    assert room._bold("petersen") == ("\x1b[1mpetersen\x1b[0m" if bold else "petersen")
    assert room._bold("  ") == "  "


@pytest.mark.parametrize(("width", "explained"), [(55, True), (45, False)])
def test_a_sign_is_explained_where_its_column_is_shown(width, explained):
    row = ["torus(4, 4)", "1" * 30, "dominated by 1: hops"]
    heads = {"spec": "network", "figure": "figure", "remark": "remark"}
    table = Table(heads, [row, row], "", {"remark": 9}, {"remark": ["< 1"] * 2})
    said = [rest for _, rest in room._lines(table, width, {"<": "< 1: dominated"})]
    assert ("< 1: dominated" in said) == explained


def test_errors_break_between_words_and_leave_the_caret_in_place():
    ends = pty.openpty()
    fcntl.ioctl(ends[1], termios.TIOCSWINSZ, struct.pack("HHHH", 40, 60, 0, 0))
    said = []
    for words in (
        ("compare", "ring(4)", "--columns", "diametr"),
        ("show", "product(ring(4), rng(4))"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "hopscape", *words], stderr=ends[1], check=False
        )
        assert done.returncode == 2
        said.append(os.read(ends[0], 10_000).decode().replace("\r\n", "\n"))
    assert max(len(line) for text in said for line in text.splitlines()) <= 60
    assert "did you mean diameter or diameter_gap?" in " ".join(said[0].split())
    caret = said[1].splitlines()
    assert caret[-2][caret[-1].index("^") :].startswith("rng(4)")


def test_wrong_options_name_the_near_one():
    assert "no such option: --colums; did you mean --columns? 'hopscape" in refused(
        "show", "ring(4)", "--colums", "spec"
    )
