"""What a shell completes: specs, families, traffic, columns, algorithms, pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hopscape.core.files import FABRIC_ENDINGS, GRAPH_ENDINGS

__all__ = ["completer"]

Completer = Callable[[Any, Any, str], list[str]]


def completer(name: str) -> Completer | None:
    """What completes a parameter of this name, if anything does."""
    return _COMPLETERS.get(name)


def _beginning(words: Iterable[str], typed: str) -> list[str]:
    return sorted(word for word in words if word.startswith(typed))


def _after_commas(words: Iterable[str], typed: str) -> list[str]:
    """Complete the last of several words with commas between them."""
    done, comma, last = typed.rpartition(",")
    return [f"{done}{comma}{word}" for word in _beginning(words, last)]


def _families() -> list[str]:
    from hopscape.core.plugins import plugin_entries

    return list(plugin_entries("families"))


def _specs(ctx: Any, param: Any, typed: str) -> list[str]:
    return _beginning(_families(), typed) + _files(typed, (*GRAPH_ENDINGS, *FABRIC_ENDINGS))


def _files(typed: str, endings: Sequence[str], folders: bool = False) -> list[str]:
    """Files of these endings, and folders that may hold some."""
    folder = Path(typed).parent
    if not folder.is_dir():
        return []
    files = [str(p) for p in folder.glob("*") if p.suffix in endings]
    if typed or folders:
        files += [f"{p}/" for p in folder.glob("*") if p.is_dir() and not p.name.startswith(".")]
    return _beginning(files, typed)


def _schedules(ctx: Any, param: Any, typed: str) -> list[str]:
    return _files(typed, (".json", ".npz"))


def _settings(ctx: Any, param: Any, typed: str) -> list[str]:
    return _files(typed, (".toml",))


def _jobs(ctx: Any, param: Any, typed: str) -> list[str]:
    """A job file, or a folder of traces."""
    return _files(typed, (".toml",), folders=True)


def _prices(ctx: Any, param: Any, typed: str) -> list[str]:
    from hopscape.design.prices import price_lists

    return _beginning(price_lists(), typed) + _files(typed, (".toml",))


def _routings(ctx: Any, param: Any, typed: str) -> list[str]:
    asked = ("minimal", "valiant", "adaptive", "optimal")
    return _beginning(
        asked if ctx.info_name == "design" else ("fixed", "adaptive", "valiant", "ugal"), typed
    )


def _criteria(ctx: Any, param: Any, typed: str) -> list[str]:
    from hopscape.design.question import CRITERIA, SWITCHED_CRITERIA

    return _after_commas({*CRITERIA, *SWITCHED_CRITERIA}, typed)


def _family_list(ctx: Any, param: Any, typed: str) -> list[str]:
    return _after_commas(_families(), typed)


def _one_family(ctx: Any, param: Any, typed: str) -> list[str]:
    return _beginning(_families(), typed)


def _traffic(ctx: Any, param: Any, typed: str) -> list[str]:
    from hopscape.simulate.traffic import PATTERNS

    return _beginning(PATTERNS, typed)


def _columns(ctx: Any, param: Any, typed: str) -> list[str]:
    from hopscape.design.columns import ALL_COLUMNS

    return _after_commas(ALL_COLUMNS, typed)


def _words(ctx: Any, param: Any, typed: str) -> list[str]:
    from hopscape.cli.glossary import glossary

    return _beginning({word.name for word in glossary()}, typed)


def _algorithms(ctx: Any, param: Any, typed: str) -> list[str]:
    """Those of the network that stands on the line already, for this collective."""
    from hopscape.cli.commands.collectives import GOALS
    from hopscape.collectives import algorithms
    from hopscape.core.errors import HopscapeError
    from hopscape.core.goal import Goal
    from hopscape.registry import build

    kind = GOALS[ctx.info_name].kind if ctx.info_name in GOALS else ""
    make = getattr(Goal, kind.replace("-", "_"), None)
    known: list[str] = []
    if make is not None and kind not in ("one-to-many", "permutation"):
        with suppress(HopscapeError, KeyError, IndexError):
            goal = make() if kind.startswith("all-") else make(0)
            known = list(algorithms(build(ctx.params["spec"] or _typed_spec(ctx)), goal))
    return _beginning({*known, "generic", "list"}, typed)


def _typed_spec(ctx: Any) -> str:
    """The word after the command: options that still lack their value hide it from the parser."""
    import shlex

    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    with suppress(ValueError):
        words = shlex.split(line)
        return words[words.index(ctx.info_name) + 1]
    return ""


def _pages(ctx: Any, param: Any, typed: str) -> list[str]:
    from hopscape.cli.commands.manual import manual_folder

    folder = manual_folder()
    return _beginning(
        (p.relative_to(folder).with_suffix("").as_posix() for p in folder.rglob("*.md")), typed
    )


_COMPLETERS: dict[str, Completer] = {
    "spec": _specs,
    "specs": _specs,
    "on": _specs,
    "guest": _specs,
    "host": _specs,
    "job": _jobs,
    "families": _family_list,
    "name": _one_family,
    "traffic": _traffic,
    "columns": _columns,
    "column": _words,
    "algorithm": _algorithms,
    "page": _pages,
    "file": _schedules,
    "schedule": _schedules,
    "config": _settings,
    "prices": _prices,
    "price_list": _prices,
    "routing": _routings,
    "matters": _criteria,
}
