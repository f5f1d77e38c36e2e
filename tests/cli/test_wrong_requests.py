"""Wrong requests: each is refused in a sentence, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import refused, run, shown

REQUESTS = [
    # specs, nodes, files and names
    (("show", "tours(8)"), "did you mean torus"),
    (("show", "torus()"), "at least one axis"),
    (("show", "ring(3, 4)"), "takes at most 1 argument"),
    (("show", "ring(-3)"), "at least 1"),
    (("show", "ring(0)"), "at least 1"),
    (("show", "ring(2.5)"), "an integer"),
    (("show", "ring(8"), "expected ',' or ')'"),
    (("show", ""), "expected the name of a family"),
    (("show", "random_regular(5, 3)"), "odd"),
    (("show", "nothing.edges"), "cannot be read"),
    (("distances", "torus(100000, 100000)", "--from", "0"), "would need"),
    (("distances", "petersen", "--from", "10"), "out of range"),
    (("distances", "petersen", "--each"), "--each needs --from"),
    (("route", "torus(4, 4)", "0", "(4, 0)"), "out of range"),
    (("route", "torus(4, 4)", "0", "(1, 2, 3)"), "3 entries"),
    (("route", "torus(4, 4)", "0", "x"), "neither a number nor an address"),
    (("draw", "torus(100000, 10000)", "-o", "x.svg"), "1,000,000,000 nodes"),
    (("draw", "petersen", "-o", "x.doc"), ".doc"),
    (("broadcast", "petersen", "--algorithm", "magic"), "no broadcast algorithm 'magic'"),
    (("broadcast", "petersen", "--ports", "0"), "at least 1"),
    (("broadcast", "petersen", "--duplex", "triple"), "full or half"),
    (("compare", "petersen", "--columns", "beauty"), "column 'beauty' is unknown"),
    (("verify", "nothing.json"), "cannot be read"),
    (("ledger", "--paper", "nothing"), "has no claims"),
    (("explain", "beauty"), "unknown"),
    (("permute", "petersen", "--permutation", "nothing.txt"), "neither random:SEED"),
    # options that cannot be honoured
    (
        ("broadcast", "torus(5, 5)", "--algorithm", "axis", "--ports", "1", "--duplex", "half"),
        "serves all-port, circuit-switched, not 1-port, half duplex, circuit-switched",
    ),
    (
        ("broadcast", "torus(5, 5)", "--algorithm", "circuit", "--switching", "store-and-forward"),
        "serves circuit-switched, not all-port, full duplex, store-and-forward",
    ),
    (("broadcast", "petersen", "--algorithm", "list", "--save", "x.json"), "nothing to write"),
    (("distances", "petersen", "--from", "1", "--exact"), "leave out --exact"),
    (("distances", "petersen", "--seed", "1"), "it needs --sample"),
    (("design", "--nodes", "16", "--ports", "4", "--choose", "1"), "it needs --out"),
    (("show", "petersen", "--time-limit", "0"), "must be above 0"),
    (("simulate", "ring(4)", "--saturation", "--load", "0.1"), "--load has no effect"),
    (("simulate", "ring(4)", "--flits", "2"), "--flits has no effect: it needs --schedule"),
    (("simulate", "ring(4)", "--fault-routing", "tables"), "it needs --dead or --dead-link"),
    (("simulate", "--booksim", "x.cfg", "--vcs", "4"), "--vcs has no effect: the BookSim file"),
    (("simulate", "--schedule", "x", "--figure", "y.svg"), "--figure has no effect"),
    (("simulate", "--schedule", "x", "--saturation"), "--saturation has no effect"),
    (("simulate", "--schedule", "x", "--packet", "4"), "beside a schedule, with --load"),
    (("simulate", "ring(4)", "--write-booksim", "x", "--workers", "3"), "--workers has no effect"),
    (("simulate", "ring(4)", "-t", "x.trace", "--load", "0.1"), "--load has no effect: a .trace"),
    (("ledger", "--page", "x.md", "-o", "y"), "--output does not go with --page"),
    (("emit", "ring(4)", "--to", "c", "--stages", "2"), "only Verilog has a clock"),
    (("emit", "ring(4)", "--to", "c", "--with-router", "-o", "x"), "is for Verilog, not for c"),
    (("emit", "ring(4)", "--to", "c", "--packets", "9"), "--packets is for --check of networks"),
    (("emit", "ring(4)", "--to", "c", "--check"), "name it with -o"),
    (("emit", "ring(4)", "--to", "c", "--format", "json"), "name it with -o"),
    (("emit", "ring(4)", "--to", "p4", "--check", "-o", "x.p4"), "no program that runs P4"),
    (("draw", "ring(4)", "-o", "x.svg", "--broadcast", "0", "--labels"), "draws rounds"),
    (("draw", "ring(3000)", "-o", "x.svg", "--labels"), "by density, without labels"),
    # collectives
    (("broadcast", "fat_tree(4)", "--from", "20"), "the root is node 20, a switch"),
    (("broadcast", "ring(5)", "--from", "2", "--dead", "2"), "node 2, is dead"),
    (("multicast", "ring(5)", "--to", "2", "--dead", "2"), "node 2, is dead"),
    (("broadcast", "ring(5)", "--bytes", "0"), "from 1 to 10^18"),
    (("broadcast", "ring(5)", "--bytes", "-1KB"), "bytes is"),
    (("broadcast", "ring(5)", "--dead", "9"), "9"),
    (("broadcast", "ring(5)", "--dead-link", "0-2"), "no such link"),
    (("broadcast", "ring(5)", "--dead-link", "0"), "two nodes"),
    (("allgather", "ring(6)", "--dead", "1", "--dead", "4"), "cut off"),
    (("broadcast", "ring(5)", "--dead", "0", "--dead", "1", "--dead", "2", "--dead", "3",
      "--dead", "4"), "no endpoint"),
    (("broadcast", "fat_tree(4)", "--switching", "store-and-forward"), "only forward"),
    (("broadcast", "ring(5)", "--in-network"), "has none"),
    (("broadcast", "ring(5)", "--disjoint", "edge"), "needs --switching circuit"),
    (("broadcast", "ring(5)", "--switching", "circuit", "--disjoint", "x"), "choose vertex"),
    (("scatter", "ring(5)", "--from", "0", "--from", "2"), "takes no further sources"),
    (("broadcast", "ring(5)", "--time-limit", "0"), "above 0"),
    (("broadcast", "ring(5)", "--animate", "x.svg"), "must end in .html or .gif"),
    (("allgather", "ring(5)", "--group", "0,9"), "9"),
    (("allgather", "ring(5)", "--group", "a"), "node numbers and ranges"),
    (("allgather", "ring(5)", "--group", "3-1"), "falls"),
    (("allgather", "torus(100000, 100000)"), "HOPSCAPE_MEMORY"),
    (("alltoall", "torus(10000, 10000)", "--bytes", "1GB"), "limit"),
    (
        ("broadcast", "torus(8, 8)", "--algorithm", "circuit", "--ports", "1", "--duplex",
         "half", "--switching", "store-and-forward"),
        "serves circuit-switched, not 1-port, half duplex, store-and-forward",
    ),
    # rings of Petersen-connected cycles
    (("groups", "rpc(2)", "--size", "61"), "from 1 to 60"),
    (("groups", "rpc(0)", "--size", "2"), "at least 1"),
    (("embed", "ring(31)", "pc"), "only 30"),
    (("route", "rpc(3)", "(0, 3, 1)", "0"), "ports towards 2, 4, 8"),
    (("study", "rpc", "--out", "nowhere", "--only", "nothing"), "table 'nothing' is unknown"),
    (("allgather", "rpc(2)", "-a", "packed", "--duplex", "half"), "packed messages"),
    # multirings
    (("capacity", "petersen"), "petersen is not a multiring"),
    (("capacity", "multiring(16, 1, 3)", "--distribution", "1,x"), "neither 'uniform'"),
    (("capacity", "multiring(16, 1, 3)", "--distribution", "1,2"), "need 15"),
    (("capacity", "sparse_multiring(2, 4)", "--distribution", "1,2"), "is for multiring"),
    (("search", "multiring", "--nodes", "x"), "nodes is 'x'"),
    (("search", "multiring", "--nodes", "16", "--rings", "7"), "rings is 7"),
    (("search", "multiring", "--nodes", "16,32", "--rings", "4", "--grow"), "pairs the lists"),
    (("search", "ring-order", "multiring(16, 1, 3)"), "is not a sparse_multiring"),
    (("rings", "multiring(16, 1, 3)", "--mode", "odd"), "mode is 'odd'"),
    (("rings", "multiring(16, 1, 3)", "--mode", "open"), "load is 0.0"),
    (("rings", "petersen"), "simulated for multiring"),
    (("rings", "multiring(16, 1, 3)", "--mode", "open", "--load", "1000"), "carries 21.8182"),
    (("rings", "multiring(16, 1, 3)", "--mode", "open", "--load", "5", "--load", "22"),
     "load is 22"),
    (("rings", "multiring(16, 1, 3)", "--load", "5"), "--load is for --mode open"),
    (("rings", "multiring(16, 1, 3)", "--window", "5"), "--window is for --mode window"),
    (("rings", "multiring(16, 1, 3)", "--seed", "-5"), "seed is -5"),
    (("rings", "sparse_multiring(10, K=2147483647)"), "too many places"),
    (("rings", "multiring(99999999999, 1, 3)"), "routes on 4 rings"),
    (("capacity", "multiring(18446744073709551616, 1, 3)"), "routes on 4 rings"),
    (("capacity", "sparse_multiring(10, 2147483647, sigma=9)"), "ways"),
    (("capacity", "multiring(16, 1, 3, copies=99999999999)"), "ports; at most"),
    (("capacity", "multiring(16, 1, 3)", "--dead-ring", "7"), "the rings are 1, 3, -1, -3"),
    (("capacity", "multiring(16, 1, 3)", "--dead-ring", "1", "--worst-fault"), "looks for"),
    (("capacity", "multiring(16, 1, 3)", "--dead", "1", "--compare"), "neither"),
    (("capacity", "product(ring(4), ring(4))", "--worst-fault"), "not a multiring"),
    (("capacity", "torus(4, 4)", "--dead", "1"), "is not a multiring"),
    (("search", "multiring", "--nodes", "16:99999999999"), "at most 100,000"),
    (("search", "multiring", "--nodes", "99999999999"), "bytes"),
    (("search", "ring-order", "sparse_multiring(2, 8)", "--seed", "-1"), "seed -1"),
    (("search", "ring-order", "sparse_multiring(2, 2000000000000)"), "too many places"),
    (("ring-table", "sparse_multiring(10, K=2147483647)"), "TB"),
    (("ring-routes", "torus(4, 4)"), "is not a multiring"),
    (("ring-routes", "multiring(16, 1, 3)", "--schedule", "best"), "schedule is 'best'"),
    (("multiring", "torus", "--ports", "1"), "must be at least"),
    (("multiring", "torus", "--top", "0"), "must be at least"),
    (("multiring", "torus", "--ports", "4", "--nodes", "999999", "--longest", "9", "--printed",
      "--workers", "1"), "no torus of up to 2 lines"),
    (("route", "torus(4, 4)", "0", "1", "--router", "one-ring"), "is unknown"),
    (("deadlock", "multiring(16, 1, 3)", "--router", "one-ring", "--routing", "ugal"), "fixed"),
    (("simulate", "multiring(8, 1)", "--router", "one-ring", "--dead", "1", "--load",
      "0.1"), "do not go round"),
    (("simulate", "multiring(8, 1)", "--router", "one-ring", "-t", "worst", "--load", "0.1"),
     "is not known"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "words"), REQUESTS)
def test_a_wrong_request_is_refused_in_a_sentence(
    arguments: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small = {"HOPSCAPE_MEMORY": "1G"} if arguments[0] in ("allgather", "alltoall") else {}
    assert words in refused(*arguments, **small)
    assert list(tmp_path.iterdir()) == []


LONG = [
    ("simulate", "ring(4)", "--schedule", "9" * 3000),
    ("simulate", "ring(4)", "--cycles", "9" * 3000),
    ("simulate", "ring(4)", "--warmup", "9" * 40),
    ("emit", "ring(4)", "--to", "x" * 3000),
    ("show", "ring(4)", "--" + "z" * 3000),
    ("--" + "z" * 3000,),
    ("show", "ring(4)", "x" * 3000),
]


@pytest.mark.parametrize("words", LONG)
def test_a_message_does_not_repeat_thousands_of_digits(words):
    complaint = refused(*words)
    assert len(complaint) < 500
    assert len(complaint.splitlines()) == 1
    assert complaint.startswith("hopscape: ")


def test_a_group_without_a_command_shows_its_help():
    assert "show" in run("circulant").stdout


def test_columns_of_json_are_refused_before_anything_is_written(tmp_path):
    wrong = ("handover", "ring(4)", "--out", str(tmp_path / "new"), "-f", "json", "--columns", "a")
    assert "JSON always has all" in refused(*wrong)
    assert list(tmp_path.iterdir()) == []


def test_a_network_of_more_nodes_than_floats_count():
    assert "about 10^9" in shown("show", f"torus({', '.join(['3'] * 2000)})")
