"""Steps of jobs: bounds, shares, repetition, files that are wrong, the command and its files."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopscape
from commands import ask, refused, run, shown
from hopscape.core.detours import DetourRouter, TableDetours
from hopscape.core.errors import CheckFailedError, HopscapeError
from hopscape.formats.protobuf import bytes_field, framed, number_field, text_field
from hopscape.workloads import (
    Chip,
    Fabric,
    LanguageModel,
    ModelJob,
    Overlap,
    Placement,
    Split,
    Timeline,
    execute,
    live_endpoints,
    load_chip,
    make_step,
    read_chakra,
    read_job,
    step,
    write_workload,
)
from hopscape.workloads.path_kernels import PathWork, longest_paths
from hopscape.workloads.step import _shares
from hopscape.workloads.transformer import stage_program

from .test_timeline import random_work

JOB = """
[model]
name = "small"
hidden = 256
layers = 4
heads = 4
seq = 128
vocab = 1000
[job]
tp = 2
pp = 2
dp = 2
batch = 16
[chip]
tflops = 10
memory = 1
"""
_NETWORKS = ("torus(2, 4)", "xgft([8], [1])", "rail_optimized(4, 2)", "hypercube(3)", "mesh(8)")


def random_job(seed: int) -> ModelJob:
    """A small job on eight ranks."""
    chance = random.Random(seed)
    tp, pp, dp, cp = chance.choice(
        [(2, 2, 2, 1), (8, 1, 1, 1), (1, 4, 2, 1), (2, 1, 2, 2), (1, 1, 8, 1)]
    )
    experts = chance.choice([0, 0, 4]) if dp > 1 else 0
    split = Split(
        batch=8 * chance.choice([1, 2]), tp=tp, pp=pp, dp=dp, cp=cp,
        ep=min(dp, 4) if experts else 1,
        recompute=chance.choice(["none", "selective", "full"]),
        shard=chance.choice(["none", "optimizer", "parameters"]),
        sequence=chance.random() < 0.5,
    )  # fmt: skip
    if pp == 2 and chance.random() < 0.5:
        split = replace(split, schedule="interleaved", interleave=2)
    if chance.random() < 0.2:
        split = replace(split, kind="decode", recompute="none", shard="none")
    model = LanguageModel(
        hidden=256, layers=4, heads=8, seq=64, vocab=512, experts=experts, top=2 if experts else 0
    )
    overlap = Overlap(*(chance.random() < 0.5 for _ in range(5)))
    chip = Chip(chance.choice([1, 100]), bandwidth=1000, overhead=chance.choice([0.0, 20.0]))
    return ModelJob(model, split, chip, overlap)


def slow_longest(work: PathWork) -> list[float]:
    """Ends by repeating every rule until nothing changes."""
    count = len(work.lasts)
    start, end = [0.0] * count, [0.0] * count
    for _ in range(count + 1):
        for p in range(count):
            end[p] = start[p] + work.lasts[p]
        for op in range(len(work.latency)):
            mates = work.members[work.member_start[op] : work.member_start[op + 1]]
            last = max(start[m] for m in mates if work.gives[m])
            for m in mates:
                if work.takes[m]:
                    end[m] = max(end[m], last + work.latency[op])
        for p in range(count):
            for other in work.next[work.next_start[p] : work.next_start[p + 1]]:
                start[other] = max(start[other], end[p])
    return end


def slow_shares(found: Timeline) -> dict[str, float]:
    """Compute, and all the rest, of an average rank: by the union of its computations."""
    work = found.workload
    busy = 0.0
    for rank in range(work.ranks):
        mine = np.flatnonzero((work.rank == rank) & (work.kind == 0))
        now = 0.0
        for low, high in sorted((found.start[p], found.end[p]) for p in mine.tolist()):
            busy += max(high - max(low, now), 0.0)
            now = max(now, high)
    return {"compute": busy / work.ranks, "rest": found.seconds - busy / work.ranks}


def test_longest_paths_equal_the_slow_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    from hopscape.workloads import bounds, path_kernels

    seen: list[PathWork] = []

    def keep(work: PathWork) -> Any:
        seen.append(work)
        return longest_paths(work)

    monkeypatch.setattr(path_kernels, "longest_paths", keep)
    network = hopscape.build("ring(6)")
    for seed in range(6):
        fabric = Fabric(network, Placement.in_order(network, 6))
        bounds.workload_bounds(random_work(seed), fabric)
    for work in seen:
        assert longest_paths(work)[1].tolist() == pytest.approx(slow_longest(work))


def test_shares_add_up_and_computing_is_what_the_parts_say() -> None:
    for seed in range(8):
        network = hopscape.build(_NETWORKS[seed % len(_NETWORKS)])
        found = execute(
            make_step(random_job(seed)), Fabric(network, Placement.in_order(network, 8))
        )
        shares, slow = _shares(found), slow_shares(found)
        assert sum(shares.values()) == pytest.approx(found.seconds)
        assert min(shares.values()) >= -1e-12
        assert shares["compute"] == pytest.approx(slow["compute"])


@pytest.mark.parametrize("executor", ["cut-through", "astra"])
def test_no_job_beats_its_bounds(executor: Any) -> None:
    for seed in range(20):
        job = random_job(seed)
        found = step(job, _NETWORKS[seed % len(_NETWORKS)], executor=executor)
        if not found.verdict:  # one lane for all data: ASTRA-sim's rule can lock a rank up
            assert executor == "astra"
            continue
        for bound in found.bounds:
            assert found.seconds is not None
            assert bound.seconds <= found.seconds * (1 + 1e-9), (seed, job, bound)


@pytest.mark.parametrize("layers", [16, 32])
def test_repetition_gives_what_the_whole_gives(
    monkeypatch: pytest.MonkeyPatch, layers: int
) -> None:
    place = sys.modules["hopscape.workloads.step"]  # the package has a function of this name
    model = LanguageModel(hidden=256, layers=layers, heads=8, seq=64, vocab=512)
    split = Split(batch=24, tp=2, pp=2, dp=2)
    job = ModelJob(model, split, Chip(tflops=10, bandwidth=100), Overlap(dp=False))
    whole = step(job, "xgft([8], [1])")
    monkeypatch.setattr(place, "_WHOLE", 0)
    some = step(job, "xgft([8], [1])")
    assert some.repeated
    assert not whole.repeated
    assert some.seconds is not None
    assert whole.seconds is not None
    assert some.seconds == pytest.approx(whole.seconds, rel=2e-3)
    assert some.shares == pytest.approx(whole.shares, rel=2e-2, abs=2e-3 * whole.seconds)
    assert np.allclose(some.busy, whole.busy, rtol=1e-6)
    assert ("layers" in some.repeated) == (layers == 32)
    higher = [replace(one, seconds=2 * some.seconds) for one in some.bounds]
    monkeypatch.setattr(place, "job_bounds", lambda *given: higher)
    with pytest.raises(CheckFailedError, match="by repetition"):
        step(job, "xgft([8], [1])")


def test_traces_go_round(tmp_path: Path) -> None:
    for seed in range(4):
        job = random_job(seed)
        work = make_step(job)
        folder = tmp_path / str(seed)
        write_workload(work, folder)
        back = read_chakra(folder)
        names = [work.labels[i] for i in work.label]
        assert names == [back.labels[i] for i in back.label]
        for column in ("rank", "kind", "seconds", "after_start", "after", "seat"):
            assert np.array_equal(getattr(work, column), getattr(back, column)), column
        mine, other = work.operations, back.operations
        shared = work.together >= 0
        assert [mine[i] for i in work.together[shared]] == [other[i] for i in back.together[shared]]


def test_groups_of_traces_count_from_one(tmp_path: Path) -> None:
    """ASTRA-sim stops at a group of the number 0."""
    write_workload(make_step(random_job(1)), tmp_path / "t")
    groups = json.loads((tmp_path / "t" / "groups.json").read_text())
    assert groups
    assert min(map(int, groups)) >= 1


def test_messages_of_traces_may_leave_out_their_own_rank(tmp_path: Path) -> None:
    """The symbolic tensor graph generator names the other end only."""
    for rank, (kind, other) in enumerate(((5, "comm_dst"), (6, "comm_src"))):
        said = [("comm_size", 9, 64), (other, 7, 1 - rank)]
        node = number_field(1, 0) + text_field(2, "x") + number_field(3, kind)
        for key, place, value in said:
            attribute = text_field(1, key) + number_field(place, value, always=True)
            node += bytes_field(10, attribute)
        (tmp_path / f"t.{rank}.et").write_bytes(framed(b"") + framed(node))
    (one,) = read_chakra(tmp_path).operations
    assert (one.goal, one.group, one.size) == ("message", (0, 1), 64)


def test_stages_send_each_tensor_once() -> None:
    """Every tensor-parallel rank sends its part; what arrives is gathered inside the stage."""
    model = LanguageModel(hidden=256, layers=4, heads=4, seq=128, vocab=1000)
    for sequence in (False, True):
        split = Split(batch=4, tp=4, pp=2, sequence=sequence)
        job = ModelJob(model, split, Chip(tflops=10))
        work = make_step(job)
        sent = sum(one.size for one in work.operations if one.goal == "message")
        assert sent == 2 * split.micro_batches * 128 * 256 * 2  # forwards and backwards, whole
        groups = [one for one in work.operations if one.goal == "all-gather"]
        usual = stage_program(replace(job, split=replace(split, pp=1)), 0)
        gathers = sum(key is not None and key[1] == "all-gather" for key in usual.keys)
        assert len(groups) == gathers + (0 if sequence else 2 * split.micro_batches)


WRONG = [
    ("tp = 2", "tp = 3", "line 10: [job] heads = 4 cannot be shared out evenly among tp = 3"),
    ("batch = 16", "batch = 15", "among dp x micro = 2"),
    ("layers = 4", "layers = 5", "layers = 5 cannot be shared out evenly among pp = 2"),
    ("memory = 1", "memory = 0.001", "line 16: [chip] memory is 0.001 GB; a rank of stage 0 needs"),
    ("batch = 16", "batch = 16\nranks = 16", "line 14: [job] ranks is 16; tp x pp x dp x cp"),
    ("hidden = 256", "hiden = 256", "line 4: [model] has no key 'hiden'; did you mean 'hidden'?"),
    ("hidden = 256", "", "line 2: [model] hidden is missing"),
    ("[chip]", "[chips]", "table [chips] is unknown; did you mean 'chip'?"),
    ("heads = 4", "heads = true", "[model] heads is True; it must be a whole number"),
    ("tflops = 10", "tflops = -1", "[chip] tflops is -1; it must be a number above 0"),
    ("pp = 2", 'pp = 2\nschedule = "zigzag"', "it must be one of 1f1b, interleaved, gpipe"),
    ("pp = 2", "pp = 2\nep = 2", "ep is 2, and the model has no experts"),
    ("[model]", "[model", "is not TOML"),
    ("hidden = 256", "hidden = 254", "line 4: [model] hidden = 254 is no multiple of heads = 4"),
    ("[chip]", "[chip]\noverhead = -3", "overhead is -3; it must be a number of at least 0"),
    ("vocab = 1000", f"vocab = {2**63}", f"of at least 1 and at most {2**63 - 1}"),
    ("[model]", "[model]\nshared = 1", "line 3: [model] shared is 1, and the model has no experts"),
    ("[model]", "[model]\nrope = 64", "line 3: [model] rope is 64; it goes with kv_latent"),
    ("[model]", "[model]\nkv_latent = 8\nkv = 2", "kv is 2; all 4 heads share kv_latent"),
    (
        "[model]",
        "[model]\nexperts = 2\ntop = 1\ndense = 5",
        "line 5: [model] dense is 5, and the model has 4 layers",
    ),
    ("[model]", "[model]\ntop = 2", "line 3: [model] top is 2, and the model has no experts"),
    ('"small"', '" "', "line 3: [model] name is ' '; it must be a text, and not"),
    ("hidden = 256", f"hidden = {2**62}", "[chip] memory is 1 GB; a rank of stage 0 needs"),
    (
        "heads = 4",
        "heads = 12\nhead = 8\nffn = 1024\nkv = 3",
        "line 9: [model] kv = 3 and tp = 2: one must be a multiple of the other",
    ),
    (
        "tp = 2",
        "tp = 4\nsequence = true\ncp = 64",
        "line 11: [job] seq = 128 cannot be shared out evenly among cp x tp = 256",
    ),
]


@pytest.mark.parametrize(("old", "new", "words"), WRONG)
def test_wrong_jobs_are_named_with_their_line(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    path = tmp_path / "job.toml"
    path.write_text(JOB.replace(old, new, 1))
    assert words in refused("step", str(path), "--on", "ring(8)")


def test_traces_appear_when_all_is_well(tmp_path: Path) -> None:
    """Nothing is written beside an error, nothing of somebody else is overwritten."""
    job, folder = tmp_path / "job.toml", tmp_path / "t"
    job.write_text(JOB)
    asked = ("step", str(job), "--on", "ring(8)", "--chakra")
    assert "nowhere" in refused("step", str(job), "--on", "nowhere(3)", "--chakra", str(folder))
    assert "--search" in refused(*asked, str(folder), "--search", "parallelism")
    assert ".svg" in refused(*asked, str(folder), "--gantt", str(tmp_path / "g.png"))
    assert "empty" in refused(*asked, "")
    assert "needs --chakra" in refused(*asked[:-1], "--force")
    folder.mkdir()
    (folder / "mine.0.et").write_text("mine")
    assert "mine.0.et, which hopscape did not write" in refused(*asked, str(folder))
    assert sorted(tmp_path.iterdir()) == [job, folder]
    assert [path.name for path in folder.iterdir()] == ["mine.0.et"]


def test_wrong_traces_are_named(tmp_path: Path) -> None:
    job = ModelJob(
        LanguageModel(hidden=64, layers=2, heads=2, seq=16, vocab=64),
        Split(batch=2, tp=2),
        Chip(tflops=1),
    )
    paths = write_workload(make_step(job), tmp_path / "t")
    third = paths[-1]
    whole = third.read_bytes()
    third.unlink()
    with pytest.raises(
        HopscapeError, match=r"groups.json: group '1' names rank 1, of which there is no trace"
    ):
        read_chakra(tmp_path / "t")
    third.with_name("step.2.et").write_bytes(whole)
    with pytest.raises(HopscapeError, match="there is no trace of rank 1"):
        read_chakra(tmp_path / "t")
    third.with_name("step.2.et").unlink()
    third.write_bytes(whole[:-3])
    with pytest.raises(HopscapeError, match=r"step.1.et, byte .* breaks off"):
        read_chakra(tmp_path / "t")
    from hopscape.formats.protobuf import framed, number_field, text_field

    third.write_bytes(framed(text_field(1, "1")) + framed(number_field(1, 7) + number_field(3, 9)))
    with pytest.raises(HopscapeError, match=r"step.1.et, node 7: operation 9 is unknown"):
        read_chakra(tmp_path / "t")
    late = framed(number_field(1, 7) + number_field(3, 4) + number_field(7, 2**64 - 5))
    third.write_bytes(framed(text_field(1, "1")) + late)
    with pytest.raises(HopscapeError, match=r"step.1.et, node 7: it takes .* from 0 to 1e\+09"):
        read_chakra(tmp_path / "t")
    third.write_bytes(b"")
    with pytest.raises(HopscapeError, match=r"step.1.et is empty"):
        read_chakra(tmp_path / "t")
    third.write_bytes(framed(text_field(1, "1")))
    with pytest.raises(HopscapeError, match="this all-reduce is not in the traces of all of ranks"):
        read_chakra(tmp_path / "t")


def test_the_command_says_what_python_says(tmp_path: Path) -> None:
    path, picture, traces = tmp_path / "job.toml", tmp_path / "g.svg", tmp_path / "traces"
    path.write_text(JOB)
    words = ("step", str(path), "--on", "xgft([8], [1])")
    (row,) = ask(*words, "--gantt", str(picture), "--chakra", str(traces))["steps"]
    found = step(path, "xgft([8], [1])")
    assert row["step_s"] == found.seconds
    assert row["at_least_s"] == found.bound.seconds
    assert row["shares_s"] == pytest.approx(dict(found.shares))
    assert picture.read_text().startswith("<svg")
    assert "backward" in picture.read_text()
    (again,) = ask("step", str(traces), "--on", "xgft([8], [1])")["steps"]
    assert again["step_s"] == pytest.approx(found.seconds, rel=1e-6)
    (slow,) = ask(*words, "--beta", "1e-4")["steps"]
    assert slow["step_s"] > row["step_s"]
    table = shown(*words, "--on", "torus(2, 4)", "--place", "search")
    assert "torus(2, 4)" in table
    assert "tp exposed" in table


def test_short_steps_are_shown_in_a_unit_that_has_digits(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    asked = ("step", str(path), "--on", "ring(8)")
    for factor, unit in ((1, "step (ms)"), (1000, "step (µs)")):
        path.write_text(JOB.replace("tflops = 10", f"tflops = {10 * factor}") + "\n")
        free = ("--alpha", "0", "--beta", "0", "--delta", "0", "--gamma", "0")
        lines = shown(*asked, *free).splitlines()
        (row,) = ask(*asked, *free)["steps"]
        assert unit in lines[1]
        said = float(lines[3].split()[2])
        scale = 1e3 if "ms" in unit else 1e6
        assert said == pytest.approx(scale * row["step_s"], rel=1e-3)


def test_a_router_of_ones_own_decides_the_paths(tmp_path: Path) -> None:
    """Up*/down* never crosses the link farthest from the root: other paths, the same bounds."""
    path = tmp_path / "job.toml"
    path.write_text(JOB)
    words = ("step", str(path), "--on", "ring(8)", "--beta", "1e-3")
    (usual,), (other,) = ask(*words)["steps"], ask(*words, "--router", "updown")["steps"]
    assert other["step_s"] != usual["step_s"]
    assert other["at_least_s"] == usual["at_least_s"]
    assert "knows no dead parts" in refused(*words, "--router", "updown", "--dead-link", "0-1")


def test_dead_parts_prices_and_search(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text(JOB)
    words = ("step", str(path), "--on", "torus(3, 3)")
    (alive,) = ask(*words)["steps"]
    (dead,) = ask(*words, "--dead-link", "0-1")["steps"]
    assert dead["step_s"] >= alive["step_s"]
    assert dead["at_least_s"] <= dead["step_s"]
    (fewer,) = ask(*words, "--dead", "4")["steps"]
    assert fewer["step_s"] > 0
    assert "9 endpoints" not in refused(*words, "--dead", "4", "--dead", "5")
    (priced,) = ask("step", str(path), "--on", "xgft([8], [1])", "--prices", "default")["steps"]
    assert priced["price"] > 0
    assert priced["price_per_step"] > 0
    rows = ask("step", str(path), "--on", "xgft([8], [1])", "--search", "parallelism")["splits"]
    assert [row["step_s"] for row in rows] == sorted(row["step_s"] for row in rows)
    assert {(row["tp"], row["pp"], row["dp"]) for row in rows} >= {(2, 2, 2), (1, 1, 8), (4, 2, 1)}


def test_a_trace_that_locks_up_fails_the_command(tmp_path: Path) -> None:
    from hopscape.workloads import Part, Together, WorkloadBuilder

    draft = WorkloadBuilder(2)
    draft.operations += [Together("all-reduce", (0, 1), 1e3), Together("all-reduce", (1, 0), 1e3)]
    for rank in range(2):
        before: tuple[int, ...] = ()
        for number in (rank, 1 - rank):
            seat = draft.operations[number].group.index(rank)
            part = Part(rank, "collective", before, 1, "tp", together=number, seat=seat)
            before = (draft.add(part),)
    write_workload(draft.workload(), tmp_path / "t")
    done = run("step", str(tmp_path / "t"), "--on", "ring(3)", "--format", "json")
    assert done.returncode == 1
    (row,) = json.loads(done.stdout)["steps"]
    assert row["verdict"] == "never ends"
    assert row["step_s"] is None
    assert [(x["rank"], x["for"]) for x in row["cycle"]] in ([(0, 1), (1, 0)], [(1, 0), (0, 1)])


def test_shared_out_parameters_let_others_go_first() -> None:
    """Pieces of gradients held up the sums of tensors: 1.27 times the bound, 1.06 without."""
    model = LanguageModel(
        hidden=4096, layers=24, heads=32, kv=8, ffn=11008, gated=True, seq=2048, vocab=32000
    )
    split = Split(
        batch=48, tp=2, pp=6, dp=2, schedule="interleaved", interleave=2, shard="parameters"
    )
    found = step(ModelJob(model, split, load_chip("h100")), "leaf_spine(3, 2, 8, links=2)")
    assert found.gradients == "behind"
    assert found.seconds is not None
    assert found.bound.seconds <= found.seconds < 1.15 * found.bound.seconds


def test_gradients_move_when_that_is_faster() -> None:
    """On one port each, sums of gradients hold up what is waited for; alone they need not wait."""
    model = LanguageModel(hidden=512, layers=4, heads=8, seq=256, vocab=512)
    shared = ModelJob(model, Split(batch=16, tp=4, dp=4, pp=2), Chip(tflops=100, bandwidth=1000))
    alone = replace(shared, split=Split(batch=32, dp=32))
    for job, order in ((shared, "at the end"), (alone, "at once")):
        found = step(job, "xgft([8, 4], [1, 8])")
        assert found.gradients == order
        late = step(replace(job, overlap=Overlap(dp=False)), "xgft([8, 4], [1, 8])")
        assert found.seconds is not None
        assert late.seconds is not None
        assert not late.gradients
        assert found.seconds <= late.seconds
        assert found.bound.seconds <= late.seconds
        assert (found.seconds < late.seconds) == (order == "at once")


def test_sums_go_in_pieces_where_that_is_faster() -> None:
    """A piece goes on while the next is added up; little is gained where adding takes no time."""
    model = LanguageModel(hidden=512, layers=2, heads=8, seq=2048, vocab=512)
    job = ModelJob(model, Split(batch=8, tp=8), Chip(tflops=100))
    found = {
        (splits, gamma): step(job, "hypercube(3)", splits=splits, costs={"gamma": gamma})
        for splits in (None, 1, 4)
        for gamma in (0.0, 1e-5)
    }
    seconds = {key: one.seconds or 0.0 for key, one in found.items()}
    for gamma in (0.0, 1e-5):
        assert 0 < seconds[None, gamma] <= min(seconds[1, gamma], seconds[4, gamma])
    assert seconds[4, 1e-5] < 0.97 * seconds[1, 1e-5]
    assert seconds[4, 1e-5] / seconds[1, 1e-5] < seconds[4, 0.0] / seconds[1, 0.0]
    fixed = step(job, "xgft([8], [1])", algorithms={"all-reduce": "ring/4"})
    assert "ring/4" in fixed.timeline.plans.values()
    with pytest.raises(HopscapeError, match="plan 'ring/x' of 'all-reduce' is unknown"):
        step(job, "xgft([8], [1])", algorithms={"all-reduce": "ring/x"})


HOST = LanguageModel(hidden=256, layers=4, heads=4, seq=128, vocab=1000)


def launched(overhead: float, bytes_per_second: float = 1e12, **cut: int) -> Any:
    """A step of a small model whose kernels take `overhead` µs of the host for half a layer."""
    chip = Chip(tflops=1000, overhead=overhead)
    job = ModelJob(HOST, Split(batch=6 * cut.get("dp", 1), **cut), chip, Overlap(pp=False))
    ranks = job.split.ranks
    net = hopscape.build(f"xgft([{ranks}], [1])")
    return step(job, net, costs={"alpha": 0.0, "beta": 1e6 / bytes_per_second, "delta": 0.0})


def test_the_host_launches_ahead_of_what_runs() -> None:
    """Forwards two halves of a layer, backwards twice as long; collectives hide it."""
    units = 6 * HOST.layers * (2 + 4)
    alone = launched(1000.0)
    assert alone.seconds == pytest.approx(1e-3 * units, rel=0.01)
    assert alone.shares["launch"] == pytest.approx(alone.seconds, rel=0.01)
    assert alone.bound.seconds <= alone.seconds
    moving = launched(0.0, bytes_per_second=2e7, tp=2).seconds
    assert 2e-3 * units < moving
    both = launched(1000.0, bytes_per_second=2e7, tp=2)
    assert moving <= both.seconds < moving + 0.1 * 1e-3 * units
    assert launched(1e-3, tp=2).shares["launch"] == 0


def test_the_host_sees_what_comes_from_another_stage() -> None:
    """It launches a pass when its message is there: with two stages nothing is launched before."""
    one, two = launched(1000.0), launched(1000.0, pp=2)
    passes = HOST.layers // 2 * (2 + 4) * 1e-3
    assert two.seconds == pytest.approx((6 + 1) * passes, rel=0.02)
    assert one.seconds == pytest.approx(2 * 6 * passes, rel=0.02)


def test_launches_go_into_traces_and_back(tmp_path: Path) -> None:
    made = make_step(ModelJob(HOST, Split(batch=4, tp=2), Chip(tflops=1000, overhead=500.0)))
    write_workload(made, tmp_path / "traces")
    back = read_chakra(tmp_path / "traces")
    net = hopscape.build("xgft([2], [1])")
    times = [
        execute(one, Fabric(net, Placement.in_order(net, 2), executor=name)).seconds
        for one in (made, back)
        for name in ("cut-through", "astra")
    ]
    assert times[:2] == pytest.approx(times[2:])
    assert times[0] == pytest.approx(times[1], rel=0.01)


def test_example_jobs_fit_their_chips() -> None:
    for path in sorted((Path(__file__).parents[2] / "examples" / "jobs").glob("*.toml")):
        job = read_job(path)
        assert isinstance(job, ModelJob)
        assert sum(job.memory(0).values()) <= job.chip.memory, path


def test_ranks_stand_where_dead_parts_leave_them_together() -> None:
    """A dead leaf takes its endpoints with it; tables of detours say what searches say."""
    network = hopscape.build("xgft([2, 4], [1, 2])")
    leaf = 8
    assert live_endpoints(network, [leaf]).tolist() == [2, 3, 4, 5, 6, 7]
    assert Placement.in_order(network, 6, [leaf]).nodes == (2, 3, 4, 5, 6, 7)
    with pytest.raises(HopscapeError, match="6 endpoints that are alive and reach each other"):
        Placement.in_order(network, 7, [leaf])
    spine = 12
    at, to = (x.ravel() for x in np.meshgrid(network.endpoints, network.endpoints))
    many, few = (kind(network, [spine]) for kind in (TableDetours, DetourRouter))
    assert (many.distances(at, to) == few.distances(at, to)).all()
    assert (many.shortest_ports(at, to) == few.shortest_ports(at, to)).all()


def test_some_replicas_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    place = sys.modules["hopscape.workloads.step"]
    model = LanguageModel(hidden=256, layers=4, heads=8, seq=64, vocab=512)
    job = ModelJob(model, Split(batch=64, tp=2, pp=2, dp=16), Chip(tflops=10, bandwidth=100))
    network = "xgft([8, 8], [1, 8])"
    whole = step(job, network, whole=True)
    monkeypatch.setattr(place, "_MOST_LEAST", 100)
    monkeypatch.setattr(place, "_MOST_REPLICAS", 500)
    some = step(job, network)
    assert "16 replicas from" in some.repeated
    late = step(replace(job, overlap=Overlap(dp=False)), network, whole=True)
    assert some.seconds == pytest.approx(late.seconds, rel=0.02)
    assert sum(some.shares.values()) == pytest.approx(some.seconds)
    assert some.bound.seconds == pytest.approx(whole.bound.seconds)
    assert some.busy.max() == pytest.approx(late.busy.max(), rel=0.02)


def test_interleaved_jobs_may_be_too_large_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their pieces have multiples of pp micro-batches, however few are wanted."""
    place = sys.modules["hopscape.workloads.step"]
    monkeypatch.setattr(place, "_MOST_LEAST", 100)
    monkeypatch.setattr(place, "_MOST_REPLICAS", 3000)
    model = LanguageModel(hidden=256, layers=8, heads=8, seq=64, vocab=512)
    split = Split(batch=64, tp=2, pp=4, dp=4, schedule="interleaved", interleave=2)
    found = step(ModelJob(model, split, Chip(tflops=10)), "xgft([8, 4], [1, 8])", prove=False)
    assert "4 replicas from" in found.repeated


def test_replicas_that_were_asked_for_stand_for_all() -> None:
    """In servers of their own, four replicas take what all sixteen take, to the last digit."""
    model = LanguageModel(hidden=256, layers=2, heads=8, seq=64, vocab=512)
    split = Split(batch=64, tp=2, pp=2, dp=16)
    job = ModelJob(model, split, Chip(tflops=10, bandwidth=100), Overlap(dp=False))
    whole, some = (step(job, "xgft([8, 8], [1, 8])", replicas=few) for few in (None, 4))
    assert whole.record()["ranks"] == some.record()["ranks"] == 64
    assert some.repeated == "16 replicas from 4"
    assert some.seconds == pytest.approx(whole.seconds, rel=1e-9)
    for wrong, words in ((3, "must divide dp = 16"), (0, "replicas is 0")):
        with pytest.raises(HopscapeError, match=words):
            step(job, "xgft([8, 8], [1, 8])", replicas=wrong)
    shared = replace(job, split=replace(split, shard="parameters"))
    with pytest.raises(HopscapeError, match="does not share out its parameters"):
        step(shared, "xgft([8, 8], [1, 8])", replicas=4)


LATENT = {"heads": 128, "head": 128, "q_latent": 1536, "kv_latent": 512, "rope": 64}


@pytest.mark.parametrize(
    ("sizes", "billions"),
    [
        ({"hidden": 5120, "layers": 60, "ffn": 1536, "experts": 160, "top": 6, "shared": 2}
         | {"dense": 1, "dense_ffn": 12288, "vocab": 102400}, 236),
        ({"hidden": 7168, "layers": 61, "ffn": 2048, "experts": 256, "top": 8, "shared": 1}
         | {"dense": 3, "dense_ffn": 18432, "vocab": 129280}, 671),
    ],
)  # fmt: skip
def test_latent_attention_and_shared_experts_have_the_weights_of_their_papers(
    sizes: dict[str, int], billions: int
) -> None:
    """DeepSeek-V2 and V3; ours counts the table of words once, theirs at both ends."""
    model = LanguageModel(seq=4096, gated=True, **LATENT, **sizes)
    assert round((model.weights + model.vocab * model.hidden) / 1e9) == billions
    job = ModelJob(model, Split(16, pp=model.layers, dp=8, ep=8), Chip(tflops=100))
    both = np.sum([job.weights(stage) for stage in range(model.layers)], axis=0)
    whole = both[0] + 8 * both[1]
    assert whole == pytest.approx(model.weights + model.vocab * model.hidden)


def test_ranks_that_share_a_head_of_keys_hold_it_all() -> None:
    """Eight ranks and two heads of keys: four ranks have the same one."""
    model = LanguageModel(hidden=64, layers=1, heads=8, seq=32, vocab=64, kv=2)
    one, two, eight = (ModelJob(model, Split(batch=1, tp=tp), Chip(tflops=1)) for tp in (1, 2, 8))
    assert (one.token_cache, two.token_cache, eight.token_cache) == (64, 32, 32)
    width = 8  # of a head
    for job in (one, two, eight):
        heads, keys = 8 // job.split.tp, max(2 // job.split.tp, 1)
        assert job.attention_weights == 64 * width * (2 * heads + 2 * keys)


def test_layers_without_experts_send_nothing_to_them() -> None:
    model = LanguageModel(256, 4, 8, 64, 512, experts=4, top=2, dense=1, dense_ffn=2048)
    job = ModelJob(model, Split(8, pp=2, dp=4, ep=4), Chip(tflops=10))
    work = make_step(job)
    sent = [op.goal for op in work.operations].count("all-to-all")
    assert sent == 3 * 4 * 2  # layers with experts, to and fro on both ways, micro-batches
    found = step(job, "xgft([8], [1])")
    assert found.bound.seconds <= found.seconds
    lean = step(ModelJob(replace(model, dense=2), job.split, job.chip), "xgft([8], [1])")
    assert lean.shares["ep"] < found.shares["ep"]


def test_timelines_are_pictures_or_pages(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text(JOB.replace('"small"', '"a <b> & c"'))
    words = ("step", str(path), "--on", "xgft([8], [1])", "--gantt")
    for name in ("g.svg", "g.html"):
        run(*words, str(tmp_path / name))
    picture, page = ((tmp_path / name).read_text() for name in ("g.svg", "g.html"))
    assert picture in page
    assert "<h1>a &lt;b&gt; &amp; c on" in page
    assert {f'data-rank="{rank}"' for rank in range(8)} <= set(page.replace(">", " ").split())
    assert "drawn as .svg or .html" in refused(*words, str(tmp_path / "g.pdf"))
    assert not (tmp_path / "g.pdf").exists()
    assert "--chakra writes one step" in refused(
        "step", str(path), "--on", "ring(8)", "--on", "ring(9)", "--chakra", str(tmp_path / "t")
    )
