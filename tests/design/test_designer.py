"""The designer: figures that agree with slow ones, rankings, interrupts."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hopscape.core.errors import ArgumentError
from hopscape.core.measured import Measured
from hopscape.deadlock.one_lane import cyclic_channels
from hopscape.design import (
    ALL_COLUMNS,
    Candidate,
    Conditions,
    FloorPlan,
    Requirements,
    design,
    place,
    rank,
    table,
)
from hopscape.design import designer as room
from hopscape.design.columns import new_evaluation
from hopscape.design.question import CRITERIA
from hopscape.design.ranking import judge
from hopscape.design.table import TABLE_COLUMNS, cell, ranking_records, ranking_rows
from hopscape.design.words import sentences
from hopscape.metrics.columns import measure_columns
from hopscape.metrics.disjoint import random_faults
from hopscape.metrics.routes import all_routes
from hopscape.registry import build
from hopscape.store import Store

SMALL = [
    "ring(7)",
    "torus(4, 3)",
    "petersen",
    "hypercube(3)",
    "random_regular(12, 3)",
    "mesh(3, 4)",
]


def _paths(spec: str) -> dict[tuple[int, int], list[int]]:
    """Channels on the way of every pair, by walking the table one hop at a time."""
    net = build(spec)
    routes = all_routes(net)
    out = {}
    for s, t in itertools.permutations(net.endpoints.tolist(), 2):
        at, way = s, []
        while at != t:
            way.append(int(net.indptr[at] + routes.table[t, at]))
            at = int(net.heads[way[-1]])
        out[s, t] = way
    return out


@pytest.mark.parametrize("spec", SMALL)
def test_loads_and_lengths_by_walking(spec: str) -> None:
    net, routes = build(spec), all_routes(build(spec))
    loads = np.zeros(len(net.heads), dtype=int)
    paths = _paths(spec)
    for way in paths.values():
        loads[way] += 1
    assert routes.loads.tolist() == loads.tolist()
    assert routes.longest == max(map(len, paths.values()))
    assert routes.mean == pytest.approx(np.mean([len(way) for way in paths.values()]))
    router = net.router()
    for (s, t), way in paths.items():
        assert len(way) == router.distance(s, t)


@pytest.mark.parametrize("spec", SMALL)
def test_cycles_of_dependencies_by_networkx(spec: str) -> None:
    import networkx

    graph = networkx.DiGraph()
    for way in _paths(spec).values():
        graph.add_edges_from(itertools.pairwise(way))
    free = networkx.is_directed_acyclic_graph(graph)
    assert (cyclic_channels(all_routes(build(spec))) == 0) == free


@pytest.mark.parametrize("spec", ["ring(5)", "petersen", "mesh(2, 3)", "torus(3, 3)"])
def test_worst_permutation_by_all_permutations(spec: str) -> None:
    """Exact over all channels: no assignment of sources to targets does worse."""
    import networkx

    paths = _paths(spec)
    worst = 0
    for channel in {c for way in paths.values() for c in way}:
        graph = networkx.Graph()
        for (s, t), way in paths.items():
            if channel in way:
                graph.add_edge(("from", s), ("to", t))
        sources = [v for v in graph if v[0] == "from"]
        matched = networkx.bipartite.maximum_matching(graph, sources)
        worst = max(worst, len(matched) // 2)
    assert all_routes(build(spec)).worst_permutation(None) == worst
    assert all_routes(build(spec)).worst_permutation(2) <= worst


def test_balanced_tables_beat_the_lowest_port() -> None:
    from hopscape.metrics.load import channel_load

    net = build("random_regular(60, 4)")
    assert all_routes(net).uniform_load() < channel_load(net).largest


def test_faults_by_components() -> None:
    found = random_faults(build("ring(10)"), 2, trials=30)
    assert 0 < found.pairs < 1
    assert found.whole == 0  # two cuts always part a ring
    whole = random_faults(build("complete(8)"), 3)
    assert (whole.pairs, whole.whole) == (1.0, 1.0)
    assert whole.stretch is not None
    assert whole.stretch > 1
    with pytest.raises(ArgumentError, match="faults is 11"):
        random_faults(build("ring(10)"), 11)


def test_cables_by_hand() -> None:
    plan = FloorPlan(1, 2, 2, row_pitch=10, rack_pitch=1, slot_pitch=0.1)
    placed = place(build("ring(4)"), plan)
    # two links inside racks (0.1 m), two between them: 1 m and the ways to the tops of the racks
    inside, tops = 0.1, [0.2 + 0.2, 0.1 + 0.1, 0.2 + 0.1]
    assert sorted(round(x, 6) for x in placed.lengths)[:2] == [inside, inside]
    assert all(any(abs(x - 1 - top) < 1e-9 for top in tops) for x in sorted(placed.lengths)[2:])
    assert sorted(placed.places.tolist()) == [0, 1, 2, 3]
    with pytest.raises(ArgumentError, match="1x3x2 would hold them"):
        place(build("ring(6)"), plan)


def test_every_column_has_one_line_and_works() -> None:
    evaluation = new_evaluation(build("torus(4, 4)"))
    found = measure_columns(evaluation, ALL_COLUMNS, columns=ALL_COLUMNS)
    for name, column in ALL_COLUMNS.items():
        assert column.explanation
        assert "\n" not in column.explanation
        assert name in found
    values = {name: m.value for name, m in found.items()}
    assert values["hops"] == pytest.approx(32 / 15, abs=1e-6)
    assert values["table_bytes"] == 0
    assert values["throughput"] <= values["throughput_bound"] + 1e-9
    assert values["allgather"] >= values["allgather_bound"] - 1e-6
    assert values["allreduce"] >= values["allreduce_bound"]
    assert values["broadcast"] >= values["broadcast_bound"]


@pytest.mark.parametrize("spec", ["petersen", "kautz(2, 3)", "path(5)", "complete(5)"])
def test_bounds_hold(spec: str) -> None:
    pairs = ("throughput", "allgather", "broadcast")
    names = [*pairs, *(f"{name}_bound" for name in pairs)]
    found = measure_columns(new_evaluation(build(spec)), names, columns=ALL_COLUMNS)
    values = {name: m.value for name, m in found.items()}
    assert values["throughput"] <= values["throughput_bound"] + 1e-6
    assert values["allgather"] >= values["allgather_bound"] - 1e-6
    assert values["broadcast"] >= values["broadcast_bound"]


def test_several_endpoints_share_a_router() -> None:
    net = build("torus(4, 4)")
    one = measure_columns(new_evaluation(net), ["throughput", "hops"], columns=ALL_COLUMNS)
    four = measure_columns(
        new_evaluation(net, Conditions(endpoints=4)),
        ["throughput", "hops", "endpoints", "ports"],
        columns=ALL_COLUMNS,
    )
    assert four["endpoints"].value == 64
    assert four["ports"].value == 8
    # of 63 other endpoints 3 are at the same router
    assert four["hops"].value == pytest.approx(one["hops"].value * 60 / 63, abs=1e-5)
    ratio = one["throughput"].value / four["throughput"].value
    assert ratio == pytest.approx(4 * 60 / 63, abs=1e-4)


# -- ranking --------------------------------------------------------------------------------------


def _candidate(spec: str, **figures: float) -> Candidate:
    known: dict[str, Measured[Any]] = {name: Measured(x, "exact") for name, x in figures.items()}
    return Candidate(spec, "some", known, 3)


def test_rank_by_weights_and_dominance() -> None:
    asked = Requirements(100, 4, weights={"latency": 1.0, "cost": 1.0})
    a = _candidate("a", hops=2.0, links=200, cable=100.0)
    b = _candidate("b", hops=4.0, links=100, cable=50.0)
    c = _candidate("c", hops=4.0, links=210, cable=100.0)
    d = _candidate("d", hops=1.0, links=400, cable=500.0)
    order = rank([c, d, b, a], asked)
    assert [one.spec for one in order] == ["a", "b", "d", "c"] or order[-1].spec == "c"
    assert c.dominated_by in ("a", "b")
    assert "links" in c.better_in
    assert not a.dominated_by
    assert not b.dominated_by
    assert not d.dominated_by
    assert b.score == pytest.approx((2 / 5 + 1) / 2, abs=1e-6)  # 1 and 4 hops: 2 and 5 routers
    latency = rank([a, b, c, d], Requirements(100, 4, weights={"latency": 1.0}))
    assert latency[0].spec == "d"


def test_budgets_refuse() -> None:
    asked = Requirements(100, 4, cables=150)
    a = _candidate("a", hops=2.0, links=200, cable=100.0)
    b = _candidate("b", hops=4.0, links=100, cable=50.0)
    order = rank([a, b], asked)
    assert [one.spec for one in order] == ["b", "a"]
    assert a.trouble == "needs 200 cables"
    with pytest.raises(ArgumentError, match="the nearest, b, needs 100 cables"):
        rank([a, b], Requirements(100, 4, cables=99))


@pytest.mark.parametrize(
    ("figures", "trouble", "unproved"),
    [
        ({}, "", "2 virtual channels (VCs not known), 3 faults survived (node conn. not known)"),
        ({"node_connectivity": Measured.at_most(6), "vcs": Measured.at_least(2)}, "",
         "2 virtual channels (VCs ≥2), 3 faults survived (node conn. ≤6)"),
        ({"node_connectivity": Measured(6, "sampled"), "vcs": Measured(2, "exact")}, "",
         "3 faults survived (node conn. ~6)"),
        ({"node_connectivity": Measured.at_least(4), "vcs": Measured.at_most(2)}, "", ""),
        ({"node_connectivity": Measured.at_most(3), "vcs": Measured(2, "exact")},
         "3 faults can part it", ""),
        ({"vcs": Measured(4, "bound", low=3, high=4)}, "needs at least 3 virtual channels", ""),
        ({"vcs": Measured(3, "bound", low=2, high=3), "node_connectivity": Measured(4, "exact")},
         "", "2 virtual channels (VCs ≤3)"),
    ],
)  # fmt: skip
def test_bounds_are_proofs_on_their_own_side_only(
    figures: dict[str, Measured[Any]], trouble: str, unproved: str
) -> None:
    asked = Requirements(100, 6, vcs=2, faults=3)
    one = Candidate("one", "some", {"ports": Measured(6, "exact")} | figures)
    found = judge(one, asked)
    assert found.trouble == trouble
    assert found.unproved == (f"not proved: {unproved}" if unproved else "")


def test_who_is_proved_comes_first_and_is_not_dominated_by_who_is_not() -> None:
    asked = Requirements(100, 6, vcs=2, weights={"latency": 1.0})
    sure = _candidate("sure", ports=6, hops=3.0, vcs=2)
    open_ = _candidate("open", ports=6, hops=2.0)
    open_.figures["vcs"] = Measured.at_least(2)
    worse = _candidate("worse", ports=6, hops=4.0, vcs=2)
    out = _candidate("out", ports=6, hops=1.0, vcs=3)
    order = rank([open_, worse, out, sure], asked)
    assert [one.spec for one in order] == ["sure", "worse", "open", "out"]
    assert (sure.dominated_by, worse.dominated_by) == ("", "sure")
    assert [one["fits"] for one in ranking_records(order)] == [True, True, None, False]
    assert ranking_records(order)[2]["unproved"] == "not proved: 2 virtual channels (VCs ≥2)"
    assert ranking_rows(order)[2]["remark"] == "not proved: 2 virtual channels (VCs ≥2)"
    [only] = rank([open_], asked)
    assert "Not proved: 2 virtual channels (VCs ≥2)." in " ".join(sentences([only], asked))


def test_regular_is_about_every_router() -> None:
    """The most ports that a node of a mesh uses say nothing about its corners."""
    found = design(Requirements(16, 4, families=("mesh", "torus"), regular=True))
    fits = {one.family for one in found.candidates if not one.trouble}
    assert fits == {"torus"}
    trouble = {one.spec: one.trouble for one in found.candidates}
    assert trouble["mesh(4, 4)"] == "has routers that use 2 of 4 ports"


def test_unknown_counts_as_the_worst() -> None:
    asked = Requirements(100, 4, weights={"bandwidth": 1.0})
    a, b, c = _candidate("a", throughput=1.0), _candidate("b", throughput=0.5), _candidate("c")
    rank([a, b, c], asked)
    assert (a.score, b.score, c.score) == (1.0, 0.5, 0.5)


# -- the whole ------------------------------------------------------------------------------------


def test_a_design_and_its_records() -> None:
    found = design(Requirements(32, 4), finalists=3)
    assert found.complete
    assert len({one.family for one in found.candidates}) >= 6
    records = ranking_records(found.candidates)
    for i, record in enumerate(records, 1):
        assert record["rank"] == i
        assert set(ALL_COLUMNS) <= set(record)
        if record["fits"]:
            assert 30 <= record["endpoints"] <= 36
            assert record["ports"] <= 4
    full = [one for one in found.candidates if one.stage == 3]
    assert len(full) == 3
    assert all(one.value("allgather") is not None for one in full)
    rows = ranking_rows(found.candidates)
    assert set(TABLE_COLUMNS) <= set(rows[0])
    scores = [one.score for one in found.candidates if one.score is not None]
    assert scores == sorted(scores, reverse=True)


def test_two_processes_find_the_same() -> None:
    asked = Requirements(16, 4, families=("torus", "hypercube", "circulant"))
    one, two = design(asked), design(asked, workers=2)
    assert ranking_records(one.candidates) == ranking_records(two.candidates)


def test_an_interrupt_leaves_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(spec: str, columns: Any, *more: Any) -> Any:
        if "throughput" in columns:
            raise KeyboardInterrupt
        return measured(spec, columns, *more)

    measured = room.measure
    monkeypatch.setattr(room, "measure", interrupted)
    found = design(Requirements(32, 4, families=("torus", "hypercube", "ring")))
    assert not found.complete
    assert {one.stage for one in found.candidates} == {1}
    assert all(one.score is not None for one in found.candidates)
    assert found.best.value("hops") is not None


def test_nothing_fits_names_the_nearest() -> None:
    with pytest.raises(ArgumentError, match=r"the nearest is hypercube\(6\) with 64"):
        design(Requirements(50, 8, size="exactly", families=("hypercube",)))
    with pytest.raises(ArgumentError, match="unknown family"):
        design(Requirements(50, 8, families=("hypercubes",)))


def test_faults_and_lanes_are_kept() -> None:
    found = design(Requirements(16, 4, families=("mesh", "torus"), vcs=1))
    refused = {one.spec: one.trouble for one in found.candidates if one.trouble}
    assert "virtual channels" in refused["torus(4, 4)"]
    assert found.best.family == "mesh"


def test_growth_is_the_next_size() -> None:
    from hopscape.design.candidates import next_size

    assert next_size(build("ring(50)")) == 51
    assert next_size(build("rpc(5)")) == 180
    assert next_size(build("hypercube(4)")) is None  # more nodes would need more ports
    found = measure_columns(new_evaluation(build("rpc(5)")), ["growth"], columns=ALL_COLUMNS)[
        "growth"
    ]
    assert (found.value, found.note) == (30, "next: 180")


def test_a_sample_of_routes_is_marked() -> None:
    """Beyond the order of whole tables: exact by symmetry looks, a bound where ports differ."""
    names = ["throughput", "uniform_load", "vcs", "deadlock_certified", "worst_permutation"]
    even = measure_columns(new_evaluation(build("torus(14, 14, 14)")), names, columns=ALL_COLUMNS)
    assert even["throughput"].how == "unknown"  # not asked for such sizes in stage 1
    given = Conditions(routes_order=5000)
    even = measure_columns(
        new_evaluation(build("torus(14, 14, 14)"), given), names, columns=ALL_COLUMNS
    )
    assert even["throughput"].how == "sampled"
    assert even["throughput"].value == pytest.approx(1 / even["uniform_load"].value, rel=1e-4)
    assert (even["vcs"].how, even["deadlock_certified"].value) == ("bound", True)
    assert even["worst_permutation"].value is None
    mesh = measure_columns(
        new_evaluation(build("mesh(14, 14, 14)"), given), names, columns=ALL_COLUMNS
    )
    assert (mesh["throughput"].sign, mesh["uniform_load"].sign) == ("≤", "≥")
    assert (mesh["vcs"].value, mesh["deadlock_certified"].value) == (1, False)


def test_the_mean_and_the_most_hops_are_each_as_sure_as_their_own_distance() -> None:
    """A mean in closed form proves nothing about a diameter that was sampled."""
    evaluation = new_evaluation(build("torus(4, 4)"))
    known = {
        "mean_distance": Measured(Fraction(2), "closed form"),
        "diameter": Measured.at_least(3, "from 2 sources", how="sampled"),
    }
    evaluation.figure = lambda name: known[name]  # type: ignore[assignment, method-assign]
    far = ALL_COLUMNS["far"].measure(evaluation)
    assert (far.value, far.sign, far.high) == (3, "≥", None)
    assert ALL_COLUMNS["hops"].measure(evaluation).exact
    known["mean_distance"] = Measured(Fraction(2), "bound", "", Fraction(1), Fraction(2))
    assert ALL_COLUMNS["hops"].measure(evaluation).sign == "≤"
    bound = ALL_COLUMNS["throughput_bound"].measure(evaluation)
    assert (bound.low, bound.high) == (2.0, 4.0)


def test_nothing_is_dominated_by_what_may_be_worse() -> None:
    """Bounds count where they are worst, and are open where nothing is proved."""
    asked = Requirements(16, 4, weights={"bandwidth": 1.0})
    cases = [
        (Measured(2.0, "exact"), Measured(1.0, "exact"), True),
        (Measured.at_most(2.0), Measured.at_most(1.0), False),
        (Measured.at_least(2.0), Measured.at_most(1.0), True),
        (Measured(2.0, "exact"), Measured.at_most(1.0), True),
        (Measured.at_most(2.0), Measured(1.0, "exact"), False),
        (Measured(2.0, "exact"), Measured(1.0, "bound", low=1.0, high=3.0), False),
        (Measured(2.0, "bound", low=1.5, high=2.5), Measured(1.0, "bound", low=1, high=1.4), True),
        (Measured(2.0, "bound", low=1.5, high=2.5), Measured(1.0, "bound", low=1, high=1.6), False),
        (Measured(2.0, "sampled"), Measured(1.0, "exact"), False),
        (Measured(2.0, "exact"), Measured(1.0, "sampled"), False),
        (Measured.at_most(2.0), Measured.at_most(2.0), False),
    ]
    columns = list(CRITERIA["bandwidth"].columns)
    for good, bad, dominated in cases:
        pair = [
            Candidate(name, "ring", dict.fromkeys(columns, figure))
            for name, figure in (("good", good), ("bad", bad))
        ]
        found = {one.spec: one for one in rank(pair, asked)}
        assert bool(found["bad"].dominated_by) is dominated, (good, bad)
        assert (found["bad"].better_in != ()) is dominated


def test_tables_fit_the_terminal() -> None:
    from hopscape.core.tables import Table, fit, in_table
    from hopscape.design.table import heads, importance

    found = design(Requirements(16, 4, families=("torus", "hypercube", "circulant")))
    rows = ranking_rows(found.candidates)
    titles = {"spec": "network", "rank": "#"} | heads(TABLE_COLUMNS)
    titles |= {"score": "score", "remark": "remark"}
    body = [[in_table(row.get(key)) for key in titles] for row in rows]
    brief = {"remark": [row["brief"] for row in rows]}
    table = Table(titles, body, priority=importance(titles), brief=brief)
    assert fit(table).dropped == ()
    dropped = [set(fit(table, width).dropped) for width in (60, 80, 120, 200)]
    assert dropped[0] > dropped[1] > dropped[2] >= dropped[3]
    assert not {"network", "#", titles["hops"]} & dropped[0]
    assert fit(table, 80).width <= 80
    assert found.find("2").spec == found.candidates[1].spec
    with pytest.raises(ArgumentError, match="place 99"):
        found.find("99")


def test_what_cannot_be_measured_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of one candidate is its trouble at every stage, and no trouble of the others."""
    measure = room.measure

    def failing(spec: str, *others: Any) -> Any:
        return "too odd to measure" if spec == "hypercube(4)" else measure(spec, *others)

    monkeypatch.setattr(room, "measure", failing)
    found = design(Requirements(16, 4, families=("torus", "hypercube")))
    last = found.candidates[-1]
    assert (last.spec, last.trouble, last.score) == ("hypercube(4)", "too odd to measure", None)
    assert not any(one.trouble for one in found.candidates[:-1])
    record = ranking_records(found.candidates)[-1]
    assert (record["fits"], record["trouble"]) == (False, "too odd to measure")


def test_a_design_goes_on_from_its_table(tmp_path) -> None:
    """What is measured is not measured again; what is not known is."""
    asked = Requirements(16, 4, families=("torus", "hypercube", "circulant"))
    path = tmp_path / "design.jsonl"
    with Store(path) as table:
        first = ranking_records(design(asked, resume=table).candidates)
    whole = path.read_bytes()
    assert ranking_records(design(asked).candidates) == first
    for cut in (len(whole) - 1, len(whole) // 2, 30):
        path.write_bytes(whole[:cut])
        with Store(path) as table:
            known = len(table)
            again = ranking_records(design(asked, resume=table).candidates)
            assert len(table) > known
        assert again == first
    with Store(path) as table, pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "measure", lambda *_: "not again")
        patch.setattr(room, "_final", lambda _: False)
        assert ranking_records(design(asked, resume=table).candidates) == first


def test_a_share_of_any_column_is_shown_in_per_cent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The column's unit says it, not its name."""
    assert cell("mean_gap", Measured(0.231, "exact")) == "23.1 %"
    shares = {"spare": ALL_COLUMNS["girth"]._replace(name="spare", unit="share")}
    monkeypatch.setattr(table, "ALL_COLUMNS", {**ALL_COLUMNS, **shares})
    assert cell("spare", Measured.at_most(0.5)) == "≤50.0 %"


def test_former_names_of_arguments_still_work(tmp_path):
    asked = Requirements(8, 3, families=("hypercube",))
    with pytest.warns(DeprecationWarning, match="table is called resume now"):
        first = design(asked, table=tmp_path / "kept.jsonl")
    assert (tmp_path / "kept.jsonl").stat().st_size
    again = design(asked, resume=tmp_path / "kept.jsonl", workers=1)
    assert ranking_records(again.candidates) == ranking_records(first.candidates)
    with pytest.raises(ArgumentError, match="jobs and workers are the same"):
        design(asked, jobs=1, workers=1)
