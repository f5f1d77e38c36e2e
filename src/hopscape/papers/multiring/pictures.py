"""Pictures of multirings: rings full and sparse, capacity against nodes, loads, delays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.facts import circle
from hopscape.core.files import write_atomically
from hopscape.papers.multiring.capacity import balanced_schedule, moore_bound, shortest_schedule
from hopscape.papers.multiring.families import Multiring, SparseMultiring
from hopscape.papers.multiring.slots import ring_traffic, simulate

__all__ = ["delay_law", "draw_all", "printed_delay_law"]


def delay_law(share: float) -> float:
    """Mean wait in slots on a long segmented ring at a share of its capacity (a fit, no theory)."""
    return 0.5 + share * (1 + 0.75 * share**2) / (1 - share)


def printed_delay_law(load: float, capacity: float) -> float:
    """The paper's T = F / (c - s) for one ring, F going from c/2 to 2.5 at half load."""
    share = load / capacity
    return (capacity / 2 + (2.5 - capacity / 2) * min(2 * share, 1.0)) / (capacity - load)


def draw_all(folder: str | Path, *, quick: bool = False, seed: int = 0) -> list[Path]:
    """Write all pictures into a folder.

    Args:
        folder: Made when it is not there.
        quick: Fewer points and shorter runs.
        seed: Of the simulated points.
    """
    from matplotlib.figure import Figure

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{folder} cannot be made: {error.strerror}") from error
    pictures: dict[str, Callable[[Any], None]] = {
        "rings": lambda axes: _rings(axes, Multiring(16, (1, 3))),
        "sparse": lambda axes: _seats(axes, SparseMultiring(3, 3)),
        "capacity": lambda axes: _capacity(axes, 6 if quick else 2),
        "loads": lambda axes: _loads(axes, Multiring(32, (1, 2, 3, 7))),
        "delays": lambda axes: _delays(axes, 4 if quick else 9, 4_000 if quick else 20_000, seed),
    }
    written = []
    for name, draw in pictures.items():
        figure = Figure(figsize=(6, 6) if name == "rings" else (7, 4.5), layout="constrained")
        draw(figure.add_subplot())
        for ending in ("svg", "png"):
            path = place / f"multiring-{name}.{ending}"
            write_atomically(path, lambda out, f=figure, e=ending: f.savefig(out, format=e))  # type: ignore[misc]
            written.append(path)
    return written


def _rings(axes: Any, member: Multiring) -> None:
    """Nodes on a circle, one colour for each ring."""
    places = circle(member.n)
    for i, s in enumerate(member.steps):
        for v in range(member.n):
            ends = places[[v, (v + s) % member.n]]
            axes.plot(*ends.T, color=f"C{i}", lw=1.4, label=f"±{s}" if v == 0 else None, zorder=1)
    axes.scatter(*places.T, s=260, color="white", edgecolor="black", zorder=2)
    for v, (x, y) in enumerate(places):
        axes.text(x, y, str(v), ha="center", va="center", fontsize=9, zorder=3)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.legend(loc="upper right", frameon=False)
    axes.set_title(member.spec)


def _seats(axes: Any, member: SparseMultiring) -> None:
    """Figure 7.1: every node above, every duplex ring below as a small ring with its places."""
    table = member.table()
    nodes, width = np.linspace(0, 1, member.order), 1 / (len(table) - 1)
    for i, ring in enumerate(table.tolist()):
        centre = np.array([i * width, 0.0])
        seats = centre + 0.33 * width * circle(len(ring))
        loop = np.concatenate([seats, seats[:1]])
        for side in (1.0, 0.62):  # the two directions
            axes.plot(*(centre + side * (loop - centre)).T, color=f"C{i}", lw=1.2, zorder=1)
        for seat, node in zip(seats, ring):
            ends = np.array([seat, [nodes[node], 1.0]])
            axes.plot(*ends.T, color=f"C{i}", lw=0.9, zorder=0)
            axes.scatter(*seat, s=24, color=f"C{i}", zorder=2)
        label = f"ring {i + 1}\n{len(ring)} places"
        axes.text(centre[0], -0.55 * width - 0.03, label, ha="center", va="top", fontsize=8)
    axes.scatter(nodes, np.ones(member.order), s=240, color="white", edgecolor="black", zorder=2)
    for v, x in enumerate(nodes):
        axes.text(x, 1.0, str(v + 1), ha="center", va="center", fontsize=9, zorder=3)
    axes.set_ylim(-0.35, 1.12)
    axes.axis("off")
    axes.set_title(
        f"{member.spec}: {member.order} nodes on {len(table)} duplex rings, {member.m} each"
    )


def _capacity(axes: Any, step: int) -> None:
    """Capacity of the printed sets against the number of nodes."""
    for i, (rings, steps) in enumerate({4: (1, 3), 6: (1, 2, 3), 8: (1, 2, 3, 7)}.items()):
        orders = list(range(2 * max(steps) + 2, 129, step))
        members = [Multiring(n, steps) for n in orders]
        best = [float(balanced_schedule(m).capacity) for m in members]
        short = [float(shortest_schedule(m).capacity) for m in members]
        label = ", ".join(f"±{s}" for s in steps)
        axes.plot(orders, best, color=f"C{i}", label=f"{label}, balanced")
        axes.plot(orders, short, color=f"C{i}", ls="--", lw=1, label=f"{label}, shortest")
        bound = [float(moore_bound(n, rings)) for n in orders]
        axes.plot(orders, bound, color=f"C{i}", ls=":", lw=1, label=f"bound of {rings} rings")
    axes.set_xlabel("nodes")
    axes.set_ylabel("packets per slot")
    axes.legend(fontsize=7, ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.2), frameon=False)


def _loads(axes: Any, member: Multiring) -> None:
    """Load of each ring before and after balancing."""
    before, after = shortest_schedule(member), balanced_schedule(member)
    at = np.arange(len(member.steps))
    axes.bar(at - 0.2, [float(x) for x in before.loads[::2]], 0.38, label="shortest")
    axes.bar(at + 0.2, [float(x) for x in after.loads[::2]], 0.38, label="balanced")
    axes.set_xticks(at, [f"±{s}" for s in member.steps])
    axes.set_xlabel("ring")
    axes.set_ylabel("load of each arc, all-to-all")
    axes.set_title(
        f"{member.spec}: {float(before.capacity):.2f} to {float(after.capacity):.2f} packets a slot"
    )
    axes.legend(frameon=False)


def _delays(axes: Any, points: int, slots: int, seed: int) -> None:
    """Simulated waits with intervals, the printed law and the corrected one."""
    sets = {"four ±1": Multiring(32, (1,), 4), "±1, ±2, ±3, ±7": Multiring(32, (1, 2, 3, 7))}
    for i, (label, member) in enumerate(sets.items()):
        traffic = ring_traffic(member)
        whole = float(balanced_schedule(member).capacity)
        loads = np.linspace(0.05, 0.92, points) * whole
        runs = [simulate(traffic, "open", load=float(s), slots=slots, seed=seed) for s in loads]
        waits = [run.wait or 0.0 for run in runs]
        errors = [run.wait_half_width or 0.0 for run in runs]
        axes.errorbar(
            loads, waits, errors, fmt="o", ms=4, color=f"C{i}", label=f"{label}, simulated"
        )
        fine = np.linspace(0, 0.94, 200)
        corrected = [delay_law(float(share)) for share in fine]
        axes.plot(fine * whole, corrected, color=f"C{i}", label=f"{label}, corrected law")
        each = whole / len(member.rings)
        printed = [printed_delay_law(float(share) * each, each) for share in fine]
        axes.plot(fine * whole, printed, color=f"C{i}", ls=":", label=f"{label}, printed law")
    axes.set_yscale("log")
    axes.set_xlabel("packets per slot")
    axes.set_ylabel("wait in slots")
    axes.legend(fontsize=7, frameon=False)
