"""How kernels are compiled: kept on disk, free of Python's lock, and no entry that nobody uses.

An entry for callers takes as long to compile as a small function itself. C never calls a kernel,
and Python never calls what only serves other kernels.
"""

from __future__ import annotations

from functools import partial

from numba import njit

__all__ = ["helper", "kernel"]

kernel = partial(njit, cache=True, nogil=True, no_cfunc_wrapper=True)
"""For functions that Python calls; takes more options of :func:`numba.njit`."""

helper = partial(kernel, no_cpython_wrapper=True)
"""For functions that only kernels call."""
