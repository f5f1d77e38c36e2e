"""Pictures: what is refused, what is drawn, and that the same picture is the same bytes."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial import KDTree

import hopscape
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.network import Network
from hopscape.show.draw import draw_network, draw_rounds, make_figure, place_nodes
from hopscape.show.draw.lines import arrow_head, bent_line, detours, fans, free_directions

SPECS = [
    "ring(1)",
    "ring(12)",
    "path(5)",
    "torus(2, 3)",
    "torus(5, 4)",
    "torus(1, 7)",
    "torus(3, 4, 3)",
    "torus(3, 2, 3, 2, 2)",
    "mesh(5, 4)",
    "mesh(3, 3, 3)",
    "hypercube(0)",
    "hypercube(3)",
    "hypercube(4)",
    "hypercube(7)",
    "ccc(1)",
    "ccc(2)",
    "ccc(3)",
    "ccc(4)",
    "petersen",
    "heawood",
    "generalized_petersen(12, 5)",
    "debruijn(2, 1)",
    "debruijn(2, 3)",
    "debruijn(3, 4)",
    "debruijn(2, 4, duplex=true)",
    "kautz(2, 1)",
    "kautz(2, 3)",
    "complete(9)",
    "circulant(21, 1, 3, 8)",
    "random_regular(40, 3)",
    "product(petersen, ring(4))",
    "product(path(3), path(2), ring(3))",
    "product(torus(5), random_regular(6, 3))",
    "concentrated(complete(5), 4)",
    "concentrated(torus(4, 4), 3, trunk=2)",
    "concentrated(fat_tree(4), 1)",
    "concentrated(dcell(3, 1), 2)",
    "concentrated(random_regular(20, 3), 2)",
    "populated(concentrated(hyperx((4, 3)), 4), 30)",
    "planes(leaf_spine(4, 2, 3), 3)",
    "rails(concentrated(torus(3, 3), 4), 2, 8)",
    "trunked(mesh(3, 3), 2)",
]


def part(figure, name):
    """The collection of a picture with this name, or None."""
    found = [c for c in figure.axes[0].collections if c.get_gid() == name]
    return found[0] if found else None


def count_lines(figure):
    return len(part(figure, "links").get_segments())


def count_arrows(figure):
    arrows = part(figure, "arrows")
    return len(arrows.get_paths()) if arrows else 0


@pytest.mark.parametrize(
    ("spec", "base"),
    [
        ("concentrated(torus(4, 4), 3)", "torus(4, 4)"),
        ("concentrated(complete(7), 5)", "complete(7)"),
        ("concentrated(hyperx((4, 3), p=2), 3)", "hyperx((4, 3), p=0)"),
        ("populated(concentrated(petersen, 3), 17)", "petersen"),
    ],
)
def test_a_machine_is_drawn_as_its_network_with_endpoints_at_their_switches(spec, base):
    net, own = hopscape.build(spec), hopscape.build(base)
    drawn, alone = net.family.layout(), own.family.layout()
    switches = np.setdiff1d(np.arange(net.order), net.endpoints)
    assert np.allclose(drawn.positions[switches], alone.positions)
    owners = net.heads[net.indptr[net.endpoints]]
    nearest = KDTree(drawn.positions[switches]).query(drawn.positions[net.endpoints])[1]
    assert switches[nearest].tolist() == owners.tolist()
    tails, heads = net.tails[net.heads > net.tails], net.heads[net.heads > net.tails]
    inner = np.isin(tails, switches)
    if alone.curved is None:
        return
    bends = drawn.curved(tails, heads)
    first = switches[0]
    assert np.allclose(bends[inner], alone.curved(tails[inner] - first, heads[inner] - first))
    assert not bends[~inner].any()


def test_planes_and_rails_stand_apart_and_are_bent_alike():
    for spec in ("planes(leaf_spine(4, 2, 3), 3)", "rails(concentrated(torus(4), 4), 2, 8)"):
        net = hopscape.build(spec)
        layout = net.family.layout()
        base = net.family.base
        bends = layout.curved(net.tails, net.heads) if layout.curved else np.zeros(len(net.tails))
        alone = base.family.layout()
        once = alone.curved(base.tails, base.heads) if alone.curved else np.zeros(1)
        assert sorted({*bends.tolist()} - {0.0}) == sorted({*once.tolist()} - {0.0})
        assert KDTree(layout.positions).query(layout.positions, k=2)[0][:, 1].min() > 1e-3


@pytest.mark.parametrize("spec", SPECS)
def test_everything_is_drawn_once(spec):
    net = hopscape.build(spec)
    figure = make_figure(net)
    assert count_lines(figure) == net.links
    assert count_arrows(figure) == (0 if net.duplex else net.links)
    groups = [
        c for c in figure.axes[0].collections if c.get_gid() in ("nodes", "switches", "leaves")
    ]
    places = np.concatenate([c.get_offsets() for c in groups])
    assert len(np.unique(np.round(places, 3), axis=0)) == net.order
    assert figure.texts[0].get_text() == net.spec
    assert str(net.links) in figure.texts[1].get_text()
    low, high = np.array([figure.axes[0].get_xlim(), figure.axes[0].get_ylim()]).T
    for line in part(figure, "links").get_segments():
        assert (line >= low).all()
        assert (line <= high).all()


def longest_overlap(lines, step=1.0):
    """How far (in points) any two lines run over each other in the same direction."""
    points, ways, owner = [], [], []
    for i, line in enumerate(lines):
        for start, end in pairwise(line):
            length = float(np.hypot(*(end - start)))
            at = (np.arange(int(length / step)) + 0.5) * step / max(length, 1e-9)
            points.append(start + at[:, None] * (end - start))
            ways += [(end - start) / max(length, 1e-9)] * len(at)
            owner += [i] * len(at)
    points, ways, owner = np.concatenate(points), np.array(ways), np.array(owner)
    near = KDTree(points).query_pairs(0.6 * step, output_type="ndarray")
    a, b = near.T
    across = ways[a, 0] * ways[b, 1] - ways[a, 1] * ways[b, 0]
    close = (owner[a] != owner[b]) & (np.abs(across) < 0.02)
    _, counts = np.unique(np.stack([owner[a], owner[b]])[:, close], axis=1, return_counts=True)
    return float(counts.max(initial=0)) * step


@pytest.mark.parametrize(
    "spec",
    [
        "torus(6, 6)",
        "torus(3, 9)",
        "torus(4, 4, 4)",
        "mesh(3, 4, 3)",
        "hypercube(4)",
        "hypercube(5)",
        "hypercube(6)",
        "ccc(3)",
        "ccc(4)",
        "kautz(2, 3)",
        "debruijn(2, 4)",
        "product(petersen, ring(4))",
    ],
)
def test_no_link_runs_over_another(spec):
    figure = make_figure(hopscape.build(spec), labels=False)
    assert longest_overlap(part(figure, "links").get_segments()) < 15


@pytest.mark.parametrize(("n", "k"), [(6, 6), (9, 3)])
def test_wrap_around_links_pass_beside_nodes(n, k):
    figure = make_figure(hopscape.build(f"torus({n}, {k})"))
    places = np.asarray(part(figure, "nodes").get_offsets())
    radius = part(figure, "nodes").get_sizes()[0] ** 0.5 / 2
    bent = [line for line in part(figure, "links").get_segments() if len(line) > 2]
    assert len(bent) == n + k
    for line in bent:
        others = places[
            (np.hypot(*(places - line[0]).T) > 1) & (np.hypot(*(places - line[-1]).T) > 1)
        ]
        gaps = np.hypot(*(line[:, None] - others[None]).transpose(2, 0, 1))
        assert gaps.min() > radius


def test_petersen_is_a_pentagon_round_a_star():
    places = place_nodes(hopscape.build("petersen")).positions
    reach = np.hypot(*places.T)
    assert np.ptp(reach[:5]) < 1e-9
    assert np.ptp(reach[5:]) < 1e-9
    assert reach[0] > reach[5]


@pytest.mark.parametrize("spec", ["debruijn(2, 6)", "kautz(2, 3)", "kautz(3, 2)", "debruijn(3, 4)"])
def test_rim_of_word_networks_is_wired(spec):
    net = hopscape.build(spec)
    places = place_nodes(net).positions
    around = np.argsort(-np.arctan2(places[:, 1], places[:, 0]))
    for here, there in zip(around, np.roll(around, -1), strict=True):
        assert there in net.neighbours(int(here))


def test_ending_is_refused_in_words(tmp_path):
    net = hopscape.build("petersen")
    with pytest.raises(ArgumentError, match=r"\.gif; a picture is one of: \.svg, \.png, \.pdf"):
        draw_network(net, tmp_path / "x.gif")
    with pytest.raises(ArgumentError, match="has no ending"):
        draw_network(net, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [0, -3, 0.5, 101, float("nan"), float("inf")])
def test_size_is_refused(tmp_path, size):
    with pytest.raises(ArgumentError, match="size is"):
        draw_network(hopscape.build("petersen"), tmp_path / "x.svg", size=size)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("torus(1000, 1000, 1000)", "has 1,000,000,000 nodes; a picture shows up to 20,000"),
        ("ring(20001)", "has 20,001 nodes"),
        ("complete(1000)", "has 499,500 links; a picture shows up to 400,000"),
        ("hypercube(4000)", r"131820… \(1205 digits\) nodes"),
    ],
)
def test_too_large_is_refused_before_it_is_built(tmp_path, spec, words):
    net = hopscape.build(spec)
    with pytest.raises(TooLargeError, match=words):
        draw_network(net, tmp_path / "x.svg")
    assert net._heads is None
    assert list(tmp_path.iterdir()) == []


def test_largest_is_drawn(tmp_path):
    draw_network(hopscape.build("torus(50, 40)"), tmp_path / "x.svg")
    assert (tmp_path / "x.svg").stat().st_size > 100_000


def test_folder_that_is_not_there(tmp_path):
    with pytest.raises(ArgumentError, match="cannot be written"):
        draw_network(hopscape.build("petersen"), tmp_path / "no" / "x.svg")


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
@pytest.mark.parametrize("spec", ["kautz(2, 3)", "random_regular(30, 3)"])
def test_same_picture_same_bytes(tmp_path, ending, spec):
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending.upper()}"
    draw_network(hopscape.build(spec), first)
    draw_network(hopscape.build(spec), second)
    data = first.read_bytes()
    assert data == second.read_bytes()
    assert data.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"a.{ending}", f"b.{ending.upper()}"]


def test_nothing_is_left_of_a_failed_save(tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    def fail(self, out, **kwargs):
        out.write(b"half")
        raise RuntimeError("disk on fire")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(RuntimeError):
        draw_network(hopscape.build("petersen"), tmp_path / "x.svg")
    assert list(tmp_path.iterdir()) == []


def test_loops_and_parallel_links():
    net = Network.from_links(4, [0, 1, 0, 0, 2, 3, 3], [1, 0, 2, 2, 3, 3, 3], duplex=False)
    figure = make_figure(net)
    lines = part(figure, "links").get_segments()
    assert len(lines) == 7
    assert count_arrows(figure) == 7
    reach = sorted(
        float(np.ptp(line, axis=0).max()) for line in lines if np.allclose(line[0], line[-1])
    )
    assert len(reach) == 2
    assert reach[0] < reach[1]
    between = [line for line in lines if len(line) > 2 and not np.allclose(line[0], line[-1])]
    assert len(between) == 4  # two each way and two side by side, none over another
    middles = np.round([line[len(line) // 2] for line in between], 3)
    assert len(np.unique(middles, axis=0)) == 4


def test_duplex_loop_and_double_link_without_arrows():
    net = Network.from_links(3, [0, 0, 1], [1, 1, 1])
    figure = make_figure(net)
    assert count_lines(figure) == 3
    assert count_arrows(figure) == 0


def test_single_node():
    figure = make_figure(Network.from_links(1, [], []))
    assert len(part(figure, "nodes").get_offsets()) == 1
    assert figure.texts[1].get_text() == "1 node, 0 links"


def test_disconnected_pieces_keep_apart():
    net = Network.from_links(9, [0, 1, 2, 3, 4, 6], [1, 2, 0, 4, 5, 7], spec="pieces")
    places = place_nodes(net).positions
    gaps = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    assert gaps[~np.eye(9, dtype=bool)].min() > 0.5
    assert count_lines(make_figure(net)) == 6
    assert len(place_nodes(Network.from_links(50, [], [])).positions) == 50


def test_star_spreads_its_leaves():
    places = place_nodes(Network.from_links(12, [0] * 11, range(1, 12))).positions
    gaps = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    assert gaps[~np.eye(12, dtype=bool)].min() > 0.2


def test_switches_are_squares_of_another_colour():
    net = Network.from_links(5, [0, 1, 3, 4], [3, 3, 4, 2], switches=np.array([3, 4]))
    figure = make_figure(net)
    nodes, switches = part(figure, "nodes"), part(figure, "switches")
    assert len(nodes.get_offsets()) == 3
    assert len(switches.get_offsets()) == 2
    assert not np.allclose(nodes.get_facecolor(), switches.get_facecolor())
    assert figure.texts[1].get_text() == "3 endpoints, 2 switches, 4 links"


def test_labels():
    words = [text.get_text() for text in make_figure(hopscape.build("hypercube(3)")).axes[0].texts]
    assert words == [f"{i:03b}" for i in range(8)]
    pairs = [text.get_text() for text in make_figure(hopscape.build("torus(3, 3)")).axes[0].texts]
    assert pairs[:4] == ["0,0", "0,1", "0,2", "1,0"]
    assert not make_figure(hopscape.build("ring(8)"), labels=False).axes[0].texts
    assert not make_figure(hopscape.build("ring(100)")).axes[0].texts
    assert len(make_figure(hopscape.build("ring(100)"), labels=True).axes[0].texts) == 100


def test_odd_names_are_written_as_they_are(tmp_path):
    from hopscape.core.addresses import Labels

    names = Labels(["$x^$", "名", "a\nb", "<&>"])
    net = Network.from_links(
        4, [0, 1, 2], [1, 2, 3], addresses=names, spec='file("$a_{.edges")' * 20
    )
    draw_network(net, tmp_path / "x.svg", labels=True)
    assert (tmp_path / "x.svg").exists()


def test_dark_page_and_size():
    net = hopscape.build("ring(12)")
    small, large = make_figure(net, size=3), make_figure(net, size=9, dark=True)
    assert small.get_figwidth() < 4 < 8 < large.get_figwidth()
    assert small.get_facecolor() != large.get_facecolor()


def test_import_leaves_matplotlib_alone():
    code = "import sys, hopscape, hopscape.show.draw; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_bent_line_keeps_to_the_left():
    start, end = np.array([0.0, 0.0]), np.array([10.0, 0.0])
    for bend in (0.02, 0.3, -0.1):
        line = bent_line(start, end, bend)
        assert np.allclose(line[[0, -1]], [start, end])
        assert np.isclose(line[:, 1][np.abs(line[:, 1]).argmax()], 10 * bend)
    assert len(bent_line(start, end, 0.0)) == 2


def test_arrow_head_touches_the_rim():
    line = bent_line(np.array([0.0, 0.0]), np.array([30.0, 40.0]), 0.2)
    head = arrow_head(line, 5.0, 3.0)
    away = np.hypot(*(head - line[-1]).T)
    assert np.isclose(away[0], 5.0, atol=0.05)
    assert (away[1:] > 7).all()


def test_fans_are_even_and_turn_with_the_link():
    fan = fans(np.array([0, 0, 1, 2]), np.array([1, 1, 0, 3]))
    assert fan.tolist() == [-1.0, 0.0, -1.0, 0.0]  # the third runs the other way: still outside


def test_free_direction_is_away_from_links():
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 5.0]])
    free = free_directions(places, np.array([0]), np.array([1]))
    assert np.isclose(np.cos(free[0]), -1)
    assert np.isclose(np.cos(free[1]), 1)
    assert np.isclose(free[2], np.pi / 2)


def test_detour_round_a_node_in_the_way():
    places = np.array([[0.0, 0.0], [50.0, 0.0], [100.0, 0.0]])
    bends = detours(places, np.array([0, 0]), np.array([1, 2]), 5.0)
    assert bends[0] == 0
    assert bends[1] != 0


def test_expanded_networks_are_drawn_level_in_level():
    network = hopscape.build("expanded(heawood, 1)")
    places = place_nodes(network).positions.reshape(14, 14, 2)  # the state of the level, the base
    reach = np.hypot(*(places - places.mean(axis=1, keepdims=True)).transpose(2, 0, 1)).max()
    centres = places.mean(axis=1)
    apart = np.hypot(*(centres[:, None] - centres[None]).transpose(2, 0, 1))
    assert 2 * reach < apart[apart > 0].min()


def test_names_take_the_short_form_where_the_long_one_has_no_room():
    texts = [text.get_text() for text in make_figure(hopscape.build("rpc(2)")).axes[0].texts]
    assert len(texts) == 60
    assert "001" in texts
    texts = [text.get_text() for text in make_figure(hopscape.build("dcell(4, 1)")).axes[0].texts]
    assert "1,0,0" in texts


def test_fat_trees_stand_in_levels():
    tree = hopscape.build("fat_tree(6)")
    level = place_nodes(tree).positions[:, 1]
    parts = [level[:54], level[54:72], level[72:90], level[90:]]
    assert [len(set(part.tolist())) for part in parts] == [1, 1, 1, 1]
    assert [part[0] for part in parts] == sorted({part[0] for part in parts})


@pytest.mark.parametrize("spec", ["dragonfly(4, 2, p=2)", "two_level(complete(4), complete(9))"])
def test_groups_stand_together(spec):
    net = hopscape.build(spec)
    places = place_nodes(net).positions
    first = 72 if spec.startswith("dragonfly") else 0  # the first router or node
    groups = places[first : first + 36].reshape(9, 4, 2)
    inside = np.ptp(groups, axis=1).max()
    middles = groups.mean(axis=1)
    assert inside < KDTree(middles).query(middles, k=2)[0][:, 1].min()


@pytest.mark.parametrize("spec", ["dragonfly(4, 2, p=3)", "slim_fly(4, p=2)", "polarfly(3)"])
def test_endpoints_stand_beside_their_switch(spec):
    net = hopscape.build(spec)
    places = place_nodes(net).positions
    ends = net.endpoints
    owners = net.heads[net.indptr[ends]]
    switches = np.setdiff1d(np.arange(net.order), ends)
    nearest = switches[KDTree(places[switches]).query(places[ends])[1]]
    assert (nearest == owners).all()
    sizes = {c.get_gid(): c.get_sizes()[0] for c in make_figure(net).axes[0].collections[1:]}
    assert sizes["nodes"] < sizes["switches"] / 3


@pytest.mark.parametrize(
    ("spec", "layout"),
    [("ring(3000)", "auto"), ("complete(150)", "auto"), ("random_regular(2400, 3)", "levels")],
)
def test_large_networks_are_drawn_by_density(spec, layout, tmp_path):
    net = hopscape.build(spec)
    figure = make_figure(net, layout=layout, dark=True)
    image = figure.axes[0].images[0].get_array()
    assert image.max() > 0
    assert figure.texts[1].get_text().endswith("links by density")
    assert len(part(figure, "nodes").get_offsets()) == net.order
    with pytest.raises(ArgumentError, match="by density, without labels"):
        make_figure(net, highlight=[0])


def test_density_lies_where_the_links_run():
    net = Network.from_links(2001, [0], [1])
    figure = make_figure(net, layout="circle")
    image = np.asarray(figure.axes[0].images[0].get_array().filled(0.0))
    assert 0 < np.count_nonzero(image) < 12  # one short link


@pytest.mark.parametrize("layout", ["auto", "circle", "levels", "force"])
def test_layouts_keep_nodes_apart(layout):
    for spec in ("fat_tree(4)", "hypercube(4)", "dragonfly(2, 1, p=1)", "ring(1)"):
        places = place_nodes(hopscape.build(spec), layout).positions
        assert len(np.unique(places.round(6), axis=0)) == len(places)
    assert len(make_figure(hopscape.build("petersen"), layout=layout).texts) == 2


def test_levels_are_distances():
    cube = hopscape.build("hypercube(4)")
    rows = place_nodes(cube, "levels").positions[:, 1]
    hops = np.asarray([v.bit_count() for v in range(16)])
    assert len(set(zip(rows.tolist(), hops.tolist(), strict=True))) == 5
    apart = Network.from_links(4, [0], [1])
    assert len(set(place_nodes(apart, "levels").positions[:, 1].tolist())) == 3


def test_route_and_highlights():
    net = hopscape.build("torus(5, 5)")
    figure = make_figure(net, route=((0, 0), (2, 1)), highlight=["(4, 4)"])
    segments = part(figure, "route").get_segments()
    path = net.router().path(0, 11)
    places = part(figure, "nodes").get_offsets()
    ends = [{tuple(np.round(s[0], 3)), tuple(np.round(s[-1], 3))} for s in segments]
    wanted = [{tuple(np.round(places[v], 3)) for v in pair} for pair in pairwise(path)]
    assert ends == wanted
    assert len(part(figure, "highlight").get_offsets()) == len(path) + 1
    assert figure.texts[1].get_text().endswith("route 0 to 11: 3 hops")
    with pytest.raises(hopscape.core.errors.HopscapeError):
        make_figure(net, highlight=[25])


def test_colours_by_generator_and_class():
    figure = make_figure(hopscape.build("circulant(12, 1, 5)"), colour="port")
    assert len(np.unique(part(figure, "links").get_colors(), axis=0)) == 2
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(names) == 2
    two = hopscape.build("two_level(complete(3), complete(4), speeds=[2, 1])")
    figure = make_figure(two, colour="class")
    kinds = np.unique(part(figure, "links").get_colors(), axis=0, return_counts=True)[1]
    assert sorted(kinds.tolist()) == [6, 12]
    with pytest.raises(ArgumentError, match="all of one class"):
        make_figure(hopscape.build("petersen"), colour="class")
    for wrong in ({"colour": "red"}, {"layout": "spiral"}):
        with pytest.raises(ArgumentError, match="choose"):
            make_figure(hopscape.build("petersen"), **wrong)


def test_rounds_as_a_page_and_a_film(tmp_path):
    from PIL import Image

    from hopscape.collectives.generic import broadcast

    tree = broadcast(hopscape.build("torus(3, 3)"), 0)
    draw_rounds(tree, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert page.count("<img ") == tree.rounds + 1
    assert page.count(" hidden src") == tree.rounds
    assert "http" not in page
    draw_rounds(tree, tmp_path / "r.gif")
    assert Image.open(tmp_path / "r.gif").n_frames == tree.rounds + 1
    with pytest.raises(TooLargeError, match="rounds; a page shows up to 40"):
        draw_rounds(broadcast(hopscape.build("ring(99)"), 0), tmp_path / "l.html")


def test_rounds_run_along_the_links_as_drawn():
    """A wrap link of a torus bends round the nodes of its row, in pictures of rounds as well."""
    from hopscape.collectives.generic import broadcast
    from hopscape.show.draw.rounds import _Ground

    net = hopscape.build("torus(5, 5)")
    ground = _Ground(broadcast(net, 0))
    every = np.arange(net.channels)
    for channel, line in zip(every, ground.along(every), strict=True):
        tail, head = int(net.tails[channel]), int(net.heads[channel])
        assert np.allclose(line[[0, -1]], ground.places[[tail, head]])
        others = np.delete(ground.places, [tail, head], axis=0)
        gaps = np.hypot(*(line[:, None, :] - others[None, :, :]).transpose(2, 0, 1))
        assert gaps.min() > ground.radius


def test_groups_are_drawn_as_groups():
    """HyperX in rows and columns, Slim Fly, DCell and BCube by their groups."""
    hyperx = place_nodes(hopscape.build("hyperx((3, 4), p=0)")).positions
    assert len(np.unique(hyperx[:, 0].round(6))) == 4
    assert len(np.unique(hyperx[:, 1].round(6))) == 3
    fly = place_nodes(hopscape.build("slim_fly(5, p=0)")).positions.reshape(10, 5, 2)
    centres = fly.mean(axis=1)
    inside = np.hypot(*(fly - centres[:, None]).transpose(2, 0, 1)).max()
    apart = np.hypot(*(centres[:, None] - centres[None]).transpose(2, 0, 1))
    assert inside < apart[apart > 0].min() / 2
    for spec in ("dcell(3, 1)", "dcell(2, 2)", "bcube(3, 2)", "hyperx((2, 3, 2), p=2)"):
        places = place_nodes(hopscape.build(spec)).positions
        assert len(np.unique(places.round(6), axis=0)) == len(places), spec


def test_letters_are_easy_to_read_where_a_word_makes_them_so():
    """1,0,2,0 in a switch is half as large as 1020."""
    texts = make_figure(hopscape.build("hyperx((3, 5))")).axes[0].texts
    assert {"1000", "1240"} <= {text.get_text() for text in texts}
    assert min(text.get_fontsize() for text in texts) >= 7
