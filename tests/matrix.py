"""Goal × algorithm × model × pieces × faults × network: each verified, or refused in a sentence.

    python tests/matrix.py --cases 100000 --seed 1

A case is drawn from its number alone, so that a failure can be run again (``--only 4711``). It goes
through one of the two doors, ``run_algorithm`` (Python) or the contest (the command line); what
comes out is executed here, transfer by transfer, by the slow twin of the verifier. Failures are a
wrong schedule, an exception other than ``HopscapeError``, and ``CheckFailedError``: an algorithm
that made something wrong, noticed or not. The tests run a sample.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import hopscape
from hopscape import Goal, Model, Network, Schedule
from hopscape.collectives import run_algorithm
from hopscape.collectives.choose import algorithms, named_algorithms
from hopscape.collectives.contest import STEPS_PER_SECOND, candidates, compete, search_steps
from hopscape.collectives.survivors import dead_channels, dead_transfer, survivors
from hopscape.core.errors import CheckFailedError, HopscapeError
from hopscape.core.goal import ROOTED
from hopscape.core.partial_sums import PartialSums

sys.path.insert(0, str(Path(__file__).resolve().parent / "core"))
from test_verify import (
    Broken,
    slow_all_reduce,
    slow_delivery,
    slow_promise,
    slow_reduce,
    slow_verify,
    transfers_of,
)

NETWORKS = (
    "ring(2)", "ring(5)", "path(4)", "complete(4)", "torus(3, 3)", "torus(2, 3)", "torus(5, 2)",
    "torus(5, 5)", "mesh(2, 3)", "mesh(3, 2, 2)", "hypercube(3)", "petersen", "heawood",
    "circulant(8, 1, 3)", "circulant(9, 1, 2)", "multiring(6, 1, 2)",
    "multiring(5, 1, simplex=true)",
    "debruijn(2, 3)", "kautz(2, 2)", "generalized_petersen(4, 1)", "nauru", "rpc(1)",
    "random_regular(10, 3)", "expanded(ring(3), 1)", "folded(ring(3), 2)",
    "ring_of_cycles(complete(4), 2)", "product(path(2), ring(3))", "ccc(2)",
    "dragonfly(2, 1, p=1)", "fat_tree(2)", "fat_tree(4)", "mlfm(2)", "bcube(2, 1)", "dcell(2, 1)",
    "kary_ntree(2, 2)", "leaf_spine(2, 2, 2)", "hammingmesh(2, 2, 2, 2)", "trunked(ring(4), 2)",
    "concentrated(ring(3), 2)", "hyperx((2, 2), 1)", "xgft((2, 2), (1, 2))",
    "path(1)", "path(2)", "kary_ntree(1, 3)", "leaf_spine(2, 1, 1)", "xgft((1, 2), (1, 2))",
)  # fmt: skip
"""Small networks of every kind: symmetric, simplex, parallel links, switches, one endpoint."""
KINDS = (*ROOTED, "all-gather", "reduce-scatter", "all-reduce", "all-to-all", "permutation")
SECONDS = 0.02
"""Work of one search: longer ones are refused, as with ``--time-limit``."""
SENTENCE = 900
"""Characters of a refusal; the longest says of every algorithm why it does not serve."""


@cache
def network(spec: str) -> Network | None:
    """The network; None where its family is not installed (a toolkit without papers)."""
    try:
        return hopscape.build(spec)
    except HopscapeError:
        return None


def goal_of(rng: random.Random, net: Network) -> Goal:
    """A random goal among all endpoints, or among some of them."""
    kind: Any = rng.choice(KINDS)
    ends = net.endpoints.tolist()
    pieces = rng.choice((1, 1, 2, 3, len(ends)))
    targets: list[int] = []
    if kind == "permutation":
        targets = rng.sample(ends, len(ends))
    if kind == "one-to-many":
        targets = sorted(rng.sample(ends, rng.randint(1, len(ends))))
    chunks = pieces if kind not in ("scatter", "gather", "permutation") else 1
    groups: tuple[tuple[int, ...], ...] = ()
    if kind not in ("permutation", "one-to-many") and len(ends) > 2 and rng.random() < 0.15:
        groups = (tuple(sorted(rng.sample(ends, rng.randint(2, len(ends))))),)
        others = sorted({*ends} - {*groups[0]})
        if kind not in ROOTED and len(others) > 1 and rng.random() < 0.5:
            groups += (tuple(rng.sample(others, rng.randint(2, len(others)))),)
    root = rng.choice(groups[0] if groups else ends) if kind in ROOTED else None
    return Goal(kind, root, chunks, tuple(targets), groups)


def rules_of(rng: random.Random) -> dict[str, Any]:
    """Random rules; mostly few, as users ask for."""
    choices: dict[str, tuple[Any, ...]] = {
        "ports": (None, 1, 2, 3),
        "duplex": ("full", "half"),
        "packing": ("unit", "packed"),
        "switching": ("store-and-forward", "circuit", "cut-through"),
        "disjoint": ("arc", "edge", "vertex"),
        "in_network": (True, False),
    }
    asked = {name: rng.choice(those) for name, those in choices.items() if rng.random() < 0.3}
    if asked.get("switching") == "circuit" and rng.random() < 0.1:
        asked["circuits"] = rng.choice(("dimension-ordered", "last-axis-first"))
    return asked


def run_case(number: int, seed: int = 0, specs: tuple[str, ...] = NETWORKS) -> tuple[str, str]:
    """``verified`` or ``refused``, or what is wrong; and the case in words."""
    rng = random.Random(f"{seed} {number}")
    spec = rng.choice(specs)
    net = network(spec)
    if net is None:
        return "refused", f"{spec} is not installed"
    goal, asked = goal_of(rng, net), rules_of(rng)
    door: Callable[..., list[Schedule]] = rng.choice((_python, _contest, _contest, _faults))
    words = f"{door.__name__[1:]}: {spec}, {goal.to_dict()}, {asked}"
    try:
        made = door(rng, net, goal, asked)
        for schedule in made:
            check(schedule)
    except CheckFailedError as error:
        return f"made something wrong: {error}", words
    except HopscapeError as error:
        text = str(error)
        alone = "\n" not in text and 0 < len(text) <= SENTENCE
        return ("refused" if alone else f"no sentence: {text!r}"), words
    except Exception as error:  # a traceback is always a bug
        return f"{type(error).__name__}: {error}", words
    return "verified", f"{words} by {made[0].name!r}" if made else words


def _python(rng: random.Random, net: Network, goal: Goal, asked: dict[str, Any]) -> list[Schedule]:
    name = rng.choice([*algorithms(net, goal)])
    for one in named_algorithms(net, goal):
        model = one.serves.model(**asked)
        if one.name == name and search_steps(one, net, goal, model) > SECONDS * STEPS_PER_SECOND:
            return []
    schedule = run_algorithm(net, goal, name, asked or None)
    assert schedule.goal == goal, f"{name} is for {schedule.goal}"
    return [schedule]


def _contest(rng: random.Random, net: Network, goal: Goal, asked: dict[str, Any]) -> list[Schedule]:
    names = [one.name for one in candidates(net, goal)]
    size = rng.choice((None, None, 10**3, 10**6))
    contest = compete(net, goal, asked, size=size, algorithm=rng.choice(names), seconds=SECONDS)
    return [entry.schedule for entry in contest.entries]


def _faults(rng: random.Random, net: Network, goal: Goal, asked: dict[str, Any]) -> list[Schedule]:
    nodes = rng.sample(range(net.order), rng.choice((0, 1)))
    dead = rng.sample(range(len(net.heads)), min(len(net.heads), rng.choice((1, 1, 1, 2, 4))))
    links = [(int(net.tails[c]), int(net.heads[c])) for c in dead]
    left = survivors(net, nodes, links)
    permutes = goal.kind == "permutation"
    inner = Goal.permutation(_shuffled(rng, left.left)) if permutes else left.inside(goal)
    made = _contest(rng, left.left, inner, asked)
    told = [left.told(schedule) for schedule in made]
    gone = dead_channels(net, nodes, links)
    assert all(dead_transfer(schedule, gone) is None for schedule in told), "uses a dead part"
    return told


def _shuffled(rng: random.Random, net: Network) -> list[int]:
    ends: list[int] = net.endpoints.tolist()
    rng.shuffle(ends)
    return ends


def check(schedule: Schedule) -> None:
    """Execute a schedule by the twin.

    Raises:
        AssertionError: When it breaks a rule or a promise.
    """
    if isinstance(schedule, PartialSums):
        totals = set(slow_sums(schedule))
        assert totals == {sum(7**v for v in schedule.goal.members(schedule.network).tolist())}
        return
    if schedule.model.switching != "cut-through":
        found = slow_verify(schedule)
        assert found.holds, f"wrong: transfer {found.transfer}, lacking {found.lacking}"
        return
    net, moves = schedule.network, transfers_of(schedule)
    may = set(range(net.order) if schedule.model.in_network else net.endpoints.tolist())
    rounds: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for move in moves:
        rounds[move["round"]].append(move)
        at = move["source"]
        for channel in move["path"]:
            assert int(net.tails[channel]) == at, f"transfer {move['t']}: a broken path"
            at = int(net.heads[channel])
        assert at == move["target"], f"transfer {move['t']}: ends elsewhere"
        assert {at, move["source"]} <= may, f"transfer {move['t']}: ends at a switch"
    _check_ports(schedule, rounds)
    before, after = slow_promise(net, schedule.goal)
    adds = {"reduce": slow_reduce, "reduce-scatter": slow_reduce, "all-reduce": slow_all_reduce}
    try:
        _, gap = adds.get(schedule.goal.kind, slow_delivery)(
            net, schedule.goal, rounds, before, after
        )
    except Broken as error:
        raise AssertionError(f"wrong: transfer {error.args[0]} sends what it has not") from None
    assert gap is None, f"wrong: lacking {gap}"


def slow_sums(schedule: PartialSums) -> list[int]:
    """Every endpoint's sum of the shares 7^v, added up by the terms alone."""
    came: list[int] = []
    total = {v: 7**v for v in schedule.goal.members(schedule.network).tolist()}
    when, source, target = (x.tolist() for x in (schedule.round, schedule.source, schedule.target))
    for t in range(schedule.transfers):
        parts = []
        for j in schedule.terms_of(t):
            assert j < 0 or (when[j] < when[t] and target[j] == source[t]), "has not come"
            parts.append(7 ** source[t] if j < 0 else came[j])
        came.append(sum(parts))
        if schedule.adds[t]:
            total[target[t]] += came[t]
    return list(total.values())


def _check_ports(schedule: Schedule, rounds: dict[int, list[dict[str, Any]]]) -> None:
    """No endpoint sends or receives more messages in a round than its ports allow."""
    model: Model = schedule.model
    for moves in rounds.values():
        sent, came = Counter[int](), Counter[int]()
        messages = {
            (m["source"], tuple(m["path"]), None if model.packing == "packed" else m["t"])
            for m in moves
        }
        for source, path, _ in messages:
            sent[source] += 1
            came[int(schedule.network.heads[path[-1]])] += 1
        if model.ports is not None:
            for node in {*sent, *came}:
                both = sent[node], came[node]
                busy = sum(both) if model.duplex == "half" else max(both)
                assert busy <= model.ports, f"wrong: node {node} has {busy} messages"


def main() -> None:
    """Run the cases; exit code 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="the first case: go on from there")
    parser.add_argument("--only", type=int, help="run one case and say what came out")
    given = parser.parse_args()
    if given.only is not None:
        print(*run_case(given.only, given.seed), sep="\n")
        return
    found: Counter[str] = Counter()
    for number in range(given.start, given.cases):
        what, words = run_case(number, given.seed)
        found[what if what in ("verified", "refused") else "failed"] += 1
        if what not in ("verified", "refused"):
            print(f"case {number}: {words}\n    {what}", flush=True)
        if (number + 1) % 5000 == 0:
            print(f"{number + 1:,} cases: {dict(found)}", file=sys.stderr, flush=True)
    print(", ".join(f"{found[word]:,} {word}" for word in ("verified", "refused", "failed")))
    sys.exit(1 if found["failed"] else 0)


if __name__ == "__main__":
    main()
