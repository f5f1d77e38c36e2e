"""One HTML file with everything in it: program, style and data."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["page", "script_safe"]

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="hopscape">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="hopscape"></div>
<noscript>{plain}</noscript>
<script type="application/json" id="hopscape-data">{data}</script>
<script id="hopscape-code">{script}</script>
</body>
</html>
"""


def page(payloads: Sequence[Mapping[str, Any]], title: str = "") -> str:
    """The explorer of some networks as one HTML file.

    The content-security policy lets the page run its own script (by hash) and nothing else, and
    lets no request out. Data are inert JSON.

    Args:
        payloads: From :func:`hopscape.explore.payload`, at least one.
        title: The specs when left out.

    Examples:
        >>> import hopscape
        >>> from hopscape.explore import payload
        >>> text = page([payload(hopscape.build("petersen"))])
        >>> text.startswith("<!DOCTYPE html>"), "unsafe" in text.partition("<style>")[0]
        (True, False)
    """
    script, style = _asset("explorer.js"), _asset("explorer.css")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)}",
            "img-src data: blob:",
            "worker-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return _PAGE.format(
        policy=policy,
        title=html.escape(title or " | ".join(str(one["spec"])[:80] for one in payloads)),
        style=style,
        plain=_plain(payloads),
        data=script_safe({"networks": list(payloads)}),
        script=script,
    )


def script_safe(data: object) -> str:
    """JSON that can stand inside a script element: no ``<`` in it.

    Examples:
        >>> script_safe("</script>")
        '"\\\\u003c/script>"'
    """
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c")


def _plain(payloads: Sequence[Mapping[str, Any]]) -> str:
    """What can be read without JavaScript."""
    parts = ["<p>This page needs JavaScript to draw. The figures:</p>"]
    for one in payloads:
        rows = "".join(
            f"<tr><th>{html.escape(label)}</th><td>{html.escape(value)}</td></tr>"
            for label, value, _ in one["facts"]
        )
        parts.append(f"<table><caption>{html.escape(str(one['spec']))}</caption>{rows}</table>")
    return "".join(parts)


@cache
def _asset(name: str) -> str:
    return (files("hopscape.explore") / "assets" / name).read_text(encoding="utf-8").strip()


@cache
def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"
