"""Have msccl-tools judge an algorithm: ``python judge_msccl.py MOVES.json REPORT.json``.

The moves are told to MSCCLang one after the other, as copies and reductions of chunks between
buffers. Its own check then says whether every rank holds what the collective promises, and its own
compiler whether the thread blocks that it makes of them can run. Imports nothing of hopscape.
"""

import importlib
import importlib.util
import json
import sys
import types
from typing import Any


def language() -> tuple[Any, Any]:
    """MSCCLang and its collectives; the package itself would import a solver, not needed here."""
    spec = importlib.util.find_spec("msccl")
    if spec is None:
        raise SystemExit("msccl-tools is not installed")
    package = types.ModuleType("msccl")
    package.__path__ = list(spec.submodule_search_locations or ())
    sys.modules["msccl"] = package
    lang = importlib.import_module("msccl.language")
    return lang, importlib.import_module("msccl.language.collectives")


class MscclLinks:
    """Which ranks exchange anything: the topology of the program."""

    def __init__(self, ranks: int, moves: list[Any]) -> None:
        self.ranks = ranks
        self.pairs = {(move["from"], move["to"]) for move in moves}

    def num_nodes(self) -> int:
        return self.ranks

    def link(self, source: int, target: int) -> int:
        return int((source, target) in self.pairs)


def judge(question: dict[str, Any]) -> str:
    """Errors in words; none when msccl-tools agrees."""
    lang, known = language()
    made = {
        "allgather": known.AllGather,
        "allreduce": known.AllReduce,
        "reduce_scatter": known.ReduceScatter,
        "alltoall": known.AllToAll,
    }[question["collective"]]
    moves, ranks = question["moves"], question["ranks"]
    collective = made(ranks, question["factor"], False)
    buffers = {"i": lang.Buffer.input, "o": lang.Buffer.output, "s": "scratch"}
    program = lang.MSCCLProgram("hopscape", MscclLinks(ranks, moves), collective, 1)
    with program:
        for move in moves:
            kind, at = buffers[move["into"][0]], move["into"][1]
            source = lang.chunk(move["from"], buffers[move["of"][0]], move["of"][1])
            if source is None:
                return f"rank {move['from']} has nothing in {move['of']}"
            if move["adds"]:
                lang.chunk(move["to"], kind, at).reduce(source)
            else:
                source.copy(move["to"], kind, at)
        if not lang.Check():
            return "its check does not find the chunks that the collective promises"
        if question["compile"]:
            program.lower()
    return ""


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        verdict = judge(json.load(file))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump({"error": verdict}, file)
