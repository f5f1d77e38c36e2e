"""Python and the command line: the same figures, known in the same way, on random networks.

    python tests/same_answers.py --networks 1000 --seed 1

Of every network all columns of ``compare`` are asked for twice, by ``Network.compare`` and by the
command; the properties of a network (``diameter``, ``bisection``, ...) and ``summary`` are held
against ``compare`` and ``show``. The tests run a sample.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import random
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import hopscape
from hopscape import Network
from hopscape.core.errors import HopscapeError
from hopscape.design.columns import ALL_COLUMNS

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.fuzz.specs import random_spec

from commands import run

_MOST_NODES, _MOST_LINKS = 60, 200
"""Small ones: all columns of a network are measured twice."""
PROPERTIES = ("diameter", "mean_distance", "girth", "bisection")


def networks(seed: int, folder: Path) -> Iterator[str]:
    """Specs of small random members of all families, now and then a graph file without one."""
    rng = random.Random(seed)
    for number in itertools.count():
        if number % 8 == 7:
            yield str(_file(rng, folder / f"graph{number}.edges"))
            continue
        while True:
            spec = random_spec(rng)
            try:
                net = hopscape.build(spec)
                small = net.order <= _MOST_NODES and net.ports <= _MOST_NODES
                if small and net.links <= _MOST_LINKS and "\n" not in spec:
                    break
            except HopscapeError:
                continue
        yield spec


def _file(rng: random.Random, path: Path) -> Path:
    nodes = rng.randint(3, 20)
    pairs = {(v, rng.randrange(v)) for v in range(1, nodes) if rng.random() < 0.97}
    pairs |= {tuple(rng.sample(range(nodes), 2)) for _ in range(rng.randrange(2 * nodes))}
    path.write_text("".join(f"{a} {b}\n" for a, b in sorted(pairs)), encoding="utf-8")
    return path


def _asked(*words: str) -> Any:
    done = run(*words, "--format", "json")
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return json.loads(done.stdout)


def _same(mine: Any, theirs: Any) -> bool:
    """Fractions are texts in JSON, and what is infinite is null."""
    if isinstance(mine, Fraction):
        return mine == Fraction(theirs)
    if isinstance(mine, float) and isinstance(theirs, int | float):
        return math.isclose(mine, theirs, rel_tol=1e-12) or mine == theirs
    if isinstance(mine, float) and not math.isfinite(mine):
        return theirs is None or theirs == str(mine)
    return bool(mine == theirs)


def differences(spec: str, columns: tuple[str, ...] = tuple(ALL_COLUMNS)) -> list[str]:
    """What Python and the command line say differently of a network."""
    net = hopscape.build(spec)
    mine = net.compare(columns=columns, seconds=9999)[0]  # the machine may be busy
    theirs = _asked("compare", spec, "--columns", ",".join(columns), "--time-limit", "9999")[0]
    wrong = []
    for name in columns:
        if not _same(mine[name], theirs[name]):
            wrong.append(f"{name}: {mine[name]!r} in Python, {theirs[name]!r} by the command")
        if mine["how"][name] != theirs["how"].get(name, mine["how"][name]):
            wrong.append(f"{name}: {mine['how'][name]} in Python, {theirs['how'][name]} there")
    wrong += _properties(net, mine, theirs, columns)
    told, shown = net.summary(), _asked("show", spec)
    for name in told.keys() & shown.keys():
        if not _same(_plain(told[name]), shown[name]):
            wrong.append(f"{name}: {told[name]!r} in summary(), {shown[name]!r} by show")
    return wrong


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=float)) if isinstance(value, list | dict) else value


def _properties(net: Network, mine: Any, theirs: Any, columns: tuple[str, ...]) -> list[str]:
    wrong = []
    for name in PROPERTIES:
        if name in columns and mine["how"][name] in ("exact", "closed form", "symmetry"):
            try:
                value = getattr(net, name)
            except HopscapeError as error:
                value = error
            if not _same(value, theirs[name]):
                wrong.append(f"{name}: {value!r} as a property, {theirs[name]!r} by the command")
    return wrong


def main() -> None:
    """Ask about so many networks; exit code 1 where an answer differs."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    os.environ.setdefault("HOPSCAPE_MEMORY", "2G")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for spec in itertools.islice(networks(given.seed, Path(folder)), given.networks):
            try:
                wrong = differences(spec)
            except Exception as error:
                wrong = [f"{type(error).__name__}: {error}"]
            failed += bool(wrong)
            if wrong:
                print(f"{spec}: " + "; ".join(wrong), flush=True)
    print(f"{given.networks:,} networks, {len(ALL_COLUMNS)} columns, {failed} with a difference")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
