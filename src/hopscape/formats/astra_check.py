"""A hand-over in ASTRA-sim: its schedules as custom collectives on the analytical back end."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from hopscape.core.errors import FileFormatError
from hopscape.core.reading import load_json
from hopscape.core.verdict import Verdict
from hopscape.formats.programs import ProgramError, last_words, run_program, which_all

__all__ = ["PACKAGES", "PROGRAM", "check_astra", "missing_astra"]

PROGRAM = "AstraSim_Analytical_Congestion_Aware"
PACKAGES = f"build ASTRA-sim 2 from source and put '{PROGRAM}' on the PATH"
_CLOSE = 1e-3
"""Relative difference that is allowed: it counts whole nanoseconds, link by link."""


def missing_astra() -> list[str]:
    """What is not installed."""
    return which_all((PROGRAM,))


def check_astra(folder: Path, *, seconds: float = 300) -> Verdict:
    """Run the schedules of ``astra/times.json``; they take there what they take here, to 0.1 %."""
    read = load_json(folder / "astra" / "times.json")
    said = read.get("nanoseconds") if isinstance(read, dict) else None
    if not isinstance(said, dict) or not all(isinstance(x, int | float) for x in said.values()):
        raise FileFormatError(f"{folder / 'astra' / 'times.json'} does not say how long they take")
    found: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="hopscape-astra-") as name:
        work = Path(name)
        for part in ("astra", "chakra"):
            shutil.copytree(folder / part, work / part)
        for one in said:
            found[one] = _nanoseconds(one, work, seconds)
    details = {"nanoseconds": found, "ours": said}
    worst = max(said, key=lambda one: abs(found[one] / said[one] - 1) if said[one] else 0.0)
    off = found[worst] / said[worst] - 1
    text = (
        f"{len(said)} schedules as custom collectives; {worst} takes {found[worst]:,} ns, by ours"
        f" {said[worst]:,.0f} ({100 * off:+.3f} %), the others are no further off"
    )
    if abs(off) > _CLOSE:
        return Verdict(False, text, {"schedule": worst, "theirs": found[worst]}, details)
    return Verdict(True, text, details=details)


def _nanoseconds(name: str, work: Path, seconds: float) -> int:
    """When the last rank ends."""
    words = {
        "workload": "workload/step",
        "comm-group": "workload/groups.json",
        "system": f"{name}.json",
        "remote-memory": "memory.json",
        "network": "network.yml",
    }
    asked = [f"--{key}-configuration=astra/{path}" for key, path in words.items()]
    output = run_program([PROGRAM, *asked], work, seconds=seconds, codes=None)
    ends = dict(re.findall(r"sys\[(\d+)\] finished, (\d+) cycles", output))
    ranks = len(list((work / "astra" / "workload").glob("step.*.et")))
    if len(ends) < ranks:
        raise ProgramError(
            f"{len(ends)} of {ranks} ranks finished {name} in ASTRA-sim; its last words:"
            f" {last_words(output)}"
        )
    return max(map(int, ends.values()))
