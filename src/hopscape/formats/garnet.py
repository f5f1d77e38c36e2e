"""gem5: a network as a topology file of Ruby, for Garnet and for the simple network.

Table routing takes links of the least weight among those on a way of least total weight. Links
weigh one, but along the axes of meshes and other products: there the first axis weighs least, so
that it is taken first, as in gem5's own Mesh_XY.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_text
from hopscape.core.network import Network
from hopscape.metrics.throughput import switch_graph

__all__ = ["NAME", "write_garnet"]

NAME = "Hopscape"
"""Of the class and of its file: gem5 looks for the class under the name of the module."""
_MOST_LINKS = 100_000  # gem5 makes ten objects for each, before it simulates anything
_TEXT = """\
# {spec}, written by hopscape. Copy this file to configs/topologies/{name}.py of gem5, then
#   build/NULL/gem5.opt configs/example/garnet_synth_traffic.py --network=garnet
#   --num-cpus={ends} --num-dirs={ends} --topology={name} --synthetic=uniform_random
# Table routing goes {ordered}. Garnet does nothing against
# deadlock; it reports one after --garnet-deadlock-threshold cycles.

from common import FileSystemConfig
from topologies.BaseTopology import SimpleTopology

from m5.objects import *
from m5.params import *

# routers of the endpoints, one after the other
HOME = {home}

# links both ways: source and target router, their ports, weight, cycles (times --link-latency)
LINKS = {links}


class {name}(SimpleTopology):
    description = {quoted}

    def __init__(self, controllers):
        self.nodes = controllers

    def makeTopology(self, options, network, IntLink, ExtLink, Router):
        if options.num_cpus != len(HOME):
            raise ValueError(f"--num-cpus is {{options.num_cpus}}, not {{len(HOME)}}")
        routers = [
            Router(router_id=i, latency=options.router_latency) for i in range({routers})
        ]
        network.routers = routers

        # controllers of each kind go round the endpoints; DMA that is left over sits at the first
        rest = len(self.nodes) % len(HOME)
        even = len(self.nodes) - rest
        ext_links = []
        for i, node in enumerate(self.nodes):
            if i >= even and node.type != "DMA_Controller":
                raise ValueError(f"{{rest}} controllers are too many for {{len(HOME)}} endpoints")
            ext_links.append(
                ExtLink(
                    link_id=i,
                    ext_node=node,
                    int_node=routers[HOME[i % len(HOME)] if i < even else HOME[0]],
                    latency=options.link_latency,
                )
            )
        network.ext_links = ext_links

        network.int_links = [
            IntLink(
                link_id=len(ext_links) + i,
                src_node=routers[source],
                dst_node=routers[target],
                src_outport=f"p{{out}}",
                dst_inport=f"p{{into}}",
                latency=options.link_latency * cycles,
                weight=weight,
            )
            for i, (source, target, out, into, weight, cycles) in enumerate(LINKS)
        ]

    def registerTopology(self, options):
        for i in range(options.num_cpus):
            FileSystemConfig.register_node([i], MemorySize(options.mem_size) // options.num_cpus, i)
"""


def write_garnet(network: Network, path: str | Path) -> str:
    """Write the topology file; routers and their endpoints as in :func:`write_sst`.

    Returns:
        str: What it is.

    Raises:
        ArgumentError: For endpoints at several routers, channels of other capacity, and delays that
            are no whole cycles.
    """
    routers = switch_graph(network)
    if routers.hosted:
        raise ArgumentError(f"endpoints of {network.spec} have several lines; gem5's have one each")
    if network.unheeded("", "capacity"):
        raise ArgumentError(f"channels of {network.spec} differ in capacity; Garnet's links do not")
    pairs = network.tails * network.order + network.heads
    if len(np.unique(pairs)) < len(pairs) or (network.tails == network.heads).any():
        raise ArgumentError(
            f"{network.spec} has parallel links or loops; gem5 has one link from router to router"
        )
    inner = np.ones(network.order, dtype=bool)
    if routers.order < network.order:
        inner[network.endpoints] = False
    label = np.cumsum(inner) - 1
    between = np.flatnonzero(inner[network.tails] & inner[network.heads])
    if len(between) > _MOST_LINKS:
        raise ArgumentError(
            f"{network.spec} has {len(between)} channels between routers; written up to"
            f" {_MOST_LINKS}"
        )
    weight = _weights(network)[between]
    rows = np.stack(
        [
            label[network.tails[between]],
            label[network.heads[between]],
            *_ports(network, between),
            weight,
            _cycles(network)[between],
        ],
        axis=1,
    )
    axes = int(weight.max(initial=1))
    spec = re.sub(r"[^\x20-\x7e]", "?", network.spec)
    ordered = (
        f"axis by axis ({axes} weights)" if axes > 1 else "any shortest way, drawn at each hop"
    )
    text = _TEXT.format(
        spec=spec,
        name=NAME,
        ends=network.endpoint_count,
        ordered=ordered,
        home=json.dumps(np.repeat(np.arange(routers.order), routers.ends).tolist()),
        links="[\n" + "".join(f"    {tuple(row)},\n" for row in rows.tolist()) + "]",
        quoted=json.dumps(spec),
        routers=routers.order,
    )
    write_text(path, text)
    return (
        f"topology file of {routers.order} routers, {len(rows)} one-way links and"
        f" {network.endpoint_count} endpoints for gem5's Ruby; {ordered}"
    )


def _ports(network: Network, channels: IntArray) -> tuple[IntArray, IntArray]:
    """Ports, from 1, by which channels leave and arrive; 0 where they arrive at none."""
    out = network.port_of(channels) + 1
    back = network.reverse[channels]
    into = np.where(back >= 0, network.port_of(np.maximum(back, 0)) + 1, 0)
    return out, into


def _weights(network: Network) -> IntArray:
    """One, or by the axis along which a channel of a product leads."""
    ones = np.ones(len(network.heads), dtype=np.int64)
    sides = getattr(network.addresses, "sides", None)
    axes = getattr(network.family, "product_axes", None)
    if sides is None or network.has_switches or axes is None or not axes():
        return ones
    tails = np.stack(np.unravel_index(network.tails, sides), axis=1)
    heads = np.stack(np.unravel_index(network.heads, sides), axis=1)
    turned = tails != heads
    if (turned.sum(axis=1) != 1).any():
        return ones
    weights: IntArray = 1 + turned.argmax(axis=1)
    return weights


def _cycles(network: Network) -> IntArray:
    delays = np.nan_to_num(network.delays(np.arange(len(network.heads))), nan=1.0)
    if (delays < 1).any() or (delays != np.round(delays)).any():
        raise ArgumentError(f"delays of {network.spec} are no whole cycles from 1 on")
    cycles: IntArray = delays.astype(np.int64)
    return cycles
