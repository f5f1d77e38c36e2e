"""The manual holds what it says: links lead somewhere, notebooks run."""

from __future__ import annotations

import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import hopscape as hs
from browsing import browsed, needs_browser, opened
from hopscape.cli.overview import contents

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def _builder(name: str = "build_site") -> ModuleType:
    found = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=[str(p.relative_to(ROOT)) for p in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    local = [link.partition("#")[0] for link in links if not re.match(r"[a-z]+:|#", link)]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"[\w/.-]+\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    made = {"index.md", "commands.md", "gallery.md", "changelog.md", "contributing.md", "cite.md"}
    made |= {f"tutorials/{path.stem}.md" for path in NOTEBOOKS}
    made |= {f"api/{room}.md" for room in ("hopscape", *_builder().ROOMS)}
    own = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert listed == made | own


def test_names_that_share_an_entry_have_one_each_on_the_pages() -> None:
    pytest.importorskip("griffe")
    split = _builder("joint_entries").split_entries
    text = "Args:\n    a, *b (int): Both.\n        More.\n    c: One.\n\nReturns:\n    x, y: Two."
    one = "    {} (int): Both.\n        More.\n"
    rest = text[text.index("    c:") :]
    assert split(text) == "Args:\n" + one.format("a") + one.format("*b") + rest


def test_pages_of_commands_list_every_option_with_its_words() -> None:
    """Tables, not the boxes of a terminal, which no telephone shows whole."""
    said = _builder().command_help
    page = "\n".join(said("step"))
    assert "hopscape step [OPTIONS] JOB" in page
    assert "| `--splits` N | Pieces per collective" in page
    assert "**Faults**" in page
    assert "| `--alpha` NUMBER | µs per message (start-up). (default: 1.0) |" in page
    for call in (("design",), ("circulant", "show"), ("explore",)):
        rows = [line for line in said(*call) if line.startswith("| `")]
        assert any(row.startswith("| `--help`") for row in rows)
        for row in rows:
            assert row.replace("\\|", "").count("|") == 3, row
            assert not re.search(r"&lt;|<(str|int|float|path)", row), row


def _commands(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(r"(?:\$ |`)hopscape ([a-z][a-z-]*(?: [a-z][a-z-]*)?)", text)


def test_pages_name_commands_that_exist() -> None:
    known = {name for members in contents().panels.values() for name in members}
    known.add("wheels")  # of examples/plugin, on the page that explains it
    wrong = []
    for page in (ROOT / "docs").rglob("*.md"):
        for call in _commands(page):
            name, _, member = call.partition(" ")
            groups = contents().groups
            in_group = name not in groups or not member or member in groups[name][1]
            if name not in known or not in_group:
                wrong.append((page.name, call))
    assert wrong == []


def test_the_map_names_files_that_exist() -> None:
    """Rooms and modules on the architecture page, as paths below the package or the project."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[\w]+/)*[\w]+(?:\.py|/))`", text))
    files = [p.relative_to(ROOT).as_posix() for p in ROOT.glob("src/hopscape/**/*.py")]
    files += [p.relative_to(ROOT).as_posix() for p in ROOT.glob("tests/**/*.py")]
    files += [f"{folder.name}/" for folder in ROOT.iterdir() if folder.is_dir()]
    assert len(named) > 40
    assert sorted(n for n in named if not any(f"/{n}" in f"/{file}" for file in files)) == []


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=[p.stem for p in NOTEBOOKS])
def test_notebooks_run(notebook: Path) -> None:
    values = [value for _, _, value in _builder().run_cells(notebook) if value is not None]
    assert len(values) >= 2
    assert any(hasattr(value, "_repr_html_") or hasattr(value, "_repr_svg_") for value in values)


@pytest.mark.acceptance
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=[p.stem for p in NOTEBOOKS])
def test_notebooks_say_in_a_kernel_what_they_are_stored_with(notebook: Path) -> None:
    """After a change: python docs/run_notebooks.py."""
    pytest.importorskip("ipykernel")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbclient")
    runner = _builder("run_notebooks")
    stored = nbformat.read(notebook, as_version=4)
    again = runner.run(notebook)
    assert runner.said(again) == runner.said(stored)
    kinds = [
        [sorted(one.get("data", {})) for one in cell.get("outputs", ())] for cell in stored.cells
    ]
    assert kinds == [
        [sorted(one.get("data", {})) for one in cell.get("outputs", ())] for cell in again.cells
    ]
    assert notebook.stat().st_size < 600_000


def test_every_public_name_is_explained() -> None:
    rooms = [hs, *(importlib.import_module(f"hopscape.{name}") for name in _builder().ROOMS)]
    bare = [
        f"{room.__name__}.{name}"
        for room in rooms
        for name in room.__all__
        if not name.isupper() and not name.startswith("__") and not getattr(room, name).__doc__
    ]
    assert bare == []


@pytest.mark.acceptance
@needs_browser
def test_the_site_is_strict_and_searched_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All pages and the API; commands, pictures and notebooks, which take minutes, left blank."""
    builder = _builder()
    monkeypatch.setattr(builder, "hopscape", lambda *words: "")
    monkeypatch.setattr(builder, "write_gallery", lambda pages: _blank(pages / "gallery.md"))
    monkeypatch.setattr(
        builder,
        "write_notebooks",
        lambda folder: [_blank(folder / f"{path.stem}.md") for path in NOTEBOOKS],
    )
    monkeypatch.setattr(builder, "EXAMPLES", ())
    builder.main(tmp_path / "pages", tmp_path / "site")
    with browsed() as browser:
        address = (tmp_path / "site" / "index.html").as_uri()
        page = opened(browser, f"{address}?q=multiring", width=1400)
        page.wait_for_selector(".md-search-result__item")
        assert "Multirings" in page.inner_text(".md-search-result__list")
        assert page.complaints == []
        for width in (1440, 390):
            home = opened(browser, address, width=width, height=900)
            assert home.evaluate("document.documentElement.scrollWidth") <= width
            home.frame_locator("iframe.live").locator("#hopscape[data-ready]").wait_for()
            table = home.locator(".home table").bounding_box()
            assert width < 1000 or table["y"] + table["height"] < 900  # the answer in one screen
            assert home.complaints == []
        entries = page.goto((tmp_path / "site/api/collectives.html").as_uri()) and page.locator(
            ".doc-heading"
        )
        assert "all_gather" in entries.first.inner_text()


def _blank(page: Path) -> None:
    page.parent.mkdir(exist_ok=True)
    page.write_text(f"# {page.stem}\n")


@pytest.mark.slow
def test_the_site_is_built() -> None:
    subprocess.run([sys.executable, "docs/build_site.py"], cwd=ROOT, check=True)
    assert (ROOT / "build" / "site" / "index.html").is_file()
