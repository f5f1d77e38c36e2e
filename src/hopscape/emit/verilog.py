"""Formulas as synthesizable Verilog (2001): one wire for each operation, widths from the ranges."""

from __future__ import annotations

from collections.abc import Sequence

from hopscape.core.formula import Table, Value
from hopscape.emit.statements import Statements, signed_bits, statements, without_division

__all__ = ["address_bits", "port_bits", "route_module"]

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "xor": "^", "less": "<", "equal": "=="}
_SIGNS |= {"and": "&&", "or": "||"}
_COST = {"mul": 4, "table": 3, "not": 0}


def address_bits(nodes: int) -> int:
    """Bits of a node number."""
    return max((nodes - 1).bit_length(), 1)


def port_bits(ports: int) -> int:
    """Bits of a port number."""
    return max((ports - 1).bit_length(), 1)


def route_module(result: Value, name: str, nodes: int, ports: int, stages: int = 0) -> str:
    """The module ``NAME_route``: port and arrival from two node numbers.

    Args:
        stages: Cycles from the inputs to the registered outputs; 0 for logic without a clock.
    """
    known = statements(without_division(result), inline=False)
    when = _stages(known, stages)
    wide, out = address_bits(nodes), port_bits(ports)
    lines = _interface(name, wide, out, stages)
    for table in known.tables:
        lines += _memory(table)
    late = _Late(known, when)
    for value in known.values:
        wire = _wire(value, known, late)
        lines += [*late.flush(), wire]
    final = known.result
    source = _operand(final, late, max(stages - 1, 0))
    lines += late.flush()
    low = signed_bits(final.low, final.high)
    lines.append(f"  wire signed [{max(low, out + 1) - 1}:0] chosen = {source};")
    if stages:
        lines += [
            f"  reg [{stages}:1] moving;",
            "  always @(posedge clk) begin",
            "    moving[1] <= valid;",
            *(f"    moving[{i}] <= moving[{i - 1}];" for i in range(2, stages + 1)),
            "    port <= chosen[" + f"{out - 1}:0];",
            "    arrived <= chosen < 0;",
            "  end",
            f"  assign ready = moving[{stages}];",
        ]
    else:
        lines += [f"  assign port = chosen[{out - 1}:0];", "  assign arrived = chosen < 0;"]
    return "\n".join([*lines, "endmodule", ""])


def _interface(name: str, wide: int, out: int, stages: int) -> list[str]:
    clock = ["  input  wire clk,", "  input  wire valid,"] if stages else []
    kind = "reg " if stages else "wire"
    ready = ["  output wire ready,"] if stages else []
    return [
        f"module {name}_route (",
        *clock,
        f"  input  wire [{wide - 1}:0] at,",
        f"  input  wire [{wide - 1}:0] to,",
        *ready,
        f"  output {kind} [{out - 1}:0] port,",
        f"  output {kind} arrived",
        ");",
        f"  wire signed [{wide}:0] at_s = {{1'b0, at}};",
        f"  wire signed [{wide}:0] to_s = {{1'b0, to}};",
    ]


def _memory(table: Table) -> list[str]:
    bits = signed_bits(min(table.entries), max(table.entries))
    note = f"  // {table.comment}" if table.comment else ""
    lines = [f"  reg signed [{bits - 1}:0] {table.name} [0:{len(table.entries) - 1}];{note}"]
    lines.append("  initial begin")
    cells = [f"{table.name}[{i}] = {_literal(v)};" for i, v in enumerate(table.entries)]
    lines += ["    " + " ".join(cells[low : low + 4]) for low in range(0, len(cells), 4)]
    return [*lines, "  end"]


def _literal(number: int) -> str:
    bits = abs(number).bit_length() + 1
    return f"{'-' if number < 0 else ''}{bits}'sd{abs(number)}"


class _Late:
    """Values as they are needed in later stages: a register for each stage that they wait."""

    def __init__(self, known: Statements, when: dict[int, int]) -> None:
        self.known, self.when = known, when
        self.lines: list[str] = []
        self._made: set[str] = set()

    def flush(self) -> list[str]:
        """The registers that were asked for since the last time."""
        lines, self.lines = self.lines, []
        return lines

    def name(self, value: Value, stage: int) -> str:
        """What the value is called in a stage."""
        first = self.known.names[id(value)]
        first = f"{first}_s" if value.op == "input" else first
        name = first
        for step in range(self.when.get(id(value), 0) + 1, stage + 1):
            before, name = name, f"{first}_r{step}"
            if name not in self._made:
                self._made.add(name)
                bits = signed_bits(value.low, value.high)
                shape = "" if value.boolean else f"signed [{bits - 1}:0] "
                self.lines += [
                    f"  reg {shape}{name};",
                    f"  always @(posedge clk) {name} <= {before};",
                ]
        return name


def _operand(value: Value, late: _Late, stage: int) -> str:
    return _literal(value.number) if value.op == "constant" else late.name(value, stage)


def _wire(value: Value, known: Statements, late: _Late) -> str:
    stage = late.when.get(id(value), 0)
    args = [_operand(arg, late, stage) for arg in value.args]
    if value.op == "select":
        text = f"{args[0]} ? {args[1]} : {args[2]}"
    elif value.op == "table":
        bits = max(value.args[0].high.bit_length(), 1)
        text = f"{known.table_of[id(value)].name}[{args[0]}[{bits - 1}:0]]"
    elif value.op == "not":
        text = f"!{args[0]}"
    elif value.op == "shift":
        text = f"{args[0]} >>> {value.number}"
    else:
        text = f"{args[0]} {_SIGNS[value.op]} {args[1]}"
    shape = "" if value.boolean else f"signed [{signed_bits(value.low, value.high) - 1}:0] "
    note = f"  // {value.comment}" if value.comment else ""
    return f"  wire {shape}{known.names[id(value)]} = {text};{note}"


def _stages(known: Statements, stages: int) -> dict[int, int]:
    """The stage of every value: all paths cut into parts of about the same length."""
    depth: dict[int, int] = {}
    for value in known.values:
        before = max((depth.get(id(arg), 0) for arg in value.args), default=0)
        depth[id(value)] = before + _COST.get(value.op, 1)
    total = max(depth.values(), default=0) + 1
    return {key: level * stages // total for key, level in depth.items()} if stages else {}


def header(notes: Sequence[str]) -> str:
    """The notes as comments."""
    return "\n".join(f"// {note}".rstrip() for note in notes) + "\n\n"
