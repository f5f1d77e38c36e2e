"""Settings of the simulator: both ends of every range, and one step beyond."""

from __future__ import annotations

import pytest

from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.simulate import Settings, build_setup, layout

pytestmark = pytest.mark.interpreted

RANGES = [
    ("vcs", 1, 31),
    ("buffer", 1, 4096),
    ("routing_delay", 0, 100),
    ("vc_delay", 1, 100),
    ("switch_delay", 1, 100),
    ("traversal_delay", 1, 100),
    ("credit_delay", 0, 100),
    ("link_delay", 0, 1000),
    ("speedup", 1, 31),
    ("concentration", 1, 10_000),
    ("injectors", 1, 64),
    ("ejectors", 1, 64),
    ("ugal_bias", -1_000_000, 1_000_000),
]


@pytest.mark.parametrize(("name", "low", "high"), RANGES)
def test_ranges_end_where_they_should(name, low, high):
    for value in (low, high):
        assert getattr(Settings(**{"vcs": 31, name: value}), name) == value
    for value in (low - 1, high + 1, True, 1.5, None):
        with pytest.raises(ArgumentError, match=name):
            Settings(**{name: value})


@pytest.mark.parametrize("packet", [(), (0,), (1.5,), (1, -1), (1_000_001,)])
def test_packets_that_are_none(packet):
    with pytest.raises(ArgumentError, match="packet"):
        Settings(packet=packet)


@pytest.mark.parametrize("field", ["routing", "switching"])
def test_unknown_words(field):
    with pytest.raises(ArgumentError, match=field):
        Settings(**{field: "magic"})


def test_channels_are_simulated_as_they_are_or_refused():
    def pair(**kind):
        tails, heads = [0, 1], [1, 0]
        classes = [ChannelClass("odd", **kind)]
        return Network.from_links(2, tails, heads, duplex=False, classes=classes, kinds=[0, 0])

    with pytest.raises(ArgumentError, match="other capacity than 1"):
        build_setup(pair(speed=2), Settings())
    for delay in (2.5, 5000):
        with pytest.raises(ArgumentError, match="whole cycles from 0 to 1000"):
            build_setup(pair(delay=delay), Settings())
    assert build_setup(pair(delay=7), Settings()).lines[:2, layout.U_DELAY].tolist() == [7, 7]
