"""Sweeps through a Dask cluster on this machine: the same points, resumable, clear errors."""

from __future__ import annotations

import time

import pytest

from commands import ask, refused
from dask_cluster import local_cluster
from hopscape.core.errors import ArgumentError
from hopscape.simulate import Settings
from hopscape.simulate.jobs import Job
from hopscape.simulate.sweep import simulate


@pytest.fixture(scope="module")
def cluster():
    with local_cluster(processes=False, protocol="tcp") as made:
        yield made.scheduler_address


JOBS = [
    Job("ring(6)", "uniform", load, Settings(vcs=4, routing=routing), cycles=500, fail_links=links)
    for load in (0.1, 0.3)
    for routing, links in (("fixed", ()), ("valiant", ("0-1@700",)))
]


def _plain(rows):
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]


def test_a_cluster_gives_the_same_points(cluster):
    assert _plain(simulate(JOBS, dask=cluster)) == _plain(simulate(JOBS))


def test_a_sweep_on_a_cluster_goes_on_where_it_was(cluster, tmp_path):
    path = tmp_path / "points.jsonl"
    first = simulate(JOBS[:2], dask=cluster, resume=path)
    whole = simulate(JOBS, dask=cluster, resume=path)
    assert whole[:2] == first
    assert len(path.read_text().splitlines()) == 1 + len(JOBS)
    assert simulate(JOBS, dask="tcp://127.0.0.1:1", resume=path) == whole  # nothing left to do


def test_command(cluster):
    words = ["simulate", "ring(6)", "--vcs", "2", "--load", "0.1,0.2", "--cycles", "300"]
    here, there = (ask(*words, *more)["points"] for more in ([], ["--dask", cluster]))
    assert _plain(here) == _plain(there)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "wrong://127.0.0.1:80"])
def test_nobody_at_the_address(address):
    begin = time.monotonic()
    told = refused("simulate", "ring(6)", "--vcs", "2", "--load", "0.1", "--dask", address)
    assert "no Dask scheduler answers" in " ".join(told.split())
    assert time.monotonic() - begin < 20


def test_errors_of_a_job_come_back_as_they_are(cluster):
    bad = Job("ring(16)", "uniform", 0.1, Settings(vcs=1))
    with pytest.raises(ArgumentError, match="needs 2 virtual channels"):
        simulate([bad], dask=cluster)
