"""Mutation testing: break the code in small ways, one at a time, and see whether a test notices.

    python tests/mutation.py --count 200 --seed 3 --files '*_kernels.py' --near

Mutants are drawn with a seed, equally many from each room. Each runs in a process of its own, with
kernels as plain Python (nothing is compiled, and no file is changed): first its twin's tests, those
of its name and its doctests, then the rest of its room, until one fails. A mutant that no test
notices has survived; one that uses up its processor time was caught in a loop, or met tests that
need as much (``--check`` prints what they need). What is done is kept in the log, so that a run can
be stopped and goes on later; ``--again`` repeats all survivors of the log that are still there, and
those that had less time than now; the summary counts all of its mutants that are still there.
``tests/mutants/equivalent.json`` lists those that change nothing that can be seen, with the reason.

``--record map.json`` runs all rooms' tests once and writes which test reaches which line; with
``--map map.json`` a mutant meets only the tests that reach its line, the quickest first.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).parent.parent
SOURCE, TESTS = ROOT / "src" / "hopscape", ROOT / "tests"
ROOMS = ("core", "metrics", "deadlock", "collectives", "simulate", "routers")
EXAMPLES = 25  # of a property, at most
FAMILY_SECONDS = 2
QUICK = {"simulate": "simulate/test_engine_kernels.py"}  # a second, and most of the room's kernels
MENTIONS = 2  # test files that name a module, taken as near to it
SECONDS = 150  # processor time of one mutant; the tests of a room need a fraction of it


def load_operators() -> Any:
    """The ledger's operators, without the package around them: mutants are imported later."""
    spec = spec_from_file_location("operators", SOURCE / "ledger" / "mutation.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules["operators"] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


operators = load_operators()
Mutant = operators.Mutant


def module_of(path: Path) -> str:
    """The name under which a file is imported."""
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)


def mutants_of(path: Path) -> list[Mutant]:
    """All mutants of a file."""
    found: list[Mutant] = operators.mutants_of(path.read_text(encoding="utf-8"), module_of(path))
    return found


class Importer(MetaPathFinder):
    """Gives the mutant instead of its module."""

    def __init__(self, mutant: Mutant, path: Path) -> None:
        self.mutant, self.path = mutant, path

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self.mutant.module:
            return None
        tree = operators.mutated(self.mutant, self.path.read_text(encoding="utf-8"))
        code = compile(tree, str(self.path), "exec")

        class Loader(SourceFileLoader):
            def get_code(self, fullname: str) -> Any:
                return code

        return spec_from_file_location(name, self.path, loader=Loader(name, str(self.path)))


def room_of(path: Path) -> str | None:
    """The room that a file counts for; routers come from the families."""
    first = path.relative_to(SOURCE).parts[0]
    if first == "families":
        return "routers" if "rout" in path.stem or "detour" in path.stem else None
    return first if first in ROOMS and "gpu" not in path.stem else None


def mentions(path: Path, folder: Path) -> list[Path]:
    """Test files of a folder that name the module or what it offers, the most mentions first."""
    module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    listed = re.search(r"^__all__ = \[(.*?)\]", path.read_text(encoding="utf-8"), re.M | re.S)
    names = re.findall(r'"(\w+)"', listed[1]) if listed else []
    pattern = re.compile("|".join([re.escape(f"hopscape.{module}"), *(rf"\b{n}\b" for n in names)]))
    counts = {
        test: len(pattern.findall(test.read_text(encoding="utf-8")))
        for test in sorted(folder.rglob("test_*.py"))
    }
    return sorted((test for test in counts if counts[test]), key=lambda test: -counts[test])


def tests_of(path: Path) -> tuple[list[str], list[str]]:
    """Test files: by twin, by name, by mention, and the file's own doctests; then the room's rest.

    A file is near to the twins of the modules that import it, too; one that no test names, to the
    tests of these modules.
    """
    sys.path.insert(0, str(TESTS))
    from twins import TWINS

    compared: dict[str, list[Path]] = defaultdict(list)
    for kernels, test, *_ in TWINS:
        compared[kernels].append(TESTS / test)
    parts = path.relative_to(SOURCE).with_suffix("").parts
    module, name = ".".join(parts), parts[-1].removesuffix("_kernels")
    twin = list(compared[module])
    if parts[0] in QUICK and name != parts[-1]:
        twin.insert(0, TESTS / QUICK[parts[0]])
    folder = TESTS / parts[0]
    pattern = f"test_{parts[1]}*" if parts[0] == "families" else f"test_{name}*"
    named = sorted({*folder.rglob(f"{pattern}.py"), *(folder / parts[1]).rglob("test_*.py")})
    if parts[0] != "families":
        named += mentions(path, folder)[:MENTIONS]
    users = [
        user
        for user in sorted(path.parent.rglob("*.py"))
        if re.search(rf"hopscape\.{re.escape(module)}\b", user.read_text(encoding="utf-8"))
    ]
    for user in users:
        twin += compared[".".join(user.relative_to(SOURCE).with_suffix("").parts)]
    if not twin and not named:
        named = [test for user in users for test in mentions(user, folder)[:MENTIONS]]
    routers = [TESTS / "core" / "test_router.py", TESTS / "families" / "test_facts.py"]
    rest = routers if parts[0] == "families" else sorted(folder.rglob("test_*.py"))
    near = dict.fromkeys([*twin, path, *named])
    far = dict.fromkeys(p for p in rest if p not in near)
    return [str(p) for p in near], [str(p) for p in far]


def name_of(item: Any) -> str:
    """A test function, whatever its parameters."""
    return str(item.nodeid).split("[")[0]


class Recorder:
    """Notes, for every line of the rooms, the tests that run it, and how long each test takes."""

    def __init__(self) -> None:
        from coverage import Coverage

        rooms = sorted({str(p) for p in SOURCE.rglob("*.py") if room_of(p)})
        self.coverage = Coverage(data_file=None, config_file=False, include=rooms)
        self.seconds: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        self.coverage.switch_context(name_of(item))
        begin = os.times()
        try:
            return (yield)
        finally:
            self.seconds[name_of(item)] += os.times().user - begin.user

    def write(self, path: Path) -> None:
        """All tests, the quickest first, and their numbers by file and line."""
        names = sorted(self.seconds, key=lambda name: self.seconds[name])
        numbers = {name: i for i, name in enumerate(names)}
        data = self.coverage.get_data()
        lines = {
            str(Path(file).relative_to(SOURCE)): {
                line: sorted(numbers[name] for name in tests if name in numbers)
                for line, tests in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        tests = [[name, round(self.seconds[name], 2)] for name in names]
        path.write_text(json.dumps({"tests": tests, "lines": lines}), encoding="utf-8")


def record(path: Path) -> None:
    """Run the tests of all rooms once."""
    files = [str(TESTS / room) for room in (*ROOMS[:-1], "families")]
    sources = [str(p) for p in sorted(SOURCE.rglob("*.py")) if room_of(p)]
    recorder = Recorder()
    recorder.coverage.start()
    os.chdir(ROOT)
    pytest.main(
        ["-q", "-p", "no:cacheprovider", *files, *sources], plugins=[Chooser(pipe=None), recorder]
    )
    recorder.coverage.stop()
    recorder.write(path)


class Chooser:
    """Takes the tests that are quick without a compiler, and the doctests of the mutant's file.

    Tests of families and circuits are all tried, each for some seconds. With `ranks` (places of
    tests by name) only those in it run, in that order.
    """

    def __init__(self, ranks: dict[str, int] | None = None, pipe: int | None = 3) -> None:
        self.ranks, self.pipe = ranks, pipe

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [
            item
            for item in items
            if type(item).__name__ == "DoctestItem"
            or item.path.parent.name == "circuits"
            or "families" in str(item.path)
            or item.get_closest_marker("interpreted")
        ]
        items[:] = [item for item in items if not item.get_closest_marker("compiled")]
        if self.ranks is not None:
            ranks = self.ranks
            items[:] = [item for item in items if name_of(item) in ranks]
            items.sort(key=lambda item: ranks[name_of(item)])
        for item in items:
            function = getattr(item, "function", None)
            limits = getattr(function, "_hypothesis_internal_use_settings", None)
            if limits is not None and limits.max_examples > EXAMPLES:
                function._hypothesis_internal_use_settings = settings(limits, max_examples=EXAMPLES)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: Any) -> Any:
        timed = not item.get_closest_marker("interpreted")
        signal.signal(signal.SIGPROF, lambda *_: pytest.skip("too slow without a compiler"))
        signal.setitimer(signal.ITIMER_PROF, FAMILY_SECONDS if timed else 0)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and self.pipe is not None:
            os.write(self.pipe, report.nodeid.encode() + b"\n")


def reaching(mutant: Mutant, path: Path, known: dict[str, Any]) -> list[str]:
    """The tests that run a mutant's line, or the one before it that counts as its statement."""
    lines = known["lines"].get(str(path.relative_to(SOURCE)), {})
    before = [line for line in map(int, lines) if line <= mutant.line]
    numbers = lines[str(max(before))] if before else []
    return [known["tests"][i][0] for i in numbers]


def try_out(
    mutant: Mutant | None, path: Path, seconds: int, batches: list[tuple[Chooser, list[str]]]
) -> dict[str, Any]:
    """Run tests on a mutant, or on the file as it is, in a process of its own."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(into, 3)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        signal.alarm(20 * seconds)  # one that sleeps
        os.chdir(ROOT)
        if mutant is not None:
            sys.meta_path.insert(0, Importer(mutant, path))
        quick = (Phase.explicit, Phase.generate)  # no shrinking
        settings.register_profile("mutation", derandomize=True, deadline=None, phases=quick)
        options = [
            "-x",
            "--assert=plain",
            "-p",
            "no:cacheprovider",
            "--hypothesis-profile=mutation",
        ]
        for chooser, files in batches:
            code = pytest.main([*options, *files], plugins=[chooser]) if files else 0
            if code not in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
                os._exit(1)
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as stream:
        by = stream.read().split("\n")[0]
    _, status, used = os.wait4(child, 0)
    ended = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (
        signal.SIGXCPU,
        signal.SIGKILL,
        signal.SIGALRM,
    )
    verdict = (
        "time" if ended else "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"
    )
    return {"verdict": verdict, "by": by, "cpu": round(used.ru_utime + used.ru_stime, 1)}


def batches_of(
    mutant: Mutant | None, path: Path, near: bool, known: dict[str, Any]
) -> list[tuple[Chooser, list[str]]]:
    """The tests for a mutant: those that reach it, or else by the names of files."""
    if known and mutant is not None:
        names = reaching(mutant, path, known)
        return [
            (
                Chooser({n: i for i, n in enumerate(names)}),
                sorted({n.split("::")[0] for n in names}),
            )
        ]
    return [(Chooser(), files) for files in tests_of(path)[: 1 if near else 2]]


def chosen(
    count: int, seed: int, rooms: list[str], files: str = "*.py"
) -> list[tuple[Mutant, Path]]:
    """Mutants in the order in which they run, the rooms in turn."""
    pool: dict[str, list[tuple[Mutant, Path]]] = defaultdict(list)
    for path in sorted(SOURCE.rglob(files)):
        room = room_of(path)
        if room in rooms:
            pool[room] += [(mutant, path) for mutant in mutants_of(path)]
    rng = random.Random(seed)
    most = -(-count // len(rooms))
    drawn = [rng.sample(pool[room], min(most, len(pool[room]))) for room in rooms]
    turns = [row[i] for i in range(most) for row in drawn if i < len(row)]
    return turns[:count]


def is_open(row: dict[str, Any], seconds: int) -> bool:
    """Is a mutant that survived, or whose tests may only have been too slow, worth another try?"""
    survived, late = row["verdict"] == "survived", row["verdict"] == "time"
    return survived or (late and row.get("seconds", 0) < seconds)


def judged(keys: Iterable[str]) -> list[tuple[Mutant, Path]]:
    """The mutants with these keys that the present source still has."""
    wanted = set(keys)
    every = ((m, path) for path in sorted(SOURCE.rglob("*.py")) for m in mutants_of(path))
    return [(m, path) for m, path in every if m.key in wanted]


def main() -> None:
    """Run, and print what has survived."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", nargs="+", default=list(ROOMS), choices=ROOMS)
    parser.add_argument("--files", default="*.py", help="only those, such as '*_kernels.py'")
    parser.add_argument("--log", type=Path, default=TESTS / "mutants/judged.jsonl")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="processor time per mutant")
    parser.add_argument(
        "--again", action="store_true", help="only repeat what has survived, or had less time"
    )
    parser.add_argument("--near", action="store_true", help="only the nearest tests, for a start")
    parser.add_argument("--record", type=Path, help="only write which test reaches which line")
    parser.add_argument("--map", type=Path, help="what --record has written")
    parser.add_argument("--check", action="store_true", help="the tests without any mutant")
    arguments = parser.parse_args()
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    for name in ("networkx", "numba", "numpy", "pytest", "hypothesis", "scipy.sparse"):
        import_module(name)  # once, before the forks
    if arguments.record:
        record(arguments.record)
        return
    reach = json.loads(arguments.map.read_text(encoding="utf-8")) if arguments.map else {}
    known = json.loads((TESTS / "mutants/equivalent.json").read_text(encoding="utf-8"))
    done: dict[str, dict[str, Any]] = {}
    if arguments.log.exists():
        for line in arguments.log.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            done[row["key"]] = row
    if arguments.again:
        open_ = (key for key, row in done.items() if is_open(row, arguments.seconds))
        todo = [(m, path) for m, path in judged(open_) if room_of(path) in arguments.rooms]
    else:
        todo = chosen(arguments.count, arguments.seed, arguments.rooms, arguments.files)
    if arguments.check:
        for path in dict.fromkeys(path for _, path in todo):
            print(
                path.relative_to(SOURCE),
                try_out(None, path, arguments.seconds, batches_of(None, path, arguments.near, {})),
                flush=True,
            )
        return
    for mutant, path in todo:
        if mutant.key in known or (mutant.key in done and not arguments.again):
            continue
        batches = batches_of(mutant, path, arguments.near, reach)
        verdict = try_out(mutant, path, arguments.seconds, batches)
        row = asdict(mutant) | verdict | {"seconds": arguments.seconds}
        done[mutant.key] = row
        with arguments.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(row["verdict"], row["module"], row["line"], row["kind"], row["text"], flush=True)
    summary(judged({*done, *known}), done, known)


def summary(all_of: list[tuple[Mutant, Path]], done: dict[str, Any], known: dict[str, str]) -> None:
    """Count the verdicts and list what is left."""
    verdicts = Counter(
        "equivalent" if m.key in known else done[m.key]["verdict"] for m, _ in all_of
    )
    caught = len(all_of) - verdicts["survived"]
    print(f"{len(all_of)} mutants: {dict(verdicts)}")
    print(f"killed or shown equivalent: {caught} ({100 * caught / max(len(all_of), 1):.1f} %)")
    for m, _ in all_of:
        if m.key in known:
            print(f"equivalent  {m.key} {m.module}:{m.line} {known[m.key]}")
        elif done[m.key]["verdict"] == "survived":
            print(f"survived  {m.key} {m.module}:{m.line} {m.kind} {m.text}")


if __name__ == "__main__":
    main()
