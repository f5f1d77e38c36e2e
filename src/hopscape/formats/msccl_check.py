"""MSCCL files executed on the CPU: buffers moved as the steps say, deadlocks detected.

The interpreter reads nothing but the files. A send waits for its receive (stricter than the queues
of the real executor), thread blocks are taken in random order, and a step waits for what it
depends on.

Where msccl-tools is installed, it judges the algorithm as well. It reads no XML; it checks programs
of its language, MSCCLang. So an algorithm is told to it as such a program, move by move in the
order in which the interpreter executed them.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hopscape.core.errors import FileFormatError
from hopscape.core.verdict import Verdict
from hopscape.formats.mscclpp_check import run_mscclpp
from hopscape.formats.programs import last_words, run_program, which_all

__all__ = [
    "Algorithm",
    "BufferMove",
    "check_msccl",
    "has_msccl_tools",
    "judge_moves",
    "moves_of",
    "run_msccl",
]

_PARSER = "mscclpp-plan"
_COLLECTIVES = {"reducescatter": "reduce_scatter"}
Buffers = list[dict[str, list[int | None]]]


def check_msccl(folder: Path, *, seconds: float = 300) -> Verdict:
    """Carry out every file under ``msccl`` of a hand-over, and ask the programs that are there.

    Args:
        seconds: For msccl-tools, where it is installed; file by file.
    """
    details: dict[str, Any] = {}
    tools = has_msccl_tools()
    for path in sorted((folder / "msccl").iterdir()):
        run = {".xml": run_msccl, ".json": run_mscclpp}.get(path.suffix)
        if run is None:
            continue
        outcome = run(path)
        if not outcome:
            return Verdict(False, f"{path.name}: {outcome.reason}", outcome.where)
        details[path.name] = dict(outcome.details)
        if tools and path.suffix == ".xml":
            judged = judge_moves(moves_of(path), seconds=seconds)
            if not judged:
                return Verdict(False, f"{path.name}: {judged.reason}")
            details[path.name]["msccl_tools"] = judged.reason
    text = f"{len(details)} files carried out, every rank ends with the right chunks, no deadlock"
    text += "; msccl-tools agrees on the XML" if tools else " (msccl-tools is not installed)"
    plans = sorted(str(x.resolve()) for x in (folder / "msccl").glob("*.json"))
    if plans and which_all((_PARSER,)):
        text += f" ({_PARSER}, the parser of MSCCL++, is not built)"
    elif plans:
        words = run_program([_PARSER, *plans], folder, seconds=seconds, codes=(0, 1))
        if f"{len(plans)} of {len(plans)} plans read" not in words:
            return Verdict(False, f"MSCCL++'s own parser: {last_words(words)}")
        text += "; MSCCL++'s own parser reads the plans"
    return Verdict(True, text, details=details)


def moves_of(path: str | Path) -> Algorithm:
    """What an algorithm does, in an order in which it can be carried out.

    Raises:
        FileFormatError: When it cannot: it deadlocks.
    """
    machine = _Machine(Path(path), 0)
    stuck = machine.run()
    if stuck is not None:
        raise FileFormatError(f"{path}: {stuck.reason}")
    kind = _COLLECTIVES.get(machine.collective, machine.collective)
    given, ranks = len(machine.given[0]["i"]), len(machine.given)
    factor = given if kind in ("allgather", "allreduce") else given // ranks
    return Algorithm(kind, ranks, factor, machine.moves)


def _fill(sizes: list[tuple[int, int, int]], seed: int) -> Buffers:
    draw = random.Random(seed)
    return [
        {"i": [draw.getrandbits(62) for _ in range(i)], "o": [None] * o, "s": [None] * s}
        for i, o, s in sizes
    ]


def _judge(collective: str, buffers: Buffers, given: Buffers, details: dict[str, Any]) -> Verdict:
    """Are the outputs what the collective promises?"""
    inputs: list[list[int]] = [[x for x in one["i"] if x is not None] for one in given]
    ranks = len(inputs)
    kind = _COLLECTIVES.get(collective, collective)
    for r, one in enumerate(buffers):
        size = len(one["o"])
        if kind == "allgather":
            right = [x for other in inputs for x in other]
        elif kind == "allreduce":
            right = [sum(other[c] for other in inputs) for c in range(size)]
        elif kind == "reduce_scatter":
            right = [sum(other[r * size + p] for other in inputs) for p in range(size)]
        elif kind == "alltoall":
            piece = size // ranks
            right = [x for other in inputs for x in other[r * piece : (r + 1) * piece]]
        else:
            raise FileFormatError(f"collective {collective!r} is not known")
        if one["o"] != right:
            c = next(i for i, (a, b) in enumerate(zip(one["o"], right, strict=True)) if a != b)
            text = f"rank {r} ends with a wrong chunk {c} of its output"
            return Verdict(False, text, {"rank": r, "chunk": c}, details)
    return Verdict(True, f"{kind} on {ranks} ranks", details=details)


class _Machine:
    """Ranks with thread blocks of an XML file."""

    def __init__(self, path: Path, seed: int) -> None:
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as error:
            raise FileFormatError(f"{path} cannot be read: {error}") from error
        for name in ("minBytes", "maxBytes", "outofplace", "inplace", "nchunksperloop", "proto"):
            if name not in root.attrib:
                raise FileFormatError(f"{path} has no {name}, which the executor wants")
        self.collective = root.attrib["coll"]
        gpus = root.findall("gpu")
        keys = ("i_chunks", "o_chunks", "s_chunks")
        sizes = [tuple(int(gpu.attrib[key]) for key in keys) for gpu in gpus]
        self.given = _fill(sizes, seed)  # type: ignore[arg-type]
        self.buffers: Buffers = [{k: list(v) for k, v in one.items()} for one in self.given]
        self.blocks = [gpu.findall("tb") for gpu in gpus]
        self.steps = [[tb.findall("step") for tb in gpu] for gpu in self.blocks]
        self.at = [[0] * len(gpu) for gpu in self.blocks]
        self.draw = random.Random(seed)
        self.moves: list[BufferMove] = []
        self.inbox = {
            (int(tb.attrib["recv"]), r, tb.attrib["chan"]): b
            for r, gpu in enumerate(self.blocks)
            for b, tb in enumerate(gpu)
            if int(tb.attrib["recv"]) >= 0
        }

    def step(self, r: int, b: int) -> dict[str, str] | None:
        """The next step of a block if nothing that it depends on is left, else None."""
        if self.at[r][b] == len(self.steps[r][b]):
            return None
        one = self.steps[r][b][self.at[r][b]].attrib
        block, number = int(one["depid"]), int(one["deps"])
        if block >= 0:
            if self.steps[r][block][number].attrib["hasdep"] != "1":
                raise FileFormatError(f"rank {r}: a step waits for one without hasdep")
            if self.at[r][block] <= number:
                return None
        return one

    def get(self, r: int, one: dict[str, str], side: str) -> int:
        value = self.buffers[r][one[f"{side}buf"]][int(one[f"{side}off"])]
        if value is None:
            raise FileFormatError(f"rank {r} reads {one[f'{side}buf']}[{one[f'{side}off']}] empty")
        return value

    def put(self, r: int, one: dict[str, str], value: int) -> None:
        self.buffers[r][one["dstbuf"]][int(one["dstoff"])] = value

    def note(self, r: int, one: dict[str, str], peer: int, there: dict[str, str]) -> None:
        """Remember a move out of the source of one step into the target of another."""
        of, own, into = _place(one, "src"), _place(there, "src"), _place(there, "dst")
        adds = there["type"] in ("re", "rrc")
        if there["type"] == "rrc" and own != into:
            self.moves.append(BufferMove(peer, peer, own, into))
        self.moves.append(BufferMove(r, peer, of, into, adds))

    def run(self) -> Verdict | None:
        """Carry out all steps, blocks in random order; the deadlock where there is one."""
        todo = [(r, b) for r, gpu in enumerate(self.blocks) for b in range(len(gpu))]
        moved = True
        while moved:
            self.draw.shuffle(todo)
            moved = False
            for r, b in todo:
                while self.advance(r, b):
                    moved = True
        for r, b in sorted(todo):
            if self.at[r][b] < len(self.steps[r][b]):
                text = f"deadlock: block {b} of rank {r} never gets past step {self.at[r][b]}"
                return Verdict(False, text, {"rank": r, "block": b, "step": self.at[r][b]})
        return None

    def advance(self, r: int, b: int) -> bool:
        """Carry out the next step of a block if it can be."""
        one = self.step(r, b)
        if one is None or one["type"] in ("r", "rrc"):
            return False  # receives happen with their sends
        if one["type"] == "s":
            return self._send(r, b, one)
        if one["type"] == "cpy":
            self.put(r, one, self.get(r, one, "src"))
            self.note(r, one, r, one)
        elif one["type"] == "re":
            self.put(r, one, self.get(r, one, "dst") + self.get(r, one, "src"))
            self.note(r, one, r, one)
        elif one["type"] != "nop":
            raise FileFormatError(f"a step has the type {one['type']!r}")
        self.at[r][b] += 1
        return True

    def _send(self, r: int, b: int, one: dict[str, str]) -> bool:
        tb = self.blocks[r][b].attrib
        peer = int(tb["send"])
        into = self.inbox.get((r, peer, tb["chan"]))
        there = None if into is None else self.step(peer, into)
        if into is None or there is None or there["type"] not in ("r", "rrc"):
            return False
        value = self.get(r, one, "src")
        self.put(
            peer, there, value + (self.get(peer, there, "src") if there["type"] == "rrc" else 0)
        )
        self.note(r, one, peer, there)
        self.at[r][b] += 1
        self.at[peer][into] += 1
        return True


def _place(one: dict[str, str], side: str) -> tuple[str, int]:
    """The buffer and the offset of a step's source (src) or target (dst)."""
    return one[f"{side}buf"], int(one[f"{side}off"])


def run_msccl(path: str | Path, *, seed: int = 0) -> Verdict:
    """Carry out an MSCCL algorithm on the CPU.

    Returns:
        Verdict: Fails on a deadlock, and where a rank ends with a wrong chunk. `details`: ranks,
            steps.
    """
    machine = _Machine(Path(path), seed)
    stuck = machine.run()
    if stuck is not None:
        return stuck
    steps = sum(map(sum, machine.at))
    details = {"ranks": len(machine.blocks), "steps": steps}
    return _judge(machine.collective, machine.buffers, machine.given, details)


_RUNNER = Path(__file__).parent / "runners" / "judge_msccl.py"
_COMPILED = 2000  # moves up to which its compiler is run as well


@dataclass(frozen=True)
class BufferMove:
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
    moves: Sequence[BufferMove]


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
        output = run_program(words, work, seconds=seconds)
        report = json.loads((work / "report.json").read_text(encoding="utf-8"))
    if report["error"]:
        first = last_words("\n".join(output.splitlines()[:1]))
        return Verdict(False, f"msccl-tools: {report['error']} ({first})")
    return Verdict(True, "checked and compiled" if few else "checked")
