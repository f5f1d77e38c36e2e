"""The list of kernels that are compiled before the tests."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import pytest

import kernels
from hopscape.core import compile_ahead as ahead
from hopscape.core.kernel import is_kernel


def test_most_of_the_list_names_kernels_and_types_that_exist() -> None:
    """What is out of date is compiled by every worker again; when it is much, record it anew."""
    entries = kernels.listed()
    stale = [entry.name for entry in entries if not is_known(entry)]
    assert 10 * len(stale) <= len(entries), stale


def is_known(entry: ahead.PlannedKernel) -> bool:
    """Is there such a kernel, and do its types have a meaning?"""
    module, _, name = entry.name.partition(":")
    try:
        types = [ahead.decode(plain) for plain in json.loads(entry.types)]
        function = getattr(import_module(module), name)
    except (ImportError, AttributeError, TypeError):
        return False
    return is_kernel(function) and json.dumps([ahead.encode(one) for one in types]) == entry.types


def test_an_entry_that_is_out_of_date_is_known() -> None:
    entry = kernels.listed()[0]
    assert is_known(entry)
    assert not is_known(replace(entry, name=f"{entry.name}_before"))
    assert not is_known(replace(entry, types='[{"hopscape.core.model:Model": ["int64"]}]'))


def test_a_list_follows_from_what_was_compiled() -> None:
    def line(name: str, cost: int) -> str:
        return json.dumps([f"hopscape.core.new_kernels:{name}", ["int64"], cost])

    seen = [line("dear", 900), line("cheap", 10), line("dear", 400), line("cheap", 900)]
    assert kernels.merged(seen) == [line("dear", 400)]
    entry = max(kernels.planned_for_commands(), key=lambda one: one.cost)
    assert kernels.merged([json.dumps([entry.name, json.loads(entry.types), 9000])]) == []


@pytest.fixture
def compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> list[int]:
    """Counts how often the list is compiled; nothing is."""
    calls: list[int] = []
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(ahead, "compile_entries", lambda entries, count: calls.append(len(entries)))
    return calls


def _config(source: str, *, workers: int = 2, **options: object) -> pytest.Config:
    config: object = SimpleNamespace(
        args_source=pytest.Config.ArgsSource[source],
        option=SimpleNamespace(tx=["popen"] * workers),
        getoption=lambda name: options.get(name.strip("-").replace("-", "_")),
    )
    return config  # type: ignore[return-value]


def test_once_for_runs_of_all_tests_by_several_workers(compiled: list[int]) -> None:
    kernels.compile_kernels(_config("ARGS"))
    kernels.compile_kernels(_config("TESTPATHS", workers=0))
    kernels.compile_kernels(_config("TESTPATHS", interpreted=True))
    assert not compiled
    kernels.compile_kernels(_config("TESTPATHS"))
    kernels.compile_kernels(_config("TESTPATHS"))  # known by its stamp
    assert compiled == [len(kernels.listed())]
