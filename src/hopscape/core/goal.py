"""Goal: what a collective promises, as who has which chunk before and who after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.reading import TextFile

__all__ = ["Goal", "GoalKind", "Promise", "read_permutation"]

GoalKind = Literal[
    "broadcast",
    "scatter",
    "gather",
    "reduce",
    "all-gather",
    "all-reduce",
    "all-to-all",
    "permutation",
    "one-to-many",
]
_ROOTED = ("broadcast", "scatter", "gather", "reduce", "one-to-many")
_SLICED = ("broadcast", "one-to-many", "reduce", "all-reduce")
_AIMED = ("one-to-many", "permutation")
EVERYBODY = -1


@dataclass(frozen=True)
class Promise:
    """A goal on one network, in arrays.

    Attributes
    ----------
    origins : int64[chunks]
        Who has each chunk before (for a combining goal: unused, everybody has a share).
    destinations : int64[chunks]
        Who must have it after; -1 means all of `wanted`.
    wanted : int64[...]
        The nodes meant by -1, ascending.
    combines : bool
        Are the shares of all endpoints added up?
    """

    origins: IntArray
    destinations: IntArray
    wanted: IntArray
    combines: bool


@dataclass(frozen=True)
class Goal:
    """What a schedule is for. Use the constructors below.

    Data come in chunks, numbered from 0. With n endpoints e_0 < e_1 < ...:

    ============ ================================== =====================================
    kind         before                             after
    ============ ================================== =====================================
    broadcast    the root has chunks 0..chunks-1    every endpoint has all of them
    one-to-many  the same                           every target has all of them
    scatter      the root has chunks 0..n-1         e_j has chunk j
    gather       e_j has chunk j                    the root has all
    all-gather   e_j has chunk j                    every endpoint has all
    all-to-all   e_i has chunks i·n .. i·n+n-1      e_j has chunks i·n+j for every i
    permutation  e_j has chunk j                    the node it is mapped to has it
    reduce       everybody has a share of each      the root has each share exactly once
    all-reduce   the same                           every endpoint has each share exactly once
    ============ ================================== =====================================

    Examples
    --------
    >>> Goal.broadcast(3).describe()
    'broadcast from node 3'
    """

    kind: GoalKind
    root: int | None = None
    chunks: int = 1
    targets: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in get_args(GoalKind):
            raise ArgumentError(
                f"goal {self.kind!r} is unknown; choose one of {', '.join(get_args(GoalKind))}"
            )
        self._make_integers()
        if (self.kind in _ROOTED) != (self.root is not None):
            need = "needs" if self.kind in _ROOTED else "has no"
            raise ArgumentError(f"{self.kind} {need} root, not {self.root!r}")
        if self.chunks < 1 or (self.chunks > 1 and self.kind not in _SLICED):
            raise ArgumentError(f"{self.kind} with {self.chunks} chunks is not a goal")
        if self.targets and self.kind not in _AIMED:
            raise ArgumentError(f"{self.kind} has no targets, not {len(self.targets)}")

    def _make_integers(self) -> None:
        """Turn numpy's integers into Python's, and refuse what is no integer."""
        try:
            if self.root is not None:
                object.__setattr__(self, "root", index(self.root))
            object.__setattr__(self, "chunks", index(self.chunks))
            object.__setattr__(self, "targets", tuple(index(t) for t in self.targets))
        except TypeError as error:
            raise ArgumentError("root, chunks and targets of a goal must be integers") from error

    @classmethod
    def broadcast(cls, root: int, chunks: int = 1) -> Goal:
        """One node's data to everybody."""
        return cls("broadcast", root, chunks)

    @classmethod
    def one_to_many(cls, root: int, targets: Sequence[int], chunks: int = 1) -> Goal:
        """One node's data to some."""
        return cls("one-to-many", root, chunks, tuple(sorted({index(t) for t in targets})))

    @classmethod
    def scatter(cls, root: int) -> Goal:
        """From one node to each its own."""
        return cls("scatter", root)

    @classmethod
    def gather(cls, root: int) -> Goal:
        """From each its own to one node."""
        return cls("gather", root)

    @classmethod
    def reduce(cls, root: int, chunks: int = 1) -> Goal:
        """Everybody's share, added up at one node."""
        return cls("reduce", root, chunks)

    @classmethod
    def all_gather(cls) -> Goal:
        """Everybody's data to everybody."""
        return cls("all-gather")

    @classmethod
    def all_reduce(cls, chunks: int = 1) -> Goal:
        """Everybody's share, added up everywhere."""
        return cls("all-reduce", None, chunks)

    @classmethod
    def all_to_all(cls) -> Goal:
        """From each to each its own (personalised)."""
        return cls("all-to-all")

    @classmethod
    def permutation(cls, targets: Sequence[int]) -> Goal:
        """The datum of the j-th endpoint to node ``targets[j]``, each node once."""
        return cls("permutation", None, 1, tuple(targets))

    def describe(self) -> str:
        """The goal in words."""
        words: str = self.kind
        if self.root is not None:
            words += f" {'to' if self.kind in ('gather', 'reduce') else 'from'} node {self.root}"
        if self.chunks > 1:
            words += f" in {self.chunks} chunks"
        if self.kind == "one-to-many":
            words += f" to {len(self.targets)} nodes"
        return words

    def chunk_count(self, network: Network) -> int:
        """Number of chunks on this network."""
        count = network.endpoint_count
        if self.kind in _SLICED:
            return self.chunks
        return count * count if self.kind == "all-to-all" else count

    def on(self, network: Network) -> Promise:
        """The goal in arrays, checked against the network."""
        if self.root is not None:
            network.node(self.root)
        require_memory(16 * self.chunk_count(network), f"{self.kind} on {network.spec}")
        ends = network.endpoints.astype(np.int64)
        count = self.chunk_count(network)
        combines = self.kind in ("reduce", "all-reduce")
        if self.kind == "all-to-all":
            return Promise(np.repeat(ends, len(ends)), np.tile(ends, len(ends)), ends, combines)
        everybody = np.full(count, EVERYBODY, dtype=np.int64)
        at_root = np.full(count, self.root if self.root is not None else 0, dtype=np.int64)
        if self.kind in ("broadcast", "all-reduce"):
            return Promise(at_root, everybody, ends, combines)
        if self.kind == "one-to-many":
            wanted, _ = network.resolve(list(self.targets))
            return Promise(at_root, everybody, wanted.astype(np.int64), combines)
        if self.kind == "reduce":
            return Promise(at_root, at_root, ends, combines)
        if self.kind == "scatter":
            return Promise(at_root, ends, ends, combines)
        if self.kind == "gather":
            return Promise(ends, at_root, ends, combines)
        if self.kind == "all-gather":
            return Promise(ends, everybody, ends, combines)
        targets = np.asarray(self.targets, dtype=np.int64)
        if not np.array_equal(np.sort(targets), ends):
            raise ArgumentError(_not_a_permutation(targets, ends))
        return Promise(ends, targets, ends, combines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a file."""
        out: dict[str, Any] = {"kind": self.kind}
        if self.root is not None:
            out["root"] = self.root
        if self.chunks != 1:
            out["chunks"] = self.chunks
        if self.kind in _AIMED:
            out["targets"] = list(self.targets)
        return out

    @classmethod
    def from_dict(cls, values: object) -> Goal:
        """Read :meth:`to_dict` back."""
        if not isinstance(values, dict) or "kind" not in values:
            raise ArgumentError(f"the goal must name its 'kind', not {values!r}")
        extra = set(values) - {"kind", "root", "chunks", "targets"}
        if extra:
            raise ArgumentError(f"the goal has an unknown key {min(map(str, extra))!r}")
        targets = values.get("targets", [])
        numbers = [values.get("root", 0), values.get("chunks", 1)]
        numbers += targets if isinstance(targets, list | tuple) else [targets]
        if not all(isinstance(x, int) and not isinstance(x, bool) for x in numbers):
            raise ArgumentError("root, chunks and targets of a goal must be integers")
        if not isinstance(targets, list | tuple):
            raise ArgumentError(f"targets of a goal must be a list, not {targets!r}")
        return cls(
            values["kind"],
            values.get("root"),
            values.get("chunks", 1),
            tuple(targets),
        )


def read_permutation(network: Network, text: str) -> tuple[int, ...]:
    """Targets of the endpoints: ``random:SEED``, or the name of a file of node numbers.

    Examples
    --------
    >>> import hopscape
    >>> sorted(read_permutation(hopscape.build("ring(4)"), "random:1"))
    [0, 1, 2, 3]
    """
    seed = re.fullmatch(r"random:([0-9]{1,18})", text)
    if seed:
        generator = np.random.default_rng(int(seed[1]))
        return tuple(generator.permutation(network.endpoints).tolist())
    if not Path(text).is_file():
        raise ArgumentError(f"permutation {text!r} is neither random:SEED nor a readable file")
    words = [word for line in TextFile(text).lines("#") for word in line.words()]
    return tuple(word.integer("a node", 0, network.order - 1) for word in words)


def _not_a_permutation(targets: IntArray, ends: IntArray) -> str:
    if len(targets) != len(ends):
        return f"a permutation of {len(ends)} endpoints has {len(ends)} entries, not {len(targets)}"
    strange = np.setdiff1d(targets, ends)
    if len(strange):
        return f"the permutation maps to node {int(strange[0])}, which is not an endpoint"
    values, counts = np.unique(targets, return_counts=True)
    twice = int(values[counts > 1][0])
    return f"the permutation maps two nodes to node {twice}"
