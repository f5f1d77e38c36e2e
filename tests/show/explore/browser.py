"""A page of the explorer, open in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Visit:
    """One page, open; what goes wrong on it is written down."""

    def __init__(self, browser: Any, file: Path, fragment: str = "", **context: Any) -> None:
        size = {"width": 1100, "height": 700}
        self.context = browser.new_context(**{"viewport": size, "accept_downloads": True} | context)
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda m: self.wrong.append(f"{m.type}: {m.text}"))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", lambda d: (self.wrong.append(f"dialog {d.message}"), d.dismiss()))
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.file = file
        self.go(fragment)

    def go(self, fragment: str = "") -> None:
        """Open the page, at a view."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.file.as_uri()}#{fragment}")
        self.page.wait_for_selector("#hopscape[data-ready]", timeout=60_000)

    def set(self, **state: Any) -> None:
        """Change the state, as controls do, and wait for the picture."""
        self.page.evaluate("change => window.hopscape.set(change)", state)

    def where(self, node: int, pane: int = 0) -> dict[str, float]:
        """Where a node is on the canvas."""
        x, y = self.page.evaluate(
            "([p, v]) => window.hopscape.panes[p].view.where(v)", [pane, node]
        )
        return {"x": x, "y": y}

    def click(self, node: int, pane: int = 0) -> None:
        """Click a node."""
        self.page.locator("canvas").nth(pane).click(position=self.where(node, pane))

    def panel(self) -> str:
        """The text of the panel."""
        return str(self.page.inner_text("#panel"))

    def shows(self, text: str, where: str = "#panel") -> None:
        """Wait until a part of the page says so: what was clicked is drawn with the next frame."""
        self.page.locator(where, has_text=text).wait_for(timeout=10_000)

    def check(self) -> None:
        """Nothing went wrong, and no request left."""
        assert self.wrong == []
        outside = [
            u for u in self.requests if not u.startswith(("file:", "blob:", "about:", "data:"))
        ]
        assert outside == []

    def close(self) -> None:
        """The end, with the check."""
        self.check()
        self.context.close()
