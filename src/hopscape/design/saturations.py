"""Simulated saturation of the finalists: minimal and UGAL routing, uniform and worst traffic.

Load-latency curves of the finalists, by flit-level simulation.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.progress import STEPS_PER_SECOND, spend_steps, steps_left, time_limit
from hopscape.design.candidates import Candidate
from hopscape.design.designer import Design
from hopscape.design.requirements import Requirements
from hopscape.metrics.routes import all_routes
from hopscape.metrics.throughput import switch_graph
from hopscape.registry import build, member, spec_files
from hopscape.store import Store, Task, opened, renamed_arguments, run_tasks
from hopscape.store.records import digest

if TYPE_CHECKING:
    from hopscape.simulate.settings import Routing

__all__ = ["SATURATIONS", "saturate_finalists", "saturate_machine", "simulate_finalists"]

SATURATIONS: dict[str, tuple[Routing, str]] = {
    "saturation": ("fixed", "uniform"),
    "saturation_ugal": ("ugal", "uniform"),
    "saturation_worst": ("fixed", "worst"),
    "saturation_worst_ugal": ("ugal", "worst"),
    "saturation_tables": ("fixed", "tables"),
}
"""Columns, and the routing and traffic that each is simulated with."""

_LANES = 16  # virtual channels: enough for the minimal and for the longer routes of UGAL
_SPEEDUP = 8
"""Of the switch inputs: chips of data centres share one memory, so that outputs alone limit them.
With 2, the crossbar costs 6 to 9 % of the line rate under uniform traffic (docs/switched.md)."""
_LOOKED = 200  # channels among which the worst permutation for the tables is looked for
_CYCLES = 400  # measured at every load, after as many of warm-up
_PRECISION = 0.06  # of the saturation load: finer differences are not the machine's
_MOST_NODES = 1_500  # simulated in minutes; larger machines are left out with a note
_SECONDS = 90.0  # of work for all finalists together: three machines of a few hundred endpoints
_STEPS_PER_CHANNEL = 250  # steps of a cycle for each channel: 190 to 300 ns on three machines
_LOOKS = 6  # candidates looked at for each that is simulated: many are the same machine
_LATE = "the work that simulations may take is used up"
_TELLING = ("endpoints", "switches", "money", "guaranteed_throughput", "hops")
"""Machines that are equal in these are the same to a simulation; no table shows them."""


@renamed_arguments(table="resume")
def saturate_finalists(
    found: Design,
    *,
    count: int = 3,
    seconds: float = _SECONDS,
    resume: Store | str | Path | None = None,
) -> list[dict[str, Any]]:
    """Simulate the first machines of the ranking that differ, up to saturation.

    Args:
        found: Its candidates get the figures, and `saturations` has the rows.
        count: How many machines.
        seconds: Work after which no other simulation begins, in seconds of 10⁹ steps: it is
            counted in cycles and channels, so a busy machine simulates as much. A note says what
            was left out.
        resume: Keeps what is simulated; what is there is not simulated again, and costs nothing.

    Returns:
        list of dict: Spec, and a column for each routing and traffic.
    """
    with opened(resume) as store, time_limit(None, seconds * STEPS_PER_SECOND):
        return _saturate_first(found, count, store)


def _saturate_first(found: Design, count: int, store: Store) -> list[dict[str, Any]]:
    """As long as there is work left."""
    left_out = Measured(None, "unknown", "only the finalists are simulated")
    for one in found.candidates:
        one.figures |= dict.fromkeys(SATURATIONS, left_out)
    seen: set[tuple[Any, ...]] = set()
    for one in [one for one in found.candidates if not one.trouble][: _LOOKS * count]:
        if len(found.saturations) == count:
            break
        looks = (one.family,), tuple(one.value(name) for name in _TELLING)
        if seen & set(looks):
            continue
        seen.update(looks)
        try:
            figures = _kept(one.spec, int(one.value("planes")), store)
        except HopscapeError as error:
            found.notes.append(f"{one.spec} was not simulated: {error}")
            continue
        one.figures |= figures
        found.saturations.append(
            {"spec": one.spec} | {name: figure.value for name, figure in figures.items()}
        )
        found.notes += _compared(one)
        late = [name for name, figure in figures.items() if figure.note == _LATE]
        if late:
            found.notes.append(f"{one.spec}: {_LATE}, not simulated: {', '.join(late)}")
    return found.saturations


_ENOUGH = 0.85  # of the stated share: less is explained
_PAIRS = (
    ("saturation", "line_throughput", "under uniform traffic"),
    ("saturation_tables", "tables_throughput", "under the permutation that is worst for them"),
)


def _compared(one: Candidate) -> list[str]:
    """What the tables handed over carry in the simulation beside the share that is stated."""
    out = []
    for name, column, traffic in _PAIRS:
        reached, stated = one.value(name), one.value(column)
        if reached is None or not stated:
            continue
        share = reached / float(stated)
        words = (
            f"{one.spec}, the tables handed over, {traffic}: simulated {reached:g}, stated"
            f" {float(stated):.4g} ({100 * share:.0f} %)"
        )
        if share < _ENOUGH:
            words += (
                "; " + _why(one, stated=float(stated))
                if column == "line_throughput"
                else "; queues of two flows that meet lose some of it"
            )
        elif share > 2 - _ENOUGH:
            words += "; the mean of all endpoints, of which few meet on a channel"
        out.append(words)
    return out


def _why(one: Candidate, stated: float) -> str:
    """Why a simulation carries less of uniform traffic than stated: by taking the reasons away."""
    try:
        ideal = _ideal(one.spec, int(one.value("planes")))
    except HopscapeError as error:
        return f"why was not found out: {error}"
    ideally = f"switches without conflicts inside, and no congestion window, carry {ideal:g}"
    if ideal >= _ENOUGH * stated:
        return f"{ideally}, so these two take the rest"
    minimal = one.value("throughput_minimal")
    if minimal is not None and float(minimal) < stated - 1e-9:
        return f"one path for each destination carries {float(minimal):.4g}, and {ideally}"
    return f"{ideally}, so one path for each destination and short queues take the rest"


def _ideal(spec: str, planes: int) -> float:
    """Saturation under uniform traffic on minimal routes with nothing but lines that limit it."""
    from hopscape.simulate.fabric import build_setup
    from hopscape.simulate.measurement import saturation
    from hopscape.simulate.settings import Settings
    from hopscape.simulate.traffic import make_traffic

    machine = _Simulated(vars(member(spec))["base"].spec if planes > 1 else spec)
    network, each = machine.view("fixed")
    setup = build_setup(
        network, Settings(vcs=_LANES, concentration=each, speedup=31, window="none")
    )
    traffic = make_traffic("uniform", setup.endpoints, None, 0)
    load, points = saturation(setup, traffic, warmup=_CYCLES, cycles=_CYCLES, precision=_PRECISION)
    spend_steps(_STEPS_PER_CHANNEL * 2 * _CYCLES * len(points) * len(network.heads))
    return round(load, 4)


def _kept(spec: str, planes: int, store: Store) -> dict[str, Measured[Any]]:
    """What :func:`saturate_machine` finds, kept if all of it was simulated."""
    how = [spec, planes, SATURATIONS, _LANES, _CYCLES, _PRECISION, _SPEEDUP]
    about = f"{spec}, saturation"
    task = Task(digest("saturations", how, spec_files(spec)), (spec, planes), about=about)
    done = run_tasks([task], _saturate, store, processes=1, keep=_whole, text=about)
    [(_, packed)] = done
    return {name: Measured.unpacked(figure) for name, figure in packed.items()}


def _saturate(spec: str, planes: int) -> dict[str, list[Any]]:
    figures = saturate_machine(spec, planes=planes)
    return {name: figure.packed() for name, figure in figures.items()}


def _whole(packed: dict[str, list[Any]]) -> bool:
    return all(Measured.unpacked(figure).note != _LATE for figure in packed.values())


def saturate_machine(spec: str, *, planes: int = 1) -> dict[str, Measured[Any]]:
    """Loads up to which a machine carries what is offered, by flit-level simulation.

    One plane is simulated; an endpoint injects at most one flit in a cycle. Minimal routes are
    those of the machine's own router. For UGAL the machine is simulated switch by switch, so that
    the switch at which a packet enters decides between the short route and a detour; where there
    are switches without endpoints (spines), detours would gain nothing and endpoints decide. Under
    a limit (:func:`hopscape.core.progress.steps_left`) no simulation begins when it is used up.

    Args:
        planes: Copies of a network that the machine is made of, as ``planes(...)`` says.

    Raises:
        ArgumentError: When the machine is too large, or its switches have different numbers of
            endpoints.

    Examples:
        >>> found = saturate_machine("concentrated(complete(3), 2)")
        >>> sorted(found) == sorted(SATURATIONS), found["saturation_worst"].value > 0.3
        (True, True)
    """
    from hopscape.simulate.fabric import Setup, build_setup
    from hopscape.simulate.measurement import saturation
    from hopscape.simulate.settings import Settings
    from hopscape.simulate.traffic import make_traffic, permutation_traffic

    machine = _Simulated(vars(member(spec))["base"].spec if planes > 1 else spec)
    setups: dict[str, Setup] = {}
    figures: dict[str, Measured[Any]] = {}
    for name, (routing, pattern) in SATURATIONS.items():
        if not machine.even and (routing == "ugal" or pattern == "worst"):
            note = "switches have unequal numbers of endpoints"
            figures[name] = Measured(None, "unknown", note)
            continue
        if steps_left() <= 0:
            figures[name] = Measured(None, "unknown", _LATE)
            continue
        if routing not in setups:
            network, each = machine.view(routing)
            settings = Settings(vcs=_LANES, concentration=each, routing=routing, speedup=_SPEEDUP)
            setups[routing] = build_setup(network, settings)
        setup = setups[routing]
        if pattern == "tables":
            traffic = permutation_traffic("worst", all_routes(machine.whole).worst_pairing(_LOOKED))
        elif pattern == "worst":
            traffic = permutation_traffic("worst", machine.worst(routing))
        else:
            traffic = make_traffic(pattern, setup.endpoints, None, 0)
        load, points = saturation(
            setup, traffic, warmup=_CYCLES, cycles=_CYCLES, precision=_PRECISION
        )
        cycles = 2 * _CYCLES * len(points)
        spend_steps(_STEPS_PER_CHANNEL * cycles * len(setup.network.heads))
        note = f"{len(points)} loads, {_CYCLES} cycles each, one flit a packet"
        figures[name] = Measured(round(load, 4), "sampled", note)
    return figures


class _Simulated:
    """A machine of one plane as the simulator sees it: whole, or switch by switch."""

    def __init__(self, spec: str) -> None:
        self.whole = build(spec)
        self.graph = graph = switch_graph(self.whole)
        each = np.unique(graph.ends[graph.ends > 0])
        if graph.hosted or graph.lines > 1 or not len(each):
            raise ArgumentError("its endpoints have several lines")
        self.even = len(each) == 1
        if not len(graph.heads) or (graph.speeds != 1).any():
            raise ArgumentError("it has no links between switches, or not all of one rate")
        if self.whole.order > _MOST_NODES:
            raise ArgumentError(
                f"{self.whole.order} endpoints and switches are more than the {_MOST_NODES} that"
                " are simulated in reasonable time"
            )
        self.each = int(each[0])

    def _by_switch(self, routing: str) -> bool:
        return routing == "ugal" and bool((self.graph.ends > 0).all())

    def view(self, routing: str) -> tuple[Network, int]:
        """The network that is simulated, and the endpoints at each of its nodes."""
        if not self._by_switch(routing):
            return self.whole, 1
        graph = self.graph
        once = graph.tails < graph.heads
        tails, heads = graph.tails[once], graph.heads[once]
        return Network.from_links(graph.order, tails, heads, spec=self.whole.spec), self.each

    def worst(self, routing: str) -> IntArray:
        """The worst permutation, endpoint by endpoint as the view numbers them."""
        count, each = len(self.graph.ends), self.each
        lines = np.arange(count * each).reshape(count, each)
        to = self.graph.worst_permutation()
        if not self._by_switch(routing):
            ends = self.whole.endpoints
            owner = self.whole.heads[self.whole.indptr[ends]]
            lines = np.argsort(owner, kind="stable").reshape(-1, each)
        out = np.empty(lines.size, dtype=np.int64)
        out[lines] = np.roll(lines[to], -1, axis=1)
        return out


_SHARES = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9)
_CURVES_LANES = 16
_CURVES_LOOKS = 8


@renamed_arguments(table="resume")
def simulate_finalists(
    found: Design,
    *,
    count: int = 3,
    cycles: int = 2000,
    workers: int = 2,
    resume: Store | str | Path | None = None,
) -> list[dict[str, Any]]:
    """Simulate the first of the ranking under uniform traffic, up to their ideal throughput.

    A candidate whose routes the simulator cannot make free of deadlock is left out with a note.

    Args:
        found: Gets the points as `curve_points`.
        count: How many candidates.
        cycles, workers: Cycles measured at every point; points side by side.
        resume: Keeps the points; those that are there are not simulated again.

    Returns:
        list of dict: The points, as ``hopscape simulate`` prints them.
    """
    from hopscape.simulate.jobs import Job
    from hopscape.simulate.settings import Settings
    from hopscape.simulate.sweep import simulate

    rows: list[dict[str, Any]] = []
    asked, column = found.requirements, found.presentation.simulated
    assert isinstance(asked, Requirements)
    settings = Settings(vcs=asked.vcs or _CURVES_LANES, concentration=asked.conditions.endpoints)
    allowed = [one for one in found.candidates if not one.trouble and one.value(column)]
    done = 0
    for one in allowed[:_CURVES_LOOKS]:
        top = min(1.0, float(one.value(column)))
        seed = asked.conditions.seed
        jobs = [
            Job(one.spec, "uniform", round(share * top, 4), settings, seed=seed, cycles=cycles)
            for share in _SHARES
        ]
        try:
            rows += simulate(jobs, workers=workers, resume=resume)
            done += 1
        except HopscapeError as error:
            found.notes.append(f"{one.spec} was not simulated: {error}")
        if done == count:
            break
    found.curve_points = rows
    if rows:
        found.notes.append(
            f"Simulated flit by flit under uniform traffic with {settings.vcs} virtual channels and"
            " one injection line per endpoint."
        )
    return rows
