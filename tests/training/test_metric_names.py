"""`metrics_names`: the names of the numbers that `evaluate` and its siblings return, with TensorFlow's names and order."""

import contextlib
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf

X = np.linspace(0, 1, 32, dtype="float32").reshape(8, 4)
Y = (np.arange(8, dtype="float32") % 2)[:, None]


def _one(**compiled: Any) -> Any:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", **compiled)
    return model


def _two(loss: Any, **compiled: Any) -> Any:
    inputs = keras.Input((4,))
    outputs = {name: keras.layers.Dense(1, name=name)(inputs) for name in "ba"}
    model = keras.Model(inputs, outputs if isinstance(loss, dict) else [outputs["a"], outputs["b"]])
    model.compile("sgd", loss, **compiled)
    return model


class Own(keras.Model):  # type: ignore[misc]
    """A model whose steps report what they like."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(1)
        self.compile("sgd")

    def call(self, x: Any) -> Any:
        return self.dense(x)

    def train_step(self, data: Any) -> Any:
        return self.test_step(data)

    def test_step(self, data: Any) -> Any:
        error = tf.reduce_mean((self(data[0]) - data[1]) ** 2)
        return {"twice": 2 * error, "error": error}


# By model the names after a pass, as TensorFlow 2.15 has them; but those of `own`, where it has none.
MODELS: dict[str, tuple[Callable[[], Any], str]] = {
    "loss alone": (_one, "loss"),
    "metrics": (lambda: _one(metrics=["mae", "accuracy"], weighted_metrics=["mse"]), "loss mae accuracy mse"),
    "two outputs": (
        lambda: _two(["mse", "mae"], metrics=[["mae"], ["mse", "mae"]]),
        "loss a_loss b_loss a_mae b_mse b_mae",
    ),
    "dict": (
        lambda: _two({"a": "mse", "b": "mae"}, metrics={"b": "mae"}, weighted_metrics={"a": "mse", "b": "mse"}),
        "loss a_loss b_loss a_mse b_mae b_mse",
    ),
    "own": (Own, "error twice"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("scope", [contextlib.nullcontext, lambda: tf.distribute.MirroredStrategy(["cpu:0"]).scope()])
@pytest.mark.parametrize("kind", MODELS)
def test_names_are_those_of_the_list(kind: str, scope: Any) -> None:
    make, expected = MODELS[kind]
    with scope():
        model = make()
    y = {"a": Y, "b": Y + 0.5} if kind == "dict" else [Y, Y + 0.5] if kind == "two outputs" else Y
    assert model.metrics_names == ["loss"]  # nothing else is known yet
    model(X)
    for method in (model.evaluate, model.test_on_batch, model.train_on_batch):
        arguments: dict[str, Any] = {"verbose": 0} if method == model.evaluate else {}
        start = model.get_weights()
        numbers = method(X, y, **arguments)
        model.set_weights(start)
        assert model.metrics_names == expected.split()
        model.reset_metrics()
        named = method(X, y, return_dict=True, **arguments)
        assert len(named) == len(np.ravel(numbers))
        assert dict(zip(model.metrics_names, np.ravel(numbers), strict=True)) == pytest.approx(named, rel=1e-5)
        model.reset_metrics()


@pytest.mark.sampled
@pytest.mark.parametrize("scope", [contextlib.nullcontext, lambda: tf.distribute.MirroredStrategy(["cpu:0"]).scope()])
def test_logs_and_histories_have_the_order_of_these_names(scope: Any) -> None:
    """As TensorFlow 2.15 has them: the loss, metrics as they were given, then those of the validation."""
    seen: list[list[str]] = []
    with scope():
        model = _one(metrics=["mse", "accuracy"])
    told = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(list(logs)))
    history = model.fit(X, Y, validation_data=(X, Y), verbose=0, callbacks=[told]).history
    names = ["loss", "mse", "accuracy"]
    assert [list(history), *seen] == [[*names, *(f"val_{name}" for name in names)]] * 2
    for method in (model.evaluate, model.train_on_batch, model.test_on_batch):
        assert list(method(X, Y, return_dict=True)) == names


def test_compiling_again_gives_other_names() -> None:
    model = _one(metrics=["mae"])
    model.evaluate(X, Y, verbose=0)
    model.compile("sgd", "mse", metrics=["accuracy"])
    assert model.metrics_names == ["loss"]
    model.evaluate(X, Y, verbose=0)
    assert model.metrics_names == ["loss", "accuracy"]


def test_equal_metrics_have_different_names() -> None:
    model = _one(metrics=["mae", "mae"], weighted_metrics=["mae", "mae"])
    model.evaluate(X, Y, verbose=0)
    assert model.metrics_names == list(model.get_metrics_result())
