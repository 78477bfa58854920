"""Losses and metrics in every form that `compile` takes: on eight replicas what they are on one device."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests.trainer.training import distance

losses, metrics, layers = tf.keras.losses, tf.keras.metrics, tf.keras.layers
ROWS, BATCH = 11, 8  # the second batch has 3 rows
X = np.random.default_rng(0).normal(size=(ROWS, 3))
Y = np.random.default_rng(1).normal(size=(ROWS, 2))
WEIGHTS = np.linspace(0, 2, ROWS)


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
    "sum over batch size": lambda: losses.MeanSquaredError(reduction="sum_over_batch_size"),
    "mean with sample weight": lambda: losses.MeanSquaredError(reduction="mean_with_sample_weight"),
    "function an example": lambda: per_example,
    "function of scalars": lambda: scalar,
    "own class": Own,
    "own class, sum": lambda: Own(reduction="sum"),
}


def trained(strategy: str, compiled: dict[str, Any], **data: Any) -> list[Any]:
    """History, an evaluation and weights, in float64."""
    tf.keras.utils.set_random_seed(0)
    with STRATEGIES[strategy]().scope():
        model = tf.keras.Sequential([layers.Input((3,), dtype="float64"), layers.Dense(2, dtype="float64")])
        model.compile(tf.keras.optimizers.SGD(0.125), **compiled)
    pairs = tf.data.Dataset.from_tensor_slices(data.pop("arrays")).batch(BATCH)  # arrays would become float32
    fit = model.fit(pairs, verbose=0, **data).history
    return [fit, model.evaluate(pairs, verbose=0, return_dict=True), model.get_weights()]


@pytest.fixture(autouse=True)
def in_float64() -> Any:
    before = tf.keras.config.floatx()
    tf.keras.config.set_floatx("float64")
    yield
    tf.keras.config.set_floatx(before)


@pytest.mark.parametrize("arrays", [(X, Y), (X, Y, WEIGHTS)], ids=["plain", "weighted"])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_loss_of_eight_replicas_is_that_of_one(loss: str, arrays: Any) -> None:
    compiled = {"loss": LOSSES[loss](), "weighted_metrics": ["mse"]}
    one = trained("one device", compiled, arrays=arrays)
    many = trained("mirrored 8", {**compiled, "loss": LOSSES[loss]()}, arrays=arrays)
    assert distance(many, one) <= 1e-12
    assert np.abs(one[-1][1]).min() > 0  # it learned: biases start at 0


def test_metrics_in_every_form() -> None:
    def largest(y: Any, y_pred: Any) -> Any:
        return tf.reduce_max(tf.abs(y - y_pred), axis=-1)

    def compiled() -> dict[str, Any]:
        found = ["mse", metrics.RootMeanSquaredError(name="rmse"), metrics.R2Score(name="r2"), largest]
        weighted = ["mae", metrics.MeanMetricWrapper(largest, name="weighted")]
        return {"loss": "mse", "metrics": found, "weighted_metrics": weighted}

    one, many = (trained(name, compiled(), arrays=(X, Y, WEIGHTS)) for name in ("one device", "mirrored 8"))
    assert set(one[0]) == {"loss", "mse", "rmse", "r2", "largest", "mae", "weighted"}
    assert distance(many, one) <= 1e-9


def test_accuracy_is_of_the_form_that_the_targets_have() -> None:
    labels = np.arange(ROWS) % 2
    one, many = (
        trained(name, {"loss": "mse", "metrics": ["accuracy"]}, arrays=(X, np.eye(2)[labels]))
        for name in ("one device", "mirrored 8")
    )
    assert distance(many, one) <= 1e-12
    assert (many[0]["accuracy"][0] * ROWS) % 1 == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_outputs_with_losses_of_their_own(weighted: bool) -> None:
    def results(strategy: str) -> list[Any]:
        tf.keras.utils.set_random_seed(0)
        with STRATEGIES[strategy]().scope():
            x = layers.Input((3,), dtype="float64")
            outputs = {"a": layers.Dense(2, dtype="float64", name="a")(x), "b": layers.Dense(1, dtype="float64", name="b")(x)}
            model = tf.keras.Model(x, outputs)
            loss = {"a": losses.Huber(), "b": losses.MeanSquaredError(reduction="sum")}
            model.compile("sgd", loss, loss_weights={"a": 2.0, "b": 0.25}, metrics={"b": "mae"})
        y = {"a": Y, "b": Y[:, :1]}
        given = (X, y, {"a": WEIGHTS, "b": WEIGHTS[::-1].copy()}) if weighted else (X, y)
        data = tf.data.Dataset.from_tensor_slices(given).batch(BATCH)
        return [model.fit(data, verbose=0).history, model.evaluate(data, verbose=0), model.get_weights()]

    one, many = results("one device"), results("mirrored 8")
    assert {"a_loss", "b_loss", "b_mae"} <= set(one[0])
    assert distance(many, one) <= 1e-12


def test_outputs_without_a_loss() -> None:
    def results(strategy: str) -> list[Any]:
        tf.keras.utils.set_random_seed(0)
        with STRATEGIES[strategy]().scope():
            x = layers.Input((3,))
            model = tf.keras.Model(x, [layers.Dense(2, name="a")(x), layers.Dense(1, name="b")(x)])
            model.compile("sgd", ["mse", None])
        return [model.fit(X, [Y, Y[:, :1]], batch_size=BATCH, shuffle=False, verbose=0).history, model.get_weights()]

    assert distance(results("mirrored 8"), results("one device")) <= 1e-9


def test_a_mask_counts_valid_entries_of_the_whole_batch() -> None:
    x = np.array([[1, 2, 3], [1, 0, 0], [0, 0, 0], [2, 2, 0], [3, 0, 0]])  # three replicas have a row with fewer
    y = np.random.default_rng(0).normal(size=(5, 3, 1))

    def results(strategy: str, reduction: str) -> list[Any]:
        tf.keras.utils.set_random_seed(0)
        with STRATEGIES[strategy]().scope():
            model = tf.keras.Sequential([layers.Input((3,), dtype="int32"), layers.Embedding(4, 2, mask_zero=True), layers.Dense(1)])
            model.compile("sgd", losses.MeanSquaredError(reduction=reduction), metrics=["mae"], weighted_metrics=["mse"])
        found = model.fit(x, y, batch_size=5, shuffle=False, verbose=0).history
        return [found, model.evaluate(x, y, verbose=0), model.get_weights()]

    for reduction in ("sum_over_batch_size", "sum", "mean_with_sample_weight"):
        assert distance(results("mirrored 4", reduction), results("one device", reduction)) <= 1e-12


def test_regularizers_of_activities() -> None:
    def results(strategy: str) -> list[Any]:
        tf.keras.utils.set_random_seed(0)
        with STRATEGIES[strategy]().scope():
            model = tf.keras.Sequential(
                [
                    layers.Input((3,)),
                    layers.Dense(4, activity_regularizer=tf.keras.regularizers.L2(0.25), kernel_regularizer="l2"),
                    layers.ActivityRegularization(l1=0.125),
                    layers.Dense(2),
                ]
            )
            model.compile("sgd", "mse")
        history = model.fit(X, Y, batch_size=BATCH, shuffle=False, verbose=0).history
        return [history, model.evaluate(X, Y, verbose=0), model.get_weights()]

    assert distance(results("mirrored 8"), results("one device")) <= 1e-12
