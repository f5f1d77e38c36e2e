"""A real Ctrl-C to a real run with its worker processes, at every stage."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_START = """
import hopscape.cli.progress
from hopscape.__main__ import main
if __name__ == "__main__":
    hopscape.cli.progress._PATIENCE = 0.0
    main()
"""


def _children(group: int) -> list[int]:
    """Processes of a group that still run (zombies are gone for our purposes)."""
    out = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(words[2]) == group and words[0] != "Z":
                out.append(int(folder.name))
    return out


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize("words", ["distances of", "routes of", "schedules of"])
def test_ctrl_c_shows_what_is_known(words: str, tmp_path: Path) -> None:
    """Wait until the progress names the stage, then interrupt the group as a terminal does."""
    target = tmp_path / "known.json"
    command = [sys.executable, "-c", _START, "design", "--nodes", "32", "--ports", "4"]
    command += ["--families", "torus,circulant"]
    command += ["--workers", "2", "--format", "json", "--output", str(target)]
    master, slave = pty.openpty()
    run = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, close_fds=True
    )
    os.close(slave)
    seen, sent = b"", False
    while True:
        try:
            data = os.read(master, 4096)
        except OSError:
            break
        if not data:
            break
        seen += data
        if not sent and words.encode() in seen:
            sent = True
            os.killpg(run.pid, signal.SIGINT)
    code = run.wait()
    os.close(master)
    text = seen.decode(errors="replace")
    assert sent
    assert code == 130, text
    assert "Traceback" not in text
    assert "interrupted" in text
    for _ in range(600):  # whoever is on the way out may take a moment on a busy machine
        if not _children(run.pid):
            break
        time.sleep(0.1)
    assert _children(run.pid) == []
    if target.exists():
        found = json.loads(target.read_text())
        assert found["complete"] is False
        assert found["candidates"]
    else:
        assert words == "distances of"  # nothing was known yet


def test_what_meets_no_demand_is_no_answer(monkeypatch):
    """An interrupt while all that is known is beyond the budget: nothing is known yet."""
    from hopscape.design import SwitchedRequirements, designer

    def interrupted(question, found, ask):
        raise KeyboardInterrupt

    monkeypatch.setattr(designer, "infeasible", interrupted)
    asked = SwitchedRequirements(20, 8, budget=100.0, families=("complete",))
    with pytest.raises(KeyboardInterrupt):
        designer.design(asked)
