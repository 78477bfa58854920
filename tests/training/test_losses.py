"""Losses and metrics in every form that `compile` takes: on four replicas what they are on one device."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests.parity.training import floatx
from tests.training.training import distance

losses, metrics, layers = tf.keras.losses, tf.keras.metrics, tf.keras.layers
ROWS, BATCH = 11, 8  # the second batch has 3 rows
X = np.random.default_rng(0).normal(size=(ROWS, 3))
Y = np.random.default_rng(1).normal(size=(ROWS, 2))
WEIGHTS = np.linspace(0, 2, ROWS)  # the first example does not count


def per_example(y: Any, y_pred: Any) -> Any:
    """A plain function with a loss an example."""
    return tf.reduce_sum(tf.abs(y - y_pred), axis=-1)


def scalar(y: Any, y_pred: Any) -> Any:
    """A plain function with a mean over the rows it sees."""
    return tf.reduce_mean(tf.square(y - y_pred))


class Own(losses.Loss):
    """A loss of the user's."""

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """A loss an example."""
        return tf.reduce_max(tf.square(y_true - y_pred), axis=-1)


LOSSES: dict[str, Callable[[], Any]] = {
    "string": lambda: "mae",
    "sum": lambda: losses.MeanSquaredError(reduction="sum"),
    "sum_over_batch_size": lambda: losses.MeanSquaredError(reduction="sum_over_batch_size"),
    "mean_with_sample_weight": lambda: losses.MeanSquaredError(reduction="mean_with_sample_weight"),
    "function": lambda: per_example,
    "mean_function": lambda: scalar,
    "own": Own,
    "own_sum": lambda: Own(reduction="sum"),
}


@pytest.fixture(autouse=True)
def in_float64() -> Iterator[None]:
    """Of everything that a test makes."""
    with floatx("float64"):
        yield


def results(strategy: str, build: Callable[[], Any], compiled: Callable[[], dict[str, Any]], *arrays: Any) -> list[Any]:
    """What a fit, an evaluation and the weights are. build: makes the model."""
    tf.keras.utils.set_random_seed(0)
    with STRATEGIES[strategy]().scope():
        model = build()
        model.compile(optimizer=tf.keras.optimizers.SGD(0.125), **compiled())
    history = model.fit(*arrays[:1], **_named(arrays), batch_size=BATCH, shuffle=False, verbose=0).history
    return [history, model.evaluate(*arrays[:1], **_named(arrays), batch_size=BATCH, verbose=0), model.get_weights()]


def _named(arrays: Any) -> dict[str, Any]:
    return dict(zip(("y", "sample_weight"), arrays[1:], strict=False))


def alike(build: Callable[[], Any], compiled: Callable[[], dict[str, Any]], *arrays: Any) -> dict[str, list[float]]:
    """Four replicas give what one gives; the history."""
    one, many = (results(name, build, compiled, *arrays) for name in ("one device", "mirrored 4"))
    assert distance(many, one) <= 1e-12
    return one[0]


def linear() -> Any:
    """One layer, two numbers."""
    return tf.keras.Sequential([layers.Input((3,)), layers.Dense(2)])


@pytest.mark.thorough
@pytest.mark.parametrize("weighted", [False, True])
def test_losses_in_every_form(weighted: bool) -> None:
    # An output for each. A mean that a function takes itself cannot be weighted by example.
    names = [name for name in LOSSES if not (weighted and name == "mean_function")]

    def build() -> Any:
        x = layers.Input((3,))
        return tf.keras.Model(x, {name: layers.Dense(2, name=name)(x) for name in names})

    def compiled() -> dict[str, Any]:
        return {"loss": {name: LOSSES[name]() for name in names}, "loss_weights": dict.fromkeys(names, 0.25)}

    y = dict.fromkeys(names, Y)
    weights = {name: np.roll(WEIGHTS, i) for i, name in enumerate(names)}
    history = alike(build, compiled, X, y, *([weights] if weighted else []))
    assert set(history) == {"loss", *(f"{name}_loss" for name in names)}


@pytest.mark.thorough
def test_metrics_in_every_form() -> None:
    def largest(y: Any, y_pred: Any) -> Any:
        return tf.reduce_max(tf.abs(y - y_pred), axis=-1)

    def compiled() -> dict[str, Any]:
        found = ["mse", metrics.RootMeanSquaredError(name="rmse"), metrics.R2Score(name="r2"), largest, "accuracy"]
        weighted = ["mae", metrics.MeanMetricWrapper(largest, name="weighted")]
        return {"loss": "mse", "metrics": found, "weighted_metrics": weighted}

    labels = np.eye(2)[np.arange(ROWS) % 2]
    history = alike(linear, compiled, X, labels, WEIGHTS)
    assert set(history) == {"loss", "mse", "rmse", "r2", "largest", "accuracy", "mae", "weighted"}
    assert (history["accuracy"][0] * ROWS) % 1 == pytest.approx(0, abs=1e-9)


@pytest.mark.thorough
def test_outputs_without_a_loss() -> None:
    def build() -> Any:
        x = layers.Input((3,))
        return tf.keras.Model(x, [layers.Dense(2, name="a")(x), layers.Dense(1, name="b")(x)])

    with pytest.warns(UserWarning, match=r"Gradients do not exist for variables \['b/kernel', 'b/bias'\]"):
        alike(build, lambda: {"loss": ["mse", None]}, X, [Y, Y[:, :1]])


@pytest.mark.thorough
@pytest.mark.parametrize("reduction", ["sum_over_batch_size", "mean_with_sample_weight"])
def test_a_mask_counts_valid_entries_of_the_whole_batch(reduction: str) -> None:
    x = np.array([[1, 2, 3], [1, 0, 0], [0, 0, 0], [2, 2, 0], [3, 0, 0]])
    y = np.random.default_rng(0).normal(size=(5, 3, 1))

    def build() -> Any:
        masking = layers.Embedding(4, 2, mask_zero=True)
        return tf.keras.Sequential([layers.Input((3,), dtype="int32"), masking, layers.Dense(1)])

    def compiled() -> dict[str, Any]:
        return {"loss": losses.MeanSquaredError(reduction=reduction), "metrics": ["mae"], "weighted_metrics": ["mse"]}

    alike(build, compiled, x, y)


@pytest.mark.thorough
def test_regularizers_of_weights_and_activities() -> None:
    def build() -> Any:
        l2 = tf.keras.regularizers.L2(0.25)
        body = [
            layers.Dense(4, activity_regularizer=l2, kernel_regularizer=l2),
            layers.ActivityRegularization(l1=0.125),
        ]
        return tf.keras.Sequential([layers.Input((3,)), *body, layers.Dense(2)])

    history = alike(build, lambda: {"loss": "mse", "metrics": ["mse"]}, X, Y)
    assert history["loss"][0] > history["mse"][0] + 0.1


def test_a_train_step_that_updates_no_metric_reports_what_it_returns() -> None:
    class Plain(tf.keras.Sequential):
        def train_step(self, data: Any) -> Any:
            x, y = data
            loss = tf.reduce_mean(tf.square(self(x) - y))
            return {"loss": loss}

    model = Plain([layers.Dense(2, kernel_initializer="zeros")])
    model.compile("sgd")
    history = model.fit(X, Y, batch_size=ROWS, epochs=2, verbose=0).history
    np.testing.assert_allclose(history["loss"], [np.mean(Y**2)] * 2, rtol=1e-6)
