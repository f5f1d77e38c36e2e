"""The form of the loopback page, made of the families' own parameters."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from hopscape._version import __version__
from hopscape.core.parameter import REQUIRED, Parameter
from hopscape.core.spec import write_value
from hopscape.explore.page import script_safe
from hopscape.registry import all_families

__all__ = ["families", "form_page", "form_policy"]

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hopscape explorer</title><style>{style}</style></head>
<body>
<main>
<h1>Which network?</h1>
<form id="form" autocomplete="off">
<label>Family <select id="family"></select></label>
<p id="about"></p>
<div id="fields"></div>
<label class="long">Network <input id="spec" spellcheck="false" maxlength="2000"></label>
<label class="long">Beside it (may be left empty) <input id="second" spellcheck="false"
 maxlength="2000"></label>
<label>Simulate at load <input id="load" type="number" min="0.01" max="1" step="0.01"
 placeholder="no"></label>
<label><input id="curve" type="checkbox"> load-latency curve</label>
<button id="go">Show</button> <button id="stop" type="button" hidden>Cancel</button>
</form>
<p id="said" role="status"></p><progress id="bar" hidden></progress>
<p><a id="alone" target="_blank" rel="noopener" hidden>open in its own tab</a></p>
</main>
<iframe id="view" title="the network" sandbox="allow-scripts allow-downloads" hidden></iframe>
<noscript><p>This page needs JavaScript; hopscape show and hopscape draw do not.</p></noscript>
<script type="application/json" id="families">{families}</script>
<script>{script}</script>
</body></html>
"""


def families() -> list[dict[str, Any]]:
    """All families that need no file, with their parameters, for the form.

    Examples:
        >>> ring = next(one for one in families() if one["name"] == "ring")
        >>> [(p["name"], p["kind"], p["low"]) for p in ring["parameters"]]
        [('n', 'int', 1)]
    """
    return [
        {
            "name": name,
            "summary": kind.summary,
            "example": kind.example,
            "parameters": [_field(one) for one in kind.parameters],
        }
        for name, kind in all_families().items()
        if not kind.reads_files
    ]


def _field(one: Parameter) -> dict[str, Any]:
    required = one.default is REQUIRED
    return {
        "name": one.name,
        "kind": one.kind,
        "help": f"{one.help} ({one.range_text})",
        "low": one.low,
        "high": one.high,
        "required": required,
        "usual": "" if required or one.default is None else write_value(one.default),
        "variadic": one.variadic,
    }


@cache
def _file(name: str) -> str:
    return (files("hopscape.explore") / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def form_policy() -> str:
    """The content-security policy of the form: its own script and style, its own server."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(_file('form.js'))}",
            f"style-src {_hash(_file('form.css'))}",
            "connect-src 'self'",
            "frame-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


@cache
def form_page() -> str:
    """The whole page."""
    return _PAGE.format(
        style=_file("form.css"),
        script=_file("form.js"),
        families=script_safe({"version": escape(__version__), "families": families()}),
    )
