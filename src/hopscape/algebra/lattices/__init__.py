"""Integer lattices in the sum norm: cells, their points counted, the farthest of them."""
