"""Families by name."""

from __future__ import annotations

import pytest

import hopscape
from hopscape.core.errors import FileFormatError, SpecError
from hopscape.registry import aliases


def test_families_can_be_asked_for_again():
    first = hopscape.all_families()
    hopscape.build("product(petersen, ring(3))")
    assert hopscape.all_families() == first
    assert list(first) == sorted(first)
    assert "complete_graph" not in first


def test_rooms_are_attributes_of_the_package():
    assert hopscape.families.circulant.wiring.Circulant is hopscape.family("circulant")
    with pytest.raises(AttributeError, match="no room 'nothing'"):
        _ = hopscape.families.nothing


@pytest.mark.parametrize("name", sorted(hopscape.all_families()))
def test_every_family_describes_itself(name):
    family = hopscape.family(name)
    assert family.name == name
    assert family.summary
    assert family.usage().startswith(name)
    assert family.__doc__
    assert all(p.help and p.range_text for p in family.parameters)
    assert sum(p.variadic for p in family.parameters) <= 1


def test_aliases():
    assert aliases("complete") == ("complete_graph",)
    assert hopscape.family("de_bruijn") is hopscape.family("debruijn")
    assert hopscape.family("kautz").usage() == "kautz(d, n, duplex=false)"
    assert hopscape.family("circulant").usage() == "circulant(n, generators...)"
    assert hopscape.family("petersen").usage() == "petersen"


def test_unknown_family():
    with pytest.raises(SpecError, match="unknown family 'hypercub'; did you mean hypercube"):
        hopscape.family("hypercub")


def test_a_file_name_is_a_spec(tmp_path, monkeypatch):
    path = tmp_path / "my net.edges"
    path.write_text("0 1\n1 2\n")
    net = hopscape.build(f"  {path} ")
    assert net.spec == f'file("{path}")'
    assert hopscape.build(net.spec).links == net.links == 2
    monkeypatch.chdir(tmp_path)
    assert hopscape.build("my net.edges").order == 3
    assert not hopscape.build("file('my net.edges', directed=true)").duplex
    with pytest.raises(FileFormatError, match=r"none\.edges cannot be read: No such"):
        hopscape.build("none.edges")
    other = tmp_path / "graph.xyz"
    other.write_text("0 1\n")
    with pytest.raises(FileFormatError, match="unknown ending"):
        hopscape.build(str(other))
