"""What SECURITY.md promises: nothing is evaluated or unpickled, no network, no strange files."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import hopscape
from hopscape.collectives.generic import broadcast
from hopscape.core.errors import FileFormatError
from hopscape.core.reading import TextFile
from hopscape.core.schedule import Schedule
from hopscape.registry import build_within

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))

EVALUATES = {"eval", "exec", "compile", "__import__"}
FORBIDDEN = {
    *("pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "code", "codeop", "ctypes"),
    *("subprocess", "pty", "telnetlib", "ftplib", "smtplib", "urllib", "requests", "httpx"),
    *("socket", "asyncio", "xmlrpc", "webbrowser", "yaml"),
}
SERVES = {"http", "socketserver", "webbrowser"}
"""Only a module that serves pages on loopback may import these."""
RUNS = {"subprocess", "ctypes"}
"""Only these modules may start programs (to try out what was written, and to compile kernels)
or talk to the kernel, so that they end with us."""
RUNNERS = {
    "formats/code/checking.py",
    "formats/programs.py",
    "formats/simgrid_check.py",
    "cli/commands/manual.py",
    "core/compile_ahead.py",
    "core/processes.py",
}


def test_nothing_is_evaluated_or_unpickled():
    wrong = []
    for path in SOURCES:
        name = path.relative_to(ROOT / "src/hopscape").as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            said = list(_complaints(name, node))
            if name.startswith("ledger/"):  # mutants of the package's own source are compiled
                said = [what for what in said if what != "compile()"]
            wrong += [f"{name}:{node.lineno}: {what}" for what in said]
    assert wrong == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("eval('1')", "eval()"),
        ("os.system('ls')", "os.system"),
        ("np.load(path)", "load without allow_pickle=False"),
        ("np.load(path, allow_pickle=True)", "load without allow_pickle=False"),
        ("read(path, allow_pickle=flag)", "read without allow_pickle=False"),
        ("import pickle", "import pickle"),
        ("import subprocess", "import subprocess"),
        ("from http.server import HTTPServer", "import http.server"),
    ],
)
def test_what_is_forbidden_is_noticed(code, said):
    nodes = ast.walk(ast.parse(code))
    assert [what for node in nodes for what in _complaints("core/spec.py", node)] == [said]


def _complaints(path, node):
    """What a statement of a source file does that none may do."""
    if isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.Import):
        yield from _imports(path, [alias.name for alias in node.names])
    elif isinstance(node, ast.ImportFrom) and node.level == 0:
        yield from _imports(path, [node.module or ""])


def _calls(node):
    func = node.func
    bare = isinstance(func, ast.Name)
    name = func.id if bare else getattr(func, "attr", "")
    owner = getattr(getattr(func, "value", None), "id", "")
    if bare and name in EVALUATES:
        yield f"{name}()"
    if owner == "os" and name in ("system", "popen", "spawnl", "execv"):
        yield f"os.{name}"
    keywords = {k.arg: getattr(k.value, "value", None) for k in node.keywords}
    reads = name in ("load", "read_array") and owner in ("np", "numpy")
    if (reads or "allow_pickle" in keywords) and keywords.get("allow_pickle") is not False:
        yield f"{name} without allow_pickle=False"


def _imports(path, names):
    for name in names:
        top = name.split(".")[0]
        runs, serves = path in RUNNERS, "explore" in path
        allowed = (RUNS if runs else set()) | (SERVES if serves else set())
        if top in (FORBIDDEN | SERVES | RUNS) - allowed:
            yield f"import {name}"


NO_NETWORK = """
import socket, sys
def refuse(*a, **k):
    print("NETWORK", a, file=sys.stderr)
    raise AssertionError("network")
socket.getaddrinfo = socket.gethostbyname = socket.create_connection = refuse
class Socket(socket.socket):
    connect = connect_ex = bind = sendto = refuse
socket.socket = Socket
from hopscape.cli import main
for words in {commands!r}:
    try:
        main(words)
    except SystemExit as leave:
        assert leave.code == 0, (words, leave.code)
"""


def test_no_network_at_run_time(tmp_path):
    commands = [
        ["show", "torus(4, 4)"],
        ["compare", "petersen", "ring(6)", "-f", "json"],
        ["draw", "petersen", "-o", str(tmp_path / "a.svg")],
        ["export", "petersen", "-o", str(tmp_path / "a.graphml")],
        ["show", str(tmp_path / "a.graphml")],
        ["broadcast", "ring(6)", "--save", str(tmp_path / "s.json")],
        ["verify", str(tmp_path / "s.json")],
    ]
    code = NO_NETWORK.replace("{commands!r}", repr(commands))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "NETWORK" not in done.stderr


def test_files_named_in_files(tmp_path, monkeypatch):
    """A stranger's schedule cannot make hopscape read what is elsewhere."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "g.edges").write_text("0 1\n1 2\n2 0\n")
    monkeypatch.chdir(here)
    network = hopscape.build('file("g.edges")')
    broadcast(network, 0).save(here / "s.json")
    assert Schedule.load(here / "s.json", build_within(here / "s.json")).network.order == 3
    data = json.loads((here / "s.json").read_text())
    (here / "link.edges").symlink_to(there / "g.edges")
    for name in (str(there / "g.edges"), "../there/g.edges", "link.edges"):
        for spec in (f"file({json.dumps(name)})", f"product(ring(3), file({json.dumps(name)}))"):
            data["network"] = spec
            (here / "evil.json").write_text(json.dumps(data))
            with pytest.raises(FileFormatError, match="neither below its own folder"):
                Schedule.load(here / "evil.json", build_within(here / "evil.json"))
    with pytest.raises(FileFormatError, match="neither below its own folder"):
        build_within(here / "s.json")(str(there / "g.edges"))
    assert hopscape.build(str(there / "g.edges")).order == 3  # named by the user


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no /dev/zero")
def test_a_file_without_end(monkeypatch):
    monkeypatch.setenv("HOPSCAPE_MEMORY", "20M")
    with pytest.raises(FileFormatError, match="is no ordinary file"):
        TextFile("/dev/zero")


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.scripts, self.strange = 0, []

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        if tag in ("iframe", "object", "embed", "link", "base", "form") or any(
            name.startswith("on") or str(value).lower().startswith("javascript:")
            for name, value in attrs
        ):
            self.strange.append((tag, attrs))


def test_the_report_escapes_everything():
    from hopscape.design.designer import design
    from hopscape.design.report import html_report, markdown_report
    from hopscape.design.requirements import Requirements

    found = design(
        Requirements(nodes=8, ports=3, families=("ring", "mesh", "hypercube", "random_regular")),
        finalists=1,
    )
    evil = "x</code></td><script>alert(1)</script><img src=x onerror=alert(1)>'\" onload='a"
    found.notes.append(evil)
    for one in found.candidates:
        one.dominated_by = ""
    for number, one in enumerate(found.candidates[1:3]):
        one.spec = f"{evil}{number}"
        one.trouble = evil
    page = html_report(found, f"hopscape design {evil}")
    tags = Tags()
    tags.feed(page)
    assert tags.scripts == 1  # the page's own
    assert not tags.strange
    assert "<script>alert" not in page
    assert re.search("&lt;script&gt;alert", page)
    found.notes.append("[free](javascript:alert(1))")
    text = markdown_report(found, f"hopscape design {evil} ``` <script>")
    text, fence, command = text.partition("\n````\n")
    assert fence
    assert "``` <script>" in command
    assert "&lt;script&gt;alert" in text
    assert not re.search(r"<(script|img)|\]\(javascript", text)
    assert "![" in text  # pictures stay


SAME = """
import sys
from hopscape.cli import main
for words in {commands!r}:
    try:
        main(words)
    except SystemExit:
        pass
"""


def test_the_same_answer_for_every_hash_seed(tmp_path):
    """Sets and dicts of strings come in another order; outputs do not."""
    commands = [
        ["compare", "petersen", "torus(3, 4)", "kautz(2, 3)", "fat_tree(4)", "-f", "json"],
        ["broadcast", "random_regular(20, 3)", "--save", "FOLDER/s.json"],
        ["alltoall", "product(path(3), ring(3))", "-f", "json"],
        ["deadlock", "random_regular(20, 3)", "-f", "json"],
        ["groups", "torus(4, 4)", "5", "-f", "json"],
        ["export", "multiring(8, 1, 3)", "-o", "FOLDER/m.graphml"],
        ["draw", "product(petersen, ring(3))", "-o", "FOLDER/p.svg"],
        ["families", "-f", "json"],
    ]
    found = []
    for seed in ("0", "1"):
        folder = tmp_path / seed
        folder.mkdir()
        mine = [[w.replace("FOLDER", ".") for w in words] for words in commands]
        done = subprocess.run(
            [sys.executable, "-c", SAME.replace("{commands!r}", repr(mine))],
            capture_output=True,
            timeout=300,
            check=True,
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        files = {p.name: p.read_bytes() for p in sorted(folder.iterdir())}
        found.append((done.stdout, files))
    assert found[0][0]
    assert set(found[0][1]) == {"s.json", "m.graphml", "p.svg"}
    assert found[0] == found[1]
