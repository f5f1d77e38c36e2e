"""The spec language: what is read, what is written, and what is refused where."""

from __future__ import annotations

import contextlib
import os
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core.errors import HopscapeError, SpecError
from hopscape.core.spec import Call, parse, write_value


def values(call: Call) -> list[object]:
    return [a.value for a in call.arguments]


# -- reading -----------------------------------------------------------------------------------


def test_parse_gives_names_values_and_places():
    call = parse(" f( 1, -2 ,x = [3,(4,)], g(true), 'a\\'b', none, 1.5 ,)")
    assert (call.name, call.position) == ("f", 1)
    assert values(call)[:3] == [1, -2, (3, (4,))]
    inner = call.arguments[3].value
    assert isinstance(inner, Call)
    assert (inner.name, values(inner)) == ("g", [True])
    assert values(call)[4:] == ["a'b", None, 1.5]
    assert [a.keyword for a in call.arguments] == [None, None, "x", None, None, None, None]
    assert [a.position for a in call.arguments][:4] == [4, 7, 11, 25]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("petersen()", "petersen"),
        ("\n\ttorus (8,\t8 ,)\n", "torus(8, 8)"),
        ("torus(sides=[8, 8])", "torus(8, 8)"),
        ("torus(sides=8)", "torus(8)"),
        ("complete_graph(5)", "complete(5)"),
        ("kautz(n=3, d=2)", "kautz(2, 3)"),
        ("kautz(2, 3, true)", "kautz(2, 3, duplex=true)"),
        ("kautz(2, 3, duplex=0)", "kautz(2, 3)"),
        ("random_regular(10, 3, 0)", "random_regular(10, 3)"),
        ("random_regular(degree=3, seed=+7, n=10)", "random_regular(10, 3, seed=7)"),
        ("lcf((5, -5), 7)", "lcf((5, -5), 7)"),
        ("lcf(repeats=7, shifts=[5, -5,])", "lcf((5, -5), 7)"),
        (
            "product(product(ring(3), petersen), path(2),)",
            "product(product(ring(3), petersen), path(2))",
        ),
        ("product(factors=(ring(3), ring(4)))", "product(ring(3), ring(4))"),
        ("ring(007)", "ring(7)"),
        ("ring(" + "9" * 900 + ")", "ring(" + "9" * 900 + ")"),
    ],
)
def test_canonical(text, canonical):
    net = hopscape.build(text)
    assert net.spec == canonical
    assert hopscape.build(canonical).spec == canonical


def flat_specs():
    size = st.integers(1, 10**30)
    small = st.integers(1, 40)
    return st.one_of(
        st.sampled_from(["petersen", "heawood", "coxeter"]),
        st.builds("ring({})".format, size),
        st.builds(lambda sides: f"torus({', '.join(map(str, sides))})", st.lists(size, min_size=1)),
        st.builds("hypercube({})".format, st.integers(0, 200)),
        st.builds(lambda d, n: f"debruijn({d}, {n})", st.integers(2, 9), small),
        st.builds(
            lambda n, g: f"circulant({', '.join(map(str, [n, *g]))})",
            st.integers(50, 10**20),
            st.lists(small, max_size=4),
        ),
    )


def specs():
    def product(parts):
        return f"product({', '.join(parts)})"

    duplex = flat_specs().filter(lambda s: "debruijn" not in s)
    nested = st.recursive(duplex, lambda s: st.lists(s, min_size=2, max_size=3).map(product))
    return st.one_of(flat_specs(), nested)


@given(specs(), st.data())
@settings(max_examples=60, deadline=None)
def test_round_trip(text, data):
    net = hopscape.build(text)
    assert net.spec == text
    blank = st.sampled_from(["", " ", "\n", "\t ", "  "])
    spaced = "".join(
        data.draw(blank) + c + data.draw(blank) if c in "(),=" else c.strip() for c in text
    )
    again = hopscape.build(spaced)
    assert (again.spec, again.order) == (text, net.order)


nested_values = st.recursive(
    st.one_of(st.integers(), st.booleans(), st.none(), st.text()),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=8,
)


@given(nested_values)
@example("\n\x00\x85\u2028\\ \" ' \U0001f600")
@settings(deadline=None)
def test_values_are_read_as_they_are_written(value):
    text = write_value(value)
    assert text.isprintable() or any(ord(c) > 0xFFFF for c in text)
    if len(text) < 900:
        (argument,) = parse(f"f({text})").arguments
        assert argument.value == value
        assert type(argument.value) is type(value)


def test_file_names_with_odd_characters_survive(tmp_path):
    path = tmp_path / 'a "b"\n\\c\u2028.edges'
    path.write_text("0 1\n")
    net = hopscape.build(f"file({write_value(str(path))})")
    assert "\n" not in net.spec
    assert hopscape.build(net.spec).links == 1


# -- refusing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("tours(8, 8)", 0, "did you mean torus"),
        ("product(ring(3), tours(8))", 17, "unknown family 'tours'; did you mean torus"),
        ("qqqq", 0, "hopscape families"),
        ("true", 0, "unknown family 'true'"),
        ("", 0, "found the end of the text"),
        ("   ", 0, "found the end of the text"),
        ("ring", 0, "ring needs 'n'"),
        ("ring()", 0, "ring(n)"),
        ("ring(1, 2)", 8, "at most 1 argument"),
        ("petersen(1)", 9, "at most 0 arguments"),
        ("kautz(2)", 0, "needs 'n'"),
        ("torus()", 0, "at least one axis"),
        ("ring(-3)", 5, "'n' of ring is -3; it must be an integer of at least 1"),
        ("ring(0)", 5, "is 0"),
        ("torus(4, 0)", 9, "is 0"),
        ("ring(3.0)", 5, "not 3.0"),
        ("ring(1e3)", 5, "not 1000.0"),
        ("ring(true)", 5, "not true"),
        ("ring('8')", 5, 'not "8"'),
        ("ring(ring(3))", 5, "not ring"),
        ("ring((8,))", 5, "not (8,)"),
        ("ring(none)", 5, "not none"),
        ("hypercube(4001)", 10, "from 0 to 4000"),
        ("kautz(2, 3, duplex=2)", 12, "true or false"),
        ("kautz(2, 3, duplex=1.0)", 12, "true or false"),
        ("product(ring(3), 4)", 17, "must be a network, not 4"),
        ("product(ring(3))", 0, "at least two"),
        ("product(ring(3), kautz(2, 2))", 0, "all duplex or all simplex"),
        ("lcf(5, 7)", 4, "'shifts' of lcf"),
        ("lcf([5, 'x'], 7)", 4, "'shifts' of lcf"),
        ("lcf([5, 5], 7)", 0, "whose chord leads to"),
        ("circulant(5, 7)", 0, "generator 7"),
        ("generalized_petersen(8, 4)", 0, "from 1 to 3"),
        ("random_regular(5, 3)", 0, "odd"),
        ("random_regular(5, 5)", 0, "below 5"),
        ("ring(n=3, n=4)", 10, "'n' is given twice"),
        ("ring(3, n=4)", 8, "'n' is given twice"),
        ("ring(n=4, 3)", 10, "'n' is given twice"),
        ("torus(sides=(3,), 4)", 18, "'sides' is given twice"),
        ("torus(4, sides=(3,))", 9, "'sides' is given twice"),
        ("ring(m=3)", 5, "no parameter 'm'; it has: n"),
        ("petersen(m=3)", 9, "it has: none"),
        ("ring(8", 6, "expected ',' or ')', found the end"),
        ("torus(8 8)", 8, "expected ',' or ')', found '8'"),
        ("lcf([1, 2), 3)", 9, "expected ',' or ']', found ')'"),
        ("torus(,)", 6, "expected a value, found ','"),
        ("torus(8,,8)", 8, "expected a value, found ','"),
        ("torus((a=1,))", 6, "no names inside"),
        ("torus(8))", 8, "the spec ends here"),
        ("ring(3) ring(4)", 8, "the spec ends here"),
        ("8", 0, "expected the name of a family, found '8'"),
        ("ring(8x)", 5, "'8x' is not a number"),
        ("ring(0x10)", 5, "'0x' is not a number"),
        ("ring(1_0)", 5, "'1_' is not a number"),
        ("ring(8; 9)", 6, "character ';'"),
        ("ring(١)", 5, "character '١'"),
        ("ríng(3)", 1, "character 'í'"),
        ("ring(\u00a08)", 5, "character"),
        ("ring('8)", 5, "unfinished string"),
        ("ring(" + "1" * 1001 + ")", 5, "1001 digits"),
        ("torus(" + ", ".join(["1" + "0" * 900] * 3) + ")", 0, "more than 10^2000 nodes"),
        ("debruijn(9, 4000)", 0, "more than 10^2000 nodes"),
        ("product(" * 40, 8 * 33, "nested more than 32 deep"),
        ("ring(" + "(" * 100_000, 38, "nested more than 32 deep"),
        ("__import__('os').system('true')", 16, "character '.'"),
        ("ring(2**3)", 6, "character '*'"),
    ],
)
def test_errors_point_at_the_place(text, position, says):
    with pytest.raises(SpecError) as caught:
        hopscape.build(text)
    error = caught.value
    assert says in error.reason
    assert error.position == position
    assert error.text == text
    if text.strip():
        shown, caret = str(error).splitlines()[-2:]
        assert f"at column {position + 1}" in str(error)
        if position < len(text):
            assert shown[caret.index("^")] == text[position].replace("\n", " ")


def test_nothing_is_evaluated(tmp_path):
    target = tmp_path / "made"
    for text in (f"ring(open('{target}', 'w'))", f"ring(__import__('os').mkdir('{target}'))"):
        with pytest.raises(SpecError):
            hopscape.build(text)
    assert not target.exists()


@given(
    st.one_of(st.text(), st.text(alphabet="ringtous()[],=-+.'\"\\ 0123456789ekfmlx/", max_size=40))
)
@settings(max_examples=400, deadline=None)
@example("file('\0.edges')")
@example("file('\ud800.edges')")
@example("\ud800.edges")
@example("lcf([10000000000000000000000, -3], 7)")
def test_any_text_gives_a_network_or_a_hopscape_error(text):
    try:
        net = hopscape.build(text)
    except HopscapeError:
        return
    assert hopscape.build(net.spec).spec == net.spec


@given(
    st.sampled_from(sorted(hopscape.all_families())), st.lists(st.integers(-2, 10**40), max_size=4)
)
@settings(max_examples=300, deadline=None)
@example("debruijn", [10**12, 2])
@example("kautz", [10**12, 2])
@example("generalized_petersen", [10**19 + 1, 2])
@example("clos", [165690762060885, 8])
@example("dragonfly_plus", [784, 464782029073432517894, 8])
@example("rail_optimized", [880, 305589492421493])
@example("hammingmesh", [5, 2145979426394994212248970, 7, 777])
@example("fatclique", [19861796, 2, 433020])
def test_any_numbers_give_a_network_that_answers_or_an_error(name, numbers):
    small = mock.patch.dict(os.environ, HOPSCAPE_MEMORY="20M")
    with small, contextlib.suppress(HopscapeError):
        net = hopscape.build(f"{name}({', '.join(map(str, numbers))})")
        last = net.order - 1
        rows = net.neighbours([last, 0])
        assert all(-1 <= v < net.order for v in rows.ravel())
        assert net.node(net.address(last)) == last
        assert repr(net)
        assert net.links >= 0
