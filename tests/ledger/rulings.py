"""Rulings that are known, claim by claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import pytest

from hopscape.ledger import Claim, Outcome, run_claim


def rulings(
    names: Iterable[str],
    prefix: str = "",
    *,
    corrected: Iterable[str] = (),
    refuted: Iterable[str] = (),
    undecided: Iterable[str] = (),
) -> dict[str, str]:
    """Rulings by key: the claims hold, except for those that are named."""
    known = dict.fromkeys(names, "holds") | dict.fromkeys(corrected, "holds corrected")
    known |= dict.fromkeys(refuted, "refuted") | dict.fromkeys(undecided, "open")
    return {prefix + name: ruling for name, ruling in known.items()}


class JudgedClaims:
    """Tests of the claims of a paper; a subclass says what is known of them.

    Attributes:
        claims: sequence of Claim
        prefix (str): Of all keys; left out of the names below.
        rulings (dict): By key.
        beyond, unplanted (set of str): Claims that the paper does not make, and claims without
            plants.
        texts (tuple of (name, words)): What the text of a claim says.
    """

    claims: ClassVar[Sequence[Claim]]
    prefix: ClassVar[str] = ""
    rulings: ClassVar[Mapping[str, str]]
    beyond: ClassVar[set[str]]
    unplanted: ClassVar[set[str]] = set()
    texts: ClassVar[tuple[tuple[str, str], ...]]

    @pytest.fixture(scope="class")
    @classmethod
    def found(cls) -> dict[str, Outcome]:
        """What the checks find, by the claims' names."""
        return {c.key.removeprefix(cls.prefix): run_claim(c).outcome for c in cls.claims}

    def test_every_claim_is_judged_as_known(self, found: dict[str, Outcome]) -> None:
        assert len(found) == len(self.claims)
        assert {self.prefix + name: one.ruling for name, one in found.items()} == self.rulings
        names = {claim.key.removeprefix(self.prefix): claim for claim in self.claims}
        assert {name for name, claim in names.items() if claim.beyond} == self.beyond
        assert {name for name, claim in names.items() if not claim.plants} == self.unplanted

    def test_texts_carry_what_was_measured(self, found: dict[str, Outcome]) -> None:
        for name, words in self.texts:
            assert words in f"{found[name].measured}; {found[name].note}", name

    def test_a_refutation_carries_its_counter_example(self, found: dict[str, Outcome]) -> None:
        for name, outcome in found.items():
            if outcome.ruling == "refuted":
                assert any(sign.isdigit() for sign in outcome.note), name
