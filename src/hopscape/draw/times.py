"""Times of collectives against the size of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hopscape.core.files import write_atomically
from hopscape.draw.rounds import still_figure

__all__ = ["draw_times"]

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
