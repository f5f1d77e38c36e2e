"""Options and arguments that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

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
    "option",
]


def option(help: str, *names: str, **more: Any) -> Any:
    """An option with its help text; its name is that of the parameter unless others are given."""
    return typer.Option(*names, help=help, **more)


DeadOption = Annotated[list[str] | None, option("A dead node; once for each.", "--dead")]
DeadLinkOption = Annotated[
    list[str] | None, option("A dead link as A-B; once for each.", "--dead-link")
]
RouterOption = Annotated[
    str, option("auto, closed (formula), table, search, or a family's own.", "--router")
]
TableOption = Annotated[
    Path | None, option("Keep results in this file; a later run continues from there.", "--table")
]
ProcessesOption = Annotated[
    int | None, option("How many processes; all processors without.", "--processes")
]
DaskOption = Annotated[
    str | None, option("Work on this Dask scheduler, such as tcp://HOST:8786.", "--dask")
]
DeviceOption = Annotated[
    Literal["cpu", "gpu"],
    option("Where to compute; 'gpu' needs the extra gpu and CUDA.", "--device"),
]
ExactOption = Annotated[
    bool, option("Compute in full; no closed form, symmetry or sample.", "--exact")
]
FloorOption = Annotated[str | None, option("Rows x racks x slots, such as 4x8x32.", "--floor")]
FolderOption = Annotated[Path, option("The folder; made if it is not there.", "--out")]
JobsOption = Annotated[
    int | None, option("Processes; by the size of the work by default.", "--jobs", min=1)
]
RoutingOption = Annotated[str, option("fixed, adaptive, valiant or ugal.", "--routing")]
ScheduleArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A schedule: .json or .npz.")
]
SeedOption = Annotated[int, option("Of all random numbers.", "--seed")]
SpecArgument = Annotated[
    str, typer.Argument(metavar="SPEC", help="A spec such as 'torus(8, 8)', or a graph file.")
]
