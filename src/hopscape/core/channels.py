"""Kinds of channels: what a channel carries, how long it takes, how long it is.

Families name the kinds of their channels (:meth:`hopscape.core.family.Family.channel_classes`) or
of their ports, graph files give attributes of their links; all end in `classes` of the network.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError

__all__ = [
    "ATTRIBUTES",
    "PLAIN",
    "ChannelClass",
    "group_links",
    "link_attribute",
    "only_names",
    "whole_capacities",
    "with_plain",
]

ATTRIBUTES = ("capacity", "delay", "length")
"""What a graph file can say of a link."""
_MOST_DELAY = 1000  # cycles: 200 m of cable at 1 GHz; more is a slip of the unit
_FINEST = 1000  # capacities as fractions up to this denominator: rounds stay countable


@dataclass(frozen=True)
class ChannelClass:
    """A kind of channel.

    Attributes:
        speed: Its capacity: what it carries in a unit of time, in a unit common to all kinds of the
            network.
        reach: How far it goes, in the machine's own words.
        delay: Cycles that a flit takes, where they are known.
        length: In a unit common to all kinds of the network, where it is known.
    """

    name: str
    speed: float = 1
    reach: str = ""
    delay: int | None = None
    length: float | None = None

    def says(self, attribute: str) -> bool:
        """Is it told from a plain channel by this: its capacity, delay or length?"""
        if attribute == "capacity":
            return self.speed != 1
        return getattr(self, attribute) is not None


PLAIN = ChannelClass("plain")
"""Links of which nothing is said, among others of which something is."""


def only_names(kinds: Sequence[ChannelClass]) -> bool:
    """Is nothing said of these kinds but their names? So it is for the axes of a torus."""
    return all(kind == ChannelClass(kind.name) for kind in kinds)


def with_plain(kinds: tuple[ChannelClass, ...]) -> tuple[ChannelClass, ...]:
    """The kinds of a base, and one for further links; none where the base has none."""
    return kinds if not kinds or PLAIN in kinds else (*kinds, PLAIN)


def whole_capacities(kinds: Sequence[ChannelClass]) -> list[int]:
    """Capacities in units of their common measure: the largest of which all are whole multiples.

    Examples:
        >>> whole_capacities([ChannelClass("slow", 1), ChannelClass("fast", 2.5)])
        [2, 5]
    """
    shares = [Fraction(kind.speed).limit_denominator(_FINEST) for kind in kinds]
    if not all(shares):
        raise ArgumentError(f"capacities must be at least 1/{_FINEST} where rounds are counted")
    whole = math.lcm(*(share.denominator for share in shares))
    units = [int(share * whole) for share in shares]
    common = math.gcd(*units)
    return [unit // common for unit in units]


def link_attribute(name: str, value: object) -> float:
    """The value of an attribute of a link, from a number or a text; whole numbers are int.

    A fraction such as ``1/4`` is a number, too.

    Examples:
        >>> link_attribute("capacity", "2.0"), link_attribute("length", 0.5)
        (2, 0.5)
        >>> link_attribute("capacity", "1/4")
        0.25
    """
    try:
        if isinstance(value, bool):
            raise ValueError
        text = str(value)
        number = float(Fraction(text)) if text.count("/") == 1 else float(text)
    except (ValueError, ArithmeticError):
        number = math.nan
    whole = number.is_integer()
    if name == "delay" and not (whole and 0 <= number <= _MOST_DELAY):
        raise ArgumentError(f"delay is {value!r}; it must be whole cycles from 0 to {_MOST_DELAY}")
    if name == "capacity" and not 0 < number < math.inf:
        raise ArgumentError(f"capacity is {value!r}; it must be a number above 0")
    if name == "length" and not 0 <= number < math.inf:
        raise ArgumentError(f"length is {value!r}; it must be a number of at least 0")
    return int(number) if whole else number


def group_links(
    links: Sequence[Mapping[str, float]],
) -> tuple[tuple[ChannelClass, ...], IntArray | None]:
    """The kinds of links, and the kind of each, from their attributes.

    Examples:
        >>> kinds, which = group_links([{"capacity": 4}, {}, {"capacity": 4}])
        >>> [(kind.name, kind.speed) for kind in kinds], which.tolist()
        ([('capacity4', 4), ('plain', 1)], [0, 1, 0])
    """
    if not any(links):
        return (), None
    seen: dict[tuple[float | None, ...], int] = {}
    kinds = [seen.setdefault(tuple(map(link.get, ATTRIBUTES)), len(seen)) for link in links]
    return tuple(map(_kind, seen)), np.asarray(kinds, dtype=np.int64)


def _kind(values: tuple[float | None, ...]) -> ChannelClass:
    capacity, delay, length = values
    stated = (f"{name}{x}" for name, x in zip(ATTRIBUTES, values, strict=True) if x is not None)
    return ChannelClass(
        "-".join(stated) or "plain",
        1 if capacity is None else capacity,
        delay=None if delay is None else int(delay),
        length=length,
    )
