"""The classic algorithms of message-passing libraries, on any network.

* `plans`: plans of ranks, and how they become schedules with paths and congestion;
* `gathering`, `rooted`, `exchange`: the algorithms, one function each, with their sources;
* `placing`: where the ranks stand on the network;
* `table`: the algorithms by goal and name.
"""

from hopscape.collectives.classics.plans import CUT_THROUGH, RankPlan, to_schedule
from hopscape.collectives.classics.table import CLASSICS

__all__ = ["CLASSICS", "CUT_THROUGH", "RankPlan", "to_schedule"]
