"""SimGrid platforms: endpoints as hosts, a link for every channel, and the project's routes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO
from xml.sax.saxutils import quoteattr

import numpy as np

from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.files import write_atomically
from hopscape.core.network import Network
from hopscape.formats.infiniband import PORT_WORDS
from hopscape.metrics.routes import Routes

__all__ = ["BANDWIDTH", "LATENCY", "channel_names", "write_simgrid"]

BANDWIDTH = 25e9  # bytes per second: a link of 200 Gb/s
LATENCY = 1e-7  # seconds of a hop through a switch
_MOST_STEPS = 3_000_000  # hops of all routes written out: a file of some 100 MB


def channel_names(network: Network) -> list[str]:
    """The name of every channel's link: its node, and its port there from 1."""
    ports = (network.port_of(np.arange(len(network.heads))) + 1).tolist()
    return [f"n{a}p{p}" for a, p in zip(network.tails.tolist(), ports, strict=True)]


def write_simgrid(
    routes: Routes,
    path: str | Path,
    *,
    bandwidth: float = BANDWIDTH,
    latency: float = LATENCY,
    names: Sequence[str] | None = None,
) -> None:
    """Write a platform file (version 4.1) with full routing.

    Args:
        routes: To all nodes; those between endpoints are written.
        bandwidth: Bytes per second of a channel of capacity 1.
        latency: Seconds of a channel of delay 1, and of one whose delay is not known.
        names: Of the channels' links; by node and port when left out.

    Raises:
        TooLargeError: When the routes have too many steps for a text.
    """
    network = routes.network
    if network.endpoint_count < 1:
        raise ArgumentError(f"{network.spec} has no endpoints; SimGrid needs hosts")
    steps = int(routes.loads.sum())
    if steps > _MOST_STEPS:
        raise TooLargeError(
            f"the routes of {network.spec} have {steps} steps; SimGrid's platform is written for"
            f" up to {_MOST_STEPS}"
        )
    named = channel_names(network) if names is None else names
    write_atomically(path, lambda out: _write(routes, out, (bandwidth, latency), named))


def _write(
    routes: Routes, out: IO[bytes], costs: tuple[float, float], names: Sequence[str]
) -> None:
    network, (bandwidth, latency) = routes.network, costs
    ends = network.endpoints.tolist()

    def put(text: str) -> None:
        out.write(text.encode())

    put("<?xml version='1.0'?>\n")
    put('<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n')
    put(f"<!-- {network.spec.replace('--', '- -')}, {routes.name} routes. {PORT_WORDS}\n")
    put("     Link nXpY is the channel that leaves node X by port Y. -->\n")
    put('<platform version="4.1">\n <zone id="network" routing="Full">\n')
    for v in ends:
        put(f'  <host id="n{v}" speed="1Gf"/>\n')
    delays = np.nan_to_num(network.delays(np.arange(len(names))), nan=1.0)
    channels = zip(names, network.capacities().tolist(), delays.tolist(), strict=True)
    for name, capacity, delay in channels:
        rate = quoteattr(f"{bandwidth * capacity:.10g}Bps")
        put(f'  <link id="{name}" bandwidth={rate} latency="{latency * delay:.10g}s"/>\n')
    for to in ends:
        table = routes.table[to].tolist()
        for source in ends:
            if source == to:
                continue
            put(f'  <route src="n{source}" dst="n{to}" symmetrical="NO">')
            at = source
            while at != to:
                channel = int(network.indptr[at]) + table[at]
                put(f'<link_ctn id="{names[channel]}"/>')
                at = int(network.heads[channel])
            put("</route>\n")
    put(" </zone>\n</platform>\n")
