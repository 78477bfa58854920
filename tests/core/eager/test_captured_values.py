"""What JAX traces of code that runs at once (bodies of scans, functions of jax.jit) captures: variables, tensors of tapes."""

import functools
import gc
import weakref
from collections.abc import Callable
from typing import Any

import jax
import jax.extend
import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf

Rows = Any
Scale = Callable[[Any], Any]

ROWS = np.arange(6, dtype=np.float32).reshape(3, 2) / 4 + 0.5


def scaled_in_a_tape(row: Any, scale: Scale) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(row)
        y = scale(row) * row
    return tape.gradient(y, row)


# Each applies `scale`, which reads what is around it, to rows.
CALLS: dict[str, Callable[[Scale, Rows], Any]] = {
    "keras.ops.scan": lambda scale, rows: keras.ops.scan(lambda c, row: (c + scale(row), c), jnp.zeros(2), rows)[0],
    "keras.ops.map": keras.ops.map,
    "keras.ops.vectorized_map": keras.ops.vectorized_map,
    "keras.ops.fori_loop": lambda scale, rows: keras.ops.fori_loop(0, 2, lambda i, c: scale(c), rows),
    "keras.ops.while_loop": lambda scale, rows: keras.ops.while_loop(
        lambda i, c: i < 2, lambda i, c: (i + 1, scale(c)), (jnp.int32(0), rows)
    )[1],
    "keras.ops.cond": lambda scale, rows: keras.ops.cond(jnp.sum(rows) > 0, lambda: scale(rows), lambda: rows),
    "keras.ops.switch": lambda scale, rows: keras.ops.switch(jnp.int32(1), [lambda r: r, scale], rows),
    "keras.ops.associative_scan": lambda scale, rows: keras.ops.associative_scan(lambda a, b: a + scale(b), rows),
    "keras.remat": lambda scale, rows: keras.remat(scale)(rows),
    "jax.lax.scan": lambda scale, rows: jax.lax.scan(lambda c, row: (c + scale(row), c), jnp.zeros(2), rows)[0],
    "jax.lax.map": lambda scale, rows: jax.lax.map(scale, rows),
    "jax.jit": lambda scale, rows: jax.jit(scale)(rows),
    "jax.jit in jax.jit": lambda scale, rows: jax.jit(lambda r: jax.jit(scale)(r) * r)(rows),
    "jax.checkpoint": lambda scale, rows: jax.checkpoint(scale)(rows),
    "jax.vmap": lambda scale, rows: jax.vmap(scale)(rows),
    "jax.vmap of jax.lax.scan": lambda scale, rows: jax.vmap(
        lambda row: jax.lax.scan(lambda c, x: (c + jnp.sum(scale(x)), c), 0.0, row)[0]
    )(rows),
    "jax.lax.scan of jax.vmap": lambda scale, rows: jax.lax.scan(
        lambda c, row: (c + jax.vmap(lambda x: scale(x)[0])(row), c), jnp.zeros(2), rows
    )[0],
    "jax.grad": lambda scale, rows: jax.grad(lambda r: jnp.sum(scale(r) * r))(rows),
    "jax.jvp": lambda scale, rows: jax.jvp(lambda r: scale(r) * r, (rows,), (rows,))[1],
    "jax.linearize": lambda scale, rows: jax.linearize(lambda r: scale(r) * r, rows)[1](rows),
    "a tape in jax.lax.scan": lambda scale, rows: jax.lax.scan(
        lambda c, row: (c + scaled_in_a_tape(row, scale), c), jnp.zeros(2), rows
    )[0],
}


def differentiated(call: Callable[[Scale, Rows], Any], vector: tf.Variable, scalar: tf.Variable) -> list[Any]:
    """The gradients by two variables and by two tensors that the function reads."""
    tensor, number = tf.constant([3.0, 0.25]), tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch([tensor, number])
        made = tensor * 2.0
        loss = tf.reduce_sum(tf.square(call(lambda row: row * vector * scalar * made * number, tf.constant(ROWS))))
    return list(tape.gradient(loss, [vector, scalar, tensor, number]))


@pytest.mark.sampled
@pytest.mark.parametrize("name", CALLS)
def test_a_tape_has_the_gradients_of_what_a_function_that_jax_traces_reads(name: str) -> None:
    vector, scalar = tf.Variable([2.0, 1.0]), tf.Variable(0.5)
    eager = differentiated(CALLS[name], vector, scalar)
    compiled = tf.function(lambda: differentiated(CALLS[name], vector, scalar))()
    tf.config.run_functions_eagerly(True)
    try:
        as_python = tf.function(lambda: differentiated(CALLS[name], vector, scalar))()
    finally:
        tf.config.run_functions_eagerly(False)
    for other in (eager, as_python):
        for found, expected in zip(other, compiled, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5)


# The reverse of a scan is not pushed forward.
@pytest.mark.sampled
@pytest.mark.parametrize("name", [n for n in CALLS if n != "a tape in jax.lax.scan"])
def test_a_forward_accumulator_has_the_tangents_of_what_a_function_that_jax_traces_reads(name: str) -> None:
    vector, scalar, number = tf.Variable([2.0, 1.0]), tf.Variable(0.5), tf.constant(1.5)
    rows = tf.constant(ROWS)

    def tangent() -> Any:
        primals = [vector, scalar, number]
        with tf.autodiff.ForwardAccumulator(primals, [tf.ones_like(p) for p in primals]) as accumulator:
            y = CALLS[name](lambda row: row * vector * scalar * number, rows)
        return accumulator.jvp(y)

    np.testing.assert_allclose(tangent(), tf.function(tangent)(), rtol=1e-5)


@pytest.mark.sampled
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("taped", [False, True])
def test_what_jax_traces_reads_a_variables_present_value(name: str, taped: bool) -> None:
    variable = tf.Variable([2.0, 1.0])

    def scale(row: Any) -> Any:  # the same function in every call, whose program JAX keeps
        return row * variable

    def call() -> Any:
        if not taped:
            return CALLS[name](scale, tf.constant(ROWS)), None
        with tf.GradientTape() as tape:
            y = CALLS[name](scale, tf.constant(ROWS))
        return y, tape.gradient(y, variable)

    call()
    variable.assign([-1.0, 3.0])
    y, gradient = call()
    of_new = tf.Variable([-1.0, 3.0])
    np.testing.assert_allclose(y, CALLS[name](lambda row: row * of_new, tf.constant(ROWS)), rtol=1e-6)
    assert (gradient is not None) is taped


def test_a_jitted_function_trains_under_a_tape() -> None:
    variable = tf.Variable([2.0, 1.0])
    loss_of = jax.jit(lambda row: jnp.sum(jnp.square(row * variable - 1.0)))
    losses = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = loss_of(tf.constant([1.0, 1.0]))
        variable.assign_sub(0.25 * tape.gradient(loss, variable))
        losses.append(float(loss))
    assert losses == [1.0, 0.25, 0.0625]


@pytest.mark.parametrize("replicas", [1, 2])
def test_replicas_that_run_as_python_have_the_gradients_of_a_scans_body(replicas: int) -> None:
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])
    with strategy.scope():
        variable = tf.Variable([2.0, 1.0])

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = CALLS["keras.ops.scan"](lambda row: row * variable, tf.constant(ROWS))
        return tape.gradient(y, variable)

    compiled = strategy.reduce("SUM", strategy.run(step), axis=None)
    tf.config.run_functions_eagerly(True)
    try:
        as_python = strategy.reduce("SUM", strategy.run(step), axis=None)
    finally:
        tf.config.run_functions_eagerly(False)
    np.testing.assert_allclose(as_python, compiled, rtol=1e-6)


LAYERS: dict[str, Callable[[], keras.Layer]] = {
    "LSTM": lambda: keras.layers.LSTM(3),
    "LSTM, masked, backwards": lambda: keras.Sequential(
        [keras.layers.Masking(), keras.layers.LSTM(3, go_backwards=True, return_sequences=True)]
    ),
    "GRU": lambda: keras.layers.GRU(3),
    "SimpleRNN": lambda: keras.layers.SimpleRNN(3),
    "RNN of cells": lambda: keras.layers.RNN([keras.layers.LSTMCell(3), keras.layers.GRUCell(2)]),
    "Bidirectional": lambda: keras.layers.Bidirectional(keras.layers.LSTM(3)),
    "TimeDistributed": lambda: keras.layers.TimeDistributed(keras.layers.Dense(2)),
    "stacked": lambda: keras.Sequential([keras.layers.LSTM(3, return_sequences=True), keras.layers.LSTM(2)]),
    "ConvLSTM1D": lambda: keras.Sequential([keras.layers.Reshape((4, 3, 1)), keras.layers.ConvLSTM1D(2, 2)]),
    "ConvLSTM2D": lambda: keras.Sequential([keras.layers.Reshape((2, 2, 3, 1)), keras.layers.ConvLSTM2D(2, 2)]),
    "ConvLSTM3D": lambda: keras.Sequential(
        [keras.layers.Reshape((3, 2, 2, 1, 1)), keras.layers.ConvLSTM3D(2, (2, 2, 1))]
    ),
}
# Of those with an argument `training` Keras' checkpoints make a tensor, on which they then decide.
COMPUTED_AGAIN: dict[str, Callable[[], keras.Layer]] = {
    "Dense": lambda: keras.layers.Dense(3),
    "Conv1D": lambda: keras.layers.Conv1D(3, 2),
    "Embedding": lambda: keras.Sequential([keras.layers.Lambda(jnp.argsort), keras.layers.Embedding(4, 2)]),
    "EinsumDense": lambda: keras.layers.EinsumDense("abc,cd->abd", (None, 3), bias_axes="d"),
}


def layer_gradients(layer: keras.Layer, x: Any) -> list[Any]:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(layer(x)))
    return list(tape.gradient(loss, layer.trainable_variables))


@pytest.mark.sampled
@pytest.mark.parametrize("name", LAYERS)
def test_a_tape_has_the_gradients_of_the_weights_of_a_layer_with_a_loop(name: str) -> None:
    has_the_gradients_of_a_function(LAYERS[name])


@pytest.mark.sampled
@pytest.mark.parametrize("name", COMPUTED_AGAIN)
def test_a_tape_has_the_gradients_of_the_weights_of_a_layer_that_is_computed_again(name: str) -> None:
    with keras.RematScope(mode="full"):
        has_the_gradients_of_a_function(COMPUTED_AGAIN[name])


def has_the_gradients_of_a_function(make: Callable[[], keras.Layer]) -> None:
    layer, x = make(), np.random.default_rng(0).normal(size=(2, 4, 3)).astype(np.float32)
    layer(x)
    compiled = tf.function(lambda: layer_gradients(layer, x))()
    for found, expected in zip(layer_gradients(layer, x), compiled, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


# --- What else meets a captured variable ------------------------------------------------------------------------------


def test_a_program_that_is_lowered_before_its_calls_has_the_numbers_of_that_time() -> None:
    variable = tf.Variable([2.0, 1.0])
    scaled = jax.jit(lambda x: x * variable)
    compiled = scaled.lower(jnp.ones(2)).compile()
    exported = jax.export.export(scaled)(jnp.ones(2))
    variable.assign([5.0, 6.0])
    assert compiled(jnp.ones(2)).tolist() == exported.call(jnp.ones(2)).tolist() == [2.0, 1.0]
    assert scaled(jnp.ones(2)).tolist() == [5.0, 6.0]


def test_a_program_that_is_not_lowered_reads_the_variable_when_it_runs() -> None:
    variable, x = tf.Variable([2.0, 1.0]), jnp.ones(2)
    program = jax.make_jaxpr(lambda x: x * variable)(x)
    traced = jax.jit(lambda x: x * variable).trace(x)
    variable.assign([5.0, 6.0])
    with tf.GradientTape() as tape:
        (y,) = jax.extend.core.jaxpr_as_fun(program)(x)
    assert y.tolist() == [5.0, 6.0]
    assert tape.gradient(y, variable).numpy().tolist() == [1.0, 1.0]
    assert traced(x).tolist() == [5.0, 6.0]
    assert traced.lower().compile()(x).tolist() == [5.0, 6.0]


@pytest.mark.parametrize("as_python", [False, True])
@pytest.mark.parametrize("make", [tf.Variable, tf.constant])
def test_a_map_over_all_rows_has_the_gradient_of_what_it_reads(make: Callable[[Any], Any], as_python: bool) -> None:
    factor = make([2.0])
    tf.config.run_functions_eagerly(as_python)
    try:
        with tf.GradientTape() as tape:
            tape.watch(factor)
            total = tf.reduce_sum(tf.vectorized_map(lambda row: row * factor[0], tf.constant([1.0, 2.0, 3.0])))
    finally:
        tf.config.run_functions_eagerly(False)
    gradient = tape.gradient(total, factor)
    assert gradient is not None
    assert np.asarray(gradient).tolist() == [6.0]


def test_python_decides_on_a_variable_in_a_function_that_jax_traces() -> None:
    variable = tf.Variable([2.0, 1.0])

    def scaled(x: Any) -> Any:
        factor = float(variable.value[0]) if bool(jnp.all(variable.value > 0)) else 0.0
        return x * factor * float(variable.numpy()[0]) * variable.value.tolist()[0] * np.asarray(variable)

    with pytest.raises(jax.errors.ConcretizationTypeError):  # of what the program computes, as everywhere
        jax.jit(scaled)(jnp.ones(2))
    known = jax.jit(lambda x: x * float(variable.numpy()[0]) * variable.value.tolist()[1] * np.asarray(variable))
    assert known(jnp.ones(2)).tolist() == [4.0, 2.0]


def test_a_function_may_return_a_variable_as_it_is() -> None:
    variable = tf.Variable([2.0, 1.0])
    calls = (jax.jit(lambda: variable.value), lambda: jax.vjp(lambda x: variable.value, jnp.ones(2))[0])
    for call in calls:
        value = call()
        variable.assign_add([1.0, 1.0])
        assert isinstance(value, jax.Array)
        assert not isinstance(value, jax.core.Tracer)
    assert variable.numpy().tolist() == [4.0, 3.0]


def test_mixed_precision_casts_what_a_program_captures() -> None:
    layer = keras.layers.LSTM(3, dtype="mixed_bfloat16")
    x = np.random.default_rng(0).normal(size=(2, 4, 3)).astype(np.float32)
    layer(x)
    compiled = tf.function(lambda: layer_gradients(layer, x))()
    for found, expected in zip(layer_gradients(layer, x), compiled, strict=True):
        assert found.dtype == expected.dtype == jnp.float32
        np.testing.assert_allclose(found, expected, rtol=2e-2, atol=2e-2)


def test_a_variable_of_open_shape_is_read_in_a_function_that_jax_traces() -> None:
    variable = tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))
    with tf.GradientTape() as tape:
        y = jax.lax.scan(lambda c, x: (c + x * jnp.sum(variable.value), c), 0.0, jnp.ones(3))[0]
    assert tape.gradient(y, variable).numpy().tolist() == [3.0, 3.0]


def test_no_number_of_a_variable_stays_behind_in_a_kept_program() -> None:
    variable = tf.Variable([2.0, 1.0])
    gone = weakref.ref(variable)
    jax.jit(functools.partial(lambda v, x: x * v.value, variable))(jnp.ones(2))
    del variable
    gc.collect()
    assert gone() is None
