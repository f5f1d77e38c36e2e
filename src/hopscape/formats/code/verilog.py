"""Formulas as synthesizable Verilog (2001): one wire for each operation, widths from the ranges.

Verilog that is the same for every network, but for widths and names between at signs.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopscape.core.formula import TableValue, Value
from hopscape.formats.code.software import Statements, signed_bits, statements, without_division

__all__ = [
    "NETWORK",
    "NODE",
    "QUEUE",
    "ROUTER",
    "TESTBENCH",
    "address_bits",
    "port_bits",
    "route_module",
]

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


def _memory(table: TableValue) -> list[str]:
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


QUEUE = """\
// A queue of @DEPTH@ flits, each with the output that it leaves by; `room` and `waiting` come from
// registers.
module @NAME@_queue (
  input  wire clk,
  input  wire reset,
  input  wire push,
  input  wire [@QW@-1:0] flit,
  input  wire pop,
  output wire room,
  output wire waiting,
  output wire [@QW@-1:0] head
);
  reg [@QW@-1:0] cells [0:@DEPTH@-1];
  reg [@QB@-1:0] first, last;
  reg [@DB@-1:0] count;
  assign room = count < @DEPTH@;
  assign waiting = count != 0;
  assign head = cells[first];
  always @(posedge clk) begin
    if (push) cells[last] <= flit;
    if (reset) begin
      first <= 0;
      last <= 0;
      count <= 0;
    end else begin
      if (push) last <= (last == @DEPTH@ - 1) ? 0 : last + 1;
      if (pop) first <= (first == @DEPTH@ - 1) ? 0 : first + 1;
      count <= count + push - pop;
    end
  end
endmodule
"""

ROUTER = """\
// A router with a queue for each input and virtual channel. A flit is {tag, source, destination}.
// The last input takes flits in from the node, the last output hands them to it. Every input
// offers the next of its virtual channels that can move, every output takes the next input that
// asks (round robin both times). The route is computed where a flit enters its queue; a hop takes
// one cycle.
module @NAME@_router #(parameter [@A@-1:0] NODE = 0) (
  input  wire clk,
  input  wire reset,
  input  wire [@IN@-1:0] in_valid,
  input  wire [@IN@*@VB@-1:0] in_vc,
  input  wire [@IN@*@W@-1:0] in_flit,
  output wire [@IN@*@V@-1:0] in_ready,
  output wire [@OUT@-1:0] out_valid,
  output wire [@OUT@*@VB@-1:0] out_vc,
  output wire [@OUT@*@W@-1:0] out_flit,
  input  wire [@OUT@*@V@-1:0] out_ready
);
  wire [@IN@-1:0] served;
  genvar i, v;
  generate
    for (i = 0; i < @IN@; i = i + 1) begin : entry
      wire [@V@-1:0] able, late, pool, chosen;
      wire [@W@-1:0] flits [0:@V@];
      wire [@OB@-1:0] exits [0:@V@];
      wire [@VB@-1:0] classes [0:@V@];
      reg  [@V@-1:0] after;  // virtual channels that come after the last one served
      wire [@PB@-1:0] port;
      wire arrived;
      @NAME@_route route (.at(NODE), .to(in_flit[i*@W@ +: @A@]), .port(port), .arrived(arrived));
      wire [@OB@-1:0] leave = arrived ? @OUT@ - 1 : port;
      assign flits[0] = 0;
      assign exits[0] = 0;
      assign classes[0] = 0;
      for (v = 0; v < @V@; v = v + 1) begin : channel
        wire [@W@-1:0] head;
        wire [@OB@-1:0] exit;
        wire waiting;
        @NAME@_queue queue (
          .clk(clk), .reset(reset),
          .push(in_valid[i] && in_vc[i*@VB@ +: @VB@] == v), .flit({leave, in_flit[i*@W@ +: @W@]}),
          .pop(served[i] && chosen[v]), .room(in_ready[i*@V@+v]), .waiting(waiting),
          .head({exit, head}));
        assign able[v] = waiting && out_ready[exit*@V@+v];
        assign flits[v+1] = flits[v] | ({@W@{chosen[v]}} & head);
        assign exits[v+1] = exits[v] | ({@OB@{chosen[v]}} & exit);
        assign classes[v+1] = classes[v] | (chosen[v] ? v : 0);
      end
      assign late = able & after;
      assign pool = (late != 0) ? late : able;
      assign chosen = pool & (~pool + 1'b1);
      always @(posedge clk)
        if (reset) after <= 0;
        else if (served[i]) after <= ~(chosen | (chosen - 1'b1));
    end
  endgenerate

@EXITS@
`ifdef HOPSCAPE_TRACE
  integer t;
  always @(posedge clk)
    if (!reset)
      for (t = 0; t < @IN@; t = t + 1)
        if (in_valid[t])
          $display("hop %0d %0d", in_flit[t*@W@+2*@A@ +: @T@], NODE);
`endif
endmodule
"""

NETWORK = """\
// All routers of @SPEC@ and the channels between them: what leaves node T by port P travels on
// valid_T_P, vc_T_P and flit_T_P. Bit or slice k of a bus belongs to node k; a flit that is offered
// is taken in the cycle in which `take` is set.
module @NAME@_network (
  input  wire clk,
  input  wire reset,
  input  wire [@ORDER@-1:0] offer,
  input  wire [@ORDER@*@A@-1:0] offer_to,
  input  wire [@ORDER@*@T@-1:0] offer_tag,
  output wire [@ORDER@-1:0] take,
  output wire [@ORDER@-1:0] arrive,
  output wire [@ORDER@*@W@-1:0] arrive_flit
);
@NODES@
endmodule
"""

NODE = """\
  // the virtual channel of packets from node @K@, by destination
  localparam [@ORDER@*@VB@-1:0] CLASSES_@K@ = @ROW@;
  wire [@VB@-1:0] class_@K@ = CLASSES_@K@[offer_to[@K@*@A@ +: @A@]*@VB@ +: @VB@];
  wire [@V@-1:0] room_@K@;
  assign take[@K@] = offer[@K@] && room_@K@[class_@K@];
  @NAME@_router #(.NODE(@K@)) router_@K@ (
    .clk(clk), .reset(reset),
    .in_valid({take[@K@]@IN_VALID@}),
    .in_vc({class_@K@@IN_VC@}),
    .in_flit({{offer_tag[@K@*@T@ +: @T@], @A@'d@K@, offer_to[@K@*@A@ +: @A@]}@IN_FLIT@}),
    .in_ready({room_@K@@IN_READY@}),
    .out_valid({arrive[@K@]@OUT_VALID@}),
    .out_vc({unused_vc_@K@@OUT_VC@}),
    .out_flit({arrive_flit[@K@*@W@ +: @W@]@OUT_FLIT@}),
    .out_ready({{@V@{1'b1}}@OUT_READY@}));
"""

TESTBENCH = """\
// Random packets between the endpoints of @SPEC@. Run with
//   vvp test +packets=100000 +seed=1 +load=50
// (load: chance in a hundred that an idle endpoint offers a packet in a cycle). With
// -DHOPSCAPE_TRACE every hop is printed: `hop TAG NODE`; `new TAG FROM TO` and `end TAG NODE` are
// printed always. Written by hopscape.
module @NAME@_test;
  reg clk, reset;
  reg [@ORDER@-1:0] offer, taken, next;
  reg [@ORDER@*@A@-1:0] offer_to, next_to;
  reg [@ORDER@*@T@-1:0] offer_tag, next_tag;
  wire [@ORDER@-1:0] take, arrive;
  wire [@ORDER@*@W@-1:0] arrive_flit;
  @NAME@_network network (
    .clk(clk), .reset(reset), .offer(offer), .offer_to(offer_to), .offer_tag(offer_tag),
    .take(take), .arrive(arrive), .arrive_flit(arrive_flit));

  integer ends [0:@ENDS@-1];
  integer packets, seed, load, made, done, quiet, cycle, k, n, goal;
  initial begin
@ENDPOINTS@
    if (!$value$plusargs("packets=%d", packets)) packets = 1000;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    if (!$value$plusargs("load=%d", load)) load = 50;
    clk = 0; reset = 1; taken = 0; offer = 0; offer_to = 0; offer_tag = 0;
    made = 0; done = 0; quiet = 0; cycle = 0;
  end
  always #1 clk = !clk;
  always @(negedge clk) begin
    cycle = cycle + 1;
    next = offer & ~taken;
    next_to = offer_to;
    next_tag = offer_tag;
    if (cycle == 3) reset = 0;
    if (cycle > 3)
      for (k = 0; k < @ENDS@; k = k + 1) begin
        n = ends[k];
        if (!next[n] && made < packets && $unsigned($random(seed)) % 100 < load) begin
          goal = $unsigned($random(seed)) % (@ENDS@ - 1);
          if (goal >= k) goal = goal + 1;
          next[n] = 1'b1;
          next_to[n*@A@ +: @A@] = ends[goal];
          next_tag[n*@T@ +: @T@] = made;
          $display("new %0d %0d %0d", made, n, ends[goal]);
          made = made + 1;
        end
      end
    offer = next;
    offer_to = next_to;
    offer_tag = next_tag;
  end
  integer j;
  always @(posedge clk) begin
    quiet = quiet + 1;
    for (j = 0; j < @ORDER@; j = j + 1)
      if (arrive[j] && !reset) begin
        $display("end %0d %0d", arrive_flit[j*@W@+2*@A@ +: @T@], j);
        done = done + 1;
        quiet = 0;
      end
    if (done == packets) begin
      $display("delivered %0d packets in %0d cycles", done, cycle);
      $finish;
    end
    if (quiet > 5000) begin
      $display("stuck with %0d of %0d packets delivered", done, made);
      $finish;
    end
  end
  always @(posedge clk) taken <= reset ? 0 : take;
endmodule
"""
