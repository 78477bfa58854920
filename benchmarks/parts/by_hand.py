"""The step written by hand with JAX and Keras' stateless methods, as Keras' own guide for JAX does."""

import time
from typing import Any

import jax
from jax.extend.core import jaxpr_as_fun
from parts import cnn
from parts.paired import Timer

from stratagem import keras
from stratagem._core.rewrites import compiler_options, rewrite


def timer(*, rewrites: bool) -> Timer:
    """The step with `value_and_grad`, `jit` and donated state; with Stratagem's rewrites and compiler options, or without."""
    model = cnn.model(keras)
    model.build((cnn.BATCH, 28, 28, 1))
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    accuracy = keras.metrics.SparseCategoricalAccuracy()
    losses = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    platform = jax.devices()[0].platform

    def forward(weights: Any, others: Any, images: Any, labels: Any) -> Any:
        scores, others = model.stateless_call(weights, others, images, training=True)
        return losses(labels, scores), (scores, others)

    def step(state: Any, images: Any, labels: Any) -> Any:
        weights, others, optimizer_state, accuracy_state = state
        loss = rewritten(forward, platform) if rewrites else forward
        (value, (scores, others)), gradients = jax.value_and_grad(loss, has_aux=True)(weights, others, images, labels)
        weights, optimizer_state = optimizer.stateless_apply(optimizer_state, gradients, weights)
        accuracy_state = accuracy.stateless_update_state(accuracy_state, labels, scores)
        return value, (weights, others, optimizer_state, accuracy_state)

    options = compiler_options(platform) if rewrites else None
    compiled = jax.jit(step, donate_argnums=0, compiler_options=options)
    owners = model.trainable_variables, model.non_trainable_variables, optimizer.variables, accuracy.variables
    state = jax.tree.map(lambda variable: jax.numpy.array(variable.value), tuple(map(list, owners)))
    images, labels = jax.device_put(cnn.batch())

    def run(steps: int) -> float:
        nonlocal state
        start = time.perf_counter()
        for _ in range(steps):
            value, state = compiled(state, images, labels)
        float(value)
        return time.perf_counter() - start

    return run


def rewritten(function: Any, platform: str) -> Any:
    """The function with the equations that Stratagem would give it; rewritten before it is differentiated, as there."""

    def call(*args: Any) -> Any:
        closed, shape = jax.make_jaxpr(function, return_shape=True)(*args)
        results = jaxpr_as_fun(rewrite(closed, platform))(*jax.tree.leaves(args))
        return jax.tree.unflatten(jax.tree.structure(shape), results)

    return call
