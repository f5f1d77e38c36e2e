"""MatrixMarket files, read here: scipy's reader crashes on damaged ones (arrays too short).

The format: R. F. Boisvert, R. Pozo, K. Remington, *The Matrix Market exchange formats*, NISTIR
5935, 1996.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import FileFormatError
from hopscape.core.memory import require_memory
from hopscape.core.reading import Line, TextFile

if TYPE_CHECKING:
    import scipy.sparse

__all__ = ["read_matrix_market"]

_FIELDS = ("integer", "real", "double", "pattern")
_SHAPES = ("general", "symmetric")
_MOST = 2**31 - 1
_LARGEST = 2.0**53


def read_matrix_market(path: str | Path) -> scipy.sparse.coo_array:
    """The sparse matrix of a file, entries of a symmetric one on both sides.

    Raises:
        FileFormatError: When it is not a whole file of real numbers, with the line where that
            shows.
    """
    from scipy.sparse import coo_array

    file = TextFile(path)
    dense, field, symmetric = _header(file)
    lines = list(file.lines("%"))
    sizes = lines[0].integers("a size", 0, _MOST) if lines else np.zeros(0, dtype=np.int64)
    if len(sizes) != (2 if dense else 3):
        raise file.error("the line with the size of the matrix is missing")
    rows, columns = int(sizes[0]), int(sizes[1])
    if symmetric and rows != columns:
        raise lines[0].error(f"a symmetric matrix is square, not {rows} × {columns}")
    promised = int(sizes[2]) if not dense else rows * columns
    if dense and symmetric:
        promised = rows * (rows + 1) // 2
    if len(lines) - 1 != promised:
        raise lines[0].error(f"{promised} entries are promised, {len(lines) - 1} lines follow")
    require_memory(40 * (promised + rows), f"the matrix of {path}")
    cells = _entries(lines[1:], 1 if dense else 2 if field == "pattern" else 3)
    if dense:
        i, j, values = _dense_places(rows, columns, symmetric, cells[:, 0])
    else:
        i, j = (_places(lines, cells[:, k], n) for k, n in ((0, rows), (1, columns)))
        values = cells[:, 2] if field != "pattern" else np.ones(len(cells))
    if symmetric:
        off = i != j
        i, j = np.concatenate([i, j[off]]), np.concatenate([j, i[off]])
        values = np.concatenate([values, values[off]])
    kept = values != 0
    return coo_array((values[kept], (i[kept], j[kept])), shape=(rows, columns))


def _header(file: TextFile) -> tuple[bool, str, bool]:
    """Is it dense; the kind of its entries; is it symmetric?"""
    words = file.text.split("\n", 1)[0].lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise file.error("it does not begin with '%%MatrixMarket matrix ...'")
    layout, field, shape = words[2:]
    if layout not in ("coordinate", "array") or field not in _FIELDS or shape not in _SHAPES:
        raise file.error(
            f"a matrix that is {layout} {field} {shape}; read are coordinate or array,"
            f" {', '.join(_FIELDS)}, {' or '.join(_SHAPES)}"
        )
    return layout == "array", field, shape == "symmetric"


def _entries(lines: list[Line], width: int) -> Any:
    """The numbers of all entries; line by line only where something is wrong."""
    text = "\n".join(line.text for line in lines)
    if text.isascii() and "_" not in text:
        try:
            found = np.array(text.split(), dtype=np.float64)
            if len(found) == width * len(lines) and np.all(np.abs(found) <= _LARGEST):
                return found.reshape(-1, width)
        except ValueError:
            pass
    for line in lines:
        if len(line.reals("an entry", -_LARGEST, _LARGEST)) != width:
            raise line.error(f"an entry has {width} numbers")
    raise FileFormatError(f"{lines[0].file.path}: numbers are separated by blanks")


def _places(lines: list[Line], given: Any, count: int) -> IntArray:
    wrong = (given < 1) | (given > count) | (given != np.floor(given))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise lines[at + 1].error(f"a place is {given[at]:g}; it must be from 1 to {count}")
    return given.astype(np.int64) - 1


def _dense_places(rows: int, columns: int, symmetric: bool, values: Any) -> tuple[Any, Any, Any]:
    """Column by column; of a symmetric matrix only from the diagonal down."""
    if not symmetric:
        at = np.arange(math.prod((rows, columns)))
        return at % max(rows, 1), at // max(rows, 1), values
    j, i = np.triu_indices(rows)
    return i, j, values
