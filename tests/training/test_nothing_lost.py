"""A model is as it was after a call that raised, of `fit`, `evaluate` or `predict`, or of what loads it: it trains on."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES

layers = tf.keras.layers
X, Y = np.ones((4, 3), "float32"), np.ones((4, 1), "float32")


@tf.keras.utils.register_keras_serializable("nothing lost")
class Failing(layers.Layer):
    """Raises while it is traced, when it is told to."""

    is_told = False

    def call(self, x: Any) -> Any:
        if Failing.is_told:
            raise ValueError("asked to fail")
        return x


@pytest.fixture
def failing() -> Iterator[Callable[[bool], None]]:
    yield lambda told: setattr(Failing, "is_told", told)
    Failing.is_told = False


def _model(**compiled: Any) -> Any:
    found = [tf.keras.Input((3,)), layers.Dense(2), Failing(), layers.BatchNormalization(), layers.Dense(1)]
    made = tf.keras.Sequential(found)
    made.compile(**{"optimizer": tf.keras.optimizers.Adam(0.125), "loss": "mse", **compiled})
    return made


def _batches(count: int, *, labels: bool = True) -> Iterator[Any]:
    for _ in range(count):
        yield (X, Y) if labels else (X,)
    raise ValueError("asked to fail")


def _values(model: Any) -> list[np.ndarray]:
    return [np.asarray(each) for each in (*model.variables, *model.optimizer.variables)]


CALLS: dict[str, Callable[[Any], Any]] = {
    "fit": lambda model: model.fit(X, Y, verbose=0),
    "evaluate": lambda model: model.evaluate(X, Y, verbose=0),
    "predict": lambda model: model.predict(X, verbose=0),
    "train_on_batch": lambda model: model.train_on_batch(X, Y),
    "test_on_batch": lambda model: model.test_on_batch(X, Y),
    "predict_on_batch": lambda model: model.predict_on_batch(X),
    "fit of no data": lambda model: model.fit(_batches(0), steps_per_epoch=5, shuffle=False, verbose=0),
    "evaluate of data that end": lambda model: model.evaluate(_batches(2), steps=5, verbose=0),
    "predict of data that end": lambda model: model.predict(_batches(2, labels=False), steps=5, verbose=0),
}


@pytest.mark.sampled
@pytest.mark.parametrize("call", CALLS)
def test_a_model_has_its_values_whatever_ends_a_call(call: str, failing: Callable[[bool], None]) -> None:
    model = _model()
    model.optimizer.build(model.trainable_variables)
    before = _values(model)
    failing(True)
    with pytest.raises((ValueError, RuntimeError), match="asked to fail"):
        CALLS[call](model)
    failing(False)
    for was, found in zip(before, _values(model), strict=True):
        np.testing.assert_array_equal(found, was)
    model.make_train_function(force=True)
    model.fit(X, Y, verbose=0)
    assert model.predict(X, verbose=0).shape == (4, 1)


def test_what_a_fit_has_trained_stays_when_its_data_fail() -> None:
    trained, model = _model(), _model()
    model.set_weights(trained.get_weights())
    trained.fit(np.tile(X, (2, 1)), np.tile(Y, (2, 1)), batch_size=4, shuffle=False, verbose=0)
    with pytest.raises(ValueError, match="asked to fail"):
        model.fit(_batches(2), steps_per_epoch=5, shuffle=False, verbose=0)
    for wanted, found in zip(trained.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_failed_batch_takes_nothing_back_that_was_set_before_it(failing: Callable[[bool], None]) -> None:
    model = _model()
    model.train_on_batch(X, Y)
    wanted = [np.full_like(each, 0.5) for each in model.get_weights()]
    model.set_weights(wanted)
    model.make_train_function(force=True)
    failing(True)
    with pytest.raises(ValueError, match="asked to fail"):
        model.train_on_batch(X, Y)
    for value, found in zip(wanted, model.get_weights(), strict=True):
        np.testing.assert_array_equal(found, value)


def test_what_was_trained_before_a_callback_raised_stays() -> None:
    trained, model = _model(), _model()
    model.set_weights(trained.get_weights())
    trained.fit(X, Y, verbose=0)

    class Raising(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            raise ValueError("asked to fail")

    with pytest.raises(ValueError, match="asked to fail"):
        model.fit(X, Y, callbacks=[Raising()], epochs=2, verbose=0)
    for wanted, found in zip(trained.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    model.fit(X, Y, verbose=0)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["w.weights.h5", "w.h5", "unnamed", "m.keras", "folder", "ckpt"])
@pytest.mark.parametrize("strategy", ["default", "mirrored 2"])
def test_weights_that_do_not_fit_change_nothing(strategy: str, name: str, tmp_path: Path) -> None:
    """Not in the layers before the one that does not fit, either, nor in the optimizer; and training goes on."""
    with STRATEGIES[strategy]().scope():
        other = tf.keras.Sequential(
            [tf.keras.Input((3,)), layers.Dense(2), layers.BatchNormalization(), layers.Dense(2)]
        )
        model = tf.keras.Sequential(
            [tf.keras.Input((3,)), layers.Dense(2), layers.BatchNormalization(), layers.Dense(1)]
        )
        for each in (other, model):
            each.compile(tf.keras.optimizers.Adam(0.125), "mse")
            each.optimizer.build(each.trainable_variables)
    path = tmp_path / name
    if name in ("m.keras", "folder"):
        other.save(path)
    else:
        other.save_weights(path, **({"save_format": "h5"} if name == "unnamed" else {}))
    before = _values(model)
    with pytest.raises(ValueError, match=r"shape|compatible|loaded"):
        model.load_weights(path)
    for was, found in zip(before, _values(model), strict=True):
        np.testing.assert_array_equal(found, was)
    model.fit(X, Y, verbose=0)
    model.save_weights(tmp_path / "again.weights.h5")


def test_variables_that_share_an_array_are_trained() -> None:
    tf.keras.utils.set_random_seed(0)  # Adam's first steps are signs, which may be the same for both kernels
    model = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(3), layers.Dense(3)])
    model.compile(tf.keras.optimizers.Adam(0.125, use_ema=True), "mse")
    model.layers[1].kernel.assign(model.layers[0].kernel)
    model.fit(X, np.ones((4, 3), "float32"), verbose=0)
    assert not np.array_equal(*(np.asarray(each.kernel) for each in model.layers))
