"""What the page is told: the payload says what the network is, and no more than fits."""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import hopscape
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.network import Network
from hopscape.show.draw.lines import bent_line
from hopscape.show.explore import page, payload
from hopscape.show.explore.packing import number_links, pack, unpack
from hopscape.show.explore.page import script_safe
from hopscape.show.explore.payload import router_rule

BARE: dict[str, Any] = {"schedules": (), "traffic": (), "bisection": False, "deadlock": False}
SPECS = [
    "torus(4, 3)",
    "mesh(4, 4)",
    "petersen",
    "kautz(2, 2)",
    "fat_tree(4)",
    "circulant(13, 1, 5)",
    "hypercube(4)",
    "trunked(ring(5), 2)",
]


def bare(spec: str) -> dict[str, Any]:
    return payload(hopscape.build(spec), **BARE)


@given(
    st.one_of(
        arrays(np.int64, st.integers(0, 40), elements=st.integers(-(2**31), 2**31 - 1)),
        arrays(np.int64, st.integers(0, 40), elements=st.integers(0, 300)),
        arrays(np.float64, st.integers(0, 40), elements=st.floats(0, 1e6, width=32)),
    )
)
def test_arrays_come_back(values: Any) -> None:
    packed = pack(values)
    assert packed["n"] == len(values)
    assert np.array_equal(unpack(packed), values)


@pytest.mark.parametrize("spec", SPECS)
def test_links_and_ports_are_those_of_the_network(spec: str) -> None:
    network, data = hopscape.build(spec), bare(spec)
    tails, heads, out, back = (
        unpack(data[name]).tolist() for name in ("tails", "heads", "tail_ports", "head_ports")
    )
    channels = [(t, p - 1, h) for t, p, h in zip(tails, out, heads, strict=True)]
    channels += [(h, p - 1, t) for t, p, h in zip(tails, back, heads, strict=True) if p]
    expected = zip(
        network.tails.tolist(),
        network.port_of(np.arange(len(network.heads))).tolist(),
        network.heads.tolist(),
        strict=True,
    )
    assert sorted(channels) == sorted(expected)


@pytest.mark.parametrize("spec", SPECS)
def test_rules_give_the_routers_ports(spec: str) -> None:
    network = hopscape.build(spec)
    rule, _ = router_rule(network)
    router = network.router()
    order = network.order
    at, to = (x.ravel() for x in np.meshgrid(np.arange(order), np.arange(order), indexing="ij"))
    ports = router.next_ports(at, to)
    if rule["rule"] == "lowest":
        masks = router.shortest_ports(at, to)
        found = np.where(masks.any(axis=1), masks.argmax(axis=1), -1)
    elif rule["rule"] == "table":
        found = unpack(rule["ports"]).astype(int)
    else:
        sides = np.asarray(rule["sides"])
        apart = (network.addresses.tuples(to) - network.addresses.tuples(at)) % sides
        found = unpack(rule["ports"]).astype(int)[network.addresses.numbers(apart)]
    assert np.where(found == 255, -1, found).tolist() == ports.tolist()


def test_a_rule_that_is_none_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """One changed port, and the ports no longer depend on differences alone."""
    from hopscape.families.torus.routing import GridRouter

    network = hopscape.build("torus(4, 4)")
    assert router_rule(network)[0]["rule"] == "shift"
    right = type(network.router()).next_ports

    def wrong(self: Any, at: Any, to: Any) -> Any:
        ports = right(self, at, to)
        return np.where((at == 5) & (to == 6), 0, ports)

    monkeypatch.setattr(GridRouter, "next_ports", wrong)
    assert router_rule(network)[0]["rule"] == "table"


@pytest.mark.parametrize("spec", SPECS)
def test_layouts_have_a_place_for_every_node(spec: str) -> None:
    data = bare(spec)
    assert {one["name"] for one in data["layouts"]} >= {"force", "space"}
    for one in data["layouts"]:
        at = unpack(one["at"])
        assert len(at) == one["dims"] * data["order"]
        assert at.min() >= 0
        assert at.max() == 30_000
        places = at.reshape(data["order"], one["dims"])
        assert len(np.unique(places, axis=0)) == data["order"]


@pytest.mark.parametrize("spec", ["bcube(4, 1)", "mesh(4, 4, 4)", "circulant(13, 1, 5)"])
def test_no_link_of_the_page_runs_over_a_third_node(spec: str) -> None:
    network = hopscape.build(spec)
    own = bare(spec)["layouts"][0]
    at = unpack(own["at"]).reshape(network.order, 2) / 30_000
    links = number_links(network)
    tails, heads = links.tails, links.heads
    bends = unpack(own["bend"]) / 100 if "bend" in own else np.zeros(len(tails))
    for tail, head, bend in zip(tails.tolist(), heads.tolist(), bends.tolist(), strict=True):
        line = bent_line(at[tail], at[head], bend, alongside=False)
        if len(line) == 2:
            line = line[0] + np.linspace(0, 1, 41)[:, None] * (line[1] - line[0])
        others = np.delete(at, [tail, head], axis=0)
        gaps = np.hypot(*(line[:, None] - others).transpose(2, 0, 1))
        assert gaps.min() > 0.15 / network.order**0.5  # nodes are drawn with 0.17 of it at most


def test_parts_are_there_when_asked_for() -> None:
    data = payload(
        hopscape.build("torus(4, 4)"),
        schedules=("broadcast", "circuit"),
        traffic=("uniform", "tornado", "worst"),
        simulate=0.2,
        seed=1,
    )
    assert [one["name"] for one in data["schedules"]] == ["broadcast", "circuit"]
    broadcast, circuit = data["schedules"]
    assert broadcast["rounds"] >= broadcast["bound"] > 0
    assert int(unpack(broadcast["starts"])[-1]) == broadcast["transfers"] == 15
    assert unpack(circuit["hops"]).max() > 1
    assert [one["name"] for one in data["traffic"]] == ["uniform", "tornado", "worst"]
    loads = unpack(data["traffic"][0]["loads"])
    assert loads.max() == pytest.approx(data["traffic"][0]["largest"])
    assert data["traffic"][2]["largest"] >= data["traffic"][1]["largest"]
    assert data["deadlock"]["free"] is False
    assert len(unpack(data["deadlock"]["cycle"])) == 4
    film = data["recording"]
    assert len(unpack(film["queues"])) == film["frames"] * 2 * data["links"]
    assert unpack(film["delivered"])[-1] > 0


def test_the_cut_has_as_many_links_as_it_says() -> None:
    data = payload(hopscape.build("mesh(4, 4)"), schedules=(), traffic=(), deadlock=False)
    side = unpack(data["bisection"]["side"])
    tails, heads = unpack(data["tails"]), unpack(data["heads"])
    assert (side[tails] != side[heads]).sum() == data["bisection"]["cut"] == 4
    assert side.sum() == 8


def test_transfers_are_those_of_the_schedule() -> None:
    from hopscape.collectives.generic import broadcast
    from hopscape.show.explore.panels import schedule_data

    network = hopscape.build("petersen")
    schedule, links = broadcast(network, 0), number_links(network)
    data = schedule_data(schedule, links)
    tails, heads = links.tails.tolist(), links.heads.tolist()
    ends = [
        (heads[c >> 1], tails[c >> 1]) if c & 1 else (tails[c >> 1], heads[c >> 1])
        for c in unpack(data["channels"]).tolist()
    ]
    assert ends == list(zip(schedule.source.tolist(), schedule.target.tolist(), strict=True))


@pytest.mark.parametrize("order", [1, 2])
def test_the_smallest_networks(order: int) -> None:
    links = [0] * (order - 1), [1] * (order - 1)
    data = payload(Network.from_links(order, *links))
    assert (data["order"], data["links"]) == (order, order - 1)
    assert "hopscape-data" in page([data])


def test_what_is_too_large_is_refused_with_advice() -> None:
    with pytest.raises(TooLargeError, match="hopscape draw"):
        payload(hopscape.build("torus(200, 200)"))
    with pytest.raises(TooLargeError, match="155,568,095,557,812,224 nodes"):
        payload(hopscape.build("expanded(heawood, 14)"))
    with pytest.raises(TooLargeError, match=r"links; the page shows up to 100,000"):
        payload(hopscape.build("complete(500)"))
    with pytest.raises(TooLargeError, match="the page plays up to"):
        payload(hopscape.build("ring(2000)"), **BARE | {"schedules": ("all-gather",)})


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"schedules": ("bradcast",)}, "schedule 'bradcast' is unknown; choose broadcast"),
        ({"traffic": ("../x.csv",)}, "choose uniform"),
        ({"traffic": ("unifrom",)}, "unifrom"),
        ({"simulate": -1.0}, "load is -1; it must be above 0"),
        ({"simulate": float("nan")}, "load is nan"),
    ],
)
def test_wrong_parts_are_refused(parts: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(words)):
        payload(hopscape.build("ring(6)"), **BARE | parts)


def test_size_of_a_page_of_a_thousand_nodes() -> None:
    data = payload(hopscape.build("random_regular(1000, 6)"), **BARE | {"traffic": ("uniform",)})
    assert len(page([data]).encode()) <= 1_000_000


def test_data_cannot_leave_their_element() -> None:
    text = script_safe({"name": "</script><script>alert(1)</script><!--"})
    assert "<" not in text
    assert json.loads(text)["name"].startswith("</script>")


def test_the_policy_names_the_script_and_the_style() -> None:
    import base64
    import hashlib

    text = page([bare("petersen")], "<b>title</b>")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert "unsafe" not in policy[1]
    assert "default-src 'none'" in policy[1]
    for part in (r'<script id="hopscape-code">(.*?)</script>', r"<style>(.*?)</style>"):
        found = re.search(part, text, re.DOTALL)
        assert found is not None
        digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy[1]
    assert "<title>&lt;b&gt;title&lt;/b&gt;</title>" in text


def test_usual_schedules_are_searched_for_briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that nobody asked for schedules answers in seconds: no long search, no dear kind."""
    from hopscape.collectives import contest
    from hopscape.show.explore import panels

    asked: list[float | None] = []
    compete = contest.compete

    def spied(*given: Any, **more: Any) -> Any:
        asked.append(more["seconds"])
        return compete(*given, **more)

    monkeypatch.setattr(contest, "compete", spied)
    network = hopscape.build("petersen")
    links = number_links(network)
    for usual in (True, False):
        panels.schedules_data(network, links, ("broadcast",), usual=usual)
    assert asked == [1.0, None]
    kinds = {
        spec: panels.usual_schedules(hopscape.build(spec)) for spec in ("ring(64)", "ring(65)")
    }
    assert "circuit" in kinds["ring(64)"]
    assert kinds["ring(65)"] == ("broadcast", "all-gather", "all-reduce")


@pytest.mark.parametrize(
    ("spec", "wishes", "options"),
    [
        ("ring(16)", {}, ""),
        ("ring(65)", {}, "--schedules"),
        ("ring(70)", {"schedules": ()}, "--bisection, --deadlock"),
        ("ring(70)", {"schedules": (), "bisection": False, "deadlock": False}, ""),
    ],
)
def test_pages_say_what_they_leave_out_for_their_size(
    spec: str, wishes: dict[str, Any], options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("hopscape.show.explore.payload"), "MOST_DEADLOCK", 69)
    notes = payload(hopscape.build(spec), traffic=(), **wishes)["notes"]
    said = [note for note in notes if note.startswith("For its size")]
    words = f"For its size, this page leaves out what {options} would add."
    assert said == ([words] if options else [])
