"""Optimizers in every setting: on several replicas they do what they do on one device."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests.parity.training import floatx
from tests.thorough import thorough_but
from tests.training.training import distance

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

optimizers = tf.keras.optimizers
layers = tf.keras.layers
ROWS, BATCH, EPOCHS = 20, 8, 2  # 3 steps an epoch, the last of 4 rows; with 4 replicas one row each
RATE = 0.125


def schedule() -> Any:
    """Another rate at every step, in a form that float32 holds."""
    return optimizers.schedules.PiecewiseConstantDecay([1, 3], [0.25, 0.125, 0.0625])


SETTINGS: dict[str, Callable[[], Any]] = {
    "weight decay": lambda: optimizers.AdamW(RATE, weight_decay=0.0625),
    "moving averages": lambda: optimizers.SGD(RATE, use_ema=True, ema_momentum=0.75),
    "moving averages written back": lambda: optimizers.Adam(RATE, use_ema=True, ema_overwrite_frequency=2),
    "accumulation": lambda: optimizers.SGD(RATE, momentum=0.875, gradient_accumulation_steps=2),
    "accumulation that an epoch cuts": lambda: optimizers.Adam(RATE, gradient_accumulation_steps=4),
    "norm of each": lambda: optimizers.SGD(RATE, clipnorm=0.25),
    "norm of all": lambda: optimizers.SGD(RATE, global_clipnorm=0.25),
    "values": lambda: optimizers.SGD(RATE, clipvalue=0.125),
    "schedule": lambda: optimizers.SGD(schedule(), momentum=0.875, nesterov=True),
    "loss scale": lambda: optimizers.LossScaleOptimizer(
        optimizers.SGD(RATE, momentum=0.875), initial_scale=256.0, dynamic_growth_steps=2
    ),
    "accumulation and clipping": lambda: optimizers.Adam(RATE, gradient_accumulation_steps=2, global_clipnorm=0.25),
}


def data(scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Rows that pull the weights to and fro, so that gradients of parts are larger than that of the batch."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 3)).astype("float32")
    return x, (scale * rng.normal(size=(ROWS, 2))).astype("float32")


def trained(strategy: str, optimizer: Callable[[], Any], x: Any, y: Any, policy: str | None = None) -> list[Any]:
    """Weights, the optimizer's variables and losses."""
    tf.keras.utils.set_random_seed(0)
    with STRATEGIES[strategy]().scope():
        model = tf.keras.Sequential([layers.Input((3,)), layers.Dense(2, activation="tanh", dtype=policy)])
        model.compile(optimizer(), "mse")
    history = model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0).history
    return [model.get_weights(), [np.asarray(v) for v in model.optimizer.variables], history["loss"]]


# What is more than an update by a variable's own gradient. (The norm of all gradients: below, on two replicas.)
QUICK = ("accumulation that an epoch cuts", "loss scale")


@pytest.mark.sampled
@pytest.mark.parametrize("setting", thorough_but(QUICK, SETTINGS))
def test_four_replicas_do_what_one_does(setting: str) -> None:
    with floatx("float64"):
        one, four = (trained(name, SETTINGS[setting], *data()) for name in ("one device", "mirrored 4"))
    assert distance(four, one) <= 1e-9


@pytest.mark.parametrize("clipping", [{"clipnorm": 0.25}, {"global_clipnorm": 0.25}, {"clipvalue": 0.125}])
def test_clipping_is_of_the_gradient_of_the_global_batch(clipping: dict[str, float]) -> None:
    # Two replicas whose gradients are large and cancel out: clipped before the sum they would not be what they are.
    x, y = np.array([[1.0], [1.0]]), np.array([[101.0], [-99.5]])
    with STRATEGIES["mirrored 2"]().scope():
        model = tf.keras.Sequential([layers.Input((1,)), layers.Dense(1, use_bias=False, kernel_initializer="ones")])
        model.compile(optimizers.SGD(1.0, **clipping), "mse")
    model.fit(x, y, verbose=0)
    gradient = (1 - 101.0) + (1 + 99.5)  # 0.5: of the mean of squares
    limit = next(iter(clipping.values()))
    assert model.get_weights()[0][0, 0] == pytest.approx(1 - min(gradient, limit), abs=1e-5)


@pytest.mark.parametrize("setting", thorough_but(["loss scale"], ["weight decay", "loss scale", "schedule"]))
def test_an_optimizer_from_outside_of_the_scope_is_the_models_from_compile_on(setting: str) -> None:
    x, y = data()
    optimizer = SETTINGS[setting]()
    found, wanted = (trained("mirrored 4", make, x, y) for make in (lambda: optimizer, SETTINGS[setting]))
    assert distance(found, wanted) == 0.0
    assert int(optimizer.iterations.numpy()) == 3 * EPOCHS
    with STRATEGIES["mirrored 2"]().scope():
        other = tf.keras.Sequential([layers.Input((3,)), layers.Dense(2)])
    other.compile(SETTINGS[setting](), "mse")  # outside of the scope, too
    assert np.isfinite(other.fit(x, y, verbose=0).history["loss"]).all()


def test_averages_are_the_weights_after_training() -> None:
    def averaged() -> Any:
        return optimizers.SGD(RATE, use_ema=True, ema_momentum=0.75)

    plain = trained("mirrored 2", lambda: optimizers.SGD(RATE), *data())
    smooth = trained("mirrored 2", averaged, *data())
    assert distance(smooth[0], plain[0]) > 1e-3
    assert distance(smooth[2], plain[2]) <= 1e-6  # they take part in no step


def test_the_learning_rate_is_that_of_the_schedule() -> None:
    with STRATEGIES["mirrored 2"]().scope():
        model = tf.keras.Sequential([layers.Input((3,)), layers.Dense(2)])
        model.compile(optimizers.SGD(schedule()), "mse")
    model.fit(*data(), batch_size=BATCH, verbose=0)
    assert float(model.optimizer.learning_rate) == 0.125
    assert model.optimizer.iterations.numpy() == 3


def test_a_learning_rate_that_is_set_counts_from_then_on() -> None:
    with STRATEGIES["mirrored 2"]().scope():
        model = tf.keras.Sequential([layers.Input((3,)), layers.Dense(2)])
        model.compile(optimizers.SGD(0.5), "mse")
    model.fit(*data(), verbose=0)
    before = model.get_weights()
    model.optimizer.learning_rate = 0.0
    model.fit(*data(), verbose=0)
    assert distance(model.get_weights(), before) == 0


@pytest.mark.parametrize("policy", thorough_but(["mixed_bfloat16"], ["mixed_bfloat16", "mixed_float16"]))
def test_mixed_precision_on_four_replicas(policy: str) -> None:
    # Products are rounded to 8 (11) bits, whose sums the replicas build from parts: weights differ by some of the last of
    # these bits, times the learning rate and the number of steps.
    bits = {"mixed_bfloat16": 8, "mixed_float16": 11}[policy]
    one, four = (trained(name, lambda: optimizers.SGD(RATE), *data(), policy) for name in ("one device", "mirrored 4"))
    assert one[0][0].dtype == np.float32
    assert distance(four[0], one[0]) <= 6 * RATE * 2.0**-bits
    assert distance(four[2], one[2]) <= 2.0**-bits


def test_float16_wraps_the_optimizer_and_an_overflow_on_one_replica_skips_the_step_on_all() -> None:
    with floatx("float32"):
        tf.keras.config.set_dtype_policy("mixed_float16")
        with STRATEGIES["mirrored 4"]().scope():
            model = tf.keras.Sequential([layers.Input((3,)), layers.Dense(2)])
            model.compile(optimizers.SGD(RATE), "mse")
    assert isinstance(model.optimizer, optimizers.LossScaleOptimizer)
    x, y = data()
    before = model.get_weights()
    y[7] = 1e5  # on the last replica alone: scaled, its gradient is infinite in float16
    model.fit(x[:8], y[:8], batch_size=8, shuffle=False, verbose=0)
    assert distance(model.get_weights(), before) == 0
    assert float(model.optimizer.dynamic_scale) == 2.0**14
    model.optimizer.dynamic_scale.assign(1.0)
    model.fit(x[:6], y[:6], batch_size=6, shuffle=False, verbose=0)
    assert 0 < distance(model.get_weights(), before) < 1
    assert all(np.isfinite(w).all() for w in model.get_weights())
