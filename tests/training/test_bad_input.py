"""What cannot be trained is told at once, and in words that say what to do."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import ContextError, MixedStrategiesError
from stratagem.testing import STRATEGIES
from tests.training.small import BATCH, ROWS, X, Y, kernel, linear, shared

layers = tf.keras.layers


def dataset() -> Any:
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH)


def once() -> Iterator[Any]:
    yield X, Y


LABELS = np.zeros((ROWS, 1), "float32")

# What is called on a model, the error and what it says.
CALLS: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "no data": (lambda m: m.fit(), TypeError, "None"),
    "a name of a file": (lambda m: m.fit("rows.csv"), TypeError, "'rows.csv'"),
    "no examples": (lambda m: m.fit(X[:0], Y[:0]), ValueError, "no examples"),
    "no batches": (lambda m: m.fit(dataset().take(0)), ValueError, "no batches"),
    "an empty generator": (lambda m: m.fit(iter([])), ValueError, "no batches"),
    "validation without examples": (lambda m: m.fit(X, Y, validation_data=(X[:0], Y[:0])), ValueError, "no examples"),
    "nothing to evaluate": (lambda m: m.evaluate(dataset().take(0)), ValueError, "no batches"),
    "nothing to predict": (lambda m: m.predict(X[:0]), ValueError, "no examples"),
    "an empty batch": (lambda m: m.train_on_batch(X[:0], Y[:0]), ValueError, "no examples"),
    "no targets": (lambda m: m.fit(X), ValueError, "no targets"),
    "elements without targets": (
        lambda m: m.fit(tf.data.Dataset.from_tensor_slices(X).batch(4)),
        ValueError,
        "no targets",
    ),
    "lengths": (lambda m: m.fit(X, Y[:7]), ValueError, "x: 10, y: 7"),
    "lengths of weights": (lambda m: m.evaluate(X, Y, sample_weight=np.ones(3)), ValueError, "sample_weight: 3"),
    "lengths of a batch": (lambda m: m.test_on_batch(X, Y[:7]), ValueError, "x: 10, y: 7"),
    "weights of nothing": (lambda m: m.fit(X, sample_weight=np.ones(ROWS)), ValueError, "without `y`"),
    "width": (lambda m: m.fit(np.zeros((4, 3)), Y[:4]), ValueError, r"layer 'dense\w*' is incompatible.*\(2, 3\)"),
    "a single number": (lambda m: m.fit(X, 5), TypeError, "5"),
    "text": (lambda m: m.fit(np.array([["a", "b"]] * ROWS), Y), TypeError, "no input of strings"),
    "batch size 0": (lambda m: m.fit(X, Y, batch_size=0), ValueError, "batch_size .* got 0"),
    "half a batch": (lambda m: m.predict(X, batch_size=2.5), ValueError, "batch_size .* got 2.5"),
    "validation batch size 0": (
        lambda m: m.fit(X, Y, validation_data=(X, Y), validation_batch_size=0),
        ValueError,
        "batch_size .* got 0",
    ),
    "no steps": (lambda m: m.fit(X, Y, steps_per_epoch=0), ValueError, "steps .* got 0"),
    "without end": (lambda m: m.fit(dataset().repeat()), ValueError, "`steps_per_epoch`"),
    "evaluation without end": (lambda m: m.evaluate(dataset().repeat()), ValueError, "`steps`"),
    "creator without steps": (
        lambda m: m.fit(tf.keras.utils.experimental.DatasetCreator(lambda context: dataset())),
        ValueError,
        "`steps_per_epoch`",
    ),
    "targets twice": (lambda m: m.fit(dataset(), Y), ValueError, "`y` must not be given"),
    "batches twice": (lambda m: m.fit(dataset(), batch_size=2), ValueError, "`batch_size` must not be given"),
    "a dataset is not split": (lambda m: m.fit(dataset(), validation_split=0.5), ValueError, "validation_split"),
    "more than all for validation": (
        lambda m: m.fit(X, Y, validation_split=1.5),
        ValueError,
        "validation_split .* 1.5",
    ),
    "validation never": (
        lambda m: m.fit(X, Y, validation_data=(X, Y), validation_freq=0),
        ValueError,
        "validation_freq .* got 0",
    ),
    "both weights": (
        lambda m: m.fit(X, Y, class_weight={0: 1.0}, sample_weight=np.ones(ROWS)),
        ValueError,
        "`class_weight` or `sample_weight`",
    ),
    "classes of what": (lambda m: m.fit(X, class_weight={0: 1.0}), ValueError, "one array of targets"),
    "classes of several": (lambda m: m.fit(X, {"a": Y}, class_weight={0: 1.0}), ValueError, "one array of targets"),
    "classes of elements with weights": (
        lambda m: m.fit(dataset().map(lambda x, y: (x, y, y)), class_weight={0: 1.0}),
        ValueError,
        r"pairs \(x, y\)",
    ),
    "examples for batches": (
        lambda m: m.fit(tf.data.Dataset.from_tensor_slices((X[:, 0], Y[:, 0]))),
        ValueError,
        r"\.batch\(",
    ),
    "four parts": (lambda m: m.fit(dataset().map(lambda x, y: (x, y, y, y))), ValueError, r"\(x, y, sample_weight\)"),
}


@pytest.mark.parametrize("name", CALLS)
def test_it_is_told_before_anything_is_trained(name: str) -> None:
    call, error, text = CALLS[name]
    model = shared()
    with pytest.raises(error, match=f"(?s){text}"):
        call(model)
    assert not kernel(model).any()
    model.train_on_batch(X, Y)  # it can still be trained
    assert kernel(model).all()


@pytest.mark.parametrize("method", ["fit", "evaluate", "train_on_batch", "test_on_batch"])
def test_a_model_that_is_not_compiled(method: str) -> None:
    with shared().distribute_strategy.scope():
        model = tf.keras.Sequential([layers.Dense(1)])
    with pytest.raises(ValueError, match=r"compile\(\)"):
        getattr(model, method)(X, Y)


# --- Data that ends ----------------------------------------------------------------------------------------------------


def test_data_that_ends_early_ends_the_training() -> None:
    model = shared()
    with pytest.warns(UserWarning, match=r"epoch 2 of 3: 1 of 2 steps .*steps_per_epoch \* epochs"):
        history = model.fit(dataset(), steps_per_epoch=2, epochs=3, verbose=0).history
    assert len(history["loss"]) == 2


@pytest.mark.parametrize("method", ["evaluate", "predict"])
def test_data_that_ends_early_is_evaluated_as_far_as_it_goes(method: str) -> None:
    model = shared()
    with pytest.warns(UserWarning, match="3 of 5 steps"):
        found = getattr(model, method)(dataset(), steps=5, verbose=0)
    np.testing.assert_allclose(found, getattr(model, method)(dataset(), verbose=0))


def test_a_generator_has_one_epoch() -> None:
    with pytest.warns(UserWarning, match="epoch 2 of 3: 0 steps"):
        history = shared().fit(once(), epochs=3, verbose=0).history
    assert len(history["loss"]) == 1


# --- Steps of the user's -----------------------------------------------------------------------------------------------


def with_step(train_step: Callable[..., Any]) -> Any:
    """A model with this method."""
    with shared().distribute_strategy.scope():
        model = type("Own", (tf.keras.Sequential,), {"train_step": train_step})([layers.Input((2,)), layers.Dense(1)])
        model.compile("sgd", "mse")
    return model


def test_a_step_in_the_form_of_keras_jax_trainer() -> None:
    def train_step(self: Any, state: Any, data: Any) -> Any:
        return {}, state

    with pytest.raises(TypeError, match=r"train_step\(self, state, data\).*def train_step\(self, data\).*GradientTape"):
        with_step(train_step).fit(X, Y)


def test_a_step_without_logs() -> None:
    with pytest.raises(TypeError, match=r"train_step must return a dict.*NoneType"):
        with_step(lambda self, data: None).fit(X, Y)


def test_a_step_that_raises() -> None:
    def train_step(self: Any, data: Any) -> Any:
        raise KeyError("a bug")

    with pytest.raises(KeyError, match="a bug"):
        with_step(train_step).fit(X, Y)


def test_a_model_that_decides_on_values() -> None:
    class Decides(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.inner = layers.Dense(1)

        def call(self, x: Any) -> Any:
            return self.inner(x) if tf.reduce_sum(x).numpy() > 0 else x

    with shared().distribute_strategy.scope():
        model = Decides()
        model.compile("sgd", "mse")
    with pytest.raises(TypeError, match=r"tf\.cond"):
        model.fit(X, Y, verbose=0)


# --- NaN ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", [0, 7])
def test_a_nan_on_one_replica_is_the_loss_of_all(where: int) -> None:
    model, y = linear("mirrored 8"), Y[:8].copy()
    y[where] = np.nan
    history = model.fit(
        X[:8], y, batch_size=8, epochs=3, verbose=0, callbacks=[tf.keras.callbacks.TerminateOnNaN()]
    ).history
    assert np.isnan(history["loss"]).tolist() == [True]


# --- Scopes ------------------------------------------------------------------------------------------------------------


def test_a_model_from_outside_in_a_scope() -> None:
    model = tf.keras.Sequential([layers.Input((2,)), layers.Dense(1)])
    model.compile("sgd", "mse")
    with (
        shared().distribute_strategy.scope(),
        pytest.raises(MixedStrategiesError, match="outside of any strategy's scope"),
    ):
        model.fit(X, Y)


def test_a_model_in_the_scope_of_another_strategy() -> None:
    with STRATEGIES["mirrored 4"]().scope(), pytest.raises(MixedStrategiesError, match=r"4 replica.* 2 replica"):
        shared().fit(X, Y)


def _built_optimizer() -> Any:
    return {"optimizer": tf.keras.optimizers.SGD()}


def _metric() -> Any:
    return {"metrics": [tf.keras.metrics.MeanSquaredError()]}


@pytest.mark.parametrize("part", [_built_optimizer, _metric])
def test_a_part_of_another_strategy(part: Callable[[], Any]) -> None:
    with STRATEGIES["mirrored 4"]().scope():
        compiled = part()
    with pytest.raises(MixedStrategiesError, match=r"4 replica.* 2 replica"):
        linear(**compiled).fit(X, Y, verbose=0)


def test_a_layer_of_another_strategy() -> None:
    with STRATEGIES["mirrored 4"]().scope():
        layer = layers.Dense(1)
        layer.build((None, 2))
    with shared().distribute_strategy.scope():
        model = tf.keras.Sequential([layers.Input((2,)), layer])
        model.compile("sgd", "mse")
    with pytest.raises(MixedStrategiesError, match=r"dense.*kernel was created under"):
        model.fit(X, Y)


def test_an_optimizer_that_was_built_outside() -> None:
    model, optimizer = linear(), tf.keras.optimizers.SGD(momentum=0.5)
    optimizer.build(model.trainable_variables)
    model.compile(optimizer, "mse")
    with pytest.raises(ContextError, match=r"momentum.*within strategy\.scope"):
        model.fit(X, Y, verbose=0)


def test_a_metric_from_outside_counts_all_rows() -> None:
    metric = tf.keras.metrics.MeanSquaredError(name="outside")
    history = linear(metrics=[metric]).fit(X, Y, batch_size=BATCH, verbose=0).history
    assert history["outside"] == pytest.approx(history["loss"])


def test_data_that_another_strategy_distributed() -> None:
    distributed = STRATEGIES["mirrored 4"]().experimental_distribute_dataset(dataset())
    with pytest.raises(MixedStrategiesError, match="4 device"):
        shared().fit(distributed, verbose=0)


@pytest.mark.parametrize("method", ["fit", "train_on_batch", "predict"])
def test_within_a_replica(method: str) -> None:
    model = shared()
    with pytest.raises(ContextError, match=f"{method} of model .* outside of strategy.run"):
        model.distribute_strategy.run(lambda: getattr(model, method)(X))
