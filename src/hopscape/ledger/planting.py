"""Errors planted in the code that an entry judges: whether its check notices.

For every entry the functions that its check reaches are traced, mutants are made of the lines that
it runs (:mod:`hopscape.ledger.mutation`), and the check runs on each of them, in a process of its
own that ends with the mutant. What judges is left as it is: the checks themselves, what a paper
prints, and the slow references (:attr:`hopscape.ledger.Paper.references`).

======================= ========================================================================
verdict                 what a mutant did
======================= ========================================================================
noticed                 the ruling, a pinned value, a count or a number of the text changed
survived                it changed a value that the check was given, and nothing was said
internal                it changed what its function returns, but no value that the check was given
equivalent              all calls of its function returned the same: nothing to notice here
endless                 the check used up its processor time, many times that without the mutant
untried                 the change cannot be planted, or its kernel is too slow when interpreted
======================= ========================================================================

The score is noticed / (noticed + survived); the strict score counts internal ones with those that
survived. Kernels are mutated as Python: the mutated one and those that call it are interpreted, the
rest stays compiled.
"""

from __future__ import annotations

import ast
import dis
import gc
import json
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from inspect import CO_OPTIMIZED
from multiprocessing import Pipe
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from hopscape.core.errors import HopscapeError
from hopscape.core.numbers import plain
from hopscape.core.processes import end_when_closed
from hopscape.ledger.book import load_claims, load_papers, run_claim
from hopscape.ledger.claim import Claim, Outcome
from hopscape.ledger.mutation import Mutant, mutants_of, mutated
from hopscape.ledger.recording import Recorder
from hopscape.store.records import Store, digest
from hopscape.store.tasks import Task, run_tasks

__all__ = ["Trial", "reached_mutants", "run_mutants", "try_mutants"]

_BATCH = 25
"""Mutants of one task: enough to pay for its first run, few enough to lose when interrupted."""
_SPARE_SECONDS, _TIMES = 5, 6
"""A mutant may use this much processor time, and so many times that of the check as it is."""
_KERNEL_SECONDS = 20
"""Processor time for a check with an interpreted kernel; a hundred times slower than compiled."""
_MEMORY = 8 << 30
"""Bytes of address space: a mutant that allocates without end is stopped before the machine is."""
_WAITING = 30
"""Wall-clock seconds for each of processor time, for a mutant that sleeps; it counts as endless."""
_STEADY_CALLS, _STEADY_LINES = 500, 50_000
"""Calls of a function, and lines in one call, after which no new line is expected to be reached."""


@dataclass(frozen=True)
class Trial:
    """What an entry said about one mutant."""

    claim: str
    mutant: Mutant
    verdict: str
    by: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        function, _, change = self.mutant.text.partition(": ")
        return {
            "key": self.claim,
            "verdict": self.verdict,
            "by": self.by,
            "module": self.mutant.module,
            "function": function,
            "line": self.mutant.line,
            "change": f"{self.mutant.kind}: {change}",
            "mutant": self.mutant.key,
        }


def run_mutants(
    claims: Iterable[Claim],
    *,
    sample: int | None = None,
    seed: int = 0,
    store: Store | None = None,
    processes: int | None = None,
) -> Iterator[Trial]:
    """Try mutants on the entries, those in the store not again.

    Args:
        sample: So many of each entry, drawn with the seed; all when left out.
    """
    states = {claim.key: _sources(claim.paper) for claim in claims}
    tasks = [
        Task(digest("reached", [state, key, sample, seed]), (key, sample, seed), about=key)
        for key, state in states.items()
    ]
    with store if store is not None else Store() as results:
        reached = run_tasks(tasks, _draw, results, processes=processes, text="tracing the checks")
        batches = [
            (task.about, rows[i : i + _BATCH])
            for task, rows in list(reached)
            for i in range(0, len(rows), _BATCH)
        ]
        trials = [
            Task(digest("mutants", [states[key], key, rows]), (key, rows), len(rows), about=key)
            for key, rows in batches
        ]
        done = run_tasks(trials, _try, results, processes=processes, text="trying mutants")
        for (key, rows), (_, verdicts) in zip(batches, done, strict=True):
            for row, (verdict, by) in zip(rows, verdicts, strict=True):
                yield Trial(key, Mutant(**row), verdict, by)


def _draw(key: str, sample: int | None, seed: int) -> list[dict[str, Any]]:
    mutants = reached_mutants(load_claims(key=key)[0])
    if sample is not None and sample < len(mutants):
        mutants = random.Random(f"{seed} {key}").sample(mutants, sample)
    return [asdict(mutant) for mutant in mutants]


def _try(key: str, rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return try_mutants(load_claims(key=key)[0], [Mutant(**row) for row in rows])


@cache
def _sources(paper: str) -> str:
    """A digest of the code: a result holds for one state of it.

    What judges other papers is left out, unless the checks of this one name it, and what only shows
    results.
    """
    package = Path(__file__).resolve().parent.parent
    codes = [code for claim in load_claims(paper) for code in _functions_in(claim.check)]
    rooms = {Path(code.co_filename).resolve().parent for code in codes}
    own = sorted({path for room in rooms for path in room.glob("*.py")})
    text = "".join(path.read_text(encoding="utf-8") for path in own)
    files = [
        path
        for path in sorted({*package.rglob("*.py"), *own})
        if path in own or not _judges(path.stem) or f"{path.parent.name}.{path.stem}" in text
        if not {"cli", "show"} & set(path.parts[len(package.parts) :])
        if path.name != "scores.py"
    ]
    return digest("sources", [f"{path.parent.name}/{path.name}" for path in files], files)


# -- what a check reaches -------------------------------------------------------------------------


def reached_mutants(claim: Claim) -> list[Mutant]:
    """Mutants of all lines that the check runs in the code that it judges."""
    answer = _in_child(lambda: _reached_lines(claim), None)
    if answer.error:
        raise HopscapeError(f"the check of {claim.key} breaks when it is traced: {answer.error}")
    mutants = []
    for name, reached in sorted(answer.value.items()):
        text = _text_of(name)
        mutants += [m for m in mutants_of(text, name) if m.line in set(reached)]
    return mutants


def _reached_lines(claim: Claim) -> dict[str, list[int]]:
    _restore([])  # what was cached before would not be reached
    tracer = _Tracer(claim)
    run_claim(replace(claim, check=lambda: tracer.run(claim.check)))
    return {name: sorted(lines) for name, lines in tracer.lines().items()}


class _Tracer:
    """Notes the lines of judged code that run, and the kernels that they call."""

    def __init__(self, claim: Claim) -> None:
        self._judged = _Judged(claim)
        self._lines: dict[CodeType, set[int]] = {}
        self._globals: dict[CodeType, dict[str, Any]] = {}
        self._calm: dict[CodeType, int] = {}

    def run(self, check: Callable[[], Outcome]) -> Outcome:
        """The check, traced."""
        sys.settrace(self._call)
        try:
            return check()
        finally:
            sys.settrace(None)

    def _call(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        calm = self._calm.get(code, 0)
        if calm > _STEADY_CALLS or not self._judged(code, frame.f_globals):
            return None
        self._calm[code] = calm + 1
        lines = self._lines.setdefault(code, set())
        self._globals[code] = frame.f_globals
        left = _STEADY_LINES

        def local(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal left
            if event == "line":
                if frame.f_lineno not in lines:
                    lines.add(frame.f_lineno)
                    self._calm[code] = 0
                left -= 1
                if left == 0:
                    frame.f_trace_lines = False
            return local

        return local

    def lines(self) -> dict[str, set[int]]:
        """By module; a statement of several lines counts with all of them."""
        reached: dict[str, set[int]] = {}
        kernels: list[Any] = []
        for code, lines in self._lines.items():
            names = self._globals[code]
            reached.setdefault(names["__name__"], set()).update(lines)
            kernels += _kernels_in(code, lines, names)
        seen: set[int] = set()
        while kernels:
            kernel = kernels.pop()
            function = kernel.py_func
            if id(kernel) in seen or not self._judged(function.__code__, function.__globals__):
                continue
            seen.add(id(kernel))
            inside = {line for _, _, line in function.__code__.co_lines() if line is not None}
            reached.setdefault(function.__module__, set()).update(inside)
            kernels += _kernels_in(function.__code__, inside, function.__globals__)
        return {name: _whole_statements(_text_of(name), lines) for name, lines in reached.items()}


def _kernels_in(code: CodeType, lines: set[int], names: Mapping[str, Any]) -> list[Any]:
    """Compiled functions that these lines name."""
    kernels, line = [], 0
    for step in dis.get_instructions(code):
        line = step.starts_line or line
        value = names.get(step.argval) if step.opname == "LOAD_GLOBAL" else None
        if line in lines and _is_kernel(value):
            kernels.append(value)
    return kernels


def _whole_statements(text: str, lines: set[int]) -> set[int]:
    """Lines of simple statements and of headers of which one line was run."""
    out = set(lines)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.ClassDef):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            span = range(node.lineno, last + 1)
            if any(line in lines for line in span):
                out.update(span)
    return out


class _Judged:
    """Whether a piece of code is judged by a claim, and not part of what judges."""

    def __init__(self, claim: Claim) -> None:
        papers = load_papers()
        self._packages = {"hopscape"} | {
            one.check.__module__.partition(".")[0]
            for paper in papers
            for one in paper.claims
            if isinstance(one.check, FunctionType)
        }
        self._references = {name for paper in papers for name in paper.references}
        self._own = {code for function in _functions_in(claim.check) for code in _nested(function)}
        self._known: dict[str, bool] = {}

    def __call__(self, code: CodeType, names: Mapping[str, Any]) -> bool:
        module = str(names.get("__name__", ""))
        if module not in self._known:
            self._known[module] = self._may_mutate(module)
        in_function = code.co_flags & CO_OPTIMIZED  # not so bodies of modules and classes
        return bool(in_function) and self._known[module] and code not in self._own

    def _may_mutate(self, module: str) -> bool:
        package, _, rest = module.partition(".")
        last = rest.rpartition(".")[2]
        if package not in self._packages or module in self._references:
            return False
        shown = rest.startswith(("ledger", "reference", "cli", "core.progress"))
        return not (package == "hopscape" and shown) and not _judges(last)


def _judges(module: str) -> bool:
    """Whether a module of this name judges, and is not judged."""
    return module in ("printed", "reference") or module.startswith(("claims", "checks"))


def _functions_in(check: Any) -> list[CodeType]:
    """The code of a check: of the function itself, and of what a wrapper or a partial holds."""
    if not isinstance(check, FunctionType):
        return _functions_in(check.func) if hasattr(check, "func") else []
    inside = [cell.cell_contents for cell in check.__closure__ or ()]
    return [check.__code__] + [c for one in inside if callable(one) for c in _functions_in(one)]


# -- planting -------------------------------------------------------------------------------------


def try_mutants(claim: Claim, mutants: Sequence[Mutant]) -> list[tuple[str, str]]:
    """A verdict on each mutant, and by what it was noticed.

    Each runs in a process that is a copy of one in which the check has run once, so that kernels
    are compiled; what that run has cached is taken back.
    """
    answer = _in_child(lambda: _Bench(claim).judge(mutants), None)
    if answer.error:
        raise HopscapeError(f"no mutant can be planted under {claim.key}: {answer.error}")
    return [(verdict, by) for verdict, by in answer.value]


class _Bench:
    """A process that has run a check, and is copied for every mutant."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        before = _state()
        begin = os.times()
        self._right = _signature(run_claim(claim).outcome)
        used = os.times()
        self._seconds = used.user + used.system - begin.user - begin.system
        _restore(before)
        _functions()
        gc.freeze()  # or every copy of this process looks through all its objects
        self._plain: dict[tuple[str, ...], tuple[Any, float]] = {}
        self._records: dict[tuple[str, tuple[str, ...]], Any] = {}

    def judge(self, mutants: Sequence[Mutant]) -> list[tuple[str, str]]:
        """All verdicts."""
        return [self._verdict(mutant) for mutant in mutants]

    def _verdict(self, mutant: Mutant) -> tuple[str, str]:
        try:
            codes = _codes(mutant)
        except SyntaxError:
            return "untried", "it does not compile"
        functions = _planted_in(codes)
        if not functions:
            return "untried", "no function to plant it in"
        kernels = _callers([one for one in functions if _dispatcher_of(one) is not None])
        names = tuple(sorted(f"{k.py_func.__module__}.{k.py_func.__qualname__}" for k in kernels))
        right, seconds = self._without(names, kernels)
        if right != self._right:
            return "untried", "its kernel is too slow, or another, without a compiler"
        limit = _SPARE_SECONDS + _TIMES * seconds
        plant = _Plant(functions, kernels)
        answer = _in_child(lambda: plant.run(self._claim), limit)
        if answer.ended:
            return "endless", ""
        if answer.error:
            return "noticed", "error"
        if answer.value != right:
            return "noticed", _difference(right, answer.value)
        outer = _outer(mutant, codes)
        key = (f"{mutant.module} {sorted(outer)}", names)
        seconds = _KERNEL_SECONDS + _TIMES * limit
        if key not in self._records:
            self._records[key] = self._record(_Plant([], kernels), mutant, outer, seconds)
        record = self._record(plant, mutant, outer, seconds)
        if record is None or self._records[key] is None:
            return "survived", "not recorded"
        inside, outside = (a == b for a, b in zip(record, self._records[key], strict=True))
        return "equivalent" if inside else "internal" if outside else "survived", ""

    def _record(self, plant: _Plant, mutant: Mutant, outer: Places, seconds: float) -> Any:
        """Digests of what was returned with a plant, or None."""

        def work() -> list[str]:
            return plant.recorded(self._claim, mutant.module, outer)

        return _in_child(work, seconds).value

    def _without(self, names: tuple[str, ...], kernels: Sequence[Any]) -> tuple[Any, float]:
        """The outcome and the time with these kernels interpreted, and no mutant."""
        if not names:
            return self._right, self._seconds
        if names not in self._plain:
            plant, limit = _Plant([], kernels), _KERNEL_SECONDS
            answer = _in_child(lambda: (plant.run(self._claim), _processor_time()), limit)
            self._plain[names] = tuple(answer.value) if answer.value else (None, 0.0)
        return self._plain[names]


Functions = Sequence[tuple[FunctionType, CodeType]]
Places = set[tuple[str, int]]


class _Plant:
    """Changes to be made in a process that ends with them.

    Attributes:
        functions: Functions with their new code.
        kernels: Compiled functions that are interpreted from now on.
    """

    def __init__(self, functions: Functions, kernels: Sequence[Any]) -> None:
        self.functions, self.kernels = functions, kernels

    def run(self, claim: Claim) -> Any:
        """What the check finds."""
        self._apply()
        return _signature(run_claim(claim).outcome)

    def recorded(self, claim: Claim, module: str, outer: Places) -> list[str]:
        """Digests of what the mutated function returns, and of what the check is given."""
        self._apply()
        recorder = Recorder(module, outer, _Judged(claim))
        run_claim(replace(claim, check=lambda: recorder.run(claim.check)))
        return recorder.digests()

    def _apply(self) -> None:
        for function, code in self.functions:
            function.__code__ = code
        if not self.kernels:
            return
        from hopscape.core import kernel

        kernel.interpreted.cache_clear()
        kernel._plain.cache_clear()
        stand_ins = {id(one): kernel.interpreted(one) for one in self.kernels}
        for module in _modules():
            for name, value in list(vars(module).items()):
                if id(value) in stand_ins:
                    setattr(module, name, stand_ins[id(value)])


def _codes(mutant: Mutant) -> list[CodeType]:
    """All code of the mutated module, functions inside functions too."""
    module = sys.modules[mutant.module]
    tree = mutated(mutant, _text_of(mutant.module))
    return _nested(compile(tree, str(module.__file__), "exec", dont_inherit=True))


def _nested(code: CodeType) -> list[CodeType]:
    inside = [const for const in code.co_consts if isinstance(const, CodeType)]
    return [code, *(more for one in inside for more in _nested(one))]


def _planted_in(codes: Sequence[CodeType]) -> list[tuple[FunctionType, CodeType]]:
    """Live functions whose code the mutant changes, wherever they are held."""
    new = {_place(code): code for code in codes}
    return [
        (function, code)
        for function in _functions().get(codes[0].co_filename, [])
        for code in [new.get(_place(function.__code__))]
        if code is not None
        and code != function.__code__
        and code.co_freevars == function.__code__.co_freevars
    ]


@cache
def _functions() -> dict[str, list[FunctionType]]:
    """Live functions by their file."""
    functions: dict[str, list[FunctionType]] = {}
    for one in gc.get_objects():
        if type(one) is FunctionType:
            functions.setdefault(one.__code__.co_filename, []).append(one)
    return functions


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _outer(mutant: Mutant, codes: Sequence[CodeType]) -> Places:
    """The function of a module or class that holds the mutated line."""
    around = [
        code
        for code in codes[1:]
        if "<locals>" not in code.co_qualname
        and any(
            line == mutant.line
            for one in _nested(code)
            for _, _, line in one.co_lines()
            if line is not None
        )
    ]
    return {_place(code) for code in around}


def _is_kernel(value: Any) -> bool:
    return hasattr(value, "py_func") and hasattr(value, "overloads")


@cache
def _dispatchers() -> dict[int, Any]:
    """Compiled functions of all loaded modules, by their Python function."""
    values = (value for module in _modules() for value in vars(module).values())
    return {id(one.py_func): one for one in values if _is_kernel(one)}


def _dispatcher_of(planted: tuple[FunctionType, CodeType]) -> Any:
    return _dispatchers().get(id(planted[0]))


def _callers(planted: Sequence[tuple[FunctionType, CodeType]]) -> list[Any]:
    """The kernels of these functions, and all kernels that call them, over however many others."""
    out = {id(one): one for one in map(_dispatcher_of, planted)}
    grown = bool(out)
    while grown:
        grown = False
        for one in _dispatchers().values():
            names = one.py_func.__globals__
            called = (names.get(name) for name in one.py_func.__code__.co_names)
            if id(one) not in out and any(id(other) in out for other in called):
                out[id(one)] = one
                grown = True
    return list(out.values())


def _signature(outcome: Outcome) -> list[Any]:
    """What is pinned: the ruling, the values, what was searched, and the numbers of the text."""
    searched = [asdict(one) for one in outcome.searched]
    values = [outcome.ruling, plain(outcome.values), searched, outcome.measured, outcome.note]
    return list(json.loads(json.dumps(values, default=str)))


def _difference(right: Sequence[Any], answer: Sequence[Any]) -> str:
    if answer[0] == "failed":
        return "failed"
    names = ("ruling", "values", "searched", "text", "text")
    return next(n for n, a, b in zip(names, right, answer, strict=True) if a != b)


# -- processes and state --------------------------------------------------------------------------


class _Answer(NamedTuple):
    """What a process said; None and the error where it broke, and whether its time ran out."""

    value: Any
    error: str = ""
    ended: bool = False


def _in_child(work: Callable[[], Any], seconds: float | None) -> _Answer:
    """What work returns in a copy of this process, which ends with it."""
    out, into = os.pipe()
    far_end, lifeline = Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(out)
            lifeline.close()
            end_when_closed(far_end)
            null = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(null, stream)
            if seconds is not None:
                _limit(seconds)
            text = json.dumps(work())
            code = 0
        except BaseException:
            text = traceback.format_exc()
        with os.fdopen(into, "w", encoding="utf-8") as pipe:
            pipe.write(text)
        os._exit(code)
    os.close(into)
    far_end.close()
    with lifeline, os.fdopen(out, encoding="utf-8") as pipe:
        text = pipe.read()
        _, status = os.waitpid(child, 0)
    ended = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (
        signal.SIGXCPU,
        signal.SIGKILL,
        signal.SIGALRM,
    )
    if os.waitstatus_to_exitcode(status) == 0:
        return _Answer(json.loads(text))
    return _Answer(None, text or "it crashed", ended)


def _limit(seconds: float) -> None:
    """Processor time, memory and waiting of this process."""
    import resource

    most = int(seconds) + 1
    for signal_number in (signal.SIGXCPU, signal.SIGALRM):
        signal.signal(signal_number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 2))
    with suppress(ValueError, OSError):  # macOS sets no limit on addresses
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    signal.alarm(_WAITING * most)


def _processor_time() -> float:
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _modules() -> list[ModuleType]:
    """Loaded modules that may be judged: those of the package and of its plugins' papers."""
    packages = {"hopscape"} | {
        str(one.check.__module__).partition(".")[0] for one in load_claims()
    } - {"functools"}
    return [
        module
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in packages and isinstance(module, ModuleType)
    ]


def _holders() -> Iterator[Any]:
    """Modules, classes and long-lived objects of the package."""
    for module in _modules():
        yield module
        for value in list(vars(module).values()):
            if str(getattr(type(value), "__module__", "")).startswith("hopscape") or (
                isinstance(value, type) and value.__module__ == module.__name__
            ):
                yield value


def _state() -> list[tuple[Any, Any]]:
    """Containers and objects that outlive a check, with what they hold."""
    contents: list[tuple[Any, Any]] = []
    for holder in _holders():
        names = getattr(holder, "__dict__", None)
        if not isinstance(holder, ModuleType | type) and isinstance(names, dict):
            contents.append((names, dict(names)))
        for name, value in list((names or {}).items()):
            if isinstance(value, dict | list | set) and not name.startswith("__"):
                contents.append((value, value.copy()))
    return contents


def _restore(state: Sequence[tuple[Any, Any]]) -> None:
    """Put that back, and empty the caches of all functions."""
    for value, before in state:
        if len(value) == len(before):  # containers that outlive a check only ever grow
            continue
        value.clear()
        value.extend(before) if isinstance(value, list) else value.update(before)
    for holder in _holders():
        for value in list(vars(holder).values()) if hasattr(holder, "__dict__") else []:
            clear = getattr(value, "cache_clear", None)
            if callable(clear):
                clear()


@cache
def _text_of(module: str) -> str:
    file = sys.modules[module].__file__ if module in sys.modules else None
    if file is None:
        from importlib.util import find_spec

        spec = find_spec(module)
        file = spec.origin if spec is not None else None
    return Path(str(file)).read_text(encoding="utf-8")
