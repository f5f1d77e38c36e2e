"""Networks of one radix side by side, all measured by the same functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network

__all__ = ["comparable_specs", "measure_network"]

_MOST_PORTS = 1024


def comparable_specs(radix: int) -> dict[str, str]:
    """Networks whose switches (or endpoints, in a distributed switch) have at most `radix` ports.

    Examples:
        >>> comparable_specs(16)["fat tree"]
        'fat_tree(16)'
    """
    from hopscape.algebra.fields import prime_power

    if not 8 <= radix <= _MOST_PORTS:
        raise ArgumentError(f"radix is {radix}; it must be at least 8 and at most {_MOST_PORTS}")
    plane = max(q for q in range(2, radix) if prime_power(q) and q + 1 <= radix)
    small = max(q for q in range(2, radix) if prime_power(q) and q + 1 <= max(radix // 4, 3))
    size, outer = small * small + small + 1, radix - small - 1
    h = max(1, (radix + 1) // 4)
    fly = max(
        q for q in range(3, radix) if prime_power(q) and q % 4 != 2 and _slim_radix(q) <= radix
    )
    dual = max(q for q in range(2, radix) if prime_power(q) and q + 1 + (q + 1) // 3 <= radix)
    polar = max(q for q in range(2, radix) if prime_power(q) and q + 1 + (q + 1) // 2 <= radix)
    return {
        "distributed switch": f"distributed_switch({plane**2 + plane + 1}, {plane + 1}, 1)",
        "two-level, RPK supernodes": (
            f"two_level(distributed_switch({size}, {small + 1}, 1), complete({size * outer + 1}))"
        ),
        "dragonfly": f"dragonfly({2 * h}, {h}, {h})",
        "fat tree": f"fat_tree({radix - radix % 2})",
        "Slim Fly": f"slim_fly({fly})",
        "projective incidence": f"projective_network({dual})",
        "PolarFly": f"polarfly({polar})",
        "flattened butterfly": f"hyperx([{radix // 3 + 1}, {radix // 3 + 1}], {radix // 3})",
    }


def _slim_radix(q: int) -> int:
    delta = {0: 0, 1: 1, 3: -1}[q % 4]
    degree = (3 * q - delta) // 2
    return degree + (degree + 1) // 2


def measure_network(name: str, network: Network) -> dict[str, Any]:
    """A row of the comparison: size, cost and paths of one network, all measured."""
    from hopscape.metrics import channel_load, distance_profile

    profile = distance_profile(network, endpoints=True, exact=True)
    degrees = network.degrees
    ends = network.endpoints
    switch = np.setdiff1d(np.arange(network.order), ends)
    load = channel_load(network) if network.order <= 3000 else None
    return {
        "name": name,
        "spec": network.spec,
        "endpoints": len(ends),
        "switches": len(switch),
        "endpoint_ports": int(degrees[ends].max()),
        "switch_ports": int(degrees[switch].max(initial=0)),
        "cables": network.links,
        "cables_per_endpoint": round(network.links / len(ends), 3),
        "diameter": profile.diameter,
        "mean_distance": None if profile.mean is None else float(profile.mean),
        "max_load": None if load is None else round(load.largest, 4),
    }
