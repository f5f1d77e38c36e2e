"""Packages that hopscape can do without: tests that need one that is not installed are skipped.

Whatever asks for it: an import in a test, hopscape itself, or a command that is run.
"""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest

__all__ = ["skip_without_its_package", "skip_without_package_of"]


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


ABSENT = {
    name
    for name in (
        *("cupy", "dask", "distributed", "griffe", "hatchling", "igraph", "jsonschema", "mkdocs"),
        *("mpi4py", "networkit", "ortools", "pandas", "playwright", "polars", "pyarrow"),
        *("rustworkx", "galois"),
    )
    if not _is_installed(name)
}
"""Not installed here; found out once, since tests hide packages from hopscape on purpose."""


def skip_without_its_package(error: BaseException) -> None:
    """Skip the test if a package that is not installed is behind an error."""
    behind: BaseException | None = error
    while behind is not None:
        name = (behind.name or "") if isinstance(behind, ImportError) else ""
        if name.partition(".")[0] in ABSENT:
            pytest.skip(f"needs the package {name}")
        behind = behind.__cause__ or behind.__context__


def skip_without_package_of(complaint: str) -> None:
    """Skip the test if a command complains of a package that is not installed."""
    for name in re.findall(r"needs? the package\s+(\w+)", complaint):
        if name in ABSENT:
            pytest.skip(f"needs the package {name}")
