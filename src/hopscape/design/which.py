"""Which network for which size: the designer run over several sizes, as one page.

Cost per endpoint against size: the best machine of every family at several sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_atomically
from hopscape.design.candidates import Candidate
from hopscape.design.columns import ALL_COLUMNS, columns_of
from hopscape.design.designer import Design, design
from hopscape.design.question import Question
from hopscape.design.report import markdown_table, winners
from hopscape.design.requirements import Requirements
from hopscape.design.switched_columns import SWITCHED_KEYS
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.design.table import cell
from hopscape.ledger import load_papers
from hopscape.registry import family
from hopscape.store import Store, renamed_arguments

__all__ = ["SIZES", "SWITCHED_SIZES", "draw_sweep", "sweep", "which_network"]

SIZES = ((64, 4), (128, 6))
SWITCHED_SIZES = ((256, 32), (1024, 64))
_SHARES = (1.0, 0.5)


@renamed_arguments(jobs="workers", table="resume")
def which_network(
    sizes: Sequence[tuple[int, int]] = SIZES,
    switched: Sequence[tuple[int, int]] = SWITCHED_SIZES,
    *,
    workers: int | None = None,
    resume: Store | str | Path | None = None,
) -> str:
    """A page of Markdown: for every size the best of every family, and who wins at what.

    Args:
        sizes (sequence of (nodes, ports)): Direct machines.
        switched (sequence of (endpoints, radix)): Switched machines, each at full and at half
            throughput.
        workers: Processes; by the size of the work when left out.
        resume: Keeps what is measured, so that an interrupted study goes on where it was.
    """
    shown = ";".join(f"{n}x{p}" for n, p in sizes)
    machines = ";".join(f"{n}x{r}" for n, r in switched)
    lines = [
        "# Which network?",
        "",
        "Every registered family was asked for members of each size; the best of each family is"
        " listed. Nothing is quoted: every figure was computed for this page. The command",
        "",
        "```",
        f'hopscape study which-network --sizes "{shown}" --switched "{machines}"'
        " --output docs/which-network.md",
        "```",
        "",
        "writes it again (some minutes; `--sizes` and `--switched` ask for others). Signs: ≤ an"
        " upper bound, ≥ a lower bound (worst permutations are looked for on the busiest"
        " channels), ~ a sample. Direct machines stand by the score, with the usual weights of"
        " `hopscape design`; with other weights others win. Switched machines stand by cost, at"
        " the prices of `hopscape prices`; nodes of other networks are switches with endpoints"
        " there. Families that cannot cost as little as the standard machine of the trade, or as"
        " full rate for any permutation, are ruled out by bounds and not listed.",
        "",
    ]
    for nodes, ports in sizes:
        lines += _section(_whole(Requirements(nodes, ports), workers=workers, resume=resume))
    for endpoints, radix in switched:
        for share in _SHARES:
            asked = SwitchedRequirements(endpoints, radix, throughput=share)
            lines += _machines(_whole(asked, workers=workers, resume=resume))
    return "\n".join(lines)


def _whole(asked: Question, **more: Any) -> Design:
    """The answer to a question; one that was cut short is passed off for no whole one."""
    found = design(asked, **more)
    if not found.complete:
        raise KeyboardInterrupt
    return found


def title_of(asked: Question) -> str:
    """The title of a question's part of the page."""
    if isinstance(asked, SwitchedRequirements):
        return f"{asked.title}, throughput {asked.throughput:g}"
    return f"{asked.title[0].upper()}{asked.title[1:]}"


def _section(found: Design) -> list[str]:
    asked, names = found.requirements, columns_of("which")
    assert isinstance(asked, Requirements)
    allowed = [one for one in found.candidates if not one.trouble]
    best: dict[str, Candidate] = {}
    for one in allowed:
        best.setdefault(one.family, one)
    rows = [
        (
            f"`{one.spec}`",
            *(cell(n, one.figures[n]) if n in one.figures else None for n in names),
            one.score,
            _remark(one),
        )
        for one in best.values()
    ]
    heads = ("network", *(ALL_COLUMNS[name].title for name in names), "score", "")
    return [
        f"## {title_of(asked)}",
        "",
        *markdown_table(heads, rows),
        "",
        *_winner_table(found),
        "",
        _reading(found),
        "",
        _distance_words(allowed),
        "",
    ]


def _remark(one: Candidate) -> str:
    if one.dominated_by:
        return f"dominated by `{one.dominated_by}`"
    return f"same figures as `{one.equals}`" if one.equals else ""


def _machines(found: Design) -> list[str]:
    """The cheapest machine of every family that meets the demands, and the answer."""
    asked, names = found.requirements, columns_of("which machines")
    assert isinstance(asked, SwitchedRequirements)
    best: dict[str, Candidate] = {}
    for one in found.candidates:
        if not one.trouble:
            best.setdefault(one.family, one)
    rows = [
        (f"`{one.spec}`", *(cell(n, one.figures[n]) for n in names), _remark(one))
        for one in best.values()
    ]
    papers = studied_families()
    place = next((i for i, name in enumerate(best, 1) if name in papers), None)
    first = "No family of the papers is among them."
    if place is not None:
        own = list(best.values())[place - 1]
        more = float(own.value("money")) / float(found.best.value("money")) - 1
        first = f"The papers' families first appear at place {place}: `{own.spec}`"
        first += f", {100 * more:+.1f} % in cost." if place > 1 else "."
    return [
        f"## {title_of(asked)}",
        "",
        *markdown_table(("machine", *(ALL_COLUMNS[n].title for n in names), ""), rows),
        "",
        found.answer,
        "",
        first,
        "",
    ]


def _winner_table(found: Design) -> list[str]:
    """Who is best at what, and how near the best of the papers' families comes."""
    papers = {(w.criterion, w.column): w for w in winners(found, studied_families())}
    rows = []
    for best in winners(found):
        own = papers.get((best.criterion, best.column))
        name, reached = "-", ""
        if own is not None:
            same = own.candidate is best.candidate
            name, reached = "the same" if same else f"`{own.candidate.spec}`", own.shown
        title = ALL_COLUMNS[best.column].title
        rows.append((best.criterion, title, f"`{best.candidate.spec}`", best.shown, name, reached))
    heads = ("what matters", "figure", "best", "", "best of the papers' families", "")
    return markdown_table(heads, rows)


def _reading(found: Design) -> str:
    """What the papers' families are best at here, in words."""
    papers = studied_families()
    place = next((i for i, one in enumerate(found.candidates, 1) if one.family in papers), None)
    best = winners(found)
    own = dict.fromkeys(w.criterion for w in best if w.candidate.family in papers)
    others = dict.fromkeys(w.criterion for w in best if w.criterion not in own)
    words = "By the whole score no family of the papers is listed."
    if place is not None:
        words = f"By the whole score the papers' families first appear at place {place}."
    words += f" They are best at {', '.join(own) or 'nothing'}"
    return words + (f", others at {', '.join(others)}." if others else ".")


def studied_families() -> set[str]:
    """Families that the ledger's papers are about.

    Examples:
        >>> found = studied_families()
        >>> "optimal_circulant" in found, "petersen" in found, "random_regular" in found
        (True, True, False)
    """
    return {name for paper in load_papers() for name in paper.families}


def _distance_words(allowed: Sequence[Candidate]) -> str:
    """How the winner by distance stands to the random ones, and how it is routed."""
    known = [one for one in allowed if one.value("hops") is not None and one.stage > 1]
    first = min(known, key=_hops)
    words = f"Shortest mean distance: `{first.spec}`, {_hops(first):.4f} hops"
    random = [one for one in known if _by_seed(one)]
    if random and _hops(first):
        least = min(random, key=_hops)
        words += f", {_percent(first, least)} against the best random network (`{least.spec}`)"
    lanes, table = first.figures["vcs"], first.value("table_bytes")
    words += f"; routed {'without tables' if table == 0 else f'by tables of {table} bytes'}"
    sure = "certified" if first.value("deadlock_certified") else "as far as is known"
    words += f", free of deadlock with {cell('vcs', lanes)} virtual channels ({sure}:"
    words += f" {lanes.note})."
    others = [one for one in known if one.value("table_bytes") == 0]
    if others and _hops(first) and first not in others:
        nearest = min(others, key=_hops)
        words += f" The shortest without tables is `{nearest.spec}`, {_percent(nearest, first)}."
    return words


def _hops(one: Candidate) -> float:
    return float(one.value("hops"))


def _percent(one: Candidate, other: Candidate) -> str:
    return f"{100 * (_hops(one) / _hops(other) - 1):+.1f} %"


def _by_seed(one: Candidate) -> bool:
    """Is it one of many random networks, told apart by a seed?"""
    return any(parameter.name == "seed" for parameter in family(one.family).parameters)


_DRAWN = 12
_FORMATS = ("svg", "png", "pdf")


@renamed_arguments(jobs="workers", table="resume")
def sweep(
    asked: SwitchedRequirements,
    sizes: Sequence[int],
    *,
    workers: int | None = None,
    resume: Store | str | Path | None = None,
    dask: str | None = None,
    seconds: float | None = None,
) -> list[dict[str, Any]]:
    """The cheapest machine of every family that meets the demands, size by size.

    Args:
        asked: The question, whatever its number of endpoints.
        workers, resume, dask, seconds: As for :func:`~hopscape.design.designer.design`.

    Examples:
        >>> asked = SwitchedRequirements(16, 16, families=("complete",))
        >>> [(row["asked"], row["switches"]) for row in sweep(asked, [16, 32])]
        [(16, 1), (32, 5)]
    """
    rows, shown = [], columns_of("sweep")
    for size in sizes:
        one_size = replace(asked, endpoints=size, every_family=True)
        found = _whole(one_size, workers=workers, resume=resume, dask=dask, seconds=seconds)
        seen: set[str] = set()
        for one in found.candidates:
            if one.trouble or one.family in seen:
                continue
            seen.add(one.family)
            figures = {SWITCHED_KEYS.get(name, name): one.value(name) for name in shown}
            rows.append({"asked": size, "family": one.family, "spec": one.spec} | figures)
    return rows


def draw_sweep(rows: Sequence[Mapping[str, Any]], path: str | Path) -> None:
    """Draw cost per endpoint against size, a line for each of the families that are cheapest.

    Raises:
        ArgumentError: For a name that ends in no format of figures.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    kind = Path(path).suffix.lstrip(".").lower()
    if kind not in _FORMATS:
        raise ArgumentError(f"{path} must end in {', '.join('.' + name for name in _FORMATS)}")
    families: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        point = (int(row["endpoints"]), float(row["cost_per_endpoint"]))
        families.setdefault(str(row["family"]), []).append(point)
    sizes = max((len(points) for points in families.values()), default=0)
    ranked = sorted(
        families.items(), key=lambda item: (sizes - len(item[1]), min(y for _, y in item[1]))
    )
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "hopscape", "font.size": 8}):
        figure = Figure(figsize=(7.0, 4.2), layout="constrained")
        axes: Any = figure.add_subplot()
        for i, (name, points) in enumerate(ranked[:_DRAWN]):
            x, y = zip(*sorted(points), strict=True)
            axes.plot(x, y, marker="osD^v<>P*X"[i % 10], label=name, linewidth=1)
        axes.set_xscale("log", base=2)
        axes.set_xlabel("endpoints")
        axes.set_ylabel("cost per endpoint")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=6)
        write_atomically(Path(path), partial(_save, figure=figure, kind=kind))


def _save(out: Any, figure: Any, kind: str) -> None:
    metadata = {"Date": None} if kind == "svg" else None
    figure.savefig(out, format=kind, metadata=metadata)
