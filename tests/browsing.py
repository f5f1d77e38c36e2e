"""A real browser for tests: the chromium of the machine, driven by Playwright."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
_QUIET = (
    "--no-sandbox --disable-gpu --disable-quic --disable-background-networking"
    " --disable-component-update --disable-sync"
)

needs_browser = pytest.mark.skipif(
    CHROMIUM is None or importlib.util.find_spec("playwright") is None,
    reason="needs chromium (Debian: chromium) and playwright (pip install playwright)",
)


@contextmanager
def browsed() -> Iterator[Any]:
    """A browser; :func:`opened` makes pages in it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=_QUIET.split())
        try:
            yield browser
        finally:
            browser.close()


def opened(browser: Any, address: str, width: int = 1280, height: int = 800, **options: Any) -> Any:
    """A page at an address; ``page.complaints`` collects errors and what it asks of others."""
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    page = context.new_page()
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(f"error: {error}"))
    page.on(
        "console",
        lambda said: said.type == "error" and page.complaints.append(f"console: {said.text}"),
    )
    origin = address.partition("#")[0]
    host = "/".join(origin.split("/")[:3])
    page.on(
        "request",
        lambda sent: (
            sent.url.startswith(("data:", "blob:", "about:", host))
            or page.complaints.append(f"request: {sent.url}")
        ),
    )
    page.goto(address)
    return page
