"""Which algorithms there are for a goal on a network, and running one by name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from hopscape.collectives.bounds import bandwidth_optimum, lower_bounds
from hopscape.collectives.checked import check_schedule, making
from hopscape.collectives.circuits.search import SHORT_CHAINS, SHORT_TO_MANY
from hopscape.collectives.generic import make_schedule
from hopscape.collectives.negotiated import ALL_TO_ALL, PERMUTATION
from hopscape.collectives.over_time import SCATTER
from hopscape.collectives.partial_sums import DOUBLING_SUMS, PARTIAL_SUMS
from hopscape.collectives.passing_trees import PASSING
from hopscape.collectives.pipelines import (
    BROADCAST,
    EVEN_ALL_REDUCE,
    EVEN_BROADCAST,
    EVEN_ONE_TO_MANY,
    ONE_TO_MANY,
)
from hopscape.collectives.plan import cut_in_pieces
from hopscape.collectives.rarest import ALL_GATHER
from hopscape.collectives.routed import ROUTED
from hopscape.collectives.survivors import Survivors, among_groups
from hopscape.collectives.symmetric import Carried
from hopscape.collectives.symmetric_plans import (
    matching_cost,
    symmetric_all_gather,
    symmetric_all_reduce,
    symmetric_all_to_all,
)
from hopscape.collectives.symmetric_translations import CARRIED, by_translations
from hopscape.collectives.two_way import TWO_WAY
from hopscape.core.channels import ATTRIBUTES
from hopscape.core.compile_ahead import compile_ahead
from hopscape.core.distances import distances_from_each
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.family import Collective, Family
from hopscape.core.goal import Goal
from hopscape.core.model import COSTS, Disjoint, Model
from hopscape.core.network import Network
from hopscape.core.plugins import load_plugins
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict
from hopscape.core.verify import verify

__all__ = [
    "GENERIC",
    "algorithms",
    "check_ends",
    "named_algorithms",
    "present_name",
    "report",
    "run_algorithm",
    "run_built",
    "run_checked",
]

GENERIC = "generic"
_TURNED = {
    "all-gather": symmetric_all_gather,
    "all-reduce": symmetric_all_reduce,
    "all-to-all": symmetric_all_to_all,
}
_MANY_KERNELS = ("breadth-first", "flow", "forest")
_FEW_NODES = 32  # on fewer, most of these kernels are interpreted
_BUILT_IN = (
    BROADCAST, ONE_TO_MANY, EVEN_BROADCAST, EVEN_ONE_TO_MANY, EVEN_ALL_REDUCE, TWO_WAY,
    PASSING, PARTIAL_SUMS, DOUBLING_SUMS, SCATTER,
    ALL_GATHER, ALL_TO_ALL, PERMUTATION, ROUTED, SHORT_CHAINS, SHORT_TO_MANY,
)  # fmt: skip
_FORMER = {"translated": "translations"}
_STRONGER: dict[Disjoint, tuple[Disjoint, ...]] = {
    "arc": ("vertex", "edge"),
    "edge": ("vertex",),
    "vertex": (),
}


def algorithms(network: Network, goal: Goal) -> dict[str, str]:
    """Names of the algorithms for a goal, with one line each; the generic one first."""
    names = {GENERIC: "trees of breadth-first search and greedy rounds, for any network"}
    return names | {one.name: one.summary for one in named_algorithms(network, goal)}


def named_algorithms(network: Network, goal: Goal) -> tuple[Collective, ...]:
    """Algorithms for a goal: of the network's family, of its translations, and those that packages
    add for any network (entry points ``hopscape.collectives``).

    Examples:
        >>> import hopscape
        >>> algorithms = named_algorithms(hopscape.build("hypercube(3)"), Goal.all_gather())
        >>> [one.name for one in algorithms]
        ['translations', 'rarest-first', 'breadth-first', 'flow', 'forest', 'rate-forest']
    """
    plugins = (*_BUILT_IN, *load_plugins("collectives").values())
    added = tuple(p for p in plugins if isinstance(p, Collective) and p.goal == goal.kind)
    family = network.family
    if not isinstance(family, Family) or goal.groups:
        return added
    own = [one for one in family_algorithms(family) if one.goal == goal.kind]
    names = {one.name for one in own}
    added = tuple(one for one in added if one.name not in names)
    turns = type(family).rotations is not Family.rotations
    if turns and goal.kind in _TURNED and all(one.name != "bandwidth" for one in own):
        what = "unit messages near the bandwidth bound, planned for one node of each orbit"
        make = _TURNED[goal.kind]
        own.append(
            Collective(
                "bandwidth",
                goal.kind,
                what,
                make,
                cost=matching_cost,
                one_piece=goal.kind != "all-reduce",
            )
        )
    moves = type(family).translate is not Family.translate
    if moves and goal.kind in CARRIED and all(one.name != "translations" for one in own):
        own.append(by_translations(goal.kind))
    return (*own, *added)


def family_algorithms(family: Family) -> tuple[Collective, ...]:
    """Algorithms for one family: its own, and those that packages add for it.

    What a package names under ``hopscape.collectives`` is a :class:`Collective` for any network, or
    a function that takes a member of a family and returns the algorithms that it has for it.
    """
    offers = (
        one for one in load_plugins("collectives").values() if not isinstance(one, Collective)
    )
    return (*family.collectives(), *(one for offer in offers for one in offer(family)))


def around_faults(left: Survivors, kind: str) -> list[Collective]:
    """Algorithms for what is left of a network that know a way around: its family's, and others."""

    def on_what_is_left(one: Collective) -> Collective:
        def build(network: Network, goal: Goal, model: Model) -> Schedule:
            assert one.around is not None
            made = one.around(left.whole, left.outside(goal), left.faults)
            return left.within(made, goal).under(model)

        return replace(one, build=build, around=None, summary=f"{one.summary}; around dead parts")

    family = left.whole.family
    own = family_algorithms(family) if isinstance(family, Family) else ()
    known = (one for one in (*own, *_BUILT_IN) if one.goal == kind)
    return [on_what_is_left(one) for one in known if one.around is not None]


def run_algorithm(
    network: Network,
    goal: Goal,
    name: str = GENERIC,
    model: Model | Mapping[str, Any] | None = None,
) -> Schedule:
    """Make a schedule by an algorithm's name, for the model that is asked for or not at all.

    Args:
        model: A mapping asks for some rules and costs only (``{"ports": 1}``); the others are as
            the algorithm likes them, as all are when left out.

    Raises:
        ArgumentError: When the network has no such algorithm (the message lists those it has), or
            when it does not serve the model (the message says which it serves).
        CheckFailedError: When what it made is wrong; the message has the first violation.

    Examples:
        >>> import hopscape
        >>> run_algorithm(hopscape.build("torus(5, 5)"), Goal.broadcast(0), "circuit", {"ports": 1})
        <Schedule circuit: broadcast from node 0 on torus(5, 5), 5 rounds, 24 transfers>
    """
    known = algorithms(network, goal)
    name = present_name(name)
    if name not in known:
        raise ArgumentError(
            f"{network.spec} has no {goal.kind} algorithm {name!r}; it has {', '.join(known)}"
        )
    if name == GENERIC:
        return run_built(Collective(name, goal.kind, "", make_schedule), network, goal, model)
    chosen = next(one for one in named_algorithms(network, goal) if one.name == name)
    return run_built(chosen, network, goal, model)


def present_name(name: str) -> str:
    """The name of an algorithm that had another one; a warning says so."""
    if name not in _FORMER:
        return name
    now = _FORMER[name]
    text = f"the algorithm {name!r} is called {now!r} now; the old name goes in the next release"
    warnings.warn(text, DeprecationWarning, stacklevel=3)
    return now


def run_built(
    chosen: Collective,
    network: Network,
    goal: Goal,
    model: Model | Mapping[str, Any] | None = None,
) -> Schedule:
    """Make a schedule by an algorithm, for the model that is asked for or not at all.

    As :func:`run_algorithm`, with the algorithm instead of its name.
    """
    with making() as part:
        schedule = _make(chosen, network, goal, model)
    if not part:
        check_schedule(schedule, _title(chosen, network, goal))
    return schedule


def run_checked(
    chosen: Collective, network: Network, goal: Goal, rules: Model, model: Model
) -> tuple[Schedule, Verdict]:
    """As :func:`run_built` under `rules`, with the verdict on it under `model`.

    Raises:
        ArgumentError: When the schedule holds under `rules` only.
        CheckFailedError: When it does not hold.
    """
    title = _title(chosen, network, goal)
    with making():
        schedule = _make(chosen, network, goal, rules).under(model)
    verdict = verify(schedule)
    if not verdict and rules != model and verify(schedule.under(rules)):
        raise ArgumentError(
            f"{title} serves {rules.describe()}, not {model.describe()}: {verdict.reason}"
        )
    return schedule, verdict if verdict else check_schedule(schedule, title)


def _title(chosen: Collective, network: Network, goal: Goal) -> str:
    return f"the {goal.kind} algorithm {chosen.name!r} of {network.spec}"


def _make(
    chosen: Collective,
    network: Network,
    goal: Goal,
    model: Model | Mapping[str, Any] | None,
) -> Schedule:
    check_ends(network, goal)
    build, served = chosen.build, chosen.serves
    if chosen.name in _MANY_KERNELS and network.order > _FEW_NODES:
        compile_ahead("collectives", network.order**2)  # their work grows with the pairs
    if chosen.one_piece and goal.chunks > 1:
        build = partial(_by_pieces, build)
    if goal.groups and not chosen.groups:
        build = partial(_by_groups, build)
    title = _title(chosen, network, goal)
    if not model:
        return _aimed(build(network, goal, served.model()), goal, title)
    asked = model if isinstance(model, Model) else served.model(**model)
    rules = _without_idle_ports(network, asked)
    if not served.allows(rules):
        raise ArgumentError(f"{title} serves {served.describe()}, not {asked.describe()}")
    return _under(_aimed(build(network, goal, rules), goal, title), asked, title)


def check_ends(network: Network, goal: Goal) -> None:
    """Refuse a root, a source or a target that is no endpoint."""
    root = () if goal.root is None else (goal.root,)
    switched = network.has_switches
    named = (("the root", root), ("a source", goal.sources), ("a target", goal.targets))
    for what, nodes in named:
        for node in nodes:
            number = network.node(node)
            if switched and number not in network.endpoints:
                raise ArgumentError(
                    f"{what} is node {node}, a switch of {network.spec}; it must be an endpoint"
                )


def _by_pieces(
    alone: Callable[[Network, Goal, Model], Schedule],
    network: Network,
    goal: Goal,
    model: Model,
) -> Schedule:
    whole = alone(network, replace(goal, chunks=1), model)
    if isinstance(whole, Carried):
        raise TooLargeError(f"a plan by symmetry of {network.spec} is for one piece of each datum")
    return cut_in_pieces(whole, goal)


def _by_groups(
    alone: Callable[[Network, Goal, Model], Schedule],
    network: Network,
    goal: Goal,
    model: Model,
) -> Schedule:
    return among_groups(network, goal, model, alone)


def _aimed(schedule: Schedule, goal: Goal, title: str) -> Schedule:
    """Refuse a schedule that is for another goal (fewer chunks, another root)."""
    if schedule.goal != goal:
        raise ArgumentError(f"{title} is for {schedule.goal.describe()}, not {goal.describe()}")
    return schedule


def _without_idle_ports(network: Network, model: Model) -> Model:
    """As many ports as a node has, or more, are all ports."""
    enough = model.ports is not None and model.ports >= network.ports
    return replace(model, ports=None) if enough else model


def _under(schedule: Schedule, model: Model, title: str) -> Schedule:
    """The schedule under the model asked for; refused where it breaks it.

    Circuits that share less than they may stay what they are.
    """
    own = schedule.model
    if own.switching == model.switching and own.disjoint in _STRONGER[model.disjoint]:
        model = replace(model, disjoint=own.disjoint)
    if replace(own, **{name: getattr(model, name) for name in COSTS}) == model:
        return schedule.under(model)
    verdict = verify(schedule, model=model)
    if verdict or not verify(schedule):  # what is wrong anyway is told by the check
        return schedule.under(model)
    raise ArgumentError(
        f"{title} serves {own.describe()}, not {model.describe()}: {verdict.reason}"
    )


def report(schedule: Schedule, verdict: Verdict | None = None) -> dict[str, Any]:
    """A schedule with its verdict and the lower bound, under the names that scripts rely on."""
    verdict = verify(schedule) if verdict is None else verdict
    bounds = lower_bounds(schedule.network, schedule.goal, schedule.model)
    details = dict(verdict.details)
    circuits = schedule.model.switching == "circuit"
    aside = ATTRIBUTES if circuits else tuple(x for x in ATTRIBUTES if x != "capacity")
    note = schedule.network.unheeded("rounds and costs take channels as alike", *aside)
    if circuits:
        details |= _circuit_details(schedule, bool(verdict))
    return {
        "spec": schedule.network.spec,
        "goal": schedule.goal.to_dict(),
        "algorithm": schedule.name,
        "model": schedule.model.to_dict(),
        "rounds": schedule.rounds,
        "steps": schedule.rounds,
        "lower_bound": bounds[0].rounds if bounds else 0,
        "lower_bounds": [{"rounds": b.rounds, "why": b.why} for b in bounds],
        "messages": details.pop("messages", 0),
        "duplicates": details.pop("duplicates", None),
        "reached": details.pop("reached", None),
        "verdict": "holds" if verdict else "fails",
        "reason": verdict.reason,
        "where": dict(verdict.where),
        **{key: value for key, value in details.items() if key != "rounds"},
        **_optimum(schedule),
        **({"note": note} if note else {}),
    }


def _optimum(schedule: Schedule) -> dict[str, Any]:
    """The best rate for long data, with its proof, where every channel may be used at once."""
    model = schedule.model
    if model.ports is not None or model.duplex == "half":
        return {}
    optimum = bandwidth_optimum(schedule.network, schedule.goal)
    if optimum is None:
        return {}
    values = {"rounds": str(optimum.rounds), "value": float(optimum.rounds)}
    return {"optimum": values | {"exact": optimum.exact, "why": optimum.why}}


def _circuit_details(schedule: Schedule, holds: bool) -> dict[str, Any]:
    """What the circuits of a round do not share (the strongest that holds), and a bound.

    `disjoint` is null when the schedule fails; `path_lower_bound` is the largest distance from the
    root, which no chain of calls can be shorter than.
    """
    strongest: str | None = None
    if holds:
        own = schedule.model.disjoint
        stronger = _STRONGER[own]
        tried = (k for k in stronger if verify(schedule, model=replace(schedule.model, disjoint=k)))
        strongest = next(tried, own)
    out: dict[str, Any] = {"disjoint": strongest}
    if schedule.goal.kind == "broadcast" and schedule.goal.root is not None:
        have = [schedule.goal.root, *schedule.goal.sources]
        reach = distances_from_each(schedule.network, have).min(axis=0)
        out["path_lower_bound"] = int(reach.max(initial=0))
    return out
