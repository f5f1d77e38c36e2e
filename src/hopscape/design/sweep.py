"""Cost per endpoint against size: the best machine of every family at several sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_atomically
from hopscape.design.columns import columns_of
from hopscape.design.switched import design_switched
from hopscape.design.switched_columns import SWITCHED_KEYS
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.store import Store

__all__ = ["draw_sweep", "sweep"]

_DRAWN = 12
_FORMATS = ("svg", "png", "pdf")


def sweep(
    asked: SwitchedRequirements,
    sizes: Sequence[int],
    *,
    jobs: int | None = None,
    table: Store | None = None,
    dask: str | None = None,
    seconds: float | None = None,
) -> list[dict[str, Any]]:
    """The cheapest machine of every family that meets the demands, size by size.

    Args:
        asked: The question, whatever its number of endpoints.
        jobs, table, dask, seconds: As for :func:`~hopscape.design.switched.design_switched`.

    Examples:
        >>> asked = SwitchedRequirements(16, 16, families=("complete",))
        >>> [(row["asked"], row["switches"]) for row in sweep(asked, [16, 32])]
        [(16, 1), (32, 5)]
    """
    rows, shown = [], columns_of("sweep")
    for size in sizes:
        one_size = replace(asked, endpoints=size)
        found = design_switched(one_size, jobs=jobs, table=table, dask=dask, seconds=seconds)
        seen: set[str] = set()
        for one in found.candidates:
            if one.trouble or one.family in seen:
                continue
            seen.add(one.family)
            figures = {SWITCHED_KEYS.get(name, name): one.value(name) for name in shown}
            rows.append({"asked": size, "family": one.family, "spec": one.spec} | figures)
    return rows


def draw_sweep(rows: Sequence[Mapping[str, Any]], path: str | Path) -> None:
    """Draw cost per endpoint against size, a line for each of the families that are cheapest.

    Raises:
        ArgumentError: For a name that ends in no format of figures.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    kind = Path(path).suffix.lstrip(".").lower()
    if kind not in _FORMATS:
        raise ArgumentError(f"{path} must end in {', '.join('.' + name for name in _FORMATS)}")
    families: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        point = (int(row["endpoints"]), float(row["cost_per_endpoint"]))
        families.setdefault(str(row["family"]), []).append(point)
    sizes = max((len(points) for points in families.values()), default=0)
    ranked = sorted(
        families.items(), key=lambda item: (sizes - len(item[1]), min(y for _, y in item[1]))
    )
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "hopscape", "font.size": 8}):
        figure = Figure(figsize=(7.0, 4.2), layout="constrained")
        axes: Any = figure.add_subplot()
        for i, (name, points) in enumerate(ranked[:_DRAWN]):
            x, y = zip(*sorted(points), strict=True)
            axes.plot(x, y, marker="osD^v<>P*X"[i % 10], label=name, linewidth=1)
        axes.set_xscale("log", base=2)
        axes.set_xlabel("endpoints")
        axes.set_ylabel("cost per endpoint")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=6)
        write_atomically(Path(path), partial(_save, figure=figure, kind=kind))


def _save(out: Any, figure: Any, kind: str) -> None:
    metadata = {"Date": None} if kind == "svg" else None
    figure.savefig(out, format=kind, metadata=metadata)
