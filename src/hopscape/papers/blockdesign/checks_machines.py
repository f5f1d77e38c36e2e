"""Checks of the claims about two-level machines (chapters 1, 5 and 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.network import Network
from hopscape.families.classic import Complete
from hopscape.ledger.claim import Correction, Outcome, Searched, Tally, judge
from hopscape.ledger.crosscheck import CrossCheck
from hopscape.metrics import channel_load
from hopscape.papers.blockdesign import printed
from hopscape.papers.blockdesign.families import (
    DistributedSwitch,
    PartialSwitch,
    QuasicompleteDigraph,
)
from hopscape.papers.blockdesign.machines import (
    jumps_from,
    paper_machines,
    reserve_jumps,
    supernode_count,
)
from hopscape.papers.blockdesign.two_level import TwoLevel

_SEED = 36
"""Of the endpoints that are drawn."""


def _complete(n: int) -> Network:
    return Network.of(Complete(n))


def _inside(size: int) -> Network:
    """The supernode of 39 or 49 nodes."""
    if size == printed.DIGRAPH:
        return Network.of(QuasicompleteDigraph(7))
    return Network.of(PartialSwitch(size, printed.CHANNELS["K1"]))


def _original() -> Network:
    """Blue Waters, with its kinds of channels."""
    outer = _complete(printed.SUPERNODES)
    speeds = tuple(printed.SPEEDS.values())
    return Network.of(
        TwoLevel(_complete(printed.SUPERNODE), outer, 1, printed.GROUPS[1], (), speeds)
    )


def _wires(network: Network, supernode: int, size: int) -> IntArray:
    """What the ports of a supernode's nodes lead to; -1 where nothing is wired."""
    nodes = np.arange(supernode * size, (supernode + 1) * size)
    rows: IntArray = network.family.neighbours(nodes)  # type: ignore[union-attr]
    return rows


def _kinds(network: Network) -> list[Counter[str]]:
    """Channels of each node of supernode 0 by kind, told by where they lead."""
    size, group = printed.SUPERNODE, printed.GROUPS[1]
    kinds = []
    for node, row in enumerate(_wires(network, 0, size)):
        heads = np.setdiff1d(row[row >= 0], [node])
        inside = heads < size
        own = inside & (heads // group == node // group)
        kinds.append(Counter({"K1": int(own.sum()), "K2": int((inside & ~own).sum()),
                              "K3": int((~inside).sum())}))  # fmt: skip
    return kinds


def ports() -> Outcome:
    network = _original()
    wanted = Counter(printed.CHANNELS)
    cross = CrossCheck()
    nodes = cross.tally.each("nodes of a supernode", enumerate(_kinds(network)), 32)
    wrong = [f"node {v} has {dict(kinds)}" for v, kinds in nodes if kinds != wanted]
    cross.same("ports", paper_machines()[0].ports, sum(_kinds(network)[0].values()))
    rows = network.family.classes_at(np.arange(printed.SUPERNODE))  # type: ignore[union-attr]
    names = [kind.speed for kind in network.classes]
    speeds = Counter(names[k] for k in rows[0] if k >= 0)
    want = Counter({printed.SPEEDS[k]: count for k, count in printed.CHANNELS.items()})
    if speeds != want:
        wrong.append(f"node 0 has channels of speeds {dict(speeds)}")
    total = sum(_kinds(network)[0].values())
    text = f"{total} channels of a node, by where they lead: {dict(_kinds(network)[0])}"
    if total != sum(printed.CHANNELS.values()):
        wrong.append(f"{total} channels in all")
    return cross.judge(wrong, text)


def groups() -> Outcome:
    """All pairs of a supernode joined, those of a group by the fastest channels."""
    network, size = _original(), printed.SUPERNODE
    many, group = printed.GROUPS
    rows = _wires(network, 0, size)
    kinds = network.family.classes_at(np.arange(size))  # type: ignore[union-attr]
    wrong, fast, tally = [], 0, Tally()
    tally.expect("ordered pairs", 32 * 31)
    for a in range(size):
        joined = [
            (int(b), network.classes[k].speed) for b, k in zip(rows[a], kinds[a]) if 0 <= b < size
        ]
        if sorted(b for b, _ in joined) != [b for b in range(size) if b != a]:
            wrong.append(f"node {a} is joined to {len(joined)} nodes of its supernode")
        for b, speed in tally.each("ordered pairs", joined):
            same = a // group == b // group
            fast += same
            if speed != printed.SPEEDS["K1" if same else "K2"]:
                wrong.append(f"{a} and {b} are joined at speed {speed}")
    if many * group != size:
        wrong.append(f"{many} groups of {group} are {many * group} nodes")
    text = f"{fast // 2} of {size * (size - 1) // 2} pairs joined by K1, the rest by K2"
    return judge(wrong, text, searched=tally)


def _joined(network: Network, size: int, count: int, copies: int, tally: Tally) -> list[str]:
    """Exceptions to: four supernodes have `copies` channels to each other one."""
    wrong = []
    for supernode in tally.each("supernodes", sorted({0, 1, count // 2, count - 1}), 4):
        rows = _wires(network, supernode, size)
        heads = rows[(rows >= 0) & (rows < size * count)]
        channels = Counter((heads // size).tolist())
        channels.pop(supernode, None)
        if set(channels) != set(range(count)) - {supernode} or set(channels.values()) != {copies}:
            wrong.append(
                f"supernode {supernode} is joined to {len(channels)} of {count - 1} others"
            )
    return wrong


def supernode_channels() -> Outcome:
    network, size = _original(), printed.SUPERNODE
    rows = _wires(network, 0, size)
    heads = rows[rows >= size]
    tally = Tally()
    tally.expect("wires", 32 * (7 + 24 + 16))
    tally.add("wires", int((rows >= 0).sum()))
    wrong = [] if len(heads) == printed.SUPERNODE_CHANNELS else [f"{len(heads)} channels K3"]
    if len(set((heads // size).tolist())) != len(heads):
        wrong.append(
            f"{len(heads)} channels lead to {len(set((heads // size).tolist()))} supernodes"
        )
    text = f"{len(heads)} channels K3 of supernode 0, all to different supernodes"
    return judge(wrong, text, searched=tally)


def original_count() -> Outcome:
    cross = CrossCheck()
    size, links = printed.SUPERNODE, printed.CHANNELS["K3"]
    network = _original()
    cross.same("supernodes", supernode_count(size, links), size * links + 1)
    wrong = _joined(network, size, printed.SUPERNODES, 1, cross.tally)
    if size * links + 1 != printed.SUPERNODES:
        wrong.append(f"{size}·{links} + 1 = {size * links + 1}")
    text = f"each of {printed.SUPERNODES} supernodes is joined to {size * links} others"
    return cross.judge(wrong, text)


def processors() -> Outcome:
    cross = CrossCheck()
    nodes = _original().endpoint_count
    cross.same("nodes", paper_machines()[0].nodes, nodes)
    total = nodes * printed.PROCESSORS_PER_NODE
    wrong = [] if total > printed.PROCESSORS else [f"{total} processors"]
    cross.same("nodes by counting", nodes, printed.SUPERNODES * printed.SUPERNODE)
    text = f"{nodes} nodes, {total} processors, {total - printed.PROCESSORS} more than 64K"
    counts = [
        [m.size, m.local_switches, m.local_cables, m.global_ports, m.copies, m.supernodes,
         m.global_switches, m.global_cables, m.ports]
        for m in paper_machines()
    ]  # fmt: skip
    return cross.judge(wrong, text, values={"machines": counts})


def count(size: int, links: int, copies: int, stated: int) -> Outcome:
    """As many supernodes as the channels allow, built, and held against the printed number."""
    cross = CrossCheck()
    supernodes = size * links // copies + 1
    cross.same("supernodes", supernode_count(size, links, copies), supernodes)
    network = Network.of(TwoLevel(_inside(size), _complete(supernodes), copies))
    cross.wrong += _joined(
        network, size, supernodes, copies, cross.tally
    )  # a broken machine refutes nothing
    pairs = _supernode_pairs(network, size, supernodes)
    outer = [int((row >= 0).sum()) for row in _wires(network, 0, size)]
    inside = [int((row >= 0).sum()) for row in _inside(size).family.neighbours(np.arange(size))]  # type: ignore[union-attr]
    most = max(a - b for a, b in zip(outer, inside, strict=True))
    if most != links:
        cross.wrong.append(f"a node has {most} channels to other supernodes, not {links}")
    wrong = []
    if supernodes != stated:
        wrong.append(
            f"{supernodes} supernodes are joined, {supernodes - stated:+d} against the print"
        )
    return cross.judge(
        wrong,
        f"{size}·{links}/{copies} + 1 = {supernodes} supernodes built, {most} outer"
        " channels at a node",
        values={"supernodes": supernodes, "nodes": supernodes * size, "channels of a node": most},
        searched=[
            Searched("channels between supernodes", pairs, copies * supernodes * (supernodes - 1))
        ],
    )


def _supernode_pairs(network: Network, size: int, count: int) -> int:
    """Channels that lead from a supernode to another one, each pair as often as it is joined.

    A pair that is joined more often than the pair of supernodes 0 and 1 is not counted.
    """
    most = int((_wires(network, 0, size) // size == 1).sum())
    total = 0
    for first in range(0, count, 64):  # wires of 64 supernodes at a time
        groups = np.arange(first, min(first + 64, count))
        nodes = (groups[:, None] * size + np.arange(size)).ravel()
        rows: IntArray = network.family.neighbours(nodes)  # type: ignore[union-attr]
        to = np.where((rows >= 0) & (rows < size * count), rows // size, -1)
        own = np.repeat(groups, size)[:, None]
        used = (to >= 0) & (to != own)
        pair = (own * count + to)[used]
        total += int(np.minimum(np.unique(pair, return_counts=True)[1], most).sum())
    return total


def times_513() -> Outcome:
    size, links, copies, _ = printed.COUNTS["1561"]
    more = (size * links // copies + 1) / (printed.SUPERNODE * printed.CHANNELS["K3"] + 1)
    machine = {m.name: m for m in paper_machines()}
    cross = CrossCheck()
    library = machine["RPK supernode"].supernodes / machine["Blue Waters"].supernodes
    cross.same("ratio of supernodes", library, more)
    wrong = [] if more > printed.TIMES_513 else [f"{more:.3f} times"]
    return cross.judge(wrong, f"{more:.3f} times as many supernodes")


def several_times() -> Outcome:
    """Nodes in all, and nodes that the fastest channels join, against the original machine."""
    cross, wrong, parts = CrossCheck(), [], []
    before = printed.SUPERNODE * printed.SUPERNODES
    machine = {m.name: m for m in paper_machines()}
    new = (("RPK supernode", printed.COVER[0]), ("digraph supernode", printed.DIGRAPH))
    for name, size in cross.tally.each("machines", new, 2):
        nodes = size * (size * (printed.CHANNELS["K2"] + printed.CHANNELS["K3"]) + 1)
        cross.same(f"{name}: nodes", machine[name].nodes, nodes)
        cross.same(f"{name}: nodes of a supernode", machine[name].size, size)
        parts.append(f"{name} {nodes / before:.2f} and {size / printed.GROUPS[1]:.2f}")
        if min(nodes / before, size / printed.GROUPS[1]) < printed.TIMES:
            wrong.append(parts[-1])
    return cross.judge(wrong, f"times as many nodes, and nodes joined by K1: {'; '.join(parts)}")


def same_ports() -> Outcome:
    """A node of the new machines has as many channels of each kind as before."""
    wrong, parts, tally = [], [], Tally()
    tally.expect("nodes", 39 + 49)
    for key in ("1561", "1960"):
        size, links, copies, _ = printed.COUNTS[key]
        total = size * links // copies + 1
        network = Network.of(TwoLevel(_inside(size), _complete(total), copies))
        rows = _wires(network, 0, size)
        ends = size * total
        nodes = tally.each("nodes", enumerate(rows))
        heads = [set(row[row >= 0].tolist()) - {node} for node, row in nodes]
        own = {sum(b < size or b >= ends for b in row) for row in heads}
        outer = {sum(size <= b < ends for b in row) for row in heads}
        parts.append(f"{size} nodes: {max(own)} + {max(outer)}")
        if own != {printed.CHANNELS["K1"]}:
            wrong.append(f"{size} nodes: {sorted(own)} channels inside")
        if max(outer) > printed.CHANNELS["K2"] + printed.CHANNELS["K3"]:
            wrong.append(f"{size} nodes: {max(outer)} channels to other supernodes")
    return judge(wrong, f"channels inside and outside, {'; '.join(parts)}", searched=tally)


def all_wires(network: Network) -> IntArray:
    rows: IntArray = network.family.neighbours(np.arange(network.order))  # type: ignore[union-attr]
    return rows


def jumps(network: Network, rows: IntArray, source: int) -> IntArray:
    """Jumps from an endpoint to all nodes along these wires, level by level; -1: no path."""
    switch = np.ones(network.order + 1, dtype=bool)  # the last entry stands for no wire
    switch[network.endpoints] = False
    switch[-1] = False
    out = np.full(network.order, -1)
    layer, step = np.array([source]), 0
    while len(layer):
        out[layer] = step
        step += 1
        new = np.zeros(network.order + 1, dtype=bool)
        crossed = np.zeros(network.order + 1, dtype=bool)
        while len(layer):  # crossbars are passed for free
            new[rows[layer].ravel()] = True
            layer = np.nonzero(new & switch & ~crossed)[0]
            crossed[layer] = True
        layer = np.nonzero(new[:-1] & ~switch[:-1] & (out < 0))[0]
    return out


def _compare(cross: CrossCheck, what: str, library: IntArray, walked: IntArray) -> None:
    """Keep the first disagreement of two rows."""
    wrong = np.nonzero(library != walked)[0]
    if len(wrong):
        k = int(wrong[0])
        cross.same(f"{what} to {k}", int(library[k]), int(walked[k]))


def _drawn(network: Network) -> list[int]:
    """Three endpoints, from a seed."""
    chosen: list[int] = np.random.default_rng(_SEED).choice(network.endpoints, 3).tolist()
    return chosen


def _farthest(cross: CrossCheck, network: Network, sources: Sequence[int], nodes: int) -> int:
    """Most jumps from these of so many nodes, counted here and by the library."""
    hops, ends, rows = 0, network.endpoints, all_wires(network)
    for source in cross.tally.each("sources", sources, 2 + 3):
        mine = jumps(network, rows, source)[ends]
        theirs = jumps_from(network, source)[ends]
        cross.tally.expect("endpoints", nodes)
        cross.tally.add("endpoints", int((mine >= 0).sum()))
        _compare(cross, f"jumps from {source}", theirs, mine)
        if not network.has_switches:
            routed = network.router().distances(np.full(len(ends), source), ends)
            _compare(cross, f"routes from {source}", routed, mine)
        hops = max(hops, int(mine.max())) if mine.min() >= 0 else -1
    return hops


def original_jumps() -> Outcome:
    cross = CrossCheck()
    nodes = printed.SUPERNODE * printed.SUPERNODES
    hops = _farthest(cross, _original(), (0, 9, *_drawn(_original())), nodes)
    wrong = [] if 0 <= hops <= printed.JUMPS else [f"{hops} jumps"]
    text = f"at most {hops} jumps from five nodes to all {_original().endpoint_count}"
    return cross.judge(wrong, text)


def crossbar_jumps() -> Outcome:
    """The machines of chapter 6: one crossbar 32 x 32 for each supernode."""
    cross, wrong, parts = CrossCheck(), [], []
    size = printed.SUPERNODE
    both: tuple[tuple[str, DistributedSwitch | QuasicompleteDigraph, int], ...] = (
        ("graph", DistributedSwitch(993, 32, 1), 32 * 31 + 1),
        ("digraph", QuasicompleteDigraph(32), 32 * 32),
    )
    for name, outer, supernodes in cross.tally.each("machines", both, 2):
        network = Network.of(TwoLevel(_complete(size), Network.of(outer)))
        hops = _farthest(cross, network, (0, 5, *_drawn(network)), size * supernodes)
        parts.append(f"{name} of {outer.n}: {hops}")
        if not 0 <= hops <= printed.JUMPS:
            wrong.append(f"{name} of {outer.n} supernodes: {hops} jumps")
    return cross.judge(wrong, f"jumps from five nodes to all others, {', '.join(parts)}")


def fewer_channels() -> Outcome:
    """Channels K3 of a node, with crossbars and with a complete graph of supernodes."""
    wrong, parts, tally = [], [], Tally()
    tally.expect("nodes of a supernode", 2 * 32)
    size = printed.SUPERNODE
    for outer in (DistributedSwitch(993, 32, 1), QuasicompleteDigraph(32)):
        network = Network.of(TwoLevel(_complete(size), Network.of(outer)))
        rows = _wires(network, 0, size)
        outer_channels = (rows >= size).sum(axis=1)
        tally.add("nodes of a supernode", len(outer_channels))
        if len(np.unique(rows[rows >= size])) != size:
            wrong.append(f"{outer.n} supernodes: two nodes are wired to the same crossbar")
        full = -(-(outer.n - 1) // size)
        parts.append(f"{outer.n} supernodes: {int(outer_channels.max())} of {full}")
        if (
            int(outer_channels.max()) != printed.CROSSBAR_CHANNELS
            or full <= printed.CROSSBAR_CHANNELS
        ):
            wrong.append(f"{outer.n} supernodes: {int(outer_channels.max())} channels K3 of a node")
    text = f"channels K3 of a node, of those a complete graph needs: {'; '.join(parts)}"
    return judge(wrong, text, searched=tally)


def one_channel() -> Outcome:
    """Uniform traffic through one channel K3 of a node, and through a complete graph."""
    cross = CrossCheck()
    size, supernodes = 8, 57
    network = Network.of(TwoLevel(_complete(size), Network.of(DistributedSwitch(57, 8, 1)),
                                  1, 0, (), (5, 2)))  # fmt: skip
    full = Network.of(TwoLevel(_complete(size), _complete(supernodes), 1, 0, (), (5, 2)))
    nodes = size * supernodes
    leaving = (nodes - size) / (nodes - 1)  # share of a node's traffic to other supernodes
    bound = printed.SPEEDS["K3"] / leaving
    one, many = channel_load(network).throughput, channel_load(full).throughput
    outer = (size * supernodes - size) // size
    if one > bound + 1e-9:
        cross.wrong.append(f"throughput {one:.3f} above the bound {bound:.3f} of its channels")
    top = outer * printed.SPEEDS["K3"] / size / leaving
    if many > top + 1e-9:
        cross.wrong.append(f"throughput {many:.3f} above the bound {top:.3f} of its channels")
    wrong = [] if one < many / printed.TIMES else [f"{one:.2f} against {many:.2f}"]
    return cross.judge(
        wrong,
        f"packets per node: {one:.3f} by one channel, {many:.3f} by a complete graph,"
        " 57 supernodes",
    )


def reserve() -> Outcome:
    """A dead channel between two supernodes: both machines built in full."""
    cross, longest = CrossCheck(), []
    for key in cross.tally.each("machines", ("1561", "781"), 2):
        size, links, copies, _ = printed.COUNTS[key]
        total = size * links // copies + 1
        network = Network.of(TwoLevel(_inside(size), _complete(total), copies))
        rows = all_wires(network)
        outer = (rows[:size] >= size) & (rows[:size] < 2 * size)
        source, port = np.argwhere(outer)[0]
        mine = []
        for cut in cross.tally.each("states", (False, True), 2):
            if cut:
                there = int(rows[source, port])
                rows[there, np.nonzero(rows[there] == source)[0][0]] = -1
                rows[source, port] = -1
            sources = cross.tally.each("sources, whole and broken", range(0, size, 13), 3)
            hops = [jumps(network, rows, s)[size : 2 * size].max() for s in sources]
            mine.append(int(max(hops)))
        whole, broken = reserve_jumps(network, every=13)
        cross.same(f"{total} supernodes: jumps", (whole, broken), tuple(mine))
        longest.append((mine[0], mine[1]))
    (single, five), (double, three) = longest
    wrong = [] if (five, three) == printed.RESERVE else [f"{five} and {three} jumps"]
    right = [] if single == double == three == printed.RESERVE[1] < five else wrong
    text = f"jumps whole and with a dead channel: single {longest[0]}, doubled {longest[1]}"
    note = f"{printed.RESERVE[1]} holds; with single channels the reserve path has {five}"
    return cross.judge(wrong, text, Correction(note, right))
