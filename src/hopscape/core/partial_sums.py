"""All-reduces in which a node keeps several partial sums, and every message says which it carries.

In a plain all-reduce a node has one sum of each chunk and sends all of it. Here it keeps what came,
message by message, and each transfer is the sum of some of that: its *terms*. So a ring of eight
needs 4 rounds instead of 8: to its right a node sends what came from the left only.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from hopscape.core.arrays import ADD, NOTHING, IntArray
from hopscape.core.errors import ScheduleError
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict

if TYPE_CHECKING:
    from hopscape.core.goal import Goal
    from hopscape.core.network import Network

__all__ = ["OWN_SHARE", "PartialSums", "schedule_with_terms"]

OWN_SHARE = -1
"""A term: the share of the source itself."""


class PartialSums(Schedule):
    """An all-reduce whose transfers say what they carry.

    Make one with :meth:`with_terms`.

    Attributes:
        term_start (int64[transfers + 1]): The terms of transfer t are
            ``terms[term_start[t]:term_start[t + 1]]``.
        terms (int64[...]): Earlier transfers that ended at the source, and :data:`OWN_SHARE`.
        adds (uint8[transfers]): Is it part of the result of its target? Else it is only kept.
    """

    term_start: IntArray
    terms: IntArray
    adds: IntArray

    @classmethod
    def with_terms(
        cls, moved: Schedule, terms: Sequence[Sequence[int]], adds: Sequence[int] | IntArray
    ) -> PartialSums:
        """A schedule of the same transfers, with what each of them carries.

        Args:
            moved: Its transfers are taken in their order.

        Raises:
            ScheduleError: When there is not one list of terms and one mark for each transfer.
        """
        if not len(terms) == len(adds) == moved.transfers:
            raise ScheduleError(
                f"columns differ in length: {moved.transfers} transfers, {len(terms)} lists of"
                f" terms, {len(adds)} marks"
            )
        made = cls(
            moved.network,
            moved.model,
            moved.goal,
            round_start=moved.round_start,
            source=moved.source,
            target=moved.target,
            chunk=moved.chunk,
            path_start=moved.path_start,
            channels=moved.channels,
            name=moved.name,
        )
        made.term_start = np.concatenate([[0], np.cumsum([len(some) for some in terms])])
        made.terms = np.array([one for some in terms for one in some], dtype=np.int64)
        made.adds = np.asarray(adds, dtype=np.uint8)
        return made

    def as_moved(self, moved: Schedule) -> PartialSums:
        """The same sums, carried by the transfers of another schedule in the same order."""
        terms = [self.terms_of(t) for t in range(self.transfers)]
        return self.with_terms(moved, terms, self.adds)

    def terms_of(self, transfer: int) -> list[int]:
        """What a transfer carries."""
        first, last = self.term_start[transfer : transfer + 2]
        return [int(one) for one in self.terms[first:last]]

    def operations(self) -> IntArray:
        """What each transfer does at its target: it is part of the result, or only kept."""
        return np.where(self.adds, ADD, NOTHING).astype(np.uint8)

    def wrong_sum(self, network: Network, goal: Goal) -> Verdict | None:
        """The first transfer that carries what it cannot, or the first wrong result."""
        if goal.kind != "all-reduce" or len(goal.parts()) > 1:
            text = f"terms are for an all-reduce of one group, not for {goal.describe()}"
            return Verdict(False, text, {"rule": "terms"})
        promise = goal.on(network)
        ends = set(promise.wanted.tolist())
        everything = sum(1 << v for v in ends)
        rounds, source = self.round.tolist(), self.source.tolist()
        target, chunk = self.target.tolist(), self.chunk.tolist()
        carried: list[int] = []
        for t, u in enumerate(source):
            total, wrong = 0, "" if self.term_start[t] < self.term_start[t + 1] else "has no terms"
            for j in self.terms_of(t):
                if j == OWN_SHARE:
                    wrong = wrong or ("" if u in ends else f"node {u} has no share of its own")
                    part = 1 << u
                elif not 0 <= j < t or rounds[j] >= rounds[t]:
                    wrong, part = wrong or f"its term {j} has not come before this round", 0
                elif target[j] != u or chunk[j] != chunk[t]:
                    wrong, part = wrong or f"its term {j} is not of its source and chunk", 0
                else:
                    part = carried[j]
                if total & part:
                    share = (total & part & -(total & part)).bit_length() - 1
                    wrong = wrong or f"it counts the share of node {share} twice"
                total |= part
            if wrong:
                return self._wrong(t, wrong)
            carried.append(total)
        result = {(v, c): 1 << v for v in sorted(ends) for c in range(len(promise.origins))}
        for t in np.nonzero(self.adds)[0].tolist():
            key = target[t], chunk[t]
            common = result.get(key, everything) & carried[t]
            if common:
                share = (common & -common).bit_length() - 1
                return self._wrong(t, f"node {key[0]} counts the share of node {share} twice")
            result[key] |= carried[t]
        for (v, c), total in result.items():
            if total != everything:
                lacks = everything & ~total
                share = (lacks & -lacks).bit_length() - 1
                text = f"after the last round node {v} lacks the share of node {share} in chunk {c}"
                where = {"rule": "counting", "node": v, "chunk": c, "share": share}
                return Verdict(False, text, where)
        return None

    def _wrong(self, t: int, why: str) -> Verdict:
        r = int(self.round[t]) + 1
        who = f"node {self.source[t]} → node {self.target[t]}, chunk {self.chunk[t]}"
        where = {"rule": "counting", "round": r, "transfer": t, "source": int(self.source[t]),
                 "target": int(self.target[t]), "chunk": int(self.chunk[t])}  # fmt: skip
        return Verdict(False, f"round {r}, transfer {t} ({who}): {why}", where)

    def added(self) -> int:
        """Sum over rounds of the chunks that the busiest node adds: results, and what it sends."""
        nodes, when = self.network.order, self.round.astype(np.int64)
        load = np.zeros(self.rounds * nodes, dtype=np.int64)
        np.add.at(load, when * nodes + self.target, self.adds)
        np.add.at(load, when * nodes + self.source, np.diff(self.term_start) - 1)
        return int(load.reshape(self.rounds, nodes).max(axis=1, initial=0).sum())

    # -- what would lose the terms ------------------------------------------------------------

    def reversed(self, goal: Goal, name: str = "") -> NoReturn:
        """Refused: what arrives in parts cannot be taken apart again."""
        raise ScheduleError("an all-reduce of partial sums has no reverse")

    def then(self, later: Schedule, goal: Goal, name: str = "") -> NoReturn:
        """Refused: what follows would have no terms."""
        raise ScheduleError("an all-reduce of partial sums is whole; nothing follows it")

    # -- files --------------------------------------------------------------------------------

    def to_dict_head(self) -> dict[str, Any]:
        """As of every schedule, in version 3, which has terms."""
        return super().to_dict_head() | {"version": 3}

    def to_dict(self) -> dict[str, Any]:
        """As of every schedule, with the column of the terms."""
        values = super().to_dict()
        values["transfers"]["terms"] = [self.terms_of(t) for t in range(self.transfers)]
        return values

    def further_columns(self) -> dict[str, IntArray]:
        """Arrays of the .npz file that only such a schedule has."""
        return {"term_start": self.term_start, "terms": self.terms}


def schedule_with_terms(moved: Schedule, columns: dict[str, Any]) -> PartialSums:
    """What a file of version 3 says: its transfers, with the columns `op` and `terms`."""
    terms, ops = columns["terms"], columns["op"]
    if "term_start" in columns:
        start = np.asarray(columns["term_start"]).tolist()
        flat = np.asarray(terms).tolist()
        terms = [flat[a:b] for a, b in pairwise(start)]
        ops = [{ADD: "add", NOTHING: "none"}.get(op, op) for op in np.asarray(ops).tolist()]
    whole = isinstance(terms, list) and isinstance(ops, list)
    if not whole or not all(isinstance(some, list) for some in terms):
        raise ScheduleError("columns 'op' and 'terms' must be lists, 'terms' one of lists")
    for some in terms:
        if any(not isinstance(one, int) or isinstance(one, bool) for one in some):
            raise ScheduleError(f"terms must be lists of integers, not {some!r:.40}")
    for t, op in enumerate(ops):
        if op not in ("add", "none"):
            raise ScheduleError(f"transfer {t} says {op!r:.20}; it must be 'add' or 'none'")
    return PartialSums.with_terms(moved, terms, [op == "add" for op in ops])
