"""Nothing that users' scripts depend on is lost, and what is new is added on purpose.

``python tests/golden/record.py`` renews the lists; see there.
"""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
import record

RENEW = "; python tests/golden/record.py adds what is new"


def _same(name: str, now: Any) -> None:
    before = record.recorded(name)
    assert not record.missing(before, now), f"missing from {name}"
    assert not record.missing(now, before), f"new in {name}{RENEW}"


def test_families_are_those_of_the_list() -> None:
    _same("families", record.families())


def test_families_are_functions_with_types() -> None:
    assert record.STUB.read_text(encoding="utf-8") == record.stub(), RENEW


def test_formats_are_those_of_the_list() -> None:
    _same("formats", record.formats())


def test_algorithms_are_those_of_the_list() -> None:
    now = record.algorithms()
    _same("algorithms", now)
    assert not record.PRINTED & {name for names in now.values() for name in names}


def test_commands_and_options_are_those_of_the_list() -> None:
    before, now = record.recorded("commands"), record.commands()
    assert not [words for words in before if words not in now]
    lost = [f"{words} {name}" for words, names in before.items() for name in names
            if name not in now[words] and not record.is_accepted(words, name)]  # fmt: skip
    assert not lost
    assert not record.missing(now, before), f"new{RENEW}"


def test_answers_have_the_keys_of_the_list(tmp_path: Path) -> None:
    wrong: list[str] = []
    before = record.recorded("answers")
    with chdir(tmp_path):
        for request in record.ANSWERS:
            words = " ".join(request)
            done = record.answer(request)
            if done.returncode != 0:
                wrong.append(f"{words}: {done.stderr}")
                continue
            now = record.shape(json.loads(done.stdout))
            wrong += [f"{words}: lost {one}" for one in record.missing(before[words], now)]
            wrong += [f"{words}: {one}" for one in record.kinds_changed(before[words], now)]
            new = record.missing(now, before[words])
            wrong += [f"{words}: new {one}{RENEW}" for one in new]
    assert not wrong, "\n".join(wrong)
    assert len(before) == len(record.ANSWERS)


@pytest.mark.parametrize(
    ("before", "now", "lost"),
    [
        ({"a": "number"}, {}, ["a"]),
        ({"a": [{"b": "number"}]}, {"a": [{"c": "number"}]}, ["a > b"]),
        ({"a": {"b": "number"}}, {"a": "number"}, ["a > {'b': 'number'} became number"]),
        (["x", "y"], ["y", "z"], ["x"]),
        ({"a": "number"}, {"a": "null", "b": "string"}, []),
    ],
)
def test_what_is_lost_is_named(before: Any, now: Any, lost: list[str]) -> None:
    assert record.missing(before, now) == lost


def test_kinds_of_values_may_not_change() -> None:
    rows = [{"a": 1, "b": None}, {"a": 2.5, "b": "x"}]
    assert record.shape(rows) == [{"a": "number", "b": "null|string"}]
    assert not record.kinds_changed(record.shape(rows), record.shape(rows[:1]))
    assert record.kinds_changed(record.shape(rows), [{"a": "string"}]) == [
        "a > number became string"
    ]
