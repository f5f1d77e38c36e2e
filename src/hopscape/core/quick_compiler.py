"""Numba's compiler without work that leaves no trace in the machine code.

Three things take a good part of the time in which numba compiles a large kernel. The flags of the
compilation are listed anew, name by name, whenever an overload is looked up. A block that is copied
into another function takes along a copy of all variables of its own function, made by the general
:func:`copy.deepcopy`. And the garbage collector looks at everything that the compiler keeps.

Inside :func:`quick_compiler` shorter routines give the same results. Where numba is built
otherwise, nothing is replaced.
"""

from __future__ import annotations

import copy
import gc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

__all__ = ["quick_compiler"]

_GARBAGE = 200_000  # objects between two collections


@contextmanager
def quick_compiler() -> Iterator[None]:
    """Compile kernels faster inside; everything is as before afterwards."""
    before = gc.get_threshold()
    with ExitStack() as stack:
        gc.set_threshold(max(before[0], _GARBAGE), *before[1:])
        stack.callback(gc.set_threshold, *before)
        for owner, name, quicker in _replacements():
            stack.callback(_restore, owner, name, owner.__dict__.get(name))
            setattr(owner, name, quicker)
        yield


def _restore(owner: type, name: str, method: Any) -> None:
    if method is None:
        delattr(owner, name)
    else:
        setattr(owner, name, method)


def _replacements() -> list[tuple[type, str, Any]]:
    """Class, method, and what takes its place; none for a numba that is built otherwise."""
    try:
        from numba.core.ir import Loc, Scope, Var
        from numba.core.targetconfig import TargetConfig

        flags, scope = TargetConfig(), Scope(None, Loc("", 1))
        _copy_scope(scope, {})
        variable = Var(scope, "a", scope.loc)
        if flags._values or set(vars(scope)) != _SCOPE or set(vars(variable)) != _VARIABLE:
            return []
    except (ImportError, AttributeError, TypeError):
        return []
    return [
        (TargetConfig, "__hash__", _hash_flags),
        (TargetConfig, "__eq__", _compare_flags(TargetConfig.__eq__)),
        (Scope, "__deepcopy__", _copy_scope),
        (Loc, "__deepcopy__", lambda place, memo: place),  # is never changed
    ]


_SCOPE = {"parent", "localvars", "loc", "redefined", "var_redefinitions"}
_VARIABLE = {"scope", "name", "loc"}


def _hash_flags(flags: Any) -> int:
    """Numba's own hash, that of the sorted names of the options, without their values."""
    return hash(tuple(sorted(flags.options)))


def _compare_flags(general: Any) -> Any:
    """Equal options of one class have equal values; else ask option by option."""

    def equal(flags: Any, other: Any) -> Any:
        if type(flags) is type(other) and flags._values == other._values:
            return True
        return general(flags, other)

    return equal


def _copy_scope(scope: Any, memo: dict[int, Any]) -> Any:
    """What :func:`copy.deepcopy` makes of the variables of a function."""
    out = type(scope)(copy.deepcopy(scope.parent, memo), scope.loc)
    memo[id(scope)] = out
    for name, variable in scope.localvars._con.items():
        new = type(variable)(out, variable.name, variable.loc)
        memo[id(variable)] = new
        out.localvars._con[name] = new
    out.redefined.update(scope.redefined)
    for name, others in scope.var_redefinitions.items():
        out.var_redefinitions[name] = set(others)
    return out
