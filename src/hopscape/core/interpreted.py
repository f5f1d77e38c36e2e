"""Kernels without a compiler: as plain Python, all of them with ``NUMBA_DISABLE_JIT=1``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from types import FunctionType
from typing import Any

import numpy as np

__all__ = ["interpreted", "intrinsic_or"]


def intrinsic_or(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Numba's ``intrinsic``, or its plain twin where nothing is compiled.

    Args:
        plain: Does the same in Python, on the arguments of the call.
    """
    from numba import config
    from numba.extending import intrinsic

    def choose(build: Callable[..., Any]) -> Any:
        if config.DISABLE_JIT:
            return plain
        made = intrinsic(build)
        made.plain = plain
        return made

    return choose


@cache
def interpreted(kernel: Any) -> Callable[..., Any]:
    """A compiled function as plain Python, with the same types of results."""
    return partial(_interpret, _plain(kernel))


def _interpret(function: Callable[..., Any], *args: Any) -> Any:
    with np.errstate(all="ignore"):  # machine code does not warn
        return _as_python(function(*args))


def _as_python(value: Any) -> Any:
    """Numbers as machine code returns them."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        parts = map(_as_python, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


@cache
def _plain(kernel: Any) -> Callable[..., Any]:
    """The Python function of a kernel, which calls those of other kernels."""
    if hasattr(kernel, "plain"):  # of an intrinsic
        plain: Callable[..., Any] = kernel.plain
        return plain
    function = kernel.py_func
    called = {
        name: _plain(other)
        for name, other in function.__globals__.items()
        if name in function.__code__.co_names
        and (hasattr(other, "py_func") or hasattr(other, "plain"))
    }
    names = {**function.__globals__, **called}
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)
