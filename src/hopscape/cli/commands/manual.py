"""The command docs: the manual, read in the terminal.

The command warm-up: compile the kernels ahead of the first run.

The ledger of claims.
"""

from __future__ import annotations

import difflib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from hopscape.cli.options import ResumeOption, SeedOption, WorkersOption, option, refuse
from hopscape.cli.output import Format, emit, emit_rows, output_settings
from hopscape.core.errors import ArgumentError
from hopscape.core.numbers import plain
from hopscape.core.processes import run_to_end

if TYPE_CHECKING:
    from hopscape.ledger import Claim, LedgerEntry

__all__ = ["JOBS", "docs", "ledger", "manual_folder", "warm_up"]


def manual_folder() -> Path:
    """Where the pages are: in the wheel, or beside the sources."""
    package = Path(__file__).resolve().parents[2]
    for place in (package / "_manual", package.parents[1] / "docs"):
        if (place / "architecture.md").is_file():
            return place
    raise ArgumentError("this installation has no manual pages; a wheel and a checkout have them")


def docs(
    page: Annotated[
        str | None, typer.Argument(help="A page such as 'design' (default: list them).")
    ] = None,
) -> None:
    """Read the manual: list its pages, or print one."""
    folder = manual_folder()
    pages = {
        path.relative_to(folder).with_suffix("").as_posix(): path
        for path in sorted(folder.rglob("*.md"))
    }
    if page is None:
        rows = [{"page": name, "title": _title(path)} for name, path in pages.items()]
        emit_rows(rows, title=f"hopscape docs PAGE prints one; all in {folder}")
        return
    wanted = page.removesuffix(".md")
    names = [name for name in pages if wanted in (name, name.rpartition("/")[2])]
    if not names:
        ends = {name.rpartition("/")[2]: name for name in pages}
        similar = difflib.get_close_matches(wanted, list({*pages, *ends}), n=3)
        hint = f"did you mean {' or '.join(similar)}?" if similar else "'hopscape docs' lists them"
        raise ArgumentError(f"page {page!r} is unknown; {hint}")
    text = pages[names[0]].read_text(encoding="utf-8")
    if output_settings.style is not Format.table or output_settings.output is not None:
        record = {"page": names[0], "title": _title(pages[names[0]]), "text": text}
        emit(record, table={"page": names[0], "text": text})
    elif sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        print(text, end="")


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as lines:
        return next((line[2:].strip() for line in lines if line.startswith("# ")), path.stem)


JOBS = {
    "design": "design --nodes 64 --ports 4 --workers 1",
    "simulate": "simulate torus(8,8) --load 0.1:0.9:0.4 --cycles 2000",
    "compare": "compare random_regular(64,4) mesh(8,8) --time-limit 600",
    "collectives": "allgather random_regular(64,4)",
    "search": "search graph --nodes 60 --degree 4 --time-limit 2 --workers 1",
}
"""What is run, by the job whose kernels it compiles."""


def warm_up(
    only: Annotated[str, option(f"Some of {', '.join(JOBS)}, separated by commas.")] = "",
    workers: WorkersOption = None,
) -> None:
    """Compile the kernels ahead, so that the first real run does not wait for the compiler."""
    from hopscape.core.compile_ahead import compile_entries, planned, processors
    from hopscape.core.kernel_cache import cached_kernels, kernel_folders, may_compile_ahead
    from hopscape.core.processes import kernel_threads
    from hopscape.core.progress import track

    wanted = [word.strip() for word in only.split(",") if word.strip()] or list(JOBS)
    for name in wanted:
        if name not in JOBS:
            raise ArgumentError(f"--only: {name!r} is unknown; there are {', '.join(JOBS)}")
    before = cached_kernels()
    rows: list[dict[str, Any]] = []
    count = workers or processors()
    if may_compile_ahead():
        compile_entries(planned(wanted), count)
    with kernel_threads(count) as pool:  # finds what the list of kernels does not name
        started = [pool.submit(_run, name) for name in wanted]
        for one in track(started, "trying the jobs", len(started)):
            rows.append(one.result())
    after = cached_kernels()
    places = ", ".join(str(folder) for folder in kernel_folders())
    title = f"{after - before} kernels compiled, {after} in all, kept in {places}"
    emit_rows(rows, title=title, columns={"job": "job", "seconds": "time (s)"})


def _run(name: str) -> dict[str, Any]:
    begin = time.monotonic()
    command = [sys.executable, "-m", "hopscape", *JOBS[name].split(), "--format", "json"]
    done = run_to_end(command, encoding="utf-8", errors="replace")
    if done.returncode:
        raise ArgumentError(f"warming up {name} failed: {done.stderr.strip()}")
    return {"job": name, "command": JOBS[name], "seconds": round(time.monotonic() - begin, 1)}


def ledger(
    paper: Annotated[str | None, option("Only this paper's claims.")] = None,
    key: Annotated[str | None, option("Only this claim.", "--claim")] = None,
    listing: Annotated[bool, option("List the claims without running them.", "--list")] = False,
    plant: Annotated[
        bool, option("Mutate the code that each check reaches: does the check notice?")
    ] = False,
    sample: Annotated[
        int | None, option("With --plant: mutants of each claim (default: all).", min=1)
    ] = None,
    seed: SeedOption = 0,
    resume: ResumeOption = None,
    workers: WorkersOption = None,
    page: Annotated[Path | None, option("Write the documentation's page (Markdown).")] = None,
    pin: Annotated[bool, option("Pin what the checks find now, for later runs.")] = False,
) -> None:
    """Check every claim of the papers by computation, and judge it.

    Exit code 1: a check crashed, or its result is not the pinned one; with --plant, fewer than 90 %
    of the mutants were noticed.
    """
    from hopscape.core.errors import ArgumentError
    from hopscape.ledger import load_claims, load_papers, markdown_page, run_claims, write_pins

    if listing and (plant or pin or page is not None):
        raise ArgumentError("--list excludes --plant, --pin and --page; give one of them")
    if plant:
        refuse(("pin",), "is for what the checks find without mutants; leave out --plant")
    else:
        refuse(("sample", "seed", "resume", "workers"), "belongs to --plant; add it")
    if page is not None:
        refuse(("style", "output"), "does not go with --page, which writes a file of its own")
    claims = load_claims(paper, key)
    if listing:
        rows = [
            {
                "key": c.key,
                "paper": c.paper,
                "where": c.where,
                "says": c.says,
                "also_true": c.beyond,
            }
            for c in claims
        ]
        emit_rows(rows, priority={"says": 0, "where": 1, "paper": 2, "also_true": 3})
        return
    if plant:
        given = {"--paper": paper, "--claim": key, "--sample": sample, "--seed": seed or None}
        words = [f"{name} {value}" for name, value in given.items() if value is not None]
        draw = _Draw(" ".join(["hopscape ledger --plant", *words]), sample, seed)
        _plant(claims, draw, resume=resume, workers=workers, page=page)
        return
    entries = list(run_claims(claims))
    if pin:
        write_pins(entries)
    if page is not None:
        _renew(page, claims=markdown_page(load_papers(), entries))
        print(f"wrote {page}: {len(entries)} claims")
    elif key is not None and output_settings.style is Format.table:
        emit(entries[0].to_dict(), table=_in_full(entries[0]))
    else:
        rows = [entry.to_dict() for entry in entries]
        if output_settings.style is Format.table:
            rows = [row | {"searched": e.searched()} for row, e in zip(rows, entries, strict=True)]
        emit_rows(rows, columns=_COLUMNS, priority=dict.fromkeys(_COLUMNS, 0) | {"searched": 1})
    if any(entry.outcome.ruling == "failed" or entry.changed() for entry in entries):
        raise typer.Exit(1)


class _Draw(NamedTuple):
    """Which mutants are tried, and the command that says so."""

    command: str
    sample: int | None
    seed: int


def _plant(
    claims: Sequence[Claim],
    draw: _Draw,
    *,
    resume: Path | None,
    workers: int | None,
    page: Path | None,
) -> None:
    """Try mutants, and show or write what was noticed."""
    if not hasattr(os, "fork"):
        raise ArgumentError("--plant copies its process for every mutant; this system cannot")
    from hopscape.ledger.planting import run_mutants
    from hopscape.ledger.scores import (
        REQUIRED,
        columns,
        mutant_section,
        scores_by_entry,
        total_score,
    )
    from hopscape.store import Store

    with Store(resume) as store:
        work = run_mutants(
            claims, sample=draw.sample, seed=draw.seed, store=store, processes=workers
        )
        trials = list(work)
    scores = scores_by_entry(trials, claims)
    whole = total_score(scores)
    if page is not None:
        before = page.read_text(encoding="utf-8") if page.is_file() else ""
        _renew(page, mutants=mutant_section(scores, claims, draw.command, before))
        print(f"wrote {page}: {len(trials)} mutants of {len(scores)} claims")
    else:
        rows = [score.to_dict() for score in (*scores, *([whole] if len(scores) > 1 else []))]
        emit_rows(rows, columns=columns())
        if output_settings.style is Format.table and whole.survivors:
            emit_rows([one.to_dict() for one in whole.survivors], columns=_SURVIVOR_COLUMNS)
    share = whole.share()
    if share is not None and share < REQUIRED:
        raise typer.Exit(1)


def _renew(page: Path, **parts: str) -> None:
    """Write one part of the page, and leave the other as it is."""
    from hopscape.core.files import write_atomically
    from hopscape.ledger.scores import join_sections

    before = page.read_text(encoding="utf-8") if page.is_file() else ""
    text = join_sections(before, **parts)
    write_atomically(page, lambda out: out.write(text.encode()))


def _in_full(entry: LedgerEntry) -> dict[str, str]:
    """One entry for a terminal, with its numbers and what it searched."""
    claim, outcome = entry.claim, entry.outcome
    return {
        "claim": claim.key,
        "where": f"{claim.paper}, {claim.where}",
        "says": claim.says,
        "checked": claim.how,
        "searched": entry.searched(),
        "measured": outcome.measured,
        "verdict": outcome.ruling,
        "note": outcome.note,
        **{name: str(value) for name, value in plain(outcome.values).items()},
        "changed": ", ".join(entry.changed()),
        "time (s)": f"{entry.seconds:.1f}",
    }


_COLUMNS = {
    "key": "claim",
    "says": "says",
    "searched": "searched",
    "measured": "measured",
    "verdict": "verdict",
    "note": "note",
    "changed": "changed",
}
_SURVIVOR_COLUMNS = {
    "key": "entry",
    "module": "module",
    "function": "function",
    "line": "line",
    "change": "change that nobody noticed",
}
