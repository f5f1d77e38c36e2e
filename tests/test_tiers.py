"""The two tiers: what is recorded exists, and a record follows from times."""

from __future__ import annotations

import ast
from pathlib import Path

from tiers import is_slower, mark_slower, read_times, recorded, slower_tests

ROOT = Path(__file__).parent.parent


def test_the_record_names_tests_that_exist() -> None:
    names = {file: names_in(ROOT / file) for file in {one.partition("::")[0] for one in recorded()}}
    wrong = []
    for line in recorded():
        file, _, name = line.partition("::")
        # A doctest is named after what it explains.
        whole = names[file] and (not name or file.startswith("src/"))
        if not whole and name.partition("[")[0].partition("::")[0] not in names[file]:
            wrong.append(line)
    assert wrong == []


def names_in(path: Path) -> set[str]:
    """What a module defines; nothing where there is no such file."""
    if not path.is_file():
        return set()
    body = ast.parse(path.read_text(encoding="utf-8")).body
    names = {getattr(node, "name", "") for node in body}
    return names | {ast.unparse(node.targets[0]) for node in body if isinstance(node, ast.Assign)}


def test_a_record_follows_from_times(tmp_path: Path) -> None:
    times = tmp_path / "times.jsonl"
    times.write_text(
        '["f::a[1]", 9]\n["f::a[2]", 8]\n["f::b[1]", 9]\n["f::b[2]", 0]\n["f::c", 3]\n'
    )
    again = tmp_path / "again.jsonl"
    again.write_text('["f::c", 0.1]\n')  # compiled by then
    lines = slower_tests(read_times([times, again]), limit=1)
    assert lines == ["f::a", "f::b[1]"]
    known = frozenset(lines)
    assert [is_slower(name, known) for name in ("f::a[7]", "f::b[1]", "f::b[2]", "f::c")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert is_slower("g::any[1]", frozenset({"g"}))


class Marked:
    """As much of a test as tiers look at."""

    def __init__(self, *marks: str) -> None:
        self.nodeid, self.marks, self.added = "tests/test_new.py::test_new", marks, list[str]()

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None

    def add_marker(self, name: str) -> None:
        self.added.append(name)


def test_studies_of_minutes_are_in_no_tier() -> None:
    program, study, plain = Marked("acceptance"), Marked("acceptance", "slow"), Marked()
    mark_slower([program, study, plain])  # type: ignore[list-item]
    assert (program.added, study.added, plain.added) == (["slower"], [], [])
