"""Machine vectors for kernels: the words of one row of a bit set as one LLVM vector.

LLVM splits it over whatever registers the processor has (SSE, AVX, NEON), which it does not manage
for loops over small arrays.  The number of words is a type parameter, read off the length of a
tuple of zeros ("lanes").
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import models, register_model

from hopscape.core.arrays import UInt64s
from hopscape.core.kernel import intrinsic_or, kernel

__all__ = [
    "Lanes",
    "bits_and",
    "bits_or",
    "bits_xor",
    "count",
    "equal",
    "load",
    "lowest",
    "new_rows",
    "store",
]

Lanes = tuple[int, ...]


class _Vector(types.Type):  # type: ignore[misc]
    """Numba type of ``lanes`` unsigned 64-bit words."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        super().__init__(name=f"Vector({lanes})")


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, vector: _Vector) -> None:
        super().__init__(manager, vector, _llvm_vector(vector))


def _llvm_vector(vector: _Vector) -> ir.VectorType:
    return ir.VectorType(ir.IntType(64), vector.lanes)


def _row_pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Pointer to row ``args[1]`` of the flat array ``args[0]``, typed as a vector."""
    array_type, _, lanes_type = signature.args[:3]
    data = context.make_array(array_type)(context, builder, args[0]).data
    offset = builder.mul(args[1], ir.Constant(ir.IntType(64), lanes_type.count))
    vector = ir.VectorType(ir.IntType(64), lanes_type.count)
    return builder.bitcast(builder.gep(data, [offset]), vector.as_pointer())


def _plain_store(array: UInt64s, row: int, lanes: Lanes, value: UInt64s) -> None:
    array[row * len(lanes) : (row + 1) * len(lanes)] = value


@intrinsic_or(lambda array, row, lanes: array[row * len(lanes) : (row + 1) * len(lanes)].copy())
def load(_context: Any, array: Any, row: Any, lanes: Any) -> Any:
    """Words of one row."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(_row_pointer(context, builder, signature, args))
        value.align = 8
        return value

    return _Vector(lanes.count)(array, types.int64, lanes), codegen


@intrinsic_or(_plain_store)
def store(_context: Any, array: Any, row: Any, lanes: Any, value: Any) -> Any:
    """Set the words of one row."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        store = builder.store(args[3], _row_pointer(context, builder, signature, args))
        store.align = 8
        return context.get_dummy_value()

    return types.void(array, types.int64, lanes, value), codegen


@intrinsic_or(np.bitwise_or)
def bits_or(_context: Any, left: Any, right: Any) -> Any:
    return left(left, left), lambda _c, builder, _s, args: builder.or_(*args)


@intrinsic_or(np.bitwise_and)
def bits_and(_context: Any, left: Any, right: Any) -> Any:
    return left(left, left), lambda _c, builder, _s, args: builder.and_(*args)


@intrinsic_or(np.bitwise_xor)
def bits_xor(_context: Any, left: Any, right: Any) -> Any:
    return left(left, left), lambda _c, builder, _s, args: builder.xor(*args)


@intrinsic_or(lambda value: np.bitwise_count(value).sum(dtype=np.int64))
def count(_context: Any, value: Any) -> Any:
    """Number of bits set in a vector."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = _llvm_vector(signature.args[0])
        module, lanes = builder.module, vector.count
        name = f"llvm.ctpop.v{lanes}i64"
        ctpop = module.globals.get(name) or ir.Function(
            module, ir.FunctionType(vector, [vector]), name
        )
        name = f"llvm.vector.reduce.add.v{lanes}i64"
        add = module.globals.get(name) or ir.Function(
            module, ir.FunctionType(ir.IntType(64), [vector]), name
        )
        return builder.call(add, [builder.call(ctpop, [args[0]])])

    return types.int64(value), codegen


@intrinsic_or(np.array_equal)
def equal(_context: Any, left: Any, right: Any) -> Any:
    """Whether two vectors are the same."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = ir.IntType(64 * signature.args[0].lanes)
        return builder.icmp_unsigned("==", *(builder.bitcast(arg, bits) for arg in args))

    return types.boolean(left, left), codegen


@intrinsic_or(lambda word: (int(word) & -int(word)).bit_length() - 1)
def lowest(_context: Any, word: Any) -> Any:
    """Position of the lowest bit set in a word that is not 0."""
    zero_is_poison = ir.Constant(ir.IntType(1), 1)
    return (
        types.int64(types.uint64),
        lambda _c, builder, _s, args: builder.cttz(args[0], zero_is_poison),
    )


@kernel
def new_rows(n: int, lanes: Lanes) -> UInt64s:
    """Rows for ``n`` nodes, aligned so that a row of 8 words is one cache line."""
    words = len(lanes)
    memory = np.empty(n * words + 8, np.uint64)
    start = (-(memory.ctypes.data // 8)) % 8
    return memory[start : start + n * words]
