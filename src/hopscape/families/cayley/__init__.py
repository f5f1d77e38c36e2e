"""Cayley graphs of semidirect products of two cyclic groups: structured, and as short as random.

The group has the pairs (x, y), x mod m and y mod k, with (x, y) (a, b) = (x + r^y a, y + b). Node
v is wired to v·g and v·g⁻¹ for every generator g. All nodes look alike, so that one vector of as
many bytes as there are nodes routes the whole machine (:mod:`routing`); the designer's members
come from a small seeded search (:mod:`offers`).
"""

from hopscape.algebra.named_groups import Group, Semidirect, group
from hopscape.families.cayley.offers import good_cayley
from hopscape.families.cayley.routing import CayleyRouter
from hopscape.families.cayley.wiring import Cayley, Voltage

__all__ = ["Cayley", "CayleyRouter", "Group", "Semidirect", "Voltage", "good_cayley", "group"]
