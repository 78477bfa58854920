"""Initial values made at once: without a program for each shape, and with the numbers that one would have."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from stratagem._strategies import MirroredStrategy
from tests.core.step.observing import compilations
from tests.thorough import thorough_but

initializers = keras.initializers

# (The first two are of one block of numbers, the others of several.)
SHAPES = [(), (3, 3, 5, 7), (129, 257), (2, 3, 16385)]
DRAWS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "uniform": (
        lambda: initializers.RandomUniform(-0.3, 0.7, seed=3),
        lambda shape: keras.random.uniform(shape, -0.3, 0.7, seed=3),
    ),
    "normal": (
        lambda: initializers.RandomNormal(1.1, 0.3, seed=3),
        lambda shape: keras.random.normal(shape, 1.1, 0.3, seed=3),
    ),
    "truncated_normal": (
        lambda: initializers.TruncatedNormal(1.1, 0.3, seed=3),
        lambda shape: keras.random.truncated_normal(shape, 1.1, 0.3, seed=3),
    ),
}


# (truncated_normal is thorough: XLA rounds it in another way when it compiles without optimizing, as in `make test`.)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", thorough_but(["uniform", "normal"], DRAWS))
def test_the_numbers_are_those_of_a_program_of_this_shape_to_the_last_bit(name: str, shape: tuple[int, ...]) -> None:
    make, draw = DRAWS[name]
    weight = keras.Variable(make(), shape=shape)
    assert np.asarray(weight).tobytes() == np.asarray(draw(shape)).tobytes()


def network(width: int) -> keras.Model:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            layers.Conv2D(width, 3),
            layers.BatchNormalization(),
            layers.DepthwiseConv2D(3),
            layers.Flatten(),
            layers.Dense(width + 1, kernel_initializer="he_normal"),
            layers.Dense(2, kernel_initializer="random_normal"),
        ]
    )


def load(path: Path) -> Callable[[], keras.Model]:
    for width, name in ((5, "a.keras"), (7, "b.keras")):
        network(width).save(path / name)
    names = iter(("a.keras", "b.keras"))
    return lambda: keras.models.load_model(path / next(names))


def clone(path: Path) -> Callable[[], keras.Model]:
    models = iter((network(5), network(7)))
    return lambda: keras.models.clone_model(next(models))


def build(path: Path) -> Callable[[], keras.Model]:
    widths = iter((5, 7))
    return lambda: network(next(widths))


@pytest.mark.parametrize("replicas", [0, 2])
@pytest.mark.parametrize("way", [load, clone, build])
def test_no_program_is_compiled_for_a_shape(way: Any, replicas: int, tmp_path: Path) -> None:
    make = way(tmp_path)
    scope: Any = MirroredStrategy([f"CPU:{i}" for i in range(replicas)]).scope if replicas else contextlib.nullcontext
    with scope():
        keras.optimizers.Adam().build(make().trainable_variables)  # which compiles what makes numbers of any shape
        with compilations() as compiled:
            keras.optimizers.Adam().build(make().trainable_variables)
    assert compiled == []


@pytest.mark.parametrize("times", [1, 3])
def test_a_seed_generator_advances_once_for_each_value(times: int) -> None:
    seeds, others = keras.random.SeedGenerator(5), keras.random.SeedGenerator(5)
    drawn = [keras.Variable(initializers.RandomNormal(seed=seeds), shape=(2, 3)) for _ in range(times)]
    expected = [keras.random.normal((2, 3), 0.0, 0.05, seed=others) for _ in range(times)]
    assert np.array_equal(seeds.state, others.state)
    assert np.array_equal(np.stack(drawn), np.stack(expected))


@pytest.mark.parametrize(
    "initializer",
    [
        lambda shape, dtype=None: keras.random.normal(shape, np.float64(0.5), 2, dtype, seed=1),
        lambda shape, dtype=None: keras.random.uniform(shape, 0, keras.ops.ones((1, 3)), dtype, seed=1),
        lambda shape, dtype=None: keras.random.normal(shape, dtype="bfloat16", seed=1),
        lambda shape, dtype=None: keras.ops.zeros(shape, "int32") + keras.ops.ones(shape[0]),
    ],
    ids=["a NumPy number", "bounds of columns", "bfloat16", "integers"],
)
def test_other_numbers_are_made_as_keras_makes_them(initializer: Any) -> None:
    expected = keras.Variable(initializer((3, 3), "float32"))
    assert np.array_equal(keras.Variable(initializer, shape=(3, 3)), expected)
