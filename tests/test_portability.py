"""Linux, macOS and Windows: what only one of them has is asked for where that is known."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from hopscape.cli import _take_every_letter
from hopscape.core import files
from hopscape.store.tasks import Processes

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "hopscape"
POSIX_MODULES = {"fcntl", "grp", "msvcrt", "pty", "pwd", "resource", "select", "termios", "tty"}
POSIX_NAMES = {
    *("fork", "getuid", "geteuid", "getppid", "killpg", "kill", "mkfifo", "nice", "setsid"),
    *("sysconf", "statvfs", "sched_getaffinity", "waitpid", "waitstatus_to_exitcode", "symlink"),
    *("pthread_sigmask", "alarm", "set_wakeup_fd", "register_at_fork", "set_blocking"),
    *("SIGALRM", "SIGKILL", "SIGXCPU", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGPIPE", "WIFSIGNALED"),
}
"""Of os and signal: what Windows does not have, or has with another meaning."""
GUARDED = {
    "store/records.py": {"fcntl", "msvcrt"},  # the lock: one for each system
    "store/tasks.py": {"pthread_sigmask"},  # asked for first
    "core/processes.py": {"resource", "sysconf", "kill", "SIGKILL"},
    "core/compile_ahead.py": {"sched_getaffinity"},  # asked for first
    "cli/__init__.py": {"set_wakeup_fd", "set_blocking", "register_at_fork"},
    "ledger/planting.py": {
        *("resource", "fork", "waitpid", "waitstatus_to_exitcode", "WIFSIGNALED"),
        *("alarm", "SIGALRM", "SIGKILL", "SIGXCPU"),
    },  # `ledger --plant` is refused where there is no fork
}


def nodes_of(words):
    """What stands in the modules that hold one of these words."""
    pattern = re.compile(rf"\b({'|'.join(sorted(words))})\b")
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if pattern.search(text):
            for node in ast.walk(ast.parse(text)):
                yield path.relative_to(SOURCE).as_posix(), node


TEXTS = ("fdopen", "write_text", "text=True", "NamedTemporaryFile", "TextIOWrapper")


def called(node):
    if isinstance(node.func, ast.Name):
        return "", node.func.id
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value
        return getattr(owner, "id", getattr(owner, "attr", "?")), node.func.attr
    return "", ""


def in_locale(node):
    """Does a call read or write text in the encoding of the machine?"""
    owner, name = called(node)
    keywords = {one.arg: one.value for one in node.keywords}
    if "encoding" in keywords:
        return False
    if name == "read_text":
        return not node.args
    if name == "write_text" and owner:
        return len(node.args) < 2
    if name in ("Popen", "run", "check_output", "run_to_end"):
        return bool({"text", "universal_newlines"} & keywords.keys())
    if name == "fdopen" or (name == "open" and owner in ("", "Path", "path", "log", "place", "io")):
        place = 0 if owner in ("Path", "path", "log", "place") else 1
        mode = keywords.get("mode", node.args[place] if len(node.args) > place else None)
        return "b" not in (mode.value if isinstance(mode, ast.Constant) else "r")
    return name in ("NamedTemporaryFile", "TextIOWrapper")


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("open(p)", True),
        ("open(p, 'w')", True),
        ("open(p, 'rb')", False),
        ("open(p, encoding='utf-8')", False),
        ("path.open('w')", True),
        ("os.fdopen(handle, 'wb')", False),
        ("os.fdopen(handle)", True),
        ("Path(p).read_text()", True),
        ("Path(p).read_text('utf-8')", False),
        ("(a / b).write_text(t)", True),
        ("write_text(p, t)", False),
        ("subprocess.run(w, text=True)", True),
        ("webbrowser.open(a)", False),
    ],
)
def test_text_in_the_encoding_of_the_machine_is_seen(line, wrong):
    assert in_locale(ast.parse(line, mode="eval").body) == wrong


def test_every_text_is_utf_8():
    found = [
        f"{name}:{node.lineno}"
        for name, node in nodes_of({*TEXTS, r"open\(", r"read_text\("})
        if isinstance(node, ast.Call) and in_locale(node)
    ]
    assert found == []


def test_what_one_system_has_is_asked_for_in_few_places():
    found: dict[str, set[str]] = {}
    for name, node in nodes_of(POSIX_MODULES | POSIX_NAMES):
        seen = set()
        if isinstance(node, ast.Import):
            seen = {one.name for one in node.names} & POSIX_MODULES
        elif isinstance(node, ast.ImportFrom) and node.module in ("os", "signal"):
            seen = {one.name for one in node.names} & POSIX_NAMES
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in ("os", "signal"):
            seen = {node.attr} & POSIX_NAMES
        if seen:
            found.setdefault(name, set()).update(seen)
    assert found == GUARDED


def test_no_file_has_a_name_that_a_system_refuses():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    names = listed.stdout.split("\n")[:-1] or [str(one) for one in SOURCE.rglob("*.py")]
    assert len({name.lower() for name in names}) == len(names) > 400
    assert [name for name in names if refused_by_windows(name)] == []


def refused_by_windows(name):
    parts = PurePosixPath(name).parts
    reserved = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
    return any(
        re.search(r'[<>:"\\|?*\x00-\x1f]', part) or part[-1] in ". " or reserved.fullmatch(part)
        for part in parts
    )


WINDOWS = """
import asyncio, concurrent.futures.process, ctypes, http.server, importlib, importlib.metadata
import json, logging, multiprocessing, os, pkgutil, queue, secrets, shutil, signal, socket
import subprocess, sys, tempfile, types, unittest.mock, uuid, webbrowser, xml.etree.ElementTree
import numba, scipy.optimize, scipy.sparse.linalg
import hopscape, rich.table, typer, typer.core, click  # noqa

POSIX = {posix!r}
locked = []

class Lock:
    LK_NBLCK = 2
    @staticmethod
    def locking(handle, mode, count):
        place = os.lseek(handle, 0, os.SEEK_CUR)
        assert count == 1 and 0 < place < 2**31, place
        locked.append(place)

class Kernel:  # of Windows: process 4 is another's, 10 has ended, 12 is running
    class OpenProcess:
        restype = None
        def __new__(cls, access, inherit, process):
            return {{10: 1000, 12: 1200}}.get(process)
    class WaitForSingleObject:
        def __new__(cls, handle, wait):
            return {{1000: 0, 1200: 258}}[handle]
    class CloseHandle:
        def __new__(cls, handle):
            return 1
    @staticmethod
    def GlobalMemoryStatusEx(status):
        status._obj.physical = 3 * 10**9
        return 1

for name in POSIX:
    for module in (os, signal):
        if hasattr(module, name):
            delattr(module, name)
for name in {modules!r}:
    sys.modules[name] = None
sys.modules["msvcrt"] = Lock
sys.platform = "win32"
ctypes.WinDLL = lambda name, use_last_error=False: Kernel
ctypes.get_last_error = lambda: 87

from hopscape.core import processes
answers = {{
    "processes": [processes.is_running(one) for one in (4, 10, 12)],
    "memory": processes._physical_memory(),
    "refused": [],
}}
from hopscape.cli import main
for words in {commands!r}:
    try:
        main(words)
    except SystemExit as ended:
        assert ended.code in (0, None), (words, ended.code)
for module in pkgutil.walk_packages(hopscape.__path__, "hopscape."):
    if not module.name.endswith("__main__") and ".runners." not in module.name:
        importlib.import_module(module.name)
try:
    main(["ledger", "--plant", "--claim", "circulant-ulb2"])
except SystemExit as ended:
    answers["plant"] = ended.code
answers["locked"] = locked
print(json.dumps(answers))
"""


def test_the_toolkit_works_without_what_posix_has(tmp_path):
    """Every module is imported, and files are read, written and locked, as on Windows."""
    search = "search circulant --nodes 12:14 --workers 1 --resume"
    commands = [
        ["show", "torus(3, 3)", "-o", str(tmp_path / "show.json")],
        [*search.split(), str(tmp_path / "kept")],
        ["handover", "ring(4)", "--out", str(tmp_path / "out")],
        [
            "broadcast",
            "ring(4)",
            "--save",
            str(tmp_path / "b.json"),
            "--proof",
            str(tmp_path / "p"),
        ],
        ["verify", str(tmp_path / "b.json")],
    ]
    script = WINDOWS.format(
        posix=sorted(POSIX_NAMES - {"kill", "nice"}),
        modules=sorted(POSIX_MODULES - {"msvcrt", "select"}),
        commands=commands,
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers = json.loads(done.stdout.splitlines()[-1])
    assert answers["processes"] == [False, False, True]
    assert answers["memory"] == 3 * 10**9
    assert answers["locked"]
    assert answers["plant"] == 2
    assert "this system cannot" in done.stderr
    made = [one.relative_to(tmp_path).as_posix() for one in tmp_path.rglob("*") if one.is_file()]
    assert len(made) > 10
    assert [name for name in made if refused_by_windows(name)] == []


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii"])
def test_signs_are_printed_where_the_output_is_not_utf_8(encoding):
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding)
    _take_every_letter(out)
    out.write(json.dumps({"sign": "≤ ×", "rule": "──", "far": "𝄞"}, ensure_ascii=False))
    out.flush()
    told = json.loads(raw.getvalue().decode(encoding))
    assert told["sign"].startswith("≤ ")
    assert told["far"] == "𝄞"
    assert told["rule"] in ("──", "--")


def test_a_command_prints_signs_in_ascii():
    done = subprocess.run(
        [sys.executable, "-m", "hopscape", "compare", "ring(4)", "path(3)"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert "\\u00d7" in done.stdout.decode("ascii")  # deg × diam


def test_a_list_of_own_files_names_none_outside(tmp_path):
    (tmp_path / ".hopscape-files").write_text("a\nC:b\n/c\n\\\\host\\d\n../e\nf/g\n", "utf-8")
    assert files._own_files(tmp_path) == {"a", "f/g"}
    assert PureWindowsPath("C:b").anchor


def test_windows_gets_no_more_processes_than_it_waits_for(monkeypatch):
    assert Processes(100)._count == 100
    monkeypatch.setattr(sys, "platform", "win32")
    assert Processes(100)._count == 61
