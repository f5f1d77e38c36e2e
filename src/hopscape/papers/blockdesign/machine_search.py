"""Search for machines with shared crossbars: the front of rate, jumps, survivors and cost.

A candidate is a network of a supernode, a number of K3 ports of each of its nodes with a speed
each, a number c of crossbars for each supernode and a number w of ways. Crossbars have as many
ports as fill up the K3 ports, and the number of supernodes is the least that is built and has
enough nodes. Every figure is exact: see :mod:`hopscape.papers.blockdesign.crossbar_rates`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, Unpack

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.design.prices import DEFAULT_PRICES, load_prices
from hopscape.papers.blockdesign.crossbar_machine import CrossbarMachine
from hopscape.papers.blockdesign.crossbar_rates import crossbar_losses, machine_rates
from hopscape.papers.blockdesign.machines import jumps_from
from hopscape.papers.blockdesign.sharing import MOST_RADIX, sharings
from hopscape.registry import build
from hopscape.store import Task, Work, run_tasks

__all__ = ["MachineQuestion", "direct_jumps", "front_of", "machine_specs", "measure_machines"]

_SECONDS_PER_SUPERNODE = 1.5e-3


@dataclass(frozen=True)
class MachineQuestion:
    """What is looked for.

    Attributes:
        nodes: At least so many.
        supernodes: Specs of the network inside a supernode.
        ports: Numbers of K3 ports of a node.
        crossbars, ways: Numbers of crossbars of a supernode, and of ways between two.
        speeds: Speeds that a K3 port may have; a link inside a supernode has speed 1, or its own.
        metres: Length of a cable between supernodes, for its price.
        prices: A price list.
    """

    nodes: int
    supernodes: tuple[str, ...] = ("complete(32)",)
    ports: tuple[int, ...] = (1, 2, 3, 4)
    crossbars: tuple[int, ...] = (1, 2, 3, 4)
    ways: tuple[int, ...] = (1, 2, 3)
    speeds: tuple[int, ...] = (1,)
    metres: float = 20.0
    prices: str = DEFAULT_PRICES

    def __post_init__(self) -> None:
        if self.nodes < 4:
            raise ArgumentError(f"nodes is {self.nodes}; it must be at least 4")
        if not self.metres > 0:
            raise ArgumentError(f"metres is {self.metres}; it must be above 0")
        for name in ("supernodes", "ports", "crossbars", "ways", "speeds"):
            values = getattr(self, name)
            if not values or (name != "supernodes" and min(values) < 1):
                raise ArgumentError(f"{name} is {list(values)}; give numbers of at least 1")
        load_prices(self.prices)


def machine_specs(question: MachineQuestion) -> Iterator[str]:
    """Specs of all candidates.

    Examples:
        >>> question = MachineQuestion(60, ("complete(4)",), (1, 2), (1, 2), (1,))
        >>> list(machine_specs(question))[:1]
        ['crossbar_machine(complete(4), 19, radix=8)']
    """
    for text in question.supernodes:
        inside = build(text)
        size = inside.endpoint_count
        if not inside.duplex:
            raise ArgumentError(f"the links of {text} are simplex; machines need duplex supernodes")
        for ports in question.ports:
            for crossbars in question.crossbars:
                radix = size * ports // crossbars
                if not 2 <= radix <= MOST_RADIX or crossbars > 8:
                    continue
                for ways in question.ways:
                    count = _least(question.nodes, size, radix, crossbars, ways)
                    if count is not None:
                        yield from _written(inside, ports, count, crossbars, ways, radix, question)


def _least(nodes: int, size: int, radix: int, crossbars: int, ways: int) -> int | None:
    """The least number of supernodes that is built and large enough."""
    if ways > 8:
        return None
    enough = [s.points for s in sharings(radix, crossbars, ways) if s.points * size >= nodes]
    return min(enough, default=None)


def _written(
    inside: Network, ports: int, count: int, crossbars: int, ways: int, radix: int,
    question: MachineQuestion,
) -> Iterator[str]:  # fmt: skip
    """One spec for each choice of speeds."""
    plain = set(question.speeds) == {1}
    for chosen in combinations_with_replacement(sorted(set(question.speeds)), ports):
        kinds = sorted(set(chosen))
        lanes = tuple(chosen.count(speed) for speed in kinds)
        speeds = () if plain else (1, *kinds)
        try:
            family = CrossbarMachine(
                inside, count, crossbars, ways, 0 if radix == inside.endpoint_count else radix,
                lanes=lanes if len(lanes) > 1 else (), speeds=speeds,
            )  # fmt: skip
        except ArgumentError:  # the last ports of some nodes are not wired: no such lanes
            continue
        yield family.spec


def measure_candidate(spec: str, metres: float, prices: str) -> dict[str, Any]:
    """Everything about one machine, in plain values."""
    family = build(spec).family
    assert isinstance(family, CrossbarMachine)
    rates = machine_rates(family)
    losses = crossbar_losses(family)
    worst = min(losses, key=lambda loss: loss.kept)
    jumps, mean = direct_jumps(family)
    used = int((family.shared.seats[0] >= 0).sum(axis=1).max())
    return {
        "spec": spec,
        "nodes": family.ends,
        "supernodes": family.count,
        "ports": -(-used // family.size),
        "crossbars": family.crossbars,
        "radix": family.shared.m,
        "ways": family.ways,
        "speeds": [kind.speed for kind in family.channel_classes()],
        "rate": rates.uniform,
        "rate_to_one": rates.valiant,
        "jumps": jumps,
        "mean_jumps": mean,
        "survivors": worst.kept,
        "parted": worst.parted,
        "cost": _cost(family, metres, prices) / family.ends,
        "bound_by": rates.bound_by,
        "how": family.shared.sharing.how,
    }


def direct_jumps(family: CrossbarMachine) -> tuple[int, float]:
    """Longest and mean way from node to node by the direct ways, in jumps."""
    network, size = family.supernode, family.size
    ends = network.endpoints
    table = np.array([jumps_from(network, int(v))[ends] for v in ends])
    if (table < 0).any():
        raise ArgumentError(f"{network.spec} is not connected")
    inner = float(table.mean())
    others = family.ends - 1
    total = table.sum() / size + (family.ends - size) * (1 + 2 * inner)
    return int(2 * table.max() + 1), float(total / others)


def _cost(family: CrossbarMachine, metres: float, prices: str) -> float:
    """Crossbars, their cables and ports, and the links and switches of supernodes.

    A line of speed s is paid as s lines; a crossbar as its fastest port.
    """
    listed = load_prices(prices)
    _, paid = listed.pick_cables(np.array([metres, 1.0]))
    kinds = family.channel_classes()
    speed = np.array([kind.speed for kind in kinds])
    nodes = np.arange(family.ends)
    place, own = family.crossings[:2]
    fastest = np.ones(len(family.shared.blocks))
    lines = 0.0
    crossbar = family.shared.seats[0]
    for group in range(family.count) if len(family.lanes) > 1 else (0,):
        table = family.classes_at(nodes[group * family.size : (group + 1) * family.size])
        each = speed[np.maximum(table[place, own], 0)] * (crossbar[group] >= 0)
        lines += float(each.sum())
        held = crossbar[group] >= 0
        np.maximum.at(fastest, crossbar[group][held], each[held])
    if len(family.lanes) < 2:
        rate = float(speed[-1])
        lines, fastest = float((family.shared.blocks >= 0).sum()) * rate, fastest * rate
    outside = float(fastest.sum()) * listed.switch(family.shared.m).price
    outside += lines * (paid[0] + listed.nic.price)
    inner = family.supernode
    inside = inner.links * paid[1] + sum(
        listed.switch(int(d)).price for d in np.delete(inner.degrees, inner.endpoints)
    )
    return float(outside + family.count * inside)


def measure_machines(question: MachineQuestion, **work: Unpack[Work]) -> Iterator[dict[str, Any]]:
    """Figures of all candidates, as they are ready in the order of the specs."""
    tasks = []
    for spec in machine_specs(question):
        nodes = question.nodes
        tasks.append(
            Task.of(
                measure_candidate,
                (spec, question.metres, question.prices),
                _SECONDS_PER_SUPERNODE * nodes / 32,
                spec,
            )
        )
    if not tasks:
        raise ArgumentError(
            f"no machine of {question.nodes} nodes is built with these supernodes, ports, crossbars"
            " and ways: more ports or fewer ways join more"
        )
    done = run_tasks(
        tasks, measure_candidate, work.get("resume"), processes=work.get("workers"),
        dask=work.get("dask"), text="measuring machines",
    )  # fmt: skip
    for _, row in done:
        yield row


def front_of(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that no other beats or equals in rate, jumps, survivors and cost, cheapest first.

    Examples:
        >>> a = {"rate": 1, "jumps": 3, "mean_jumps": 2.9, "survivors": 1, "cost": 5, "spec": "a"}
        >>> [row["spec"] for row in front_of([a, a | {"cost": 6, "spec": "b"}])]
        ['a']
    """

    def goals(row: dict[str, Any]) -> tuple[float, ...]:
        return row["cost"], -row["rate"], row["jumps"], row["mean_jumps"], -row["survivors"]

    kept: list[dict[str, Any]] = []
    for row in sorted(rows, key=lambda row: (*goals(row), row["spec"])):
        mine = goals(row)
        if not any(all(x <= y for x, y in zip(goals(one), mine, strict=True)) for one in kept):
            kept.append(row)
    return kept
