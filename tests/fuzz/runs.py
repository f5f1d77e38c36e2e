"""The campaigns: files, specs, command lines, requests; functions of a count and a seed."""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
from functools import partial
from pathlib import Path

import hopscape
from hopscape import cli
from hopscape.core.errors import TooLargeError
from hopscape.show.explore.server import Server

from .commands import all_commands, random_command
from .formats import FORMATS, damage
from .requests import random_request, send, served
from .specs import random_spec
from .watch import Tally


def fuzz_files(count: int, seed: int, folder: Path) -> Tally:
    """Damaged files of every format in turn, read in earnest."""
    rng = random.Random(seed)
    samples = []
    for number, kind in enumerate(FORMATS):
        path = folder / f"sample{number}{kind.ending}"
        kind.make(path)
        samples.append((kind, path.read_bytes()))
        kind.read(path)
    tally = Tally()
    for i in range(count):
        kind, data = samples[i % len(samples)]
        ending = kind.ending + (".gz" if rng.random() < 0.05 else "")
        path = folder / f"case{ending}"
        path.write_bytes(damage(data, rng))
        content = path.read_bytes()
        before = len(tally.failures)
        tally.run(f"{kind.name}, case {i} of seed {seed}", partial(kind.read, path))
        if len(tally.failures) > before:
            (folder / f"failure{len(tally.failures)}{ending}").write_bytes(content)
    return tally


def fuzz_specs(count: int, seed: int, seconds: float = 10) -> Tally:
    """Specs that are built, and asked for what must be cheap; their canonical text once more."""
    rng = random.Random(seed)
    tally = Tally()
    for _ in range(count):
        spec = random_spec(rng)
        tally.run(spec, partial(look, spec), seconds)
    return tally


def look(spec: str) -> None:
    """Build a spec, ask for what must be cheap, and build its canonical text again."""
    network = hopscape.build(spec)
    assert network.order >= 1
    assert isinstance(network.facts.known(), dict)
    assert network.symmetry is None or network.symmetry.sizes
    with contextlib.suppress(TooLargeError):
        assert network.links >= 0
    again = hopscape.build(network.spec)
    assert (again.spec, again.order) == (network.spec, network.order)


def fuzz_commands(count: int, seed: int, folder: Path, *, long: bool = False) -> Tally:
    """Command lines, run in this process; only 0, 1 and 2 are answers.

    Args:
        long: Those that are long by their nature, in earnest; they are refused a wrong option else.
    """
    rng = random.Random(seed)
    commands = all_commands()
    tally = Tally()
    for _ in range(count):
        words = random_command(commands, rng, str(folder), long=long)
        seconds = 600 if long else 60  # kernels compile
        tally.run(json.dumps(words), partial(call, words), seconds)
    return tally


def call(words: list[str]) -> None:
    """Run a command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main(words)
        except SystemExit as leave:
            code = leave.code or 0
        else:
            code = 0
        finally:
            sys.stdout.flush()
    assert code in (0, 1, 2), f"exit code {code}"
    assert "Traceback" not in err.getvalue(), err.getvalue()


def fuzz_requests(count: int, seed: int) -> Tally:
    """Requests to the explorer's server, which must answer the next one whatever came before."""
    rng = random.Random(seed)
    tally = Tally()
    with served() as server:
        for i in range(count):
            sent = random_request(server, rng)
            tally.run(f"request {i} of seed {seed}: {sent[:300]!r}", partial(send, server, sent))
        tally.run("a good request after all", partial(_good, server))
    return tally


def _good(server: Server) -> None:
    sent = f"GET /{server.token}/ HTTP/1.1\r\nHost: {server.hosts[0]}\r\n\r\n"
    assert send(server, sent.encode()) == 200
