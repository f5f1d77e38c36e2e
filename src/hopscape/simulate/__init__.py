"""Flit-level simulation: how a network holds up under load.

A :class:`Job` says everything that decides a simulation; :func:`simulate`, :func:`saturation`,
and :func:`replay` run it.
"""

from hopscape.simulate.fabric import Setup, build_setup
from hopscape.simulate.jobs import Job
from hopscape.simulate.measurement import Point, run_point
from hopscape.simulate.settings import Settings
from hopscape.simulate.sweep import Saturation, replay, saturation, simulate
from hopscape.simulate.traffic import PATTERNS, Traffic, make_traffic

__all__ = [
    "PATTERNS",
    "Job",
    "Point",
    "Saturation",
    "Settings",
    "Setup",
    "Traffic",
    "build_setup",
    "make_traffic",
    "replay",
    "run_point",
    "saturation",
    "simulate",
]
