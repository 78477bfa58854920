"""Fractional pooling: the windows are random, what is in them is pooled exactly."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import stratagem as tf


def pooled(array: np.ndarray, reduce: Any, rows: np.ndarray, columns: np.ndarray, more: int) -> np.ndarray:
    """The windows between given places, one after the other."""
    return np.stack(
        [
            np.stack([reduce(array[:, a : b + more, c : d + more], (1, 2)) for c, d in pairwise(columns)], 1)
            for a, b in pairwise(rows)
        ],
        1,
    )  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "reduce"), [("max", np.max), ("avg", np.mean)])
@pytest.mark.parametrize(("pseudo_random", "overlapping"), [(False, False), (True, True)])
def test_windows_of_the_sequences_are_pooled(name: str, reduce: Any, pseudo_random: bool, overlapping: bool) -> None:
    array = np.random.default_rng(1).normal(size=(2, 9, 11, 2)).astype(np.float32)
    pool = getattr(tf.nn, f"fractional_{name}_pool")
    found = tf.function(lambda x: pool(x, [1.0, 1.5, 2.5, 1.0], pseudo_random, overlapping, seed=3))(array)
    rows, columns = np.asarray(found.row_pooling_sequence), np.asarray(found.col_pooling_sequence)
    assert (rows.dtype, len(rows), rows[0], rows[-1], len(columns), columns[-1]) == (np.int64, 7, 0, 9, 5, 11)
    assert set(np.diff(rows)) <= {1, 2}
    assert set(np.diff(columns)) <= {2, 3}
    np.testing.assert_allclose(found.output, pooled(array, reduce, rows, columns, overlapping), 1e-5)


def test_windows_are_drawn_anew() -> None:
    sequences = [
        tuple(tf.nn.fractional_max_pool(tf.ones((1, 20, 4, 1)), 1.5).row_pooling_sequence.tolist()) for _ in range(5)
    ]
    assert len(set(sequences)) > 1


def test_the_gradient_belongs_to_the_largest_entries() -> None:
    x = tf.constant(np.random.default_rng(1).permutation(36).reshape(1, 6, 6, 1).astype(np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = tf.nn.fractional_max_pool(x, 1.5)
    gradient = np.asarray(tape.gradient(found.output, x))
    np.testing.assert_array_equal(np.unique(np.asarray(x)[gradient > 0]), np.unique(found.output))
    assert gradient.sum() == 16


@pytest.mark.parametrize(
    ("shape", "ratio"), [((1, 4, 4), 1.5), ((1, 4, 4, 1), 0.5), ((1, 4, 4, 1), [2.0, 1.0, 1.0, 1.0])]
)
def test_what_does_not_fit_is_refused(shape: tuple[int, ...], ratio: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.fractional_max_pool(tf.ones(shape), ratio)
