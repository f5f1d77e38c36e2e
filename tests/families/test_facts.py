"""Every fact that a family states is measured here, of members that somebody thought of.

What nobody thought of is in test_small_members.py.
"""

from __future__ import annotations

import pytest

import hopscape
from conftest import ALL, EXAMPLES, MEMBERS
from hopscape.metrics import bisection
from promises import broken_promises


@pytest.mark.parametrize("spec", ALL)
def test_members_are_what_they_say(spec):
    assert broken_promises(spec) == []


def test_every_family_has_members_here():
    tried = {spec.split("(")[0] for spec in MEMBERS + EXAMPLES}
    assert tried | {"file"} == set(hopscape.all_families())


@pytest.mark.parametrize("spec", ["torus(6, 6)", "torus(4, 4)", "mesh(6, 6)", "hypercube(5)"])
def test_bisections_of_larger_members(spec):
    net = hopscape.build(spec)
    found = bisection(net, exact=True)
    assert found.value == net.facts.bisection
    crossing = found.side[net.tails] != found.side[net.heads]
    assert crossing.sum() == 2 * found.value


@pytest.mark.parametrize("spec", ["hypercube(200)", "torus(1000000, 1000000)", "kautz(2, 90)"])
def test_facts_of_huge_members_are_there(spec):
    known = hopscape.build(spec).facts.known()
    assert {"diameter", "links", "node_connectivity", "vertex_transitive"} <= set(known)
