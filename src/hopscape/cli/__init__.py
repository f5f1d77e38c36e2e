"""The command line: parse, call, show. Nothing is computed here."""

from __future__ import annotations

import codecs
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from io import TextIOWrapper
from types import FrameType
from typing import TextIO

from hopscape.cli.ended import EndedError, StoppedError, TerminatedError, note_ended

__all__ = ["main"]

_LINE = 800
"""Letters of an error's line at most; lists of names to choose from are shorter."""
_GRACE = 3.5
"""Seconds after a signal in which a command may say what it kept; then it ends as it is, within
five also on a busy machine."""

_LAST = 1.0
"""Seconds in which the interpreter may leave then; it waits for threads, which may be stuck."""
_NOT_NOW = (
    "llvmlite.binding.executionengine",
    "llvmlite.binding.ffi",
    "importlib._bootstrap",
    "_frozen_importlib",
)
"""Modules in which nothing may be raised from outside.

In what LLVM calls back it is printed and forgotten, with the machine code that was told of. Locks
of LLVM and of imports would stay taken, and all other threads wait for them.
"""
_MOMENT = 0.01  # seconds


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    0: done, and what was checked holds; 1: a check failed; 2: the request was wrong, or could not
    be met (memory, disk); 130 and 143: ended by Ctrl-C or by SIGTERM.
    """
    from hopscape.core.errors import CheckFailedError, HopscapeError

    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    _take_every_letter(sys.stdout)
    alone = arguments is None  # the process is ours
    try:
        with _handled_termination():
            from hopscape.cli.app import app

            app(args=arguments, prog_name="hopscape")
    except CheckFailedError as error:
        _leave(str(error), 1)
    except HopscapeError as error:
        _leave(str(error), 2)
    except MemoryError:
        _leave("out of memory; HOPSCAPE_MEMORY sets a lower limit", 2)
    except (EndedError, KeyboardInterrupt) as error:
        _leave_ended(error.__cause__ or error, alone)
    except SystemExit as error:
        cause = getattr(error.__context__, "__cause__", None)
        if isinstance(cause, KeyboardInterrupt):  # while typer read the command line
            _leave_ended(cause, alone)
        raise
    except SystemError as error:  # a signal came as a kernel returned: its caller wraps what is set
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        _leave_ended(error.__cause__, alone)
    except OSError as error:  # a full disk, no processes left: not of our making
        _drop_output()
        place = f"{error.filename}: " if error.filename else ""
        _leave(f"the system refused: {place}{error.strerror or error}", 2)
    except ValueError as error:  # of the system's calls; command lines cannot hold it, TOML can
        if not str(error).startswith("embedded null"):
            raise
        _leave("a name holds the character NUL, which no file's name can", 2)
    except RuntimeError as error:
        if not str(error).startswith(("can't start new thread", "cannot cache function")):
            raise
        _leave(f"the system refused: {error}", 2)


def _take_every_letter(out: TextIO) -> None:
    """See to it that signs such as ≤ can be printed where the output is not UTF-8.

    Redirected output of Windows becomes UTF-8, as files are; else such a sign is printed as JSON
    writes it, ``\\u2264``.
    """
    if not isinstance(out, TextIOWrapper) or out.errors != "strict":
        return
    chosen = "PYTHONIOENCODING" in os.environ or out.isatty()
    if sys.platform == "win32" and not chosen:
        out.reconfigure(encoding="utf-8")
    elif codecs.lookup(out.encoding).name != "utf-8":
        codecs.register_error("hopscape", _as_json)
        out.reconfigure(errors="hopscape")


def _as_json(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end].replace("─", "-")  # the rule of a table
    return json.dumps(text)[1:-1], error.end


@contextmanager
def _handled_termination() -> Iterator[None]:
    """Turn SIGTERM (of a batch system, of ``timeout``) into an interrupt, and Ctrl-C into ours."""
    note_ended(signal.SIGINT)  # what a KeyboardInterrupt means unless SIGTERM comes

    def stop(number: int, frame: FrameType | None) -> None:
        note_ended(signal.SIGTERM)
        if not _postponed(number, frame):
            raise TerminatedError

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not _postponed(number, frame):
            raise StoppedError

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    number = getattr(signal, "SIGBREAK", signal.SIGTERM)  # Windows: Ctrl-Break
    before = {number: signal.signal(number, stop)}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # nohup and shells ignore it
        before[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        with _ended_in_time(set(before)) if sys.platform != "win32" else nullcontext():
            yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _postponed(number: int, frame: FrameType | None) -> bool:
    """Is this no moment to raise something? Then the signal comes again a little later."""
    while frame is not None and frame.f_globals.get("__name__") not in _NOT_NOW:
        frame = frame.f_back
    if frame is None:
        return False
    again = threading.Timer(_MOMENT, _send, (number,))
    again.daemon = True
    again.start()
    return True


def _send(number: int) -> None:
    """To the first thread, which may be asleep."""
    if sys.platform == "win32":
        signal.raise_signal(number)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, number)


@contextmanager
def _ended_in_time(watched: set[int]) -> Iterator[None]:
    """End the process some seconds after one of these signals, whatever it is doing.

    Python's handler waits until a kernel or a solver returns. The bytes that the system's handler
    writes into a pipe arrive at once: kernels and solvers let other threads run.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    done = threading.Event()

    def watch() -> None:
        while got := os.read(reading, 64):
            if came := watched.intersection(got):
                if not done.wait(_GRACE):
                    number = max(came)  # SIGTERM before Ctrl-C
                    with suppress(OSError):
                        os.write(2, f"hopscape: {_word(number)}; {_kept()}\n".encode())
                    os._exit(128 + number)
                return

    threading.Thread(target=watch, daemon=True).start()
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        os.close(writing)


def _leave_pipe() -> None:
    """In a forked child: its signals are not those of its parent."""
    with suppress(ValueError):  # another thread than the first has forked
        signal.set_wakeup_fd(-1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_pipe)


def _kept() -> str:
    from hopscape.cli.options import given

    kept = given("resume")
    return "the file of --resume keeps what was finished" if kept else "nothing is kept"


def _word(number: int) -> str:
    return "interrupted" if number == signal.SIGINT else "terminated"


def _leave_ended(cause: BaseException, alone: bool) -> None:
    """Leave with one line; in a process that is ours also when threads of it are stuck."""
    if isinstance(cause, KeyboardInterrupt):
        number = signal.SIGTERM if isinstance(cause, TerminatedError) else signal.SIGINT
        if alone:
            with suppress(OSError, ValueError):
                sys.stdout.flush()  # however slow its reader is
            last = threading.Timer(_LAST, os._exit, (128 + number,))
            last.daemon = True
            last.start()
        _leave(f"{_word(number)}; {_kept()}", 128 + number)
    _drop_output()  # the reader (head, less) has had enough
    sys.exit(0)


def _leave(message: str, code: int) -> None:
    with suppress(OSError):
        print(_wrapped(f"hopscape: {_shortened(message)}"), file=sys.stderr)
    sys.exit(code)


def _wrapped(message: str) -> str:
    """On a terminal, lines that end between words; what a caret points into stays as it is."""
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):  # not a terminal
        return message
    from hopscape.core.tables import wrap

    lines = message.split("\n")
    return "\n".join(
        part
        for line in lines
        for part in ([line] if line.startswith(" ") or not width else wrap(line, width))
    )


def _shortened(message: str) -> str:
    """At most five lines, none of them endless: what was given is not repeated in full.

    Examples:
        >>> _shortened("n is " + "9" * 5000 + "; it must be small")
        'n is 9999999999999999999999999999999999999999… (5000 letters); it must be small'
    """
    words = re.sub(
        r"\w{150,}", lambda found: f"{found[0][:40]}… ({len(found[0])} letters)", message
    )
    return "\n".join(_cut(line) for line in words.splitlines()[:5])


def _cut(line: str) -> str:
    """A line without its middle, if it is a very long one."""
    if len(line) <= _LINE:
        return line
    return f"{line[: _LINE // 2]}… ({len(line):,} letters) …{line[-_LINE // 4 :]}"


def _drop_output() -> None:
    """Nobody reads what is left in the buffer; the interpreter must not try at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
