"""Algebra that families are made of: finite fields, exact equations, automorphisms and groups."""

from hopscape.algebra.groups import AutomorphismGroup, automorphism_group, is_isomorphic

__all__ = ["AutomorphismGroup", "automorphism_group", "is_isomorphic"]
