"""A replica without rows: every operation, layer, loss and metric gives what TensorFlow 2.15 gives (recorded)."""

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import jax
import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import per_replica
from tests.parity import uneven_behaviours as behaviours
from tests.parity.training import RECORDED

RECORD: dict[str, Any] = json.loads((RECORDED / "uneven.json").read_text())
NUMBERS = {"nan": np.nan, "NaN": np.nan, "inf": np.inf, "Infinity": np.inf, "-inf": -np.inf, "-Infinity": -np.inf}

# name: what NumPy gives for (features, labels, rows): value and slope. TensorFlow gives something else, or nothing:
# - static rows: it traces once for any number of rows, so `x.shape[0]` is None (TypeError); here the number is known;
# - sorted rows: it sorts by top_k, which wants a row (InvalidArgumentError); nothing sorted is nothing;
# - weighted average loss: it casts losses and weights to float32 on the way, 7e-9 off; float64 stays float64 here.
EXACT: dict[str, Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]] = {
    "static rows": lambda x: (x.sum() / max(len(x), 1), x.sum(0) / max(len(x), 1)),
    "sorted rows": lambda x: (np.sort(x, 0), x.sum(0)),
    "weighted average loss": lambda x: (
        x[:, 0] @ x[:, 1] / max(2 * len(x), 1),
        np.array([1, 1, 0, 0]) * (x[:, 0] @ x[:, 1]) / max(2 * len(x), 1),
    ),
}

# Layers that TensorFlow 2.15 runs on no rows only to fail in the gradient of the convolution (oneDNN, or an integer division
# by the rows), or does not run in a graph (SpectralNormalization), and layers that only Keras 3 has. Here all of them work.
FAILS_IN_TENSORFLOW = {"Conv1D", "Conv2D", "Conv2D with strides", "ConvLSTM1D", "ConvLSTM2D", "SeparableConv1D"}
FAILS_IN_TENSORFLOW |= {"SeparableConv2D", "SpectralNormalization"}
ONLY_IN_KERAS_3 = {"AdaptiveAveragePooling1D", "AdaptiveAveragePooling2D", "AdaptiveMaxPooling1D"}
ONLY_IN_KERAS_3 |= {"AdaptiveMaxPooling2D", "GroupQueryAttention", "RMSNormalization"}
# What differs where both work: oneDNN gives an empty output the shape of its input, whatever the kernel; Keras 3 counts bins
# in int32.
OTHER_SHAPE = {"Conv3D", "DepthwiseConv1D", "DepthwiseConv2D"}
OTHER_DTYPE = {"Discretization": "int32"}


@functools.cache
def strategy() -> Any:
    """Two replicas, for all tests."""
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def split(make: Any) -> Any:
    """The first replica has all rows, the second none."""
    return per_replica([make(behaviours.ROWS), make(0)], strategy().mesh)


def numbers(value: Any) -> np.ndarray:
    """A recorded value, its infinities and NaNs from their names."""
    if isinstance(value, list):
        return np.array([numbers(v) for v in value])
    return np.array(NUMBERS.get(value, value)) if isinstance(value, str) else np.array(value)


def value_and_slope(program: Any, x: Any, k: Any) -> dict[str, Any]:
    """What a program answers, and the gradient of its sum with respect to a factor of the features."""
    factor = tf.ones([4], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(factor)
        value = program(tf, x * factor, k)
        total = tf.reduce_sum(value) if np.issubdtype(value.dtype, np.floating) else None
    slope = None if total is None else tape.gradient(total, factor)
    return {"value": value, "slope": tf.zeros([4], tf.float64) if slope is None else slope}


def asked_for(fixture: str, request: pytest.FixtureRequest) -> set[str]:
    """The names with which tests of this run ask for a fixture."""
    items = [item for item in request.session.items if fixture in getattr(item, "fixturenames", ())]
    return {item.callspec.params["name"] for item in items if item.path == request.path}  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def operations(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """What the operations that are asked for give on both replicas, by one compiled step."""
    programs = {name: behaviours.OPERATIONS[name] for name in sorted(asked_for("operations", request))}

    def step(x: Any, k: Any) -> Any:
        return {name: value_and_slope(program, x, k) for name, program in programs.items()}

    results = strategy().run(step, args=(split(behaviours.features), split(behaviours.labels)))
    some, none = strategy().experimental_local_results(results)
    return some, none


@pytest.mark.sampled
@pytest.mark.parametrize("name", sorted(set(behaviours.OPERATIONS) - set(EXACT)))
def test_operations(operations: tuple[Any, Any], name: str) -> None:
    for ours, theirs in zip(operations, RECORD["operations"][name], strict=True):
        for what in ("value", "slope"):
            value, expected = np.asarray(ours[name][what]), theirs[what]
            assert list(value.shape) == expected["shape"], what
            assert str(value.dtype) == expected["dtype"], what
            wanted = numbers(expected["value"]).reshape(expected["shape"])
            np.testing.assert_allclose(value, wanted, rtol=1e-9, atol=1e-9, err_msg=what)


@pytest.mark.parametrize("name", EXACT)
def test_operations_that_differ_on_purpose_are_exact(operations: tuple[Any, Any], name: str) -> None:
    for ours, rows in zip(operations, (behaviours.ROWS, 0), strict=True):
        for what, wanted in zip(("value", "slope"), EXACT[name](behaviours.features(rows)), strict=True):
            value = np.asarray(ours[name][what])
            assert (value.shape, value.dtype) == (np.shape(wanted), np.float64), what
            np.testing.assert_allclose(value, wanted, rtol=1e-14, atol=1e-15, err_msg=what)


def test_the_list_of_differences_is_what_tensorflow_did() -> None:
    failed = {name for name, found in RECORD["operations"].items() if "error" in found}
    assert failed == set(EXACT) - {"weighted average loss"}
    assert {name for name, found in RECORD["layers"].items() if "error" in found} == FAILS_IN_TENSORFLOW
    assert set(behaviours.LAYERS) - set(RECORD["layers"]) == ONLY_IN_KERAS_3


@pytest.mark.parametrize("name", behaviours.REFUSED)
def test_what_needs_a_row_is_refused_and_the_replica_is_named(name: str) -> None:
    """TensorFlow raises InvalidArgumentError; `square` only here (its graph optimizer drops a reshape to known rows)."""
    error = IndexError if name == "first row" else InvalidArgumentError  # an index of a JAX array: Python's own error
    with pytest.raises(error) as caught:
        strategy().run(
            lambda x, k: behaviours.REFUSED[name](tf, x, k),
            args=(split(behaviours.features), split(behaviours.labels)),
        )
    assert any("replica 1" in note and "no rows" in note for note in caught.value.__notes__)
    assert set(RECORD["refused"]) == set(behaviours.REFUSED) - {"square"}


@pytest.fixture(scope="module")
def quick_to_compile() -> Iterator[None]:
    """XLA without most optimizations: many small programs, each run once."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


def statistics(layer: Any) -> list[np.ndarray]:
    """What a layer keeps besides weights, but for the state of its random generator, which TensorFlow has no variable for."""
    kept = [v for v in layer.non_trainable_variables if "seed_generator" not in v.path]
    return [v.numpy() for v in kept]


@pytest.fixture(scope="module")
def layers(quick_to_compile: None) -> dict[str, dict[str, Any]]:
    """What all layers give on both replicas and which of their statistics stay as they were, by one compiled step."""
    made, inputs = {}, {}
    for name, (make, row, count, dtype) in behaviours.LAYERS.items():
        with strategy().scope():
            made[name] = make(keras.layers)
            behaviours.call(made[name], [keras.Input(row, dtype=dtype) for _ in range(count)])
        rows = [functools.partial(behaviours.rows_of, row, dtype, seed=i) for i in range(count)]
        inputs[name] = [split(make) for make in rows]
    before = {name: statistics(layer) for name, layer in made.items()}

    def value_and_gradients(layer: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = behaviours.call(layer, x)
            total = tf.reduce_sum(tf.cast(y, tf.float32))
        return {"y": y, "grads": tape.gradient(total, layer.trainable_variables)}

    def step(inputs: Any) -> Any:
        return {name: value_and_gradients(made[name], x) for name, x in inputs.items()}

    some, none = strategy().experimental_local_results(strategy().run(step, args=(inputs,)))
    same = {n: [np.allclose(a, b) for a, b in zip(before[n], statistics(made[n]), strict=True)] for n in made}
    return {name: {"some": some[name], "none": none[name], "state": same[name]} for name in made}


@pytest.mark.thorough  # one program of a hundred layers takes a minute to compile; operations, losses and metrics stay
@pytest.mark.parametrize("name", behaviours.LAYERS)
def test_layers(layers: dict[str, dict[str, Any]], name: str) -> None:
    found = layers[name]
    value, recorded = np.asarray(found["none"]["y"]), RECORD["layers"].get(name)
    assert value.shape == (0, *found["some"]["y"].shape[1:])
    assert all(not np.asarray(g).any() for g in found["none"]["grads"])  # zeros: neither missing nor NaN
    if name in FAILS_IN_TENSORFLOW | ONLY_IN_KERAS_3:
        return
    assert OTHER_DTYPE.get(name, recorded["dtype"]) == str(value.dtype)
    assert (recorded["shape"] == list(value.shape)) is (name not in OTHER_SHAPE)
    assert recorded["grads"] == ["zero"] * len(found["none"]["grads"])
    assert recorded["state"] == found["state"]


def truth_and_prediction(kind: str) -> tuple[Any, Any]:
    """Both replicas' truth and prediction."""
    truth, prediction = (lambda rows, i=i: behaviours.truth_and_prediction(kind, rows)[i] for i in (0, 1))
    return split(truth), split(prediction)


@pytest.fixture(scope="module")
def losses(quick_to_compile: None, request: pytest.FixtureRequest) -> dict[str, dict[str, Any]]:
    """What the losses give on the replica without rows, with both reductions that a strategy allows, by one step."""
    asked = {name: behaviours.LOSSES[name] for name in sorted(asked_for("losses", request))}
    kinds = {kind: truth_and_prediction(kind) for _, kind in asked.values()}

    def step(given: Any) -> Any:
        return {
            (name, reduction): make(keras.losses, reduction=reduction)(*given[kind])
            for name, (make, kind) in asked.items()
            for reduction in ("none", "sum")
        }

    _, none = strategy().experimental_local_results(strategy().run(step, args=(kinds,)))
    return none


@pytest.mark.sampled
@pytest.mark.parametrize("name", behaviours.LOSSES)
def test_losses(losses: dict[Any, Any], name: str) -> None:
    make, kind = behaviours.LOSSES[name]
    found = {reduction: losses[name, reduction] for reduction in ("none", "sum")}
    found["sum_over_batch_size"] = make(keras.losses)(*behaviours.truth_and_prediction(kind, 0))
    for reduction, value in found.items():
        expected = RECORD["losses"][name][reduction]
        assert list(value.shape) == expected["shape"], reduction
        assert str(value.dtype) == expected["dtype"], reduction
        np.testing.assert_array_equal(value, expected["value"], reduction)


@pytest.fixture(scope="module")
def metrics(quick_to_compile: None, request: pytest.FixtureRequest) -> dict[str, float]:
    """What the metrics make of rows on one replica and none on the other, by one step."""
    asked = {name: behaviours.METRICS[name] for name in sorted(asked_for("metrics", request))}
    with strategy().scope():
        made = {name: make(keras.metrics) for name, (make, _) in asked.items()}
    kinds = {kind: truth_and_prediction(kind) for _, kind in asked.values()}

    def step(given: Any) -> None:
        for name, (_, kind) in asked.items():
            made[name].update_state(*given[kind][1:] if kind == "one" else given[kind])

    strategy().run(step, args=(kinds,))
    return {name: float(metric.result()) for name, metric in made.items()}


@pytest.mark.sampled
@pytest.mark.parametrize("name", behaviours.METRICS)
def test_metrics(metrics: dict[str, float], name: str) -> None:
    # Absolutely: the rounding of float32 at 1, where LogCoshError cancels two numbers.
    np.testing.assert_allclose(metrics[name], RECORD["metrics"][name], rtol=1e-6, atol=6e-8)


def test_statistics_of_a_batch_normalization() -> None:
    """A replica without rows hands in the moving statistics as they are, so they move by the others' rows alone.

    Here all replicas share one pair of statistics. TensorFlow keeps a pair a replica and averages them when they are read,
    which is the same until a replica without rows keeps its own pair and not the average: from the third step on.
    """
    with strategy().scope():
        layer = keras.layers.BatchNormalization(momentum=0.75)
        layer.build([None, 4])
    mean, variance = np.zeros(4), np.ones(4)
    for number, layout in enumerate(behaviours.NORMALIZED):
        rows, recorded = behaviours.pieces(layout, number), RECORD["normalization"][number]
        run = strategy().run(lambda x: layer(x, training=True), args=(per_replica(rows, strategy().mesh),))
        for ours, theirs in zip(strategy().experimental_local_results(run), recorded["outputs"], strict=True):
            np.testing.assert_allclose(ours, np.reshape(theirs, ours.shape), rtol=1e-5, atol=1e-5)
        means = [piece.mean(0) if len(piece) else mean for piece in rows]
        variances = [piece.var(0) if len(piece) else variance for piece in rows]
        mean, variance = 0.75 * mean + 0.25 * np.mean(means, 0), 0.75 * variance + 0.25 * np.mean(variances, 0)
        for ours, exact, theirs in ((layer.moving_mean, mean, "mean"), (layer.moving_variance, variance, "variance")):
            np.testing.assert_allclose(ours.numpy(), exact, rtol=1e-5, atol=1e-6)
            if number < 2:
                np.testing.assert_allclose(ours.numpy(), recorded[theirs], rtol=1e-5, atol=1e-6)
