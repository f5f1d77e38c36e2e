"""Flit-level simulation: how a network holds up under load."""

from hopscape.simulate.fabric import Plant, build_plant
from hopscape.simulate.measurement import Point, run_point, saturation
from hopscape.simulate.settings import Settings
from hopscape.simulate.traffic import PATTERNS, Traffic, make_traffic

__all__ = [
    "PATTERNS",
    "Plant",
    "Point",
    "Settings",
    "Traffic",
    "build_plant",
    "make_traffic",
    "run_point",
    "saturation",
]
