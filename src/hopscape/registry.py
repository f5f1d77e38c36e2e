"""Families by name, found through the entry-point group ``hopscape.families``.

A third party adds a family with one line in its own package metadata::

    [project.entry-points."hopscape.families"]
    my_family = "my_package:MyFamily"
"""

from __future__ import annotations

import difflib
import inspect
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from hopscape.core.errors import ArgumentError, FileFormatError, SpecError
from hopscape.core.family import Family
from hopscape.core.files import FABRIC_ENDINGS, GRAPH_ENDINGS
from hopscape.core.network import Network
from hopscape.core.plugins import load_plugin, plugin_entries
from hopscape.core.spec import REQUIRED, Call, Value, parse, write_value

__all__ = [
    "aliases",
    "all_families",
    "build",
    "build_within",
    "constructor",
    "family",
    "member",
    "require_readable",
    "signature",
    "spec_files",
]

_FILE_ENDINGS = (*GRAPH_ENDINGS, *FABRIC_ENDINGS, ".gz")
_FILE_NAME = re.compile(r"[^()\[\]\"',=]*(\.[A-Za-z]\w{0,9}|[/\\][^()\[\]\"',=]*)", re.DOTALL)


def family(name: str) -> type[Family]:
    """The family of a name (or alias).

    Raises:
        SpecError: When there is none, with the nearest names.
    """
    entry = plugin_entries("families").get(name)
    if entry is None:
        raise SpecError(_unknown(name), name, 0)
    loaded: type[Family] = load_plugin(entry)
    return loaded


def all_families() -> dict[str, type[Family]]:
    """All families by their own name, aliases left out."""
    loaded = {load_plugin(entry) for entry in plugin_entries("families").values()}
    return {found.name: found for found in sorted(loaded, key=lambda f: f.name)}


def aliases(name: str) -> tuple[str, ...]:
    """Other names under which a family is registered."""
    value = plugin_entries("families")[name].value
    return tuple(
        sorted(
            e.name
            for e in plugin_entries("families").values()
            if e.value == value and e.name != name
        )
    )


def build(what: Any) -> Network:
    """Build a network from a spec, a graph file, or a graph of another library.

    Args:
        what (str, path or graph): A spec such as ``"torus(8, 8)"``; the name of a graph file, or
            of a saved schedule, which has a network; a graph of networkx, igraph or rustworkx; a
            scipy sparse matrix; a square array (an adjacency matrix) or one of two columns, or any
            sequence of pairs (links).

    Returns:
        Network: Lazy: nothing of the size of the network is computed before it is asked for.

    Raises:
        SpecError: When the text cannot be read or a family refuses its arguments.

    Examples:
        >>> build("product(petersen, ring(8))").order
        80
        >>> build([("a", "b"), ("b", "c"), ("c", "a")]).links
        3
    """
    if isinstance(what, Path):
        what = str(what)
        if "(" in what or not what.lower().endswith(_FILE_ENDINGS):
            return _build_call(parse(f"file({write_value(what)})"))
    if not isinstance(what, str):
        from hopscape.formats.graphs import from_anything

        return from_anything(what)
    if what.strip().lower().endswith((".json", ".npz")):
        from hopscape.core.schedule import Schedule

        spec = Schedule.spec_in(what.strip())
        if spec is not None:
            return build_within(what.strip())(spec)
    return _build_call(_parse(what))


def constructor(name: str) -> Callable[..., Network]:
    """A family as a function: ``hopscape.torus(8, 8)`` builds what ``"torus(8, 8)"`` does.

    Networks may be arguments; parameters with a default are given by name.

    Raises:
        SpecError: When there is no such family; the function raises it for what a family refuses.

    Examples:
        >>> constructor("product")(build("petersen"), constructor("ring")(8)).spec
        'product(petersen, ring(8))'
    """
    of = family(name)

    def make(*arguments: Any, **keywords: Any) -> Network:
        given = [_argument(value, name) for value in arguments]
        given += [f"{key}={_argument(value, name)}" for key, value in keywords.items()]
        return build(f"{name}({', '.join(given)})" if given else name)

    about = "\n".join(f"    {one.name}: {one.help}" for one in of.parameters)
    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"{of.summary}\n\nArgs:\n{about}\n" if about else of.summary
    make.__signature__ = signature(of)  # type: ignore[attr-defined]
    return make


def signature(of: type[Family]) -> inspect.Signature:
    """The parameters of a family as those of a function: beside a list, defaults go by name."""
    types = {"int": int, "network": Network, "text": str, "flag": bool, "ints": Sequence[int]}
    several = any(one.variadic for one in of.parameters)
    made = []
    for one in of.parameters:
        required = one.default is REQUIRED
        kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
        if one.variadic:
            kind = inspect.Parameter.VAR_POSITIONAL
        elif several and not required:
            kind = inspect.Parameter.KEYWORD_ONLY
        annotation: Any = types[one.kind]
        if one.default is None:
            annotation |= None
        default = inspect.Parameter.empty if required or one.variadic else one.default
        made.append(inspect.Parameter(one.name, kind, default=default, annotation=annotation))
    made.sort(key=lambda one: one.kind)
    return inspect.Signature(made, return_annotation=Network)


def _argument(value: Any, name: str) -> str:
    """An argument as a spec writes it."""
    if isinstance(value, Network):
        if value.family is None or not value.family.described:
            raise ArgumentError(
                f"{name} takes networks that a spec describes, and {value.spec} is known to this"
                " session only; write it to a graph file and give hopscape.file(path)"
            )
        return value.spec
    if isinstance(value, Iterable) and not isinstance(value, str):
        value = tuple(value)
    if isinstance(value, tuple) and any(isinstance(item, Network) for item in value):
        raise ArgumentError(f"{name} takes networks one by one, not in a list")
    return write_value(value)


def spec_files(text: str) -> list[str]:
    """The files that a spec names: what it means depends on their content too.

    Examples:
        >>> spec_files("product(torus(4, 4), ring(8))")
        []
    """
    files: list[str] = []
    waiting: list[Value] = [_parse(text)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Call):
            waiting += [argument.value for argument in value.arguments]
        elif isinstance(value, tuple):
            waiting += value
        elif isinstance(value, str) and os.path.isfile(value):
            files.append(value)
    return sorted(files)


def build_within(origin: str | Path) -> Callable[[str], Network]:
    """A :func:`build` for specs that stand in a file, which may come from a stranger.

    There ``file(...)`` names only files below the folder of `origin` or below the working folder:
    nobody's schedule makes hopscape read, and quote, another file.
    """
    allowed = [Path(os.path.realpath(place)) for place in (Path(origin).parent, ".")]

    def checked(text: str) -> Network:
        for name in spec_files(text):
            place = Path(os.path.realpath(name))
            if not any(place.is_relative_to(folder) for folder in allowed):
                raise FileFormatError(
                    f"{origin} names the file {name!r}, which is neither below its own folder nor"
                    " below the working folder"
                )
        return build(text)

    return checked


def _parse(text: str) -> Call:
    """A spec, or the name of a graph file as one: what ends like a file is spoken of as a file."""
    bare = text.strip()
    if bare.lower().endswith(_FILE_ENDINGS) or _FILE_NAME.fullmatch(bare):
        text = f"file({write_value(text.strip())})"
    return parse(text)


def member(text: str) -> Family:
    """The member of a family that a spec names, without its network.

    Examples:
        >>> member("torus(8, 8)").order
        64
    """
    return _member(parse(text))


def require_readable(text: str) -> None:
    """Check a spec while it is typed: names, arguments and ranges; nothing is built, no file read.

    What only the family itself can judge (a prime, a generator) is left to :func:`member`.

    Raises:
        SpecError: With the place in the text.

    Examples:
        >>> require_readable("slim_fly(5)")
        >>> require_readable("torus(8, 0)")
        Traceback (most recent call last):
        ...
        hopscape.core.errors.SpecError: 'sides' of torus is 0; it must be ...
    """

    def check(call: Call) -> None:
        _known(call).arguments(call, check)

    check(parse(text))


def _known(call: Call) -> type[Family]:
    if call.name not in plugin_entries("families"):
        raise call.error(_unknown(call.name))
    return family(call.name)


def _member(call: Call) -> Family:
    return _known(call).from_call(call, _build_call)


def _build_call(call: Call) -> Network:
    made = _member(call)
    try:
        return Network.of(made)
    except ArgumentError as error:
        raise call.error(str(error)) from error


def _unknown(name: str) -> str:
    matches = difflib.get_close_matches(name, plugin_entries("families"), n=3)
    hint = f"did you mean {' or '.join(matches)}?" if matches else "'hopscape families' lists them"
    return f"unknown family {name!r}; {hint}"
