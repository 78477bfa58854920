"""tf1.estimator.inputs: input functions of arrays and of pandas' tables, in batches as TensorFlow 1's queues give them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from stratagem._base.exports import exported
from stratagem._data import Dataset


@exported(v1=["estimator.inputs.numpy_input_fn"])
def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: object = 1,
) -> Callable[[], Any]:
    """Returns an input function whose batches are rows of arrays: features, or (features, targets) if there is a `y`.

    x: an array, or a dict of arrays. y: likewise. num_epochs: how often each row comes; None means without end. Batches go on
    from one epoch to the next, and the last one may be smaller. shuffle: takes rows in random order, out of `queue_capacity`
    that are held ready.

    Raises ValueError unless shuffle is a bool. The input function raises TypeError for what is neither array nor dict, and
    ValueError for an empty one, for different numbers of rows, and for keys that x and y share.
    """
    _check_shuffle(shuffle)

    def input_fn() -> Any:
        features, targets = _arrays(x, "x"), None if y is None else _arrays(y, "y")
        _check_keys(features, targets)
        _check_rows(features, targets)
        element = features if targets is None else (features, targets)
        return _batches(element, batch_size, num_epochs, queue_capacity if shuffle else None)

    return input_fn


@exported(v1=["estimator.inputs.pandas_input_fn"])
def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int | None = 1000,
    num_threads: object = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Returns an input function whose batches are rows of a table: a dict of features by column, and targets.

    x: a DataFrame of pandas, which is copied. y: a Series or a DataFrame with the same index. target_column: a name for a
    Series, which no column of x has. The other arguments are those of `numpy_input_fn`; a queue_capacity of None holds four
    times the rows ready.

    Raises TypeError for what is no DataFrame, ValueError unless shuffle is a bool, and for another index.
    """
    _check_shuffle(shuffle)
    if not isinstance(target_column, str):
        raise TypeError(f"target_column must be a string type, got {target_column!r}.")
    if not hasattr(x, "columns") or not hasattr(x, "index"):
        raise TypeError(f"x must be a pandas DataFrame; got {type(x).__name__}")
    features = _columns(x)
    targets: Any = None
    if y is not None:
        if target_column in features:
            raise ValueError(
                f"Cannot use name {target_column} for target column: DataFrame already has a column with that name: {x.columns}"
            )
        if not np.array_equal(x.index, y.index):
            raise ValueError(f"Index for x and y are mismatched.\nIndex for x: {x.index}\nIndex for y: {y.index}")
        targets = _columns(y) if hasattr(y, "columns") else np.array(y)
    capacity = 4 * len(x) if queue_capacity is None else queue_capacity

    def input_fn() -> Any:
        element = features if targets is None else (features, targets)
        return _batches(element, batch_size, num_epochs, capacity if shuffle else None)

    return input_fn


def _columns(table: Any) -> dict[str, np.ndarray]:
    """Returns a copy of the columns of a table. pandas' own strings become Python's."""
    found = {name: np.array(table[name]) for name in table.columns}
    return {name: array.astype(object) if array.dtype.kind in "OUST" else array for name, array in found.items()}


def _check_shuffle(shuffle: Any) -> None:
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for training); "
            f"got {shuffle}"
        )


def _arrays(given: Any, name: str) -> Any:
    """Returns an array, or a dict of arrays in the order of its keys."""
    if isinstance(given, Mapping):
        if not given:
            raise ValueError(f"{name} cannot be an empty dict")
        return {key: np.asarray(given[key]) for key in sorted(given)}
    if name == "x" and not isinstance(given, np.ndarray):
        raise TypeError(f"x must be a dict or array; got {type(given).__name__}")
    found = np.asarray(given)
    if name == "x" and found.size == 0:
        raise ValueError("x cannot be an empty array")
    return found


def _check_keys(features: Any, targets: Any) -> None:
    if isinstance(features, dict) and isinstance(targets, dict):
        shared = sorted(features.keys() & targets.keys())
        if shared:
            raise ValueError(f"{len(shared)} duplicate keys are found in both x and y: {shared}")


def _check_rows(features: Any, targets: Any) -> None:
    named = [part if isinstance(part, dict) else {"": part} for part in (features, targets) if part is not None]
    shapes = [{key: array.shape for key, array in part.items()} for part in named]
    if len({shape[:1] for part in shapes for shape in part.values()}) != 1:
        raise ValueError(
            "Length of tensors in x and y is mismatched. All elements in x and y must have the same length.\n"
            f"Shapes in x: {shapes[0]}\nShapes in y: {shapes[1] if targets is not None else None}"
        )


def _batches(element: Any, batch_size: int, num_epochs: int | None, capacity: int | None) -> Any:
    """Returns what `get_next` gives of the batches, which an Estimator takes for the dataset that they are of."""
    dataset = Dataset.from_tensor_slices(element).repeat(num_epochs)
    if capacity is not None:
        dataset = dataset.shuffle(capacity)
    return dataset.batch(batch_size).make_one_shot_iterator().get_next()
