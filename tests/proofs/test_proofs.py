"""Proofs of random networks are accepted; with one planted error the checker refuses them."""

from __future__ import annotations

import ast
import copy
import itertools
import json
import math
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import hopscape
from commands import ask, refused, shown
from hopscape.collectives import run_algorithm
from hopscape.core.errors import (
    ArgumentError,
    CheckFailedError,
    DisconnectedError,
    TooLargeError,
)
from hopscape.core.goal import Goal
from hopscape.core.network import Network
from hopscape.proofs import PartPrices, check, make, prove_figures, prove_machine

Record = dict[str, Any]

FAMILIES = [
    "torus({a}, {b})", "mesh({a}, {b})", "ring({n})", "complete({n})", "hypercube({k})", "ccc(3)",
    "random_regular({m}, 3, seed={s})", "fat_tree(4)", "leaf_spine(6, {k}, 3)", "kautz(2, {k})",
    "hyperx(({a}, {b}), p=1)", "petersen", "dragonfly(2, 1, p=1)",
]  # fmt: skip


def networks(seed: int) -> Iterator[Network]:
    """Members of families and connected random graphs, by turns."""
    rng = random.Random(seed)
    while True:
        spec = rng.choice(FAMILIES).format(
            a=rng.randint(2, 5), b=rng.randint(2, 5), n=rng.randint(3, 12), k=rng.randint(2, 3),
            m=2 * rng.randint(3, 8), s=rng.randrange(1000),
        )  # fmt: skip
        yield hopscape.build(spec)
        graph = nx.gnm_random_graph(
            rng.randint(4, 12), rng.randint(8, 24), seed=rng.randrange(10**6)
        )
        parts = list(nx.connected_components(graph))
        graph.add_edges_from((min(a), min(b)) for a, b in itertools.pairwise(parts))
        yield hopscape.build(graph)


def circulants(seed: int) -> Iterator[tuple[int, list[int]]]:
    rng = random.Random(seed)
    while True:
        n = rng.randint(5, 40)
        steps = sorted(rng.sample(range(1, n // 2 + 1), min(2, n // 2)))
        if hopscape.build(f"circulant({n}, {', '.join(map(str, steps))})").diameter is not None:
            yield n, steps


def _collective(network: Network, rng: random.Random) -> make.Proof:
    ends = network.endpoints.tolist()
    goal = rng.choice([Goal.broadcast(rng.choice(ends)), Goal.all_gather(), Goal.reduce(ends[0]),
                       Goal.gather(ends[-1]), Goal.all_reduce(), Goal.scatter(ends[0]),
                       Goal.permutation(rng.sample(ends, len(ends))), Goal.all_gather(2),
                       Goal.one_to_many(ends[0], ends[1:3] or ends)])  # fmt: skip
    rules: Record = rng.choice(
        [{}, {"ports": 1}, {"duplex": "half"}, {"duplex": "half", "ports": 1},
         {"switching": "circuit"}]
    )  # fmt: skip
    if network.endpoint_count < network.order:
        rules = {}
    return make.prove_collective(run_algorithm(network, goal, "generic", rules or None))


def machines(rng: random.Random) -> Network:
    """Random machines of switches that carry something: full meshes, leaf-spines, HyperX."""
    each = rng.randint(1, 6)
    spec = rng.choice(
        [
            f"concentrated(complete({rng.randint(2, 6)}), {each}, trunk={rng.randint(1, 3)})",
            f"leaf_spine({rng.randint(2, 5)}, {rng.randint(1, 3)}, {each})",
            f"populated(concentrated(petersen, {each}), {rng.randint(2, 10 * each)})",
            f"concentrated(torus(3, 3), {each}, trunk={rng.randint(1, 2)})",
            f"concentrated(complete(1), {each + 1})",
        ]
    )
    return hopscape.build(spec)


def _machine(_: Network, rng: random.Random) -> make.Proof:
    network = machines(rng)
    radix = int(network.degrees.max()) + rng.randint(0, 3)
    sizes = sorted({*rng.sample(range(1, radix + 9), 3), radix})
    parts = PartPrices(
        [(size, rng.randint(1, 900) * size + rng.choice((0, 0.25))) for size in sizes],
        [(rng.choice((None, 1000.5)), rng.randint(1, 99), rng.choice((0.0, 0.5)))],
        rng.randint(0, 200),
        "USD",
    )
    lengths = np.round(np.random.default_rng(rng.randrange(99)).uniform(0, 99, network.links), 3)
    share = rng.choice((0.05, 0.1, 0.3, 1))
    return prove_machine(network, parts, lengths, radix=radix, throughput=share)


MAKERS: dict[str, Callable[[Network, random.Random], make.Proof]] = {
    "distances": lambda net, _: make.prove_distances(net),
    "bisection": lambda net, _: make.prove_bisection(net),
    "throughput": lambda net, _: make.prove_throughput(net),
    "deadlock-freedom": lambda net, _: make.prove_deadlock_freedom(net),
    "collective": _collective,
    "machine": _machine,
}


def proofs(kind: str, seed: int) -> Iterator[Record]:
    rng = random.Random(seed)
    if kind == "circulant":
        for n, steps in circulants(seed):
            try:
                yield make.prove_circulant(n, steps).record
            except ArgumentError:  # other generators do better: there is nothing to prove
                continue
    for network in networks(seed):
        try:
            yield json.loads(json.dumps(MAKERS[kind](network, rng).record))
        except (ArgumentError, DisconnectedError):  # two-way routes or one endpoint are missing
            continue


# -- errors that make a proof wrong, whatever its network ----------------------------------------


def _shift(record: Record, part: str, key: str, by: Fraction | int) -> None:
    value = Fraction(record[part][key]) + by
    record[part][key] = (
        f"{value.numerator}/{value.denominator}" if value.denominator > 1 else int(value)
    )


def _wrong_diameter(record: Record, rng: random.Random) -> None:
    record["claim"]["diameter"] += rng.choice((-1, 1))


def _wrong_mean(record: Record, rng: random.Random) -> None:
    _shift(record, "claim", "mean", Fraction(1, rng.randint(2, 10**6)))


def _no_automorphism(record: Record, rng: random.Random) -> None:
    image = list(range(record["network"]["order"]))
    image[0] = image[-1]
    record["evidence"]["automorphisms"].append(image)


def _cut_channel(record: Record, rng: random.Random) -> None:
    """All channels into one node: nothing reaches it any more."""
    v = rng.randrange(record["network"]["order"])
    record["network"]["channels"] = [
        [a, b] if b != v else [a, a] for a, b in record["network"]["channels"]
    ]


def _too_much(record: Record, rng: random.Random) -> None:
    """More than the upper claim, or an upper claim below what the evidence shows."""
    if rng.random() < 0.5:
        record["claim"]["at_least"] = record["claim"]["at_most"]
        _shift(record, "claim", "at_least", 1)
    else:
        record["claim"]["at_most"] = record["claim"]["at_least"]
        _shift(record, "claim", "at_most", Fraction(-1, 1000))


def _unbalanced_flow(record: Record, rng: random.Random) -> None:
    flows = record["evidence"]["flows"]
    amounts = rng.choice([amounts for _, amounts in flows if amounts])
    one = rng.choice(amounts)
    one[1] = str(Fraction(one[1]) + Fraction(1, 7))


def _lost_flow(record: Record, rng: random.Random) -> None:
    flows = record["evidence"]["flows"]
    flows.pop(rng.randrange(len(flows)))


def _one_price_less(record: Record, rng: random.Random) -> None:
    record["evidence"]["prices"].pop()


def _uneven_side(record: Record, rng: random.Random) -> None:
    record["evidence"]["side"] = []


def _flat_ranks(record: Record, rng: random.Random) -> None:
    moves = [m for one in record["evidence"]["targets"] for m in one["moves"]]
    if not moves:
        _lost_target(record, rng)
        return
    c, k, d, j = rng.choice(moves)
    record["evidence"]["ranks"][j][d] = record["evidence"]["ranks"][k][c]


def _lost_target(record: Record, rng: random.Random) -> None:
    targets = record["evidence"]["targets"]
    targets.pop(rng.randrange(len(targets)))


def _lost_start(record: Record, rng: random.Random) -> None:
    one = rng.choice(record["evidence"]["targets"])
    source = one["starts"][0][0]
    one["starts"] = [start for start in one["starts"] if start[0] != source]


def _dead_end(record: Record, rng: random.Random) -> None:
    with_moves = [one for one in record["evidence"]["targets"] if one["moves"]]
    if not with_moves:
        _lost_start(record, rng)
        return
    one = rng.choice(with_moves)
    one["moves"] = []


def _miscounted(record: Record, rng: random.Random) -> None:
    record["evidence"][rng.choice(("sets", "classes"))] += rng.choice((-1, 1))


def _wrong_witness(record: Record, rng: random.Random) -> None:
    record["claim"]["diameter"] += rng.choice((-1, 1))


def _lost_transfer(record: Record, rng: random.Random) -> None:
    """The last one to some receiver: it lacks the chunk, or the rounds are too many."""
    transfers = record["evidence"]["transfers"]
    record["evidence"]["transfers"] = transfers[: len(transfers) // 2] if len(transfers) > 1 else []


def _torn_path(record: Record, rng: random.Random) -> None:
    """A path that breaks off, or a hop of a channel that is not there."""
    one = rng.choice(record["evidence"]["transfers"])
    one[1] = (
        [one[1][0], *one[1]] if isinstance(one[1], list) else len(record["network"]["channels"])
    )


def _fewer_rounds(record: Record, rng: random.Random) -> None:
    record["claim"]["rounds"] -= 1


def _higher_bound(record: Record, rng: random.Random) -> None:
    record["claim"]["at_least"] += 1


def _twice_on_a_channel(record: Record, rng: random.Random) -> None:
    transfers = record["evidence"]["transfers"]
    transfers.append(list(rng.choice(transfers)))


def _other_goal(record: Record, rng: random.Random) -> None:
    """The same transfers are no all-to-all, and an all-to-all is no all-reduce."""
    claim = record["claim"]
    claim["goal"] = "all-to-all" if claim["goal"] != "all-to-all" else "all-reduce"
    if record["network"]["order"] < 3:
        claim["rounds"] += 1


def _more_pieces(record: Record, rng: random.Random) -> None:
    """A piece more of everything, of which no transfer knows."""
    record["claim"]["pieces"] += 1
    if record["network"]["order"] < 2:
        record["claim"]["at_least"] += 1


def _other_price(record: Record, rng: random.Random) -> None:
    prices = record["claim"]["prices"]
    if rng.random() < 0.5:
        prices["nic"] = str(Fraction(prices["nic"]) + Fraction(1, 100))
    else:
        prices["cables"][0][1] = str(Fraction(prices["cables"][0][1]) - Fraction(1, 100))


def _cheaper(record: Record, rng: random.Random) -> None:
    _shift(record, "claim", "cost", Fraction(-rng.randint(1, 99), 100))


def _dearer_bound(record: Record, rng: random.Random) -> None:
    _shift(record, "claim", "at_least", Fraction(rng.randint(2, 99), 100))


def _larger_prices(record: Record, rng: random.Random) -> None:
    """Prices at which some switch is worth more than it costs."""
    one = record["evidence"][rng.choice(("fewer", "more"))]
    one["endpoint"] = str(Fraction(one["endpoint"]) + 10**6)


def _gap_in_switches(record: Record, rng: random.Random) -> None:
    record["evidence"]["more"]["at"] += rng.randint(1, 5)


def _smaller_radix(record: Record, rng: random.Random) -> None:
    """A switch of the machine uses more ports than are there."""
    degrees = Counter(a for a, _ in record["network"]["channels"])
    record["claim"]["radix"] = max(2, max(degrees.values())) - 1


def _two_ways_missing(record: Record, rng: random.Random) -> None:
    channels = record["network"]["channels"]
    a, b = channels[0]
    channels[channels.index([b, a])] = [a, b]


ERRORS: dict[str, list[Callable[[Record, random.Random], None]]] = {
    "distances": [_wrong_diameter, _wrong_mean, _no_automorphism, _cut_channel],
    "bisection": [_too_much, _unbalanced_flow, _lost_flow, _uneven_side],
    "throughput": [_too_much, _unbalanced_flow, _lost_flow, _one_price_less],
    "deadlock-freedom": [_flat_ranks, _lost_target, _lost_start, _dead_end],
    "circulant": [_miscounted, _wrong_witness],
    "collective": [
        _lost_transfer,
        _torn_path,
        _fewer_rounds,
        _higher_bound,
        _twice_on_a_channel,
        _other_goal,
        _more_pieces,
    ],
    "machine": [
        _other_price,
        _cheaper,
        _dearer_bound,
        _larger_prices,
        _gap_in_switches,
        _smaller_radix,
        _two_ways_missing,
    ],
}


def _try(kind: str, count: int, seed: int) -> None:
    rng = random.Random(seed)
    stream = proofs(kind, seed)
    for _ in range(count):
        record = next(stream)
        assert check.check(record)
        error = rng.choice(ERRORS[kind])
        broken = copy.deepcopy(record)
        error(broken, rng)
        with pytest.raises(check.Refused):
            pytest.fail(f"{error.__name__} on {record['spec']}: accepted: {check.check(broken)}")


@pytest.mark.parametrize("kind", ERRORS)
def test_proofs_are_accepted_and_errors_refused(kind: str) -> None:
    _try(kind, 3, seed=7)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ERRORS)
def test_a_thousand_proofs(kind: str) -> None:
    """1,000 proofs of random networks in all, and as many with an error."""
    _try(kind, 170, seed=11)


NASTY: list[Any] = [-1, 0, 1, 2.5, 10**30, math.inf, math.nan, True, None, "", "x", "1/0", "1e9999",
                    "9" * 5000, [], {}, [[]], [0, 0], "broadcast", "cut-through"]  # fmt: skip
"""What stands in the place of something in a file of a stranger."""


def _mangled(record: Record, rng: random.Random) -> Record:
    """One value, somewhere in the record, becomes another, is lost, or is there twice."""
    broken = copy.deepcopy(record)
    at: Any = broken
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = rng.choice(keys)
        inner = at[key]
        if not isinstance(inner, (dict, list)) or not inner or rng.random() < 0.15:
            break
        at = inner
    how = rng.random()
    if how < 0.1:
        del at[key]
    elif how < 0.2 and isinstance(at, list):
        at.append(inner)
    elif how < 0.4 and isinstance(inner, int):
        at[key] = inner + rng.choice((-1, 1))
    else:
        at[key] = rng.choice(NASTY)
    return broken


def _mangle(kind: str, count: int, seed: int) -> None:
    rng = random.Random(seed)
    for record in itertools.islice(proofs(kind, seed), max(1, count // 50)):
        for _ in range(50):
            with suppress(check.Refused):
                assert check.check(_mangled(record, rng))


@pytest.mark.parametrize("kind", ERRORS)
def test_mangled_proofs_are_accepted_or_refused(kind: str) -> None:
    """No other exception, and no end in sight: a stranger's file may hold anything."""
    _mangle(kind, 50, seed=5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ERRORS)
def test_many_mangled_proofs(kind: str) -> None:
    _mangle(kind, 5000, seed=6)


def _half_duplex_by_negative_numbers() -> Record:
    """Both ways of a link in one round: the second says of the first that it is channel -2."""
    net = hopscape.build("path(2)")
    record = make.prove_collective(
        run_algorithm(net, Goal.all_gather(), "generic", {"duplex": "half"})
    ).record
    broken = copy.deepcopy(record)
    broken["network"]["reverse"] = [1, -2]
    broken["evidence"]["transfers"] = [[1, 0, 0], [1, 1, 1]]
    broken["claim"] |= {"rounds": 1, "at_least": 1}
    return broken


def _cut_through_by_distance() -> Record:
    record = copy.deepcopy(make.prove_collective(hopscape.build("ring(6)").broadcast()).record)
    record["claim"]["switching"] = "cut-through"
    return record


def _unknown_claim() -> Record:
    record = copy.deepcopy(make.prove_distances(hopscape.build("petersen")).record)
    record["claim"]["girth"] = 6
    return record


def _endless_circulant() -> Record:
    record = copy.deepcopy(make.prove_circulant(21, [1, 8]).record)
    record["claim"]["diameter"] = 10**15
    record["evidence"]["witness"] = [7, 3]
    return record


def _one_endpoint() -> Record:
    record = copy.deepcopy(make.prove_throughput(hopscape.build("ring(4)")).record)
    record["network"]["endpoints"] = [0]
    return record


def _negative_price() -> Record:
    """A price below 0 would make the distances, and with them the bound, what one likes."""
    record = copy.deepcopy(make.prove_throughput(hopscape.build("ring(4)")).record)
    record["evidence"]["prices"][0] = "-1"
    return record


def _text_for_truth() -> Record:
    record = copy.deepcopy(make.prove_collective(hopscape.build("ring(6)").broadcast()).record)
    record["claim"]["in_network"] = "false"
    return record


def _endless_goal() -> Record:
    record = copy.deepcopy(make.prove_collective(hopscape.build("ring(6)").broadcast()).record)
    record["network"] |= {"order": 10_000, "endpoints": list(range(10_000))}
    record["claim"] |= {"goal": "all-to-all", "root": None, "pieces": 1_000_000}
    return record


def _counted_twice() -> Record:
    """With one link said to have one way, all would count in both."""
    record = copy.deepcopy(make.prove_bisection(hopscape.build("torus(4, 4)")).record)
    channels = record["network"]["channels"]
    back = channels.index(channels[0][::-1])
    pair = {0: back, back: 0}
    record["network"]["reverse"] = [-1 if c in pair else channels.index(link[::-1])
                                    for c, link in enumerate(channels)]  # fmt: skip
    record["claim"] = {"at_least": 16, "at_most": 16}
    return record


def _counted_twice_by_one() -> Record:
    record = _counted_twice()
    record["network"]["reverse"] = [-1]
    return record


def _counted_half() -> Record:
    """A digraph whose cut counts in one direction only."""
    record = copy.deepcopy(make.prove_bisection(hopscape.build("kautz(2, 2)")).record)
    del record["network"]["reverse"]
    record["claim"] = {"at_least": 2, "at_most": 3}
    return record


def _half_duplex_of_one_way() -> Record:
    record = copy.deepcopy(make.prove_collective(hopscape.build("ring(4)").broadcast()).record)
    record["network"]["reverse"] = [-1] * len(record["network"]["channels"])
    record["claim"]["duplex"] = "half"
    return record


def _unasked_root() -> Record:
    goal = run_algorithm(hopscape.build("ring(4)"), Goal.all_gather(), "generic")
    record = copy.deepcopy(make.prove_collective(goal).record)
    record["claim"]["root"] = 2
    return record


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        (_counted_twice, "one way, or two"),
        (_counted_twice_by_one, "one way, or two"),
        (_counted_half, "it is not said which"),
        (_half_duplex_of_one_way, "links with two ways"),
        (_unasked_root, "root or targets"),
        (_negative_price, "a price is -1"),
        (_text_for_truth, "neither true nor false"),
        (_endless_goal, "more chunks"),
        (_half_duplex_by_negative_numbers, "the other way"),
        (_cut_through_by_distance, "another switching"),
        (_unknown_claim, "girth"),
        (_endless_circulant, "diameter"),
        (_one_endpoint, "well formed"),
    ],
)
def test_attacks_are_refused(attack: Callable[[], Record], said: str) -> None:
    with pytest.raises(check.Refused, match=said):
        check.check(attack())


def _forged_lines() -> str:
    """A claim that would print a second line, which accepts another proof."""
    record = copy.deepcopy(make.prove_distances(hopscape.build("petersen")).record)
    record["claim"]["diameter"] = "2\nproof.json: accepted: [torus(9, 9)] diameter 2"
    return json.dumps(record)


def _of_petersen(old: str, new: str) -> str:
    text = json.dumps(make.prove_distances(hopscape.build("petersen")).record)
    assert old in text
    return text.replace(old, new, 1)


FILES: list[tuple[Callable[[], str], int, str]] = [
    (_forged_lines, 1, "the diameter is 2, not 2?proof"),
    (lambda: _of_petersen('"order": 10', '"order": 10, "order": 10'), 2, "there twice"),
    (lambda: _of_petersen('"diameter": 2', '"diameter": 3, "diameter": 2'), 2, "there twice"),
    (lambda: _of_petersen('"diameter": 2', '"diameter": NaN'), 2, "NaN"),
    (lambda: _of_petersen('"diameter": 2', '"diameter": 2.0'), 2, "2.0"),
    (lambda: _of_petersen('"diameter": 2', f'"diameter": {"2" * 5000}'), 2, "cannot be read"),
    (lambda: _of_petersen('"diameter": 2', f'"diameter": {"2" * 4000}'), 1, "not 222"),
    (lambda: _of_petersen("2", "[" * 9000), 2, "cannot be read"),
    (lambda: _of_petersen("2", "[" * 700 + "]" * 700), 1, "REFUSED"),
    (lambda: "9" * 20, 1, "not well formed"),
]


@pytest.mark.parametrize(("forged", "code", "said"), FILES)
def test_forged_files(
    forged: Callable[[], str],
    code: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One short line about every file, whatever a stranger wrote into it."""
    file = tmp_path / "proof.json"
    file.write_text(forged(), encoding="utf-8")
    assert check.main([str(file)]) == code
    shown = capsys.readouterr()
    [line] = (shown.out + shown.err).splitlines()
    assert said in line
    assert "accepted" not in line.split("REFUSED")[0]
    assert len(line) < 500 + len(str(file))


def test_no_machine_is_below_the_bound() -> None:
    """The bound of one machine's proof holds for all others with the same parts and endpoints."""
    parts = PartPrices([(8, 1000), (12, 1700), (24, 4000)], [(None, 30, 0)], 100)
    specs = ["concentrated(complete(4), 6, trunk=3)", "leaf_spine(4, 6, 6)", "leaf_spine(3, 8, 8)",
             "concentrated(complete(6), 4, trunk=2)", "concentrated(complete(8), 3)",
             "concentrated(complete(1), 24)", "concentrated(complete(2), 12, trunk=12)",
             "concentrated(torus(3, 4), 2, trunk=2)",
             "populated(leaf_spine(5, 5, 5), 24)"]  # fmt: skip
    claims = []
    for spec in specs:
        net = hopscape.build(spec)
        claims.append(prove_machine(net, parts, np.ones(net.links), radix=24).record["claim"])
    assert len({claim["at_least"] for claim in claims}) == 1
    costs = [Fraction(claim["cost"]) for claim in claims]
    assert min(costs) >= Fraction(claims[0]["at_least"]) > Fraction(9, 10) * min(costs)


def test_the_checker_stands_alone(tmp_path: Path) -> None:
    """It runs as a file without hopscape, and names the first error."""
    source = Path(check.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 500
    names = {node.module or "" for node in ast.walk(ast.parse(source))
             if isinstance(node, ast.ImportFrom)}  # fmt: skip
    names |= {
        a.name for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Import) for a in n.names
    }
    assert {name.partition(".")[0] for name in names} <= set(sys.stdlib_module_names)
    script = tmp_path / "check.py"
    script.write_text(source, encoding="utf-8")
    good, bad, torn = (tmp_path / name for name in ("good.json", "bad.json", "torn.json"))
    proof = make.prove_distances(hopscape.build("petersen"))
    proof.save(good)
    broken = copy.deepcopy(proof.record)
    broken["claim"]["diameter"] = 3
    bad.write_text(json.dumps(broken), encoding="utf-8")
    torn.write_text(good.read_text(encoding="utf-8")[:-40], encoding="utf-8")

    def run(path: Path) -> tuple[int, str]:
        done = subprocess.run([sys.executable, "-I", str(script), str(path)], cwd=tmp_path,
                              capture_output=True, text=True, check=False)  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    assert run(good)[0] == 0
    assert "diameter 2, mean distance 5/3" in run(good)[1]
    code, words = run(bad)
    assert (code, "the diameter is 2, not 3" in words) == (1, True)
    assert run(torn)[0] == 2


COMMANDS = [
    (("show", "torus(4, 4)"), "diameter 4, mean distance 32/15"),
    (("compare", "ring(5)", "petersen", "-c", "bisection,degree"), "bisection between 5 and 5"),
    (("bisection", "mlfm(2)"), "bisection between 4 and 4"),
    (("bisection", "kautz(2, 2)"), "bisection between 4 and 6"),  # both ways across
    (("bisection", "circulant(10, 2)"), "bisection between 0 and 0"),  # not connected
    (("bisection", "switched_multiring(4, r=1)"), "bisection between"),  # one way, closed form
    (("compare", "product(ring(3), path(2))", "ring(5)", "-c", "throughput"), "5/3 and 5/3"),
    (("broadcast", "complete(1)"), "broadcast in 0 rounds, optimal"),
    (("deadlock", "torus(4, 4)"), "2 classes"),
    (("allgather", "petersen", "--pieces", "2"), "all-gather in 6 rounds, optimal"),
    (("broadcast", "torus(4, 4)", "--dead", "5"), "broadcast in 4 rounds, optimal"),
    (("broadcast", "torus(5, 5)", "-a", "circuit", "--ports", "1"), "5 rounds, optimal"),
    (("search", "circulant", "--nodes", "21", "--generators", "2"), "below 3: 9 classes"),
]


@pytest.mark.parametrize(("words", "said"), COMMANDS)
def test_commands_write_proofs(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "proof.json"
    shown(*words, "--proof", str(file))
    assert check.main([str(file)]) == 0
    assert said in capsys.readouterr().out


NO_COMMANDS = [
    (("compare", "ring(5)", "petersen", "-c", "degree"), "none of degree has a proof"),
    (("deadlock", "torus(4, 4)", "--routing", "adaptive"), "fixed routing"),
    (("allreduce", "fat_tree(4)"), "store-and-forward and circuits"),
    (("circulant", "show", "circulant(21, 1, 2)"), "not optimal"),
    (("broadcast", "petersen", "-a", "list"), "nothing to write"),
]


@pytest.mark.parametrize(("words", "said"), NO_COMMANDS)
def test_no_proof_is_refused_and_no_file_written(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    complaint = refused(*words, "--proof", str(tmp_path / "proof.json"))
    assert said in complaint
    assert list(tmp_path.iterdir()) == []


def test_a_proof_that_contradicts_the_figure_is_an_error() -> None:
    with pytest.raises(CheckFailedError, match="diameter of petersen is printed as 3"):
        prove_figures(hopscape.build("petersen"), {"diameter": 3})


_HEAD = {"format": "hopscape-proof", "version": 1}
NO_PROOFS: list[Any] = [
    {},
    [],
    {"format": "x"},
    _HEAD,
    _HEAD | {"kind": "distances", "network": {"order": -1, "channels": []}},
]


@pytest.mark.parametrize("record", NO_PROOFS)
def test_what_is_no_proof_is_refused(record: Any) -> None:
    with pytest.raises(check.Refused):
        check.check(record)


def test_a_bisection_counts_links_as_the_command_does(tmp_path: Path) -> None:
    """Not what they carry: a fast link is one link."""
    file = tmp_path / "fast.edges"
    file.write_text("source target capacity\n0 1 4\n1 2 4\n2 3 4\n3 0 4\n", encoding="utf-8")
    printed = ask("bisection", str(file), "--proof", str(tmp_path / "proof.json"))
    record = json.loads((tmp_path / "proof.json").read_text(encoding="utf-8"))
    assert (printed["bisection"], record["claim"]) == (2, {"at_least": 2, "at_most": 2})
    assert "capacities" in make.prove_throughput(hopscape.build(str(file))).record["network"]


def test_evidence_that_would_not_fit_is_refused() -> None:
    with pytest.raises(TooLargeError, match="numbers"):
        make.prove_throughput(hopscape.build("torus(64, 64)"))
    with pytest.raises(TooLargeError, match="sets of 4 generators"):
        make.prove_circulant(1000, [1, 2, 3, 4])


def test_a_circulant_proves_itself() -> None:
    """As the command does: `circulant show SPEC --proof FILE`."""
    proof = hopscape.build("circulant(21, 1, 8)").proof("circulant")
    assert check.check(proof.record) == make.prove_circulant(21, [1, 8]).verdict
    with pytest.raises(ArgumentError, match="is no circulant"):
        hopscape.build("petersen").proof("circulant")


def test_flows_split_over_paths():
    """Held against all shortest paths, listed by networkx; the better of two splits is proved."""
    network = hopscape.build("xpander(3, 4)")
    ends = network.endpoints.tolist()
    graph = nx.Graph(zip(network.tails.tolist(), network.heads.tolist(), strict=True))
    channel = {
        pair: c for c, pair in enumerate(zip(network.tails.tolist(), network.heads.tolist()))
    }
    split = dict(make.even_flows(network, by_paths=True))
    for target in ends[:3]:
        wanted: Counter[int] = Counter()
        for source in set(ends) - {target}:
            paths = list(nx.all_shortest_paths(graph, source, target))
            for path in paths:
                for pair in itertools.pairwise(path):
                    wanted[channel[pair]] += Fraction(1, len(paths))
        assert split[target] == wanted
    first = make.busiest_load(network, make.even_flows(network))
    claim = make.prove_throughput(network).record["claim"]
    assert Fraction(claim["at_least"]) == Fraction(12, 13) > (len(ends) - 1) / first
