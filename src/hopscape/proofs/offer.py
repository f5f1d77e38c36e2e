"""Which figures have proofs, and the proofs of what a command prints.

A proof file holds one proof, or a list of them: of every network and figure of a table. What is
proved is held against what is printed before anything is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hopscape.core.errors import ArgumentError, CheckFailedError, DisconnectedError, TooLargeError
from hopscape.core.files import write_text
from hopscape.core.network import Network
from hopscape.core.numbers import signed_json
from hopscape.core.schedule import Schedule
from hopscape.proofs import check
from hopscape.proofs.make import (
    Proof,
    prove_bisection,
    prove_circulant,
    prove_collective,
    prove_deadlock_freedom,
    prove_distances,
    prove_throughput,
)

__all__ = ["PROVED", "checker", "prove", "prove_figures", "prove_schedule", "save_proofs"]


def _prove_generators(network: Network) -> Proof:
    """Of a circulant: no other generators have a smaller diameter."""
    from hopscape.families.circulant import Circulant

    if not isinstance(network.family, Circulant):
        raise ArgumentError(f"{network.spec} is no circulant; proofs of 'circulant' need one")
    return prove_circulant(network.order, network.family.generators)


_MAKERS: dict[str, Callable[..., Proof]] = {
    "distances": prove_distances,
    "bisection": prove_bisection,
    "throughput": prove_throughput,
    "deadlock-freedom": prove_deadlock_freedom,
    "circulant": _prove_generators,
}
PROVED: dict[str, str] = {
    "diameter": "distances",
    "mean_distance": "distances",
    "bisection": "bisection",
    "throughput": "throughput",
    "throughput_bound": "throughput",
}
"""Columns of tables whose figures have proofs, and the kind of each."""
_CLOSE = 1e-9
_ROUNDED = 5e-7
"""Throughput is printed to six decimals."""


def prove(network: Network, kind: str = "distances", **options: Any) -> Proof:
    """What :meth:`hopscape.Network.proof` returns."""
    if kind not in _MAKERS:
        raise ArgumentError(f"there are no proofs of {kind!r}; choose {', '.join(_MAKERS)}")
    return _MAKERS[kind](network, **options)


def prove_schedule(schedule: Schedule) -> Proof:
    """What :meth:`hopscape.Schedule.proof` returns."""
    return prove_collective(schedule)


def prove_figures(network: Network, figures: Mapping[str, Any], **options: Any) -> list[Proof]:
    """Proofs of the figures of a network that have any.

    Args:
        figures: Printed values by the name of their column: plain ones, or with how they are known.
        **options: What the makers of these proofs take: of a bisection the ``side`` that is known.

    Raises:
        ArgumentError: When none of the columns has a proof, or none can be written.
        CheckFailedError: When a proof contradicts what is printed.
    """
    kinds = dict.fromkeys(PROVED[name] for name in figures if name in PROVED)
    if not kinds:
        raise ArgumentError(
            f"none of {', '.join(figures)} has a proof; {', '.join(PROVED)} have one"
        )
    proofs, why = [], ""
    for kind in kinds:
        try:
            proof = _MAKERS[kind](network, **options)
        except (ArgumentError, DisconnectedError, TooLargeError) as error:
            why = why or str(error)
            continue
        for name, value in figures.items():
            if PROVED.get(name) == kind:
                _hold_against(proof, name, value)
        proofs.append(proof)
    if not proofs:
        raise ArgumentError(f"{network.spec} has no proof to write: {why}")
    return proofs


def _hold_against(proof: Proof, name: str, figure: Any) -> None:
    """Refuse a proof that contradicts the printed figure."""
    claim = proof.record["claim"]
    keys = {"diameter": ("diameter",) * 2, "mean_distance": ("mean",) * 2}
    low, high = (
        float(check.fraction(claim[key], key)) for key in keys.get(name, ("at_least", "at_most"))
    )
    value = getattr(figure, "value", figure)
    if value is None:
        return
    plain = not hasattr(figure, "low")
    least, most = (value, value) if plain else (figure.low, figure.high)
    if name == "throughput":  # of the network's own routes: no more than any routing reaches
        most = None
    if name == "throughput_bound":  # no routing exceeds it: no less than a flow reaches
        least, most = None, value
    above = least is not None and least > high * (1 + _CLOSE) + _ROUNDED
    below = most is not None and most < low * (1 - _CLOSE) - _ROUNDED
    if above or below:
        raise CheckFailedError(
            f"{name} of {proof.spec} is printed as {value}, and its proof says {proof.verdict}"
        )


def save_proofs(path: str | Path, proofs: Sequence[Proof]) -> None:
    """Write one proof, or a list of them, as JSON; whole or not at all."""
    records = [proof.record for proof in proofs]
    write_text(path, signed_json(records[0] if len(records) == 1 else records))


def checker() -> str:
    """The text of the checker: one file of plain Python that needs no hopscape."""
    return Path(check.__file__).read_text(encoding="utf-8")
