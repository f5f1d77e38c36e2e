"""Distributed switches, small and of every kind, for tests of several rooms."""

from __future__ import annotations

__all__ = ["SWITCHES"]

SWITCHES = [
    "distributed_switch(3, 2, 1)",
    "distributed_switch(7, 4, 2)",
    "distributed_switch(13, 4, 1)",
    "distributed_switch(16, 6, 2)",
    "distributed_switch(36, 15, 6)",
    "distributed_switch(56, 11, 2)",
    "distributed_switch(57, 8, 1)",
    "distributed_switch(79, 13, 2)",
    "partial_switch(12, 4)",
    "partial_switch(39, 7)",
]
