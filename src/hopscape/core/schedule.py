"""Schedule: who sends what to whom in which round, by which channels.

Transfers are columns of arrays, sorted by round. A transfer moves one chunk over a path of
channels; in store-and-forward the path is a single channel.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import ADD, COPY, OPERATIONS, IntArray
from hopscape.core.errors import (
    ArgumentError,
    CheckFailedError,
    FileFormatError,
    HopscapeError,
    ScheduleError,
)
from hopscape.core.files import write_atomically
from hopscape.core.goal import Goal
from hopscape.core.methods import method
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.tables import Records, frame
from hopscape.core.verdict import Verdict

__all__ = ["Schedule"]

_FORMAT = "hopscape-schedule"
_HEAD = 100_000  # characters of a file in which its network is named: among the first keys
_VERSION = 2  # of the files: 2 has nodes, endpoints and operations; 1 is still read
_WITH_TERMS = 3  # version of files whose transfers say which sums they carry
_COLUMNS = ("round", "source", "target", "chunk")
_SHOWN = 100
"""Transfers that a notebook shows."""


class Schedule:
    """Rounds of transfers on a network, for a model and a goal.

    Build one with :meth:`from_columns`; check it with :func:`hopscape.verify`.

    Attributes:
        network, model, goal: What it is meant for.
        name: The algorithm that made it.
        round_start (int64[rounds + 1]): Transfers of round r (from 0) are
            ``round_start[r]:round_start[r + 1]``.
        source, target: int32[transfers]
        chunk: int64[transfers]
        path_start (int64[transfers + 1]): Channels of transfer t are
            ``channels[path_start[t]:path_start[t + 1]]``.
        channels: int32[...]
    """

    def __init__(
        self,
        network: Network,
        model: Model,
        goal: Goal,
        *,
        round_start: IntArray,
        source: IntArray,
        target: IntArray,
        chunk: IntArray,
        path_start: IntArray,
        channels: IntArray,
        name: str = "",
    ) -> None:
        self.network = network
        self.model = model
        self.goal = goal
        self.name = name
        self.round_start = _column(round_start, np.int64)
        self.source = _column(source, np.int32)
        self.target = _column(target, np.int32)
        self.chunk = _column(chunk, np.int64)
        self.path_start = _column(path_start, np.int64)
        self.channels = _column(channels, np.int32)
        self._check_shape()

    def _check_shape(self) -> None:
        count = len(self.source)
        if not len(self.target) == len(self.chunk) == count == len(self.path_start) - 1:
            raise ScheduleError(
                f"columns differ in length: {count} sources, {len(self.target)} targets, "
                f"{len(self.chunk)} chunks, {len(self.path_start) - 1} paths"
            )
        for name, offsets, end in (
            ("round_start", self.round_start, count),
            ("path_start", self.path_start, len(self.channels)),
        ):
            if len(offsets) == 0 or not _rises(offsets, end):
                raise ScheduleError(f"{name} must rise from 0 to {end}")

    @classmethod
    def from_columns(
        cls,
        network: Network,
        model: Model,
        goal: Goal,
        *,
        round: IntArray | Sequence[int],
        channels: IntArray | Sequence[int],
        chunk: IntArray | Sequence[int] | None = None,
        path_start: IntArray | Sequence[int] | None = None,
        rounds: int | None = None,
        name: str = "",
    ) -> Schedule:
        """A schedule from unsorted columns.

        Args:
            round: Round of each transfer, from 0.
            channels: One channel per transfer; or, with `path_start`, the channels of all paths.
            chunk: All 0 when left out.
            rounds: Number of rounds, when trailing ones are empty.
        """
        when, route = _integers(round, "round"), _integers(channels, "channels")
        count = len(when)
        starts = np.arange(count + 1) if path_start is None else _integers(path_start, "path_start")
        if len(starts) != count + 1 or starts[0] != 0 or starts[-1] != len(route):
            raise ScheduleError(
                f"paths must begin at 0 and end at {len(route)}, one for each of {count} transfers"
            )
        if count and int(np.diff(starts).min()) < 1:
            raise ScheduleError("every transfer needs a path of at least one channel")
        if count and (when.min() < 0 or route.min() < 0 or route.max() >= len(network.heads)):
            raise ScheduleError(
                f"rounds must be at least 0 and channels 0..{len(network.heads) - 1}"
            )
        what = np.zeros(count, np.int64) if chunk is None else _integers(chunk, "chunk")
        if len(what) != count:
            raise ScheduleError(f"columns differ in length: {count} rounds, {len(what)} chunks")
        if np.any(when[1:] < when[:-1]):
            order = np.argsort(when, kind="stable")
            starts, route = _sort_paths(starts, route, order)
            when, what = when[order], what[order]
        total = max(int(when.max(initial=-1)) + 1, rounds or 0)
        require_memory(8 * total, f"a schedule of {total} rounds")
        first, last = (route[starts[:-1]], route[starts[1:] - 1]) if count else (route, route)
        return cls(
            network,
            model,
            goal,
            round_start=np.searchsorted(when, np.arange(total + 1)),
            source=network.tails[first],
            target=network.heads[last],
            chunk=what,
            path_start=starts,
            channels=route,
            name=name,
        )

    # -- what it is -------------------------------------------------------------------------

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self.round_start) - 1

    @property
    def transfers(self) -> int:
        """Number of transfers (chunk movements)."""
        return len(self.source)

    @property
    def round(self) -> IntArray:
        """Round of each transfer, from 0."""
        return np.repeat(np.arange(self.rounds, dtype=np.int32), np.diff(self.round_start))

    def __repr__(self) -> str:
        return (
            f"<Schedule {self.name or 'unnamed'}: {self.goal.describe()} on {self.network.spec}, "
            f"{self.rounds} rounds, {self.transfers} transfers>"
        )

    def busiest(self) -> tuple[int, int]:
        """A channel that carries most, and how many chunks that is, all rounds together."""
        load = np.bincount(self.channels, minlength=1)
        return int(load.argmax()), int(load.max())

    def own_verdict(self, network: Network, goal: Goal, model: Model) -> Verdict | None:
        """A verdict by other means than going through all transfers; None: there are none."""
        return None

    # -- new ones from old ------------------------------------------------------------------

    def reversed(self, goal: Goal, name: str = "") -> Schedule:
        """The same transfers backwards in time and direction: a broadcast becomes a reduce.

        Raises:
            ScheduleError: When a channel is simplex, so that it has no way back.
        """
        back = self.network.reverse[self.channels]
        if (back < 0).any() or (self.channels < 0).any():
            raise ScheduleError(f"{self.network.spec} has simplex channels, which have no reverse")
        lengths = np.diff(self.path_start)
        starts = np.concatenate([[0], np.cumsum(lengths[::-1])])
        return Schedule(
            self.network,
            self.model.backwards(),
            goal,
            round_start=self.transfers - self.round_start[::-1],
            source=self.target[::-1],
            target=self.source[::-1],
            chunk=self.chunk[::-1],
            path_start=starts,
            channels=back[::-1],
            name=name or f"reversed {self.name}",
        )

    def under(self, model: Model) -> Schedule:
        """The same transfers, meant for another model."""
        other = copy(self)
        other.model = model
        return other

    def meant_for(self, network: Network, goal: Goal) -> Schedule:
        """The same transfers for another goal, on a network with the same channels."""
        other = copy(self)
        other.network, other.goal = network, goal
        return other

    def then(self, later: Schedule, goal: Goal, name: str = "") -> Schedule:
        """This schedule, and `later` after its last round."""
        if later.network is not self.network and later.network.spec != self.network.spec:
            raise ScheduleError("both schedules must be for the same network")
        return Schedule(
            self.network,
            self.model,
            goal,
            round_start=np.concatenate([self.round_start, later.round_start[1:] + self.transfers]),
            source=np.concatenate([self.source, later.source]),
            target=np.concatenate([self.target, later.target]),
            chunk=np.concatenate([self.chunk, later.chunk]),
            path_start=np.concatenate(
                [self.path_start, later.path_start[1:] + self.path_start[-1]]
            ),
            channels=np.concatenate([self.channels, later.channels]),
            name=name or f"{self.name}, then {later.name}",
        )

    # -- files ------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain values: what the JSON file holds. Rounds count from 1, paths are ports from 1."""
        ports = self.network.port_of(self.channels) + 1
        paths = np.split(ports, self.path_start[1:-1]) if self.transfers else []
        return self.to_dict_head() | {
            "rounds": self.rounds,
            "transfers": {
                "round": (self.round + 1).tolist(),
                "source": self.source.tolist(),
                "target": self.target.tolist(),
                "chunk": self.chunk.tolist(),
                "op": [OPERATIONS[op] for op in self.operations().tolist()],
                "ports": [path.tolist() for path in paths],
            },
        }

    def to_frame(self) -> Any:
        """One row for each transfer, as a data frame (pandas, or polars where it is not there)."""
        return frame(self._rows(self.transfers))

    def _rows(self, most: int) -> list[dict[str, Any]]:
        columns = {name: getattr(self, name)[:most].tolist() for name in _COLUMNS}
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    def _repr_html_(self) -> str:
        shown = Records(self._rows(_SHOWN))
        left = self.transfers - _SHOWN
        more = f"<p>and {left} more transfers</p>" if left > 0 else ""
        rounds = method("draw_round_strip")(self)
        player = method("embed_schedule")(self)
        table = f"<details><summary>transfers</summary>{shown._repr_html_()}{more}</details>"
        return f"<p>{escape(repr(self)[1:-1])}</p>{rounds}{table}{player}"

    def save(self, path: str | Path, *, check: bool = True) -> None:
        """Write a file: JSON, or compressed arrays when the name ends in ``.npz``.

        The file appears whole or not at all.

        Args:
            check: Refuse a schedule that does not hold; False writes it all the same.

        Raises:
            CheckFailedError: When the schedule does not hold.
        """
        place = Path(path)
        verdict = method("verify")(self) if check else None
        if verdict is not None and not verdict:
            raise CheckFailedError(
                f"{self.name or 'the schedule'} fails its check and is not written to {place}:"
                f" {verdict.reason}"
            )
        if place.suffix == ".npz":
            head = json.dumps(self.to_dict_head()).encode()
            columns: dict[str, Any] = {
                "head": np.frombuffer(head, dtype=np.uint8),
                "round_start": self.round_start,
                "source": self.source,
                "target": self.target,
                "chunk": self.chunk,
                "path_start": self.path_start,
                "op": self.operations(),
                "ports": (self.network.port_of(self.channels) + 1).astype(np.int32),
                **self.further_columns(),
            }
            write_atomically(place, lambda out: np.savez_compressed(out, **columns))
            return
        text = json.dumps(self.to_dict())
        write_atomically(place, lambda out: out.write(text.encode()))

    def proof(self) -> Any:
        """A :class:`~hopscape.proofs.Proof` that it holds, with a bound on its rounds.

        Examples:
            >>> import hopscape
            >>> hopscape.build("hypercube(3)").broadcast().proof().verdict[:30]
            'broadcast in 3 rounds, optimal'
        """
        return method("prove_schedule")(self)

    def operations(self) -> IntArray:
        """What each transfer does at its target, as numbers in ``core.operations.OPERATIONS``.

        In a reduce or reduce-scatter all are additions. In an all-reduce a sum that contains all
        that is there takes its place, one that brings nothing new is left aside, and others are
        added (the rule of :func:`hopscape.verify`). Elsewhere all are copies.

        Examples:
            >>> import hopscape
            >>> from hopscape.collectives.generic import all_reduce
            >>> net = hopscape.build("path(3)")
            >>> [OPERATIONS[op] for op in all_reduce(net).operations()]
            ['add', 'add', 'copy', 'copy']
        """
        kind = self.goal.kind
        if kind != "all-reduce":
            adds = kind in ("reduce", "reduce-scatter")
            return np.full(self.transfers, ADD if adds else COPY, dtype=np.uint8)
        from hopscape.core.verify_kernels import ByChunk, by_chunk, check_all_reduce

        ops = np.full(self.transfers, COPY, dtype=np.uint8)
        nodes, words = self.network.order, (self.network.order + 63) // 64
        require_memory(16 * words * nodes, f"following an all-reduce of {nodes} nodes")
        held = np.empty((nodes, words), dtype=np.uint64)
        order = np.empty(self.transfers, np.int32 if self.transfers < 2**31 else np.int64)
        start = by_chunk(self.chunk, int(self.chunk.max(initial=-1)) + 1, order)
        transfers = ByChunk(start, order, self.round, self.source, self.target)
        wanted = self.goal.on(self.network).wanted
        check_all_reduce(transfers, wanted, held, np.empty_like(held), ops)
        return ops

    def further_columns(self) -> dict[str, IntArray]:
        """Arrays of the .npz file beyond those that every schedule has."""
        return {}

    def to_dict_head(self) -> dict[str, Any]:
        """What the file says besides the transfers."""
        promise = self.goal.on(self.network)
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "name": self.name,
            "network": self.network.spec,
            "numbering": "Nodes count from 0, ports and rounds from 1.",
            "nodes": self.network.order,
            "endpoints": self.network.endpoints.tolist(),
            "model": self.model.to_dict(),
            "goal": self.goal.to_dict(),
            "combining": promise.combines,
            "chunks": len(promise.origins),
            "origins": None if promise.combines else promise.origins.tolist(),
            "destinations": self._destinations(),
            "receivers": promise.wanted.tolist(),
        }

    def _destinations(self) -> list[int] | list[int | list[int]]:
        """Who must have each chunk; of several groups, the members of the chunk's own."""
        parts = self.goal.parts()
        if len(parts) < 2:
            return self.goal.on(self.network).destinations.tolist()
        out: list[int | list[int]] = []
        for part in parts:
            promise = part.on(self.network)
            all_ = promise.wanted.tolist()
            out += [to if to >= 0 else all_ for to in promise.destinations.tolist()]
        return out

    @staticmethod
    def spec_in(path: str | Path) -> str | None:
        """The spec of the network in a schedule file; None where it is no file of :meth:`save`.

        Only its beginning is read.
        """
        place = Path(path)
        if place.suffix not in (".json", ".npz") or not place.is_file():
            return None
        if place.suffix == ".npz":  # a matrix may have this ending as well
            with suppress(FileFormatError, zipfile.BadZipFile), zipfile.ZipFile(place) as parts:
                if "head.npy" in parts.namelist():
                    return str(_read_npz(place)[0].get("network"))
            return None
        with place.open(encoding="utf-8", errors="replace") as file:
            begin = file.read(_HEAD)
        if re.match(rf'\s*\{{\s*"format":\s*"{_FORMAT}"', begin) is None:
            return None
        spec = re.search(r'"network":\s*("(?:[^"\\]|\\.)*")', begin)
        with suppress(ValueError):
            return None if spec is None else str(json.loads(spec[1]))
        return None

    @classmethod
    def load(cls, path: str | Path, build: Callable[[str], Network]) -> Schedule:
        """Read a file that :meth:`save` wrote, or one written by hand in the same form.

        Args:
            build: Builds the network from its spec (:func:`hopscape.build`).

        Raises:
            FileFormatError: When the file is not a whole schedule.
        """
        place = Path(path)
        head, columns = _read_npz(place) if place.suffix == ".npz" else _read_json(place)
        if not isinstance(head, dict):
            raise FileFormatError(f"{path} is not a schedule: its head is not an object")
        if head.get("format") != _FORMAT:
            raise FileFormatError(f"{path} is not a schedule: it has no 'format': '{_FORMAT}'")
        version = head.get("version")
        if version not in (1, _VERSION, _WITH_TERMS) or isinstance(version, bool):
            raise FileFormatError(f"{path} has version {version!r}; versions 1 to 3 are read")
        try:
            network = build(str(head["network"]))
            model = Model.from_dict(head.get("model", {}))
            goal = Goal.from_dict(head.get("goal"))
            _check_nodes(network, head)
            name, base = str(head.get("name", "")), min(version - 1, 1)
            loaded = _assemble(network, model, goal, columns, name, base)
            if version == _VERSION:
                _check_operations(loaded, columns["op"])
            if version == _WITH_TERMS:
                loaded = method("schedule_with_terms")(loaded, columns)
            return loaded
        except KeyError as error:
            raise FileFormatError(f"{path} is not a whole schedule: {error} is missing") from error
        except (TypeError, ValueError, OverflowError) as error:
            if isinstance(error, HopscapeError) and not isinstance(error, ArgumentError):
                raise
            raise FileFormatError(f"{path} is not a valid schedule: {error}") from error


def _column(values: IntArray, dtype: type) -> IntArray:
    given = np.asarray(values)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ScheduleError("a column must be one-dimensional and hold integers")
    if given.size and given.dtype != dtype:
        limits = np.iinfo(dtype)
        if not (limits.min <= int(given.min()) and int(given.max()) <= limits.max):
            raise ScheduleError(f"a column holds values beyond {limits.min}..{limits.max}")
    array: IntArray = np.ascontiguousarray(given, dtype=dtype)
    if array is values:
        array = array.view()  # the caller's own array stays writable
    array.setflags(write=False)
    return array


def _read_json(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    from hopscape.core.reading import load_json

    data = load_json(path)
    if not isinstance(data, dict):
        raise FileFormatError(f"{path} is not a schedule: its outermost value is not an object")
    columns = data.get("transfers")
    if data.get("format") == _FORMAT and not isinstance(columns, dict):
        raise FileFormatError(f"{path} is not a whole schedule: 'transfers' is missing")
    columns = dict(columns) if isinstance(columns, dict) else {}
    columns["rounds"] = data.get("rounds")
    return data, columns


def _read_npz(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    from hopscape.core.reading import load_arrays

    columns: dict[str, Any] = load_arrays(path)
    try:
        head = json.loads(bytes(columns.pop("head")).decode())
        starts = _integers(columns.pop("round_start"), "round_start")
        count = len(columns["source"])
        if len(starts) == 0 or not _rises(starts, count):
            raise ScheduleError(f"round_start must rise from 0 to {count}")
        if not isinstance(head, dict):
            raise ScheduleError("its head is no record")
    except KeyError as error:
        raise FileFormatError(f"{path} is not a whole .npz schedule: {error}") from error
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        raise FileFormatError(f"{path} is not a whole .npz schedule: {error}") from error
    columns["rounds"] = len(starts) - 1
    columns["round"] = np.repeat(np.arange(1, len(starts)), np.diff(starts))
    return head, columns


def _rises(offsets: IntArray, end: int) -> bool:
    return bool(offsets[0] == 0 and offsets[-1] == end and np.all(offsets[1:] >= offsets[:-1]))


def _check_nodes(network: Network, head: dict[str, Any]) -> None:
    """Refuse a file whose nodes are not those of the network that it names."""
    ends = network.endpoints.tolist()
    for key, real in (("nodes", network.order), ("endpoints", ends)):
        if head.get(key, real) != real:
            shown = f"{head[key]!r:.40}"
            raise ScheduleError(f"{key} is {shown}, which is not so in {network.spec}")


def _check_operations(schedule: Schedule, stated: Any) -> None:
    """Refuse a file that says 'copy' where a sum must be added, or the other way round."""
    real = schedule.operations()
    if isinstance(stated, np.ndarray):
        stated = [OPERATIONS[op] if 0 <= op < len(OPERATIONS) else op for op in stated.tolist()]
    if not isinstance(stated, list) or len(stated) != len(real):
        raise ScheduleError(f"column 'op' must be a list of {len(real)} operations")
    for t, (word, op) in enumerate(zip(stated, real.tolist(), strict=True)):
        if word != OPERATIONS[op]:
            raise ScheduleError(f"transfer {t} says {word!r:.20}; it must be {OPERATIONS[op]!r}")


def _assemble(
    network: Network, model: Model, goal: Goal, columns: dict[str, Any], name: str, base: int
) -> Schedule:
    when, source, target, chunk = (_integers(columns[key], key) for key in _COLUMNS)
    starts, ports = _paths(columns)
    ports = ports - base
    if not len(when) == len(source) == len(target) == len(chunk) == len(starts) - 1:
        raise ScheduleError(
            f"columns differ in length: {len(when)} rounds, {len(source)} sources, "
            f"{len(target)} targets, {len(chunk)} chunks, {len(starts) - 1} paths"
        )
    if not _rises(starts, len(ports)):
        raise ScheduleError(f"path_start must rise from 0 to {len(ports)}")
    if len(when) and (when.min() < 1 or np.any(np.diff(when) < 0)):
        raise ScheduleError("rounds must count from 1 and not fall")
    for key, nodes in (("source", source), ("target", target)):
        if len(nodes) and (nodes.min() < 0 or nodes.max() >= network.order):
            raise ScheduleError(f"{key} must be node numbers 0..{network.order - 1}")
    rounds = _round_count(columns.get("rounds"), int(when.max(initial=0)))
    return Schedule(
        network,
        model,
        goal,
        round_start=np.searchsorted(when, np.arange(1, rounds + 2)),
        source=source,
        target=target,
        chunk=chunk,
        path_start=starts,
        channels=_follow(network, source, starts, ports),
        name=name,
    )


def _paths(columns: dict[str, Any]) -> tuple[IntArray, IntArray]:
    """Offsets and ports, from flat arrays or from a list of lists (a bare port is one hop)."""
    paths = columns["ports"]
    if "path_start" in columns:
        return _integers(columns["path_start"], "path_start"), _integers(paths, "ports")
    if not isinstance(paths, list):
        raise ScheduleError("column 'ports' must be a list of lists of integers")
    rows = [p if isinstance(p, list) else [p] for p in paths]
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    return starts, _integers([port for row in rows for port in row], "ports")


def _round_count(stated: Any, used: int) -> int:
    """The number of rounds that a file says, at least as many as its transfers use."""
    if stated is None:
        stated = used
    if not isinstance(stated, int) or isinstance(stated, bool) or stated < used:
        raise ScheduleError(f"rounds is {stated!r}, but the transfers use {used}")
    require_memory(8 * stated, f"a schedule of {stated} rounds")
    return stated


def _sort_paths(starts: IntArray, channels: IntArray, order: IntArray) -> tuple[IntArray, IntArray]:
    """Put paths in another order."""
    lengths = np.diff(starts)[order]
    new_starts = np.concatenate([[0], np.cumsum(lengths)])
    within = np.arange(len(channels)) - np.repeat(new_starts[:-1], lengths)
    return new_starts, channels[np.repeat(starts[:-1][order], lengths) + within]


def _follow(network: Network, source: IntArray, starts: IntArray, ports: IntArray) -> IntArray:
    """Channels of paths given as ports out of their sources; -1 from where a port is not wired."""
    out = np.full(len(ports), -1, dtype=np.int64)
    at = source.copy()
    lengths = np.diff(starts)
    if not len(network.heads):
        return out
    ports = np.where((ports >= 0) & (ports < network.ports), ports, -1)
    for hop in range(int(lengths.max(initial=0))):
        going = np.nonzero((lengths > hop) & (at >= 0))[0]
        place = starts[going] + hop
        channel = network.channel_at(at[going], ports[place])
        out[place] = channel
        wired = channel >= 0
        at[going] = np.where(wired, network.heads[np.maximum(channel, 0)], -1)
    return out


def _integers(values: Any, name: str) -> IntArray:
    try:
        array = np.asarray(values)
    except ValueError as error:  # lists of different lengths
        raise ScheduleError(f"column {name!r} must be a list of integers") from error
    if array.ndim == 1 and array.size == 0:
        return np.empty(0, dtype=np.int64)
    large = array.dtype == np.uint64 and int(array.max(initial=0)) > np.iinfo(np.int64).max
    if array.dtype.kind not in "iu" or array.ndim != 1 or large:
        raise ScheduleError(f"column {name!r} must be a list of integers")
    return array.astype(np.int64, copy=False)
