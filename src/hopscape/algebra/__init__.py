"""Algebra that families are made of.

fields               finite fields, primes
groups               the automorphism group of any network: generators, order, orbits
named_groups         cyclic, dihedral, semidirect, permutation and matrix groups by name
reduction, closest   short bases of integer lattices; exact closest vectors in any sum norm
lattices             the lattice of a circulant: its cell, diameter and distance counts
"""

from hopscape.algebra.groups import AutomorphismGroup, automorphism_group, is_isomorphic

__all__ = ["AutomorphismGroup", "automorphism_group", "is_isomorphic"]
