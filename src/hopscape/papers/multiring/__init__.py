"""The paper 'multiring': its claims, and the studies and pictures that go with it."""

from hopscape.core.plugins import later

__getattr__ = later(
    __name__,
    {
        "families": (
            "Multiring",
            "SparseMultiring",
        ),
        "tables": (
            "full_lines",
            "sparse_lines",
        ),
    },
)
