"""Searches on a real Dask cluster of processes: killed and late workers, the same results, once."""

from __future__ import annotations

import json
import os
import signal
import threading
import time

import pytest

from dask_cluster import local_cluster
from hopscape.store import Store, Task, run_tasks


@pytest.fixture(scope="module")
def cluster():
    with local_cluster(processes=True) as made:
        yield made


def slow_square(x):
    time.sleep(0.15)
    return {"square": x * x, "process": os.getpid()}


def test_killed_workers_lose_nothing_and_late_ones_are_used(cluster, tmp_path):
    from distributed import Client

    with Client(cluster) as client:
        victims = list(client.run(os.getpid).values())
    tasks = [Task(f"square of {x}", (x,), 1.0) for x in range(60)]

    def disturb():
        time.sleep(1.0)
        os.kill(victims[0], signal.SIGKILL)
        cluster.scale(3)

    trouble = threading.Thread(target=disturb)
    with Store(tmp_path / "found.jsonl") as store:
        results = run_tasks(tasks, slow_square, store, dask=cluster.scheduler_address)
        trouble.start()
        found = [
            (task.arguments[0], result["square"], result["process"]) for task, result in results
        ]
        trouble.join()
    assert [(x, square) for x, square, _ in found] == [(x, x * x) for x in range(60)]
    lines = (tmp_path / "found.jsonl").read_text().splitlines()[1:]
    keys = [json.loads(line)["key"] for line in lines]
    assert sorted(keys) == sorted(task.key for task in tasks)  # nothing lost, nothing twice
    late = {process for _, _, process in found} - set(victims)
    assert late
