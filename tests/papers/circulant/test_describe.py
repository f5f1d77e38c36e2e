"""What `circulant show` tells of a circulant, against searching."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from typer.testing import CliRunner

import hopscape
from commands import shown
from hopscape.cli.app import app
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError, HopscapeError, TooLargeError
from hopscape.core.network import Network
from hopscape.families.circulant.wiring import Circulant
from hopscape.metrics.summary import summarise
from hopscape.papers.circulant.describe import distance_figures
from plain_circulants import some_circulants


def test_exact_figures_beyond_a_search() -> None:
    """Five and seven generators above ten million nodes: the lattice says as much as it can."""
    for generators in ((1, 30, 900, 27000, 810000), (1, 7, 90, 1000, 20000, 300000, 4000000)):
        family = Circulant(10**7 + 19, generators)
        rough, figures = distance_figures(family), distance_figures(family, 3, exact=True)
        assert rough["mean_distance"] is None
        assert "counting takes" in rough["how"]["histogram"]
        assert sum(figures["histogram"]) == family.n
        assert not figures["how"]
        assert rough["diameter"] in (None, figures["diameter"])
        low, high = family.estimate("mean_distance").low, family.estimate("mean_distance").high
        assert low <= figures["mean_distance_exact"] <= high
        assert figures["nodes_within"] == sum(figures["histogram"][:4])


def test_facts_and_figures_against_search() -> None:
    """What `show` and `circulant` print, disconnected ones too."""
    for order, generators in some_circulants(250, seed=3):
        family = Circulant(order, generators)
        network = Network.of(family)
        far = distances_from(network, 0)
        reached = far[far >= 0]
        facts, figures = family.facts(), distance_figures(family, within=2)
        assert figures["histogram"] == np.bincount(reached).tolist()
        assert figures["nodes_within"] == np.count_nonzero(reached <= 2)
        assert figures["nodes_at"] == np.count_nonzero(reached == 2)
        assert facts.connected == (len(reached) == order)
        if not facts.connected:
            assert figures["diameter"] is facts.diameter is facts.mean_distance is None
            assert "not connected" in figures["how"]["diameter"]
            continue
        mean = Fraction(int(far.sum()), order - 1)
        assert figures["diameter"] == far.max()
        assert figures["mean_distance_exact"] == mean
        assert facts.diameter in (None, far.max())
        assert facts.mean_distance in (None, mean)
        if len(set(generators)) <= 2:
            assert (facts.diameter, facts.mean_distance) == (far.max(), mean)


@pytest.mark.parametrize(("b", "n"), [(3, 4), (5, 3), (7, 2), (9, 1)])
def test_mean_of_wong_coppersmith(b, n) -> None:
    network = hopscape.build(f"wong_coppersmith({b}, {n})")
    assert network.facts.mean_distance == Fraction(
        int(distances_from(network, 0).sum()), network.order - 1
    )


def test_what_is_not_known_is_bounded_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPSCAPE_MEMORY", "16G")  # whatever this machine has
    family = Circulant(10**11 + 3, (1, 7, 20, 7777, 123456, 1234567, 12345678, 123456789))
    record = summarise(Network.of(family))
    assert record["how"]["diameter"].startswith("at most; from 45 to ")
    assert record["how"]["mean_distance"].startswith("at most; from 39.5506 to ")
    assert record["mean_distance_exact"] is None
    with pytest.raises(TooLargeError, match="would need"):
        distance_figures(family, within=3)
    with pytest.raises(ArgumentError, match="-1"):
        distance_figures(Circulant(13, (1, 5)), within=-1)


def test_on_the_command_line() -> None:
    def run(*words: str) -> str:
        return " ".join(shown(*words).split())

    assert "diameter 5 " in run("circulant", "circulant(48, 1, 20)")
    assert "2500000009 (closed form)" in run("show", "circulant(100000000003, 1, 20)")
    other = run("circulant", "circulant(21, 1, 3, 8)", "--like", "circulant(21, 1, 2, 3)")
    assert "multiplier none" in other
    blocked = [f"--dead={v}" for v in (1, 20, 5, 16)]
    cut_off = run("circulant", "circulant(21, 1, 5)", "--from", "0", "--to", "9", *blocked)
    assert "hops not delivered hops_if_known there is no route" in cut_off
    for spec in ("circulant(1)", "circulant(2)", "circulant(2, 1)", "circulant(6, 2, 4)"):
        assert " - " not in run("circulant", spec)
    far = run("circulant", "circulant(1000000000039, 1, 20, 77777)", "--node", "9", "--root", "5")
    assert "hears of" in far
    for words in (["--root", "3"], ["--within", "-2"], ["--node", "x"]):
        result = CliRunner().invoke(app, ["circulant", "circulant(48, 1, 20)", *words])
        assert isinstance(result.exception, HopscapeError), words
