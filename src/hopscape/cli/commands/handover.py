"""Networks handed over to real software, and that software run on what was handed over."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopscape.cli.options import (
    DeadLinkOption,
    DeadOption,
    FloorOption,
    FolderOption,
    ForceOption,
    ScheduleArgument,
    SpecArgument,
    option,
    read_dead_links,
    refuse,
    time_limit_option,
)
from hopscape.cli.output import emit, emit_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.faults import Faults
from hopscape.core.files import require_room
from hopscape.registry import build

if TYPE_CHECKING:
    from hopscape.formats.check import Checked, CheckSettings

LimitOption = Annotated[float, time_limit_option("Time limit of each program.")]


def handover(
    spec: SpecArgument,
    out: FolderOption,
    floor: FloorOption = None,
    prices: Annotated[
        str | None, option("Price list of the bill, a name or a .toml file (switches only).")
    ] = None,
    job: Annotated[
        str | None,
        option("Also a step of this job for SMPI: a .toml file or a folder of traces.", "--job"),
    ] = None,
    routing: Annotated[
        str,
        option("Routes of the tables: 'family', its own, or 'shortest', where these are longer."),
    ] = "family",
    dead: DeadOption = None,
    dead_link: DeadLinkOption = None,
    force: ForceOption = False,
) -> None:
    """Write everything that building and running a network takes, for real software.

    With dead parts: the cables, tables and plans around them, under the numbers of the whole
    fabric, and which entries of which switches change.
    """
    from hopscape.design import Conditions, FloorPlan
    from hopscape.design.handover import HANDED_OVER, hand_over
    from hopscape.design.prices import DEFAULT_PRICES

    require_room(out, HANDED_OVER, force=force)
    if routing not in ("family", "shortest"):
        raise ArgumentError(f"--routing is {routing!r}; it can be family or shortest")
    if dead or dead_link:
        refuse(
            ("prices", "job", "routing"),
            "does not go with dead parts: it is about the whole fabric",
        )
    plan = None if floor is None else FloorPlan.parse(floor)
    if prices is not None:
        _require_priced(spec, prices)
    conditions = Conditions(plan=plan, prices=prices or DEFAULT_PRICES, routing=routing)
    asked = None
    if job is not None:
        from hopscape.workloads import read_job

        asked = read_job(job)
    if dead or dead_link:
        from hopscape.design.broken import hand_over_broken

        network = build(spec)
        faults = Faults.of(network, dead or (), read_dead_links(network, dead_link))
        report = hand_over_broken(network, faults, out, conditions, force=force)
    else:
        report = hand_over(spec, out, conditions, job=asked, force=force)
    rows = [dict(zip(("file", "what"), line.split(": ", 1), strict=True)) for line in report]
    emit_rows(rows, title=f"{spec} in {out}")


def _require_priced(spec: str, prices: str) -> None:
    """Refuse a price list that is none, or that there is nothing to price by."""
    from hopscape.design.prices import load_prices

    load_prices(prices)
    if not build(spec).has_switches:
        raise ArgumentError(f"--prices is for machines with switches, which {spec} has not")


def check(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A hand-over.")],
    components: Annotated[
        str,
        option(
            "opensm, mpi, simgrid, smpi, iverilog, yosys, booksim, astra, frr, msccl, weights,"
            " separated by commas; or all.",
            "--with",
        ),
    ] = "all",
    pairs: Annotated[int, option("Pairs of hosts to check one by one.", min=0)] = 48,
    changed: Annotated[bool, option("Check even if files were changed by hand.")] = False,
    dead: DeadOption = None,
    dead_link: DeadLinkOption = None,
    limit: LimitOption = 300.0,
) -> None:
    """Run the real programs on a hand-over and compare what they did with what it says.

    With dead parts: on what would be handed over for its fabric around them.
    """
    from hopscape.formats.check import CheckSettings

    names = [name.strip() for name in components.split(",") if name.strip()]
    if not names:
        raise ArgumentError("--with names no component")
    settings = CheckSettings(pairs, _seconds(limit), changed)
    checked = _checked(folder, names, settings, dead or [], dead_link or [])
    rows = [one.to_dict() for one in checked]
    columns = {"component": "component", "holds": "holds", "reason": "what was found"}
    emit_rows(rows, title=str(folder), columns=columns)
    if any(row["holds"] is False for row in rows):
        raise typer.Exit(1)


def _checked(
    folder: Path,
    names: list[str],
    settings: CheckSettings,
    dead: Sequence[str],
    dead_links: Sequence[str],
) -> list[Checked]:
    """What programs make of a folder, or of what is handed over around dead parts of its fabric."""
    from hopscape.formats.check import check_folder
    from hopscape.formats.programs import read_back
    from hopscape.formats.tables import read_faults

    if not (dead or dead_links):
        return check_folder(folder, names, settings)
    from hopscape.design.broken import hand_over_broken

    refuse(("changed",), "does not go with dead parts: files are written anew around them")
    network, known = read_back(folder), read_faults(folder / "cables.csv")
    links = [*known.pairs(), *read_dead_links(network, dead_links)]
    faults = Faults.of(network, [*known.nodes, *map(network.node, dead)], links)
    with tempfile.TemporaryDirectory(prefix="hopscape-check-") as work:
        hand_over_broken(network, faults, Path(work) / "rest")
        return check_folder(Path(work) / "rest", names, settings)


def compare_fabric(
    planned: Annotated[
        str,
        typer.Argument(
            metavar="PLANNED",
            help="A hand-over, its cables.csv, a SPEC, or a listing of a fabric.",
        ),
    ],
    built: Annotated[
        list[Path],
        typer.Argument(
            metavar="BUILT...",
            help="Output of ibnetdiscover or iblinkinfo, or a netlist; of several planes one each.",
        ),
    ],
    names: Annotated[
        Path | None,
        option("CSV of planned,built: names such as S3, and descriptions or GUIDs.", "--names"),
    ] = None,
) -> None:
    """Name the cables of a built fabric that are missing, extra or swapped.

    Cables that exchanged ends are one finding. Ends are those of the cable list, row/rack/slot and
    port. Exit code 1 when anything is not as planned.
    """
    from hopscape.design.built import compare_fabric as compare

    found = compare(planned, built, names)
    record = found.to_dict()
    table = {"cables as planned": f"{found.laid} of {found.cables}"}
    for kind in ("missing", "extra", "swapped", "moved", "displaced"):
        if record[kind]:
            table[kind] = str(record[kind])
    for label, nodes in (("nodes not there", found.absent), ("nodes not planned", found.strange)):
        if nodes:
            table[label] = ", ".join(nodes[:20]) + (" …" if len(nodes) > 20 else "")
    rows = [row for one in found.findings for row in one.rows()]
    emit(record, title=f"{planned} as built", table=table, below=[(rows, "", None)] if rows else [])
    if not found:
        raise typer.Exit(1)


def run_mpi(
    file: ScheduleArgument,
    limit: LimitOption = 300.0,
) -> None:
    """Execute a schedule on real MPI ranks and compare with MPI's own collective."""
    from hopscape.formats.mpi_check import run_mpi as run

    verdict = run(file, seconds=_seconds(limit))
    record = {
        "file": str(file),
        "holds": verdict.holds,
        "reason": verdict.reason,
        **verdict.details,
    }
    emit(record | ({"where": dict(verdict.where)} if verdict.where else {}))
    if not verdict:
        raise typer.Exit(1)


def _seconds(limit: float) -> float:
    if not 0 < limit < 1e9:
        raise ArgumentError(f"--time-limit is {limit:g} s; it must be above 0")
    return limit
