"""Model: the rules and costs under which a schedule is meant to run."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

from hopscape.core.errors import ArgumentError

__all__ = ["ALL_PORT_ONLY", "ANY_MODEL", "COSTS", "MACHINE", "Model", "Served"]

Duplex = Literal["full", "half"]
Switching = Literal["store-and-forward", "circuit", "cut-through"]
Disjoint = Literal["vertex", "edge", "arc"]
Packing = Literal["unit", "packed"]
Circuits = Literal["any", "dimension-ordered", "last-axis-first"]
_CHOICES: dict[str, tuple[str, ...]] = {
    "duplex": get_args(Duplex),
    "switching": get_args(Switching),
    "disjoint": get_args(Disjoint),
    "packing": get_args(Packing),
    "circuits": get_args(Circuits),
}
COSTS = ("alpha", "beta", "gamma", "delta")
MACHINE = {"alpha": 1.0, "beta": 2e-5, "gamma": 1e-5, "delta": 0.1}
"""What a collective of so many bytes costs unless it is said: µs per round, per byte (50 GB/s), per
byte added (100 GB/s), per hop."""


@dataclass(frozen=True)
class Model:
    """How messages may move in one round, and what a round costs.

    Attributes:
        ports: None is all-port. k means that in one round a node sends at most k messages and
            receives at most k; in half duplex, that it takes part in at most k.
        duplex ({'full', 'half'}): Half duplex: a link carries one direction per round.
        switching ({'store-and-forward', 'circuit', 'cut-through'}): Store-and-forward: a transfer
            is one hop. Circuit: a transfer holds a whole path for the round. Cut-through: a message
            runs through a whole path within the round, from endpoint to endpoint; messages share
            channels, and the round lasts as long as its busiest channel. All ports then means one
            message per channel of a node.
        disjoint ({'vertex', 'edge', 'arc'}): What the circuits of one round may not share: nodes
            (except a common start), links in either direction, or channels. Half-duplex circuits
            never share links.
        packing ({'unit', 'packed'}): Unit: one chunk per message. Packed: any number of chunks on
            the same way in the same round make one message.
        alpha, beta, delta: Cost per start-up (round), per chunk of the longest message
            (cut-through: on the busiest channel, by its capacity), per hop of the longest path.
        gamma: Cost per chunk that is added up, at the node that adds most in a round.
        in_network: May the switches of a network store, copy and add up in cut-through and
            circuits? They only forward unless this is said. (In store-and-forward every hop ends at
            a node, and switches are nodes like others.)
        circuits ({'any', 'dimension-ordered', 'last-axis-first'}): Dimension-ordered: a circuit
            runs along the first axis of the address, then the second, and so on, each by a shortest
            path (:mod:`hopscape.core.dimension_order`). Last axis first: the other way round, as
            the same circuits run backwards.

    Examples:
        >>> Model(ports=1).describe()
        '1-port, full duplex, store-and-forward, unit messages'
        >>> Model(alpha=2.0, delta=0.5).time(rounds=3, sizes=3, hops=7)
        9.5
        >>> Model(switching="cut-through", gamma=0.5).time(rounds=3, sizes=4.5, hops=7, added=2)
        4.0
    """

    ports: int | None = None
    duplex: Duplex = "full"
    switching: Switching = "store-and-forward"
    disjoint: Disjoint = "arc"
    packing: Packing = "unit"
    alpha: float = 1.0
    beta: float = 0.0
    delta: float = 0.0
    gamma: float = 0.0
    in_network: bool = False
    circuits: Circuits = "any"

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in allowed:
                raise ArgumentError(f"{name} is {value!r}; choose {_choices(allowed)}")
        if self.circuits != "any" and self.switching != "circuit":
            raise ArgumentError(
                f"circuits are {self.circuits}; {self.switching} switching has no circuits"
            )
        if not isinstance(self.in_network, bool):
            raise ArgumentError(f"in_network is {self.in_network!r}; it must be true or false")
        if self.ports is not None and (not _is_whole(self.ports) or self.ports < 1):
            raise ArgumentError(f"ports is {self.ports!r}; it must be at least 1, or None for all")
        for name in COSTS:
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0 <= value < math.inf:
                raise ArgumentError(f"{name} is {value!r}; a cost must be a number of at least 0")

    @property
    def shares(self) -> Disjoint:
        """What circuits may not share, the duplex rule included."""
        return "edge" if self.duplex == "half" and self.disjoint == "arc" else self.disjoint

    def backwards(self) -> Model:
        """What a schedule keeps to when it is run backwards: axes come in the other order.

        Examples:
            >>> Model(switching="circuit", circuits="dimension-ordered").backwards().circuits
            'last-axis-first'
        """
        if self.circuits == "any":
            return self
        first = self.circuits == "last-axis-first"
        return replace(self, circuits="dimension-ordered" if first else "last-axis-first")

    def converging(self) -> Model:
        """The rules where many send to one: circuits that share no node cannot end at the same.

        Examples:
            >>> Model(switching="circuit", disjoint="vertex").converging().ports
            1
        """
        alone = self.switching == "circuit" and self.shares == "vertex"
        return replace(self, ports=1) if alone else self

    def time(self, rounds: int, sizes: float, hops: int, added: float = 0) -> float:
        """Cost of a schedule whose rounds wait for each other.

        Args:
            sizes: Sum over rounds of the chunks in the largest message, or on the busiest channel.
            hops: Sum over rounds of the longest path.
            added: Sum over rounds of the chunks that one node adds up.
        """
        spent = self.alpha * rounds + self.beta * sizes + self.delta * hops
        return spent + self.gamma * added

    def describe(self) -> str:
        """The model in words."""
        ports = "all-port" if self.ports is None else f"{self.ports}-port"
        words = [ports, f"{self.duplex} duplex", self.switching]
        if self.switching == "circuit":
            words[-1] = f"circuit-switched, {self.shares}-disjoint"
            if self.circuits != "any":
                words.append(f"{self.circuits} circuits")
        words.append("packed messages" if self.packing == "packed" else "unit messages")
        if self.in_network:
            words.append("switches copy and add")
        return ", ".join(words)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: object) -> Model:
        """Read :meth:`to_dict` back; unknown keys are refused."""
        if not isinstance(values, dict):
            raise ArgumentError(f"the model must be a set of keys and values, not {values!r}")
        known = {f.name for f in fields(cls)}
        extra = set(values) - known
        if extra:
            raise ArgumentError(
                f"the model has an unknown key {min(map(str, extra))!r}; known: {sorted(known)}"
            )
        return cls(**values)


@dataclass(frozen=True)
class Served:
    """The models that an algorithm is for: the values of each rule that it keeps to.

    Attributes:
        ports: ``(None,)`` is all-port only; left out, any number will do.
        duplex, switching, packing: Left out, either will do.

    Examples:
        >>> circuits = Served(ports=(None,), switching=("circuit",))
        >>> circuits.describe(), circuits.allows(Model(ports=1, switching="circuit"))
        ('all-port, circuit-switched', False)
        >>> circuits.model(alpha=2.0).describe()
        'all-port, full duplex, circuit-switched, arc-disjoint, unit messages'
    """

    ports: tuple[int | None, ...] | None = None
    duplex: tuple[Duplex, ...] | None = None
    switching: tuple[Switching, ...] | None = None
    packing: tuple[Packing, ...] | None = None

    def _rules(self) -> dict[str, tuple[Any, ...]]:
        return {f.name: v for f in fields(self) if (v := getattr(self, f.name)) is not None}

    def allows(self, model: Model) -> bool:
        """Does the algorithm keep to all rules of this model?"""
        return all(getattr(model, name) in allowed for name, allowed in self._rules().items())

    def model(self, **rules: Any) -> Model:
        """A model with the rules and costs asked for, the others as the algorithm likes them."""
        usual = {name: allowed[0] for name, allowed in self._rules().items()}
        return replace(Model(), **(usual | rules))

    def describe(self) -> str:
        """The rules in words."""
        words = []
        for name, allowed in self._rules().items():
            texts = [_word(name, value) for value in allowed]
            words.append(" or ".join(texts))
        return ", ".join(words) or "any model"


ANY_MODEL = Served()
"""What an algorithm serves that follows every model, or refuses by itself."""

ALL_PORT_ONLY = Served(ports=(None,), duplex=("full",), switching=("store-and-forward",))
"""What algorithms serve that use every channel in every round, one hop at a time."""


def _word(name: str, value: Any) -> str:
    if name == "ports":
        return "all-port" if value is None else f"{value}-port"
    if name == "switching":
        return "circuit-switched" if value == "circuit" else str(value)
    return f"{value} duplex" if name == "duplex" else f"{value} messages"


def _choices(allowed: tuple[str, ...]) -> str:
    return " or ".join([", ".join(allowed[:-1]), allowed[-1]])


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
