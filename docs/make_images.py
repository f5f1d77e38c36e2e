"""Make the pictures of the documentation: ``python docs/make_images.py``."""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib.image
from matplotlib.figure import Figure

import hopscape
from hopscape.show.draw import draw_network

FOLDER = Path(__file__).parent / "images"
GALLERY = ("torus(5, 5)", "circulant(21, 1, 3, 8)", "ccc(3)", "product(petersen, ring(3))")


def gallery() -> None:
    """Four networks side by side."""
    figure = Figure(figsize=(14, 4.2), dpi=100)
    axes = figure.subplots(1, len(GALLERY))
    with tempfile.TemporaryDirectory() as folder:
        for place, spec in zip(axes, GALLERY, strict=True):
            picture = Path(folder) / "picture.png"
            draw_network(hopscape.build(spec), picture, labels=False, size=4)
            place.imshow(matplotlib.image.imread(picture))
            place.axis("off")
    figure.tight_layout()
    figure.savefig(FOLDER / "gallery.png")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    gallery()
