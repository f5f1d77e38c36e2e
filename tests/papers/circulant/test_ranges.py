"""Ranges of orders are written one way, a:b, in every command that takes one."""

from __future__ import annotations

import pytest

from commands import ask, refused

SEARCHES = [
    ("search", "circulant", "--generators", "2"),
    ("search", "multiring", "--rings", "4"),
    ("atlas", "circulant", "--degree", "6"),
]


@pytest.mark.parametrize("words", SEARCHES)
def test_a_range_is_two_numbers_and_a_colon(words: tuple[str, ...]) -> None:
    found = ask(*words, "--nodes", "8:10")
    rows = found["cells"] if isinstance(found, dict) else found
    assert [row["nodes"] for row in rows] == [8, 9, 10]
    assert "ranges are written 8:8,9" in refused(*words, "--nodes", "8..8,9")
    assert "7:1000" in refused(*words, "--nodes", "5:x")
    assert "at most" in refused(*words, "--nodes", "1:99999999999")
    assert "is empty" in refused(*words, "--nodes", "9:8")
    assert len(refused(*words, "--nodes", "9" * 5000)) < 400
