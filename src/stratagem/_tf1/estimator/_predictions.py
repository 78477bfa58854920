"""The predictions of an Estimator's model, row by row or batch by batch."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from stratagem._tf1.estimator._class_names import ClassNames
from stratagem._tf1.estimator._runner import StepResults

_PREFIX = "prediction "


def chosen_keys(predictions: Any, predict_keys: Iterable[str] | None) -> list[str]:
    """Returns the keys of the predictions to return; [""] for a single tensor.

    Raises ValueError for keys of a single tensor, and if none of the keys exists.
    """
    if not isinstance(predictions, dict):
        if predict_keys:
            raise ValueError(
                f"predict_keys argument is not valid in case of non-dict predictions: the model_fn returned {predictions}."
            )
        return [""]
    if not predict_keys:
        return list(predictions)
    wanted = set(predict_keys)
    keys = [key for key in predictions if key in wanted]
    if not keys:
        raise ValueError(f"Expected to run at least one output from {list(predictions)}, provided {sorted(wanted)}.")
    return keys


def rows(results: Iterable[StepResults], keys: list[str], predictions: Any, *, one_by_one: bool) -> Iterator[Any]:
    """Yields the predictions of every row or every batch as a dict of NumPy arrays; as one array if the only key is "".

    predictions: those of the model, which say what strings their indices mean.

    Raises ValueError if rows are requested and the predictions differ in their number of rows, or have none.
    """
    for found in results:
        batch = {key: _named(np.asarray(found.tensors[f"{_PREFIX}{key}"]), key, predictions) for key in keys}
        if not one_by_one:
            yield _alone(batch)
            continue
        for i in range(_length(batch)):
            yield _alone({key: value[i] for key, value in batch.items()})


def _named(found: np.ndarray, key: str, predictions: Any) -> np.ndarray:
    prediction = predictions[key] if isinstance(predictions, dict) else predictions
    return prediction.at(found) if isinstance(prediction, ClassNames) else found


def _alone(named: dict[str, Any]) -> Any:
    return named[""] if list(named) == [""] else named


def _length(batch: dict[str, np.ndarray]) -> int:
    shapes = {key: value.shape for key, value in batch.items()}
    lengths = {shape[0] if shape else None for shape in shapes.values()}
    if len(lengths) != 1 or None in lengths:
        shown = ", ".join(f"{key!r} {shape}" for key, shape in shapes.items())
        raise ValueError(
            f"Batch length of predictions should be same, found the shapes {shown}. Use yield_single_examples=False for "
            "predictions that are no rows of the batch."
        )
    length = lengths.pop()
    assert length is not None
    return length
