"""MSCCL algorithms judged by msccl-tools, where it is installed.

msccl-tools reads no XML; it checks programs of its language, MSCCLang. So an algorithm is told to
it as such a program, move by move in the order in which the interpreter carried them out.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hopscape.core.verdict import Verdict
from hopscape.handover.programs import last_words, run_program

__all__ = ["Algorithm", "Move", "has_msccl_tools", "judge_moves"]

_RUNNER = Path(__file__).parent / "runners" / "judge_msccl.py"
_COMPILED = 2000  # moves up to which its compiler is run as well


@dataclass(frozen=True)
class Move:
    """A chunk that goes from one place to another, on one rank or between two.

    Attributes:
        source, target: Ranks.
        of, into (tuple of str and int): Buffer (``i``, ``o``, ``s``) and place.
        adds: Is it added to what lies there?
    """

    source: int
    target: int
    of: tuple[str, int]
    into: tuple[str, int]
    adds: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain values: from, to, of, into, adds."""
        out = asdict(self)
        return {"from": out.pop("source"), "to": out.pop("target"), **out}


@dataclass(frozen=True)
class Algorithm:
    """What an algorithm does, move by move.

    Attributes:
        collective: As in the XML.
        factor: Chunks of a rank's share.
    """

    collective: str
    ranks: int
    factor: int
    moves: Sequence[Move]


def has_msccl_tools() -> bool:
    """Is the package ``msccl`` installed?"""
    return importlib.util.find_spec("msccl") is not None


def judge_moves(algorithm: Algorithm, *, seconds: float = 300) -> Verdict:
    """Have msccl-tools check the moves of an algorithm, and compile them where they are few.

    Raises:
        ProgramError: When it fails on them; with its last words.
    """
    few = len(algorithm.moves) <= _COMPILED
    question = {
        "collective": algorithm.collective,
        "ranks": algorithm.ranks,
        "factor": algorithm.factor,
        "moves": [move.to_dict() for move in algorithm.moves],
        "compile": few,
    }
    with tempfile.TemporaryDirectory(prefix="hopscape-msccl-") as name:
        work = Path(name)
        (work / "moves.json").write_text(json.dumps(question), encoding="utf-8")
        words = [sys.executable, str(_RUNNER), "moves.json", "report.json"]
        said = run_program(words, work, seconds=seconds)
        report = json.loads((work / "report.json").read_text(encoding="utf-8"))
    if report["error"]:
        first = last_words("\n".join(said.splitlines()[:1]))
        return Verdict(False, f"msccl-tools: {report['error']} ({first})")
    return Verdict(True, "checked and compiled" if few else "checked")
