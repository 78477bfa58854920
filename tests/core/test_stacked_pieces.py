"""Pieces of a batch, one for each replica, become one array, however they lie in memory."""

from typing import Any

import jax
import numpy as np
import pytest

from stratagem._core.mesh import ReplicaMesh

ROWS = np.arange(48, dtype="float32").reshape(8, 6)
PIECES: dict[str, list[Any]] = {
    "of one array": [ROWS[:4], ROWS[4:]],
    "in turned order": [ROWS[4:], ROWS[:4]],
    "apart": [ROWS[:2], ROWS[4:6]],
    "overlapping": [ROWS[:4], ROWS[2:6]],
    "the same": [ROWS[:4], ROWS[:4]],
    "columns": [ROWS[:4, 2:4], ROWS[4:, 2:4]],
    "rows backwards": [ROWS[:4][::-1], ROWS[4:][::-1]],
    "of two arrays": [ROWS[:4].copy(), ROWS[4:].copy()],
    "whole arrays": [np.zeros((2, 3), "float32"), np.ones((2, 3), "float32")],
    "without rows": [ROWS[:0], ROWS[:0]],
    "single numbers": [np.float32(1.0).reshape(()), np.float32(2.0).reshape(())],
    "64 bits": [np.arange(4) << 40, np.arange(4, 8) << 40],
}


@pytest.mark.parametrize("name", PIECES)
def test_stacked_pieces_are_the_pieces(name: str) -> None:
    mesh, pieces = ReplicaMesh(tuple(jax.devices()[:2])), PIECES[name]
    (stacked,) = mesh.stack_each([pieces])
    assert stacked.dtype == pieces[0].dtype
    assert stacked.sharding == mesh.one_each
    np.testing.assert_array_equal(stacked, np.stack(pieces))
