"""HammingMesh (Hoefler et al., SC 2022): its price list, its costs recomputed, its bandwidth."""
