"""Can a routing deadlock with so many virtual channels, and how many does it need?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.deadlock.classes import (
    Certificate,
    Classes,
    Method,
    certify,
    find_classes,
    find_source_classes,
    single_class,
)
from hopscape.deadlock.sources import SourceRoutes
from hopscape.deadlock.tables import RoutingTable

__all__ = ["Judgement", "Routing", "judge", "phases", "required_vcs"]

Routing = Literal["fixed", "adaptive", "valiant", "ugal"]
_WORDS = {
    "fixed": "",
    "adaptive": "; adaptive packets may leave for these channels at any node, and keep them",
    "valiant": "; once for each of the two phases",
    "ugal": "; once for each of the two phases",
}
"""What each routing adds to the certificate of its routes."""


def phases(routing: Routing) -> int:
    """How often a packet is routed: twice if by way of another node."""
    return 2 if routing in ("valiant", "ugal") else 1


def required_vcs(routing: Routing, classes: int) -> int:
    """Virtual channels that classes take: once for each phase, and one to roam if adaptive.

    Examples:
        >>> [required_vcs(routing, 2) for routing in ("fixed", "adaptive", "valiant")]
        [2, 3, 4]
    """
    return classes * phases(routing) + (routing == "adaptive")


@dataclass(frozen=True)
class Judgement:
    """Whether a routing can deadlock with so many virtual channels.

    Attributes:
        vcs: Virtual channels that it is judged with.
        needed: With so many it is free of deadlock.
        certificate: Of the classes that it needs.
        judged: The certificate by which it is judged: that one, or the one of a single class.
    """

    network: Network
    router: str
    routing: Routing
    vcs: int
    needed: int
    classes: Classes
    certificate: Certificate
    judged: Certificate

    def __bool__(self) -> bool:
        return self.deadlock_free

    @property
    def deadlock_free(self) -> bool:
        """Certified with these virtual channels?"""
        enough = self.vcs >= self.needed or self.routing == "fixed"
        return self.judged.deadlock_free and enough

    @property
    def least(self) -> str:
        """Is the number of virtual channels proved to be the least?"""
        return self.certificate.least if self.routing == "fixed" else "upper bound"

    @property
    def addition(self) -> str:
        """What the routing adds to the certificate of its routes."""
        return _WORDS[self.routing]

    def words(self) -> str:
        """Why."""
        if self.judged.deadlock_free and not self.deadlock_free:
            return (
                f"{self.routing} routing is certified with {self.needed} virtual channels, not"
                f" with {self.vcs}"
            )
        return self.judged.words()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        whole = self.judged is self.certificate
        return {
            "spec": self.network.spec,
            "router": self.router,
            "routing": self.routing,
            "deadlock_free": self.deadlock_free,
            "vcs": self.needed,
            "least": self.least,
            "at_least": self.certificate.at_least * phases(self.routing),
            "cycle": [list(step) for step in self.judged.cycle] or None,
            "words": self.words(),
            "method": self.classes.method,
            "judged_with": min(self.vcs, self.classes.count) if whole else 1,
            "dependencies": self.judged.dependencies,
            "certificate": self.certificate.words() + self.addition,
        }


def judge(
    network: Network,
    router: Router | None = None,
    *,
    vcs: int = 1,
    method: Method = "auto",
    routing: Routing = "fixed",
) -> Judgement:
    """Can a routing deadlock with so many virtual channels?

    Args:
        router: As in :func:`find_classes`; routes that their sources choose are fixed.
        method: How classes are found, as in :func:`find_classes`.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("ring(8)")
        >>> bool(judge(net)), judge(net).needed, bool(judge(net, vcs=2))
        (False, 2, True)
    """
    if vcs < 1:
        raise ArgumentError(f"vcs is {vcs}; it must be at least 1")
    if routing not in get_args(Routing):
        raise ArgumentError(f"routing is {routing!r}; choose {', '.join(get_args(Routing))}")
    anywhere = routing == "adaptive"
    table: RoutingTable | SourceRoutes
    if router is not None and not router.chained:
        if routing != "fixed":
            raise ArgumentError(f"routing is {routing!r}; {router.name} routes are fixed")
        table, classes, proof = find_source_classes(network, router, method=method)
    else:
        table, classes, proof = find_classes(network, router, method=method, anywhere=anywhere)
    needed = required_vcs(routing, classes.count)
    judged = proof if vcs >= needed else certify(table, single_class(table), anywhere=anywhere)
    return Judgement(network, table.router, routing, vcs, needed, classes, proof, judged)
