"""What a network is worth: distances, cuts, connectivity, loads, cost."""
