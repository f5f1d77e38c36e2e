"""Edge colourings of any bipartite multigraph, checked edge by edge."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hopscape.collectives.colouring import colour_edges

pytestmark = pytest.mark.interpreted


def is_proper(edges, colours):
    """No two edges of one colour share an end."""
    ends = [((side, end), c) for edge, c in zip(edges, colours) for side, end in enumerate(edge)]
    return len(set(ends)) == len(ends)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(-3, 4)), max_size=40))
@example([(0, 0), (0, 1), (1, 2), (1, 1)])  # for the last edge two colours have to be swapped
def test_as_many_colours_as_the_largest_degree(edges):
    left, right = [u for u, _ in edges], [v for _, v in edges]
    found, count = colour_edges(np.array(left, dtype=np.int64), np.array(right, dtype=np.int64))
    degrees = [*Counter(left).values(), *Counter(right).values()]
    assert count == max(degrees, default=0)  # König: enough, and fewer never are
    assert is_proper(edges, found.tolist())
    assert set(found.tolist()) <= set(range(count))


def test_the_twin_can_say_no():
    assert not is_proper([(0, 0), (0, 1)], [2, 2])
    assert not is_proper([(0, 0), (1, 0)], [2, 2])
    assert is_proper([(0, 0), (0, 1), (1, 0)], [1, 2, 2])
