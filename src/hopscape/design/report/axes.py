"""Axes of the report's plots, as parts of an SVG: small files, names on hover, light and dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from hopscape.core.numbers import number

__all__ = ["Axis", "Panel", "svg_page"]

_RATIO = 20.0
_TICKS = 5


@dataclass(frozen=True)
class Axis:
    """From values to places on the page, linear or logarithmic.

    Attributes:
        low, high: Values at the ends.
        start, end: Where these are on the page.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    @classmethod
    def around(
        cls, values: Sequence[float], start: float, end: float, *, zero: bool = False
    ) -> Axis:
        """An axis with room for all values: logarithmic where they differ by a factor of 20.

        Examples:
            >>> Axis.around([1, 100], 0, 10).log, Axis.around([1, 3], 0, 10, zero=True).low
            (True, 0.0)
        """
        low, high = min(values), max(values)
        if not zero and low > 0 and high > _RATIO * low:
            return cls(low / 1.2, high * 1.2, start, end, True)
        room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
        return cls(0.0 if zero else low - room, high + room, start, end)

    def at(self, value: float) -> float:
        """The place of a value."""
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        """Round values along the axis.

        Examples:
            >>> Axis(0, 10, 0, 1).ticks(), Axis(8, 1300, 0, 1, True).ticks()
            ([0.0, 2.0, 4.0, 6.0, 8.0, 10.0], [10.0, 100.0, 1000.0])
        """
        if self.log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            found = [10.0**power for power in powers]
            return found if len(found) > 1 else [self.low * 1.2, self.high / 1.2]
        span = self.high - self.low
        rough = 10 ** math.floor(math.log10(span / _TICKS))
        step = min((rough * m for m in (1, 2, 5, 10)), key=lambda s: abs(span / s - _TICKS))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(float(i * step), 12) for i in range(first, last + 1)]


@dataclass(frozen=True)
class Panel:
    """A pair of axes with their labels."""

    x: Axis
    y: Axis
    label: str
    side: str

    def frame(self) -> list[str]:
        """Grid, ticks and labels."""
        left, right, bottom, top = self.x.start, self.x.end, self.y.start, self.y.end
        out = []
        for value in self.x.ticks():
            at = self.x.at(value)
            out.append(f'<path class="grid" d="M{at} {bottom}V{top}"/>')
            text = number(value, grouped=True)
            out.append(f'<text x="{at}" y="{bottom + 16}" class="mid">{text}</text>')
        for value in self.y.ticks():
            at = self.y.at(value)
            out.append(f'<path class="grid" d="M{left} {at}H{right}"/>')
            text = number(value, grouped=True)
            out.append(f'<text x="{left - 6}" y="{at + 4}" class="end">{text}</text>')
        out.append(f'<path class="axis" d="M{left} {top}V{bottom}H{right}"/>')
        middle = (left + right) / 2
        out.append(f'<text x="{middle}" y="{bottom + 34}" class="mid">{escape(self.label)}</text>')
        out.append(f'<text x="{left - 40}" y="{top - 10}">{escape(self.side)}</text>')
        return out


_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:currentColor}.mid{text-anchor:middle}"
    ".end{text-anchor:end}.grid{stroke:currentColor;opacity:.12}.small{font-size:10px}"
    ".axis{stroke:currentColor;fill:none;opacity:.6}.front{fill:none;stroke:#0072B2;opacity:.5;"
    "stroke-dasharray:4 3}.other{fill:#0072B2}.first{fill:#D55E00}.less{fill:none;stroke:#888}"
    ".bar{fill:#0072B2}.rack{fill:none;stroke:currentColor}.used{fill:#0072B2;opacity:.35}"
    ".cable{stroke:#D55E00;opacity:.45}.line{fill:none;stroke-width:1.6}"
)


def svg_page(width: float, height: float, parts: Sequence[str], title: str) -> bytes:
    """A whole picture, with its title for those who cannot see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img"'
        f' aria-label="{escape(title)}"><style>{_STYLE}</style>{"".join(parts)}</svg>'
    ).encode()
