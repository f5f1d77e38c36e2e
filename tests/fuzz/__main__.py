"""Fuzzing by hand: ``python -m tests.fuzz specs --count 1000000 --seed 1``.

``python -m tests.fuzz all --corpus FOLDER`` goes on until it is stopped (Ctrl-C, SIGTERM),
seed after seed of every campaign, long commands too. The folder keeps the failures, which are
tried first the next time, and the seed to go on with.

Prints how many cases were tried and accepted, and every failure once with its number; the exit
code is 1 when there was one. ``--memory`` is the limit that hopscape announces meanwhile.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import tempfile
import time
from pathlib import Path


def main() -> int:
    """Run one campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("what", choices=("files", "specs", "commands", "requests", "all"))
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory", default="200M")
    parser.add_argument("--corpus", type=Path, help="with 'all': where failures are kept")
    parser.add_argument("--rounds", type=int, help="with 'all': stop after so many seeds")
    given = parser.parse_args()
    os.environ["HOPSCAPE_MEMORY"] = given.memory
    faulthandler.enable()
    if given.what == "all":
        from .forever import fuzz_forever

        return fuzz_forever(given.corpus or Path("fuzz-corpus"), given.rounds)
    from .runs import fuzz_commands, fuzz_files, fuzz_requests, fuzz_specs

    start = time.process_time()
    folder = Path(tempfile.mkdtemp(prefix="fuzz"))
    os.chdir(folder)  # commands write where they are told to, and into the current folder
    if given.what == "specs":
        tally = fuzz_specs(given.count, given.seed)
    elif given.what == "requests":
        tally = fuzz_requests(given.count, given.seed)
    else:
        campaign = fuzz_files if given.what == "files" else fuzz_commands
        tally = campaign(given.count, given.seed, folder)
    for number, failure in enumerate(tally.failures, 1):
        print(f"--- {number}\n{failure}")
    print(
        f"{tally.tried} {given.what} tried, {tally.accepted} accepted,"
        f" {len(tally.failures)} failed, {time.process_time() - start:.0f} s;"
        f" files are in {folder}"
    )
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
