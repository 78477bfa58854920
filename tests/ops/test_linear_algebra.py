"""Linear algebra apart from the drawn answers: lists, variables, matrices without an answer, exactness in 64 bits, replicas."""

from typing import Any

import jax
import numpy as np
import pytest
import scipy.linalg

import stratagem as tf

GENERAL = np.array([[5.0, 1.0, -1.0], [0.5, 4.0, 2.0], [1.0, -1.0, 6.0]])


def test_lists_of_integers_and_variables_are_taken() -> None:
    assert tf.linalg.set_diag([[1, 2], [3, 4]], [9, 9]).tolist() == [[9, 2], [3, 9]]
    assert tf.linalg.diag_part(tf.Variable([[1.0, 2.0], [3.0, 4.0]]), k=1).tolist() == [2]
    assert int(tf.linalg.matrix_rank([[1, 2], [2, 4]])) == 1


def test_matrices_without_an_answer_give_nan() -> None:
    assert np.isnan(tf.linalg.sqrtm([[-1.0, 0.0], [0.0, 4.0]])).all()
    assert np.isnan(tf.linalg.cholesky([[-1.0, 0.0], [0.0, 4.0]])[0, 0])
    assert np.isnan(tf.linalg.logdet([[-1.0, 0.0], [0.0, 4.0]]))


def test_functions_of_matrices_are_exact_in_64_bits() -> None:
    root = tf.linalg.sqrtm(GENERAL)
    np.testing.assert_allclose(root @ root, GENERAL, rtol=1e-13, atol=1e-13)
    matrix = GENERAL + 0.5j * GENERAL.T
    np.testing.assert_allclose(tf.linalg.logm(matrix), scipy.linalg.logm(matrix), rtol=1e-12, atol=1e-12)


def test_the_triangle_above_the_diagonal_is_not_read() -> None:
    lower = np.array([[4.0, np.nan], [1.0, 3.0]], np.float32)
    whole = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)
    for function in (tf.linalg.cholesky, tf.linalg.eigvalsh, tf.linalg.logdet):
        np.testing.assert_allclose(function(lower), function(whole), rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.linalg.diag([1.0, 2.0], k=(0, 1)), "2 dimensions or more"),
        (lambda: tf.linalg.diag([1.0], align="left"), "align is one of RIGHT_LEFT"),
        (lambda: tf.linalg.diag_part(tf.eye(2), k=5), "no diagonals 5 to 5"),
        (lambda: tf.linalg.diag([1.0, 2.0], num_rows=1), "need 2 rows and 2 columns"),
        (lambda: tf.linalg.lu(tf.ones((2, 3))), "takes square matrices"),
        (lambda: tf.linalg.normalize([[1, 2]]), "takes floating point"),
        (lambda: tf.linalg.logm(tf.eye(2)), "takes complex matrices"),
        (lambda: tf.linalg.lu_solve(tf.eye(2), [0, 1], tf.ones((3, 1))), "right-hand sides of shape"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_an_invalid_argument(call: Any, text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call()


@pytest.mark.thorough
def test_second_derivatives_of_decompositions() -> None:
    x = tf.constant([[4.0, 1.0], [1.0, 3.0]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.linalg.logdet(x)
        gradient = inner.gradient(y, x)
    inverse = np.linalg.inv(x)
    np.testing.assert_allclose(gradient, inverse, rtol=1e-5)
    np.testing.assert_allclose(outer.gradient(gradient, x), -inverse @ np.ones((2, 2)) @ inverse, rtol=1e-4)


def test_every_replica_decomposes_its_own_matrices() -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])

    def step() -> Any:
        number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32) + 1.0
        matrix = number * tf.constant([[4.0, 1.0], [1.0, 3.0]])
        packed, order = tf.linalg.lu(matrix)
        return tf.linalg.lu_reconstruct(packed, order), tf.linalg.eigvalsh(matrix), tf.linalg.logdet(matrix)

    results = strategy.run(step)
    for i in range(2):
        matrix, values, logarithm = (strategy.experimental_local_results(r)[i] for r in results)
        np.testing.assert_allclose(matrix, (i + 1) * np.array([[4, 1], [1, 3]]), rtol=1e-6)
        np.testing.assert_allclose(np.prod(values), np.exp(logarithm), rtol=1e-5)


@pytest.mark.thorough
def test_a_function_of_matrices_is_mapped_over_a_batch() -> None:
    batch = tf.stack([tf.constant(GENERAL), tf.constant(2 * GENERAL)])
    found = tf.vectorized_map(tf.linalg.sqrtm, batch)
    assert isinstance(found, jax.Array)
    np.testing.assert_allclose(found, tf.linalg.sqrtm(batch), rtol=1e-12)
