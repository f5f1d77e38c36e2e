"""The command demo: a tour of five commands."""

from __future__ import annotations

import shlex

from hopscape.cli.options import refuse
from hopscape.cli.output import say

__all__ = ["demo"]

_TOUR = [
    ("A network is named by a spec. This is what is known of one, and how it is known.",
     ["show", "torus(4, 4)"]),
    ("Routes come from a closed form where there is one: no tables, whatever the size.",
     ["route", "torus(4, 4)", "0", "(2, 3)"]),
    ("Collectives are schedules: who sends what to whom in which round. All algorithms that apply"
     " are tried, each schedule is verified, and a lower bound stands beside it.",
     ["broadcast", "torus(4, 4)"]),
    ("Can the routes deadlock, and how many virtual channels prevent it?",
     ["deadlock", "torus(4, 4)"]),
    ("Networks side by side. A sign before a number says that it is a bound, not exact.",
     ["compare", "torus(4, 4)", "hypercube(4)", "circulant(16, 1, 6)"]),
]  # fmt: skip


def demo() -> None:
    """Take a tour: five commands, each with a sentence on what it answers."""
    from hopscape.cli.app import app

    refuse(("style", "output", "columns", "wide"), "does not go with demo, which runs others")
    for step, (sentence, words) in enumerate(_TOUR, 1):
        say("", f"{step}. {sentence}")
        print(f"$ hopscape {shlex.join(words)}", flush=True)
        app(args=words, prog_name="hopscape", standalone_mode=False)
    say("", "Next: hopscape design --nodes 64 --ports 4, or hopscape docs start.")
