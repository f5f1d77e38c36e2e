"""Price lists: what switches, cables and network interfaces cost and consume, in TOML.

A list names its currency, the rate of a line, switches by radix, copper and optical cables by
reach, and the network interface. An optical cable may take a transceiver at either end, which is an
entry of its own. Every entry may carry a part number, its source and its year.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.numbers import counted
from hopscape.core.reading import load_toml

__all__ = [
    "DEFAULT_PRICES",
    "Item",
    "PriceList",
    "item_rows",
    "load_prices",
    "price_lists",
    "read_prices",
    "remarks",
]

DEFAULT_PRICES = "default"
_FOLDER = Path(__file__).parent / "price_lists"
_MOST_RADIX = 1 << 20

_NUMBERS: Mapping[str, tuple[str, ...]] = {
    "switch": ("radix", "price", "watts"),
    "copper": ("reach", "price", "per_metre", "watts"),
    "optical": ("reach", "price", "per_metre", "watts"),
    "transceiver": ("price", "watts"),
    "nic": ("price", "watts"),
}
_WORDS = ("name", "part")
"""Entries that are text, besides the source; optical cables also name their transceiver."""
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "switch": ("radix", "price"),
    "copper": ("price",),
    "optical": ("price",),
    "transceiver": ("name", "price"),
    "nic": ("price",),
}
_TOP = ("name", "currency", "rate", *_NUMBERS)


@dataclass(frozen=True)
class Item:
    """One entry of a price list.

    Attributes:
        kind: {'switch', 'copper', 'optical', 'transceiver', 'nic'}
        size: Ports of a switch, metres that a cable reaches (infinite when it is not said).
        price, per_metre, watts: Of one piece; a cable's price grows with its length by `per_metre`.
            Transceivers at its ends are counted.
        name: What it is called in the list, such as 'active copper'.
        part: Part number of whoever sells it.
        ends: The transceiver at either end of a cable.
    """

    kind: str
    size: float
    price: float
    per_metre: float = 0.0
    watts: float = 0.0
    source: str = ""
    year: int | None = None
    name: str = ""
    part: str = ""
    ends: Item | None = None

    @property
    def called(self) -> str:
        """As the bill and the cable list call it.

        Examples:
            >>> Item("copper", 3, 90, name="active copper cable", part="X-1").called
            'active copper cable of up to 3 m (X-1)'
            >>> Item("optical", math.inf, 90).called
            'optical cable'
        """
        what = self.name or {"nic": "network interface"}.get(self.kind, f"{self.kind} cable")
        if self.kind in ("copper", "optical") and not math.isinf(self.size):
            what += f" of up to {self.size:g} m"
        return what + (f" ({self.part})" if self.part else "")


@dataclass(frozen=True)
class PriceList:
    """What things cost.

    Attributes:
        rate: Gb/s of a line.
        switches, cables: Switches by radix, cables by price.
        nic: For each line of an endpoint.
    """

    name: str
    currency: str
    rate: float
    switches: tuple[Item, ...]
    cables: tuple[Item, ...]
    nic: Item = field(default_factory=lambda: Item("nic", 1, 0.0))

    def switch(self, ports: int) -> Item:
        """The cheapest switch with at least so many ports.

        Raises:
            ArgumentError: When there is none.

        Examples:
            >>> load_prices("hammingmesh").switch(33).price
            14280.0
        """
        large = [item for item in self.switches if item.size >= ports]
        if not large:
            most = max(int(item.size) for item in self.switches)
            raise ArgumentError(
                f"the price list {self.name!r} has no switch of {counted(ports, 'port')}; its"
                f" largest has {most}"
            )
        return min(large, key=lambda item: (item.price, item.size))

    def pick_cables(self, lengths: Floats) -> tuple[IntArray, Floats]:
        """For each length the number of the cheapest cable that reaches so far, and its price.

        Raises:
            ArgumentError: When a cable is longer than any of the list.
        """
        prices = np.full((len(self.cables), len(lengths)), math.inf)
        for i, item in enumerate(self.cables):
            reached = lengths <= item.size
            prices[i, reached] = item.price + item.per_metre * lengths[reached]
        chosen = prices.argmin(axis=0)
        paid = prices[chosen, np.arange(len(lengths))]
        if not np.isfinite(paid).all():
            raise ArgumentError(
                f"the price list {self.name!r} has no cable of {float(lengths.max()):.1f} m; its"
                f" longest reaches {max(item.size for item in self.cables):g} m"
            )
        return chosen, paid

    def gaps(self, radix: int) -> str:
        """Parts that machines may need and that are not in the list; empty when none.

        Examples:
            >>> load_prices("hammingmesh").gaps(128), load_prices().gaps(64)
            ('no switch of more than 64 ports', '')
        """
        out = []
        most = max(item.size for item in self.switches)
        if most < radix:
            out.append(f"no switch of more than {most:g} ports")
        longest = max(item.size for item in self.cables)
        if not math.isinf(longest):
            out.append(f"no cable longer than {longest:g} m")
        return " and ".join(out)

    def items(self) -> list[Item]:
        """All entries."""
        ends = {item.ends.name: item.ends for item in self.cables if item.ends is not None}
        return [*self.switches, *self.cables, *ends.values(), self.nic]


@lru_cache
def price_lists() -> tuple[str, ...]:
    """Names of the lists that come with hopscape.

    Examples:
        >>> price_lists()
        ('400g', '800g', 'default', 'hammingmesh')
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def load_prices(name: str = DEFAULT_PRICES) -> PriceList:
    """A price list by its name, or from a file that ends in ``.toml``.

    Raises:
        ArgumentError: When there is none of this name.
        FileFormatError: When a file is not a price list; the message names the line.
    """
    if name in price_lists():
        return _own_list(name)
    if name.endswith(".toml"):
        return read_prices(Path(name))
    raise ArgumentError(
        f"price list {name!r} is unknown; there are {', '.join(price_lists())}, or give a .toml"
        " file"
    )


@lru_cache
def _own_list(name: str) -> PriceList:
    return read_prices(_FOLDER / f"{name}.toml")


def read_prices(path: str | Path) -> PriceList:
    """Read and check a price list.

    Raises:
        FileFormatError: For what is missing, unknown, negative or no number; the message names the
            line.
    """
    return _Reader(str(path), *load_toml(path)).read()


class _Reader:
    """Checks the text of one price list and knows the line of each of its entries."""

    def __init__(self, path: str, data: dict[str, Any], text: str) -> None:
        self.path, self.data = path, data
        self.lines = _line_numbers(text)

    def read(self) -> PriceList:
        for key in self.data:
            if key not in _TOP:
                raise self.error((key, 0, ""), f"{key!r} is unknown; there are {', '.join(_TOP)}")
        currency = self.data.get("currency")
        if not isinstance(currency, str) or not currency:
            raise self.error(("", 0, "currency"), "the currency is missing, such as 'USD'")
        switches = self.table("switch")
        transceivers = {item.name: item for item in self.table("transceiver")}
        lit = [self.ended(i, item, transceivers) for i, item in enumerate(self.table("optical"))]
        cables = [*self.table("copper"), *lit]
        if not switches:
            raise self.error(("switch", 0, ""), "there is no [[switch]]")
        if not cables:
            raise self.error(("copper", 0, ""), "there is no [[copper]] and no [[optical]]")
        sizes = [item.size for item in switches]
        for i, size in enumerate(sizes):
            if size in sizes[:i]:
                raise self.error(("switch", i, "radix"), f"radix {size:g} is there twice")
        self.require_names(cables)
        nic = self.table("nic")
        return PriceList(
            name=str(self.data.get("name", Path(self.path).stem)),
            currency=currency,
            rate=self.number(("", 0, "rate"), self.data, above=True),
            switches=tuple(sorted(switches, key=lambda item: item.size)),
            cables=tuple(sorted(cables, key=lambda item: (item.price, -item.size))),
            nic=nic[0] if nic else Item("nic", 1, 0.0),
        )

    def ended(self, i: int, item: Item, known: Mapping[str, Item]) -> Item:
        """An optical cable with its transceivers."""
        entry = self.entries("optical")[i]
        name = str(entry.get("transceiver", ""))
        if not name:
            return item
        if name not in known:
            there = "there is no [[transceiver]]"
            if known:
                there = f"there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"
            raise self.error(
                ("optical", i, "transceiver"), f"transceiver {name!r} is unknown; {there}"
            )
        end = known[name]
        price, watts = item.price + 2 * end.price, item.watts + 2 * end.watts
        return replace(item, price=price, watts=watts, ends=end)

    def require_names(self, cables: Sequence[Item]) -> None:
        """Two cables of one name could not be told apart in a bill."""
        seen: dict[str, Item] = {}
        for kind in ("copper", "optical"):
            mine = [item for item in cables if item.kind == kind]
            for i, item in enumerate(mine):
                if item.called in seen:
                    raise self.error(
                        (kind, i, ""), f"{item.called!r} is there twice; give it a name or a part"
                    )
                seen[item.called] = item

    def table(self, kind: str) -> list[Item]:
        return [self.item(kind, i, entry) for i, entry in enumerate(self.entries(kind))]

    def entries(self, kind: str) -> list[dict[str, Any]]:
        given = self.data.get(kind, [])
        entries = [given] if isinstance(given, dict) else given
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise self.error((kind, 0, ""), f"{kind} must be a table: [[{kind}]]")
        return entries

    def item(self, kind: str, i: int, entry: Mapping[str, Any]) -> Item:
        words = (*_WORDS, "transceiver") if kind == "optical" else _WORDS
        known = (*_NUMBERS[kind], *words, "source", "year")
        for key in entry:
            if key not in known:
                raise self.error(
                    (kind, i, key), f"{key!r} is unknown; there are {', '.join(known)}"
                )
        for key in _REQUIRED[kind]:
            if key not in entry:
                raise self.error((kind, i, ""), f"this {kind} has no {key}")
        size = {"switch": "radix", "nic": ""}.get(kind, "reach")
        numbers = {
            key: self.number((kind, i, key), entry, above=key == size)
            for key in _NUMBERS[kind]
            if key in entry
        }
        if kind == "switch" and (numbers["radix"] % 1 or not 1 <= numbers["radix"] <= _MOST_RADIX):
            raise self.error((kind, i, "radix"), f"radix is {numbers['radix']:g}, no whole number")
        year = entry.get("year")
        if year is not None and (isinstance(year, bool) or not isinstance(year, int)):
            raise self.error((kind, i, "year"), f"year is {year!r}; it must be a whole number")
        for key in words:
            if key in entry and (not isinstance(entry[key], str) or not entry[key].strip()):
                raise self.error((kind, i, key), f"{key} is {entry[key]!r}; it must be a text")
        return Item(
            kind,
            numbers.get(size, 1.0 if kind in ("nic", "transceiver") else math.inf),
            numbers["price"],
            numbers.get("per_metre", 0.0),
            numbers.get("watts", 0.0),
            str(entry.get("source", "")),
            year,
            str(entry.get("name", "")),
            str(entry.get("part", "")),
        )

    def number(self, key: tuple[str, int, str], entry: Mapping[str, Any], above: bool) -> float:
        value = entry.get(key[2])
        if value is None:
            raise self.error(key, f"{key[2]} is missing")
        fine = isinstance(value, int | float) and not isinstance(value, bool)
        if not fine or not math.isfinite(value) or value < 0 or (above and value == 0):
            allowed = "above 0" if above else "of at least 0"
            raise self.error(key, f"{key[2]} is {value!r}; it must be a number {allowed}")
        return float(value)

    def error(self, key: tuple[str, int, str], text: str) -> FileFormatError:
        """The error, with the line of the key, of its table, or the first one."""
        kind, i, _ = key
        line = self.lines.get(key) or self.lines.get((kind, i, "")) or self.lines.get(("", 0, kind))
        return FileFormatError(f"{self.path}, line {line or 1}: {text}")


def _line_numbers(text: str) -> dict[tuple[str, int, str], int]:
    """Line of each (table, number of the table of this name, key), from 1; "" is the table itself.

    Examples:
        >>> _line_numbers("rate = 4\\n[[switch]]\\nradix = 8\\n")
        {('', 0, 'rate'): 1, ('switch', 0, ''): 2, ('switch', 0, 'radix'): 3}
    """
    lines: dict[tuple[str, int, str], int] = {}
    seen: dict[str, int] = {}
    table, number = "", 0
    for at, line in enumerate(text.splitlines(), 1):
        head = re.match(r"\s*\[\[?\s*([\w\"'-]+)\s*\]\]?", line)
        key = re.match(r"\s*([\w\"'-]+)\s*=", line)
        if head is not None:
            table = head.group(1).strip("\"'")
            number = seen.get(table, 0)
            seen[table] = number + 1
            lines.setdefault((table, number, ""), at)
        elif key is not None:
            lines.setdefault((table, number, key.group(1).strip("\"'")), at)
    return lines


def item_rows(prices: PriceList) -> Sequence[dict[str, Any]]:
    """The entries of a list for a table."""
    return [
        {
            "item": item.name or item.kind,
            "part": item.part,
            "size": None if math.isinf(item.size) or item.kind == "transceiver" else item.size,
            "price": item.price,
            "per_metre": item.per_metre,
            "watts": item.watts,
            "source": item.source,
            "year": item.year,
        }
        for item in prices.items()
    ]


_MOST_YEARS = 3
"""Years after which a quote is old."""


def remarks(prices: PriceList, year: int) -> list[str]:
    """What somebody who signs by a list should know of it: gaps, and what looks like a slip.

    Args:
        year: That it is now.
    """
    out = []
    named = [(f"{item.size:g}-port switch" if item.kind == "switch" and not item.name else
              item.called, item) for item in prices.items()]  # fmt: skip
    bare = [name for name, item in named if not item.source and (item.price or item.watts)]
    if bare:
        out.append(f"no source: {', '.join(bare)}")
    old = [name for name, item in named if item.year is not None and year - item.year > _MOST_YEARS]
    if old:
        out.append(f"older than {_MOST_YEARS} years: {', '.join(old)}")
    guessed = [name for name, item in named if "assum" in item.source.lower()]
    if guessed:
        out.append(f"assumptions, not quotes: {', '.join(guessed)}")
    cold = [name for name, item in named if not item.watts and item.kind not in ("copper", "nic")]
    if cold:
        out.append(f"no watts: {', '.join(cold)}")
    longest = max(item.size for item in prices.cables)
    if not math.isinf(longest):
        out.append(f"no cable is longer than {longest:g} m: machines that need one are left out")
    for small, large in pairwise(prices.switches):
        if large.price < small.price:
            out.append(
                f"the {large.size:g}-port switch is cheaper than the {small.size:g}-port one, which"
                " is never bought"
            )
    for item in prices.cables:
        if any(other is not item and other.size >= item.size and other.price <= item.price
               and other.per_metre <= item.per_metre for other in prices.cables):  # fmt: skip
            out.append(f"{item.called} is never bought: another reaches as far and costs no more")
    if not prices.nic.price:
        out.append("network interfaces cost nothing: the same for every machine of as many lines")
    return out
