"""Random graphs by seed: regular ones, lifts of any network, Xpander."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, ListedFamily, Parameter, integers
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.requirement import Requirement

__all__ = ["RandomLift", "RandomRegular", "Xpander"]

_SEEDS = range(4)
_SMALL = 2000  # nodes up to which four seeds are worth their measuring
_SEED = Parameter("seed", "int", "which one", low=0, high=2**63 - 1, default=0)
_LINK_BYTES = 40  # both ends, ports and pairing while the links are made


class RandomRegular(ListedFamily):
    """A random simple graph in which all nodes have the same degree, by seed.

    Pairing with repair; for a degree above half of the nodes, the complement of one.
    """

    name = "random_regular"
    summary = "random simple graph with all degrees equal, by seed"
    parameters = (*integers(n="number of nodes", degree=("links per node", 0)), _SEED)
    example = "random_regular(20, 3)"

    def __init__(self, n: int, degree: int, seed: int = 0) -> None:
        if degree >= n:
            raise ArgumentError(f"degree is {degree}; with {n} nodes it must be below {n}")
        if n * degree % 2:
            raise ArgumentError(
                f"n · degree is {n} · {degree}, which is odd; every link has two ends, so one of"
                " them must be even"
            )
        need = _LINK_BYTES * n * max(degree, 1) // 2
        require_memory(need, f"a random graph of {n} nodes, degree {degree}")
        self.n, self.degree, self.seed = n, degree, seed

    @property
    def order(self) -> int:
        return self.n

    @property
    def ports(self) -> int:
        return self.degree

    def links(self) -> tuple[IntArray, IntArray]:
        from hopscape.families.classic.random_kernels import regular_links

        if 2 * self.degree <= self.n:
            links: tuple[IntArray, IntArray] = regular_links(self.n, self.degree, self.seed)
            return links
        joined = np.zeros((self.n, self.n), dtype=bool)
        joined[regular_links(self.n, self.n - 1 - self.degree, self.seed)] = True
        tails, heads = np.nonzero(np.triu(~joined, 1))
        return tails, heads

    def facts(self) -> Facts:
        return Facts.regular(self.order, self.degree)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """The nearest size by a few seeds; with one port less where all ports would be odd."""
        seeds = _SEEDS[
            : 4 if requirement.nodes <= _SMALL else 2 if requirement.nodes <= 2 * _SMALL else 1
        ]
        for degree in (requirement.ports, requirement.ports - 1):
            step = 1 + degree % 2
            sizes = [n for n in requirement.sizes(step) if 3 <= degree < n][:1]
            yield from (cls(n, degree, seed).spec for n in sizes for seed in seeds)
            if sizes:
                return


class RandomLift(ListedFamily):
    """k copies of a network's nodes, each of its links turned into a random matching of copies.

    Address (node, copy). Degrees stay; a lift of a bipartite network is bipartite.
    """

    name = "random_lift"
    summary = "random k-lift of a network: k copies of its nodes, its links matched at random"
    parameters = (
        Parameter("base", "network", "what is lifted"),
        *integers(k="copies of each node"),
        _SEED,
    )
    example = "random_lift(petersen, 4)"

    def __init__(self, base: Network, k: int, seed: int = 0) -> None:
        self.base, self.k, self.seed = base, k, seed
        self.duplex = base.duplex
        require_memory(_LINK_BYTES * base.links * k, f"a {k}-fold lift of {base.spec}")

    @property
    def order(self) -> int:
        return self.base.order * self.k

    @property
    def ports(self) -> int:
        return int(self.base.degrees.max(initial=0))

    @property
    def addresses(self) -> Addresses:
        return MixedRadix((self.base.order, self.k))

    @cached_property
    def _once(self) -> IntArray:
        """A channel of each link of the base."""
        channels = np.arange(len(self.base.heads))
        return channels if not self.base.duplex else channels[channels < self.base.reverse]

    def links(self) -> tuple[IntArray, IntArray]:
        from hopscape.families.classic.random_kernels import lifted_links

        ends = (side[self._once].astype(np.int64) for side in (self.base.tails, self.base.heads))
        links: tuple[IntArray, IntArray] = lifted_links(*ends, self.k, self.seed)
        return links

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """Those of the base: every link is as the one below it."""
        return self.base.classes

    def link_kinds(self) -> IntArray | None:
        return np.repeat(self.base.class_of(self._once), self.k)

    def facts(self) -> Facts:
        return Facts(links=self.base.links * self.k, channels=self.base.channels * self.k)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        return iter(())


class Xpander(ListedFamily):
    """A random lift of the complete graph on d + 1 vertices: an expander laid out in d + 1 pods.

    Between any two pods runs one bundle of k links. (A. Valadarsky, G. Shahaf, M. Dinitz,
    M. Schapira. "Xpander: towards optimal-performance datacenters." CoNEXT 2016.)
    """

    name = "xpander"
    summary = "Xpander: d + 1 pods of k nodes, a random matching between any two pods"
    parameters = (*integers(degree="links per node", k="nodes of a pod"), _SEED)
    example = "xpander(4, 6)"

    def __init__(self, degree: int, k: int, seed: int = 0) -> None:
        self.degree, self.k, self.seed = degree, k, seed
        need = _LINK_BYTES * self.order * degree // 2
        require_memory(need, f"xpander({degree}, {k}) with {self.order} nodes")

    @property
    def order(self) -> int:
        return (self.degree + 1) * self.k

    @property
    def ports(self) -> int:
        return self.degree

    @property
    def addresses(self) -> Addresses:
        return MixedRadix((self.degree + 1, self.k))

    def links(self) -> tuple[IntArray, IntArray]:
        from hopscape.families.classic.random_kernels import lifted_links

        pods = np.triu_indices(self.degree + 1, 1)
        links: tuple[IntArray, IntArray] = lifted_links(pods[0], pods[1], self.k, self.seed)
        return links

    def facts(self) -> Facts:
        return Facts.regular(self.order, self.degree)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        if requirement.ports >= 3:
            sizes = requirement.sizes(requirement.ports + 1)[:1]
            yield from (cls(requirement.ports, n // (requirement.ports + 1)).spec for n in sizes)
