"""Weighted paths of a hand-over are checked: against brute force, and with faults planted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import hopscape
from hopscape.core.errors import FileFormatError
from hopscape.design.conditions import Conditions
from hopscape.design.handover import hand_over
from hopscape.formats.check import CheckSettings, check_folder
from hopscape.formats.weights_check import check_weights
from hopscape.metrics.throughput import switch_graph

UNEVEN = "populated(concentrated(ring(5), 2), 6, ends=[2, 1, 1, 1, 1])"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    top = tmp_path_factory.mktemp("weights") / "plan"
    hand_over(UNEVEN, top, Conditions(routing="optimal"))
    return top


def test_the_share_is_that_of_the_worst_permutation(folder):
    """By all permutations of the endpoints."""
    verdict = check_weights(folder)
    assert verdict, verdict.reason
    net = hopscape.build(UNEVEN)
    graph = switch_graph(net)
    first = net.endpoint_count
    at = np.repeat(np.arange(graph.order), graph.ends).tolist()
    split: dict[tuple[int, int], list[tuple[float, list[int]]]] = {}
    for line in (folder / "weighted_paths.csv").read_text().splitlines()[3:]:
        _, _, weight, path = line.split(",")
        nodes = [int(node) - first for node in path.split()]
        split.setdefault((nodes[0], nodes[-1]), []).append((float(weight), nodes))
    most = 0.0
    for to in itertools.permutations(range(len(at))):
        load = np.zeros((graph.order, graph.order))
        for source, target in enumerate(to):
            for weight, nodes in split.get((at[source], at[target]), []):
                for u, v in itertools.pairwise(nodes):
                    load[u, v] += weight
        most = max(most, float(load.max()))
    assert verdict.details["share"] == pytest.approx(1 / most, abs=1e-5)
    assert verdict.details["share"] == pytest.approx(verdict.details["stated"], abs=1e-4)
    [checked] = check_folder(folder, ["weights"])
    assert checked.verdict


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("gets 0.", "gets 0.9", "some permutation gets only"),
        ("6,7,", "6,7,0.5,6 7\n6,7,", "add up to"),
        ("6,8,", "6,8,0,6 8\n6,8,", "that no cable joins"),
    ],
)
def test_planted_faults_are_found(folder, tmp_path, old, new, words):
    for path in folder.rglob("*"):
        if path.is_file():
            copy = tmp_path / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    file = tmp_path / "weighted_paths.csv"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    [checked] = check_folder(tmp_path, ["weights"], CheckSettings(changed=True))
    assert not checked.verdict
    assert words in checked.verdict.reason
    file.write_text(text.replace("any permutation", "some", 1))
    with pytest.raises(FileFormatError, match="does not say which share"):
        check_weights(tmp_path)
