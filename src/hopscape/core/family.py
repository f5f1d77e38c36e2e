"""What a family of networks answers.

A subclass of :class:`Family` is a family; an instance is one member of it, in closed form: it knows
its order, addresses and wiring without building anything. The rest of the house asks these
questions and nothing else, so that a new family is one class and one line of registration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopscape.core.facts import Facts, Layout, Symmetry
from hopscape.core.kindred import Kindred, ProductAxis
from hopscape.core.model import ANY_MODEL, Model, Served
from hopscape.core.network import Network, RoutedStructure
from hopscape.core.spec import REQUIRED, Parameter, integers
from hopscape.core.structure import ListedStructure

if TYPE_CHECKING:
    from hopscape.core.faults import Faults
    from hopscape.core.goal import Goal
    from hopscape.core.requirement import Requirement
    from hopscape.core.schedule import Schedule

__all__ = [
    "REQUIRED",
    "Collective",
    "Facts",
    "Family",
    "Layout",
    "ListedFamily",
    "Parameter",
    "Symmetry",
    "integers",
]


@dataclass(frozen=True)
class Collective:
    """A collective algorithm that a family knows better than a tree of breadth-first search.

    Args:
        name: As given to ``--algorithm``.
        goal: Kind of goal: ``"broadcast"``, ``"all-gather"``, ...
        summary: One line.
        build: Takes the network, the goal and the model wanted (or None for the algorithm's own)
            and returns a Schedule.
        serves: The models that it is for. Whoever runs it refuses any other, and holds the schedule
            against the model that was asked for.
        groups: Does it serve goals with groups by itself? Else it is run on the network among the
            endpoints of each group.
        chunks: Numbers of chunks that are worth trying for a buffer of so many bytes, under the
            costs of a model.
        cost: Elementary steps of its search (some 10 ns each) on a network, for a goal and a model;
            None where it does not search, and only writes its schedule. An estimate by the sizes
            of the question: the same on every machine, however busy.
        one_piece: Does it plan data in one piece only? Then whoever runs it cuts its schedule into
            the pieces that are asked for.
        around: Makes its schedule around dead parts: takes the whole network, the goal among the
            living and what is dead. None where it is for whole networks only.
    """

    name: str
    goal: str
    summary: str
    build: Callable[[Network, Goal, Model], Schedule]
    serves: Served = ANY_MODEL
    groups: bool = False
    chunks: Callable[[Network, Goal, Model, float], Sequence[int]] | None = None
    cost: Callable[[Network, Goal, Model], float] | None = None
    one_piece: bool = False
    around: Callable[[Network, Goal, Faults], Schedule] | None = None


class Family(RoutedStructure):
    """One member of a family of networks, in closed form.

    Subclasses set the class attributes, take their parameters by name in the constructor (which
    may raise :class:`ArgumentError` for what ranges cannot say), and answer the questions below.
    """

    def collectives(self) -> tuple[Collective, ...]:
        """Collective algorithms of its own."""
        return ()

    def product_axes(self) -> list[ProductAxis] | None:
        """The rings and lines whose product it is; None where it is none, or that is not known."""
        return None

    def kindred(self, root: int) -> Kindred | None:
        """The member that stands for all of equal wiring, seen from a node; None: not known."""
        return None

    def bounds(self, network: Network, goal: Goal, model: Model) -> tuple[tuple[int, str], ...]:
        """Lower bounds on rounds, each with its reason, beyond those that hold for any network."""
        return ()

    @classmethod
    def limits(cls, radix: int, throughput: float) -> Iterable[tuple[int, str]]:
        """Most endpoints of a switched machine of one shape, and what it takes to have more.

        For switches of this radix and this share of the line rate under uniform traffic; of a
        family whose shapes end at a size that a formula gives, none of others.
        """
        return ()

    @classmethod
    def members(cls, requirement: Requirement) -> Iterable[str]:
        """Specs of members of about this size and at most so many ports, for the designer.

        The best ones first and not many of them (about ``requirement.most``): a family knows which
        of its members are worth a look. What does not fit is left out by whoever asks. By default
        the one member of a family without parameters, and those of the nearest orders where a
        single integer is required.

        For a switched machine (``requirement.throughput`` is not None) ``ports`` is the radix,
        lines to endpoints included: families with switches offer their balanced members and
        those with the fewest switches that ``requirement.carries`` allows.
        """
        from hopscape.core.requirement import scan

        return scan(cls, requirement) if cls.parameters else (cls.name,)


class ListedFamily(ListedStructure, Family):
    """A family whose wiring is not a formula: its members list their links."""
