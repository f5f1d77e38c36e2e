"""Do the ports by which the packets of a distributed switch are sent lead where they must?

Traffic is checked by ports, which is fast and blind: ports that lead elsewhere are never wanted
twice either. So the ports are held against the wiring first.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.network import Network
from hopscape.core.verdict import Verdict
from hopscape.families.blockdesign.crossbars import Crossbars, SimplexCrossbars

__all__ = ["check_ports", "route_options"]

_ROUTED = 1 << 12


def route_options(family: Crossbars | SimplexCrossbars) -> IntArray:
    """Ports of all ways of a pair, as :attr:`Ports.options` has them."""
    return family.wiring.options if isinstance(family, Crossbars) else family.options


def check_ports(
    network: Network,
    family: Crossbars | SimplexCrossbars,
    sources: IntArray,
    targets: IntArray,
) -> Verdict:
    """Does every way of every pair, and the router's way of these pairs, go by one crossbar?

    Args:
        sources, targets (int arrays): Endpoints; the router is followed for up to 4096 pairs of
            them, evenly spread.
    """
    heads = network.heads.reshape(network.order, -1).astype(np.int64)
    options = route_options(family)
    if options.shape[0] == 1:
        wrong = _not_developed(heads, family.n, both=not network.duplex)
        if wrong is not None:
            return wrong
        first, second = np.zeros(family.n, dtype=np.int64), np.arange(family.n)
        table = options[0]
    else:
        first, second = (axis.ravel() for axis in np.indices((family.n, family.n)))
        table = options.reshape(family.n**2, *options.shape[2:])
    found = _check_table(heads, first, second, table, network.duplex)
    some = slice(None, None, -(-len(sources) // _ROUTED) or None)
    return found if not found else _check_router(network, sources[some], targets[some])


def _not_developed(heads: IntArray, n: int, both: bool) -> Verdict | None:
    """Where the wiring of one endpoint is not that of the others, shifted."""
    for kind, rows in (("endpoint", heads[:n] - n), ("crossbar", heads[n:])):
        if kind == "crossbar" and not both:
            continue
        step = (rows - np.arange(n)[:, None]) % n
        off = (step != step[0]).any(axis=1)
        if off.any():
            k = int(off.argmax())
            text = f"{kind} {k} is not wired as {kind} 0 is, shifted by {k}"
            return Verdict(False, text, {kind: k})
    return None


def _check_table(
    heads: IntArray, first: IntArray, second: IntArray, table: IntArray, duplex: bool
) -> Verdict:
    """Hold the ports of ways against the wiring."""
    leave, arrive = table[..., 0].astype(np.int64), table[..., 1].astype(np.int64)
    given = (leave >= 0) & (first != second)[:, None]
    lost = (first != second) & ~given.any(axis=1)
    if lost.any():
        k = int(lost.argmax())
        where = {"source": int(first[k]), "target": int(second[k])}
        return Verdict(False, f"there is no route from {first[k]} to {second[k]}", where)
    up = heads[first[:, None], np.maximum(leave, 0)]
    if duplex:
        off = given & (up != heads[second[:, None], np.maximum(arrive, 0)])
    else:
        off = given & (heads[up, np.maximum(arrive, 0)] != second[:, None])
    if off.any():
        k, i = (int(x) for x in np.argwhere(off)[0])
        a, b = int(first[k]), int(second[k])
        text = (
            f"port {leave[k, i]} of endpoint {a} leads to crossbar {up[k, i]}, which does not"
            f" lead to endpoint {b} by port {arrive[k, i]}"
        )
        return Verdict(False, text, {"source": a, "target": b, "port": int(leave[k, i])})
    return Verdict(True, "every way goes by one crossbar")


def _check_router(network: Network, sources: IntArray, targets: IntArray) -> Verdict:
    """Two hops by the router's own ports must end at the target."""
    moving = sources != targets
    a, b = sources[moving], targets[moving]
    router = network.router()
    here = a
    for _ in range(2):
        channel = network.channel_at(here, router.next_ports(here, b))
        here = np.where(channel >= 0, network.heads[channel], here).astype(np.int64)
    if (here != b).any():
        k = int(np.argmax(here != b))
        text = f"the router's two hops from {a[k]} to {b[k]} end at node {here[k]}"
        return Verdict(False, text, {"source": int(a[k]), "target": int(b[k])})
    return Verdict(True, "every way goes by one crossbar")
