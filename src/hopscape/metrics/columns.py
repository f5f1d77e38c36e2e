"""Columns of comparison tables: one name, one explanation, one computation each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from hopscape.core.distances import distances_to
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.metrics.bisection import Bisection, bisection
from hopscape.metrics.cost import moore_diameter, moore_mean_distance
from hopscape.metrics.effort import (
    CUT,
    CYCLES,
    EDGE_FLOWS,
    GROUP,
    LOADS,
    NODE_FLOWS,
    PROFILE,
    SHAPE,
    WIRING,
)
from hopscape.metrics.evaluation import Column, Evaluation
from hopscape.metrics.structure import (
    edge_connectivity,
    girth,
    node_connectivity,
    vertex_transitive,
)

__all__ = [
    "COLUMNS",
    "NETWORK_COLUMNS",
    "Column",
    "Evaluation",
    "diameter",
    "mean_distance",
    "measure_columns",
    "radius",
]

_DISTANCES = (WIRING, SHAPE, PROFILE)


def _sample(name: str) -> Callable[[Evaluation], Measured[Any] | None]:
    """A function of the room of samples, which is rarely entered."""

    def find(evaluation: Evaluation) -> Measured[Any] | None:
        from hopscape.metrics import samples

        sample: Measured[Any] | None = getattr(samples, name)(evaluation)
        return sample

    return find


# -- size -----------------------------------------------------------------------------------------


def _nodes(evaluation: Evaluation) -> Measured[int]:
    return Measured(evaluation.network.order, "closed form")


def _links(evaluation: Evaluation) -> Measured[int]:
    return Measured(evaluation.network.count_links(), "exact")


def _degree(evaluation: Evaluation) -> Measured[int]:
    return Measured(int(evaluation.network.degrees.max()), "exact")


def _degree_min(evaluation: Evaluation) -> Measured[int]:
    return Measured(int(evaluation.network.degrees.min()), "exact")


# -- distances ------------------------------------------------------------------------------------


def _connected(evaluation: Evaluation) -> Measured[bool]:
    """One search; and one backwards where channels are simplex."""
    whole = sum(evaluation.shape.layers) == evaluation.network.order
    if whole and not evaluation.network.duplex:
        whole = bool((distances_to(evaluation.network, 0) >= 0).all())
    return Measured(whole, "exact")


def _from_profile(evaluation: Evaluation, value: Any, bound: str = "") -> Measured[Any]:
    """A figure of the distances; from a sample it is a bound, low or high, or an estimate."""
    profile = evaluation.profile
    if not profile.connected:
        return Measured(None, profile.how, "not connected")
    if profile.how != "sampled":
        return Measured(value, profile.how)
    known = {bound: value} if bound else {}
    return Measured(value, "sampled", f"from {profile.sources} sources", **known)


def _diameter(evaluation: Evaluation) -> Measured[int | None]:
    return _from_profile(evaluation, evaluation.profile.diameter, "low")


def _radius(evaluation: Evaluation) -> Measured[int | None]:
    return _from_profile(evaluation, evaluation.profile.radius, "high")


def _mean(evaluation: Evaluation) -> Measured[Fraction | None]:
    return _from_profile(evaluation, evaluation.profile.mean)


# -- bounds in the style of Moore -----------------------------------------------------------------


def _moore(evaluation: Evaluation, bound: Any) -> Measured[Any]:
    degree = evaluation.figure("degree")
    if degree.value is None or not degree.exact:
        return Measured(None, "unknown", degree.note or "the degree is not known")
    value = bound(evaluation.network.order, degree.value, directed=not evaluation.network.duplex)
    return Measured(value, "closed form")


def _moore_mean(evaluation: Evaluation) -> Measured[Fraction | None]:
    return _moore(evaluation, moore_mean_distance)


def _mean_gap(evaluation: Evaluation) -> Measured[float | None]:
    mean, best = evaluation.figure("mean_distance"), evaluation.figure("moore_mean")
    if mean.value is None or not best.value:
        return Measured(None, "unknown", mean.note or best.note)
    return mean.mapped(lambda x: round(float(x / best.value) - 1, 6))


def _moore_diameter(evaluation: Evaluation) -> Measured[int | None]:
    return _moore(evaluation, moore_diameter)


def _cost(evaluation: Evaluation) -> Measured[int | None]:
    hops, degree = evaluation.figure("diameter"), evaluation.figure("degree")
    if hops.value is None or degree.value is None:
        return Measured(None, "unknown", hops.note or degree.note)
    if degree.exact:
        return hops.mapped(lambda x: degree.value * x)
    lows = None if degree.low is None or hops.low is None else degree.low * hops.low
    highs = None if degree.high is None or hops.high is None else degree.high * hops.high
    return Measured(degree.value * hops.value, degree.how, degree.note, lows, highs)


# -- cuts and loads -------------------------------------------------------------------------------


def _cut(evaluation: Evaluation) -> Bisection:
    cut: Bisection = evaluation.share(
        "bisection",
        lambda: bisection(
            evaluation.network,
            exact=evaluation.exact,
            starts=evaluation.starts,
            prove=not evaluation.quick,
        ),
    )
    return cut


def _bisection(evaluation: Evaluation) -> Measured[int | None]:
    cut = _cut(evaluation)
    note = "" if cut.value is not None else f"from {cut.lower} to {cut.upper}"
    return Measured(cut.upper, cut.how, note, cut.lower, cut.upper)


def _bisection_bound(evaluation: Evaluation) -> Measured[int]:
    cut = _cut(evaluation)
    return Measured(cut.lower, cut.how, "", cut.lower, cut.upper)


def _channel_load(evaluation: Evaluation) -> Measured[float | None]:
    from hopscape.metrics.load import channel_load

    if evaluation.figure("connected").value is False:
        return Measured(None, "exact", "not connected")
    load = channel_load(evaluation.network)
    return Measured(round(load.largest, 6), load.how)


HOPS = ("distances count hops", "delay", "length")
"""What figures of distances leave aside."""
_COUNTED = ("links are counted", "capacity")
LOADS_ASIDE = ("loads are counted in flits", "capacity")
"""What figures of loads leave aside."""

NETWORK_COLUMNS = (
    Column("nodes", "nodes", "number of nodes, switches included", _nodes, unit="nodes", stage=1,
           places={"compare": 1, "python": 1}),
    Column("degree", "degree", "most channels that leave a node", _degree, fact="degree_max",
           needs=(WIRING,), otherwise=_sample("some_degrees"), better="less", stage=1,
           places={"compare": 2, "python": 3}),
    Column("degree_min", "least degree", "fewest channels that leave a node", _degree_min,
           fact="degree_min", needs=(WIRING,), stage=1),
    Column("links", "links", "a duplex link once, a simplex channel once", _links, fact="links",
           needs=(WIRING,), otherwise=_sample("some_links"), unit="links", better="less", stage=1,
           places={"compare": 3, "design": 3, "which": 3, "refused": 3, "python": 2}, priority=6),
    Column("connected", "connected", "is there a path between any two nodes?", _connected,
           fact="connected", needs=(WIRING, SHAPE)),
    Column("diameter", "diameter", "largest distance between two nodes, in hops", _diameter,
           fact="diameter", needs=_DISTANCES, otherwise=_sample("some_diameter"), unit="hops",
           better="less", stage=1, places={"compare": 4, "python": 4},
           aside=HOPS),
    Column("radius", "radius", "distance to the farthest node from a node where it is least",
           _radius, fact="radius", needs=_DISTANCES, unit="hops", better="less", aside=HOPS),
    Column("mean_distance", "mean dist.", "mean distance over ordered pairs of distinct nodes",
           _mean, fact="mean_distance", needs=_DISTANCES, otherwise=_sample("some_mean"),
           unit="hops", better="less", stage=1, places={"compare": 5, "python": 5},
           aside=HOPS),
    Column("moore_mean", "Moore mean",
           "least mean distance that this order and degree allow (Moore bound)", _moore_mean,
           unit="hops", stage=1, places={"compare": 6}),
    Column("mean_gap", "gap", "mean distance over the Moore bound, less 1", _mean_gap,
           unit="share", better="less", stage=1, places={"compare": 7, "design": 6}, priority=14,
           aside=HOPS),
    Column("moore_diameter", "Moore diam.",
           "least diameter that this order and degree allow (Moore bound)", _moore_diameter,
           unit="hops", stage=1),
    Column("cost", "deg × diam", "degree times diameter, the classic figure of cost", _cost,
           better="less", places={"compare": 8}, aside=HOPS),
    Column("bisection", "bisection",
           "fewest links between two halves of the endpoints (an upper bound unless proved)",
           _bisection, fact="bisection", needs=(WIRING, SHAPE, CUT), unit="links", better="more",
           stage=3, places={"compare": 9, "python": 6},
           aside=_COUNTED),
    Column("bisection_bound", "bis. bound",
           "links that every two halves of the endpoints have between them at least",
           _bisection_bound, fact="bisection", needs=(WIRING, SHAPE, CUT), unit="links", stage=3,
           aside=_COUNTED),
    Column("girth", "girth", "length of a shortest cycle",
           lambda evaluation: girth(evaluation.network, exact=evaluation.exact), fact="girth",
           needs=(WIRING, CYCLES), otherwise=_sample("local_girth"), unit="hops", better="more",
           places={"compare": 11, "python": 7},
           aside=HOPS),
    Column("node_connectivity", "node conn.", "nodes that must fail to part two others",
           lambda evaluation: node_connectivity(evaluation.network, exact=evaluation.exact),
           fact="node_connectivity", needs=(WIRING, NODE_FLOWS), otherwise=_sample("least_degree"),
           unit="nodes", better="more", stage=3, places={"compare": 10}),
    Column("edge_connectivity", "edge conn.", "links that must fail to part the network",
           lambda evaluation: edge_connectivity(evaluation.network, exact=evaluation.exact),
           fact="edge_connectivity", needs=(WIRING, EDGE_FLOWS), otherwise=_sample("least_degree"),
           unit="links", better="more", aside=_COUNTED),
    Column("vertex_transitive", "transitive", "does every node look like every other?",
           lambda evaluation: vertex_transitive(evaluation.network, exact=evaluation.exact),
           fact="vertex_transitive", needs=(WIRING, GROUP), stage=3, places={"compare": 12}),
    Column("channel_load", "max load",
           "load of the busiest channel when every node sends 1 evenly to all others",
           _channel_load, needs=(WIRING, SHAPE, LOADS), unit="flits/cycle", better="less",
           aside=LOADS_ASIDE),
)  # fmt: skip

COLUMNS: Mapping[str, Column] = {column.name: column for column in NETWORK_COLUMNS}


def measure_columns(
    network: Network | Evaluation,
    names: Iterable[str],
    *,
    exact: bool = False,
    columns: Mapping[str, Column] | None = None,
) -> dict[str, Measured[Any]]:
    """Measure some figures of a network, those that are too large left unknown.

    Args:
        network: An evaluation keeps what its columns share for the next call.
        names: Names of columns.
        exact: Compute everything in full, closed forms or not.
        columns: The columns that there are; those of the evaluation, or :data:`COLUMNS`, when left
            out.

    Examples:
        >>> import hopscape
        >>> found = measure_columns(hopscape.build("petersen"), ["diameter", "girth"])
        >>> {name: (m.value, m.how) for name, m in found.items()}
        {'diameter': (2, 'closed form'), 'girth': (5, 'closed form')}
    """
    if isinstance(network, Evaluation):
        evaluation = network
        evaluation.columns = evaluation.columns if columns is None else columns
    else:
        evaluation = Evaluation(network, exact, columns=COLUMNS if columns is None else columns)
    return {name: evaluation.figure(name) for name in names}


def diameter(network: Network, *, exact: bool = False) -> Measured[int | None]:
    """The largest distance; None when some pair has no path.

    Args:
        exact: Compute it in full, even when a formula or the symmetry gives it.
    """
    return Evaluation(network, exact, columns=COLUMNS).figure("diameter")


def radius(network: Network, *, exact: bool = False) -> Measured[int | None]:
    """The least eccentricity; None when some pair has no path."""
    return Evaluation(network, exact, columns=COLUMNS).figure("radius")


def mean_distance(network: Network, *, exact: bool = False) -> Measured[Fraction | None]:
    """Mean over ordered pairs of distinct nodes; None when some pair has no path."""
    return Evaluation(network, exact, columns=COLUMNS).figure("mean_distance")
