"""What the pictures of tiles and circuits show, as arrays (:mod:`hopscape.draw.tilings` draws)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.collectives.circuits.numeration import word_system
from hopscape.collectives.circuits.programs import grid_points
from hopscape.collectives.circuits.schemes import WORDS, scheme
from hopscape.collectives.circuits.tiles import lattice, tile, tile_labels
from hopscape.collectives.circuits.words import parse_words, scale, steps, with_inverses
from hopscape.core.arrays import IntArray
from hopscape.draw import tilings

__all__ = ["draw_figures", "plane_containment", "plane_rounds", "plane_tilings", "space_tiles"]

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
        crossover: The rows of :func:`hopscape.ledger.papers.torusbcast.study.crossover_rows`.
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
        "tiles": tilings.tiling_figure(plane_tilings(2)),
        "rounds": tilings.circuit_figure(25, rounds),
        "containment": tilings.containment_figure(plane_containment()),
        "space-tiles": tilings.space_figure(space_tiles()),
        "crossover": tilings.crossover_figure(lengths, curves, crossing),
    }
    for name, figure in figures.items():
        for ending in ("svg", "png"):
            tilings.save_figure(figure, folder / f"{name}.{ending}")
    tilings.save_animation(25, rounds, folder / "rounds.gif")
