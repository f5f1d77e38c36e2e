"""All-gather at the bandwidth bound: spanning trees packed into any network."""

from hopscape.collectives.forest.cut import Bottleneck, bottleneck
from hopscape.collectives.forest.schedules import best_pieces, forest_plan, forest_schedule

__all__ = ["Bottleneck", "best_pieces", "bottleneck", "forest_plan", "forest_schedule"]
