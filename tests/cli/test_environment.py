"""The command line where the system is hostile: real processes, real limits, exit codes."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time

import pytest

import hopscape
from commands import refused
from hopscape import cli
from hopscape.cli.ended import TerminatedError
from hopscape.core import kernel_cache
from hopscape.core import processes as memory
from hopscape.core.errors import HopscapeError
from hopscape.search.graph import Problem, best_graph
from hopscape.store import tasks as pools
from hopscape.store.tasks import Task

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits and signals of POSIX")


def run(*words, before="", limit=None, **more):
    """A command in a process of its own, after some Python code."""
    code = f"{before}\nfrom hopscape.cli import main\nmain({list(words)!r})"
    return subprocess.run(
        [sys.executable, "-c", code],
        preexec_fn=limit,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        **({"capture_output": True} | more),
    )


def one_sentence(done, code, *says):
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1
    for words in says:
        assert words in done.stderr


def test_a_disk_that_fills(tmp_path):
    """RLIMIT_FSIZE is a disk that ends after so many bytes; what was there before stays."""
    path = tmp_path / "out.json"
    path.write_text("before")

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = run("families", "-f", "json", "-o", str(path), limit=small)
    one_sentence(done, 2, str(path), "cannot be written: File too large")
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["out.json"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("style", ["json", "table"])
def test_output_to_a_full_disk(style):
    with open("/dev/full", "w") as full:
        done = run(
            "families", "-f", style, stdout=full, stderr=subprocess.PIPE, capture_output=False
        )
    one_sentence(done, 2, "the system refused", "No space left on device")


def test_output_that_is_closed():
    """``hopscape ... >&-``: nobody wants to see it, so it is done."""
    done = run("show", "petersen", before="import sys\nsys.stdout = None")
    one_sentence(done, 0)


def test_a_reader_that_leaves():
    """``hopscape ... | head -1`` with more output than a pipe holds."""
    code = "from hopscape.cli import main; main('blockdesign blocks 307 18 1 -f json'.split())"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("module", "function", "words", "kept"),
    [
        ("cli.commands.judging", "build", ["bisection", "petersen"], "nothing is kept"),
        ("metrics.summary", "summarise", ["show", "petersen"], "this is what is known so far"),
    ],
)
@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")],
)
def test_signals(number, code, word, module, function, words, kept, tmp_path):
    """Both end a command in the same way: their own exit code, and a sentence on what is kept."""
    wait = (
        f"import hopscape.{module} as m, time\n"
        "def slow(*given, **options):\n    print('ready', flush=True)\n"
        "    exec('time.sleep(60)')\n"  # as compilers do: Python remembers a Ctrl-C in there
        f"m.{function} = slow\n"
        f"from hopscape.cli import main; main({words!r})"
    )
    (tmp_path / "slow.py").write_text(wait, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "slow"],  # of -c and of scripts it does not ask what it remembers
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.send_signal(number)
        assert process.wait(30) == code
        assert process.stderr.read() == f"hopscape: {word}; {kept}\n"


@pytest.mark.parametrize(
    "deaf",
    [
        "    try:\n        time.sleep(60)\n    except KeyboardInterrupt:\n        time.sleep(60)\n",
        "    hashlib.pbkdf2_hmac('sha256', b'x', b'y', 10**9)\n",
    ],
    ids=["swallowed", "in a kernel"],
)
@pytest.mark.parametrize(
    ("number", "word"), [(signal.SIGTERM, "terminated"), (signal.SIGINT, "interrupted")]
)
def test_what_goes_on_after_a_signal_is_ended(number, word, deaf):
    """Whoever swallows the interrupt, or is in a kernel, is ended in time, with the same code."""
    wait = (
        "import hopscape.cli as cli, hopscape.cli.commands.judging as n, time, hashlib\n"
        "cli._GRACE = 0.2\n"
        f"def slow(spec):\n    print('ready', flush=True)\n{deaf}"
        "n.build = slow\n"
        "cli.main(['bisection', 'petersen'])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", wait], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.send_signal(number)
        assert process.wait(30) == 128 + number
        assert process.stderr.read() == f"hopscape: {word}; nothing is kept\n"


def test_a_signal_as_a_kernel_returns_ends_as_any_other(monkeypatch, capsys):
    """The kernel's caller finds an exception beside a result, and wraps it."""

    def app(**_):
        raise SystemError("returned a result with an exception set") from TerminatedError()

    monkeypatch.setattr("hopscape.cli.app.app", app)
    with pytest.raises(SystemExit) as left:
        cli.main(["show", "petersen"])
    assert left.value.code == 143
    assert capsys.readouterr().err == "hopscape: terminated; nothing is kept\n"


@pytest.mark.parametrize("module", cli._NOT_NOW)
def test_a_signal_at_a_bad_moment_comes_again(module, monkeypatch, capsys):
    """In what LLVM calls back it would be forgotten; locks of imports would stay taken."""
    called = "import signal\ndef called():\n    signal.raise_signal(number)\n    done.append(1)"
    here = {"__name__": module, "number": signal.SIGTERM, "done": []}
    exec(called, here)

    def app(**_):
        here["called"]()
        time.sleep(60)

    monkeypatch.setattr("hopscape.cli.app.app", app)
    with pytest.raises(SystemExit) as left:
        cli.main(["show", "petersen"])
    assert here["done"] == [1]
    assert left.value.code == 143
    assert capsys.readouterr().err == "hopscape: terminated; nothing is kept\n"


def test_bad_moments_are_named_as_they_are():
    from llvmlite.binding import ffi
    from llvmlite.binding.executionengine import ExecutionEngine

    named = {ExecutionEngine._raw_object_cache_notify.__module__, ffi.__name__}
    assert {*named, type(sys.modules["os"].__spec__).__module__} <= set(cli._NOT_NOW)


def test_a_stuck_thread_keeps_nobody(tmp_path):
    """A worker waits for a lock that nobody gives back; the interpreter waits for the worker."""
    code = (
        "import sys, threading, signal\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from hopscape import cli\n"
        "import hopscape.cli.app as a\n"
        "lock = threading.Lock()\n"
        "lock.acquire()\n"
        "def app(**_):\n"
        "    ThreadPoolExecutor(1).submit(lock.acquire)\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
        "a.app = app\n"
        "cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (143, "hopscape: terminated; nothing is kept\n")


def test_a_signal_while_the_command_line_is_read(monkeypatch, capsys):
    def read(*_, **__):
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("hopscape.cli.app._LazyGroup.make_context", read)
    with pytest.raises(SystemExit) as left:
        cli.main(["show", "petersen"])
    assert left.value.code == 143
    assert capsys.readouterr().err == "hopscape: terminated; nothing is kept\n"


def test_signals_are_listened_to_before_anything_is_loaded():
    """What is loaded first cannot be ended in a sentence; numpy takes seconds when all are busy."""
    look = "import hopscape.cli, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    ours = {name for name in done.stdout.split() if name.startswith("hopscape.")}
    assert "hopscape.cli.ended" in ours
    assert ours < {
        *("hopscape._version", "hopscape.cli", "hopscape.cli.ended", "hopscape.core"),
        *("hopscape.core.errors", "hopscape.core.kernel_cache", "hopscape.core.methods"),
        *("hopscape.core.plugins", "hopscape.core.numbers"),
    }
    assert not {"numpy", "typer", "rich"} & set(done.stdout.split())


def test_a_complaint_has_an_end():
    """Nobody reads 6,000 letters of his own request; names to choose from are told whole."""
    for words in (
        ["search", "circulant", "--nodes", "a b " * 1500],
        ["show", "ring(4)", "--columns", "(" * 4000],
        ["route", "ring(4)", "x/" * 3000, "0"],
    ):
        told = refused(*words)
        assert len(told) < 900
        assert len(told.splitlines()) <= 5
    assert "letters) …" in refused("show", "ring(4)", "--columns", "(" * 4000)


@pytest.mark.parametrize("name", ["memory.max", "memory/memory.limit_in_bytes"])
def test_a_container_has_less_than_its_machine(tmp_path, monkeypatch, name):
    monkeypatch.setattr(memory, "_CGROUPS", tmp_path)
    asked = memory._physical_memory.__wrapped__
    machine = asked()
    assert machine > 2**21
    (tmp_path / name).parent.mkdir(exist_ok=True)
    for quota, found in (("2097152", 2**21), ("max", machine), (str(2**63 - 4096), machine)):
        (tmp_path / name).write_text(f"{quota}\n", "utf-8")
        assert asked() == found


def test_a_name_with_nul(tmp_path):
    """It cannot be typed, but a file of options can hold it."""
    (tmp_path / "options.toml").write_text('output = "a\\u0000b.json"\n', "utf-8")
    told = refused("show", "ring(4)", "--config", str(tmp_path / "options.toml"))
    assert told == "hopscape: a name holds the character NUL, which no file's name can\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_are_given_back(number):
    before = signal.getsignal(number)
    with pytest.raises(SystemExit):
        cli.main(["show", "ring(4)"])
    assert signal.getsignal(number) is before


def test_an_ignored_interrupt_stays_ignored(monkeypatch):
    """``nohup hopscape ... &``: a Ctrl-C in the terminal is for others."""
    seen = []
    monkeypatch.setattr("hopscape.cli.app.app", lambda **_: seen.append(signal.getsignal(2)))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        cli.main(["show", "ring(4)"])
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIG_IGN]


def test_a_home_that_does_not_exist(tmp_path):
    home = {**os.environ, "HOME": str(tmp_path / "none"), "XDG_CACHE_HOME": str(tmp_path / "none")}
    one_sentence(run("show", "torus(4, 4)", env=home), 0)


def test_little_address_space():
    """A limit on memory is seen before it is reached."""

    def small():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    home = {name: value for name, value in os.environ.items() if name != "HOPSCAPE_MEMORY"}
    done = run("load", "torus(1000, 1000, 100)", limit=small, env=home)
    one_sentence(done, 2, "more than the limit of")


def test_the_memory_limit_follows_ulimit(monkeypatch):
    monkeypatch.delenv("HOPSCAPE_MEMORY", raising=False)
    monkeypatch.setattr(
        resource,
        "getrlimit",
        lambda kind: (10**9, 10**9) if kind == resource.RLIMIT_AS else (-1, -1),
    )
    assert memory.memory_limit() == 6 * 10**8


def test_no_place_for_kernels(monkeypatch, tmp_path):
    """Then a folder of this process serves, for nobody else to write to."""
    monkeypatch.setattr(kernel_cache, "_writable", lambda place: False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "x")
    monkeypatch.setattr(kernel_cache.tempfile, "tempdir", str(tmp_path))
    kernel_cache.prepare_kernel_cache()
    folder = os.environ["NUMBA_CACHE_DIR"]
    assert os.path.dirname(folder) == str(tmp_path)
    assert os.stat(folder).st_mode & 0o077 == 0


def test_writable_folders(tmp_path):
    assert kernel_cache._writable(tmp_path / "a" / "b")
    (tmp_path / "file").touch()
    assert not kernel_cache._writable(tmp_path / "file" / "b")


def test_numba_without_any_place():
    """Where not even that can be made, a command that needs kernels says so."""
    nowhere = "from numba.core.caching import CacheImpl\nCacheImpl._locator_classes = []"
    done = run("bisection", "random_regular(20, 3)", before=nowhere)
    one_sentence(done, 2, "the system refused: cannot cache function")


def test_no_shared_memory(monkeypatch):
    """Semaphores of worker processes live in /dev/shm, which a container may not have."""

    def refuse(*_, **__):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(pools, "ProcessPoolExecutor", refuse)
    with pytest.raises(HopscapeError, match="cannot be started here"):
        list(pools.on_processes(len, [Task("a", ((),))], 2))


def test_a_folder_that_is_read_only(tmp_path):
    if os.geteuid() == 0:
        place = "/proc/hopscape.json"  # even root cannot write there
    else:
        tmp_path.chmod(0o500)
        place = str(tmp_path / "out.json")
    with pytest.raises(HopscapeError, match="cannot be written"):
        hopscape.core.files.write_atomically(place, lambda out: out.write(b"x"))


def test_a_small_search_needs_no_processes(monkeypatch):
    """Little work is done in this process, also where no others can be started."""

    def refuse(*_, **__):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(pools, "ProcessPoolExecutor", refuse)
    found = best_graph(Problem(10, 3), effort=0.2, workers=None)
    assert found.diameter == 2
    with pytest.raises(HopscapeError, match="cannot be started here"):
        best_graph(Problem(10, 3), effort=0.2, workers=2)
