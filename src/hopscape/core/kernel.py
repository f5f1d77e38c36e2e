"""How kernels are compiled: kept on disk, free of Python's lock, and no entry that nobody uses.

An entry for callers takes as long to compile as a small function itself. C never calls a kernel,
and Python never calls what only serves other kernels.

A kernel that is called with a constant, or in a loop with a variable that began as one, would be
compiled for that constant too; here it is compiled for its type only.

Numba compiles a kernel anew when its own file has changed. A kernel also holds the code of those
that it calls and the constants that it imports, so here the files of these count as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from numba import njit, types

__all__ = ["copied", "helper", "kernel"]

_PACKAGE = Path(__file__).resolve().parent.parent
_IMPORT = re.compile(r"^from hopscape\.([\w.]+) import (\([^)]*\)|.*)", re.MULTILINE)

Stamp = tuple[tuple[str, int, int], ...]


def kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """For functions that Python calls; takes more options of :func:`numba.njit`."""
    if function is None:
        return partial(kernel, **options)
    made = njit(cache=True, nogil=True, no_cfunc_wrapper=True, **options)(function)
    file: Any = getattr(getattr(made, "_cache", None), "_cache_file", None)
    if hasattr(file, "_source_stamp"):  # not where nothing is compiled, or kept
        file._source_stamp = file._source_stamp, source_stamp(Path(function.__code__.co_filename))
    if hasattr(made, "get_call_template"):
        made.get_call_template = partial(_without_constants, made.get_call_template)
    return made


helper = partial(kernel, no_cpython_wrapper=True)
"""For functions that only kernels call."""

copied = partial(helper, error_model="numpy", _nrt=False, forceinline=True)
"""For small helpers that allocate nothing: LLVM copies the machine code, and numba, whose own
copies (``inline="always"``) take most of the time of a first run, types and lowers them once."""


def _without_constants(resolve: Callable[..., Any], args: Any, kws: Any) -> Any:
    """How a call from another kernel is resolved: by the types of its arguments."""
    plain = {name: types.unliteral(kind) for name, kind in kws.items()}
    return resolve(tuple(map(types.unliteral, args)), plain)


def source_stamp(path: Path, package: Path = _PACKAGE) -> Stamp:
    """Times and sizes of all files of the package that a module imports at its top, and theirs."""
    left, seen = [path], set()
    while left:
        one = left.pop()
        if one not in seen:
            seen.add(one)
            left += _imported(one, package)
    return tuple(sorted(_file_stamp(one) for one in seen if one != path))


@cache
def _imported(path: Path, package: Path) -> list[Path]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return []
    found = []
    for room, names in _IMPORT.findall(text):
        place = package.joinpath(*room.split("."))
        found += [place / f"{name}.py" for name in re.findall(r"\w+", names)]
        found.append(place.with_suffix(".py"))
    return [one for one in found if one.is_file()]


def _file_stamp(path: Path) -> tuple[str, int, int]:
    known = path.stat()
    return path.name, known.st_mtime_ns, known.st_size
