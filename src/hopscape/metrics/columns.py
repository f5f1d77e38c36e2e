"""Columns of comparison tables: one name, one explanation, one computation each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.metrics.bisection import Bisection, bisection
from hopscape.metrics.cost import moore_diameter, moore_mean_distance
from hopscape.metrics.distances import DistanceProfile, distance_profile
from hopscape.metrics.load import channel_load
from hopscape.metrics.structure import (
    degree_statistics,
    edge_connectivity,
    girth,
    node_connectivity,
    vertex_transitive,
)

__all__ = ["COLUMNS", "DEFAULT_COLUMNS", "Column", "Subject", "measure_columns"]

_LOAD_ORDER = 2500
_STARTS, _QUICK_STARTS = 20, 2


@dataclass(frozen=True)
class Column:
    """One figure about a network.

    Attributes
    ----------
    name : str
        In files and options.
    title : str
        Above a table.
    explanation : str
        One line.
    measure : callable
        Takes a :class:`Subject`, returns a Measured.
    """

    name: str
    title: str
    explanation: str
    measure: Callable[[Subject], Measured[Any]]


class Subject:
    """A network under comparison, with what several columns share computed once.

    Attributes
    ----------
    network : Network
    exact : bool
        Compute everything in full, closed forms or not.
    quick : bool
        Rather a bound at once than a proof.
    conditions : object
        What a column depends on besides the network (a floor plan, costs); None for the usual.
    """

    def __init__(
        self,
        network: Network,
        exact: bool = False,
        conditions: Any = None,
        *,
        quick: bool = False,
    ) -> None:
        self.network = network
        self.exact = exact
        self.quick = quick
        self.conditions = conditions
        self._profile: DistanceProfile | None = None
        self._shared: dict[str, Any] = {}

    def share(self, name: str, compute: Callable[[], Any]) -> Any:
        """Something that several columns need, computed by the first of them."""
        if name not in self._shared:
            self._shared[name] = compute()
        return self._shared[name]

    def fact(self, name: str) -> Any:
        """A closed form, unless everything is to be computed."""
        return None if self.exact else getattr(self.network.facts, name)

    @property
    def profile(self) -> DistanceProfile:
        if self._profile is None:
            self._profile = distance_profile(self.network, exact=self.exact)
        return self._profile

    @property
    def degree(self) -> int:
        return degree_statistics(self.network).maximum


def _nodes(it: Subject) -> Measured[int]:
    return Measured(it.network.order, "closed form")


def _links(it: Subject) -> Measured[int]:
    how = "closed form" if it.network.facts.links is not None else "exact"
    return Measured(it.network.links, how)  # type: ignore[arg-type]


def _degree(it: Subject) -> Measured[int]:
    statistics = degree_statistics(it.network)
    return Measured(statistics.maximum, statistics.how)  # type: ignore[arg-type]


def _diameter(it: Subject) -> Measured[int | None]:
    known = it.fact("diameter")
    if known is not None:
        return Measured(known, "closed form")
    if it.fact("connected") is False:
        return Measured(None, "closed form", "not connected")
    note = "lower bound" if it.profile.how == "sampled" else ""
    return Measured(it.profile.diameter, it.profile.how, note)


def _mean(it: Subject) -> Measured[Fraction | None]:
    known = it.fact("mean_distance")
    if known is not None:
        return Measured(known, "closed form")
    if it.fact("connected") is False:
        return Measured(None, "closed form", "not connected")
    return Measured(it.profile.mean, it.profile.how)


def _moore_mean(it: Subject) -> Measured[Fraction | None]:
    directed = not it.network.duplex
    return Measured(
        moore_mean_distance(it.network.order, it.degree, directed=directed), "closed form"
    )


def _mean_gap(it: Subject) -> Measured[float | None]:
    mean, best = _mean(it), _moore_mean(it).value
    if mean.value is None or not best:
        return Measured(None, "unknown")
    return Measured(round(float(mean.value / best) - 1, 6), mean.how)


def _moore_diameter(it: Subject) -> Measured[int | None]:
    directed = not it.network.duplex
    return Measured(moore_diameter(it.network.order, it.degree, directed=directed), "closed form")


def _cost(it: Subject) -> Measured[int | None]:
    far = _diameter(it)
    value = None if far.value is None else it.degree * far.value
    return Measured(value, far.how, far.note)


def _cut(it: Subject) -> Bisection:
    starts = _QUICK_STARTS if it.quick else _STARTS
    found: Bisection = it.share(
        "bisection",
        lambda: bisection(it.network, exact=it.exact, starts=starts, prove=not it.quick),
    )
    return found


def _bisection(it: Subject) -> Measured[int | None]:
    found = _cut(it)
    note = "" if found.value is not None else f"from {found.lower} to {found.upper}"
    return Measured(found.upper, found.how, note)


def _bisection_bound(it: Subject) -> Measured[int]:
    found = _cut(it)
    return Measured(found.lower, found.how if found.value is not None else "bound")


def _channel_load(it: Subject) -> Measured[float | None]:
    if it.network.order > _LOAD_ORDER and not it.exact:
        return Measured(None, "unknown", f"not computed beyond {_LOAD_ORDER} nodes; --exact does")
    if not it.profile.connected:
        return Measured(None, "exact", "not connected")
    found = channel_load(it.network)
    return Measured(round(found.largest, 6), found.how)


COLUMNS: Mapping[str, Column] = {
    column.name: column
    for column in (
        Column("nodes", "nodes", "number of nodes, switches included", _nodes),
        Column("degree", "degree", "most channels that leave a node", _degree),
        Column("links", "links", "a duplex link once, a simplex channel once", _links),
        Column("diameter", "diameter", "largest distance between two nodes, in hops", _diameter),
        Column(
            "mean_distance",
            "mean dist.",
            "mean distance over ordered pairs of distinct nodes",
            _mean,
        ),
        Column(
            "moore_mean",
            "Moore mean",
            "least mean distance that this order and degree allow (Moore bound)",
            _moore_mean,
        ),
        Column("mean_gap", "gap", "mean distance over the Moore bound, less 1", _mean_gap),
        Column(
            "moore_diameter",
            "Moore diam.",
            "least diameter that this order and degree allow (Moore bound)",
            _moore_diameter,
        ),
        Column("cost", "deg × diam", "degree times diameter, the classic figure of cost", _cost),
        Column(
            "bisection",
            "bisection",
            "fewest links between two halves of the endpoints (an upper bound unless proved)",
            _bisection,
        ),
        Column(
            "bisection_bound",
            "bis. bound",
            "links that every two halves of the endpoints have between them at least",
            _bisection_bound,
        ),
        Column(
            "girth",
            "girth",
            "length of a shortest cycle",
            lambda it: girth(it.network, exact=it.exact),
        ),
        Column(
            "node_connectivity",
            "node conn.",
            "nodes that must fail to part two others",
            lambda it: node_connectivity(it.network, exact=it.exact),
        ),
        Column(
            "edge_connectivity",
            "edge conn.",
            "links that must fail to part the network",
            lambda it: edge_connectivity(it.network, exact=it.exact),
        ),
        Column(
            "vertex_transitive",
            "transitive",
            "does every node look like every other?",
            lambda it: vertex_transitive(it.network),
        ),
        Column(
            "channel_load",
            "max load",
            "load of the busiest channel when every node sends 1 evenly to all others",
            _channel_load,
        ),
    )
}

DEFAULT_COLUMNS = (
    "nodes",
    "degree",
    "links",
    "diameter",
    "mean_distance",
    "moore_mean",
    "mean_gap",
    "cost",
    "bisection",
    "node_connectivity",
    "girth",
    "vertex_transitive",
)


def measure_columns(
    network: Network | Subject,
    names: Iterable[str] = DEFAULT_COLUMNS,
    *,
    exact: bool = False,
    columns: Mapping[str, Column] = COLUMNS,
) -> dict[str, Measured[Any]]:
    """Measure some figures of a network, those that are too large left unknown.

    Parameters
    ----------
    network : Network or Subject
        A subject keeps what its columns share for the next call.
    names : iterable of str
        Names of columns.
    exact : bool
        Compute everything in full, closed forms or not.
    columns : mapping
        The columns that there are.

    Examples
    --------
    >>> import hopscape
    >>> found = measure_columns(hopscape.build("petersen"), ["diameter", "girth"])
    >>> {name: (m.value, m.how) for name, m in found.items()}
    {'diameter': (2, 'closed form'), 'girth': (5, 'closed form')}
    """
    subject = network if isinstance(network, Subject) else Subject(network, exact)
    out: dict[str, Measured[Any]] = {}
    for name in names:
        if name not in columns:
            raise ArgumentError(f"column {name!r} is unknown; there are {', '.join(columns)}")
        try:
            out[name] = columns[name].measure(subject)
        except TooLargeError as error:
            out[name] = Measured(None, "unknown", str(error))
    return out
