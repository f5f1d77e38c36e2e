"""Load-latency curves as figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_atomically

__all__ = ["draw_curves", "draw_panels"]

_HOLLOW = "saturated: latency so far, packets under way included"


def draw_curves(rows: list[dict[str, Any]], path: str | Path, title: str = "") -> None:
    """Draw latency and accepted load over offered load, one line per network.

    Points beyond saturation are hollow; their latencies, in which packets under way count with
    their ages so far, go far beyond the others, so that the axis is then logarithmic. The format
    follows the ending: svg, png or pdf.
    """
    kind = _kind(path)
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    figure = Figure(figsize=(9, 4.3), layout="constrained")
    left, right = figure.subplots(1, 2)
    names = list(dict.fromkeys(row["spec"] for row in rows))
    for i, name in enumerate(names):
        mine = sorted((r for r in rows if r["spec"] == name), key=lambda r: r["offered"])
        colour = f"C{i % 10}"
        offered = [r["offered"] for r in mine]
        left.plot(offered, [r["latency"] for r in mine], color=colour, label=name)
        good = [r for r in mine if not r["saturated"]]
        spans = [r["latency_ci"] or 0 for r in good]
        left.errorbar(
            [r["offered"] for r in good], [r["latency"] for r in good], yerr=spans, fmt="none",
            ecolor=colour,
        )  # fmt: skip
        right.plot(offered, [r["accepted"] for r in mine], color=colour)
        for panel, column in ((left, "latency"), (right, "accepted")):
            for r in mine:
                face = "none" if r["saturated"] else colour
                panel.plot(r["offered"], r[column], "o", ms=4, mec=colour, mfc=face)
    left.set(xlabel="offered load (flits per endpoint and cycle)", ylabel="latency (cycles)")
    right.set(xlabel="offered load", ylabel="accepted load")
    if any(row["saturated"] for row in rows):
        left.set_yscale("log", subs=[2, 5])
        left.yaxis.set_major_formatter(FuncFormatter(_plain))
        left.yaxis.set_minor_formatter(FuncFormatter(_plain))
        left.plot([], [], "o", ms=4, mec="grey", mfc="none", label=_HOLLOW)
    else:
        left.set_ylim(bottom=0)
    handles, labels = left.get_legend_handles_labels()
    if names:  # below, where no curve runs
        figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize="small")
    figure.suptitle(title)
    _save(figure, path, kind)


def draw_panels(points: list[dict[str, Any]], path: str | Path, title: str = "") -> None:
    """Draw latency over load three times: as it is, at equal pins, at equal bisection."""
    kind = _kind(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 5.2), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    axes = {
        "offered": "flits per endpoint and cycle",
        "offered_pins": "the same, links scaled to equal pins",
        "offered_bisection": "the same, links scaled to equal bisection",
    }
    names = list(dict.fromkeys(point["spec"] for point in points))
    for i, name in enumerate(names):
        mine = sorted((p for p in points if p["spec"] == name), key=lambda p: p["offered"])
        latency = [p["latency"] for p in mine]
        for panel, column in zip(panels, axes, strict=True):
            dashes = "-" if i < 10 else "--"
            loads = [p[column] for p in mine]
            panel.plot(loads, latency, "o" + dashes, color=f"C{i % 10}", ms=3, label=name)
    for panel, words in zip(panels, axes.values(), strict=True):
        panel.set(xlabel=words, xscale="log")
        panel.grid(alpha=0.3)
    panels[0].set(ylabel="latency (cycles)", yscale="log")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize="small")
    figure.suptitle(title)
    _save(figure, path, kind)


def _plain(value: float, _: int) -> str:
    return f"{value:,g}" if value < 1e6 else f"{value:g}"


def _kind(path: str | Path) -> str:
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in ("svg", "png", "pdf"):
        raise ArgumentError(f"{path} must end with .svg, .png or .pdf")
    return kind


def _save(figure: Any, path: str | Path, kind: str) -> None:
    from matplotlib import rc_context

    meta = {"Date": None} if kind == "svg" else None
    with rc_context({"svg.hashsalt": "hopscape"}):  # the same curves make the same file
        write_atomically(path, lambda out: figure.savefig(out, format=kind, metadata=meta))
