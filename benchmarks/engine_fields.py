"""Would the flit engine be slower if columns of its tables were fields with names?

    python benchmarks/engine_fields.py [--cycles 3000] [--repeats 7]

A copy of the engine is made in which ``vcs[row, COUNT]`` reads ``vcs[row].count``: the tables are
numpy records of the same layout, all of an engine's six tables of 32-bit columns. Both engines run
the same packets turn by turn, and must count the same; the quickest of some turns of each counts,
in processor seconds. The copy is compiled first, in some twenty processor seconds.

Fields ran at 0.99 to 1.07 times the speed of columns in two runs on a busy machine: no slower.
Names of columns stay for now because measurement, faults, replays and the engine of graphics
processors read and write the same tables by columns, and the plan of kernels that are compiled
ahead knows no records yet.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import hopscape
from hopscape.simulate import Settings, Setup, build_setup, layout, make_traffic
from hopscape.simulate.measurement import blank_counters, make_source, start

_SOURCE = Path(layout.__file__).parent
_ROOMS = ("engine", "entry", "gate", "packet", "router", "source", "switch")
_TABLES = ("vcs", "packets", "units", "sides", "ends", "injectors")
_RUNS = (
    ("mesh(8, 8)", Settings(vcs=8, buffer=8, routing_delay=0, credit_delay=2, speedup=2), 0.3),
    ("torus(16, 16)", Settings(vcs=4), 0.2),
    ("fat_tree(8)", Settings(vcs=2, packet=(4,)), 0.3),
)
_PREFETCH = """
from llvmlite import ir
from numba import types
from numba.core import cgutils
from hopscape.core.kernel import intrinsic_or


@intrinsic_or(lambda array, row, column: None)
def fetch(_context, array, row, column):
    def build(target, builder, signature, arguments):
        kind = signature.args[0]
        view = target.make_array(kind)(target, builder, arguments[0])
        places = [
            target.cast(builder, arguments[i], signature.args[i], types.intp)
            for i in range(1, 1 + kind.ndim)
        ]
        place = cgutils.get_item_pointer(target, builder, kind, view, places, wraparound=False)
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        ask = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], ask)
        builder.call(prefetch, [builder.bitcast(place, byte), word(0), word(3), word(1)])
        return target.get_dummy_value()

    return types.void(array, types.unliteral(row), types.unliteral(column)), build
"""

_OWN_FETCH = "import copied, helper, intrinsic_or\nfrom records_fetch import fetch"


def fields() -> dict[str, dict[str, int]]:
    """Names and numbers of the columns of each table, as ``layout.py`` lists them."""
    out: dict[str, dict[str, int]] = {}
    table = ""
    for line in Path(layout.__file__).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            table = line.removeprefix("# columns of ") if "# columns of " in line else ""
        match = re.match(r"(?![A-Z]+_FIELDS)([A-Z_]+) = (\d+)\b", line)
        if table in _TABLES and match:
            out.setdefault(table, {})[match[1]] = int(match[2])
    return out


class _Named(ast.NodeTransformer):
    """``table[row, COLUMN]`` as ``table[row].column``."""

    def __init__(self, columns: dict[str, dict[str, int]]) -> None:
        self.table = {name: table for table, names in columns.items() for name in names}

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        place = node.slice
        if not (isinstance(place, ast.Tuple) and isinstance(place.elts[-1], ast.Name)):
            return node
        name = place.elts[-1].id
        if name not in self.table:
            return node
        assert ast.unparse(node.value).split(".")[-1] == self.table[name], ast.unparse(node)
        row = ast.Subscript(node.value, place.elts[0], ast.Load())
        return ast.Attribute(row, name.lower(), node.ctx)


def write_copy(folder: Path) -> None:
    """The kernels of the engine with fields for columns."""
    named = _Named(fields())
    (folder / "records_fetch.py").write_text(_PREFETCH, encoding="utf-8")
    for room in _ROOMS:
        tree = ast.parse((_SOURCE / f"{room}_kernels.py").read_text(encoding="utf-8"))
        text = ast.unparse(ast.fix_missing_locations(named.visit(tree)))
        text = re.sub(r"hopscape\.simulate\.(\w+)_kernels", r"records_\1_kernels", text)
        text = text.replace("import copied, fetch, helper, intrinsic_or", _OWN_FETCH)
        (folder / f"records_{room}_kernels.py").write_text(text, encoding="utf-8")


def as_records(state: layout.State) -> layout.State:
    """The same state, tables as records."""
    tables = {}
    for table, columns in fields().items():
        array = np.ascontiguousarray(getattr(state, table))
        kind: Any = np.dtype(
            {
                "names": [name.lower() for name in columns],
                "formats": ["i4"] * len(columns),
                "offsets": [4 * number for number in columns.values()],
                "itemsize": 4 * array.shape[1],
            }
        )
        tables[table] = array.view(kind).reshape(-1)
    return state._replace(**tables)


def rate(
    advance: Any, setup: Setup, load: float, cycles: int, seed: int, named: bool
) -> tuple[float, Any]:
    """Flit-hops per processor second of a run, and what it counted."""
    source = make_source(make_traffic("uniform", setup.endpoints), setup.settings, load)
    state = start(setup, make_traffic("uniform", setup.endpoints), source, seed=seed)
    state = as_records(state) if named else state
    counters = blank_counters(setup, 1)
    advance(setup.fabric, state, source, counters, 1000, 10_000)
    before, begin = int(state.scalars[layout.FLIT_HOPS]), time.process_time()
    advance(setup.fabric, state, source, counters, 1000 + cycles, 10_000)
    spent = time.process_time() - begin
    return (int(state.scalars[layout.FLIT_HOPS]) - before) / spent, state.scalars.copy()


def main() -> None:
    """A line for each network."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cycles", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    os.environ["HOPSCAPE_INTERPRET"] = "0"
    from hopscape.simulate.engine_kernels import advance

    with tempfile.TemporaryDirectory() as place:
        write_copy(Path(place))
        sys.path.insert(0, place)
        other = importlib.import_module("records_engine_kernels").advance
        for spec, settings, load in _RUNS:
            setup = build_setup(hopscape.build(spec), settings)
            rate(advance, setup, load, 10, 0, False)
            rate(other, setup, load, 10, 0, True)
            columns = names = 0.0
            for seed in range(given.repeats):
                plain, counted = rate(advance, setup, load, given.cycles, seed, False)
                named, again = rate(other, setup, load, given.cycles, seed, True)
                assert (counted == again).all(), spec
                columns, names = max(columns, plain), max(names, named)
            print(
                f"{spec}: {columns / 1e6:.2f} million flit-hops per second by columns,"
                f" {names / 1e6:.2f} by fields, {names / columns:.3f} times",
                flush=True,
            )


if __name__ == "__main__":
    main()
