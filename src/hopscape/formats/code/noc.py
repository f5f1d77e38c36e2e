"""A whole network in SystemVerilog: wormhole routers with virtual channels and credits.

The routers are those of :mod:`hopscape.simulate`, stage by stage and pointer by pointer, so that a
packet arrives in the cycle that the flit simulator says. Which classes of virtual channels a packet
may take is what :func:`hopscape.deadlock.find_classes` certifies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.formula import evaluate
from hopscape.core.network import Network
from hopscape.core.processes import require_at_most
from hopscape.deadlock import Certificate, RoutingTable, find_classes
from hopscape.deadlock.classes import Classes
from hopscape.deadlock.routes import RouteColumns
from hopscape.formats.code import noc_text
from hopscape.formats.code.fabric import MOST_NODES, fill, require_routes
from hopscape.formats.code.routine import WRITTEN, in_comment, router_formula
from hopscape.formats.code.software import identifier
from hopscape.formats.code.verilog import address_bits, header, port_bits, route_module
from hopscape.simulate.settings import Settings

__all__ = ["Noc", "emit_noc", "node_words"]

Lines = list[int]

_MOST_DEPTH = 1024  # flits of a buffer: the words of a block memory of common FPGAs (18 kbit)
_MOST_WIDTH = 4096  # bits of a flit: eight times the widest link of a chip that was published
_MOST_PACKET = 65_536
_MOST_VCS = 31  # those of the flit simulator


@dataclass(frozen=True)
class Noc:
    """A network of wormhole routers in SystemVerilog.

    Attributes:
        design: Modules ``NAME_route``, ``NAME_router``, ``NAME_endpoint`` and the top,
            ``NAME_network``.
        testbench: ``NAME_test``: random packets, their births and arrivals printed.
        kind: The word that its router is asked for by.
        table, classes: Its routes, and their classes of virtual channels.
        settings: Of the flit simulator, whose packets arrive in the same cycles.
        width: Bits of a flit.
    """

    design: str
    testbench: str
    name: str
    network: Network
    router: str
    kind: str
    table: RoutingTable
    classes: Classes
    certificate: Certificate
    settings: Settings
    width: int


def emit_noc(
    network: Network,
    *,
    router: str = "auto",
    name: str | None = None,
    vcs: int | None = None,
    buffer: int = 4,
    packet: int = 4,
    width: int = 32,
) -> Noc:
    """The routers, the links and a testbench of a network in SystemVerilog.

    Args:
        network: Up to 512 nodes.
        router: As for :meth:`~hopscape.core.network.Network.router`.
        name: What the names of modules begin with.
        vcs: Virtual channels of a link; by default as few as the certificate needs.
        buffer: Flits that the buffer of a virtual channel holds.
        packet: Flits of a packet of the testbench; routers carry packets of any length.
        width: Bits of a flit; the first of a packet names its destination in the lowest ones.

    Raises:
        ArgumentError: When a parameter is out of range, or there are fewer than two endpoints.
        TooLargeError: When there are more than 512 nodes.
    """
    require_at_most(network.order, MOST_NODES, network.spec, "networks are written as a whole")
    if len(network.endpoints) < 2:
        raise ArgumentError(f"{network.spec} has no two endpoints that could send packets")
    ranges = {
        "buffer": (buffer, 1, _MOST_DEPTH, "flits"),
        "packet": (packet, 1, _MOST_PACKET, "flits"),
        "width": (width, address_bits(network.order), _MOST_WIDTH, "bits"),
        "vcs": (1 if vcs is None else vcs, 1, _MOST_VCS, "virtual channels"),
    }
    for word, (value, low, high, unit) in ranges.items():
        if not low <= value <= high:
            why = ", as a head flit names one of the nodes" if word == "width" else ""
            raise ArgumentError(f"{word} is {value}; it must be from {low} to {high} {unit}{why}")
    chosen, result = router_formula(network, router)
    at, to = np.divmod(np.arange(network.order**2), network.order)
    if not np.array_equal(evaluate(result, at, to), chosen.next_ports(at, to)):
        raise ArgumentError(
            f"the formula of {network.spec} settles ties in another way than its router, for which"
            " the virtual channels are chosen; take another router"
        )
    require_routes(network, chosen.distances(at, to))
    columns = RouteColumns(network, chosen, ties=False)
    ports = columns.columns(np.arange(network.order)).port
    table = RoutingTable(network, chosen.name, ports, None, columns.rings)
    _, classes, proof = find_classes(network, table)
    if vcs is not None and vcs < classes.count:
        raise ArgumentError(
            f"vcs is {vcs}; the {chosen.name} routes of {network.spec} need {classes.count} virtual"
            f" channels to be free of deadlock ({classes.method})"
        )
    settings = Settings(
        vcs=classes.count if vcs is None else vcs, buffer=buffer, packet=(packet,),
        spread="none", priority="none", window="none",
    )  # fmt: skip
    prefix = identifier(network.spec if name is None else name)
    words = _words(network, prefix, classes, settings, width)
    channels, nodes = _instances(network, classes, words)
    route = route_module(result, prefix, network.order, network.ports)
    parts = [
        header(_notes(network, chosen.name, proof)),
        "/* verilator lint_off WIDTH */\n/* verilator lint_off UNUSED */\n",
        f"{route}/* verilator lint_on UNUSED */\n/* verilator lint_on WIDTH */\n",
        *(fill(text, words) for text in (noc_text.FIRST, noc_text.FIFO)),
        *(fill(text, words) for text in (noc_text.ROUTER, noc_text.ENDPOINT)),
        fill(noc_text.NETWORK, {"CHANNELS": channels, "NODES": nodes} | words),
    ]
    ends = "\n".join(f"    node[{e}] = {v};" for e, v in enumerate(network.endpoints.tolist()))
    bench = fill(noc_text.TESTBENCH, {"ENDPOINTS": ends} | words)
    return Noc(
        "\n".join(parts), bench, prefix, network, chosen.name, router, table, classes, proof,
        settings, width,
    )  # fmt: skip


def _words(
    network: Network, prefix: str, classes: Classes, settings: Settings, width: int
) -> dict[str, str]:
    every = len(network.endpoints) == network.order
    return {
        "NAME": prefix,
        "SPEC": in_comment(network.spec),
        "ORDER": str(network.order),
        "ENDS": str(len(network.endpoints)),
        "WHO": "e" if every else "with the e-th lowest number of all endpoints",
        "A": str(address_bits(network.order)),
        "PB": str(port_bits(network.ports)),
        "CB": str(port_bits(classes.count)),
        "CLASSES": str(classes.count),
        "VCS": str(settings.vcs),
        "DEPTH": str(settings.buffer),
        "PACKET": str(settings.packet[0]),
        "WIDTH": str(width),
    }


def _constant(bits: list[int], each: int) -> str:
    """Numbers of some bits each as one constant, the first one lowest."""
    number = sum(value << (each * i) for i, value in enumerate(bits))
    return f"{each * len(bits)}'h{number:x}"


def _entries(classes: Classes, v: int, order: int) -> list[int]:
    """The class that a packet at a node takes towards each goal, where it chooses one."""
    lowest = np.asarray([(bits & -bits).bit_length() - 1 for bits in classes.sets])
    table = classes.entry if classes.method == "dateline" else classes.layers
    row = table[v] if len(table) > 1 else np.repeat(table[0], order)
    return [int(lowest[one]) for one in row]


def _changes(
    classes: Classes, inward: list[int], outward: list[int]
) -> tuple[list[int], list[int]]:
    """For each input and output (-1: of the endpoint): is a class chosen, does it rise?"""
    ring = classes.rings.tolist()
    fresh, rises = [], []
    for i in inward:
        for o in outward:
            within = i >= 0 and o >= 0
            changes = classes.method in ("dateline", "single") and not (
                within and ring[i] >= 0 and ring[i] == ring[o]
            )
            fresh.append(int(i < 0 or changes))
            up = classes.method == "rising" and within and ring[i] == 1 and ring[o] == 0
            rises.append(int(up))
    return fresh, rises


def node_words(network: Network, classes: Classes, v: int) -> tuple[dict[str, str], Lines, Lines]:
    """Parameters of the router of a node, its inputs and its outputs.

    Inputs and outputs are channels: -1 are those of the endpoint, -2 ports that lead nowhere.
    """
    local = v in network.endpoints
    starts = range(int(network.indptr[v]), int(network.indptr[v + 1]))
    leaving = {int(network.port_of(np.array([c]))[0]): c for c in starts}
    outer = [leaving.get(port, -2) for port in range(max(leaving, default=-1) + 1)] + [-1] * local
    inner = np.flatnonzero(network.heads == v).tolist() + [-1] * local
    fresh, rises = _changes(classes, inner, outer)
    words = {
        "K": str(v),
        "INS": str(len(inner)),
        "OUTS": str(len(outer)),
        "LOCAL": str(int(local)),
        "FRESH": _constant(fresh, 1),
        "RISES": _constant(rises, 1),
        "ENTER": _constant(_entries(classes, v, network.order), port_bits(classes.count)),
    }
    return words, inner, outer


def _instances(network: Network, classes: Classes, words: dict[str, str]) -> tuple[str, str]:
    """The wires of all channels, and the router and endpoint of each node."""
    ports = network.port_of(np.arange(len(network.tails))).tolist()
    wire = [f"{tail}_{port}" for tail, port in zip(network.tails.tolist(), ports, strict=True)]
    place = {v: e for e, v in enumerate(network.endpoints.tolist())}
    lines = []
    for v in range(network.order):
        node, inner, outer = node_words(network, classes, v)
        into = [wire[c] if c >= 0 else f"in_{v}" for c in inner]
        flits = ", ".join(f"flit_{name}" for name in reversed(into))
        lines.append(fill(noc_text.NODE, {"IN_FLIT": f"{{{flits}}}"} | node | words).rstrip())
        pushes = ", ".join(f"push_{name}" for name in reversed(into))
        lines.append(f"  assign ins_{v} = {{{pushes}}};")
        for i, name in enumerate(into):
            lines.append(f"  assign credit_{name} = credits_{v}[{i}*VCS +: VCS];")
        for o, c in enumerate(outer):
            if c == -2:
                lines.append(f"  assign back_{v}[{o}*VCS +: VCS] = '0;  // no such port")
                continue
            name = wire[c] if c >= 0 else f"out_{v}"
            lines += [
                f"  assign push_{name} = outs_{v}[{o}*VCS +: VCS];",
                f"  assign flit_{name} = flits_{v}[{o}*(WIDTH+2) +: WIDTH+2];",
                f"  assign back_{v}[{o}*VCS +: VCS] = credit_{name};",
            ]
        if v in place:
            lines.append(_endpoint(v, place[v], words["NAME"]))
            wire += [f"in_{v}", f"out_{v}"]
    channels = [f"  logic [VCS-1:0] push_{name}, credit_{name};" for name in wire]
    channels += [f"  logic [WIDTH+1:0] flit_{name};" for name in wire]
    return "\n".join(channels), "\n".join(lines)


def _endpoint(v: int, e: int, name: str) -> str:
    """The endpoint of a node."""
    bits = [f".{side}_{word}({side}_{word}[{e}])" for side in "sm" for word in _SINGLE]
    data = [f".{side}_tdata({side}_tdata[{e}*WIDTH +: WIDTH])" for side in "sm"]
    return (
        f"  {name}_endpoint #(.VCS(VCS), .DEPTH(DEPTH), .WIDTH(WIDTH)) endpoint_{v} (\n"
        f"    .clk(clk), .reset(reset), {', '.join(bits)},\n"
        f"    {', '.join(data)}, .m_tuser(m_tuser[{e}]), .m_tid(m_tid[{e}*IDS +: IDS]),\n"
        f"    .out_push(push_in_{v}), .out_flit(flit_in_{v}), .out_credit(credit_in_{v}),\n"
        f"    .in_push(push_out_{v}), .in_flit(flit_out_{v}), .in_credit(credit_out_{v}));"
    )


_SINGLE = ("tvalid", "tready", "tlast")


def _notes(network: Network, router: str, proof: Certificate) -> list[str]:
    return [
        f"The network {in_comment(network.spec)}: {network.order} nodes, {network.ports} ports.",
        f"Router: {router}; {proof.words()}.",
        "Nodes count from 0 and ports from 0, as in `hopscape show` and `hopscape route`.",
        WRITTEN,
    ]
