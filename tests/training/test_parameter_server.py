"""fit, evaluate and predict with parameter servers: several workers, every batch once, and errors that arrive once."""

import collections
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._servers.strategy import ParameterServerStrategy
from tests.servers.idle import threads_that_end_soon as threads_that_end_soon
from tests.servers.remote.serving import one_device, serving
from tests.training.small import BATCH, ROWS, WEIGHTS, X, Y, batched, close, descended, kernel

layers = keras.layers
WORKERS = 3


@pytest.fixture(scope="module")
def alone() -> ParameterServerStrategy:
    """One worker: batches are taken in order."""
    return serving(servers=2, workers=1)


@pytest.fixture(scope="module")
def many() -> ParameterServerStrategy:
    return serving(servers=2, workers=WORKERS)


def linear(strategy: Any, model: Any = keras.Sequential, **compiled: Any) -> Any:
    """One linear layer, from zeros."""
    with strategy.scope():
        inputs = layers.Input((2,))
        outputs = layers.Dense(1, kernel_initializer="zeros")(inputs)
        made = keras.Model(inputs, outputs) if model is keras.Sequential else model(inputs, outputs)
        made.compile(**{"optimizer": keras.optimizers.SGD(0.125), "loss": "mse", "metrics": ["mae"], **compiled})
    return made


class Counting(keras.Model):  # type: ignore[misc]
    """Adds up the examples that its steps see: the order of updates does not matter."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seen = self.add_weight(
            shape=(ROWS * 10,), dtype="int32", initializer="zeros", trainable=False, name="seen"
        )

    def train_step(self, data: Any) -> dict[str, Any]:
        numbers = tf.cast(data[1][:, 0], tf.int32)
        self.seen.assign_add(tf.reduce_sum(tf.one_hot(numbers, ROWS * 10, dtype=tf.int32), axis=0))
        return {"loss": tf.constant(0.0)}


def counting(strategy: Any) -> Any:
    return linear(strategy, Counting, metrics=None)


def numbered(rows: int, batch: int = 4) -> Any:
    y = np.arange(rows, dtype="float32")[:, None]
    return tf.data.Dataset.from_tensor_slices((np.zeros((rows, 2), "float32"), y)).batch(batch)


# --- One worker is one device --------------------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        pytest.param({"sample_weight": WEIGHTS}, marks=pytest.mark.thorough),
        pytest.param({"steps_per_epoch": 2}, marks=pytest.mark.thorough),
        {"validation_split": 0.4},
    ],
    ids=["plain", "sample weights", "steps", "validation"],
)
def test_with_one_worker_batches_in_order_are_gradient_descent(alone: Any, arguments: dict[str, Any]) -> None:
    found, histories = [], []
    for strategy in (alone, one_device()):
        model = linear(strategy)
        history = model.fit(X, Y, batch_size=BATCH, epochs=2, shuffle=False, verbose=0, **arguments)
        found.append(kernel(model))
        histories.append(history.history)
    close(found[0], found[1])
    if not arguments:
        close(found[0], descended(batched(), epochs=2))
    assert histories[0].keys() == histories[1].keys()
    for name in histories[0]:
        np.testing.assert_allclose(histories[0][name], histories[1][name], rtol=1e-5)


@pytest.mark.thorough
@pytest.mark.parametrize("option", ["steps_per_execution", "run_eagerly", "class_weight"])
def test_options_of_compile_and_fit(alone: Any, option: str) -> None:
    labels = (np.arange(ROWS) % 2).astype("float32")[:, None]
    compiled: dict[str, Any] = {"steps_per_execution": {"steps_per_execution": 2}, "run_eagerly": {"run_eagerly": True}}
    given = {"class_weight": {0: 0.5, 1: 2.0}} if option == "class_weight" else {}
    found = []
    for strategy in (alone, one_device()):
        model = linear(strategy, **compiled.get(option, {}))
        model.fit(X, labels, batch_size=2, epochs=2, shuffle=False, verbose=0, **given)
        found.append(kernel(model))
    close(*found)
    assert int(model.optimizer.iterations.numpy()) == 10


def test_single_batches(alone: Any) -> None:
    model, other = linear(alone), linear(one_device())
    for m in (model, other):
        for x, y, _ in batched():
            logs = m.train_on_batch(x, y, return_dict=True)
    close(kernel(model), kernel(other))
    assert logs.keys() == {"loss", "mae"}
    close(model.test_on_batch(X, Y), other.test_on_batch(X, Y))
    close(model.predict_on_batch(X), other.predict_on_batch(X))


# --- Document 003 --------------------------------------------------------------------------------------------------


def test_the_migration_guides_model_learns_on_three_workers(many: Any) -> None:
    features, labels = [[1.0, 1.5], [2.0, 2.5], [3.0, 3.5]], [[0.3], [0.5], [0.7]]
    dataset = tf.data.Dataset.from_tensor_slices((features, labels)).shuffle(10).repeat().batch(64)
    evaluation = tf.data.Dataset.from_tensor_slices(([[4.0, 4.5], [5.0, 5.5], [6.0, 6.5]], [[0.8], [0.9], [1.0]]))
    keras.utils.set_random_seed(3)
    with many.scope():
        model = keras.models.Sequential([layers.Dense(1)])
        model.compile(keras.optimizers.Adagrad(learning_rate=0.05), "mse")
    losses = model.fit(dataset, epochs=5, steps_per_epoch=10, verbose=0).history["loss"]
    assert len(losses) == 5
    assert losses[-1] < 0.3 * losses[0]
    results = model.evaluate(evaluation.repeat().batch(1), steps=10, return_dict=True, verbose=0)
    assert results.keys() == {"loss"}
    assert np.isfinite(results["loss"])


# --- Every example once --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 3])
def test_an_epoch_sees_every_example_once(many: Any, steps: int) -> None:
    model = counting(many)
    model.compile("sgd", steps_per_execution=steps)
    model.fit(numbered(43), epochs=2, verbose=0)
    assert model.seen.numpy()[:43].tolist() == [2] * 43


def test_an_epoch_of_steps_goes_on_where_the_last_one_ended(many: Any) -> None:
    model = counting(many)
    model.fit(numbered(40, batch=5), epochs=2, steps_per_epoch=4, verbose=0)
    assert model.seen.numpy()[:40].tolist() == [1] * 40


def test_a_data_set_from_a_function(many: Any) -> None:
    model = counting(many)
    creator = tf.keras.utils.experimental.DatasetCreator(lambda context: numbered(40).repeat())
    model.fit(creator, epochs=2, steps_per_epoch=10, verbose=0)
    assert model.seen.numpy()[:40].tolist() == [2] * 40


def test_evaluation_counts_every_example_once_whatever_the_last_batch(many: Any) -> None:
    x = np.random.default_rng(0).normal(size=(23, 2)).astype("float32")
    y = np.random.default_rng(1).normal(size=(23, 1)).astype("float32")
    model, other = (linear(s, metrics=["mae", "mse"], weighted_metrics=["mape"]) for s in (many, one_device()))
    weights = [np.array([[0.5], [-1.0]], "float32"), np.array([0.25], "float32")]
    found = []
    for m in (model, other):
        m.set_weights(weights)
        found.append(m.evaluate(x, y, batch_size=4, verbose=0))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)


def test_predictions_come_in_order(many: Any) -> None:
    model = linear(many)
    model.set_weights([np.array([[1.0], [0.0]], "float32"), np.zeros(1, "float32")])
    x = np.stack([np.arange(101.0), np.zeros(101)], axis=1).astype("float32")
    np.testing.assert_array_equal(model.predict(x, batch_size=4, verbose=0)[:, 0], np.arange(101))


def test_validation_beside_training(many: Any) -> None:
    model = linear(many)
    history = model.fit(X, Y, batch_size=2, epochs=3, validation_data=(X, Y), verbose=0).history
    assert history.keys() == {"loss", "mae", "val_loss", "val_mae"}
    np.testing.assert_allclose(history["val_loss"][-1], model.evaluate(X, Y, verbose=0)[0], rtol=1e-5)


# --- Callbacks -----------------------------------------------------------------------------------------------------


class Told(keras.callbacks.Callback):  # type: ignore[misc]
    """What callbacks are told of."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.logs: list[Any] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        assert threading.current_thread() is threading.main_thread()
        self.batches.append(batch)
        self.logs.append(dict(logs))


def test_callbacks_are_told_of_every_step(many: Any) -> None:
    told = Told()
    model = linear(many)
    model.fit(numbered(40), epochs=2, callbacks=[told], verbose=0)
    assert told.batches == [*range(10), *range(10)]
    assert all(logs.keys() == {"loss", "mae"} for logs in told.logs)
    assert int(model.optimizer.iterations.numpy()) == 20


@pytest.mark.thorough
def test_early_stopping_restores_the_best_weights(many: Any) -> None:
    model = linear(many, optimizer=keras.optimizers.SGD(2.0))  # diverges
    stopping = keras.callbacks.EarlyStopping(monitor="loss", patience=1, restore_best_weights=True)
    history = model.fit(X, Y, batch_size=BATCH, epochs=20, callbacks=[stopping], verbose=0)
    assert len(history.epoch) < 20
    assert np.isfinite(kernel(model)).all()


class Interrupted(Exception):
    """The program ends here."""


class Interrupt(keras.callbacks.Callback):  # type: ignore[misc]
    """Ends the program after so many steps of an epoch."""

    def __init__(self, epoch: int, batch: int) -> None:
        super().__init__()
        self.at, self.epoch = (epoch, batch), 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if (self.epoch, batch) == self.at:
            raise Interrupted


def test_a_restored_job_goes_on_in_the_middle_of_an_epoch_and_every_example_counts_once(
    many: Any, tmp_path: Path
) -> None:
    def backup() -> Any:
        return keras.callbacks.BackupAndRestore(str(tmp_path / "backup"), save_freq=3)

    model = counting(many)
    with pytest.raises(Interrupted):
        model.fit(numbered(48), epochs=2, callbacks=[backup(), Interrupt(1, 7)], verbose=0)
    model = counting(serving(servers=3, workers=2))
    model.fit(numbered(48), epochs=2, callbacks=[backup()], verbose=0)
    assert model.seen.numpy()[:48].tolist() == [2] * 48


# --- Steps of users, and what they raise ---------------------------------------------------------------------------


class Stepping(keras.Model):  # type: ignore[misc]
    """A training step as the guides write it."""

    def train_step(self, data: Any) -> dict[str, Any]:
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return {"loss": loss}


def test_a_users_train_step(alone: Any) -> None:
    model = linear(alone, Stepping, metrics=None)
    model.fit(X, Y, batch_size=BATCH, epochs=2, shuffle=False, verbose=0)
    close(kernel(model), descended(batched(), epochs=2))


class Failing(keras.Model):  # type: ignore[misc]
    """Fails at one batch."""

    def train_step(self, data: Any) -> dict[str, Any]:
        return {"loss": tf.reduce_sum(tf.py_function(self.check, [data[1]], tf.float32, result_shape=()))}

    def check(self, y: Any) -> Any:
        if self.fails and np.any(np.asarray(y) == 17):
            raise ValueError("example 17 is wrong")
        return np.float32(0)


def test_an_error_in_a_step_arrives_once_and_fit_can_be_called_again(many: Any) -> None:
    model = linear(many, Failing, metrics=None)
    model.fails = True
    for _ in range(2):
        with pytest.raises(Exception, match="example 17 is wrong"):
            model.fit(numbered(40), verbose=0)
    model.fails = False
    assert len(model.fit(numbered(40), epochs=2, verbose=0).epoch) == 2


def test_an_error_in_the_data_arrives_once(many: Any) -> None:
    def rows() -> Iterator[Any]:
        yield np.zeros(2, "float32"), np.zeros(1, "float32")
        raise OSError("the disk is gone")

    spec = (tf.TensorSpec((2,), tf.float32), tf.TensorSpec((1,), tf.float32))
    model = linear(many)
    with pytest.raises(OSError, match="the disk is gone"):
        model.fit(tf.data.Dataset.from_generator(rows, output_signature=spec).batch(1), verbose=0)
    model.fit(X, Y, verbose=0)


def test_a_gradient_that_is_no_number_ends_the_fit(many: Any) -> None:
    model = linear(many)
    with pytest.raises(tf.errors.InvalidArgumentError, match="NaN or infinity"):
        model.fit(np.full((8, 2), np.nan, "float32"), np.zeros((8, 1), "float32"), verbose=0)
    assert kernel(model).tolist() == [0, 0, 0]
    model.fit(X, Y, verbose=0)


# --- Saving --------------------------------------------------------------------------------------------------------


def embedding(strategy: Any) -> Any:
    with strategy.scope():
        body = [layers.Input((3,), dtype="int32"), layers.Embedding(7, 2), layers.Flatten(), layers.Dense(1)]
        model = keras.Sequential(body)
        model.compile(keras.optimizers.Adagrad(0.1), "mse")
    return model


IDS = np.random.default_rng(4).integers(0, 7, (24, 3)).astype("int32")
LABELS = IDS.sum(axis=1, keepdims=True).astype("float32")


@pytest.mark.thorough
def test_a_model_in_shards_is_saved_as_any_other(tmp_path: Path) -> None:
    model = embedding(serving(servers=2, workers=WORKERS, shards=2))
    model.fit(IDS, LABELS, batch_size=4, epochs=3, verbose=0)
    wanted = model.predict(IDS, verbose=0)
    model.save(tmp_path / "model.keras")
    np.testing.assert_allclose(
        keras.models.load_model(tmp_path / "model.keras").predict(IDS, verbose=0), wanted, rtol=1e-5
    )
    with serving(servers=3, shards=3).scope():
        loaded = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded.predict(IDS, verbose=0), wanted, rtol=1e-5)
    assert int(loaded.optimizer.iterations.numpy()) == 18


@pytest.mark.parametrize(("servers", "shards"), [pytest.param(3, 4, marks=pytest.mark.thorough), (1, None)])
def test_a_checkpoint_fits_any_number_of_servers_and_shards(tmp_path: Path, servers: int, shards: int | None) -> None:
    model = embedding(serving(servers=2, workers=WORKERS, shards=2))
    model.fit(IDS, LABELS, batch_size=4, epochs=2, verbose=0)
    path = tf.train.Checkpoint(model=model, optimizer=model.optimizer).save(tmp_path / "checkpoint")
    other = embedding(serving(servers=servers, workers=1, shards=shards))
    with other.distribute_strategy.scope():
        other.optimizer.build(other.trainable_variables)
    status = tf.train.Checkpoint(model=other, optimizer=other.optimizer).restore(path)
    status.assert_existing_objects_matched()
    found, wanted = (
        collections.Counter(np.concatenate([np.ravel(v.numpy()) for v in m.optimizer.variables]).tolist())
        for m in (other, model)
    )
    assert found == wanted  # slots, bit by bit, in whatever parts
    np.testing.assert_array_equal(other.layers[0].embeddings.numpy(), model.layers[0].embeddings.numpy())
    for m in (model, other):
        m.fit(IDS[:4], LABELS[:4], batch_size=4, verbose=0)
    np.testing.assert_allclose(other.layers[0].embeddings.numpy(), model.layers[0].embeddings.numpy(), rtol=1e-6)
