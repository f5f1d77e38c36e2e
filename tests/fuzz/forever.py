"""All campaigns, seed after seed, until somebody stops them; failures are kept in a folder."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import signal
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import hopscape
from hopscape.core.files import make_folder, write_text

from .runs import call, fuzz_commands, fuzz_files, fuzz_requests, fuzz_specs, look
from .watch import Failure, Tally

_EACH = {"specs": 400, "files": 300, "commands": 20, "long commands": 3, "requests": 200}
"""Cases of a seed: about as long in each campaign."""


def fuzz_forever(corpus: Path, rounds: int | None = None) -> int:
    """Go on from the seed where the folder stands; the number of failures, at most 1.

    Args:
        corpus: Holds ``next-seed`` and a JSON file for each failure.
        rounds: Seeds to try; without end when left out.
    """
    place = make_folder(corpus).resolve()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    begin = int(_read(place / "next-seed") or 0)
    failed = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            failed += len(_again(place))
            for seed in itertools.islice(itertools.count(begin), rounds):
                for name, campaign in _campaigns(Path(folder)).items():
                    tally = campaign(_EACH[name], seed)
                    tried += tally.tried
                    failed += len(tally.failures)
                    for failure in tally.failures:
                        _keep(place, name, seed, failure)
                write_text(place / "next-seed", str(seed + 1))
                print(f"seed {seed}: {tried:,} cases in all, {failed} failures", flush=True)
        except KeyboardInterrupt:
            print(f"stopped; {place} keeps the failures and the seed to go on with")
        finally:
            os.chdir(place)
    return min(failed, 1)


def _campaigns(folder: Path) -> dict[str, Callable[[int, int], Tally]]:
    return {
        "specs": fuzz_specs,
        "files": lambda count, seed: fuzz_files(count, seed, folder),
        "commands": lambda count, seed: fuzz_commands(count, seed, folder),
        "long commands": lambda count, seed: fuzz_commands(count, seed, folder, long=True),
        "requests": fuzz_requests,
    }


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _keep(place: Path, campaign: str, seed: int, failure: Failure) -> None:
    record = {
        "campaign": campaign,
        "seed": seed,
        "kind": failure.kind,
        "case": failure.case,
        "detail": failure.detail,
        "hopscape": hopscape.__version__,
    }
    name = hashlib.sha256(f"{campaign} {failure.case}".encode()).hexdigest()[:16]
    write_text(place / f"{name}.json", json.dumps(record, indent=1) + "\n")
    print(f"kept {name}.json: {failure}", flush=True)


def _again(place: Path) -> list[Failure]:
    """Try what failed before; what passes now is put aside as mended."""
    left: list[Failure] = []
    for path in sorted(place.glob("*.json")):
        record = json.loads(_read(path))
        if record["campaign"] == "specs":
            action = partial(look, record["case"])
        elif "commands" in record["campaign"]:
            action = partial(call, json.loads(record["case"]))
        else:  # a file or a request comes again with its seed
            continue
        tally = Tally()
        tally.run(record["case"], action, 60)
        left += tally.failures
        if not tally.failures:
            path.rename(path.with_suffix(".mended"))
    return left
