"""Functions of tensors with unknown sizes are exported once, and compute for all of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: (
        tf.reshape(x, [tf.shape(x)[0], tf.shape(x)[1] * 3]),
        tf.reshape(x, [-1, 3]),
        tf.reshape(x, [tf.shape(x)[0], -1]),
        tf.reshape(x, (tf.shape(x)[0] * tf.shape(x)[1], 3)),
    ),
    "made of sizes": lambda x: (
        tf.zeros([tf.shape(x)[0], 2]),
        tf.ones(tf.shape(x)[:1]),
        tf.fill([tf.shape(x)[1]], 2.0),
        tf.tile(tf.constant([[1.0, 2.0]]), [tf.shape(x)[0], 1]),
        tf.broadcast_to(tf.constant([1.0, 2.0]), [tf.shape(x)[0], 2]),
        tf.gather(x, tf.range(tf.shape(x)[0])),
        tf.sequence_mask(tf.ones([tf.shape(x)[0]], tf.int32), 4),
    ),
    "sizes": lambda x: (
        tf.shape(x),
        tf.size(x),
        tf.shape(x)[0],
        tf.cast(tf.shape(x)[0], tf.float32),
        tf.reduce_sum(x) / tf.cast(tf.shape(x)[0] * tf.shape(x)[1], tf.float32),
    ),
    "like": lambda x: (tf.zeros_like(x), tf.ones_like(x), tf.where(x > 0, x, 0.0)),
    "axes": lambda x: (
        tf.transpose(x, [1, 0, 2]),
        tf.expand_dims(x, 0),
        tf.concat([x, x], axis=1),
        tf.stack([x, x]),
        tf.split(x, 3, axis=2),
        tf.pad(x, [[0, 0], [1, 1], [0, 0]]),
        x[:, -1],
        x[:, :1],
        tf.gather(x, [0], axis=0),
    ),
    "reductions": lambda x: (
        tf.reduce_mean(x),
        tf.reduce_max(x, axis=1),
        tf.nn.softmax(x),
        tf.cumsum(x, 1),
        tf.one_hot(tf.argmax(x, -1), 3),
        tf.math.top_k(x, 2),
        tf.linalg.matmul(x, x, transpose_b=True),
    ),
    "branches": lambda x: (
        tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x),
        tf.while_loop(lambda i, y: i < tf.shape(x)[0], lambda i, y: (i + 1, y + x), [0, x]),
        tf.map_fn(lambda row: row * 2, x),
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_computes_the_same_for_all_sizes(name: str, tmp_path: Path) -> None:
    module = tf.Module()
    module.function = tf.function(FUNCTIONS[name], input_signature=[tf.TensorSpec([None, None, 3], tf.float32)])
    tf.saved_model.save(module, tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    for rows, columns in ((1, 1), (4, 2), (2, 5)):
        x = np.random.default_rng(rows).normal(size=(rows, columns, 3)).astype("float32")
        found, wanted = (jax.tree.leaves(function(x)) for function in (loaded.function, module.function))
        assert len(found) == len(wanted) > 0
        for mine, theirs in zip(found, wanted, strict=True):
            # XLA may fuse, and so round, otherwise where it does not know a size.
            np.testing.assert_allclose(np.asarray(mine), np.asarray(theirs), rtol=1e-6, atol=1e-6)
            assert mine.dtype == np.asarray(theirs).dtype


def test_sizes_that_have_to_be_equal_are_taken_to_be(tmp_path: Path) -> None:
    spec, module = tf.TensorSpec([None, None], tf.float32), tf.Module()
    module.add = tf.function(lambda x, y: x + y, input_signature=[spec, spec])
    tf.saved_model.save(module, tmp_path / "model")
    add = tf.saved_model.load(tmp_path / "model").add
    assert add(tf.ones([2, 3]), tf.ones([2, 3])).numpy().tolist() == [[2.0] * 3] * 2
    with pytest.raises(ValueError, match="axis1"):
        add(tf.ones([2, 3]), tf.ones([2, 1]))


def test_checks_are_left_out(tmp_path: Path) -> None:
    module = tf.Module()

    def function(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        return x * 2

    module.function = tf.function(function, input_signature=[tf.TensorSpec([None], tf.float32)])
    tf.saved_model.save(module, tmp_path / "model")
    assert tf.saved_model.load(tmp_path / "model").function([-1.0, 2.0]).numpy().tolist() == [-2, 4]


def test_code_that_decides_by_an_unknown_size_is_refused(tmp_path: Path) -> None:
    module = tf.Module()
    module.function = tf.function(
        lambda x: tf.zeros([3]) if x.shape[0] > 5 else x, input_signature=[tf.TensorSpec([None], tf.float32)]
    )
    with pytest.raises(tf.errors.UnimplementedError, match="give its signature that size"):
        tf.saved_model.save(module, tmp_path / "model")
