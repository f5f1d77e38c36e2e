"""The explorer in the browser, on this machine."""

from __future__ import annotations

import os
import sys
import webbrowser

from hopscape.explore.server import serve

__all__ = ["start"]


def start(port: int, browse: bool | None) -> None:
    """Serve until Ctrl-C; open the browser where there is a screen, or as asked."""
    screen = sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )

    def show(address: str) -> None:
        print(f"{address}\nCtrl-C ends it. The address is a key: whoever has it may ask.")
        sys.stdout.flush()
        if browse or (browse is None and screen):
            webbrowser.open(address)

    serve(port, show=show)
