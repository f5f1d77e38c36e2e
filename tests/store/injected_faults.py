"""Kill a command at each of its writes, renames and syncs, go on, and compare with a quiet run.

    python tests/store/injected_faults.py [--every N] [NAME ...]

One process loads everything; each run is a fork of it, which dies at the chosen moment without a
word, as a kill -9 or a power cut would have it. Then the same command runs to its end on what is
left, and its output must be that of an undisturbed run. A folder (``--out``) that is new appears
whole or not at all; in one that is there no file is torn. Prints one JSON object.

What a task computes is remembered by the process that loads, since it is the writing that is
attacked; the undisturbed run computes all anew.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

COMMANDS: dict[str, str] = {
    "search circulant": "search circulant --nodes 20:26 --workers 1 --resume {table}",
    "search multiring": "search multiring --nodes 8:14 --rings 4 --workers 1 --resume {table}",
    "simulate": "simulate ring(6) --load 0.1,0.2,0.3 --cycles 200 --workers 1 --resume {table}",
    "design": "design --nodes 12 --ports 3 --finalists 1 --workers 1 --resume {table}",
    "study": "study load --sizes 64 --traffic uniform --cycles 20 --precision 0.5"
    " --workers 1 --resume {table}",
    "study of broadcasts": "study torus-broadcast --levels 1 --resume {table}",
    "ledger": "ledger --claim circulant-ulb2 --plant --sample 3 --workers 1 --resume {table}",
    "atlas": "atlas circulant --degree 6 --nodes 20:40 --prove --workers 1 --resume {table}",
}
FOLDERS: dict[str, str] = {
    "handover": "handover ring(4) --out {out}",
}
_WATCHED = ("write", "fsync", "replace", "rename", "ftruncate")
_DEAD = 9
_MOVING = {"seconds", "elapsed", "took"}  # what no two runs have in common


class Bomb:
    """Counts the calls that touch the disk, and ends the process at one of them."""

    def __init__(self, at: int | None, torn: bool) -> None:
        self.at, self.torn, self.calls = at, torn, 0

    def wrap(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            if name == "write" and arguments[0] <= 2:
                return original(*arguments, **options)
            if self.calls == self.at:
                if self.torn and name == "write":
                    handle, data = arguments
                    original(handle, data[: max(1, len(data) // 2)])
                elif self.torn:
                    original(*arguments, **options)
                os._exit(_DEAD)
            self.calls += 1
            return original(*arguments, **options)

        return watched


@contextmanager
def _armed(bomb: Bomb) -> Iterator[None]:
    saved = {name: getattr(os, name) for name in _WATCHED}
    for name, original in saved.items():
        setattr(os, name, bomb.wrap(name, original))
    try:
        yield
    finally:
        for name, original in saved.items():
            setattr(os, name, original)


class Memory:
    """What tasks computed: forks of a process that has done them need not do them again."""

    def __init__(self) -> None:
        self._results: dict[str, Any] = {}
        self._original: Callable[..., Any] | None = None
        self.asleep = False

    def _doing(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def remembered(*arguments: Any) -> Any:
            key = f"{work.__module__}.{work.__qualname__}{arguments!r}"
            if self.asleep or key not in self._results:
                self._results[key] = work(*arguments)
            return self._results[key]

        return remembered

    def _run(self, tasks: Any, work: Callable[..., Any], *others: Any, **options: Any) -> Any:
        assert self._original is not None
        return self._original(tasks, self._doing(work), *others, **options)

    def take_over(self) -> None:
        """Put itself between all modules and the runner of tasks."""
        from hopscape.store import tasks

        self._original = self._original or tasks.run_tasks
        for module in list(sys.modules.values()):
            if getattr(module, "run_tasks", None) is self._original:
                module.__dict__["run_tasks"] = self._run


MEMORY = Memory()


def _load(words: list[str]) -> None:
    """Run the command twice in this process: its forks load, compile and compute nothing.

    The first run imports the modules between which and the runner of tasks the memory is put.
    """
    from hopscape.cli import main

    nowhere = io.StringIO()
    for _ in range(2):
        with suppress(SystemExit), redirect_stdout(nowhere), redirect_stderr(nowhere):
            main([word.replace("warm", f"warm{_}") for word in words])
        MEMORY.take_over()


def run(
    words: list[str], at: int | None = None, torn: bool = False, *, anew: bool = False
) -> tuple[int, int]:
    """A fork runs the command: its exit status and how often it touched the disk."""
    MEMORY.asleep = anew
    back, forth = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        os.close(back)
        quiet = os.open(os.devnull, os.O_RDWR)
        os.dup2(quiet, 1)
        try:
            from hopscape.cli import main

            bomb = Bomb(at, torn)
            try:
                with _armed(bomb):
                    main(words)
            except SystemExit as ended:
                status = int(ended.code or 0)
            os.write(forth, str(bomb.calls).encode())
        finally:
            os._exit(status)
    os.close(forth)
    with os.fdopen(back, "rb") as pipe:
        calls = int(pipe.read() or b"0")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), calls


def result(path: Path) -> Any:
    """What a command wrote, without what no two runs have in common."""

    def still(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: still(v) for k, v in value.items() if k not in _MOVING}
        return [still(v) for v in value] if isinstance(value, list) else value

    return still(json.loads(path.read_text(encoding="utf-8")))


def attack(name: str, folder: Path, every: int) -> dict[str, Any]:
    """Kill one command everywhere; how often, and what went wrong."""

    def words(tag: str) -> list[str]:
        table, out = folder / f"{tag}.jsonl", folder / f"{tag}.json"
        return [*COMMANDS[name].format(table=table).split(), "-f", "json", "-o", str(out)]

    status, calls = run(words("quiet"), anew=True)
    wrong = [] if status == 0 else [f"the undisturbed run ends with {status}"]
    want = result(folder / "quiet.json") if status == 0 else None
    kills = 0
    for at in range(0, calls if status == 0 else 0, every):
        for torn in (False, True):
            tag = f"{at}-{torn:d}"
            ended, _ = run(words(tag), at, torn)
            kills += ended == _DEAD
            again = max(run(words(tag))[0], run(words(tag))[0])  # and the file is good once more
            if ended != _DEAD:
                wrong.append(f"call {at}: the bomb did not go off, exit {ended}")
            elif again != 0:
                wrong.append(f"call {at} torn={torn}: a later run ends with {again}")
            elif result(folder / f"{tag}.json") != want:
                wrong.append(f"call {at} torn={torn}: another result than undisturbed")
            left = [one for one in os.listdir(folder) if one.startswith(".")]
            wrong += [f"call {at} torn={torn}: {left[0]} is left over"] if left else []
    return {"calls": calls, "kills": kills, "wrong": wrong}


def _files(place: Path) -> dict[str, bytes]:
    """All files below a folder, those of a command that was killed too."""
    found = (one for one in place.rglob("*") if one.is_file())
    return {str(one.relative_to(place)): one.read_bytes() for one in found}


def _visible(files: dict[str, bytes]) -> dict[str, bytes]:
    """Without what is half-made, and without the list of what hopscape wrote."""
    return {name: data for name, data in files.items() if not name.startswith(".")}


def attack_folder(name: str, folder: Path, every: int) -> dict[str, Any]:
    """Kill a command that writes a folder, new or its own of before; how often, and what is wrong.

    The folder of before is another network's, so that every file that is replaced differs.
    """
    words = FOLDERS[name].split()
    before = [word.replace("ring(4)", "ring(5)") for word in words]

    def at_place(line: list[str], out: Path) -> list[str]:
        return [word.format(out=out) for word in line]

    wrong: list[str] = []
    kills = 0
    _, calls = run(at_place(words, folder / "quiet" / "out"))
    run(at_place(before, folder / "old" / "out"))
    want, old = _files(folder / "quiet" / "out"), _files(folder / "old" / "out")
    for at in sorted({*range(0, calls, every), max(calls - 1, 0)}):  # the last one, too
        for there in (False, True):
            around = folder / f"{at}-{there:d}"
            out = around / "out"
            if there:
                shutil.copytree(folder / "old" / "out", out)
            ended, _ = run(at_place(words, out), at, torn=True)
            kills += ended == _DEAD
            left = _visible(_files(out))
            whole = all(v in (want.get(k), old.get(k) if there else None) for k, v in left.items())
            if not whole or (not there and left and left.keys() != _visible(want).keys()):
                wrong.append(f"call {at} there={there}: a file is torn, or half of them are there")
            again, _ = run(at_place(words, out))
            if again or _files(around) != {f"out/{k}": v for k, v in want.items()}:
                wrong.append(
                    f"call {at} there={there}: a later run ends with {again}, or otherwise"
                )
    return {"calls": calls, "kills": kills, "wrong": wrong if want else ["nothing was written"]}


def main() -> None:
    """Attack some or all commands."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="only each so manieth call")
    parser.add_argument("names", nargs="*", metavar="NAME", help="commands; all without")
    given = parser.parse_args()
    report = {}
    for name in given.names or [*COMMANDS, *FOLDERS]:
        line = COMMANDS.get(name) or FOLDERS[name]
        with tempfile.TemporaryDirectory() as folder:
            _load([*line.format(table=f"{folder}/warm", out=f"{folder}/o").split(), "-f", "json"])
        with tempfile.TemporaryDirectory() as folder:
            one = attack if name in COMMANDS else attack_folder
            report[name] = one(name, Path(folder), given.every)
        print(name, report[name]["kills"], report[name]["wrong"][:2], file=sys.stderr)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
