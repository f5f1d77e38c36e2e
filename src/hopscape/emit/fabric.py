"""A whole network in Verilog: an input-queued router with virtual channels at every node.

Packets are single flits. A packet keeps the class of virtual channels that its pair of nodes has
(layers in the manner of LASH, Skeie, Lysne and Theiss, 2002), and every class has a queue of its
own at every input, so that the certificate of :mod:`hopscape.deadlock` holds for the hardware.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.formula import evaluate, inputs, lookup
from hopscape.core.network import Network
from hopscape.deadlock import Certificate, find_classes, routing_table
from hopscape.emit.code import router_formula
from hopscape.emit.statements import identifier
from hopscape.emit.templates import NETWORK, QUEUE, ROUTER, TESTBENCH
from hopscape.emit.verilog import address_bits, header, port_bits, route_module

__all__ = ["MOST_NODES", "Fabric", "emit_fabric"]

MOST_NODES = 512
_MOST_DEPTH = 1024
_TAG_BITS = 32


@dataclass(frozen=True)
class Fabric:
    """A network of routers in Verilog.

    Attributes
    ----------
    design : str
        Modules ``NAME_route``, ``NAME_queue``, ``NAME_router`` and the top, ``NAME_network``.
    testbench : str
        ``NAME_test``: random packets, every hop printed.
    name : str
    network : Network
    router : str
    classes : int
        Virtual channels per link.
    certificate : Certificate
    """

    design: str
    testbench: str
    name: str
    network: Network
    router: str
    classes: int
    certificate: Certificate


def emit_fabric(
    network: Network, *, router: str = "auto", name: str | None = None, depth: int = 4
) -> Fabric:
    """The routers, the links and a testbench of a network.

    Parameters
    ----------
    network : Network
        Up to 512 nodes.
    router : str
        As for :meth:`~hopscape.core.network.Network.router`.
    name : str, optional
        What the names of modules begin with.
    depth : int
        Flits in a queue.

    Raises
    ------
    ArgumentError
        When there are fewer than two endpoints, or the depth is not from 1 to 1024.
    TooLargeError
        When there are more than 512 nodes.
    """
    if network.order > MOST_NODES:
        raise TooLargeError(
            f"{network.spec} has {network.order} nodes; up to {MOST_NODES} are written as a whole"
        )
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
    _require_ways(network, chosen.distances(at, to))
    layers, proof = _layers(network, routing_table(network, chosen, ties=False))
    prefix = identifier(network.spec if name is None else name)
    inward = _inputs(network)
    words = _words(network, prefix, int(layers.max()) + 1, inward, depth)
    parts = [
        header(_notes(network, chosen.name, proof)),
        route_module(result, prefix, network.order, network.ports),
        _class_module(layers, prefix, network.order),
        _fill(QUEUE, words),
        _fill(ROUTER, words),
        _fill(NETWORK, words | {"NODES": _nodes(network, prefix, inward, words)}),
    ]
    endpoints = [f"    ends[{i}] = {v};" for i, v in enumerate(network.endpoints.tolist())]
    bench = _fill(TESTBENCH, words | {"ENDPOINTS": "\n".join(endpoints)})
    classes = int(layers.max()) + 1
    return Fabric("\n".join(parts), bench, prefix, network, chosen.name, classes, proof)


def _require_ways(network: Network, distances: IntArray) -> None:
    ends = network.endpoints
    between = distances.reshape(network.order, network.order)[np.ix_(ends, ends)]
    if (between < 0).any():
        raise ArgumentError(f"{network.spec} is not connected: some packets would never arrive")


def _layers(network: Network, table: object) -> tuple[IntArray, Certificate]:
    """The class of every pair of nodes, and the proof that no packets wait in a circle."""
    table_, _, proof = find_classes(network, table, method="single", explain=False)  # type: ignore[arg-type]
    n = network.order
    if proof.deadlock_free:
        return np.zeros((n, n), dtype=np.int64), proof
    _, classes, proof = find_classes(network, table_, method="layers")
    lowest = [(bits & -bits).bit_length() - 1 if bits else 0 for bits in classes.sets]
    return np.asarray(lowest, dtype=np.int64)[classes.layers], proof


def _class_module(layers: IntArray, prefix: str, nodes: int) -> str:
    """The module ``NAME_class``: the virtual channel of a pair of nodes."""
    at, to = inputs(nodes)
    found = lookup(
        "layer", layers.ravel(), at * nodes + to, "virtual channel, row by row by source"
    )
    count = int(layers.max()) + 1
    text = route_module(found, f"{prefix}_class", nodes, count)
    return text.replace(f"{prefix}_class_route", f"{prefix}_class")


def _inputs(network: Network) -> list[list[int]]:
    """The channels that lead to each node."""
    found: list[list[int]] = [[] for _ in range(network.order)]
    for channel, head in enumerate(network.heads.tolist()):
        found[head].append(channel)
    return found


def _words(
    network: Network, prefix: str, classes: int, inward: list[list[int]], depth: int
) -> dict[str, str]:
    wide = address_bits(network.order)
    entries, exits = max(map(len, inward)) + 1, network.ports + 1
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
        "DEPTH": str(depth),
        "DB": str(depth.bit_length()),
        "QB": str(port_bits(depth)),
        "ENDS": str(len(network.endpoints)),
        "SPEC": network.spec,
    }


def _fill(template: str, words: dict[str, str]) -> str:
    for key, value in words.items():
        template = template.replace(f"@{key}@", value)
    return template


def _nodes(network: Network, prefix: str, inward: list[list[int]], words: dict[str, str]) -> str:
    """One router for each node, its inputs wired to the channels that lead there."""
    entries, exits, classes = int(words["IN"]), int(words["OUT"]), int(words["V"])
    wide, vb = int(words["W"]), int(words["VB"])
    starts = network.indptr
    port_of = network.port_of(np.arange(len(network.heads))).tolist()
    tails = network.tails.tolist()
    lines: list[str] = []
    place = {c: (v, i) for v, row in enumerate(inward) for i, c in enumerate(row)}
    for v, row in enumerate(inward):
        for i in range(entries - 1):
            source = f"{tails[row[i]]}, {port_of[row[i]]}" if i < len(row) else ""
            slot = v * entries + i
            if not source:
                lines.append(f"  assign in_valid[{slot}] = 1'b0;")
                lines.append(f"  assign in_vc[{slot * vb} +: {vb}] = 0;")
                lines.append(f"  assign in_flit[{slot * wide} +: {wide}] = 0;")
                continue
            out = tails[row[i]] * exits + port_of[row[i]]
            lines.append(f"  // {source} -> {v}")
            lines.append(f"  assign in_valid[{slot}] = out_valid[{out}];")
            lines.append(f"  assign in_vc[{slot * vb} +: {vb}] = out_vc[{out * vb} +: {vb}];")
            lines.append(
                f"  assign in_flit[{slot * wide} +: {wide}] = out_flit[{out * wide} +: {wide}];"
            )
        wired = {port_of[c]: c for c in range(int(starts[v]), int(starts[v + 1]))}
        for port in range(exits - 1):
            out = (v * exits + port) * classes
            ready = f"{classes}'d0"
            if port in wired:
                node, i = place[wired[port]]
                ready = f"in_ready[{(node * entries + i) * classes} +: {classes}]"
            lines.append(f"  assign out_ready[{out} +: {classes}] = {ready};")
    return "\n".join(lines)


def _notes(network: Network, router: str, proof: Certificate) -> list[str]:
    return [
        f"The network {network.spec}: {network.order} nodes, {network.ports} ports.",
        f"Router: {router}; {proof.words()}.",
        "Nodes count from 0 and ports from 0, as in `hopscape show` and `hopscape route`.",
        "Written by hopscape.",
    ]
