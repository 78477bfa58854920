"""What the arguments of fit, evaluate and predict do under a strategy, against gradient descent written in NumPy."""

import warnings
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.thorough import thorough_but
from tests.training.small import BATCH, ROWS, WEIGHTS, X, Y, batched, close, descended, kernel, linear, shared

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`


class Counts(tf.keras.callbacks.Callback):
    """The batches and epochs that callbacks are told of."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.epochs: list[int] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.batches.append(batch)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epochs.append(epoch)


def fit(model: Any = None, x: Any = X, y: Any = Y, **arguments: Any) -> tuple[np.ndarray, dict[str, list[float]]]:
    """The weights and the history of a fit in order."""
    model = shared() if model is None else model
    arguments = {"batch_size": BATCH, "shuffle": False, "verbose": 0, **arguments}
    history = model.fit(x, y, **arguments).history
    return kernel(model), history


@pytest.mark.sampled
@pytest.mark.parametrize(
    "strategy", ["one device", "mirrored 2", pytest.param("mirrored 8", marks=pytest.mark.thorough)]
)
def test_batches_in_order_are_gradient_descent(strategy: str) -> None:
    close(fit(shared(strategy), epochs=2)[0], descended(batched(), epochs=2))


@pytest.mark.sampled
@pytest.mark.parametrize("shape", [(ROWS,), (ROWS, 1)])
def test_examples_weigh_what_sample_weight_says(shape: tuple[int, ...]) -> None:
    weights, history = fit(sample_weight=WEIGHTS.reshape(shape))
    close(weights, descended(batched(weights=WEIGHTS)))
    assert history["mse"][0] != history["loss"][0]  # weighted by the sum of weights, and by the number of rows


def test_classes_weigh_what_class_weight_says() -> None:
    labels = (np.arange(ROWS) % 3).astype("float32")[:, None]
    weights, _ = fit(y=labels, class_weight={0: 0.5, 2: 3.0})
    close(weights, descended(batched(y=labels, weights=np.array([0.5, 1.0, 3.0])[np.arange(ROWS) % 3])))


def test_class_weights_of_a_dataset_and_of_one_hot_targets() -> None:
    model = linear(loss="categorical_crossentropy")
    with model.distribute_strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(3, "softmax")])
        model.compile("sgd", "categorical_crossentropy")
    start, labels = model.get_weights(), np.eye(3, dtype="float32")[np.arange(ROWS) % 3]
    found = []
    pairs = tf.data.Dataset.from_tensor_slices((X, labels)).batch(BATCH)
    weighted = np.array([0.5, 1.0, 3.0])[np.arange(ROWS) % 3]
    for x, more in (
        (pairs, {"class_weight": {0: 0.5, 2: 3.0}}),
        (X, {"y": labels, "class_weight": {0: 0.5, 2: 3.0}, "batch_size": BATCH}),
        (X, {"y": labels, "sample_weight": weighted, "batch_size": BATCH}),
    ):
        model.set_weights(start)
        model.fit(x, **more, shuffle=False, verbose=0)
        found.append(kernel(model))
    close(found[0], found[2])
    close(found[1], found[2])


def test_validation_split_takes_the_last_examples() -> None:
    weights, history = fit(validation_split=0.3)
    close(weights, descended(batched(X[:7], Y[:7])))
    model = shared()
    model.set_weights([weights[:2, None], weights[2:]])
    assert history["val_mae"] == [pytest.approx(model.evaluate(X[7:], Y[7:], verbose=0, return_dict=True)["mae"])]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "given",
    [
        (X, Y),
        (X, Y, np.ones(ROWS)),
        [X, Y],
        tf.data.Dataset.from_tensor_slices((X, Y)).batch(3),
    ],
    ids=["pair", "with weights", "list", "dataset"],
)
def test_validation_data(given: Any) -> None:
    weights, history = fit(validation_data=given, epochs=2)
    close(weights, descended(batched(), epochs=2))
    assert set(history) == {"loss", "mae", "mse", "val_loss", "val_mae", "val_mse"}
    error = X @ weights[:2, None] + weights[2] - Y
    close(np.array(history["val_mae"][-1]), np.mean(np.abs(error)))
    close(np.array(history["val_loss"][-1]), np.mean(error**2))


def test_metrics_of_training_are_not_those_of_validation() -> None:
    _, alone = fit(epochs=2)
    _, history = fit(epochs=2, validation_data=(X[:1], Y[:1]))
    assert {name: history[name] for name in alone} == alone


@pytest.mark.parametrize(("freq", "epochs"), [(2, 2), ([1, 4], 2), ({3}, 1)])
def test_validation_in_some_epochs(freq: Any, epochs: int) -> None:
    _, history = fit(epochs=4, validation_data=(X, Y), validation_freq=freq)
    assert len(history["val_loss"]) == epochs


def test_epochs_go_on_from_initial_epoch() -> None:
    counts = Counts()
    weights, history = fit(epochs=5, initial_epoch=3, callbacks=[counts])
    close(weights, descended(batched(), epochs=2))
    assert counts.epochs == [3, 4]
    assert counts.batches == [0, 1, 2, 0, 1, 2]
    assert len(history["loss"]) == 2


def test_steps_of_an_epoch_go_on_where_the_one_before_ended() -> None:
    whole = batched()
    weights, _ = fit(epochs=3, steps_per_epoch=2)  # 6 batches: twice all 3
    close(weights, descended([*whole, *whole]))
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH).repeat()
    close(fit(x=data, y=None, batch_size=None, epochs=3, steps_per_epoch=2)[0], weights)


def test_steps_of_evaluate_and_predict() -> None:
    model = shared()
    fit(model)
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH).repeat()
    first = model.evaluate(X[:8], Y[:8], verbose=0)
    assert model.evaluate(data, steps=2, verbose=0) == pytest.approx(first)
    assert model.evaluate(X, Y, batch_size=BATCH, steps=2, verbose=0) == pytest.approx(first)
    close(model.predict(data, steps=4, verbose=0), np.concatenate([model.predict(X, verbose=0)] * 2)[:14])
    assert model.predict(X, batch_size=BATCH, steps=2, verbose=0).shape == (8, 1)


@pytest.mark.sampled
@pytest.mark.parametrize("steps", [2, pytest.param(3, marks=pytest.mark.thorough), 5])
def test_several_steps_an_execution_change_nothing(steps: int) -> None:
    model, counts = linear(steps_per_execution=steps, metrics=["mae"], weighted_metrics=["mse"]), Counts()
    weights, history = fit(model, epochs=2, callbacks=[counts], validation_data=(X, Y), validation_batch_size=3)
    plain_weights, plain = fit(epochs=2, validation_data=(X, Y), validation_batch_size=3)
    close(weights, plain_weights)
    for name, values in plain.items():
        close(np.array(history[name]), np.array(values))
    assert counts.batches == {2: [1, 2], 3: [2], 5: [2]}[steps] * 2
    close(model.predict(X, batch_size=3, verbose=0), X @ weights[:2, None] + weights[2])
    assert model.optimizer.iterations.numpy() == 6


def test_every_step_is_traced_once_for_a_shape() -> None:
    traced: list[tuple[int, ...]] = []

    class Counted(tf.keras.layers.Layer):
        def call(self, x: Any) -> Any:
            traced.append(tuple(x.shape))
            return x

    def run(**compiled: Any) -> list[tuple[int, ...]]:
        with linear().distribute_strategy.scope():
            model = tf.keras.Sequential([tf.keras.layers.Input((2,)), Counted(), tf.keras.layers.Dense(1)])
            model.compile("sgd", "mse", **compiled)
        model.fit(X[:8], Y[:8], batch_size=2, verbose=0, epochs=1)
        traced.clear()
        model.fit(X[:8], Y[:8], batch_size=2, verbose=0, epochs=3)
        return list(traced)

    assert run() == []
    assert run(steps_per_execution=4) == []
    # 4 batches by 3 are a program of three and one of one.
    assert run(steps_per_execution=3) == []


def test_the_order_of_examples_follows_the_seed() -> None:
    def shuffled(seed: int) -> np.ndarray:
        tf.keras.utils.set_random_seed(seed)
        return fit(shuffle=True, epochs=2)[0]

    first = shuffled(3)
    assert np.array_equal(shuffled(3), first)
    assert not np.allclose(shuffled(4), first)
    assert not np.allclose(fit(shuffle=True, epochs=2)[0], fit(shuffle=True, epochs=2)[0])


def test_every_epoch_is_in_another_order() -> None:
    model = linear(loss=lambda y, y_pred: y + 0 * y_pred)
    rows = np.arange(ROWS, dtype="float32")[:, None]
    seen = model.fit(np.zeros((ROWS, 2)), rows, batch_size=ROWS - 1, steps_per_epoch=1, epochs=6, verbose=0).history
    assert len(set(np.round(seen["loss"], 3))) > 1
    whole = model.fit(np.zeros((ROWS, 2)), rows, batch_size=3, epochs=2, verbose=0).history
    close(np.array(whole["loss"]), np.full(2, 4.5))


def test_on_batches() -> None:
    model = shared()
    logs = model.train_on_batch(X[:5], Y[:5], return_dict=True)
    close(kernel(model), descended(batched(size=5)[:1]))
    close(np.array([logs["loss"], logs["mae"]]), np.array([np.mean(Y[:5] ** 2), np.mean(np.abs(Y[:5]))]))
    assert model.train_on_batch(X[:5], Y[:5])[0] < logs["loss"]
    weights = kernel(model)
    expected = X[:5] @ weights[:2, None] + weights[2]
    tested = model.test_on_batch(X[:5], Y[:5], sample_weight=WEIGHTS[:5], return_dict=True)
    close(np.array(tested["loss"]), np.mean((expected - Y[:5])[:, 0] ** 2 * WEIGHTS[:5]))
    assert np.array_equal(kernel(model), weights)
    close(model.predict_on_batch(X[:5]), expected)
    close(model.predict_on_batch(X[:1]), expected[:1])


def test_on_one_batch_with_class_weights() -> None:
    model, labels = shared(), np.array([[0.0], [1.0], [1.0]], "float32")
    model.train_on_batch(X[:3], labels, class_weight={1: 4.0})
    close(kernel(model), descended([(X[:3], labels, np.array([1, 4, 4]))]))


def test_logs_reach_callbacks_as_numbers_that_agree_with_the_history() -> None:
    told: list[dict[str, Any]] = []

    class Keeps(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            told.append(dict(logs))

    _, history = fit(epochs=2, callbacks=[Keeps()], validation_data=(X, Y))
    assert [log["val_mae"] for log in told] == history["val_mae"]
    assert all(float(value) == history[name][i] for i, log in enumerate(told) for name, value in log.items())


def test_no_epoch_changes_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights, history = fit(epochs=0)
    assert history == {}
    assert not weights.any()


def test_frozen_layers_stay() -> None:
    model = linear()
    model.layers[-1].trainable = False
    model.compile("sgd", "mse")  # under the model's strategy, wherever it is called
    weights, history = fit(model, epochs=1)
    assert not weights.any()
    close(np.array(history["loss"]), [np.mean(Y**2)])
    model.layers[-1].trainable = True
    with model.distribute_strategy.scope():
        model.compile(tf.keras.optimizers.SGD(0.125), "mse")
    close(fit(model)[0], descended(batched()))


def test_a_validation_that_ends_early_is_told_and_counts_what_there_was() -> None:
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH)
    with pytest.warns(UserWarning, match="evaluation: 3 of 5 steps"):
        _, history = fit(epochs=2, validation_data=data, validation_steps=5)
    assert history["val_loss"] == fit(epochs=2, validation_data=data)[1]["val_loss"]


def test_an_epoch_without_data_leaves_no_logs() -> None:
    data = tf.data.Dataset.from_tensor_slices((X[:8], Y[:8])).batch(BATCH)
    with pytest.warns(UserWarning, match="epoch 3 of 4: 0 of 1 steps"):
        _, history = fit(x=data, y=None, batch_size=None, epochs=4, steps_per_epoch=1)
    assert len(history["loss"]) == 2


def test_run_eagerly_computes_the_same() -> None:
    model = linear(run_eagerly=True, metrics=["mae"])
    close(fit(model)[0], descended(batched()))
    close(model.predict(X, verbose=0), X @ kernel(model)[:2, None] + kernel(model)[2])


@pytest.mark.parametrize("strategy", thorough_but(["mirrored 2"], ["one device", "mirrored 2"]))
def test_the_third_argument_of_compile_is_the_metrics_as_in_tensorflow(strategy: str) -> None:
    model = linear(strategy)
    data = {"x": X, "y": Y, "batch_size": BATCH, "verbose": 0}
    model.compile("sgd", "mse", ["mae"])
    assert [*model.fit(**data).history] == ["loss", "mae"]
    model.compile("sgd", "mse", ["mae"], [0.0])
    assert model.fit(**data).history["loss"] == [0.0]
    model.compile("sgd", "mse", None, [0.0])
    assert model.fit(**data).history["loss"] == [0.0]
    model.compile("sgd", "mse", [0.0], ["mae"])  # as Keras 3 has it
    assert [*model.fit(**data).history] == ["loss", "mae"]
