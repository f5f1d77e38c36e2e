"""Price lists: what switches, cables and network interfaces cost and consume, in TOML.

A list names its currency, the rate of a line, switches by radix, copper and optical cables by
reach, and the network interface. Every number may carry its source and year.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.reading import load_toml

__all__ = ["DEFAULT_PRICES", "Item", "PriceList", "load_prices", "price_lists", "read_prices"]

DEFAULT_PRICES = "default"
_FOLDER = Path(__file__).parent / "price_lists"
_MOST_RADIX = 1 << 20

_NUMBERS: Mapping[str, tuple[str, ...]] = {
    "switch": ("radix", "price", "watts"),
    "copper": ("reach", "price", "per_metre", "watts"),
    "optical": ("reach", "price", "per_metre", "watts"),
    "nic": ("price", "watts"),
}
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "switch": ("radix", "price"),
    "copper": ("price",),
    "optical": ("price",),
    "nic": ("price",),
}
_TOP = ("name", "currency", "rate", *_NUMBERS)


@dataclass(frozen=True)
class Item:
    """One entry of a price list.

    Attributes:
        kind: {'switch', 'copper', 'optical', 'nic'}
        size: Ports of a switch, metres that a cable reaches (infinite when it is not said).
        price, per_metre, watts: Of one piece; a cable's price grows with its length by `per_metre`.
    """

    kind: str
    size: float
    price: float
    per_metre: float = 0.0
    watts: float = 0.0
    source: str = ""
    year: int | None = None


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
                f"the price list {self.name!r} has no switch of {ports} ports; its largest has"
                f" {most}"
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

    def items(self) -> list[Item]:
        """All entries."""
        return [*self.switches, *self.cables, self.nic]


@lru_cache
def price_lists() -> tuple[str, ...]:
    """Names of the lists that come with hopscape.

    Examples:
        >>> price_lists()
        ('default', 'hammingmesh')
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
        cables = [*self.table("copper"), *self.table("optical")]
        if not switches:
            raise self.error(("switch", 0, ""), "there is no [[switch]]")
        if not cables:
            raise self.error(("copper", 0, ""), "there is no [[copper]] and no [[optical]]")
        sizes = [item.size for item in switches]
        for i, size in enumerate(sizes):
            if size in sizes[:i]:
                raise self.error(("switch", i, "radix"), f"radix {size:g} is there twice")
        nic = self.table("nic")
        return PriceList(
            name=str(self.data.get("name", Path(self.path).stem)),
            currency=currency,
            rate=self.number(("", 0, "rate"), self.data, above=True),
            switches=tuple(sorted(switches, key=lambda item: item.size)),
            cables=tuple(sorted(cables, key=lambda item: (item.price, -item.size))),
            nic=nic[0] if nic else Item("nic", 1, 0.0),
        )

    def table(self, kind: str) -> list[Item]:
        found = self.data.get(kind, [])
        entries = [found] if isinstance(found, dict) else found
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise self.error((kind, 0, ""), f"{kind} must be a table: [[{kind}]]")
        return [self.item(kind, i, entry) for i, entry in enumerate(entries)]

    def item(self, kind: str, i: int, entry: Mapping[str, Any]) -> Item:
        known = (*_NUMBERS[kind], "source", "year")
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
        return Item(
            kind,
            numbers.get(size, 1.0 if kind == "nic" else math.inf),
            numbers["price"],
            numbers.get("per_metre", 0.0),
            numbers.get("watts", 0.0),
            str(entry.get("source", "")),
            year,
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
            "item": item.kind,
            "size": None if math.isinf(item.size) else item.size,
            "price": item.price,
            "per_metre": item.per_metre,
            "watts": item.watts,
            "source": item.source,
            "year": item.year,
        }
        for item in prices.items()
    ]
