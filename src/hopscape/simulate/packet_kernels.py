"""Where flits lie in buffers, the end of packets, and random numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types

from hopscape.core.arrays import IntArray, Integer
from hopscape.core.kernel import copied, fetch, helper, intrinsic_or
from hopscape.simulate.layout import (
    BEGIN,
    BORN,
    COUNT,
    E_UNDERWAY,
    END,
    FILLED,
    FIRST_PACKET,
    FREE,
    FRONT,
    HEAD,
    IN_FLIGHT,
    LOST,
    LOST_MEASURED,
    N_DEPTH,
    N_ROOM,
    SENT,
    SIZE,
    SPARE,
    SRC,
    TAILS,
)

__all__ = [
    "asks_room",
    "bury",
    "coins",
    "copied",
    "fetch",
    "inner",
    "put_flit",
    "random_bits",
    "random_unit",
    "release",
    "ring_first",
    "send_credit",
    "send_flit",
]


inner = partial(helper, error_model="numpy", _nrt=False)
"""For functions of the engine that only kernels call; they allocate nothing."""


def _ring_first(context: Any, mask: Any, start: Any) -> Any:
    """The code of :func:`ring_first`: one instruction counts the zeros below the lowest bit."""

    def build(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        bits, low = (
            target.cast(builder, value, kind, types.int64)
            for value, kind in zip(arguments, signature.args, strict=True)
        )
        later = builder.shl(builder.ashr(bits, low), low)
        rest = builder.select(builder.icmp_signed("!=", later, word(0)), later, bits)
        kind = ir.FunctionType(word, [word, ir.IntType(1)])
        count = builder.module.declare_intrinsic("llvm.cttz", [word], kind)
        return builder.call(count, [rest, ir.IntType(1)(0)])

    return types.int64(types.unliteral(mask), types.unliteral(start)), build


def _plain_ring_first(mask: Integer, start: Integer) -> Integer:
    """The first bit of a mask from `start` on, going round; the mask is not empty."""
    later = int(mask) >> int(start) << int(start) or int(mask)
    return (later & -later).bit_length() - 1


ring_first = intrinsic_or(_plain_ring_first)(_ring_first)


_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@copied
def _split_mix(random: IntArray, stream: Integer) -> np.uint64:
    """64 random bits of one stream (splitmix64)."""
    random[stream] += _STEP
    z = random[stream]
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


def _plain_split_mix(random: IntArray, stream: Integer) -> np.uint64:
    """The same where nothing is compiled and numpy would warn that numbers wrap."""
    with np.errstate(over="ignore"):
        return _split_mix(random, stream)


random_bits = _plain_split_mix if config.DISABLE_JIT else _split_mix


@copied
def _toss(random: IntArray, row: Integer, now: Integer) -> np.int64:
    """Two random bits of a virtual channel in a cycle, whoever asks before or after it.

    They are a function of the seed, the row and the cycle, so that they do not depend on the order
    in which routers are gone through.
    """
    z = random[len(random) - 1] + ((np.uint64(now) << np.uint64(32)) + np.uint64(row + 1)) * _STEP
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return np.int64((z ^ (z >> np.uint64(31))) & np.uint64(3))


def _plain_toss(random: IntArray, row: Integer, now: Integer) -> np.int64:
    """The same where nothing is compiled and numpy would warn that numbers wrap."""
    with np.errstate(over="ignore"):
        return _toss(random, row, now)


coins = _plain_toss if config.DISABLE_JIT else _toss


@copied
def random_unit(random: IntArray, stream: Integer) -> float:
    """A random number in (0, 1]."""
    return (np.float64(random_bits(random, stream) >> np.uint64(11)) + 1.0) * (2.0**-53)


@copied
def put_flit(
    numbers: IntArray, vcs: IntArray, flits: IntArray, row: Integer, flit: Integer
) -> None:
    """A flit comes into the next place of a buffer, which is not full."""
    many = vcs[row, COUNT]
    if many == 0:
        vcs[row, FRONT] = flit
    else:
        at = vcs[row, HEAD] + many
        flits[row, at if at < numbers[N_DEPTH] else at - numbers[N_DEPTH]] = flit
    vcs[row, COUNT] = many + 1


@copied
def send_flit(
    arrivals: IntArray, block: Integer, due: Integer, row: Integer, flit: Integer
) -> None:
    """A flit is on its way: it comes into the buffer of `row` at cycle `due`."""
    slot = due & (len(arrivals) - 1)
    place = arrivals[slot, block + FILLED] + 1
    arrivals[slot, block + place] = row
    arrivals[slot, block + place + 1] = flit
    arrivals[slot, block + FILLED] = place + 1


@copied
def bury(scalars: IntArray, ends: IntArray, packets: IntArray, who: Integer) -> None:
    """One of the ends of a lost packet has gone; with the last one it is counted."""
    packets[who, TAILS] -= 1
    if packets[who, TAILS] <= 0:
        scalars[LOST] += 1
        if scalars[BEGIN] <= packets[who, BORN] < scalars[END]:
            scalars[LOST_MEASURED] += 1
        release(scalars, ends, packets, who)


@copied
def release(scalars: IntArray, ends: IntArray, packets: IntArray, who: Integer) -> None:
    """The number of a packet is free again."""
    ends[packets[who, SRC], E_UNDERWAY] -= packets[who, SIZE]
    packets[scalars[FIRST_PACKET] + scalars[FREE], SPARE] = who
    scalars[FREE] += 1
    scalars[IN_FLIGHT] -= 1


@copied
def send_credit(credits: IntArray, block: Integer, due: Integer, row: Integer) -> None:
    """A place in the buffer of a virtual channel is free: tell its sender at cycle `due`."""
    slot = due & (len(credits) - 1)
    many = credits[slot, block + FILLED] + 1
    credits[slot, block + FILLED] = many
    credits[slot, block + many] = row


@copied
def asks_room(numbers: IntArray, packets: IntArray, who: Integer) -> Integer:
    """Flits of room that a wormhole packet asks for: 1 if it waited long for its entry, else 0."""
    late = packets[who, SENT] - packets[who, BORN]
    return np.int64(numbers[N_ROOM] > 0 and late > numbers[N_ROOM])
