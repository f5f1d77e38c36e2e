"""Figures that compare families: diameter, cost and bandwidth against the size of the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hopscape.core.files import write_atomically

__all__ = ["draw_bandwidth", "draw_curves"]

_COLOURS = {
    "hypercube": "#444444",
    "CCC": "#8c6d31",
    "F-P": "#7fb8da",
    "RE-P": "#1f77b4",
    "F-H": "#f2a37a",
    "RE-H": "#d1401f",
    "WBF": "#9467bd",
    "PCC": "#2ca02c",
    "HCC": "#98c379",
    "Kautz 2": "#b5179e",
    "Kautz 3": "#e377c2",
    "Moore bound": "#000000",
}
_LINES = {"printed": "--", "true": "-", "bound": ":"}


def draw_curves(rows: Sequence[Mapping[str, Any]], value: str, label: str, path: Path) -> None:
    """Printed curves dashed, true values solid (each ends where its family ends), the bound dotted.

    Args:
        rows: With keys family, kind, k, exists and `value`.
        value: Which key to draw.
        label: Of the upright axis, which is logarithmic.
        path: SVG, PNG or PDF.
    """
    figure, axes = _page()
    for (family, kind), points in _by_line(rows).items():
        style = {"color": _COLOURS[family], "linestyle": _LINES[kind], "linewidth": 1.6}
        real = [p for p in points if p["exists"]]
        axes.plot([p["k"] for p in real], [p[value] for p in real], **style)
        beyond = [p for p in points if not p["exists"]]
        if beyond:  # printed, but there is no such network
            pale = style | {"alpha": 0.3}
            axes.plot([p["k"] for p in beyond], [p[value] for p in beyond], **pale)
        if kind != "printed" and real:
            axes.plot(real[-1]["k"], real[-1][value], "o", color=_COLOURS[family], markersize=4)
    axes.set_yscale("log")
    axes.set_ylabel(label)
    _finish(figure, axes, path, {row["family"] for row in rows}, "dashed: as printed; solid: true")


def draw_bandwidth(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Data per node and round in total exchange, at best."""
    figure, axes = _page()
    names = list(dict.fromkeys(row["family"] for row in rows))
    for name in names:
        mine = [row for row in rows if row["family"] == name]
        axes.plot(
            [row["k"] for row in mine],
            [row["bandwidth"] for row in mine],
            color=_COLOURS[name],
            linewidth=1.6,
        )
    axes.set_yscale("log")
    axes.set_ylabel("total exchange: data per node and round, at best")
    _finish(figure, axes, path, set(names), "")


def _page() -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.2), layout="constrained")
    return figure, figure.subplots()


def _by_line(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    out: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        out.setdefault((row["family"], row["kind"]), []).append(row)
    return out


def _finish(figure: Any, axes: Any, path: Path, families: set[str], note: str) -> None:
    axes.set_xlabel("log₂ of the number of nodes")
    axes.grid(alpha=0.25)
    for name in (name for name in _COLOURS if name in families):
        axes.plot([], [], color=_COLOURS[name], label=name, linewidth=1.6)
    axes.legend(ncols=2, fontsize=8, frameon=False, title=note or None, title_fontsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    kind = path.suffix.lstrip(".")
    write_atomically(path, lambda out: figure.savefig(out, format=kind, dpi=150))
