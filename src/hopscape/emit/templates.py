"""Verilog that is the same for every network, but for widths and names between at signs."""

from __future__ import annotations

__all__ = ["NETWORK", "QUEUE", "ROUTER", "TESTBENCH"]

QUEUE = """\
// A queue of @DEPTH@ flits; `room` and `waiting` come from registers.
module @NAME@_queue (
  input  wire clk,
  input  wire reset,
  input  wire push,
  input  wire [@W@-1:0] flit,
  input  wire pop,
  output wire room,
  output wire waiting,
  output wire [@W@-1:0] head
);
  reg [@W@-1:0] cells [0:@DEPTH@-1];
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
// The last input takes flits in from the node, the last output hands them to it.
// Each input offers the next of its virtual channels that can move; each output takes the next
// input that asks (round robin both times). A hop takes one cycle.
module @NAME@_router #(parameter [@A@-1:0] NODE = 0) (
  input  wire clk,
  input  wire reset,
  input  wire [@IN@-1:0] in_valid,
  input  wire [@IN@*@VB@-1:0] in_vc,
  input  wire [@IN@*@W@-1:0] in_flit,
  output wire [@IN@*@V@-1:0] in_ready,
  output reg  [@OUT@-1:0] out_valid,
  output reg  [@OUT@*@VB@-1:0] out_vc,
  output reg  [@OUT@*@W@-1:0] out_flit,
  input  wire [@OUT@*@V@-1:0] out_ready
);
  wire [@IN@*@V@-1:0] waiting, able;
  wire [@IN@*@V@*@W@-1:0] head;
  wire [@IN@*@V@*@OB@-1:0] goal;
  reg  [@IN@*@V@-1:0] pop;
  genvar i, v;
  generate
    for (i = 0; i < @IN@; i = i + 1) begin : entry
      for (v = 0; v < @V@; v = v + 1) begin : channel
        wire [@W@-1:0] flit;
        wire [@PB@-1:0] port;
        wire [@OB@-1:0] exit;
        wire arrived;
        @NAME@_queue queue (
          .clk(clk), .reset(reset),
          .push(in_valid[i] && in_vc[i*@VB@ +: @VB@] == v), .flit(in_flit[i*@W@ +: @W@]),
          .pop(pop[i*@V@+v]), .room(in_ready[i*@V@+v]), .waiting(waiting[i*@V@+v]), .head(flit));
        @NAME@_route route (.at(NODE), .to(flit[@A@-1:0]), .port(port), .arrived(arrived));
        assign exit = arrived ? @OUT@ - 1 : port;
        assign head[(i*@V@+v)*@W@ +: @W@] = flit;
        assign goal[(i*@V@+v)*@OB@ +: @OB@] = exit;
        assign able[i*@V@+v] = waiting[i*@V@+v] && out_ready[exit*@V@+v];
      end
    end
  endgenerate

  reg [@IN@*@VB@-1:0] last_vc, offer;
  reg [@OUT@*@IB@-1:0] last_in, winner;
  reg [@IN@-1:0] asks;
  integer a, b, c, d;
  always @* begin
    asks = 0;
    offer = 0;
    for (a = 0; a < @IN@; a = a + 1)
      for (b = @V@; b >= 1; b = b - 1) begin
        c = last_vc[a*@VB@ +: @VB@] + b;
        if (c >= @V@) c = c - @V@;
        if (able[a*@V@+c]) begin
          asks[a] = 1'b1;
          offer[a*@VB@ +: @VB@] = c;
        end
      end
    out_valid = 0;
    out_vc = 0;
    out_flit = 0;
    winner = 0;
    pop = 0;
    for (a = 0; a < @OUT@; a = a + 1) begin
      for (b = @IN@; b >= 1; b = b - 1) begin
        c = last_in[a*@IB@ +: @IB@] + b;
        if (c >= @IN@) c = c - @IN@;
        d = c*@V@ + offer[c*@VB@ +: @VB@];
        if (asks[c] && goal[d*@OB@ +: @OB@] == a) begin
          out_valid[a] = 1'b1;
          winner[a*@IB@ +: @IB@] = c;
        end
      end
      c = winner[a*@IB@ +: @IB@];
      d = c*@V@ + offer[c*@VB@ +: @VB@];
      if (out_valid[a]) begin
        out_vc[a*@VB@ +: @VB@] = offer[c*@VB@ +: @VB@];
        out_flit[a*@W@ +: @W@] = head[d*@W@ +: @W@];
        pop[d] = 1'b1;
      end
    end
  end

  integer e;
  always @(posedge clk)
    if (reset) begin
      last_vc <= 0;
      last_in <= 0;
    end else
      for (e = 0; e < @OUT@; e = e + 1)
        if (out_valid[e]) begin
          last_in[e*@IB@ +: @IB@] <= winner[e*@IB@ +: @IB@];
          last_vc[winner[e*@IB@ +: @IB@]*@VB@ +: @VB@] <= out_vc[e*@VB@ +: @VB@];
        end

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
// All routers of @SPEC@ and the channels between them. Bit or slice k of a bus belongs to node k;
// a flit that is offered is taken in the cycle in which `take` is set.
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
  wire [@ORDER@*@IN@-1:0] in_valid;
  wire [@ORDER@*@IN@*@VB@-1:0] in_vc;
  wire [@ORDER@*@IN@*@W@-1:0] in_flit;
  wire [@ORDER@*@IN@*@V@-1:0] in_ready;
  wire [@ORDER@*@OUT@-1:0] out_valid;
  wire [@ORDER@*@OUT@*@VB@-1:0] out_vc;
  wire [@ORDER@*@OUT@*@W@-1:0] out_flit;
  wire [@ORDER@*@OUT@*@V@-1:0] out_ready;
  genvar k;
  generate
    for (k = 0; k < @ORDER@; k = k + 1) begin : node
      localparam [@A@-1:0] HERE = k;
      wire [@VB@-1:0] vc;
      @NAME@_class choose (.at(HERE), .to(offer_to[k*@A@ +: @A@]), .port(vc), .arrived());
      assign take[k] = offer[k] && in_ready[(k*@IN@+@IN@-1)*@V@ + vc];
      assign in_valid[k*@IN@+@IN@-1] = take[k];
      assign in_vc[(k*@IN@+@IN@-1)*@VB@ +: @VB@] = vc;
      assign in_flit[(k*@IN@+@IN@-1)*@W@ +: @W@] =
        {offer_tag[k*@T@ +: @T@], HERE, offer_to[k*@A@ +: @A@]};
      assign out_ready[(k*@OUT@+@OUT@-1)*@V@ +: @V@] = {@V@{1'b1}};
      assign arrive[k] = out_valid[k*@OUT@+@OUT@-1];
      assign arrive_flit[k*@W@ +: @W@] = out_flit[(k*@OUT@+@OUT@-1)*@W@ +: @W@];
      @NAME@_router #(.NODE(HERE)) router (
        .clk(clk), .reset(reset),
        .in_valid(in_valid[k*@IN@ +: @IN@]), .in_vc(in_vc[k*@IN@*@VB@ +: @IN@*@VB@]),
        .in_flit(in_flit[k*@IN@*@W@ +: @IN@*@W@]), .in_ready(in_ready[k*@IN@*@V@ +: @IN@*@V@]),
        .out_valid(out_valid[k*@OUT@ +: @OUT@]), .out_vc(out_vc[k*@OUT@*@VB@ +: @OUT@*@VB@]),
        .out_flit(out_flit[k*@OUT@*@W@ +: @OUT@*@W@]),
        .out_ready(out_ready[k*@OUT@*@V@ +: @OUT@*@V@]));
    end
  endgenerate

@NODES@
endmodule
"""

TESTBENCH = """\
// Random packets between the endpoints of @SPEC@. Run with
//   vvp test +packets=100000 +seed=1 +load=50
// (load: chance in a hundred that an idle endpoint offers a packet in a cycle). With
// -DHOPSCAPE_TRACE every hop is printed: `hop TAG NODE`; `new TAG FROM TO` and `end TAG NODE` are
// printed always.
module @NAME@_test;
  reg clk, reset;
  reg [@ORDER@-1:0] offer, taken;
  reg [@ORDER@*@A@-1:0] offer_to;
  reg [@ORDER@*@T@-1:0] offer_tag;
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
    offer = offer & ~taken;
    if (cycle == 3) reset = 0;
    if (cycle > 3)
      for (k = 0; k < @ENDS@; k = k + 1) begin
        n = ends[k];
        if (!offer[n] && made < packets && $unsigned($random(seed)) % 100 < load) begin
          goal = $unsigned($random(seed)) % (@ENDS@ - 1);
          if (goal >= k) goal = goal + 1;
          offer[n] = 1'b1;
          offer_to[n*@A@ +: @A@] = ends[goal];
          offer_tag[n*@T@ +: @T@] = made;
          $display("new %0d %0d %0d", made, n, ends[goal]);
          made = made + 1;
        end
      end
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
