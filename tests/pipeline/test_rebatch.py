"""Cutting a batch among replicas loses no row and repeats none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagem._data import TensorSpec
from stratagem._data.distribution._rebatch import check_batched, piece_sizes, piece_spec, round_sizes

REPLICAS = st.integers(1, 9)


@given(rows=st.integers(0, 100), replicas=REPLICAS)
def test_pieces_cover_the_batch(rows: int, replicas: int) -> None:
    sizes = piece_sizes(rows, replicas)
    assert len(sizes) == replicas
    assert sum(sizes) == rows


@given(rows=st.integers(0, 100), replicas=REPLICAS)
def test_only_the_last_pieces_are_shorter_than_the_first(rows: int, replicas: int) -> None:
    sizes = piece_sizes(rows, replicas)
    assert sizes[0] == -(-rows // replicas)
    assert list(sizes) == sorted(sizes, reverse=True)


@given(batch=st.integers(1, 100), workers=st.integers(1, 4), local=st.integers(1, 4))
def test_pieces_that_go_round_cover_a_global_batch_in_every_step(batch: int, workers: int, local: int) -> None:
    replicas = workers * local
    rounds = [round_sizes(batch, replicas, w * local) for w in range(workers)]
    assert all(sum(sizes) == batch and max(sizes) - min(sizes) <= 1 for sizes in rounds)
    for step in range(workers):
        assert sum(sum(sizes[step * local : (step + 1) * local]) for sizes in rounds) == batch


def test_a_spec_has_rows_only_when_all_pieces_have_equally_many() -> None:
    assert piece_spec(TensorSpec((8, 3), np.float32), 2) == TensorSpec((4, 3), np.float32)
    assert piece_spec(TensorSpec((7, 3), np.float32), 2) == TensorSpec((None, 3), np.float32)
    assert piece_spec(TensorSpec((None, 3), np.float32), 2) == TensorSpec((None, 3), np.float32)


def test_a_scalar_cannot_be_cut() -> None:
    with pytest.raises(ValueError, match=r"scalar of dtype float32.*\.batch\("):
        check_batched(np.zeros((), np.float32))
