"""How fast the explorer draws, in headless Chromium.

Run as ``python benchmarks/explorer.py``; needs Playwright and Chromium. Printed are milliseconds of
processor time a frame of the whole browser (all its processes), frames a second of the clock, and
how long figures take after a click that kills a node. "strokes" are the same lines without the
page: what the machine needs for them at least. Best of several tries: the machine may be busy.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import hopscape
from hopscape.show.explore import page, payload

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BARE: dict[str, Any] = {"schedules": (), "traffic": (), "bisection": False, "deadlock": False}
TRIES = 3

_FRAMES = """async ([kind, frames]) => {
  const app = window.hopscape, view = app.panes[0].view;
  const next = () => new Promise(requestAnimationFrame);
  const { graph } = app.panes[0].net, sheet = document.createElement('canvas');
  [sheet.width, sheet.height] = [view.canvas.width, view.canvas.height];
  const pen = sheet.getContext('2d');
  const strokes = () => {
    pen.clearRect(0, 0, sheet.width, sheet.height);
    pen.lineWidth = 0.3;
    pen.beginPath();
    for (let i = 0; i < graph.links; i++) {
      pen.moveTo(...places[graph.tails[i]]);
      pen.lineTo(...places[graph.heads[i]]);
    }
    pen.stroke();
    view.canvas.getContext('2d').drawImage(sheet, 0, 0);
  };
  const places = Array.from({ length: graph.order }, (_, v) => view.where(v));
  await next(); await next();
  const before = performance.now();
  for (let i = 0; i < frames; i++) {
    if (kind === 'pan') view.panBy(i % 40 < 20 ? 6 : -6, 3 * Math.sin(i));
    else if (kind === 'zoom') view.zoomBy(i % 20 < 10 ? 1.03 : 1 / 1.03);
    else if (kind === 'turn') view.turnTo(0.05 * i, 0.4);
    else if (kind === 'redraw') view.refresh();
    else if (kind === 'strokes') strokes();
    else await app.set({ colour: i % 2 ? 'kind0' : 'distance' });
    await next();
  }
  await next();
  return performance.now() - before;
}"""
_KILL = """async node => {
  const app = window.hopscape, pane = app.panes[0];
  await app.set({ tab: 'faults' });
  const busy = () => document.querySelector('#panel').innerText.includes('%');
  const ready = () => new Promise(done => { const look = () =>
    busy() ? setTimeout(look, 5) : done(); look(); });
  await ready();
  const before = performance.now();
  app.toggle(pane, 'deadNodes', node);
  await new Promise(requestAnimationFrame);
  await ready();
  return performance.now() - before;
}"""


def browser_seconds() -> float:
    """Processor time of all children of this process, and theirs."""
    parents: dict[int, tuple[int, float]] = {}
    tick = os.sysconf("SC_CLK_TCK")
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            used = sum(int(x) for x in fields[11:15]) / tick
            parents[int(entry.name)] = int(fields[1]), used
    inside = {os.getpid()}
    while grown := {p for p, (up, _) in parents.items() if up in inside} - inside:
        inside |= grown
    return sum(parents[p][1] for p in inside - {os.getpid()} if p in parents)


def open_page(browser: Any, folder: Path, spec: str) -> Any:
    """A page of a network, shown."""
    place = folder / "page.html"
    place.write_text(page([payload(hopscape.build(spec), **BARE)]), encoding="utf-8")
    sheet = browser.new_page(viewport={"width": 1280, "height": 800})
    sheet.goto(place.as_uri())
    sheet.wait_for_selector("#hopscape[data-ready]", timeout=120_000)
    sheet.wait_for_timeout(500)
    return sheet


def measure(sheet: Any, kind: str, frames: int) -> tuple[float, float]:
    """Processor milliseconds a frame, and frames a second; the best of some tries."""
    cost, rate = [], []
    for _ in range(TRIES):
        before = browser_seconds()
        wall = sheet.evaluate(_FRAMES, [kind, frames])
        cost.append(1000 * (browser_seconds() - before) / frames)
        rate.append(1000 * frames / wall)
    return min(cost), max(rate)


def main() -> None:
    """All figures of docs/explorer.md."""
    from playwright.sync_api import sync_playwright

    out = Table("network", "nodes / links", "what", "CPU ms a frame", "frames a second")
    kills = Table("network", "nodes", "figures after a kill (ms)")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        for spec, kinds in (
            ("random_regular(2000, 8)", ("strokes", "redraw", "recolour", "turn")),
            ("random_regular(5000, 8)", ("strokes", "redraw", "recolour")),
            ("random_regular(20000, 10)", ("pan", "zoom")),
        ):
            sheet = open_page(browser, Path(name), spec)
            size = sheet.evaluate("(n => [n.order, n.graph.links])(hopscape.panes[0].net)")
            for kind in kinds:
                layout = "space" if kind == "turn" else "circle"
                sheet.evaluate("layout => hopscape.set({ layout })", layout)
                cost, rate = measure(sheet, kind, 60 if kind in ("pan", "zoom") else 12)
                shown = f"{size[0]:,} / {size[1]:,}"
                out.add_row(spec, shown, f"{kind} ({layout})", f"{cost:.0f}", f"{rate:.0f}")
            sheet.close()
        for spec in ("random_regular(1000, 6)", "random_regular(5000, 8)"):
            sheet = open_page(browser, Path(name), spec)
            order = sheet.evaluate("hopscape.panes[0].net.order")
            best = min(sheet.evaluate(_KILL, node) for node in range(1, 1 + TRIES))
            kills.add_row(spec, f"{order:,}", f"{best:.0f}")
            sheet.close()
        browser.close()
    console = Console(width=110)
    console.print(out)
    console.print(kills)
    console.print(time.strftime("%Y-%m-%d"))


if __name__ == "__main__":
    main()
