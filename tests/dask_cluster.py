"""A Dask cluster on this machine."""

from __future__ import annotations

from typing import Any

import pytest


def local_cluster(**more: Any) -> Any:
    """Two workers of one thread each, without pages to look at."""
    distributed = pytest.importorskip("distributed")
    return distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        worker_dashboard_address=None,
        **more,
    )
