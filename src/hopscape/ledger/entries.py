"""How the claims of a paper are written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hopscape.ledger.claim import Claim, Outcome, PlantedError

__all__ = ["Entries"]

Check = Callable[[], Outcome]


@dataclass(frozen=True)
class Entries:
    """Writes down the claims of one paper.

    Attributes:
        paper: Its key.
        prefix: What the keys of its claims begin with.
        elsewhere: The place given for facts that are not in the paper.
        guard: Put around every check.

    Examples:
        >>> check = lambda: Outcome("holds", "10 nodes")
        >>> Entries("heawood").claim("nodes", "section 1", "there are ten", "counted", check).paper
        'heawood'
    """

    paper: str
    prefix: str = ""
    elsewhere: str = "not in the paper"
    guard: Callable[[Check], Check] = lambda check: check

    def claim(
        self,
        key: str,
        where: str,
        says: str,
        how: str,
        check: Check,
        *plants: PlantedError,
        beyond: bool = False,
    ) -> Claim:
        """A claim of the paper, or with `beyond` a fact beside it."""
        key, check = self.prefix + key, self.guard(check)
        return Claim(key, self.paper, where, says, how, check, plants, beyond)

    def also(self, key: str, says: str, how: str, check: Check, *plants: PlantedError) -> Claim:
        """Something true that the paper does not say."""
        return self.claim(key, self.elsewhere, says, how, check, *plants, beyond=True)
