"""Facts come at once: distances of large slices are left to figures with an estimate."""

from __future__ import annotations

import pytest

import hopscape


@pytest.mark.parametrize(
    ("spec", "known"),
    [("ring_of_cycles(tofu(4, 6, 6), 1)", False), ("ring_of_cycles(complete(4), 2)", True)],
)
def test_links_need_no_distances_of_a_large_slice(spec: str, known: bool) -> None:
    network = hopscape.build(spec)
    assert network.links == network.order * network.degree // 2
    assert network.facts.girth is not None or not known
    assert ("distances" in vars(network.family.slice)) is known  # type: ignore[union-attr]
