"""A valid file of every format that hopscape reads, its reader, and ways to damage it."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import hopscape
from hopscape import formats as export
from hopscape.cli.commands.judging import _matrix
from hopscape.collectives.generic import broadcast
from hopscape.core.files import GRAPH_ENDINGS
from hopscape.core.goal import read_permutation
from hopscape.core.schedule import Schedule
from hopscape.formats.booksim import read_anynet, read_booksim, write_anynet
from hopscape.formats.graphs import write_network
from hopscape.metrics import channel_load
from hopscape.metrics.routes import all_routes
from hopscape.simulate.traffic import read_matrix, read_trace
from hopscape.store.records import Store

NET = "product(petersen, ring(3))"


@dataclass(frozen=True)
class FileFormat:
    """A format: an ending, a maker of a valid file, and what reads it in earnest."""

    name: str
    ending: str
    make: Callable[[Path], Any]
    read: Callable[[Path], Any]


def _graph(path: Path) -> Any:
    network = hopscape.build(f"file({json.dumps(str(path))})")
    return network.order, network.links, network.neighbours(0), network.ports


def _schedule(path: Path) -> Any:
    return hopscape.verify(Schedule.load(path, hopscape.build))


def _save_schedule(path: Path) -> None:
    broadcast(hopscape.build("torus(4, 4)"), 0).save(path)


def _blocks(path: Path) -> Any:
    from hopscape.papers.blockdesign.designs import check_design, read_blocks

    rows, _ = read_blocks(path)
    return check_design(np.asarray(rows)) if len({len(r) for r in rows}) == 1 else None


def _cables(path: Path) -> None:
    network = hopscape.build(NET)
    export.write_cables(network, path, [(0, v, 1) for v in range(30)], [1.5] * network.links)


def _netlist(path: Path) -> None:
    export.write_infiniband(all_routes(hopscape.build("torus(3, 3)")), path.parent / "ib")
    path.write_bytes((path.parent / "ib" / "fabric.net").read_bytes())


def _load(path: Path) -> Any:
    network = hopscape.build("petersen")
    return channel_load(network, network.router(), _matrix(path))


def _distribution(path: Path) -> Any:
    from hopscape.papers.multiring.capacity import route_weights
    from hopscape.papers.multiring.commands import read_distribution

    member = hopscape.build("multiring(8, 1, 3)").family
    return route_weights(member, read_distribution(str(path)))


def _store(path: Path) -> Any:
    with Store(path) as store:
        store.add("new", 1)
        return len(store)


def _make_store(path: Path) -> None:
    with Store(path) as store:
        for i in range(5):
            store.add(f"point {i}", {"value": i})


def _booksim(path: Path) -> None:
    path.write_text(
        "// a torus\ntopology = torus;\nk = 4;\nn = 2;\nrouting_function = dim_order;\n"
        "num_vcs = 4;\nvc_buf_size = 8;\npacket_size = {1,5};\npacket_size_rate = {1,2};\n"
        "traffic = hotspot({0,9},{3,1});\ninjection_rate = 0.15;\nwarmup_periods = 3;\n"
        "injection_process = on_off;\nburst_alpha = 0.5;\nseed = 7;\nlatency_thres = 500.0;\n"
    )


def _text(text: str) -> Callable[[Path], Any]:
    return lambda path: path.write_text(text)


_ROWS = "\n".join(",".join(str(1 + i * j % 7) for j in range(10)) for i in range(10)) + "\n"
_TRACE = "cycle,source,target,flits\n" + "".join(f"{i},{i % 9},{i * 2 % 9},4\n" for i in range(30))
_FANO = [[0, 1, 3], [1, 2, 4], [2, 3, 5], [3, 4, 6], [4, 5, 0], [5, 6, 1], [6, 0, 2]]

_TOPOLOGY = "".join(
    f"switchguid=0x10{i}(10{i})\n"
    f'Switch\t3 "S-10{i}"\t\t# "leaf {i}" base port 0 lid {i + 1} lmc 0\n'
    f'[1]\t"S-10{(i + 1) % 3}"[2]\t\t# "leaf" lid 2 4xSDR\n[2]\t"S-10{(i + 2) % 3}"[1]\n\n'
    for i in range(3)
)
_LINKS = "".join(
    f"Switch: 0x10{i} leaf {i}:\n"
    f"  {i + 1}  1[  ] ==( 4X 2.5 Gbps Active/  LinkUp)==>"
    f'  {(i + 1) % 3 + 1}  2[  ] "leaf {(i + 1) % 3}" ( )\n'
    f'  {i + 1}  3[  ] ==(  Down/ Polling)==>  [  ] "" ( )\n'
    for i in range(3)
)

FORMATS = [
    *(
        FileFormat(
            f"graph {ending}", ending, lambda p: write_network(hopscape.build(NET), p), _graph
        )
        for ending in sorted({*GRAPH_ENDINGS} - {".edgelist", ".txt", ".golf", ".gv"})  # twins
    ),
    FileFormat(
        "graph .mtx dense",
        ".mtx",
        _text("%%MatrixMarket matrix array integer general\n3 3\n0\n1\n1\n1\n0\n1\n1\n1\n0\n"),
        _graph,
    ),
    FileFormat("schedule .json", ".json", _save_schedule, _schedule),
    FileFormat("schedule .npz", ".npz", _save_schedule, _schedule),
    FileFormat("anynet", ".anynet", lambda p: write_anynet(hopscape.build(NET), p, 3), read_anynet),
    FileFormat("booksim", ".cfg", _booksim, read_booksim),
    FileFormat("trace", ".csv", _text(_TRACE), lambda p: read_trace(p, 9)),
    FileFormat("traffic matrix", ".csv", _text(_ROWS), lambda p: read_matrix(p, 10)),
    FileFormat("load .csv", ".csv", _text(_ROWS), _load),
    FileFormat("load .npy", ".npy", lambda p: np.save(p, np.ones((10, 10))), _load),
    FileFormat("cables", ".csv", _cables, export.read_cables),
    FileFormat("netlist", ".net", _netlist, export.read_netlist),
    FileFormat("ibnetdiscover", ".ibnetdiscover", _text(_TOPOLOGY), _graph),
    FileFormat("iblinkinfo", ".iblinkinfo", _text(_LINKS), _graph),
    FileFormat(
        "routing table",
        ".csv",
        lambda p: export.write_routing_table(all_routes(hopscape.build("torus(3, 3)")), p),
        export.read_routing_table,
    ),
    FileFormat(
        "permutation",
        ".txt",
        _text("1 2 3 4 5 6 7 8 9 0\n"),
        lambda p: read_permutation(hopscape.build("petersen"), str(p)),
    ),
    FileFormat("store", ".jsonl", _make_store, _store),
]
if find_spec("hopscape.papers") is not None:
    FORMATS += [
        FileFormat(
            "blocks .txt", ".txt", _text("\n".join(" ".join(map(str, b)) for b in _FANO)), _blocks
        ),
        FileFormat("blocks .json", ".json", _text(json.dumps({"blocks": _FANO})), _blocks),
        FileFormat("distribution", ".txt", _text("3,1,1/2,2,0.25,1,1\n"), _distribution),
    ]

NASTY = (
    b"0", b"-1", b"", b"2147483648", b"4294967296", b"9223372036854775808", b"1" * 5000, b"1e999",
    b"nan", b"inf", b"-inf", b"Infinity", b"NaN", b"true", b"null", b"\xc2\xb2", b"\xd9\xa3",
    b"1_0", b"0x10", b"1.5", b"1000000", b"24999999", b"[]", b"{}", b"\x00", b"\xff\xfe", b'"',
    b"18446744073709551616", b"-9223372036854775809", b"999999999999", b"1/0", b"\x1f\x8b",
)  # fmt: skip


def damage(data: bytes, rng: random.Random) -> bytes:
    """One to four changes of a file: bytes, numbers, lines, words, its whole encoding."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(_DAMAGES)(data, rng)
    return data


def _flip(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:a] if rng.random() < 0.5 else data[:a] + data[b:]


def _repeat(data: bytes, rng: random.Random) -> bytes:
    a = rng.randrange(len(data) + 1)
    b = min(len(data), a + rng.randrange(1, 200))
    return data[:b] + data[a:b] * rng.choice((1, 3)) + data[b:]


def _number(data: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb"-?[0-9.]+", data))
    if not found:
        return _insert(data, rng)
    match = rng.choice(found)
    return data[: match.start()] + rng.choice(NASTY) + data[match.end() :]


def _insert(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(NASTY) + data[at:]


def _lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    if rng.random() < 0.3:
        del lines[a]
    else:
        lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def _word(data: bytes, rng: random.Random) -> bytes:
    words = list(re.finditer(rb"[A-Za-z_]+", data))
    if not words:
        return _flip(data, rng)
    a, b = rng.choice(words), rng.choice(words)
    return data[: a.start()] + b[0] + data[a.end() :]


def _encode(data: bytes, rng: random.Random) -> bytes:
    kind = rng.randrange(7)
    if kind == 0:
        return gzip.compress(data, 1)
    if kind == 1:
        packed = gzip.compress(data, 1)
        return packed[: rng.randrange(len(packed))]
    if kind == 2:
        return b"\xef\xbb\xbf" + data
    if kind == 3:
        return data.decode("latin-1").encode("utf-16")
    if kind == 4:
        return data.replace(b"\n", b"\r\n" if rng.random() < 0.7 else b"\r")
    if kind == 5:
        return b""
    return data.replace(b"UTF-8", b"x-none").replace(b"utf-8", b"utf-7")


_DAMAGES = (_flip, _flip, _cut, _repeat, _number, _number, _number, _insert, _lines, _word, _encode)
