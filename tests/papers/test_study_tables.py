"""Tables of studies are kept, and only those that are missing are made."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hopscape.ledger.claim import make_tables
from hopscape.store import Store

MADE: list[str] = []


def squares(count: int) -> list[dict[str, Any]]:
    MADE.append("squares")
    return [{"of": i, "square": Fraction(i * i, 2)} for i in range(count)]


def broken() -> list[dict[str, Any]]:
    MADE.append("broken")
    raise KeyboardInterrupt


def test_a_study_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    MADE.clear()
    with Store(path) as store, pytest.raises(KeyboardInterrupt):
        list(make_tables({"a": (squares, (3,)), "b": (broken, ())}, store))
    with Store(path) as store:
        again = dict(make_tables({"a": (squares, (3,)), "other": (squares, (2,))}, store))
    assert MADE == ["squares", "broken", "squares"]
    assert again == dict(make_tables({"a": (squares, (3,)), "other": (squares, (2,))}))
    assert again["a"][1] == {"of": 1, "square": "1/2"}
