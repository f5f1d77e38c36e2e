"""Workloads: operations of ranks with dependencies, and how long they take on a network.

>>> from hopscape.workloads import Chip, ModelJob, LanguageModel, Split, step
>>> model = LanguageModel(hidden=1024, layers=4, heads=8, seq=512, vocab=1000)
>>> found = step(ModelJob(model, Split(batch=8, tp=2, dp=4), Chip(tflops=100)), "torus(2, 4)")
>>> bool(found.verdict), found.bound.seconds <= found.seconds
(True, True)
"""

from hopscape.workloads.chakra import read_chakra, write_workload
from hopscape.workloads.job import Chip, LanguageModel, ModelJob, Overlap, Split, chips, load_chip
from hopscape.workloads.plans import GroupPlan
from hopscape.workloads.step import Step, read_job, search_placement, step
from hopscape.workloads.timeline import Fabric, Timeline, execute
from hopscape.workloads.transformer import make_step
from hopscape.workloads.workload import (
    Part,
    Placement,
    Together,
    Workload,
    WorkloadBuilder,
    live_endpoints,
    read_placement,
)

__all__ = [
    "Chip",
    "Fabric",
    "GroupPlan",
    "LanguageModel",
    "ModelJob",
    "Overlap",
    "Part",
    "Placement",
    "Split",
    "Step",
    "Timeline",
    "Together",
    "Workload",
    "WorkloadBuilder",
    "chips",
    "execute",
    "live_endpoints",
    "load_chip",
    "make_step",
    "read_chakra",
    "read_job",
    "read_placement",
    "search_placement",
    "step",
    "write_workload",
]
