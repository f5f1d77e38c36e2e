"""The verifier against a slow, obvious twin written from the rules alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, Network, Schedule, verify
from hopscape.collectives.generic import broadcast, make_schedule
from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError, ScheduleError
from hopscape.core.goal import GoalKind

# -- the twin ------------------------------------------------------------------------------


@dataclass
class Found:
    """What the twin found: the transfer that breaks a rule, or the promise not kept, or neither."""

    holds: bool = True
    transfer: int | None = None
    lacking: tuple | None = None
    numbers: dict = field(default_factory=dict)


class Broken(Exception):
    """A transfer breaks a rule."""


def slow_verify(schedule, goal=None, model=None):
    """Check a schedule with dictionaries and sets."""
    goal = goal or schedule.goal
    model = model or schedule.model
    moves = transfers_of(schedule)
    rounds = defaultdict(list)
    for move in moves:
        rounds[move["round"]].append(move)
    found = Found(numbers={"rounds": schedule.rounds, "transfers": len(moves)})
    may = set(schedule.network.endpoints.tolist())
    circuit = model.switching == "circuit" and not model.in_network
    try:
        for move in moves:  # switches only forward, and circuits do not stop at them
            if circuit and not {move["source"], move["target"]} <= may:
                raise Broken(move["t"])
        found.numbers |= slow_rules(schedule, rounds, model)
        before, after = slow_promise(schedule.network, goal)
        for move in moves:
            if move["chunk"] not in before:
                raise Broken(move["t"])
        checks = {"reduce": slow_reduce, "reduce-scatter": slow_reduce}
        check = (checks | {"all-reduce": slow_all_reduce}).get(goal.kind, slow_delivery)
        numbers, found.lacking = check(schedule.network, goal, rounds, before, after)
        found.numbers |= numbers
    except Broken as error:
        found.transfer = error.args[0]
    found.holds = found.transfer is None and found.lacking is None
    return found


def transfers_of(schedule):
    starts = schedule.path_start.tolist()
    channels = schedule.channels.tolist()
    columns = zip(schedule.source.tolist(), schedule.target.tolist(), schedule.chunk.tolist())
    rounds = schedule.round.tolist()
    return [
        {
            "t": t,
            "round": rounds[t],
            "source": u,
            "target": v,
            "chunk": c,
            "path": channels[starts[t] : starts[t + 1]],
        }
        for t, (u, v, c) in enumerate(columns)
    ]


def slow_rules(schedule, rounds, model):
    network = schedule.network
    ends = {}
    for v in range(network.order):
        for c in range(int(network.indptr[v]), int(network.indptr[v + 1])):
            ends[c] = (v, int(network.heads[c]))
    mates = dict(enumerate(network.reverse.tolist()))
    messages, sizes, hops = 0, 0, 0
    for r in sorted(rounds):
        paths = slow_round(rounds[r], ends, mates, model, slow_room(network, model))
        messages += len(paths)
        sizes += max(paths.values())
        hops += max(len(path) for path, _ in paths)
    time = model.alpha * schedule.rounds + model.beta * sizes + model.delta * hops
    return {"messages": messages, "sum_round_max": hops, "time": time}


def slow_room(network, model):
    """Chunks that a channel carries in a round: twice as many where it is twice as fast."""
    speeds = network.capacities().tolist()
    fair = 1 if model.switching == "circuit" else None
    return [fair or round(speed / min(speeds)) for speed in speeds]


def slow_round(moves, ends, mates, model, room):
    """Check one round; returns how many chunks went along each path."""
    circuit = model.switching == "circuit"
    by_vertex = circuit and model.disjoint == "vertex"
    by_link = model.duplex == "half" or (circuit and model.disjoint in ("edge", "vertex"))
    starts = {move["source"] for move in moves}
    paths, used, visited = Counter(), Counter(), set()
    sends, receives = Counter(), Counter()
    for move in moves:
        path = tuple(move["path"])
        at = move["source"]
        for c in path:
            if c not in ends or ends[c][0] != at:
                raise Broken(move["t"])
            at = ends[c][1]
        if at != move["target"] or not path or (len(path) > 1 and not circuit):
            raise Broken(move["t"])
        message = (path, None if model.packing == "packed" else move["t"])
        paths[message] += 1
        if paths[message] > 1:
            continue
        for c in path:
            other_way = by_link and mates[c] != c and mates[c] in used
            if used[c] >= room[c] or other_way:
                raise Broken(move["t"])
            used[c] += 1
            if by_vertex:
                if ends[c][1] in visited or ends[c][1] in starts:
                    raise Broken(move["t"])
                visited.add(ends[c][1])
        sends[move["source"]] += 1
        receives[move["target"]] += 1
        if model.ports is not None:
            for v in (move["source"], move["target"]):
                busy = (sends[v], receives[v])
                if (sum(busy) if model.duplex == "half" else max(busy)) > model.ports:
                    raise Broken(move["t"])
    return paths


def slow_promise(network, goal):
    """{chunk: nodes that have it before}, {chunk: nodes that must have it after}."""
    if len(goal.groups) > 1:  # the chunks of one group after those of the other
        before, after = {}, {}
        for part in goal.parts():
            had, wanted = slow_promise(network, part)
            first = len(before)
            before |= {first + c: nodes for c, nodes in had.items()}
            after |= {first + c: nodes for c, nodes in wanted.items()}
        return before, after
    ends = list(goal.groups[0]) if goal.groups else network.endpoints.tolist()
    n, root = len(ends), goal.root
    pieces = [(j, j * goal.chunks + p) for j in range(n) for p in range(goal.chunks)]
    if goal.kind == "reduce-scatter":
        return {c: set(ends) for _, c in pieces}, {c: [ends[j]] for j, c in pieces}
    if goal.kind == "all-gather":
        return {c: {ends[j]} for j, c in pieces}, {c: ends for _, c in pieces}
    if goal.kind in ("broadcast", "one-to-many"):
        whom = ends if goal.kind == "broadcast" else goal.targets
        return {c: {root} for c in range(goal.chunks)}, dict.fromkeys(range(goal.chunks), whom)
    if goal.kind in ("reduce", "all-reduce"):
        whom = [root] if goal.kind == "reduce" else ends
        return {c: set(ends) for c in range(goal.chunks)}, dict.fromkeys(range(goal.chunks), whom)
    if goal.kind == "scatter":
        return {j: {root} for j in range(n)}, {j: [ends[j]] for j in range(n)}
    own = {j: {ends[j]} for j in range(n)}
    if goal.kind == "gather":
        return own, {j: [root] for j in range(n)}
    if goal.kind == "permutation":
        return own, {j: [goal.targets[j]] for j in range(n)}
    parts = [(i, j, p) for i in range(n) for j in range(n) for p in range(goal.chunks)]
    number = {part: c for c, part in enumerate(parts)}
    before = {number[i, j, p]: {ends[i]} for i, j, p in parts}
    return before, {number[i, j, p]: [ends[j]] for i, j, p in parts}


def slow_delivery(network, goal, rounds, before, after):
    hops = {(v, c): 0 for c, nodes in before.items() for v in nodes}
    duplicates = 0
    for r in sorted(rounds):
        known = dict(hops)
        for move in rounds[r]:
            if (move["source"], move["chunk"]) not in known:
                raise Broken(move["t"])
            there = (move["target"], move["chunk"])
            if there in hops:
                duplicates += 1
            else:
                hops[there] = known[move["source"], move["chunk"]] + len(move["path"])
    gaps = [(c, v) for c in sorted(after) for v in after[c] if (v, c) not in hops]
    promised = {v for nodes in after.values() for v in nodes}
    numbers = {
        "duplicates": duplicates,
        "reached": len(promised - {v for _, v in gaps}),
        "max_path": max(hops.values()),
    }
    return numbers, gaps[0] if gaps else None


def slow_reduce(network, goal, rounds, before, after):
    sums = {(v, c): Counter([v]) for c, nodes in before.items() for v in nodes}
    useful_from = {c: {after[c][0]: None} for c in before}  # whose sum still comes to the root
    duplicates = 0
    for r in sorted(rounds):
        known = dict(sums)
        for move in rounds[r]:
            u, v, c = move["source"], move["target"], move["chunk"]
            sums[v, c] = sums.get((v, c), Counter()) + known.get((u, c), Counter())
    for r in sorted(rounds, reverse=True):
        good = [m for m in rounds[r] if m["target"] in useful_from[m["chunk"]]]
        duplicates += len(rounds[r]) - len(good)
        for move in good:
            useful_from[move["chunk"]][move["source"]] = None
    gap, lacks = None, set()
    for c in sorted(before):
        at_root = sums.get((after[c][0], c), Counter())
        wrong = [v for v in sorted(before[c]) if at_root[v] != 1]
        if wrong:
            lacks.add(after[c][0])
        if wrong and gap is None:
            gap = (c, wrong[0], at_root[wrong[0]])
    roots = {after[c][0] for c in before}
    return {"duplicates": duplicates, "reached": len(roots - lacks)}, gap


def slow_all_reduce(network, goal, rounds, before, after):
    sums = {(v, c): frozenset([v]) for c, nodes in before.items() for v in nodes}
    duplicates = 0
    for r in sorted(rounds):
        known = dict(sums)
        for move in rounds[r]:
            here = (move["target"], move["chunk"])
            came = known.get((move["source"], move["chunk"]), frozenset())
            there = sums.get(here, frozenset())
            if not came & there:
                sums[here] = came | there
            elif came <= there:
                duplicates += 1
            elif came >= there:
                sums[here] = came
            else:
                raise Broken(move["t"])
    gaps = [
        (c, v, min(before[c] - sums[v, c]))
        for c in sorted(before)
        for v in after[c]
        if before[c] - sums[v, c]
    ]
    served = {v for c in after for v in after[c]} - {v for _, v, _ in gaps}
    return {"duplicates": duplicates, "reached": len(served)}, gaps[0] if gaps else None


def assert_agree(schedule, goal=None, model=None):
    slow = slow_verify(schedule, goal, model)
    fast = verify(schedule, goal=goal, model=model)
    assert fast.holds == slow.holds, (fast, slow)
    assert fast.where.get("transfer") == slow.transfer, (fast, slow)
    numbers = dict(fast.details)
    for words in ("missing", "sizes", "added"):  # added: tests/core/test_cut_through.py
        numbers.pop(words, None)
    assert numbers == pytest.approx(slow.numbers)
    if slow.transfer is not None:
        t = slow.transfer
        nodes = f"node {schedule.source[t]} → node {schedule.target[t]}"
        assert fast.reason.startswith(f"round {schedule.round[t] + 1}, transfer {t} ({nodes},")
        if "other_transfer" in fast.where:
            other = fast.where["other_transfer"]
            assert other == t or schedule.round[other] == schedule.round[t]
    elif slow.lacking is not None:
        kind = (goal or schedule.goal).kind
        keys = {"reduce": ("node", "times"), "all-reduce": ("node", "share")}
        keys = keys.get(kind.replace("reduce-scatter", "reduce"), ("node",))
        assert (fast.where["chunk"], *(fast.where[k] for k in keys)) == slow.lacking
        assert f"node {fast.where['node']}" in fast.reason
    return fast


# -- random networks, schedules and damage ---------------------------------------------------

models = st.builds(
    Model,
    ports=st.sampled_from([None, None, 1, 2, 3]),
    duplex=st.sampled_from(["full", "half"]),
    switching=st.sampled_from(["store-and-forward", "circuit"]),
    disjoint=st.sampled_from(["vertex", "edge", "arc"]),
    packing=st.sampled_from(["unit", "packed"]),
    beta=st.sampled_from([0.0, 0.25]),
    delta=st.sampled_from([0.0, 0.5]),
)
KINDS = get_args(GoalKind)


@st.composite
def networks(draw):
    """Connected, with parallel links and loops now and then, and perhaps with switches."""
    n = draw(st.integers(1, 8))
    duplex = draw(st.booleans())
    node = st.integers(0, n - 1)
    if duplex:
        links = [(draw(st.integers(0, v - 1)), v) for v in range(1, n)]
    else:
        links = [(v, (v + 1) % n) for v in range(n)]
    links += draw(st.lists(st.tuples(node, node), max_size=n))
    switches = draw(st.lists(node, max_size=n - 1, unique=True)) if draw(st.booleans()) else []
    tails, heads = zip(*links) if links else ((), ())
    kinds = [ChannelClass("slow", 0.5), ChannelClass("fast", 1)] if draw(st.booleans()) else []
    return Network.from_links(
        n,
        tails,
        heads,
        duplex=duplex,
        switches=np.array(sorted(switches), dtype=np.int64),
        classes=kinds,
        kinds=[i % 2 for i in range(len(links))] if kinds else None,
    )


@st.composite
def goals(draw, network, kinds=KINDS):
    kind = draw(st.sampled_from(kinds))
    ends = network.endpoints.tolist()
    node = st.integers(0, network.order - 1)
    if kind == "one-to-many":
        return Goal.one_to_many(draw(node), draw(st.lists(node, max_size=4)))
    if kind == "permutation":
        return Goal.permutation(draw(st.permutations(ends)))
    if kind in ("broadcast", "scatter", "gather", "reduce"):
        return Goal(kind, draw(node))
    if kind == "all-reduce" and network.duplex and draw(st.booleans()):
        return Goal.all_reduce(len(ends))
    some = draw(st.lists(st.sampled_from(ends), min_size=1, unique=True))
    groups = [some] if draw(st.booleans()) else []
    pieces = 1 if kind in ("all-reduce", "permutation") else draw(st.integers(1, 2))
    return Goal(kind, None, pieces, (), groups)


def damaged(schedule, random, times):
    """Random mutations: a plain Schedule that may break any rule."""
    moves = transfers_of(schedule)
    network = schedule.network
    for _ in range(times):
        if not moves or not len(network.heads):
            break
        mutate(random.choice(MUTATIONS), moves, random, network)
    return from_moves(schedule, moves)


MUTATIONS = ("drop", "move", "chunk", "channel", "hop", "twice", "swap", "merge", "cut", "target")


def mutate(how, moves, random, network):
    move = random.choice(moves)
    last = max(m["round"] for m in moves)
    if how == "drop":
        moves.remove(move)
    elif how == "move":
        move["round"] = random.randint(0, last + 1)
    elif how == "chunk":
        move["chunk"] = random.choice([random.choice(moves)["chunk"], random.randint(-1, 9)])
    elif how == "channel":  # another channel, and its ends with it
        c = random.randrange(len(network.heads))
        move |= {"path": [c], "source": int(network.tails[c]), "target": int(network.heads[c])}
    elif how == "hop":  # another channel, or one more, with the ends as they were
        move["path"] = [random.randint(-1, len(network.heads) - 1), *move["path"][1:]]
    elif how == "twice":
        copied = dict(move, round=random.choice([move["round"], random.randint(0, last + 1)]))
        moves.insert(random.randint(0, len(moves)), copied)
    elif how == "swap":
        one, two = random.randint(0, last), random.randint(0, last)
        for m in moves:
            m["round"] = {one: two, two: one}.get(m["round"], m["round"])
    elif how == "merge":
        one = random.randint(0, last)
        for m in moves:
            m["round"] -= m["round"] > one
    elif how == "cut":
        move["path"] = move["path"][:-1]
    else:
        move["target"] = random.randrange(network.order)


def from_moves(schedule, moves):
    moves = sorted(moves, key=lambda m: m["round"])
    rounds = max([m["round"] + 1 for m in moves], default=0)
    lengths = [len(m["path"]) for m in moves]
    return Schedule(
        schedule.network,
        schedule.model,
        schedule.goal,
        round_start=np.searchsorted([m["round"] for m in moves], np.arange(rounds + 1)),
        source=np.array([m["source"] for m in moves], dtype=int),
        target=np.array([m["target"] for m in moves], dtype=int),
        chunk=np.array([m["chunk"] for m in moves], dtype=int),
        path_start=np.concatenate([[0], np.cumsum(lengths)]).astype(int),
        channels=np.array([c for m in moves for c in m["path"]], dtype=int),
    )


def circuits(network, goal, model, random, fill):
    """Each chunk by one path to each that wants it, about `fill` circuits in a round."""
    moves = []
    before, after = slow_promise(network, goal)
    for chunk, nodes in before.items():
        source = min(nodes)
        ways = shortest_ways(network, source)
        moves += [
            {"source": source, "target": v, "chunk": chunk, "path": ways[v]}
            for v in after[chunk]
            if v != source
        ]
    random.shuffle(moves)
    for i, move in enumerate(moves):
        move["round"] = i // fill
    empty = Schedule.from_columns(network, model, goal, round=[], channels=[])
    return from_moves(empty, moves)


def shortest_ways(network, source):
    ways, queue = {source: []}, [source]
    for u in queue:
        for c in range(int(network.indptr[u]), int(network.indptr[u + 1])):
            v = int(network.heads[c])
            if v not in ways:
                ways[v] = [*ways[u], c]
                queue.append(v)
    return ways


# -- the tests -----------------------------------------------------------------------------

relaxed = settings(
    deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@relaxed
@given(st.data(), st.randoms(use_true_random=False))
def test_generic_schedules_whole_and_damaged(data, random):
    network = data.draw(networks())
    goal = data.draw(goals(network))
    model = data.draw(models)
    try:
        schedule = make_schedule(network, goal, model)
    except ArgumentError:  # packets that move hop by hop meet at nodes
        assume(False)
    assert assert_agree(schedule), (network.heads, goal, model)
    other = data.draw(models)
    assert_agree(schedule, model=other)
    for times in (1, 1, 2, 4):
        changed = damaged(schedule, random, times)
        assert_agree(changed)
        assert_agree(changed, model=other)


@relaxed
@given(st.data(), st.randoms(use_true_random=False))
def test_several_groups_are_their_parts(data, random):
    """All groups at once: it holds if and only if each group by itself is served."""
    network = data.draw(networks())
    ends = network.endpoints.tolist()
    group = st.lists(st.sampled_from(ends), min_size=1, unique=True)
    groups = data.draw(st.lists(group, min_size=2, max_size=3))
    kinds = ("all-gather", "all-to-all") + ("reduce-scatter",) * network.duplex
    goal = Goal(data.draw(st.sampled_from(kinds)), None, data.draw(st.integers(1, 2)), (), groups)
    schedule = make_schedule(network, goal)
    assert verify(schedule).holds
    for times in (1, 2):
        changed = damaged(schedule, random, times)
        slow = all(part_holds(changed, *part) for part in parts_of(changed))
        assert verify(changed).holds == (slow and rules_hold(changed))


def rules_hold(schedule):
    """Are the rules of movement kept, whatever the chunks are for?"""
    rounds = defaultdict(list)
    for move in transfers_of(schedule):
        rounds[move["round"]].append(move)
    try:
        slow_rules(schedule, rounds, schedule.model)
    except Broken:
        return False
    chunks = schedule.goal.chunk_count(schedule.network)
    return all(0 <= c < chunks for c in schedule.chunk.tolist())


def parts_of(schedule):
    low = 0
    for part in schedule.goal.parts():
        high = low + part.chunk_count(schedule.network)
        yield part, low, high
        low = high


def part_holds(schedule, goal, low, high):
    moves = [m for m in transfers_of(schedule) if low <= m["chunk"] < high]
    alone = from_moves(schedule, [m | {"chunk": m["chunk"] - low} for m in moves])
    return slow_verify(alone, goal).holds


@relaxed
@given(st.data(), st.randoms(use_true_random=False))
def test_circuits_whole_and_damaged(data, random):
    network = data.draw(networks())
    kinds = ("broadcast", "one-to-many", "scatter", "gather", "all-gather", "permutation")
    goal = data.draw(goals(network, (*kinds, "all-to-all")))
    model = Model(
        ports=data.draw(st.sampled_from([None, 1, 2])),
        duplex=data.draw(st.sampled_from(["full", "half"])),
        switching="circuit",
        disjoint=data.draw(st.sampled_from(["vertex", "edge", "arc"])),
        packing=data.draw(st.sampled_from(["unit", "packed"])),
    )
    whole = circuits(network, goal, model, random, fill=1)
    may = set(network.endpoints.tolist())
    ends = [(m["source"], m["target"]) for m in transfers_of(whole)]
    simple = all(u != v and {u, v} <= may for u, v in ends)
    assert not simple or assert_agree(whole)
    for fill in (2, 3):
        schedule = circuits(network, goal, model, random, fill)
        assert_agree(schedule)
        assert_agree(damaged(schedule, random, 1))


@settings(deadline=None, max_examples=90, derandomize=True)
@given(st.data(), st.randoms(use_true_random=False))
def test_sums_that_wander(data, random):
    """Random transfers of sums: every case of an arriving sum, and counts far above 1."""
    network = data.draw(networks())
    chunks = data.draw(st.integers(1, 2))
    root = data.draw(st.integers(0, network.order - 1))
    count = data.draw(st.integers(0, 25)) if len(network.heads) else 0
    columns = {
        "round": [random.randint(0, 12) for _ in range(count)],
        "channels": [random.randrange(len(network.heads)) for _ in range(count)],
        "chunk": [random.randrange(chunks) for _ in range(count)],
    }
    for goal in (Goal.reduce(root, chunks), Goal.all_reduce(chunks)):
        assert_agree(Schedule.from_columns(network, Model(packing="packed"), goal, **columns))


@settings(deadline=None, max_examples=70, derandomize=True)
@given(networks(), models, st.randoms(use_true_random=False))
def test_crowded_rounds(network, model, random):
    """Random transfers in two rounds: whichever rule breaks first."""
    if not len(network.heads):
        return
    for _ in range(12):
        ways = [random_way(network, model, random) for _ in range(random.randint(1, 6))]
        schedule = Schedule.from_columns(
            network,
            model,
            Goal.all_gather(),
            round=[random.randint(0, 1) for _ in ways],
            channels=[c for way in ways for c in way],
            path_start=[0, *np.cumsum([len(way) for way in ways])],
        )
        assert_agree(schedule)


def random_way(network, model, random):
    way = [random.randrange(len(network.heads))]
    while model.switching == "circuit" and random.random() < 0.4:
        at = int(network.heads[way[-1]])
        row = range(int(network.indptr[at]), int(network.indptr[at + 1]))
        if not row:
            break
        way.append(random.choice(row))
    return way


# -- rules one by one ------------------------------------------------------------------------

LINE = Network.from_links(5, [0, 1, 2, 3], [1, 2, 3, 4])  # channels 0 | 1 2 | 3 4 | 5 6 | 7
STAR = Network.from_links(5, [0, 0, 0, 0], [1, 2, 3, 4])  # channels 0 1 2 3 | 4 | 5 | 6 | 7


def made(network, model, goal, round, channels, chunk=None, path_start=None):
    return Schedule.from_columns(
        network, model, goal, round=round, channels=channels, chunk=chunk, path_start=path_start
    )


def rule_broken(schedule, **others):
    verdict = assert_agree(schedule, **others)
    return None if verdict.holds else (verdict.where["rule"], verdict.where.get("transfer"))


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (Model(), None),
        (Model(ports=4), None),
        (Model(ports=3), ("ports", 3)),
        (Model(ports=1), ("ports", 1)),
        (Model(ports=4, duplex="half"), None),
        (Model(ports=3, duplex="half"), ("ports", 3)),
        (Model(switching="circuit", disjoint="vertex"), None),
    ],
)
def test_ports_of_a_star(model, expected):
    schedule = made(STAR, model, Goal.broadcast(0), [0] * 4, [0, 1, 2, 3])
    assert rule_broken(schedule) == expected


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (Model(), None),
        (Model(ports=1), ("ports", 1)),
        (Model(switching="circuit", disjoint="edge"), None),
        (Model(switching="circuit", disjoint="vertex"), ("node", 1)),
    ],
)
def test_circuits_may_not_end_together(model, expected):
    schedule = made(STAR, model, Goal.reduce(0), [0] * 4, [4, 5, 6, 7])
    assert rule_broken(schedule) == expected


@pytest.mark.parametrize("channels", [[2, 0], [0, 2]], ids=["sends first", "receives first"])
def test_half_duplex_nodes_do_one_thing(channels):
    schedule = made(LINE, Model(), Goal.all_gather(), [0, 0], channels, [channels[0] // 2, 0])
    assert rule_broken(schedule, model=Model(ports=1, duplex="half")) == ("ports", 1)
    whose = "target" if channels[0] == 2 else "source"
    text = verify(schedule, model=Model(ports=1, duplex="half")).reason
    assert f"its {whose} takes part in more than the limit of 1 per round, after" in text
    assert text.count("transfer 1") == text.count("transfer 0") == 1, text  # the other one, named
    assert rule_broken(schedule, model=Model(ports=2, duplex="half")) != ("ports", 1)
    assert rule_broken(schedule, model=Model(ports=1)) != ("ports", 1)


def test_both_ways_over_a_link():
    goal = Goal.permutation([1, 0, 2, 3, 4])
    schedule = made(LINE, Model(), goal, [0, 0], [0, 1], [0, 1])
    assert rule_broken(schedule) is None
    assert rule_broken(schedule, model=Model(duplex="half")) == ("link", 1)
    assert rule_broken(schedule, model=Model(switching="circuit")) is None
    edge = Model(switching="circuit", disjoint="edge")
    assert rule_broken(schedule, model=edge) == ("link", 1)


def test_circuits_through_a_start():
    goal = Goal.permutation([2, 1, 0, 4, 3])
    whole = [0, 2, 4, 5, 3, 1, 6, 7]
    starts = [0, 2, 2 + 1, 4, 6, 7, 8]  # 0→2, then two circuits for the way 2→3→2, ...
    model = Model(switching="circuit")
    schedule = made(LINE, model, goal, [0, 0, 0, 1, 2, 2], whole, [0, 2, 2, 2, 3, 4], starts)
    assert rule_broken(schedule) == ("holding", 2)
    vertex = Model(switching="circuit", disjoint="vertex")
    assert rule_broken(schedule, model=vertex) == ("node", 0)
    text = verify(schedule, model=vertex).reason
    assert text.startswith("round 1, transfer 0 (node 0 → node 2, chunk 0): its path runs through")


def test_packed_chunks_are_one_message():
    goal = Goal.gather(0)
    schedule = made(LINE, Model(packing="packed", beta=1), goal, [0, 0], [1, 1], [1, 1])
    details = verify(schedule).details
    assert (details["messages"], details["time"], details["duplicates"]) == (1, 3.0, 1)
    assert rule_broken(schedule, model=Model()) == ("channel", 1)


def test_a_chunk_moves_once_per_round():
    schedule = made(LINE, Model(), Goal.broadcast(0), [0, 0], [0, 2])
    assert rule_broken(schedule) == ("holding", 1)
    assert "node 1 → node 2" in verify(schedule).reason


def test_missing_deliveries_are_counted():
    verdict = verify(made(LINE, Model(), Goal.broadcast(0), [0], [0]))
    assert verdict.reason == (
        "after the last round node 2 lacks chunk 0 (3 deliveries are missing in all)"
    )
    assert dict(verdict.where) == {"rule": "delivery", "node": 2, "chunk": 0}
    assert verdict.details["reached"] == 2


def test_counting_twice_is_told_with_the_number():
    schedule = made(LINE, Model(), Goal.reduce(0), [0, 1, 2, 3, 4], [7, 5, 3, 1, 1])
    verdict = verify(schedule)
    assert verdict.reason == "the share of node 1 in chunk 0 is counted 2 times at the root, node 0"
    late = made(LINE, Model(), Goal.reduce(0), [0, 1, 2], [5, 3, 1])
    assert "the share of node 4 in chunk 0 never reaches the root" in verify(late).reason


def test_the_first_violation_of_a_sliced_all_reduce_is_first_in_time():
    ring = hopscape.build("ring(4)")
    ways = [int(ring.channel_at(np.array(u), np.array(p))) for u in range(4) for p in (0, 1)]
    random = np.random.default_rng(1)
    for _ in range(50):
        columns = {
            "round": random.integers(0, 6, 20),
            "channels": random.choice(ways, 20),
            "chunk": random.integers(0, 4, 20),
        }
        goal = Goal.all_reduce(4)
        schedule = Schedule.from_columns(ring, Model(packing="packed"), goal, **columns)
        assert_agree(schedule)


def test_counts_beyond_all_numbers_saturate():
    pair = Network.from_links(2, [0], [1])
    back_and_forth = [0, 1] * 70
    schedule = made(pair, Model(), Goal.reduce(0), list(range(140)), back_and_forth)
    assert verify(schedule).where["times"] == 1 << 60


def test_more_than_64_shares():
    ring = hopscape.build("ring(130)")
    schedule = make_schedule(ring, Goal.all_reduce())
    assert assert_agree(schedule)
    moves = transfers_of(schedule)
    assert not assert_agree(from_moves(schedule, moves[:70] + moves[71:]))
    assert not assert_agree(from_moves(schedule, moves[:-1]))


def test_nodes_beyond_the_network_are_refused():
    schedule = broadcast(hopscape.build("ring(8)"), 0)
    with pytest.raises(ScheduleError, match="beyond the 5 of ring"):
        verify(schedule, hopscape.build("ring(5)"), Goal.broadcast(0))
    columns = {"round_start": [0, 1], "chunk": [0], "path_start": [0, 1], "channels": [0]}
    arrays = {key: np.array(value) for key, value in columns.items()}
    for bad in (-1, -(10**9)):
        nodes = {"source": np.array([bad]), "target": np.array([1])}
        with pytest.raises(ScheduleError, match="beyond"):
            verify(Schedule(LINE, Model(), Goal.broadcast(0), **arrays, **nodes))


def test_another_network_with_other_wiring():
    schedule = broadcast(hopscape.build("ring(8)"), 0)
    assert not verify(schedule, hopscape.build("path(8)"))


def test_an_unknown_chunk():
    schedule = made(LINE, Model(), Goal.broadcast(0), [0], [0], [3])
    assert rule_broken(schedule) == ("chunk", 0)
    assert "broadcast here has chunks 0..0" in verify(schedule).reason


def test_a_message_to_oneself_takes_part_twice():
    loop = Network.from_links(2, [0, 0], [0, 1])
    to_self = int(np.nonzero(loop.heads[: int(loop.indptr[1])] == 0)[0][0])
    model = Model(ports=1, duplex="half")
    schedule = made(loop, model, Goal.broadcast(0), [0, 1], [to_self, to_self])
    assert rule_broken(schedule) == ("ports", 0)
    assert verify(schedule).where["other_transfer"] == 0


def test_nothing_to_do():
    one = Network.from_links(1, [], [])
    for goal in (Goal.broadcast(0), Goal.all_reduce(), Goal.all_to_all(), Goal.permutation([0])):
        assert assert_agree(made(one, Model(), goal, [], []))
