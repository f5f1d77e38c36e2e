"""A step of a hand-over, replayed by SimGrid's SMPI on its platform."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from hopscape.core.errors import FileFormatError
from hopscape.core.reading import load_json
from hopscape.core.verdict import Verdict
from hopscape.formats.programs import ProgramError, last_words, run_program, which_all

__all__ = ["PACKAGES", "check_smpi", "missing_smpi"]

PACKAGES = "Debian: libsimgrid-dev"
_CLOSE = 0.05
"""Relative difference that is allowed: links that are shared evenly, and links with queues."""
_PLAIN = (
    "network/model:CM02",
    "network/TCP-gamma:0",
    "network/crosstraffic:0",
    "smpi/os:0:0:0",
    "smpi/or:0:0:0",
    "smpi/ois:0:0:0",
    "smpi/async-small-thresh:0",
    "smpi/send-is-detached-thresh:0",
    "smpi/display-timing:yes",
)
"""No costs of MPI's own, and bandwidth that is used in full."""


def missing_smpi() -> list[str]:
    """What is not installed."""
    return which_all(("smpirun",))


def check_smpi(folder: Path, *, seconds: float = 300) -> Verdict:
    """Replay the traces of ``smpi/``; the step takes there what it takes by ours, to 5 %."""
    place = folder / "smpi"
    said = load_json(place / "step.json")
    if not isinstance(said, dict) or not isinstance(said.get("seconds"), int | float):
        raise FileFormatError(f"{place / 'step.json'} does not say how long the step takes")
    ours, ranks = float(said["seconds"]), int(said.get("ranks", 0))
    with tempfile.TemporaryDirectory(prefix="hopscape-smpi-") as name:
        work = Path(name)
        shutil.copytree(place, work, dirs_exist_ok=True)
        words = ["smpirun", "-replay", "traces", "-np", str(ranks), "-hostfile", "hosts"]
        words += ["-platform", str((folder / "simgrid" / "platform.xml").resolve())]
        output = run_program([*words, *(f"--cfg={one}" for one in _PLAIN)], work, seconds=seconds)
    found = re.search(r"[Ss]imulated time: ([0-9.e+-]+) seconds", output)
    if found is None:
        raise ProgramError(f"smpirun does not say how long it took: {last_words(output)}")
    theirs = float(found[1])
    details = {"seconds": theirs, "ours": ours, "ranks": ranks}
    text = f"a step of {ranks} ranks takes {theirs:.6g} s in SMPI, {ours:.6g} s by ours"
    more = f" ({100 * (theirs / ours - 1):+.2f} %)" if ours else ""
    close = abs(theirs - ours) <= _CLOSE * ours
    why = "" if close else "; where messages meet, SimGrid shares a link evenly, ours has queues"
    return Verdict(close, f"{text}{more}{why}", details=details)
