"""What a measurement will cost, before it is made.

A :class:`MeasurementJob` is something that columns need and that takes time and memory: the wiring,
the distances, a cut. Its effort is counted in elementary steps from nodes, channels and the levels
of a breadth-first search, never tried by the clock: which figures are measured does not depend on
the machine or on what else it does. ``benchmarks/estimates.py`` holds the steps against the clock;
the factors below are nanoseconds per node, channel or pair that it found.
"""

from __future__ import annotations

import math
import os

import numpy as np

from hopscape.core.network import Network
from hopscape.metrics.evaluation import Effort, Evaluation, MeasurementJob

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
    "route_steps",
    "sweep_steps",
    "threads",
]

_SEARCHED = 16  # sources from which distances are searched one by one
_USUAL_THREADS = 2  # of the all-pairs kernels: fewer than most machines have
_WIRE = 100  # to name a channel by the family's formula and to put it into the arrays
_NEXT_PORT = 300  # of a closed router: most take 30 to 500
_FLOW_STEP = 6  # of a search for an augmenting path, for every node and channel
_CYCLE_STEP = 12  # of a search for a cycle, for every node and channel that it sees


def threads() -> int:
    """Processors that the kernels of all-pairs distances use."""
    return os.cpu_count() or 1


def channels_of(network: Network) -> int:
    """Channels, or the most that there can be."""
    known = network.facts.channels
    return known if known is not None else network.order * network.ports


# -- wiring and distances -------------------------------------------------------------------------


def _wiring(evaluation: Evaluation) -> Effort:
    net = evaluation.network
    if net.materialised:
        return Effort(0.0)
    return Effort(_WIRE * (net.order + channels_of(net)), net.memory_estimate())


def _search(net: Network, levels: int | None = None) -> float:
    """Steps of one breadth-first search."""
    seen = net.order + channels_of(net)
    spread = 12 if seen < 10**6 else 30  # beyond the caches
    return seen * spread + 20_000 * (levels or 10)


def _sources(evaluation: Evaluation) -> int:
    """Nodes from which distances are searched."""
    symmetry = None if evaluation.exact else evaluation.network.symmetry
    return evaluation.network.order if symmetry is None else len(symmetry.representatives)


def sweep_steps(evaluation: Evaluation, sources: int) -> float:
    """Steps of all distances from so many nodes, bit-parallel or one by one."""
    net, levels = evaluation.network, evaluation.levels
    if sources < _SEARCHED or (sources <= 200 and net.order <= 50_000):
        return sources * _search(net, levels)
    words = 16
    while words > 1 and (32 * words >= sources or 16 * words * net.order > 64_000_000):
        words //= 2
    batches = math.ceil(sources / (64 * words))
    step = (2.0 + 0.75 * words) * (1 if net.order < 200_000 else 2)
    return batches * (levels + 1) * (net.order + channels_of(net)) * step / _USUAL_THREADS


def _profile(evaluation: Evaluation) -> Effort:
    net, sources = evaluation.network, _sources(evaluation)
    if not evaluation.exact and net.order**2 * max(net.ports, 1) > 10**12 and net.symmetry is None:
        sources = 1024
    return Effort(sweep_steps(evaluation, sources), max(20 * net.order * threads(), 32_000_000))


WIRING = MeasurementJob(
    "wiring", "the wiring", _wiring, lambda evaluation: evaluation.network.heads
)
SHAPE = MeasurementJob(
    "shape",
    "a breadth-first search",
    lambda evaluation: Effort(_search(evaluation.network), 12 * evaluation.network.order),
    lambda evaluation: evaluation.shape,
)
PROFILE = MeasurementJob("profile", "the distances", _profile)


# -- structure ------------------------------------------------------------------------------------


def _cycles(evaluation: Evaluation) -> Effort:
    """From every node a search as far as half the cycle that the first one found."""
    from hopscape.metrics.girth_kernels import girth

    net = evaluation.network
    if not net.materialised:
        return Effort(0.0)
    symmetry = None if evaluation.exact else net.symmetry
    first = np.zeros(1, dtype=np.int64)
    sources = net.order if symmetry is None else len(symmetry.representatives)
    best = girth(net.indptr, net.heads, net.reverse, first, 2 * net.order + 2)
    seen = evaluation.shape.ball(best / 2) * (1 + channels_of(net) / net.order)
    return Effort(_search(net) + _CYCLE_STEP * seen * sources, 20 * net.order)


def _flows(evaluation: Evaluation, *, nodes: bool) -> Effort:
    """A flow for every pair of nodes that is tried, each a search for every path and one more."""
    from hopscape.metrics import connectivity_kernels as pairs_of

    net = evaluation.network
    if not net.materialised:
        return Effort(0.0)
    csr = net.indptr, net.heads
    symmetry = None if evaluation.exact else net.symmetry
    transitive = symmetry is not None and symmetry.transitive
    if nodes:
        paths = pairs_of.node_connectivity_bound(*csr)
        pairs = pairs_of.node_connectivity_pairs(*csr, net.duplex, transitive)
    else:
        paths = pairs_of.edge_connectivity_bound(*csr)
        pairs = pairs_of.edge_connectivity_pairs(net.order, net.duplex)
    search = _FLOW_STEP * (net.order + channels_of(net))
    return Effort(len(pairs) * (paths + 1) * search, 60 * channels_of(net))


def _cut(evaluation: Evaluation) -> Effort:
    net = evaluation.network
    steps, levels = net.order + channels_of(net), evaluation.levels
    search = evaluation.starts * 280 * steps
    if net.order <= 500:
        spectrum = float(net.order**3)
    else:  # steps of Lanczos grow with the depth of the network
        each = net.order * 20 * 1.2 + 2 * channels_of(net)
        spectrum = (400 + 0.15 * levels**2) * each if net.order <= 200_000 else 0.0
    return Effort(search + min(spectrum, 20e9), 60 * steps + 40 * 8 * net.order)


CYCLES = MeasurementJob("cycles", "the shortest cycle", _cycles)
NODE_FLOWS = MeasurementJob(
    "node flows", "the node connectivity", lambda evaluation: _flows(evaluation, nodes=True)
)
EDGE_FLOWS = MeasurementJob(
    "edge flows", "the edge connectivity", lambda evaluation: _flows(evaluation, nodes=False)
)
CUT = MeasurementJob("bisection", "the bisection", _cut)


def _group(evaluation: Evaluation) -> Effort:
    """The automorphisms, unless degrees differ or nobody asks beyond 5000 nodes."""
    net = evaluation.network
    if not net.materialised or net.order > 5000 or int(np.ptp(net.degrees)):
        return Effort(0.0)
    steps = net.order + channels_of(net)
    return Effort(4_000 * steps, 400 * steps)


GROUP = MeasurementJob("group", "the automorphisms", _group)


def route_steps(evaluation: Evaluation) -> float:
    """Steps in which the network's closed router tells one next port; 0 where it has none."""
    from hopscape.metrics.routes import closed_router

    steps: float = evaluation.share(
        "route steps", lambda: 0.0 if closed_router(evaluation.network) is None else _NEXT_PORT
    )
    return steps


def _loads(evaluation: Evaluation) -> Effort:
    """One next port and one addition for every pair; beyond 30 million, the routes of a tenth."""
    net = evaluation.network
    if not net.materialised:
        return Effort(0.0)
    degree = channels_of(net) / max(1, net.order)
    hop = (1.2 * route_steps(evaluation) or 60 * degree) + 60
    pairs = net.order**2
    if pairs <= 30_000_000:
        return Effort(pairs * hop, 3 * pairs + block_bytes(net))
    hops = 3_000_000 * max(1, evaluation.levels) // 2
    return Effort(hops * 2 * hop, 3_000_000 * 60 + block_bytes(net))


def block_bytes(net: Network) -> int:
    """Bytes in which a block of a million pairs is asked about."""
    return min(1 << 20, net.order**2) * (80 + 30 * net.ports)


LOADS = MeasurementJob("loads", "the loads of the channels", _loads)
