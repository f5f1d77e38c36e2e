"""The linear program of all groups' demands together: what channels must carry, whoever routes.

Fractional flows take the place of routes, and whoever has data may copy or add them up: a
relaxation of every execution. Of an all-gather, each member must receive the blocks of the others
through what the collective sends, whatever is sent to others at the same time; a reduce-scatter is
that backwards; in an all-reduce the sums of one member must reach the next one, and members send
2 (n - 1) buffers together. Sums of all collectives share the channels. Source: the multicommodity
flow of Shahrokhi and Matula (1990); solved by HiGHS.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.network import Network

__all__ = ["GroupDemand", "least_seconds"]

_VARIABLES = 15_000
"""Flows times channels up to which the program is solved: seconds."""
_SAFE = 1 - 1e-6
"""Times the optimum, which a solver finds up to its tolerance of 1e-7."""


class GroupDemand(NamedTuple):
    """Collectives of one goal: groups of nodes (k, n), and bytes of each."""

    goal: str
    nodes: IntArray
    size: Floats


class _Program:
    """Flows with their balances, and the traffic of collectives in which they may hide."""

    def __init__(self, network: Network, rate: Floats) -> None:
        alive = np.flatnonzero(rate > 0)
        self.tails, self.heads = network.tails[alive], network.heads[alive]
        self.rate, self.order = rate[alive], network.order
        self.pairs: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        self.groups: dict[tuple[str, tuple[int, ...]], float] = defaultdict(float)

    def add(self, one: GroupDemand) -> None:
        """The collectives of a demand: pairs that are told apart by nothing, and groups."""
        n = one.nodes.shape[1]
        for row, size in zip(one.nodes.tolist(), one.size.tolist(), strict=True):
            if n < 2 or size <= 0:
                continue
            if n > 2 and one.goal not in ("message", "all-to-all"):
                self.groups[one.goal, tuple(row)] += size
                continue
            each = size / n if one.goal in ("all-to-all", "all-gather", "reduce-scatter") else size
            for a in row[:1] if one.goal in ("message", "broadcast") else row:
                for b in row:
                    if a != b:
                        self.pairs[a][b] += each

    def variables(self) -> int:
        """Flows and traffics times channels."""
        flows = sum(len(row) + 1 for _, row in self.groups)
        return (len(self.pairs) + flows) * len(self.tails)

    def _balances(self) -> tuple[list[Floats], list[int]]:
        """What each node takes of each flow: of sources, then of groups; the groups of these."""
        out: list[Floats] = []
        of: list[int] = []
        for source, sinks in self.pairs.items():
            balance = np.zeros(self.order)
            balance[list(sinks)] = list(sinks.values())
            balance[source] = -sum(sinks.values())
            out.append(balance)
        for g, ((goal, row), size) in enumerate(self.groups.items()):
            ends = [(row[0], b) for b in row[1:]] if goal == "broadcast" else []
            if goal == "all-reduce":
                ends = list(zip(row, (*row[1:], row[0]), strict=True))
            for a, b in ends:
                balance = np.zeros(self.order)
                balance[a], balance[b] = -size, size
                out.append(balance)
            sign = 1.0 if goal == "all-gather" else -1.0
            for member in () if ends else row:
                balance = np.zeros(self.order)
                balance[list(row)] = -sign * size / len(row)
                balance[member] = sign * (len(row) - 1) * size / len(row)
                out.append(balance)
            of += [g] * (len(out) - len(self.pairs) - len(of))
        return out, of

    def solve(self) -> float:
        """The least time in which the channels carry all of it; 0 where none was found."""
        from scipy.optimize import linprog
        from scipy.sparse import coo_array, csr_array, eye_array, hstack, kron, vstack

        balances, of = self._balances()
        width, alone, flows, groups = len(self.tails), len(self.pairs), len(of), len(self.groups)
        most, fast = max(float(np.abs(one).max()) for one in balances), float(self.rate.max())
        ends = np.concatenate([self.heads, self.tails]), np.tile(np.arange(width), 2)
        shape = self.order, width
        one = coo_array((np.repeat([1.0, -1.0], width), ends), shape=shape).tocsr()
        keeps: Any = kron(eye_array(alone + flows), one)
        keeps = hstack([keeps, csr_array((keeps.shape[0], groups * width + 1))])
        counted = np.concatenate([np.ones(alone), np.zeros(flows), np.ones(groups)])
        loads = kron(csr_array(counted[None, :]), eye_array(width))
        rows: list[Any] = [hstack([loads, csr_array(-(self.rate / fast)[:, None])])]
        right = [np.zeros(width)]
        if flows:
            inside = csr_array((np.ones(flows), (np.arange(flows), of)), shape=(flows, groups))
            hides = hstack([csr_array((flows, alone)), eye_array(flows), -inside])
            hides = kron(hides, eye_array(width))
            rows.append(hstack([hides, csr_array((flows * width, 1))]))
            right.append(np.zeros(flows * width))
        for g, ((goal, row), size) in enumerate(self.groups.items()):
            for at in (self.tails, self.heads) if goal == "all-reduce" else ():
                line = np.zeros(rows[0].shape[1])
                first = (alone + flows + g) * width
                line[first : first + width] = -np.isin(at, row).astype(float)
                rows.append(csr_array(line[None, :]))
                right.append(np.asarray([-2 * (len(row) - 1) * size / most]))
        price = np.zeros(rows[0].shape[1])
        price[-1] = 1.0
        found: Any = linprog(
            price,
            A_ub=vstack(rows).tocsr(),
            b_ub=np.concatenate(right),
            A_eq=keeps.tocsr(),
            b_eq=np.concatenate(balances) / most,
            method="highs",
        )
        return _SAFE * float(found.fun) * most / fast if found.status == 0 else 0.0


def least_seconds(
    demands: Sequence[GroupDemand], network: Network, rate: Floats, most: int = _VARIABLES
) -> float | None:
    """No routes carry all demands in less time; None where the program would be too large.

    Args:
        rate: Bytes that each channel carries in a second; 0 for dead ones.
        most: Flows times channels that are still solved.

    Examples:
        >>> import hopscape
        >>> ring = hopscape.build("ring(4)")
        >>> one = GroupDemand("all-to-all", np.arange(4)[None, :], np.asarray([4.0]))
        >>> round(least_seconds([one], ring, np.ones(8)), 3)
        2.0
    """
    program = _Program(network, rate)
    for one in demands:
        program.add(one)
        if program.variables() > most:
            return None
    return program.solve() if program.pairs or program.groups else 0.0
