"""What loops do besides computing: prints, checks, limits."""

from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from tests.autograph.conftest import KINDS
from tests.thorough import thorough_but

pytestmark = pytest.mark.usefixtures("no_fallback")


# Its second derivative is compiled for many seconds; the next test has a derivative of such a loop in a replica, too.
@pytest.mark.parametrize("run", thorough_but(["function"], KINDS), indirect=True)
def test_a_loop_that_prints_and_checks_has_a_gradient_and_prints_every_round_once(
    run: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    def gradients(x: Any, limit: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x
                while y < 50.0:
                    tf.print("a round at", y)
                    tf.debugging.assert_less(y, limit)
                    if y > 3.0:
                        tf.print("beyond 3")
                    y = y * x
            slope = inner.gradient(y, x)
        return y, slope, outer.gradient(slope, x)

    powers = [2.0**6, 6 * 2.0**5, 30 * 2.0**4]
    assert [float(v) for v in run(gradients, 2.0, 100.0)] == pytest.approx(powers, rel=1e-5)
    jax.effects_barrier()
    assert capfd.readouterr().err.split("\n") == [
        *("a round at 2", "a round at 4", "beyond 3", "a round at 8", "beyond 3", "a round at 16", "beyond 3"),
        *("a round at 32", "beyond 3", ""),
    ]
    with pytest.raises(tf.errors.InvalidArgumentError, match="x = 32"):
        run(gradients, 2.0, 20.0)


def test_the_derivative_of_a_loop_that_prints_is_pushed_forward(run: Any) -> None:
    def push(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = x
            while y < 50.0:
                tf.print("a round")
                y = y * x
        return accumulator.jvp(y)

    assert float(run(push, 2.0)) == pytest.approx(6 * 2.0**5, rel=1e-5)


def test_an_eager_tape_around_a_loop_that_prints_prints_once(capfd: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def loop(x: Any) -> Any:
        while x < 50.0:
            tf.print("a round")
            x = x * x
        return x

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = loop(x)
    assert float(tape.gradient(y, x)) == pytest.approx(8 * 2.0**7, rel=1e-5)
    assert float(tape.gradient(y, x)) == pytest.approx(8 * 2.0**7, rel=1e-5)
    jax.effects_barrier()
    assert capfd.readouterr().err == "a round\n" * 3


@pytest.mark.parametrize("limit", [3, tf.constant(3)], ids=["number", "tensor"])
def test_loop_options_end_a_loop_that_a_tensor_decides_about(limit: Any, run: Any) -> None:
    """The numbers are TensorFlow 2.15.1's."""

    def loops(n: Any, rows: Any) -> Any:
        count = total = kept = tf.constant(0)
        python = 0
        while count < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=limit)
            count += 1
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(maximum_iterations=limit)
            total += i
        for row in rows:
            tf.autograph.experimental.set_loop_options(maximum_iterations=limit)
            if row == 4:
                break
            kept += row
        for i in range(5):
            tf.autograph.experimental.set_loop_options(maximum_iterations=limit)
            python += i
        return count, total, kept, tf.constant(python)

    assert [int(v) for v in run(loops, np.int32(10), np.int32([1, 2, 3, 5, 6]))] == [3, 3, 6, 10]
    assert [int(v) for v in run(loops, np.int32(2), np.int32([1, 4, 3, 5, 6]))] == [2, 1, 1, 10]


def test_loop_options_end_a_loop_that_is_driven_in_python() -> None:
    @tf.function
    def loops(data: Any, rows: Any) -> Any:
        count = total = kept = tf.constant(0)
        for _ in data:
            tf.autograph.experimental.set_loop_options(maximum_iterations=2)  # as in TensorFlow, all the same
            total += 1
        while count < 10:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            count += 1
        for row in rows:
            tf.autograph.experimental.set_loop_options(maximum_iterations=2)
            kept += row
        return total, count, kept

    found = loops(tf.data.Dataset.range(5), tf.constant([1, 2, 3]))
    assert [int(v) for v in found] == [5, 3, 3]


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda n: tf.range(n), [0, 1, 2]),
        (lambda n: 2 * tf.range(1, n) + 1, [3, 5]),
        (lambda n: tf.where(tf.range(n) == 1, 1, 0), [0, 1, 0]),
        (lambda n: -tf.range(n)[1:], [-1, -2]),
        (lambda n: tf.cast(tf.range(n) < 2, tf.int32), [1, 1, 0]),
        (lambda n: tf.shape(tf.range(n)), [3]),
    ],
)
def test_a_range_of_unknown_length_is_a_tensor_where_no_loop_goes_over_it(function: Any, wanted: list[int]) -> None:
    assert tf.function(function)(tf.constant(3)).numpy().tolist() == wanted
