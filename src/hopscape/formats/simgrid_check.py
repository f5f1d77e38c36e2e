"""A hand-over in SimGrid: its routes, and times against the α-β model."""

from __future__ import annotations

import functools
import json
import shutil
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.errors import FileFormatError
from hopscape.core.processes import run_to_end
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict
from hopscape.formats.programs import read_back, run_program
from hopscape.formats.simgrid import channel_names

__all__ = ["PACKAGES", "between", "check_simgrid", "judged", "missing_simgrid"]

PACKAGES = "Debian: python3-simgrid"
_RUNNER = Path(__file__).parent / "runners" / "run_platform.py"
_BYTES = 1_000_000  # of a message: the time of the links outweighs rounding by far
_ALL_TO_ALL_HOSTS = 32  # 1,024 messages at once; SimGrid shares every link among them
_SCHEDULED = 0.05  # more than our price: where messages of a round meet twice, links stand idle
_REPLAYED = 2000  # transfers of a schedule that is replayed
_CLOSE = 1e-6  # times are printed with enough digits; a wrong route is off by a link
_PYTHONS = ("/usr/bin/python3", "python3")


@functools.cache
def _python() -> str | None:
    """A Python that has SimGrid: the system's own before others."""
    for name in _PYTHONS:
        path = shutil.which(name)
        if path is None:
            continue
        words = [
            path,
            "-c",
            "import importlib.util as u; raise SystemExit(not u.find_spec('simgrid'))",
        ]
        done = run_to_end(words)
        if done.returncode == 0:
            return path
    return None


def missing_simgrid() -> list[str]:
    """What is not installed."""
    return [] if _python() else ["SimGrid's Python module"]


def check_simgrid(folder: Path, *, pairs: int = 48, seconds: float = 300) -> Verdict:
    """Load the platform, compare routes, and time messages, a broadcast and an all-to-all.

    Routes of all pairs are those of ``routing.csv``. A message alone takes its bytes over the
    bandwidth and a latency per hop, exactly; an all-to-all at least what its busiest link carries.

    Args:
        pairs: Pairs whose messages are timed one by one.
    """
    platform = folder / "simgrid" / "platform.xml"
    links, routes = _read(platform)
    names = list(dict.fromkeys(a for a, _ in routes))
    random = np.random.default_rng(0)
    drawn = [list(routes)[i] for i in random.permutation(len(routes))[:pairs]]
    question = {"bytes": _BYTES, "hosts": names[:_ALL_TO_ALL_HOSTS], "pairs": drawn}
    question["routes"] = list(routes)
    with tempfile.TemporaryDirectory(prefix="hopscape-simgrid-") as name:
        work = Path(name)
        (work / "question.json").write_text(json.dumps(question), encoding="utf-8")
        words = [str(_python()), str(_RUNNER), str(platform.resolve()), "question.json"]
        run_program([*words, "report.json"], work, seconds=seconds)
        report = json.loads((work / "report.json").read_text(encoding="utf-8"))
        found = _compare(folder, links, routes, question, report)
        return _replayed(folder, links, work, found, seconds) if found else found


def _replayed(
    folder: Path, links: dict[str, tuple[float, float]], work: Path, found: Verdict, seconds: float
) -> Verdict:
    """Replay the schedules of the folder by their own paths, round by round.

    A round takes at least what its busiest link carries, and by our price its longest way more.
    """
    network = read_back(folder)
    names = np.asarray(channel_names(network))
    paths: dict[tuple[str, ...], int] = {}
    kept: dict[str, list[list[int]]] = {}
    bounds: dict[str, tuple[float, float]] = {}
    for path in sorted(folder.glob("[abr]*.json")):
        schedule = Schedule.load(path, lambda _: network)
        if schedule.transfers > _REPLAYED or (schedule.channels < 0).any():
            continue
        rounds: list[list[int]] = [[] for _ in range(schedule.rounds)]
        for t, now in enumerate(schedule.round.tolist()):
            taken = schedule.channels[schedule.path_start[t] : schedule.path_start[t + 1]]
            way = tuple(names[taken].tolist())
            rounds[now].append(paths.setdefault(way, len(paths)))
        kept[path.stem] = rounds
        bounds[path.stem] = between(list(paths), rounds, links)
    if not kept:
        return found
    question = {"schedules": kept, "paths": len(paths), "bytes": _BYTES}
    question |= {"hosts": [], "pairs": [], "routes": []}
    (work / "rounds.json").write_text(json.dumps(question), encoding="utf-8")
    (work / "paths.xml").write_text(_path_platform(list(paths), links), encoding="utf-8")
    words = [str(_python()), str(_RUNNER), "paths.xml", "rounds.json", "times.json"]
    run_program(words, work, seconds=seconds)
    times = json.loads((work / "times.json").read_text(encoding="utf-8"))["schedules"]
    return judged(times, bounds, found)


def judged(
    times: dict[str, float], bounds: dict[str, tuple[float, float]], found: Verdict
) -> Verdict:
    """Every time is between the busiest links alone and our price, or little above."""
    off = {name: taken / bounds[name][1] - 1 for name, taken in times.items()}
    worst = max(off, key=lambda name: abs(off[name]))
    text = (
        f"{len(times)} schedules replayed, {worst} takes {times[worst]:.6g} s, by our price"
        f" {bounds[worst][1]:.6g} s ({100 * off[worst]:+.2f} %), the others are no further off"
    )
    details = {
        **found.details,
        "schedules": times,
        "schedules_ours": {n: b[1] for n, b in bounds.items()},
    }
    for name, taken in times.items():
        if not bounds[name][0] * (1 - _CLOSE) <= taken <= bounds[name][1] * (1 + _SCHEDULED):
            return Verdict(False, text, {"schedule": name, "seconds": taken}, details)
    return Verdict(True, f"{found.reason}; {text}", details=details)


def between(
    paths: list[tuple[str, ...]], rounds: list[list[int]], links: dict[str, tuple[float, float]]
) -> tuple[float, float]:
    """Seconds of the busiest links of the rounds, and with the longest ways."""
    busy = way = 0.0
    for messages in rounds:
        carried = Counter(link for i in messages for link in paths[i])
        busy += max((_BYTES * n / links[one][0] for one, n in carried.items()), default=0.0)
        way += max((sum(links[one][1] for one in paths[i]) for i in messages), default=0.0)
    return busy, busy + way


def _path_platform(paths: list[tuple[str, ...]], links: dict[str, tuple[float, float]]) -> str:
    """A platform with two hosts for each path, on the same links."""
    text = ["<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">']
    text += ['<platform version="4.1">', '<zone id="network" routing="Full">']
    text += [f'<host id="{side}{i}" speed="1Gf"/>' for i in range(len(paths)) for side in "ab"]
    for name, (bandwidth, latency) in links.items():
        text.append(f'<link id="{name}" bandwidth="{bandwidth!r}Bps" latency="{latency!r}s"/>')
    for i, path in enumerate(paths):
        steps = "".join(f'<link_ctn id="{name}"/>' for name in path)
        text.append(f'<route src="a{i}" dst="b{i}" symmetrical="NO">{steps}</route>')
    return "\n".join([*text, "</zone></platform>"]) + "\n"


def _read(path: Path) -> tuple[dict[str, tuple[float, float]], dict[tuple[str, str], list[str]]]:
    """Bandwidth and latency by link, and links by pair of hosts."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise FileFormatError(f"{path} cannot be read: {error}") from error
    links = {
        one.attrib["id"]: (
            float(one.attrib["bandwidth"].removesuffix("Bps")),
            float(one.attrib["latency"].removesuffix("s")),
        )
        for one in root.iter("link")
    }
    routes = {
        (one.attrib["src"], one.attrib["dst"]): [step.attrib["id"] for step in one.iter("link_ctn")]
        for one in root.iter("route")
    }
    return links, routes


def _expected(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Routes by pair of hosts, walked through cables.csv and routing.csv."""
    from hopscape.formats.programs import read_back
    from hopscape.formats.tables import read_routing_table

    network, table = read_back(folder), read_routing_table(folder / "routing.csv")
    routes = {}
    ends = network.endpoints.tolist()
    for a in ends:
        for b in ends:
            steps: list[str] = []
            at = a
            while at != b and len(steps) <= network.order:
                port = int(table[at, b])
                steps.append(f"n{at}p{port + 1}")
                at = int(network.neighbours(at)[port])
            if a != b:
                routes[f"n{a}", f"n{b}"] = steps
    return routes


def _compare(
    folder: Path, links: dict[str, tuple[float, float]], routes: Any, question: Any, report: Any
) -> Verdict:
    expected = _expected(folder)
    for pair, steps in zip(question["routes"], report["routes"], strict=True):
        if expected.get(tuple(pair)) != steps:
            text = f"SimGrid routes {pair[0]} → {pair[1]} by {steps[:12]}, routing.csv does not"
            return Verdict(False, text, {"source": pair[0], "target": pair[1], "links": steps})
    for (a, b), taken in zip(question["pairs"], report["seconds"], strict=True):
        slowest = min(links[x][0] for x in routes[a, b])
        alone = sum(links[x][1] for x in routes[a, b]) + _BYTES / slowest
        if abs(taken - alone) > _CLOSE * alone:
            text = f"a message {a} → {b} takes {taken:.9g} s in SimGrid, {alone:.9g} s by α-β"
            return Verdict(False, text, {"source": a, "target": b, "seconds": taken})
    names = set(question["hosts"])
    least = _least(links, [x for pair, x in routes.items() if names.issuperset(pair)])
    details = {
        "routes": len(routes),
        "timed": len(question["pairs"]),
        "broadcast_seconds": report.get("broadcast"),
        "all_to_all_seconds": report.get("all_to_all"),
        "all_to_all_least": least,
    }
    if names and report["all_to_all"] < least * (1 - _CLOSE):
        text = f"an all-to-all takes {report['all_to_all']:.6g} s, its busiest link {least:.6g} s"
        return Verdict(False, text, details=details)
    text = (
        f"{len(routes)} routes as in routing.csv, {len(question['pairs'])} single messages as by"
        f" the α-β model; broadcast {report.get('broadcast', 0):.4g} s, all-to-all of {len(names)}"
        f" hosts {report.get('all_to_all', 0):.4g} s (its busiest link alone {least:.4g} s)"
    )
    return Verdict(True, text, details=details)


def _least(links: dict[str, tuple[float, float]], routes: list[list[str]]) -> float:
    """Seconds that the busiest link needs when every route carries one message."""
    carried: dict[str, int] = {}
    for steps in routes:
        for name in steps:
            carried[name] = carried.get(name, 0) + 1
    return max((_BYTES * n / links[name][0] for name, n in carried.items()), default=0.0)
