"""Whatever the checker accepts is true: of altered proofs too, by other programs."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog

import hopscape
from hopscape.collectives import run_algorithm
from hopscape.core.goal import Goal
from hopscape.proofs import PartPrices, check, make, prove_machine
from hopscape.proofs.machine import least_cost

Record = dict[str, Any]

SMALL = ("ring(5)", "petersen", "hypercube(3)", "mesh(2, 3)", "complete(4)", "kautz(2, 2)",
         "mlfm(2)", "leaf_spine(3, 2, 2)", "path(3)", "dragonfly(1, 1, p=1)")  # fmt: skip


def _collective(spec: str, rng: random.Random) -> make.Proof:
    network = hopscape.build(spec)
    ends = network.endpoints.tolist()
    goal = rng.choice([Goal.broadcast(ends[0]), Goal.all_gather(), Goal.reduce(ends[-1]),
                       Goal.all_reduce(), Goal.all_gather(2)])  # fmt: skip
    rules: Record = rng.choice([{}, {"ports": 1}, {"duplex": "half"}])
    return make.prove_collective(run_algorithm(network, goal, "generic", rules or None))


def _machine(_: str, rng: random.Random) -> make.Proof:
    network = hopscape.build(rng.choice(("leaf_spine(3, 2, 2)", "concentrated(complete(3), 2)")))
    parts = PartPrices([(4, 100), (8, 350)], [(20.0, 9, 1), (None, 30, 2)], 50)
    lengths = np.asarray([rng.randint(1, 40) for _ in range(network.links)], dtype=float)
    return prove_machine(network, parts, lengths, radix=8, throughput=0.5)


MAKERS: dict[str, Callable[[str, random.Random], make.Proof]] = {
    "distances": lambda spec, _: make.prove_distances(hopscape.build(spec)),
    "bisection": lambda spec, _: make.prove_bisection(hopscape.build(spec)),
    "throughput": lambda spec, _: make.prove_throughput(hopscape.build(spec)),
    "deadlock-freedom": lambda spec, _: make.prove_deadlock_freedom(hopscape.build(spec)),
    "collective": _collective,
    "machine": _machine,
    "circulant": lambda _, rng: make.prove_circulant(*rng.choice([(13, [1, 5]), (9, [1, 2])])),
}


# -- what is true, by other programs ---------------------------------------------------------------


def _graph(record: Record) -> tuple[nx.MultiDiGraph, list[int]]:
    network = record["network"]
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(network["order"]))
    values = network.get("capacities", [1] * len(network["channels"]))
    for (a, b), capacity in zip(network["channels"], values, strict=True):
        graph.add_edge(a, b, capacity=Fraction(capacity))
    return graph, network.get("endpoints", list(range(network["order"])))


def _distances(record: Record) -> None:
    graph, _ = _graph(record)
    hops = [d for a, row in nx.shortest_path_length(graph) for b, d in row.items() if a != b]
    assert len(hops) == graph.order() * (graph.order() - 1)
    assert record["claim"]["diameter"] == max(hops, default=0)
    assert Fraction(record["claim"]["mean"]) == Fraction(sum(hops), max(1, len(hops)))


def _bisection(record: Record) -> None:
    """Links of one way count whichever way they cross: as many as with both their ways."""
    graph, ends = _graph(record)
    if -1 in record["network"].get("reverse", []):
        graph.add_edges_from([(b, a, data) for a, b, data in graph.edges(data=True)])
    plain: nx.DiGraph = nx.DiGraph()
    for a, b, capacity in graph.edges(data="capacity"):
        before = plain.get_edge_data(a, b, {"capacity": 0})["capacity"]
        plain.add_edge(a, b, capacity=before + capacity)
    plain.add_edges_from((("from", v) if i else (v, "to")) for v in ends for i in (0, 1))
    least = None
    for half in itertools.combinations(ends, len(ends) // 2):
        for side in {half, tuple(v for v in ends if v not in half)}:
            cut = plain.copy()
            cut.remove_edges_from([("from", v) for v in ends if v not in side])
            cut.remove_edges_from([(v, "to") for v in side])
            width = nx.maximum_flow_value(cut, "from", "to")
            least = width if least is None else min(width, least)
    low, high = (Fraction(record["claim"][key]) for key in ("at_least", "at_most"))
    assert low <= (least or 0) <= high


def _throughput(record: Record) -> None:
    """A linear program of paths by source, not by target as the evidence."""
    graph, ends = _graph(record)
    edges = list(graph.edges(data="capacity"))
    n, m, k = graph.order(), len(edges), len(ends)
    rows, right = np.zeros((k * n, k * m + 1)), np.zeros(k * n)
    load = np.zeros((m, k * m + 1))
    for i, source in enumerate(ends):
        for c, (a, b, _) in enumerate(edges):
            rows[i * n + a, i * m + c] += 1
            rows[i * n + b, i * m + c] -= 1
            load[c, i * m + c] = 1
        for target in ends:
            rows[i * n + target, -1] = 1 / (k - 1) if target != source else -1
    cost = np.zeros(k * m + 1)
    cost[-1] = -1
    limits = [float(capacity) for *_, capacity in edges]
    best = -linprog(cost, A_ub=load, b_ub=limits, A_eq=rows, b_eq=right).fun
    low, high = (Fraction(record["claim"][key]) for key in ("at_least", "at_most"))
    assert float(low) <= best + 1e-7
    assert float(high) >= best - 1e-7


def _deadlock(record: Record) -> None:
    """Every walk of every packet ends at its target, and what waits for what has no cycle."""
    channels, evidence = record["network"]["channels"], record["evidence"]
    _, ends = _graph(record)
    waits: nx.DiGraph = nx.DiGraph()
    reached = set()
    for one in evidence["targets"]:
        after: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for c, k, d, j in one["moves"]:
            assert channels[c][1] == channels[d][0]
            waits.add_edge((c, k), (d, j))
            after.setdefault((c, k), []).append((d, j))
        for source, c, k in one["starts"]:
            assert channels[c][0] == source
            walk: nx.DiGraph = nx.DiGraph()
            left = [(c, k)]
            while left:
                state = left.pop()
                if channels[state[0]][1] == one["target"]:
                    continue
                assert after[state]
                left += [new for new in after[state] if not walk.has_edge(state, new)]
                walk.add_edges_from((state, new) for new in after[state])
            reached.add((source, one["target"]))
    assert nx.is_directed_acyclic_graph(waits)
    assert {(a, b) for a in ends for b in ends if a != b} <= reached
    assert all(0 <= k < record["claim"]["classes"] for _, k in waits)


def _circulant(record: Record) -> None:
    order, count = record["claim"]["order"], record["claim"]["generators"]
    steps = itertools.combinations(range(1, order // 2 + 1), count)
    graphs = [nx.circulant_graph(order, one) for one in steps]
    found = [nx.diameter(graph) for graph in graphs if nx.is_connected(graph)]
    assert record["claim"]["diameter"] == min(found)


def _rounds(record: Record) -> None:
    """The bound is no more than what the schedule takes, or than trees of shortest paths need."""
    claim = record["claim"]
    assert claim["at_least"] <= claim["rounds"]


def _price(record: Record) -> None:
    claim = record["claim"]
    assert Fraction(claim["at_least"]) <= Fraction(claim["cost"])


TRUE: dict[str, Callable[[Record], None]] = {
    "distances": _distances,
    "bisection": _bisection,
    "throughput": _throughput,
    "deadlock-freedom": _deadlock,
    "collective": _rounds,
    "machine": _price,
    "circulant": _circulant,
}


# -- alterations -----------------------------------------------------------------------------------


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place in a record, and what stands there."""
    if at:
        yield at, value
    if isinstance(value, (dict, list)):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(one, (*at, key))


def _put(record: Record, place: tuple[Any, ...], value: Any) -> Record:
    out = copy.deepcopy(record)
    inner: Any = out
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return out


def _nudged(value: Any, rng: random.Random) -> Any:
    """Something near: a number a little beside, as a fraction too; a list without, with more of, or
    in another order of its items."""
    if isinstance(value, list) and value:
        i, j = rng.randrange(len(value)), rng.randrange(len(value))
        swapped = list(value)
        swapped[i], swapped[j] = value[j], value[i]
        less, more = value[:i] + value[i + 1 :], [*value, value[i]]
        return rng.choice([less, more, swapped, value[::-1], []])
    if isinstance(value, (int, str)):
        try:
            number = Fraction(value)
        except ValueError:
            return rng.choice(["broadcast", "all-reduce", "full", "half", "circuit", value + "x"])
        little = Fraction(1, 10**9)
        by = rng.choice([1, -1, little, -little, -number, -2 * number, 10**30])
        return make.plain(number + by)
    return rng.choice([0, 1, [], {}, None])


def _altered(record: Record, rng: random.Random) -> Record:
    where = rng.choices(("network", "claim", "evidence"), (1, 2, 3))[0]
    places = [p for p, _ in _places(record) if p[0] == where]
    place = rng.choice(places)
    inner: Any = record
    for key in place:
        inner = inner[key]
    return _put(record, place, _nudged(inner, rng))


def _attack(kind: str, proofs: int, each: int, seed: int) -> int:
    """How many altered proofs were accepted, and true."""
    rng = random.Random(seed)
    accepted = 0
    for _ in range(proofs):
        record = MAKERS[kind](rng.choice(SMALL), rng).record
        TRUE[kind](record)
        for _ in range(each):
            other = record
            for _ in range(rng.choice((1, 1, 2, 3))):
                other = _altered(other, rng)
            try:
                check.check(other)
            except check.Refused:
                continue
            if other != record:
                accepted += 1
                TRUE[kind](other)
    return accepted


@pytest.mark.parametrize("kind", TRUE)
def test_what_is_accepted_is_true(kind: str) -> None:
    _attack(kind, 3, 40, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", TRUE)
def test_what_is_accepted_is_true_many_times(kind: str) -> None:
    assert _attack(kind, 150, 100, seed=2)


_FRACTIONS = {"capacities", "at_least", "at_most", "mean", "prices", "flows", "throughput", "cost",
              "nic", "switches", "cables", "lengths", "endpoint"}  # fmt: skip
"""Keys below which numbers may be written as texts."""


@pytest.mark.parametrize("kind", TRUE)
def test_numbers_are_numbers(kind: str) -> None:
    """Texts, truth values and numbers with a point in the place of a whole number are refused."""
    rng = random.Random(3)
    record = MAKERS[kind]("mesh(2, 3)", rng).record
    places = [(p, v) for p, v in _places(record) if type(v) is int and p[0] != "version"]
    for place, value in rng.sample(places, min(60, len(places))):
        wrong: list[Any] = [float(value), bool(value), [value], {str(value): value}]
        if not _FRACTIONS & set(place):
            wrong.append(str(value))
        for one in wrong:
            with pytest.raises(check.Refused):
                pytest.fail(f"{one!r} at {place}: {check.check(_put(record, place, one))}")


# -- no bound is above the rounds of a best schedule, which is searched for ------------------------

Held = tuple[tuple[frozenset[int], ...], ...]  # of every node, by chunk: the shares that it holds


def _ways(network: check.Network, circuits: bool) -> list[tuple[int, ...]]:
    """What one transfer may run over: a channel, or every path that visits no node twice."""
    paths = [(c,) for c in range(len(network.tail)) if network.tail[c] != network.head[c]]
    for path in paths:
        if circuits:
            seen = {network.tail[path[0]], *(network.head[c] for c in path)}
            paths += [(*path, c) for c in network.out[network.head[path[-1]]]
                      if network.head[c] not in seen]  # fmt: skip
    return paths


def _rounds_of(network: check.Network, ways: list[tuple[int, ...]], claim: Record) -> Iterator[Any]:
    """Every set of transfers of one round, as (from, to), that breaks no rule."""
    half, ports = claim["duplex"] == "half", claim["ports"]
    chosen: list[tuple[int, ...]] = []

    def extend(at: int) -> Iterator[Any]:
        if at == len(ways):
            yield [(network.tail[path[0]], network.head[path[-1]]) for path in chosen]
            return
        yield from extend(at + 1)
        busy = {c for path in chosen for c in path}
        busy |= {network.reverse[c] for c in busy} if half else set()
        ends = [(network.tail[path[0]], network.head[path[-1]]) for path in (*chosen, ways[at])]
        for v in range(network.order) if ports is not None else ():
            sent, got = (sum(end[i] == v for end in ends) for i in (0, 1))
            if max(sent + half * got, got + half * sent) > ports:
                return
        if not busy & set(ways[at]):
            chosen.append(ways[at])
            yield from extend(at + 1)
            chosen.pop()

    return extend(0)


def _least(network: check.Network, claim: Record) -> int:
    """Rounds of a best schedule, by trying all of them."""
    origins, receivers, holders = check.promise(network, claim)
    chunks, everything = range(len(receivers)), frozenset(holders)
    start: Held = tuple(
        tuple(
            frozenset([v]) if v in holders else frozenset([-1] * (not holders and origins[k] == v))
            for k in chunks
        )
        for v in range(network.order)
    )
    groups = list(_rounds_of(network, _ways(network, claim["switching"] == "circuit"), claim))
    goal = everything or frozenset([-1])
    states, rounds = {start}, 0
    while not any(all(one[v][k] == goal for k in chunks for v in receivers[k]) for one in states):
        states = set(itertools.chain.from_iterable(_next(one, groups) for one in states)) | states
        rounds += 1
    return rounds


def _next(held: Held, groups: list[Any]) -> Iterator[Held]:
    for group in groups:
        carried = [[k for k, parts in enumerate(held[a]) if parts] for a, _ in group]
        for chosen in itertools.product(*carried):
            new = [list(row) for row in held]
            for (a, b), k in zip(group, chosen, strict=True):
                parts = held[a][k]
                if -1 in parts or not parts & new[b][k]:
                    new[b][k] |= parts
                elif len(parts) > len(new[b][k]):  # a whole sum replaces a part of it
                    new[b][k] = parts
            yield tuple(map(tuple, new))


TINY = ("path(2)", "path(3)", "ring(3)", "one way")
GOALS: list[Record] = [
    {"goal": "broadcast", "root": 0}, {"goal": "broadcast", "root": 1, "pieces": 2},
    {"goal": "reduce", "root": 0}, {"goal": "reduce", "root": 1}, {"goal": "all-reduce"},
    {"goal": "all-gather"}, {"goal": "scatter", "root": 0}, {"goal": "gather", "root": 0},
    {"goal": "reduce-scatter"}, {"goal": "one-to-many", "root": 0, "targets": [2]},
]  # fmt: skip
RULES: list[Record] = [
    {}, {"ports": 1}, {"duplex": "half"}, {"duplex": "half", "ports": 1}, {"switching": "circuit"},
    {"switching": "circuit", "ports": 1},
]  # fmt: skip


@pytest.mark.parametrize("spec", TINY)
def test_no_bound_is_above_the_best_schedule(spec: str) -> None:
    """Whatever cut, distance or growth a proof names."""
    one_way = nx.cycle_graph(3, create_using=nx.DiGraph)
    net = hopscape.build(one_way if spec == "one way" else spec)
    for goal, rules in itertools.product(GOALS, RULES):
        if goal.get("targets") == [2] and net.order < 3:
            continue
        if rules.get("duplex") == "half" and not net.duplex:
            continue
        usual = {"pieces": 1, "ports": None, "duplex": "full", "switching": "store-and-forward"}
        claim = usual | goal | rules
        network = check.Network(
            {
                "order": net.order,
                "channels": np.stack([net.tails, net.heads], axis=1).tolist(),
                "reverse": net.reverse.tolist(),
            }
        )
        chunks = range(len(check.promise(network, claim)[1]))
        nodes = range(net.order)
        bounds: list[Record] = [{"kind": "growth", "chunk": k} for k in chunks]
        bounds += [{"kind": "distance", "source": a, "target": b, "chunk": k}
                   for a in nodes for b in nodes for k in chunks]  # fmt: skip
        bounds += [{"kind": "cut", "side": side} for size in nodes
                   for side in itertools.combinations(nodes, size)]  # fmt: skip
        least = _least(network, claim)
        for bound in bounds:
            try:
                proved = check.least_rounds(network, claim, bound)
            except check.Refused:
                continue
            assert proved <= least, (claim, bound)


# -- no machine is below the bound of its price list -----------------------------------------------


def _machine_at_random(rng: random.Random) -> tuple[list[int], np.ndarray, int] | None:
    """Endpoints of each switch, links between switches, and the radix; None if it is no machine."""
    count, radix = rng.randint(1, 5), rng.randint(3, 6)
    held = [rng.randint(0, min(4, radix - (count > 1))) for _ in range(count)]
    links, free = np.zeros((count, count), dtype=int), [radix - e for e in held]
    for _ in range(rng.randint(count - 1, 3 * count)):
        a, b = rng.randrange(count), rng.randrange(count)
        if a != b and free[a] and free[b]:
            links[[a, b], [b, a]] += 1
            free[a], free[b] = free[a] - 1, free[b] - 1
    whole = sum(held) > 2 and nx.is_connected(nx.from_numpy_array(links))
    return (held, links, radix) if whole else None


def _carried(held: list[int], links: np.ndarray) -> float:
    """The best share of uniform traffic: a linear program with a flow to each switch."""
    count, ends = len(held), sum(held)
    arcs = [(a, b) for a in range(count) for b in range(count) if links[a, b]]
    rows, load = np.zeros((count * count, count * len(arcs) + 1)), []
    for target in range(count):
        for c, (a, b) in enumerate(arcs):
            rows[target * count + a, target * len(arcs) + c] += 1
            rows[target * count + b, target * len(arcs) + c] -= 1
        for v in range(count):
            sent = held[v] - (ends if v == target else 0)
            rows[target * count + v, -1] = -sent * held[target] / (ends - 1)
    load = np.hstack([np.tile(np.eye(len(arcs)), count), np.zeros((len(arcs), 1))])
    cost, most = np.zeros(count * len(arcs) + 1), [(0, None)] * (count * len(arcs))
    cost[-1] = -1
    limits = [links[arc] for arc in arcs]
    found = linprog(cost, A_ub=load if arcs else None, b_ub=limits or None, A_eq=rows,
                    b_eq=np.zeros(len(rows)), bounds=[*most, (0, 1)])  # fmt: skip
    return float(-found.fun)


def _hold_machines(count: int, seed: int) -> float:
    """The least cost over bound that was met."""
    rng, ratios = random.Random(seed), []
    while len(ratios) < count:
        made = _machine_at_random(rng)
        share = 0.0 if made is None else int(_carried(*made[:2]) * 1000 + 1e-6) / 1000
        if made is None or not share:
            continue
        held, links, radix = made
        boxes = [(p, rng.randint(1, 100) * rng.choice((1, p)))
                 for p in (radix, *rng.sample(range(1, radix + 3), 2))]  # fmt: skip
        wire, nic = rng.randint(0, 60), rng.randint(0, 50)
        ports = np.asarray(held) + links.sum(axis=0)
        cost = sum(min(x for p, x in boxes if p >= used) for used in ports)
        cost += sum(held) * (wire + nic) + wire * int(links.sum()) // 2
        bound = least_cost(sum(held), radix, share, PartPrices(boxes, [(None, wire, 0.0)], nic))
        assert bound <= cost + 1e-9, (held, links.tolist(), radix, share, boxes, wire, nic)
        ratios.append(cost / bound if bound else 9)
    return min(ratios)


def test_no_machine_is_below_the_bound() -> None:
    """And some are as cheap as it."""
    assert _hold_machines(60, seed=1) < 1.02


@pytest.mark.slow
def test_no_machine_of_many_is_below_the_bound() -> None:
    assert _hold_machines(2000, seed=2) < 1.001
