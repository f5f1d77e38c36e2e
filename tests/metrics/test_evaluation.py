"""The one policy: closed form, else measured, else sampled or bounded, else not known and why."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscape
from conftest import fresh_graph
from hopscape.core.network import Network
from hopscape.core.progress import steps_left, time_limit
from hopscape.design.columns import ALL_COLUMNS
from hopscape.metrics import distance_profile, girth
from hopscape.metrics.columns import COLUMNS, Evaluation
from hopscape.metrics.effort import WIRING
from hopscape.metrics.evaluation import Column, Effort, MeasurementJob
from hopscape.metrics.samples import _cycle_near, some_nodes
from hopscape.metrics.summary import summarise


def new_evaluation(spec: str, **options: bool) -> Evaluation:
    return Evaluation(hopscape.build(spec), columns=ALL_COLUMNS, **options)


def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is small."""
    monkeypatch.setattr("hopscape.metrics.evaluation._SMALL", 0)


def never(*_: object) -> None:
    raise AssertionError("something was measured")


def only_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing above 20 nodes is built (the base of an expansion may be)."""
    build = Network._materialise
    monkeypatch.setattr(
        Network, "_materialise", lambda self: (never if self.order > 100 else build)(self)
    )


CLOSED = (
    "nodes degree degree_min links connected diameter radius mean_distance moore_mean mean_gap"
    " moore_diameter cost node_connectivity edge_connectivity vertex_transitive"
)


@pytest.mark.parametrize("spec", ["expanded(heawood, 13)", "hypercube(300)", "folded(heawood, 60)"])
def test_closed_forms_are_used_by_every_column(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    only_small(monkeypatch)
    evaluation = new_evaluation(spec)
    found = {name: evaluation.figure(name) for name in CLOSED.split()}
    assert {m.how for m in found.values()} == {"closed form"}
    assert found["cost"].value == found["degree"].value * found["diameter"].value
    assert found["mean_gap"].value > 0


def test_show_knows_what_compare_knows() -> None:
    record = summarise(hopscape.build("expanded(heawood, 13)"))
    assert record["degree"] == {"min": 3, "max": 6}
    assert record["links"] == 32145448316792832
    assert (record["channels"], record["diameter"]) == (2 * record["links"], 53)
    assert set(record["how"].values()) == {"closed form"}


def test_exact_does_not_look_at_closed_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = new_evaluation("torus(5, 4)", exact=True)
    assert len(evaluation.network.heads) == 80  # the closed form of this is asked for memory
    monkeypatch.setattr(type(evaluation.network.family), "facts", never)
    names = "degree links connected diameter mean_distance girth cost mean_gap radius"
    names += " node_connectivity edge_connectivity vertex_transitive bisection"
    found = {name: evaluation.figure(name) for name in names.split()}
    assert {m.how for m in found.values()} == {"exact"}
    assert (found["cost"].value, found["mean_distance"].value) == (16, Fraction(44, 19))


# -- when it is too much ----------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["random_regular(60, 3)", "kautz(2, 4)", "mesh(5, 6)"])
def test_without_time_only_what_is_known(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    large(monkeypatch)
    evaluation = new_evaluation(spec)
    with time_limit(1e-9):
        found = {name: evaluation.figure(name) for name in ALL_COLUMNS}
    for name, measured in found.items():
        if measured.how == "unknown":
            assert measured.value is None
            assert measured.note, name
    assert found["worst_permutation"].how == "unknown"
    assert "--time-limit" in found["fault_pairs"].note


def test_without_memory_the_note_says_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPSCAPE_MEMORY", "1M")
    evaluation = new_evaluation("cayley(65536, 65536, 3, 1, 70000)")
    found = evaluation.figure("bisection")
    assert (found.value, found.how) == (None, "unknown")
    assert "more than the limit of 1 MB (HOPSCAPE_MEMORY sets another)" in found.note


def test_what_is_too_dear_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    large(monkeypatch)
    net = hopscape.build("random_regular(300, 3)")
    evaluation = Evaluation(net, columns=COLUMNS)
    dear = COLUMNS["diameter"].needs[-1]._replace(effort=lambda evaluation: Effort(1e18))
    needs = (*COLUMNS["diameter"].needs[:-1], dear)
    evaluation.columns = {
        name: column._replace(needs=needs)
        if column.fact in ("diameter", "mean_distance")
        else column
        for name, column in COLUMNS.items()
    }
    with time_limit(1000):
        far, mean = evaluation.figure("diameter"), evaluation.figure("mean_distance")
        cost = evaluation.figure("cost")
    true = distance_profile(net, exact=True)
    assert (far.how, far.sign, far.note) == ("sampled", "≥", "from 64 sources")
    assert far.value <= true.diameter
    assert float(mean.value) == pytest.approx(float(true.mean), rel=0.05)
    assert (cost.value, cost.low, cost.how) == (3 * far.value, 3 * far.low, far.how)


def test_huge_networks_are_sampled_by_their_own_router() -> None:
    spec = "product(random_regular(40, 3), torus(1000000, 1000000), ring(7))"
    evaluation = new_evaluation(spec)
    mean, links = evaluation.figure("mean_distance"), evaluation.figure("links")
    exact = Fraction(0)
    for part in ("random_regular(40, 3)", "torus(1000000, 1000000)", "ring(7)"):
        one = Evaluation(hopscape.build(part), columns=COLUMNS)
        order = one.network.order
        exact += one.figure("mean_distance").value * Fraction(order - 1, order)
    assert mean.how in ("closed form", "sampled")
    assert float(mean.value) == pytest.approx(float(exact), rel=0.02)
    assert links.value == 280 * 10**12 * (3 + 4 + 2) // 2


@given(st.integers(1, 10**60), st.integers(0, 5))
def test_random_nodes_are_nodes(order: int, seed: int) -> None:
    nodes = some_nodes(order, 20, seed)
    assert len(nodes) == 20
    assert all(0 <= int(v) < order for v in nodes)
    assert some_nodes(order, 20, seed).tolist() == nodes.tolist()


@given(st.integers(0, 10**6), st.integers(2, 14), st.booleans())
def test_the_cycle_near_a_node(seed: int, order: int, duplex: bool) -> None:
    net = fresh_graph(seed, order, links=order + seed % 5, duplex=duplex)
    near = [_cycle_near(net, v) for v in range(order)]
    found = [length for length in near if length is not None]
    true = girth(net, exact=True).value
    assert (min(found) if found else None) == true or (
        not duplex and true is not None and not found
    )


@pytest.mark.parametrize(
    ("spec", "value"), [("torus(9, 9, 9)", 4), ("heawood", 6), ("kautz(3, 2)", 2), ("ring(50)", 50)]
)
def test_girth_of_networks_too_large_to_build(
    spec: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Network, "_materialise", never)
    net = hopscape.build(spec)
    assert COLUMNS["girth"].otherwise(Evaluation(net, columns=COLUMNS)).value == value


# -- jobs -------------------------------------------------------------------------------------


def test_jobs_are_prepared_in_turn_and_once() -> None:
    done: list[str] = []
    first = MeasurementJob(
        "first", "one", lambda evaluation: Effort(1.0), lambda evaluation: done.append("first")
    )
    second = MeasurementJob("second", "two", lambda evaluation: Effort(1.0 if done else 0.0), None)
    columns = {
        name: Column(
            name, name, "", lambda evaluation: evaluation.figure("nodes"), needs=(first, second)
        )
        for name in ("a", "b")
    }
    evaluation = Evaluation(hopscape.build("torus(100, 100)"), columns=COLUMNS | columns)
    assert evaluation.figure("a").value == evaluation.figure("b").value == 10_000
    assert done == ["first"]


def test_what_is_hopeless_is_seen_before_anything_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOPSCAPE_MEMORY", "64G")
    only_small(monkeypatch)
    evaluation = new_evaluation("rpc(100000)")
    with time_limit(20):
        found = evaluation.figure("bisection")
    assert found.how == "unknown"
    assert found.note.startswith("the bisection would take about")


def test_every_column_that_builds_something_says_what_it_needs() -> None:
    free = {"nodes", "moore_mean", "mean_gap", "moore_diameter", "cost", "routers", "endpoints"}
    free |= {"ports", "diameter_gap", "table_bytes", "growth"}
    assert {name for name, column in ALL_COLUMNS.items() if not column.needs} == free
    for column in ALL_COLUMNS.values():
        names = [job.name for job in column.needs]
        assert len(set(names)) == len(names)
        assert not names or names[0] in (WIRING.name, "between")


@pytest.mark.parametrize(
    "spec", ["torus(6, 6)", "random_regular(200, 4)", "kautz(2, 5)", "ring(1)"]
)
def test_efforts_are_finite_before_and_after(spec: str) -> None:
    for name, column in ALL_COLUMNS.items():
        evaluation = new_evaluation(spec)
        for prepared in (False, True):
            for job in column.needs:
                effort = job.effort(evaluation)
                assert 0 <= effort.steps < math.inf, (name, job.name)
                assert effort.memory >= 0
                if prepared and job.prepare is not None:
                    evaluation.share(
                        job.name, lambda job=job, evaluation=evaluation: job.prepare(evaluation)
                    )


@pytest.mark.parametrize("spec", ["torus(60, 60)", "random_regular(4000, 6)", "dragonfly(8, 4)"])
def test_the_clock_has_no_say_in_what_is_measured(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine, whose clocks run away, estimates and refuses what an idle one does."""

    def decisions() -> dict[str, tuple[Effort, str]]:
        evaluation = new_evaluation(spec)
        evaluation.share(WIRING.name, lambda: evaluation.network.heads)
        jobs = {job.name: job for column in ALL_COLUMNS.values() for job in column.needs}
        with time_limit(3600, steps=2e8):
            return {n: (job.effort(evaluation), evaluation.refusal(job)) for n, job in jobs.items()}

    idle = decisions()
    ticks = iter(range(10**9))
    monkeypatch.setattr("time.process_time", lambda: 100.0 * next(ticks))
    monkeypatch.setattr("time.perf_counter", lambda: 100.0 * next(ticks))
    assert decisions() == idle
    refused = [name for name, (_, why) in idle.items() if why]
    assert 0 < len(refused) < len(idle)


def test_work_is_counted_once_and_ends_at_the_limit() -> None:
    spent: list[float] = []
    job = MeasurementJob("some", "something", lambda evaluation: Effort(6e8))
    column = Column("a", "a", "", lambda evaluation: evaluation.figure("nodes"), needs=(job,))
    columns = COLUMNS | {"a": column, "b": column._replace(name="b")}
    with time_limit(1):
        for _ in range(2):
            evaluation = Evaluation(hopscape.build("torus(100, 100)"), columns=columns)
            figures = [evaluation.figure(name) for name in ("a", "b")]
            spent.append(steps_left())
            assert figures[0].value == figures[1].value
        with time_limit(5):
            assert steps_left() == spent[-1]  # the limit outside counts
    assert spent == [4e8, 4e8]
    assert figures[0].note == "something would take about 0.6 s (see --time-limit)"
    assert steps_left() == math.inf


@pytest.mark.parametrize("spec", ["torus(30, 40)", "random_regular(1500, 6)", "kautz(4, 5)"])
@pytest.mark.parametrize("name", ["bisection", "channel_load", "throughput", "allgather", "girth"])
def test_memory_is_not_more_than_was_promised(spec: str, name: str) -> None:
    if (name, spec) == ("allgather", "kautz(4, 5)"):
        pytest.skip("as the others, and slow")
    import tracemalloc

    import scipy.sparse.linalg  # noqa: F401 - importing it takes memory, too

    column = ALL_COLUMNS[name]
    column.measure(new_evaluation(spec))  # what is imported and compiled stays
    evaluation = new_evaluation(spec)
    for job in column.needs:
        if job.prepare is not None:
            evaluation.share(job.name, lambda job=job: job.prepare(evaluation))
    promised = sum(job.effort(evaluation).memory for job in column.needs)
    tracemalloc.start()
    column.measure(evaluation)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < 2 * promised + 4_000_000


def test_the_table_way_of_loads_is_the_slow_way(monkeypatch: pytest.MonkeyPatch) -> None:
    from hopscape.metrics.load import channel_load

    specs = ("torus(17, 13)", "kautz(2, 7)", "dragonfly(6, 3, p=2)", "random_regular(210, 3)")
    for spec in (
        *specs,
        "expanded(complete(4), 3)",
        "folded(complete(4), 4)",
        "product(ring(15), path(15))",
    ):
        net = hopscape.build(spec)
        quick = channel_load(net)
        with monkeypatch.context() as patch:
            patch.setattr("hopscape.metrics.load._FEW", 10**9)
            slow = channel_load(net)
        assert np.allclose(quick.loads, slow.loads)
        assert quick.hops == pytest.approx(slow.hops)
        assert quick.how == slow.how == "exact"


def test_the_spectral_bound_ends_in_time() -> None:
    from hopscape.metrics import bisection

    net = hopscape.build("random_regular(600, 5)")
    assert bisection(net, starts=1).lower > 0
    with time_limit(1e-9):
        late = bisection(net, starts=1)
    assert (late.lower, late.how) == (0, "bound")
    assert late.upper > 0
