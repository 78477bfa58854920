"""Every optimizer that Keras has, and had, in every setting: it gives the weights that it alone gives on one device."""

import functools
from collections.abc import Callable
from itertools import product
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests.parity.training import floatx
from tests.servers.remote.serving import serving
from tests.thorough import thorough_but

optimizers, layers = keras.optimizers, keras.layers
ROWS, BATCH, EPOCHS = 16, 8, 2
# Numbers that float32 holds exactly: Keras' own trainer makes them float32 on the way in.
X, Y = (np.random.default_rng(n).normal(size=(ROWS, n)).astype("float32").astype("float64") for n in (3, 2))


def _by_paths() -> Any:
    chosen = optimizers.OptimizerMap(default_optimizer=optimizers.Nadam(0.125))
    chosen[".*kernel.*"] = optimizers.ScheduleFreeAdamW(0.125)
    return optimizers.MultiOptimizer(chosen)


# Those that are made of others.
COMPOSED: dict[str, Callable[[], Any]] = {
    "LossScaleOptimizer": lambda: optimizers.LossScaleOptimizer(optimizers.Nadam(0.125), initial_scale=4.0),
    "MultiOptimizer": _by_paths,
}
LEGACY: dict[str, Callable[[], Any]] = {
    f"legacy.{name}": functools.partial(getattr(tf.keras.optimizers.legacy, name), 0.125)
    for name in tf.keras.optimizers.legacy.__all__
    if name != "Optimizer"
}
# Found by inspection: an optimizer that a later Keras adds is tested with the others.
NAMES = sorted(
    name
    for name, found in vars(optimizers).items()
    if isinstance(found, type) and issubclass(found, optimizers.Optimizer) and found is not optimizers.Optimizer
)
# What servers refuse (docs/parameter_servers.md), by the words of the error.
REFUSED = {"LossScaleOptimizer": "decides on all gradients together"}
WHOLE_VARIABLE = ("Adafactor", "Lamb", "Muon")
SETTINGS: dict[str, Callable[[], Any]] = {
    "one device": STRATEGIES["one device"],
    "two replicas": STRATEGIES["mirrored 2"],
    "slots in shards": STRATEGIES["slots in shards"],
    "servers": lambda: serving(servers=2),
    "shards": lambda: serving(servers=2, shards=2),
}


def make(name: str) -> Any:
    return (COMPOSED | LEGACY).get(name, lambda: getattr(optimizers, name)(0.125))()


def model() -> Any:
    keras.utils.set_random_seed(0)
    return keras.Sequential([layers.Input((3,)), layers.Dense(4, activation="tanh"), layers.Dense(2)])


def weights(made: Any) -> np.ndarray:
    """All weights in one row, in which shards stand as in the whole variable."""
    return np.concatenate([np.ravel(w) for w in made.get_weights()])


def fit(name: str, strategy: Any) -> np.ndarray:
    with strategy.scope():
        made = model()
        made.compile(make(name), "mse")
    made.fit(X, Y, batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0)
    return weights(made)


def loop(name: str, strategy: Any) -> np.ndarray:
    """The loop of the guides; on servers its steps are scheduled. The first of them builds the optimizer."""
    with strategy.scope():
        made, optimizer = model(), make(name)

    @tf.function
    def replica(x: Any, y: Any) -> None:
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(tf.reduce_sum(tf.square(made(x) - y)) / (BATCH * 2))
        variables = made.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH).repeat(EPOCHS)
    served = isinstance(strategy, tf.distribute.ParameterServerStrategy)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy) if served else None
    for batch in strategy.experimental_distribute_dataset(data):
        if coordinator is None:
            strategy.run(replica, args=batch)
        else:
            coordinator.schedule(replica, args=batch)
            coordinator.join()
    return weights(made)


@functools.cache
def alone(name: str) -> np.ndarray:
    """With Keras' own trainer, outside of any strategy."""
    with floatx("float64"):
        return fit(name, tf.distribute.get_strategy())


def refusal(name: str, setting: str) -> str | None:
    if setting in ("servers", "shards") and name in REFUSED:
        return REFUSED[name]
    return f"{name} needs all of .*kernel" if setting == "shards" and name in WHOLE_VARIABLE else None


def test_the_names_are_those_of_keras() -> None:
    assert {"SGD", "Adam", "Nadam", "Adafactor", "ScheduleFreeAdamW", "MultiOptimizer", "Muon"} <= set(NAMES)


# Those that make variables of their own kind, or are made of others. (Nadam and Adafactor: servers/remote/test_sharing.py.)
SPECIAL = (*COMPOSED, "legacy.Nadam", "ScheduleFreeAdamW")


def cases() -> list[Any]:
    """Every optimizer in every setting, both ways; `make test` takes the loop on two replicas, and more of what is special."""
    every = [(name, setting, way) for name in (*NAMES, *LEGACY) for setting in SETTINGS for way in (loop, fit)]
    return [
        pytest.param(
            *case,
            id=f"{case[0]}-{case[1]}-{case[2].__name__}",
            marks=()
            if (case[1:] == ("two replicas", loop) and case[0] not in LEGACY)
            or (case[0] in SPECIAL and case[1:] == ("servers", fit))
            else pytest.mark.thorough,
        )
        for case in every
    ]


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "setting", "way"), cases())
def test_weights_are_those_of_keras_alone(name: str, setting: str, way: Callable[[str, Any], np.ndarray]) -> None:
    with floatx("float64"):
        error = refusal(name, setting)
        if error is not None:
            with pytest.raises(tf.errors.UnimplementedError, match=error):
                way(name, SETTINGS[setting]())
            return
        found = way(name, SETTINGS[setting]())
    np.testing.assert_allclose(found, alone(name), rtol=0, atol=1e-9)


class Started(optimizers.SGD):  # type: ignore[misc]
    """Of a user's own: a number made from a value, and the weights with which training began."""

    def build(self, variables: list[Any]) -> None:
        if self.built:
            return
        super().build(variables)
        self.total = keras.Variable(1.0, trainable=False)
        self.start = self.add_optimizer_variables(variables, "start")
        for start, variable in zip(self.start, variables, strict=True):
            start.assign(variable)


@pytest.mark.parametrize(
    ("setting", "lazily"),
    thorough_but(
        [("one device", True), ("two replicas", False), ("servers", True)],
        product(["one device", "two replicas", "servers"], [False, True]),
    ),
)
def test_a_users_optimizer_sees_the_weights_when_the_first_step_builds_it(setting: str, lazily: bool) -> None:
    strategy = SETTINGS[setting]()
    with strategy.scope():
        layer, optimizer = layers.Dense(2), Started(0.5)
        if not lazily:
            layer.build((None, 3))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x) ** 2)
        variables = layer.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return gradients[0]

    with strategy.scope():
        gradient = strategy.run(step, args=(tf.constant([[1.0, 2.0, 3.0]]),))
    gradients = strategy.experimental_local_results(gradient)
    total = sum(np.asarray(g) for g in gradients)
    np.testing.assert_allclose(layer.kernel.numpy(), optimizer.start[0].numpy() - 0.5 * total, rtol=1e-5)
    assert np.abs(optimizer.start[0].numpy()).max() > 0


def test_an_optimizer_is_built_in_the_first_trace_only() -> None:
    v, others = tf.Variable(1.0), iter([optimizers.SGD(0.5), optimizers.Nadam(0.5)])
    made: list[Any] = []

    @tf.function
    def step(x: Any) -> None:
        made.append(next(others))
        made[-1].build([v])

    step(tf.constant(1.0))
    with pytest.raises(ValueError, match="tried to create variables on a call other than its first"):
        step(tf.constant([1.0, 2.0]))
