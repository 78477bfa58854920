"""Gradients of functions that replace rows, where an index is given twice."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf

ROWS = [[0], [2], [2]]
FACTORS = np.float32([1.0, 2.0, 3.0, 4.0])


def _gradients(persistent: bool) -> list[Any]:
    array, updates = tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant([5.0, 6.0, 7.0])
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch([array, updates])
        total = tf.reduce_sum(tf.tensor_scatter_nd_update(array, ROWS, updates) * FACTORS)
    return list(tape.gradient(total, [array, updates]))


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "function"])
def test_what_is_replaced_has_no_gradient_and_every_update_has_that_of_its_place(
    run: Callable[[Any], Any], persistent: bool
) -> None:
    of_array, of_updates = run(_gradients)(persistent)
    np.testing.assert_array_equal(of_array, [0.0, 2.0, 0.0, 4.0])
    np.testing.assert_array_equal(of_updates, [1.0, 3.0, 3.0])
