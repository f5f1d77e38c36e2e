"""Disjoint words against all sets of walks, on small random quotients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.papers.torusbcast.words_kernels import FOUND, NONE, UNKNOWN, disjoint_words

pytestmark = pytest.mark.interpreted


def circulant(order, jumps):
    """Steps of a circulant graph, the port of -jump after that of each jump."""
    moves = [sign * jump for jump in jumps for sign in (1, -1)]
    return np.array([[(v + m) % order for m in moves] for v in range(order)], dtype=np.int32)


def link_numbers(steps, by_link):
    order, ports = steps.shape
    own = np.arange(order)[:, None] * ports + np.arange(ports)
    if not by_link:
        return own.astype(np.int32)
    back = steps.astype(np.int64) * ports + (np.arange(ports) ^ 1)
    return np.minimum(own, back).astype(np.int32)


def hops(steps, goal):
    far = np.full(len(steps), 127, dtype=np.int8)
    far[goal], queue = 0, [goal]
    for v in queue:
        for w in steps[v].tolist():
            if far[w] == 127:
                far[w] = far[v] + 1
                queue.append(w)
    return far


def walks(steps, links, port, goals, bound, nodes_too):
    """All words that begin by a port: (ports, nodes met, links held), ending at a target."""
    found, stack = [], [(int(steps[0, port]), (port,), {int(links[0, port])})]
    while stack:
        v, word, held = stack.pop()
        path = [0]
        for p in word:
            path.append(int(steps[path[-1], p]))
        if 0 in path[1:]:
            continue
        if nodes_too and (len(set(path)) < len(path) or any(w in goals for w in path[1:-1])):
            continue
        if v in goals:
            found.append((word, frozenset(path[1:]), frozenset(held)))
        if len(word) < bound:
            for p, w in enumerate(steps[v].tolist()):
                if int(links[v, p]) not in held:
                    stack.append((w, (*word, p), held | {int(links[v, p])}))
    return found


def slow_words(steps, links, goals, bound, nodes_too):
    """Is there one word per port, to different targets, none in the way of another?"""
    rows = [walks(steps, links, p, goals, bound, nodes_too) for p in range(steps.shape[1])]

    def end_of(word):
        at = 0
        for p in word:
            at = int(steps[at, p])
        return at

    def choose(port, served, nodes, held):
        if port == len(rows):
            return True
        return any(
            choose(port + 1, served | {end_of(word)}, nodes | met, held | used)
            for word, met, used in rows[port]
            if end_of(word) not in served and not used & held and not (nodes_too and met & nodes)
        )

    return choose(0, frozenset(), frozenset(), frozenset())


@settings(max_examples=80)
@given(st.integers(5, 12), st.data(), st.integers(1, 4), st.booleans(), st.booleans())
def test_words_are_found_exactly_when_there_are_some(order, data, bound, nodes_too, by_link):
    jump = st.integers(1, (order - 1) // 2)
    jumps = data.draw(st.lists(jump, unique=True, min_size=1, max_size=2))
    steps = circulant(order, jumps)
    links = link_numbers(steps, by_link)
    ports = steps.shape[1]
    goals = data.draw(
        st.lists(st.integers(1, order - 1), unique=True, min_size=ports, max_size=ports)
    )
    target = np.full(order, -1, dtype=np.int8)
    target[goals] = np.arange(ports)
    away = np.stack([hops(steps, goal) for goal in goals], axis=1)
    words = np.full((ports, bound + 1), -1, dtype=np.int8)
    nobody = np.empty(0, dtype=np.int32)
    args = (steps, links, away, target, bound, nodes_too, nobody)
    code = disjoint_words(*args, 10**6, words)
    assert code == (FOUND if slow_words(steps, links, goals, bound, nodes_too) else NONE)
    assert disjoint_words(*args, 0, words.copy()) == UNKNOWN
    if code == FOUND:
        check(steps, links, goals, words, nodes_too)


def check(steps, links, goals, words, nodes_too):
    paths, held = [], []
    for port, row in enumerate(words.tolist()):
        word = row[: row.index(-1)]
        assert word[0] == port
        assert set(row[len(word) :]) == {-1}
        path = [0]
        for p in word:
            held.append(int(links[path[-1], p]))
            path.append(int(steps[path[-1], p]))
        paths.append(path)
    assert sorted(path[-1] for path in paths) == sorted(goals)
    assert len(set(held)) == len(held)
    met = [v for path in paths for v in path[1:]]
    assert 0 not in met
    if nodes_too:
        assert len(set(met)) == len(met)


def test_paired_words_point_both_ways():
    """On ring(9) with goals 2 and 7, and on a torus-like circulant, pairs are mirror images."""
    for order, jumps, goals in ((9, [1], [2, 7]), (13, [1, 5], [2, 11, 3, 10])):
        steps = circulant(order, jumps)
        links = link_numbers(steps, True)
        target = np.full(order, -1, dtype=np.int8)
        target[goals] = np.arange(len(goals))
        away = np.stack([hops(steps, goal) for goal in goals], axis=1)
        mirror = (-np.arange(order) % order).astype(np.int32)
        words = np.full((steps.shape[1], 5), -1, dtype=np.int8)
        assert disjoint_words(steps, links, away, target, 4, True, mirror, 10**6, words) == FOUND
        both = words.copy()
        both[1::2] = np.where(words[::2] >= 0, words[::2] ^ 1, -1)
        check(steps, links, goals, both, True)
        assert (words[1::2] == -1).all()
