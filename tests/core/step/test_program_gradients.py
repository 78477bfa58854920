"""`tf.gradients` differentiates what a compiled step has computed, with respect to anything in it, without a tape."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import TapeError
from stratagem.testing import STRATEGIES

VARIABLE = tf.Variable([1.0, 2.0])


def of(program: Callable[[Any], Any]) -> list[Any]:
    """What it returns for [3, 4], in a compiled function."""
    return [None if g is None else np.asarray(g).tolist() for g in tf.function(program)(tf.constant([3.0, 4.0]))]


def test_of_several_targets_to_variables_arguments_and_what_lies_between() -> None:
    def program(x: Any) -> Any:
        hidden = VARIABLE * x
        return tf.gradients([tf.reduce_sum(hidden**2), tf.reduce_sum(VARIABLE * 3.0)], [VARIABLE, x, hidden])

    assert of(program) == [[21.0, 67.0], [6.0, 32.0], [6.0, 16.0]]


def test_of_gradients() -> None:
    def program(x: Any) -> Any:
        (first,) = tf.gradients(tf.reduce_sum((VARIABLE * x) ** 2), VARIABLE)
        return [*tf.gradients(first, VARIABLE), *tf.gradients(first, x)]

    assert of(program) == [[18.0, 32.0], [12.0, 32.0]]


def test_factors_constants_and_sources_without_a_path() -> None:
    def program(x: Any) -> Any:
        hidden = VARIABLE * x
        y = tf.reduce_sum(hidden * x)
        return [
            *tf.gradients([hidden], [x], grad_ys=[tf.constant([1.0, 0.0])]),
            *tf.gradients(y, x, stop_gradients=[hidden]),
            *tf.gradients(y, x, stop_gradients=[VARIABLE]),
            *tf.gradients(tf.reduce_sum(x), VARIABLE),
            *tf.gradients(tf.reduce_sum(x), VARIABLE, unconnected_gradients=tf.UnconnectedGradients.ZERO),
        ]

    assert of(program) == [[1.0, 0.0], [3.0, 8.0], [6.0, 16.0], None, [0.0, 0.0]]


def test_hessians() -> None:
    assert of(lambda x: tf.hessians(tf.reduce_sum(x) ** 3 / 6.0, x)) == [[[7.0, 7.0], [7.0, 7.0]]]


def test_beside_a_tape_and_in_a_branch() -> None:
    def program(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(VARIABLE**2 * x)
        (same,) = tf.gradients(y, VARIABLE)
        branch = tf.cond(
            x[0] > 0, lambda: tf.gradients(tf.reduce_sum(VARIABLE**3), VARIABLE)[0], lambda: VARIABLE * 0.0
        )
        return [same, tape.gradient(y, VARIABLE), branch]

    assert of(program) == [[6.0, 16.0], [6.0, 16.0], [3.0, 12.0]]


@pytest.mark.parametrize("name", ["one device", "mirrored 2"])
def test_in_replicas_they_are_summed_by_an_optimizer(name: str) -> None:
    strategy = STRATEGIES[name]()
    with strategy.scope():
        variable = tf.Variable(1.0)
        optimizer = tf.keras.optimizers.SGD(0.5)

    def replica_step() -> None:
        loss = variable * variable / strategy.num_replicas_in_sync
        optimizer.apply_gradients([(tf.gradients(loss, variable)[0], variable)])

    tf.function(lambda: strategy.run(replica_step))()
    assert float(variable) == 0.0


def test_outside_of_functions_and_of_constants_it_says_what_to_use() -> None:
    with pytest.raises(
        RuntimeError, match=r"tf.gradients is not supported when eager execution is enabled. Use tf.Gradi"
    ):
        tf.gradients(VARIABLE, VARIABLE)
    constant = tf.constant(1.0)
    with pytest.raises(TapeError, match=r"is a constant of this function, .* Use tf.GradientTape and tape.watch"):
        tf.function(lambda: tf.gradients(constant * 2.0, constant))()
