"""How kernels are compiled: kept on disk, free of Python's lock, and no entry that nobody uses.

An entry for callers takes as long to compile as a small function itself. C never calls a kernel,
and Python never calls what only serves other kernels.

A kernel that is called with a constant, or in a loop with a variable that began as one, would be
compiled for that constant too; here it is compiled for its type only.

A kernel that says how many steps a call takes is interpreted while it has little to do and nobody
has compiled it: the first answer about a small network does not wait for the compiler. As with
renting or buying skis, it is compiled once interpreting has cost a fair part of that.

Numba compiles a kernel anew when its own file has changed. A kernel also holds the code of those
that it calls and the constants that it imports, so here the files of these count as well.

What keeps compiling short: a count that is handed to another kernel begins as ``np.int64(0)`` (a
bare 0 is a type of its own, and the callee is compiled twice); loops instead of slices assigned to
slices, ``sort`` and ``argmin``; ``_nrt=False`` where nothing is allocated. A kernel that sorts with
ties or draws numpy's random numbers is never interpreted: there the two differ.

Kernels without a compiler: as plain Python, all of them with ``NUMBA_DISABLE_JIT=1``.

Private parts of numba are touched here and nowhere else, each with a test in
``tests/core/test_kernel.py`` that fails when another numba has changed them: the stamp, the index
and the key of its cache (``_source_stamp``, ``_load_index``, ``_index_key``), how a dispatcher
compiles a call (``_compile_for_args``) and resolves one from a kernel (``get_call_template``).
``pyproject.toml`` admits numba up to the newest version that the suite has passed with.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils

__all__ = [
    "copied",
    "fetch",
    "helper",
    "interpreted",
    "intrinsic_or",
    "is_cached",
    "is_kernel",
    "is_ready",
    "kernel",
    "loop",
    "place_of",
]

_LITTLE = 1_000_000  # steps: about half a second, less than the verifier takes to compile
_DIGITS = 18  # of a setting: all numbers of so many fit into 64 bits

_PACKAGE = Path(__file__).resolve().parent.parent
_IMPORT = re.compile(r"^from hopscape\.([\w.]+) import (\([^)]*\)|.*)", re.MULTILINE)

Stamp = tuple[tuple[str, int, int], ...]


def kernel(
    function: Callable[..., Any] | None = None,
    /,
    *,
    steps: Callable[..., int] | None = None,
    cache: bool = True,
    **options: Any,
) -> Any:
    """For functions that Python calls.

    Args:
        steps: Takes the same arguments and says about how many turns of its loops a call usually
            takes. A kernel with it may be interpreted, which must give the same: beware of sums of
            small integers, which the compiler widens and numpy does not.
        cache: Keep the machine code on disk.
        **options: More options of :func:`numba.njit`.
    """
    if function is None:
        return partial(kernel, steps=steps, cache=cache, **options)
    made = njit(cache=cache, nogil=True, no_cfunc_wrapper=True, **options)(function)
    file: Any = getattr(getattr(made, "_cache", None), "_cache_file", None)
    if hasattr(file, "_source_stamp"):  # not where nothing is compiled, or kept
        file._source_stamp = file._source_stamp, source_stamp(Path(function.__code__.co_filename))
    if hasattr(file, "_load_index"):
        file._load_index = partial(_readable_index, file._load_index)
    if hasattr(made, "get_call_template"):
        made.get_call_template = partial(_without_constants, made.get_call_template)
    if steps is not None and hasattr(made, "_compile_for_args"):
        made._compile_for_args = _Tiers(made, steps)
    return made


def _readable_index(load: Callable[[], dict[Any, Any]]) -> dict[Any, Any]:
    """What is compiled already: nothing where the index names classes that have been renamed."""
    try:
        return load()
    except OSError:  # a disk or a right, not an old file
        raise
    except Exception:  # whatever a stale file makes unpickling raise
        return {}


helper = partial(kernel, no_cpython_wrapper=True)
"""For functions that only kernels call."""

copied = partial(helper, error_model="numpy", _nrt=False, forceinline=True)
"""For small helpers that allocate nothing: LLVM copies the machine code, and numba, whose own
copies (``inline="always"``) take most of the time of a first run, types and lowers them once."""


loop = partial(helper, cache=False)
"""For generators that kernels iterate. Numba cannot iterate one that it has read from disk; the
kernels that do it, which hold its code, are kept."""


def _without_constants(resolve: Callable[..., Any], args: Any, kws: Any) -> Any:
    """How a call from another kernel is resolved: by the types of its arguments."""
    plain = {name: types.unliteral(kind) for name, kind in kws.items()}
    return resolve(tuple(map(types.unliteral, args)), plain)


@cache
def _interpreted_steps() -> int:
    """How many steps of each kernel a process interprets: ``HOPSCAPE_INTERPRET``, or a few."""
    setting = os.environ.get("HOPSCAPE_INTERPRET") or str(_LITTLE)
    if not setting.isdecimal() or len(setting) > _DIGITS:
        from hopscape.core.errors import ArgumentError

        short = setting if len(setting) <= _DIGITS else f"{setting[:_DIGITS]}..."
        raise ArgumentError(f"HOPSCAPE_INTERPRET is {short!r}; it must be 0 or a number of steps")
    return int(setting)


class _Tiers:
    """Asked by a dispatcher for the function that serves a call with new types of arguments."""

    def __init__(self, made: Any, steps: Callable[..., int]) -> None:
        self._compile = made._compile_for_args
        self._made, self._steps = made, steps
        self._taken = 0
        self._missing: set[tuple[Any, ...]] = set()

    def __call__(self, *args: Any, **kws: Any) -> Any:
        self._taken += self._steps(*args, **kws)
        if kws or self._taken > _interpreted_steps() or self._is_cached(args):
            return self._compile(*args, **kws)
        return interpreted(self._made)

    def _is_cached(self, args: tuple[Any, ...]) -> bool:
        kinds = tuple(map(self._made.typeof_pyval, args))
        if kinds not in self._missing and not is_cached(self._made, kinds):
            self._missing.add(kinds)
        return kinds not in self._missing


def is_kernel(function: Any) -> bool:
    """Is a function compiled when it is called, and kept on disk?"""
    return hasattr(function, "py_func") and hasattr(function, "_cache")


def is_cached(made: Any, kinds: tuple[Any, ...]) -> bool:
    """Is a kernel compiled, here or on disk? A question about the insides of numba's cache."""
    try:
        key = made._cache._index_key(kinds, made.targetctx.codegen())
        return kinds in made.overloads or key in made._cache._cache_file._load_index()
    except (AttributeError, OSError, TypeError):  # another numba: look by loading
        return False


def is_ready(made: Any) -> bool:
    """Has a kernel been compiled for some types, here or on disk, or is nothing ever compiled?"""
    file = getattr(getattr(made, "_cache", None), "_cache_file", None)
    return not hasattr(made, "overloads") or bool(made.overloads or (file and file._load_index()))


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
    paths = []
    for room, names in _IMPORT.findall(text):
        place = package.joinpath(*room.split("."))
        paths += [place / f"{name}.py" for name in re.findall(r"\w+", names)]
        paths.append(place.with_suffix(".py"))
    return [one for one in paths if one.is_file()]


def _file_stamp(path: Path) -> tuple[str, int, int]:
    known = path.stat()
    return path.name, known.st_mtime_ns, known.st_size


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


def place_of(target: Any, builder: Any, kind: Any, array: Any, indices: Any) -> Any:
    """For an intrinsic: where an element of an array lies, from the array's type and value."""
    view = target.make_array(kind)(target, builder, array)
    return cgutils.get_item_pointer(target, builder, kind, view, indices, wraparound=False)


def _nothing_to_fetch(array: Any, row: Any, column: Any) -> None:
    """Nothing to do where nothing is compiled."""


@intrinsic_or(_nothing_to_fetch)
def fetch(_context: Any, array: Any, row: Any, column: Any) -> Any:
    """Ask for the cache line of ``array[row, column]``, which will be needed soon."""

    def build(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        at = [target.cast(builder, arguments[i], signature.args[i], types.intp) for i in (1, 2)]
        place = place_of(target, builder, kind, arguments[0], at)
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        ask = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], ask)
        builder.call(prefetch, [builder.bitcast(place, byte), word(0), word(3), word(1)])
        return target.get_dummy_value()

    return types.void(array, types.unliteral(row), types.unliteral(column)), build


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
