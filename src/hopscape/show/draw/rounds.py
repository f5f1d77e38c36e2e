"""Schedules as pictures: round by round, still or animated, and times against message size."""

from __future__ import annotations

import base64
import html
import io
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.facts import Points
from hopscape.core.files import write_atomically
from hopscape.core.schedule import Schedule
from hopscape.formats.graphs.libraries import link_ends
from hopscape.show.draw.lines import arrow_head
from hopscape.show.draw.picture import MOST_LINKS, fit_places, link_lines, node_radius
from hopscape.show.draw.places import place_nodes

__all__ = ["draw_cell", "draw_rounds", "draw_times", "still_figure"]

_MOST_TRANSFERS = 4000  # arrows; more are not told apart
_PER_SECOND = 1  # rounds: each is looked at
_MOST_FRAMES = 40  # rounds of a page
_REACH = 440.0  # points of the longer side: what a figure of 7 inches leaves for the network
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

    ground = _Ground(schedule)
    figure = Figure(figsize=(7, 7.4), layout="constrained")
    axes = figure.add_subplot()
    if ending == ".gif":
        _animate(schedule, ground, figure, axes, place)
        return
    if ending == ".html":
        _page(schedule, ground, figure, axes, place)
        return
    _paint(schedule, ground, axes, schedule.rounds)
    _save(figure, place, ending)


class _Ground:
    """Where nodes and links of a schedule's network are drawn: wrap links bend round the others.

    Attributes:
        places: Of the nodes, in points.
        radius: Of a node.
        lines: Of all links.
    """

    def __init__(self, schedule: Schedule) -> None:
        network = schedule.network
        layout = place_nodes(network)
        self.places = fit_places(layout.positions, _REACH)
        self.radius = node_radius(self.places, _REACH, False)
        tails, heads, once = link_ends(network)
        if len(tails) <= MOST_LINKS:
            self.lines = link_lines(layout, self.places, tails, heads, self.radius)
        else:
            self.lines = list(np.stack([self.places[tails], self.places[heads]], axis=1))
        self._link = np.full(len(network.heads), -1, dtype=np.int64)
        self._link[once] = np.arange(len(once))
        back = network.reverse[once]
        self._link[back[back >= 0]] = np.flatnonzero(back >= 0)
        self._turned = np.ones(len(network.heads), dtype=bool)
        self._turned[once] = False

    def along(self, channels: IntArray) -> list[Points]:
        """The lines of channels, each from its tail to its head."""
        pairs = zip(self._link[channels].tolist(), self._turned[channels].tolist())
        return [self.lines[link][::-1] if turned else self.lines[link] for link, turned in pairs]


def _page(schedule: Schedule, ground: _Ground, figure: Any, axes: Any, place: Path) -> None:
    """A page that needs nothing else: a picture for each round, a slider and a button."""
    import matplotlib

    if schedule.rounds > _MOST_FRAMES:
        raise TooLargeError(
            f"the schedule has {schedule.rounds} rounds; a page shows up to {_MOST_FRAMES}"
        )
    frames = []
    with matplotlib.rc_context({"svg.hashsalt": "hopscape"}):
        for r in range(schedule.rounds + 1):
            _paint(schedule, ground, axes, r)
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


def _paint(schedule: Schedule, ground: _Ground, axes: Any, rounds: int) -> None:
    """The first so many rounds, each in a colour, on the links of the network."""
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection, PolyCollection

    axes.clear()
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.add_collection(LineCollection(ground.lines, colors="0.9", linewidths=0.8, zorder=1))
    colours = colormaps["viridis"](np.linspace(0.0, 0.9, max(schedule.rounds, 1)))
    reached = np.full(schedule.network.order, -1)
    if schedule.goal.root is not None:
        reached[schedule.goal.root] = 0
    width = float(np.clip(0.25 * ground.radius, 0.8, 1.6))
    length = float(np.clip(0.85 * ground.radius, 2.5, 8.0))
    for r in range(rounds):
        part = slice(int(schedule.round_start[r]), int(schedule.round_start[r + 1]))
        starts = schedule.path_start[part.start : part.stop + 1]
        lines = ground.along(schedule.channels[int(starts[0]) : int(starts[-1])])
        last = lines if len(lines) == len(starts) - 1 else [
            lines[int(end - starts[0]) - 1] for end in starts[1:]
        ]  # fmt: skip
        heads = [arrow_head(line, ground.radius + 0.6, length) for line in last]
        colour = [colours[r]]
        axes.add_collection(
            LineCollection(lines, colors=colour, linewidths=width, label=f"round {r + 1}", zorder=2)
        )
        axes.add_collection(PolyCollection(heads, facecolors=colour, zorder=2))
        target = schedule.target[part]
        reached[target[reached[target] < 0]] = r + 1
    shades = np.vstack([[[0.84, 0.37, 0.0, 1.0]], colours])
    shown = np.where(reached[:, None] >= 0, shades[np.maximum(reached, 0)], 0.8)
    axes.scatter(*ground.places.T, c=shown, s=(2 * ground.radius) ** 2, zorder=3)
    corners = np.concatenate([ground.places, *ground.lines])
    margin = 2 * ground.radius + 2
    axes.set_xlim(corners[:, 0].min() - margin, corners[:, 0].max() + margin)
    axes.set_ylim(corners[:, 1].min() - margin, corners[:, 1].max() + margin)
    if rounds:
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "ncols": 8}
        axes.legend(fontsize=7, frameon=False, **below)
    count = int((reached >= 0).sum())
    title = textwrap.wrap(f"{schedule.network.spec}: {schedule.goal.describe()}", 85)
    told = f"round {rounds} of {schedule.rounds}, {count} of {schedule.network.order} nodes reached"
    axes.figure.suptitle("\n".join([*title, told]), fontsize=9)


def _animate(schedule: Schedule, ground: _Ground, figure: Any, axes: Any, place: Path) -> None:
    from matplotlib.animation import FuncAnimation, PillowWriter

    moving = FuncAnimation(
        figure,
        lambda r: _paint(schedule, ground, axes, r),
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


_MOST = 8  # lines of a diagram with a colour of their own


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
