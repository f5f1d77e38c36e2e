"""What people ask a network for first, as properties and methods.

The work is done by the rooms above, which stand behind the methods
(:mod:`hopscape.core.methods`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self, cast

import numpy as np

from hopscape.core.errors import AddressError, ArgumentError, HopscapeError, TooLargeError
from hopscape.core.methods import method
from hopscape.core.numbers import number
from hopscape.core.tables import MANY_ROWS, Records, Table
from hopscape.core.wired import NodeLike, Wired

__all__ = ["Curve", "Front", "Picture"]

_SHOWN = 400
"""Nodes up to which a notebook draws a network by itself."""


class Picture:
    """A drawing: shows itself in a notebook, and can be saved.

    Attributes:
        figure: matplotlib.figure.Figure
    """

    def __init__(self, figure: Any) -> None:
        self.figure = figure

    def _repr_svg_(self) -> str:
        import io

        text = io.StringIO()
        self.figure.savefig(text, format="svg")
        return text.getvalue()

    def __repr__(self) -> str:
        width, height = self.figure.get_size_inches()
        return f"<Picture of {width:.1f} × {height:.1f} inches; save(path) writes it>"

    def save(self, path: str | Path) -> None:
        """Write it; the ending says the format (svg, png or pdf)."""
        self.figure.savefig(path)


_CURVE = ("offered", "accepted", "latency", "p99", "saturated", "deadlocked")


class Curve(Records):
    """Points of load and latency: rows, and a picture in a notebook."""

    def _table(self, most: int = MANY_ROWS) -> Table:
        """What a person looks for; ``rows``, ``to_dict`` and ``to_frame`` have all columns."""
        few = [{key: row[key] for key in _CURVE if key in row} for row in self.rows]
        return Records(few, self.title)._table(most)

    def draw(self, path: str | Path) -> None:
        """Draw latency and accepted load over offered load into a file (svg, png or pdf)."""
        method("draw_curves")(self.rows, path, title=self.title)

    def _repr_svg_(self) -> str:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "curve.svg"
            self.draw(place)
            return place.read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        view = method("curve_view")(self.rows, self.title)
        return f"{view}{super()._repr_html_()}"


class Front(Wired):
    """The everyday questions about a network."""

    # -- nodes and links ----------------------------------------------------------------------

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.order))

    def __contains__(self, node: object) -> bool:
        try:
            self.node(cast("NodeLike", node))
        except AddressError:
            return False
        return True

    @property
    def nodes(self) -> range:
        """The node numbers 0..n-1."""
        return range(self.order)

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The two ends of each link: a duplex link once, a simplex channel as (tail, head).

        Examples:
            >>> import hopscape as hs
            >>> hs.build("ring(4)").edges
            [(0, 1), (0, 3), (1, 2), (2, 3)]
        """
        channel = np.arange(len(self.heads))
        once = (self.reverse < 0) | (channel <= self.reverse)
        return list(zip(self.tails[once].tolist(), self.heads[once].tolist()))

    @property
    def degree(self) -> int:
        """The largest number of channels that leave a node; :attr:`degrees` has those of all."""
        degree = self.facts.degree_max
        return int(self.degrees.max(initial=0)) if degree is None else degree

    def neighbors(self, node: NodeLike) -> tuple[int, ...]:
        """Whom a node is linked to, in order of ports; parallel links count.

        :meth:`neighbours` takes arrays, and gives -1 where a port is not wired.

        Examples:
            >>> import hopscape as hs
            >>> hs.build("mesh(3, 3)").neighbors((0, 0))
            (3, 1)
        """
        return tuple(v for v in self.neighbours(self.node(node)) if v >= 0)

    def without(
        self, nodes: Iterable[NodeLike] = (), links: Iterable[tuple[NodeLike, NodeLike]] = ()
    ) -> Self:
        """What is left when nodes and links are taken away; all else keeps its name.

        The rest is numbered anew from 0. A link is taken with all that run beside it, both ways.

        Raises:
            ArgumentError: When there is no such node or link, or no node is left.

        Examples:
            >>> import hopscape as hs
            >>> broken = hs.build("torus(3, 3)").without(nodes=[(1, 1)], links=[(0, 1)])
            >>> broken.order, broken.links, broken.diameter, broken.address(4)
            (8, 13, 3, (1, 2))
        """
        return cast("Self", method("without")(self, nodes, links))

    def is_isomorphic(self, other: Any) -> bool:
        """Is it the other network (or spec, or graph) with its nodes renumbered?

        Examples:
            >>> import hopscape as hs
            >>> hs.build("torus(4, 4)").is_isomorphic("hypercube(4)")
            True
        """
        return cast("bool", method("is_isomorphic")(self, method("build")(other)))

    # -- figures ------------------------------------------------------------------------------

    @property
    def diameter(self) -> int | float:
        """The largest distance; infinite when some pair of nodes is not connected.

        From the family's closed form where there is one, computed otherwise
        (:func:`hopscape.metrics.diameter` also says how it is known).

        Examples:
            >>> import hopscape as hs
            >>> hs.build("torus(8, 8)").diameter, hs.build([(0, 1), (2, 3)]).diameter
            (8, inf)
        """
        value = self._known("diameter")
        return math.inf if value is None else int(value)

    @property
    def mean_distance(self) -> float:
        """Mean distance over ordered pairs of distinct nodes; infinite when not connected.

        Examples:
            >>> import hopscape as hs
            >>> round(hs.build("petersen").mean_distance, 4)
            1.6667
        """
        value = self._known("mean_distance")
        return math.inf if value is None else float(value)

    @property
    def girth(self) -> int | float:
        """Length of the shortest cycle; infinite when there is none.

        Examples:
            >>> import hopscape as hs
            >>> hs.build("petersen").girth
            5
        """
        value = self._known("girth")
        return math.inf if value is None else int(value)

    @property
    def bisection(self) -> int:
        """Fewest links that cut the network into two equal halves, where this can be proved.

        Raises:
            TooLargeError: When only bounds are known (:func:`hopscape.metrics.bisection`).

        Examples:
            >>> import hopscape as hs
            >>> hs.build("torus(8, 8)").bisection
            16
        """
        figure = method("bisection")(self)
        if figure.value is None:
            raise TooLargeError(
                f"bisection of {self.spec} is not proved: it lies between {figure.lower} and"
                f" {figure.upper} (hopscape.metrics.bisection has the bounds)"
            )
        return int(figure.value)

    def _known(self, name: str) -> Any:
        figure = method(name)(self)
        if figure.value is None and figure.how == "unknown":
            raise TooLargeError(f"{name} of {self.spec}: {figure.note}")
        return figure.value

    def histogram(self) -> list[int]:
        """Ordered pairs of nodes at distance 0, 1, 2, ...

        Examples:
            >>> import hopscape as hs
            >>> hs.build("petersen").histogram()
            [10, 30, 60]
        """
        return [int(x) for x in method("distance_profile")(self).histogram]

    def summary(self) -> dict[str, Any]:
        """Size, degree, distances and symmetry, and how each is known, as ``hopscape show``."""
        return cast("dict[str, Any]", method("summary")(self))

    # -- other libraries ----------------------------------------------------------------------

    def to_networkx(self) -> Any:
        """As a networkx graph (:func:`hopscape.formats.graphs.to_networkx`).

        Examples:
            >>> import hopscape as hs
            >>> hs.build("petersen").to_networkx().number_of_edges()
            15
        """
        return method("to_networkx")(self)

    def to_igraph(self) -> Any:
        """As an igraph graph; needs the package igraph."""
        return method("to_igraph")(self)

    def to_scipy(self) -> Any:
        """The adjacency matrix as a scipy sparse array."""
        return method("to_scipy")(self)

    # -- judging ------------------------------------------------------------------------------

    def draw(self, path: str | Path | None = None, **options: Any) -> Picture | None:
        """Draw it: into a file (svg, png or pdf), or as a picture for a notebook.

        Args:
            **options: As for :func:`hopscape.show.draw.make_figure`: ``labels``, ``size``,
                ``dark``.
        """
        if path is not None:
            method("draw")(self, path, **options)
            return None
        return Picture(method("make_figure")(self, **options))

    def explore(self, path: str | Path, **parts: Any) -> str:
        """Write a page to turn, break and play with, as ``hopscape explore SPEC -o FILE``.

        Args:
            **parts: What the page shows, as for :func:`hopscape.show.explore.payload`.

        Returns:
            The path of the page.
        """
        return cast("str", method("explore")(self, path, **parts))

    def compare(
        self,
        *others: Any,
        columns: Sequence[str] | None = None,
        exact: bool = False,
        seconds: float | None = None,
    ) -> Records:
        """Put it beside other networks, one row for each.

        Args:
            *others: Network, or what :func:`hopscape.build` takes
            columns: Names of columns (``hopscape explain`` lists them); the usual ones when left
                out.
            exact: No samples and no quick bounds, however long it takes.
            seconds: Time limit; 60 when left out, and none with `exact`.

        Examples:
            >>> import hopscape as hs
            >>> net = hs.build("torus(4, 4)")
            >>> net.compare("hypercube(4)", columns=["degree", "diameter"])
            network       degree  diameter
            torus(4, 4)        4         4
            hypercube(4)       4         4
        """
        options = {"columns": columns, "exact": exact, "seconds": seconds}
        return Records(method("compare")(self, *others, **options))

    def simulate(
        self,
        loads: float | Sequence[float] = (0.1, 0.3, 0.5, 0.7),
        *,
        traffic: str = "uniform",
        cycles: int = 10_000,
        seed: int = 0,
        **settings: Any,
    ) -> Curve:
        """Simulate load and latency flit by flit.

        Args:
            loads: Flits per endpoint and cycle.
            **settings: Of the routers, as for :class:`hopscape.simulate.Settings`: ``vcs``,
                ``buffer``, ...

        Examples:
            >>> import hopscape as hs
            >>> curve = hs.build("mesh(3, 3)").simulate([0.1, 0.2], cycles=500)
            >>> [row["offered"] for row in curve]
            [0.1, 0.2]
        """
        if self.family is None:
            raise ArgumentError(
                f"{self.spec} is known to this session only; write it with hopscape export or"
                " interchange.write_network and build it from the file to simulate it"
            )
        wanted = [float(loads)] if isinstance(loads, int | float) else [float(x) for x in loads]
        rows = method("simulate")(self, wanted, traffic, cycles=cycles, seed=seed, **settings)
        return Curve(rows, f"{self.spec}: {traffic} traffic")

    # -- collectives: the schedules that the commands find ------------------------------------

    def broadcast(self, root: NodeLike | None = None, **options: Any) -> Any:
        """The best :class:`~hopscape.Schedule` that brings one node's data to all.

        Args:
            root: The first endpoint when left out.
            **options: ``bytes="1MB"`` for the shortest time, ``algorithm="tree"`` for one by name
                (``hopscape broadcast SPEC --algorithm list`` prints them), ``chunks``, ``sources``,
                ``groups``, ``dead``, ``dead_links``, ``time_limit``; rules of a round: ``ports=1``,
                ``duplex="half"``, ``switching="circuit"``, ...; costs: ``alpha``, ...

        Examples:
            >>> import hopscape as hs
            >>> plan = hs.build("hypercube(4)").broadcast(ports=1)
            >>> plan.rounds, bool(hs.verify(plan))
            (4, True)
        """
        return method("broadcast")(self, root, **options)

    def multicast(
        self, targets: Sequence[NodeLike], root: NodeLike | None = None, **options: Any
    ) -> Any:
        """The best schedule of one node's data to some; options as of :meth:`broadcast`."""
        return method("multicast")(self, targets, root, **options)

    def reduce(self, root: NodeLike | None = None, **options: Any) -> Any:
        """The best schedule that adds all shares up at one node; as :meth:`broadcast`."""
        return method("reduce")(self, root, **options)

    def scatter(self, root: NodeLike | None = None, **options: Any) -> Any:
        """The best schedule from one node to each its own; as :meth:`broadcast`."""
        return method("scatter")(self, root, **options)

    def gather(self, root: NodeLike | None = None, **options: Any) -> Any:
        """The best schedule from each its own to one node; as :meth:`broadcast`."""
        return method("gather")(self, root, **options)

    def all_gather(self, **options: Any) -> Any:
        """The best schedule of everybody's data to everybody; options as of :meth:`broadcast`.

        Examples:
            >>> import hopscape as hs
            >>> hs.build("torus(8, 8)").all_gather().rounds
            16
        """
        return method("all_gather")(self, **options)

    def reduce_scatter(self, **options: Any) -> Any:
        """The best schedule that adds all shares up, a part at each; as :meth:`broadcast`."""
        return method("reduce_scatter")(self, **options)

    def all_reduce(self, **options: Any) -> Any:
        """The best schedule that adds all shares up everywhere; options as of :meth:`broadcast`.

        ``sliced=True`` asks for a chunk per endpoint.
        """
        return method("all_reduce")(self, **options)

    def all_to_all(self, **options: Any) -> Any:
        """The best schedule from each to each its own; options as of :meth:`broadcast`."""
        return method("all_to_all")(self, **options)

    def permute(self, targets: Sequence[NodeLike] | str, **options: Any) -> Any:
        """The best schedule of the j-th endpoint's datum to ``targets[j]``, each node once.

        Args:
            targets: A list of nodes, a file of them, or ``random:SEED``; other options as of
                :meth:`broadcast`.
        """
        return method("permute")(self, targets, **options)

    def proof(self, kind: str = "distances", **options: Any) -> Any:
        """A :class:`~hopscape.proofs.Proof` of one of its figures, accepted by the checker.

        Args:
            kind: ``distances``, ``bisection``, ``throughput``, ``deadlock-freedom``, or
                ``circulant``: no other generators have a smaller diameter.
            **options: Of deadlock freedom: ``router``, ``method``, ``most``.

        Examples:
            >>> import hopscape as hs
            >>> hs.build("hypercube(3)").proof("bisection").verdict
            'bisection between 4 and 4'
        """
        return method("prove")(self, kind, **options)

    # -- equality and notebooks -----------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Front) or (self.spec, self.order) != (other.spec, other.order):
            return False
        return self._described(other) or self._same_wiring(other)

    def __hash__(self) -> int:
        return hash((self.spec, self.order))

    def _described(self, other: Front) -> bool:
        """Do the specs alone say that both are the same (no file is behind them)?"""
        return all(net.family is not None and net.family.described for net in (self, other))

    def _same_wiring(self, other: Front) -> bool:
        if self.order > 10**7:
            return False
        mine, theirs = self.addresses, other.addresses
        few, every = range(min(self.order, 1000)), np.arange(len(self.heads))
        return (
            self.duplex == other.duplex
            and self.indptr.tolist() == other.indptr.tolist()
            and self.heads.tolist() == other.heads.tolist()
            and self.classes == other.classes
            and bool((self.class_of(every) == other.class_of(every)).all())
            and [mine.text(v) for v in few] == [theirs.text(v) for v in few]
        )

    def _repr_html_(self) -> str:
        from html import escape

        rows = {"nodes": f"{self.order:,}"}
        try:
            rows |= {"links": f"{self.links:,}", "diameter": str(self.diameter)}
            rows["mean distance"] = number(self.mean_distance)
        except HopscapeError:  # too large to be measured: the size is what there is
            pass
        cells = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>"
                        for k, v in rows.items())  # fmt: skip
        picture = self._repr_svg_() or ""
        picture = picture[picture.find("<svg") :] if picture else ""
        explorer = method("embed_network")(self) if self.order else ""
        return f"<p><b>{escape(self.spec)}</b></p><table>{cells}</table>{picture}{explorer}"

    def _repr_svg_(self) -> str | None:
        if self.order > _SHOWN:
            return None
        picture = self.draw()
        return None if picture is None else picture._repr_svg_()
