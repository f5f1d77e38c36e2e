"""Topologies that BookSim builds itself, read back: wiring, ways and latencies."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import hopscape
from commands import refused
from hopscape.core.distances import distance_rows
from hopscape.deadlock.sources import source_routes
from hopscape.formats.booksim import booksim, read_booksim, write_booksim
from hopscape.formats.booksim_native import native_setup
from hopscape.simulate import Settings

FLATFLY = {"topology": "flatfly", "k": 4, "n": 2, "c": 4, "x": 4, "y": 4, "xr": 2, "yr": 2,
           "use_noc_latency": 0, "routing_function": "ran_min"}  # fmt: skip
FATTREE = {"topology": "fattree", "k": 4, "n": 3, "routing_function": "nca"}
DRAGONFLY = {"topology": "dragonflynew", "k": 2, "n": 1, "routing_function": "min"}


def _file(tmp_path: Path, values: dict[str, object], **more: object) -> Path:
    path = tmp_path / "network.cfg"
    said = {"injection_rate_uses_flits": 1, "sample_period": 4000, **values, **more}
    path.write_text("\n".join(f"{key} = {value};" for key, value in said.items()) + "\n")
    return path


@pytest.mark.parametrize(
    ("values", "more", "latency", "hops"),
    [
        (FLATFLY, {"injection_rate": 0.02}, 14.5474, 2.50136),
        (FLATFLY, {"injection_rate": 0.3}, 15.6963, 2.49965),
        (FLATFLY, {"use_noc_latency": 1, "traffic": "transpose"}, 18.2756, 2.5007),
        (FLATFLY, {"traffic": "tornado"}, 17.1891, 3),
        (FATTREE, {"injection_rate": 0.3}, 25.6449, 4.3727),
        (FATTREE, {"injection_rate": 0.1, "traffic": "neighbor"}, 27.0437, 5),
        (DRAGONFLY, {"injection_rate": 0.02}, 120.232, 3.29389),
    ],
)
def test_latencies_are_those_that_booksim_printed(tmp_path, values, more, latency, hops):
    """BookSim 2, commit 28f4329, seed 0, run on the same file."""
    found = booksim(_file(tmp_path, values, **more))
    assert found["latency"] == pytest.approx(latency, rel=0.01)
    assert found["hops"] == pytest.approx(hops, rel=0.01)
    assert not found["unstable"]


@pytest.mark.parametrize(
    ("spec", "values"),
    [
        ("hyperx([4, 4], p=4)", FLATFLY),
        ("kary_ntree(4, 3)", FATTREE),
        ("kary_ntree(2, 4)", FATTREE | {"k": 2, "n": 4}),
        ("dragonfly(4, 2, p=2)", DRAGONFLY),
    ],
)
def test_wiring_has_the_distances_of_the_family(spec, values):
    """Endpoints two hops further apart than their routers, which here are the nodes."""
    found = native_setup(values)
    network = found.network
    home = np.repeat(network.endpoints, found.concentration)
    ours = hopscape.build(spec)
    theirs = distance_rows(network, home)[:, home].astype(np.int64) + 2
    np.fill_diagonal(theirs, 0)
    mine = distance_rows(ours, ours.endpoints)[:, ours.endpoints].astype(np.int64)
    if values["topology"] == "dragonflynew":  # global links may stand elsewhere
        assert network.links == ours.links - ours.endpoint_count
        assert theirs.max() == mine.max()
    else:
        assert np.array_equal(np.sort(theirs, axis=1), np.sort(mine, axis=1))


def test_a_fat_tree_draws_from_every_way_up_evenly():
    found = native_setup(FATTREE | {"k": 2, "n": 3})
    routes = source_routes(found.network, found.router)
    order, heads = found.network.order, found.network.heads
    for a, b in product(range(4), repeat=2):
        ways = range(routes.first[a * order + b], routes.first[a * order + b + 1])
        height = 0 if a == b else 1 if a // 2 == b // 2 else 2
        assert len(ways) == (2**height if height else 0)
        tops = set()
        for i, way in enumerate(ways):
            steps = routes.channels[routes.starts[way] : routes.starts[way + 1]]
            assert len(steps) == 2 * height
            assert heads[steps[-1]] == b
            tops.add(int(heads[steps[height - 1]]))
            assert routes.shares[way] == pytest.approx((i + 1) / 2**height)
        assert len(tops) == len(ways)


@pytest.mark.parametrize("ports", [1, 2, 3])
def test_a_dragonfly_takes_one_global_link_and_two_virtual_channels(ports):
    found = native_setup(DRAGONFLY | {"k": ports})
    network, group = found.network, 2 * ports
    routes = source_routes(network, found.router)
    classes = routes.behind(found.router.gates())
    for pair in range(network.order**2):
        a, b = divmod(pair, network.order)
        for way in range(routes.first[pair], routes.first[pair + 1]):
            place = slice(routes.starts[way], routes.starts[way + 1])
            steps = routes.channels[place]
            crossed = [network.tails[c] // group != network.heads[c] // group for c in steps]
            assert sum(crossed) == (a // group != b // group)
            assert network.tails[steps[0]] == a
            assert network.heads[steps[-1]] == b
            assert (np.diff(network.tails[steps]) != 0).all()
            seen = np.logical_or.accumulate(crossed)
            assert classes[place].tolist() == seen.astype(int).tolist()


@pytest.mark.parametrize(
    "spec",
    ["hyperx([4, 4], p=4)", "hyperx([3, 3], p=1)", "kary_ntree(2, 3)", "dragonfly(2, 1, p=1)"],
)
def test_what_is_handed_over_is_read_back(tmp_path, spec):
    network = hopscape.build(spec)
    assert write_booksim(network, Settings(), tmp_path / "n.cfg", load=0.01).wiring is None
    job = read_booksim(tmp_path / "n.cfg")
    setup = job.setup()
    assert setup.endpoints == network.endpoint_count
    assert setup.certificate.deadlock_free


@pytest.mark.parametrize(
    ("values", "more", "said"),
    [
        (FLATFLY, {"routing_function": "valiant"}, "choose ran_min"),
        (FLATFLY, {"c": 3}, "square"),
        (FLATFLY, {"x": 8}, "x = 8"),
        (FLATFLY, {"c": 16, "xr": 4, "yr": 4, "use_noc_latency": 1}, "several cycles"),
        (FATTREE, {"n": 1}, "two levels"),
        (FATTREE, {"k": 1}, "at least 2"),
        (DRAGONFLY, {"n": 2}, "n = 2"),
        (DRAGONFLY, {"num_vcs": 1}, "uses 2"),
        (DRAGONFLY, {"k": 2000}, "at most"),
        (DRAGONFLY, {"traffic": "tornado"}, "in a grid of 2"),
        ({"topology": "qtree"}, {}, "flatfly, fattree, dragonflynew"),
    ],
)
def test_what_is_not_known_is_refused_in_a_sentence(tmp_path, values, more, said):
    assert said in refused("simulate", "--booksim", str(_file(tmp_path, values, **more)))
