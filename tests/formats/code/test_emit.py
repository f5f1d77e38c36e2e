"""Routing as code: every language against the router, with the real programs where there are."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from commands import refused, run
from hopscape.core.errors import ArgumentError, HopscapeError, TooLargeError
from hopscape.core.formula import Value, evaluate, inputs
from hopscape.formats.code import (
    Code,
    cell_count,
    check_code,
    check_fabric,
    compare_formula,
    emit_code,
    emit_fabric,
    has_program,
)
from hopscape.formats.code.routine import router_formula
from hopscape.formats.code.software import identifier, signed_bits, without_division

CLOSED = {  # no table
    "circulant(16, 1, 4)",
    "circulant(20, 1, 10)",
    "circulant(36, 4, 6)",
    "circulant(55, 1, 5, 21)",
    "circulant(64, 1, 14)",
    "circulant(7, 1, 2, 3)",
    "circulant(60, 1, 4, 13, 22, 27, 30)",
    "complete(6)",
    "fat_tree(2)",
    "fat_tree(4)",
    "hypercube(5)",
    "mesh(3, 1, 4)",
    "torus(2, 3, 5)",
}
TABLES = {
    "cayley(7, 3, 2, 1, 7)",
    "ccc(3)",
    "dlcpg(5)",
    "dragonfly(2, 2, p=1)",
    "expanded(petersen, 1)",
    "expanded(ring(3), 2, lamp=ring(3))",
    "folded(heawood, 1)",
    "folded(petersen, 2)",
    "multiring(16, 1, 3)",
    "rpc(2)",
    "slim_fly(4, p=1)",
    "torus(1, 1)",
    "complete(2)",
}
SPECS = sorted(CLOSED | TABLES)
NEEDS_CC = pytest.mark.skipif(not has_program("cc"), reason="cc is not installed")


def _needs(program: str) -> Callable[[Any], Any]:
    """Decorator of a test that runs a program of its own package, of the slower tier therefore."""
    reason = f"{program} is not installed (Debian: {program})"
    skipped = pytest.mark.skipif(not has_program(program), reason=reason)
    return lambda test: pytest.mark.acceptance(skipped(test))


NEEDS_VERILOG = _needs("iverilog")
NEEDS_YOSYS = _needs("yosys")


@cache
def _formula(spec: str) -> tuple[Any, Value]:
    return router_formula(hopscape.build(spec), "auto")


@pytest.mark.parametrize("spec", SPECS)
def test_formulas_are_the_router(spec: str) -> None:
    router, result = _formula(spec)
    found = compare_formula(router, result)
    assert (found.every, found.equal) == (True, router.network.order**2)
    without = without_division(result)
    assert not {"div", "mod"} & {value.op for value in without.walk()}
    at, to = np.divmod(np.arange(router.network.order**2), router.network.order)
    assert np.array_equal(evaluate(without, at, to), router.next_ports(at, to))


@pytest.mark.parametrize("spec", sorted(CLOSED))
def test_closed_forms_have_no_table(spec: str) -> None:
    assert not [value for value in _formula(spec)[1].walk() if value.table is not None]


@settings(deadline=None, max_examples=15)
@given(st.integers(3, 150), st.sets(st.integers(1, 149), min_size=1, max_size=6))
def test_any_circulant_takes_shortest_routes(nodes: int, steps: set[int]) -> None:
    kept: list[int] = []
    for step in sorted(s % nodes for s in steps):
        if step and step not in kept and nodes - step not in kept:
            kept.append(step)
    if not kept:
        return
    network = hopscape.build(f"circulant({nodes}, {', '.join(map(str, kept))})")
    router, result = router_formula(network, "auto")
    compare_formula(router, result)  # raises where a port begins no shortest path
    if network.facts.connected:
        far = hopscape.build(network.spec).router("table").distances
        gaps = np.arange(nodes)
        here, hops = np.zeros(nodes, dtype=np.int64), 0
        while (here != gaps).any():
            going = np.flatnonzero(here != gaps)
            port = evaluate(result, here[going], gaps[going])
            here[going] = network.rows(here[going])[np.arange(len(going)), port]
            hops += len(going)
        assert hops == int(far(np.zeros(nodes, dtype=np.int64), gaps).sum())


@given(st.integers(0, 10**9), st.integers(1, 10**6), st.data())
def test_products_and_shifts_divide(high: int, divisor: int, data: st.DataObject) -> None:
    at, _ = inputs(high + 1)
    x = np.asarray([0, high, *data.draw(st.lists(st.integers(0, high), max_size=9))])
    for value, wanted in ((at // divisor, x // divisor), (at % divisor, x % divisor)):
        assert evaluate(without_division(value), x, x).tolist() == wanted.tolist()


@given(st.integers(-(10**9), 10**9), st.integers(0, 10**9))
def test_widths_hold_the_range(low: int, width: int) -> None:
    bits = signed_bits(low, low + width)
    fits = [b for b in range(1, 40) if -(1 << (b - 1)) <= low and low + width < 1 << (b - 1)]
    assert bits == max(fits[0], 1) or bits == (low + width).bit_length() + 1


@pytest.mark.parametrize("spec", SPECS)
def test_python_routes(spec: str) -> None:
    network = hopscape.build(spec)
    assert check_code(emit_code(network, "python"), network)


@NEEDS_CC
@pytest.mark.parametrize("spec", [*SPECS, "circulant(60000, 1, 245)"])
def test_c_routes_without_a_warning(spec: str) -> None:
    network = hopscape.build(spec)
    verdict = check_code(emit_code(network, "c"), network)
    assert verdict, verdict
    assert verdict.details["pairs"] == min(network.order**2, 1_000_000)


@NEEDS_VERILOG
@pytest.mark.parametrize("spec", SPECS)
def test_verilog_routes_under_iverilog(spec: str) -> None:
    network = hopscape.build(spec)
    verdict = check_code(emit_code(network, "verilog"), network)
    assert verdict, verdict


@NEEDS_VERILOG
@pytest.mark.parametrize("stages", [1, 2, 5, 9])
def test_pipelines_give_the_same_ports(stages: int) -> None:
    for spec in ("circulant(64, 1, 14)", "torus(3, 4)", "multiring(16, 1, 3)"):
        network = hopscape.build(spec)
        code = emit_code(network, "verilog", stages=stages)
        verdict = check_code(code, network, stages=stages)
        assert verdict, verdict


@NEEDS_YOSYS
def test_yosys_takes_the_verilog() -> None:
    cells = {}
    for spec in ("torus(4, 4)", "circulant(16, 1, 4)"):
        code = emit_code(hopscape.build(spec), "verilog")
        cells[spec] = cell_count(code.text, f"{code.name}_route")
    assert cells["torus(4, 4)"] is not None
    assert 0 < cells["torus(4, 4)"] < 50 < (cells["circulant(16, 1, 4)"] or 0) < 1000


@NEEDS_YOSYS
@pytest.mark.slow
def test_yosys_takes_whole_routers() -> None:
    fabric = emit_fabric(hopscape.build("path(3)"), depth=1)
    assert (cell_count(fabric.design, f"{fabric.name}_network") or 0) > 300


def _run_p4(code: Code, at: int, to: int) -> int:
    """An interpreter of the statements that are written: arithmetic of the width, and tables."""
    width = int(re.search(r"in int<(\d+)> at", code.text)[1])  # type: ignore[index]
    tables = {
        match[1]: {
            int(i): int(sign + v)
            for i, sign, v in re.findall(r"\d+w(\d+) : set_\w+\((-?)\d+s(\d+)\);", match[2])
        }
        for match in re.finditer(r"table lookup_(\w+) \{(.*?)\n    \}", code.text, re.DOTALL)
    }
    keys = dict(re.findall(r"table lookup_(\w+) \{\s+key = \{ \(bit<\d+>\) (\w+) :", code.text))
    known: dict[str, int] = {"at": at, "to": to}
    half, full = 1 << (width - 1), 1 << width
    for line in code.text.split("apply {\n")[-1].splitlines():
        call = re.fullmatch(r"\s+lookup_(\w+)\.apply\(\);", line)
        if call is not None:
            known[call[1]] = tables[call[1]][known[keys[call[1]]]]
            continue
        match = re.fullmatch(r"\s+(\w+) = (.*);", line)
        if match is None:
            continue
        text = re.sub(r"\b\d+s(\d+)", r"\1", match[2])
        text = re.sub(r"(.*) \? (.*) : (.*)", r"(\2) if (\1) else (\3)", text)
        text = text.replace("&&", "and").replace("||", "or").replace("!", "not ")
        value = eval(text, {}, known)
        known[match[1]] = value if isinstance(value, bool) else (value + half) % full - half
    return known["port"]


@pytest.mark.parametrize("spec", SPECS)
def test_p4_routes(spec: str) -> None:
    network = hopscape.build(spec)
    code = emit_code(network, "p4")
    assert "/" not in re.sub(r"//.*", "", code.text)
    router, random = network.router(), np.random.default_rng(0)
    for at, to in random.integers(0, network.order, (20, 2)).tolist():
        assert _run_p4(code, at, to) == router.next_port(at, to)


FABRICS = ("circulant(16, 1, 4)", "torus(4, 4)", "rpc(2)")


@NEEDS_VERILOG
@pytest.mark.parametrize(
    "spec", ["circulant(16, 1, 4)", "torus(3, 3)", "fat_tree(2)", "kautz(2, 2)"]
)
def test_flits_arrive_by_their_routes(spec: str) -> None:
    verdict = check_fabric(emit_fabric(hopscape.build(spec), depth=2), packets=500, load=100)
    assert verdict, verdict
    assert verdict.details["packets"] == 500


@NEEDS_VERILOG
@pytest.mark.slow
@pytest.mark.parametrize("spec", FABRICS)
def test_no_deadlock_in_many_packets(spec: str) -> None:
    verdict = check_fabric(emit_fabric(hopscape.build(spec)), packets=100_000, load=100)
    assert verdict, verdict


@NEEDS_VERILOG
def test_broken_hardware_is_noticed() -> None:
    fabric = emit_fabric(hopscape.build("ring(5)"))
    wrong = fabric.design.replace("2'sd1 : 1'sd0", "1'sd0 : 2'sd1")
    assert wrong != fabric.design
    verdict = check_fabric(type(fabric)(**{**vars(fabric), "design": wrong}), packets=50)
    assert not verdict
    code = emit_code(hopscape.build("ring(5)"), "verilog")
    broken = code.text.replace("2'sd1 : 1'sd0", "1'sd0 : 2'sd1")
    assert not check_code(type(code)(**{**vars(code), "text": broken}), hopscape.build("ring(5)"))


@NEEDS_VERILOG
def test_one_virtual_channel_deadlocks_where_two_are_needed() -> None:
    """The classes are needed: all packets in the first class wait in a circle."""
    fabric = emit_fabric(hopscape.build("ring(8)"), depth=1)
    assert fabric.classes > 1
    single = re.sub(r"(CLASSES_\d+ = \d+'h)[0-9a-f]+;", r"\g<1>0;", fabric.design)
    verdict = check_fabric(
        type(fabric)(**{**vars(fabric), "design": single}), packets=4000, load=100
    )
    assert not verdict
    assert verdict.reason.startswith("stuck")


def test_wrong_formulas_are_refused() -> None:
    router, result = (
        _formula("torus(3, 4)") if "torus(3, 4)" in SPECS else _formula("torus(2, 3, 5)")
    )
    with pytest.raises(HopscapeError, match="its router by port"):
        compare_formula(router, result + 1)


@pytest.mark.parametrize(
    ("spec", "options", "said"),
    [
        ("ring(4)", {"language": "vhdl"}, "choose c, verilog, p4, python"),
        ("ring(4)", {"language": "c", "stages": 2}, "only Verilog has a clock"),
        ("ring(4)", {"language": "verilog", "stages": -1}, "from 0 to 64"),
        ("multiring(16, 1, 3)", {"language": "c", "router": "balanced-rings"}, "at the source"),
    ],
)
def test_what_cannot_be_written(spec: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(said)):
        emit_code(hopscape.build(spec), **options)


def test_what_is_too_large() -> None:
    for spec in ("random_regular(5000, 4)", "expanded(heawood, 14)"):
        with pytest.raises(TooLargeError):
            emit_code(hopscape.build(spec), "c")
    with pytest.raises(TooLargeError, match="64"):
        emit_code(hopscape.build("circulant(20000000089, 1, 141421)"), "c")
    with pytest.raises(TooLargeError, match="512"):
        emit_fabric(hopscape.build("torus(30, 30)"))
    for spec in ("ring(1)", "circulant(6, 2)"):
        with pytest.raises(ArgumentError):
            emit_fabric(hopscape.build(spec))


def test_names_are_names() -> None:
    assert [identifier(t) for t in ("torus(4, 4)", "3x", "(", "file('a b.edges')")] == [
        "torus_4_4",
        "n_3x",
        "n",
        "file_a_b_edges",
    ]


def test_a_testbench_of_somebody_else_stays(tmp_path):
    """The second file of --with-router has a name that nobody gave."""
    mine = tmp_path / "ring_test.v"
    mine.write_text("my own testbench")
    words = ("emit", "ring(4)", "--to", "verilog", "--with-router", "-o", str(tmp_path / "ring.v"))
    assert "which hopscape did not write" in refused(*words)
    assert (mine.read_text(), (tmp_path / "ring.v").exists()) == ("my own testbench", False)
    mine.unlink()
    for _ in range(2):
        assert run(*words).returncode == 0
