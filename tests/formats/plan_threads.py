"""Execution plans of MSCCL++ run thread by thread, in an order of the dice: a twin of the checker.

Written from the executor's kernel alone: every operation is dealt to all threads of its block,
each takes some of the elements; ``nop`` is a barrier of the block; the i-th thread serves the i-th
channel of a signal or wait; everything else goes on at the thread's own speed. It tries one order;
a race shows as a wrong sum, sooner or later.
"""

from __future__ import annotations

import heapq
import random
from typing import Any

THREADS = 4
ELEMENTS = 4  # of a chunk


class Threads:
    """A plan while it runs."""

    def __init__(self, plan: dict[str, Any], seed: int) -> None:
        self.draw = random.Random(seed)
        self.gpus = plan["gpus"]
        self.memory: dict[tuple[int, str, int], int] = {}
        self.count: dict[tuple[Any, ...], int] = {}
        self.arrived: dict[tuple[int, int, int], int] = {}
        self.deals: dict[tuple[int, int, int, int], list[int]] = {}
        for r, gpu in enumerate(self.gpus):
            for x in range(gpu["input_chunks"] * ELEMENTS):
                self.memory[r, "i", x] = self.draw.getrandbits(30)
        self.given = dict(self.memory)

    def run(self) -> bool:
        """One launch after the other, twice; False where nothing moves any more."""
        launch, left = {}, {}
        heap: list[tuple[float, tuple[int, int, int]]] = []
        speed = {}
        at: dict[tuple[int, int, int], int] = {}
        for r, gpu in enumerate(self.gpus):
            launch[r], left[r] = 0, len(gpu["threadblocks"]) * THREADS
            for b in range(len(gpu["threadblocks"])):
                for t in range(THREADS):
                    speed[r, b, t] = 10 ** self.draw.uniform(-2, 1)
                    at[r, b, t] = 0
                    heap.append((0.0, (r, b, t)))
        heapq.heapify(heap)
        idle = 0
        while heap:
            now, who = heapq.heappop(heap)
            r, b, t = who
            ops = self.gpus[r]["threadblocks"][b]["ops"]
            later = now + self.draw.expovariate(1) * speed[who]
            if at[who] == len(ops):
                left[r] -= 1
                if not left[r] and launch[r] == 0:
                    launch[r], left[r] = 1, len(self.gpus[r]["threadblocks"]) * THREADS
                    for b2 in range(len(self.gpus[r]["threadblocks"])):
                        for t2 in range(THREADS):
                            at[r, b2, t2] = 0
                            heapq.heappush(heap, (later, (r, b2, t2)))
                continue
            if self.step(r, b, t, at[who], launch[r], ops[at[who]]):
                at[who] += 1
                idle = 0
            else:
                idle += 1
                later = now + 0.5
                if idle > 50 * len(at):
                    return False
            heapq.heappush(heap, (later, who))
        return True

    def step(self, r: int, b: int, t: int, i: int, launch: int, op: dict[str, Any]) -> bool:
        """What a thread does of an operation; False while it waits."""
        name = op["name"]
        if name == "nop":
            return self.barrier(r, b, t, i, launch)
        if name in ("sem_acquire", "sem_release"):
            return self.semaphore(r, b, t, (i, launch), op)
        if name in ("signal", "wait"):
            return self.signal(r, b, t, (i, launch), op)
        self.data(r, b, t, (i, launch), op)
        return True

    def barrier(self, r: int, b: int, t: int, i: int, launch: int) -> bool:
        key = ("nop", r, b, i, launch)
        if (*key, t) not in self.count:
            self.count[*key, t] = 1
            self.count[key] = self.count.get(key, 0) + 1
        return self.count[key] == THREADS

    def expected(self, key: tuple[Any, ...], ticket: tuple[Any, ...]) -> int:
        """The number of signals that a thread waits for: taken once, when it comes."""
        if ticket not in self.count:
            self.count[ticket] = self.count["expected", *key] = (
                self.count.get(("expected", *key), 0) + 1
            )
        return self.count[ticket]

    def signal(self, r: int, b: int, t: int, when: tuple[int, int], op: dict[str, Any]) -> bool:
        if t >= len(op["channel_ids"]):
            return True
        gpu = self.gpus[r]
        [listed] = gpu["channels"]
        [mine] = gpu["threadblocks"][b]["channels"]
        channel = mine["channel_ids"][op["channel_ids"][t]]
        peer = listed["connected_to"][channel]
        nth = listed["connected_to"][:channel].count(peer)
        if op["name"] == "signal":
            self.count["signal", r, peer, nth] = self.count.get(("signal", r, peer, nth), 0) + 1
            return True
        key = "signal", peer, r, nth
        return self.count.get(key, 0) >= self.expected(key, ("ticket", r, b, t, when))

    def semaphore(self, r: int, b: int, t: int, when: tuple[int, int], op: dict[str, Any]) -> bool:
        if t >= len(op["semaphore_ids"]):
            return True
        key = "semaphore", r, op["semaphore_ids"][t]
        if op["name"] == "sem_release":
            self.count[key] = self.count.get(key, 0) + 1
            return True
        return self.count.get(key, 0) >= self.expected(key, ("ticket", r, b, t, when))

    def data(self, r: int, b: int, t: int, when: tuple[int, int], op: dict[str, Any]) -> None:
        block = self.gpus[r]["threadblocks"][b]
        share = op.get("tbg_info", {"tb_id": 0, "tbg_size": 1})
        sources = [self.elements(r, block, x, share) for x in op["src_buff"]]
        targets = [self.elements(r, block, x, share) for x in op["dst_buff"]]
        deal = self.deals.setdefault(
            (r, b, *when), [self.draw.randrange(THREADS) for _ in range(len(targets[0]))]
        )
        for k, thread in enumerate(deal):
            if thread != t:
                continue
            if op["name"] == "re":
                total = sum(self.memory.get(x[k], 0) for x in sources)
                self.memory[targets[0][k]] = total
            else:
                for source, target in zip(sources, targets, strict=True):
                    self.memory[target[k]] = self.memory.get(source[k], 0)

    def elements(
        self, r: int, block: dict[str, Any], place: dict[str, Any], share: dict[str, int]
    ) -> list[tuple[int, str, int]]:
        rank, kind = r, place.get("type", "")
        if "buffer_id" in place:
            [refs] = block["remote_buffer_refs"]
            remote = self.gpus[r]["remote_buffers"][refs["remote_buffer_ids"][place["buffer_id"]]]
            rank, kind = remote["rank"], remote["type"]
        part = ELEMENTS // share["tbg_size"]
        first = place["index"] * ELEMENTS + share["tb_id"] * part
        return [(rank, kind, x) for x in range(first, first + part)]


def right(plan: dict[str, Any], seed: int) -> bool:
    """Does every rank end with what the collective promises, in this order of threads?"""
    machine = Threads(plan, seed)
    if not machine.run():
        return False
    kind, ranks, given = plan["collective"], len(plan["gpus"]), machine.given
    for r, gpu in enumerate(plan["gpus"]):
        whole = gpu["output_chunks"] * ELEMENTS
        piece = whole // ranks
        for x in range(whole):
            want = {
                "allgather": lambda: given[x // piece, "i", x % piece],  # noqa: B023
                "alltoall": lambda: given[x // piece, "i", r * piece + x % piece],  # noqa: B023
                "allreduce": lambda: sum(given[q, "i", x] for q in range(ranks)),  # noqa: B023
                "reducescatter": lambda: sum(given[q, "i", r * whole + x] for q in range(ranks)),  # noqa: B023
            }[kind]()
            if machine.memory.get((r, "o", x)) != want:
                return False
    return True
