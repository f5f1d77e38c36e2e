"""SystemVerilog that is the same for every network, but for what stands between at signs.

What Icarus Verilog 11, Verilator 5 and Yosys 0.23 all read: vectors, parameters, generate loops.
"""

from __future__ import annotations

__all__ = ["CELLS", "ENDPOINT", "FIFO", "FIRST", "NETWORK", "NODE", "ROUTER", "TESTBENCH"]

FIRST = """\
// Round robin: of the bits of `ask` the first from where `after` begins on, going round.
module @NAME@_first #(parameter int N = 2) (
  input  logic [N-1:0] ask,
  input  logic [N-1:0] after,  // ones from the place on where the search begins
  output logic [N-1:0] win
);
  logic [N-1:0] pool;
  assign pool = (ask & after) != 0 ? ask & after : ask;
  assign win = pool & (~pool + 1'b1);
endmodule
"""

FIFO = """\
// A buffer of DEPTH flits.
module @NAME@_fifo #(parameter int DEPTH = @DEPTH@, parameter int BITS = 8) (
  input  logic            clk,
  input  logic            reset,
  input  logic            push,
  input  logic [BITS-1:0] flit,
  input  logic            pop,
  output logic            waiting,
  output logic [BITS-1:0] head
);
  localparam int PB = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int CB = $clog2(DEPTH + 1);
  logic [BITS-1:0] cells [0:DEPTH-1];
  logic [PB-1:0] read, write;
  logic [CB-1:0] count;
  assign waiting = count != 0;
  assign head = cells[read];
  always_ff @(posedge clk) if (push) cells[write] <= flit;
  always_ff @(posedge clk)
    if (reset) begin
      read  <= '0;
      write <= '0;
      count <= '0;
    end else begin
      if (push) write <= write == PB'(DEPTH - 1) ? '0 : write + 1'b1;
      if (pop) read <= read == PB'(DEPTH - 1) ? '0 : read + 1'b1;
      count <= count + CB'(push) - CB'(pop);
    end
`ifndef SYNTHESIS
  always @(posedge clk)
    if (!reset && ((push && !pop && count == CB'(DEPTH)) || (pop && !waiting)))
      $fatal(1, "a buffer of %m overflows, or is read while it is empty");
`endif
endmodule
"""

ROUTER = """\
// A router with virtual channels: a buffer for each input and virtual channel, credits, wormhole
// switching. A flit is {tail, head, data}; the lowest @A@ bits of a head flit are the node that the
// packet goes to. Pushes and credits have a wire for each virtual channel. A head flit that is
// pushed into an empty router in cycle t has its route computed in t + 1, gets a virtual channel in
// t + 2 and the switch in t + 3, crosses it in t + 4 and is pushed into the next router in t + 5.
// Both allocators run one iteration of iSLIP with round-robin pointers, as the flit simulator does.
//
// The last input and the last output are those of the endpoint, where there is one (LOCAL). A
// packet takes the class of virtual channels ENTER[destination] where FRESH[input * OUTS + output]
// is set, the next class where RISES is set, and keeps its class elsewhere; the VCS virtual
// channels are shared out evenly among the classes. The output to the endpoint has no classes.
module @NAME@_router #(
  parameter int NODE = 0,
  parameter int INS = 2,
  parameter int OUTS = 2,
  parameter bit LOCAL = 1'b1,
  parameter int VCS = @VCS@,
  parameter int DEPTH = @DEPTH@,
  parameter int WIDTH = @WIDTH@,
  parameter logic [INS*OUTS-1:0] FRESH = '1,
  parameter logic [INS*OUTS-1:0] RISES = '0,
  parameter logic [@ORDER@*@CB@-1:0] ENTER = '0
) (
  input  logic                       clk,
  input  logic                       reset,
  input  logic [INS*VCS-1:0]         in_push,
  input  logic [INS*(WIDTH+2)-1:0]   in_flit,
  output logic [INS*VCS-1:0]         in_credit,
  output logic [OUTS*VCS-1:0]        out_push,
  output logic [OUTS*(WIDTH+2)-1:0]  out_flit,
  input  logic [OUTS*VCS-1:0]        out_credit
);
  localparam int FLIT = WIDTH + 2;
  localparam int OB = OUTS > 1 ? $clog2(OUTS) : 1;
  localparam int PB = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int DB = $clog2(DEPTH + 1);
  localparam int IV = INS * VCS;  // virtual channels that come in

  genvar i, v, o, w;
  generate
    for (i = 0; i < INS; i = i + 1) begin : entry
      localparam logic [OUTS-1:0] NEW = FRESH[i*OUTS +: OUTS];
      localparam logic [OUTS-1:0] UP = RISES[i*OUTS +: OUTS];
      // The route of a head flit is computed in the cycle after it has come.
      logic [@A@-1:0] goal;
      logic [VCS-1:0] fresh;
      logic [@PB@-1:0] port;
      logic arrived;
      logic [OB-1:0] leave;
      always_ff @(posedge clk) begin
        goal <= in_flit[i*FLIT +: @A@];
        fresh <= reset || !in_flit[i*FLIT+WIDTH] ? '0 : in_push[i*VCS +: VCS];
      end
      @NAME@_route route (.at(@A@'(NODE)), .to(goal), .port(port), .arrived(arrived));
      assign leave = arrived ? OB'(OUTS - 1) : OB'(port);
      for (v = 0; v < VCS; v = v + 1) begin : lane
        localparam int K = i * VCS + v;
        localparam int OWN = ((v + 1) * @CLASSES@ - 1) / VCS;
        logic [FLIT-1:0] cells [0:DEPTH-1];
        logic [OB+@CB@-1:0] ways [0:DEPTH-1];  // of head flits
        logic [FLIT-1:0] front;
        logic [PB-1:0] read, write, wrote;
        logic [DB-1:0] count;
        logic routed, active, waits, wants, ends;
        logic [OB-1:0] exit, hold, latest;
        logic [@CB@-1:0] kind, asked;
        logic [VCS-1:0] held, offers, given, behind, fits;
        logic [OUTS-1:0] asks, tries, sends;
        always_comb
          if (NEW[leave]) kind = ENTER[goal*@CB@ +: @CB@];
          else kind = @CB@'(OWN) + @CB@'(UP[leave]);
        assign {exit, asked} = ways[read];
        assign front = cells[read];
        assign ends = front[WIDTH+1] && sends != 0;
        assign waits = routed && !active;
        assign wants = active && count != 0;
        for (w = 0; w < VCS; w = w + 1) begin : one
          assign fits[w] = (LOCAL && exit == OB'(OUTS - 1))
            || asked == @CB@'(((w + 1) * @CLASSES@ - 1) / VCS);
          logic [OUTS-1:0] from;
          for (o = 0; o < OUTS; o = o + 1) begin : one
            assign from[o] = leaver[o].lane[w].offer[K];
          end
          assign offers[w] = from != 0;
        end
        for (o = 0; o < OUTS; o = o + 1) begin : towards
          assign asks[o] = waits && exit == OB'(o);
          assign tries[o] = wants && hold == OB'(o) && (leaver[o].has & held) != 0;
          assign sends[o] = passes[o] && pick[o].win[v];
        end
        // Of the virtual channels that offer themselves one is taken, from the last one on.
        @NAME@_first #(.N(VCS)) take (
          .ask(offers), .after(latest == exit ? behind : '1), .win(given));
        always_ff @(posedge clk) begin
          if (in_push[K]) cells[write] <= in_flit[i*FLIT +: FLIT];
          if (fresh[v]) ways[wrote] <= {leave, kind};
          wrote <= write;
          in_credit[K] <= sends != 0 && !reset;
          if (given != 0) begin
            hold <= exit;
            held <= given;
          end
        end
        always_ff @(posedge clk)
          if (reset) begin
            read   <= '0;
            write  <= '0;
            count  <= '0;
            routed <= 1'b0;
            active <= 1'b0;
            behind <= '1;
            latest <= '0;
          end else begin
            if (in_push[K]) write <= write == PB'(DEPTH - 1) ? '0 : write + 1'b1;
            if (sends != 0) read <= read == PB'(DEPTH - 1) ? '0 : read + 1'b1;
            count <= count + DB'(in_push[K]) - DB'(sends != 0);
            routed <= !ends && (routed || count != 0);
            active <= !ends && (active || given != 0);
            if (given != 0) begin
              behind <= ~(given | (given - 1'b1));
              latest <= exit;
            end
          end
`ifndef SYNTHESIS
        always @(posedge clk)
          if (!reset) begin
            if (in_push[K] && sends == 0 && count == DB'(DEPTH))
              $fatal(1, "a buffer of node %0d overflows", NODE);
            if (waits && !front[WIDTH])
              $fatal(1, "a packet at node %0d begins without a head flit", NODE);
          end
`endif
      end

      // The switch: every output chooses an input, every input takes one output that chose it.
      logic [VCS-1:0] next, going;
      logic [OUTS-1:0] mine, passes, turn;
      logic [FLIT-1:0] flit, stage;
      logic [VCS-1:0] onto;
      logic [VCS*FLIT-1:0] fronts;
      logic [VCS*VCS-1:0] helds;
      for (o = 0; o < OUTS; o = o + 1) begin : pick
        logic [VCS-1:0] ask, win;
        for (v = 0; v < VCS; v = v + 1) begin : one
          assign ask[v] = lane[v].tries[o];
        end
        @NAME@_first #(.N(VCS)) which (.ask(ask), .after(next), .win(win));
        assign mine[o] = leaver[o].win[i];
      end
      @NAME@_first #(.N(OUTS)) take (.ask(mine), .after(turn), .win(passes));
      for (v = 0; v < VCS; v = v + 1) begin : one
        assign going[v] = lane[v].sends != 0;
        assign fronts[v*FLIT +: FLIT] = {FLIT{going[v]}} & lane[v].front;
        assign helds[v*VCS +: VCS] = {VCS{going[v]}} & lane[v].held;
      end
      always_comb begin
        flit = '0;
        onto = '0;
        for (int k = 0; k < VCS; k = k + 1) begin
          flit = flit | fronts[k*FLIT +: FLIT];
          onto = onto | helds[k*VCS +: VCS];
        end
      end
      always_ff @(posedge clk) begin
        stage <= flit;
        if (reset) begin
          next <= '1;
          turn <= '1;
        end else if (going != 0) begin
          next <= ~(going | (going - 1'b1));
          turn <= ~(passes | (passes - 1'b1));
        end
      end
    end

    for (o = 0; o < OUTS; o = o + 1) begin : leaver
      logic [INS-1:0] ask, win, from, after, crossing;
      logic [VCS-1:0] has, used, lanes;
      logic [FLIT-1:0] flit;
      logic [INS*FLIT-1:0] stages;
      for (i = 0; i < INS; i = i + 1) begin : one
        assign ask[i] = entry[i].pick[o].win != 0;
        assign from[i] = entry[i].passes[o];
        assign stages[i*FLIT +: FLIT] = {FLIT{crossing[i]}} & entry[i].stage;
      end
      @NAME@_first #(.N(INS)) which (.ask(ask), .after(after), .win(win));
      always_comb begin
        flit = '0;
        for (int k = 0; k < INS; k = k + 1) flit = flit | stages[k*FLIT +: FLIT];
      end
      always_ff @(posedge clk) begin
        crossing <= from;
        lanes <= reset ? '0 : used;
        out_push[o*VCS +: VCS] <= reset ? '0 : lanes;
        out_flit[o*FLIT +: FLIT] <= flit;
        if (reset) after <= '1;
        else if (from != 0) after <= ~(from | (from - 1'b1));
      end
      for (w = 0; w < VCS; w = w + 1) begin : lane
        logic [IV-1:0] asks, offer, won, behind;
        logic [INS-1:0] puts, ends;
        logic [DB-1:0] room;
        logic free;
        for (i = 0; i < INS; i = i + 1) begin : one
          for (v = 0; v < VCS; v = v + 1) begin : one
            assign asks[i*VCS+v] = free && entry[i].lane[v].asks[o] && entry[i].lane[v].fits[w];
            assign won[i*VCS+v] = offer[i*VCS+v] && entry[i].lane[v].given[w];
          end
          assign puts[i] = from[i] && entry[i].onto[w];
          assign ends[i] = puts[i] && entry[i].flit[WIDTH+1];
        end
        @NAME@_first #(.N(IV)) which (.ask(asks), .after(behind), .win(offer));
        assign has[w] = room != 0;
        assign used[w] = puts != 0;
        always_ff @(posedge clk)
          if (reset) begin
            behind <= '1;
            free   <= 1'b1;
            room   <= DB'(DEPTH);
          end else begin
            if (won != 0) behind <= ~(won | (won - 1'b1));
            free <= (free && won == 0) || ends != 0;
            room <= room + DB'(out_credit[o*VCS+w]) - DB'(used[w]);
          end
      end
    end
  endgenerate
`ifndef SYNTHESIS
  initial if (VCS < @CLASSES@) $fatal(1, "VCS is %0d; there are @CLASSES@ classes", VCS);
`endif
`ifdef HOPSCAPE_TRACE
  integer t;
  always @(posedge clk)
    if (!reset)
      for (t = 0; t < INS; t = t + 1)
        if (in_push[t*VCS +: VCS] != 0 && in_flit[t*FLIT+WIDTH])
          $display("hop %0d %0d", in_flit[t*FLIT +: WIDTH] >> @A@, NODE);
`endif
endmodule
"""

ENDPOINT = """\
// Where an endpoint meets its router: AXI4-Stream on one side, credits on the other. The first flit
// of a packet names its destination in its lowest @A@ bits, TLAST marks the last one. What arrives
// has the virtual channel as TID (flits of packets of different TID may alternate) and TUSER set in
// the first flit of a packet.
module @NAME@_endpoint #(
  parameter int VCS = @VCS@,
  parameter int DEPTH = @DEPTH@,
  parameter int WIDTH = @WIDTH@,
  parameter int IDS = VCS > 1 ? $clog2(VCS) : 1
) (
  input  logic             clk,
  input  logic             reset,
  input  logic             s_tvalid,
  output logic             s_tready,
  input  logic [WIDTH-1:0] s_tdata,
  input  logic             s_tlast,
  output logic             m_tvalid,
  input  logic             m_tready,
  output logic [WIDTH-1:0] m_tdata,
  output logic             m_tlast,
  output logic             m_tuser,
  output logic [IDS-1:0]   m_tid,
  output logic [VCS-1:0]   out_push,
  output logic [WIDTH+1:0] out_flit,
  input  logic [VCS-1:0]   out_credit,
  input  logic [VCS-1:0]   in_push,
  input  logic [WIDTH+1:0] in_flit,
  output logic [VCS-1:0]   in_credit
);
  localparam int DB = $clog2(DEPTH + 1);
  // Into the network: a packet takes the next virtual channel that has a credit.
  logic [VCS-1:0] has, win, lane, use_lane, after;
  logic busy, go;
  @NAME@_first #(.N(VCS)) pick (.ask(has), .after(after), .win(win));
  assign use_lane = busy ? lane : win;
  assign s_tready = !reset && (use_lane & has) != 0;
  assign go = s_tvalid && s_tready;
  always_ff @(posedge clk)
    if (reset) begin
      busy     <= 1'b0;
      after    <= '1;
      out_push <= '0;
    end else begin
      out_push <= go ? use_lane : '0;
      if (go) begin
        busy <= !s_tlast;
        lane <= use_lane;
        if (!busy) after <= ~(win | (win - 1'b1));
      end
    end
  always_ff @(posedge clk) out_flit <= {s_tlast, !busy, s_tdata};
  genvar v;
  generate
    for (v = 0; v < VCS; v = v + 1) begin : credit
      logic [DB-1:0] room;
      assign has[v] = room != 0;
      always_ff @(posedge clk)
        if (reset) room <= DB'(DEPTH);
        else room <= room + DB'(out_credit[v]) - DB'(go && use_lane[v]);
    end
  endgenerate

  // Out of the network: a flit that is offered stays until it is taken.
  logic [VCS-1:0] waiting, turn, first, kept, choice, pop;
  logic [VCS*(WIDTH+2)-1:0] heads;
  logic waits;
  @NAME@_first #(.N(VCS)) next (.ask(waiting), .after(turn), .win(first));
  assign choice = waits ? kept : first;
  assign m_tvalid = !reset && choice != 0;
  assign pop = m_tvalid && m_tready ? choice : '0;
  always_comb begin
    {m_tlast, m_tuser, m_tdata} = '0;
    m_tid = '0;
    for (int k = 0; k < VCS; k = k + 1)
      if (choice[k]) begin
        {m_tlast, m_tuser, m_tdata} = heads[k*(WIDTH+2) +: WIDTH+2];
        m_tid = IDS'(k);
      end
  end
  always_ff @(posedge clk)
    if (reset) begin
      turn      <= '1;
      waits     <= 1'b0;
      in_credit <= '0;
    end else begin
      in_credit <= pop;
      waits <= m_tvalid && !m_tready;
      kept <= choice;
      if (pop != 0) turn <= ~(pop | (pop - 1'b1));
    end
  generate
    for (v = 0; v < VCS; v = v + 1) begin : buffer
      @NAME@_fifo #(.DEPTH(DEPTH), .BITS(WIDTH + 2)) fifo (
        .clk(clk), .reset(reset), .push(in_push[v]), .flit(in_flit), .pop(pop[v]),
        .waiting(waiting[v]), .head(heads[v*(WIDTH+2) +: WIDTH+2]));
    end
  endgenerate
endmodule
"""

NETWORK = """\
// All routers of @SPEC@ and the channels between them: what leaves node T by port P travels on
// push_T_P and flit_T_P, its credits come back on credit_T_P. Slice e of a bus belongs to endpoint
// e, the node @WHO@. The other parameters of routers go with the routes.
module @NAME@_network #(
  parameter int VCS = @VCS@,  // virtual channels of each link, at least @CLASSES@
  parameter int DEPTH = @DEPTH@,  // flits that the buffer of one holds
  parameter int WIDTH = @WIDTH@,  // bits of a flit, at least @A@
  parameter int IDS = VCS > 1 ? $clog2(VCS) : 1
) (
  input  logic                    clk,
  input  logic                    reset,
  input  logic [@ENDS@-1:0]       s_tvalid,
  output logic [@ENDS@-1:0]       s_tready,
  input  logic [@ENDS@*WIDTH-1:0] s_tdata,
  input  logic [@ENDS@-1:0]       s_tlast,
  output logic [@ENDS@-1:0]       m_tvalid,
  input  logic [@ENDS@-1:0]       m_tready,
  output logic [@ENDS@*WIDTH-1:0] m_tdata,
  output logic [@ENDS@-1:0]       m_tlast,
  output logic [@ENDS@-1:0]       m_tuser,
  output logic [@ENDS@*IDS-1:0]   m_tid
);
  /* verilator lint_off UNUSED */  // outputs of ports that lead nowhere
@CHANNELS@
@NODES@
endmodule
"""

NODE = """\
  logic [@OUTS@*VCS-1:0] outs_@K@, back_@K@;
  logic [@INS@*VCS-1:0] ins_@K@, credits_@K@;
  logic [@OUTS@*(WIDTH+2)-1:0] flits_@K@;
  @NAME@_router #(.NODE(@K@), .INS(@INS@), .OUTS(@OUTS@), .LOCAL(1'b@LOCAL@), .VCS(VCS),
    .DEPTH(DEPTH), .WIDTH(WIDTH), .FRESH(@FRESH@), .RISES(@RISES@),
    .ENTER(@ENTER@)) router_@K@ (
    .clk(clk), .reset(reset), .in_push(ins_@K@), .in_flit(@IN_FLIT@),
    .in_credit(credits_@K@), .out_push(outs_@K@), .out_flit(flits_@K@), .out_credit(back_@K@));
"""

TESTBENCH = """\
// Random packets between the endpoints of @SPEC@. Run with
//   vvp test +packets=1000 +seed=1 +load=50 +packet=4
// load: chance in a hundred that an idle endpoint offers a packet in a cycle; packet: its flits;
// vary=1: from one flit to so many; ready: chance in a hundred that an endpoint takes a flit that
// has come. Prints `new TAG FROM TO FLITS CYCLE` when a packet is offered and `end TAG NODE
// CYCLE` when its last flit is taken; with -DHOPSCAPE_TRACE `hop TAG NODE`, too. Every flit is
// compared with what was sent. Written by hopscape.
/* verilator lint_off BLKSEQ */
/* verilator lint_off WIDTH */
module @NAME@_test #(
  parameter int VCS = @VCS@,
  parameter int DEPTH = @DEPTH@,
  parameter int WIDTH = @WIDTH@,
  parameter int PACKET = @PACKET@  // flits of a packet; routers carry any number
);
  localparam int IDS = VCS > 1 ? $clog2(VCS) : 1;
  logic clk, reset;
  logic [@ENDS@-1:0] s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast, m_tuser;
  logic [@ENDS@*WIDTH-1:0] s_tdata, m_tdata;
  logic [@ENDS@*IDS-1:0] m_tid;
  @NAME@_network #(.VCS(VCS), .DEPTH(DEPTH), .WIDTH(WIDTH)) network (.*);

  int node [0:@ENDS@-1];
  int tag [0:@ENDS@-1];  // packet that an endpoint sends
  int goal [0:@ENDS@-1];
  int flits [0:@ENDS@-1];
  int place [0:@ENDS@-1];  // flits of it that were taken
  int came [0:@ENDS@*VCS-1];  // flits of a packet that came by a virtual channel
  int which [0:@ENDS@*VCS-1];
  int length [];
  int target [];
  int packets, seed, load, packet, vary, ready, made, done, quiet, cycle, n, k, e, other;
  int unsigned dice;
  logic [WIDTH-1:0] data;
  logic [@ENDS@-1:0] took;

  function automatic int unsigned draw(input int unsigned state);
    draw = state ^ (state << 13);
    draw = draw ^ (draw >> 17);
    draw = draw ^ (draw << 5);
  endfunction
  function automatic logic [WIDTH-1:0] content(input int tag, input int place, input int goal);
    content = WIDTH'(tag) << @A@;
    content[@A@-1:0] = place == 0 ? @A@'(goal) : @A@'(place);
  endfunction

  initial begin
@ENDPOINTS@
    if (!$value$plusargs("packets=%d", packets)) packets = 1000;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    if (!$value$plusargs("load=%d", load)) load = 50;
    if (!$value$plusargs("packet=%d", packet)) packet = PACKET;
    if (!$value$plusargs("vary=%d", vary)) vary = 0;
    if (!$value$plusargs("ready=%d", ready)) ready = 100;
    length = new [packets];
    target = new [packets];
    dice = 32'h9E3779B9 ^ (32'(seed) * 32'd2654435761);
    if (dice == 0) dice = 1;
    clk = 0; reset = 1; made = 0; done = 0; quiet = 0; cycle = -4;
    s_tvalid = '0; s_tlast = '0; s_tdata = '0; m_tready = '1;
    for (e = 0; e < @ENDS@ * VCS; e = e + 1) came[e] = 0;
  end
  always #1 clk = !clk;

  // What the endpoints offer changes while the clock falls.
  always @(negedge clk) begin
    cycle = cycle + 1;
    if (cycle == -1) reset = 0;
    if (cycle >= 0)
      for (e = 0; e < @ENDS@; e = e + 1) begin
        if (s_tvalid[e] && took[e]) begin
          place[e] = place[e] + 1;
          if (place[e] == flits[e]) s_tvalid[e] = 0;
        end
        dice = draw(dice);
        if (!s_tvalid[e] && made < packets && int'(dice % 100) < load) begin
          dice = draw(dice);
          other = int'(dice % (@ENDS@ - 1));
          if (other >= e) other = other + 1;
          dice = draw(dice);
          tag[e] = made;
          goal[e] = node[other];
          flits[e] = vary != 0 ? int'(dice % packet) + 1 : packet;
          place[e] = 0;
          length[made] = flits[e];
          target[made] = goal[e];
          s_tvalid[e] = 1;
          $display("new %0d %0d %0d %0d %0d", made, node[e], goal[e], flits[e], cycle);
          made = made + 1;
        end
        s_tdata[e*WIDTH +: WIDTH] = content(tag[e], place[e], goal[e]);
        s_tlast[e] = place[e] == flits[e] - 1;
        dice = draw(dice);
        m_tready[e] = int'(dice % 100) < ready;
      end
  end

  // What they take is seen at the rising edge.
  always @(posedge clk) begin
    took = s_tvalid & s_tready;
    quiet = quiet + 1;
    for (k = 0; k < @ENDS@; k = k + 1)
      if (!reset && m_tvalid[k] && m_tready[k]) begin
        quiet = 0;
        n = k * VCS + int'(m_tid[k*IDS +: IDS]);
        data = m_tdata[k*WIDTH +: WIDTH];
        if (came[n] == 0) which[n] = int'(data >> @A@);
        if (which[n] < 0 || which[n] >= made || data != content(which[n], came[n], node[k])
            || target[which[n]] != node[k]) begin
          $display("bad flit %0h at node %0d", data, node[k]);
          $finish;
        end
        came[n] = came[n] + 1;
        if (m_tlast[k] != (came[n] == length[which[n]])) begin
          $display("bad end of packet %0d at node %0d", which[n], node[k]);
          $finish;
        end
        if (m_tlast[k]) begin
          $display("end %0d %0d %0d", which[n], node[k], cycle);
          came[n] = 0;
          done = done + 1;
        end
      end
    if (done == packets) begin
      $display("delivered %0d packets in %0d cycles", done, cycle + 1);
      $finish;
    end
    if (quiet > 5000) begin
      $display("stuck with %0d of %0d packets delivered", done, made);
      $finish;
    end
  end
endmodule
"""

CELLS = """
// One router alone, its routes as logic, as a fixed table and as one of registers.
module @NAME@_one (
  input  logic clk, reset,
  input  logic [@INS@*@VCS@-1:0] in_push,
  input  logic [@INS@*(@WIDTH@+2)-1:0] in_flit,
  output logic [@INS@*@VCS@-1:0] in_credit,
  output logic [@OUTS@*@VCS@-1:0] out_push,
  output logic [@OUTS@*(@WIDTH@+2)-1:0] out_flit,
  input  logic [@OUTS@*@VCS@-1:0] out_credit
);
  @NAME@_router #(.NODE(@K@), .INS(@INS@), .OUTS(@OUTS@), .LOCAL(1'b@LOCAL@), .VCS(@VCS@),
    .DEPTH(@DEPTH@), .WIDTH(@WIDTH@), .FRESH(@FRESH@), .RISES(@RISES@), .ENTER(@ENTER@)) router (
    .clk(clk), .reset(reset), .in_push(in_push), .in_flit(in_flit), .in_credit(in_credit),
    .out_push(out_push), .out_flit(out_flit), .out_credit(out_credit));
endmodule

module @NAME@_logic (
  input  logic [@INS@*@A@-1:0] goals,
  output logic [@INS@*@PB@-1:0] ports,
  output logic [@INS@-1:0] arrived
);
  genvar i;
  generate
    for (i = 0; i < @INS@; i = i + 1) begin : entry
      @NAME@_route route (.at(@A@'(@K@)), .to(goals[i*@A@ +: @A@]),
        .port(ports[i*@PB@ +: @PB@]), .arrived(arrived[i]));
    end
  endgenerate
endmodule

module @NAME@_fixed (
  input  logic [@INS@*@A@-1:0] goals,
  output logic [@INS@*(@PB@+1)-1:0] ways
);
  localparam logic [@ORDER@*(@PB@+1)-1:0] ROW = @ROW@;
  genvar i;
  generate
    for (i = 0; i < @INS@; i = i + 1) begin : entry
      assign ways[i*(@PB@+1) +: @PB@+1] = ROW[goals[i*@A@ +: @A@]*(@PB@+1) +: @PB@+1];
    end
  endgenerate
endmodule

module @NAME@_registers (
  input  logic clk, write,
  input  logic [@A@-1:0] goal,
  input  logic [@PB@:0] way,
  input  logic [@INS@*@A@-1:0] goals,
  output logic [@INS@*(@PB@+1)-1:0] ways
);
  logic [@PB@:0] cells [0:@ORDER@-1];
  always_ff @(posedge clk) if (write) cells[goal] <= way;
  genvar i;
  generate
    for (i = 0; i < @INS@; i = i + 1) begin : entry
      assign ways[i*(@PB@+1) +: @PB@+1] = cells[goals[i*@A@ +: @A@]];
    end
  endgenerate
endmodule
"""
