"""Linear operators: what they refuse and return, operators of users. `drawn/tables/operators.py` compares their numbers."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf

MATRIX = np.array([[2.0, 1.0], [0.0, 3.0]], np.float32)
DIAGONAL = np.array([1.0, 2.0], np.float32)
DEFINITE: dict[str, Any] = {"is_self_adjoint": True, "is_positive_definite": True}
VECTORS = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


def full(matrix: Any = MATRIX, **hints: Any) -> Any:
    return tf.linalg.LinearOperatorFullMatrix(matrix, **hints)


def diagonal(entries: Any = DIAGONAL, **hints: Any) -> Any:
    return tf.linalg.LinearOperatorDiag(entries, **hints)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: full(is_positive_definite=True, is_non_singular=False), ValueError, "always non-singular"),
        (lambda: full(is_non_singular=True, is_square=False), ValueError, "always square"),
        (lambda: full(is_square=False).is_square, ValueError, "the operator was square"),
        (lambda: full([[1, 2], [3, 4]]), TypeError, "floating point or complex dtype"),
        (lambda: diagonal(is_self_adjoint=False), ValueError, "always self adjoint"),
        (lambda: tf.linalg.LinearOperatorZeros(2, 3), ValueError, r"num_rows\(2\) != num_columns\(3\)"),
        (lambda: tf.linalg.LinearOperatorPermutation([0.5]), TypeError, "integers"),
        (lambda: tf.linalg.LinearOperatorHouseholder(DIAGONAL, is_positive_definite=True), ValueError, "non-positive"),
        (lambda: tf.linalg.LinearOperatorKronecker([]), ValueError, ">=1 operators"),
        (lambda: tf.linalg.LinearOperatorBlockLowerTriangular([[full()], [full()]]), ValueError, "`2` blocks"),
        (lambda: tf.linalg.LinearOperatorComposition([full(), full(MATRIX[:1])]), ValueError, "2 and 1 are not"),
        (lambda: tf.linalg.LinearOperatorComposition([full(), full(MATRIX.astype("float64"))]), TypeError, "same dtype"),
        (lambda: tf.linalg.LinearOperatorInversion(full(is_non_singular=False)), ValueError, "non-singular"),
        (lambda: full().matmul(VECTORS.astype("float64")), TypeError, "expected|Expected"),
        (lambda: full().matmul(np.ones((3, 1), np.float32)), ValueError, "2 and 3 are not compatible"),
        (lambda: full().matmul(DIAGONAL), ValueError, "takes matrices"),
        (lambda: full(is_non_singular=False).solve(VECTORS), NotImplementedError, "to be singular"),
        (lambda: full(MATRIX[:1]).solve([[1.0]]), NotImplementedError, "not be square"),
        (lambda: full(MATRIX[:1]).determinant(), NotImplementedError, "not be square"),
        (lambda: full(MATRIX[:1]).inverse(), ValueError, "non square matrix"),
        (lambda: full().cholesky(), ValueError, "Not a positive definite"),
        (lambda: full().eigvals(), NotImplementedError, "self-adjoint"),
        (lambda: full().assert_positive_definite(), NotImplementedError, "self-adjoint"),
        (lambda: tf.linalg.experimental.conjugate_gradient(full(), DIAGONAL), ValueError, "positive definite"),
        (lambda: tf.linalg.LinearOperator(tf.float32), TypeError, "abstract"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_assertions_hold_or_raise() -> None:
    full().assert_non_singular()
    diagonal().assert_positive_definite()
    diagonal().assert_self_adjoint()
    for check in (
        full(MATRIX * 0).assert_non_singular, full().assert_self_adjoint, diagonal(-DIAGONAL).assert_positive_definite,
        full(-MATRIX, is_self_adjoint=True).assert_positive_definite,
        tf.linalg.LinearOperatorCirculant(np.array([1, 2j, 3], np.complex64)).assert_hermitian_spectrum,
    ):  # fmt: skip
        with pytest.raises(tf.errors.InvalidArgumentError):
            check()


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (lambda: diagonal() @ diagonal(), "Diag"),
        (lambda: diagonal() @ full(), "Composition"),
        (lambda: tf.linalg.LinearOperatorIdentity(2) @ full(), "FullMatrix"),
        (lambda: diagonal().inverse(), "Diag"),
        (lambda: full().inverse(), "Inversion"),
        (lambda: full().inverse().inverse(), "FullMatrix"),
        (lambda: full().H, "Adjoint"),
        (lambda: full().H.H, "FullMatrix"),
        (lambda: full(**DEFINITE).adjoint(), "FullMatrix"),
        (lambda: full(np.eye(2, dtype="f4"), **DEFINITE).cholesky(), "LowerTriangular"),
        (lambda: tf.linalg.LinearOperatorKronecker([full(), diagonal()]).inverse(), "Kronecker"),
        (lambda: tf.linalg.LinearOperatorBlockDiag([full(), diagonal()]).adjoint(), "BlockDiag"),
        (lambda: full().solve(full()), "Composition"),
    ],
)
def test_operators_make_operators_of_a_simple_class(made: Any, kind: str) -> None:
    assert type(made()).__name__ == f"LinearOperator{kind}"


def test_blocks_are_taken_and_returned_as_lists() -> None:
    side = full(np.ones((2, 2), np.float32))
    for operator in (
        tf.linalg.LinearOperatorBlockDiag([full(), diagonal()]),
        tf.linalg.LinearOperatorBlockLowerTriangular([[full()], [side, diagonal()]]),
    ):
        whole = np.concatenate([VECTORS, VECTORS])
        for method in (operator.matmul, operator.solve):
            for adjoint in (False, True):
                blocks = method([VECTORS, VECTORS], adjoint=adjoint)
                np.testing.assert_allclose(np.concatenate(blocks), method(whole, adjoint=adjoint), rtol=1e-6)
        vector = np.concatenate([DIAGONAL, DIAGONAL])
        np.testing.assert_allclose(np.concatenate(operator.matvec([DIAGONAL, DIAGONAL])), operator.matvec(vector))
        assert [list(v.shape) for v in operator.solvevec([DIAGONAL, DIAGONAL])] == [[2], [2]]


@pytest.mark.parametrize("compiled", [False, True])
def test_variables_are_read_when_they_are_used_and_have_gradients(compiled: bool) -> None:
    variable = tf.Variable(DIAGONAL)
    operator = diagonal(variable)

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(operator.solvevec(tf.constant([2.0, 8.0]))) + operator.log_abs_determinant()
        return tape.gradient(loss, variable)

    run = tf.function(step) if compiled else step
    np.testing.assert_allclose(run(), [-2 + 1, -2 + 0.5])
    variable.assign([2.0, 4.0])
    np.testing.assert_allclose(run(), [-0.5 + 0.5, -0.5 + 0.25])
    assert operator.variables == (variable,)
    assert operator.diag is variable


def test_an_operator_works_in_replicas() -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    with strategy.scope():
        variable = tf.Variable(MATRIX)

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(full(variable).matmul(tf.constant(VECTORS)))
        return tape.gradient(loss, variable)

    first, second = strategy.experimental_local_results(strategy.run(step))
    np.testing.assert_allclose(first, [[3.0, 7.0], [3.0, 7.0]])
    np.testing.assert_allclose(second, first)


class Doubled(tf.linalg.LinearOperator):
    """An operator of a user, which defines what TensorFlow's documentation asks for."""

    def __init__(self, rows: int) -> None:
        super().__init__(tf.float32, is_self_adjoint=True, is_positive_definite=True, name="doubled")
        self._rows = rows

    def _shape(self) -> Any:
        return tf.TensorShape([self._rows, self._rows])

    def _shape_tensor(self) -> Any:
        return tf.constant([self._rows, self._rows])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return 2 * (tf.linalg.adjoint(x) if adjoint_arg else x)


def test_an_operator_of_a_user_has_all_methods() -> None:
    operator = Doubled(2)
    np.testing.assert_allclose(operator.to_dense(), 2 * np.eye(2))
    np.testing.assert_allclose(operator.matmul(VECTORS, adjoint_arg=True), 2 * VECTORS.T)
    np.testing.assert_allclose(operator.solve(VECTORS), VECTORS / 2)
    np.testing.assert_allclose(operator.determinant(), 4, rtol=1e-6)
    np.testing.assert_allclose(operator.cholesky().to_dense(), np.sqrt(2) * np.eye(2), rtol=1e-6)
    np.testing.assert_allclose((operator @ full()).to_dense(), 2 * MATRIX)
    found = tf.linalg.experimental.conjugate_gradient(operator, tf.constant([1.0, 2.0]))
    np.testing.assert_allclose(found.x, [0.5, 1.0])
    assert (operator.name, operator.tensor_rank, operator.range_dimension) == ("doubled", 2, 2)


def test_a_part_of_a_batch_is_an_operator() -> None:
    operator = diagonal(np.array([[[1.0, 2.0]], [[3.0, 4.0]]], np.float32), is_positive_definite=True)
    for part, shape in ((operator[1], [1, 2, 2]), (operator[..., 0], [2, 2, 2]), (operator[1:, 0], [1, 2, 2])):
        assert (part.shape, part.is_positive_definite) == (shape, True)
    np.testing.assert_allclose(operator[1, 0].to_dense(), np.diag([3.0, 4.0]))
    with pytest.raises(IndexError):
        operator[0, 0, 0]


def test_the_arguments_and_the_kernel_can_be_read() -> None:
    hints = {"is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square"}
    assert set(full().parameters) == {"matrix", "name", *hints}
    circulant = tf.linalg.LinearOperatorCirculant(DIAGONAL)
    np.testing.assert_allclose(circulant.convolution_kernel(), [1.5, -0.5])
    assert (circulant.block_depth, circulant.block_shape) == (1, [2])
