"""Base blocks of shared crossbars, found by search."""

SHARED_COVERS: dict[tuple[int, int, int], tuple[int, list[tuple[int, ...]]]] = {}
