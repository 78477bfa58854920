"""Loss scaling where the context matters; the values are among the recorded answers."""

from types import SimpleNamespace

import jax
import pytest

import stratagem as tf
from stratagem._base.errors import ContextError, InvalidArgumentError
from stratagem._core.context import entered


def test_a_replica_divides_by_all_replicas() -> None:
    with entered(replica=SimpleNamespace(num_replicas_in_sync=2)):
        assert float(tf.nn.compute_average_loss([2.0, 3.0])) == 1.25
        assert float(tf.nn.compute_average_loss([2.0, 3.0], global_batch_size=10)) == 0.5
        assert float(tf.nn.scale_regularization_loss([2.0, 3.0])) == 2.5


def test_a_cross_replica_context_has_no_batch() -> None:
    with entered(crossing=True, strategy=object()):
        assert float(tf.nn.compute_average_loss([2.0, 3.0], global_batch_size=10)) == 0.5
        with pytest.raises(ContextError, match=r"cross-replica context.*or pass global_batch_size"):
            tf.nn.compute_average_loss([2.0, 3.0])
        with pytest.raises(RuntimeError, match="cross-replica context"):
            tf.nn.scale_regularization_loss(2.0)


def test_errors_name_the_argument() -> None:
    with pytest.raises(InvalidArgumentError, match="global_batch_size cannot be negative, got -1"):
        tf.nn.compute_average_loss([1.0], global_batch_size=-1)
    with pytest.raises(TypeError, match=r"global_batch_size is a whole number, got 4\.0"):
        tf.nn.compute_average_loss([1.0], global_batch_size=4.0)
    with pytest.raises(ValueError, match="rank 1 at least"):
        tf.nn.compute_average_loss(1.0)


def test_a_traced_batch_size() -> None:
    mean = jax.jit(lambda n: tf.nn.compute_average_loss([1.0, 2.0], global_batch_size=n))
    assert (float(mean(4)), float(mean(0))) == (0.75, 0)


def test_float64_weights_are_not_cut() -> None:
    loss = tf.nn.compute_average_loss(tf.constant([0.1], tf.float64), sample_weight=tf.constant([0.1], tf.float64))
    assert float(loss) == 0.1 * 0.1
