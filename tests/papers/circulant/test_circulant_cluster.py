"""The search for the best circulants on a real Dask cluster of processes."""

from __future__ import annotations

import pytest

from dask_cluster import local_cluster
from hopscape.papers.circulant.search import best_circulants


@pytest.fixture(scope="module")
def cluster():
    with local_cluster(processes=True) as made:
        yield made


def test_a_search_on_a_cluster_is_that_of_one_process(cluster):
    orders = range(30, 50)
    there = list(best_circulants(orders, degree=6, dask=cluster.scheduler_address))
    assert there == list(best_circulants(orders, degree=6, workers=1))
