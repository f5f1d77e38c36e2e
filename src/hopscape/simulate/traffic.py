"""Traffic patterns by their usual names, for any number of endpoints.

Endpoints are numbered 0..N-1. Where a pattern is defined on bits or digits and N does not fit, the
generalisation is said in :data:`PATTERNS`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.network import Network
from hopscape.core.plugins import load_plugins
from hopscape.core.reading import TextFile
from hopscape.core.reading import read_matrix as read_numbers
from hopscape.core.router import Router
from hopscape.simulate import layout

__all__ = [
    "PATTERNS",
    "Traffic",
    "check_seed",
    "make_traffic",
    "pattern_matrix",
    "permutation_traffic",
    "read_matrix",
    "read_trace",
    "traced",
    "worst_effort",
    "worst_permutation",
]

_MOST_CYCLES = 2**30 - 1
_MOST_MATRIX = 2500
"""Endpoints: a matrix of traffic of 50 MB."""
_WORST_EFFORT = 9e10
"""Steps of the worst permutation: some minutes."""
_TRACE = ("cycle", "source", "target", "flits")

PATTERNS = {
    "uniform": "any endpoint, itself included, as BookSim does",
    "uniform-others": "any other endpoint",
    "transpose": "swaps the two halves of the address; where axes differ or are odd in number they"
    " are turned round, and for other N = a·b with a nearest to the root, (i, j) of a × b goes to"
    " (j, i) of b × a",
    "bit-complement": "every bit inverted; for other N endpoint s sends to N - 1 - s",
    "bit-reverse": "bits in reverse; for other N those whose reverse is beyond N stay",
    "shuffle": "bits rotated left; for other N 2s mod (N - 1), the last to itself",
    "tornado": "on a grid almost half way round every axis; otherwise, and where no axis has more"
    " than 2, s + ceil(N/2) - 1 mod N",
    "neighbour": "on a grid one step up every axis; otherwise s + 1 mod N",
    "shift": "shift(k): s + k mod N, k is 1 when left out; from every supernode of k endpoints to"
    " the next one",
    "permutation": "one random permutation, by the seed",
    "hotspot": "hotspot(targets; shares): a share of the traffic goes to few endpoints",
    "worst": "the permutation that loads a channel most under the router in use",
}
ALIASES = {
    "transp": "transpose",
    "bitcomp": "bit-complement",
    "bit_complement": "bit-complement",
    "bitrev": "bit-reverse",
    "bit_reverse": "bit-reverse",
    "neighbor": "neighbour",
    "randperm": "permutation",
    "random-permutation": "permutation",
    "uniform_others": "uniform-others",
}


@dataclass(frozen=True)
class Traffic:
    """Whom every endpoint sends to.

    Attributes:
        kind: Uniform, uniform to others, a fixed target each, or a matrix (see `layout`).
        targets, starts, shares: Fixed targets; or the targets of each row and their cumulated
            shares.
        trace (int32[packets, 3]): Births, targets, sizes, sorted by source and birth (`starts` says
            where each begins).
        on_off: Chances to turn on and off; None is a Bernoulli process.
    """

    name: str
    kind: int
    targets: IntArray
    starts: IntArray
    shares: Floats
    trace: IntArray | None = None
    on_off: tuple[float, float] | None = None

    def same_as(self, other: Traffic) -> bool:
        """Whether the endpoints send to the same others, in the same manner."""
        mine, yours = vars(self), vars(other)
        return all(
            np.array_equal(value, yours[name]) if isinstance(value, np.ndarray)
            else value is yours[name] or value == yours[name]
            for name, value in mine.items()
        )  # fmt: skip

    def bursty(self, turn_on: float, turn_off: float) -> Traffic:
        """The same targets, sent in bursts."""
        for name, value in (("turn_on", turn_on), ("turn_off", turn_off)):
            if not 0 < value <= 1:
                raise ArgumentError(f"{name} is {value}; a chance must be above 0 and at most 1")
        return replace(self, on_off=(turn_on, turn_off))

    def matrix(self, endpoints: int) -> Floats:
        """Shares of every pair of endpoints, N × N."""
        out = np.zeros((endpoints, endpoints))
        if self.kind == layout.UNIFORM:
            out[:] = 1 / endpoints
        elif self.kind == layout.UNIFORM_OTHERS:
            out[:] = 1 / (endpoints - 1)
            np.fill_diagonal(out, 0)
        elif self.kind == layout.TABLE:
            out[np.arange(endpoints), self.targets] = 1
        else:
            for e in range(endpoints):
                row = slice(int(self.starts[e]), int(self.starts[e + 1]))
                np.add.at(out[e], self.targets[row], np.diff(self.shares[row], prepend=0.0))
        return out


def _plain(name: str, kind: int) -> Traffic:
    none = np.empty(0, dtype=np.int32)
    return Traffic(name, kind, none, np.zeros(1, dtype=np.int64), np.empty(0))


def _fixed(name: str, targets: IntArray) -> Traffic:
    fixed = np.ascontiguousarray(targets, dtype=np.int32)
    return Traffic(name, layout.TABLE, fixed, np.zeros(1, dtype=np.int64), np.empty(0))


def permutation_traffic(name: str, targets: IntArray) -> Traffic:
    """Every endpoint sends to one other, by its number.

    Examples:
        >>> permutation_traffic("swap", np.array([1, 0])).targets.tolist()
        [1, 0]
    """
    return _fixed(name, targets)


def _from_matrix(name: str, matrix: Floats) -> Traffic:
    count = len(matrix)
    total = matrix.sum(axis=1)
    if not np.isfinite(matrix).all() or (matrix < 0).any() or (total <= 0).any():
        raise ArgumentError("the traffic matrix needs shares of at least 0 and no empty row")
    first, second = np.nonzero(matrix)
    starts = np.searchsorted(first, np.arange(count + 1))
    shares = (matrix / total[:, None])[first, second]
    summed = np.concatenate([np.cumsum(shares[a:b]) for a, b in pairwise(starts)])
    return Traffic(name, layout.MATRIX, second.astype(np.int32), starts.astype(np.int64), summed)


def make_traffic(
    text: str | IntArray | Floats, endpoints: int, sides: Sequence[int] | None = None, seed: int = 0
) -> Traffic:
    """A traffic pattern from its name, a list of targets, or a matrix.

    Args:
        text (str or array): A name of :data:`PATTERNS` or of the entry points ``hopscape.traffic``,
            ``hotspot({0,9},{3,1})``, a list of targets or a matrix.
        sides: Lengths of the axes of a grid, for transpose, tornado and neighbour.
        seed: For random permutations.

    Examples:
        >>> make_traffic("tornado", 8).targets.tolist()
        [3, 4, 5, 6, 7, 0, 1, 2]
        >>> make_traffic("transpose", 6).targets.tolist()
        [0, 2, 4, 1, 3, 5]
    """
    if not isinstance(text, str):
        return _from_array(np.asarray(text), endpoints)
    name, arguments = parse_pattern(text)
    name = ALIASES.get(name, name)
    if name == "uniform" or (name == "uniform-others" and endpoints == 1):
        return _plain("uniform", layout.UNIFORM)
    if name == "uniform-others":
        return _plain(name, layout.UNIFORM_OTHERS)
    if name == "hotspot":
        return _hotspot(text, arguments, endpoints)
    if name == "shift":
        step = arguments[0][0] if arguments and arguments[0] else 1
        return _fixed(text, (np.arange(endpoints) + step) % endpoints)
    if name == "permutation":
        chosen = check_seed(arguments[0][0] if arguments and arguments[0] else seed)
        generator = np.random.default_rng(chosen)
        return _fixed(text, generator.permutation(endpoints))
    grid = tuple(sides) if sides is not None and math.prod(sides) == endpoints else None
    if name == "tornado" and len(arguments) >= 2:  # tornado(k, n[, c]) as BookSim writes it
        k, n = ([*part, 0][0] for part in arguments[:2])
        if k < 2 or n > endpoints.bit_length() or k**n != endpoints:
            raise ArgumentError(f"{text} is for {k}^{n} endpoints, not for {endpoints}")
        grid = (k,) * n
    added = {key.lower(): made for key, made in load_plugins("traffic").items()}
    if name in added:  # a list of targets or a matrix, checked as a user's is
        return replace(_from_array(np.asarray(added[name](endpoints, grid)), endpoints), name=name)
    made = _MAKERS.get(name)
    if made is None:
        names = ", ".join([*PATTERNS, *added])
        raise ArgumentError(f"traffic {text!r} is unknown; choose {names}")
    return _fixed(name, made(endpoints, grid))


def check_seed(seed: int) -> int:
    """The seed, if it is one."""
    if seed < 0:
        raise ArgumentError(f"seed is {seed}; it must be at least 0")
    return seed


def _from_array(given: Any, endpoints: int) -> Traffic:
    if given.ndim == 2:
        if given.shape != (endpoints, endpoints):
            raise ArgumentError(
                f"the traffic matrix has shape {given.shape}; it needs {endpoints} × {endpoints}"
            )
        return _from_matrix("matrix", given.astype(float))
    if given.shape != (endpoints,) or given.dtype.kind not in "iu":
        raise ArgumentError(f"the targets must be {endpoints} integers")
    if given.min() < 0 or given.max() >= endpoints:
        raise ArgumentError(f"a target is out of range; the endpoints are 0..{endpoints - 1}")
    return _fixed("targets", given)


def parse_pattern(text: str) -> tuple[str, list[list[int]]]:
    """The name of a pattern and its lists of numbers: ``hotspot({0,9},{3,1})``."""
    match = re.fullmatch(r"\s*([\w.-]+)\s*(?:\((.*)\))?\s*", text)
    if match is None:
        raise ArgumentError(f"traffic {text!r} cannot be read; write a name or name(arguments)")
    arguments = []
    for part in re.findall(r"\{[^{}]*\}|[^,{}\s]+", match[2] or ""):
        try:
            arguments.append([int(x) for x in part.strip("{}").split(",") if x.strip()])
        except ValueError as error:
            raise ArgumentError(f"traffic {text!r}: {part!r} must be whole numbers") from error
        if any(not 0 <= x <= _MOST_CYCLES for x in arguments[-1]):
            raise ArgumentError(f"traffic {text!r}: numbers must be from 0 to {_MOST_CYCLES}")
    return match[1].lower(), arguments


def _hotspot(text: str, arguments: list[list[int]], endpoints: int) -> Traffic:
    if not arguments or not arguments[0]:
        raise ArgumentError("hotspot needs targets, as in hotspot({0,9},{3,1})")
    targets = arguments[0]
    shares = arguments[1] if len(arguments) > 1 else [1] * len(targets)
    if len(shares) != len(targets) or min(shares) < 0 or sum(shares) == 0:
        raise ArgumentError(f"{text}: give one share of at least 0 for each target")
    if min(targets) < 0 or max(targets) >= endpoints:
        raise ArgumentError(f"{text}: targets must be from 0 to {endpoints - 1}")
    row = np.zeros(endpoints)
    np.add.at(row, targets, np.asarray(shares, dtype=float))
    return _from_matrix(text, np.tile(row, (endpoints, 1)))


def _bits(endpoints: int) -> int | None:
    return endpoints.bit_length() - 1 if endpoints & (endpoints - 1) == 0 else None


def _transpose(endpoints: int, grid: tuple[int, ...] | None) -> IntArray:
    s = np.arange(endpoints)
    if grid is not None and len(grid) > 1:
        digits = np.unravel_index(s, grid)
        if len(grid) % 2 == 0 and len(set(grid)) == 1:
            half = len(grid) // 2
            return np.ravel_multi_index(digits[half:] + digits[:half], grid)
        return np.ravel_multi_index(digits[::-1], grid[::-1])
    bits = _bits(endpoints)
    if bits is not None and bits % 2 == 0:
        half = bits // 2
        return (s >> half) | ((s & ((1 << half) - 1)) << half)
    rows = max(a for a in range(1, math.isqrt(endpoints) + 1) if endpoints % a == 0)
    columns = endpoints // rows
    return (s % columns) * rows + s // columns


def _complement(endpoints: int, grid: tuple[int, ...] | None) -> IntArray:
    return endpoints - 1 - np.arange(endpoints)


def _reverse_bits(endpoints: int, grid: tuple[int, ...] | None) -> IntArray:
    width = max(1, (endpoints - 1).bit_length())
    s = np.arange(endpoints)
    turned = sum(((s >> i) & 1) << (width - 1 - i) for i in range(width))
    return np.where(turned < endpoints, turned, s)


def _shuffle(endpoints: int, grid: tuple[int, ...] | None) -> IntArray:
    s = np.arange(endpoints)
    if endpoints < 3:
        return s
    if endpoints % 2 == 0:
        return np.where(s == endpoints - 1, s, 2 * s % (endpoints - 1))
    return 2 * s % endpoints


def _shifted(endpoints: int, grid: tuple[int, ...] | None, step: Any) -> IntArray:
    sides = grid if grid is not None else (endpoints,)
    digits = np.unravel_index(np.arange(endpoints), sides)
    moved = [(d + step(k)) % k for d, k in zip(digits, sides, strict=True)]
    return np.ravel_multi_index(moved, sides)


def _tornado(endpoints: int, grid: tuple[int, ...] | None) -> IntArray:
    wide = grid is not None and max(grid) > 2
    return _shifted(endpoints, grid if wide else None, lambda k: (k + 1) // 2 - 1)


_MAKERS: dict[str, Callable[[int, tuple[int, ...] | None], IntArray]] = {
    "transpose": _transpose,
    "bit-complement": _complement,
    "bit-reverse": _reverse_bits,
    "shuffle": _shuffle,
    "tornado": _tornado,
    "neighbour": lambda n, grid: _shifted(n, grid, lambda k: 1 % k),
}


def read_matrix(path: str | Path, endpoints: int) -> Traffic:
    """A traffic matrix from a CSV file: one row of shares per source."""
    return _from_array(read_numbers(path, "a share", 0.0), endpoints)


def read_trace(path: str | Path, endpoints: int) -> Traffic:
    """Packets from a CSV file with lines ``cycle,source,target,flits``."""
    file = TextFile(path)
    limits = ((0, _MOST_CYCLES), (0, endpoints - 1), (0, endpoints - 1), (1, _MOST_CYCLES))
    rows = []
    for line in file.lines("#"):
        words = line.words()
        if words and words[0].text == "cycle":
            continue
        if len(words) != len(_TRACE):
            raise line.error(f"a packet is {','.join(_TRACE)}: 4 numbers, not {len(words)}")
        rows.append([w.integer(n, *span) for w, n, span in zip(words, _TRACE, limits, strict=True)])
    if not rows:
        raise file.error("it holds no packets")
    return traced(np.asarray(rows, dtype=np.int64), endpoints)


def traced(packets: IntArray, endpoints: int) -> Traffic:
    """Packets from a list of births, sources, targets and flits."""
    data = packets[np.lexsort((packets[:, 0], packets[:, 1]))]
    starts = np.searchsorted(data[:, 1], np.arange(endpoints + 1))
    base = _plain("trace", layout.TABLE)
    trace = np.ascontiguousarray(data[:, [0, 2, 3]], dtype=np.int32)
    return replace(base, starts=starts.astype(np.int64), trace=trace)


def worst_permutation(network: Network, table: Any, home: IntArray) -> Traffic:
    """The permutation that puts most on one channel: an assignment problem for each channel.

    Looks at one channel per orbit representative's node when the network says that its nodes look
    alike, else at every channel.
    """
    from scipy.optimize import linear_sum_assignment

    from hopscape.deadlock.dependency_kernels import pairs_over

    if network.symmetry is not None:
        nodes = np.asarray(network.symmetry.representatives)
    else:
        nodes = np.arange(network.order)
    best, chosen = -1.0, np.arange(len(home))
    for node in nodes:
        for channel in range(int(network.indptr[node]), int(network.indptr[node + 1])):
            over = pairs_over(network.indptr, network.heads, table.port, channel)
            gain = over[np.ix_(home, home)].astype(float)
            rows, columns = linear_sum_assignment(gain, maximize=True)
            total = float(gain[rows, columns].sum())
            if total > best:
                best, chosen = total, columns
    return _fixed("worst", chosen)


def worst_effort(network: Network) -> float:
    """Steps of the search for the worst permutation, about."""
    nodes = network.order if network.symmetry is None else len(network.symmetry.representatives)
    share = len(network.heads) * nodes / max(network.order, 1)
    return share * float(network.endpoint_count) ** 2.5


def pattern_matrix(
    network: Network, name: str, seed: int = 0, router: Router | None = None
) -> Floats:
    """What share of its traffic every endpoint sends to each other, by the name of a pattern.

    Args:
        seed: For random permutations.
        router: The one whose channels the worst permutation loads; the network's own when left out.

    Examples:
        >>> import hopscape
        >>> pattern_matrix(hopscape.build("ring(4)"), "tornado").argmax(axis=1).tolist()
        [1, 2, 3, 0]

    Raises:
        ArgumentError: For an unknown pattern.
        TooLargeError: Beyond 2,500 endpoints, or when the worst permutation would take too long.
    """
    count = network.endpoint_count
    if count > _MOST_MATRIX:
        raise TooLargeError(
            f"{network.spec} has {count:,} endpoints; traffic {name!r} is for up to"
            f" {_MOST_MATRIX:,} (uniform is for any)"
        )
    if name == "worst":
        if worst_effort(network) > _WORST_EFFORT:
            raise TooLargeError(
                f"the worst permutation of {network.spec} would take too long: an assignment of"
                f" {count:,} endpoints for each of many channels"
            )
        from hopscape.deadlock import routing_table

        table = routing_table(network, router, ties=False)
        return worst_permutation(network, table, network.endpoints).matrix(count)
    if "/" in name or name.endswith((".csv", ".trace")):
        raise ArgumentError(f"traffic is {name!r}; choose {', '.join(PATTERNS)}")
    sides = network.addresses.sides if isinstance(network.addresses, MixedRadix) else None
    return make_traffic(name, count, sides, seed).matrix(count)
