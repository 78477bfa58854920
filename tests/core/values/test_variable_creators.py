"""`tf.variable_creator_scope`: who is asked before a variable is made, in which order, and what becomes of the answers.

What TensorFlow 2.15.1 does is written beside the assertions that were compared with it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf

Creator = Callable[..., Any]


class Log:
    """Creators that note who asked for which variable, and hand on the arguments."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def creator(self, tag: str) -> Creator:
        def create(next_creator: Creator, **kwargs: Any) -> Any:
            self.calls.append((tag, kwargs))
            return next_creator(**kwargs)

        return create

    def noted(self, *names: str) -> list[Any]:
        """The calls since the last question: their tags, and these arguments."""
        found = [(tag, *(kwargs[name] for name in names)) for tag, kwargs in self.calls]
        self.calls.clear()
        return found


def changing(**changes: Any) -> Creator:
    return lambda next_creator, **kwargs: next_creator(**kwargs | changes)


def test_creators_are_asked_from_the_innermost_to_the_outermost() -> None:
    log = Log()
    with tf.variable_creator_scope(log.creator("outer")), tf.variable_creator_scope(log.creator("inner")):
        variable = tf.Variable(1.5, name="v")
    assert log.noted("initial_value", "name", "trainable", "shape") == [
        ("inner", 1.5, "v", None, None), ("outer", 1.5, "v", None, None)
    ]  # fmt: skip
    assert type(variable) is tf.Variable
    assert (variable.numpy(), variable.name) == (1.5, "v:0")
    tf.Variable(1.0)
    assert log.noted() == []


def test_a_layer_a_metric_and_an_optimizer_ask_too() -> None:
    log = Log()
    with tf.variable_creator_scope(log.creator("a")):
        layer = tf.keras.layers.Dense(2)
        layer.build((None, 3))
        assert log.noted("name", "trainable", "dtype", "shape") == [
            ("a", "kernel", True, tf.float32, [3, 2]), ("a", "bias", True, tf.float32, [2])
        ]  # fmt: skip
        tf.keras.metrics.Mean()
        expected = (False, tf.VariableSynchronization.ON_READ, tf.VariableAggregation.SUM)
        assert log.noted("name", "trainable", "synchronization", "aggregation") == [
            ("a", "total", *expected), ("a", "count", *expected)
        ]  # fmt: skip
        tf.keras.layers.Dropout(0.5, seed=1)(np.ones((2, 2)), training=True)
        assert log.noted() == []
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
        optimizer.build(layer.trainable_variables)
    assert {name for _, name in log.noted("name")} >= {"iteration", "learning_rate"}
    assert layer(np.ones((1, 3), np.float32)).shape == (1, 2)


def test_what_a_creator_changes_is_made() -> None:
    with tf.variable_creator_scope(changing(initial_value=7.0, trainable=False, name="changed")):
        variable = tf.Variable(1.0)
        with pytest.raises(ValueError, match=r"initial value's shape \(\(\)\) is not compatible"):
            tf.keras.layers.Dense(1).build((None, 1))
    assert (variable.numpy(), variable.trainable, variable.name) == (7.0, False, "changed:0")
    with tf.variable_creator_scope(changing(initial_value=lambda: np.full((1, 1), 3.0), trainable=False)):
        layer = tf.keras.layers.Dense(1, use_bias=False)
        layer.build((None, 1))
    assert (layer.kernel.numpy().tolist(), layer.kernel.trainable, layer.kernel.dtype) == ([[3.0]], False, "float32")


def test_a_creator_may_give_another_object_or_another_variable() -> None:
    existing = tf.Variable(2.0)
    with tf.variable_creator_scope(lambda next_creator, **kwargs: 5):
        assert tf.Variable(1.0) == 5
    with tf.variable_creator_scope(lambda next_creator, **kwargs: existing):
        assert tf.Variable(1.0) is existing
    assert existing.numpy() == 2.0


@pytest.mark.parametrize("outside", [True, False], ids=["scope of creators outside", "scope of the strategy outside"])
def test_under_a_strategy_the_variable_is_the_strategys(outside: bool) -> None:
    log, strategy = Log(), tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    scopes = [tf.variable_creator_scope(log.creator("a")), strategy.scope()]
    first, second = scopes if outside else reversed(scopes)
    with first, second:
        variable = tf.Variable(2.0)
        layer = tf.keras.layers.Dense(1, use_bias=False)
        layer.build((None, 1))
    assert log.noted("name") == [
        ("a", None),
        ("a", "kernel"),
    ]  # TensorFlow: with the scope outside, once for every replica
    assert strategy.extended.variable_created_in_scope(variable)
    assert strategy.extended.variable_created_in_scope(layer.kernel)
    assert [v.numpy() for v in variable.values] == [2.0, 2.0]


def test_a_functions_variables_are_asked_for() -> None:
    log, made = Log(), []

    @tf.function
    def step() -> Any:
        with tf.variable_creator_scope(log.creator("inside")):
            if not made:
                made.append(tf.Variable(3.0))
        return made[0] + 1.0

    with tf.variable_creator_scope(log.creator("outside")):
        assert step().numpy() == 4.0
    assert [tag for (tag,) in log.noted()] == ["inside", "outside"]
    assert step().numpy() == 4.0
    assert log.noted() == []


def test_tensorflow_1_has_it_too_and_what_it_hands_on_is_accepted() -> None:
    with tf.compat.v1.variable_creator_scope(changing(use_resource=True, collections=None, initial_value=4)):
        assert tf.compat.v1.Variable(1).numpy() == 4
    with tf.variable_creator_scope(changing(place=1)), pytest.raises(TypeError, match="place"):
        tf.Variable(1.0)


@pytest.mark.parametrize("kind", [tf.Variable, tf.keras.Variable])
def test_first_values_are_drawn_as_without_creators(kind: Any) -> None:
    def drawn(shape: Any = (3,), dtype: Any = None) -> Any:
        return tf.random.normal((3,), seed=8)

    def other(next_creator: Any, **kwargs: Any) -> Any:
        return next_creator(**kwargs | {"initial_value": drawn})

    tf.random.set_seed(1)
    expected = np.asarray(tf.Variable(drawn))
    tf.random.set_seed(1)
    with tf.variable_creator_scope(other):
        made = kind(lambda *_, **__: tf.zeros(3), **({} if kind is tf.Variable else {"shape": (3,)}))
    np.testing.assert_array_equal(made, expected)
