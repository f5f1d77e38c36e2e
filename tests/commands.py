"""Commands as a person and as a script would run them."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

import pytest

from hopscape.cli import main
from optional import skip_without_package_of

__all__ = ["Done", "ask", "refused", "run", "shown"]


@dataclass
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments: str, **environment: str) -> Done:
    """Run a command as the console script does, in this process."""
    out, complaints = io.StringIO(), io.StringIO()
    code = 0
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        with redirect_stdout(out), redirect_stderr(complaints):
            try:
                main(list(arguments))
            except SystemExit as leaving:
                code = int(leaving.code or 0)
    skip_without_package_of(complaints.getvalue())
    return Done(code, out.getvalue(), complaints.getvalue())


def shown(*arguments: str, code: int = 0) -> str:
    """Run a command that ends with a code; return what it prints."""
    done = run(*arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def ask(*arguments: str, code: int = 0) -> Any:
    """Run a command with --format json and read its answer."""
    return json.loads(shown(*arguments, "--format", "json", code=code))


def refused(*arguments: str, **environment: str) -> str:
    """Run a wrong request; return its complaint."""
    done = run(*arguments, **environment)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr
