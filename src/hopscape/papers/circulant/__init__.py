"""The paper 'circulant': its claims, and the studies and pictures that go with it."""

from hopscape.core.plugins import later

__getattr__ = later(
    __name__,
    {
        "families": (
            "BestCirculant",
            "ChenJia",
            "DoubleLoop",
            "GammaCirculant",
            "LargestDoubleLoop",
            "OptimalCirculant",
            "TwoParameterCirculant",
            "WongCoppersmith",
            "Yebra",
        ),
        "memoryless": ("ForwardingRule",),
        "search": (
            "CirculantOptimum",
            "best_circulants",
            "largest_circulants",
        ),
    },
)
