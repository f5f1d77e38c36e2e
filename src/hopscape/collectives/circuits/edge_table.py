"""A three-round broadcast on the torus of side 7 whose circuits share no link.

Found by constraint search; its longest chain of calls is 3 + 4 + 2 = 9, the diameter. One table per
round: place of the source, its words (see :mod:`hopscape.collectives.circuits.words`).
"""

from __future__ import annotations

__all__ = ["CALLS"]

CALLS: tuple[dict[tuple[int, int, int], str], ...] = (
    {
        (0, 0, 0): "XYY YxY ZYZ xyy yXy zyz",
    },
    {
        (-1, -2, 0): "Xzzz YxZx ZZyZ xzzz yZZx zyxy",
        (-1, 2, 0): "XzYX YZxx ZxZZ xzzx yxx zzyz",
        (0, -1, -2): "XzXY YZxz ZXY xxxx yyx zxxx",
        (0, 0, 0): "XZYX Yxzx ZxyZ xzyx yXZX zXYz",
        (0, 1, 2): "XXXX YYX ZXXX xZxy yzXZ zxy",
        (1, -2, 0): "XZZX YXX ZZYZ xZyx yzXX zXzz",
        (1, 2, 0): "XZZZ YzzX ZYXY xZZZ yXzX zzYz",
    },
    {
        (-3, -1, -3): "X Y Z xz y z",
        (-3, -1, 1): "X Y Z x y z",
        (-3, 1, 0): "X Y Z x y z",
        (-3, 1, 2): "X Y Z x y zx",
        (-3, 2, -2): "X Y ZY x yy zY",
        (-3, 3, 1): "X Y Z x y zY",
        (-2, -3, 2): "X Y Z x y z",
        (-2, -2, -3): "X Yz Zy xy yy zx",
        (-2, -1, -1): "X Y Z xy y zy",
        (-2, 0, 3): "X Y Z x yy z",
        (-2, 1, -1): "X Y ZZ xz yx z",
        (-2, 2, 3): "X Y Zx xY yZ z",
        (-2, 3, -1): "X Y Z xZ yZ z",
        (-1, -3, -2): "XZ Y Z xx y zy",
        (-1, -3, 1): "X Y Zy xY y z",
        (-1, -3, 3): "X Y Zx xx y zX",
        (-1, -2, 0): "X Y ZX x yx z",
        (-1, -1, 2): "Xy Y Z x y z",
        (-1, 0, -2): "X Y Z x y z",
        (-1, 0, 1): "X Y ZY x yX z",
        (-1, 1, -3): "X Yx ZY xx yy z",
        (-1, 2, 0): "X Y Z xZ y z",
        (0, -2, -3): "X Y Z xy y z",
        (0, -1, -2): "XZ YY Zy xx yy zY",
        (0, 0, 0): "X Y ZY xx y z",
        (0, 1, 2): "X Y Z xY y zY",
        (0, 2, 3): "X Y Z xZ yX zY",
        (1, -2, 0): "Xz Y Z xy y z",
        (1, -1, 3): "X Y Z x y z",
        (1, 0, -1): "X Y ZX xY yx z",
        (1, 0, 2): "XX YY Zx xy yy z",
        (1, 1, -2): "X Y ZX xY yy z",
        (1, 2, 0): "X Y Z xY y z",
        (1, 3, -3): "X Y Z x y zY",
        (1, 3, -1): "X Y ZX x yx zY",
        (1, 3, 2): "XX Y ZX xz yX z",
        (2, -3, 1): "XZ Y Z x y z",
        (2, -2, -3): "Xy Y Z xZ y z",
        (2, -1, 1): "Xy Y Z x yz z",
        (2, 0, -3): "X YX Z x yX z",
        (2, 1, 1): "XY Y Z x yZ z",
        (2, 2, 3): "X YY Z xY y zY",
        (2, 3, -2): "X Y ZX xx y zX",
        (3, -3, -1): "X Y Z x yZ z",
        (3, -2, 2): "X Y Z x yZ zy",
        (3, -1, -2): "Xy Y Z x y zy",
        (3, -1, 0): "Xy Y ZY xz y zX",
        (3, 1, -1): "XY Y ZY xY y z",
        (3, 1, 3): "XY YY ZY xZ y zY",
    },
)
