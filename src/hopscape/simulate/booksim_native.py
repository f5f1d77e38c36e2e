"""Networks that BookSim has itself: mesh, torus, flattened butterfly, fat tree and dragonfly."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hopscape.core.errors import HopscapeError
from hopscape.core.network import Network
from hopscape.registry import build

__all__ = ["native_topology"]

_MOST_LEVELS = 20


def native_topology(network: Network) -> dict[str, str | int] | None:
    """The keys with which BookSim builds a network itself, or None when it has no such topology.

    Networks are compared by their canonical specs.

    Examples:
        >>> import hopscape
        >>> native_topology(hopscape.build("torus(4, 4)"))
        {'topology': 'torus', 'k': 4, 'n': 2, 'routing_function': 'dim_order', 'use_noc_latency': 0}
        >>> native_topology(hopscape.build("petersen")) is None
        True
    """
    for text, keys in _candidates(network):
        try:
            same = text == network.spec or build(text).spec == network.spec
        except HopscapeError:
            continue  # no such family, or no such member
        if same:
            return {**keys, "use_noc_latency": 0}
    return None


def _candidates(network: Network) -> Iterator[tuple[str, dict[str, str | int]]]:
    """Specs that this network might have, with BookSim's keys for them."""
    ends, switches = network.endpoint_count, network.order - network.endpoint_count
    for n in range(1, _MOST_LEVELS):
        k = round(ends ** (1 / n))
        if k >= 2 and k**n == ends:
            sides = ", ".join([str(k)] * n)
            torus: dict[str, str | int] = {"topology": "torus", "k": k, "n": n}
            mesh: dict[str, str | int] = {"topology": "mesh", "k": k, "n": n}
            if k > 2:  # a ring of two would be a double link
                yield f"torus({sides})", torus | {"routing_function": "dim_order"}
            if k == 2:
                yield f"hypercube({n})", mesh | {"routing_function": "dim_order"}
            yield f"mesh({sides})", mesh | {"routing_function": "dim_order"}
            tree: dict[str, str | int] = {"topology": "fattree", "k": k, "n": n}
            yield f"kary_ntree({k}, {n})", tree | {"routing_function": "nca"}
    side = math.isqrt(switches)
    if switches and side * side == switches and ends % switches == 0:
        c = ends // switches
        if math.isqrt(c) ** 2 == c and side >= 2:
            fly: dict[str, str | int] = {"topology": "flatfly", "k": side, "n": 2, "c": c}
            fly |= {"x": side, "y": side, "xr": math.isqrt(c), "yr": math.isqrt(c)}
            fly["routing_function"] = "ran_min"
            yield f"hyperx([{side}, {side}], p={c})", fly
    for p in range(1, 40):
        if 2 * p * p * (2 * p * p + 1) == ends:
            dragonfly: dict[str, str | int] = {"topology": "dragonflynew", "k": p, "n": 1}
            yield f"dragonfly({2 * p}, {p}, p={p})", dragonfly | {"routing_function": "min"}
