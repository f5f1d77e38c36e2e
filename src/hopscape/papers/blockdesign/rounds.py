"""How many rounds any traffic needs when a packet may take any of its minimal paths.

In a round every packet under way holds all channels of its path, and no two hold the same one. The
answer is an interval. From below: weights on the channels. A packet costs at least its cheapest
minimal path, a round can pay for each channel once, so that the sum over the packets over the sum
of the weights is a bound; the best weights are the dual of a linear program, and the bound is
evaluated in whole numbers over all minimal paths, whatever the program answered. From above: a
plan, with the path of every packet.

In a distributed switch each crossbar is a bipartite graph of its own, whose packets take as many
rounds as its busiest channel carries (König): the plan only has to choose crossbars. Elsewhere
rounds are filled one after the other. Where the two sides differ and the traffic is small, an
integer program decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.papers.blockdesign.contention import circuits, packet_pairs, switch_family
from hopscape.papers.blockdesign.routing import route_options

__all__ = ["Rounds", "plan_rounds"]

_MOST_PATHS = 64
"""Minimal paths of a pair that a plan chooses from; bounds count all of them."""
_MOST_STATES = 2_000_000
"""Targets times channels that are searched for all minimal paths: about a second."""
_MOST_COLUMNS = 30_000
"""Paths of all packets in a linear program: about a second."""
_MOST_BINARIES = 1_500
"""Paths, or paths times rounds, in an integer program; larger ones rarely end."""
_MOST_BRANCHES = 200
"""Nodes of a branch and bound: work, not time, so that the answer is the same on any machine."""
_ORDERS = 12
"""Orders of the packets that are tried before an integer program."""
_UNIT = 1 << 24
"""Dual weights are rounded to fractions of this, far finer than bounds of thousands of rounds."""


_ALL_PATHS, _PORTS = "all minimal paths", "ports of endpoints"


@dataclass(frozen=True)
class Rounds:
    """Packets sorted into rounds without conflicts.

    Attributes:
        round (int64[packets]): From 0; -1 for packets that stay at home.
        rounds: How many the plan takes.
        bound: No plan with minimal paths takes fewer.
        by: What the bound counts: ``all minimal paths``, or ``ports of endpoints`` only where
            these are too many.
        paths: Resources that each packet holds: channels (links, in half duplex), in a distributed
            switch numbered endpoint * m + port, those towards endpoints after all others.
    """

    round: IntArray
    rounds: int
    bound: int
    paths: list[tuple[int, ...]] = field(repr=False)
    by: str = _ALL_PATHS


@dataclass
class _Problem:
    """Packets, what each may hold, and what is known of the rest.

    Attributes:
        options: Alternatives of each packet, each a tuple of resources; the router's first.
        resources: How many there are.
        by_crossbar: Two resources of one crossbar each: rounds are the largest load.
        all_paths: Whether `options` are all minimal paths.
    """

    options: list[list[tuple[int, ...]]]
    resources: int
    by_crossbar: bool
    all_paths: bool


def plan_rounds(
    network: Network,
    sources: Sequence[int] | IntArray,
    targets: Sequence[int] | IntArray,
    *,
    one_port: bool = False,
    half_duplex: bool = False,
) -> Rounds:
    """Sort any traffic into few rounds, and prove how few there can be.

    Args:
        one_port: An endpoint sends one packet and receives one packet in a round.
        half_duplex: A link carries one packet in a round, either way.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("distributed_switch(7, 3, 1)")
        >>> plan_rounds(net, [0, 0, 1, 1], [1, 3, 0, 2], one_port=True).rounds
        2
        >>> spare = hopscape.build("distributed_switch(7, 4, 2)")
        >>> plan = plan_rounds(spare, [0, 0], [1, 1])
        >>> plan.rounds, plan.bound
        (1, 1)
    """
    first, second = packet_pairs(network, sources, targets)
    if half_duplex and (one_port or not network.duplex):
        raise ArgumentError("half duplex needs duplex links and a plan for all ports")
    moving = first != second
    a, b = first[moving], second[moving]
    if len(a) == 0:
        return Rounds(np.full(len(first), -1, dtype=np.int64), 0, 0, [()] * len(first))
    if switch_family(network) is not None:
        problem = _switch_problem(network, a, b, half_duplex, one_port)
    else:
        problem = _circuit_problem(network, a, b, half_duplex, one_port)
    bound, shares, by = _lower_bound(network, problem, a, b, half_duplex)
    chosen, colours = _plan(problem, bound, shares)
    used = int(colours.max()) + 1
    if used > bound and problem.all_paths:
        bound, better = _decide(problem, bound, used)
        if better is not None:
            chosen, colours = better
            used = int(colours.max()) + 1
    out = np.full(len(first), -1, dtype=np.int64)
    out[moving] = colours
    held = iter(chosen)
    paths = [next(held) if moves else () for moves in moving.tolist()]
    return Rounds(out, used, bound, paths, by)


def _switch_problem(
    network: Network, a: IntArray, b: IntArray, half: bool, one_port: bool
) -> _Problem:
    """σ alternatives of two channels each; a crossbar is a bipartite graph of its own."""
    family = switch_family(network)
    assert family is not None
    table = route_options(family)
    pairs = table[0][(b - a) % family.n] if table.shape[0] == 1 else table[a, b]
    lanes = family.n * family.m
    leave, arrive = pairs[..., 0].astype(np.int64), pairs[..., 1].astype(np.int64)
    up = a[:, None] * family.m + leave
    down = b[:, None] * family.m + arrive + (0 if half else lanes)
    options: list[list[tuple[int, ...]]]
    if one_port:  # one packet per endpoint: channels are never wanted twice
        options = [[(s, lanes + t)] for s, t in zip(a.tolist(), b.tolist(), strict=True)]
        return _Problem(options, 2 * lanes, True, True)
    options = [
        [(u, d) for u, d, port in zip(*row, strict=True) if port >= 0]
        for row in zip(up.tolist(), down.tolist(), leave.tolist(), strict=True)
    ]
    return _Problem(options, 2 * lanes, not half, True)


def _circuit_problem(
    network: Network, a: IntArray, b: IntArray, half: bool, one_port: bool
) -> _Problem:
    """Whole paths: the router's and, where the search is affordable, all minimal ones."""
    starts, lanes = circuits(network, a, b, half)
    ends = lanes.tolist()
    options = [[tuple(ends[starts[k] : starts[k + 1]])] for k in range(len(a))]  # the router's own
    channels = len(network.heads)
    complete = _searchable(network, b)
    if complete:
        for t in np.unique(b).tolist():
            layers = _distances_to(network, t)
            for k in np.nonzero(b == t)[0].tolist():
                paths, ended = _minimal_paths(network, layers, int(a[k]), t, half)
                complete = complete and ended
                options[k] += [path for path in paths if path != options[k][0]]
    if one_port:
        extra = zip(a.tolist(), b.tolist(), strict=True)
        ports = [(channels + s, channels + network.order + t) for s, t in extra]
        options = [[(*path, *more) for path in row] for row, more in zip(options, ports)]
    return _Problem(options, channels + 2 * network.order, False, complete)


def _searchable(network: Network, targets: IntArray) -> bool:
    return len(np.unique(targets)) * len(network.heads) <= _MOST_STATES


def _distances_to(network: Network, target: int) -> IntArray:
    """Hops from every node to a target, by layers against the channels; -1 where none leads."""
    tails, heads = network.tails, network.heads
    out = np.full(network.order, -1, dtype=np.int64)
    out[target] = 0
    hops = 0
    while True:
        before = tails[(out[heads] == hops) & (out[tails] < 0)]
        if len(before) == 0:
            return out
        hops += 1
        out[before] = hops


def _minimal_paths(
    network: Network, distances: IntArray, source: int, target: int, half: bool
) -> tuple[list[tuple[int, ...]], bool]:
    """Minimal paths of a pair as resources, and whether these are all."""
    out: list[tuple[int, ...]] = []
    stack: list[tuple[int, tuple[int, ...]]] = [(source, ())]
    while stack:
        node, path = stack.pop()
        if node == target:
            out.append(path)
            continue
        if len(out) + len(stack) > _MOST_PATHS:
            return out, False
        ports = np.arange(len(network.neighbours(node)))
        for channel in network.channel_at(np.full(len(ports), node), ports).tolist():
            head = int(network.heads[channel])
            if channel >= 0 and distances[head] == distances[node] - 1:
                lane = min(channel, int(network.reverse[channel])) if half else channel
                stack.append((head, (*path, lane)))
    return out, True


def _loads(problem: _Problem, chosen: Sequence[tuple[int, ...]]) -> IntArray:
    lanes = np.fromiter((x for path in chosen for x in path), dtype=np.int64)
    return np.bincount(lanes, minlength=problem.resources)


def _matrix(problem: _Problem) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Columns are alternatives: their packets, and the pairs (resource, column) in use."""
    packet = np.repeat(np.arange(len(problem.options)), [len(row) for row in problem.options])
    paths = [path for row in problem.options for path in row]
    column = np.repeat(np.arange(len(paths)), [len(path) for path in paths])
    resource = np.fromiter((x for path in paths for x in path), dtype=np.int64)
    names, row = np.unique(resource, return_inverse=True)
    return packet, column, row, names


def _lower_bound(
    network: Network, problem: _Problem, a: IntArray, b: IntArray, half: bool
) -> tuple[int, Floats | None, str]:
    """Rounds that no plan beats, shares of the alternatives in a linear program, what counts."""
    columns = sum(len(row) for row in problem.options)
    if columns == len(problem.options) and problem.all_paths:  # no choice at all
        return int(_loads(problem, [row[0] for row in problem.options]).max()), None, _ALL_PATHS
    degree = np.bincount(network.tails, minlength=network.order)
    into = np.bincount(network.heads, minlength=network.order)
    bound = 1
    for ends, ports in ((a, degree), (b, into)):
        wanted = np.bincount(ends, minlength=network.order)
        used = wanted > 0
        bound = max(bound, int((-(-wanted[used] // ports[used])).max()))
    if columns > _MOST_COLUMNS:
        return bound, None, _PORTS
    shares, weights = _relaxed(problem)
    if weights is None:
        return bound, None, _PORTS
    priced = _price(network, problem, a, b, weights, half)
    by = _ALL_PATHS if problem.all_paths or _searchable(network, b) else _PORTS
    return max(bound, priced), shares, by


def _relaxed(problem: _Problem) -> tuple[Floats | None, IntArray | None]:
    """Shares that make the largest load least, and whole weights of the resources (duals)."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    packet, column, row, names = _matrix(problem)
    count, rows = len(packet), len(names)
    one = np.ones(len(column))
    load = csr_array(
        (
            np.concatenate([one, np.full(rows, -1.0)]),
            (
                np.concatenate([row, np.arange(rows)]),
                np.concatenate([column, np.full(rows, count)]),
            ),
        ),
        shape=(rows, count + 1),
    )
    packets = len(problem.options)
    sums = csr_array((np.ones(count), (packet, np.arange(count))), shape=(packets, count + 1))
    cost = np.zeros(count + 1)
    cost[-1] = 1
    solution: Any = linprog(  # type: ignore[call-overload]
        cost, A_ub=load, b_ub=np.zeros(rows), A_eq=sums, b_eq=np.ones(packets)
    )
    if solution.status != 0:
        return None, None
    weights = np.zeros(problem.resources, dtype=np.int64)
    weights[names] = np.rint(np.maximum(-solution.ineqlin.marginals, 0) * _UNIT).astype(np.int64)
    return solution.x[:-1], weights


def _price(
    network: Network, problem: _Problem, a: IntArray, b: IntArray, weights: IntArray, half: bool
) -> int:
    """Rounds that the packets cost at least, all minimal paths counted, in whole numbers."""
    total = int(weights.sum())
    if total == 0:
        return 1
    cheapest = [min(sum(int(weights[x]) for x in path) for path in row) for row in problem.options]
    if not problem.all_paths:
        if not _searchable(network, b):
            return 1
        lane = np.arange(len(network.heads))
        if half:
            lane = np.minimum(lane, network.reverse)
        for t in np.unique(b).tolist():
            cost = _cheapest_to(network, t, weights[lane])
            for k in np.nonzero(b == t)[0].tolist():
                ports = problem.options[k][0][-2:]  # with one port the endpoints are paid as well
                extra = sum(int(weights[x]) for x in ports if x >= len(network.heads))
                cheapest[k] = min(cheapest[k], int(cost[a[k]]) + extra)
    return -(-sum(cheapest) // total)


def _cheapest_to(network: Network, target: int, weights: IntArray) -> IntArray:
    """The least weight of a minimal path from every node."""
    tails, heads = network.tails, network.heads
    hops = _distances_to(network, target)
    cost = np.full(network.order, np.iinfo(np.int64).max // 4)
    cost[target] = 0
    for layer in range(1, int(hops.max()) + 1):
        used = (hops[tails] == layer) & (hops[heads] == layer - 1)
        np.minimum.at(cost, tails[used], cost[heads[used]] + weights[used])
    return cost


def _plan(
    problem: _Problem, bound: int, shares: Floats | None
) -> tuple[list[tuple[int, ...]], IntArray]:
    """A plan with few rounds: the path and the round of every packet."""
    if problem.by_crossbar:
        chosen = _spread(problem, bound, shares)
        return chosen, _colour(chosen)
    best: tuple[list[tuple[int, ...]], IntArray] | None = None
    generator = np.random.default_rng(0)
    count = len(problem.options)
    orders = [np.arange(count), np.argsort([len(row) for row in problem.options], kind="stable")]
    small = sum(len(row) for row in problem.options) <= _MOST_COLUMNS
    orders += [generator.permutation(count) for _ in range(_ORDERS if small else 0)]
    for order in orders:
        for depth in (1, None):  # the router's paths alone, then all
            plan = _fill(problem, order.tolist(), depth)
            if best is None or plan[1].max() < best[1].max():
                best = plan
            if best[1].max() < bound:
                return best
    assert best is not None
    return best


def _fill(
    problem: _Problem, order: Sequence[int], depth: int | None
) -> tuple[list[tuple[int, ...]], IntArray]:
    """Round after round, each packet takes its first alternative that is free."""
    rounds = np.full(len(problem.options), -1, dtype=np.int64)
    chosen: list[tuple[int, ...]] = [()] * len(problem.options)
    waiting, now = list(order), 0
    while waiting:
        held: set[int] = set()
        later = []
        for k in waiting:
            for path in problem.options[k][:depth]:
                if held.isdisjoint(path):
                    held.update(path)
                    chosen[k], rounds[k] = path, now
                    break
            else:
                later.append(k)
        waiting, now = later, now + 1
    return chosen, rounds


def _spread(problem: _Problem, bound: int, shares: Floats | None) -> list[tuple[int, ...]]:
    """Alternatives that keep the largest load low: three starts, then packets are moved away.

    The starts are the first alternatives, the least loaded one for each packet in turn, and the
    largest shares of the linear program.
    """
    options = problem.options
    starts = [[0] * len(options), _least_loaded(problem)]
    if shares is not None:
        ends = np.cumsum([0, *(len(row) for row in options)])
        starts.append([int(shares[i:j].argmax()) for i, j in pairwise(ends.tolist())])
    best: tuple[int, list[int]] | None = None
    for picks in starts:
        largest = _move_away(problem, picks)
        if best is None or largest < best[0]:
            best = (largest, picks)
        if largest <= bound:
            break
    assert best is not None
    return [row[pick] for row, pick in zip(options, best[1], strict=True)]


def _least_loaded(problem: _Problem) -> list[int]:
    load = [0] * problem.resources
    picks = []
    for row in problem.options:
        pick = min(range(len(row)), key=lambda i: max(load[x] for x in row[i]))
        picks.append(pick)
        for x in row[pick]:
            load[x] += 1
    return picks


def _move_away(problem: _Problem, picks: list[int]) -> int:
    """Move packets off the fullest channels while that helps, by chains of at most three moves."""
    options = problem.options
    load = [0] * problem.resources
    users: dict[int, set[int]] = {}
    for k, pick in enumerate(picks):
        for x in options[k][pick]:
            load[x] += 1
            users.setdefault(x, set()).add(k)

    def shift(k: int, pick: int) -> None:
        for x in options[k][picks[k]]:
            load[x] -= 1
            users[x].discard(k)
        picks[k] = pick
        for x in options[k][pick]:
            load[x] += 1
            users.setdefault(x, set()).add(k)

    def relieve(x: int, limit: int, depth: int, fixed: frozenset[int]) -> bool:
        """Bring a channel to the limit without lifting any other above it."""
        for k in sorted(users.get(x, ())):
            if k in fixed:
                continue
            old = picks[k]
            for pick, path in enumerate(options[k]):
                if pick == old or x in path:
                    continue
                shift(k, pick)
                full = [y for y in path if load[y] > limit]
                deeper = depth > 1 or not full
                if (
                    deeper
                    and all(relieve(y, limit, depth - 1, fixed | {k}) for y in full)
                    and all(load[y] <= limit for y in path)
                ):
                    return True
                shift(k, old)
        return False

    while True:
        largest = max(load)
        full = [x for x, value in enumerate(load) if value == largest]
        for x in full:
            while load[x] >= largest:
                if largest == 1 or not relieve(x, largest - 1, 3, frozenset()):
                    return max(load)


def _colour(chosen: Sequence[tuple[int, ...]]) -> IntArray:
    """Rounds of packets with two channels each: a bipartite graph is coloured by its degree."""
    from hopscape.collectives.colouring import colour_edges

    left, right = (np.asarray(side, dtype=np.int64) for side in zip(*chosen, strict=True))
    return colour_edges(left, right)[0]


def _decide(
    problem: _Problem, bound: int, used: int
) -> tuple[int, tuple[list[tuple[int, ...]], IntArray] | None]:
    """Close the gap by integer programs while they are small: a better bound, a better plan."""
    columns = sum(len(row) for row in problem.options)
    while bound < used:
        if columns * (1 if problem.by_crossbar else bound) > _MOST_BINARIES:
            return bound, None
        status, plan = _feasible(problem, bound)
        if status == "infeasible":
            bound += 1
        elif plan is not None:
            return bound, plan
        else:
            return bound, None
    return bound, None


def _feasible(
    problem: _Problem, rounds: int
) -> tuple[str, tuple[list[tuple[int, ...]], IntArray] | None]:
    """Is there a plan of so many rounds? By branch and bound (HiGHS), with a limit on its work."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    packet, column, row, names = _matrix(problem)
    layers = 1 if problem.by_crossbar else rounds
    count, rows, packets = len(packet), len(names), len(problem.options)
    shift = np.arange(layers)[:, None]
    capacity = csr_array(
        (
            np.ones(layers * len(column)),
            ((row + shift * rows).ravel(), (column + shift * count).ravel()),
        ),
        shape=(layers * rows, layers * count),
    )
    sums = csr_array(
        (np.ones(layers * count), (np.tile(packet, layers), np.arange(layers * count))),
        shape=(packets, layers * count),
    )
    result = milp(
        np.zeros(layers * count),
        integrality=np.ones(layers * count, dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(capacity, ub=rounds if problem.by_crossbar else 1),
            LinearConstraint(sums, 1, 1),
        ],
        options={"node_limit": _MOST_BRANCHES},
    )
    if result.status == 2:
        return "infeasible", None
    if result.x is None:
        return "open", None
    taken = np.nonzero(result.x > 0.5)[0]
    paths = [path for options in problem.options for path in options]
    chosen: list[tuple[int, ...]] = [()] * packets
    colours = np.zeros(packets, dtype=np.int64)
    for index in taken.tolist():
        layer, alternative = divmod(index, count)
        chosen[packet[alternative]] = paths[alternative]
        colours[packet[alternative]] = layer
    return "feasible", (chosen, _colour(chosen) if problem.by_crossbar else colours)
