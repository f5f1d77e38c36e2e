"""Chakra execution traces (MLCommons), which ASTRA-sim replays: a schedule as sends and receives.

One file for each rank: length-delimited protocol buffers, the metadata first, then a node for every
send and receive of the rank. A send waits for all that the rank received of its chunk before, and
for nothing else: rounds are no barriers. Additions take no time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

from hopscape.core.errors import ArgumentError, ScheduleError
from hopscape.core.files import make_folder, write_atomically
from hopscape.core.schedule import Schedule
from hopscape.core.verify import require_right
from hopscape.formats.protobuf import bytes_field, framed, number_field, text_field, varint

__all__ = ["VERSION", "write_chakra"]

VERSION = "1.0.0"
"""Of the traces, as the generator of MLCommons writes it."""

_SEND, _RECEIVE = 5, 6  # COMM_SEND_NODE and COMM_RECV_NODE of Chakra's protocol
_INT32, _INT64, _BOOL = 7, 9, 27  # fields of an attribute, by the type of its value


def write_chakra(
    schedule: Schedule, folder: str | Path, name: str, *, chunk_bytes: int = 65536
) -> list[Path]:
    """Write ``NAME.RANK.et`` for every endpoint, counted from 0.

    Args:
        schedule: Between endpoints: no transfer may begin or end at a switch.
        name: What the names of the files begin with.
        chunk_bytes: Size of every transfer.

    Examples:
        >>> import hopscape, tempfile
        >>> schedule = hopscape.build("ring(4)").broadcast()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [path.name for path in write_chakra(schedule, folder, "ring")]
        ['ring.0.et', 'ring.1.et', 'ring.2.et', 'ring.3.et']
    """
    if chunk_bytes < 1:
        raise ArgumentError(f"chunk_bytes is {chunk_bytes}; it must be at least 1")
    made = list(_nodes(schedule, chunk_bytes))
    require_right(schedule, "written")
    top = make_folder(Path(folder))
    paths = []
    metadata = framed(text_field(1, VERSION))
    for rank, nodes in enumerate(made):
        path = top / f"{name}.{rank}.et"
        write_atomically(path, partial(_put, metadata + b"".join(nodes)))
        paths.append(path)
    return paths


def _put(content: bytes, out: IO[bytes]) -> None:
    out.write(content)


def _nodes(schedule: Schedule, size: int) -> Iterator[list[bytes]]:
    """The nodes of each rank, those of earlier rounds first."""
    ends = schedule.network.endpoints.tolist()
    rank = {node: i for i, node in enumerate(ends)}
    columns = (schedule.round, schedule.source, schedule.target, schedule.chunk)
    rows = sorted(zip(*(x.tolist() for x in columns), strict=True))
    out: dict[int, list[bytes]] = defaultdict(list)
    held: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for tag, (now, a, b, chunk) in enumerate(rows):
        if a not in rank or b not in rank:
            switch = b if a in rank else a
            raise ScheduleError(f"a transfer ends at node {switch}, a switch and not a rank")
        before = [node for node, when in held[a, chunk] if when < now]
        pair = (rank[a], rank[b], tag, size)
        about = f"chunk {chunk}, round {now + 1}, {rank[a]} to {rank[b]}"
        out[rank[a]].append(_node(2 * tag, f"send {about}", _SEND, before, pair))
        out[rank[b]].append(_node(2 * tag + 1, f"receive {about}", _RECEIVE, [], pair))
        held[b, chunk].append((2 * tag + 1, now))
    for i in range(len(ends)):
        yield out[i]


def _node(
    number: int, name: str, kind: int, waits: list[int], pair: tuple[int, int, int, int]
) -> bytes:
    """A node: whom it waits for, and source, target, tag and bytes of its transfer."""
    source, target, tag, size = pair
    attributes = (
        ("is_cpu_op", _BOOL, 0),
        ("comm_size", _INT64, size),
        ("comm_src", _INT32, source),
        ("comm_dst", _INT32, target),
        ("comm_tag", _INT32, tag),
    )
    parts = [number_field(1, number), text_field(2, name), number_field(3, kind)]
    if waits:
        parts.append(bytes_field(5, b"".join(map(varint, waits))))
    parts += [
        bytes_field(10, text_field(1, key) + number_field(f, x, always=True))
        for key, f, x in attributes
    ]
    return framed(b"".join(parts))
