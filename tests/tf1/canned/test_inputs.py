"""Input functions of arrays and tables: batches as TensorFlow 1's queues give them."""

import tempfile
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.compat import v1 as tf1

inputs = tf1.estimator.inputs
X = {"b": np.arange(5), "a": np.arange(5.0) / 2}
Y = np.arange(5) * 10


def batches(input_fn: Any) -> list[Any]:
    """What an Estimator would be given."""
    seen: list[Any] = []

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        kept = features if isinstance(features, dict) else {"x": features}
        return tf1.estimator.EstimatorSpec(mode, predictions={k: tf.cast(v, tf.float32) for k, v in kept.items()})

    with tempfile.TemporaryDirectory() as folder:
        estimator = tf1.estimator.Estimator(model_fn, folder)
        for batch in estimator.predict(input_fn, yield_single_examples=False, checkpoint_path=None):
            seen.append({key: value.tolist() for key, value in batch.items()})
    return seen


def test_batches_go_on_from_one_epoch_to_the_next() -> None:
    found = batches(inputs.numpy_input_fn(X, Y, batch_size=4, num_epochs=2, shuffle=False))
    assert [batch["b"] for batch in found] == [[0, 1, 2, 3], [4, 0, 1, 2], [3, 4]]
    assert found[2]["a"] == [1.5, 2.0]


def test_shuffled_rows_come_as_often_as_there_are_epochs() -> None:
    found = batches(inputs.numpy_input_fn(np.arange(6), batch_size=4, num_epochs=3, shuffle=True))
    rows = [row for batch in found for row in batch["x"]]
    assert sorted(rows) == sorted([0, 1, 2, 3, 4, 5] * 3)
    assert [len(batch["x"]) for batch in found] == [4, 4, 4, 4, 2]


def test_features_and_labels_of_an_input_fn_can_be_taken_apart() -> None:
    def input_fn() -> Any:
        features, labels = inputs.numpy_input_fn(X, Y, shuffle=False)()
        return {**features, "label": labels}, labels

    assert batches(input_fn)[0]["label"] == [0, 10, 20, 30, 40]


class Table:
    """What pandas' DataFrames have and the function uses; pandas itself is not installed with this library."""

    def __init__(self, columns: dict[str, Any], index: Any) -> None:
        self.columns, self.index, self._values = list(columns), index, columns

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __len__(self) -> int:
        return len(self.index)


def test_tables_give_their_columns() -> None:
    table = Table({"n": [1, 2, 3], "w": ["a", "b", "c"]}, [0, 1, 2])
    with_targets = inputs.pandas_input_fn(table, Table({"y": [1.0, 2.0, 3.0]}, [0, 1, 2]), batch_size=2, shuffle=False)

    def taken() -> Any:
        features, targets = with_targets()
        return {"n": features["n"], "y": targets["y"]}

    assert batches(taken) == [{"n": [1.0, 2.0], "y": [1.0, 2.0]}, {"n": [3.0], "y": [3.0]}]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: inputs.numpy_input_fn(X), ValueError, "shuffle must be provided and explicitly set as boolean"),
        (lambda: inputs.numpy_input_fn([1], shuffle=False)(), TypeError, "x must be a dict or array; got list"),
        (lambda: inputs.numpy_input_fn({}, shuffle=False)(), ValueError, "x cannot be an empty dict"),
        (lambda: inputs.numpy_input_fn(X, {}, shuffle=False)(), ValueError, "y cannot be an empty dict"),
        (lambda: inputs.numpy_input_fn(X, {"a": Y}, shuffle=False)(), ValueError, "1 duplicate keys are found in both"),
        (
            lambda: inputs.numpy_input_fn(X, Y[:3], shuffle=False)(),
            ValueError,
            "Length of tensors in x and y is mismatched",
        ),
        (lambda: inputs.pandas_input_fn(X, shuffle=False), TypeError, "x must be a pandas DataFrame; got dict"),
        (
            lambda: inputs.pandas_input_fn(Table({"a": [1]}, [0]), Table({"y": [1]}, [1]), shuffle=True),
            ValueError,
            "Index for x and y are mismatched",
        ),
        (
            lambda: inputs.pandas_input_fn(Table({"target": [1]}, [0]), Table({"y": [1]}, [0]), shuffle=True),
            ValueError,
            "Cannot use name target for target column",
        ),
    ],
)
def test_what_is_said_about_arguments(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()
