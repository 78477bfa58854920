"""Datasets whose elements are ragged or sparse tensors; each expected value was compared with TensorFlow 2.15.1."""

import numpy as np
import pytest

import stratagem as tf

Dataset = tf.data.Dataset


def test_rows_of_ragged_and_sparse_tensors_are_elements_and_batches_of_them() -> None:
    ragged = tf.ragged.constant([[1, 2], [], [3]])
    rows = Dataset.from_tensor_slices(ragged)
    assert rows.element_spec == tf.RaggedTensorSpec([None], tf.int32, 0)
    assert [row.tolist() for row in rows] == [[1, 2], [], [3]]
    assert [batch.to_list() for batch in rows.batch(2)] == [[[1, 2], []], [[3]]]
    assert rows.batch(2).element_spec == tf.RaggedTensorSpec([None, None], tf.int32, 1)
    assert [batch.to_list() for batch in rows.shuffle(3, seed=1).repeat(2).batch(3).unbatch().batch(6)] != []
    nested = Dataset.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [], [[4]]]))
    assert nested.element_spec == tf.RaggedTensorSpec([None, None], tf.int32, 1)
    first, second = nested.batch(2)
    assert first.to_list() == [[[1], [2, 3]], []]
    assert second.to_list() == [[[4]]]
    assert nested.batch(2).element_spec == tf.RaggedTensorSpec([None, None, None], tf.int32, 2)
    sparse = Dataset.from_tensor_slices(tf.sparse.from_dense([[0, 1], [2, 0], [0, 0]]))
    assert sparse.element_spec == tf.SparseTensorSpec([2], tf.int32)
    assert [tf.sparse.to_dense(row).tolist() for row in sparse] == [[0, 1], [2, 0], [0, 0]]
    (batch,) = sparse.batch(3)
    assert tf.sparse.to_dense(batch).tolist() == [[0, 1], [2, 0], [0, 0]]


def test_functions_take_and_give_ragged_tensors() -> None:
    texts = Dataset.from_tensor_slices(["a b", "c", ""])
    parts = texts.batch(2).map(tf.strings.split)
    assert [batch.to_list() for batch in parts] == [[[b"a", b"b"], [b"c"]], [[]]]
    lengths = parts.map(lambda batch: batch.row_lengths())
    assert [batch.tolist() for batch in lengths] == [[2, 1], [0]]
    assert [row.tolist() for row in parts.unbatch()] == [[b"a", b"b"], [b"c"], []]


def test_elements_of_different_sizes_make_ragged_and_sparse_batches() -> None:
    sizes = Dataset.range(4).map(lambda n: tf.range(n))
    first, second = sizes.ragged_batch(3)
    assert first.to_list() == [[], [0], [0, 1]]
    assert second.to_list() == [[0, 1, 2]]
    assert first.row_splits.dtype == np.int64
    (batch,) = sizes.apply(tf.data.experimental.dense_to_ragged_batch(4, row_splits_dtype=tf.int32))
    assert batch.row_splits.dtype == np.int32
    assert len(list(sizes.ragged_batch(3, drop_remainder=True))) == 1
    (sparse,) = sizes.apply(tf.data.experimental.dense_to_sparse_batch(4, [5]))
    assert sparse.shape == (4, 5)
    assert sparse.indices.tolist() == [[1, 0], [2, 0], [2, 1], [3, 0], [3, 1], [3, 2]]
    with pytest.raises(tf.errors.DataLossError, match="rows of shape"):
        list(sizes.sparse_batch(4, [2]))


def test_padded_batches_take_no_ragged_tensors() -> None:
    nested = Dataset.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], []]))
    with pytest.raises(TypeError, match="pads tensors, not a RaggedTensor"):
        list(nested.padded_batch(2, [None, None]))


def test_what_is_one_size_stays_dense_in_ragged_batches() -> None:
    pairs = Dataset.range(3).map(lambda n: {"n": n, "row": tf.range(n), "pair": tf.stack([n, n])})
    batches = pairs.ragged_batch(3)
    (batch,) = batches
    assert batch["n"].tolist() == [0, 1, 2]
    assert batch["row"].to_list() == [[], [0], [0, 1]]
