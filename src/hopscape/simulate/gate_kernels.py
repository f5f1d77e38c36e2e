"""Where the parts of a network wait for each other: a barrier of flags, without locks.

Each part has a gate of its own, a cache line that only it writes: how many meetings it has come to.
A part goes on once all others have come as far; what they wrote before is visible then. Who waits
for long lets other programs have the processor.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from llvmlite import ir
from numba import types

from hopscape.core.arrays import IntArray, Integer
from hopscape.core.kernel import intrinsic_or, place_of
from hopscape.simulate.layout import G_TURN
from hopscape.simulate.packet_kernels import inner

__all__ = ["meet"]

_PATIENT = 2000  # looks before a part lets others have the processor: some microseconds
_TIRED = 2400  # and before it sleeps: whom it waits for has no processor
_NAP = 50  # microseconds


def _place(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Where ``gates[row, G_TURN]`` lies."""
    kind = signature.args[0]
    row = target.cast(builder, arguments[1], signature.args[1], types.intp)
    column = target.get_constant(types.intp, G_TURN)
    return place_of(target, builder, kind, arguments[0], [row, column])


def _called(builder: Any, kind: Any, name: str) -> Any:
    """A function of the system's library."""
    known = builder.module.globals.get(name)
    return known or ir.Function(builder.module, kind, name)


def _plain_come(gates: IntArray, row: Integer, turn: Integer) -> None:
    """A part has come to so many meetings; all that it wrote before can be seen then."""
    gates[row, G_TURN] = turn


@intrinsic_or(_plain_come)
def _come(_context: Any, gates: Any, row: Any, turn: Any) -> Any:
    def build(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = target.cast(builder, arguments[2], signature.args[2], types.int64)
        builder.store_atomic(value, _place(target, builder, signature, arguments), "release", 8)
        return target.get_dummy_value()

    return types.void(gates, types.unliteral(row), types.unliteral(turn)), build


def _plain_seen(gates: IntArray, row: Integer) -> Integer:
    """To how many meetings a part has come."""
    return gates[row, G_TURN]


@intrinsic_or(_plain_seen)
def _seen(_context: Any, gates: Any, row: Any) -> Any:
    def build(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_place(target, builder, signature, arguments), "acquire", 8)

    return types.int64(gates, types.unliteral(row)), build


def _plain_step_aside(micros: Integer) -> None:
    """Let other threads have the processor, for some microseconds or just now."""
    time.sleep(micros / 1e6)


@intrinsic_or(_plain_step_aside)
def _step_aside(_context: Any, micros: Any) -> Any:
    windows = sys.platform == "win32"
    names = ("SwitchToThread", "Sleep") if windows else ("sched_yield", "usleep")

    def build(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(32)
        wait = target.cast(builder, arguments[0], signature.args[0], types.int32)
        with builder.if_else(builder.icmp_signed(">", wait, word(0))) as (nap, look):
            with nap:
                how = ir.FunctionType(ir.VoidType() if windows else word, [word])
                sleep = _called(builder, how, names[1])
                builder.call(sleep, [word(1) if windows else wait])  # Windows counts milliseconds
            with look:
                how = ir.FunctionType(word, [])
                give = _called(builder, how, names[0])
                builder.call(give, [])
        return target.get_dummy_value()

    return types.void(types.unliteral(micros)), build


@inner
def meet(gates: IntArray, part: Integer, turn: Integer) -> bool:
    """Wait until all parts have come to meeting `turn`; False when everybody is to go home."""
    _come(gates, part, turn)
    parts = len(gates) - 1
    for other in range(parts):
        looks = 0
        while _seen(gates, other) < turn:
            looks += 1
            if looks > _PATIENT:
                if _seen(gates, parts):
                    return False
                _step_aside(_NAP if looks > _TIRED else 0)
    return True
