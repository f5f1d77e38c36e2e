"""All-reduces of one datum with several sums per node: added up, files, refusals."""

from __future__ import annotations

import json

import pytest

import hopscape
from hopscape import Goal, Model, Schedule, verify
from hopscape.collectives.classics import CUT_THROUGH
from hopscape.collectives.contest import compete
from hopscape.collectives.partial_sums import doubling_sums, partial_sums
from hopscape.core.errors import ArgumentError, FileFormatError, ScheduleError
from hopscape.core.partial_sums import OWN_SHARE, PartialSums
from hopscape.formats.msccl import write_msccl

AT_THE_DIAMETER = (
    "path(1)", "path(2)", "petersen", "heawood", "ring(8)", "ring(9)", "torus(3, 5)",
    "torus(6, 6)", "mesh(4, 4)", "circulant(29, 2, 5)", "kautz(3, 2)", "complete(6)",
    "generalized_petersen(10, 3)", "rp(4)", "folded(petersen, 2)", "random_regular(30, 5)",
    "xpander(5, 4)", "expanded(ring(3), 1)",
)  # fmt: skip


def totals(data: dict) -> list[int]:
    """Every endpoint's sum of the shares 7^v, by the file alone."""
    share = [7**v for v in range(data["nodes"])]
    moves, came = data["transfers"], []
    total = {v: share[v] for v in data["endpoints"]}
    for t, terms in enumerate(moves["terms"]):
        source, target = moves["source"][t], moves["target"][t]
        for j in terms:
            assert j == OWN_SHARE or moves["round"][j] < moves["round"][t]
            assert j == OWN_SHARE or moves["target"][j] == source
        came.append(sum(share[source] if j == OWN_SHARE else came[j] for j in terms))
        if moves["op"][t] == "add":
            total[target] += came[t]
    return list(total.values())


@pytest.mark.parametrize("spec", AT_THE_DIAMETER)
def test_as_few_rounds_as_the_diameter(spec):
    net = hopscape.build(spec)
    made = partial_sums(net, Goal.all_reduce())
    assert made.rounds == net.diameter
    assert verify(made)
    assert set(totals(made.to_dict())) == {sum(7**v for v in range(net.order))}


@pytest.mark.parametrize("ends", range(2, 14))
def test_sums_that_double_serve_any_number_of_endpoints(ends):
    net = hopscape.build(f"leaf_spine(1, 1, {ends})")
    made = doubling_sums(net, Goal.all_reduce(), CUT_THROUGH)
    assert made.rounds == (ends - 1).bit_length()
    assert verify(made)
    data = made.to_dict()
    assert set(totals(data)) == {sum(7**v for v in data["endpoints"])}


def test_they_win_contests_for_short_data_only():
    net = hopscape.build("ring(8)")
    assert compete(net, Goal.all_reduce()).best.algorithm == "partial-sums"
    hops = {"switching": "store-and-forward"}
    assert compete(net, Goal.all_reduce(), hops, size=64.0).best.algorithm == "partial-sums"
    assert compete(net, Goal.all_reduce(), hops, size=1e8).best.algorithm != "partial-sums"
    switched = compete(hopscape.build("leaf_spine(3, 1, 2)"), Goal.all_reduce())
    assert (switched.best.algorithm, switched.best.duration) == ("doubling-sums", 4.0)


def changed(made: PartialSums, **columns: list) -> PartialSums:
    terms = [made.terms_of(t) for t in range(made.transfers)]
    adds = made.adds.tolist()
    for t, new in columns.get("terms", ()):
        terms[t] = new
    for t, new in columns.get("adds", ()):
        adds[t] = new
    return PartialSums.with_terms(made, terms, adds)


def test_the_verifier_sees_every_wrong_sum():
    made = partial_sums(hopscape.build("ring(8)"), Goal.all_reduce())
    last = made.transfers - 1
    source = int(made.source[last])
    here = [t for t in range(last) if made.target[t] == source and made.round[t] < made.round[last]]
    away = next(t for t in range(last) if made.target[t] != source)
    for terms, words in (
        ([], "has no terms"),
        ([here[0], here[0]], "twice"),
        ([OWN_SHARE, OWN_SHARE], "twice"),
        ([last], "has not come before this round"),
        ([-2], "has not come before this round"),
        ([away], "is not of its source and chunk"),
    ):
        verdict = verify(changed(made, terms=[(last, terms)]))
        assert not verdict
        assert words in verdict.reason
    lacking = verify(changed(made, adds=[(last, 0)]))
    assert not lacking
    assert "lacks the share" in lacking.reason
    assert lacking.where["rule"] == "counting"
    assert not verify(made, goal=Goal.all_gather())


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_files_keep_the_terms(tmp_path, ending):
    made = partial_sums(hopscape.build("petersen"), Goal.all_reduce())
    made.save(tmp_path / f"plan.{ending}")
    again = Schedule.load(tmp_path / f"plan.{ending}", hopscape.build)
    assert isinstance(again, PartialSums)
    assert verify(again)
    assert again.to_dict() == made.to_dict()


@pytest.mark.parametrize(
    ("column", "value"),
    [("terms", [1]), ("terms", [["a"]] * 60), ("terms", [[-1]]), ("op", ["copy"] * 60)],
)
def test_files_with_other_terms_are_refused(tmp_path, column, value):
    data = partial_sums(hopscape.build("petersen"), Goal.all_reduce()).to_dict()
    assert len(data["transfers"]["op"]) == 60
    data["transfers"][column] = value
    (tmp_path / "plan.json").write_text(json.dumps(data))
    with pytest.raises((FileFormatError, ScheduleError)):
        Schedule.load(tmp_path / "plan.json", hopscape.build)


def test_what_it_does_not_serve_is_refused(tmp_path):
    net = hopscape.build("petersen")
    made = partial_sums(net, Goal.all_reduce())
    for refused in (
        lambda: partial_sums(net, Goal.all_reduce(2)),
        lambda: partial_sums(net, Goal.all_reduce(groups=[[0, 1]])),
        lambda: partial_sums(net, Goal.all_reduce(), Model(beta=100.0)),
        lambda: partial_sums(hopscape.build("leaf_spine(1, 1, 3)"), Goal.all_reduce()),
        made.proof,
        lambda: write_msccl(made, tmp_path / "plan.xml"),
    ):
        with pytest.raises(ArgumentError):
            refused()
    for lost in (lambda: made.reversed(made.goal), lambda: made.then(made, made.goal)):
        with pytest.raises(ScheduleError):
            lost()


def test_a_node_adds_what_it_sends_and_what_it_gets():
    made = partial_sums(hopscape.build("ring(4)"), Goal.all_reduce())
    assert made.rounds == 2
    assert verify(made).details["added"] >= 3  # three shares come to everybody's own


def test_where_a_node_dies_under_way_they_begin_again():
    answer = hopscape.build("petersen").all_reduce(dies=["3@1"])
    assert verify(answer)


@pytest.mark.parametrize("spec", ["petersen", "fat_tree(4)"])
def test_files_of_one_sum_per_node_name_the_algorithm_to_take(spec, tmp_path):
    """Whoever does as the refusal says gets the file."""
    net, path = hopscape.build(spec), tmp_path / "plan.xml"
    made = compete(net, Goal.all_reduce()).best.schedule
    assert isinstance(made, PartialSums)
    with pytest.raises(ArgumentError, match="keeps several, take --algorithm") as refused:
        write_msccl(made, path)
    assert not path.exists()
    other = str(refused.value).split()[-1]
    write_msccl(compete(net, Goal.all_reduce(), algorithm=other).best.schedule, path)
    assert path.exists()
    if not net.has_switches:
        with pytest.raises(ArgumentError, match=f"take --algorithm {other}"):
            made.proof()
