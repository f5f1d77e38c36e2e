"""Expansion of any network by a design: more endpoints on copies of it, same ways between them.

N copies of a network with K terminals; the terminals of each copy are cut into J = K/m parts of m,
and part j of copy i serves the endpoints of block i in the j-th layer of N endpoints. Every two
endpoints then share σ copies (m copies, when they are the same element in different layers), and
inside a copy nothing has changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from hopscape.algebra.designs.existence import existence
from hopscape.algebra.designs.symmetric import Design, check_parameters, make_design
from hopscape.core.arrays import IntArray
from hopscape.core.channels import PLAIN, ChannelClass, with_plain
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError
from hopscape.core.family import ListedFamily, Parameter, integers
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.verdict import Verdict

__all__ = ["DesignExpansion", "check_expansion"]


class DesignExpansion(ListedFamily):
    """Endpoints 0..JN-1, then the N copies one after the other, all of them switches."""

    name = "design_expansion"
    summary = "N copies of a network, their terminals shared out among endpoints by a design"
    parameters = (
        Parameter("network", "network", "the network to expand; its endpoints are terminals"),
        *integers(
            n=("blocks of the design: copies", 3), m=("copies that an endpoint is wired to", 2)
        ),
        Parameter("sigma", "int", "copies that two endpoints share", low=1, default=1),
    )
    example = "design_expansion(ring(6), 7, 3)"
    leaf_endpoints = True

    def __init__(self, network: Network, n: int, m: int, sigma: int = 1) -> None:
        terminals = network.endpoint_count
        if terminals % m:
            raise ArgumentError(
                f"m is {m}; it must divide the {terminals} endpoints of {network.spec}"
            )
        check_parameters(n, m, sigma)
        require_memory(32 * n * m, f"the wiring of {self.name}({network.spec}, {n}, {m}, {sigma})")
        if not existence(n, m, sigma).built:
            make_design(n, m, sigma)  # says why not
        self.network, self.n, self.m, self.sigma = network, n, m, sigma
        self.layers = terminals // m
        self.duplex = network.duplex

    @property
    def served(self) -> int:
        """Number of endpoints."""
        return self.layers * self.n

    @property
    def order(self) -> int:
        return self.served + self.n * self.network.order

    def switches(self) -> range:
        return range(self.served, self.order)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Complete graphs expanded by projective planes: endpoints two hops from a common copy."""
        found: list[tuple[int, str]] = []
        for m in range(3, requirement.ports + 1):
            n = m * (m - 1) + 1
            layers = round(requirement.nodes / n)
            terminals = layers * m
            if layers < 1 or terminals > requirement.ports or not requirement.fits(layers * n):
                continue
            if existence(n, m, 1).built:
                gap = abs(layers * n - requirement.nodes)
                found.append((gap, f"{cls.name}(complete({terminals}), {n}, {m})"))
        yield from (spec for _, spec in sorted(found)[:2])

    @cached_property
    def design(self) -> Design:
        """Which element is in which block."""
        return make_design(self.n, self.m, self.sigma)

    @cached_property
    def _once(self) -> IntArray:
        """A channel of each link of a copy."""
        channels = np.arange(len(self.network.heads))
        return channels if not self.duplex else channels[channels < self.network.reverse]

    @cached_property
    def _wires(self) -> tuple[IntArray, IntArray]:
        base = self.network
        channels = self.n * (base.channels + 2 * base.endpoint_count)
        require_memory(40 * channels, f"the wiring of {self.spec}")
        terminals = base.endpoints.astype(np.int64)
        copy = np.arange(self.n)[:, None, None]
        layer = np.arange(self.layers)[None, :, None]
        place = np.arange(self.m)[None, None, :]
        ends = layer * self.n + self.design.blocks[:, None, :]
        inner = self.served + copy * base.order + terminals[layer * self.m + place]
        ends, inner = np.broadcast_arrays(ends, inner)
        offset = self.served + np.arange(self.n)[:, None] * base.order
        up, down = ends.ravel(), inner.ravel()
        lines = ((up,), (down,)) if base.duplex else ((up, down), (down, up))
        own = base.tails[self._once], base.heads[self._once]
        tails, heads = (
            np.concatenate([*line, (offset + side).ravel()])
            for line, side in zip(lines, own, strict=True)
        )
        return tails, heads

    def links(self) -> tuple[IntArray, IntArray]:
        return self._wires

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """Those of the network; lines of endpoints are plain."""
        return with_plain(self.network.classes)

    def link_kinds(self) -> IntArray | None:
        if not self.network.classes:
            return None
        copies = np.tile(self.network.class_of(self._once), self.n)
        lines = len(self._wires[0]) - len(copies)
        return np.concatenate([np.full(lines, self.channel_classes().index(PLAIN)), copies])


def check_expansion(network: Network, *, sources: int | None = None) -> Verdict:
    """Is what the expansion promises true, measured on the built network?

    Two endpoints are 2 hops farther apart than the nearest pair of their terminals in a shared copy
    (so never more than 2 beyond the diameter of the copy), share σ copies or, for one element in
    two layers, m, and every copy still has its own distances.

    Args:
        network: Built by ``design_expansion``.
        sources: Check from the first so many endpoints only.

    Examples:
        >>> import hopscape
        >>> print(check_expansion(hopscape.build("design_expansion(ring(6), 7, 3)")))
        holds: 196 pairs of endpoints: distances are those of the copies + 2, at most 5
    """
    family = network.family
    if not isinstance(family, DesignExpansion):
        raise ArgumentError(f"{network.spec} is not an expansion by a design")
    base = family.network
    ends = base.endpoints
    raw = distance_rows(base, ends)[:, ends]
    if unreached(raw).any():
        return Verdict(False, f"{base.spec} is not connected")
    inner = raw.astype(np.int64)
    count = family.served if sources is None else min(sources, family.served)
    rows = distance_rows(network, np.arange(count))[:, : family.served].astype(np.int64)
    place = {
        (int(e), i): q for i, block in enumerate(family.design.blocks) for q, e in enumerate(block)
    }
    blocks_of = family.design.blocks_of
    largest = 0
    for a in range(count):
        layer, element = divmod(a, family.n)
        expected = np.full(family.served, np.iinfo(np.int64).max)
        shared = np.zeros(family.served, dtype=np.int64)
        for i in blocks_of[element]:
            start = layer * family.m + place[element, int(i)]
            block = family.design.blocks[i]
            for other in range(family.layers):
                reached = other * family.n + block
                span = inner[start, other * family.m : (other + 1) * family.m] + 2
                expected[reached] = np.minimum(expected[reached], span)
                shared[reached] += 1
        expected[a] = 0
        wanted = np.where(np.arange(family.served) % family.n == element, family.m, family.sigma)
        for what, found, true in (
            ("distance", rows[a], expected),
            ("number of shared copies", shared, wanted),
        ):
            if (found != true).any():
                b = int(np.argmax(found != true))
                text = f"the {what} of {a} and {b} is {found[b]}, not {true[b]}"
                return Verdict(False, text, {"pair": [a, b]})
        largest = max(largest, int(rows[a].max()))
    text = (
        f"{count * family.served} pairs of endpoints: distances are those of the copies + 2,"
        f" at most {largest}"
    )
    return Verdict(True, text, details={"diameter": largest, "inside": int(inner.max())})
