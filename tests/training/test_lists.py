"""Python lists of numbers and strings as data: arrays, whose rows are examples, as in TensorFlow."""

import contextlib
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from tests.training.test_strings import Length

SCOPES = [
    pytest.param(contextlib.nullcontext, id="no strategy", marks=pytest.mark.thorough),
    pytest.param(lambda: tf.distribute.MirroredStrategy(["cpu:0"]).scope(), id="mirrored"),
]
NUMBERS = [1.0, 2.0, 3.0] * 30
TEXTS = ["a superb film", "dull"] * 45


def _made(scope: Any, first: Any, *layers: Any) -> Any:
    with scope():
        model = keras.Sequential([first, *layers, keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", "mse")
    return model


class Batches(keras.callbacks.Callback):  # type: ignore[misc]
    """Counts batches."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = 0

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self.seen += 1

    on_train_batch_end = on_test_batch_end = on_predict_batch_end


def _same(model: Any, x: Any, y: list[Any]) -> None:
    """Asserts that every method does with lists what it does with their arrays, in as many batches."""
    start, results = model.get_weights(), []
    for as_given in (lambda given: given, np.array):
        a, b, counts = as_given(x), as_given(y), Batches()
        options: dict[str, Any] = {"verbose": 0, "callbacks": [counts]}
        found = [model.predict(a, **options), model.evaluate(a, b, **options)]
        history = model.fit(
            a, b, shuffle=False, validation_data=(a, b), sample_weight=as_given([0.5, 1.0] * 45), **options
        ).history
        found += [*history["loss"], *history["val_loss"], *model.get_weights()]
        found += [model.predict_on_batch(a), model.test_on_batch(a, b), model.train_on_batch(a, b)]
        model.set_weights(start)
        assert counts.seen == 12  # four passes of 90 examples
        results.append(found)
    for of_lists, of_arrays in zip(*results, strict=True):
        np.testing.assert_allclose(of_lists, of_arrays, rtol=1e-5)


@pytest.mark.parametrize("scope", SCOPES)
def test_lists_of_numbers_are_arrays(scope: Any) -> None:
    _same(_made(scope, keras.Input((1,))), NUMBERS, NUMBERS)
    _same(_made(scope, keras.Input((2,))), [(1.0, 2.0), [3, 4.0], [5.0, 6.0]] * 30, [[n] for n in NUMBERS])


@pytest.mark.parametrize("scope", SCOPES)
def test_lists_of_strings_are_arrays(scope: Any) -> None:
    model = _made(scope, keras.Input((1,), dtype="string"), Length())
    _same(model, [[text] for text in TEXTS], NUMBERS)
    assert model.predict(TEXTS[:3], verbose=0).shape == (3, 1)
    assert len(model.fit(TEXTS, NUMBERS, validation_split=0.2, verbose=0).history["val_loss"]) == 1


@pytest.mark.parametrize("scope", SCOPES)
def test_lists_of_arrays_are_inputs(scope: Any) -> None:
    with scope():
        inputs = [keras.Input((1,)), keras.Input((1,))]
        model = keras.Model(inputs, keras.layers.add(inputs))
    columns = [np.ones((3, 1), "float32"), np.arange(3, dtype="float32")[:, None]]
    np.testing.assert_array_equal(model.predict(columns, verbose=0), columns[0] + columns[1])


def test_a_list_with_entries_that_are_no_strings_is_refused() -> None:
    with pytest.raises(TypeError, match="entries that are no strings"):
        _made(contextlib.nullcontext, keras.Input((1,), dtype="string"), Length()).predict(["a", 1], verbose=0)
