"""Finding the registered papers and running their claims.

The ledger as a page of the documentation.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO

from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_atomically
from hopscape.core.numbers import plain
from hopscape.core.plugins import load_plugins
from hopscape.core.progress import check_time, watched
from hopscape.ledger.claim import Claim, Outcome, Paper, Ruling

__all__ = [
    "LedgerEntry",
    "load_claims",
    "load_papers",
    "load_pins",
    "markdown_page",
    "run_claim",
    "run_claims",
    "write_pins",
]


@dataclass(frozen=True)
class LedgerEntry:
    """A claim with what its check found, and the seconds of processor time it took."""

    claim: Claim
    outcome: Outcome
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "key": self.claim.key,
            "paper": self.claim.paper,
            "where": self.claim.where,
            "says": self.claim.says,
            "how": self.claim.how,
            "measured": self.outcome.measured,
            "verdict": self.outcome.ruling,
            "note": self.outcome.note,
            "values": plain(self.outcome.values),
            "searched": [asdict(one) for one in self.outcome.searched],
            "searches": self.claim.searches,
            "also_true": self.claim.beyond,
            "changed": self.changed(),
            "seconds": round(self.seconds, 2),
        }

    def searched(self) -> str:
        """How much was searched, of how much by theory, in words."""
        if self.outcome.searched:
            return ", ".join(map(str, self.outcome.searched))
        return "not counted" if self.claim.searches else "nothing to search"

    def changed(self) -> list[str]:
        """What is not as it was pinned; nothing when nothing was pinned."""
        pin = load_pins(self.claim.paper).get(self.claim.key)
        return [] if pin is None else [name for name in _PINNED if pin[name] != self.pin()[name]]

    def pin(self) -> dict[str, Any]:
        """What is pinned of it; the seconds, where they count, tell how long later runs take."""
        outcome = self.outcome
        seconds = {"seconds": round(self.seconds)} if self.seconds >= _COUNTS else {}
        return {
            "key": self.claim.key,
            "verdict": outcome.ruling,
            "measured": outcome.measured,
            "note": outcome.note,
            "values": plain(outcome.values),
            "searched": [asdict(one) for one in outcome.searched],
            **seconds,
        }


_COUNTS = 2.0
_SHORT = 0.2  # seconds of a claim that is not known to take longer
_PINNED = ("verdict", "values", "searched", "measured", "note")


@cache
def load_pins(paper: str) -> dict[str, dict[str, Any]]:
    """What the checks of a paper found when they were pinned, by key."""
    file = next((one.pinned for one in load_papers() if one.key == paper), None)
    if file is None or not file.is_file():
        return {}
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {row["key"]: row for row in rows}


def write_pins(entries: Iterable[LedgerEntry]) -> list[Path]:
    """Pin what these entries found, and leave others as they are.

    Returns:
        The files written. Papers without such a file are left out.
    """
    written = []
    for paper in load_papers():
        fresh = {e.claim.key: e.pin() for e in entries if e.claim.paper == paper.key}
        if paper.pinned is None or not fresh:
            continue
        known = {claim.key for claim in paper.claims}
        rows = {**load_pins(paper.key), **fresh}
        lines = [json.dumps(rows[key], ensure_ascii=False) for key in sorted(known & set(rows))]
        text = "\n".join(lines) + "\n"
        write_atomically(paper.pinned, partial(_put, text))
        written.append(paper.pinned)
    load_pins.cache_clear()
    return written


def _put(text: str, out: BinaryIO) -> None:
    out.write(text.encode())


def load_papers() -> list[Paper]:
    """The papers registered in the entry-point group ``hopscape.claims``.

    Raises:
        ArgumentError: When two papers or two claims have the same key.
    """
    papers: list[Paper] = [paper for _, paper in sorted(load_plugins("claims").items())]
    for noun, keys in (
        ("papers", [paper.key for paper in papers]),
        ("claims", [claim.key for paper in papers for claim in paper.claims]),
    ):
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise ArgumentError(f"two {noun} have the key {min(twice)!r}")
    return papers


def load_claims(paper: str | None = None, key: str | None = None) -> list[Claim]:
    """The claims of all registered papers.

    Args:
        paper: Only those of one paper.
        key: Only this one.

    Raises:
        ArgumentError: When there is no such paper or claim.
    """
    papers = load_papers()
    names = sorted(one.key for one in papers)
    if paper is not None and paper not in names:
        raise ArgumentError(f"paper {paper!r} has no claims; there are {', '.join(names)}")
    claims = [claim for one in papers for claim in one.claims if paper in (None, one.key)]
    if key is not None and key not in {claim.key for claim in claims}:
        raise ArgumentError(f"claim {key!r} is unknown; 'hopscape ledger --list' shows all")
    return [claim for claim in claims if key in (None, claim.key)]


def run_claim(claim: Claim) -> LedgerEntry:
    """Run one check; a check that breaks down is told as ``failed``."""
    begin = _processor_time()
    try:
        outcome = claim.check()
    except Exception as error:  # whatever a check stumbles over, the other entries are run
        outcome = Outcome("failed", "-", f"{type(error).__name__}: {error}")
    return LedgerEntry(claim, outcome, _processor_time() - begin)


def _processor_time() -> float:
    """Of this process and of those that it has started; not of a busy machine."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def run_claims(claims: Iterable[Claim]) -> Iterator[LedgerEntry]:
    """Run the checks one by one."""
    todo = list(claims)
    costs = [load_pins(one.paper).get(one.key, {}).get("seconds", _SHORT) for one in todo]
    with watched("checking claims", float(sum(costs))) as watch:
        for claim, before in zip(todo, accumulate(costs, initial=0.0), strict=False):
            watch(before)
            check_time("checking claims")
            yield run_claim(claim)


_INTRO = """# Ledger: what the papers claim, and what is true

Generated by `hopscape ledger --page docs/ledger.md`; do not edit. Each claim is checked by running
code, and the verdict is what the check found: *holds*, *holds corrected* (how is said), *refuted*
(with a counter-example) or *open* (why). The section on mutants says how many errors in the code
that they judge the checks notice. Facts that a paper does not state are kept apart, as *also
true*.

The column *searched* says how many cases a check went through, as counted while it ran, of how many
by theory; a check that saw another number has failed. *nothing to search* stands beside checks that
compute figures of one object, and beside claims of which nothing can be computed.
"""
_RULINGS: tuple[Ruling, ...] = ("holds", "holds corrected", "refuted", "open", "failed")


def markdown_page(papers: Sequence[Paper], entries: Sequence[LedgerEntry]) -> str:
    """The claims as Markdown, one table per paper, with a summary above."""
    rulings = [r for r in _RULINGS if r != "failed" or any(e.outcome.ruling == r for e in entries)]
    lines = [_INTRO]
    lines += _table_head(["paper", *rulings, "also true", "processor time"])
    keys = [paper.key for paper in papers if any(e.claim.paper == paper.key for e in entries)]
    for key in keys:
        lines.append(_summary(key, [e for e in entries if e.claim.paper == key], rulings))
    if len(keys) > 1:
        lines.append(_summary("all", entries, rulings))
    for paper in papers:
        own = [entry for entry in entries if entry.claim.paper == paper.key]
        if own:
            lines += ["", f"## {paper.key}", "", f"{paper.title}."]
            lines += _section([entry for entry in own if not entry.claim.beyond])
            more = [entry for entry in own if entry.claim.beyond]
            lines += ["", "Also true:", *_section(more)] if more else []
    return "\n".join(lines) + "\n"


def _summary(name: str, entries: Sequence[LedgerEntry], rulings: Sequence[Ruling]) -> str:
    """How many claims came out how, how many are beyond the paper, and how long it took."""
    stated = [entry.outcome.ruling for entry in entries if not entry.claim.beyond]
    counts = [str(stated.count(ruling)) for ruling in rulings]
    seconds = f"{sum(entry.seconds for entry in entries):.0f} s"
    return f"| {name} | " + " | ".join([*counts, str(len(entries) - len(stated)), seconds]) + " |"


def _section(entries: Sequence[LedgerEntry]) -> list[str]:
    head = ["claim", "where", "says", "checked", "searched", "measured", "verdict"]
    return ["", *_table_head(head), *(_row(entry) for entry in entries)] if entries else []


def _table_head(cells: Sequence[str]) -> list[str]:
    return ["| " + " | ".join(cells) + " |", "|" + "---|" * len(cells)]


def _row(entry: LedgerEntry) -> str:
    claim, outcome = entry.claim, entry.outcome
    verdict = f"**{outcome.ruling}**" + (f": {outcome.note}" if outcome.note else "")
    cells = (
        f"`{claim.key}`",
        claim.where,
        claim.says,
        claim.how,
        entry.searched(),
        outcome.measured,
        verdict,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
