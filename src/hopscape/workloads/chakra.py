"""Chakra execution traces (MLCommons) as workloads, and workloads as traces.

A folder has one file for each rank, ``NAME.RANK.et``, and a JSON file that lists the ranks of each
group. Collectives of a group are matched in the order in which its members number them, messages
by source, target and tag.
"""

from __future__ import annotations

import json
import re
import struct
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.files import require_room, whole_folder, write_atomically, write_text
from hopscape.core.reading import load_json
from hopscape.formats.chakra import VERSION
from hopscape.formats.protobuf import (
    bytes_field,
    double_field,
    framed,
    number_field,
    numbers,
    read_fields,
    read_framed,
    text_field,
    varint,
)
from hopscape.workloads.workload import (
    COLLECTIVE,
    COMPUTE,
    FREE,
    GOALS,
    LAUNCH,
    RECEIVE,
    SEND,
    Together,
    Workload,
)

__all__ = ["read_chakra", "write_workload"]

_TYPES = {1: COMPUTE, 2: COMPUTE, 3: COMPUTE, 4: COMPUTE, 5: SEND, 6: RECEIVE, 7: COLLECTIVE}
_NUMBERS = {COMPUTE: 4, LAUNCH: 4, SEND: 5, RECEIVE: 6, COLLECTIVE: 7}
_COLLECTIVES = {
    0: "all-reduce",
    2: "all-gather",
    5: "broadcast",
    6: "all-to-all",
    7: "reduce-scatter",
    8: "reduce-scatter",
}
_GOAL_NUMBERS = {
    "all-reduce": 0,
    "all-gather": 2,
    "broadcast": 5,
    "all-to-all": 6,
    "reduce-scatter": 7,
}
_SECONDS = "duration_s"
"""Our own attribute: a duration that is no whole number of µs."""
_DOUBLE, _FLOAT, _INT32, _INT64, _UINT64, _BOOL, _TEXT = 3, 5, 7, 9, 13, 27, 29
_LONGEST = 1e9
"""Seconds: what is written as a negative number of µs looks longer."""
_GROUPS = "groups.json"
_USUAL = {
    COMPUTE: "compute",
    COLLECTIVE: "collective",
    SEND: "message",
    RECEIVE: "message",
    LAUNCH: "launch",
}
_LABELS = ("forward", "backward", "optimizer", "tp", "cp", "ep", "dp", "pp", *_USUAL.values())


@dataclass
class _Node:
    """A node of a trace."""

    file: Path
    number: int
    name: str
    kind: int
    after: list[int]
    micros: int
    attributes: dict[str, Any]

    def error(self, message: str) -> FileFormatError:
        return FileFormatError(f"{self.file}, node {self.number}: {message}")

    def whole(self, key: str, default: int | None = None) -> int:
        """An attribute that is a whole number of at least 0."""
        value = self.attributes.get(key, default)
        if not isinstance(value, int) or value < 0:
            raise self.error(f"{key} is {value!r}; it must be a whole number of at least 0")
        return value


def read_chakra(folder: str | Path) -> Workload:
    """The workload of a folder of traces.

    Raises:
        FileFormatError: For missing ranks, unknown operations, and collectives or messages that do
            not match; with the file and the node.
    """
    files = _rank_files(Path(folder))
    groups = _read_groups(Path(folder), len(files))
    rows = [sorted(_read_nodes(path), key=lambda node: node.number) for path in files]
    return _Joiner(Path(folder), rows, groups).workload()


def _rank_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise FileFormatError(f"{folder} is no folder of Chakra traces (NAME.RANK.et)")
    files: dict[str, dict[int, Path]] = defaultdict(dict)
    for path in sorted(folder.iterdir()):
        match = re.fullmatch(r"(.*)\.([0-9]{1,9})\.et", path.name)
        if match is not None:
            files[match[1]][int(match[2])] = path
    if not files:
        raise FileFormatError(f"{folder} has no Chakra traces (NAME.RANK.et)")
    if len(files) > 1:
        raise FileFormatError(f"{folder} has traces of {len(files)} workloads: {', '.join(files)}")
    ((name, ranks),) = files.items()
    for rank in range(max(ranks) + 1):
        if rank not in ranks:
            raise FileFormatError(
                f"{folder}: there is no trace of rank {rank} ({name}.{rank}.et), though there is"
                f" one of rank {max(ranks)}"
            )
    return [ranks[rank] for rank in sorted(ranks)]


def _read_nodes(path: Path) -> list[_Node]:
    out = []
    i = -1
    for i, message in enumerate(read_framed(path)):
        if i == 0:
            continue  # the metadata of the whole trace
        try:
            node = _node(path, message)
        except (ValueError, UnicodeDecodeError, struct.error) as error:
            raise FileFormatError(f"{path}, message {i}: it is no node of a trace") from error
        if node.kind not in _TYPES:
            raise node.error(f"operation {node.kind} is unknown; there are {sorted(_TYPES)}")
        out.append(node)
    if i < 0:
        raise FileFormatError(f"{path} is empty; a trace begins with its metadata")
    return out


def _node(path: Path, message: bytes) -> _Node:
    node = _Node(path, 0, "", 0, [], 0, {})
    for field, value in read_fields(message):
        if field == 1 and isinstance(value, int):
            node.number = value
        elif field == 2 and isinstance(value, bytes):
            node.name = value.decode()
        elif field == 3 and isinstance(value, int):
            node.kind = value
        elif field in (4, 5):
            node.after += numbers(value)
        elif field == 7 and isinstance(value, int):
            node.micros = value
        elif field == 10 and isinstance(value, bytes):
            name, found = _attribute(value)
            node.attributes[name] = found
    return node


def _attribute(message: bytes) -> tuple[str, Any]:
    name = ""
    decoded: Any = None
    for field, value in read_fields(message):
        if field == 1 and isinstance(value, bytes):
            name = value.decode()
        elif isinstance(value, int):
            decoded = value != 0 if field == _BOOL else value
            if field in (_INT32, _INT64) and value >> 63:
                decoded = value - (1 << 64)
        elif field in (_DOUBLE, _FLOAT):
            (decoded,) = struct.unpack("<d" if field == _DOUBLE else "<f", value)
        elif field == _TEXT:
            decoded = value.decode()
    return name, decoded


def _read_groups(folder: Path, ranks: int) -> dict[str, tuple[int, ...]]:
    """Groups by name, from the JSON files of a folder."""
    out: dict[str, tuple[int, ...]] = {}
    for path in sorted(folder.glob("*.json")):
        values = load_json(path)
        if not isinstance(values, dict):
            raise FileFormatError(f'{path} must list the ranks of each group: {{"0": [0, 1]}}')
        for name, members in values.items():
            fine = isinstance(members, list) and all(
                isinstance(r, int) and not isinstance(r, bool) and r >= 0 for r in members
            )
            if fine and members and max(members) >= ranks:
                raise FileFormatError(
                    f"{path}: group {name!r} names rank {max(members)}, of which there is no trace;"
                    f" there are those of 0..{ranks - 1}"
                )
            if not fine or len(set(members)) < len(members) or not members:
                raise FileFormatError(
                    f"{path}: group {name!r} must name different ranks of 0..{ranks - 1}"
                )
            out[name] = tuple(members)
    return out


class _Joiner:
    """Makes one workload of the traces of all ranks."""

    def __init__(
        self, folder: Path, rows: Sequence[list[_Node]], groups: Mapping[str, tuple[int, ...]]
    ) -> None:
        self.folder, self.rows = folder, rows
        self.groups = dict(groups)
        self.operations: list[Together] = []
        self.number: dict[tuple[Any, ...], int] = {}
        self.first: dict[int, _Node] = {}
        self.parts: Counter[int] = Counter()

    def _collective(self, rank: int, node: _Node, turn: Counter[str]) -> tuple[int, int, str]:
        """Operation, seat and group of a part of a collective."""
        kind = node.whole("comm_type")
        if kind not in _COLLECTIVES:
            raise node.error(f"collective {kind} is unknown; there are {sorted(_COLLECTIVES)}")
        goal, size = _COLLECTIVES[kind], node.whole("comm_size")
        name = str(node.attributes.get("pg_name", ""))
        if name == "" and name not in self.groups:
            self.groups[name] = tuple(range(len(self.rows)))
        if name not in self.groups:
            raise node.error(f"group {name!r} is not listed in a JSON file of {self.folder}")
        group = self.groups[name]
        if rank not in group:
            raise node.error(f"rank {rank} is not a member of group {name!r}, {list(group)}")
        whole = size * len(group) if goal == "all-gather" else size
        made = self._operation(("collective", name, turn[name]), Together(goal, group, whole), node)
        turn[name] += 1
        return made, group.index(rank), name

    def _message(self, rank: int, node: _Node, turn: Counter[tuple[int, int, int]]) -> int:
        """The operation of a send or a receive."""
        kind = _TYPES[node.kind]
        ends = (rank, None) if kind == SEND else (None, rank)  # its own rank may be left out
        said = zip(("comm_src", "comm_dst", "comm_tag"), (*ends, 0), strict=True)
        pair = [node.whole(name, usual) for name, usual in said]
        own = pair[0] if kind == SEND else pair[1]
        if own != rank:
            raise node.error(f"it is of rank {own} in the trace of rank {rank}")
        if not max(pair[:2]) < len(self.rows) or pair[0] == pair[1]:
            raise node.error(
                f"it goes from rank {pair[0]} to {pair[1]}; there are 0..{len(self.rows) - 1}"
            )
        key = (pair[0], pair[1], pair[2])
        one = Together("message", (pair[0], pair[1]), node.whole("comm_size"))
        made = self._operation(("message", *key, turn[key]), one, node)
        turn[key] += 1
        return made

    def _operation(self, key: tuple[Any, ...], one: Together, node: _Node) -> int:
        if key not in self.number:
            self.number[key] = len(self.operations)
            self.first[len(self.operations)] = node
            self.operations.append(one)
        made = self.number[key]
        other = self.operations[made]
        if (other.goal, other.size) != (one.goal, one.size):
            raise node.error(
                f"{one.goal} of {one.size:g} bytes meets {other.goal} of {other.size:g} bytes of"
                f" {self.first[made].file.name}, node {self.first[made].number}"
            )
        self.parts[made] += 1
        return made

    def workload(self) -> Workload:
        """All ranks together."""
        columns: dict[str, list[Any]] = {
            name: []
            for name in ("rank", "kind", "lane", "together", "seat", "seconds", "flops", "moved")
        }
        after: list[list[int]] = []
        base = 0
        lanes: dict[str, int] = {}
        labels: list[str] = []
        for rank, nodes in enumerate(self.rows):
            place = {node.number: base + i for i, node in enumerate(nodes)}
            if len(place) < len(nodes):
                twice = Counter(node.number for node in nodes).most_common(1)[0][0]
                raise FileFormatError(f"{nodes[0].file}: node {twice} is there twice")
            turn: Counter[str] = Counter()
            sent: Counter[tuple[int, int, int]] = Counter()
            got: Counter[tuple[int, int, int]] = Counter()
            for node in nodes:
                kind, together, seat, lane = _TYPES[node.kind], -1, 0, FREE
                if kind == COLLECTIVE:
                    together, seat, name = self._collective(rank, node, turn)
                    lane = 1 + lanes.setdefault(name, len(lanes))
                elif kind == COMPUTE and node.name == "launch" and node.whole("is_cpu_op", 0):
                    kind = LAUNCH
                elif kind == COMPUTE:
                    lane = 0
                else:
                    together = self._message(rank, node, sent if kind == SEND else got)
                    seat = int(kind == RECEIVE)
                row = (rank, kind, lane, together, seat, *self._work(node, kind))
                for name, value in zip(columns, row, strict=True):
                    columns[name].append(value)
                for x in node.after:
                    if x not in place:
                        raise node.error(f"it waits for node {x}, which is not in the trace")
                after.append([place[x] for x in node.after])
                labels.append(node.name if node.name in _LABELS else _USUAL[kind])
            base += len(nodes)
        self._check_whole()
        return self._made(columns, after, labels)

    def _work(self, node: _Node, kind: int) -> tuple[float, float, float]:
        """Seconds, flops and bytes of a computation."""
        if kind not in (COMPUTE, LAUNCH):
            return 0.0, 0.0, 0.0
        said = node.attributes.get(_SECONDS)
        seconds = float(said) if isinstance(said, float) else 1e-6 * node.micros
        if not 0 <= seconds < _LONGEST:
            raise node.error(f"it takes {seconds:g} s; that must be from 0 to {_LONGEST:g}")
        flops, moved = node.whole("num_ops", 0), node.whole("tensor_size", 0)
        return seconds, float(flops), float(moved)

    def _check_whole(self) -> None:
        for made, one in enumerate(self.operations):
            if self.parts[made] < len(one.group):
                node = self.first[made]
                what = (
                    "its other end" if one.goal == "message" else f"all of ranks {list(one.group)}"
                )
                raise node.error(f"this {one.goal} is not in the traces of {what}")

    def _made(
        self, columns: Mapping[str, list[Any]], after: list[list[int]], labels: list[str]
    ) -> Workload:
        groups = tuple(dict.fromkeys(one.group for one in self.operations))
        where = {group: i for i, group in enumerate(groups)}
        names = tuple(dict.fromkeys(labels))
        number = {name: i for i, name in enumerate(names)}
        return Workload(
            len(self.rows),
            names,
            groups,
            np.asarray([GOALS.index(one.goal) for one in self.operations], np.int64),
            np.asarray([where[one.group] for one in self.operations], np.int64),
            np.asarray([one.size for one in self.operations], np.float64),
            np.asarray(columns["rank"], np.int64),
            np.asarray(columns["kind"], np.int64),
            np.asarray(columns["lane"], np.int64),
            np.asarray([number[label] for label in labels], np.int64),
            np.asarray(columns["together"], np.int64),
            np.asarray(columns["seat"], np.int64),
            np.asarray(columns["seconds"], np.float64),
            np.asarray(columns["flops"], np.float64),
            np.asarray(columns["moved"], np.float64),
            np.cumsum([0, *map(len, after)]).astype(np.int64),
            np.asarray([x for row in after for x in row], np.int64),
            self.folder.name,
        )


def write_workload(
    workload: Workload, folder: str | Path, name: str = "step", *, force: bool = False
) -> list[Path]:
    """Write ``NAME.RANK.et`` for every rank, and ``groups.json``; the folder appears whole.

    Collectives stay collectives: a simulator expands them by its own algorithms.

    Args:
        force: Overwrite files that hopscape did not write.
    """
    require_room(folder, (_GROUPS, *_traces_in(Path(folder))), force=force)
    with whole_folder(folder, force=force) as top:
        names = _write_parts(workload, top, name)
    return [Path(folder) / one for one in names]


def _traces_in(folder: Path) -> list[str]:
    """Traces that stand in a folder already: they would be read with the new ones."""
    traces = folder.glob("*.et") if folder.is_dir() else ()
    return [path.name for path in traces if re.fullmatch(r".*\.[0-9]+\.et", path.name)]


def _write_parts(workload: Workload, top: Path, name: str) -> list[str]:
    shared = sorted(set(workload.group[workload.goal != GOALS.index("message")].tolist()))
    listed = {_group_name(group): list(workload.groups[group]) for group in shared}
    write_text(top / _GROUPS, json.dumps(listed, indent=0) + "\n")
    names = [_GROUPS]
    order = np.argsort(workload.rank, kind="stable")
    cuts = np.searchsorted(workload.rank[order], np.arange(workload.ranks + 1))
    head = framed(text_field(1, VERSION))
    tags = _tags(workload)
    for rank in range(workload.ranks):
        body = b"".join(
            framed(_part(workload, part, tags))
            for part in order[cuts[rank] : cuts[rank + 1]].tolist()
        )
        names.append(f"{name}.{rank}.et")
        write_atomically(top / names[-1], partial(_put, head + body))
    return names


def _group_name(group: int) -> str:
    """Of a group in the files: ASTRA-sim takes numbers from 1 only."""
    return str(group + 1)


def _put(content: bytes, out: IO[bytes]) -> None:
    out.write(content)


def _tags(workload: Workload) -> list[int]:
    """A tag for each message, so that those of a pair are told apart."""
    turn: Counter[int] = Counter()
    out = []
    for group in workload.group.tolist():
        out.append(turn[group])
        turn[group] += 1
    return out


def _part(workload: Workload, part: int, tags: Sequence[int]) -> bytes:
    kind = int(workload.kind[part])
    label = workload.labels[workload.label[part]]
    fields = [number_field(1, part), text_field(2, label), number_field(3, _NUMBERS[kind])]
    after = workload.after[workload.after_start[part] : workload.after_start[part + 1]]
    if len(after):
        fields.append(bytes_field(5, b"".join(map(varint, after.tolist()))))
    attributes = [_said("is_cpu_op", _BOOL, int(kind == LAUNCH))]
    if kind in (COMPUTE, LAUNCH):
        seconds = float(workload.seconds[part])
        fields.append(number_field(7, round(1e6 * seconds)))
        attributes.append(bytes_field(10, text_field(1, _SECONDS) + double_field(_DOUBLE, seconds)))
        attributes.append(_said("num_ops", _INT64, round(workload.flops[part])))
        attributes.append(_said("tensor_size", _UINT64, round(workload.moved[part])))
        return b"".join([*fields, *attributes])
    operation = int(workload.together[part])
    group = int(workload.group[operation])
    size, goal = float(workload.size[operation]), GOALS[workload.goal[operation]]
    if kind == COLLECTIVE:
        own = size / len(workload.groups[group]) if goal == "all-gather" else size
        attributes += [
            _said("comm_type", _INT64, _GOAL_NUMBERS[goal]),
            _said("comm_size", _INT64, round(own)),
            bytes_field(10, text_field(1, "pg_name") + text_field(_TEXT, _group_name(group))),
        ]
    else:
        source, target = workload.groups[group]
        attributes += [
            _said("comm_size", _INT64, round(size)),
            _said("comm_src", _INT32, source),
            _said("comm_dst", _INT32, target),
            _said("comm_tag", _INT32, tags[operation]),
        ]
    return b"".join([*fields, *attributes])


def _said(name: str, field: int, value: int) -> bytes:
    if value < 0:
        raise ArgumentError(f"{name} is {value}; it must be at least 0")
    return bytes_field(10, text_field(1, name) + number_field(field, value, always=True))
