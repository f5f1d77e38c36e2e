"""The paper 'rpc': its claims, and the studies and pictures that go with it."""

from hopscape.core.plugins import later

__getattr__ = later(
    __name__,
    {
        "families": (
            "DoubleLoopPetersen",
            "HierarchicalRings",
            "PetersenCycles",
            "RingOfCycles",
            "RingOfPetersen",
            "RingOfPetersenCycles",
            "TorusOfPetersen",
            "TwoDoubleLoopsPetersen",
        ),
    },
)
