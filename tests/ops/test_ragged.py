"""Ragged and sparse tensors in compiled functions, in replicas and under tapes; the numbers are in `drawn`."""

from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import TracedDecisionError


def doubled_sums(rows: Any) -> Any:
    return tf.reduce_sum(rows * 2.0, axis=1)


def test_values_and_row_lengths_compile_with_row_splits_that_the_program_knows(
    caplog: pytest.LogCaptureFixture,
) -> None:
    function = tf.function(
        lambda rows: (doubled_sums(rows), rows.row_lengths(), rows + 1.0, rows.to_tensor(shape=[None, 3]))
    )
    sums, lengths, more, dense = function(tf.ragged.constant([[1.0, 2.0], [], [3.0]]))
    assert sums.tolist() == [6.0, 0.0, 6.0]
    assert lengths.tolist() == [2, 0, 1]
    assert more.to_list() == [[2.0, 3.0], [], [4.0]]
    assert dense.tolist() == [[1.0, 2.0, 0.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]
    assert "runs in Python" not in caplog.text


def test_a_shape_that_depends_on_row_lengths_takes_a_function_to_python_and_is_an_error_in_a_replica() -> None:
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    assert tf.function(lambda given: given.to_tensor())(rows).tolist() == [[1.0, 2.0], [3.0, 0.0]]
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    sums = strategy.run(doubled_sums, args=(rows,))
    assert [each.tolist() for each in sums.values] == [[6.0, 6.0], [6.0, 6.0]]
    dense = strategy.run(lambda given: (given * 2.0).to_tensor(), args=(rows,))
    assert [each.tolist() for each in dense.values] == [[[2.0, 4.0], [6.0, 0.0]]] * 2, (
        "the lengths are known before the step"
    )
    padded = strategy.run(lambda given: given.to_tensor(), args=(rows,))  # its rows are known before the step
    assert [each.tolist() for each in padded.values] == [[[1.0, 2.0], [3.0, 0.0]]] * 2
    with pytest.raises(TracedDecisionError, match="the longest row depends on the row lengths of a RaggedTensor"):
        strategy.run(
            lambda x: tf.RaggedTensor.from_row_lengths(x, tf.cast(x, tf.int32)).to_tensor(), args=(tf.ones(3),)
        )


def test_a_tape_watches_ragged_and_sparse_tensors_and_gives_gradients_of_their_kind() -> None:
    rows, sparse = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.sparse.from_dense([[0.0, 2.0], [3.0, 0.0]])

    def gradients(rows: Any, sparse: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([rows, sparse])
            total = tf.reduce_sum(rows * rows) + tf.reduce_sum(tf.sparse.to_dense(sparse) ** 2)
        return tape.gradient(total, [rows, sparse])

    for function in (gradients, tf.function(gradients)):
        of_rows, of_sparse = function(rows, sparse)
        assert of_rows.to_list() == [[2.0, 4.0], [6.0]]
        assert tf.sparse.to_dense(of_sparse).tolist() == [[0.0, 4.0], [6.0, 0.0]]


def test_strings_ragged_and_sparse_tensors_are_tensors() -> None:
    strings = tf.constant(["a b", "c"])
    assert all(map(tf.is_tensor, (strings, tf.strings.split(strings), tf.sparse.from_dense(strings))))
    assert tf.function(lambda x: tf.is_tensor(x))(strings)
    assert not tf.is_tensor("a")
    assert not tf.is_tensor(np.array([b"a"], object))


def test_numbers_are_no_strings() -> None:
    for value, error in (([1], TypeError), (1.5, TypeError), (np.ones(2), ValueError)):
        with pytest.raises(error, match="as_string makes text of numbers"):
            tf.constant(value, tf.string)
    assert tf.constant([], tf.string).shape == (0,)


def test_they_are_trees_of_their_tensors() -> None:
    rows = tf.ragged.constant([[[1], [2, 3]], []])
    assert [leaf.tolist() for leaf in jax.tree.leaves(rows)] == [[1, 2, 3], [0, 1, 3], [0, 2, 2]]
    assert jax.tree.map(lambda leaf: leaf, rows).to_list() == rows.to_list()


def test_other_functions_say_what_to_give_them() -> None:
    with pytest.raises(TypeError, match=r"tf\.sort takes no RaggedTensor\. Give it x\.to_tensor"):
        tf.sort(tf.ragged.constant([[1]]))
    with pytest.raises(TypeError, match=r"tf\.sqrt takes no SparseTensor\. Give it tf\.sparse\.to_dense"):
        tf.sqrt(tf.sparse.from_dense([[1.0]]))


def test_operators_take_arrays_on_either_side() -> None:
    rows = tf.ragged.constant([[1, 2], [3]])
    assert (np.array([[10], [20]], np.int32) + rows).to_list() == (rows + tf.constant([[10], [20]])).to_list()
    assert (1 - rows).to_list() == [[0, -1], [-2]]
    assert (rows != rows).to_list() == [[False, False], [False]]
    assert not bool(rows == None)  # noqa: E711
    with pytest.raises(TypeError, match="no len"):
        len(rows)


# The results of TensorFlow 2.15.1.
SHAPES = {
    "shape": (lambda rows, inner: tf.shape(rows), "<DynamicRaggedShape lengths=[4, (3, 0, 1, 2)] num_row_partitions=1>"),
    "inner": (lambda rows, inner: tf.shape(inner), "<DynamicRaggedShape lengths=[3, (2, 0, 1), 2] num_row_partitions=1>"),
    "size": (lambda rows, inner: [int(tf.shape(inner)[i]) for i in (0, 2, -1)], "[3, 2, 2]"),
    "part": (lambda rows, inner: tf.shape(inner)[:1], "<DynamicRaggedShape lengths=[3] num_row_partitions=0>"),
    "kind": (lambda rows, inner: (tf.shape(rows).dtype, tf.shape(rows, tf.int64).dtype), "(tf.int32, tf.int64)"),
    "uniform": (lambda rows, inner: [tf.shape(inner).is_uniform(i) for i in range(3)], "[True, False, True]"),
    "ranks": (lambda rows, inner: (tf.shape(inner).rank, tf.shape(inner).inner_rank), "(3, 2)"),
    "lengths": (lambda rows, inner: tf.shape(inner).static_lengths(), "[3, (2, 0, 1), 2]"),
    "given": (
        lambda rows, inner: tf.experimental.DynamicRaggedShape.from_lengths([4, (3, 0, 1, 2)]),
        "<DynamicRaggedShape lengths=[4, (3, 0, 1, 2)] num_row_partitions=1>",
    ),
    "flat": (lambda rows, inner: tf.reshape(rows, [-1]).tolist(), "[1, 2, 3, 4, 5, 6]"),
    "matrix": (lambda rows, inner: tf.reshape(inner, [2, -1]).tolist(), "[[1, 2, 3], [4, 5, 6]]"),
    "rows": (lambda rows, inner: tf.reshape([9, 8, 7, 6, 5, 4], tf.shape(rows)), "[[9, 8, 7], [], [6], [5, 4]]"),
    "fill": (lambda rows, inner: tf.fill(tf.shape(rows), 1.0), "[[1.0, 1.0, 1.0], [], [1.0], [1.0, 1.0]]"),
    "zeros": (lambda rows, inner: tf.zeros(tf.shape(inner), tf.int32), "[[[0, 0], [0, 0]], [], [[0, 0]]]"),
    "wide": (
        lambda rows, inner: tf.broadcast_to([[1], [2], [3], [4]], tf.shape(rows)), "[[1, 1, 1], [], [3], [4, 4]]"
    ),
    "equal": (lambda rows, inner: bool(tf.shape(rows) == tf.shape(rows + 1)), "True"),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_of_ragged_tensors_are_those_of_tensorflow(name: str) -> None:
    rows = tf.ragged.constant([[1, 2, 3], [], [4], [5, 6]])
    inner = tf.ragged.constant([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)
    found = SHAPES[name][0](rows, inner)
    assert str(found.to_list() if isinstance(found, tf.RaggedTensor) else found) == SHAPES[name][1]


def test_ragged_dimensions_have_no_size() -> None:
    shape = tf.shape(tf.ragged.constant([[1, 2], [3]]))
    with pytest.raises(ValueError, match="Index 1 is not uniform"):
        shape[1]
    with pytest.raises(ValueError, match="All relevant dimensions must be uniform"):
        shape[1:]
    with pytest.raises(TypeError, match="no len"):
        len(shape)
    with pytest.raises(TypeError, match="takes no DynamicRaggedShape"):
        tf.square(shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not broadcast"):
        tf.broadcast_to([[1, 2, 3]], shape)


def test_a_compiled_function_makes_zeros_of_the_shape_of_rows() -> None:
    function = tf.function(lambda rows: rows + tf.ones(tf.shape(rows), rows.dtype))
    for rows in ([[1.0, 2.0], [], [3.0]], [[1.0], [5.0, 2.0], [3.0]]):
        assert function(tf.ragged.constant(rows)).to_list() == [[x + 1 for x in row] for row in rows]


ROWS = tf.ragged.constant([[1, 2], [], [3]])
WORDS = tf.ragged.constant([[b"a", b"bb"], [], [b"c"]])
TEXTS = tf.constant([b"a b", b"c"])
OF_NUMBERS, OF_WORDS = tf.RaggedTensorSpec([None], tf.int32), tf.RaggedTensorSpec([None], tf.string)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("function", "elems", "signature", "wanted"),
    [
        (tf.reduce_sum, ROWS, tf.int32, [3, 0, 3]),
        (lambda row: row * 2, ROWS, None, [[2, 4], [], [6]]),
        (lambda row: row[:1], ROWS, OF_NUMBERS, [[1], [], [3]]),
        (lambda rows: tf.reduce_sum(rows, 1), tf.ragged.constant([[[1, 2], [3]], [[4]]]), OF_NUMBERS, [[3, 3], [4]]),
        (lambda row: tf.strings.reduce_join(row), WORDS, tf.string, [b"abb", b"", b"c"]),
        (tf.strings.length, WORDS, OF_NUMBERS, [[1, 2], [], [1]]),
        (tf.strings.upper, TEXTS, None, [b"A B", b"C"]),
        (tf.strings.split, TEXTS, OF_WORDS, [[b"a", b"b"], [b"c"]]),
        (tf.range, tf.constant([1, 3]), OF_NUMBERS, [[0], [0, 1, 2]]),
        (lambda row: row * 2, ROWS[:0], None, []),
        (tf.reduce_max, ROWS[:0], tf.int32, []),
    ],
)
def test_map_fn_goes_over_rows_of_different_lengths_and_strings(
    function: Any, elems: Any, signature: Any, wanted: Any
) -> None:
    """Answers of TensorFlow 2.15.1."""
    for call in (tf.map_fn, tf.function(tf.map_fn)):
        found = call(function, elems, fn_output_signature=signature)
        assert (found.to_list() if isinstance(found, tf.RaggedTensor) else found.numpy().tolist()) == wanted
        assert isinstance(found, tf.RaggedTensor) == (
            signature in (OF_NUMBERS, OF_WORDS) or (elems is not TEXTS and signature is None)
        )


def test_map_fn_of_ragged_rows_has_nests_and_says_what_a_signature_lacks() -> None:
    elems = {"row": ROWS, "text": tf.constant(["x", "y", "z"])}
    signature = {"first": OF_NUMBERS, "text": tf.string}
    found = tf.map_fn(lambda e: {"first": e["row"][:1], "text": e["text"]}, elems, fn_output_signature=signature)
    assert (found["first"].to_list(), found["text"].numpy().tolist()) == ([[1], [], [3]], [b"x", b"y", b"z"])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"returned a scalar, expected the row .* fn_output_signature"
    ):
        tf.map_fn(tf.reduce_sum, ROWS)
    with pytest.raises(ValueError, match="returned float32, expected int32"):
        tf.map_fn(lambda row: tf.cast(row, tf.float32), ROWS)
    with pytest.raises(ValueError, match="returned PyTreeDef"):
        tf.map_fn(lambda row: (row, row), ROWS)
    with pytest.raises(ValueError, match=r"equally many rows, got \[2, 3\]"):
        tf.map_fn(lambda e: e[0], (ROWS, TEXTS))
    with pytest.raises(TypeError, match=r"SparseTensor. Give it tf.sparse.to_dense"):
        tf.map_fn(tf.reduce_sum, tf.sparse.from_dense([[1, 2]]))
