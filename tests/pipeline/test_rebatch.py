"""Cutting a batch among replicas loses no row and repeats none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagem.pipeline import TensorSpec
from stratagem.pipeline._rebatch import cut, piece_sizes, piece_spec

REPLICAS = st.integers(1, 9)


@given(rows=st.integers(0, 100), replicas=REPLICAS)
def test_pieces_are_disjoint_consecutive_and_cover_the_batch(rows: int, replicas: int) -> None:
    batch = np.arange(rows)
    pieces = cut({"x": batch}, replicas, None)["x"]
    assert len(pieces) == replicas
    np.testing.assert_array_equal(np.concatenate(pieces), batch)


@given(rows=st.integers(0, 100), replicas=REPLICAS)
def test_only_the_last_pieces_are_shorter_than_the_first(rows: int, replicas: int) -> None:
    sizes = piece_sizes(rows, replicas, None)
    assert sizes[0] == -(-rows // replicas)
    assert list(sizes) == sorted(sizes, reverse=True)


@given(nominal=st.integers(1, 100), replicas=REPLICAS, data=st.data())
def test_with_a_nominal_size_full_batches_differ_by_one_row_and_short_ones_are_covered(
    nominal: int, replicas: int, data: st.DataObject
) -> None:
    full = piece_sizes(nominal, replicas, nominal)
    assert sum(full) == nominal
    assert max(full) - min(full) <= 1
    rows = data.draw(st.integers(0, nominal))
    assert sum(piece_sizes(rows, replicas, nominal)) == rows


def test_pieces_are_views_of_the_batch() -> None:
    batch = np.arange(8)
    assert all(np.shares_memory(piece, batch) for piece in cut(batch, 3, None)[:2])


def test_a_spec_has_rows_only_when_all_pieces_have_equally_many() -> None:
    assert piece_spec(TensorSpec((8, 3), np.float32), 2) == TensorSpec((4, 3), np.float32)
    assert piece_spec(TensorSpec((7, 3), np.float32), 2) == TensorSpec((None, 3), np.float32)
    assert piece_spec(TensorSpec((None, 3), np.float32), 2) == TensorSpec((None, 3), np.float32)


def test_a_scalar_cannot_be_cut() -> None:
    with pytest.raises(ValueError, match=r"scalar of dtype float32.*\.batch\("):
        cut((np.zeros(2), np.zeros((), np.float32)), 2, None)
