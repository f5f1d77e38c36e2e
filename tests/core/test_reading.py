"""The frame of all readers: sizes first, places in every complaint, numbers checked once."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from hopscape.core.errors import FileFormatError, TooLargeError
from hopscape.core.reading import (
    TextFile,
    TextLine,
    Word,
    load_array,
    load_arrays,
    load_json,
    read_bytes,
    read_matrix,
)


def _word(text: str) -> Word:
    file = TextFile.__new__(TextFile)
    file.path = "f"
    return Word(text, TextLine(file, 3, f"a {text}"), 3)


@pytest.mark.parametrize("text", ["0", "7", "+7", "007", "9223372036854775807"])
def test_whole_numbers(text: str) -> None:
    assert _word(text).integer("x") == int(text)


@pytest.mark.parametrize(
    "text",
    ["", "²", "٣", "1_0", "1.0", "0x1", "nan", "-1", "9223372036854775808", "9" * 5000, "1e3"],
)
def test_what_is_no_whole_number(text: str) -> None:
    with pytest.raises(FileFormatError, match="f, line 3, column 3: x "):
        _word(text).integer("x")


def test_ranges_are_said() -> None:
    with pytest.raises(FileFormatError, match="x is 9; it must be from 0 to 8"):
        _word("9").integer("x", 0, 8)
    with pytest.raises(FileFormatError, match="x is -2; it must be at least -1"):
        _word("-2").integer("x", -1)
    with pytest.raises(FileFormatError, match="x is 2; it must be from 0 to 1"):
        _word("2.0").real("x", 0, 1)


@pytest.mark.parametrize("text", ["1", "-0.5", ".5", "1e-3", "1E3"])
def test_real_numbers(text: str) -> None:
    assert _word(text).real("x") == float(text)


@pytest.mark.parametrize("text", ["", "nan", "inf", "1e999", "1_0.0", "true", "..", "1e", "0x1p3"])
def test_what_is_no_finite_number(text: str) -> None:
    with pytest.raises(FileFormatError, match="x must be a finite number"):
        _word(text).real("x")


def test_places(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("\ufeff# nodes 5\n\n 1, ,3\n".encode())
    file = TextFile(path)
    assert file.remarks()["nodes"].integer("nodes") == 5
    (line,) = file.lines("#")
    assert [(cell.text, cell.column) for cell in line.cells()] == [("1", 2), ("", 5), ("3", 6)]
    assert [(word.text, word.column) for word in line.words()] == [("1", 2), ("3", 6)]
    assert line.number == 3


def test_compressed_and_large(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"x" * 10_000))
    assert read_bytes(path) == b"x" * 10_000
    with pytest.raises(TooLargeError, match="holds more than 5 kB"):
        read_bytes(path, 5000)
    path.write_bytes(b"x" * 10_000)
    with pytest.raises(TooLargeError, match="has 10 kB; at most 5 kB"):
        read_bytes(path, 5000)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "line 1, column 2"),
        ("[" * 100_000, "brackets are nested too deep"),
        ("[1" + "0" * 10_000 + "]", "more than 4,300 digits"),
    ],
)
def test_json(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=complaint):
        load_json(path)


def test_no_text_and_no_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n\xff")
    with pytest.raises(FileFormatError, match="line 3: not a text file"):
        TextFile(path)
    for bad in (tmp_path, tmp_path / "none", tmp_path / ("x" * 300), "\0"):
        with pytest.raises(FileFormatError, match="cannot be read"):
            TextFile(bad)


def put(tmp_path, text, name="file.txt"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_matrices_of_numbers(tmp_path):
    assert read_matrix(put(tmp_path, "# shares\n1,2.5\n\n3e0;4\n")).tolist() == [[1, 2.5], [3, 4]]
    wrong = {
        "1,2\n3\n": "line 2: a row of 1 numbers below one of 2",
        "1,2\n3,x\n": "line 2, column 3: an entry must be a finite number, not 'x'",
        "1,nan\n": "line 1, column 3: an entry must be a finite number",
        "1,1_0\n": "line 1, column 3: an entry must be a finite number, not '1_0'",
        "1,٣\n": "line 1, column 3",
        "2,-1\n": "line 1, column 3: an entry is -1",
        "# none\n": "there is no matrix in it",
    }
    for text, says in wrong.items():
        with pytest.raises(FileFormatError, match=re.escape(says)):
            read_matrix(put(tmp_path, text), low=0)


def test_rows_of_integers(tmp_path):
    line = next(TextFile(put(tmp_path, "3, 7 9\n")).lines())
    assert line.integers("a port").tolist() == [3, 7, 9]
    with pytest.raises(FileFormatError, match="line 1, column 4: a port is 7; it must be from 0"):
        line.integers("a port", 0, 5)
    for number in ("9223372036854775808", "²", "1.5", "1_0"):
        line = next(TextFile(put(tmp_path, f"3 {number}\n")).lines())
        with pytest.raises(FileFormatError, match="line 1, column 3: a port"):
            line.integers("a port")


def test_archives_of_arrays(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "zeros.npz", zeros=np.zeros(10**6))
    assert load_arrays(tmp_path / "zeros.npz")["zeros"].shape == (10**6,)
    np.save(tmp_path / "one.npy", np.eye(3))
    assert load_array(tmp_path / "one.npy").tolist() == np.eye(3).tolist()
    monkeypatch.setenv("HOPSCAPE_MEMORY", "1M")
    with pytest.raises(TooLargeError, match=r"zeros\.npz would need 8 MB"):
        load_arrays(tmp_path / "zeros.npz")
    np.save(tmp_path / "things.npy", np.asarray([{}], dtype=object), allow_pickle=True)
    with pytest.raises(FileFormatError, match="Object arrays cannot be loaded"):
        load_array(tmp_path / "things.npy")
    with pytest.raises(FileFormatError, match=r"not a whole \.npz file"):
        load_arrays(put(tmp_path, b"PK\x03\x04", "broken.npz"))
