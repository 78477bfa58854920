"""Functions of sparse tensors with TensorFlow 1's parameters; the results are those of TensorFlow 2.15.1."""

import numpy as np
import pytest

import stratagem as tf

v1 = tf.compat.v1


@pytest.mark.parametrize("name", ["threshold", "thresh"])
def test_small_sums_are_left_out(name: str) -> None:
    given = tf.sparse.from_dense([1.0, 0.0, 2.0])
    assert v1.sparse_add(given, given, **{name: np.float32(2.5)}).values.tolist() == [4.0]
    assert v1.sparse_add(given, given).values.tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="Cannot specify both"):
        v1.sparse_add(given, given, threshold=1.0, thresh=1.0)


def test_a_split_takes_keywords_alone() -> None:
    given = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    for name in ("axis", "split_dim"):
        parts = v1.sparse_split(sp_input=given, num_split=2, **{name: 1})
        assert [tf.sparse.to_dense(part).tolist() for part in parts] == [[[1, 0], [0, 3]], [[2], [0]]]
    with pytest.raises(ValueError, match="Keyword arguments are required"):
        v1.sparse_split(given, 2, 1)
    with pytest.raises(ValueError, match="num_split is required"):
        v1.sparse_split(sp_input=given, axis=1)


def test_what_a_session_gives_is_a_sparse_tensor() -> None:
    value = v1.SparseTensorValue(np.array([[0, 1]]), np.array([5.0], np.float32), np.array([1, 2]))
    found = v1.convert_to_tensor_or_sparse_tensor(value)
    assert isinstance(found, tf.SparseTensor)
    assert v1.sparse_reduce_sum(value, 1).tolist() == [5.0]
    assert v1.sparse.reduce_sum is v1.sparse_reduce_sum
    with pytest.raises(RuntimeError, match="Sparse dtype mismatch"):
        v1.convert_to_tensor_or_sparse_tensor(value, tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"ids are in \[0, 2\)"):
        v1.sparse_merge(tf.cast(found, tf.int64), found, 2)


def test_placeholders_are_refused_by_name() -> None:
    for name in ("sparse_placeholder", "sparse.placeholder"):
        with pytest.raises(AttributeError, match="arguments of a model_fn"):
            getattr(v1.sparse if "." in name else v1, name.rpartition(".")[2])
