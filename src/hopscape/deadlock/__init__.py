"""Deadlock: channel dependencies, classes of virtual channels, certificates."""
