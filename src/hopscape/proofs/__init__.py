"""Proofs that can be carried away: evidence for results, and a checker that needs no hopscape."""

from hopscape.core.plugins import later

__getattr__ = later(
    __name__,
    {
        "make": (
            "Proof",
            "prove_bisection",
            "prove_circulant",
            "prove_collective",
            "prove_deadlock_freedom",
            "prove_distances",
            "prove_throughput",
        ),
        "machine": ("PartPrices", "prove_machine"),
        "offer": ("PROVED", "checker", "prove", "prove_figures", "prove_schedule", "save_proofs"),
    },
)
