"""Ports count from 0 in Python, `route` and the explorer; files say where they count from."""

from __future__ import annotations

from itertools import pairwise

import pytest
from typer.testing import CliRunner

import hopscape
from commands import ask
from hopscape.cli.app import app
from hopscape.formats.tables import read_routing_table, write_routing_table
from hopscape.metrics.routes import all_routes
from hopscape.show.explore.packing import unpack
from hopscape.show.explore.payload import payload


@pytest.mark.parametrize("spec", ["torus(6, 6)", "heawood", "fat_tree(4)", "kautz(2, 3)"])
def test_ports_are_counted_one_way(spec, tmp_path):
    net = hopscape.build(spec)
    a, b = 0, net.order - 1
    route = net.route(a, b)
    assert ask("route", spec, str(a), str(b))["ports"] == list(route.ports)
    shown = CliRunner().invoke(app, ["route", spec, str(a), str(b)]).output
    assert f"{', '.join(map(str, route.ports))} (counted from 0)" in shown
    data = payload(net, schedules=[], traffic=[])
    columns = (unpack(data[key]).tolist() for key in ("tails", "heads", "tail_ports", "head_ports"))
    ports = {}
    for tail, head, out, back in zip(*columns, strict=True):
        ports[tail, head] = out - 1  # packed from 1: 0 means that nothing leads back
        if back:
            ports[head, tail] = back - 1
    assert [ports[hop] for hop in pairwise(route.path)] == list(route.ports)
    names = [name for kind in data["kinds"] if kind["title"] == "port" for name in kind["names"]]
    assert names == [f"port {p}" for p in range(len(names))]
    write_routing_table(all_routes(net), tmp_path / "routing.csv")
    assert "ports from 1" in (tmp_path / "routing.csv").read_text()
    table = read_routing_table(tmp_path / "routing.csv")
    assert [net.neighbours(v)[table[v, b]] for v in route.path[:-1]] == list(route.path[1:])
    plan = net.broadcast(net.endpoints[0]).to_dict()
    assert "ports and rounds from 1" in plan["numbering"]
