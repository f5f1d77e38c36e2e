"""The papers: one room for the whole system of each.

Families, routers, collectives, searches, simulation, claims, studies, pictures and commands of a
paper stand in its room, whose front page tells the system. They reach the toolkit by entry points
(``pyproject.toml``); the toolkit imports none of them.
"""
