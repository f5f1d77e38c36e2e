"""What computations on switches and their channels need to know of a machine."""

from __future__ import annotations

from typing import Protocol

from hopscape.core.arrays import Floats, IntArray

__all__ = ["Channels"]


class Channels(Protocol):
    """Channels by the switch that they leave, as :class:`~hopscape.metrics.throughput.SwitchGraph`.

    Attributes:
        indptr, heads, tails: int64[...]
        speeds: float64[channels]
        ends (int64[switches]): Endpoints at each.
    """

    @property
    def order(self) -> int: ...
    @property
    def indptr(self) -> IntArray: ...
    @property
    def heads(self) -> IntArray: ...
    @property
    def tails(self) -> IntArray: ...
    @property
    def speeds(self) -> Floats: ...
    @property
    def ends(self) -> IntArray: ...
    @property
    def name(self) -> str: ...
