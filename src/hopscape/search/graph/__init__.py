"""The best graphs of an order and a degree: the order/degree problem, with constraints.

Every graph is looked for as a *lift*: a small base graph with group elements on its links
(:mod:`lifts`). The trivial group gives any graph at all, a cyclic one graphs with a rotation, one
vertex gives Cayley graphs. :mod:`arms` lists the shapes and starts for a problem, :mod:`climb`
improves one by local search, :mod:`rounds` shares the time out among them.
"""

from hopscape.search.graph.arms import METHODS
from hopscape.search.graph.problem import Problem
from hopscape.search.graph.result import GraphResult
from hopscape.search.graph.rounds import LOCAL, best_graph, best_switches, plan, switched

__all__ = [
    "LOCAL",
    "METHODS",
    "GraphResult",
    "Problem",
    "best_graph",
    "best_switches",
    "plan",
    "switched",
]
