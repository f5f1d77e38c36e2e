"""A question from keywords, under the names of the command line's options."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.design.conditions import Conditions
from hopscape.design.floorplan import FloorPlan
from hopscape.design.question import Question, parse_weights
from hopscape.design.requirements import Requirements
from hopscape.design.steps import JobRequirements
from hopscape.design.survival import Survival
from hopscape.design.switched_requirements import SwitchedRequirements

__all__ = ["question_of", "taper_share"]

_KINDS = "nodes and ports for a direct machine, or endpoints and radix for a switched one"
_MESSAGES = ("message", "alpha", "bandwidth", "seed")


def question_of(**demands: Any) -> Question:
    """The question that keywords ask; what is left out, or None, has the default of the command.

    Args:
        **demands: `nodes` and `ports`, or `endpoints` and `radix`; demands such as ``worst=0.5``,
            ``exact=True``, ``survive="switches=1"``, ``floor="4x8x32"``, ``matters="cost=2,power"``
            and ``families="torus,hyperx"`` (or sequences and mappings).

    Raises:
        ArgumentError: For a keyword or a value that the command line would refuse.

    Examples:
        >>> question_of(nodes=16, ports=4, exact=True).title
        'exactly 16 nodes, at most 4 ports'
        >>> question_of(endpoints=64, radix=16, taper="2:1").throughput
        0.5
    """
    given = {name: value for name, value in demands.items() if value is not None}
    direct, switched = (given.keys() & names for names in ({"nodes", "ports"}, _SWITCHED))
    if bool(direct) == bool(switched) or len(direct | switched) < 2:
        named = ", ".join(sorted(direct | switched)) or "none of them"
        raise ArgumentError(f"design needs {_KINDS}; given: {named}")
    kind: type[Requirements | SwitchedRequirements] = Requirements
    if switched:
        kind = JobRequirements if "job" in given else SwitchedRequirements
    _common(given, kind)
    if direct:
        _of_direct(given)
    elif "taper" in given:
        if "throughput" in given:
            raise ArgumentError("throughput and taper say the same; give one of them")
        given["throughput"] = taper_share(given.pop("taper"))
        if given.get("worst", 0) > given["throughput"]:
            raise ArgumentError(
                f"worst is {given['worst']:g}, more than the {given['throughput']:.4g} of the line"
                " rate that taper leaves; take a smaller taper"
            )
    if "island_speed" in given and "island" not in given:
        raise ArgumentError("island_speed is the speed inside islands; it needs island")
    known = {one.name for one in fields(kind)}
    for name in given.keys() - known:
        near = difflib.get_close_matches(name, known | _OTHERS, n=1, cutoff=0.7)
        hint = f"did you mean {near[0]}?" if near else "hopscape design --help lists them"
        raise ArgumentError(f"{name} is unknown for a {kind.kind} machine; {hint}")
    return kind(**given)


_SWITCHED = {"endpoints", "radix"}
_OTHERS = {"floor", "matters", "remaining", "at_least", "exact", "taper", *_MESSAGES}


def _common(given: dict[str, Any], kind: type[Requirements | SwitchedRequirements]) -> None:
    """What both kinds write in words becomes what a question has."""
    matters, families = given.pop("matters", None), given.pop("families", None)
    if isinstance(matters, Mapping):
        matters = ",".join(f"{name}={weight}" for name, weight in matters.items())
    given["weights"] = parse_weights(matters, kind.criteria) if matters else kind.default_weights
    given["weights"] = dict(given["weights"])
    if isinstance(families, str):
        families = [name.strip() for name in families.split(",") if name.strip()]
    given["families"] = tuple(families or ())
    floor, survive = given.pop("floor", None), given.get("survive")
    if floor is not None:
        given["plan"] = FloorPlan.parse(floor) if isinstance(floor, str) else floor
    remaining = given.pop("remaining", None)
    if isinstance(survive, str):
        given["survive"] = Survival.parse(survive, remaining)
    elif remaining is not None:
        raise ArgumentError("remaining is what must remain after failures; it needs survive")


def _of_direct(given: dict[str, Any]) -> None:
    exact, at_least = given.pop("exact", False), given.pop("at_least", False)
    given["size"] = "exactly" if exact else "at least" if at_least else "about"
    said = {name: given.pop(name) for name in _MESSAGES if name in given}
    given["conditions"] = Conditions(plan=given.pop("plan", None), **said)


def taper_share(text: str) -> float:
    """The share of the line rate of a taper such as 2:1.

    Examples:
        >>> taper_share("4:1")
        0.25
    """
    try:
        ends, up = (float(word) for word in text.split(":"))
        share = up / ends
    except (ValueError, ZeroDivisionError):
        share = math.nan
    if not 0 < share <= 1:
        raise ArgumentError(
            f"--taper is {text!r}; it must be endpoints to uplinks, such as 2:1, and not below 1:1"
        )
    return share
