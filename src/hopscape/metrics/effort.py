"""What a measurement will cost, before it is made.

A :class:`Job` is something that columns need and that takes time and memory: the wiring, the
distances, a cut. Its effort is counted (nodes, channels, levels of a breadth-first search) or tried
on a small part; ``benchmarks/estimates.py`` holds it against the clock.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable

import numpy as np

from hopscape.core.addresses import node_dtype
from hopscape.core.network import Network
from hopscape.metrics.evaluation import Effort, Evaluation, Job

__all__ = [
    "CUT",
    "CYCLES",
    "EDGE_FLOWS",
    "GROUP",
    "LOADS",
    "NODE_FLOWS",
    "PROFILE",
    "SHAPE",
    "WIRING",
    "block_bytes",
    "channels_of",
    "clocked",
    "router_rate",
    "sweep_seconds",
    "threads",
]

_NS = 1e-9
_TRIED_NODES = 4096
_TRIED_FLOWS = 12
_TRIED_SOURCES = 24
_SEARCHED = 16  # sources from which distances are searched one by one


def threads() -> int:
    """Processors that the kernels of all-pairs distances use."""
    return os.cpu_count() or 1


def clocked(work: Callable[[], object]) -> float:
    """Seconds of processor time that something takes."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def channels_of(network: Network) -> int:
    """Channels, or the most that there can be."""
    known = network.facts.channels
    return known if known is not None else network.order * network.ports


# -- wiring and distances -------------------------------------------------------------------------


def _wiring(evaluation: Evaluation) -> Effort:
    net = evaluation.network
    if net.materialised:
        return Effort(0.0)
    count = min(net.order, _TRIED_NODES)
    nodes = np.arange(count, dtype=node_dtype(net.order))
    seconds: float = evaluation.share(
        "wiring rate", lambda: clocked(lambda: net.neighbours(nodes)) / count
    )
    return Effort(seconds * net.order + 5 * _NS * channels_of(net), net.memory_estimate())


def _search(net: Network, levels: int | None = None) -> float:
    """Seconds of one breadth-first search."""
    steps = net.order + channels_of(net)
    spread = 12 * _NS if steps < 10**6 else 30 * _NS  # beyond the caches
    return steps * spread + 2e-5 * (levels or 10)


def _sources(evaluation: Evaluation) -> int:
    """Nodes from which distances are searched."""
    symmetry = None if evaluation.exact else evaluation.network.symmetry
    return evaluation.network.order if symmetry is None else len(symmetry.representatives)


def sweep_seconds(evaluation: Evaluation, sources: int) -> float:
    """Seconds of all distances from so many nodes, bit-parallel or one by one."""
    net, levels = evaluation.network, evaluation.levels
    if sources < _SEARCHED or (sources <= 200 and net.order <= 50_000):
        return sources * _search(net, levels)
    words = 16
    while words > 1 and (32 * words >= sources or 16 * words * net.order > 64_000_000):
        words //= 2
    batches = math.ceil(sources / (64 * words))
    step = (2.0 + 0.75 * words) * _NS * (1 if net.order < 200_000 else 2)
    return batches * (levels + 1) * (net.order + channels_of(net)) * step / threads()


def _profile(evaluation: Evaluation) -> Effort:
    net, sources = evaluation.network, _sources(evaluation)
    if not evaluation.exact and net.order**2 * max(net.ports, 1) > 10**12 and net.symmetry is None:
        sources = 1024
    return Effort(sweep_seconds(evaluation, sources), max(20 * net.order * threads(), 32_000_000))


WIRING = Job("wiring", "the wiring", _wiring, lambda evaluation: evaluation.network.heads)
SHAPE = Job(
    "shape",
    "a breadth-first search",
    lambda evaluation: Effort(_search(evaluation.network), 12 * evaluation.network.order),
    lambda evaluation: evaluation.shape,
)
PROFILE = Job("profile", "the distances", _profile)


# -- structure ------------------------------------------------------------------------------------


def _cycles(evaluation: Evaluation) -> Effort:
    """Tried from some nodes, which all share what the first one found."""
    from hopscape.metrics.girth_kernels import girth

    net = evaluation.network
    if not net.materialised:
        return Effort(0.0)
    symmetry = None if evaluation.exact else net.symmetry
    sources = np.arange(net.order) if symmetry is None else np.asarray(symmetry.representatives)
    arrays = net.indptr, net.heads, net.reverse
    best = girth(*arrays, sources[:1].astype(np.int64), 2 * net.order + 2)
    some = sources[:: max(1, len(sources) // _TRIED_SOURCES)][:_TRIED_SOURCES].astype(np.int64)
    fixed = clocked(lambda: girth(*arrays, some[:1], best))
    each = max(0.0, clocked(lambda: girth(*arrays, some, best)) - fixed) / max(1, len(some) - 1)
    return Effort(fixed + each * len(sources), 20 * net.order)


def _flows(evaluation: Evaluation, *, nodes: bool) -> Effort:
    """Some of the flows are tried."""
    from hopscape.metrics import connectivity_kernels as pairs_of
    from hopscape.metrics import flow_kernels as flows

    net = evaluation.network
    if not net.materialised:
        return Effort(0.0)
    csr = net.indptr, net.heads
    symmetry = None if evaluation.exact else net.symmetry
    transitive = symmetry is not None and symmetry.transitive
    if nodes:
        best = pairs_of.node_connectivity_bound(*csr)
        pairs = pairs_of.node_connectivity_pairs(*csr, net.duplex, transitive)
    else:
        best = pairs_of.edge_connectivity_bound(*csr)
        pairs = pairs_of.edge_connectivity_pairs(net.order, net.duplex)
    if not len(pairs):
        return Effort(0.0)
    residual = flows.residual_network(*csr, nodes)
    some = pairs[:: max(1, len(pairs) // _TRIED_FLOWS)][:_TRIED_FLOWS]
    flows.least_flow(residual, some[:1], best)
    fixed = clocked(lambda: flows.least_flow(residual, some[:0], best))
    each = max(0.0, clocked(lambda: flows.least_flow(residual, some, best)) - fixed) / len(some)
    return Effort(each * len(pairs) + fixed * (len(pairs) // 256 + 1), 60 * channels_of(net))


def _cut(evaluation: Evaluation) -> Effort:
    net = evaluation.network
    steps, levels = net.order + channels_of(net), evaluation.levels
    search = evaluation.starts * 280 * _NS * steps
    if net.order <= 500:
        spectrum = _NS * net.order**3
    else:  # steps of Lanczos grow with the depth of the network
        each = (net.order * 20 * 1.2 + 2 * channels_of(net)) * _NS
        spectrum = (400 + 0.15 * levels**2) * each if net.order <= 200_000 else 0.0
    return Effort(search + min(spectrum, 20.0), 60 * steps + 40 * 8 * net.order)


CYCLES = Job("cycles", "the shortest cycle", _cycles)
NODE_FLOWS = Job(
    "node flows", "the node connectivity", lambda evaluation: _flows(evaluation, nodes=True)
)
EDGE_FLOWS = Job(
    "edge flows", "the edge connectivity", lambda evaluation: _flows(evaluation, nodes=False)
)
CUT = Job("bisection", "the bisection", _cut)


def _group(evaluation: Evaluation) -> Effort:
    """The automorphisms, unless degrees differ or nobody asks beyond 5000 nodes."""
    net = evaluation.network
    if not net.materialised or net.order > 5000 or int(np.ptp(net.degrees)):
        return Effort(0.0)
    steps = net.order + channels_of(net)
    return Effort(4e-6 * steps, 400 * steps)


GROUP = Job("group", "the automorphisms", _group)


def router_rate(evaluation: Evaluation) -> float:
    """Seconds in which the network's router tells one next port, tried on some pairs."""

    def rate() -> float:
        from hopscape.metrics.routes import closed_router

        router = closed_router(evaluation.network)
        if router is None:
            return 0.0
        count = min(_TRIED_NODES, evaluation.network.order**2)
        some = np.random.default_rng(0).integers(0, evaluation.network.order, size=(2, count))
        router.next_ports(*some)
        return clocked(lambda: router.next_ports(*some)) / count

    steps: float = evaluation.share("router rate", rate)
    return steps


def _loads(evaluation: Evaluation) -> Effort:
    """One next port and one addition for every pair; beyond 30 million, the ways of a tenth."""
    net = evaluation.network
    if not net.materialised:
        return Effort(0.0)
    degree = channels_of(net) / max(1, net.order)
    hop = (1.2 * router_rate(evaluation) or 60 * _NS * degree) + 60 * _NS
    pairs = net.order**2
    if pairs <= 30_000_000:
        return Effort(pairs * hop, 3 * pairs + block_bytes(net))
    hops = 3_000_000 * max(1, evaluation.levels) // 2
    return Effort(hops * 2 * hop, 3_000_000 * 60 + block_bytes(net))


def block_bytes(net: Network) -> int:
    """Bytes in which a block of a million pairs is asked about."""
    return min(1 << 20, net.order**2) * (80 + 30 * net.ports)


LOADS = Job("loads", "the loads of the channels", _loads)
