"""Two-level machines, expansions, data-centre networks, and the commands."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import hopscape
from commands import ask, shown
from hopscape.cli.app import app
from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError, SpecError
from hopscape.core.network import Network
from hopscape.core.router_check import check_router
from hopscape.metrics import channel_load, distance_profile
from hopscape.papers.blockdesign.families import check_expansion
from hopscape.papers.blockdesign.machines import (
    comparable_specs,
    jumps_from,
    measure_machine,
    measure_network,
    paper_machines,
    reserve_jumps,
    supernode_count,
)
from hopscape.papers.blockdesign.supernodes import Supernodes

DATACENTER = [
    "dragonfly(4, 2)", "dragonfly(1, 3)", "dragonfly(3, 1, p=0)", "dragonfly(3, 2, p=1)",
    "fat_tree(2)", "fat_tree(4)", "fat_tree(6)", "slim_fly(3, p=1)", "slim_fly(4)", "slim_fly(5)",
    "slim_fly(7, p=0)", "slim_fly(8, p=0)", "slim_fly(9, p=0)", "projective_network(2)",
    "projective_network(4)", "projective_network(5, p=0)", "polarfly(2)", "polarfly(3)",
    "polarfly(8, p=0)", "hyperx([3, 4])", "hyperx([2, 3, 2], p=0)", "hyperx([5], p=1)",
]  # fmt: skip


@pytest.mark.parametrize("spec", DATACENTER)
def test_datacenter_networks(spec):
    network = hopscape.build(spec)
    assert hopscape.build(network.spec).spec == network.spec
    assert check_router(network.router())
    profile = distance_profile(network, exact=True)
    assert profile.connected
    if network.facts.diameter is not None:
        assert profile.diameter == network.facts.diameter
    assert len(network.heads) == 2 * network.facts.links
    assert np.all(network.reverse >= 0)


@pytest.mark.parametrize(("q", "degree"), [(3, 5), (4, 6), (5, 7), (7, 11), (8, 12), (9, 13)])
def test_slim_fly_is_regular_of_diameter_two(q, degree):
    network = hopscape.build(f"slim_fly({q}, p=0)")
    assert set(network.degrees.tolist()) == {degree}
    assert network.order == 2 * q * q
    assert distance_profile(network, exact=True).diameter == 2


def test_dragonfly_and_fat_tree_counts():
    network = hopscape.build("dragonfly(8, 4)")
    assert (network.endpoint_count, network.order) == (1056, 1320)
    groups = np.array([(v - 1056) // 8 if v >= 1056 else -1 for v in range(1320)])
    far = groups[network.tails] != groups[network.heads]
    far &= (groups[network.tails] >= 0) & (groups[network.heads] >= 0)
    pairs = {
        (int(groups[u]), int(groups[v]))
        for u, v in zip(network.tails[far], network.heads[far], strict=True)
    }
    assert len(pairs) == far.sum() == 33 * 32
    tree = hopscape.build("fat_tree(8)")
    assert (tree.endpoint_count, tree.order) == (128, 128 + 80)
    assert set(tree.degrees[tree.endpoint_count :].tolist()) == {8}
    assert channel_load(tree).largest == pytest.approx(1.0)


@pytest.mark.parametrize(
    "spec", ["fat_tree(3)", "slim_fly(6)", "slim_fly(2)", "polarfly(6)", "projective_network(10)"]
)
def test_datacenter_refuses(spec):
    with pytest.raises(SpecError):
        hopscape.build(spec)


TWO_LEVEL = [
    "two_level(complete(4), complete(9))",
    "two_level(complete(6), complete(7), copies=2)",
    "two_level(partial_switch(12, 4), complete(5))",
    "two_level(complete(4), distributed_switch(13, 4, 1))",
    "two_level(quasicomplete_digraph(3), complete(10))",
    "two_level(complete(3), quasicomplete_digraph(3))",
    "two_level(ring(5), petersen)",
]


@pytest.mark.parametrize("spec", TWO_LEVEL)
def test_two_level_wiring(spec):
    network = hopscape.build(spec)
    family = network.family
    inside, outer = family.supernode, family.between
    size, count = family.size, family.count
    assert network.endpoint_count == size * count
    group = network.tails // size
    local = (group == network.heads // size) & (network.tails < size * count)
    local &= network.heads < size * count
    if not inside.has_switches:
        assert local.sum() == count * inside.channels
        first = np.nonzero(local & (group == 0))[0]
        pairs = sorted(zip(network.tails[first], network.heads[first], strict=True))
        assert pairs == sorted(zip(inside.tails, inside.heads, strict=True))
    assert len(network.heads) == count * inside.channels + family.copies * outer.channels
    assert len(network.heads) == network.facts.channels or network.facts.channels is None
    assert distance_profile(network, endpoints=True, exact=True).connected
    assert check_router(network.router(), targets=10)


def test_every_pair_of_supernodes_is_joined_and_copies_start_apart():
    network = hopscape.build("two_level(complete(6), complete(7), copies=2)")
    joins = {}
    for u, v in zip(network.tails.tolist(), network.heads.tolist(), strict=True):
        if u // 6 != v // 6:
            joins.setdefault((u // 6, v // 6), []).append(u)
    assert len(joins) == 42
    assert all(len(set(nodes)) == 2 for nodes in joins.values())
    assert set(network.degrees.tolist()) == {5 + 2}


def slow_jumps(network, source):
    """Distances in the graph whose edges are links and shared chains of crossbars."""
    ends = set(network.endpoints.tolist())
    reach = {}
    for a in ends:
        seen, stack = set(), [a]
        while stack:
            u = stack.pop()
            for v in network.neighbours(u):
                if v >= 0 and v not in seen:
                    seen.add(v)
                    if v not in ends:
                        stack.append(v)
        reach[a] = seen & ends
    jumps, layer, d = {source: 0}, [source], 0
    while layer:
        d += 1
        layer = sorted({b for a in layer for b in reach[a] if b not in jumps})
        jumps |= dict.fromkeys(layer, d)
    return [jumps[e] for e in sorted(ends)]


@pytest.mark.parametrize("spec", [*TWO_LEVEL, "fat_tree(4)", "distributed_switch(7, 4, 2)"])
def test_jumps_against_slow_twin(spec):
    network = hopscape.build(spec)
    ends = network.endpoints
    for source in (0, int(ends[-1])):
        assert jumps_from(network, source)[ends].tolist() == slow_jumps(network, source)


def test_counts_of_the_machines():
    machines = paper_machines()
    assert [m.supernodes for m in machines] == [513, 1561, 781, 1961, 981, 993, 1723, 1024]
    assert supernode_count(32, 16) == 513
    for machine in (machines[0], machines[5], machines[7]):
        network = hopscape.build(machine.spec)
        row = machine.to_dict()
        assert network.endpoint_count == machine.nodes
        assert network.order - network.endpoint_count == row["switches"]
        family = network.family
        assert family.cables["local"] + family.cables["global"] == row["cables"]


def test_blue_waters_in_full():
    network = hopscape.build(paper_machines()[0].spec)
    found = measure_machine(network)
    assert (found["built_endpoints"], found["hops"], found["jumps"]) == (16416, 3, 3)
    assert set(network.degrees.tolist()) == {31 + 16}
    assert reserve_jumps(network, every=8) == (3, 4)


def test_digraph_supernodes_are_three_jumps_across():
    single = hopscape.build("two_level(quasicomplete_digraph(3), complete(19))")
    double = hopscape.build("two_level(quasicomplete_digraph(3), complete(19), copies=2)")
    for network, ports, reserve in ((single, 2, 4), (double, 4, 3)):
        assert supernode_count(9, ports, ports // 2) == network.family.count == 19
        found = measure_machine(network)
        assert (found["hops"], found["jumps"], found["reserve_jumps"]) == (5, 3, reserve)
        profile = distance_profile(network, endpoints=True, exact=True)
        assert profile.diameter == 5  # from every endpoint, not only those of supernode 0
        assert found["built_endpoints"] == found["built_switches"] == 19 * 9
        cables = network.family.cables
        assert len(network.heads) == cables["local"] + 2 * cables["global"]
        ends = network.endpoint_count
        direct = (network.tails < ends) & (network.heads < ends)
        assert set(np.bincount(network.tails[direct], minlength=ends).tolist()) == {ports}


@pytest.mark.slow
@pytest.mark.parametrize(("number", "supernodes", "reserve"), [(4, 1961, 4), (5, 981, 3)])
def test_digraph_machines_in_full(number, supernodes, reserve):
    machine = paper_machines()[number - 1]
    assert machine.supernodes == supernodes
    found = measure_machine(hopscape.build(machine.spec))
    assert found["built_endpoints"] == machine.nodes
    assert (found["hops"], found["jumps"], found["reserve_jumps"]) == (5, 3, reserve)


def test_redundant_links_keep_three_jumps():
    single = hopscape.build("two_level(partial_switch(12, 4), complete(25))")
    double = hopscape.build("two_level(partial_switch(12, 4), complete(13), copies=2)")
    assert reserve_jumps(single)[0] == reserve_jumps(double)[0] == 3
    assert reserve_jumps(single)[1] > 3
    assert reserve_jumps(double)[1] == 3
    with pytest.raises(ArgumentError, match="direct links"):
        reserve_jumps(hopscape.build(TWO_LEVEL[3]))


def test_comparison_rows():
    for name, spec in comparable_specs(8).items():
        row = measure_network(name, hopscape.build(spec))
        assert row["endpoint_ports"] <= 8
        assert row["switch_ports"] <= 8, row
        assert row["diameter"] is not None
    with pytest.raises(ArgumentError, match="at least 8"):
        comparable_specs(4)


@pytest.mark.parametrize("radix", range(8, 21))
def test_comparable_networks_keep_to_the_radix(radix):
    for name, spec in comparable_specs(radix).items():
        if "two_level" in spec:
            continue
        network = hopscape.build(spec)
        assert network.ports <= radix, (name, spec)


@pytest.mark.parametrize(
    "spec",
    [
        "design_expansion(ring(6), 7, 3)",
        "design_expansion(ring(8), 7, 4, sigma=2)",
        "design_expansion(petersen, 21, 5)",
        "design_expansion(torus(4, 4), 13, 4)",
        "design_expansion(complete(4), 13, 4)",
        "design_expansion(debruijn(2, 3), 13, 4)",
    ],
)
def test_expansion(spec):
    network = hopscape.build(spec)
    family = network.family
    assert network.endpoint_count == family.n * family.network.endpoint_count // family.m
    assert set(network.degrees[: network.endpoint_count].tolist()) == {family.m}
    verdict = check_expansion(network)
    assert verdict, verdict
    assert verdict.details["diameter"] <= verdict.details["inside"] + 2


def test_expansion_refuses():
    with pytest.raises(SpecError, match="divide"):
        hopscape.build("design_expansion(ring(5), 7, 3)")
    with pytest.raises(ArgumentError, match="not an expansion"):
        check_expansion(hopscape.build("petersen"))


def test_command_designs():
    rows = ask("designs", "--sigma", "1", "--max-m", "12")
    assert [row["N"] for row in rows] == [3, 7, 13, 21, 31, 43, 57, 73, 91, 111, 133]
    assert {row["N"]: row["status"] for row in rows if row["status"] != "exists"} == {
        43: "impossible",
        111: "impossible",
    }
    assert all(row["reason"] and row["sigma"] == 1 for row in rows)


def test_command_blocks_and_check(tmp_path):
    record = ask("design-blocks", "37", "9", "2")
    assert len(record["blocks"]) == 37
    path = tmp_path / "b.json"
    path.write_text(json.dumps(record))
    found = ask("design-check", str(path))
    assert (found["verdict"], found["N"], found["m"], found["sigma"]) == ("holds", 37, 9, 2)
    record["blocks"][0][0] = record["blocks"][0][1]
    path.write_text(json.dumps(record))
    assert ask("design-check", str(path), code=1)["verdict"] == "fails"


def test_half_duplex_rounds_are_not_those_of_duplex_ports():
    words = ("check-permutation", "distributed_switch(57, 8, 1)")
    record = ask(*words, "--half-duplex", code=1)
    assert record["conflicts"] > 0
    assert record["rounds_at_least"] == 2
    assert record["rounds_at_least_by"] == "all minimal paths"
    assert record["rounds_planned"] >= 2
    record = ask(*words, "--traffic", "relation", "--at-once", "4", code=1)
    assert record["rounds_needed"] == record["rounds_planned"] == record["rounds_at_least"]
    assert record["rounds_needed"] <= 4


def test_a_bound_says_when_it_counts_ports_only(monkeypatch):
    from hopscape.papers.blockdesign import rounds

    network = hopscape.build("two_level(complete(4), complete(9), copies=2)")
    targets = np.random.default_rng(1).permutation(network.order)
    exact = rounds.plan_rounds(network, range(network.order), targets)
    monkeypatch.setattr(rounds, "_MOST_COLUMNS", 1)
    by_ports = rounds.plan_rounds(network, range(network.order), targets)
    assert (exact.by, by_ports.by) == ("all minimal paths", "ports of endpoints")
    assert by_ports.bound <= exact.bound <= exact.rounds


def test_files_of_destinations_take_no_further_choice(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text(" ".join(str((i + 1) % 7) for i in range(7)))
    words = ("check-permutation", "distributed_switch(7, 3, 1)", "--permutation", str(path))
    assert "holds" in shown(*words)
    result = CliRunner().invoke(app, [*words, "--at-once", "2"])
    assert result.exit_code != 0
    assert isinstance(result.exception, ArgumentError) or "random:SEED" in result.output


def test_ways_round_a_dead_crossbar_of_the_digraph():
    words = ("route-around", "quasicomplete_digraph(5)", "0", "3")
    whole = ask(*words)
    assert whole["ways"] == [[0, 28, 3]]
    assert whole["path"] == [0, 28, 3]
    around = ask(*words, "--dead", "28")
    assert around["length"] == 4
    assert 28 not in around["path"]
    assert around["stranded_pairs"] == 24


def test_open_cases_do_not_claim_more_than_the_program_knows():
    rows = ask("designs", "--sigma", "3", "--max-m", "60")
    for row in rows:
        if row["status"] == "open":
            assert "none known to this program" in row["reason"]
            assert "does not know every design" in row["reason"]
        assert row["built"] == (row["status"] == "exists")
    assert {row["status"] for row in rows} == {"exists", "impossible", "open"}


def test_other_commands():
    spec = "distributed_switch(13, 4, 1)"
    record = ask("check-permutation", spec, "--count", "20")
    assert record["verdict"] == "holds"
    assert record["rounds_needed"] == 1
    words = ("check-permutation", spec, "--at-once", "6")
    assert ask(*words, code=1)["conflicts"] > 0
    words = ("route-around", spec, "0", "1", "--dead", "13")
    assert ask(*words)["length"] in (2, 4)
    cover = ask("difference-cover", "39", "7")
    assert cover["doubled"] == [1, 2, 37, 38]
    assert len(ask("digraph-table", "3")) == 9
    assert ask("machines")[0]["supernodes"] == 513
    assert ask("machines", "--compare", "8")[0]["diameter"] == 2


def test_a_supernode_with_capacities_of_its_own_takes_no_speeds():
    ends = np.triu_indices(4, 1)
    kinds = [ChannelClass("cable", 2)]
    told = Network.from_links(4, *ends, classes=kinds, kinds=[0] * 6)
    with pytest.raises(ArgumentError, match="capacities of their own; leave it out"):
        Network.of(Supernodes(told, hopscape.build("ring(3)"), speeds=(2, 1)))
