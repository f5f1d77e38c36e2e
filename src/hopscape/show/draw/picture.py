"""Pictures of networks with matplotlib, which is imported only here and only when needed.

All geometry is in points of the page (72 to the inch), so that sizes of nodes, letters and lines
can be compared with each other.

Large networks by density: how many links run through each spot of the page.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, TypedDict, Unpack

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import Points
from hopscape.core.family import Layout
from hopscape.core.files import write_atomically
from hopscape.core.network import Network, NodeLike
from hopscape.core.numbers import shortened
from hopscape.core.processes import require_at_most
from hopscape.formats.graphs.libraries import link_ends
from hopscape.show.draw.lines import (
    Accents,
    Colour,
    arrow_head,
    bent_line,
    detours,
    fans,
    find_accents,
    free_directions,
    loop_line,
)
from hopscape.show.draw.places import leaves_of, place_nodes

__all__ = [
    "DENSITY_LINKS",
    "DENSITY_NODES",
    "FORMATS",
    "MOST_LINKS",
    "MOST_NODES",
    "density_figure",
    "draw_network",
    "fit_places",
    "link_lines",
    "make_figure",
    "node_radius",
]

FORMATS = ("svg", "png", "pdf")
MOST_NODES = 2000  # nodes and links drawn one by one; beyond, a picture is black
MOST_LINKS = 8000

_LABELLED = 64  # nodes up to which names find room
_SMALLEST_LETTER = 5.0  # points: smaller letters are not readable on paper
_EASY_LETTER = 6.0  # points: below, digits of different ranges are written as a word as well
_MARGIN = 9.0  # points round the picture
_RESOLUTION = 200  # dots per inch of a PNG
_LEAF = 0.4  # radius of an endpoint with one link, as a share of a switch's


class _Colours(NamedTuple):
    """From the palette of Okabe and Ito, which colour-blind people can tell apart."""

    page: str
    line: str
    node: str
    switch: str
    on_node: str
    text: str
    caption: str


_LIGHT = _Colours("white", "#595959", "#0072B2", "#D55E00", "white", "#1a1a1a", "#595959")
_DARK = _Colours("#14181f", "#9aa4b2", "#56B4E9", "#E69F00", "#14181f", "#f2f2f2", "#b8c0cc")


@dataclass(frozen=True)
class _Label:
    """Text of a node: in it, or beside it."""

    text: str
    at: tuple[float, float]
    size: float
    align: str
    inside: bool


@dataclass(frozen=True)
class _Drawing:
    """Everything that is on the page, before matplotlib sees it."""

    places: Points
    radius: float
    lines: list[Points]
    arrows: list[Points]
    labels: list[_Label]
    line_width: float
    leaves: IntArray


class Palette(TypedDict, total=False):
    """How a network is drawn; see :func:`make_figure`."""

    labels: bool | None
    size: float
    dark: bool
    colour: Colour
    layout: str
    route: tuple[NodeLike, NodeLike] | None
    highlight: Sequence[NodeLike]


def draw_network(network: Network, path: str | Path, **look: Unpack[Palette]) -> None:
    """Draw a network to a file.

    Args:
        path: The ending says the format: svg, png or pdf.
        **look: As for :func:`make_figure`, whose errors it raises.

    Raises:
        ArgumentError: For another ending.
    """
    ending = _format(path)
    figure = make_figure(network, **look)
    write_atomically(path, lambda out: _save(figure, out, ending))


def make_figure(
    network: Network,
    *,
    labels: bool | None = None,
    size: float = 7.0,
    dark: bool = False,
    colour: Colour = "none",
    layout: str = "auto",
    route: tuple[NodeLike, NodeLike] | None = None,
    highlight: Sequence[NodeLike] = (),
) -> Any:
    """The picture as a matplotlib Figure.

    Up to 2,000 nodes and 8,000 links are drawn one by one, larger networks by density.

    Args:
        labels: Write the address (or number) of each node; by default when there are few nodes and
            it fits.
        size: Longer side of the picture in inches, about.
        dark: Light lines on a dark page.
        colour ({'none', 'port', 'class'}): Links in colours by generator (axis, or port at the
            tail) or by class of their channels.
        layout ({'auto', 'circle', 'levels', 'force'}): As the family is usually drawn; round a
            circle; in rows by the distance from the endpoints (or from node 0); or by distances.
        route ((node, node), optional): Draw the route from one node to another on top.
        highlight (sequence of nodes): Put a ring round them.

    Raises:
        ArgumentError: For a size that is not from 1 to 100, or accents on a picture by density.
        TooLargeError: When there are more nodes or links than a picture can show.

    Examples:
        >>> import hopscape
        >>> figure = make_figure(hopscape.build("petersen"))
        >>> [text.get_text() for text in figure.texts]
        ['petersen', '10 nodes, 15 links']
    """
    if not (math.isfinite(size) and 1 <= size <= 100):
        raise ArgumentError(f"size is {size}; it must be from 1 to 100 inches")
    _require_drawable(network)
    places = place_nodes(network, layout)
    if network.order > MOST_NODES or network.links > MOST_LINKS:
        if labels or colour != "none" or route is not None or highlight:
            raise ArgumentError(
                f"{network.spec} is drawn by density, without labels, colours, routes or highlights"
                f" (one by one: up to {MOST_NODES} nodes and {MOST_LINKS} links)"
            )
        return density_figure(network, places.positions, size, dark)
    channels = link_ends(network)[2]
    accents = find_accents(network, channels, colour=colour, route=route, highlight=highlight)
    drawing = _arrange(network, places, labels, 72.0 * size)
    return _paint(network, drawing, accents, _DARK if dark else _LIGHT)


def _format(path: str | Path) -> str:
    ending = Path(path).suffix.lower().lstrip(".")
    if ending not in FORMATS:
        shown = f"has the ending .{ending}" if ending else "has no ending"
        raise ArgumentError(f"{path} {shown}; a picture is one of: .{', .'.join(FORMATS)}")
    return ending


def _require_drawable(network: Network) -> None:
    """Refuse what is too large, from the order and closed forms, before anything is built."""
    spec, shows = network.spec, "a picture shows"
    require_at_most(network.order, DENSITY_NODES, spec, shows)
    require_at_most(network.links, DENSITY_LINKS, spec, shows, "links")


# -- where everything goes ------------------------------------------------------------------------


def _arrange(network: Network, layout: Layout, labels: bool | None, reach: float) -> _Drawing:
    """Fit a layout to the page and work out lines, arrow heads and labels."""
    places = fit_places(layout.positions, reach)
    texts = _label_texts(network) if labels or _may_label(network, labels) else []
    leaves = leaves_of(network)
    radius = node_radius(places[~leaves] if leaves.any() else places, reach, bool(texts))
    tails, heads, channels = link_ends(network)
    width = _line_width(radius, len(tails))
    lines = link_lines(layout, places, tails, heads, radius)
    simplex = np.flatnonzero(network.reverse[channels] < 0)
    length = float(np.clip(0.85 * radius, 2.5, 8.0))
    arrows = [arrow_head(lines[i], radius + 0.6, length) for i in simplex]
    written = _labels(texts, places, radius, bool(labels), (tails, heads))
    if texts and not (written and written[0].size >= _EASY_LETTER):
        words = _labels(_label_texts(network, True), places, radius, False, (tails, heads))
        written = words or written
    if leaves.any() and labels is None:
        written = [label for label, leaf in zip(written, leaves.tolist(), strict=False) if not leaf]
    return _Drawing(places, radius, lines, arrows, written, width, leaves)


def fit_places(positions: Points, reach: float) -> Points:
    """Centred on the origin, the longer side `reach` points long."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    longer = float((high - low).max())
    fitted: Points = (positions - (low + high) / 2) * (reach / longer if longer > 0 else 1.0)
    return np.round(fitted, 4)


def node_radius(places: Points, reach: float, labelled: bool) -> float:
    """As large as nodes can be without crowding each other."""
    if len(places) == 1:
        return 14.0
    from scipy.spatial import KDTree

    gaps = np.asarray(KDTree(places).query(places, k=2)[0])[:, 1]
    gap = max(float(gaps.min()), 0.5 * float(np.median(gaps)))
    share, most = (0.33, 15.0) if labelled else (0.24, 9.0)
    return float(np.clip(share * gap, 0.9, most * (reach / 504) ** 0.5))


def _line_width(radius: float, links: int) -> float:
    return float(np.clip(0.11 * radius, 0.35, 1.3) * np.clip((300 / max(links, 1)) ** 0.3, 0.5, 1))


def link_lines(
    layout: Layout, places: Points, tails: IntArray, heads: IntArray, radius: float
) -> list[Points]:
    """The line of each link: bent as the layout says, fanned out, round other nodes, or a loop."""
    lengths = np.hypot(*(places[heads] - places[tails]).T)
    loops = tails == heads
    base = np.zeros(len(tails))
    if layout.curved is not None:
        base = np.where(loops, 0.0, layout.curved(tails, heads))
    fan = fans(tails, heads)
    spread = np.where(loops, 0.0, fan) * np.minimum(2.2 * radius / np.maximum(lengths, 1e-9), 0.25)
    straight = np.flatnonzero((base == 0) & (spread == 0) & ~loops)
    base[straight] = detours(places, tails[straight], heads[straight], 1.25 * radius)
    free = free_directions(places, tails, heads) if loops.any() else base
    lines = []
    for i, (tail, head) in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)):
        if loops[i]:
            first = fan[(tails == tail) & loops].min()
            lines.append(loop_line(places[tail], free[tail], radius * (3.2 + fan[i] - first)))
        else:
            bend = base[i] + spread[i]
            lines.append(bent_line(places[tail], places[head], bend, bool(base[i])))
    return lines


# -- labels ---------------------------------------------------------------------------------------


def _may_label(network: Network, labels: bool | None) -> bool:
    return labels is None and network.order <= _LABELLED


def _label_texts(network: Network, short: bool = False) -> list[str]:
    """Addresses, as short as they can be read: 0110 for words of digits, 3,12 otherwise.

    With `short`, digits of different ranges are a word as well.
    """
    nodes = np.arange(network.order)
    if network.addresses.width < 2:
        return [_one_line(network.addresses.text(int(v))) for v in nodes]
    rows = network.addresses.tuples(nodes)
    tops = set(rows.max(axis=0).tolist())
    digits = max(tops) < 10 and rows.shape[1] > 2
    word = tops == {1} or (digits and (short or len(tops) == 1))
    return [("" if word else ",").join(map(str, row)) for row in rows.tolist()]


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _labels(
    texts: list[str],
    places: Points,
    radius: float,
    wanted: bool,
    ends: tuple[IntArray, IntArray],
) -> list[_Label]:
    """Inside the nodes where they fit; else beside them where that fits, or when asked for."""
    if not texts:
        return []
    longest = max(len(text) for text in texts)
    size = min(11.0, 1.6 * radius / (0.6 * max(longest, 1.4)))
    if size >= _SMALLEST_LETTER:
        spots = [(float(x), float(y)) for x, y in places]
        return [_Label(t, at, size, "center", True) for t, at in zip(texts, spots, strict=True)]
    size = float(np.clip(radius, 6.0, 8.0))
    if not wanted and 0.6 * size * longest > 3.2 * radius:
        return []
    angles = free_directions(places, *ends)
    out = []
    for text, place, angle in zip(texts, places, angles, strict=True):
        x, y = place + (radius + 0.55 * size) * np.array([np.cos(angle), np.sin(angle)])
        align = "left" if np.cos(angle) > 0.3 else "right" if np.cos(angle) < -0.3 else "center"
        out.append(_Label(text, (float(x), float(y)), size, align, False))
    return out


# -- the page -------------------------------------------------------------------------------------


def _caption(network: Network) -> str:
    def count(number: int, noun: str) -> str:
        return f"{number} {noun}{'' if number == 1 else 'es' if noun == 'switch' else 's'}"

    nodes = [count(network.order, "node")]
    if network.has_switches:
        ends = network.endpoint_count
        nodes = [count(ends, "endpoint"), count(network.order - ends, "switch")]
    return ", ".join([*nodes, count(network.links, "link" if network.duplex else "channel")])


def _bounds(drawing: _Drawing) -> tuple[Points, Points]:
    """The corners of what is drawn."""
    rim = drawing.radius + drawing.line_width
    corners = [drawing.places - rim, drawing.places + rim, *drawing.lines]
    for label in drawing.labels:
        if not label.inside:
            half = np.array([0.62 * label.size * len(label.text), 0.6 * label.size])
            corners.append(np.array([label.at - half, label.at + half]))
    everything = np.concatenate(corners)
    return everything.min(axis=0), everything.max(axis=0)


def _paint(network: Network, drawing: _Drawing, accents: Accents, colours: _Colours) -> Any:
    """Put a drawing on a page with its title and caption."""
    import matplotlib
    from matplotlib.figure import Figure

    low, high = _bounds(drawing)
    title, caption = _one_line(network.spec), _caption(network) + accents.caption()
    width = max(float(high[0] - low[0]), 190.0) + 2 * _MARGIN
    above, below = 26.0 + _MARGIN, (36.0 if accents.names else 20.0) + _MARGIN
    height = float(high[1] - low[1]) + above + below
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        figure = Figure(figsize=(width / 72, height / 72), facecolor=colours.page)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        middle = (low[0] + high[0]) / 2
        axes.set_xlim(middle - width / 2, middle + width / 2)
        axes.set_ylim(low[1] - below, high[1] + above)
        _add_lines(axes, drawing, accents.line_colours(), colours)
        accents.paint(axes, drawing.lines, drawing.places, drawing.radius)
        accents.legend(figure, (_MARGIN + 20) / height, colours.text)
        _add_nodes(axes, network, drawing, colours)
        _add_labels(axes, drawing, colours)
        _add_titles(figure, (width, height), title, caption, colours)
    return figure


def _add_lines(axes: Any, drawing: _Drawing, kinds: list[str] | None, colours: _Colours) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    axes.add_collection(
        LineCollection(
            drawing.lines,
            colors=colours.line if kinds is None else kinds,
            linewidths=drawing.line_width,
            capstyle="round",
            joinstyle="round",
            zorder=1,
            gid="links",
        ),
        autolim=False,
    )
    if drawing.arrows:
        heads = PolyCollection(
            drawing.arrows, facecolors=colours.line, edgecolors="none", zorder=2, gid="arrows"
        )
        axes.add_collection(heads, autolim=False)


def _add_nodes(axes: Any, network: Network, drawing: _Drawing, colours: _Colours) -> None:
    """Endpoints as discs, switches as squares of about the same area."""
    ends = network.endpoints
    switches = np.setdiff1d(np.arange(network.order), ends)
    small = 2.0 * _LEAF if drawing.leaves.any() else 2.0
    kinds = (
        ("nodes", ends, "o", colours.node, small),
        ("switches", switches, "s", colours.switch, 1.8),
    )
    for name, nodes, marker, colour, across in kinds:
        if len(nodes):
            axes.scatter(
                *drawing.places[nodes].T,
                s=(across * drawing.radius) ** 2,
                marker=marker,
                color=colour,
                edgecolors=colours.page,
                linewidths=min(0.12 * drawing.radius, 0.9),
                zorder=3,
                gid=name,
            )


def _add_labels(axes: Any, drawing: _Drawing, colours: _Colours) -> None:
    for label in drawing.labels:
        axes.text(
            *label.at,
            label.text,
            fontsize=label.size,
            ha=label.align,
            va="center_baseline" if label.inside else "center",
            color=colours.on_node if label.inside else colours.text,
            zorder=4,
            parse_math=False,
        )


def _add_titles(
    figure: Any, page: tuple[float, float], title: str, caption: str, colours: _Colours
) -> None:
    """The spec above and the size below, letters small enough for the page."""
    width, height = page
    room = width - 2 * _MARGIN
    size = float(np.clip(room / (0.6 * len(title)), 7.0, 12.0))
    fits = int(room / (0.6 * size))
    shown = title if len(title) <= fits else title[: fits - 1] + "…"
    style = {"ha": "center", "va": "center", "parse_math": False}
    top, bottom = 1 - (_MARGIN + 7) / height, (_MARGIN + 4) / height
    figure.text(0.5, top, shown, fontsize=size, color=colours.text, **style)
    figure.text(0.5, bottom, caption, fontsize=9.0, color=colours.caption, **style)


def _save(figure: Any, out: IO[bytes], ending: str) -> None:
    """Write a figure so that the same picture is the same bytes."""
    import matplotlib

    unknown = {"svg": "Date", "pdf": "CreationDate", "png": "Software"}[ending]
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.hashsalt"] = "hopscape"
        warnings.simplefilter("ignore")  # letters that the font does not have
        figure.savefig(out, format=ending, dpi=_RESOLUTION, metadata={unknown: None})


# nodes and links that are counted into cells; positions come from a search of the network
DENSITY_NODES = 20_000
DENSITY_LINKS = 400_000  # each is sampled at some 60 points then
_CELLS = 520  # along the longer side: a pixel or two each
_STEPS = 24_000_000  # points of all links together: some seconds, 400 of a link at most


def density_figure(network: Network, positions: Points, size: float, dark: bool) -> Any:
    """A picture of where the links run, on a logarithmic scale, with the nodes as dots.

    Args:
        network: Up to 20,000 nodes and 400,000 links.
        positions: ndarray, shape (order, 2)
        size: Longer side in inches.
    """
    import matplotlib
    from matplotlib.figure import Figure

    low, high = positions.min(axis=0), positions.max(axis=0)
    span = np.maximum(high - low, 0.02 * float((high - low).max()) or 1.0)
    cells = np.maximum((_CELLS * span / span.max()).astype(int), 8)
    image = _traces(network, positions, low, span, cells)
    page, text = ("#14181f", "#f2f2f2") if dark else ("white", "#1a1a1a")
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        width, height = size * span / span.max()
        width, height = max(float(width), 2.0), max(float(height), 1.5) + 0.7
        figure = Figure(figsize=(width, height), facecolor=page)
        axes = figure.add_axes((0.03, 0.3 / height, 0.94, (height - 0.65) / height))
        axes.set_axis_off()
        axes.imshow(
            np.ma.masked_equal(np.log1p(image.T), 0.0),
            origin="lower",
            extent=(low[0], low[0] + span[0], low[1], low[1] + span[1]),
            cmap="inferno" if dark else "Blues",
            interpolation="bilinear",
            aspect="equal",
        )
        dot = min(4.0, 12_000.0 / network.order)
        colour = "#E69F00" if dark else "#D55E00"
        dots: dict[str, Any] = {"s": dot, "color": colour, "linewidths": 0, "rasterized": True}
        axes.scatter(positions[:, 0], positions[:, 1], gid="nodes", **dots)
        title = shortened(network.spec, 60)
        style: dict[str, Any] = {"ha": "center", "va": "center", "parse_math": False}
        style["color"] = text
        figure.text(0.5, 1 - 0.17 / height, title, fontsize=11, **style)
        counts = f"{network.order} nodes, {network.links} links by density"
        figure.text(0.5, 0.14 / height, counts, fontsize=8, **style)
    return figure


def _traces(network: Network, positions: Points, low: Points, span: Points, cells: Any) -> Points:
    """How many links run through each cell: points along every link, counted."""
    tails, heads, _ = link_ends(network)
    start, step = positions[tails], positions[heads] - positions[tails]
    many = int(np.clip(_STEPS // max(len(tails), 1), 8, 400))
    image = np.zeros(tuple(cells))
    for t in (np.arange(many) + 0.5) / many:
        at = ((start + t * step - low) / span * (cells - 1)).astype(np.int64)
        flat = np.bincount(at[:, 0] * cells[1] + at[:, 1], minlength=int(np.prod(cells)))
        image += flat.reshape(tuple(cells))
    return image / many * float(np.mean(cells))
