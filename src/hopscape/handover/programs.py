"""Running other people's programs: found, timed, ended with us, and their last words kept."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hopscape.core.errors import HopscapeError
from hopscape.core.lifeline import end_with_parent

__all__ = ["ProgramError", "last_words", "run_program", "running", "which_all"]

_WORDS = 400


class ProgramError(HopscapeError):
    """A program is there but did not do its work."""


def which_all(programs: Sequence[str]) -> list[str]:
    """Those programs that are not on the path."""
    return [name for name in programs if shutil.which(name) is None]


def last_words(text: str) -> str:
    """The end of what a program said, on one line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = " / ".join(lines[-3:])
    return said[-_WORDS:] if said else "nothing"


def _start(
    words: Sequence[str], folder: Path, extra: Mapping[str, str], output: int
) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            list(words),
            cwd=folder,
            env={**os.environ, **extra},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            preexec_fn=end_with_parent,
        )
    except OSError as error:
        raise ProgramError(f"{words[0]} cannot be started: {error.strerror}") from error


def run_program(
    words: Sequence[str],
    folder: Path,
    *,
    seconds: float,
    extra: Mapping[str, str] | None = None,
    codes: Sequence[int] | None = (0,),
) -> str:
    """Run a program to its end; what it said.

    Args:
        folder: Where it runs.
        seconds: It is ended after so long.
        extra: Environment variables besides ours.
        codes: Exit codes that are right; None where they say nothing.

    Raises:
        ProgramError: With its last words, when it fails or takes too long.
    """
    process = _start(words, folder, extra or {}, subprocess.PIPE)
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        said, _ = process.communicate()
        raise ProgramError(
            f"{words[0]} was ended after {seconds:g} s; its last words: {last_words(said)}"
        ) from None
    except BaseException:
        process.kill()
        process.wait()
        raise
    if codes is not None and process.returncode not in codes:
        raise ProgramError(
            f"{words[0]} failed with {_code(process.returncode)}; its last words:"
            f" {last_words(said)}"
        )
    return said


def _code(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


@contextlib.contextmanager
def running(
    words: Sequence[str], folder: Path, log: Path, extra: Mapping[str, str]
) -> Iterator[subprocess.Popen[str]]:
    """A program in the background, its words in a file; ended when the block is left."""
    with log.open("w") as out:
        process = _start(words, folder, extra, out.fileno())
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
