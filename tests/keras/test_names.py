"""Names that TensorFlow's Keras objects have: setting one works as there, or is an error; nothing is taken and forgotten."""

import contextlib
import inspect
import json
from itertools import product
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests.keras import constructors
from tests.servers.remote.serving import serving
from tests.thorough import thorough_but

RECORDED = json.loads((Path(__file__).parent / "recorded" / "names.json").read_text())
# Set, they change nothing in TensorFlow either.
INERT = {
    "history": "of a model: `fit` sets it",
    "jit_compile": "of an optimizer: XLA compiles everything here",
    "stateful": "of a layer that has no state between batches",
    "built": "of a metric, which is built when it is made",
}
# Layers of text are not in Keras without TensorFlow.
WITHOUT = ("HashedCrossing", "Hashing", "IntegerLookup", "StringLookup", "TextVectorization")


def cases() -> list[tuple[str, str]]:
    return [
        (namespace, name)
        for namespace, classes in RECORDED.items()
        for name in classes
        if name not in ("*", *WITHOUT) and hasattr(getattr(keras, namespace), name)
    ]


def made(namespace: str, name: str) -> Any:
    if namespace == "models":
        return constructors.model(keras.layers, keras.Model)
    return constructors.make(keras.layers, keras.optimizers, getattr(getattr(keras, namespace), name))


@pytest.mark.parametrize(("namespace", "name"), cases())
def test_setting_a_name_that_only_tensorflow_has_is_an_error(namespace: str, name: str) -> None:
    thing = made(namespace, name)
    known = {*RECORDED[namespace]["*"], *RECORDED[namespace][name]}
    missing = [a for a in sorted(known - set(INERT)) if not has(thing, a)]
    taken = []
    for attribute in missing:
        with contextlib.suppress(AttributeError):
            setattr(thing, attribute, 1)
            taken.append(attribute)
    assert taken == []


def has(thing: Any, attribute: str) -> bool:
    """True for what Keras 3 has, too (also where it has no value yet: the output of a layer that was never called)."""
    return hasattr(thing, attribute) or isinstance(inspect.getattr_static(type(thing), attribute, None), property)


def test_the_list_is_one_of_many_classes() -> None:
    assert len(cases()) > 200
    assert "lr" in RECORDED["optimizers"]["*"]
    assert {"updates", "dynamic"} <= set(RECORDED["layers"]["*"])


def test_what_a_users_class_calls_its_own_is_left_alone() -> None:
    class Mine(keras.layers.Layer):
        updates = 3

        def __init__(self) -> None:
            super().__init__()
            self.input_shape, self.dynamic = (3,), True

    layer = Mine()
    assert (layer.input_shape, layer.dynamic, layer.updates) == ((3,), True, 3)
    del layer.dynamic
    assert not hasattr(layer, "dynamic")


# --- Optimizers -------------------------------------------------------------------------------------------------------


def test_lr_is_the_learning_rate() -> None:
    optimizer = keras.optimizers.Adam(0.5)
    optimizer.lr = 0.25
    assert float(optimizer.learning_rate) == float(optimizer.lr.numpy()) == 0.25
    optimizer.lr.assign(0.125)
    assert float(optimizer.learning_rate) == 0.125
    scaled = keras.optimizers.LossScaleOptimizer(optimizer)
    scaled.lr = 1.0
    assert float(optimizer.learning_rate) == 1.0
    with pytest.raises(TypeError, match="learning rate is not settable"):
        keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)).lr = 0.1
    with pytest.raises(AttributeError, match="InverseTimeDecay"):
        optimizer.decay = 0.1


def test_alpha_is_the_negative_slope() -> None:
    layer = keras.layers.LeakyReLU(0.5)
    layer.alpha = 0.25
    assert np.asarray(layer(np.array([-4.0], "float32"))).tolist() == [-1.0]


def test_an_optimizer_counts_in_another_variable() -> None:
    step, v = tf.Variable(7, dtype=tf.int64), tf.Variable(1.0)
    optimizer = keras.optimizers.SGD(0.5)
    optimizer.iterations = step
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert step.numpy() == 8
    assert optimizer.iterations is step
    assert sum(w is step for w in optimizer.variables) == 1
    with pytest.raises(RuntimeError, match="Cannot set `iterations`"):
        optimizer.iterations = tf.Variable(0)
    with pytest.raises(TypeError, match="is a variable"):
        keras.optimizers.SGD(0.5).iterations = 3


def schedule() -> Any:
    return keras.optimizers.schedules.ExponentialDecay(0.3, 1, 1.0)


# Of steps on w² from 1, two before the change and two after it; recorded from TensorFlow 2.15.1. `run`: a function without
# decorator given to strategy.run; `traced`: tf.function, in strategy.run or around it, and fit.
SETTINGS: dict[str, tuple[Any, dict[str, Any], float, float]] = {
    "momentum": (lambda: keras.optimizers.SGD(0.1, momentum=0.5), {"momentum": 0.0}, 0.3456, 0.1226),
    "nesterov": (lambda: keras.optimizers.SGD(0.1, momentum=0.5), {"nesterov": True}, 0.1596, 0.1226),
    "clipnorm": (lambda: keras.optimizers.SGD(0.1), {"clipnorm": 0.01}, 0.638, 0.4096),
    "clipvalue": (lambda: keras.optimizers.SGD(0.1), {"clipvalue": 0.01}, 0.638, 0.4096),
    "weight_decay": (lambda: keras.optimizers.SGD(0.1), {"weight_decay": 0.5}, 0.36, 0.4096),
    "beta_1": (lambda: keras.optimizers.Adam(0.1), {"beta_1": 0.0}, 0.62905, 0.60394),
    "epsilon": (lambda: keras.optimizers.Adam(0.1), {"epsilon": 1.0}, 0.78169, 0.60394),
    "lr": (lambda: keras.optimizers.SGD(0.1), {"lr": 0.3}, 0.1024, 0.1024),
    "learning_rate": (lambda: keras.optimizers.SGD(0.1), {"learning_rate": 0.3}, 0.1024, 0.1024),
    "a schedule": (lambda: keras.optimizers.SGD(0.1), {"learning_rate": schedule}, 0.1024, 0.4096),
}


def after_a_change(strategy: Any, optimizer: Any, changes: dict[str, Any], way: str) -> float:
    with strategy.scope():
        inputs = keras.layers.Input((1,))
        model = keras.Model(inputs, keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")(inputs))
        model.compile(optimizer, "mse")

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(tf.constant([[1.0]])) ** 2) / strategy.num_replicas_in_sync
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    ways = {
        "run": lambda: strategy.run(step),
        "traced": lambda: strategy.run(traced),
        "fit": lambda: model.fit(np.ones((1, 1)), np.zeros((1, 1)), verbose=0),
    }
    traced = tf.function(step)
    for _ in range(2):
        ways[way]()
    for name, value in changes.items():
        setattr(optimizer, name, value() if value is schedule else value)
    for _ in range(2):
        ways[way]()
    return float(model.get_weights()[0][0, 0])


# One of each kind: read by Keras' Python at every step, a variable, one that becomes a variable.
QUICK = [
    *product(("weight_decay", "learning_rate"), ("mirrored 2", "parameter servers")),
    *product(("a schedule", "clipvalue", "beta_1", "lr"), ("mirrored 2",)),
]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "strategy"), thorough_but(QUICK, product(SETTINGS, ("mirrored 2", "parameter servers")))
)
def test_a_setting_that_changes_is_noticed_where_tensorflow_notices_it(name: str, strategy: str) -> None:
    make, changes, run, traced = SETTINGS[name]
    for way, wanted in (("run", run), ("traced", traced), ("fit", traced)):
        chosen = STRATEGIES[strategy]() if strategy != "parameter servers" else serving(1)
        with chosen.scope():
            optimizer = make()
        assert after_a_change(chosen, optimizer, changes, way) == pytest.approx(wanted, abs=2e-5), way


def test_a_model_whose_train_function_is_taken_away_is_traced_anew() -> None:
    """1 · 0.8 · 0.8, and without effect of the last two steps' decay: 0.4096 (TensorFlow: 0.36 after train_function = None)."""
    with STRATEGIES["mirrored 1"]().scope():
        inputs = keras.layers.Input((1,))
        model = keras.Model(inputs, keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")(inputs))
        model.compile(keras.optimizers.SGD(0.1), "mse")
    data = (np.ones((1, 1)), np.zeros((1, 1)))
    for _ in range(2):
        model.fit(*data, verbose=0)
    model.optimizer.weight_decay = 0.5
    model.train_function = None
    for _ in range(2):
        model.fit(*data, verbose=0)
    assert model.get_weights()[0][0, 0] == pytest.approx(0.36, abs=1e-5)
