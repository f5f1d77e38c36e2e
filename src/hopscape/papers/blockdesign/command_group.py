"""What the first page says of the commands about block designs; none of them is imported."""

from __future__ import annotations

from hopscape.cli.overview import CommandGroup

__all__ = ["GROUP"]

GROUP = CommandGroup(
    "Block designs, distributed switches and two-level machines.",
    former={
        "designs": "list",
        "design-blocks": "blocks",
        "design-check": "check",
        "difference-cover": "cover",
        "digraph-table": "digraph",
        "check-permutation": "permutation",
        "route-around": "routes",
        "machines": "machines",
    },
)
