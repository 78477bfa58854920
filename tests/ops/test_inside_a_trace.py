"""Inside a compiled step: constants stay numbers, shapes can be computed with, values that are needed are asked for."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import InvalidArgumentError, TracedDecisionError
from stratagem._core.context import entered
from stratagem._core.step import NothingKnown
from tests import prepared


class StepRecorder:
    """Stands for a capture: notes what it is told."""

    def __init__(self) -> None:
        self.prefix = NothingKnown()

    def need_host(self, reason: str) -> None:
        raise LookupError(reason)


def traced(function: Callable[..., Any], *args: Any) -> Any:
    """What the function returns while it is traced."""
    seen: list[Any] = []
    jax.make_jaxpr(lambda *a: seen.append(function(*a)))(*args)
    return seen[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.constant(3),
        lambda: tf.constant(np.arange(3)),
        lambda: tf.zeros([2]),
        lambda: tf.ones_like(np.ones(2)),
        lambda: tf.fill([2], 1.5),
        lambda: tf.eye(2),
        lambda: tf.range(3),
        lambda: tf.linspace(0.0, 1.0, 3),
        lambda: tf.cast(3, tf.int64),
        lambda: tf.reduce_prod([2, 3]),
    ],
)
def test_constants_are_concrete(make: Callable[[], Any]) -> None:
    assert not isinstance(traced(make), jax.core.Tracer)


def test_shapes_can_be_computed_with() -> None:
    def step(x: jax.Array) -> tuple[jax.Array, ...]:
        rows = tf.shape(x)[0]
        flat = tf.reshape(x, (rows, -1))
        per_example = tf.cast(tf.reduce_prod(tf.shape(x)[1:]), tf.float32)
        return flat, tf.zeros([rows * 2, 3]), tf.ones(tf.shape(x)) / per_example, tf.tile(x, [1, 1, tf.rank(x)])

    flat, zeros, ones, tiled = jax.jit(step)(jnp.ones((2, 3, 4)))
    assert (flat.shape, zeros.shape, tiled.shape) == ((2, 12), (4, 3), (2, 3, 12))
    assert float(ones[0, 0, 0]) == pytest.approx(1 / 12)


def test_floating_point_constants_stay_in_the_program() -> None:
    assert isinstance(traced(lambda: tf.square(tf.constant(2.0))), jax.core.Tracer)


@pytest.mark.parametrize(
    "use",
    [
        lambda x: tf.boolean_mask(x, x > 1),
        lambda x: tf.where(x > 1),
        lambda x: tf.unique(x),
        lambda x: tf.zeros(tf.cast(x, tf.int32)),
        lambda x: tf.range(x[0]),
        lambda x: tf.one_hot([0], tf.cast(x[0], tf.int32)),
    ],
)
def test_needed_values_are_asked_for(use: Callable[[jax.Array], Any]) -> None:
    with pytest.raises(TracedDecisionError, match=r"tf\.(cond|where)"):
        traced(use, jnp.ones(2))
    with pytest.raises(LookupError), entered(recorder=StepRecorder()):
        traced(use, jnp.ones(2))
    with pytest.raises(TracedDecisionError), entered(recorder=StepRecorder(), replica=object()):
        traced(use, jnp.ones(2))


def test_a_loop_over_a_range_is_noticed() -> None:
    with entered(recorder=StepRecorder()):
        numbers = tf.range(4)
        with pytest.raises(LookupError, match=r"it loops over tf\.range"):
            next(iter(numbers))


def test_a_range_is_a_tensor_otherwise() -> None:
    with entered(recorder=StepRecorder()):
        numbers = tf.range(1, 4)
    assert (len(numbers), numbers.shape, numbers.dtype, numbers.ndim) == (3, (3,), tf.int32, 1)
    assert int(numbers[-1]) == 3
    assert (numbers * 2).tolist() == (2 * numbers).tolist() == [2, 4, 6]
    assert (10 - numbers).tolist() == [9, 8, 7]
    assert (numbers > 1).tolist() == [False, True, True]
    assert (-numbers).tolist() == [-1, -2, -3]
    assert int(tf.reduce_sum(numbers)) == 6
    assert tf.cast(numbers, tf.float32).dtype == tf.float32
    assert tf.stack([numbers, numbers]).shape == (2, 3)


@pytest.mark.parametrize("context", [{}, {"recorder": StepRecorder(), "replica": object()}])
def test_a_range_elsewhere_is_an_array(context: dict[str, Any]) -> None:
    with entered(**context):
        assert isinstance(tf.range(3), jax.Array)


def test_zero_rows() -> None:
    def step(x: jax.Array) -> tuple[jax.Array, ...]:
        flat = tf.reshape(x, (tf.shape(x)[0], -1))
        loss = tf.reduce_sum(flat, axis=1)
        return flat, tf.reduce_max(flat), tf.reduce_mean(loss), tf.nn.compute_average_loss(loss)

    flat, largest, mean, loss = jax.jit(step)(jnp.zeros((0, 2, 3)))
    assert flat.shape == (0, 6)
    assert (float(largest), float(loss)) == (-np.inf, 0)
    assert np.isnan(mean)


def test_the_gradient_of_the_mean_of_nothing_is_empty() -> None:
    assert jax.grad(lambda x: tf.nn.compute_average_loss(tf.reduce_sum(x, 1)))(jnp.zeros((0, 2))).shape == (0, 2)
    assert float(jax.grad(lambda w: tf.nn.compute_average_loss(jnp.zeros((0,)) * w))(2.0)) == 0


# --- Checks and callbacks ---------------------------------------------------------------------------------------------


def test_checks_of_shapes_happen_at_once() -> None:
    with pytest.raises(ValueError, match="rank 1"):
        traced(lambda x: tf.debugging.assert_rank(x, 1), jnp.ones((2, 2)))


def test_checks_of_values_pass_when_the_program_runs() -> None:
    def step(x: jax.Array) -> jax.Array:
        tf.debugging.assert_less(x, 2.0)
        return tf.debugging.check_numerics(x, "fine")

    assert jax.jit(step)(jnp.ones(2)).tolist() == [1, 1]
    jax.effects_barrier()


FAILING = """
import jax, jax.numpy as jnp
from stratagem import _ops as ops

def step(x):
    ops.assert_less(x, 2.0, message="too large")
    return x

try:
    jax.block_until_ready(jax.jit(step)(jnp.full(2, 3.0)))
    jax.effects_barrier()
except jax.errors.JaxRuntimeError as error:
    print("raised", "too large Condition x < y did not hold" in str(error))
"""


def test_checks_of_values_fail_when_the_program_runs() -> None:
    # In a process of its own: JAX remembers a failed callback until the process ends.
    run = prepared.run(FAILING)
    assert run.stdout == "raised True\n", run.stderr


def test_python_functions_are_called_from_the_program() -> None:
    calls: list[Any] = []

    def double(x: Any) -> Any:
        calls.append(np.asarray(x))
        return 2 * np.asarray(x)

    step = jax.jit(lambda x: tf.py_function(double, [x], tf.float32, result_shape=[2]))
    assert step(jnp.ones(2)).tolist() == [2, 2]
    assert step(jnp.zeros(2)).tolist() == [0, 0]
    assert len(calls) == 2
    many = jax.jit(lambda x: tf.numpy_function(lambda a: (a, a[0]), [x], [tf.float32] * 2, result_shape=[[2], []]))
    assert [r.shape for r in many(jnp.ones(2))] == [(2,), ()]


def test_python_functions_need_a_shape_there() -> None:
    with pytest.raises(InvalidArgumentError, match="result_shape"):
        traced(lambda x: tf.py_function(lambda a: a, [x], tf.float32), jnp.ones(2))
    with pytest.raises(LookupError, match="py_function"), entered(recorder=StepRecorder()):
        traced(lambda x: tf.py_function(lambda a: a, [x], tf.float32), jnp.ones(2))


def test_python_functions_as_decorators() -> None:
    @tf.numpy_function(Tout=tf.float32)
    def ordered(x: np.ndarray) -> np.ndarray:
        """Sorts."""
        assert type(x) is np.ndarray
        return np.sort(x)

    @tf.py_function(Tout=[tf.float32, tf.int32], result_shape=[(2,), ()])
    def described(x: jax.Array) -> Any:
        return x + 1, x.shape[0]

    assert np.asarray(ordered(tf.constant([3.0, 1.0]))).tolist() == [1, 3]
    assert (ordered.__name__, ordered.__doc__) == ("ordered", "Sorts.")
    more, size = jax.jit(described)(jnp.float32([3, 1]))
    assert (np.asarray(more).tolist(), int(size)) == ([4, 2], 2)


def test_a_mask_is_told_with_its_line_and_what_to_write() -> None:
    def masked(x: Any) -> Any:
        return tf.boolean_mask(x, x > 1.0)

    here = rf"test_inside_a_trace\.py:{masked.__code__.co_firstlineno + 1}: .*tf\.boolean_mask"
    with pytest.raises(TracedDecisionError, match=here + r".*tf\.reduce_sum\(tf\.where\(mask, x, 0\)\)"):
        traced(masked, jnp.ones(2))
