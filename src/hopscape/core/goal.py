"""Goal: what a collective promises, as who has which chunk before and who after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import index
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory

__all__ = ["ROOTED", "Goal", "GoalKind", "Promise", "read_permutation"]

GoalKind = Literal[
    "broadcast",
    "scatter",
    "gather",
    "reduce",
    "all-gather",
    "reduce-scatter",
    "all-reduce",
    "all-to-all",
    "permutation",
    "one-to-many",
]
ROOTED = ("broadcast", "scatter", "gather", "reduce", "one-to-many")
_SLICED = ("broadcast", "one-to-many", "reduce", "all-reduce")
_IN_PIECES = ("all-gather", "reduce-scatter", "all-to-all")
_AIMED = ("one-to-many", "permutation")
_FROM_MANY = ("broadcast", "one-to-many")
_COMBINING = ("reduce", "reduce-scatter", "all-reduce")
ALL_MEMBERS = -1  # as a destination: all members of the group
Groups = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Promise:
    """A goal on one network, in arrays.

    Attributes:
        origins (int64[chunks]): Who has each chunk before (for a combining goal: unused, everybody
            has a share).
        destinations (int64[chunks]): Who must have it after; -1 means all of `wanted`.
        wanted (int64[...]): The nodes meant by -1, ascending.
        combines: Are the shares of all endpoints added up?
        also: Nodes that have every chunk before, besides its origin.
    """

    origins: IntArray
    destinations: IntArray
    wanted: IntArray
    combines: bool
    also: tuple[int, ...] = ()


@dataclass(frozen=True)
class Goal:
    """What a schedule is for. Use the constructors below.

    Data come in chunks, numbered from 0. With n endpoints e_0 < e_1 < ...:

    ============== ================================== =====================================
    kind           before                             after
    ============== ================================== =====================================
    broadcast      the root has chunks 0..chunks-1    every endpoint has all of them
    one-to-many    the same                           every target has all of them
    scatter        the root has chunks 0..n-1         e_j has chunk j
    gather         e_j has chunk j                    the root has all
    all-gather     e_j has chunk j                    every endpoint has all
    all-to-all     e_i has chunks i·n .. i·n+n-1      e_j has chunks i·n+j for every i
    permutation    e_j has chunk j                    the node it is mapped to has it
    reduce         everybody has a share of each      the root has each share exactly once
    reduce-scatter everybody has a share of each      e_j has each share of chunk j exactly once
    all-reduce     everybody has a share of each      every endpoint has each share exactly once
    ============== ================================== =====================================

    In all-gather, reduce-scatter and all-to-all `chunks` says in how many pieces every datum comes:
    piece p of datum j is chunk j·chunks + p.

    Broadcast and one-to-many may have further `sources`: nodes that have what the root has.

    With `groups` the endpoints of a group take the place of all endpoints; the other nodes forward
    only. Several groups run at once: the chunks of one group follow those of the group before.

    Examples:
        >>> Goal.broadcast(3).describe()
        'broadcast from node 3'
        >>> Goal.all_gather(chunks=2, groups=[[0, 1, 4], [4, 5]]).describe()
        'all-gather in 2 pieces among 2 groups of 2 to 3 endpoints'
    """

    kind: GoalKind
    root: int | None = None
    chunks: int = 1
    targets: tuple[int, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    sources: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in get_args(GoalKind):
            raise ArgumentError(
                f"goal {self.kind!r} is unknown; choose one of {', '.join(get_args(GoalKind))}"
            )
        self._make_integers()
        if (self.kind in ROOTED) != (self.root is not None):
            need = "needs" if self.kind in ROOTED else "has no"
            raise ArgumentError(f"{self.kind} {need} root, not {self.root!r}")
        if self.chunks < 1 or (self.chunks > 1 and self.kind not in (*_SLICED, *_IN_PIECES)):
            raise ArgumentError(f"{self.kind} with {self.chunks} chunks is not a goal")
        if self.targets and self.kind not in _AIMED:
            raise ArgumentError(f"{self.kind} has no targets, not {len(self.targets)}")
        if self.sources and self.kind not in _FROM_MANY:
            raise ArgumentError(f"{self.kind} has one root; it takes no further sources")
        self._check_groups()

    def _check_groups(self) -> None:
        """Refuse groups that cannot be: empty ones, members twice, a root outside."""
        if self.groups and self.kind == "one-to-many":
            raise ArgumentError("one-to-many has targets; it takes no groups besides")
        if len(self.groups) > 1 and (self.root is not None or self.targets):
            raise ArgumentError(f"{self.kind} is for one group, not for {len(self.groups)} at once")
        for group in self.groups:
            if not group:
                raise ArgumentError("a group needs at least one endpoint")
            if len(set(group)) < len(group):
                twice = next(v for v in group if group.count(v) > 1)
                raise ArgumentError(f"node {twice} is twice in the same group")
            for node in () if self.root is None else (self.root, *self.sources):
                if node not in group:
                    raise ArgumentError(f"the root, node {node}, is not in the group")

    def _make_integers(self) -> None:
        """Turn numpy's integers into Python's, and refuse what is not an integer."""
        try:
            if self.root is not None:
                object.__setattr__(self, "root", index(self.root))
            object.__setattr__(self, "chunks", index(self.chunks))
            object.__setattr__(self, "targets", tuple(index(t) for t in self.targets))
            groups = tuple(tuple(sorted(index(v) for v in group)) for group in self.groups)
            object.__setattr__(self, "groups", groups)
            sources = sorted({index(v) for v in self.sources} - {self.root})
            object.__setattr__(self, "sources", tuple(sources))
        except TypeError as error:
            raise ArgumentError(
                "root, chunks, targets, groups and sources of a goal must be integers"
            ) from error

    @classmethod
    def broadcast(cls, root: int, chunks: int = 1, sources: Sequence[int] = ()) -> Goal:
        """One node's data to everybody; `sources` have them as well."""
        return cls("broadcast", root, chunks, sources=tuple(sources))

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
    def all_gather(cls, chunks: int = 1, groups: Groups = ()) -> Goal:
        """Everybody's data to everybody."""
        return cls("all-gather", None, chunks, (), groups)  # type: ignore[arg-type]

    @classmethod
    def reduce_scatter(cls, chunks: int = 1, groups: Groups = ()) -> Goal:
        """Everybody's share, added up for each its own part."""
        return cls("reduce-scatter", None, chunks, (), groups)  # type: ignore[arg-type]

    @classmethod
    def all_reduce(cls, chunks: int = 1, groups: Groups = ()) -> Goal:
        """Everybody's share, added up everywhere."""
        return cls("all-reduce", None, chunks, (), groups)  # type: ignore[arg-type]

    @classmethod
    def all_to_all(cls, chunks: int = 1, groups: Groups = ()) -> Goal:
        """From each to each its own (personalised)."""
        return cls("all-to-all", None, chunks, (), groups)  # type: ignore[arg-type]

    @classmethod
    def permutation(cls, targets: Sequence[int]) -> Goal:
        """The datum of the j-th endpoint to node ``targets[j]``, each node once."""
        return cls("permutation", None, 1, tuple(targets))

    def describe(self) -> str:
        """The goal in words."""
        words: str = self.kind
        if self.root is not None:
            words += f" {'to' if self.kind in ('gather', 'reduce') else 'from'} node {self.root}"
        if self.sources:
            words += f" and {len(self.sources)} more"
        if self.chunks > 1:
            words += f" in {self.chunks} {'pieces' if self.kind in _IN_PIECES else 'chunks'}"
        if self.kind == "one-to-many":
            words += f" to {len(self.targets)} nodes"
        if self.groups:
            sizes = sorted({len(group) for group in self.groups})
            many = f"{len(self.groups)} groups of " if len(self.groups) > 1 else ""
            span = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
            words += f" among {many}{span} endpoint{'s' * (sizes[-1] > 1)}"
        return words

    def parts(self) -> list[Goal]:
        """The goal of each group by itself; the goal, where there is one group at most."""
        if len(self.groups) < 2:
            return [self]
        return [replace(self, groups=(group,)) for group in self.groups]

    def everywhere(self) -> Goal:
        """The same goal without groups."""
        return replace(self, groups=())

    def members(self, network: Network) -> IntArray:
        """Who takes part, ascending: all endpoints, or those of the groups."""
        ends = network.endpoints.astype(np.int64)
        if not self.groups:
            return ends
        inside = np.unique(np.concatenate([np.asarray(g, np.int64) for g in self.groups]))
        strange = np.setdiff1d(inside, ends)
        if len(strange):
            raise ArgumentError(
                f"node {int(strange[0])} of a group is not an endpoint of {network.spec}"
            )
        return inside

    def chunk_count(self, network: Network) -> int:
        """Number of chunks on this network."""
        if len(self.groups) > 1:
            return sum(part.chunk_count(network) for part in self.parts())
        count = len(self.groups[0]) if self.groups else network.endpoint_count
        if self.kind in _SLICED:
            return self.chunks
        return self.chunks * (count * count if self.kind == "all-to-all" else count)

    def on(self, network: Network) -> Promise:
        """The goal in arrays, checked against the network.

        Of several groups `wanted` holds all members; who wants what, their parts say.
        """
        for node in () if self.root is None else (self.root, *self.sources):
            network.node(node)
        require_memory(16 * self.chunk_count(network), f"{self.kind} on {network.spec}")
        ends = self.members(network)
        combines = self.kind in _COMBINING
        if len(self.groups) > 1:
            parts = [part.on(network) for part in self.parts()]
            origins = np.concatenate([part.origins for part in parts])
            destinations = np.concatenate([part.destinations for part in parts])
            return Promise(origins, destinations, ends, combines)
        return self._of_one(network, ends)

    def _of_one(self, network: Network, ends: IntArray) -> Promise:
        """The promise to one group."""
        count = self.chunk_count(network)
        combines = self.kind in _COMBINING
        if self.kind in _IN_PIECES:
            return self._in_pieces(ends)
        everywhere = np.full(count, ALL_MEMBERS, dtype=np.int64)
        at_root = np.full(count, self.root if self.root is not None else 0, dtype=np.int64)
        if self.kind in ("broadcast", "all-reduce"):
            return Promise(at_root, everywhere, ends, combines, self.sources)
        if self.kind == "one-to-many":
            wanted, _ = network.resolve(list(self.targets))
            return Promise(at_root, everywhere, wanted.astype(np.int64), combines, self.sources)
        if self.kind == "reduce":
            return Promise(at_root, at_root, ends, combines)
        if self.kind == "scatter":
            return Promise(at_root, ends, ends, combines)
        if self.kind == "gather":
            return Promise(ends, at_root, ends, combines)
        targets = np.asarray(self.targets, dtype=np.int64)
        if not np.array_equal(np.sort(targets), ends):
            raise ArgumentError(_not_a_permutation(targets, ends))
        return Promise(ends, targets, ends, combines)

    def _in_pieces(self, ends: IntArray) -> Promise:
        """The promise where every datum comes in pieces."""
        owners = np.repeat(ends, self.chunks)
        if self.kind == "all-gather":
            return Promise(owners, np.full(len(owners), ALL_MEMBERS), ends, False)
        if self.kind == "reduce-scatter":
            return Promise(owners, owners, ends, True)
        return Promise(np.repeat(owners, len(ends)), np.tile(owners, len(ends)), ends, False)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a file."""
        out: dict[str, Any] = {"kind": self.kind}
        if self.root is not None:
            out["root"] = self.root
        if self.chunks != 1:
            out["chunks"] = self.chunks
        if self.kind in _AIMED:
            out["targets"] = list(self.targets)
        if self.groups:
            out["groups"] = [list(group) for group in self.groups]
        if self.sources:
            out["sources"] = list(self.sources)
        return out

    @classmethod
    def from_dict(cls, values: object) -> Goal:
        """Read :meth:`to_dict` back."""
        if not isinstance(values, dict) or "kind" not in values:
            raise ArgumentError(f"the goal must name its 'kind', not {values!r}")
        extra = set(values) - {"kind", "root", "chunks", "targets", "groups", "sources"}
        if extra:
            raise ArgumentError(f"the goal has an unknown key {min(map(str, extra))!r}")
        targets = values.get("targets", [])
        numbers = [values.get("root", 0), values.get("chunks", 1)]
        numbers += targets if isinstance(targets, list | tuple) else [targets]
        groups = values.get("groups", [])
        if not isinstance(groups, list | tuple) or not all(
            isinstance(group, list | tuple) for group in groups
        ):
            raise ArgumentError(f"groups of a goal must be lists of nodes, not {groups!r}")
        sources = values.get("sources", [])
        if not isinstance(sources, list | tuple):
            raise ArgumentError(f"sources of a goal must be a list, not {sources!r}")
        numbers += [*(v for group in groups for v in group), *sources]
        if not all(isinstance(x, int) and not isinstance(x, bool) for x in numbers):
            raise ArgumentError("root, chunks, targets and groups of a goal must be integers")
        if not isinstance(targets, list | tuple):
            raise ArgumentError(f"targets of a goal must be a list, not {targets!r}")
        return cls(
            values["kind"],
            values.get("root"),
            values.get("chunks", 1),
            tuple(targets),
            tuple(tuple(group) for group in groups),
            tuple(sources),
        )


def read_permutation(network: Network, text: str) -> tuple[int, ...]:
    """Targets of the endpoints: ``random:SEED``, or the name of a file of node numbers.

    Examples:
        >>> import hopscape
        >>> sorted(read_permutation(hopscape.build("ring(4)"), "random:1"))
        [0, 1, 2, 3]
    """
    from hopscape.core.reading import TextFile

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
