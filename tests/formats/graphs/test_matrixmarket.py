"""MatrixMarket files against scipy's writer and reader."""

from __future__ import annotations

import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.core.errors import FileFormatError
from hopscape.formats.graphs.lists import read_matrix_market


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 6),
    st.integers(1, 6),
    st.sampled_from(["integer", "real", "pattern"]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_like_scipy(tmp_path_factory, rows, columns, field, symmetric, dense, seed):
    generator = np.random.default_rng(seed)
    whole = generator.integers(0, 3, size=(rows, rows if symmetric else columns))
    if symmetric:
        whole = whole + whole.T
    shape = "symmetric" if symmetric else "general"
    kind = "integer" if dense and field == "pattern" else field
    out = io.BytesIO()
    given_matrix = whole if dense else scipy.sparse.coo_array(whole)
    scipy.io.mmwrite(out, given_matrix, field=kind, symmetry=shape)
    path = tmp_path_factory.mktemp("mtx") / "m.mtx"
    path.write_bytes(out.getvalue())
    want = scipy.io.mmread(io.BytesIO(out.getvalue()))
    found = read_matrix_market(path)
    np.testing.assert_array_equal(found.toarray(), want if dense else want.toarray())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("matrix array integer general\n3 3\n1\n", "9 entries are promised, 1 lines follow"),
        ("matrix array integer symmetric\n2 3\n", "a symmetric matrix is square"),
        ("matrix coordinate complex general\n1 1 0\n", "a matrix that is coordinate complex"),
        ("matrix coordinate integer general\n", "the line with the size"),
        ("matrix coordinate integer general\n2 2\n", "the line with the size"),
        ("matrix coordinate integer general\n2 2 1\n1 1\n", "an entry has 3 numbers"),
        ("matrix coordinate integer general\n2 2 1\n1.5 1 1\n", "a place is 1.5"),
        ("matrix coordinate integer general\n2 2 1\n1,1,1\n", "separated by blanks"),
        ("matrix coordinate integer general\n9999999999 1 0\n", "a size is 9999999999"),
    ],
)
def test_damaged(tmp_path, text, says):
    path = tmp_path / "m.mtx"
    path.write_text("%%MatrixMarket " + text)
    with pytest.raises(FileFormatError, match=says):
        read_matrix_market(path)
