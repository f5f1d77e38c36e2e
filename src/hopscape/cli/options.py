"""Options and arguments that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

__all__ = [
    "DaskOption",
    "DeadLinkOption",
    "DeadOption",
    "DeviceOption",
    "ExactOption",
    "FloorOption",
    "FolderOption",
    "JobsOption",
    "ProcessesOption",
    "RouterOption",
    "RoutingOption",
    "ScheduleArgument",
    "SeedOption",
    "SpecArgument",
    "TableOption",
]

DeadOption = Annotated[list[str] | None, typer.Option("--dead", help="A dead node; once for each.")]
DeadLinkOption = Annotated[
    list[str] | None, typer.Option("--dead-link", help="A dead link as A-B; once for each.")
]
RouterOption = Annotated[
    str,
    typer.Option("--router", help="auto, closed (formula), table, search, or a family's own."),
]
TableOption = Annotated[
    Path | None,
    typer.Option("--table", help="Keep results in this file; a later run continues from there."),
]
ProcessesOption = Annotated[
    int | None, typer.Option("--processes", help="How many processes; all processors without.")
]
DaskOption = Annotated[
    str | None, typer.Option("--dask", help="Work on this Dask scheduler, such as tcp://HOST:8786.")
]
DeviceOption = Annotated[
    Literal["cpu", "gpu"],
    typer.Option("--device", help="Where to compute; 'gpu' needs the extra gpu and CUDA."),
]
ExactOption = Annotated[
    bool, typer.Option("--exact", help="Compute in full; no closed form, symmetry or sample.")
]
FloorOption = Annotated[
    str | None, typer.Option("--floor", help="Rows x racks x slots, such as 4x8x32.")
]
FolderOption = Annotated[Path, typer.Option("--out", help="The folder; made if it is not there.")]
JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", min=1, help="Processes; by the size of the work by default."),
]
RoutingOption = Annotated[str, typer.Option("--routing", help="fixed, adaptive, valiant or ugal.")]
ScheduleArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A schedule: .json or .npz.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Of all random numbers.")]
SpecArgument = Annotated[
    str, typer.Argument(metavar="SPEC", help="A spec such as 'torus(8, 8)', or a graph file.")
]
