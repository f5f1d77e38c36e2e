"""A whole network in Verilog: an input-queued router with virtual channels at every node.

Packets are single flits. A packet keeps the class of virtual channels that its pair of nodes has
(layers in the manner of LASH, Skeie, Lysne and Theiss, 2002), and every class has a queue of its
own at every input, so that the certificate of :mod:`hopscape.deadlock` holds for the hardware.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.formula import evaluate
from hopscape.core.network import Network
from hopscape.core.processes import require_at_most
from hopscape.deadlock import Certificate, RoutingTable, find_classes, routing_table
from hopscape.formats.code.routine import WRITTEN, in_comment, router_formula
from hopscape.formats.code.software import identifier
from hopscape.formats.code.verilog import (
    NETWORK,
    NODE,
    QUEUE,
    ROUTER,
    TESTBENCH,
    address_bits,
    header,
    port_bits,
    route_module,
)

__all__ = ["MOST_NODES", "VerilogFabric", "emit_fabric", "fill", "inputs_of", "require_routes"]

MOST_NODES = 512  # routers are written out one by one, with a table each
_MOST_DEPTH = 1024  # flits of a queue: the words of a block memory of common FPGAs (18 kbit)
_TAG_BITS = 32  # numbers of packets in the test bench


@dataclass(frozen=True)
class VerilogFabric:
    """A network of routers in Verilog.

    Attributes:
        design: Modules ``NAME_route``, ``NAME_queue``, ``NAME_router`` and the top,
            ``NAME_network``.
        testbench: ``NAME_test``: random packets, every hop printed.
        router, kind: Its name, and the word that it is asked for by.
        classes: Virtual channels per link.
    """

    design: str
    testbench: str
    name: str
    network: Network
    router: str
    kind: str
    classes: int
    certificate: Certificate


def emit_fabric(
    network: Network, *, router: str = "auto", name: str | None = None, depth: int = 4
) -> VerilogFabric:
    """The routers, the links and a testbench of a network.

    Args:
        network: Up to 512 nodes.
        router: As for :meth:`~hopscape.core.network.Network.router`.
        name: What the names of modules begin with.
        depth: Flits in a queue.

    Raises:
        ArgumentError: When there are fewer than two endpoints, or the depth is not from 1 to 1024.
        TooLargeError: When there are more than 512 nodes.
    """
    require_at_most(network.order, MOST_NODES, network.spec, "networks are written as a whole")
    if len(network.endpoints) < 2:
        raise ArgumentError(f"{network.spec} has no two endpoints that could send packets")
    if not 1 <= depth <= _MOST_DEPTH:
        raise ArgumentError(f"depth is {depth}; it must be from 1 to {_MOST_DEPTH} flits")
    chosen, result = router_formula(network, router)
    at, to = np.divmod(np.arange(network.order**2), network.order)
    if not np.array_equal(evaluate(result, at, to), chosen.next_ports(at, to)):
        raise ArgumentError(
            f"the formula of {network.spec} settles ties in another way than its router, for which"
            " the virtual channels are chosen; take another router"
        )
    require_routes(network, chosen.distances(at, to))
    layers, proof = _layers(network, routing_table(network, chosen, ties=False))
    prefix = identifier(network.spec if name is None else name)
    words = _words(network, prefix, int(layers.max()) + 1, depth)
    parts = [
        header(_notes(network, chosen.name, proof)),
        route_module(result, prefix, network.order, network.ports),
        fill(QUEUE, words),
        fill(ROUTER, {"EXITS": _exits(int(words["IN"]), int(words["OUT"]))} | words),
        fill(NETWORK, {"NODES": _nodes(network, layers, words)} | words),
    ]
    endpoints = [f"    ends[{i}] = {v};" for i, v in enumerate(network.endpoints.tolist())]
    bench = fill(TESTBENCH, words | {"ENDPOINTS": "\n".join(endpoints)})
    classes = int(layers.max()) + 1
    return VerilogFabric(
        "\n".join(parts), bench, prefix, network, chosen.name, router, classes, proof
    )


def require_routes(network: Network, distances: IntArray) -> None:
    ends = network.endpoints
    between = distances.reshape(network.order, network.order)[np.ix_(ends, ends)]
    if (between < 0).any():
        raise ArgumentError(f"{network.spec} is not connected: some packets would never arrive")


def _layers(network: Network, table: RoutingTable) -> tuple[IntArray, Certificate]:
    """The class of every pair of nodes, and the proof that no packets wait in a circle."""
    _, _, proof = find_classes(network, table, method="single", explain=False)
    n = network.order
    if proof.deadlock_free:
        return np.zeros((n, n), dtype=np.int64), proof
    _, classes, proof = find_classes(network, table, method="layers")
    lowest = [(bits & -bits).bit_length() - 1 if bits else 0 for bits in classes.sets]
    return np.asarray(lowest, dtype=np.int64)[classes.layers], proof


def _class_row(layers: IntArray, bits: int) -> str:
    """The virtual channels of one source, by destination, as one constant."""
    number = sum(int(layer) << (bits * to) for to, layer in enumerate(layers))
    return f"{bits * len(layers)}'h{number:x}"


def inputs_of(network: Network) -> list[list[int]]:
    """The channels that lead to each node."""
    incoming: list[list[int]] = [[] for _ in range(network.order)]
    for channel, head in enumerate(network.heads.tolist()):
        incoming[head].append(channel)
    return incoming


def _words(network: Network, prefix: str, classes: int, depth: int) -> dict[str, str]:
    wide = address_bits(network.order)
    entries, exits = max(map(len, inputs_of(network))) + 1, network.ports + 1
    return {
        "NAME": prefix,
        "A": str(wide),
        "ORDER": str(network.order),
        "IN": str(entries),
        "OUT": str(exits),
        "V": str(classes),
        "VB": str(port_bits(classes)),
        "PB": str(port_bits(network.ports)),
        "IB": str(port_bits(entries)),
        "OB": str(port_bits(exits)),
        "T": str(_TAG_BITS),
        "W": str(2 * wide + _TAG_BITS),
        "QW": str(2 * wide + _TAG_BITS + port_bits(exits)),
        "DEPTH": str(depth),
        "DB": str(depth.bit_length()),
        "QB": str(port_bits(depth)),
        "ENDS": str(len(network.endpoints)),
        "SPEC": network.spec,
    }


def fill(template: str, words: dict[str, str]) -> str:
    for key, value in words.items():
        template = template.replace(f"@{key}@", value)
    return template


def _exits(entries: int, exits: int) -> str:
    """The outputs of a router: requests, the winner, and what it sends."""
    lines: list[str] = []
    for o in range(exits):
        asks = [
            f"(|entry[{i}].chosen && entry[{i}].exits[@V@] == {o})"
            for i in reversed(range(entries))
        ]
        flits = [f"({{@W@{{win_{o}[{i}]}}}} & entry[{i}].flits[@V@])" for i in range(entries)]
        kinds = [f"({{@VB@{{win_{o}[{i}]}}}} & entry[{i}].classes[@V@])" for i in range(entries)]
        lines += [
            f"  reg  [@IN@-1:0] after_{o};  // inputs that come after the last one served",
            f"  wire [@IN@-1:0] asks_{o} = {{{', '.join(asks)}}};",
            f"  wire [@IN@-1:0] pool_{o} = (asks_{o} & after_{o}) != 0 ? asks_{o} & after_{o}"
            f" : asks_{o};",
            f"  wire [@IN@-1:0] win_{o} = pool_{o} & (~pool_{o} + 1'b1);",
            f"  assign out_valid[{o}] = |asks_{o};",
            f"  assign out_flit[{o}*@W@ +: @W@] = {' | '.join(flits)};",
            f"  assign out_vc[{o}*@VB@ +: @VB@] = {' | '.join(kinds)};",
            "  always @(posedge clk)",
            f"    if (reset) after_{o} <= 0;",
            f"    else if (out_valid[{o}]) after_{o} <= ~(win_{o} | (win_{o} - 1'b1));",
        ]
    won = " | ".join(f"win_{o}" for o in range(exits))
    return "\n".join([*lines, f"  assign served = {won};"])


def _nodes(network: Network, layers: IntArray, words: dict[str, str]) -> str:
    """The channels, and one router for each node."""
    inward, entries, exits = inputs_of(network), int(words["IN"]), int(words["OUT"])
    tails = network.tails.tolist()
    port_of = network.port_of(np.arange(len(tails))).tolist()
    channel = [f"{tail}_{port}" for tail, port in zip(tails, port_of, strict=True)]
    lines = []
    for name in channel:
        lines += [
            f"  wire valid_{name};",
            f"  wire [@VB@-1:0] vc_{name};",
            f"  wire [@W@-1:0] flit_{name};",
            f"  wire [@V@-1:0] ready_{name};",
        ]
    for v, row in enumerate(inward):
        sources = [channel[c] for c in row] + [""] * (entries - 1 - len(row))
        starts = range(int(network.indptr[v]), int(network.indptr[v + 1]))
        leaving = {port_of[c]: channel[c] for c in starts}
        targets = [leaving.get(port, "") for port in range(exits - 1)]
        lines.append(_unused(v, sources, targets))
        constant = {"ROW": _class_row(layers[v], int(words["VB"]))}
        lines.append(fill(NODE, _node_words(v, sources, targets) | constant))
    return fill("\n".join(lines), words)


def _unused(v: int, sources: list[str], targets: list[str]) -> str:
    """Wires for inputs and outputs that lead nowhere."""
    lines = [f"  wire [@VB@-1:0] unused_vc_{v};"]
    lines += [f"  wire [@V@-1:0] no_room_{v}_{i};" for i, s in enumerate(sources) if not s]
    for i, target in enumerate(targets):
        if not target:
            lines += [f"  wire no_valid_{v}_{i};", f"  wire [@VB@-1:0] no_vc_{v}_{i};"]
            lines.append(f"  wire [@W@-1:0] no_flit_{v}_{i};")
    return "\n".join(lines)


def _node_words(v: int, sources: list[str], targets: list[str]) -> dict[str, str]:
    """What stands in the concatenations of a node, the highest input or output first."""

    def listed(names: list[str], used: str, empty: str) -> str:
        texts = [f"{used}_{s}" if s else empty.format(v=v, i=i) for i, s in enumerate(names)]
        return "".join(f", {text}" for text in reversed(texts))

    return {
        "IN_VALID": listed(sources, "valid", "1'b0"),
        "IN_VC": listed(sources, "vc", "{{@VB@{{1'b0}}}}"),
        "IN_FLIT": listed(sources, "flit", "{{@W@{{1'b0}}}}"),
        "IN_READY": listed(sources, "ready", "no_room_{v}_{i}"),
        "OUT_VALID": listed(targets, "valid", "no_valid_{v}_{i}"),
        "OUT_VC": listed(targets, "vc", "no_vc_{v}_{i}"),
        "OUT_FLIT": listed(targets, "flit", "no_flit_{v}_{i}"),
        "OUT_READY": listed(targets, "ready", "{{@V@{{1'b0}}}}"),
        "K": str(v),
    }


def _notes(network: Network, router: str, proof: Certificate) -> list[str]:
    return [
        f"The network {in_comment(network.spec)}: {network.order} nodes, {network.ports} ports.",
        f"Router: {router}; {proof.words()}.",
        "Nodes count from 0 and ports from 0, as in `hopscape show` and `hopscape route`.",
        WRITTEN,
    ]
