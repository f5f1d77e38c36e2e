"""Bits, random numbers and the books of packets against whole numbers and lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from hopscape.simulate import layout, packet_kernels

pytestmark = pytest.mark.interpreted


# Only kernels can call these functions: there is no entry for Python.


@njit
def random_bits(random, stream):
    return packet_kernels.random_bits(random, stream)


@njit
def random_unit(random, stream):
    return packet_kernels.random_unit(random, stream)


@njit
def ring_first(mask, start):
    return packet_kernels.ring_first(mask, start)


@njit
def fetch(array, row, column):
    packet_kernels.fetch(array, row, column)


@njit
def send_credit(credits, block, due, row):
    packet_kernels.send_credit(credits, block, due, row)


@njit
def send_flit(arrivals, block, due, row, flit):
    packet_kernels.send_flit(arrivals, block, due, row, flit)


@njit
def bury(scalars, ends, packets, who):
    packet_kernels.bury(scalars, ends, packets, who)


def slow_splitmix(state):
    """splitmix64 with Python's whole numbers: the new state and 64 bits."""
    full = 2**64 - 1
    state = (state + 0x9E3779B97F4A7C15) & full
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & full
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & full
    return state, z ^ (z >> 31)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=3), st.data())
def test_random_numbers_are_splitmix(states, data):
    stream = data.draw(st.integers(0, len(states) - 1))
    random, slow = np.array(states, dtype=np.uint64), list(states)
    with np.errstate(over="ignore"):
        for _ in range(3):
            slow[stream], bits = slow_splitmix(slow[stream])
            assert int(random_bits(random, stream)) == bits
            slow[stream], bits = slow_splitmix(slow[stream])
            assert random_unit(random, stream) == ((bits >> 11) + 1) / 2**53
        assert random.tolist() == slow


@given(st.integers(1, 2**62 - 1), st.integers(0, 61))
def test_first_bit_going_round(mask, start):
    rounds = [*range(start, 63), *range(start)]
    assert ring_first(np.int64(mask), start) == next(b for b in rounds if mask >> b & 1)


def test_hints_change_nothing():
    array = np.arange(6, dtype=np.int64).reshape(2, 3)
    fetch(array, 1, 2)
    assert array.tolist() == [[0, 1, 2], [3, 4, 5]]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9), st.integers(0, 1)), max_size=9))
def test_credits_and_flits_wait_on_their_wheels(sent):
    credits, arrivals = (np.zeros((8, width), dtype=np.int64) for width in (20, 38))
    starts = (0, 10), (0, 19)
    slow = [[[], []] for _ in range(8)]
    for due, row, block in sent:
        send_credit(credits, starts[0][block], due, row)
        send_flit(arrivals, starts[1][block], due, row, row + 1)
        slow[due % 8][block].append(row)
    for line, flits, rows in zip(credits, arrivals, slow, strict=True):
        for block in range(2):
            low, first = starts[0][block] + 1, starts[1][block] + 1
            assert line[low : low + line[low - 1]].tolist() == rows[block]
            found = flits[first : first + flits[first - 1]].tolist()
            assert found == [x for row in rows[block] for x in (row, row + 1)]


@given(st.permutations(range(5)), st.lists(st.integers(0, 9), min_size=5, max_size=5))
def test_packets_are_buried_once_and_their_numbers_used_again(turns, born):
    scalars = np.zeros(max(v for v in vars(layout).values() if isinstance(v, int)) + 1, np.int64)
    scalars[layout.BEGIN], scalars[layout.END], scalars[layout.IN_FLIGHT] = 3, 7, 5
    packets = np.zeros((5, 64), dtype=np.int64)
    packets[:, layout.BORN], packets[:, layout.TAILS] = born, 2
    gone, ends = [], np.zeros((1, layout.END_FIELDS), dtype=np.int64)
    packets[:, layout.SIZE], ends[0, layout.E_UNDERWAY] = 2, 10
    for lap in range(2):
        for who in turns:
            bury(scalars, ends, packets, who)
            gone += [who] if lap else []
            measured = sum(3 <= born[p] < 7 for p in gone)
            assert scalars[layout.LOST] == scalars[layout.FREE] == len(gone)
            assert scalars[layout.LOST_MEASURED] == measured
            assert scalars[layout.IN_FLIGHT] == 5 - len(gone)
            assert ends[0, layout.E_UNDERWAY] == 10 - 2 * len(gone)
    assert packets[:5, layout.SPARE].tolist() == gone
