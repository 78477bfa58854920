"""What drawn calls do not see of the functions for parts, blocks and slices: variables, replicas, time, old arguments."""

import time

import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem._base.errors import TracedDecisionError


def test_a_strided_slice_of_a_variable_can_be_assigned() -> None:
    variable = tf.Variable([1.0, 2.0, 3.0])
    tf.strided_slice(variable, [0], [2], var=variable).assign([7.0, 8.0])
    assert variable.numpy().tolist() == [7.0, 8.0, 3.0]


def test_tuples_are_lists_of_what_is_given() -> None:
    one = tf.constant(1.0)
    found = tf.tuple((one, None, 2.0), control_inputs=[one])
    assert found[0] is one
    assert found[1:] == [None, 2.0]
    assert tf.guarantee_const(3).dtype == tf.int32


def test_a_parallel_stack_is_made_in_functions_only() -> None:
    with pytest.raises(RuntimeError, match=r"tf\.stack"):
        tf.parallel_stack([1, 2])
    assert tf.function(lambda x: tf.parallel_stack([x, 2 * x]))(tf.constant(3)).numpy().tolist() == [3, 6]


def test_a_timestamp_is_of_the_call_and_not_of_the_trace() -> None:
    function = tf.function(tf.timestamp)
    first = float(function())
    between = time.time()
    assert first < between < float(function())
    assert tf.timestamp().dtype == tf.float64


def test_a_replica_says_that_parts_must_be_known() -> None:
    strategy = tf.distribute.MirroredStrategy()
    with pytest.raises(TracedDecisionError, match=r"tf\.dynamic_partition"):
        strategy.run(lambda x: tf.dynamic_partition(x, x, 2), (tf.constant([0, 1]),))
    halves = strategy.run(lambda x: tf.dynamic_partition(x, [0, 1], 2), (tf.constant([0.0, 1.0]),))
    assert [float(strategy.experimental_local_results(half)[0][0]) for half in halves] == [0.0, 1.0]


def test_old_names_of_arguments() -> None:
    x = np.arange(16.0).reshape(1, 4, 4, 1)
    blocks = tf1.space_to_batch(x, [[0, 0], [0, 0]], 2)
    assert (np.asarray(blocks) == np.asarray(tf1.nn.space_to_batch(x, [[0, 0], [0, 0]], block_shape=[2, 2]))).all()
    assert (np.asarray(tf1.batch_to_space(blocks, [[0, 0], [0, 0]], 2)) == x).all()
    with pytest.raises(ValueError, match="block_size"):
        tf1.batch_to_space(blocks, [[0, 0], [0, 0]], 2, block_shape=[2, 2])
    with pytest.raises(TypeError, match="block_size"):
        tf1.space_to_batch(x, [[0, 0], [0, 0]])
    assert tf1.reverse_sequence([[1, 2, 3]], [2], seq_dim=1).numpy().tolist() == [[2, 1, 3]]


def test_large_integers_stay_exact() -> None:
    large = 2**40 + 1
    assert int(tf.strided_slice(np.array([0, large]), [1], [2])[0]) == large
    assert int(tf.reverse_sequence(np.array([[0, large]]), [2], 1)[0, 0]) == large
    assert tf.unravel_index(np.int64(large), np.array([2**30, 2**20])).numpy().tolist() == [large >> 20, 1]
    assert int(tf.math.unsorted_segment_prod(np.array([large, 3]), [0, 0], 1)[0]) == 3 * large


def test_the_product_of_a_segment_has_second_derivatives() -> None:
    x = tf.constant([2.0, 0.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            product = tf.math.unsorted_segment_prod(x, [0, 0, 0], 1)
        gradient = tape.gradient(product, x)
    assert gradient.numpy().tolist() == [0.0, 6.0, 0.0]
    assert outer.jacobian(gradient, x).numpy().tolist() == [[0.0, 3.0, 0.0], [3.0, 0.0, 2.0], [0.0, 2.0, 0.0]]
