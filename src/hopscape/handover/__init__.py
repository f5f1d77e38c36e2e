"""Hand-overs: a network as a folder of files for real software, and that software run on it."""

from hopscape.handover.folder import hand_over
from hopscape.handover.readback import read_back

__all__ = ["hand_over", "read_back"]
