"""A job: everything that decides one simulation, as plain values that can be sent and kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hopscape.core.addresses import MixedRadix
from hopscape.core.compile_ahead import compile_ahead
from hopscape.core.errors import ArgumentError
from hopscape.registry import build, spec_files
from hopscape.simulate.fabric import Setup, build_setup
from hopscape.simulate.faults import plan_epochs, read_faults
from hopscape.simulate.settings import Settings, channel_delays
from hopscape.simulate.traffic import (
    Traffic,
    make_traffic,
    read_matrix,
    read_trace,
    worst_permutation,
)
from hopscape.store import file_digest
from hopscape.store.records import digest

__all__ = ["Job", "traffic_for"]

_TRAFFIC_FILES = (".csv", ".trace")
_POINT = ("spec", "traffic", "load", "latency_limit")


@dataclass(frozen=True)
class Job:
    """Everything that decides one point: what is needed to run it again.

    Attributes:
        router: {'auto', 'closed', 'table', 'updown'} or one of the family's own
        unsafe: Simulate even where the routing may deadlock.
        fail_links, fail_nodes: Faults, as :func:`hopscape.simulate.faults.read_faults` takes them.
        fault_routing: {'family', 'tables'}
        link_delays (tuple of (str, int)): Cycles of classes of links
            (:func:`hopscape.simulate.settings.link_classes`); all others take the delay of the
            settings.

    Examples:
        >>> from hopscape.simulate import Settings
        >>> job = Job("ring(8)", "tornado", 0.2, Settings(vcs=2))
        >>> job.setup().network.spec, job.certificate()["deadlock_free"]
        ('ring(8)', True)
    """

    spec: str
    traffic: str
    load: float
    settings: Settings
    router: str = "auto"
    seed: int = 0
    warmup: int | None = None
    cycles: int = 10_000
    unsafe: bool = False
    on_off: tuple[float, float] | None = None
    latency_limit: float | None = None
    fail_links: tuple[str, ...] = ()
    fail_nodes: tuple[str, ...] = ()
    fault_routing: str = "family"
    link_delays: tuple[tuple[str, int], ...] = ()

    def setup(self) -> Setup:
        """The network, ready to run (kept for the next job like it)."""
        contents = tuple(file_digest(path) for path in spec_files(self.spec))
        return _build(
            self.spec, self.settings, self.router, self.unsafe, self.link_delays, contents
        )

    def pattern(self) -> Traffic:
        """Who sends to whom, in bursts if the job says so."""
        traffic = traffic_for(self.setup(), self.traffic, self.seed)
        return traffic if self.on_off is None else traffic.bursty(*self.on_off)

    @property
    def has_faults(self) -> bool:
        """Do links or nodes fail?"""
        return bool(self.fail_links or self.fail_nodes)

    def certificate(self) -> dict[str, Any]:
        """What is known about deadlock on the network."""
        proof = self.setup().certificate
        return {
            "deadlock_free": proof.deadlock_free,
            "classes": proof.classes,
            "method": proof.method,
            "words": proof.words(),
        }

    def epochs(self) -> list[dict[str, Any]]:
        """The network after each fault: where its routes come from, and their certificate."""
        setup = self.setup()
        faults = read_faults(setup.network, self.fail_links, self.fail_nodes)
        return [e.to_dict() for e in plan_epochs(setup, faults, self.fault_routing)]

    def configuration(self) -> dict[str, Any]:
        """What all points of a curve share, as plain values."""
        return {name: value for name, value in self.to_dict().items() if name not in _POINT}

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a file."""
        out = dict(self.__dict__)
        out["settings"] = self.settings.to_dict()
        return out

    @property
    def key(self) -> str:
        """A digest of all that the point depends on, the content of files too."""
        files = spec_files(self.spec)
        if self.traffic.endswith(_TRAFFIC_FILES):
            files = [*files, self.traffic]
        return digest("simulate", self.to_dict(), files)


@lru_cache(maxsize=4)
def _build(
    spec: str,
    settings: Settings,
    router: str,
    unsafe: bool,
    delays: tuple[tuple[str, int], ...],
    contents: tuple[str, ...],
) -> Setup:
    """Kept by all that decides it; the contents of files change without a change of their names."""
    network = build(spec)
    chosen = None if router == "auto" else network.router(router)
    links = channel_delays(network, settings.link_delay, delays)
    compile_ahead("simulate", network.order)
    return build_setup(network, settings, chosen, unsafe=unsafe, link_delays=links)


def traffic_for(setup: Setup, text: str, seed: int) -> Traffic:
    """A traffic by name or file (``.csv``: a matrix, ``.trace``: packets)."""
    count = setup.endpoints
    if text.endswith(".csv"):
        return read_matrix(text, count)
    if text.endswith(".trace"):
        return read_trace(text, count)
    if text == "worst" and setup.chosen is not None:
        raise ArgumentError(f"the worst permutation of {setup.chosen.router} routes is not known")
    if text == "worst":
        return worst_permutation(setup.network, setup.table, setup.home)
    addresses = setup.network.addresses
    sides = addresses.sides if isinstance(addresses, MixedRadix) else None
    return make_traffic(text, count, sides, seed)
