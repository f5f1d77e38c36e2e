"""The explorer: networks as a page to look at, turn, break and play with.

The front-end is built from the sources under ``web/`` into ``assets/``.
"""

from hopscape.show.explore.page import page
from hopscape.show.explore.payload import payload

__all__ = ["page", "payload"]
