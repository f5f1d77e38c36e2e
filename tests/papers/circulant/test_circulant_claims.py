"""The paper on circulants: its own search for distances against that over wires."""

from __future__ import annotations

import numpy as np
import pytest

from hopscape.core.distances import distances_from
from hopscape.core.network import Network
from hopscape.families.circulant.wiring import Circulant
from hopscape.papers.circulant.printed import distances


@pytest.mark.parametrize(
    ("nodes", "generators"), [(1, ()), (2, (1,)), (12, (2, 4)), (48, (1, 24, 20)), (55, (1, 5, 21))]
)
def test_search_on_numbers_is_search_over_wires(nodes: int, generators: tuple[int, ...]) -> None:
    over_wires = distances_from(Network.of(Circulant(nodes, generators)), 0)
    assert np.array_equal(distances(nodes, generators), over_wires)
