"""One HTML file with everything in it: program, style and data.

Also the page of a design's finalists, beside its report, and the explorer inside a notebook:
folded, in a sandbox, loaded when it is opened. A notebook keeps every output in its file, so the
view holds the network and nothing that takes long to compute; larger networks are linked to.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.files import make_folder, write_text
from hopscape.core.network import Network
from hopscape.core.numbers import shortened
from hopscape.core.schedule import Schedule
from hopscape.registry import build
from hopscape.show.explore.packing import number_links
from hopscape.show.explore.panels import schedule_data
from hopscape.show.explore.payload import payload

__all__ = [
    "EXPLORER",
    "asset",
    "embed_network",
    "embed_schedule",
    "page",
    "script_hash",
    "script_safe",
    "write_explorer",
]

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
        payloads: From :func:`hopscape.show.explore.payload`, at least one.
        title: The specs when left out.

    Examples:
        >>> import hopscape
        >>> from hopscape.show.explore import payload
        >>> text = page([payload(hopscape.build("petersen"))])
        >>> text.startswith("<!DOCTYPE html>"), "unsafe" in text.partition("<style>")[0]
        (True, False)
    """
    script, style = asset("explorer.js"), asset("explorer.css")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {script_hash(script)}",
            f"style-src {script_hash(style)}",
            "img-src data: blob:",
            "worker-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return _PAGE.format(
        policy=policy,
        title=html.escape(title or " | ".join(shortened(str(one["spec"]), 80) for one in payloads)),
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
def asset(name: str) -> str:
    """A file of the built front-end."""
    return (files("hopscape.show.explore") / "assets" / name).read_text(encoding="utf-8").strip()


@cache
def script_hash(text: str) -> str:
    """A script or style as a content-security policy names it."""
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"


EXPLORER = "explorer.html"
_SHOWN = 5  # networks of a report with a page of their own
_MOST_LINKS = 20_000  # of all networks of a page together: laid out in some seconds


def write_network_page(network: Network, path: str | Path, **parts: Any) -> str:
    """Write the page of a network, as ``hopscape explore SPEC -o FILE`` does.

    Args:
        **parts: As for :func:`payload`: ``schedules``, ``traffic``, ``simulate``, ...

    Returns:
        The path of the page.
    """
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"{path} is not a page; name an .html file")
    write_text(path, page([payload(network, **parts)]))
    return str(path)


def write_explorer(specs: Mapping[str, str], folder: str | Path) -> str:
    """Write the page of the first few of them; its name, or an empty text where there is none.

    Schedules and loads are left to ``hopscape explore SPEC``, so that the page is there in seconds.

    Args:
        specs: And what the networks are called, if they have a plain name.
    """
    payloads: list[dict[str, Any]] = []
    links = 0
    bare: dict[str, Any] = {"schedules": (), "traffic": (), "bisection": False, "deadlock": False}
    for spec, name in list(specs.items())[:_SHOWN]:
        try:
            network = build(spec)
            if links + network.links <= _MOST_LINKS:
                payloads.append(payload(network, **bare) | {"name": name})
                links += network.links
        except HopscapeError:  # too large for a page
            continue
    if not payloads:
        return ""
    write_text(make_folder(Path(folder)) / EXPLORER, page(payloads))
    return EXPLORER


_MOST_NODES = 1000  # limits of a picture inside a notebook, which keeps it in its file
_NOTEBOOK_MOST_LINKS = 4000
_MOST_TRANSFERS = 20_000  # of a schedule in a notebook
_MOST_BYTES = 300_000  # of the packed data in a notebook; beyond, a hint how to write the page
_LOADER = """<!DOCTYPE html><meta charset="utf-8"><title>hopscape</title><script>
const packed = Uint8Array.from(atob("{data}"), (one) => one.charCodeAt(0));
const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
history.replaceState = history.pushState = () => {{}};  // a sandbox has no address to keep views in
new Response(stream).text().then((text) => {{
  document.open(); document.write(text); document.close();
}});
</script>"""
"""Unpacks the page, which brings its own policy: a third of the bytes in every output."""


def embed_network(network: Network) -> str:
    """A network to be opened in its place; a hint where it is too large for a notebook.

    Examples:
        >>> import hopscape
        >>> html = embed_network(hopscape.build("petersen"))
        >>> html.startswith("<details><summary>explore</summary>")
        True
        >>> "hopscape explore" in embed_network(hopscape.build("torus(100, 100)"))
        True
    """
    return _embedded(network, [])


def embed_schedule(schedule: Schedule) -> str:
    """A schedule to be played in its place."""
    network = schedule.network
    if not _small(network) or schedule.transfers > _MOST_TRANSFERS:
        return _hint(network)
    return _embedded(network, [schedule_data(schedule, number_links(network), "schedule")])


def _small(network: Network) -> bool:
    return network.order <= _MOST_NODES and network.links <= _NOTEBOOK_MOST_LINKS


def _embedded(network: Network, schedules: list[dict[str, Any]]) -> str:
    if not _small(network):
        return _hint(network)
    try:
        data = payload(network, schedules=(), traffic=(), bisection=False, deadlock=False)
    except HopscapeError:
        return ""
    packed = gzip.compress(page([data | {"schedules": schedules}]).encode(), 9, mtime=0)
    if len(packed) > _MOST_BYTES:
        return _hint(network)
    text = _LOADER.format(data=base64.b64encode(packed).decode())
    title = escape(shortened(network.spec, 200))
    return (
        "<details><summary>explore</summary>"
        '<iframe sandbox="allow-scripts allow-downloads" loading="lazy" width="100%" height="640"'
        f' style="border:0" title="{title}" srcdoc="{escape(text)}"></iframe>'
        "</details>"
    )


def _hint(network: Network) -> str:
    spec = network.spec if len(network.spec) <= 200 else "SPEC"
    return f"<p>To explore it: <code>hopscape explore {escape(repr(spec))} -o page.html</code></p>"
