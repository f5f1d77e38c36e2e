"""Structure: the wiring of one member of a family, in closed form.

The lower half of :class:`~hopscape.core.family.Family`: what can be said of a member without a
network to route on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np

from hopscape.core.addresses import Addresses, Numbers
from hopscape.core.arrays import IntArray, count_numbers
from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import Facts, Layout, Symmetry
from hopscape.core.measured import Measured
from hopscape.core.spec import REQUIRED, Argument, Call, Parameter, write_value

__all__ = ["ListedStructure", "Structure"]

_TABULATED = 4096  # nodes: the table of all translations has their square, 128 MiB


class Structure(ABC):
    """One member of a family of networks: its parameters, its nodes and its wiring."""

    name: ClassVar[str]
    summary: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    example: ClassVar[str]
    reads_files: ClassVar[bool] = False
    """A small spec, for help texts and tests."""

    duplex: bool = True
    """Is every channel half of a duplex link?"""

    plain: ClassVar[str] = ""
    """What people call such a network, where the first words of the summary do not say it."""

    standard: ClassVar[bool] = False
    """Is it what the trade builds as a matter of course, and others are compared with?"""

    leaf_endpoints: ClassVar[bool] = False
    """May endpoints with lines to several switches be leaf switches with endpoints of their own?"""

    unequal: ClassVar[Literal["", "switches", "leaves"]] = ""
    """How a designer may deal endpoints unequally: to the switches of a full mesh, of so many
    nodes, or to the leaves of a leaf-spine, of so many leaves and spines, endpoints of a leaf and
    links."""

    @property
    def transitive(self) -> bool:
        """Does every node look like every other? A family says ``transitive = True``."""
        return False

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

    @classmethod
    def pieces(cls, ports: int) -> Iterable[Structure]:
        """Small dense members of which larger networks may be made, with at most so many ports.

        Each is regular and knows its mean distance and its diameter.
        """
        return ()

    def facts(self) -> Facts:
        """What is known in closed form."""
        return Facts()

    def estimate(self, fact: str) -> Measured[Any] | None:
        """What can be said of a fact that is not known: bounds, mostly."""
        return None

    def distance_counts(self) -> list[int] | None:
        """How many nodes are 0, 1, 2, ... away from any node, where no search is needed for it."""
        return None

    def symmetry(self) -> Symmetry | None:
        """Orbit representatives, or None when nothing is known.

        By default the one orbit of a transitive family.
        """
        return Symmetry.of_transitive(self.order) if self.transitive else None

    def translations(self) -> IntArray | None:
        """Automorphisms that act like the shifts of a ring: row v moves node 0 to node v.

        A group in which exactly one member moves node 0 to any given node, so that the network is
        a Cayley graph and one node's schedule can be carried to all others; None when not known,
        and for more nodes than such a table is made for (:meth:`translate` has no such limit).
        """
        if self.order > _TABULATED:
            return None
        nodes = np.arange(self.order, dtype=np.int64)
        return self.translate(nodes[:, None], nodes[None, :])

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray | None:
        """Where the translation that moves node 0 to `by` moves `nodes`; None when not known."""
        return None

    def rotations(self) -> IntArray | None:
        """A group of automorphisms, of which none but the identity leaves any node in place.

        One permutation of the nodes in each row: the turns of a ring of rings, for example. By
        default the translations, or None when nothing is known.
        """
        return self.translations()

    def switches(self) -> IntArray | range | None:
        """Node numbers of switches (nodes that are no endpoints), or None when there are none.

        A range where they are consecutive, which takes no memory however many they are.
        """
        return None

    def inner_switches(self) -> range:
        """Switches inside servers (NVLink), which are no part of the fabric between them."""
        return range(0)

    @property
    def endpoint_count(self) -> int:
        """Number of nodes that are no switches, without building the network."""
        return self.order - count_numbers(self.switches())

    def port_classes(self) -> tuple[str, ...]:
        """A name for the kind of link at each port, such as ``axis0``; empty where all are alike.

        Link delays can be given for each name.
        """
        return ()

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """The kinds of its channels with their speeds; empty where all channels are alike.

        By default the names of :meth:`port_classes`.
        """
        return tuple(map(ChannelClass, dict.fromkeys(self.port_classes())))

    def classes_at(self, nodes: IntArray) -> IntArray:
        """Number of the kind of channel at each port, in the shape of :meth:`neighbours`."""
        return np.where(self.neighbours(nodes) >= 0, self.port_kinds(), -1)

    def port_kinds(self) -> IntArray:
        """Number of the kind at each port, where :meth:`port_classes` names them."""
        names = self.port_classes()
        if not names:
            raise TypeError(f"the channels of {self.name} are all alike")
        number = {name: i for i, name in enumerate(dict.fromkeys(names))}
        return np.asarray([number[name] for name in names])

    def layout(self) -> Layout | None:
        """How it is usually drawn, or None."""
        return None

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

    @property
    def described(self) -> bool:
        """Does the spec alone say what it is? Not where a file is behind it, or a loose network."""
        parts: list[Any] = []
        for parameter in self.parameters:
            if parameter.kind == "network":
                value = getattr(self, parameter.name)
                parts += value if parameter.variadic else [value]
        whole = (part.family is not None and part.family.described for part in parts)
        return not self.reads_files and all(whole)

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
    def from_call(cls, call: Call, build: Callable[[Call], object]) -> Self:
        """Bind the arguments of a parsed spec.

        Args:
            build: Builds nested networks.

        Raises:
            SpecError: With the place in the text.
        """
        values = cls.arguments(call, build)
        try:
            return cls(**values)
        except ArgumentError as error:
            if getattr(error, "position", None) is not None:
                raise
            raise call.error(str(error)) from error

    @classmethod
    def arguments(cls, call: Call, build: Callable[[Call], object]) -> dict[str, Any]:
        """The arguments of a parsed spec by parameter, each checked; nothing is built of them.

        Raises:
            SpecError: With the place in the text.
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
            given = bound[parameter.name]
            if parameter.variadic:
                items = [parameter.convert(item, call, build) for item in given]
                values[parameter.name] = tuple(items)
            else:
                values[parameter.name] = parameter.convert(given[0], call, build)
        return values

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


class ListedStructure(Structure):
    """A structure whose wiring is not a formula: its members list their links."""

    @abstractmethod
    def links(self) -> tuple[IntArray, IntArray]:
        """The ends of all links; ports follow their order at each node."""

    def link_kinds(self) -> IntArray | None:
        """Number of the kind of each link, as `channel_classes` counts; None: by port, or alike."""
        return None

    @property
    def ports(self) -> int:
        tails, heads = self.links()
        ends = np.concatenate([tails, heads]) if self.duplex else np.asarray(tails)
        return int(np.bincount(ends).max(initial=0)) if len(ends) else 0

    def neighbours(self, nodes: IntArray) -> IntArray:
        raise TypeError(f"{self.name} has no wiring formula; its network holds the arrays")
