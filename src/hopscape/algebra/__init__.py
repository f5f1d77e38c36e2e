"""Algebra that families are made of: finite fields, automorphisms and orbits."""
