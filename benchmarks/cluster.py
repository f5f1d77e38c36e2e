"""Searches on a Dask cluster of 1 and 2 worker processes: throughput, and overhead per task.

    python benchmarks/cluster.py [--tasks 200]

Overhead is the wall time of tasks that do nothing, and the processor time that client and scheduler
take for them (which a busy machine does not change much); throughput that of exhaustive searches
of circulants, against one process without Dask in the same run.
"""

from __future__ import annotations

import argparse
import time

from distributed import LocalCluster

from hopscape.papers.circulant.search import search_order
from hopscape.store import Task, run_tasks


def nothing(number: int) -> int:
    """The least a task can do."""
    return number


def timed(tasks: list[Task], work: object, **where: object) -> tuple[float, float]:
    """Seconds for all tasks, and processor seconds of this process, client and scheduler."""
    begin, used = time.perf_counter(), time.process_time()
    for _ in run_tasks(tasks, work, **where):  # type: ignore[arg-type]
        pass
    return time.perf_counter() - begin, time.process_time() - used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=200)
    count = parser.parse_args().tasks
    empty = [Task(f"nothing {i}", (i,)) for i in range(count)]
    search = [Task(f"order {n}", (n, 3, False, 2, n, False), 1.0) for n in range(500, 500 + count)]
    timed(search[:4], search_order, processes=1)
    alone, _ = timed(search, search_order, processes=1)
    print(f"one process, no Dask: {count / alone:.1f} searches/s")
    for workers in (1, 2):
        with LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            worker_dashboard_address=None,
        ) as cluster:
            address = cluster.scheduler_address
            timed(search[:4], search_order, dask=address)
            idle, used = (1000 * seconds / count for seconds in timed(empty, nothing, dask=address))
            busy, _ = timed(search, search_order, dask=address)
        rate = f"{count / busy:.1f} searches/s"
        print(f"{workers} worker(s): {rate}, {idle:.2f} ms per empty task, {used:.2f} of processor")


if __name__ == "__main__":
    main()
