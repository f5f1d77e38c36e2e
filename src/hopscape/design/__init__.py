"""From requirements to a chosen, checked, documented network."""

from hopscape.design.candidates import Candidate, find_candidates
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.conditions import Conditions
from hopscape.design.designer import Design, design
from hopscape.design.floorplan import FloorPlan, RackLayout, place
from hopscape.design.question import CRITERIA, DEFAULT_WEIGHTS, Question
from hopscape.design.ranking import rank
from hopscape.design.requirements import Requirements
from hopscape.design.survival import Survival
from hopscape.design.switched_requirements import SwitchedRequirements

__all__ = [
    "ALL_COLUMNS",
    "CRITERIA",
    "DEFAULT_WEIGHTS",
    "Candidate",
    "Conditions",
    "Design",
    "FloorPlan",
    "Question",
    "RackLayout",
    "Requirements",
    "Survival",
    "SwitchedRequirements",
    "design",
    "find_candidates",
    "place",
    "rank",
]
