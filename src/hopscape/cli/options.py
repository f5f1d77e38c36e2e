"""Options and arguments that several commands take: one word for one thing.

What has a name here has it in every command. An option counts as given when the user typed it, or
wrote it into the file of --config: what its value is does not matter.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from hopscape.core.errors import ArgumentError

if TYPE_CHECKING:
    from hopscape.core.network import Network

__all__ = [
    "FORMER_NAMES",
    "OUTPUT_PANEL",
    "ConfigOption",
    "DaskOption",
    "DeadLinkOption",
    "DeadOption",
    "DeviceOption",
    "DiesOption",
    "ExactOption",
    "FloorOption",
    "FolderOption",
    "ForceOption",
    "OptionGroup",
    "OptionalFolderOption",
    "ProofOption",
    "ResumeOption",
    "RouterOption",
    "RoutingOption",
    "ScheduleArgument",
    "SeedOption",
    "SpecArgument",
    "WorkersOption",
    "former_options",
    "given",
    "hint_at",
    "note_given",
    "option",
    "read_dead_links",
    "read_numbers",
    "refuse",
    "time_limit_option",
]


def option(help: str, *names: str, **more: Any) -> Any:
    """An option with its help text; its name is that of the parameter unless others are given."""
    return typer.Option(*names, help=help, **more)


def time_limit_option(help: str) -> Any:
    """Seconds that something may take; the help says what."""
    return option(help, "--time-limit", metavar="SECONDS")


OUTPUT_PANEL = "Output and settings"
"""Panel of the help for what all commands have: where the result goes, and in which form."""
_FAULTS_PANEL = "Faults"


class OptionGroup:
    """Options of a command that belong together: a frozen dataclass, each field an option.

    A command with a parameter of such a type takes its fields as options.

    Attributes:
        title: The panel of the help where they stand.
        keys: Parameters that ask for this group. Help shows the group that was asked for, and of
            the others nothing; the keys of all when none was.
    """

    title: ClassVar[str] = ""
    keys: ClassVar[tuple[str, ...]] = ()


ConfigOption: dict[str, Any] = {
    "param_decls": ["--config", "config"],
    "metavar": "FILE",
    "help": "Read options from this TOML file; those typed win.",
    "rich_help_panel": OUTPUT_PANEL,
}
DeadOption = Annotated[
    list[str] | None,
    option("A dead node (repeatable).", "--dead", metavar="NODE", rich_help_panel=_FAULTS_PANEL),
]
DeadLinkOption = Annotated[
    list[str] | None,
    option(
        "A dead link (repeatable).", "--dead-link", metavar="A-B", rich_help_panel=_FAULTS_PANEL
    ),
]
DiesOption = Annotated[
    list[str] | None,
    option(
        "A part that fails during the run: NODE@ROUND or A-B@ROUND (repeatable).",
        "--dies",
        metavar="PART@ROUND",
        rich_help_panel=_FAULTS_PANEL,
    ),
]
RouterOption = Annotated[
    str, option("auto, closed (formula), table, search, or a family's own.", "--router")
]
ResumeOption = Annotated[
    Path | None,
    option("File of finished work; a later run continues from there.", "--resume", metavar="FILE"),
]
WorkersOption = Annotated[
    int | None,
    option("Worker processes (default: by the work and the machine).", "--workers", metavar="N",
           min=1),
]  # fmt: skip
DaskOption = Annotated[
    str | None, option("Work on this Dask scheduler, such as tcp://HOST:8786.", "--dask")
]
DeviceOption = Annotated[
    Literal["cpu", "gpu"],
    option("Where to compute; 'gpu' needs the extra gpu and CUDA.", "--device"),
]
ExactOption = Annotated[
    bool, option("Compute in full; no closed form, symmetry or sample.", "--exact")
]
FloorOption = Annotated[str | None, option("Rows x racks x slots, such as 4x8x32.", "--floor")]


def read_folder(text: str) -> Path:
    """The folder of an option; no text is none, not the current folder."""
    if not str(text).strip():
        raise typer.BadParameter("it is empty; name a folder, or . for this one")
    return Path(text)


FolderOption = Annotated[
    Path,
    option("The folder; created if missing.", "--out", metavar="DIR", parser=read_folder),
]
OptionalFolderOption = Annotated[
    Path | None,
    option("Also write files into this folder.", "--out", metavar="DIR", parser=read_folder),
]
ForceOption = Annotated[
    bool, option("Overwrite files in the folder that hopscape did not write.", "--force")
]
ProofOption = Annotated[
    Path | None,
    option("Write the proof: JSON that hopscape-check (check.py) accepts.", "--proof",
           metavar="FILE", rich_help_panel=OUTPUT_PANEL),
]  # fmt: skip
RoutingOption = Annotated[str, option("fixed, adaptive, valiant or ugal.", "--routing")]
ScheduleArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A schedule: .json or .npz.")
]
SeedOption = Annotated[int, option("Random seed.", "--seed")]
SpecArgument = Annotated[
    str, typer.Argument(metavar="SPEC", help="A spec such as 'torus(8, 8)', or a graph file.")
]

FORMER_NAMES: Mapping[str, Mapping[str, str]] = {
    "": {
        "--jobs": "--workers",
        "--processes": "--workers",
        "--table": "--resume",
        "--seconds": "--time-limit",
        "--folder": "--out",
        "--fail-node": "--dead",
        "--fail-link": "--dead-link",
        "--dead-node": "--dead",
        "--dead-switch": "--dead",
        "--keep": "--top",
        "--limit": "--budget",
        "--ways": "--multiplicity",
    },
    "design": {"--from": "--config"},
    "multiring": {"--output": "--out", "-o": "--out"},
    "heawood": {"FOLDER": "--out"},
    "rpc": {"FOLDER": "--out"},
}
"""Names of options in the release before, by command; those of the empty name in every command.

An old name is taken, with a hint, where the command has the new one and no other option of the old
name; FOLDER stands for an argument that is an option now. They go with the next release.
"""


def former_options(command: str, names: Iterable[str]) -> dict[str, str]:
    """Old names that a command takes, and what they are called now.

    Args:
        command: Its name.
        names: The names of its options.
    """
    known = set(names)
    renamed = {**FORMER_NAMES[""], **FORMER_NAMES.get(command, {})}
    return {old: new for old, new in renamed.items() if new in known and old not in known}


_given: dict[str, str] = {}


def note_given(names: Mapping[str, str]) -> None:
    """Say which parameters of the command that runs were given, and how their options are called.

    Called by the parser only; the commands ask :func:`given` and :func:`refuse`.
    """
    _given.clear()
    _given.update(names)


def note_also(name: str, option: str) -> None:
    """Say that a parameter was given in another form than by its option."""
    _given[name] = option


def given(*names: str) -> bool:
    """Was one of these parameters typed by the user, or set by the file of --config?"""
    return any(name in _given for name in names)


def refuse(names: Iterable[str], why: str) -> None:
    """Refuse the first of these parameters that was given: an option is honoured or refused.

    Args:
        why: The rest of a sentence that begins with the name of the option.
    """
    for name in names:
        if name in _given:
            raise ArgumentError(f"{_given[name]} {why}")


def hint_at(old: str, new: str) -> None:
    """Say once more how something is written today; the old form still works."""
    print(
        f"hopscape: '{old}' is now '{new}'; the old form will be removed in the next release",
        file=sys.stderr,
    )


def read_numbers(text: str, name: str, most: int) -> list[int]:
    """Whole numbers and ranges of an option, such as 16,32 or 7:1000 (both ends included).

    Raises:
        ArgumentError: For anything else (7..1000, as it was written once, with the new form), an
            empty range, and more than `most` numbers.

    Examples:
        >>> read_numbers("3,7:9", "nodes", 100)
        [3, 7, 8, 9]
    """
    if ".." in text:
        raise ArgumentError(f"{name} is {text!r}; ranges are written {text.replace('..', ':')}")
    out: list[int] = []
    for word in text.split(","):
        first, mark, last = word.strip().partition(":")
        if not all(one.isdecimal() and len(one) < 19 for one in (first, *([last] if mark else []))):
            raise ArgumentError(
                f"{name} is {text!r}; give numbers and ranges such as 16,32 or 7:1000"
            )
        low, high = int(first), int(last or first)
        if low > high:
            raise ArgumentError(f"{name} is {text!r}; the range {word.strip()} is empty")
        if len(out) + high - low >= most:
            raise ArgumentError(f"{name} is {text!r}; at most {most:,} at a time")
        out += range(low, high + 1)
    return out


def read_dead_links(network: Network, texts: Sequence[str] | None) -> list[tuple[int, int]]:
    """The ends of links as --dead-link has them: A-B, or 'A - B' for addresses with a dash.

    Raises:
        ArgumentError: For what is not two nodes with a link between them.
    """
    from hopscape.core.faults import read_link

    return [read_link(network, text) for text in texts or ()]
