"""The explorer inside a notebook: folded, in a sandbox, loaded when it is opened.

A notebook keeps every output in its file, so the view holds the network and nothing that must be
computed at length; what is larger is pointed to.
"""

from __future__ import annotations

import base64
import gzip
from html import escape
from typing import Any

from hopscape.core.errors import HopscapeError
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.explore.links import number_links
from hopscape.explore.page import page
from hopscape.explore.payload import payload
from hopscape.explore.schedules import schedule_data

__all__ = ["embed_network", "embed_schedule"]

_MOST_NODES = 1000
_MOST_LINKS = 4000
_MOST_TRANSFERS = 20_000
_MOST_BYTES = 300_000
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
    return network.order <= _MOST_NODES and network.links <= _MOST_LINKS


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
    return (
        "<details><summary>explore</summary>"
        '<iframe sandbox="allow-scripts allow-downloads" loading="lazy" width="100%" height="640"'
        f' style="border:0" title="{escape(network.spec[:200])}" srcdoc="{escape(text)}"></iframe>'
        "</details>"
    )


def _hint(network: Network) -> str:
    spec = network.spec if len(network.spec) <= 200 else "SPEC"
    return f"<p>To explore it: <code>hopscape explore {escape(repr(spec))} -o page.html</code></p>"
