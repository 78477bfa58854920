"""Functions of tensors without entries have gradients of zeros, as in TensorFlow, and not None: a replica may have no rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf

NONE = np.zeros(0, np.int32)
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "gather": lambda v: tf.gather(v, NONE),
    "gather_nd": lambda v: tf.gather_nd(v, NONE.reshape(0, 1)),
    "embedding_lookup": lambda v: tf.nn.embedding_lookup(v, NONE),
    "boolean_mask": lambda v: tf.boolean_mask(v, [False] * 4),
    "unsorted_segment_sum": lambda v: tf.math.unsorted_segment_sum(v[:0], NONE, 3),
    "unsorted_segment_max": lambda v: tf.math.unsorted_segment_max(v[:0], NONE, 3),
    "segment_sum": lambda v: tf.math.segment_sum(v[:0], NONE),
    "embedding_lookup_sparse": lambda v: tf.nn.embedding_lookup_sparse(
        v, tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.int64), [1, 0]), None, combiner="sum"
    ),
    "matmul": lambda v: tf.matmul(tf.zeros([0, 4]), v),
    "concat": lambda v: tf.concat([v[:0], v[:0]], 0),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_gradient_flows_from_nothing(name: str) -> None:
    variable = tf.Variable(np.ones((4, 2)), dtype=tf.float32)

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(FUNCTIONS[name](variable))
        return tape.gradient(loss, variable)

    for found in (gradient(), tf.function(gradient)()):
        assert np.asarray(found).tolist() == np.zeros((4, 2)).tolist()
