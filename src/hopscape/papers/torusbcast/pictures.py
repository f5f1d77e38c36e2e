"""Pictures of tiles and of circuits on a two-dimensional torus, and of tiles in space.

Everything comes in as arrays; matplotlib is imported only when a picture is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.collectives.circuits.schemes import WORDS, scheme
from hopscape.collectives.circuits.torus import (
    grid_points,
    parse_words,
    scale,
    steps,
    with_inverses,
)
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import Points
from hopscape.core.files import write_atomically
from hopscape.papers.torusbcast.numeration import lattice, tile, tile_labels, word_system

__all__ = [
    "circuit_figure",
    "containment_figure",
    "crossover_figure",
    "draw_figures",
    "plane_containment",
    "plane_rounds",
    "plane_tilings",
    "save_animation",
    "save_figure",
    "space_figure",
    "space_tiles",
    "tiling_figure",
]

# Okabe and Ito's colours, lightened for areas
_AREAS = ("#9ecae9", "#ffd08a", "#a6dcc5", "#f3b7a3", "#d9c2e0", "#f2ec9b", "#c9d3dc")
_INK, _GREY, _BLUE, _RED = "#1a1a1a", "#8a8a8a", "#0072B2", "#D55E00"
_FORMATS = ("svg", "png", "pdf")


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure; the ending says the format (svg, png or pdf)."""
    ending = Path(path).suffix.lower().lstrip(".")
    if ending not in _FORMATS:
        raise ArgumentError(f"{path} must end in .{', .'.join(_FORMATS)}")
    write_atomically(
        path, lambda out: figure.savefig(out, format=ending, dpi=200, bbox_inches="tight")
    )


def _canvas(columns: int, rows: int, size: float) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(columns * size, rows * size), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)


def _bare(axes: Any, low: Floats | Sequence[float], high: Floats | Sequence[float]) -> None:
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_aspect("equal")
    axes.axis("off")


def _outline(labels: IntArray, wraps: bool) -> list[Points]:
    """Segments between cells with different labels; cell (x, y) is the unit square round it."""
    lines: list[Points] = []
    for axis in (0, 1):
        other = np.roll(labels, 1, axis=axis)
        differs = labels != other
        if not wraps:
            edge = [slice(None), slice(None)]
            edge[axis] = slice(0, 1)
            differs[tuple(edge)] = False
        for x, y in np.argwhere(differs).tolist():
            if axis == 0:
                lines.append(np.array([[x - 0.5, y - 0.5], [x - 0.5, y + 0.5]]))
            else:
                lines.append(np.array([[x - 0.5, y - 0.5], [x + 0.5, y - 0.5]]))
    return lines


def _area_colours(labels: IntArray) -> IntArray:
    """Colour classes so that tiles that touch (round the torus as well) differ."""
    neighbours: dict[int, set[int]] = {int(v): set() for v in np.unique(labels)}
    for axis in (0, 1):
        other = np.roll(labels, 1, axis=axis)
        for a, b in zip(labels.ravel().tolist(), other.ravel().tolist(), strict=True):
            if a != b:
                neighbours[a].add(b)
                neighbours[b].add(a)
    chosen: dict[int, int] = {}
    for label in sorted(neighbours, key=lambda v: (-len(neighbours[v]), v)):
        taken = {chosen[n] for n in neighbours[label] if n in chosen}
        chosen[label] = next(c for c in range(len(neighbours)) if c not in taken)
    colours: IntArray = np.vectorize(chosen.__getitem__)(labels)
    return colours


def tiling_figure(panels: Sequence[tuple[str, IntArray, IntArray]], size: float = 3.2) -> Any:
    """Tilings of a torus side by side.

    Args:
        panels (sequence of (title, labels, corners)): `labels` (side x side) says which tile each
            vertex is in; `corners` are the vertices that the tiles belong to, drawn as dots.
        size: Inches per panel.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.colors import ListedColormap

    figure, grid = _canvas(len(panels), 1, size)
    for axes, (title, labels, corners) in zip(grid[0], panels, strict=True):
        colours = _area_colours(labels)
        nx, ny = labels.shape
        axes.imshow(
            colours.T % len(_AREAS),
            origin="lower",
            cmap=ListedColormap(_AREAS),
            vmin=0,
            vmax=len(_AREAS) - 1,
            interpolation="none",
        )
        axes.add_collection(LineCollection(_outline(labels, True), colors=_INK, linewidths=0.9))
        axes.scatter(corners[:, 0], corners[:, 1], s=150 / max(nx, ny), color=_INK, zorder=3)
        axes.add_patch(_frame(nx, ny))
        axes.set_title(title, fontsize=9, color=_INK)
        _bare(axes, (-0.8, -0.8), (nx - 0.2, ny - 0.2))
    return figure


def _frame(nx: int, ny: int) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((-0.5, -0.5), nx, ny, fill=False, linewidth=0.9, edgecolor=_INK)


def _segments(path: IntArray, side: int) -> list[Points]:
    """A path on a torus as polylines, cut where it goes round."""
    step = np.diff(path, axis=0)
    wraps = np.flatnonzero(np.abs(step).max(axis=1) > 1)
    pieces: list[Points] = []
    start = 0
    lead: Points | None = None
    for cut in wraps.tolist():
        move = np.where(np.abs(step[cut]) > 1, -np.sign(step[cut]), 0) * 0.5
        piece = path[start : cut + 1].astype(float)
        if lead is not None:
            piece = np.vstack([lead, piece])
        pieces.append(np.vstack([piece, path[cut] + move]))
        lead = path[cut + 1] - move
        start = cut + 1
    piece = path[start:].astype(float)
    pieces.append(piece if lead is None else np.vstack([lead, piece]))
    return pieces


def _draw_round(
    axes: Any, side: int, informed: IntArray, paths: Sequence[IntArray], title: str
) -> None:
    from matplotlib.collections import LineCollection

    every = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    dot = 260 / side
    axes.scatter(every[:, 0], every[:, 1], s=dot * 0.12, color="#c4c4c4", zorder=1)
    lines = [piece for path in paths for piece in _segments(path, side)]
    width = min(1.4, 30 / side)
    axes.add_collection(LineCollection(lines, colors=_BLUE, linewidths=width, zorder=2))
    ends = np.array([path[-1] for path in paths]).reshape(-1, 2)
    axes.scatter(informed[:, 0], informed[:, 1], s=dot, color=_INK, zorder=4, linewidths=0)
    axes.scatter(
        ends[:, 0], ends[:, 1], s=dot, facecolor="white", edgecolor=_INK, linewidths=0.6, zorder=3
    )
    axes.add_patch(_frame(side, side))
    axes.set_title(title, fontsize=9, color=_INK)
    _bare(axes, (-0.8, -0.8), (side - 0.2, side - 0.2))


def circuit_figure(
    side: int, rounds: Sequence[tuple[IntArray, Sequence[IntArray]]], size: float = 3.2
) -> Any:
    """The rounds of a broadcast on a square torus: informed vertices black, new ones white.

    Args:
        rounds (sequence of (informed, paths)): Vertices that were informed before, and the vertices
            of each call.
        size: Inches per panel.
    """
    columns = min(len(rounds), 2)
    rows = -(-len(rounds) // columns)
    figure, grid = _canvas(columns, rows, size)
    for axes in grid.ravel()[len(rounds) :]:
        axes.axis("off")
    for r, (informed, paths) in enumerate(rounds):
        plural = "s" if len(informed) > 1 else ""
        title = f"round {r + 1}: {len(informed)} sender{plural}, calls of {len(paths[0]) - 1}"
        _draw_round(grid.ravel()[r], side, informed, paths, title)
    return figure


def save_animation(
    side: int, rounds: Sequence[tuple[IntArray, Sequence[IntArray]]], path: str | Path
) -> None:
    """The same as a GIF: circuits grow step by step, then the next round begins."""
    import io

    from PIL import Image

    if Path(path).suffix.lower() != ".gif":
        raise ArgumentError(f"{path} must end in .gif")
    frames: list[Any] = []
    waits: list[int] = []
    for r, (informed, paths) in enumerate(rounds):
        longest = max(len(p) for p in paths) - 1
        for part in np.unique(np.linspace(1, longest, min(longest, 8)).astype(int)).tolist():
            figure, grid = _canvas(1, 1, 4.2)
            shown = [p[: part + 1] for p in paths]
            _draw_round(grid[0, 0], side, informed, shown, f"round {r + 1}, hop {part}")
            picture = io.BytesIO()
            figure.savefig(picture, format="png", dpi=110)
            frames.append(Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE))
            waits.append(900 if part == longest else 140)
    write_atomically(
        path,
        lambda out: frames[0].save(
            out, format="GIF", save_all=True, append_images=frames[1:], duration=waits, loop=0
        ),
    )


def containment_figure(
    panels: Sequence[tuple[str, IntArray, Sequence[IntArray]]], size: float = 3.2
) -> Any:
    """Calls inside the tile of their sender: (title, points of the tile, paths from the origin)."""
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Rectangle

    figure, grid = _canvas(len(panels), 1, size)
    for axes, (title, points, paths) in zip(grid[0], panels, strict=True):
        low, high = points.min(axis=0) - 1, points.max(axis=0) + 1
        labels = np.zeros(high - low + 1, dtype=np.int64)
        labels[tuple((points - low).T)] = 1
        for x, y in points.tolist():
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, color=_AREAS[0], linewidth=0))
        border = [line + low for line in _outline(labels, False)]
        axes.add_collection(LineCollection(border, colors=_INK, linewidths=0.9))
        lines = [p.astype(float) for p in paths]
        axes.add_collection(LineCollection(lines, colors=_RED, linewidths=1.8, zorder=3))
        ends = np.array([p[-1] for p in paths])
        dot = 700 / float((high - low).max())
        axes.scatter([0], [0], s=dot, color=_INK, zorder=4)
        axes.scatter(ends[:, 0], ends[:, 1], s=dot, facecolor="white", edgecolor=_INK, zorder=4)
        axes.set_title(title, fontsize=9, color=_INK)
        _bare(axes, low - 0.6, high + 0.6)
    return figure


def space_figure(panels: Sequence[tuple[str, IntArray, IntArray]], size: float = 3.4) -> Any:
    """Tiles in space as blocks: (title, points, which sub-tile each point is in)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(len(panels) * size, size))
    FigureCanvasAgg(figure)
    for i, (title, points, parts) in enumerate(panels):
        axes: Any = figure.add_subplot(1, len(panels), i + 1, projection="3d")
        low = points.min(axis=0)
        filled = np.zeros(points.max(axis=0) - low + 1, dtype=bool)
        colours = np.full(filled.shape, "#ffffff", dtype=object)
        for place, part in zip((points - low).tolist(), parts.tolist(), strict=True):
            filled[tuple(place)] = True
            colours[tuple(place)] = _AREAS[part % len(_AREAS)]
        axes.voxels(filled, facecolors=colours, edgecolor="#404040", linewidth=0.25)
        axes.set_box_aspect(filled.shape, zoom=1.35)
        axes.view_init(elev=24, azim=-52)
        axes.set_axis_off()
        axes.set_title(title, fontsize=9, color=_INK)
    figure.subplots_adjust(left=0, right=1, bottom=0, top=0.93, wspace=0)
    return figure


def crossover_figure(
    lengths: Points, curves: Sequence[tuple[str, Points]], crossing: float | None
) -> Any:
    """Times over the message length, both logarithmic, with the crossing marked."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for (name, times), colour, at in zip(curves, (_BLUE, _RED), (0.2, 0.3), strict=False):
        axes.loglog(lengths, times, color=colour, linewidth=1.8)
        i = int(at * len(lengths))
        axes.annotate(
            name,
            (lengths[i], times[i]),
            xytext=(0, 6),
            textcoords="offset points",
            ha="center",
            va="bottom",
            color=colour,
            fontsize=9,
        )
    if crossing is not None:
        axes.axvline(crossing, color=_GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.annotate(
            f"{crossing:,.0f}",
            (crossing, axes.get_ylim()[0]),
            xytext=(4, 4),
            textcoords="offset points",
            color=_GREY,
            fontsize=8,
        )
    axes.set_xlabel("message length")
    axes.set_ylabel("time")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


Panel = tuple[str, IntArray, IntArray]


def plane_tilings(blocks: int) -> list[Panel]:
    """Torus of side 5^blocks, the origin in the middle, tiled by T(k): title, labels, corners."""
    system = word_system("2")
    side = 5**blocks
    middle = side // 2
    points = (grid_points((side, side)) - middle) % side
    out = []
    for level in range(2 * blocks - 1):
        corner = tile_labels(system, points, blocks, level)
        labels = (corner[:, 0] * side + corner[:, 1]).reshape(side, side)
        corners = lattice(system, level, blocks)
        title = f"{len(corners)} tiles T({level}) of {5 ** (level + 1)} vertices"
        out.append((title, labels, (corners + middle) % side))
    return out


def plane_rounds(blocks: int) -> list[tuple[IntArray, list[IntArray]]]:
    """Rounds of the 2-D broadcast from the middle: informed vertices, and paths of the calls."""
    side = 5**blocks
    middle = side // 2
    out = []
    for now in scheme("numeration", (side, side)).rounds:
        paths = []
        for calls in now:
            for word in calls.words:
                places, _ = steps(word, 2)
                paths += [(start + places + middle) % side for start in calls.sources]
        sources = np.concatenate([calls.sources for calls in now])
        out.append(((sources + middle) % side, paths))
    return out


def plane_containment() -> list[tuple[str, IntArray, list[IntArray]]]:
    """The calls of the origin inside its tile: three rounds of the 2-D scheme."""
    system = word_system("2")
    rows = [with_inverses(parse_words(row)) for row in WORDS["2"]]
    out = []
    for level in (3, 2, 1):
        unit = 5 ** (level // 2)
        words = [scale(word, unit) for word in rows[1 - level % 2]]
        paths = [steps(word, 2)[0] for word in words]
        title = f"calls of {3 * unit if level % 2 else unit} in T({level})"
        out.append((title, tile(system, level), paths))
    return out


def space_tiles() -> list[Panel]:
    """T(0), T(1) and T(2) of the printed 3-D system; colours tell the tiles of one level less."""
    system = word_system("3-printed")
    out = []
    for level in range(3):
        points = tile(system, level)
        parts = np.repeat(np.arange(7), len(points) // 7)
        out.append((f"T({level}): {len(points)} vertices", points, parts))
    return out


def draw_figures(crossover: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Draw tiles, circuits and crossover (SVG and PNG), and the rounds moving (GIF).

    Args:
        crossover: The rows of :func:`hopscape.papers.torusbcast.study.crossover_rows`.
    """
    lengths = np.array([row["length"] for row in crossover])
    relay = np.array([row["relay"] for row in crossover])
    trees = np.array([row["trees"] for row in crossover])
    crossing = None
    later = np.flatnonzero((trees < relay)[1:] & (trees >= relay)[:-1])
    if len(later):
        gap = np.log(trees / relay)
        i = int(later[0])
        part = gap[i] / (gap[i] - gap[i + 1])
        crossing = float(lengths[i] * (lengths[i + 1] / lengths[i]) ** part)
    curves = [("relay of whole messages", relay), ("six pipelined trees", trees)]
    rounds = plane_rounds(2)
    figures = {
        "tiles": tiling_figure(plane_tilings(2)),
        "rounds": circuit_figure(25, rounds),
        "containment": containment_figure(plane_containment()),
        "space-tiles": space_figure(space_tiles()),
        "crossover": crossover_figure(lengths, curves, crossing),
    }
    for name, figure in figures.items():
        for ending in ("svg", "png"):
            save_figure(figure, folder / f"{name}.{ending}")
    save_animation(25, rounds, folder / "rounds.gif")
