"""Schedules as pictures: round by round, still or animated, and times against message size."""

from __future__ import annotations

import base64
import html
import io
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.facts import Points
from hopscape.core.files import write_atomically
from hopscape.core.schedule import Schedule
from hopscape.show.draw.places import place_nodes

__all__ = ["draw_cell", "draw_rounds", "draw_times", "still_figure"]

_MOST_TRANSFERS = 4000
_PER_SECOND = 1
_MOST_FRAMES = 40
_STILL = (".svg", ".png", ".pdf")


def draw_rounds(schedule: Schedule, path: str | Path) -> None:
    """Draw who sends to whom in which round.

    Args:
        schedule: Such as a broadcast, of at most 4,000 transfers.
        path: ``.svg``, ``.png`` or ``.pdf``: all rounds in one picture, a colour each; ``.gif``:
            one round after the other; ``.html``: a page that steps through them, of at most 40
            rounds.

    Raises:
        ArgumentError: For another ending.
        TooLargeError: When there are more transfers than a picture can show.
    """
    place = Path(path)
    ending = place.suffix.lower()
    if ending not in (*_STILL, ".gif", ".html"):
        raise ArgumentError(f"{path} must end in .svg, .png, .pdf, .gif or .html")
    if schedule.transfers > _MOST_TRANSFERS:
        raise TooLargeError(
            f"the schedule has {schedule.transfers} transfers; at most {_MOST_TRANSFERS} are drawn"
        )
    from matplotlib.figure import Figure

    points = place_nodes(schedule.network).positions
    figure = Figure(figsize=(7, 7.4), layout="constrained")
    axes = figure.add_subplot()
    if ending == ".gif":
        _animate(schedule, points, figure, axes, place)
        return
    if ending == ".html":
        _page(schedule, points, figure, axes, place)
        return
    _paint(schedule, points, axes, schedule.rounds)
    _save(figure, place, ending)


def _page(schedule: Schedule, points: Points, figure: Any, axes: Any, place: Path) -> None:
    """A page that needs nothing else: a picture for each round, a slider and a button."""
    import matplotlib

    if schedule.rounds > _MOST_FRAMES:
        raise TooLargeError(
            f"the schedule has {schedule.rounds} rounds; a page shows up to {_MOST_FRAMES}"
        )
    frames = []
    with matplotlib.rc_context({"svg.hashsalt": "hopscape"}):
        for r in range(schedule.rounds + 1):
            _paint(schedule, points, axes, r)
            picture = io.BytesIO()
            figure.savefig(picture, format="svg", metadata={"Date": None})
            text = base64.b64encode(picture.getvalue()).decode()
            style = "" if r == 0 else " hidden"
            frames.append(f'<img alt="round {r}"{style} src="data:image/svg+xml;base64,{text}">')
    title = html.escape(f"{schedule.network.spec}: {schedule.goal.describe()}")
    text = _PAGE.format(title=title, frames="\n".join(frames), last=schedule.rounds)
    write_atomically(place, lambda out: out.write(text.encode()))


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font-family: sans-serif; max-width: 50rem; margin: 1rem auto; }}
img {{ width: 100%; }}
input {{ width: 70%; }}
</style></head><body>
<h1>{title}</h1>
<p><button id="play">play</button>
<input id="round" type="range" min="0" max="{last}" value="0" aria-label="round">
round <output id="shown">0</output> of {last}</p>
{frames}
<script>
const frames = document.querySelectorAll("img"), slider = document.getElementById("round");
let timer = null;
function show(r) {{
  frames.forEach((frame, i) => {{ frame.hidden = i != r; }});
  slider.value = r;
  document.getElementById("shown").textContent = r;
}}
slider.oninput = () => show(Number(slider.value));
document.getElementById("play").onclick = () => {{
  clearInterval(timer);
  timer = setInterval(() => show((Number(slider.value) + 1) % frames.length), 900);
}};
</script></body></html>
"""


def _save(figure: Any, place: Path, ending: str) -> None:
    write_atomically(place, lambda out: figure.savefig(out, format=ending[1:], dpi=150))


def _paint(schedule: Schedule, points: Points, axes: Any, rounds: int) -> None:
    """The first so many rounds."""
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection

    axes.clear()
    axes.set_axis_off()
    axes.set_aspect("equal")
    colours = colormaps["viridis"](np.linspace(0.0, 0.9, max(schedule.rounds, 1)))
    reached = np.full(schedule.network.order, -1)
    if schedule.goal.root is not None:
        reached[schedule.goal.root] = 0
    for r in range(rounds):
        part = slice(int(schedule.round_start[r]), int(schedule.round_start[r + 1]))
        source, target = schedule.source[part], schedule.target[part]
        lines = np.stack([points[source], points[target]], axis=1)
        axes.add_collection(
            LineCollection(list(lines), colors=[colours[r]], linewidths=1.0, label=f"round {r + 1}")
        )
        fresh = target[reached[target] < 0]
        reached[fresh] = r + 1
    shades = np.vstack([[[0.84, 0.37, 0.0, 1.0]], colours])
    shown = np.where(reached[:, None] >= 0, shades[np.maximum(reached, 0)], 0.85)
    axes.scatter(*points.T, c=shown, s=max(3.0, 900.0 / len(points)), zorder=3)
    axes.set_xlim(points[:, 0].min() - 0.08, points[:, 0].max() + 0.08)
    axes.set_ylim(points[:, 1].min() - 0.08, points[:, 1].max() + 0.08)
    if rounds:
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "ncols": 8}
        axes.legend(fontsize=7, frameon=False, **below)
    served = int((reached >= 0).sum())
    axes.set_title(
        f"{schedule.network.spec}: {schedule.goal.describe()}\n"
        f"round {rounds} of {schedule.rounds}, {served} of {schedule.network.order} nodes reached",
        fontsize=9,
    )


def _animate(schedule: Schedule, points: Points, figure: Any, axes: Any, place: Path) -> None:
    from matplotlib.animation import FuncAnimation, PillowWriter

    moving = FuncAnimation(
        figure,
        lambda r: _paint(schedule, points, axes, r),
        frames=schedule.rounds + 1,
        init_func=lambda: None,
    )
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.gif"
        moving.save(film, writer=PillowWriter(fps=_PER_SECOND), dpi=80)
        data = film.read_bytes()
    write_atomically(place, lambda out: out.write(data))


def still_figure(path: str | Path) -> tuple[Any, Any, str]:
    """An empty picture for a file: the figure, its axes and the ending of the file."""
    ending = Path(path).suffix.lower()
    if ending not in _STILL:
        raise ArgumentError(f"{path} must end in .svg, .png or .pdf")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 5), layout="constrained")
    return figure, figure.add_subplot(), ending


def draw_cell(
    distances: IntArray, path: str | Path, *, title: str, across: str, upwards: str
) -> None:
    """Draw a map of distances over a cell of the lattice.

    Args:
        distances: array of shape (rows, columns)
        path: ``.svg``, ``.png`` or ``.pdf``.
        title, across, upwards: Title and names of the two directions.
    """
    figure, axes, ending = still_figure(path)
    image = axes.imshow(distances, origin="lower", cmap="viridis", aspect="auto")
    if distances.size <= 1500:
        middle = distances.max() / 2
        for (row, column), value in np.ndenumerate(distances):
            colour = "white" if value < middle else "black"
            axes.text(column, row, str(value), ha="center", va="center", fontsize=6, color=colour)
    figure.colorbar(image, label="distance")
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(across)
    axes.set_ylabel(upwards)
    _save(figure, Path(path), ending)


_MOST = 8


def draw_times(
    lines: Sequence[tuple[str, float, float]],
    ends: tuple[float, float],
    crossings: Sequence[Mapping[str, float]],
    path: str | Path,
    *,
    title: str,
    bound: Sequence[tuple[float, float]] = (),
) -> None:
    """Draw time over size, both by their logarithm, with the sizes at which the fastest changes.

    Args:
        lines (sequence of (name, still, each)): Time of an algorithm: `still` µs, and `each` µs per
            byte. The first 8 are drawn.
        ends: Sizes in bytes.
        crossings: With ``bytes``.
        path: ``.svg``, ``.png`` or ``.pdf``.
        bound (sequence of (bytes, µs)): What no schedule can beat.
    """
    figure, axes, ending = still_figure(path)
    sizes = np.geomspace(*ends, 200)
    for name, still, each in lines[:_MOST]:
        axes.plot(sizes, still + each * sizes, label=name, linewidth=1.4)
    if len(bound):
        where, least = zip(*bound, strict=True)
        axes.plot(where, least, "k--", linewidth=1.0, label="lower bound")
    for crossing in crossings:
        axes.axvline(crossing["bytes"], color="0.7", linewidth=0.8, zorder=0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("bytes of a node's buffer")
    axes.set_ylabel("time (µs)")
    axes.set_title(title, fontsize=9)
    axes.legend(fontsize=7, frameon=False)
    write_atomically(path, lambda out: figure.savefig(out, format=ending[1:], dpi=150))
