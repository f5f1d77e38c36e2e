"""What all checks of a hand-over share: its files and the programs of others that run on them.

Programs are found on the path, timed, ended with this process, and the end of their output is kept
for messages. The folder's files are read back as one network, and its manifest, a list of files
with their digests, tells which of them were changed by hand.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import FileFormatError, HopscapeError
from hopscape.core.faults import Faults
from hopscape.core.files import write_text
from hopscape.core.network import Network
from hopscape.core.numbers import signed_json
from hopscape.core.processes import end_with_parent
from hopscape.core.reading import load_json
from hopscape.formats.graphs import read_network
from hopscape.formats.graphs.libraries import link_ends
from hopscape.formats.infiniband import PORT_WORDS
from hopscape.formats.tables import read_cables, read_faults
from hopscape.registry import build_within

__all__ = [
    "MANIFEST",
    "SCHEDULES",
    "ProgramError",
    "changed_files",
    "last_words",
    "read_back",
    "run_program",
    "running",
    "which_all",
    "write_manifest",
]

SCHEDULES = (
    "broadcast",
    "all-gather",
    "reduce-scatter",
    "all-reduce",
    "all-reduce-sliced",
    "all-to-all",
)
"""Schedules of a hand-over, by the names of their files."""


_WORDS = 400  # letters of a program's last words: an error of one sentence


class ProgramError(HopscapeError):
    """A program is there but did not do its work."""


def which_all(programs: Sequence[str]) -> list[str]:
    """Those programs that are not on the path."""
    return [name for name in programs if shutil.which(name) is None]


def last_words(text: str) -> str:
    """The end of what a program said, on one line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    message = " / ".join(lines[-3:])
    return message[-_WORDS:] if message else "nothing"


def _start(
    words: Sequence[str], folder: Path, extra: Mapping[str, str], output: int
) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            list(words),
            cwd=folder,
            env={**os.environ, **extra},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            preexec_fn=end_with_parent,
        )
    except OSError as error:
        raise ProgramError(f"{words[0]} cannot be started: {error.strerror}") from error


def run_program(
    words: Sequence[str],
    folder: Path,
    *,
    seconds: float,
    extra: Mapping[str, str] | None = None,
    codes: Sequence[int] | None = (0,),
) -> str:
    """Run a program to its end; what it said.

    Args:
        folder: Where it runs.
        seconds: It is ended after so long.
        extra: Environment variables besides ours.
        codes: Exit codes that are right; None where they say nothing.

    Raises:
        ProgramError: With its last words, when it fails or takes too long.
    """
    process = _start(words, folder, extra or {}, subprocess.PIPE)
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        raise ProgramError(
            f"{words[0]} was ended after {seconds:g} s; its last words: {last_words(output)}"
        ) from None
    except BaseException:
        process.kill()
        process.wait()
        raise
    if codes is not None and process.returncode not in codes:
        raise ProgramError(
            f"{words[0]} failed with {_code(process.returncode)}; its last words:"
            f" {last_words(output)}"
        )
    return output


def _code(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


@contextlib.contextmanager
def running(
    words: Sequence[str], folder: Path, log: Path, extra: Mapping[str, str]
) -> Iterator[subprocess.Popen[str]]:
    """A program in the background, its words in a file; ended when the block is left."""
    with log.open("w", encoding="utf-8") as out:
        process = _start(words, folder, extra, out.fileno())
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def read_back(folder: str | Path) -> Network:
    """Read the network of a hand-over and check that all its files agree.

    The hand-over of a fabric with dead parts gives the whole network, whose cables are those of the
    list and the dead ones.

    Raises:
        FileFormatError: When a file is missing or two of them tell different networks.
    """
    top = Path(folder)
    network, ports = read_cables(top / "cables.csv")
    faults = read_faults(top / "cables.csv")
    if faults:
        return _read_rest(network, ports, faults, top)
    for name in ("network.edges", "network.graphml"):
        if name == "network.edges" and not (top / name).exists():
            continue  # links of which different things are known: only GraphML says them
        if not _same(network, read_network(top / name)):
            raise FileFormatError(f"{top / name} and cables.csv tell different networks")
    spec_net = (
        build_within(top / "cables.csv")(network.spec) if network.spec != "cables" else network
    )
    if not _same(network, spec_net):
        raise FileFormatError(f"{top / 'cables.csv'} is not the wiring of {network.spec}")
    if network.spec != "cables":
        _check_ports(network, ports, spec_net, top)
    return spec_net


def _read_rest(listed: Network, ports: IntArray, faults: Faults, top: Path) -> Network:
    """The whole network, whose live cables the list has."""
    network = build_within(top / "cables.csv")(listed.spec)
    dead = Faults.of(network, faults.nodes, faults.pairs()).channels(network)
    wanted = network.tails[~dead].astype(np.int64) * network.order + network.heads[~dead]
    if listed.order != network.order or not np.array_equal(np.sort(wanted), _pairs(listed)):
        raise FileFormatError(
            f"{top / 'cables.csv'} is not the wiring of {network.spec} without its dead parts"
        )
    _check_ports(listed, ports, network, top)
    return network


def _check_ports(listed: Network, ports: IntArray, network: Network, top: Path) -> None:
    """Does every cable of the list leave by the ports that the network has for it?"""
    tails, heads, _ = link_ends(listed)
    for at, to, port in ((tails, heads, ports[:, 0]), (heads, tails, ports[:, 1])):
        if at is heads and not network.duplex:
            continue
        channel = network.channel_at(at.astype(np.int64), port)
        wrong = (channel < 0) | (network.heads[np.maximum(channel, 0)] != to)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise FileFormatError(
                f"{top / 'cables.csv'}: cable {i + 1} is at port {int(port[i]) + 1} of node"
                f" {int(at[i])}, which does not lead to node {int(to[i])} in {network.spec}"
            )


def _same(a: Network, b: Network) -> bool:
    if a.order != b.order or a.duplex != b.duplex or len(a.heads) != len(b.heads):
        return False
    return np.array_equal(_pairs(a), _pairs(b))


def _pairs(network: Network) -> Any:
    pairs = network.tails.astype(np.int64) * network.order + network.heads
    return np.sort(pairs)


MANIFEST = "manifest.json"


def write_manifest(spec: str, folder: Path) -> None:
    """Write the digests of the files of a folder."""
    files = sorted(x for x in folder.rglob("*") if x.is_file() and x.name != MANIFEST)
    record = {
        "spec": spec,
        "numbering": PORT_WORDS,
        "files": {path.relative_to(folder).as_posix(): _digest(path) for path in files},
    }
    write_text(folder / MANIFEST, signed_json(record))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def changed_files(folder: Path) -> list[str]:
    """Files that are not as they were handed over, each with what happened to it.

    Raises:
        FileFormatError: When the folder is not a hand-over.
    """
    if not folder.is_dir():
        raise FileFormatError(f"{folder} is not a folder")
    if not (folder / MANIFEST).is_file():
        raise FileFormatError(
            f"{folder} is not a hand-over: it has no {MANIFEST}; write one with 'hopscape handover'"
        )
    changes = []
    for name, digest in _listed(folder).items():
        path = folder / name
        if not path.is_file():
            changes.append(f"{name} is missing")
        elif _digest(path) != digest:
            changes.append(f"{name} was changed")
    return changes


def _listed(folder: Path) -> dict[str, str]:
    """Digests by the names of files inside the folder."""
    record = load_json(folder / MANIFEST)
    files = record.get("files") if isinstance(record, dict) else None
    if not isinstance(files, dict):
        raise FileFormatError(f"{folder / MANIFEST} lists no files")
    for name in files:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise FileFormatError(f"{folder / MANIFEST} names {name!r:.60}, which is outside")
    return files
