"""The routine of a network's router, compared with the router before it is handed out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.detours import DetourRouter
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.faults import Faults
from hopscape.core.formula import Value, evaluate, inputs
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.formats.code.software import c_code, identifier, p4_code, python_code
from hopscape.formats.code.verilog import header, route_module

__all__ = ["LANGUAGES", "WRITTEN", "Code", "Compared", "Language", "compare_formula", "emit_code"]

Language = Literal["c", "verilog", "p4", "python"]
LANGUAGES: tuple[str, ...] = get_args(Language)
WRITTEN = "Written by hopscape."
_ALL_PAIRS = 1 << 20  # 1,024 nodes: the formula is compared for all pairs up to here
_SAMPLED = 200_000  # pairs compared beyond, fewer where the formula is long
_WORK = 40_000_000  # values that are computed for a sample
_LARGE = 100  # how much longer numbers of more than 62 bits take
_LEAST = 1000  # pairs of a sample in any case
_MOST_STAGES = 64  # registers in a row; each is a cycle of latency


@dataclass(frozen=True)
class Compared:
    """A formula beside its router.

    Attributes:
        pairs: Compared.
        every: All pairs of the network, or a sample.
        equal: Pairs with the same port; all others leave by another port that begins a shortest
            path.
    """

    pairs: int
    every: bool
    equal: int

    def words(self) -> str:
        """In one sentence."""
        what = f"all {self.pairs} pairs" if self.every else f"{self.pairs} sampled pairs"
        if self.equal == self.pairs:
            return f"Same ports as the router for {what}."
        other = self.pairs - self.equal
        return f"Compared for {what}: {other} of them take another shortest path."


@dataclass(frozen=True)
class Code:
    """A routine as text.

    Attributes:
        name: What its function, module or control begins with.
        entries: Of its tables.
    """

    text: str
    name: str
    language: str
    router: str
    operations: int
    entries: int
    compared: Compared


def emit_code(
    network: Network,
    language: Language,
    *,
    router: str | Router = "auto",
    name: str | None = None,
    stages: int = 0,
) -> Code:
    """The router of a network as a routine that needs nothing else.

    Args:
        language: {'c', 'verilog', 'p4', 'python'}
        router: As for :meth:`~hopscape.core.network.Network.router`, or one of this network, such
            as :class:`~hopscape.core.detours.TableDetours` around dead parts.
        name: What its names begin with; by default made from the spec.
        stages: Verilog: pipeline stages; 0 for logic without a clock.

    Raises:
        ArgumentError: For an unknown language, a router whose routes depend on their source, or
            stages where there is no clock.
        TooLargeError: When a table or a number is too large.

    Examples:
        >>> import hopscape
        >>> code = emit_code(hopscape.build("ring(5)"), "python")
        >>> scope = {}
        >>> exec(code.text, scope)
        >>> scope["next_port"](0, 2), scope["next_port"](0, 3), scope["next_port"](4, 4)
        (0, 1, -1)
    """
    if language not in LANGUAGES:
        raise ArgumentError(f"language is {language!r}; choose {', '.join(LANGUAGES)}")
    if not 0 <= stages <= _MOST_STAGES:
        raise ArgumentError(f"stages is {stages}; it must be from 0 to {_MOST_STAGES}")
    if stages and language != "verilog":
        raise ArgumentError(f"stages is {stages}, but only Verilog has a clock, not {language}")
    chosen, result = router_formula(network, router)
    compared = compare_formula(chosen, result)
    prefix = identifier(network.spec if name is None else name)
    notes = _notes(network, chosen, result, compared)
    if language == "verilog":
        text = header(notes) + route_module(result, prefix, network.order, network.ports, stages)
    else:
        write = {"c": c_code, "p4": p4_code, "python": python_code}[language]
        text = write(result, prefix, notes, network.order, network.ports)
    return Code(text, prefix, language, chosen.name, *_sizes(result), compared)


def router_formula(network: Network, kind: str | Router) -> tuple[Router, Value]:
    """The router and its formula; refuses routers whose routes depend on their source."""
    chosen = kind if isinstance(kind, Router) else network.router(kind)
    if not chosen.chained:
        raise ArgumentError(
            f"the {chosen.name} router of {network.spec} chooses routes at the source; a routine"
            " that is asked at every node needs one by destination"
        )
    return chosen, chosen.formula(*inputs(network.order))


def compare_formula(router: Router, result: Value, seed: int = 0) -> Compared:
    """Compare a formula with the router that it is of.

    Raises:
        HopscapeError: When a port of the formula begins no shortest path and is not the router's.
    """
    n = router.network.order
    every = n * n <= _ALL_PAIRS
    if every:
        at, to = np.divmod(np.arange(n * n), n)
    else:
        random = np.random.default_rng(seed)
        if n >= 2**62:
            raise ArgumentError(f"{router.network.spec} has {n} nodes; routines hold up to 2^62")
        large = any(max(-v.low, v.high) >= 2**62 for v in result.walk())
        many = _WORK // (_LARGE if large else 1) // sum(1 for _ in result.walk())
        at, to = random.integers(0, n, (2, max(_LEAST, min(_SAMPLED, many))))
    ports, wanted = evaluate(result, at, to), router.next_ports(at, to)
    other = np.flatnonzero(ports != wanted)
    if len(other):
        good = begins_shortest(router, at[other], to[other], ports[other])
        if not (router.exact and good.all()):
            bad = other[int(np.argmin(good))]
            raise HopscapeError(
                f"the formula of {router.network.spec} leaves node {at[bad]} towards {to[bad]} by"
                f" port {ports[bad]}, its router by port {wanted[bad]}"
            )
    return Compared(len(at), every, len(at) - len(other))


def begins_shortest(router: Router, at: IntArray, to: IntArray, ports: IntArray) -> IntArray:
    """Which of these ports begin a shortest path?"""
    short = router.shortest_ports(at, to)
    inside = (ports >= 0) & (ports < short.shape[1])
    taken = np.where(inside, ports, 0).astype(np.int64)
    good: IntArray = inside & short[np.arange(len(at)), taken]
    return good.astype(bool)


def _sizes(result: Value) -> tuple[int, int]:
    """Operations, and entries of different tables."""
    values = list(result.walk())
    tables = {(v.table.name, v.table.entries) for v in values if v.table is not None}
    operations = sum(v.op not in ("input", "constant") for v in values)
    return operations, sum(len(entries) for _, entries in tables)


def in_comment(text: str) -> str:
    """A name, such as that of a file, that ends no comment of any language.

    Examples:
        >>> in_comment('file("x*/y.json")')
        'file("x* /y.json")'
    """
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    return shown.replace("*/", "* /").replace("/*", "/ *").rstrip("\\")


def _notes(network: Network, router: Router, result: Value, compared: Compared) -> list[str]:
    operations, entries = _sizes(result)
    tables = f"tables of {entries} entries" if entries else "no table"
    faults = router.faults if isinstance(router, DetourRouter) else Faults()
    dead = [*map(str, sorted(faults.nodes)), *(f"{u}-{v}" for u, v in faults.pairs())]
    around = f"Around what is dead: {', '.join(dead)}; disconnected pairs answer as on arrival."
    return [
        f"Routing of {in_comment(network.spec)}: {network.order} nodes, {network.ports} ports.",
        f"Router: {router.name}; {operations} operations, {tables}.",
        compared.words(),
        *([around] if dead else []),
        "Nodes count from 0 and ports from 0, as in `hopscape show` and `hopscape route`.",
        WRITTEN,
    ]
