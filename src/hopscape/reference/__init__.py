"""Slow twins: what the tests and the ledger know better by.

Plain, obvious implementations, from the definition and the wires of a network alone: no closed
form, no router of a family, no kernel. Tests compare fast code with them, checks of claims measure
with them, and nothing else of the toolkit imports them (``tests/test_architecture.py``). What only
one paper needs stands in ``reference.py`` of its room, under the same rule; what only one test
needs, beside that test (``tests/twins.py`` lists all).
"""
