"""Schedules of a hand-over: the best checked one of each goal, as files."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from pathlib import Path

from hopscape.collectives.contest import compete
from hopscape.core.errors import HopscapeError, TooLargeError
from hopscape.core.files import make_folder
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.design.schedules import ALL_PORT, ONE_PORT
from hopscape.export.chakra import write_chakra
from hopscape.export.msccl import write_msccl, write_mscclpp

__all__ = ["SCHEDULES", "write_schedules"]

_TABLE_ORDER = 2100
_GATHER_ORDER = 300
_PERSONAL_ORDER = 64
_SECONDS = 10.0
_MSCCL_TRANSFERS = 20_000


@dataclass(frozen=True)
class _Wanted:
    """A schedule of the hand-over: its file's name, its goal, its ports, and for how many nodes."""

    name: str
    goal: Goal
    model: Model
    most: int
    """Endpoints up to which its list of transfers is not too long."""
    msccl: bool = False


SCHEDULES = (
    "broadcast",
    "all-gather",
    "reduce-scatter",
    "all-reduce",
    "all-reduce-sliced",
    "all-to-all",
)


def _wanted(network: Network) -> list[_Wanted]:
    root, count = int(network.endpoints[0]), network.endpoint_count
    return [
        _Wanted("broadcast", Goal.broadcast(root), ONE_PORT, 1 << 31),
        _Wanted("all-gather", Goal.all_gather(), ALL_PORT, _TABLE_ORDER, msccl=True),
        _Wanted("reduce-scatter", Goal.reduce_scatter(), ALL_PORT, _PERSONAL_ORDER, msccl=True),
        _Wanted("all-reduce", Goal.all_reduce(), ALL_PORT, _TABLE_ORDER),
        _Wanted("all-reduce-sliced", Goal.all_reduce(count), ALL_PORT, _PERSONAL_ORDER, msccl=True),
        _Wanted("all-to-all", Goal.all_to_all(), ALL_PORT, _PERSONAL_ORDER, msccl=True),
    ]


def write_schedules(network: Network, folder: Path) -> list[tuple[str, str]]:
    """Write the schedules of a network; each file with what it is, or why there is none.

    Those that MSCCL knows are written for it as well, under ``msccl``, and as execution traces
    under ``chakra``.
    """
    if not network.endpoint_count:
        return [("(no schedules)", "there are no endpoints")]
    told, written, why = [], [], ""
    for one in _wanted(network):
        found = _write(network, one, folder)
        told.append(found[1:])
        if found[0] is not None and one.msccl:
            try:
                _write_msccl(found[0], one.name, make_folder(folder / "msccl"))
                write_chakra(found[0], folder / "chakra", one.name)
                written.append(one.name)
            except HopscapeError as error:
                why = str(error)
    if not written:
        return [*told, ("(no msccl/)", why or "no schedule that it knows was written")]
    names = ", ".join(written)
    words = f"{names}: XML for MSCCL's executor, and plans (.json) for MSCCL++"
    told.append(("msccl/", words + (f"; others not: {why}" if why else "")))
    return [*told, ("chakra/", f"{names}: execution traces for ASTRA-sim, NAME.RANK.et")]


def _write_msccl(schedule: Schedule, name: str, folder: Path) -> None:
    if schedule.transfers > _MSCCL_TRANSFERS:
        raise TooLargeError(
            f"the {name} has {schedule.transfers:,} transfers; files for MSCCL are written up to"
            f" {_MSCCL_TRANSFERS:,} (hopscape.export.msccl.write_msccl writes more)"
        )
    write_msccl(schedule, folder / f"{name}.xml")
    write_mscclpp(schedule, folder / f"{name}.json")


def _write(network: Network, wanted: _Wanted, folder: Path) -> tuple[Schedule | None, str, str]:
    kind = "json" if network.order <= _GATHER_ORDER else "npz"
    kind = "json" if wanted.goal.kind == "broadcast" else kind
    name = f"{wanted.name}.{kind}"
    if network.endpoint_count > wanted.most:
        return (
            None,
            f"(no {name})",
            f"for up to {wanted.most} endpoints, here are {network.endpoint_count}",
        )
    rules = {} if wanted.model.ports is None else {"ports": wanted.model.ports}
    try:
        best = compete(network, wanted.goal, rules, seconds=_SECONDS).best
    except HopscapeError as error:
        return None, f"(no {name})", str(error)
    schedule = copy(best.schedule)
    schedule.name = best.algorithm  # the same word in the file and in the README
    schedule.save(folder / name)
    what = f"{wanted.goal.describe()}: {schedule.rounds} rounds, {schedule.model.describe()}"
    return schedule, name, f"{what}; by the {best.algorithm} algorithm, checked"
