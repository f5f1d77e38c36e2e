"""Load of the channels when traffic follows a router: what limits throughput.

W. J. Dally and B. Towles, Principles and Practices of Interconnection Networks (2004), ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.channels import only_names
from hopscape.core.errors import ArgumentError
from hopscape.core.measured import How
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.core.router import Router

__all__ = ["ChannelLoad", "ClassLoad", "channel_load", "switch_load"]

_BATCH = 1 << 18  # pairs that are walked at once: their routes fit into memory
_FULL_PAIRS = 30_000_000  # pairs up to which all are counted; beyond, some targets of each source
_FEW = 200  # nodes beyond which a table is worth its making
_MOST_PORTS = 254  # ports of such a table are bytes


@dataclass(frozen=True)
class ClassLoad:
    """Loads of the channels of one kind.

    Attributes:
        speed: What a channel of this kind carries in a unit of time.
        throughput: What every endpoint can send before a channel of this kind is full: speed /
            largest.
    """

    name: str
    reach: str
    speed: float
    channels: int
    largest: float
    mean: float
    throughput: float


@dataclass(frozen=True)
class ChannelLoad:
    """Load of every channel when each endpoint sends one unit per unit of time.

    Attributes:
        loads: float64[channels]
        throughput: The most that every endpoint can send when a channel carries one unit: 1 /
            largest; where channels are of several kinds, the least of what their speeds allow.
        hops: Mean number of hops of the traffic.
        how: {'exact', 'symmetry', 'sampled'}
        classes: By kind of channel, where the network has kinds.
    """

    loads: Floats
    largest: float
    mean: float
    throughput: float
    hops: float
    how: How
    classes: tuple[ClassLoad, ...] = ()


def channel_load(
    network: Network,
    router: Router | None = None,
    traffic: Literal["uniform"] | IntArray = "uniform",
    *,
    seed: int = 0,
) -> ChannelLoad:
    """Add up what a router puts on every channel.

    Args:
        router: The network's own when left out.
        traffic ('uniform' or array (endpoints × endpoints)): Entry (i, j): share of the i-th
            endpoint's traffic that goes to the j-th; rows usually add up to 1. Uniform sends evenly
            to all other endpoints.
        seed: Uniform traffic among more than 30 million pairs is sampled with this seed.

    Examples:
        >>> import hopscape
        >>> round(channel_load(hopscape.build("ring(8)")).largest, 4)
        1.4286
    """
    routing = router if router is not None else network.router()
    ends = network.endpoints.astype(np.int64)
    count = len(ends)
    loads = np.zeros(len(network.heads))
    if count < 2 or not len(loads):
        return ChannelLoad(loads, 0.0, 0.0, float("inf"), 0.0, "exact")
    known = (
        routing.uniform_loads(seed) if isinstance(traffic, str) and traffic == "uniform" else None
    )
    if known is not None:
        return _summary(network, known[0], float(count), known[1])
    how: How = "exact"
    if _by_table(routing, traffic, count):
        from hopscape.metrics.routes import routes_by

        loads, total = routes_by(network, routing, ends).loads / (count - 1), float(count)
    else:
        sources, targets, weights, how = _flows(ends, traffic, seed)
        total = float(weights.sum())
        for low in track(range(0, len(sources), _BATCH), f"channel loads of {network.spec}"):
            part = slice(low, low + _BATCH)
            _follow(routing, sources[part], targets[part], weights[part], loads)
    return _summary(network, loads, total, how)


def switch_load(
    network: Network,
    router: Router,
    *,
    lines: bool = False,
    weights: Floats | None = None,
) -> float:
    """Load of the busiest channel between switches when every endpoint sends 1 evenly.

    One endpoint of every switch stands for all of them: they share their routes.

    Args:
        lines: Look at the lines of endpoints as well.
        weights (float64[endpoints]): How many endpoints stand in the place of each; one where it
            is left out.

    Examples:
        >>> import hopscape
        >>> tree = hopscape.build("fat_tree(4)")
        >>> round(switch_load(tree, tree.router()), 4)
        0.9333
    """
    ends = network.endpoints.astype(np.int64)
    loads = np.zeros(len(network.heads))
    if len(ends) < 2 or not len(loads):
        return 0.0
    here: Floats = np.ones(len(ends)) if weights is None else weights
    sources, weight = ends, here
    if network.has_switches and bool((network.degrees[ends] == 1).all()):
        owners = network.heads[network.indptr[ends]]
        _, first, which = np.unique(owners, return_index=True, return_inverse=True)
        sources, weight = ends[first], np.bincount(which.ravel(), here).astype(float)
    step, others = max(1, _BATCH // len(ends)), float(here.sum()) - 1
    for low in range(0, len(sources), step):
        some = sources[low : low + step]
        at, to = np.repeat(some, len(ends)), np.tile(ends, len(some))
        share = np.repeat(weight[low : low + step], len(ends)) * np.tile(here, len(some)) / others
        apart = at != to
        _follow(router, at[apart], to[apart], share[apart], loads)
    if not network.has_switches or lines:
        return float((loads / network.capacities()).max())
    switch = np.ones(network.order, dtype=bool)
    switch[ends] = False
    inner = switch[network.tails] & switch[network.heads]
    return float((loads / network.capacities())[inner].max(initial=0.0))


def _summary(network: Network, loads: Floats, total: float, how: How) -> ChannelLoad:
    """The loads with what they allow; `total` is what all endpoints send together."""
    largest = float(loads.max())
    kinds = _by_class(network, loads)
    return ChannelLoad(
        loads=loads,
        largest=largest,
        mean=float(loads.mean()),
        throughput=min((kind.throughput for kind in kinds), default=_rate(1, largest)),
        hops=float(loads.sum()) / total if total else 0.0,
        how=how,
        classes=kinds,
    )


def _rate(speed: float, load: float) -> float:
    return speed / load if load > 0 else float("inf")


def _by_class(network: Network, loads: Floats) -> tuple[ClassLoad, ...]:
    if only_names(network.classes):
        return ()
    kinds = network.class_of(np.arange(len(loads)))
    count = np.bincount(kinds, minlength=len(network.classes))
    total = np.bincount(kinds, weights=loads, minlength=len(network.classes))
    most = np.zeros(len(network.classes))
    np.maximum.at(most, kinds, loads)
    return tuple(
        ClassLoad(
            kind.name, kind.reach, kind.speed, int(count[k]), float(most[k]),
            float(total[k] / count[k]), _rate(kind.speed, float(most[k])),
        )
        for k, kind in enumerate(network.classes)
        if count[k]
    )  # fmt: skip


def _by_table(router: Router, traffic: object, count: int) -> bool:
    """Can uniform traffic be added up destination by destination, each node's next hop asked once?

    So it is for large networks, unless a router's ways depend on where they began.
    """
    usual = isinstance(traffic, str) and traffic == "uniform" and router.chained
    network = router.network
    fits = network.ports <= _MOST_PORTS and network.order * count <= _FULL_PAIRS
    return usual and fits and network.order > _FEW


def _follow(
    router: Router, sources: IntArray, targets: IntArray, weights: Floats, loads: Floats
) -> None:
    """Add what flows between pairs of nodes to the loads of the channels on its way."""
    for share, nodes, ports in router.multipath(sources, targets):
        flow = share * weights
        for hop in range(ports.shape[1]):
            moving = ports[:, hop] >= 0
            used = router.network.channel_at(nodes[moving, hop], ports[moving, hop])
            loads += np.bincount(used, weights=flow[moving], minlength=len(loads))


def _flows(
    ends: IntArray, traffic: Literal["uniform"] | IntArray, seed: int
) -> tuple[IntArray, IntArray, Floats, How]:
    """Pairs of nodes and what flows between them."""
    count = len(ends)
    if isinstance(traffic, str):
        if traffic != "uniform":
            raise ArgumentError(f"traffic {traffic!r} is unknown; give 'uniform' or a matrix")
        pairs = count * (count - 1)
        if pairs <= _FULL_PAIRS:
            first, second = np.nonzero(~np.eye(count, dtype=bool))
            return ends[first], ends[second], np.full(pairs, 1 / (count - 1)), "exact"
        generator = np.random.default_rng(seed)
        first = np.repeat(np.arange(count), max(1, _FULL_PAIRS // (10 * count)))
        second = (first + generator.integers(1, count, size=len(first))) % count
        return ends[first], ends[second], np.full(len(first), count / len(first)), "sampled"
    try:
        matrix = np.asarray(traffic, dtype=float)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"the traffic matrix must hold numbers: {error}") from error
    if matrix.shape != (count, count):
        raise ArgumentError(
            f"the traffic matrix has shape {matrix.shape}; it needs {count} × {count}"
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise ArgumentError("the traffic matrix must hold finite numbers of at least 0")
    first, second = np.nonzero(matrix)
    keep = first != second
    first, second = first[keep], second[keep]
    return ends[first], ends[second], matrix[first, second], "exact"
