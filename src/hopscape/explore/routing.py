"""The network's router in a form that the page can follow.

Most routers are one of two rules, which need no table: the lowest port that begins a shortest
route, or a port that depends on the difference of two addresses alone. All others are shipped as a
table of next ports, deflated, while that is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray, NoWay
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.explore.packing import pack, packed_size

__all__ = ["router_rule"]

_MOST_PAIRS = 25_000_000
_MOST_BYTES = 400_000
_BLOCK = 1 << 20
_NONE = NoWay(np.uint8)


def router_rule(network: Network) -> tuple[dict[str, Any], list[str]]:
    """How the page routes, and notes on what it cannot do.

    ``{"name", "exact", "rule"}`` with one of these rules:

    lowest
        The lowest port that begins a shortest route.
    shift
        ``ports[index of (to - at) digit by digit modulo sides]``, with the packed ports and sides.
    table
        ``ports[at * order + to]``; 255 where there is none.
    """
    router = network.router()
    head: dict[str, Any] = {"name": router.name, "exact": bool(router.exact)}
    if router.name in ("table", "search"):
        return head | {"rule": "lowest"}, []
    lost = f"Routes are shortest by the lowest port, not those of the {router.name} router: "
    if not router.chained:
        return head | {"rule": "lowest", "instead": True}, [lost + "its sources decide."]
    if network.order**2 > _MOST_PAIRS or network.ports >= _NONE.value:
        return head | {"rule": "lowest", "instead": True}, [lost + "its table is too large."]
    shifted = _by_shift(network, router)
    if shifted is not None:
        return head | {"rule": "shift"} | shifted, []
    rows = [_ports(router, low, high) for low, high in _blocks(network.order)]
    packed = pack(np.concatenate(rows) if rows else np.zeros(0, dtype=np.uint8))
    if packed_size(packed) > _MOST_BYTES:
        return head | {"rule": "lowest", "instead": True}, [lost + "its table is too large."]
    return head | {"rule": "table", "ports": packed}, []


def _blocks(order: int) -> Iterator[tuple[int, int]]:
    step = max(1, _BLOCK // max(order, 1))
    return ((low, min(low + step, order)) for low in range(0, order, step))


def _ports(router: Router, low: int, high: int) -> IntArray:
    """Next ports from some nodes to all: uint8[(high - low) * order]."""
    order = router.network.order
    at = np.repeat(np.arange(low, high), order)
    to = np.tile(np.arange(order), high - low)
    ports = router.next_ports(at, to)
    return _NONE.narrow(ports)


def _by_shift(network: Network, router: Router) -> dict[str, Any] | None:
    """The ports by difference of addresses, if nothing else decides them."""
    if not isinstance(network.addresses, MixedRadix) or network.order < 2:
        return None
    sides = np.asarray(network.addresses.sides)
    digits = network.addresses.tuples(np.arange(network.order))
    first = _ports(router, 0, 1)
    for low, high in _blocks(network.order):
        here = digits[low:high, None, :]
        apart = network.addresses.numbers((digits[None, :, :] - here) % sides)
        if not np.array_equal(first[apart].ravel(), _ports(router, low, high)):
            return None
    return {"sides": sides.tolist(), "ports": pack(first)}
