"""First values of variables on servers: made there, and those that one device would make."""

import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._checkpoints import Checkpoint
from stratagem._core.values import InitializerProgram, ShardedVariable
from tests.parity.training import floatx
from tests.servers.remote.serving import one_device, serving
from tests.thorough import thorough_but

initializers = keras.initializers
ROWS, COLUMNS = 301, 7


@pytest.fixture(autouse=True)
def whatever_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every variable with a row is worth a program, nothing but a number is small, and a shard takes several rounds."""
    # Private: a megabyte, kilobytes and megabytes otherwise.
    monkeypatch.setattr("stratagem._core.values._initial_value._WORTH", 1)
    monkeypatch.setattr("stratagem._core.values._rows._SMALL", 16)
    monkeypatch.setattr("stratagem._core.values._initializer_program._AT_A_TIME", 40 * COLUMNS * 4)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of rows that servers have made, but for random seeds'."""
    found: list[int] = []
    maker = InitializerProgram.maker

    def noted(self: InitializerProgram, count: int) -> Any:
        found.extend([count] * (self.shape != (2,)))
        return maker(self, count)

    # Where, and how many at a time, shows in no value.
    monkeypatch.setattr(InitializerProgram, "maker", noted)
    return found


def received(strategy: Any) -> int:
    """Bytes that servers have been sent so far."""
    return sum(traffic.received for traffic in strategy.servers.traffic())


def added(make: Callable[[], Any], strategy: Any, shape: tuple[int, ...] = (ROWS, COLUMNS)) -> np.ndarray:
    """The value of a layer's weight."""
    with strategy.scope():
        weight = keras.layers.Layer().add_weight(shape=shape, initializer=make())
    return np.asarray(weight)


class Numbered(initializers.Initializer):
    """Row r has r in it; `tell` hears what parts are made."""

    def __init__(self, tell: Callable[[Any], None]) -> None:
        self._tell = tell

    def __call__(self, shape: Any, dtype: Any = None, partition_shape: Any = None, partition_offset: Any = (0,)) -> Any:
        self._tell((partition_shape, partition_offset))
        rows, *others = partition_shape or shape
        return np.arange(partition_offset[0], partition_offset[0] + rows)[:, None] * np.ones(others, dtype)


def halves(shape: Any, dtype: Any = None) -> Any:
    """Needs the values that it draws."""
    draws = keras.random.normal(shape, seed=3, dtype=dtype)
    return draws / 2 if np.asarray(draws).max() > 1 else draws


def of_numpy(shape: Any, dtype: Any = None) -> Any:
    return np.random.normal(size=shape).astype(dtype)


def of_numpy_and_values(shape: Any, dtype: Any = None) -> Any:
    return np.random.normal(size=shape).astype(dtype) + halves(shape, dtype) + random.random()


def normalized(shape: Any, dtype: Any = None) -> Any:
    """A row depends on the others."""
    draws = keras.random.uniform(shape, seed=4, dtype=dtype)
    return draws / keras.ops.sum(draws)


def shifted(shape: Any, dtype: Any = None) -> Any:
    """Some arithmetic, which a compiler would join and round once."""
    draws = keras.random.normal(shape, seed=5, dtype=dtype)
    rows = keras.ops.cast(keras.ops.arange(shape[0]), dtype)[:, None]
    return keras.ops.where(draws > 0, draws * 0.3 + 1.1, draws / 3.0 - 0.7) * 1.7 + 0.01 * rows


BY_ROWS: dict[str, Any] = {
    "random_normal": lambda: initializers.RandomNormal(seed=1),
    "random_normal of a mean": lambda: initializers.RandomNormal(1.1, 0.3, seed=1),
    "random_uniform": lambda: initializers.RandomUniform(-0.3, 0.7, seed=2),
    "truncated_normal": lambda: initializers.TruncatedNormal(0.7, 0.2, seed=3),
    "glorot_uniform": lambda: initializers.GlorotUniform(seed=4),
    "glorot_normal": lambda: initializers.GlorotNormal(seed=4),
    "he_uniform": lambda: initializers.HeUniform(seed=5),
    "he_normal": lambda: initializers.HeNormal(seed=5),
    "zeros": initializers.Zeros,
    "ones": initializers.Ones,
    "constant": lambda: initializers.Constant(0.3),
    "arithmetic": lambda: shifted,
}
WHOLE: dict[str, Any] = {
    "orthogonal": lambda: initializers.Orthogonal(seed=6),
    "normalized": lambda: normalized,
    "of NumPy": lambda: of_numpy,
    "of values": lambda: halves,
    "of NumPy and values": lambda: of_numpy_and_values,
}


# By rows and whole, by JAX and by NumPy, and every number of shards once: most of the time is XLA's.
# (truncated_normal is thorough: XLA rounds it in another way when it compiles without optimizing, as in `make test`.)
QUICK = [("random_uniform", 3), ("orthogonal", 2), ("of NumPy and values", 2)]


@pytest.mark.parametrize(("name", "shards"), thorough_but(QUICK, product((*BY_ROWS, *WHOLE), (1, 2, 3))))
def test_first_values_are_those_of_one_device_to_the_last_bit(name: str, shards: int, made: list[int]) -> None:
    make = (BY_ROWS | WHOLE)[name]
    keras.utils.set_random_seed(7)
    whole = added(make, one_device())
    drawn = np.random.random(), random.random()
    keras.utils.set_random_seed(7)
    strategy = serving(servers=2, shards=shards)
    assert added(make, strategy).tobytes() == whole.tobytes()
    assert drawn == (np.random.random(), random.random())
    assert sum(made) == (ROWS if name in BY_ROWS else 0)
    assert received(strategy) == (0 if name in BY_ROWS else whole.nbytes)


@pytest.mark.parametrize("shards", thorough_but([3], [1, 3]))
def test_the_identity_is_made_by_rows(shards: int, made: list[int]) -> None:
    assert np.array_equal(added(lambda: initializers.Identity(2.5), serving(shards=shards), (50, 50)), 2.5 * np.eye(50))
    assert sum(made) == 50


@pytest.mark.parametrize(
    ("dtype", "make"),
    [
        ("float64", lambda: initializers.RandomUniform(-1.0, 3.0, seed=1)),
        ("float64", lambda: initializers.RandomNormal(0.3, 0.1, seed=1)),
        ("bfloat16", lambda: initializers.RandomNormal(0.3, 0.1, seed=1)),
    ],
    ids=["float64 uniform", "float64 normal", "bfloat16 normal"],
)
def test_other_types_of_numbers_are_exact_too(dtype: str, make: Any) -> None:
    with floatx(dtype):
        whole = added(make, one_device())
        assert added(make, serving(shards=2)).tobytes() == whole.tobytes()


def test_a_seed_generator_has_advanced_as_if_the_value_had_been_made_here() -> None:
    states, values = [], []
    for strategy in (one_device(), serving(shards=2)):
        seeds = keras.random.SeedGenerator(5)
        make = lambda seeds=seeds: initializers.RandomNormal(seed=seeds)  # noqa: E731
        values.append([added(make, strategy) for _ in range(2)])
        states.append(np.asarray(seeds.state))
    assert np.array_equal(*states)
    assert np.array_equal(*values)
    assert not np.array_equal(*values[0])


def test_an_initializer_that_knows_parts_is_asked_for_them() -> None:
    parts: list[Any] = []
    value = added(lambda: Numbered(parts.append), serving(shards=2))
    assert np.array_equal(value, np.arange(ROWS)[:, None] * np.ones(COLUMNS))
    assert parts == [((151, COLUMNS), (0, 0)), ((150, COLUMNS), (151, 0))]


def test_an_array_is_sent() -> None:
    strategy, array = serving(shards=2), np.arange(12.0).reshape(6, 2)
    with strategy.scope():
        assert np.array_equal(tf.Variable(array), array)
    assert received(strategy) == array.nbytes


@pytest.mark.parametrize("shards", thorough_but([2], [None, 2]))
@pytest.mark.parametrize("known", thorough_but([False], [True, False]), ids=["shape is known", "shape is found"])
def test_the_callable_of_a_variable_is_run_where_it_lies(shards: int | None, known: bool, made: list[int]) -> None:
    calls = []

    def initial() -> Any:
        calls.append(1)
        return tf.random.normal((ROWS, COLUMNS), seed=8)

    found = []
    for strategy in (one_device(), serving(shards=shards)):
        tf.random.set_seed(1)
        with strategy.scope():
            given = {"shape": (ROWS, COLUMNS), "dtype": tf.float32} if known else {}
            v = tf.Variable(initial, **given)
        found.append(np.asarray(v))
    assert isinstance(v, ShardedVariable) is bool(shards)
    assert np.array_equal(*found)
    assert len(calls) == 2
    assert sum(made) == ROWS
    assert received(strategy) == 0  # the state of the seed is here


@pytest.mark.parametrize("shards", thorough_but([2], [None, 2]))
@pytest.mark.parametrize(
    "given", thorough_but([{}], [{}, {"shape": (4, 2), "dtype": tf.float64}]), ids=["unknown shape", "known shape"]
)
def test_a_callable_may_give_an_array_of_64_bits(shards: int | None, given: Any) -> None:
    array = np.arange(8.0).reshape(4, 2) + 0.1
    with serving(shards=shards).scope():
        v = tf.Variable(lambda: array, **given)
    assert v.dtype == "float64"
    assert np.array_equal(v, array)


def test_a_callable_of_another_shape_than_was_said_is_refused() -> None:
    with serving(shards=2).scope(), pytest.raises(ValueError, match=r"has shape \(4, 2\), not \(5, 2\)"):
        tf.Variable(lambda: tf.zeros((4, 2)), shape=(5, 2), dtype=tf.float32)


@pytest.mark.parametrize(
    ("optimizer", "value"),
    [
        pytest.param(lambda: keras.optimizers.Adam(), 0.0, id="Adam"),
        pytest.param(
            lambda: keras.optimizers.Adagrad(initial_accumulator_value=0.1),
            0.1,
            id="Adagrad",
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_slots_are_made_beside_their_shards(optimizer: Any, value: float) -> None:
    strategy = serving(servers=2, shards=2)
    with strategy.scope():
        table = tf.Variable(lambda: tf.random.normal((ROWS, COLUMNS)))
        made = optimizer()
        before = received(strategy)
        made.build(table.variables)
    assert received(strategy) == before
    slots = [v for v in made.variables if v.shape]
    assert {v._placement.home for v in slots} == {0, 1}
    assert all(np.all(np.asarray(v) == np.float32(value)) for v in slots)


def test_a_model_whose_layers_are_built_in_a_step_has_the_same_weights() -> None:
    found = []
    for strategy in (one_device(), serving(servers=2, shards=2)):
        keras.utils.set_random_seed(2)
        with strategy.scope():
            layer = keras.layers.Dense(3)
            tf.function(lambda layer=layer: layer(np.ones((2, 40), "float32")))()
        found.append(np.asarray(layer.kernel))
    assert np.array_equal(*found)


def test_values_are_assigned_and_restored_as_ever(tmp_path: Path) -> None:
    strategy = serving(servers=2, shards=2)
    with strategy.scope():
        table = keras.layers.Layer().add_weight(shape=(6, 2), initializer="glorot_uniform")
        table.assign(np.arange(12.0).reshape(6, 2))
        Checkpoint(table=table).save(str(tmp_path / "one"))
        other = keras.layers.Layer().add_weight(shape=(6, 2), initializer="zeros")
        Checkpoint(table=other).restore(str(tmp_path / "one-1"))
    assert np.array_equal(other, np.arange(12.0).reshape(6, 2))


def test_a_model_that_is_made_again_brings_no_program(made: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    strategy, compiled = serving(servers=2, shards=2), []
    monkeypatch.setattr("jax.jit", _counted(compiled))
    for seed in range(3):
        added(lambda seed=seed: initializers.RandomNormal(0.25, seed=seed), strategy, (30, 3))
        added(initializers.Zeros, strategy, (30, 3))
    assert len(made) == 12
    assert len([f for f in compiled if f.__qualname__ == "_maker.<locals>.make"]) == 2


def _counted(compiled: list[Any]) -> Any:
    import jax

    jit = jax.jit

    def counting(function: Any, *args: Any, **kwargs: Any) -> Any:
        compiled.append(function)
        return jit(function, *args, **kwargs)

    return counting


@pytest.fixture
def large() -> Iterator[Any]:
    """Sizes as they are outside of tests."""
    with pytest.MonkeyPatch.context() as patch:
        # Private: which are those of all other tests here.
        patch.setattr("stratagem._core.values._initial_value._WORTH", 1 << 20)
        patch.setattr("stratagem._core.values._rows._SMALL", 64 << 10)
        patch.setattr("stratagem._core.values._initializer_program._AT_A_TIME", 2 << 20)
        yield


def test_a_table_of_256_mb_and_its_slots_move_a_few_bytes(large: None) -> None:
    strategy = serving(servers=2, shards=2)
    with strategy.scope():
        layer = keras.layers.Embedding(1_000_000, 64)
        layer.build((None,))
        keras.optimizers.Adam().build(layer.weights)
    totals = strategy.servers.traffic()
    assert sum(t.received + t.sent for t in totals) < 1000


@pytest.mark.parametrize(
    "name",
    thorough_but(
        ["random_normal"], ["random_normal", "zeros", "random_uniform", "truncated_normal", "he_normal", "ones"]
    ),
)
def test_nothing_of_the_size_of_a_shard_is_made_beside_it(name: str, large: None) -> None:
    rows, columns = 400_000, 64
    formula = InitializerProgram.of(lambda: initializers.get(name)((rows, columns), dtype="float32"))
    assert formula is not None
    start, zero, consts = formula.arguments(rows // 2)
    memory = formula.maker(rows // 2).lower(start.astype("int32"), zero, consts).compile().memory_analysis()
    assert memory.output_size_in_bytes == rows // 2 * columns * 4
    assert memory.temp_size_in_bytes < 32 << 20
