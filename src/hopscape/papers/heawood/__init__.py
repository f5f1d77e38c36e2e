"""The paper 'heawood': its claims, and the studies and pictures that go with it.

`printed` holds what the paper prints, `graph`, `folded`, `expanded`, `performance` and `beyond` the
checks, chapter by chapter.
"""

from hopscape.core.plugins import later

__getattr__ = later(
    __name__,
    {
        "expanded": ("Expanded",),
        "folded": ("Folded",),
    },
)
