"""What a shell is offered."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("hopscape des", {"design"}),
        ("hopscape show tor", {"torus"}),
        ("hopscape compare petersen hyperc", {"hypercube"}),
        ("hopscape simulate torus --traffic tor", {"tornado"}),
        ("hopscape compare petersen --columns diameter,gir", {"diameter,girth"}),
        ("hopscape blockdesign mach", {"machines"}),
        ("hopscape design --families torus,mes", {"torus,mesh"}),
        ("hopscape families heaw", {"heawood"}),
        ("hopscape docs star", {"start"}),
        ("hopscape broadcast heawood --algorithm basi", {"basic"}),
        ("hopscape nothing x", set()),
        ("hopscape simulate torus --routing ug", {"ugal"}),
        ("hopscape design --routing opt", {"optimal"}),
        ("hopscape design --matters latency,cos", {"latency,cost"}),
        ("hopscape design --prices hamm", {"hammingmesh"}),
        ("hopscape step job.toml --on leaf_s", {"leaf_spine"}),
        ("hopscape embed torus hyperc", {"hypercube"}),
        ("hopscape verify nothing/s.j", set()),
        ("hopscape show --format x --col", {"--columns"}),
    ],
)
def test_completion(line: str, offered: set[str]) -> None:
    words = line.split()
    environment = {
        "_HOPSCAPE_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "PATH": "",
    }
    done = subprocess.run(
        [sys.executable, "-m", "hopscape"], capture_output=True, text=True, env=environment,
        check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert set(done.stdout.split()) == offered
