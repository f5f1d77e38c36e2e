"""What the cheapest machine of a ranking costs, and what none costs less than, as a proof."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from hopscape.core.errors import ArgumentError, CheckFailedError
from hopscape.design.bill import priced
from hopscape.design.candidates import Candidate
from hopscape.design.prices import PriceList
from hopscape.design.question import Question
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.proofs.machine import PartPrices, least_cost, prove_machine
from hopscape.proofs.make import Proof
from hopscape.registry import build

__all__ = ["no_less", "prove_cost", "require_provable"]

_CENTS = 0.05
"""Of a machine's cost: lengths of cables are written to the millimetre."""
_QUICK_RADIX = 144  # ports up to which the bound alone takes a few seconds at most


def require_provable(asked: Question) -> SwitchedRequirements:
    """Refuse questions about whose machines no proof of costs can be written.

    Raises:
        ArgumentError: For direct machines, which have no price, and several lines an endpoint.
    """
    if not isinstance(asked, SwitchedRequirements):
        raise ArgumentError("only switched machines (--endpoints, --radix) have costs to prove")
    if asked.nics > 1:
        raise ArgumentError(f"proofs of costs are for one line an endpoint; --nics is {asked.nics}")
    return asked


def prove_cost(machine: Candidate, question: Question) -> Proof:
    """Proof of what a machine costs, and of a lower bound on the cost of all machines.

    The bound holds for machines of every kind, whatever their wiring, endpoints dealt evenly or
    not, that carry the uniform traffic asked for; what else was asked can only make them dearer.

    Raises:
        ArgumentError: Where there is no proof.
    """
    asked = require_provable(question)
    network = build(machine.spec)
    placed, bill = priced(network, asked.plan, asked.price_list)
    proof = prove_machine(
        network,
        _parts(asked.price_list),
        placed.lengths,
        radix=asked.radix,
        throughput=asked.throughput,
    )
    cost = float(Fraction(str(proof.record["claim"]["cost"])))
    printed = float(machine.value("money"))
    if abs(cost - printed) > _CENTS or abs(cost - bill.cost) > _CENTS:
        raise CheckFailedError(f"{machine.spec} costs {printed}, by its proof {cost}")
    return proof


@lru_cache(maxsize=64)
def _least(ends: int, radix: int, throughput: float, prices: PriceList) -> float:
    return least_cost(ends, radix, throughput, _parts(prices))


def no_less(question: Question) -> float | None:
    """What no machine that meets the demands costs less than; None where that is not known.

    Of any wiring, with endpoints dealt in any way, all cables counted as the cheapest.

    Examples:
        >>> no_less(SwitchedRequirements(128, 32))
        99390.29
    """
    if not isinstance(question, SwitchedRequirements) or question.radix > _QUICK_RADIX:
        return None
    if question.nics > 1 or question.island > 1:
        return None
    ends, radix, share = question.endpoints, question.radix, question.throughput
    return _least(ends, radix, share, question.price_list)


def _parts(prices: PriceList) -> PartPrices:
    return PartPrices(
        [(int(item.size), item.price) for item in prices.switches],
        [
            (None if math.isinf(item.size) else item.size, item.price, item.per_metre)
            for item in prices.cables
        ],
        prices.nic.price,
        prices.currency,
    )
