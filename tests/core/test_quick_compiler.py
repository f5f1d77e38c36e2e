"""What the quick compiler replaces gives the same as numba's own."""

from __future__ import annotations

import copy
import gc
from typing import Any

import pytest
from numba import njit
from numba.core import ir
from numba.core.compiler import Flags
from numba.core.targetconfig import TargetConfig

from hopscape.core import quick_compiler as module
from hopscape.core.quick_compiler import quick_compiler

PATCHED = [(TargetConfig, "__hash__"), (TargetConfig, "__eq__"), (ir.Scope, "__deepcopy__")]
PATCHED += [(ir.Loc, "__deepcopy__")]


def _methods() -> list[Any]:
    return [owner.__dict__.get(name) for owner, name in PATCHED]


def _scope() -> ir.Scope:
    outer = ir.Scope(None, ir.Loc("outer.py", 1))
    scope = ir.Scope(outer, ir.Loc("inner.py", 3))
    for name in ("a", "b"):
        scope.define(name, ir.Loc("inner.py", 4))
    scope.redefine("a", ir.Loc("inner.py", 5))
    return scope


def _plain(scope: Any) -> Any:
    """A scope as plain values."""
    if scope is None:
        return None
    names = {
        name: (v.name, v.loc.line, v.scope is scope) for name, v in scope.localvars._con.items()
    }
    others = {name: set(found) for name, found in scope.var_redefinitions.items()}
    return _plain(scope.parent), names, scope.loc.line, dict(scope.redefined), others


def test_everything_is_put_back() -> None:
    methods, threshold = _methods(), gc.get_threshold()
    with quick_compiler():
        assert all(new is not old for new, old in zip(_methods(), methods, strict=True))
        assert gc.get_threshold() != threshold
    assert _methods() == methods
    with pytest.raises(ZeroDivisionError), quick_compiler():
        raise ZeroDivisionError
    assert _methods() == methods
    assert gc.get_threshold() == threshold


def test_flags_compare_and_hash_as_before() -> None:
    flags = [Flags() for _ in range(4)]
    flags[1].nrt = True
    flags[2].nrt = False  # the default, said
    flags[3].error_model = "numpy"
    table = [[a == b for b in flags] for a in flags]
    hashes = [hash(each) for each in flags]
    with quick_compiler():
        assert [[a == b for b in flags] for a in flags] == table
        assert [hash(each) for each in flags] == hashes
        assert flags[0] != "flags"
    assert table[0] == [True, False, True, False]


def test_scopes_are_copied_as_before() -> None:
    scope = _scope()
    block = ir.Block(scope, scope.loc)
    block.body = [ir.Assign(scope.get_exact("a.1"), scope.get_exact("b"), scope.loc)]
    slow = copy.deepcopy(block)
    with quick_compiler():
        quick = copy.deepcopy(block)
    assert quick.scope is not scope
    assert quick.scope.parent is not scope.parent
    assert _plain(quick.scope) == _plain(slow.scope) == _plain(scope)
    [statement] = quick.body
    assert statement.target is quick.scope.get_exact("b")
    assert statement.value is quick.scope.get_exact("a.1")
    quick.scope.define("new", scope.loc)
    quick.scope.redefine("a", scope.loc)
    assert _plain(slow.scope) == _plain(scope)


def test_functions_with_copies_run() -> None:
    @njit(inline="always")
    def twice(x: int) -> int:
        y = x
        for _ in range(1):
            y += x
        return y

    @njit
    def root(x: int) -> int:
        return twice(twice(x)) + twice(x)

    with quick_compiler():
        assert root(5) == 30


def test_another_numba_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    methods = _methods()
    monkeypatch.setattr(module, "_SCOPE", {"parent"})
    with quick_compiler():
        assert _methods() == methods
