"""Schedules of the designer: the family's own compete, and only what is verified counts."""

from __future__ import annotations

import pytest

from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.choose import named_algorithms
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify
from hopscape.design.columns import ALL_COLUMNS, new_evaluation
from hopscape.design.conditions import Conditions
from hopscape.design.schedules import ALL_PORT, ONE_PORT, best_schedule
from hopscape.families.torus import Torus
from hopscape.metrics.columns import measure_columns
from hopscape.registry import build


@pytest.mark.parametrize(
    ("spec", "algorithm"),
    [
        ("torus(5, 5)", "translations"),
        ("hypercube(5)", "translations"),
        ("folded(complete(4), 2)", "translations"),
        ("optimal_circulant(3)", "translations"),
        ("cayley(7, 6, 3, 9, 12)", "translations"),
        ("random_regular(30, 4)", "rarest-first"),
    ],
)
def test_all_gathers_of_the_family_win(spec: str, algorithm: str) -> None:
    net = build(spec)
    found = best_schedule(net, Goal.all_gather(), ALL_PORT)
    assert found is not None
    assert found.algorithm == algorithm
    assert verify(found.schedule, model=ALL_PORT)
    least = lower_bounds(net, Goal.all_gather())[0].rounds
    assert found.rounds == least
    told = ALL_COLUMNS["allgather"].measure(new_evaluation(net))
    assert f"{algorithm}, checked: {found.rounds} rounds, at least {least}" == told.note


@pytest.mark.parametrize("spec", ["torus(4, 6)", "rpc(2)", "expanded(complete(3), 2)", "ring(9)"])
def test_broadcasts_hold_with_one_port(spec: str) -> None:
    net = build(spec)
    found = best_schedule(net, Goal.broadcast(0), ONE_PORT)
    assert found is not None
    assert verify(found.schedule, model=ONE_PORT)
    assert found.schedule.model.switching == "store-and-forward"


def test_what_does_not_hold_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """An algorithm that cheats is named first and has fewer rounds, and still loses."""
    net = build("torus(4, 4)")
    honest = best_schedule(net, Goal.broadcast(0), ONE_PORT)
    assert honest is not None

    def cheat(network: object, goal: Goal, model: object) -> Schedule:
        made = honest.schedule
        keep = made.round < made.rounds - 1
        return Schedule.from_columns(
            net,
            ONE_PORT,
            goal,
            round=made.round[keep],
            channels=net.channel_at(made.source[keep], net.port_of(_channels(made)[keep])),
            chunk=made.chunk[keep],
            name="cheat",
        )

    extra = Collective("cheat", "broadcast", "too short", cheat)  # type: ignore[arg-type]
    monkeypatch.setattr(Torus, "collectives", lambda self: (extra,))
    assert [one.name for one in named_algorithms(net, Goal.broadcast(0))] == [
        "cheat",
        "forest",
        "even-forest",
        "short-chains",
        "circuit",
        "exact",
    ]
    found = best_schedule(net, Goal.broadcast(0), ONE_PORT)
    assert found is not None
    assert (found.algorithm, found.rounds) == ("generic", honest.rounds)


@pytest.mark.parametrize(("spec", "searched"), [("torus(4, 4)", True), ("torus(18, 18)", False)])
def test_long_searches_are_for_few_endpoints(
    spec: str, searched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ranking does not wait for minutes: flows and packed trees of hundreds of endpoints."""
    tried: list[str] = []

    def note(network: object, goal: Goal, name: str, model: object) -> Schedule:
        tried.append(name)
        raise ArgumentError("only noted")

    monkeypatch.setattr("hopscape.design.schedules.run_algorithm", note)
    assert best_schedule(build(spec), Goal.all_gather(), ALL_PORT) is None
    assert tried[-1] == "generic"
    assert ({"flow", "forest"} <= set(tried)) is searched


@pytest.mark.parametrize("chunks", [1, 2])
def test_one_chunk_goes_down_no_pipeline(chunks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packed trees let chunks follow each other; to search them for one chunk would be in vain."""
    tried: list[str] = []

    def note(network: object, goal: Goal, name: str, model: object) -> Schedule:
        tried.append(name)
        raise ArgumentError("only noted")

    monkeypatch.setattr("hopscape.design.schedules.run_algorithm", note)
    assert best_schedule(build("torus(4, 4)"), Goal.broadcast(0, chunks), ONE_PORT) is None
    assert ("even-forest" in tried) is (chunks > 1)


def _channels(schedule: Schedule):  # type: ignore[no-untyped-def]
    return schedule.channels


def test_unreachable_nodes_are_said() -> None:
    with pytest.raises(DisconnectedError):
        best_schedule(build("circulant(8, 2)"), Goal.all_gather(), ALL_PORT)


def test_times_follow_the_model() -> None:
    given = Conditions(message=1e6, alpha=2e-6, bandwidth=1e9)
    found = measure_columns(
        new_evaluation(build("hypercube(4)"), given),
        ["allgather", "allgather_bound", "allreduce", "allreduce_bound"],
        columns=ALL_COLUMNS,
    )
    each = 2 + 1e6 / 16 / 1e9 * 1e6  # µs of a round with a sixteenth of the message
    rounds = 4  # 15 chunks over 4 ports
    assert found["allgather"].value == pytest.approx(rounds * each)
    assert found["allgather_bound"].value == pytest.approx(rounds * each)
    assert found["allreduce"].value == pytest.approx(2 * rounds * each)
    assert found["allreduce_bound"].value <= found["allreduce"].value
