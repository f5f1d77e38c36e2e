"""How many mutants the entries notice: counted by entry and paper, and as a section of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from hopscape._version import __version__
from hopscape.ledger.claim import Claim
from hopscape.ledger.planting import Trial

__all__ = ["REQUIRED", "Score", "join_sections", "mutant_section", "scores_by_entry", "total_score"]

REQUIRED = 0.9
"""Of the mutants that change a value given to a check, the share that has to be noticed."""
_HEADING = "## Mutants\n"
_PART = "### Mutants of "
_INTRO = """
Mutants of the code that the entries judge (written by `hopscape ledger --plant --page
docs/ledger.md`, not edited; with `--paper` one paper is renewed). A mutant changes one constant,
comparison, operator, condition, statement or return value in a line that the check runs.
*Noticed*: the ruling, a pinned value, a count or a number of the text changed. *Survived*: a value
that the check was given changed (what it called returned something else, in any public attribute
but names), and the entry said the same. *Internal*: its function returned
something else, but no value that the check was given changed. *Same*: every call returned the
same. *Endless*: the check ran out of processor time. *Untried*: it could not be planted. The score
is noticed / (noticed + survived), the strict one counts internal mutants as survivors.
"""


@dataclass(frozen=True)
class Score:
    """What became of the mutants of an entry, or of several."""

    name: str
    trials: tuple[Trial, ...]

    def count(self, verdict: str) -> int:
        """Mutants with this verdict."""
        return sum(trial.verdict == verdict for trial in self.trials)

    @property
    def survivors(self) -> tuple[Trial, ...]:
        """Mutants that changed a value given to the check, which said nothing."""
        return tuple(trial for trial in self.trials if trial.verdict == "survived")

    def share(self, *, strict: bool = False) -> float | None:
        """Noticed, of those that could be; None when there was nothing to notice."""
        noticed, survived = self.count("noticed"), len(self.survivors)
        of = noticed + survived + (self.count("internal") if strict else 0)
        return noticed / of if of else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        counts = {verdict: self.count(verdict) for verdict in _VERDICTS}
        return {
            "key": self.name,
            "tried": len(self.trials),
            **counts,
            "score": self.share(),
            "strict_score": self.share(strict=True),
            "survivors": [trial.to_dict() for trial in self.survivors],
        }


_VERDICTS = {
    "noticed": "noticed",
    "survived": "survived",
    "internal": "internal",
    "equivalent": "same",
    "endless": "endless",
    "untried": "untried",
}
"""With their headings."""


def scores_by_entry(trials: Iterable[Trial], claims: Iterable[Claim]) -> list[Score]:
    """One for each claim, those that reach no code to mutate included."""
    rows: dict[str, list[Trial]] = {claim.key: [] for claim in claims}
    for trial in trials:
        rows[trial.claim].append(trial)
    return [Score(key, tuple(some)) for key, some in rows.items()]


def total_score(scores: Iterable[Score], name: str = "all") -> Score:
    """All mutants together."""
    return Score(name, tuple(trial for score in scores for trial in score.trials))


def mutant_section(
    scores: Sequence[Score], claims: Sequence[Claim], command: str, page: str = ""
) -> str:
    """The scores as Markdown: by paper, by entry, and the survivors by function.

    Args:
        page: What it says of papers that were not tried this time is kept.
    """
    papers = {claim.key: claim.paper for claim in claims}
    groups: dict[str, list[Score]] = {}
    for score in scores:
        groups.setdefault(papers[score.name], []).append(score)
    counts, parts = _kept(page)
    said = f"Tried with `{command}` (version {__version__}, {date.today().isoformat()})."
    for name, some in groups.items():
        counts[name] = _counts(total_score(some, name))
        rows = [_row(f"`{score.name}`", _counts(score)) for score in some]
        parts[name] = [said, "", *_head("entry"), *rows, *_survivors(some)]
    names = sorted(counts)
    lines = [_HEADING, _INTRO.strip(), "", *_head("paper")]
    lines += [_row(name, counts[name]) for name in names]
    lines.append(_row("all", [sum(column) for column in zip(*counts.values(), strict=True)]))
    for name in names:
        lines += ["", f"{_PART}{name}", "", *parts[name]]
    return "\n".join(lines) + "\n"


def _kept(page: str) -> tuple[dict[str, list[int]], dict[str, list[str]]]:
    """Counts and lines of every paper that a page has in its section on mutants."""
    summary, *parts = page.partition("\n" + _HEADING)[2].split("\n" + _PART)
    lines = {part.partition("\n")[0]: part.partition("\n")[2].strip().split("\n") for part in parts}
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in summary.split("\n")]
    rows = {row[0]: [int(cell) for cell in row[1:-2]] for row in cells if row[0] in lines}
    return rows, {name: lines[name] for name in rows}


def _head(first: str) -> list[str]:
    heads = [first, "mutants", *_VERDICTS.values(), "score", "strict"]
    return ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]


def _counts(score: Score) -> list[int]:
    """All mutants, then by verdict."""
    return [len(score.trials), *(score.count(verdict) for verdict in _VERDICTS)]


def _row(name: str, counts: Sequence[int]) -> str:
    _, noticed, survived, internal, *_ = counts
    shares = [_percent(noticed, noticed + survived + more) for more in (0, internal)]
    return "| " + " | ".join([name, *map(str, counts), *shares]) + " |"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _survivors(scores: Sequence[Score]) -> list[str]:
    """Functions in which mutants survived, with the entries that said nothing."""
    places: Counter[tuple[str, str]] = Counter()
    entries: dict[tuple[str, str], set[str]] = {}
    for score in scores:
        for trial in score.survivors:
            row = trial.to_dict()
            place = (row["module"], row["function"])
            places[place] += 1
            entries.setdefault(place, set()).add(score.name)
    lines = [
        f"- `{module}:{function}` {count}: " + ", ".join(sorted(entries[module, function]))
        for (module, function), count in places.most_common()
    ]
    return ["", "Survivors by function:", "", *lines] if lines else []


def join_sections(page: str, *, claims: str | None = None, mutants: str | None = None) -> str:
    """A page with one of its two parts renewed, the claims or the section on mutants.

    Examples:
        >>> page = join_sections("# Ledger\\n", mutants="## Mutants\\n\\nnone\\n")
        >>> join_sections(page, claims="# Ledger, renewed\\n")
        '# Ledger, renewed\\n\\n## Mutants\\n\\nnone\\n'
    """
    before, heading, after = page.partition("\n" + _HEADING)
    last = mutants if mutants is not None else _HEADING + after if heading else ""
    first = claims if claims is not None else before
    return first.rstrip("\n") + "\n" + (f"\n{last}" if last else "")


def columns() -> Mapping[str, str]:
    """Keys of a score with their headings in a terminal."""
    return {"key": "entry", "tried": "mutants", **_VERDICTS, "score": "score"}
