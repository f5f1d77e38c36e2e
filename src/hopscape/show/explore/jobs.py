"""Work for the page on demand: each request in a process of its own, which can be ended.

Nothing from the browser but checked specs and numbers reaches the process; it hands back a page,
or a sentence that says why there is none.
"""

from __future__ import annotations

import math
import multiprocessing
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from hopscape.core.errors import ArgumentError, HopscapeError, SpecError
from hopscape.core.network import Network
from hopscape.core.numbers import shortened
from hopscape.core.processes import end_when_closed
from hopscape.core.spec import Call, Value, parse
from hopscape.registry import family, member, require_readable

__all__ = [
    "MOST_SPECS",
    "BusyError",
    "Jobs",
    "PageRequest",
    "in_words",
    "read_question",
    "require_no_file",
]

MOST_SPECS = 4  # the page holds the arrays of each
_LONGEST_SPEC = 2000  # letters: far above any spec, far below what a parser notices
_SECONDS, _GRACE = 120.0, 15.0
"""Time for a job, and how much later it is given up if its process says nothing."""
_FORGOTTEN = 30.0  # seconds without a question for its state: the page was closed, the job ends
_RUNNING = 4  # jobs at a time, each a process
_KEPT = 12  # pages ready to be fetched again
_DRAFT = 3000  # nodes that are laid out and drawn within a second: shown before all else is known
_PACE = 0.1  # seconds between two reports of progress
_PRELOADED = ("hopscape.show.explore", "hopscape.core.distance_kernels", "scipy.sparse.csgraph")
"""What every process needs, imported once; nothing of it starts a thread."""


class BusyError(HopscapeError):
    """As many requests are being worked on as there may be."""


# -- what is asked --------------------------------------------------------------------------------


@dataclass(frozen=True)
class PageRequest:
    """A request of the page, checked.

    Attributes:
        specs: None of them reads a file.
        load: Record a simulation at this load.
        curve: Simulate a load-latency curve.
    """

    specs: tuple[str, ...]
    load: float | None = None
    curve: bool = False


def read_question(data: object) -> PageRequest:
    """Check what the browser sent.

    Raises:
        HopscapeError: In words, for whatever is not allowed; no file is looked at.

    Examples:
        >>> read_question({"specs": ["torus(4, 4)"], "load": 0.3})
        PageRequest(specs=('torus(4, 4)',), load=0.3, curve=False)
    """
    if not isinstance(data, dict):
        raise ArgumentError("the request must be an object with specs")
    unknown = sorted(set(data) - {"specs", "load", "curve"})
    if unknown:
        raise ArgumentError(
            f"{shortened(str(unknown[0]), 40)!r} is unknown; there are specs, load and curve"
        )
    specs, load, curve = data.get("specs"), data.get("load"), data.get("curve", False)
    if not isinstance(specs, list) or not all(isinstance(spec, str) for spec in specs):
        raise ArgumentError("specs must be a list of texts")
    if not 1 <= len(specs) <= MOST_SPECS:
        raise ArgumentError(f"{len(specs)} specs are given; there may be 1 to {MOST_SPECS}")
    if not isinstance(curve, bool):
        raise ArgumentError("curve must be true or false")
    if load is not None:
        fine = isinstance(load, int | float) and not isinstance(load, bool)
        if not fine or not math.isfinite(load) or not 0 < load <= 1:
            raise ArgumentError("load must be a number above 0, at most 1")
        load = float(load)
    for spec in specs:
        require_no_file(spec)
    return PageRequest(tuple(specs), load, curve)


def require_no_file(spec: str) -> None:
    """Only networks that are described by their spec alone.

    Raises:
        HopscapeError: Also where the spec cannot be read.
    """
    if len(spec) > _LONGEST_SPEC:
        raise ArgumentError(f"a spec has {len(spec)} characters; it may have {_LONGEST_SPEC}")
    require_readable(spec)  # says where a name is unknown, also deep inside
    waiting: list[Value] = [parse(spec)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Call):
            if family(value.name).reads_files:
                raise ArgumentError(
                    f"{value.name}(...) reads a file; the browser may not ask for that: hopscape"
                    " explore FILE -o page.html makes the page of a graph file"
                )
            waiting += [argument.value for argument in value.arguments]
        elif isinstance(value, tuple):
            waiting += value


def in_words(error: HopscapeError) -> dict[str, Any]:
    """What the browser is told of an error: a sentence, and where in which spec the trouble is.

    Examples:
        >>> in_words(SpecError("unknown family 'tours'", "tours(8)", 0))
        {'error': "unknown family 'tours'", 'spec': 'tours(8)', 'position': 0}
    """
    if isinstance(error, SpecError) and error.position is not None:
        return {"error": error.reason, "spec": error.text, "position": error.position}
    return {"error": str(error)}


# -- the work, in a process of its own ------------------------------------------------------------


class _Bar:
    """Tells the parent how far the work is, a few times a second."""

    def __init__(self, pipe: Connection, text: str, total: int) -> None:
        self.pipe, self.text, self.total, self.next = pipe, text, total, 0.0
        self.update(0)

    def update(self, done: float) -> None:
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + _PACE
            self.pipe.send(("progress", self.text, int(done), self.total))

    def close(self) -> None:
        """Nothing is left to say."""


def work(pipe: Connection, lifeline: Connection, request: PageRequest, seconds: float) -> None:
    """Make the page and send it, or the reason why there is none."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    end_when_closed(lifeline)
    try:
        pipe.send(("page", _make(pipe, request, seconds)))
    except HopscapeError as error:
        told = in_words(error)
        pipe.send(("refused", told.pop("error"), told))
    except MemoryError:
        pipe.send(("refused", "there is not enough memory for this"))
    except Exception as error:  # a fault of ours: named to the user, not shown in full
        pipe.send(("failed", f"this went wrong inside hopscape ({type(error).__name__})"))


def _make(pipe: Connection, request: PageRequest, seconds: float) -> str:
    from hopscape.core.progress import set_progress, time_limit
    from hopscape.show.explore.page import page
    from hopscape.show.explore.payload import payload

    set_progress(lambda text, total: _Bar(pipe, text, total))
    with time_limit(seconds):
        networks = [Network.of(member(spec)) for spec in request.specs]
        if sum(network.order for network in networks) <= _DRAFT:
            bare: dict[str, Any] = {"schedules": (), "traffic": ()}
            bare |= {"bisection": False, "deadlock": False}
            pipe.send(("draft", page([payload(network, **bare) for network in networks])))
        payloads = []
        for i, network in enumerate(networks):
            pipe.send(("progress", f"computing {shortened(network.spec, 80)}", i, len(networks)))
            payloads.append(payload(network, simulate=request.load, curve=request.curve))
    return page(payloads)


# -- all of them ----------------------------------------------------------------------------------


@dataclass
class _Job:
    """One request and how far it is."""

    process: BaseProcess
    end: float
    seen: float = field(default_factory=time.monotonic)
    state: dict[str, Any] = field(default_factory=lambda: {"state": "running", "text": "starting"})
    page: str = ""

    @property
    def running(self) -> bool:
        return self.state["state"] == "running"


class Jobs:
    """The requests of all browsers, each in its own process.

    Args:
        seconds: That a request may take.
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
        self.seconds = seconds
        self._jobs: dict[str, _Job] = {}
        self._lock = threading.Lock()
        methods = multiprocessing.get_all_start_methods()
        self._context: Any = multiprocessing.get_context(
            "forkserver" if "forkserver" in methods else "spawn"
        )
        if "forkserver" in methods:
            self._context.set_forkserver_preload(list(_PRELOADED))
        self._far_end, self._lifeline = self._context.Pipe(duplex=False)

    def warm_up(self) -> None:
        """Import what every job needs while nobody waits for it yet."""
        if self._context.get_start_method() == "forkserver":
            forkserver.ensure_running()

    def start(self, request: PageRequest) -> str:
        """Begin to work; the name of the job.

        Raises:
            BusyError: When as many jobs run as may.
        """
        with self._lock:
            running = sum(job.running for job in self._jobs.values())
            if running >= _RUNNING:
                raise BusyError(f"{running} requests are being worked on; cancel one, or wait")
            done = [name for name, job in self._jobs.items() if not job.running]
            for name in done[: max(0, len(done) - _KEPT + 1)]:
                del self._jobs[name]
            ours, theirs = self._context.Pipe(duplex=False)
            process = self._context.Process(
                target=work, args=(theirs, self._far_end, request, self.seconds), daemon=True
            )
            process.start()
            theirs.close()
            name = secrets.token_urlsafe(9)
            job = self._jobs[name] = _Job(process, time.monotonic() + self.seconds + _GRACE)
        threading.Thread(target=self._listen, args=(job, ours), daemon=True).start()
        return name

    def _listen(self, job: _Job, pipe: Connection) -> None:
        """Take down what the process says, until it is done, too late or forgotten."""
        try:
            while job.running:
                if pipe.poll(0.5):
                    self._note(job, pipe.recv())
                if time.monotonic() > job.end:  # also while it tells of its progress
                    self._finish(job, "refused", f"this takes longer than {self.seconds:g} s")
                elif time.monotonic() > job.seen + _FORGOTTEN:
                    self._finish(job, "cancelled", "nobody waited for it any more")
        except (EOFError, OSError):
            self._finish(job, "failed", "the process ended early; it may have lacked memory")
        finally:
            pipe.close()
            if job.process.is_alive():
                job.process.kill()
            job.process.join()

    def _note(self, job: _Job, message: Sequence[Any]) -> None:
        if message[0] == "progress":
            with self._lock:
                if job.running:
                    job.state |= {"text": message[1], "done": message[2], "total": message[3]}
        elif message[0] == "draft":
            job.page = message[1]
            with self._lock:
                if job.running:
                    job.state |= {"draft": True}
        elif message[0] == "page":
            job.page = message[1]
            self._finish(job, "done", "")
        else:
            self._finish(job, *message)

    def _finish(
        self, job: _Job, state: str, text: str, place: Mapping[str, Any] | None = None
    ) -> None:
        with self._lock:
            if job.running:
                job.state = {"state": state, "text": text, **(place or {})}

    def state(self, name: str) -> Mapping[str, Any] | None:
        """How far a job is; None when there is none of this name."""
        with self._lock:
            job = self._jobs.get(name)
            if job is None:
                return None
            job.seen = time.monotonic()
            return dict(job.state)

    def cancel(self, name: str) -> bool:
        """End a job; is there one?"""
        job = self._jobs.get(name)
        if job is None:
            return False
        self._finish(job, "cancelled", "cancelled")
        job.process.kill()
        return True

    def page(self, name: str) -> str | None:
        """The page of a job: a draft while it runs."""
        job = self._jobs.get(name)
        return job.page if job is not None and job.page else None

    def close(self) -> None:
        """End all that is running."""
        for name in list(self._jobs):
            self.cancel(name)
