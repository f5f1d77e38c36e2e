"""Searching for the best networks: long work in small tasks, kept in a store."""
