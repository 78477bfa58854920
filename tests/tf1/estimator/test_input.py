"""What an input_fn may return: datasets in test_train, here what iterators of TensorFlow 1 give it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem.estimator import Estimator
from tests.tf1.estimator.models import X, Y, by_hand, data, linear, rows, weight


def of_features_in_a_dict(features: Any, labels: Any, mode: str) -> Any:
    """The linear model of features["x"]."""
    return linear()(features["x"], labels, mode)


def by_method() -> Any:
    return data(batch=2)().make_one_shot_iterator().get_next()


def by_function() -> Any:
    features, labels = tf1.data.make_one_shot_iterator(data(batch=2)()).get_next()
    return [features, labels]


def in_other_places() -> Any:
    rows = tf.data.Dataset.from_tensor_slices({"x": X, "label": Y, "unused": X}).batch(2)
    features = rows.make_one_shot_iterator().get_next()
    labels = features.pop("label")
    return features, labels


def of_two_iterators() -> Any:
    numbers = tf.data.Dataset.from_tensor_slices(X).batch(2)
    labels = tf.data.Dataset.from_tensor_slices(Y).batch(2).repeat()
    return {"x": numbers.make_one_shot_iterator().get_next()}, labels.make_one_shot_iterator().get_next()


@pytest.mark.parametrize(
    ("input_fn", "model_fn"),
    [
        (by_method, linear()),
        (by_function, linear()),
        (in_other_places, of_features_in_a_dict),
        (of_two_iterators, of_features_in_a_dict),
    ],
)
def test_every_step_takes_the_next_element_of_an_iterator(input_fn: Any, model_fn: Any, tmp_path: Path) -> None:
    estimator = Estimator(model_fn, tmp_path)
    estimator.train(input_fn)
    assert int(estimator.get_variable_value("global_step")) == 2
    assert weight(estimator) == pytest.approx(by_hand(rows(batch=2))[0], abs=1e-6)


def test_parts_have_the_shapes_and_types_of_elements(tmp_path: Path) -> None:
    seen: list[Any] = []

    def input_fn() -> Any:
        iterator = data(batch=2)().make_one_shot_iterator()
        features, labels = iterator.get_next()
        seen.extend([features, iterator.element_spec])
        return features, labels

    Estimator(linear(), tmp_path).train(input_fn)
    features, spec = seen
    assert (features.shape.as_list(), features.dtype) == ([None], tf.float32)
    assert spec == (tf.TensorSpec((None,), tf.float32), tf.TensorSpec((None,), tf.float32))
    assert repr(features) == "<part 0 of the next element: float32, shape (None,)>"


def _next(dataset: Any) -> Any:
    return dataset.make_one_shot_iterator().get_next()


def _twice(dataset: Any) -> Any:
    iterator = dataset.make_one_shot_iterator()
    return iterator.get_next(), iterator.get_next()


@pytest.mark.parametrize(
    ("use", "kind", "text"),
    [
        (
            lambda d: (_next(d)[0] / 2, _next(d)[1]),
            TypeError,
            r"float32, shape \(None,\)\) can be returned.*dataset.map",
        ),
        (lambda d: tf.cast(_next(d)[0], tf.int32), TypeError, "can be returned"),
        (lambda d: np.asarray(_next(d)[0]), TypeError, "can be returned"),
        (lambda d: list(_next(d)[0]), TypeError, "can be returned"),
        (lambda d: ({"x": [_next(d)[0]]}, _next(d)[1]), TypeError, "can be returned"),
        (_twice, ValueError, "called twice in one input_fn"),
        (lambda d: d.make_one_shot_iterator(), ValueError, "itself, no iterator"),
        (lambda d: next(iter(d)), RuntimeError, "An input_fn iterates over a tf.data.Dataset"),
    ],
)
def test_what_an_input_fn_cannot_do_is_said(
    use: Callable[[Any], Any], kind: type[Exception], text: str, tmp_path: Path
) -> None:
    with pytest.raises(kind, match=text):
        Estimator(linear(), tmp_path).train(lambda: use(data(batch=2)()))


def test_elsewhere_such_an_iterator_gives_values() -> None:
    iterator = tf1.data.make_one_shot_iterator(data(batch=2)())
    np.testing.assert_array_equal(iterator.get_next()[0], X[:2])
    np.testing.assert_array_equal(iterator.get_next()[0], X[2:])
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()
