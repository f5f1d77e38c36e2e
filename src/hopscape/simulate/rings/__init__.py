"""Rings slot by slot: traffic of schedules on rings, and its simulation."""
