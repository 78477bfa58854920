"""Variables in shards in checkpoints: one array each, restored into any number of shards, slots of optimizers too."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem import keras
from stratagem._checkpoints import list_variables
from stratagem._core.values import ShardedVariable
from stratagem._private import joined
from tests.checkpoints.models import build
from tests.core.values.sharding import Sharding
from tests.thorough import thorough_but

NUMBERS = [(1, 3), (2, 1), (2, 2), (2, 4), (4, 2), (3, 5)]
QUICK = [(1, 3), (4, 2)]  # to more, and to fewer
IDS = np.array([[0, 3, 8], [10, 1, 1]])


def variable(shards: int, value: Any) -> Any:
    with Sharding(shards).scope():
        return tf.Variable(value)


def create(shards: int, optimizer: str = "Adam") -> tuple[Any, Any]:
    """A model whose layers keep weights in attributes, in lists and nowhere, and its optimizer; both unbuilt."""

    class Own(keras.layers.Layer):
        def build(self, shape: Any) -> None:
            self.several = [self.add_weight(shape=(4, 2), name=f"w{i}", initializer="random_normal") for i in range(2)]
            self.add_weight(shape=(5,), name="nowhere", initializer="random_normal", trainable=False)

        def call(self, x: Any) -> Any:
            return keras.ops.matmul(x, self.several[0] + self.several[1])

    with Sharding(shards).scope():
        model = keras.Sequential(
            [
                keras.layers.Embedding(11, 4),
                keras.layers.GlobalAveragePooling1D(),
                keras.layers.BatchNormalization(),
                Own(),
            ]
        )
        return model, getattr(keras.optimizers, optimizer)(0.1)


def train(model: Any, optimizer: Any, seed: int) -> None:
    """Build both and take two steps with gradients that differ from each other, the same whatever the shards."""
    keras.utils.set_random_seed(seed)
    with (model.distribute_strategy or Sharding(1)).scope():
        model(IDS)
        build(optimizer, model)
    for step in range(2):
        grads = []
        for whole in joined(model.trainable_variables):
            rows = np.random.default_rng(step).normal(size=whole.shape).astype(np.float32)
            grads += [part for _, part in whole.pieces(rows)] if isinstance(whole, ShardedVariable) else [rows]
        optimizer.apply(grads, model.trainable_variables)


def state(model: Any, optimizer: Any) -> list[np.ndarray]:
    """Tables and slots as wholes: the shards of each, as their names tell, in their order."""
    parts: dict[str, list[np.ndarray]] = {}
    for v in (*model.variables, *optimizer.variables):
        parts.setdefault(re.sub(r"[/_]part_\d+", "", v.path), []).append(np.asarray(v))
    return [np.concatenate(each) if each[0].ndim else each[0] for each in parts.values()]


def same(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return len(one) == len(other) == 20 and all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_it_is_saved_as_one_array_under_one_key(tmp_path: Path) -> None:
    value = np.arange(10.0, dtype=np.float32).reshape(5, 2)
    keys = []
    for shards in (1, 2, 4):
        path = tf.train.Checkpoint(v=variable(shards, value)).write(tmp_path / str(shards))
        keys.append(list_variables(path))
        assert np.array_equal(tf.train.load_checkpoint(path).get_tensor("v"), value)
    assert keys[0] == keys[1] == keys[2]


@pytest.mark.parametrize(("saved", "loaded"), thorough_but(QUICK, NUMBERS))
def test_a_variable_is_restored_into_any_number_of_shards(tmp_path: Path, saved: int, loaded: int) -> None:
    value = np.random.default_rng(0).normal(size=(7, 3))
    path = tf.train.Checkpoint(v=variable(saved, value)).save(tmp_path / "c")
    other = variable(loaded, np.zeros((7, 3)))
    tf.train.Checkpoint(v=other).restore(path).assert_consumed()
    assert np.array_equal(other, value)


@pytest.mark.parametrize(("saved", "loaded"), thorough_but(QUICK, NUMBERS))
def test_a_variable_that_comes_later_is_restored_then(tmp_path: Path, saved: int, loaded: int) -> None:
    value = np.random.default_rng(0).normal(size=(7, 3))
    path = tf.train.Checkpoint(v=variable(saved, value)).save(tmp_path / "c")
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.restore(path)
    checkpoint.v = variable(loaded, np.zeros((7, 3)))
    status.assert_consumed()
    assert np.array_equal(checkpoint.v, value)


@pytest.mark.parametrize("late", thorough_but([False], [False, True]), ids=["built", "built later"])
@pytest.mark.parametrize(("saved", "loaded"), thorough_but([(4, 2)], NUMBERS))
def test_tables_and_slots_are_bit_equal_in_any_number_of_shards(
    tmp_path: Path, saved: int, loaded: int, late: bool
) -> None:
    model, optimizer = create(saved)
    train(model, optimizer, seed=1)
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(tmp_path / "c")
    others = create(loaded)
    if late:
        status = tf.train.Checkpoint(model=others[0], optimizer=others[1]).restore(path)
        with others[0].distribute_strategy.scope():
            others[0](IDS)
            build(others[1], others[0])
    else:
        train(*others, seed=2)
        assert not same(state(*others), state(model, optimizer))
        status = tf.train.Checkpoint(model=others[0], optimizer=others[1]).restore(path)
    status.assert_consumed()
    assert same(state(*others), state(model, optimizer))


@pytest.mark.parametrize("optimizer", thorough_but(["Adagrad"], ["SGD", "Adagrad", "Ftrl", "Nadam", "RMSprop", "Lion"]))
def test_slots_of_other_optimizers_are_restored_as_well(tmp_path: Path, optimizer: str) -> None:
    made = [create(shards, optimizer) for shards in (3, 2)]
    for seed, (model, own) in enumerate(made):
        train(model, own, seed)
    path = tf.train.Checkpoint(model=made[0][0], optimizer=made[0][1]).save(tmp_path / "c")
    tf.train.Checkpoint(model=made[1][0], optimizer=made[1][1]).restore(path).assert_consumed()
    assert all(np.array_equal(a, b) for a, b in zip(state(*made[0]), state(*made[1]), strict=True))


def test_training_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    model, optimizer = create(2)
    train(model, optimizer, seed=1)
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(tmp_path / "c")
    other, its = create(3)
    tf.train.Checkpoint(model=other, optimizer=its).restore(path)
    for each in ((model, optimizer), (other, its)):
        train(*each, seed=3)
    # The programs differ in their shapes, so in the last bit.
    assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(state(model, optimizer), state(other, its), strict=True))


def test_a_restore_in_a_first_step_gives_first_values(tmp_path: Path) -> None:
    model, optimizer = create(2)
    train(model, optimizer, seed=1)
    path = tf.train.Checkpoint(model=model).save(tmp_path / "c")
    fresh, _ = create(3)
    tf.train.Checkpoint(model=fresh).restore(path).expect_partial()
    found = fresh.distribute_strategy.run(lambda: fresh(IDS))
    assert np.allclose(found, model(IDS), atol=1e-6)
    assert np.array_equal(fresh.layers[0].embeddings, model.layers[0].embeddings)


def test_another_number_of_rows_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=variable(2, np.arange(6.0))).save(tmp_path / "c")
    other = variable(3, np.zeros(7))
    with pytest.raises(ValueError, match=r"shape \(7,\), in the checkpoint \(6,\)"):
        tf.train.Checkpoint(v=other).restore(path)
    wrong = variable(3, np.zeros(6, np.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype float32, in the checkpoint float64"):
        tf.train.Checkpoint(v=wrong).restore(path)
    assert not np.any(other)
