"""Some networks as a page, in seconds: the finalists of a design beside its report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from hopscape.core.errors import HopscapeError
from hopscape.core.files import make_folder, write_text
from hopscape.explore.page import page
from hopscape.explore.payload import payload
from hopscape.registry import build

__all__ = ["EXPLORER", "write_explorer"]

EXPLORER = "explorer.html"
_SHOWN = 3
_SECONDS = 3.0
_MOST_LINKS = 20_000


def write_explorer(specs: Sequence[str], folder: str | Path) -> str:
    """Write the page of the first few of them; its name, or an empty text where there is none.

    Schedules and loads are left to ``hopscape explore SPEC``, so that the page is there in seconds.
    """
    payloads = []
    begin = time.monotonic()
    for spec in specs[:_SHOWN]:
        if time.monotonic() - begin > _SECONDS:
            break
        try:
            network = build(spec)
            if network.links <= _MOST_LINKS:
                payloads.append(
                    payload(network, schedules=(), traffic=(), bisection=False, deadlock=False)
                )
        except HopscapeError:  # too large for a page
            continue
    if not payloads:
        return ""
    write_text(make_folder(Path(folder)) / EXPLORER, page(payloads))
    return EXPLORER
