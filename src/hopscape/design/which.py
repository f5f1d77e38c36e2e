"""Which network for which size: the designer run over several sizes, as one page."""

from __future__ import annotations

from collections.abc import Sequence

from hopscape.design.candidates import Candidate
from hopscape.design.columns import ALL_COLUMNS, columns_of
from hopscape.design.designer import Design, design
from hopscape.design.report import markdown_table, winners
from hopscape.design.requirements import Requirements
from hopscape.design.switched import SwitchedDesign, design_switched
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.design.table import cell
from hopscape.ledger import load_papers
from hopscape.registry import family
from hopscape.store import Store

__all__ = ["SIZES", "SWITCHED_SIZES", "which_network"]

SIZES = ((64, 4), (64, 16), (256, 6), (1024, 6), (1024, 32), (4096, 8))
SWITCHED_SIZES = ((256, 32), (1024, 64), (4096, 64), (16384, 64))
_SHARES = (1.0, 0.5)


def which_network(
    sizes: Sequence[tuple[int, int]] = SIZES,
    switched: Sequence[tuple[int, int]] = SWITCHED_SIZES,
    *,
    jobs: int | None = None,
    table: Store | None = None,
) -> str:
    """A page of Markdown: for every size the best of every family, and who wins at what.

    Args:
        sizes (sequence of (nodes, ports)): Direct machines.
        switched (sequence of (endpoints, radix)): Switched machines, each at full and at half
            throughput.
        jobs: Processes; by the size of the work when left out.
        table: Keeps what is measured, so that an interrupted study goes on where it was.
    """
    shown = ";".join(f"{n}x{p}" for n, p in sizes)
    machines = ";".join(f"{n}x{r}" for n, r in switched)
    lines = [
        "# Which network?",
        "",
        "Every registered family was asked for members of each size; the best of each family by"
        " score is listed. Nothing is quoted: every figure was computed for this page. The command",
        "",
        "```",
        f'hopscape study which-network --sizes "{shown}" --switched "{machines}"'
        " --output docs/which-network.md",
        "```",
        "",
        "writes it again. Signs: ≤ an upper bound, ≥ a lower bound (worst permutations are looked"
        " for on the busiest channels), ~ a sample. The score uses the usual weights of"
        " `hopscape design`; with other weights others win. Switched machines stand by cost, at the"
        " prices of `hopscape prices`; nodes of other networks are switches with endpoints there.",
        "",
    ]
    for nodes, ports in sizes:
        lines += _section(design(Requirements(nodes, ports), jobs=jobs, table=table))
    for endpoints, radix in switched:
        for share in _SHARES:
            asked = SwitchedRequirements(endpoints, radix, throughput=share)
            lines += _machines(design_switched(asked, jobs=jobs, table=table))
    return "\n".join(lines)


def _section(found: Design) -> list[str]:
    asked, names = found.requirements, columns_of("which")
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
        f"## About {asked.nodes} nodes, at most {asked.ports} ports",
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


def _machines(found: SwitchedDesign) -> list[str]:
    """The cheapest machine of every family that meets the demands, and the answer."""
    asked, names = found.requirements, columns_of("which machines")
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
    first = "No family of the papers meets it."
    if place is not None:
        own = list(best.values())[place - 1]
        more = float(own.value("money")) / float(found.best.value("money")) - 1
        first = f"The papers' families first appear at place {place}: `{own.spec}`"
        first += f", {100 * more:+.1f} % in cost." if place > 1 else "."
    return [
        f"## {asked.endpoints} endpoints, switches of {asked.radix} ports,"
        f" throughput {asked.throughput:g}",
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
        near = min(others, key=_hops)
        words += f" The shortest without tables is `{near.spec}`, {_percent(near, first)}."
    return words


def _hops(one: Candidate) -> float:
    return float(one.value("hops"))


def _percent(one: Candidate, other: Candidate) -> str:
    return f"{100 * (_hops(one) / _hops(other) - 1):+.1f} %"


def _by_seed(one: Candidate) -> bool:
    """Is it one of many random networks, told apart by a seed?"""
    return any(parameter.name == "seed" for parameter in family(one.family).parameters)
