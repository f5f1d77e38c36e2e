"""Searches and studies over many networks."""
