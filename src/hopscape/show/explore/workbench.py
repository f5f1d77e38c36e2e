"""The first page of the explorer on loopback: a gallery of families, and a line to name networks.

Its front-end is ``web/src/workbench/``; this file says what it is told.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from hopscape._version import __version__
from hopscape.core.family import Family
from hopscape.core.spec import REQUIRED, Parameter, write_value
from hopscape.registry import aliases, all_families, build
from hopscape.show.explore.jobs import MOST_SPECS
from hopscape.show.explore.page import asset, script_hash, script_safe

__all__ = ["families", "family_picture", "workbench_page", "workbench_policy"]

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hopscape</title><link rel="icon" href="data:,"><style>{style}</style></head>
<body>
<div id="workbench"></div>
<noscript><p>This page needs JavaScript; hopscape show and hopscape draw do not.</p></noscript>
<script type="application/json" id="hopscape-families">{data}</script>
<script>{script}</script>
</body></html>
"""

_GROUPS = {
    "torus": "Tori, meshes, rings",
    "datacenter": "Data centres and supercomputers",
    "circulant": "Cayley graphs and circulants",
    "cayley": "Cayley graphs and circulants",
    "concentrated": "Made of other networks",
    "product": "Made of other networks",
    "classic": "Classic graphs",
}
_OTHERS = "From papers and packages"


def families() -> list[dict[str, Any]]:
    """All families that need no file, with their parameters, in the order of the gallery.

    Examples:
        >>> ring = next(one for one in families() if one["name"] == "ring")
        >>> ring["group"], [(p["name"], p["kind"]) for p in ring["parameters"]]
        ('Tori, meshes, rings', [('n', 'int')])
    """
    order = list(dict.fromkeys([*_GROUPS.values(), _OTHERS]))
    told = [
        {
            "name": name,
            "aliases": aliases(name),
            "summary": kind.summary,
            "group": _group(kind),
            "example": kind.example,
            "parameters": [_parameter(one) for one in kind.parameters],
        }
        for name, kind in all_families().items()
        if not kind.reads_files
    ]
    return sorted(told, key=lambda one: (order.index(one["group"]), one["name"]))


def _group(kind: type[Family]) -> str:
    package, _, rest = kind.__module__.partition(".families.")
    own = package == __name__.partition(".")[0]
    return _GROUPS.get(rest.partition(".")[0], _OTHERS) if own else _OTHERS


def _parameter(one: Parameter) -> dict[str, Any]:
    required = one.default is REQUIRED
    return {
        "name": one.name,
        "kind": one.kind,
        "help": f"{one.help} ({one.range_text})",
        "default": None if required else write_value(one.default),
        "variadic": one.variadic,
    }


@cache
def family_picture(file: str) -> str:
    """The picture of a family's example by its file name, ``torus.svg``; empty for no family."""
    from hopscape.show.draw.thumbnail import thumbnail

    kind = all_families().get(file.removesuffix(".svg"))
    if kind is None or kind.reads_files or not file.endswith(".svg"):
        return ""
    return thumbnail(build(kind.example))


def workbench_policy() -> str:
    """The content-security policy: its own script and style, pictures and pages of its server."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {script_hash(asset('workbench.js'))}",
            f"style-src {script_hash(asset('workbench.css'))}",
            "img-src 'self' data:",
            "connect-src 'self'",
            "frame-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


@cache
def workbench_page() -> str:
    """The whole page."""
    told = {"version": __version__, "most": MOST_SPECS, "families": families()}
    return _PAGE.format(
        style=asset("workbench.css"), script=asset("workbench.js"), data=script_safe(told)
    )
