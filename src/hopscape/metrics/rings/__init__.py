"""What rings carry, exactly: routes on full rings, arcs of sparse ones."""
