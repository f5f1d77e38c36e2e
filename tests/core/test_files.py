"""Files appear whole or not at all, and nothing but an ordinary file is replaced."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.files import is_open_elsewhere, whole_folder, write_atomically, write_text
from hopscape.core.reading import TextFile


def _text(text: str):
    return lambda out: out.write(text.encode())


def test_new_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_atomically(path, _text("one"))
    path.chmod(0o640)
    write_atomically(path, _text("two"))
    assert path.read_text() == "two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "real.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_atomically(link, _text("new"))
    assert link.is_symlink()
    assert target.read_text() == "new"
    loose = tmp_path / "loose.txt"
    loose.symlink_to(tmp_path / "not yet.txt")
    write_atomically(loose, _text("new"))
    assert loose.is_symlink()
    assert (tmp_path / "not yet.txt").read_text() == "new"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    write_atomically(pipe, _text("x" * 200_000))
    reader.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert found == ["x" * 200_000]


def test_devices_are_written_to() -> None:
    write_atomically("/dev/null", _text("gone"))
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(ArgumentError, match="No space left"):
        write_atomically("/dev/full", _text("too much"))
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no /dev/shm")
def test_files_in_memory_are_files() -> None:
    """What stands in /dev/shm is replaced whole; it was appended to."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        place = Path(folder) / "a.json"
        write_atomically(place, _text("first"))
        before = place.stat().st_ino
        write_atomically(place, _text("second"))
        assert place.read_text("utf-8") == "second"
        assert place.stat().st_ino != before
        assert os.listdir(folder) == ["a.json"]
        os.mkfifo(Path(folder) / "pipe")
        with pytest.raises(FileFormatError, match="is no ordinary file"):  # it would wait
            TextFile(Path(folder) / "pipe")


def test_what_is_open_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    (tmp_path / "out").symlink_to("/dev/stdout")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "round").symlink_to("round")
    live = [tmp_path / "out", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
    assert all(is_open_elsewhere(one) for one in live)
    still = [
        tmp_path / "file",
        tmp_path / "link",
        tmp_path / "round",
        tmp_path / "new",
        "/dev/shm/x",
    ]
    assert not any(is_open_elsewhere(one) for one in still)


def test_standard_output_by_its_name(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    code = (
        "from hopscape.core.files import write_atomically;"
        "write_atomically('/dev/stdout', lambda out: out.write(b'after\\n'))"
    )
    with open(log, "ab") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert log.read_text() == "before\nafter\n"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert run.stdout == b"after\n"


@pytest.mark.parametrize("bad", [".", "missing/a.txt", "a.txt/b.txt", "x" * 300])
def test_bad_places_are_one_sentence(tmp_path: Path, bad: str) -> None:
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(ArgumentError):
        write_atomically(tmp_path / bad, _text("new"))
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "old"


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(ArgumentError, match="Permission denied"):
        write_atomically(path, _text("new"))


def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(ArgumentError, match="too large"):
            write_atomically(path, _text("x" * 5000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_an_error_while_writing_leaves_the_old(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def stops(out) -> None:
        out.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, stops)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_what_a_killed_process_left_is_removed(tmp_path):
    """Files and folders in the making carry the number of their process."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (tmp_path / f".out.json.{dead.pid}.abc").write_text("half")
    (tmp_path / f".out.json.{os.getpid()}.abc").write_text("in the making")
    (tmp_path / ".out.json.mine").write_text("a user's")
    write_text(tmp_path / "out.json", "whole")
    left = sorted(os.listdir(tmp_path))
    assert left == sorted([f".out.json.{os.getpid()}.abc", ".out.json.mine", "out.json"])
    (tmp_path / f".new.{dead.pid}.abc").mkdir()
    with whole_folder(tmp_path / "new") as folder:
        write_text(folder / "a", "a")
    assert not (tmp_path / f".new.{dead.pid}.abc").exists()


def test_what_does_not_fit_is_called_by_its_own_name(tmp_path, monkeypatch):
    """Not by that of the folder in the making, which is gone when the message is read."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hopscape.core.files.os.fsync", full)

    def write():
        with whole_folder(tmp_path / "new") as folder:
            write_text(folder / "a.txt", "a")

    with pytest.raises(ArgumentError, match="No space left") as found:
        write()
    assert str(tmp_path / "new" / "a.txt") in str(found.value)
    assert list(tmp_path.iterdir()) == []
