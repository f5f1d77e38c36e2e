"""What the words in tables mean: columns, criteria of the ranking, and headings of other tables."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from hopscape.core.errors import ArgumentError

__all__ = ["GlossaryTerm", "glossary", "look_up"]


@dataclass(frozen=True)
class GlossaryTerm:
    """A word that a table prints.

    Attributes:
        name: In files and options.
        title: As tables print it.
        explanation: One line.
        where: What prints it.
    """

    name: str
    title: str
    explanation: str
    where: str


_SHOW = {
    "mean distance": "mean distance over ordered pairs of distinct nodes",
    "vertex-transitive": "does every node look like every other?",
    "memory": "bytes of the wiring as arrays, if it is built",
    "best known": "the Moore bound and the largest known graph of this degree and diameter",
    "record": "the best Graph Golf solution of this number of nodes and degree",
    "other kinds": "further kinds of channels, which JSON lists",
    "note": "what the figures leave aside",
}
_STRUCTURE = {
    "automorphisms": "permutations of the nodes that keep every channel",
    "orbits of nodes": "classes of nodes that automorphisms move into each other",
    "edge-transitive": "does every link look like every other?",
    "distance-regular": "do the counts of further and nearer neighbours depend on distance alone?",
    "intersection array": "neighbours one further away {b0, b1, ...; and one nearer: c1, c2, ...}",
    "eigenvalues": "of the adjacency matrix, the largest first, with multiplicities",
    "spectral gap": "second smallest eigenvalue of the normalised Laplacian",
    "conductance": "fewest links that leave a set, over the degrees in its smaller side",
    "Ramanujan": "are all eigenvalues but ±degree at most 2 sqrt(degree - 1)?",
}
_DEADLOCK = {
    "with 1 virtual channel": "can packets wait for each other for ever?",
    "virtual channels needed": "fewest classes of channels by which a deadlock is impossible",
    "certificate": "waits of a channel for another one that were looked at, and close no cycle",
}
_MULTIRING = {
    "routes": "how routes are chosen: shortest, balanced, or by a heuristic",
    "places": "places of a ring: packets that it carries at once",
    "largest load": "packets on the fullest ring per slot",
    "loads": "packets on each ring per slot",
    "packets per slot": "packets that the rings carry in all",
    "fullest rings": "rings that limit what is carried, by the steps that they take",
    "no network of the kind carries more than": "the bound, and the same as a fraction",
    "cable": "length in steps of ring 1, or metres",
    "exact": "is the answer proved?",
}
_DESIGNS = {
    "sigma": "blocks that any two elements share",
    "m": "elements of a block: ports of a small switch",
    "N": "elements and blocks: ports of the whole switch",
    "status": "does the design exist: built here, impossible or open?",
    "reason": "by which construction or theorem",
    "because": "the reason for the entry beside it",
    "built": "how the design was built",
}
_EMBEDDING = {
    "dilation": "longest route between images of neighbours",
    "mean dilation": "mean length of the routes between images of neighbours",
    "congestion": "routes on the busiest channel",
    "sides": "endpoints and switches in either half",
}
_SEARCH = {
    "best sets": "sets of generators of the least diameter, then the least mean distance",
    "sets": "how many sets of generators are best, or how many sets of steps were tested",
    "up to isomorphism": "the best sets, those of isomorphic networks counted once",
    "sets tested": "sets whose distances were computed",
    "optimal generators": "a set of the least diameter, then the least mean distance",
}
_EXPLAIN = {
    "column": "name in files and options",
    "title": "as tables print it",
    "explanation": "what it means",
    "where": "what prints it",
}
_SIGNS = {
    "~": "from a sample",
    "≤": "an upper bound, not proved least",
    "≥": "a lower bound",
    "<": "< 3: row 3 is at least as good on every criterion",
    "=": "= 3: the same figures as row 3, often the same network under another name",
    "-": "not known, not measured or none",
    "…": "cut: JSON has all of it",
}
_RANKING = {
    "#": "place in the ranking, the best first",
    "network": "the spec that builds it",
    "spec": "the call that builds it again, such as torus(8, 8)",
    "machine": "the spec that builds it, endpoints included",
    "score": "weighted mean of best / own over the criteria of --matters; 1 is best in all of them",
    "remark": "why a candidate is not allowed, or which one dominates it or has the same figures",
}
_ROUTES = {
    "length": "hops of the route",
    "path": "numbers of the nodes on the route",
    "addresses": "addresses of the nodes on the route",
    "ports": "ports by which the nodes of the route are left",
    "first ports": "all ports by which a shortest route leaves the first node",
    "disjoint route": "a route that shares no node in between with the others",
    "router": "what told the route: a formula, a table or a search",
}
_COLLECTIVE = {
    "model": "rules of a round: ports, duplex, switching, what circuits may not share, packing",
    "algorithm": "what made the schedule",
    "what": "the algorithm in one line",
    "why": "why an algorithm was taken or left out, or what a bound rests on",
    "serves": "the models that an algorithm is for",
    "rounds": "rounds of the schedule",
    "without barriers": "time when every message goes as soon as it can, not round by round",
    "lower bound": "rounds that no schedule can beat under this model, and why",
    "messages": "messages sent in all",
    "duplicates": "deliveries of what a node had already",
    "nodes reached": "nodes that have what they were promised",
    "time": "alpha per round, beta per chunk of the longest message, delta per hop of the longest"
    " path, added up over rounds",
    "circuits share no": "the strongest of node, link and channel that no two circuits of a round"
    " share",
    "longest chain": "hops of the calls one after the other by which the last node is informed",
    "sum of longest calls": "longest call of each round, added up",
    "verdict": "what the check found: it holds, or the first counter-example",
    "bytes": "the whole message of --bytes, and the chunks that it is cut into",
    "size": "bytes of the whole message",
    "chunks": "pieces that the message is cut into",
    "costs in µs": "alpha per message, beta per byte, gamma per byte added, delta per hop",
    "fastest": "the algorithm of the least time at this size",
    "from": "the size from which on this algorithm is the fastest",
    "instead of": "the algorithm that is the fastest below this size",
    "bound": "time that no algorithm beats at this size",
}
_FOLDER = {
    "file": "a file or folder of the hand-over",
    "what": "what is inside, or why it is not there",
}
_LOAD = {
    "largest load": "units per time on the busiest channel when every endpoint sends 1",
    "mean load": "mean over all channels",
    "one half": "endpoints and switches on one side of the cut that was found",
    "distance": "hops",
    "count": "nodes, or ordered pairs, at this distance",
    "share": "count over all nodes or pairs",
}
_FAMILIES = {
    "family": "how a spec is written",
    "what it is": "the family in one line",
    "example": "a small member",
    "parameters": "how a spec is written, with defaults",
    "also called": "other names of the family",
}
_SIMULATE = {
    "offered": "flits per endpoint and cycle that the sources make",
    "accepted": "flits per endpoint and cycle that arrive",
    "latency": "mean cycles from the making of a packet to the arrival of its last flit",
    "±": "half the 95 % interval of the mean latency",
    "in network": "mean cycles from the first flit's entry to the last flit's arrival",
    "p50": "cycles within which half of the packets arrive (p95, p99: 95 %, 99 %)",
    "p95": "cycles within which 95 % of the packets arrive",
    "p99": "cycles within which 99 % of the packets arrive",
    "busiest channel": "share of cycles in which the busiest channel carried a flit",
    "saturated": "do packets pile up at the sources, or is the latency beyond the limit?",
    "deadlocked": "did packets wait for each other for ever?",
    "delivered": "packets that arrived",
    "lost": "packets that a fault destroyed or left without a route",
    "rerouted": "packets that did not follow the first choice of their route",
}
_TABLES = {
    "signs": _SIGNS,
    "show": _SHOW,
    "structure": _STRUCTURE,
    "deadlock": _DEADLOCK,
    "multiring": _MULTIRING,
    "blockdesign": _DESIGNS,
    "embed and bisection": _EMBEDDING,
    "search": _SEARCH,
    "explain": _EXPLAIN,
    "design": _RANKING,
    "route": _ROUTES,
    "broadcast and the other collectives": _COLLECTIVE,
    "bisection, load, distances": _LOAD,
    "handover": _FOLDER,
    "families": _FAMILIES,
    "simulate": _SIMULATE,
}


def glossary() -> Iterator[GlossaryTerm]:
    """All words, the columns of 'compare' and 'design' first."""
    from hopscape.design.columns import ALL_COLUMNS
    from hopscape.design.question import CRITERIA

    for column in ALL_COLUMNS.values():
        yield GlossaryTerm(column.name, column.title, column.explanation, "column")
    for one in CRITERIA.values():
        columns = ", ".join(ALL_COLUMNS[name].title for name in one.columns)
        text = f"{one.explanation}; measured by {columns}"
        yield GlossaryTerm(one.name, one.name, text, "criterion of --matters")
    for where, words in _TABLES.items():
        for title, text in words.items():
            yield GlossaryTerm(title, title, text, where)


def _matching(words: list[GlossaryTerm], wanted: str) -> list[GlossaryTerm]:
    from hopscape.design.columns import plain_title

    plain = plain_title(wanted)
    return [w for w in words if plain and plain in (plain_title(w.name), plain_title(w.title))]


def look_up(text: str) -> list[GlossaryTerm]:
    """The words of a name or title, however it is written.

    Raises:
        ArgumentError: When there is none, with the nearest ones.

    Examples:
        >>> [word.where for word in look_up("latency")]
        ['criterion of --matters', 'simulate']
        >>> look_up("All-Reduce us")[0].name
        'allreduce'
    """
    words = list(glossary())
    text = re.sub(r" \d+$| \([^)]*\)$", "", text.strip())  # 'disjoint route 2', 'latency (cycles)'
    terms = _matching(words, text)
    for part in (*text.split(": ")[1:], *text.split(", ")[:-1]):  # 'balanced: loads'
        terms = terms or _matching(words, part)
    if not terms:
        terms = [w for w in words if text.strip() == w.title]
    if not terms:
        names = sorted({w.name for w in words} | {w.title for w in words})
        similar = difflib.get_close_matches(text.lower(), names, n=3)
        hint = (
            f"did you mean {' or '.join(similar)}?" if similar else "'hopscape explain' lists all"
        )
        raise ArgumentError(f"column {text!r} is unknown; {hint}")
    return terms
