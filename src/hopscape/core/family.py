"""What a family of networks answers.

A subclass of :class:`Family` is a family; an instance is one member of it, in closed form: it knows
its order, addresses and wiring without building anything. The rest of the house asks these
questions and nothing else, so that a new family is one class and one line of registration.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from hopscape.core.addresses import Addresses, IntArray, Numbers
from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError
from hopscape.core.measured import Measured
from hopscape.core.model import ANY_MODEL, Served
from hopscape.core.spec import Argument, Call, write_value

if TYPE_CHECKING:
    from hopscape.core.goal import Goal
    from hopscape.core.model import Model
    from hopscape.core.network import Network
    from hopscape.core.router import Route, Router
    from hopscape.core.schedule import Schedule
    from hopscape.core.wish import Wish

__all__ = [
    "REQUIRED",
    "Collective",
    "Facts",
    "Family",
    "Layout",
    "ListedFamily",
    "Parameter",
    "Symmetry",
]

REQUIRED: Any = object()

Kind = Literal["int", "network", "text", "flag", "ints"]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a family, for help texts, spec errors and forms.

    Parameters
    ----------
    name : str
        As written in a spec.
    kind : {'int', 'network', 'text', 'flag', 'ints'}
        ``ints`` is a list in brackets; a variadic ``int`` is written without them.
    help : str
        One line.
    low, high : int, optional
        Range of an integer (of each, when variadic), both ends allowed.
    default : object, optional
        Value when left out; required when not given.
    variadic : bool
        Takes all remaining positional arguments; at most one, at the end.
    """

    name: str
    kind: Kind
    help: str
    low: int | None = None
    high: int | None = None
    default: Any = REQUIRED
    variadic: bool = False

    @property
    def range_text(self) -> str:
        """The allowed values in words."""
        if self.kind == "network":
            return "a network"
        if self.kind == "text":
            return "a text in quotes"
        if self.kind == "flag":
            return "true or false"
        noun = "integers" if self.variadic or self.kind == "ints" else "an integer"
        if self.low is not None and self.high is not None:
            return f"{noun} from {self.low} to {self.high}"
        if self.low is not None:
            return f"{noun} of at least {self.low}"
        return noun

    def convert(self, argument: Argument, call: Call, build: Callable[[Call], Network]) -> Any:
        """Check one value and turn it into what the family's constructor takes."""
        value = argument.value
        label = f"{self.name!r} of {call.name}"
        if value is None and self.default is None:
            return None
        if self.kind == "network":
            if not isinstance(value, Call):
                shown = write_value(value)
                raise call.error(f"{label} must be a network, not {shown}", argument.position)
            return build(value)
        if self.kind == "int" and isinstance(value, int) and not isinstance(value, bool):
            self._check_range(value, label, call, argument)
            return value
        if self.kind == "flag" and isinstance(value, int) and value in (0, 1):
            return bool(value)
        if self.kind == "text" and isinstance(value, str):
            return value
        if self.kind == "ints" and isinstance(value, tuple):
            for item in value:
                if not isinstance(item, int) or isinstance(item, bool):
                    break
                self._check_range(item, label, call, argument)
            else:
                return value
        shown = value.name if isinstance(value, Call) else write_value(value)
        raise call.error(f"{label} must be {self.range_text}, not {shown}", argument.position)

    def _check_range(self, value: int, label: str, call: Call, argument: Argument) -> None:
        too_low = self.low is not None and value < self.low
        too_high = self.high is not None and value > self.high
        if too_low or too_high:
            raise call.error(f"{label} is {value}; it must be {self.range_text}", argument.position)


@dataclass(frozen=True)
class Facts:
    """What is true of a network in closed form; None where no closed form is known.

    Each one that a family states is measured in the tests. Distances are over ordered pairs of
    distinct nodes; `links` counts a duplex link once and a simplex channel once.
    """

    degree_min: int | None = None
    degree_max: int | None = None
    links: int | None = None
    channels: int | None = None
    connected: bool | None = None
    diameter: int | None = None
    radius: int | None = None
    mean_distance: Fraction | None = None
    girth: int | None = None
    node_connectivity: int | None = None
    edge_connectivity: int | None = None
    bisection: int | None = None
    vertex_transitive: bool | None = None

    def known(self) -> dict[str, Any]:
        """The facts that are known, by name."""
        return {f.name: v for f in fields(self) if (v := getattr(self, f.name)) is not None}


@dataclass(frozen=True)
class Symmetry:
    """Orbit representatives: node `representatives[i]` stands for `sizes[i]` nodes like it.

    One representative means vertex-transitive. The orbits may be those of any group of
    automorphisms, not only of the whole one: more representatives than needed are harmless.
    """

    representatives: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def transitive(self) -> bool:
        """True when every node looks like every other."""
        return len(self.representatives) == 1

    @classmethod
    def of_transitive(cls, order: int) -> Symmetry:
        """The symmetry of a vertex-transitive network."""
        return cls((0,), (order,))


@dataclass(frozen=True)
class Layout:
    """Where the nodes of a drawing stand, and which links are better drawn as arcs.

    Parameters
    ----------
    positions : ndarray, shape (order, 2)
    curved : callable, optional
        Takes tails and heads (arrays), returns the bend of each link as a fraction of its length
        (0 is straight).
    """

    positions: np.ndarray[Any, np.dtype[np.float64]]
    curved: Callable[[IntArray, IntArray], np.ndarray[Any, np.dtype[np.float64]]] | None = None


@dataclass(frozen=True)
class Collective:
    """A collective algorithm that a family knows better than a tree of breadth-first search.

    Parameters
    ----------
    name : str
        As given to ``--algorithm``.
    goal : str
        Kind of goal: ``"broadcast"``, ``"all-gather"``, ...
    summary : str
        One line.
    build : callable
        Takes the network, the goal and the model wanted (or None for the algorithm's own) and
        returns a Schedule.
    serves : Served, optional
        The models that it is for. Whoever runs it refuses any other, and holds the schedule against
        the model that was asked for.
    """

    name: str
    goal: str
    summary: str
    build: Callable[[Network, Goal, Model | None], Schedule]
    serves: Served = ANY_MODEL


class Family(ABC):
    """One member of a family of networks, in closed form.

    Subclasses set the class attributes, take their parameters by name in the constructor (which
    may raise :class:`ArgumentError` for what ranges cannot say), and answer the questions below.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    example: ClassVar[str]
    """A small spec, for help texts and tests."""

    duplex: bool = True
    """Is every channel half of a duplex link?"""

    @property
    @abstractmethod
    def order(self) -> int:
        """Number of nodes, exact."""

    @property
    @abstractmethod
    def ports(self) -> int:
        """Number of ports of each node, wired or not."""

    @abstractmethod
    def neighbours(self, nodes: IntArray) -> IntArray:
        """Whom the ports lead to: shape (m,) in, (m, ports) out, -1 where a port is not wired.

        `nodes` is int64, or object (Python ints) for orders beyond 2**62.
        """

    @property
    def addresses(self) -> Addresses:
        """How nodes are named by tuples; plain numbers unless a family knows better."""
        return Numbers(self.order)

    def facts(self) -> Facts:
        """What is known in closed form."""
        return Facts()

    def estimate(self, fact: str) -> Measured[Any] | None:
        """What can be said of a fact that is not known: bounds, mostly."""
        return None

    def symmetry(self) -> Symmetry | None:
        """Orbit representatives, or None when nothing is known."""
        return None

    def translations(self) -> IntArray | None:
        """Automorphisms that act like the shifts of a ring: row v moves node 0 to node v.

        A group in which exactly one member moves node 0 to any given node, so that the network is
        a Cayley graph and one node's schedule can be carried to all others; None when not known.
        """
        return None

    def rotations(self) -> IntArray | None:
        """A group of automorphisms, of which none but the identity leaves any node in place.

        One permutation of the nodes in each row: the turns of a ring of rings, for example. By
        default the translations, or None when nothing is known.
        """
        return self.translations()

    def switches(self) -> IntArray | None:
        """Node numbers of switches (nodes that are no endpoints), or None when there are none."""
        return None

    def port_classes(self) -> tuple[str, ...]:
        """A name for the kind of link at each port, such as ``axis0``; empty where all are alike.

        Link delays can be given for each name.
        """
        return ()

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """The kinds of its channels with their speeds; empty where all channels are alike."""
        return ()

    def classes_at(self, nodes: IntArray) -> IntArray:
        """Number of the kind of channel at each port, in the shape of :meth:`neighbours`."""
        raise TypeError(f"the channels of {self.name} are all alike")

    def router(self, network: Network) -> Router | None:
        """A router in closed form, or None (then tables serve)."""
        return None

    def named_routers(self) -> Mapping[str, Callable[[Network], Router]]:
        """Other routers of its own, by the names that ``--router`` takes."""
        return {}

    def detours(
        self, network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
    ) -> Callable[[int, int], Route | None] | None:
        """Its own routing round dead nodes and links, or None (then tables serve).

        The function gives the route between two live endpoints, or None where it finds no way. All
        links between the two nodes of a dead link are dead, both ways.
        """
        return None

    def collectives(self) -> tuple[Collective, ...]:
        """Collective algorithms of its own."""
        return ()

    def bounds(self, network: Network, goal: Goal, model: Model) -> tuple[tuple[int, str], ...]:
        """Lower bounds on rounds, each with its reason, beyond those that hold for any network."""
        return ()

    def placements(self, guest: Network) -> tuple[IntArray, ...]:
        """Where the nodes of a guest might stand in this network, for embeddings worth a look."""
        return ()

    def layout(self) -> Layout | None:
        """How it is usually drawn, or None."""
        return None

    @classmethod
    def members(cls, wish: Wish) -> Iterable[str]:
        """Specs of members of about this size and at most so many ports, for the designer.

        The best ones first and not many of them (about ``wish.most``): a family knows which of its
        members are worth a look. What does not fit is left out by whoever asks. By default the
        one member of a family without parameters, and those of the nearest orders where a single
        integer is required.
        """
        from hopscape.core.wish import scan

        return scan(cls, wish) if cls.parameters else (cls.name,)

    @property
    def spec(self) -> str:
        """The canonical text that builds this member again."""
        positional: list[str] = []
        named: list[str] = []
        for parameter in self.parameters:
            value = getattr(self, parameter.name)
            if parameter.default is not REQUIRED and value == parameter.default:
                continue
            items = value if parameter.variadic else (value,)
            network = parameter.kind == "network"
            texts = [item.spec if network else write_value(item) for item in items]
            if parameter.default is REQUIRED:
                positional += texts
            else:
                named.append(f"{parameter.name}={', '.join(texts)}")
        inner = ", ".join(positional + named)
        return f"{self.name}({inner})" if inner else self.name

    @classmethod
    def usage(cls) -> str:
        """How a spec of this family is written: ``circulant(nodes, generators...)``."""
        parts = []
        for parameter in cls.parameters:
            if parameter.variadic:
                parts.append(f"{parameter.name}...")
            elif parameter.default is REQUIRED:
                parts.append(parameter.name)
            else:
                parts.append(f"{parameter.name}={write_value(parameter.default)}")
        return f"{cls.name}({', '.join(parts)})" if parts else cls.name

    @classmethod
    def from_call(cls, call: Call, build: Callable[[Call], Network]) -> Family:
        """Bind the arguments of a parsed spec.

        Parameters
        ----------
        call : Call
        build : callable
            Builds nested networks.

        Raises
        ------
        SpecError
            With the place in the text.
        """
        bound = cls._bind(call)
        values: dict[str, Any] = {}
        for parameter in cls.parameters:
            if parameter.name not in bound:
                if parameter.default is REQUIRED and not parameter.variadic:
                    raise call.error(
                        f"{cls.name} needs {parameter.name!r}: {cls.usage()}, "
                        f"{parameter.name} is {parameter.range_text}"
                    )
                default = () if parameter.default is REQUIRED else parameter.default
                values[parameter.name] = default
                continue
            found = bound[parameter.name]
            if parameter.variadic:
                items = [parameter.convert(item, call, build) for item in found]
                values[parameter.name] = tuple(items)
            else:
                values[parameter.name] = parameter.convert(found[0], call, build)
        try:
            return cls(**values)
        except ArgumentError as error:
            if getattr(error, "position", None) is not None:
                raise
            raise call.error(str(error)) from error

    @classmethod
    def _bind(cls, call: Call) -> Mapping[str, list[Argument]]:
        """Sort the arguments by parameter name."""
        by_name = {p.name: p for p in cls.parameters}
        slots = [p for p in cls.parameters if not p.variadic]
        rest = next((p for p in cls.parameters if p.variadic), None)
        bound: dict[str, list[Argument]] = {}
        named: set[str] = set()
        used = 0
        for argument in call.arguments:
            if argument.keyword is not None:
                name = argument.keyword
                if name not in by_name:
                    allowed = ", ".join(by_name) or "none"
                    raise call.error(
                        f"{cls.name} has no parameter {name!r}; it has: {allowed}",
                        argument.position,
                    )
                if name in bound:
                    raise call.error(f"{name!r} is given twice", argument.position)
                named.add(name)
                value = argument.value
                items = value if by_name[name].variadic and isinstance(value, tuple) else (value,)
                bound[name] = [Argument(None, item, argument.position) for item in items]
                continue
            required_left = [p for p in slots[used:] if p.default is REQUIRED]
            if rest is not None and not required_left:
                if rest.name in named:
                    raise call.error(f"{rest.name!r} is given twice", argument.position)
                bound.setdefault(rest.name, []).append(argument)
            elif used < len(slots):
                if slots[used].name in bound:
                    raise call.error(f"{slots[used].name!r} is given twice", argument.position)
                bound[slots[used].name] = [argument]
                used += 1
            else:
                most = len(slots)
                raise call.error(
                    f"{cls.name} takes at most {most} argument{'s' * (most != 1)}: {cls.usage()}",
                    argument.position,
                )
        return bound


class ListedFamily(Family):
    """A family whose wiring is no formula: its members list their links."""

    @abstractmethod
    def links(self) -> tuple[IntArray, IntArray]:
        """The ends of all links; ports follow their order at each node."""

    def link_kinds(self) -> IntArray | None:
        """Number of the kind of each link, as `channel_classes` counts; None: all alike."""
        return None

    @property
    def ports(self) -> int:
        tails, heads = self.links()
        ends = np.concatenate([tails, heads]) if self.duplex else np.asarray(tails)
        return int(np.bincount(ends).max(initial=0)) if len(ends) else 0

    def neighbours(self, nodes: IntArray) -> IntArray:
        raise TypeError(f"{self.name} has no wiring formula; its network holds the arrays")
