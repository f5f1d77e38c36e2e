"""The worst partition by brute force, and bounds that it gives."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape import Goal, Network
from hopscape.collectives.contest import compete
from hopscape.collectives.loads import least_load
from hopscape.collectives.partitions import worst_partition
from hopscape.core.channels import ChannelClass

SPEEDS = (ChannelClass("plain", 1), ChannelClass("fast", 2), ChannelClass("faster", 5))


@st.composite
def networks(draw, most=6):
    """Connected, duplex, of several speeds, perhaps with switches."""
    n = draw(st.integers(3, most))
    node = st.integers(0, n - 1)
    links = [(draw(st.integers(0, v - 1)), v) for v in range(1, n)]
    links += draw(st.lists(st.tuples(node, node), max_size=n))
    switches = draw(st.lists(node, max_size=n - 2, unique=True)) if draw(st.booleans()) else []
    kinds = draw(st.lists(st.integers(0, 2), min_size=len(links), max_size=len(links)))
    return Network.from_links(
        n,
        *zip(*links),
        switches=np.array(sorted(switches), dtype=np.int64),
        classes=SPEEDS,
        kinds=kinds,
    )


def sides(network):
    """bool[sets, order]: all sets of nodes."""
    return np.array(list(product((False, True), repeat=network.order)))


def partitions(items):
    """All partitions of a list."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for i, part in enumerate(rest):
            yield [*rest[:i], [items[0], *part], *rest[i + 1 :]]


def slow_rounds(network):
    """The most rounds that any partition proves, each part with the best of all switches."""
    room, sets, ends = network.room(), sides(network), network.endpoints
    entering = [int(room[~s[network.tails] & s[network.heads]].sum()) for s in sets]
    narrow: dict[tuple[int, ...], int] = {}
    for s, width in zip(sets, entering, strict=True):
        part = tuple(ends[s[ends]].tolist())
        narrow[part] = min(width, narrow.get(part, width))
    best = 0.0
    for parts in partitions(ends.tolist()):
        if len(parts) > 1:
            width = sum(narrow[tuple(sorted(part))] for part in parts)
            best = max(best, 2 * (len(parts) - 1) / width)
    return best


@settings(deadline=None, max_examples=60, derandomize=True)
@given(networks())
def test_the_worst_partition_by_brute_force(network: Network) -> None:
    if network.endpoint_count < 2:
        return
    found = worst_partition(network)
    assert found is not None
    assert sorted(v for part in found.parts for v in part) == network.endpoints.tolist()
    assert float(found.rounds) == pytest.approx(slow_rounds(network))


@settings(deadline=None, max_examples=3, derandomize=True)
@given(networks(most=5))
def test_no_all_reduce_takes_less_than_the_bound(network: Network) -> None:
    if network.endpoint_count < 2:
        return
    found = compete(network, Goal.all_reduce(), {"alpha": 0.0, "delta": 0.0}, size=1e6)
    for entry in found.entries:
        assert entry.time(found.costs, 1e6) >= found.least_time(1e6) * (1 - 1e-9)


def three_boxes() -> Network:
    """Boxes of three with a fast switch each and a slow one between all."""
    ends = [(g, 9 + g // 3) for g in range(9)] + [(g, 12) for g in range(9)]
    classes = [ChannelClass("box", 7), ChannelClass("between", 1)]
    return Network.from_links(
        13, *zip(*ends), switches=np.arange(9, 13), classes=classes, kinds=[0] * 9 + [1] * 9
    )


def test_boxes_exchange_their_sums() -> None:
    """Three parts: four sums enter by nine lines, more than any node alone must take in."""
    net = three_boxes()
    assert least_load(net, Goal.all_reduce())[0] == pytest.approx(4 / 9)
    found = compete(net, Goal.all_reduce(), size=1e9)
    assert found.best.time(found.costs, 1e9) < 1.1 * found.least_time(1e9)
