"""Networks in SystemVerilog: packet by packet the flit simulator, under Icarus Verilog."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hopscape
from commands import ask, refused, run
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.formats.code import (
    check_noc,
    emit_code,
    emit_noc,
    has_program,
    noc_cells,
    prove_route,
)
from hopscape.formats.code.noc import node_words


def _needs(*programs: str) -> Any:
    absent = [name for name in programs if not has_program(name)]
    skipped = pytest.mark.skipif(bool(absent), reason=f"{absent} not installed")
    return lambda test: pytest.mark.acceptance(skipped(test))


@pytest.mark.parametrize("spec", ["mesh(3, 2)", "ring(5)", "kautz(2, 2)", "rpc(2)"])
def test_parameters_are_the_certified_classes(spec: str) -> None:
    """A walk along every route by FRESH, RISES and ENTER meets the classes of the certificate."""
    network = hopscape.build(spec)
    noc = emit_noc(network)
    classes, bits = noc.classes, max((noc.classes.count - 1).bit_length(), 1)
    parts = [node_words(network, classes, v) for v in range(network.order)]

    def bit(text: str, place: int, wide: int = 1) -> int:
        return int(text.split("'h")[1], 16) >> (place * wide) & ((1 << wide) - 1)

    seen = set()
    for source in range(network.order):
        for goal in range(network.order):
            at, came, kind = source, -1, 0
            while at != goal:
                words, inner, outer = parts[at]
                channel = int(network.indptr[at]) + int(noc.table.port[at, goal])
                place = inner.index(came) * len(outer) + outer.index(channel)
                if bit(words["FRESH"], place):
                    kind = bit(words["ENTER"], goal, bits)
                kind += bit(words["RISES"], place)
                ring = int(classes.rings[channel])
                if classes.method == "layers":
                    assert 1 << kind == classes.sets[classes.layers[source, goal]]
                elif classes.method == "dateline" and (came < 0 or ring != classes.rings[came]):
                    assert 1 << kind == classes.sets[classes.entry[at, goal]]
                assert kind < classes.count
                seen.add(kind)
                at, came = int(network.heads[channel]), channel
    assert seen == set(range(classes.count))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"vcs": 1}, "vcs is 1; the dimension order routes of ring(5) need 2 virtual channels"),
        ({"vcs": 32}, "vcs is 32; it must be from 1 to 31 virtual channels"),
        ({"buffer": 0}, "buffer is 0; it must be from 1 to 1024 flits"),
        ({"packet": 0}, "packet is 0; it must be from 1 to 65536 flits"),
        ({"width": 2}, "width is 2; it must be from 3 to 4096 bits, as a head flit names one"),
    ],
)
def test_parameters_out_of_range(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(said)):
        emit_noc(hopscape.build("ring(5)"), **options)


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TooLargeError, match="512"):
        emit_noc(hopscape.build("torus(30, 30)"))
    with pytest.raises(ArgumentError, match="no two endpoints"):
        emit_noc(hopscape.build("ring(1)"))
    with pytest.raises(ArgumentError, match="packets is 1000; it must be from 1 to 32"):
        check_noc(emit_noc(hopscape.build("ring(5)"), width=8))
    file = str(tmp_path / "n.sv")
    words = ("emit", "ring(5)", "--to", "systemverilog")
    assert "name the first with -o" in refused(*words)
    for more, said in (
        (("--stages", "2"), "a hop takes five cycles"),
        (("--with-router",), "is the whole network anyway"),
        (("--dead", "1"), "of whole networks"),
        (("--packets", "5"), "is for --check"),
        (("--vcs", "1"), "need 2 virtual channels"),
    ):
        assert said in refused(*words, "-o", file, *more)
    verilog = ("emit", "ring(5)", "--to", "verilog", "-o", file)
    assert "is for --to systemverilog" in refused(*verilog, "--width", "8")
    assert "without stages" in refused(*verilog, "--prove", "--stages", "1")
    assert not list(tmp_path.iterdir())


def test_the_command_writes_two_files(tmp_path: Path) -> None:
    file = tmp_path / "noc.sv"
    words = ("emit", "mesh(3, 2)", "--to", "systemverilog", "--buffer", "3", "-o", str(file))
    assert run(*words).returncode == 0
    noc = emit_noc(hopscape.build("mesh(3, 2)"), buffer=3)
    assert file.read_text() == noc.design
    assert (tmp_path / "noc_test.sv").read_text() == noc.testbench
    assert not re.search(r"@\w+@", noc.design + noc.testbench)


@_needs("iverilog")
@pytest.mark.parametrize(
    "spec", ["mesh(3, 2)", "fat_tree(2)", "ring(5)", "kautz(2, 2)", "petersen"]
)
def test_packets_arrive_in_the_cycle_of_the_flit_simulator(spec: str) -> None:
    noc = emit_noc(hopscape.build(spec))
    verdict = check_noc(noc, packets=300, load=100)
    assert verdict, verdict
    assert verdict.details["compared"] == 300


@_needs("iverilog")
@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("ring(6)", {"vcs": 5, "buffer": 3, "packet": 7}),
        ("mesh(3, 2)", {"vcs": 3, "buffer": 1, "packet": 3, "width": 17}),
        ("torus(3, 3)", {"vcs": 2, "buffer": 8, "packet": 1, "width": 64}),
    ],
)
def test_so_they_do_with_other_parameters(spec: str, options: dict[str, Any]) -> None:
    noc = emit_noc(hopscape.build(spec), **options)
    for load, vary in ((3, False), (70, True)):
        verdict = check_noc(noc, packets=150, load=load, vary=vary, seed=load)
        assert verdict, verdict


@_needs("iverilog")
def test_rising_classes_are_carried() -> None:
    """Classes that rise are never the fewest on small networks: they are put in by hand."""
    from hopscape.deadlock import find_classes
    from hopscape.formats.code import noc as module

    network = hopscape.build("petersen")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            module, "find_classes", lambda n, table: find_classes(n, table, method="rising")
        )
        noc = emit_noc(network)
    assert noc.classes.method == "rising"
    assert noc.classes.count > 1
    verdict = check_noc(noc, packets=200, load=80)
    assert verdict, verdict


@_needs("iverilog")
def test_endpoints_that_take_little_lose_nothing() -> None:
    noc = emit_noc(hopscape.build("ring(5)"), vcs=4)
    verdict = check_noc(noc, packets=200, load=100, ready=30, vary=True)
    assert verdict, verdict
    assert verdict.details["compared"] == 0


@_needs("iverilog")
def test_broken_hardware_is_noticed() -> None:
    noc = emit_noc(hopscape.build("ring(5)"))
    for old, new, said in (
        ("2'sd1 : 1'sd0", "1'sd0 : 2'sd1", "stuck"),  # to and fro
        ("after <= ~(from | (from - 1'b1))", "after <= '1", "in another cycle"),  # no round robin
        ("{s_tlast, !busy, s_tdata}", "{s_tlast, !busy, s_tdata ^ 32'h100}", "bad"),
    ):
        assert old in noc.design
        verdict = check_noc(
            replace(noc, design=noc.design.replace(old, new)), packets=200, load=100
        )
        assert not verdict
        assert said in verdict.reason
    credit = "room + DB'(out_credit[o*VCS+w])"
    assert credit in noc.design
    with pytest.raises(hopscape.HopscapeError, match="overflows"):
        check_noc(replace(noc, design=noc.design.replace(credit, "room + 1'b1")), load=100)


@_needs("iverilog")
def test_one_class_deadlocks_where_two_are_needed() -> None:
    noc = emit_noc(hopscape.build("ring(8)"), buffer=1, packet=8)
    single = re.sub(r"(\.ENTER\(\d+'h)[0-9a-f]+", r"\g<1>0", noc.design)
    verdict = check_noc(replace(noc, design=single), packets=1000, load=100)
    assert verdict.reason.startswith("stuck")


@_needs("verilator")
def test_verilator_has_no_complaint(tmp_path: Path) -> None:
    for spec in ("mesh(3, 2)", "ring(5)", "fat_tree(2)", "kautz(2, 2)"):
        noc = emit_noc(hopscape.build(spec))
        file = tmp_path / f"{noc.name}.sv"
        file.write_text(noc.design)
        words = ["verilator", "--lint-only", "-Wall", "-Wno-DECLFILENAME"]
        top = ["--top-module", f"{noc.name}_network", str(file)]
        done = subprocess.run([*words, *top], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@_needs("verilator", "g++", "make")
def test_verilator_says_the_same() -> None:
    noc = emit_noc(hopscape.build("ring(5)"))
    verdict = check_noc(noc, packets=2000, load=80, program="verilator")
    assert verdict, verdict


@_needs("yosys")
def test_cells_of_a_router() -> None:
    noc = emit_noc(hopscape.build("mesh(3, 2)"), buffer=2, width=8)
    cells = noc_cells(noc) or {}
    assert 0 < cells["route_cells"] < cells["written_table_cells"] < cells["router_cells"]


@_needs("yosys", "z3")
@pytest.mark.parametrize("spec", ["ring(5)", "torus(4, 4)", "petersen"])
def test_ports_are_proved(spec: str) -> None:
    network = hopscape.build(spec)
    code = emit_code(network, "verilog")
    verdict = prove_route(code.text, code.name, network)
    assert verdict, verdict
    assert verdict.details["pairs"] == network.order**2


@_needs("yosys", "z3")
def test_wrong_ports_are_found() -> None:
    network = hopscape.build("ring(5)")
    code = emit_code(network, "verilog")
    wrong = code.text.replace("2'sd1 : 1'sd0", "1'sd0 : 2'sd1")
    verdict = prove_route(wrong, code.name, network)
    at, to = verdict.where["at"], verdict.where["to"]
    port = network.router().next_port(at, to)
    assert verdict.reason == f"from {at} to {to} the logic does not take port {port}"
    late = code.text.replace("assign arrived = chosen < 0", "assign arrived = 1'b0")
    assert late != code.text
    assert "does not say that it has arrived" in prove_route(late, code.name, network).reason


def test_large_networks_are_not_proved() -> None:
    with pytest.raises(TooLargeError, match="128"):
        prove_route("", "x", hopscape.build("torus(12, 12)"))


@_needs("iverilog", "yosys", "z3")
def test_the_command_checks_and_proves(tmp_path: Path) -> None:
    words = ("emit", "mesh(3, 2)", "--to", "systemverilog", "--width", "8", "--packets", "30")
    answer = ask(*words, "-o", str(tmp_path / "n.sv"), "--check", "--prove")
    assert answer["check"].startswith("30 packets (120 flits) arrived by their routes in")
    assert answer["check"].endswith("each in that of the flit simulator")
    assert answer["proof"] == "proved: all 36 pairs take the router's port"
    assert answer["route_cells"] < answer["router_cells"]
