"""Whatever `fit` takes as data trains as the same rows in arrays do."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

import datasets
import jax.numpy as jnp
import numpy as np
import pandas
import pytest
import torch
import torch.utils.data
import tqdm

import stratagem as tf
from tests.training.small import BATCH, ROWS, WEIGHTS, X, Y, batched, close, descended, kernel, linear, shared

tqdm.tqdm.monitor_interval = 0  # else the first progress bar of `datasets`, shown or not, starts a thread that stays

PAIRS = [(X[i : i + BATCH], Y[i : i + BATCH]) for i in range(0, ROWS, BATCH)]


class Sequence(tf.keras.utils.PyDataset):
    """The batches by number."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.epochs = 0

    def __len__(self) -> int:
        return len(PAIRS)

    def __getitem__(self, index: int) -> Any:
        return PAIRS[index]

    def on_epoch_end(self) -> None:
        self.epochs += 1


def pairs() -> Iterator[Any]:
    yield from PAIRS


def forever() -> Iterator[Any]:
    while True:
        yield from PAIRS


def dataset() -> Any:
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH)


def hugging_face_rows() -> Any:
    return datasets.Dataset.from_dict({"x": X.tolist(), "y": Y.tolist()}).with_format("numpy")


def hugging_face() -> Any:
    return hugging_face_rows().batch(BATCH)


def loader() -> Any:
    rows = torch.utils.data.TensorDataset(torch.from_numpy(X), torch.from_numpy(Y))
    return torch.utils.data.DataLoader(rows, batch_size=BATCH)


ARRAYS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "lists": lambda: (X.tolist(), Y.tolist()),
    "a list of numbers as targets": lambda: (X, Y[:, 0].tolist()),
    "jax": lambda: (jnp.asarray(X), jnp.asarray(Y)),
    "torch": lambda: (torch.from_numpy(X), torch.from_numpy(Y)),
    "pandas": lambda: (pandas.DataFrame(X, columns=["a", "b"]), pandas.Series(Y[:, 0])),
    "pandas with missing values": lambda: (pandas.DataFrame(X).astype("Float32"), pandas.Series(Y[:, 0])),
    "columns of Hugging Face": lambda: (hugging_face_rows()["x"], hugging_face_rows()["y"]),
    "float64": lambda: (X.astype("float64"), Y.astype("float64")),
    "one-dimensional targets": lambda: (X, Y[:, 0]),
}
BATCHED: dict[str, Callable[[], Any]] = {
    "Dataset": dataset,
    "generator": pairs,
    "PyDataset": Sequence,
    "PyDataset with workers": lambda: Sequence(workers=2),
    "torch DataLoader": loader,
}


@pytest.mark.sampled
@pytest.mark.parametrize("make", ARRAYS.values(), ids=ARRAYS.keys())
def test_arrays_of_any_library(make: Callable[[], tuple[Any, Any]]) -> None:
    model, (x, y) = shared(), make()
    model.fit(x, y, batch_size=BATCH, shuffle=False, verbose=0)
    close(kernel(model), descended(batched()))
    close(model.predict(x, verbose=0), X @ kernel(model)[:2, None] + kernel(model)[2])


@pytest.mark.sampled
@pytest.mark.parametrize("make", BATCHED.values(), ids=BATCHED.keys())
def test_batches_of_any_library(make: Callable[[], Any]) -> None:
    model = shared()
    model.fit(make(), shuffle=False, verbose=0)
    close(kernel(model), descended(batched()))
    assert model.evaluate(make(), verbose=0) == pytest.approx(model.evaluate(X, Y, verbose=0), rel=1e-5)
    close(model.predict(make(), verbose=0), X @ kernel(model)[:2, None] + kernel(model)[2])
    gc.collect()


@pytest.mark.parametrize("make", [dataset, Sequence, loader])
def test_every_epoch_is_a_pass_of_its_own(make: Callable[[], Any]) -> None:
    model = shared()
    history = model.fit(make(), epochs=3, shuffle=False, verbose=0, validation_data=make()).history
    close(kernel(model), descended(batched(), epochs=3))
    assert len(history["val_loss"]) == 3


def test_a_generator_without_end_by_steps() -> None:
    model = shared()
    model.fit(forever(), steps_per_epoch=2, epochs=3, verbose=0, validation_data=forever(), validation_steps=1)
    close(kernel(model), descended(batched(), epochs=2))


def test_a_py_dataset_hears_the_end_of_every_epoch() -> None:
    model, data = shared(), Sequence(workers=2)
    model.fit(data, epochs=2, verbose=0)
    assert data.epochs == 2


def test_columns_by_name() -> None:
    inputs = tf.keras.layers.Input((2,), name="x")
    with shared().distribute_strategy.scope():
        model = tf.keras.Model({"x": inputs}, tf.keras.layers.Dense(1, kernel_initializer="zeros")(inputs))
        model.compile(tf.keras.optimizers.SGD(0.125), "mse")
    table = hugging_face()
    model.fit(
        tf.data.Dataset.from_generator(lambda: (({"x": b["x"]}, b["y"]) for b in table), **_signature()), verbose=0
    )
    close(kernel(model), descended(batched()))
    model.set_weights([np.zeros((2, 1)), np.zeros(1)])
    model.fit({"x": X}, Y, batch_size=BATCH, shuffle=False, verbose=0)
    close(kernel(model), descended(batched()))
    close(model.predict({"x": X}, verbose=0), X @ kernel(model)[:2, None] + kernel(model)[2])
    # As in Keras a batch of columns alone is inputs.
    assert model.predict(table.remove_columns("y"), verbose=0).shape == (ROWS, 1)


def test_a_table_with_columns_of_several_types() -> None:
    model = shared()
    model.set_weights([np.array([[1.0], [10.0]]), np.zeros(1)])
    table = pandas.DataFrame({"number": [0.5, 2.5], "is it": [True, False]})
    close(model.predict(table, verbose=0), np.array([[10.5], [2.5]]))
    table = pandas.DataFrame({"count": [3, 4], "is it": [True, False]})
    close(model.predict(table, verbose=0), np.array([[13], [4]]))
    table = pandas.DataFrame({"count": pandas.array([3, None], "Int64"), "is it": [True, False]})
    np.testing.assert_array_equal(model.predict(table, verbose=0), [[13], [np.nan]])


def test_columns_without_numbers_are_named() -> None:
    table = pandas.DataFrame({"number": [0.5, 2.5], "name": ["a", "b"]})
    with pytest.raises(TypeError, match=r"Columns without numbers: 'name' \("):
        shared().predict(table, verbose=0)


def test_weights_and_validation_of_pandas() -> None:
    x, y = pandas.DataFrame(X, index=range(ROWS, 0, -1)), pandas.Series(Y[:, 0])  # rows count, not their labels
    model = shared()
    arguments = {"batch_size": BATCH, "shuffle": False, "verbose": 0}
    history = model.fit(x, y, sample_weight=pandas.Series(WEIGHTS), validation_data=(x, y), **arguments).history
    close(kernel(model), descended(batched(weights=WEIGHTS)))
    assert history["val_loss"] == pytest.approx([model.evaluate(X, Y, verbose=0)[0]], rel=1e-5)
    model = shared()
    model.fit(x, y, validation_split=0.2, **arguments)
    close(kernel(model), descended(batched(X[:8], Y[:8])))


def _signature() -> dict[str, Any]:
    spec = tf.TensorSpec
    x, y = spec((None, 2), tf.float32), spec((None, 1), tf.float32)
    return {"output_signature": ({"x": x}, y)}


def test_elements_with_weights() -> None:
    model = shared()
    model.fit(tf.data.Dataset.from_tensor_slices((X, Y, WEIGHTS)).batch(BATCH), verbose=0)
    close(kernel(model), descended(batched(weights=WEIGHTS)))


def test_elements_of_inputs_alone() -> None:
    class Reconstructs(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.inner = tf.keras.layers.Dense(2)

        def call(self, x: Any) -> Any:
            y = self.inner(x)
            self.add_loss(tf.reduce_mean(tf.square(x - y)))
            return y

    found = []
    for strategy in ("one device", "mirrored 2"):
        tf.keras.utils.set_random_seed(0)
        with shared(strategy).distribute_strategy.scope():
            model = Reconstructs()
            model.compile("sgd")
        for data in (X, tf.data.Dataset.from_tensor_slices(X).batch(BATCH)):
            options = {"batch_size": BATCH, "shuffle": False} if data is X else {}
            history = model.fit(data, verbose=0, **options).history
            found.append([*history["loss"], *kernel(model)])
    close(np.array(found[2:]), np.array(found[:2]))


def test_a_distributed_dataset() -> None:
    model = shared()
    distributed = model.distribute_strategy.experimental_distribute_dataset(dataset())
    model.fit(distributed, epochs=2, steps_per_epoch=3, verbose=0)
    close(kernel(model), descended(batched(), epochs=2))
    model.set_weights([np.zeros((2, 1)), np.zeros(1)])
    model.fit(distributed, epochs=2, verbose=0)
    close(kernel(model), descended(batched(), epochs=2))


def test_a_dataset_that_a_function_makes_for_a_worker() -> None:
    contexts = []

    def made(context: Any) -> Any:
        contexts.append((context.num_replicas_in_sync, context.get_per_replica_batch_size(BATCH)))
        return tf.data.Dataset.from_tensor_slices((X[:8], Y[:8])).repeat().batch(2)

    model = shared()
    model.fit(tf.keras.utils.experimental.DatasetCreator(made), steps_per_epoch=2, epochs=2, verbose=0)
    assert contexts == [(2, 2)]
    close(kernel(model), descended(batched(X[:8], Y[:8]), epochs=2))


def test_tuples_and_lists_of_inputs_and_outputs() -> None:
    layers = tf.keras.layers
    with shared().distribute_strategy.scope():
        a, b = layers.Input((1,)), layers.Input((1,))
        dense = layers.Dense(1, kernel_initializer="zeros")
        joined = layers.Concatenate()([a, b])
        model = tf.keras.Model([a, b], [dense(joined), layers.Dense(1, kernel_initializer="zeros")(joined)])
        model.compile(tf.keras.optimizers.SGD(0.125), ["mse", "mse"], loss_weights=[1.0, 0.0])
    inputs, targets = (X[:, :1], X[:, 1:]), (Y, Y)
    for x, y in (([*inputs], [*targets]), (inputs, targets)):
        model.set_weights([np.zeros((2, 1)), np.zeros(1)] * 2)
        model.fit(x, y, batch_size=BATCH, shuffle=False, verbose=0)
        close(kernel(model)[:3], descended(batched()))
    first, second = model.predict(inputs, verbose=0)
    close(first, X @ kernel(model)[:2, None] + kernel(model)[2])
    assert second.shape == (ROWS, 1)
    model.set_weights([np.zeros((2, 1)), np.zeros(1)] * 2)
    model.fit(tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(BATCH), verbose=0)
    close(kernel(model)[:3], descended(batched()))


def test_nested_predictions_keep_their_structure() -> None:
    layers = tf.keras.layers
    with shared("mirrored 8").distribute_strategy.scope():
        x = layers.Input((2,))
        model = tf.keras.Model(x, {"sums": [layers.Dense(1)(x), layers.Dense(3)(x)], "same": layers.Identity()(x)})
    found = model.predict(X, batch_size=BATCH, verbose=0)
    assert [v.shape for v in found["sums"]] == [(ROWS, 1), (ROWS, 3)]
    assert np.array_equal(found["same"], X)


def test_predictions_of_other_numbers_of_rows_than_examples() -> None:
    """Outputs are put together batch by batch, whatever their first dimension is."""

    class Columns(tf.keras.Model):
        def call(self, x: Any) -> Any:
            return tf.reshape(x, (-1, 1))

    with shared().distribute_strategy.scope():
        model = Columns()
    assert np.array_equal(model.predict(X, batch_size=BATCH, verbose=0), X.reshape(-1, 1))


def test_a_model_that_is_not_compiled_predicts() -> None:
    with shared().distribute_strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    close(model.predict(X, verbose=0), X.sum(axis=1, keepdims=True))
    assert linear().predict(X[:1], verbose=0).shape == (1, 1)
