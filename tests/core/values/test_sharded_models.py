"""Variables that a strategy cuts: how they are made, and Keras' layers, optimizers and files upon them."""

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._core.values import MinSizePartitioner, ShardedVariable, WholeConstraint, WholeRegularizer
from stratagem._strategies import OneDeviceStrategy
from tests.core.values.sharding import Sharding
from tests.thorough import thorough_but

L = keras.layers


def shapes(variables: Any) -> list[tuple[int, ...]]:
    return [tuple(v.shape) for v in variables]


# --- Creation ---------------------------------------------------------------------------------------------------------


def test_a_variable_is_cut_div_and_named_as_in_tensorflow() -> None:
    with Sharding(5).scope():
        v = tf.Variable(np.arange(13.0), name="v")
    assert isinstance(v, ShardedVariable)
    assert shapes(v.variables) == [(3,), (3,), (3,), (2,), (2,)]
    assert [s.name for s in v.variables] == [f"v/part_{i}:0" for i in range(5)]
    assert np.array_equal(v, np.arange(13.0))
    assert v.dtype == "float64"


def test_there_are_at_most_as_many_shards_as_rows_and_scalars_stay_whole() -> None:
    with Sharding(4).scope():
        assert shapes(tf.Variable(np.zeros((3, 2))).variables) == [(1, 2)] * 3
        assert not isinstance(tf.Variable(1.0), ShardedVariable)
        assert not isinstance(tf.Variable([1.0]), ShardedVariable)
        assert not isinstance(tf.Variable(np.zeros((0, 2))), ShardedVariable)
    assert not isinstance(tf.Variable(np.zeros(5)), ShardedVariable)
    with OneDeviceStrategy("CPU:0").scope():
        assert not isinstance(tf.Variable(np.zeros(5)), ShardedVariable)


def test_the_embedding_of_tensorflows_tutorial_has_two_weights() -> None:
    with Sharding(MinSizePartitioner(min_shard_bytes=256 << 10, max_shards=2)).scope():
        layer = L.Embedding(8, 16384)
        layer.build((None,))
        small = L.Dense(4)
        small.build((None, 3))
    assert shapes(layer.weights) == [(4, 16384), (4, 16384)]
    assert [v.path for v in layer.weights] == [f"{layer.name}/embeddings/part_{i}" for i in (0, 1)]
    assert isinstance(layer.embeddings, ShardedVariable)
    assert layer.embeddings.shape == (8, 16384)
    assert layer.embeddings.path == f"{layer.name}/embeddings"
    assert layer.count_params() == 8 * 16384
    assert shapes(small.weights) == [(3, 4), (4,)]


def test_values_are_those_of_the_whole_variable() -> None:
    made = []
    for shards in (1, 3):
        keras.utils.set_random_seed(11)
        with Sharding(shards).scope():
            layer = L.Dense(4, bias_initializer="random_normal")
            layer.build((None, 7))
            made.append((np.asarray(layer.kernel), np.asarray(layer.bias)))
    assert all(np.array_equal(a, b) for a, b in zip(*made, strict=True))


def test_a_callable_is_called_once_whether_it_is_cut_or_not() -> None:
    calls = []

    def initial() -> Any:
        calls.append(1)
        return np.arange(4.0) + len(calls)

    for strategy in (Sharding(2), Sharding(1)):
        calls.clear()
        with strategy.scope():
            assert np.array_equal(tf.Variable(initial), [1, 2, 3, 4])
        assert len(calls) == 1


@pytest.mark.parametrize("named", [True, False], ids=["by name", "any name"])
def test_an_initializer_that_knows_parts_makes_each_by_itself(named: bool) -> None:
    parts: list[Any] = []

    def rows(shape: Any, offset: Any) -> Any:
        parts.append((tuple(shape), tuple(offset)))
        return np.arange(offset[0], offset[0] + shape[0], dtype=np.float32)[:, None] * np.ones(shape[1:], np.float32)

    class ByName(keras.initializers.Initializer):
        def __call__(self, shape: Any, dtype: Any = None, partition_shape: Any = None, partition_offset: Any = (0, 0)):
            return rows(partition_shape or shape, partition_offset)

    class AnyName(keras.initializers.Initializer):
        def __call__(self, shape: Any, dtype: Any = None, **place: Any) -> Any:
            return rows(place.get("partition_shape", shape), place.get("partition_offset", (0, 0)))

    initializer = (ByName if named else AnyName)()
    with Sharding(2).scope():
        layer = L.Embedding(5, 2, embeddings_initializer=initializer)
        layer.build((None,))
        v = tf.Variable(lambda **place: initializer((5, 2), **place), shape=(5, 2), dtype=tf.float32)
    assert parts == [((3, 2), (0, 0)), ((2, 2), (3, 0))] * 2
    for found in (layer.embeddings, v):
        assert np.array_equal(np.asarray(found)[:, 1], np.arange(5))


def test_a_large_variable_that_is_made_whole_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Private: the number from which on it is worth a warning is large.
    monkeypatch.setattr("stratagem._core.values._initial_value._LARGE", 10)
    with Sharding(3).scope():
        tf.Variable(lambda: np.zeros(11), shape=(11,), dtype=tf.float32, name="big")
        tf.Variable(lambda: np.zeros(10), shape=(10,), dtype=tf.float32, name="small")
    assert [r.args for r in caplog.records if "initial value is made whole" in r.message] == [("big",)]


def test_arguments_of_variables_hold_for_every_shard() -> None:
    with Sharding(2).scope():
        v = tf.Variable([1, 2, 3], trainable=False, dtype=tf.int64, aggregation=tf.VariableAggregation.SUM)
        k = keras.Variable(np.ones((4, 2)), dtype="float16", trainable=False, name="k")
        with pytest.raises(ValueError, match="`NONE` variable synchronization"):
            tf.Variable([1.0, 2.0], synchronization=tf.VariableSynchronization.NONE)
        with pytest.raises(ValueError, match="the initial value's shape"):
            tf.Variable([1.0, 2.0], shape=(3,))
    assert [(s.dtype, s.trainable, s.aggregation) for s in v.variables] == [("int64", False, "sum")] * 2
    assert (v.trainable, v.aggregation) == (False, "sum")
    assert [(s.dtype, s.trainable, s.path) for s in k.variables] == [("float16", False, f"k/part_{i}") for i in (0, 1)]


def test_slots_and_seeds_are_never_cut() -> None:
    with Sharding(2).scope():
        table = tf.Variable(np.zeros((6, 2), np.float32))
        optimizer = keras.optimizers.Adam()
        optimizer.build(table.variables)
        seeds = keras.random.SeedGenerator(1)
    assert shapes(optimizer.variables) == [(), (), *[(3, 2)] * 4]
    assert seeds.state.shape == (2,)


def test_state_of_metrics_is_cut() -> None:
    truth, guess = np.array([0, 1, 1, 0]), np.array([0.2, 0.9, 0.4, 0.6])
    results = []
    for strategy in (OneDeviceStrategy("CPU:0"), Sharding(2)):
        with strategy.scope():
            metric = keras.metrics.AUC(num_thresholds=10)
        strategy.run(lambda metric=metric: metric.update_state(truth, guess))
        results.append((float(metric.result()), len(metric.variables)))
        metric.reset_state()
        assert float(tf.reduce_sum(metric.true_positives)) == 0
    assert results[0][0] == results[1][0]
    assert (results[0][1], results[1][1]) == (4, 8)


# --- What layers do with their weights --------------------------------------------------------------------------------


def test_layers_switch_training_of_all_shards_off_and_on() -> None:
    with Sharding(2).scope():
        layer = L.Dense(4)
        layer.build((None, 4))
        frozen = L.Dense(4, trainable=False)
        frozen.build((None, 4))
    assert shapes(layer.trainable_variables) == [(2, 4), (2, 4), (2,), (2,)]
    layer.trainable = False
    assert layer.trainable_variables == []
    assert not layer.kernel.trainable
    layer.kernel.trainable = True
    assert layer.kernel.variables[1].trainable
    assert len(frozen.non_trainable_variables) == 4


def test_variables_in_attributes_and_lists_of_layers_are_found() -> None:
    class Own(L.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(np.ones(4, np.float32))
            self.several = [tf.Variable(np.ones(3, np.float32), trainable=False), tf.Variable(1.0)]

    with Sharding(2).scope():
        layer = Own()
    assert shapes(layer.trainable_variables) == [(2,), (2,), ()]
    assert shapes(layer.non_trainable_variables) == [(2,), (1,)]


def test_a_layer_that_lets_a_variable_go_lets_all_shards_go() -> None:
    with Sharding(2).scope():
        layer = L.Dense(4)
        layer.build((None, 4))
    layer._untrack_variable(layer.kernel)
    assert shapes(layer.weights) == [(2,), (2,)]


def test_get_weights_and_set_weights_go_by_shard() -> None:
    with Sharding(2).scope():
        layer = L.Dense(3)
        layer.build((None, 4))
    weights = [w + 1 for w in layer.get_weights()]
    assert shapes(weights) == [(2, 3), (2, 3), (2,), (1,)]
    layer.set_weights(weights)
    assert np.array_equal(layer.kernel, np.concatenate(weights[:2]))


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_an_optimizer_says_that_it_takes_shards(name: str) -> None:
    with Sharding(2).scope():
        v = tf.Variable(np.zeros((4, 1), "float32"), name="table")
    optimizer = getattr(keras.optimizers, name)()
    with pytest.raises(ValueError, match="table is in shards, and an optimizer takes its `variables`"):
        optimizer.apply_gradients([(np.ones((4, 1), "float32"), v)])
    assert not optimizer.built
    optimizer.apply_gradients([(np.ones((2, 1), "float32"), shard) for shard in v.variables])
    assert float(np.max(v)) < 0


@pytest.mark.parametrize(
    "regularizer",
    [keras.regularizers.L2(0.1), keras.regularizers.L1L2(0.1, 0.2), keras.regularizers.OrthogonalRegularizer(0.1)],
    ids=lambda r: type(r).__name__,
)
def test_the_loss_of_a_regularizer_is_that_of_the_whole(regularizer: Any) -> None:
    losses = []
    for shards in (1, 3):
        keras.utils.set_random_seed(1)
        with Sharding(shards).scope():
            layer = L.Dense(4, kernel_regularizer=regularizer)
            layer.build((None, 7))
        losses.append(float(sum(layer.losses)))
    assert losses[0] > 0
    assert np.isclose(*losses, rtol=1e-6)


def test_a_regularizer_or_constraint_that_needs_all_rows_is_told_from_the_others() -> None:
    with Sharding(2).scope():
        v = tf.Variable(np.ones((4, 2)), constraint=keras.constraints.UnitNorm(axis=1))
    assert v.variables[1].constraint is v.constraint
    v.constraint = keras.constraints.UnitNorm(axis=0)
    assert isinstance(v.variables[0].constraint, WholeConstraint)
    assert v.variables[1].constraint is None
    v.regularizer = lambda w: tf.reduce_max(w)
    assert isinstance(v.variables[0].regularizer, WholeRegularizer)
    v.regularizer = keras.regularizers.L2()
    assert all(s.regularizer is v.regularizer for s in v.variables)
    v.regularizer = v.constraint = None
    assert [(s.regularizer, s.constraint) for s in v.variables] == [(None, None)] * 2


# --- Equal to the whole -----------------------------------------------------------------------------------------------

X = np.random.default_rng(0).normal(size=(4, 8, 6))
IDS = np.random.default_rng(1).integers(0, 9, (4, 8))

MODELS: dict[str, Any] = {
    "Dense": lambda: [L.Dense(5, activation="tanh", kernel_constraint=keras.constraints.MaxNorm(0.5)), L.Dense(2)],
    "Conv2D": lambda: [L.Reshape((8, 6, 1)), L.Conv2D(4, 3, bias_initializer="ones", bias_constraint="non_neg")],
    "BatchNormalization": lambda: [L.Dense(5, kernel_regularizer="l2"), L.BatchNormalization()],
    "LayerNormalization": lambda: [L.Dense(5), L.LayerNormalization()],
    "LSTM": lambda: [L.LSTM(5)],
    "Embedding": lambda: [L.Embedding(9, 4, embeddings_regularizer="l1"), L.LSTM(3)],
}


class Attention(L.Layer):
    """A layer that calls another one with two arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = L.MultiHeadAttention(2, 4)

    def call(self, x: Any) -> Any:
        return self.inner(x, x)


MODELS["MultiHeadAttention"] = lambda: [Attention(), L.Dense(2)]


@pytest.fixture
def float64() -> Any:
    """Layers compute in 64 bits."""
    keras.config.set_floatx("float64")
    keras.config.set_dtype_policy("float64")
    yield
    keras.config.set_floatx("float32")
    keras.config.set_dtype_policy("float32")


def trained(name: str, strategy: Any, optimizer: Any) -> list[np.ndarray]:
    """The weights after three steps of the strategy."""
    keras.utils.set_random_seed(5)
    inputs = IDS if name == "Embedding" else X
    with strategy.scope():
        model = keras.Sequential(MODELS[name]())
        optimizer = optimizer()

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = model(x, training=True)
            loss = tf.reduce_mean((y - 1.0) ** 2) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    for _ in range(3):
        strategy.run(step, (inputs,))
    assert {v.dtype for v in model.weights if "seed" not in v.path} == {"float64"}
    by_layer: dict[str, list[np.ndarray]] = {}
    for v in model.weights:
        by_layer.setdefault(v.path.split("/part_")[0].partition("/")[2], []).append(np.asarray(v))
    return [np.concatenate(parts) for parts in by_layer.values()]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "optimizer"),
    thorough_but(
        [("Embedding", "Adam"), ("Dense", "SGD")],
        [*((name, "Adam") for name in MODELS), ("Dense", "SGD"), ("LSTM", "SGD")],
    ),
)
def test_a_trained_model_has_the_weights_of_one_in_one_piece(name: str, optimizer: str, float64: None) -> None:
    make = getattr(keras.optimizers, optimizer)
    whole = trained(name, OneDeviceStrategy("CPU:0"), lambda: make(0.1))
    cut = trained(name, Sharding(2), lambda: make(0.1))
    assert shapes(whole) == shapes(cut)
    assert all(np.allclose(a, b, rtol=0, atol=1e-12) for a, b in zip(whole, cut, strict=True))


def test_shards_are_mirrored_under_a_strategy_with_two_replicas(float64: None) -> None:
    whole = trained("BatchNormalization", Sharding(1, replicas=2), lambda: keras.optimizers.SGD(0.1))
    cut = trained("BatchNormalization", Sharding(3, replicas=2), lambda: keras.optimizers.SGD(0.1))
    assert all(np.allclose(a, b, rtol=0, atol=1e-9) for a, b in zip(whole, cut, strict=True))


# --- Files of Keras ---------------------------------------------------------------------------------------------------


def fitted(shards: int) -> Any:
    """A model after `fit`, its kinds of layers chosen for their own ways of being saved."""
    keras.utils.set_random_seed(2)
    with Sharding(shards).scope():
        model = keras.Sequential(
            [
                L.Embedding(9, 4),
                L.Conv1D(5, 3),
                L.BatchNormalization(),
                L.LSTM(3),
                L.Dense(3, activation="relu"),
                L.EinsumDense("ab,bc->ac", 2, bias_axes="c"),
            ]
        )
        model.compile(keras.optimizers.Adam(0.05, epsilon=0.1), keras.losses.MeanSquaredError())
        model.fit(IDS, np.ones((4, 2)), epochs=2, batch_size=2, verbose=0)
    return model


class Fitted(dict[int, Any]):
    """Models by number of shards, each made when it is first asked for."""

    def __missing__(self, shards: int) -> Any:
        self[shards] = fitted(shards)
        return self[shards]


@pytest.fixture(scope="module")
def models() -> dict[int, Any]:
    return Fitted()


def by_shape(variables: Any) -> dict[str, np.ndarray]:
    """Values by path, shards joined."""
    found: dict[str, list[np.ndarray]] = {}
    for i, v in enumerate(variables):
        path = v.path.replace("_part_", "/part_")
        head, _, tail = path.partition("/part_")
        key = f"{head}{tail.lstrip('0123456789')}" if tail else f"{head} {i if head.endswith('state') else ''}"
        found.setdefault(key.strip(), []).append(np.asarray(v))
    return {key: np.concatenate(parts) if parts[0].ndim else parts[0] for key, parts in found.items()}


def equal(one: Any, other: Any) -> bool:
    """The same values to the last bit, in the same order, whatever the layers are called."""
    first, second = by_shape(one), by_shape(other)
    return len(first) == len(second) and all(map(np.array_equal, first.values(), second.values()))


@pytest.mark.parametrize("shards", thorough_but([2], [2, 3]))
def test_fit_trains_all_alike(models: dict[int, Any], shards: int) -> None:
    first = by_shape(models[1].weights).values()
    others = by_shape(models[shards].weights).values()
    assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(first, others, strict=True))
    assert models[shards].count_params() == models[1].count_params()


@pytest.mark.parametrize(("saved", "loaded"), thorough_but([(2, 3)], [(1, 2), (2, 1), (2, 3), (3, 3)]))
def test_a_saved_model_loads_into_any_number_of_shards(
    models: dict[int, Any], tmp_path: Path, saved: int, loaded: int
) -> None:
    models[saved].save(tmp_path / "m.keras")
    with Sharding(loaded).scope():
        model = keras.models.load_model(tmp_path / "m.keras")
    assert isinstance(model.layers[0].embeddings, ShardedVariable) == (loaded > 1)
    assert equal(model.weights, models[saved].weights)
    assert equal(model.optimizer.variables, models[saved].optimizer.variables)
    assert len(models[saved].layers[0].weights) == saved  # saving left it as it was


@pytest.mark.parametrize(("saved", "loaded"), thorough_but([(2, 1)], [(1, 3), (3, 1), (2, 1), (3, 2)]))
@pytest.mark.parametrize("name", thorough_but(["w.weights.h5"], ["w.weights.h5", "m.h5"]))
def test_weights_load_into_any_number_of_shards(
    models: dict[int, Any], tmp_path: Path, saved: int, loaded: int, name: str
) -> None:
    models[saved].save_weights(tmp_path / name) if "weights" in name else models[saved].save(tmp_path / name)
    other = fitted(loaded)
    other.set_weights([w + 1 for w in other.get_weights()])
    other.load_weights(tmp_path / name)
    assert equal(other.weights, models[saved].weights)


def test_a_summary_counts_parameters_once(models: dict[int, Any], capsys: pytest.CaptureFixture[str]) -> None:
    totals = []
    for shards in (1, 2):
        models[shards].summary()
        totals.append([line for line in capsys.readouterr().out.splitlines() if "params" in line])
    assert totals[0] == totals[1]
