"""The study of load and latency over the families."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from hopscape.cli.options import SeedOption, option
from hopscape.cli.output import Format, emit, emit_rows, look
from hopscape.core.errors import ArgumentError

__all__ = ["study_load"]

_COLUMNS = {
    "spec": "network",
    "nodes": "nodes",
    "degree": "degree",
    "traffic": "traffic",
    "saturation": "saturation",
    "equal_pins": "equal pins",
    "equal_bisection": "equal bisection",
    "base_latency": "latency",
    "busiest_share": "evenness",
}


def study_load(
    folder: Annotated[Path | None, option("Write the page and its figures here.")] = None,
    sizes: Annotated[str, option("About 64, 256, 1024, 4096.")] = "64,256",
    full: Annotated[bool, option("All four sizes.")] = False,
    traffic: Annotated[str, option("Patterns, separated by commas.")] = "uniform,permutation",
    cycles: Annotated[int, option("Cycles measured per point.")] = 2000,
    precision: Annotated[float, option("Of the saturation, as a share of it.")] = 0.02,
    seed: SeedOption = 1,
    workers: Annotated[int, option("Networks side by side.")] = 2,
    resume: Annotated[Path | None, option("File of finished networks; continues from it.")] = None,
) -> None:
    """Curves and saturation of RPC, RP, tori, circulants, folded and expanded networks."""
    from hopscape.simulate.study import SIZES, load_rows, write_page

    try:
        wanted = list(SIZES) if full else [int(x) for x in sizes.split(",")]
    except ValueError as error:
        raise ArgumentError(f"sizes is {sizes!r}; write numbers separated by commas") from error
    if not set(wanted) <= set(SIZES):
        raise ArgumentError(f"sizes is {sizes!r}; choose from {', '.join(map(str, SIZES))}")
    names = [name.strip() for name in traffic.split(",")]
    rows, points = load_rows(
        wanted,
        names,
        cycles=cycles,
        precision=precision,
        seed=seed,
        workers=workers,
        resume=resume,
    )
    if folder is not None:
        write_page(folder, rows, points, cycles=cycles, precision=precision, seed=seed)
    if look.style is Format.json:
        emit({"networks": rows, "points": points})
        return
    emit_rows(rows, title="Load and latency", columns=_COLUMNS)
