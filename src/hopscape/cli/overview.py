"""All commands: in which panel of the first page they stand, and where they are.

A command is a function, written ``module:function``; its module is imported when it runs. The
toolkit's own stand here, in modules of :mod:`hopscape.cli.commands`. Packages, and the papers among
them, add theirs by entry points ``hopscape.commands``, a member of a group with a dot
(``multiring.capacity``), and studies by ``hopscape.studies``.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hopscape.core.plugins import load_plugin, plugin_entries
from hopscape.core.tables import wrap

__all__ = ["CommandGroup", "Contents", "contents", "former_name", "print_jobs", "print_overview"]

_COMMON = {"Collectives": "Schedules of collective communication, checked, with a lower bound."}
"""Panels whose commands are listed by name only, with what they have in common."""


@dataclass(frozen=True)
class CommandGroup:
    """A group of commands that a package adds: what an entry point without a dot names.

    Attributes:
        summary: One line for the first page.
        bare: The member that answers when the first argument names no member.
        former: Commands that were renamed: the old name, and the member that it is now.
    """

    summary: str
    bare: str = ""
    former: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Contents:
    """All commands: panels of the first page, groups with their members, and where each one is."""

    panels: Mapping[str, Mapping[str, str]]
    groups: Mapping[str, tuple[str, Mapping[str, str]]]


@cache
def contents() -> Contents:
    """The toolkit's commands and those that packages add; no command is imported."""
    own = {name: f"hopscape.cli.commands.{place}" if place else ""
           for members in _PANELS.values() for name, place in members.items()}  # fmt: skip
    panels = {panel: {name: own[name] for name in members} for panel, members in _PANELS.items()}
    groups = {
        name: (text, {one: f"hopscape.cli.commands.{place}" for one, place in members.items()})
        for name, (text, members) in _GROUPS.items()
    }
    for name, entry in plugin_entries("studies").items():
        groups["study"][1][name] = entry.value
    added = plugin_entries("commands")
    for name, entry in added.items():
        group, dot, member = name.partition(".")
        if not dot:
            panels[_ADDED][group] = "" if is_group(group) else entry.value
            continue
        if group not in groups:
            groups[group] = ("", {})
        groups[group][1][member] = entry.value
    return Contents(panels, groups)


def is_group(name: str) -> bool:
    """Has a command of this name members?"""
    return name in _GROUPS or any(one.startswith(f"{name}.") for one in plugin_entries("commands"))


def added_group(name: str) -> CommandGroup | None:
    """What a package says of a group of commands that it adds."""
    entry = plugin_entries("commands").get(name)
    group = load_plugin(entry) if entry is not None and is_group(name) else None
    return group if isinstance(group, CommandGroup) else None


def former_name(name: str) -> tuple[str, str] | None:
    """Where a command of the release before is, and what it is called now."""
    if name in _OLD:
        place, new = _OLD[name]
        return f"hopscape.cli.commands.{place}", new
    for group in plugin_entries("commands"):
        known = added_group(group)
        if known is not None and name in known.former:
            member = known.former[name]
            return contents().groups[group][1][member], f"{group} {member}"
    return None


def print_overview(commands: Mapping[str, Any]) -> None:
    """Print the commands by panels, one line each.

    Args:
        commands: The commands by name.
    """
    from rich.console import Console
    from rich.text import Text

    width = _room()
    console = Console() if sys.stdout.isatty() else Console(width=width, no_color=True)
    for line in _lines(commands, width):
        bold = bool(line) and not line.startswith(" ") and line in contents().panels
        console.print(Text(line, "bold" if bold else ""), soft_wrap=True)


def _room() -> int:
    """Columns of the terminal, as many as can be read."""
    return min(shutil.get_terminal_size((100, 50)).columns, 100)


_JOBS = {
    "Which network should I build?": "design --endpoints 256 --radix 32",
    "What is this network, and which one is better?": 'compare "torus(8, 8)" "hypercube(6)"',
    "How do I get from one node to another?": 'route "torus(8, 8)" 0 "(3, 4)" --disjoint',
    "How do I all-reduce on it, and how close is that to the optimum?":
        'allreduce "torus(4, 4)" --bytes 1MB',
    "Will it hold up under load?": 'simulate "torus(8, 8)" --load 0.1:0.7:0.1',
    "What does it look like?": 'explore "torus(6, 6)" -o page.html',
}  # fmt: skip
"""What people come for, with a command each."""


_NEXT = {
    "hopscape demo": "a tour of five commands, explained",
    "hopscape --help": "all commands",
    "hopscape families": "what 'torus(8, 8)' may be; your own graph file serves as well",
}


def print_jobs() -> None:
    """Print what hopscape answers, for somebody who has typed its name only."""
    width = _room()
    out = wrap("hopscape: which network should I build, how do I use it, will it hold up?", width)
    for question, command in _JOBS.items():
        out += ["", *(f"  {line}" for line in wrap(question, width - 2)), f"    hopscape {command}"]
    out.append("")
    for command, text in _NEXT.items():
        first, *rest = wrap(text, width - 20)
        out += [f"{command:<20}{first}", *(" " * 20 + line for line in rest)]
    print("\n".join(out))


def _lines(commands: Mapping[str, Any], width: int) -> list[str]:
    main = "Which network should I build, how do I route and broadcast on it, will it hold up?"
    out = wrap("Usage: hopscape COMMAND ...   (hopscape COMMAND --help says more)", width)
    out += ["", *wrap(main, width)]
    name_width = max(len(name) for name in commands)
    for panel, members in contents().panels.items():
        out += ["", panel]
        if panel in _COMMON:
            names = wrap(", ".join(members), width - 2)
            out += [f"  {line}" for line in [*names, *wrap(_COMMON[panel], width - 2)]]
            continue
        for name in members:
            text = _brief(commands[name].get_short_help_str(1000), width - name_width - 4)
            out.append(f"  {name:{name_width}}  {text}")
    ending = (
        "A SPEC is a call such as 'torus(8, 8)' or 'product(petersen, ring(8))', or a graph file;"
        " 'hopscape families' lists what there is, 'hopscape explain' says what tables mean."
        " --version prints the version, --install-completion teaches your shell."
    )
    return [*out, "", *wrap(ending, width)]


def _brief(text: str, width: int) -> str:
    """As much of a sentence as fits, ended where it may end."""
    text = text.rstrip(".")
    for mark in (": ", ", ", " (", "; "):
        if len(text) > width:
            text = text.split(mark)[0]
    return wrap(text, width)[0]


_ADDED = "Papers and packages"

_PANELS: dict[str, dict[str, str]] = {
    "Find and judge": {
        "design": "design:design",
        "prices": "design:prices",
        "compare": "networks:compare",
        "show": "networks:show",
        "families": "networks:families",
        "explain": "networks:explain",
        "distances": "networks:distances",
        "bisection": "judging:bisection",
        "structure": "judging:structure",
        "embed": "judging:embed",
        "draw": "networks:draw",
        "explore": "explore:explore",
    },
    "Route and survive": {
        "route": "routing:route",
        "deadlock": "judging:deadlock",
    },
    "Collectives": {
        "broadcast": "collectives:broadcast",
        "reduce": "collectives:reduce",
        "scatter": "collectives:scatter",
        "gather": "collectives:gather",
        "multicast": "collectives:multicast",
        "allgather": "collectives:allgather",
        "reduce-scatter": "collectives:reduce_scatter",
        "allreduce": "collectives:allreduce",
        "alltoall": "collectives:alltoall",
        "permute": "collectives:permute",
        "verify": "collectives:verify",
    },
    "Load": {
        "load": "judging:load",
        "simulate": "simulate:simulate",
        "step": "step:step",
    },
    "Search, files and studies": {
        "search": "",
        "export": "networks:export",
        "handover": "handover:handover",
        "check": "handover:check",
        "compare-fabric": "handover:compare_fabric",
        "run-mpi": "handover:run_mpi",
        "emit": "emit:emit",
        "study": "",
        "ledger": "manual:ledger",
        "docs": "manual:docs",
        "demo": "tour:demo",
        "warm-up": "manual:warm_up",
    },
    _ADDED: {},
}

_GROUPS: dict[str, tuple[str, dict[str, str]]] = {
    "search": (
        "Search for the best networks of a kind.",
        {"graph": "graph:search_graph"},
    ),
    "study": (
        "Reproduce a study: tables and figures into a folder.",
        {"which-network": "design:which_network", "load": "simulate:study_load"},
    ),
}

_OLD: dict[str, tuple[str, str]] = {"detour": ("routing:detour", "route --dead")}
"""Names of the release before: where the command is, and what it is called now."""
