"""Schedules as columns and as files."""

from __future__ import annotations

import io
import json
import os
import zipfile
from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, Network, Schedule, verify
from hopscape.collectives.generic import all_gather, broadcast, make_schedule, permutation
from hopscape.core.errors import ArgumentError, FileFormatError, HopscapeError, ScheduleError

COLUMNS = ("round_start", "source", "target", "chunk", "path_start", "channels")
PETERSEN = hopscape.build("petersen")
LINE = Network.from_links(4, [0, 1, 2], [1, 2, 3], spec="line")


def build(spec):
    return LINE if spec == "line" else hopscape.build(spec)


def circuit_schedule():
    """Two hops at once on a line, listed out of order, with an empty round at the end."""
    return Schedule.from_columns(
        LINE,
        Model(switching="circuit", ports=1, alpha=2.0),
        Goal.broadcast(0, 2),
        round=[2, 0, 1, 3],
        channels=[0, 2, 0, 0, 2, 0, 2, 4],
        path_start=[0, 2, 3, 5, 8],
        chunk=[1, 0, 0, 1],
        rounds=6,
        name="by hand",
    )


SCHEDULES = {
    "broadcast": lambda: broadcast(PETERSEN, 3, Model(ports=2)),
    "all-gather": lambda: all_gather(
        hopscape.build("torus(3, 4)"), Model(packing="packed", beta=0.5)
    ),
    "mesh with port gaps": lambda: all_gather(hopscape.build("mesh(3, 3)")),
    "permutation": lambda: permutation(hopscape.build("debruijn(2, 3)"), range(7, -1, -1)),
    "one-to-many": lambda: make_schedule(PETERSEN, Goal.one_to_many(1, [5, 7])),
    "circuits": circuit_schedule,
    "empty": lambda: Schedule.from_columns(LINE, Model(), Goal.broadcast(0), round=[], channels=[]),
}


@cache
def schedule_of(name):
    return SCHEDULES[name]()


def assert_same(one, two):
    for name in COLUMNS:
        a, b = getattr(one, name), getattr(two, name)
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    assert (one.model, one.goal, one.name) == (two.model, two.goal, two.name)
    assert one.network.spec == two.network.spec


# -- columns ---------------------------------------------------------------------------------


def test_columns_are_sorted_by_round_and_keep_their_paths():
    schedule = circuit_schedule()
    assert (schedule.rounds, schedule.transfers) == (6, 4)
    assert schedule.round.tolist() == [0, 1, 2, 3]
    assert schedule.source.tolist() == [0, 0, 0, 0]
    assert schedule.target.tolist() == [1, 2, 2, 3]
    assert schedule.chunk.tolist() == [0, 0, 1, 1]
    paths = np.split(schedule.channels, schedule.path_start[1:-1])
    assert [p.tolist() for p in paths] == [[0], [0, 2], [0, 2], [0, 2, 4]]
    assert "6 rounds, 4 transfers" in repr(schedule)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), max_size=12))
def test_sorting_is_stable(rows):
    when, ways, what = zip(*rows) if rows else ((), (), ())
    schedule = Schedule.from_columns(
        LINE, Model(), Goal.all_gather(), round=when, channels=ways, chunk=what
    )
    got = zip(schedule.round.tolist(), schedule.channels.tolist(), schedule.chunk.tolist())
    assert list(got) == sorted(rows, key=lambda row: row[0])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"round": [0], "channels": [6]}, "channels 0..5"),
        ({"round": [-1], "channels": [0]}, "rounds must be at least 0"),
        ({"round": [0.5], "channels": [0]}, "'round' must be a list of integers"),
        ({"round": [0], "channels": ["a"]}, "'channels' must be a list of integers"),
        ({"round": [0, 0], "channels": [0]}, "one for each of 2 transfers"),
        ({"round": [0, 0], "channels": [0, 2], "chunk": [0]}, "2 rounds, 1 chunks"),
        ({"round": [0], "channels": [0], "chunk": [0, 1]}, "1 rounds, 2 chunks"),
        ({"round": [0, 0], "channels": [0, 2], "path_start": [0, 0, 2]}, "at least one channel"),
        ({"round": [0, 0], "channels": [0, 2], "path_start": [1, 1, 2]}, "begin at 0"),
        ({"round": [0, 0], "channels": [0, 2], "path_start": [0, 1, 1]}, "end at 2"),
        ({"round": [0], "channels": [0], "chunk": [2**63]}, "'chunk' must be a list of integers"),
    ],
)
def test_bad_columns_are_refused(columns, message):
    with pytest.raises(ScheduleError, match=message):
        Schedule.from_columns(LINE, Model(), Goal.broadcast(0), **columns)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source": [0, 1]}, "columns differ in length: 2 sources"),
        ({"round_start": [0, 2]}, "round_start must rise from 0 to 1"),
        ({"round_start": []}, "round_start must rise"),
        ({"round_start": [0, 1, 0, 1]}, "round_start must rise"),
        ({"path_start": [0, 2]}, "path_start must rise from 0 to 1"),
        ({"chunk": [0.0]}, "hold integers"),
        ({"chunk": [[0]]}, "one-dimensional"),
        ({"target": [2**40]}, "values beyond"),
    ],
)
def test_bad_arrays_are_refused(changes, message):
    arrays = {
        "round_start": [0, 1],
        "source": [0],
        "target": [1],
        "chunk": [0],
        "path_start": [0, 1],
        "channels": [0],
    }
    columns = {name: np.asarray(values) for name, values in (arrays | changes).items()}
    with pytest.raises(ScheduleError, match=message):
        Schedule(LINE, Model(), Goal.broadcast(0), **columns)


def test_columns_cannot_be_changed_but_the_callers_can():
    mine = np.array([0], dtype=np.int64)
    schedule = Schedule.from_columns(
        LINE, Model(), Goal.broadcast(0), round=mine, channels=mine, chunk=mine
    )
    with pytest.raises(ValueError, match="read-only"):
        schedule.chunk[0] = 1
    mine[0] = 0


def test_backwards_and_forwards_again():
    schedule = circuit_schedule()
    back = schedule.reversed(Goal.reduce(0, 2))
    assert back.source.tolist() == schedule.target[::-1].tolist()
    assert back.round.tolist() == [2, 3, 4, 5]
    assert_same(back.reversed(schedule.goal, name=schedule.name), schedule)
    with pytest.raises(ScheduleError, match="simplex"):
        schedule_of("permutation").reversed(Goal.all_gather())


def test_one_after_the_other():
    down = broadcast(PETERSEN, 0)
    both = down.reversed(Goal.reduce(0)).then(down, Goal.all_reduce())
    assert both.rounds == 2 * down.rounds
    assert verify(both)
    with pytest.raises(ScheduleError, match="same network"):
        down.then(schedule_of("circuits"), Goal.all_reduce())


# -- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["json", "npz"])
@pytest.mark.parametrize("name", SCHEDULES)
def test_files_come_back_identical(name, suffix, tmp_path):
    schedule = schedule_of(name)
    path = tmp_path / f"schedule.{suffix}"
    schedule.save(path, check=False)
    again = Schedule.load(path, build)
    assert_same(again, schedule)
    assert verify(again).details == verify(schedule).details
    assert os.listdir(tmp_path) == [path.name]


def test_numpy_integers_can_be_saved(tmp_path):
    schedule = make_schedule(PETERSEN, Goal.one_to_many(np.int64(1), np.array([5, 7])))
    schedule.save(tmp_path / "a.json")
    assert Schedule.load(tmp_path / "a.json", build).goal == schedule.goal


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_a_cut_file_is_refused(suffix, tmp_path):
    path = tmp_path / f"whole.{suffix}"
    schedule_of("broadcast").save(path)
    whole = path.read_bytes()
    part = tmp_path / f"part.{suffix}"
    step = max(1, len(whole) // 250)
    for length in [*range(0, len(whole), step), len(whole) - 1]:
        part.write_bytes(whole[:length])
        with pytest.raises(FileFormatError, match="part"):
            Schedule.load(part, build)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(st.sampled_from(["json", "npz"]), st.randoms(use_true_random=False))
def test_a_spoilt_file_is_refused_or_is_a_schedule(tmp_path_factory, suffix, random):
    """Whatever bytes change: an error of our own, or a schedule that can be checked."""
    path = tmp_path_factory.mktemp("spoilt") / f"file.{suffix}"
    schedule_of("one-to-many").save(path)
    data = bytearray(path.read_bytes())
    for _ in range(random.randint(1, 3)):
        data[random.randrange(len(data))] = random.choice([random.randrange(256), *b'0[],"-9e'])
    path.write_bytes(data)
    with suppress(HopscapeError):
        verify(Schedule.load(path, build))


def plain(**changes):
    data = {
        "format": "hopscape-schedule",
        "version": 1,
        "network": "line",
        "goal": {"kind": "broadcast", "root": 0},
        "transfers": {
            "round": [1, 2, 3],
            "source": [0, 1, 2],
            "target": [1, 2, 3],
            "chunk": [0, 0, 0],
            "ports": [[0], [1], 1],
        },
    }
    for key, value in changes.items():
        where = data["transfers"] if key in data["transfers"] else data
        where[key] = value
    return data


def load_plain(tmp_path, data):
    path = tmp_path / "hand.json"
    path.write_text(json.dumps(data) if not isinstance(data, str) else data)
    return Schedule.load(path, build)


def test_a_file_written_by_hand(tmp_path):
    schedule = load_plain(tmp_path, plain())
    assert verify(schedule)
    assert schedule.model == Model()
    assert load_plain(tmp_path, plain(rounds=9)).rounds == 9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "hopscape-network"}, "it has no 'format': 'hopscape-schedule'"),
        ({"version": 4}, "has version 4; versions 1 to 3 are read"),
        ({"version": 3}, "'terms' is missing"),
        ({"version": 2}, "'op' is missing"),
        ({"version": None}, "has version None"),
        ({"transfers": None}, "'transfers' is missing"),
        ({"transfers": [1, 2]}, "'transfers' is missing"),
        ({"transfers": {"round": [], "source": [], "target": []}}, "'chunk' is missing"),
        ({"chunk": [0, 0]}, "3 rounds, 3 sources, 3 targets, 2 chunks, 3 paths"),
        ({"ports": [[0]]}, "1 paths"),
        ({"round": [1.0, 2, 3]}, "'round' must be a list of integers"),
        ({"source": [0, 1, 2.5]}, "'source' must be a list of integers"),
        ({"source": [[0], [1, 2]]}, "'source' must be a list of integers"),
        ({"source": 3}, "'source' must be a list of integers"),
        ({"chunk": ["a", "b", "c"]}, "'chunk' must be a list of integers"),
        ({"chunk": [0, 0, 10**30]}, "'chunk' must be a list of integers"),
        ({"chunk": [0, 0, 2**63]}, "'chunk' must be a list of integers"),
        ({"ports": 5}, "'ports' must be a list"),
        ({"ports": {"a": 1}}, "'ports' must be a list"),
        ({"ports": [[0], [1], [0.5]]}, "'ports' must be a list of integers"),
        ({"source": [0, -1, 2]}, r"source must be node numbers 0\.\.3"),
        ({"target": [0, 1, 4]}, r"target must be node numbers 0\.\.3"),
        ({"round": [0, 1, 2]}, "rounds must count from 1 and not fall"),
        ({"round": [2, 1, 3]}, "rounds must count from 1 and not fall"),
        ({"rounds": 2}, "rounds is 2, but the transfers use 3"),
        ({"rounds": "many"}, "rounds is 'many'"),
        ({"rounds": [3]}, r"rounds is \[3\]"),
        ({"model": {"portz": 1}}, "the model has an unknown key 'portz'"),
        ({"model": {"ports": 0}}, "ports is 0"),
        ({"model": {"duplex": ["full"]}}, "duplex is"),
        ({"model": [1]}, "the model must be a set of keys"),
        ({"goal": None}, "the goal must name its 'kind'"),
        ({"goal": {"kind": "gossip"}}, "goal 'gossip' is unknown"),
        ({"goal": {"kind": ["broadcast"]}}, "is unknown"),
        ({"goal": {"kind": "broadcast"}}, "broadcast needs root"),
        ({"goal": {"kind": "broadcast", "root": 0.5}}, "must be integers"),
        ({"goal": {"kind": "permutation", "targets": 5}}, "targets of a goal must be a list"),
        ({"goal": {"kind": "broadcast", "root": 0, "stem": 1}}, "unknown key 'stem'"),
        ({"network": "tours(4)"}, "tours"),
        ({"network": 7}, "hand.json"),
    ],
)
def test_bad_values_in_a_file(changes, message, tmp_path):
    with pytest.raises(FileFormatError, match=message) as caught:
        load_plain(tmp_path, plain(**changes))
    assert "hand.json" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "3", "null", "{", '{"format": 1e999}', "[" * 100_000, "9" * 5000, "\x00", '"a"'],
)
def test_texts_that_are_no_schedules(text, tmp_path):
    with pytest.raises(FileFormatError, match=r"hand\.json"):
        load_plain(tmp_path, text)


def test_rounds_beyond_memory_are_refused(tmp_path):
    for changes in ({"rounds": 10**15}, {"round": [1, 2, 10**15]}):
        with pytest.raises(HopscapeError, match="rounds would need"):
            load_plain(tmp_path, plain(**changes))


def test_ports_that_are_not_wired_are_found_by_verify(tmp_path):
    for port in (7, -1, 2**40, 2**62):
        verdict = verify(load_plain(tmp_path, plain(ports=[[0], [port], [1]])))
        assert verdict.where["transfer"] == 1
        assert "no such channel at node 1" in verdict.reason
    assert (
        "0 hops"
        in verify(load_plain(tmp_path, plain(ports=[[0], [1], []], target=[1, 2, 2]))).reason
    )


def rewritten(tmp_path, **changes):
    """An .npz schedule with some arrays replaced (None: left out)."""
    path = tmp_path / "arrays.npz"
    schedule_of("circuits").save(path, check=False)
    with np.load(path) as data:
        arrays = {key: data[key] for key in data.files} | changes
    np.savez(path, **{key: value for key, value in arrays.items() if value is not None})
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"head": None},
        {"head": np.frombuffer(b"[1]", np.uint8)},
        {"head": np.frombuffer(b"{", np.uint8)},
        {"head": np.array([0.5])},
        {"round_start": None},
        {"round_start": np.array([0, 1])},
        {"round_start": np.array([0, 3, 2, 4])},
        {"round_start": np.array([])},
        {"round_start": np.array([[0, 4]])},
        {"round_start": np.array([0.0, 4.0])},
        {"source": None},
        {"source": np.array(3)},
        {"chunk": np.zeros(3, int)},
        {"path_start": None},
        {"path_start": np.array([0, 100, 3, 5, 8])},
        {"path_start": np.array([1, 2, 3, 5, 8])},
        {"path_start": np.array([0, 2, 3, 5, 90])},
        {"ports": None},
        {"ports": np.zeros(8)},
    ],
)
def test_bad_arrays_in_a_file(changes, tmp_path):
    path = rewritten(tmp_path, **changes)
    with pytest.raises(FileFormatError, match=r"arrays\.npz"):
        Schedule.load(path, build)


def test_other_archives_are_refused(tmp_path):
    path = tmp_path / "other.npz"
    np.save(path.with_suffix(".npy"), np.arange(3))
    path.with_suffix(".npy").rename(path)
    with pytest.raises(FileFormatError, match=r"other\.npz"):
        Schedule.load(path, build)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("readme", "hello")
    path.write_bytes(buffer.getvalue())
    with pytest.raises(FileFormatError, match=r"other\.npz"):
        Schedule.load(path, build)


def test_files_that_are_not_there(tmp_path):
    for name in ("none.json", "none.npz"):
        with pytest.raises(FileFormatError, match="cannot be read: No such file"):
            Schedule.load(tmp_path / name, build)
    with pytest.raises(FileFormatError, match="cannot be read"):
        Schedule.load(tmp_path, build)


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_saving_where_it_cannot_be_leaves_nothing(suffix, tmp_path):
    schedule = schedule_of("broadcast")
    with pytest.raises(ArgumentError, match="cannot be written"):
        schedule.save(tmp_path / "nowhere" / f"a.{suffix}")
    taken = tmp_path / f"folder.{suffix}"
    taken.mkdir()
    with pytest.raises(ArgumentError, match="is a folder"):
        schedule.save(taken)
    assert os.listdir(tmp_path) == [taken.name]
    assert os.listdir(taken) == []


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_a_save_that_fails_keeps_the_old_file(suffix, tmp_path, monkeypatch):
    path = tmp_path / f"a.{suffix}"
    schedule_of("broadcast").save(path)
    old = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ArgumentError, match="No space left"):
        schedule_of("circuits").save(path, check=False)
    assert os.listdir(tmp_path) == [path.name]
    assert path.read_bytes() == old


def test_a_file_of_version_2_counts_ports_from_1_and_names_operations(tmp_path):
    columns = plain()["transfers"] | {"ports": [[1], [2], 2], "op": ["copy"] * 3}
    data = plain(version=2, transfers=columns, nodes=4, endpoints=[0, 1, 2, 3])
    assert verify(load_plain(tmp_path, data))
    for wrong, message in (
        ({"nodes": 5}, "nodes is 5, which is not so"),
        ({"endpoints": [0, 1]}, r"endpoints is \[0, 1\]"),
        ({"transfers": columns | {"op": ["copy", "add", "copy"]}}, "transfer 1 says 'add'"),
        ({"transfers": columns | {"op": ["copy"]}}, "a list of 3 operations"),
    ):
        with pytest.raises(FileFormatError, match=message):
            load_plain(tmp_path, data | wrong)


def test_operations_of_an_all_reduce_by_carrying_them_out():
    """Buffers moved as the operations say end as sums in which every share counts once."""
    from hopscape.collectives.choose import run_algorithm
    from hopscape.core.arrays import OPERATIONS

    for spec, chunks in (("torus(3, 3)", 1), ("petersen", 1), ("ring(5)", 5), ("path(4)", 1)):
        net = build(spec)
        schedule = run_algorithm(net, Goal.all_reduce(chunks), "generic", None)
        shares = np.random.default_rng(0).integers(1, 1 << 40, size=(net.order, chunks))
        held = shares.copy()
        assert "add" in {OPERATIONS[op] for op in schedule.operations().tolist()}
        for r in range(schedule.rounds):
            before = held.copy()
            for t in range(int(schedule.round_start[r]), int(schedule.round_start[r + 1])):
                a, b, c = (int(x[t]) for x in (schedule.source, schedule.target, schedule.chunk))
                word = OPERATIONS[schedule.operations()[t]]
                if word == "add":
                    held[b, c] += before[a, c]
                elif word == "copy":
                    held[b, c] = before[a, c]
        assert (held == shares.sum(axis=0)).all()


def slow_operations(schedule):
    """By sets of shares: what each transfer of an all-reduce does, right or wrong."""
    members = schedule.goal.on(schedule.network).wanted.tolist()
    held = {}
    out = []
    for r in range(schedule.rounds):
        before = dict(held)
        for t in range(int(schedule.round_start[r]), int(schedule.round_start[r + 1])):
            a, b, c = (int(x[t]) for x in (schedule.source, schedule.target, schedule.chunk))
            there = held.get((b, c), {b} & set(members))
            sent = before.get((a, c), {a} & set(members))
            out.append("copy" if there <= sent else "none" if sent <= there else "add")
            held[b, c] = there | sent
    return out


@settings(deadline=None, max_examples=60)
@given(
    moves=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 29), st.integers(0, 1))),
    group=st.sampled_from([None, [0, 1, 2], [1, 4]]),
)
def test_operations_of_any_all_reduce_are_those_of_sets(moves, group):
    from hopscape.core.arrays import OPERATIONS

    when, channels, chunk = zip(*moves) if moves else ((), (), ())
    goal = Goal.all_reduce(2, groups=() if group is None else [group])
    schedule = Schedule.from_columns(
        PETERSEN, Model(), goal, round=when, channels=channels, chunk=chunk
    )
    assert [OPERATIONS[op] for op in schedule.operations()] == slow_operations(schedule)
