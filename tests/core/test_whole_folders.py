"""One door in for TOML, one door out for folders: whole, and never over files of others."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from commands import refused, run, shown
from hopscape.core.errors import ArgumentError
from hopscape.core.files import whole_folder, write_text

BAD = {
    "digits": b"nodes = " + b"9" * 5000,
    "brackets": b"nodes = " + b"[" * 900,
    "text": b"nodes = '\xff\xfe'",
    "open": b"nodes = [1,",
    "long": b"#" * 1_000_001,
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
@pytest.mark.parametrize("words", [("prices",), ("show", "ring(4)", "--config")])
def test_toml_that_cannot_be_read_is_one_sentence(words, content, tmp_path):
    file = tmp_path / "a.toml"
    file.write_bytes(content)
    complaint = refused(*words, str(file))
    assert "a.toml" in complaint
    assert len(complaint) < 400


@pytest.mark.parametrize("words", [("prices",), ("show", "ring(4)", "--config")])
def test_toml_from_what_is_no_file(words, tmp_path):
    endless, pipe = tmp_path / "endless.toml", tmp_path / "pipe.toml"
    endless.symlink_to("/dev/zero")
    os.mkfifo(pipe)
    for place in (endless, pipe):
        assert "is no ordinary file" in refused(*words, str(place))
    assert "cannot be read" in refused(*words, str(tmp_path / "none.toml"))


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    place = tmp_path / "new"
    with suppress(ZeroDivisionError), whole_folder(place) as folder:
        write_text(folder / "a.txt", "a")
        raise ZeroDivisionError
    assert os.listdir(tmp_path) == []
    with whole_folder(place) as folder:
        (folder / "below").mkdir()
        write_text(folder / "below" / "a.txt", "a")
        assert not place.exists()
    assert (place / "below" / "a.txt").read_text() == "a"
    assert stat.S_IMODE(place.stat().st_mode) == 0o777 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_files_of_others_stay(tmp_path):
    place = tmp_path / "mine"
    place.mkdir()
    (place / "notes.txt").write_text("mine")
    with whole_folder(place) as folder:
        write_text(folder / "a.txt", "1")
        write_text(folder / "old.txt", "1")
    with whole_folder(place) as folder:  # its own files are replaced, or go
        write_text(folder / "a.txt", "2")
    assert (place / "a.txt").read_text() == "2"
    assert sorted(os.listdir(place)) == [".hopscape-files", "a.txt", "notes.txt"]
    with pytest.raises(ArgumentError, match=r"holds notes\.txt, which hopscape did not write"):
        _overwrite(place, force=False)
    assert (place / "notes.txt").read_text() == "mine"
    assert (place / "a.txt").read_text() == "2"
    _overwrite(place, force=True)
    assert (place / "notes.txt").read_text() == "theirs"


def _overwrite(place: Path, force: bool) -> None:
    with whole_folder(place, force=force) as folder:
        write_text(folder / "notes.txt", "theirs")


def test_a_hand_over_leaves_a_readme_alone(tmp_path):
    (tmp_path / "README.md").write_text("mine")
    complaint = refused("handover", "ring(3)", "--out", str(tmp_path))
    assert "README.md" in complaint
    assert "--force" in complaint
    assert os.listdir(tmp_path) == ["README.md"]


@pytest.mark.parametrize("words", [("handover", "ring(3)"), ("design", "--nodes", "9")])
def test_no_folder_is_not_this_folder(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*words, "--out", "")
    assert done.returncode == 2
    assert "is empty" in done.stderr
    assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    complaint = refused("handover", "ring(3)", "--out", str(tmp_path / "new"))
    assert "No space left" in complaint
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles C")
def test_a_name_ends_no_comment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x*").mkdir()
    shown("export", "ring(4)", "-o", "x*/y.json")
    shown("emit", "x*/y.json", "--to", "c", "-o", "q.c")
    assert subprocess.run(["gcc", "-c", "q.c"], check=False).returncode == 0


def test_a_study_writes_a_whole_folder_and_leaves_files_of_others(tmp_path):
    place = tmp_path / "study"
    shown("study", "circulant", "--diameter", "2", "--out", str(place))
    assert {"table.csv", "cell.svg", ".hopscape-files"} <= set(os.listdir(place))
    shown("study", "circulant", "--diameter", "2", "--out", str(place))
    other = tmp_path / "other"
    other.mkdir()
    (other / "table.csv").write_text("mine")
    assert "table.csv" in refused("study", "circulant", "--diameter", "2", "--out", str(other))
    assert (other / "table.csv").read_text() == "mine"
    assert os.listdir(other) == ["table.csv"]
    shown("study", "circulant", "--diameter", "2", "--out", str(other), "--force")
    assert (other / "table.csv").read_text() != "mine"


STUDIES = ["circulant", "rpc", "heawood", "multiring", "torus-broadcast", "load"]


@pytest.mark.parametrize("study", STUDIES)
def test_studies_refuse_no_folder_and_a_file(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "is empty" in refused("study", study, "--out", "")
    (tmp_path / "file").write_text("mine")
    assert "is a file" in refused("study", study, "--out", "file")
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(os.geteuid() == 0 and not os.path.exists("/proc"), reason="root writes all")
def test_a_folder_that_is_read_only_is_one_sentence(tmp_path):
    if os.geteuid() == 0:
        place = "/proc/hopscape"  # even root makes no folder there
    else:
        tmp_path.chmod(0o500)
        place = str(tmp_path / "new")
    for words in (("handover", "ring(3)"), ("study", "circulant", "--diameter", "2")):
        assert "cannot be made" in refused(*words, "--out", place)
