"""Schedules on real MPI ranks with real buffers, compared with MPI's own collectives."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.errors import MissingPackageError, ScheduleError, TooLargeError
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict
from hopscape.formats.programs import SCHEDULES, run_program
from hopscape.registry import build_within

__all__ = ["MOST_RANKS", "PACKAGES", "check_mpi", "missing_mpi", "run_mpi"]

PACKAGES = "PyPI: pip install 'hopscape[mpi]' (mpich and mpi4py)"
MOST_RANKS = 256  # processes on one machine
_RUNNER = Path(__file__).parent / "runners" / "execute_schedule.py"


def _mpiexec() -> str | None:
    """The launcher beside this Python, which belongs to its mpi4py; else the one on the path."""
    beside = Path(sys.executable).with_name("mpiexec")
    return str(beside) if beside.is_file() else shutil.which("mpiexec")


def missing_mpi() -> list[str]:
    """What is not installed of what running a schedule takes."""
    absent = [] if importlib.util.find_spec("mpi4py") else ["mpi4py"]
    return absent + ([] if _mpiexec() else ["mpiexec"])


def run_mpi(path: str | Path, *, seconds: float = 300) -> Verdict:
    """Execute a schedule file, one MPI rank per endpoint, and compare with MPI's own collective.

    Shares are random 64-bit words, so that a share which is added twice or not at all shows. The
    ranks read the file alone; nothing of hopscape runs in them.

    Args:
        path: JSON of any version, or npz.
        seconds: The run is ended after so long.

    Returns:
        Verdict: `details`: ranks, transfers, compared (chunks that were compared) and library.

    Raises:
        MissingPackageError: Without mpi4py or mpiexec.
        ScheduleError: When a switch takes part, which no rank can stand for, or goals with groups.
    """
    place = Path(path)
    schedule = Schedule.load(place, build_within(place))
    file = _executable(schedule, place)
    absent = missing_mpi()
    if absent:
        raise MissingPackageError(f"running a schedule needs {' and '.join(absent)}: {PACKAGES}")
    ranks = len(file["endpoints"])
    if ranks > MOST_RANKS:
        raise TooLargeError(
            f"{place} has {ranks} endpoints; up to {MOST_RANKS} ranks are started on one machine"
        )
    with tempfile.TemporaryDirectory(prefix="hopscape-mpi-") as name:
        work = Path(name)
        (work / "schedule.json").write_text(json.dumps(file), encoding="utf-8")
        words = [str(_mpiexec()), "-n", str(ranks), sys.executable, str(_RUNNER)]
        run_program([*words, "schedule.json", "report.json"], work, seconds=seconds)
        report = json.loads((work / "report.json").read_text(encoding="utf-8"))
    return _verdict(schedule, file, report)


def _executable(schedule: Schedule, path: Path) -> dict[str, Any]:
    """The file as the ranks read it, or why ranks cannot execute it."""
    network = schedule.network
    groups = schedule.goal.groups
    if len(groups) > 1:
        raise ScheduleError(
            f"{path} is for several groups of endpoints; run-mpi serves one, or all of them at once"
        )
    taking = list(groups[0]) if groups else network.endpoints.tolist()
    ends = np.zeros(network.order, dtype=bool)
    ends[taking] = True
    for t, (a, b) in enumerate(
        zip(schedule.source.tolist(), schedule.target.tolist(), strict=True)
    ):
        if not (ends[a] and ends[b]):
            switch = b if ends[a] else a
            what = "which is not in its group" if groups else "a switch"
            raise ScheduleError(
                f"{path}: transfer {t} (node {a} → node {b}) ends at node {switch}, {what};"
                " only endpoints are MPI ranks"
            )
    file = schedule.to_dict()
    file["goal"].pop("groups", None)
    return file | {"endpoints": taking}


def _verdict(schedule: Schedule, file: dict[str, Any], report: dict[str, Any]) -> Verdict:
    details = {"ranks": report["ranks"], "transfers": schedule.transfers}
    details |= {"rounds": schedule.rounds, "compared": report["compared"]}
    details["library"] = report["library"]
    if report["wrong"] is not None:
        rank, chunk = report["wrong"]
        node = file["endpoints"][rank]
        text = (
            f"rank {rank} (node {node}) ends with another chunk {chunk} than MPI's own collective"
        )
        return Verdict(False, text, {"rank": rank, "node": node, "chunk": chunk}, details)
    text = (
        f"{schedule.goal.describe()}: {report['compared']} chunks on {report['ranks']} ranks as by"
        f" MPI's own collective, {schedule.transfers} transfers in {schedule.rounds} rounds"
    )
    return Verdict(True, text, details=details)


def check_mpi(folder: Path, *, seconds: float = 300) -> Verdict:
    """Run every schedule of a hand-over on MPI ranks."""
    details: dict[str, Any] = {}
    aside = []
    for path in (folder / f"{name}{end}" for name in SCHEDULES for end in (".json", ".npz")):
        if not path.is_file():
            continue
        try:
            verdict = run_mpi(path, seconds=seconds)
        except (ScheduleError, TooLargeError) as error:
            aside.append(str(error).removeprefix(str(path)).strip(": "))
            continue
        if not verdict:
            return Verdict(False, f"{path.name}: {verdict.reason}", verdict.where, details)
        details[path.stem] = dict(verdict.details)
    if not details:
        raise ScheduleError(
            f"{folder} has no schedule that MPI can run" + (f": {aside[0]}" if aside else "")
        )
    text = f"{len(details)} schedules identical to MPI's own collectives: {', '.join(details)}"
    return Verdict(True, text + (f"; {len(aside)} left aside" if aside else ""), details=details)
