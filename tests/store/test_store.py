"""The store against kills, torn lines, full disks and second runs."""

from __future__ import annotations

import json
import os
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.store import Store, file_digest, opened, records
from hopscape.store.records import digest

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x), max_leaves=5
)


def _filled(path: Path, count: int = 5) -> bytes:
    with Store(path) as store:
        for i in range(count):
            store.add(f"key {i}", {"square": i * i}, about=f"square of {i}")
    return path.read_bytes()


def test_every_cut_leaves_a_file_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    whole = _filled(path)
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        with Store(path) as store:
            kept = len(store)
            assert all(store[f"key {i}"] == {"square": i * i} for i in range(kept))
            assert kept == max(0, whole[:cut].count(b"\n") - 1)
            for i in range(kept, 5):
                store.add(f"key {i}", {"square": i * i}, about=f"square of {i}")
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "content",
    [
        b"hello\nthere\n",
        b"hello",
        b"\xff\xfe\x00\n",
        b'{"format": "hopscape-results", "version": 1}\n',
        b'{"format": "other", "version": 2}\n',
        b'{"format": "hopscape-results", "version": 2}\n{"key": 1}\n',
        b'{"format": "hopscape-results", "version": 2}\n{"key": [1], "result": 2}\n',
        b'{"format": "hopscape-results", "version": 2}\nnothing\n{"key": "a", "result": 2}\n',
        b"[" * 100_000 + b"\n",
        b"[]\n",
    ],
)
def test_other_files_are_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(FileFormatError):
        Store(path)
    assert path.read_bytes() == content


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="No such file"):
        Store(tmp_path / "missing" / "r.jsonl")
    with pytest.raises(FileFormatError, match="ordinary"):
        Store(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileFormatError, match="ordinary"):
        Store(tmp_path / "pipe")


def test_a_second_run_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with Store(path) as store:
        store.add("a", 1)
        with pytest.raises(ArgumentError, match="in use by another run"):
            Store(path)
        store.add("b", 2)
    with Store(path) as store:
        assert (store["a"], store["b"]) == (1, 2)


def test_a_full_disk_takes_nothing_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may take a part of a line before it refuses; the next line must not be glued."""
    path = tmp_path / "r.jsonl"
    with Store(path) as store:
        store.add("a", 1)
        write, left = os.write, [7]

        def scarce(handle: int, data: bytes) -> int:
            if left[0] == 0:
                raise OSError(28, "No space left on device")
            done = write(handle, data[: left[0]])
            left[0] -= done
            return done

        monkeypatch.setattr(records.os, "write", scarce)
        with pytest.raises(ArgumentError, match="No space left"):
            store.add("b", 2)
        assert "b" not in store
        left[0] = 10**6
        store.add("c", 3)
    monkeypatch.undo()
    assert [json.loads(line).get("key") for line in path.read_bytes().splitlines()] == [
        None,
        "a",
        "c",
    ]


def test_short_writes_are_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.jsonl"
    write = os.write
    monkeypatch.setattr(records.os, "write", lambda handle, data: write(handle, data[:3]))
    whole = _filled(path)
    monkeypatch.undo()
    assert whole == _filled(tmp_path / "other.jsonl")


@given(PLAIN, PLAIN)
def test_digests_tell_inputs_apart(one: object, other: object) -> None:
    same = json.dumps(one) == json.dumps(other)
    assert (digest("x", one) == digest("x", other)) == same


def test_digest_counts_content_and_not_order_or_name(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("1")
    second.write_text("1")
    assert digest("x", {"p": 1, "q": 2}, [first]) == digest("x", {"q": 2, "p": 1}, [second])
    assert digest("x", {"p": {3, 1}}) == digest("x", {"p": {1, 3}})
    assert digest("x", 1) != digest("y", 1)
    second.write_text("2")
    assert digest("x", 1, [first]) != digest("x", 1, [second])
    assert file_digest(first) != file_digest(second)
    with pytest.raises(FileFormatError):
        digest("x", 1, [tmp_path / "missing"])
    with pytest.raises(TypeError, match="object"):
        digest("x", object())


def test_numbers_of_numpy_are_kept_and_other_things_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with Store(path) as store:
        store.add("a", {"value": np.int64(7), "row": np.arange(3)}, about="figures of ring(7)")
        with pytest.raises(ArgumentError, match=r"ring\(8\): the result cannot be kept: a \w*Path"):
            store.add("b", path, about="figures of ring(8)")
        store.add("c", 1)
    with Store(path) as store:
        assert (store["a"], store["c"], "b" in store) == ({"value": 7, "row": [0, 1, 2]}, 1, False)


def test_a_store_that_is_open_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with Store(path) as store:
        with opened(store) as same:
            assert same is store
        store.add("a", 1)
    with opened(path) as again:
        assert again["a"] == 1
    with Store(path) as free:  # nobody holds it any more
        assert "a" in free


def test_a_figure_that_was_changed_is_noticed(tmp_path):
    """It came back as if it had been computed."""
    path = tmp_path / "a.jsonl"
    with Store(path) as store:
        store.add("a", {"diameter": 12, "mean": 2.5}, "circulant nodes=20")
        store.add("b", [1, 2])
    right = path.read_bytes()
    for old, new in ((b"12", b"11"), (b'"a"', b'"c"'), (b"[1, 2]", b"[1, 3]"), (b"2.5", b"2.50")):
        path.write_bytes(right.replace(old, new))
        with pytest.raises(FileFormatError, match=r"is damaged: line [23] is not what was written"):
            Store(path)
    path.write_bytes(re.sub(rb', "crc": "\w+"', b"", right))  # of an earlier version
    with Store(path) as store:
        assert store["a"] == {"diameter": 12, "mean": 2.5}
        store.add("c", 3)
    assert Store(path)["c"] == 3


def test_a_file_of_another_version_is_called_so(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"format": "hopscape-results", "version": 1}\n', "utf-8")
    with pytest.raises(FileFormatError, match="holds results in version 1 of the format"):
        Store(path)


def test_the_lock_of_windows(tmp_path, monkeypatch):
    """One byte far beyond the end, by msvcrt: a second run is refused in a sentence."""
    held: set[tuple[int, int]] = set()

    def locking(handle, mode, count):
        place = os.fstat(handle).st_ino, os.lseek(handle, 0, os.SEEK_CUR)
        assert (mode, count) == (7, 1)
        if place in held:
            raise PermissionError(13, "Permission denied")
        held.add(place)

    fake = types.SimpleNamespace(locking=locking, LK_NBLCK=7)
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    monkeypatch.setattr(records.sys, "platform", "win32")
    with Store(tmp_path / "a.jsonl") as store:
        store.add("k", 1)
        with pytest.raises(ArgumentError, match="is in use by another run"):
            Store(tmp_path / "a.jsonl")
        store.add("l", 2)
    assert [place for _, place in held] == [2**31 - 2]
    held.clear()
    assert len(Store(tmp_path / "a.jsonl")) == 2
