"""Link delays by class of link: axes of a grid, steps of a circulant, lines of endpoints."""

from __future__ import annotations

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network

__all__ = ["channel_delays", "link_classes", "parse_delays"]

_MOST = 1000


def link_classes(network: Network) -> dict[str, IntArray]:
    """Classes of links that a network knows by name, with their channels.

    The kinds of the network; where some nodes are switches, ``endpoint`` are the links of
    endpoints and ``switch`` those between switches.

    Examples:
        >>> import hopscape
        >>> {k: len(v) for k, v in link_classes(hopscape.build("circulant(8, 1, 4)")).items()}
        {'step1': 16, 'step4': 8}
    """
    channels = np.arange(len(network.heads))
    kinds = network.class_of(channels)
    ends = np.cumsum(np.bincount(kinds, minlength=len(network.classes)))
    by_kind = np.split(np.argsort(kinds, kind="stable"), ends[:-1])
    found = {k.name: own for k, own in zip(network.classes, by_kind, strict=False) if len(own)}
    if network.has_switches:
        end = np.zeros(network.order, dtype=np.bool_)
        end[network.endpoints] = True
        outer = end[network.tails] | end[network.heads]
        found |= {"endpoint": channels[outer], "switch": channels[~outer]}
    return found


def parse_delays(text: str) -> tuple[int | None, tuple[tuple[str, int], ...]]:
    """The delay of all links (if said) and those of classes, from ``2`` or ``axis0=1,axis1=3``.

    Examples:
        >>> parse_delays("2,axis1=3")
        (2, (('axis1', 3),))
    """
    general, named = None, []
    for part in text.split(","):
        name, sign, value = part.rpartition("=")
        if not value.strip().isdecimal() or int(value) > _MOST or (sign and not name.strip()):
            raise ArgumentError(
                f"link-delay is {text!r}; write cycles from 0 to {_MOST}, or CLASS=CYCLES"
            )
        if sign:
            named.append((name.strip(), int(value)))
        else:
            general = int(value)
    return general, tuple(named)


def channel_delays(
    network: Network, general: int, named: tuple[tuple[str, int], ...]
) -> IntArray | None:
    """Cycles of each channel, or None when all take the general delay.

    The delay of a kind of channel, from a graph file, goes before the general one; what is named
    goes before both.
    """
    for kind in network.classes:
        if kind.delay is not None and kind.delay not in range(_MOST + 1):
            raise ArgumentError(
                f"{network.spec}: channels of class {kind.name!r} have delay {kind.delay};"
                f" the simulator takes whole cycles from 0 to {_MOST}"
            )
    own = np.asarray([general if kind.delay is None else kind.delay for kind in network.classes])
    if not named and (own == general).all():
        return None
    channels = np.arange(len(network.heads))
    delays = np.full(len(channels), general, dtype=np.int32)
    if len(own):
        delays[:] = own[network.class_of(channels)]
    known = link_classes(network) if named else {}
    for name, cycles in named:
        if name not in known:
            choice = ", ".join(known) if known else "none"
            raise ArgumentError(
                f"link-delay {name}={cycles}: {network.spec} has no links of class {name!r};"
                f" its classes are: {choice}"
            )
        delays[known[name]] = cycles
    return delays
