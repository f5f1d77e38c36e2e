"""Windows of the sources, and traffic that would jam without them."""

from __future__ import annotations

import pytest

import hopscape
from hopscape.simulate import Settings, build_setup, layout, run_point
from hopscape.simulate.jobs import traffic_for


@pytest.mark.parametrize("spec", ["mesh(4, 4)", "ring(16)", "rpc(4)"])
def test_windows_unless_told_otherwise(spec):
    network = hopscape.build(spec)
    for word, answer in {"auto": True, "none": False, "delay": True}.items():
        setup = build_setup(network, Settings(window=word))
        assert bool(setup.fabric.numbers[layout.N_WINDOW]) is answer, word


def accepted(spec, pattern, load, **options):
    setup = build_setup(hopscape.build(spec), Settings(**options))
    traffic = traffic_for(setup, pattern, 1)
    return run_point(setup, traffic, load, warmup=1000, cycles=1000).accepted


@pytest.mark.parametrize(
    ("spec", "pattern", "packet", "most"),
    [
        # without windows these keep 42 to 67 % of the most that they accept
        ("mesh(8, 8)", "bit-complement", 1, 0.24),
        ("mesh(8, 8)", "tornado", 4, 0.27),
        ("circulant(128, 1, 47)", "tornado", 1, 0.2),
        ("circulant(100, 1, 18)", "tornado", 1, 0.25),
        ("torus(8, 8)", "tornado", 4, 0.25),
        ("torus(8, 8)", "bit-complement", 16, 0.44),
    ],
)
def test_traffic_that_a_family_did_not_expect_is_carried_beyond_saturation(
    spec, pattern, packet, most
):
    for factor in (1.5, 2.0):
        assert accepted(spec, pattern, factor * most, packet=(packet,)) > 0.9 * most, factor


def test_without_windows_tornado_traffic_jams():
    assert accepted("torus(8, 8)", "tornado", 0.5, window="none") < 0.7 * 0.25


@pytest.mark.parametrize("packet", [1, 16])
def test_windows_cost_uniform_traffic_little(packet):
    """Where nothing jams, the peak is within 5 % of that without windows."""
    most = {
        window: accepted("torus(8, 8)", "uniform", 1.0, packet=(packet,), window=window)
        for window in ("auto", "none")
    }
    assert most["auto"] > 0.95 * most["none"]
