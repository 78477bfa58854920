"""Predictions of an Estimator's model: row by row, or batch by batch."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from stratagem._tf1.estimator._runner import StepResults

_PREFIX = "prediction "


def chosen(predictions: Any, predict_keys: Iterable[str] | None) -> list[str]:
    """The keys of the predictions to return; of a tensor that is no dict of them, its own.

    Raises ValueError for keys where there is no dict, and where none of them is among the predictions.
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


def rows(results: Iterable[StepResults], keys: list[str], *, one_by_one: bool) -> Iterator[Any]:
    """What a step gave, as NumPy arrays by key (the array alone where the key is ""), for every row or every batch.

    Raises ValueError where rows are wanted and the predictions have different numbers of them, or none.
    """
    for found in results:
        batch = {key: np.asarray(found.tensors[_PREFIX + key]) for key in keys}
        if not one_by_one:
            yield _alone(batch)
            continue
        for i in range(_length(batch)):
            yield _alone({key: value[i] for key, value in batch.items()})


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
