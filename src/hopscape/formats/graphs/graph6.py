"""graph6 and sparse6, the one-line formats of nauty and the House of Graphs (B. D. McKay)."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.reading import TextFile, TextLine
from hopscape.formats.graphs.libraries import link_ends, require_plain

__all__ = ["read_graph6", "write_graph6", "write_sparse6"]

_MOST = 2**36 - 1  # 36 bits hold the number of nodes


def read_graph6(path: Path, spec: str, directed: bool) -> Network:
    """Read a graph6 or sparse6 file; the first character says which.

    Raises:
        FileFormatError: With line and column.
    """
    file = TextFile(path)
    lines = list(file.lines())
    if len(lines) != 1:
        raise file.error(f"it has {len(lines)} graphs, one on each line; one is read")
    line = lines[0]
    text = line.text.strip()
    for header in (">>graph6<<", ">>sparse6<<"):
        text = text.removeprefix(header)
    sparse = text.startswith(":")
    if text.startswith(("&", ";")):
        raise line.error("a graph in digraph6 or incremental sparse6, which are not read", 1)
    first = len(line.text.rstrip()) - len(text) + sparse
    codes = np.frombuffer(text[sparse:].encode("utf-8"), dtype=np.uint8).astype(np.int64) - 63
    wrong = np.flatnonzero((codes < 0) | (codes > 63))
    if len(wrong):
        raise line.error("a character outside of ? to ~", first + int(wrong[0]) + 1)
    order, used = _order(codes, line)
    bits = (codes[used:, None] >> np.arange(5, -1, -1) & 1).ravel()
    tails, heads = (_sparse if sparse else _dense)(order, bits, line)
    return Network.from_links(order, tails, heads, duplex=not directed, spec=spec)


def _order(codes: IntArray, line: TextLine) -> tuple[int, int]:
    """The number of nodes, and how many characters it takes."""
    if len(codes) and codes[0] < 63:
        order, used = int(codes[0]), 1
    else:
        begin, count = (2, 6) if len(codes) > 1 and codes[1] == 63 else (1, 3)
        used = begin + count
        if len(codes) < used:
            raise line.error("it breaks off before the number of nodes", len(codes) + 1)
        order = 0
        for code in codes[begin:used].tolist():
            order = order << 6 | code
    if order == 0:
        raise line.error("the graph has no nodes", 1)
    require_memory(16 * order, f"the {order} nodes of {line.file.path}")
    return order, used


def _dense(order: int, bits: IntArray, line: TextLine) -> tuple[IntArray, IntArray]:
    """The upper triangle of the adjacency matrix, column by column."""
    pairs = order * (order - 1) // 2
    if len(bits) != -(-pairs // 6) * 6:
        raise line.error(
            f"{order} nodes have {-(-pairs // 6)} characters of links, not {len(bits) // 6}"
        )
    set_ = np.flatnonzero(bits[:pairs])
    heads = np.floor((1 + np.sqrt(8.0 * set_ + 1)) / 2).astype(np.int64)
    heads -= heads * (heads - 1) // 2 > set_
    heads += (heads + 1) * heads // 2 <= set_
    return set_ - heads * (heads - 1) // 2, heads


def _sparse(order: int, bits: IntArray, line: TextLine) -> tuple[IntArray, IntArray]:
    """Pairs of a bit (go on to the next node) and a number."""
    width = (order - 1).bit_length()
    each = 1 + width
    rows = bits[: len(bits) // each * each].reshape(-1, each)
    numbers = rows[:, 1:] @ (1 << np.arange(width - 1, -1, -1)) if width else 0 * rows[:, 0]
    tails, heads, v = [], [], 0
    for step, x in zip(rows[:, 0].tolist(), np.asarray(numbers).tolist(), strict=True):
        v += step
        if x >= order or v >= order:
            break
        if x > v:
            v = x
        else:
            tails.append(x)
            heads.append(v)
    return np.asarray(tails, dtype=np.int64), np.asarray(heads, dtype=np.int64)


def _size(order: int) -> list[int]:
    if order <= 62:
        return [order]
    if order <= 258047:
        return [63, *(order >> shift & 63 for shift in (12, 6, 0))]
    return [63, 63, *(order >> shift & 63 for shift in range(30, -1, -6))]


def _undirected(network: Network, form: str) -> tuple[IntArray, IntArray]:
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels, which {form} cannot hold")
    require_plain(network, form)
    tails, heads, _ = link_ends(network)
    return np.minimum(tails, heads).astype(np.int64), np.maximum(tails, heads).astype(np.int64)


def write_graph6(network: Network, out: IO[bytes]) -> None:
    """Write a graph6 file; loops and parallel links are refused."""
    low, high = _undirected(network, "graph6")
    order = network.order
    place = high * (high - 1) // 2 + low
    if (low == high).any() or len(np.unique(place)) < len(place):
        raise ArgumentError(f"{network.spec} has loops or parallel links; write .s6 (sparse6)")
    pairs = order * (order - 1) // 2
    require_memory(pairs, f"the graph6 text of {network.spec}")
    bits = np.zeros(-(-pairs // 6) * 6, dtype=np.uint8)
    bits[place] = 1
    codes = bits.reshape(-1, 6) @ (1 << np.arange(5, -1, -1, dtype=np.uint8))
    out.write(bytes(63 + c for c in _size(order)) + (codes + 63).astype(np.uint8).tobytes() + b"\n")


def write_sparse6(network: Network, out: IO[bytes]) -> None:
    """Write a sparse6 file."""
    low, high = _undirected(network, "sparse6")
    order = network.order
    if order > _MOST:
        raise ArgumentError(f"{network.spec} has {order} nodes; sparse6 holds up to {_MOST}")
    width = (order - 1).bit_length()
    bits: list[int] = []

    def put(step: int, number: int) -> None:
        bits.append(step)
        bits.extend(number >> i & 1 for i in range(width - 1, -1, -1))

    v = 0
    for i in np.lexsort((low, high)).tolist():
        x, w = int(low[i]), int(high[i])
        if w > v + 1:
            put(1, w)
            put(0, x)
        else:
            put(w - v, x)
        v = w
    spare = -len(bits) % 6
    if width < 6 and order == 1 << width and spare > width and v < order - 1:
        bits.append(0)
        spare -= 1
    bits += [1] * spare
    codes = np.asarray(bits, dtype=np.int64).reshape(-1, 6) @ (1 << np.arange(5, -1, -1))
    text = bytes(63 + c for c in _size(order)) + bytes((codes + 63).tolist())
    out.write(b":" + text + b"\n")
