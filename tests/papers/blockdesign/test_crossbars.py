"""The machine of chapter 6: shared crossbars by definition, routes, rates, survivors, search."""

import itertools
import json

import numpy as np
import pytest

import hopscape
from commands import ask, refused, run
from hopscape.core.detours import DetourRouter
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.router_check import check_router
from hopscape.metrics import channel_load
from hopscape.papers.blockdesign import shared_kernels as kernels
from hopscape.papers.blockdesign.crossbar_rates import (
    CrossbarCrossings,
    crossbar_losses,
    jumps_without,
    machine_rates,
)
from hopscape.papers.blockdesign.difference_sets import AbelianGroup
from hopscape.papers.blockdesign.machine_search import (
    MachineQuestion,
    direct_jumps,
    front_of,
    machine_specs,
    measure_machines,
)
from hopscape.papers.blockdesign.machines import jumps_from
from hopscape.papers.blockdesign.shared_covers import kept_covers
from hopscape.papers.blockdesign.shared_search import cell_rows, improve_cell
from hopscape.papers.blockdesign.sharing import (
    cell,
    check_sharing,
    develop,
    find_sharing,
    most_points,
    pair_multiplicities,
    sharings,
    transversal,
)
from hopscape.store import Store

MACHINES = [
    "crossbar_machine(complete(4), 13)",
    "crossbar_machine(complete(3), 13, crossbars=2)",
    "crossbar_machine(ring(5), 12, crossbars=2, radix=4)",
    "crossbar_machine(complete(4), 20, crossbars=2)",
    "crossbar_machine(partial_switch(5, 3), 13, crossbars=2, ways=2, radix=4)",
    "crossbar_machine(complete(4), 13, crossbars=2, ways=2, group=2, lanes=(1, 1),"
    " speeds=(5, 1, 2, 3))",
]


# -- blocks -----------------------------------------------------------------------------------


def slow_often(blocks, points):
    """Pairs counted one by one."""
    often = np.zeros((points, points), dtype=int)
    for block in blocks.tolist():
        held = [x for x in block if x >= 0]
        for a, b in itertools.product(held, held):
            often[a, b] += 1
    return often


@pytest.mark.parametrize("radix", range(2, 12))
def test_every_construction_is_what_it_says(radix):
    for crossbars, ways in itertools.product(range(1, 5), range(1, 4)):
        top, _ = most_points(radix, crossbars, ways)
        for sharing in sharings(radix, crossbars, ways)[:4]:
            blocks = sharing.blocks()  # checks itself
            often = slow_often(blocks, sharing.points)
            assert (often == pair_multiplicities(blocks, sharing.points)).all()
            assert (often + ways * np.eye(sharing.points, dtype=int) >= ways).all()
            assert sharing.points <= top
            assert len(blocks) <= crossbars * sharing.points
            assert (blocks >= 0).sum(axis=1).max() <= radix
            assert np.diagonal(often).max() <= crossbars * radix


def test_what_is_no_sharing_is_told():
    good = develop((7,), [(0, 1, 3)])
    assert check_sharing(good, 7, 3, 1, 1)
    for bad, word in (
        (np.where(good == 6, 5, good), "twice"),
        (good[:-1], "together"),
        (np.concatenate([good, good[:1]]), "more than 1 for each"),
        (np.where(good == 6, 7, good), "beyond"),
    ):
        verdict = check_sharing(bad, 7, 3, 1, 1)
        assert not verdict
        assert word in verdict.reason
    assert "points" in check_sharing(good, 7, 2, 1, 1).reason
    assert "in 3 blocks" in check_sharing(np.array([[0, 1], [0, 2], [0, 3]]), 4, 2, 1, 1).reason


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7, 8, 9])
@pytest.mark.parametrize("often", [1, 2, 3])
def test_transversal_designs_by_definition(size, often):
    most = 0
    for groups in range(2, often * size + 2):
        lines = transversal(groups, size, often)
        if lines is None:
            continue
        most = groups
        assert lines.shape == (often * size * size, groups)
        pairs = slow_often(lines, groups * size)
        group = np.arange(groups * size) // size
        assert (pairs[group[:, None] != group[None, :]] == often).all()
        assert (pairs[group[:, None] == group[None, :]].reshape(-1) <= often * size).all()
    known = often == 2 or (often == 3 and size in (3, 9)) or often == 1
    assert most == (often * size + 1 if known else size + 1)


def test_cells():
    assert (cell(8, 1, 1).status, cell(7, 1, 1).status) == ("built", "bounded")
    assert cell(7, 1, 1).most == 42
    kinds = {cell(m, c, w).status for m in range(2, 12) for c in (1, 2) for w in (1, 2)}
    assert kinds <= {"built", "refuted", "bounded"}
    shares = [cell(m, c, w) for m in range(16, 45) for c in (2, 3, 4) for w in range(1, c + 1)]
    assert min(one.built / one.most for one in shares) > 0.75


def test_kept_blocks_beat_the_constructions_and_are_covers():
    kept = kept_covers()
    assert len(kept) > 50
    for (radix, crossbars, ways), (moduli, bases) in kept.items():
        blocks = develop(moduli, bases)
        assert check_sharing(blocks, int(np.prod(moduli)), radix, crossbars, ways)


def test_more_supernodes_than_counting_allows_are_refused():
    with pytest.raises(ArgumentError, match="at most 42"):
        find_sharing(43, 7, 1, 1)
    with pytest.raises(ArgumentError, match="nearest numbers: "):
        find_sharing(42, 7, 1, 1)
    for bad in ((13, 1, 1, 1), (13, 4, 0, 1), (13, 4, 1, 9)):
        with pytest.raises(ArgumentError, match="must be from"):
            find_sharing(*bad)


def slow_anneal(blocks, free, difference, ways, moves, luck, heats):
    """The same walk with all differences counted anew at every step."""
    order = len(difference)

    def shortage():
        times = np.zeros(order, dtype=int)
        for row in blocks.tolist():
            for x, y in itertools.permutations(row, 2):
                times[difference[x, y]] += 1
        times[0] = ways
        return int(np.maximum(ways - times, 0).sum()), times

    short, times = shortage()
    heat, fall = heats[0], (heats[1] / heats[0]) ** (1 / len(moves))
    for (which, where, other), chance in zip(moves.tolist(), luck.tolist(), strict=True):
        now, heat = heat, heat * fall
        if short == 0:
            break
        b, i = free[which % len(free)]
        y = where % order
        if other % 2:
            y = next((y + k) % order for k in range(order) if times[(y + k) % order] < ways)
            if other // 2 % blocks.shape[1] == i:
                continue
            y = difference[blocks[b, other // 2 % blocks.shape[1]], difference[0, y]]
        if y in blocks[b]:
            continue
        before = blocks[b, i]
        blocks[b, i] = y
        after, counted = shortage()
        if after > short and after - short > -now * np.log(max(chance, 1e-300)):
            blocks[b, i] = before
        else:
            short, times = after, counted
    return short


@pytest.mark.parametrize(
    ("order", "crossbars", "radix", "ways"), [(13, 2, 3, 1), (11, 1, 6, 2), (23, 2, 4, 1)]
)
def test_annealing_kernel_against_counting_anew(order, crossbars, radix, ways):
    every = np.arange(order)
    table = AbelianGroup((order,)).subtract(every[:, None], every[None, :]).astype(np.int32)
    generator = np.random.default_rng(order)
    blocks = np.array([generator.choice(order, radix, replace=False) for _ in range(crossbars)])
    free = np.array([(b, i) for b in range(crossbars) for i in range(1, radix)])
    moves, luck = generator.integers(0, 1 << 30, (400, 3)), generator.random(400)
    slow, fast = blocks.copy(), blocks.copy()
    heats = np.array([1.2, 0.12])
    left = slow_anneal(slow, free, table, ways, moves, luck, heats)
    assert left == kernels.anneal_blocks(fast, free, table, ways, moves, luck, heats)
    assert (slow == fast).all()


def test_search_finds_what_is_known_and_the_same_each_time():
    known = improve_cell(3, 2, 1, 9, 13, 20_000, 0)
    assert known["points"] == 13
    assert known == improve_cell(3, 2, 1, 9, 13, 20_000, 0)
    assert check_sharing(develop(tuple(known["moduli"]), known["bases"]), 13, 3, 2, 1)
    assert improve_cell(4, 2, 1, 20, 25, 1000, 0)["moduli"] == [5, 5]
    wide = improve_cell(10, 1, 3, 7, 31, 30_000, 1)  # a plane in every block, or all elements free
    assert wide["points"] > 13


def test_rows_go_on_from_what_was_finished(tmp_path):
    path = tmp_path / "cells.jsonl"
    with Store(path) as store:
        first = list(cell_rows([13], [1], [3], steps=3000, resume=store, workers=1))
    with Store(path) as store:
        assert len(store) == 1
        again = list(cell_rows([13], [1], [3], steps=3000, resume=store, workers=1))
    assert first == again
    assert first[0]["supernodes"] <= first[0]["at_most"]


# -- networks ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        "shared_crossbars(13, 3, crossbars=2)",
        "shared_crossbars(20, 4, crossbars=2)",
        "shared_crossbars(12, 4, crossbars=2)",
        "shared_crossbars(7, 4, ways=2)",
        "shared_crossbars(21, 5, crossbars=3, ways=2)",
        *MACHINES[:5],
    ],
)
def test_routers_agree_with_breadth_first_search(spec):
    assert check_router(hopscape.build(spec).router())


def test_every_two_endpoints_meet_and_some_way_is_left():
    net = hopscape.build("shared_crossbars(13, 4, crossbars=2, ways=2)")
    family = net.family
    often = slow_often(family.blocks, 13)
    for a, b in itertools.permutations(range(13), 2):
        ports = family.shared(np.array([a]), np.array([b]))[0]
        assert ports.sum() == often[a, b] >= 2
    for dead in range(13, net.order):
        router = DetourRouter(net, [dead], [])
        at, to = np.divmod(np.arange(169), 13)
        hops = router.distances(at, to)
        assert (hops[at != to] == 2).all()


@pytest.mark.parametrize("spec", MACHINES)
@pytest.mark.parametrize("name", ["ways", "valiant"])
def test_routes_are_wired_and_share_out_everything(spec, name):
    net = hopscape.build(spec)
    family = net.family
    router = net.router(name)
    generator = np.random.default_rng(3)
    at, to = generator.integers(0, family.ends, (2, 24))
    nodes, ports = router.walk(at, to)
    total = np.zeros(len(at))
    for share, path, taken in [(np.ones(len(at)), nodes, ports), *router.multipath(at, to)]:
        total += share
        for i in np.nonzero(share > 0)[0].tolist():
            here = int(at[i])
            crossings = 0
            for hop, port in enumerate(p for p in taken[i].tolist() if p >= 0):
                following = int(net.rows(np.array([here]))[0, port])
                assert following == path[i, hop + 1]
                crossings += following >= family.first_outer
                here = following
            assert here == to[i]
            apart = at[i] // family.size != to[i] // family.size
            assert crossings <= (2 if name == "valiant" else 1) * apart
    assert np.allclose(total, 2)
    assert (router.distances(at, to) == (ports >= 0).sum(axis=1)).all()


@pytest.mark.parametrize("spec", MACHINES)
def test_rates_against_following_every_route(spec):
    net = hopscape.build(spec)
    family = net.family
    rates = machine_rates(family)
    every = np.arange(family.ends)
    one = np.zeros((family.ends, family.ends))
    one[every, (every + family.size) % family.ends] = 1
    for router, traffic, value in (
        ("ways", "uniform", rates.uniform),
        ("ways", one, rates.one),
        ("valiant", one, rates.valiant),
    ):
        load = channel_load(net, net.router(router), traffic)
        assert load.throughput == pytest.approx(value, rel=1e-9)
    assert rates.share == pytest.approx(rates.valiant / rates.uniform)
    assert rates.share >= 0.45


@pytest.mark.parametrize("spec", MACHINES[:5])
def test_survivors_of_every_crossbar_by_counting(spec):
    family = hopscape.build(spec).family
    losses = crossbar_losses(family)
    assert [loss.crossbar for loss in losses] == list(range(len(family.shared.blocks)))
    pairs = family.count * (family.count - 1) // 2
    for loss in losses:
        rest = np.delete(family.shared.blocks, loss.crossbar, axis=0)
        met = np.triu(slow_often(rest, family.count) > 0, 1).sum()
        assert loss.kept == pytest.approx(met / pairs)
        assert loss.parted == pairs - met


def test_two_ways_survive_any_crossbar_in_three_jumps():
    net = hopscape.build("crossbar_machine(complete(4), 13, crossbars=2, ways=2)")
    assert {loss.kept for loss in crossbar_losses(net.family)} == {1.0}
    assert jumps_without(net, 0) == 0  # no pair is parted
    single = hopscape.build("crossbar_machine(complete(4), 13)")
    dead = np.zeros(len(single.heads), dtype=bool)
    node = single.family.first_outer
    dead[(single.heads == node) | (single.tails == node)] = True
    block = single.family.shared.blocks[0]
    longest = 0
    for a, b in itertools.combinations(block.tolist(), 2):
        for source in range(4 * a, 4 * a + 4):
            reached = jumps_from(single, source, dead)
            longest = max(longest, int(reached[4 * b : 4 * b + 4].max()))
    assert jumps_without(single, 0) == longest


def test_direct_jumps_against_walking():
    net = hopscape.build(MACHINES[4])
    family = net.family
    router = net.router("ways")
    at, to = np.divmod(np.arange(family.ends**2), family.ends)
    keep = at != to
    total = weight = longest = 0
    for share, nodes, _ in router.multipath(at[keep], to[keep]):
        jumps = ((nodes >= 0) & (nodes < family.ends)).sum(axis=1) - 1
        total += (share * jumps).sum()
        weight += share.sum()
        longest = max(longest, int(jumps[share > 0].max()))
    assert direct_jumps(family) == (longest, pytest.approx(total / weight))


def test_valiant_carries_half_of_uniform_flit_by_flit():
    record = ask("blockdesign", "rates", MACHINES[0], "--simulate", "2000")
    assert record["simulated"]["share"] >= 0.45
    assert record["simulated"]["one"] < 0.27
    assert record["simulated"]["uniform"] < record["uniform"]
    assert record["simulated"]["valiant"] < record["valiant"]


def test_shapes_of_loads_between_supernodes():
    family = hopscape.build(MACHINES[3]).family
    crossings = CrossbarCrossings(family)
    assert len(crossings.alike) == family.count  # no shifts
    other, _, part = crossings.meeting(3)
    assert set(other.tolist()) == set(range(family.count)) - {3}
    assert part.sum() == pytest.approx(family.count - 1)


# -- what is refused, and the search ------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("crossbar_machine(complete(4), 14)", "at most 13"),
        ("crossbar_machine(complete(4), 13, radix=1)", "radix is 1"),
        ("crossbar_machine(complete(100), 13)", "give a radix"),
        ("crossbar_machine(quasicomplete_digraph(2), 13)", "simplex"),
        ("crossbar_machine(complete(4), 13, lanes=(2, 1))", "lanes"),
        ("shared_crossbars(42, 7)", "no way is known"),
    ],
)
def test_refusals_in_one_sentence(spec, words):
    with pytest.raises(HopscapeError, match=words):
        hopscape.build(spec)


def test_front_of_a_small_search():
    question = MachineQuestion(50, ("complete(4)",), (1, 2), (1, 2), (1, 2), speeds=(1, 2))
    specs = list(machine_specs(question))
    assert len(specs) == len(set(specs)) > 5
    rows = list(measure_machines(question, workers=1))
    assert [row["spec"] for row in rows] == specs
    assert all(row["nodes"] >= 50 for row in rows)

    def goals(row):
        return (row["cost"], -row["rate"], row["jumps"], row["mean_jumps"], -row["survivors"])

    def beats(one, other):
        return all(x <= y for x, y in zip(goals(one), goals(other), strict=True))

    front = front_of(rows)
    assert all(any(beats(one, row) for one in front) for row in rows)
    assert not any(beats(a, b) for a, b in itertools.permutations(front, 2))
    alike = [
        row for row in rows if row["spec"].startswith("crossbar_machine(complete(4), 13, speeds")
    ]
    slow, fast = sorted(alike, key=lambda row: max(row["speeds"]))
    assert (max(slow["speeds"]), max(fast["speeds"])) == (1, 2)
    assert fast["rate"] > slow["rate"]
    assert fast["cost"] > slow["cost"]


def test_a_stopped_search_shows_what_it_has(monkeypatch):
    def stopped(*_, **__):
        yield from cell_rows([3], [1], [1])
        raise KeyboardInterrupt

    monkeypatch.setattr("hopscape.papers.blockdesign.shared_search.cell_rows", stopped)
    done = run("blockdesign", "shared", "--radix", "3:9", "--format", "json")
    assert done.returncode == 130
    assert [row["supernodes"] for row in json.loads(done.stdout)] == [7]
    assert "this is what was finished" in done.stderr


def test_wrong_requests():
    for words, answer in (
        (("search", "machines", "--nodes", "3"), "at least 4"),
        (("search", "machines", "--speeds", "0"), "at least 1"),
        (("search", "machines", "--supernode", "quasicomplete_digraph(3)"), "simplex"),
        (("search", "machines", "--nodes", "10000000"), "no machine"),
        (("blockdesign", "rates", "torus(4, 4)"), "is not a crossbar_machine"),
        (("blockdesign", "rates", MACHINES[0], "--step", "13"), "from 1 to 12"),
        (("blockdesign", "shared", "--radix", "1"), "from 2 to 64"),
        (("blockdesign", "shared", "--seed", "3"), "is for --search"),
    ):
        assert answer in refused(*words)


def test_commands():
    rows = ask("blockdesign", "shared", "--radix", "4", "--crossbars", "1:2", "--multiplicity", "1")
    assert [(row["supernodes"], row["status"]) for row in rows] == [(13, "built"), (25, "built")]
    command = ("search", "machines", "--nodes", "50", "--supernode", "complete(4)", "--k3", "1:2")
    rows = ask(*command, "--workers", "1")
    assert rows
    assert all(row["nodes"] >= 50 for row in rows)
    json.dumps(rows)
