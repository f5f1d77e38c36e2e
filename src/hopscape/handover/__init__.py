"""Hand-overs: a network as a folder of files for real software, and that software run on it."""

from hopscape.handover.check import COMPONENTS, Checked, CheckSettings, check_folder
from hopscape.handover.folder import hand_over
from hopscape.handover.mpi import run_mpi
from hopscape.handover.readback import read_back

__all__ = [
    "COMPONENTS",
    "CheckSettings",
    "Checked",
    "check_folder",
    "hand_over",
    "read_back",
    "run_mpi",
]
