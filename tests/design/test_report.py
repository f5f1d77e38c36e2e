"""The report: words, plots, floor and bill against the figures, and the page in a browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import hopscape
from browsing import browsed, needs_browser, opened
from hopscape.cli import main
from hopscape.core.errors import ArgumentError
from hopscape.core.measured import Measured
from hopscape.design import Conditions, Design, FloorPlan, Requirements, design
from hopscape.design.offers import Offer
from hopscape.design.ranking import grades
from hopscape.design.report import html_report, markdown_report, pictures, winners
from hopscape.design.report.floor import floor_of, floor_picture, left_out, length_picture
from hopscape.design.report.plots import Axis, collapses, curve_plot, scatter
from hopscape.design.report.text import curve_words, paid
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.design.words import deciding, first_by

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def direct() -> Design:
    """With candidates that are dominated and refused, and with simulated points."""
    wanted = Requirements(
        16, 4, cables=34, families=("torus", "hypercube", "random_regular", "path")
    )
    found = design(wanted, finalists=3)
    found.curve_points = POINTS
    return found


@pytest.fixture(scope="module")
def switched() -> Design:
    names = ("fat_tree", "leaf_spine", "complete", "hyperx", "torus")
    return design(SwitchedRequirements(24, 16, throughput=0.5, families=names), workers=1)


POINTS = [
    {"spec": "torus(4, 4)", "offered": 0.2, "accepted": 0.2, "latency": 20.0, "saturated": False},
    {"spec": "torus(4, 4)", "offered": 0.8, "accepted": 0.3, "latency": None, "saturated": True},
    {"spec": "torus(4, 4)", "offered": 0.6, "accepted": 0.6, "latency": 40.0, "saturated": False},
    {"spec": "hypercube(4)", "offered": 0.5, "accepted": 0.5, "latency": 15.0, "saturated": False},
    {"spec": "hypercube(4)", "offered": 0.9, "accepted": 0.8, "latency": None, "saturated": True},
]


@pytest.mark.parametrize("which", ["direct", "switched"])
def test_scores_are_the_weighted_means_of_the_grades(which, request):
    found = request.getfixturevalue(which)
    look = found.presentation
    total = sum(look.weights.values())
    allowed = [one for one in found.candidates if not one.trouble]
    assert len(allowed) > 2
    for one in allowed:
        own = look.grades[one.spec]
        mean = sum(weight * own[name] for name, weight in look.weights.items()) / total
        assert one.score == pytest.approx(mean, abs=2e-6)
        assert all(0 <= grade <= 1 for grade in own.values())
    assert first_by(look.grades, look.weights)[0] == found.best.spec


@pytest.mark.parametrize("which", ["direct", "switched"])
def test_the_answer_names_the_first_the_numbers_and_the_runner_up(which, request):
    found = request.getfixturevalue(which)
    look = found.presentation
    assert re.match(rf"Build ([^()]+ \()?{re.escape(found.best.spec)}\)?: ", look.answer[0])
    assert "runner-up" in look.answer[1]
    runner = re.search(r"runner-up is (\S.*?)(?: \(score|: [+-])", look.answer[1])
    assert runner is not None
    plain = re.fullmatch(r"[^()]+ \((.*)\)", runner[1])  # a plain name, the spec behind it
    other = found.find(runner[1] if plain is None else plain[1])
    assert other.family != found.best.family
    decided = deciding(found.best, look.criteria, look.weights)
    assert len(decided) == 3
    heaviest = max(look.weights, key=look.weights.__getitem__)
    assert decided[0][0] == heaviest
    assert found.answer.startswith(" ".join(look.answer))  # then what was examined


def test_what_would_change_the_choice_does(direct):
    said = next(line for line in direct.presentation.answer if line.startswith("Another"))
    parts = re.findall(r"([\w]+\([^;]*?\)) if ([\w-]+) weighed ([\d.]+) instead", said)
    assert parts
    for spec, criterion, weight in parts:
        weights = dict(direct.requirements.weights) | {criterion: float(weight)}
        assert first_by(direct.presentation.grades, weights)[0] == spec != direct.best.spec


def test_who_is_best_at_one_thing_pays_for_it(direct):
    cheapest = next(one for one in winners(direct) if one.column == "links")
    assert cheapest.candidate.spec == "path(16)"
    assert re.fullmatch(r"ranked \d+; the price: .+ instead of .+", paid(cheapest, direct))
    first = [one for one in winners(direct) if one.candidate is direct.best]
    assert first
    assert {paid(one, direct) for one in first} == {"ranked first"}


@pytest.mark.parametrize("which", ["direct", "switched"])
def test_plots_show_what_matters_and_labels_keep_apart(which, request):
    found = request.getfixturevalue(which)
    for x, y, caption in found.presentation.plots:
        drawn = scatter(found.candidates, x, y, caption)
        assert drawn is not None
        root = ElementTree.fromstring(drawn)
        shown = {one.get("data-spec") for one in root.iter(f"{SVG}circle")}
        open_ = [one for one in found.candidates if not (one.trouble or one.dominated_by)]
        known = [one for one in open_ if None not in (one.value(x), one.value(y))]
        assert shown >= {one.spec for one in known}
        texts = [one for one in root.iter(f"{SVG}text") if one.get("class") == "small mid"]
        places = [(float(one.get("x", "")), float(one.get("y", ""))) for one in texts]
        assert places
        assert len({one.text for one in texts}) == len(texts)
        for i, (a, b) in enumerate(places):
            assert all(abs(a - c) > 9 or abs(b - d) > 9 for c, d in places[:i])


def test_what_lies_far_off_does_not_press_the_plot_together(switched):
    far = replace(switched.candidates[0], spec="far", dominated_by=switched.best.spec)
    far.figures = dict(far.figures) | {"money": Measured(10**9, "exact")}
    drawn = scatter([*switched.candidates, far], "money", "hops", "")
    assert drawn is not None
    assert b"off the chart" in drawn
    assert b'data-spec="far"' not in drawn


def test_large_figures_have_their_thousands_apart(switched):
    assert switched.best.value("money") >= 10_000
    money = f"{switched.best.value('money'):,.0f}"
    page = html_report(switched, "hopscape design")
    assert f">{money}</td>" in page
    assert f"<b>USD {money}</b>" in page


def test_every_machine_of_the_short_list_has_a_picture_and_its_reason(switched):
    drawn = {one.caption for one in pictures(switched) if one.part == "networks"}
    for one, why in switched.shortlist():
        assert any(one.spec in caption and caption.endswith(why) for caption in drawn)


# -- floor ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["torus(8, 8)", "petersen", "path(2)", "path(1)", "kautz(2, 3)"])
def test_every_node_and_cable_is_on_the_floor(spec):
    network = hopscape.build(spec)
    floor = floor_of(spec, FloorPlan(2, 3, 16))
    assert floor is not None
    assert floor.used.sum() == network.order
    assert len(floor.lengths) == network.links
    assert sum(p.pieces for p in floor.bill.parts if p.part.startswith("node")) == network.order
    cables = [p for p in floor.bill.parts if p.part.startswith("cable")]
    assert sum(p.pieces for p in cables) == network.links
    assert sum(p.metres for p in cables) == pytest.approx(floor.lengths.sum())
    text = floor_picture(floor, spec).decode()
    inside = sum(int(n) for n in re.findall(r"(\d+) cables inside", text))
    between = sum(int(n) for n in re.findall(r"(\d+) cables between", text))
    assert inside + between == network.links
    assert left_out(floor) == 0
    bars = re.findall(r"(\d+) cables of", length_picture(floor.lengths, spec).decode())
    assert sum(map(int, bars)) == network.links


def test_a_floor_that_is_too_small_has_no_picture():
    assert floor_of("torus(8, 8)", FloorPlan(1, 1, 4)) is None


def test_the_bill_comes_to_the_cost_in_the_table(switched):
    asked = switched.requirements
    for one in switched.candidates:
        floor = floor_of(one.spec, asked.plan, asked)
        assert floor is not None
        assert sum(p.money for p in floor.bill.parts) == pytest.approx(one.value("money"), abs=0.02)
        watts = sum(p.watts for p in floor.bill.parts) / one.value("endpoints")
        assert watts == pytest.approx(one.value("watts_per_endpoint"), abs=1e-3)
        cables = sum(p.pieces for p in floor.bill.parts if "cable" in p.part)
        assert cables == one.value("cables_copper") + one.value("cables_optical")
        assert floor.lengths.sum() == pytest.approx(one.value("cable"), abs=0.01)
        switches = sum(p.pieces for p in floor.bill.parts if p.part.startswith("switch"))
        assert switches == one.value("switches")


@pytest.mark.parametrize(
    "offer",
    [
        Offer("torus(4, 4)", 16, each=8, trunk=3, planes=2),
        Offer("complete(5)", 5, each=4, lines=2),
        Offer("fat_tree(4)", 20, trunk=2, lines=2),
        Offer("fat_tree(4)", 20),
    ],
)
def test_offers_are_read_back_from_their_specs(offer):
    assert Offer.of(offer.spec)[:6] == offer[:6]


def test_grades_of_nobody_are_empty():
    assert grades([], SwitchedRequirements(24, 16)) == {}


# -- curves and axes ------------------------------------------------------------------------------


def test_a_collapse_is_marked_and_explained():
    (fall,) = collapses(POINTS)
    assert fall == ("torus(4, 4)", 0.6, 0.6, 0.3, 0.8)
    text = curve_plot(POINTS, "curves").decode()
    assert "torus(4, 4) collapses" in text
    assert "hypercube(4) collapses" not in text
    words = curve_words(POINTS)
    assert len(words) == 2
    assert "carries 0.6" in words[1]
    assert "only 0.3 at 0.8" in words[1]
    assert curve_words([]) == []


@pytest.mark.parametrize("values", [[1.0], [0.0], [-3.0, 5.0], [1, 1e6], [1e-9, 1e9], [5.0, 5.0]])
def test_axes_have_room_for_all_values(values):
    axis = Axis.around(values, 50, 600)
    places = [axis.at(value) for value in values]
    assert all(50 <= place <= 600 for place in places)
    assert places == sorted(places)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 20
    assert all(49.9 <= axis.at(tick) <= 600.1 for tick in ticks)


# -- the page -------------------------------------------------------------------------------------


def test_dominated_and_refused_ones_are_folded_away_with_their_reasons(direct):
    page = html_report(direct, "hopscape design")
    top, folded = page.split("<details>", 1)
    for one in direct.candidates:
        reason = one.trouble or one.dominated_by
        row = (
            f'data-spec="{one.spec}"><td' if one.trouble else f'data-spec="{one.spec}" data-grades'
        )
        assert (row in folded) if reason else (row in top.split("<h2 id=", 1)[1])
        if one.trouble:
            assert one.trouble in folded
    assert any(one.trouble for one in direct.candidates)
    assert any(one.dominated_by for one in direct.candidates)


def test_money_and_shares_have_units_and_what_does_not_fit_stands_by_the_rejected(switched):
    """The cards stand alone; families for other numbers of lines are no finalists."""
    found = replace(switched, unfit="bcube, whose endpoints have 2 lines (--nics 2)")
    page = html_report(found, "hopscape design")
    cards = page.split('<ul class="cards">')[1].split("</ul>")[0]
    assert f"cost <b>USD {found.best.value('money'):,.0f}</b>" in cards
    assert re.search(r"uniform <b>[\d.]+ % of line rate</b>", cards)
    assert "bcube" in page.split("<h2>Who is best")[0]
    assert "bcube" not in page.split("<h2>The finalists")[1]
    assert "Not considered: bcube" in markdown_report(found, "x").split("## Best by")[0]


def test_the_markdown_says_the_same(direct, switched):
    for found in (direct, switched):
        text = markdown_report(found, "hopscape design")
        assert not re.search(r"\b1 (racks|rows|slots|cables)\b", text)
        for words in (*found.presentation.answer, "## Floor and parts", "| in all |"):
            assert words in text or (words == "| in all |" and found is direct)
        for one in pictures(found):
            assert f"pictures/{one.name}.{one.kind}" in text


def test_the_command_is_the_one_that_was_given(tmp_path: Path):
    words = "design --nodes 8 --ports 3 --families torus,hypercube --workers 1"
    words += " --finalists 1 --top 2"
    out = tmp_path / "a plan"
    with pytest.raises(SystemExit) as left:
        main([*words.split(), "--out", str(out), "-f", "json", "-o", str(tmp_path / "x.json")])
    assert left.value.code == 0
    page = (out / "report.html").read_text()
    shown = re.search(r"<pre>(.*?)</pre>", page, re.DOTALL)
    assert shown is not None
    for word in ("--finalists 1", "--top 2", "--workers 1", "a plan&#x27;", "--format json"):
        assert word in shown[1]
    assert "--time-limit" not in shown[1]
    assert "<td class='text'>--time-limit</td><td class='text'>900.0</td>" in page
    assert json.loads((out / "ranking.json").read_text())["answer"].startswith("Build ")
    assert (out / "explorer.html").read_text().startswith("<!DOCTYPE html>")
    assert 'href="explorer.html"' in page


def test_an_odd_floor_plan_is_drawn():
    wanted = Requirements(9, 4, families=("torus",), conditions=Conditions(plan=FloorPlan(3, 1, 4)))
    found = design(wanted, finalists=1)
    assert "1 rows" not in html_report(found, "x")
    assert 'id="floor"' in html_report(found, "x")
    with pytest.raises(ArgumentError):
        design(Requirements(9, 4, conditions=Conditions(plan=FloorPlan(1, 1, 4))))


@pytest.mark.parametrize("which", ["direct", "switched"])
def test_styles_of_pictures_stay_in_the_pictures(which, request):
    text = html_report(request.getfixturevalue(which), "x")
    styles = re.findall(r"<svg[^>]*><style>(.*?)</style>", text)
    assert len(styles) > 2
    assert all("plot" in one for one in re.findall(r'<svg[^>]*class="(\w+)"[^>]*><style>', text))
    selectors = {one for style in styles for one in re.findall(r"([^{}]+)\{", style)}
    assert len(selectors) > 10
    assert [one for one in selectors if not one.startswith("svg.plot ")] == []


@pytest.mark.acceptance
@needs_browser
def test_the_report_in_chromium(direct, tmp_path: Path):
    path = tmp_path / "report.html"
    path.write_text(html_report(direct, "hopscape design"), encoding="utf-8")
    allowed = [one for one in direct.candidates if not one.trouble]
    with browsed() as browser:
        page = opened(browser, path.as_uri())
        assert page.evaluate("document.body.dataset.ready") == str(len(direct.candidates))
        for width in (1280, 400):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.set_viewport_size({"width": 1440, "height": 900})
        table = page.locator("table.ranking").first.bounding_box()
        assert table["x"] + table["width"] <= 1440
        assert page.locator("td.score").first.is_visible()
        page.set_viewport_size({"width": 1280, "height": 800})
        box = page.locator(".lead, .cards, #weights")
        assert all(box.nth(i).bounding_box()["y"] < 800 for i in range(3))
        hidden = page.locator("th.extra").first
        assert hidden.is_hidden()
        page.locator("input.all").first.check()
        assert hidden.is_visible()
        sliders = page.locator("#weights input")
        names = [text.split()[0] for text in page.locator("#weights label").all_text_contents()]
        for i, name in enumerate(names):
            value = "8" if name == "cost" else "0"
            sliders.nth(i).evaluate(
                "(one, v) => { one.value = v;"
                " one.dispatchEvent(new Event('input', {bubbles: true})); }",
                value,
            )
        order = page.evaluate(
            "graded.map(one => [one.row.dataset.spec, Number(one.row.querySelector('.score')"
            ".textContent)])"
        )
        grades = direct.presentation.grades
        wanted = sorted(allowed, key=lambda one: -round(grades[one.spec]["cost"], 6))
        assert [spec for spec, _ in order] == [one.spec for one in wanted]
        assert np.allclose(
            [s for _, s in order], [grades[o.spec]["cost"] for o in wanted], atol=1e-4
        )
        assert (
            page.locator("#now").text_content().startswith(f"With these weights: 1. {order[0][0]}")
        )
        page.locator("#reset").click()
        assert page.evaluate("graded[0].row.dataset.spec") == direct.best.spec
        point = page.locator(".point").first
        assert point.locator("title").text_content()
        point.hover(force=True)
        assert page.locator("tr.lit, details tr.lit").count() == 1
        assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
        assert page.complaints == []
        plain = opened(browser, path.as_uri(), java_script_enabled=False)
        assert plain.locator("#weights").is_hidden()
        assert plain.locator("table.ranking").first.is_visible()
        assert plain.locator("figure svg").count() >= 4


@pytest.mark.acceptance
@needs_browser
def test_hostile_names_stay_text(tmp_path: Path):
    found = design(Requirements(8, 3, families=("hypercube", "torus", "path")), finalists=1)
    evil = "<script>document.title='x'</script><img src=x onerror=\"document.title='y'\">\u202e'\""
    found.notes.append(evil)
    for one in found.candidates[1:]:
        one.spec = f"{one.spec}{evil}{'z' * 10_000}"
    path = tmp_path / "report.html"
    path.write_text(html_report(found, evil), encoding="utf-8")
    with browsed() as browser:
        page = opened(browser, path.as_uri())
        assert page.title().startswith("hypercube(3)")
        assert page.locator("img[src=x]").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        assert page.complaints == []
