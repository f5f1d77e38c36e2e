"""Load-latency curves as figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_atomically

__all__ = ["draw_curves"]


def draw_curves(rows: list[dict[str, Any]], path: str | Path, title: str = "") -> None:
    """Draw latency and accepted load over offered load, one line per network.

    Points beyond saturation are hollow. The format follows the ending: svg, png or pdf.
    """
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in ("svg", "png", "pdf"):
        raise ArgumentError(f"{path} must end with .svg, .png or .pdf")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    names = list(dict.fromkeys(row["spec"] for row in rows))
    for i, name in enumerate(names):
        mine = sorted((r for r in rows if r["spec"] == name), key=lambda r: r["offered"])
        colour = f"C{i % 10}"
        good = [r for r in mine if not r["saturated"]]
        left.errorbar(
            [r["offered"] for r in good],
            [r["latency"] for r in good],
            yerr=[r["latency_ci"] or 0 for r in good],
            marker="o",
            markersize=3,
            color=colour,
            label=name,
        )
        right.plot([r["offered"] for r in mine], [r["accepted"] for r in mine], color=colour)
        for r in mine:
            face = "none" if r["saturated"] else colour
            right.plot(r["offered"], r["accepted"], "o", ms=4, mec=colour, mfc=face)
    left.set(xlabel="offered load (flits per endpoint and cycle)", ylabel="latency (cycles)")
    left.set_ylim(bottom=0)
    right.set(xlabel="offered load", ylabel="accepted load")
    if names:
        left.legend(fontsize="small")
    figure.suptitle(title)
    meta = {"Date": None} if kind == "svg" else None
    write_atomically(path, lambda out: figure.savefig(out, format=kind, metadata=meta))
