"""Errors that the checks of the claims about circulants must notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hopscape.ledger.claim import PlantedError
from hopscape.ledger.planting import altered, lost_transfer

__all__: list[str] = []

_ROOM = "hopscape.families.circulant"
_PRINTED = "hopscape.papers.circulant.printed"
_LARGEST = "hopscape.papers.circulant.checks_largest"


def _plus(more: int, when: Callable[..., bool] = lambda *_: True) -> Callable[[Any], Any]:
    def broken(right: Any) -> Any:
        return lambda *a, **k: right(*a, **k) + (more if when(*a) else 0)

    return broken


def off_by(name: str, more: int = 1, when: Callable[..., bool] = lambda *_: True) -> PlantedError:
    """A formula of the library shifted."""
    return PlantedError(
        f"{name} off by {more}", f"{_ROOM}.{name.replace('.', ':', 1)}", _plus(more, when)
    )


def print_as(name: str, change: Callable[[Any], Any], error: str = "") -> PlantedError:
    """The printed formula or table changed."""
    return PlantedError(error or f"{name} printed otherwise", f"{_PRINTED}:{name}", change)


def first_changed(row: int = 0) -> Callable[[Any], Any]:
    """One more in the constant of one polynomial."""

    def change(right: Any) -> Any:
        out = list(right)
        out[row] = (out[row][0] + 1, *out[row][1:])
        return tuple(out)

    return change


def _moved_wire(right: Any) -> Any:
    def neighbours(self: Any, nodes: Any) -> Any:
        out = right(self, nodes)
        out[nodes == 2, 0] = (nodes[nodes == 2] + 2) % self.n
        return out

    return neighbours


def _cut_wires(right: Any) -> Any:
    """Steps of the first generator lead where those of the second lead."""

    def neighbours(self: Any, nodes: Any) -> Any:
        out = right(self, nodes)
        if self.ports > 2:
            out[:, :2] = out[:, 2:4]
        return out

    return neighbours


WIRE_MOVED = PlantedError("a wire moved", f"{_ROOM}.wiring:Circulant.neighbours", _moved_wire)
WIRES_CUT = PlantedError(
    "no wires of the first generator", f"{_ROOM}.wiring:Circulant.neighbours", _cut_wires
)


def _other_generators(right: Any) -> Any:
    def wire(self: Any, order: int, generators: Any) -> None:
        right(self, order, [*generators[:-1], generators[-1] - 1 or 2])

    return wire


OTHER_GENERATORS = PlantedError(
    "the last generator one less", f"{_ROOM}.wiring:FixedCirculant._wire", _other_generators
)


def _larger(right: Any) -> Any:
    def wire(self: Any, order: int, generators: Any) -> None:
        right(self, order + 2, generators)

    return wire


TWO_NODES_MORE = PlantedError("two nodes more", f"{_ROOM}.wiring:FixedCirculant._wire", _larger)


def _nothing_found(right: Any) -> Any:
    def scan(nodes: int, count: int, d: int, *more: Any, **k: Any) -> Any:
        found = right(nodes, count, d, *more, **k)
        return found | {"sets": []} if nodes in (21, 55, 104, 111) else found

    return scan


SETS_LOST = PlantedError(
    "the search loses sets", "hopscape.papers.circulant.scanning:scan_slice", _nothing_found
)


def _s3_moved(right: Any) -> Any:
    def numbers(d: int, p: int) -> Any:
        nodes, (s1, s2, s3) = right(d, p)
        return nodes, (s1, s2, s3 + 1)

    return numbers


S3_MOVED = PlantedError("s3 one more", f"{_ROOM}.forms:set_two_parameter", _s3_moved)


def _even_lost(right: Any) -> Any:
    def scan(nodes: int, *more: Any, **k: Any) -> Any:
        found = right(nodes, *more, **k)
        return found if nodes % 2 else found | {"sets": []}

    return scan


EVEN_LOST = PlantedError(
    "sets of even orders lost", "hopscape.papers.circulant.scanning:scan_slice", _even_lost
)
SET_18_CHANGED = print_as(
    "SETS_18", lambda right: (right[0], None, ((6, *right[2][0][1:]), right[2][1]))
)


def even_added(right: Any) -> Any:
    """A set with an even s2 among the extremal ones of d = 3."""

    def sets(nodes: int, d: int) -> Any:
        return (*right(nodes, d), (1, 4, 20)) if (nodes, d) == (55, 3) else right(nodes, d)

    return sets


def double_added(right: Any) -> Any:
    """A set with 2·s2 = s3 among the extremal ones of d = 3."""

    def sets(nodes: int, d: int) -> Any:
        return (*right(nodes, d), (1, 6, 12)) if (nodes, d) == (55, 3) else right(nodes, d)

    return sets


EVEN_ADDED = PlantedError("an extremal set with even s2", f"{_LARGEST}:_ring_sets", even_added)
DOUBLE_ADDED = PlantedError(
    "an extremal set with 2·s2 = s3", f"{_LARGEST}:_ring_sets", double_added
)


NO_MULTIPLIER = PlantedError(
    "no multiplier found", f"{_ROOM}.isomorphism:find_multiplier", lambda _: lambda *_: None
)


def _lemma_shifted(right: Any) -> Any:
    return lambda u, v, a, b: (right(u, v, a, b)[0], right(u, v, a, b)[1] + 1)


LEMMA_SHIFTED = PlantedError(
    "the lemma's place one further", f"{_LARGEST}:largest_between", _lemma_shifted
)


def _longer(right: Any) -> Any:
    def vector(p: int, v: int) -> Any:
        x = right(p, v)
        return (x[0] - (2 * p + 1), x[1] + 1, x[2]) if v == 20 else x

    return vector


LONGER_VECTOR = print_as("printed_vector", _longer, "a longer vector to one node")
WRONG_DISTANCE = print_as(
    "printed_distance",
    lambda right: lambda p, v: right(p, v) + (v == 20),
    "one distance one more",
)


def _less(name: str, error: str, change: Callable[[Any], Any]) -> PlantedError:
    """The broadcast's rule at a node broken."""
    return PlantedError(error, f"{_ROOM}.collectives:{name}", change)


def _no_turn(right: Any) -> Any:
    return lambda port, counters, form, **k: [
        (to, after) for to, after in right(port, counters, form, **k) if to != 5
    ]


LIMITED = _less(
    "_pass_on",
    "the printed rule with the limit U <= p",
    lambda right: lambda port, counters, form, **_: right(port, counters, form, limit_u=True),
)
PORT_LOST = _less("_pass_on", "nothing is sent on by port 5", _no_turn)


_late = altered(lambda made: {"round": made.round + 1, "rounds": None})
"""One round more for all transfers: what a slower broadcast would do."""

ROUND_LATE = _less("node_local_broadcast", "everything one round late", _late)


LAST_LOST = _less("node_local_broadcast", "the last transfer is missing", lost_transfer)
TREE_LAST_LOST = _less("broadcast", "the last transfer is missing", lost_transfer)


def _from_zero(right: Any) -> Any:
    """Right from node 0 only: other roots lose their last transfer."""

    def run(network: Any, root: int, *a: Any, **k: Any) -> Any:
        return (lost_transfer(right) if root else right)(network, root, *a, **k)

    return run


OTHER_ROOTS = _less("node_local_broadcast", "roots other than 0 lose a node", _from_zero)


def _silent(right: Any) -> Any:
    def forward(self: Any, node: Any, vector: Any) -> Any:
        return right(self, node, vector)[:-1]

    return forward


SILENT_NODE = PlantedError(
    "nodes keep one copy to themselves", f"{_ROOM}.forwarding:ForwardingRule.forward", _silent
)


def _through(right: Any) -> Any:
    def route(self: Any, a: Any, b: Any, **k: Any) -> Any:
        found = right(self, a, b, **k)
        return replace(found, path=(found.path[0], 3, *found.path[1:])) if b == 8 else found

    return route


THROUGH_DEAD = PlantedError(
    "ways through a dead node", f"{_ROOM}.faults:FaultRouter.route", _through
)
GIVES_UP = PlantedError(
    "a message given up",
    f"{_ROOM}.faults:FaultRouter.route",
    lambda right: (
        lambda self, a, b, **k: replace(right(self, a, b, **k), delivered=(a, b) != (0, 9))
    ),
)
NOBODY_ANSWERS = PlantedError(
    "nobody answers who asks", f"{_ROOM}.repair:_answer", lambda _: lambda *_: 0
)
LESS_CONNECTED = PlantedError(
    "connectivity one less",
    "hopscape.metrics.structure:node_connectivity",
    lambda right: lambda *a, **k: replace(right(*a, **k), value=right(*a, **k).value - 1),
)
VECTORS_MIXED = PlantedError(
    "coordinates exchanged",
    f"{_ROOM}.routing:CirculantRouter.vectors",
    lambda right: lambda self, at, to: right(self, at, to)[:, ::-1],
)
