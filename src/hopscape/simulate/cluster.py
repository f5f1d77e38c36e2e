"""Work handed to a Dask cluster, piece by piece."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from hopscape.core.errors import ArgumentError, MissingPackageError

__all__ = ["on_dask"]

_T = TypeVar("_T")
_SECONDS = 5


def on_dask(
    work: Callable[[_T], dict[str, Any]], pieces: Sequence[_T], address: str
) -> Iterator[dict[str, Any]]:
    """Do all pieces on the workers of a scheduler; results come in the order they are finished.

    Parameters
    ----------
    work : callable
        A function of an installed module: every worker needs the same hopscape.
    pieces : sequence
    address : str
        Such as ``tcp://10.0.0.1:8786``.

    Raises
    ------
    ArgumentError
        When no scheduler answers there within a few seconds, or all its workers are gone.
    """
    try:
        from distributed import Client, KilledWorker
        from distributed import as_completed as completed
    except ImportError as error:
        raise MissingPackageError(
            'a Dask cluster needs the package distributed: pip install "hopscape[dask]"'
        ) from error
    if not pieces:
        return
    logging.getLogger("distributed").setLevel(logging.ERROR)
    try:
        client = Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ArgumentError(
            f"dask is {address!r}; no Dask scheduler answers there ({_first_line(error)})"
        ) from error
    with client:
        if not client.scheduler_info()["workers"]:
            raise ArgumentError(f"dask is {address!r}; the scheduler there has no workers")
        futures = client.map(work, pieces, pure=False)
        try:
            for future in completed(futures, loop=client.loop):
                yield future.result()
        except KilledWorker as error:
            raise ArgumentError(
                f"dask is {address!r}; its workers die at this work ({_first_line(error)})"
            ) from error
        finally:
            client.cancel(futures)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
