"""Kernels without a compiler: with ``NUMBA_DISABLE_JIT=1`` they run as plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["intrinsic_or"]


def intrinsic_or(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Numba's ``intrinsic``, or its plain twin where nothing is compiled.

    Parameters
    ----------
    plain : callable
        Does the same in Python, on the arguments of the call.
    """
    from numba import config
    from numba.extending import intrinsic

    return lambda build: plain if config.DISABLE_JIT else intrinsic(build)
