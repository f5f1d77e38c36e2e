"""The examples of the README and of the manual run as printed, and print what is shown."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from shutil import copy

import pytest

import hopscape
from hopscape.cli import main

ROOT = Path(__file__).parents[2]
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)

# What is not run at all, and why; each line is a pattern that must match an example.
LEFT = {
    r"--dask tcp": "a cluster: tests/simulate/test_cluster.py, tests/store/test_dask_workers.py",
    r"--device gpu|device=.gpu": "a GPU: tests/core/test_distance_gpu.py",
    r"dask_jobqueue|dask_kubernetes": "a cluster of somebody else",
    r"hopscape explore$": "serves pages until it is stopped: tests/show/explore/test_server.py",
    r"hopscape (check|run-mpi) ": "OpenSM, MPI, BookSim, SimGrid: tests/formats",
    r"hopscape compare-fabric ": "a fabric that was built: tests/design/test_built.py",
    r"--to (c|verilog|systemverilog) .*--check": "gcc, iverilog, yosys: tests/formats/code",
    r"hopscape (compare .wheel|wheels)": "not installed: tests/test_plugin.py",
    r"hopscape (study|ledger)": "minutes to hours: tests/ledger",
}
# What takes longer than a few seconds of processor time: with -m slow.
SLOW = (
    r"hopscape design",
    r"hopscape simulate .(torus|mesh|circulant|file)",
    r"hopscape search (graph|torus-level|machines)",
    r"hopscape blockdesign (shared|rates .crossbar_machine.complete.40)",
    r"hopscape search circulant --(nodes 7|diameter)",
    r"hopscape search multiring .*(--resume|--front|--grow)",
    r"hopscape multiring torus",
    r"hopscape search ring-order",
    r"hopscape explore .*--simulate",
    r"hopscape embed .ring",
    r"hopscape handover ",
    r"hopscape broadcast .torus\((49|11)",
)


def is_one_of(patterns: Iterable[str], text: str) -> bool:
    return any(re.search(pattern, text) for pattern in patterns)


def commands(page: str) -> list[tuple[str, list[str]]]:
    """Command lines of a page, and what is shown below each after a prompt."""
    found: list[tuple[str, list[str]]] = []
    for language, text in FENCE.findall(TEXTS[page]):
        shown = False
        for line in text.splitlines() if language in ("", "sh", "console", "bash") else ():
            if match := re.match(r"(\$ )?(hopscape( .*)?)$", line):
                found.append((shlex.join(shlex.split(match[2], comments=True)), []))
                shown = match[1] is not None
            elif shown := shown and not line.startswith("$"):
                found[-1][1].append(" ".join(line.split()))
    return found


def programs(page: str) -> list[str]:
    """Python of a page, as a program or as a dialogue."""
    return [text for language, text in FENCE.findall(TEXTS[page]) if language == "python"]


def answer(command: str) -> str:
    """Run a command in this process; what it prints, without its spaces."""
    out, code = StringIO(), 0
    with redirect_stdout(out), redirect_stderr(out):
        try:
            main(shlex.split(command)[1:])
        except SystemExit as leaving:
            code = int(leaving.code or 0)
    assert code == 0, f"{command}: {code}\n{out.getvalue()}"
    return " ".join(out.getvalue().split())


def run_page(page: str, wanted: Callable[[str], bool]) -> None:
    missing = []
    for command, shown in commands(page):
        if wanted(command) and not is_one_of(LEFT, command):
            found = answer(command)
            missing += [(command, x) for x in shown if "..." not in x and x not in found]
    assert missing == []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages take for granted, to run the examples in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "mesh.cfg").write_text("topology = mesh; k = 4; n = 2; routing_function = dor;\n")
    copy(Path(hopscape.__file__).parent / "design" / "price_lists" / "default.toml", "my.toml")
    hopscape.build("torus(4, 4)").broadcast().save("broadcast.json")
    copy(ROOT / "examples" / "jobs" / "small.toml", "job.toml")
    return tmp_path


WITH_COMMANDS = [page for page in TEXTS if commands(page)]


@pytest.mark.parametrize("page", WITH_COMMANDS)
@pytest.mark.usefixtures("folder")
def test_commands_run(page: str) -> None:
    run_page(page, lambda command: not is_one_of(SLOW, command))


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_COMMANDS)
@pytest.mark.usefixtures("folder")
def test_slow_commands_run(page: str) -> None:
    if any(is_one_of(SLOW, command) for command, _ in commands(page)):
        run_page(page, lambda command: True)


@pytest.mark.parametrize("page", [page for page in TEXTS if programs(page)])
@pytest.mark.usefixtures("folder")
def test_python_runs(page: str) -> None:
    """All blocks of a page, one after the other, in one namespace."""
    names: dict[str, object] = {}
    for text in programs(page):
        if is_one_of(LEFT, text):
            continue
        if ">>>" not in text:
            exec(compile(text, page, "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(text, names, page, page, 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test, clear_globs=False)
        names.update(test.globs)
        assert runner.summarize().failed == 0


def test_nothing_is_left_out_that_is_not_there() -> None:
    lines = [command for page in TEXTS for command, _ in commands(page)]
    every = [*lines, *(text for page in TEXTS for text in programs(page))]
    unused = [x for x in (*LEFT, *SLOW) if not any(re.search(x, line) for line in every)]
    assert unused == []
    assert len(lines) > 100
