"""Chakra traces, decoded by the rules of protocol buffers and replayed; the graph for SST."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import hopscape
from hopscape.collectives.contest import compete
from hopscape.core.errors import ArgumentError, ScheduleError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.schedule import Schedule
from hopscape.formats.chakra import VERSION, write_chakra
from hopscape.formats.sst import write_sst


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def fields(data: bytes) -> list[tuple[int, Any]]:
    """Fields of a message: numbers of type 0, bytes of type 2."""
    out, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at : at + value], at + value
        else:
            assert key & 7 == 0
        out.append((key >> 3, value))
    return out


def read(path: Path) -> tuple[str, list[dict[str, Any]]]:
    data, at, messages = path.read_bytes(), 0, []
    while at < len(data):
        size, at = varint(data, at)
        messages.append(fields(data[at : at + size]))
        at += size
    assert at == len(data)
    nodes = []
    for message in messages[1:]:
        node: dict[str, Any] = {"id": 0, "waits": []}
        for field, value in message:
            if field == 5:
                place = 0
                while place < len(value):
                    number, place = varint(value, place)
                    node["waits"].append(number)
            elif field == 10:
                (_, key), (kind, content) = fields(value)
                node[key.decode()] = (kind, content)
            else:
                node[{1: "id", 2: "name", 3: "type"}[field]] = value
        nodes.append(node)
    ((field, version),) = messages[0]
    assert field == 1
    return version.decode(), nodes


def replay(ranks: list[list[dict[str, Any]]]) -> int:
    """Issue what waits for nothing, match sends with receives; returns the transfers made."""
    done: list[set[int]] = [set() for _ in ranks]
    made = 0
    while True:
        sends, receives = {}, {}
        for r, nodes in enumerate(ranks):
            for node in nodes:
                if node["id"] in done[r] or not done[r].issuperset(node["waits"]):
                    continue
                key = tuple(node[k][1] for k in ("comm_src", "comm_dst", "comm_tag", "comm_size"))
                assert r == key[0 if node["type"] == 5 else 1]
                {5: sends, 6: receives}[node["type"]][key] = (r, node["id"])
        both = sends.keys() & receives.keys()
        if not both:
            assert all(len(done[r]) == len(nodes) for r, nodes in enumerate(ranks))
            return made
        for key in both:
            for side in (sends, receives):
                r, number = side[key]
                done[r].add(number)
        made += len(both)


@pytest.mark.parametrize("spec", ["ring(4)", "petersen", "torus(3, 3)", "fat_tree(4)"])
@pytest.mark.parametrize(
    "goal", [Goal.all_gather(), Goal.all_reduce(), Goal.all_to_all(), Goal.broadcast(0)]
)
def test_traces_are_the_schedule(spec: str, goal: Goal, tmp_path: Path) -> None:
    network = hopscape.build(spec)
    schedule = compete(network, goal).best.schedule
    paths = write_chakra(schedule, tmp_path, "x", chunk_bytes=300)
    assert len(paths) == network.endpoint_count
    found = [read(path) for path in paths]
    assert {version for version, _ in found} == {VERSION}
    ranks = [nodes for _, nodes in found]
    assert replay(ranks) == schedule.transfers
    number = {v: i for i, v in enumerate(network.endpoints.tolist())}
    want: dict[tuple[int, int], int] = defaultdict(int)
    for a, b in zip(schedule.source.tolist(), schedule.target.tolist(), strict=True):
        want[number[a], number[b]] += 1
    got: dict[tuple[int, int], int] = defaultdict(int)
    for nodes in ranks:
        for node in nodes:
            assert node["comm_size"] == (9, 300)
            if node["type"] == 5:
                got[node["comm_src"][1], node["comm_dst"][1]] += 1
    assert got == want
    # a send waits for every receive of its chunk in an earlier round at the same rank, and no other
    for nodes in ranks:
        for node in nodes:
            words = node["name"].decode().split()
            chunk, now = words[2].rstrip(","), int(words[4].rstrip(","))
            earlier = {
                one["id"]
                for one in nodes
                if one["type"] == 6
                and one["name"].decode().split()[2].rstrip(",") == chunk
                and int(one["name"].decode().split()[4].rstrip(",")) < now
            }
            assert set(node["waits"]) == (earlier if node["type"] == 5 else set())


def test_refused(tmp_path: Path) -> None:
    ring = hopscape.build("ring(4)")
    with pytest.raises(ArgumentError, match="chunk_bytes is 0"):
        write_chakra(compete(ring, Goal.broadcast(0)).best.schedule, tmp_path, "x", chunk_bytes=0)
    tree = hopscape.build("concentrated(complete(2), 2)")
    first = int(tree.indptr[0])
    hops = Schedule.from_columns(tree, Model(), Goal.broadcast(0), round=[0], channels=[first])
    assert hops.target.tolist() == [4]
    with pytest.raises(ScheduleError, match="node 4, a switch"):
        write_chakra(hops, tmp_path, "x")


@pytest.mark.parametrize(
    "spec", ["ring(5)", "fat_tree(4)", "kautz(2, 3)", "concentrated(complete(3), 2, trunk=2)"]
)
def test_graph_for_sst(spec: str, tmp_path: Path) -> None:
    network = hopscape.build(spec)
    graph = nx.read_graphml(write_sst(network, tmp_path / "x.graphml"), force_multigraph=True)
    assert sum(data["endpoints"] for _, data in graph.nodes(data=True)) == network.endpoint_count
    routers = network.order - (network.endpoint_count if network.has_switches else 0)
    assert graph.number_of_nodes() == routers
    lines = network.endpoint_count if network.has_switches else 0
    assert graph.number_of_edges() == network.links - lines
    assert graph.is_directed() is not network.duplex
