"""The functions of tf.data.experimental that are not methods of a dataset."""

import logging
from collections.abc import Callable
from typing import Any, final

import numpy as np

from stratagem._base.errors import OutOfRangeError
from stratagem._base.exports import exported
from stratagem._data import _plan as plan
from stratagem._data._dataset import Dataset
from stratagem._data._dataset_base import as_int, stage_of
from stratagem._data.elements._nest import map_leaves
from stratagem._data.elements._spec import Spec
from stratagem._data.functions._map_mode import run_in_python
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.grouping._reducer import Reducer, ReducerStage
from stratagem._data.stages._cardinality import INFINITE, UNKNOWN
from stratagem._data.stages._options import AUTOTUNE
from stratagem._ops import tensor

_log = logging.getLogger("stratagem")
Transformation = Callable[[Dataset], Dataset]


@exported("data.experimental.RandomDataset")
@final
class RandomDataset(Dataset):
    """The numbers of `Dataset.random`."""

    def __init__(
        self, seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> None:
        super().__init__(Dataset.random(seed, rerandomize_each_iteration).stage)


@exported("data.experimental.group_by_reducer")
def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """One result of the reducer for every key that `key_func` returns, in the order of the keys.

    key_func: Returns an element's key, an integer.

    Raises:
        ValueError: a key is something else.
        TypeError: `reducer` is no Reducer, or a state has another structure or other dtypes than the one before.
    """
    if not isinstance(reducer, Reducer):
        raise TypeError(f"`reducer` must be a tf.data.experimental.Reducer, got {type(reducer).__name__}.")
    key = UserFunction(key_func, "key_func")
    return lambda dataset: Dataset(ReducerStage(dataset.stage, key, reducer), dataset.options())


@exported("data.experimental.at")
def at(dataset: Dataset, index: Any) -> Any:
    """The element with this number, from 0. What is not rows in memory is computed up to it.

    Raises:
        TypeError: `dataset` is no dataset, or `index` no integer.
        OutOfRangeError: there is no such element.
    """
    stage = stage_of(dataset, TypeError(f"`dataset` must be a Dataset, got {type(dataset).__name__}."))
    number = as_int(index, "index")
    if number >= 0:
        elements = iter(Dataset(plan.cut(stage, start=number, count=1)))
        for element in elements:
            elements.close()
            return element
    raise OutOfRangeError(f"Index out of range: {number} of a dataset with {stage.cardinality} elements.")


@exported("data.experimental.pad_to_cardinality")
def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """Adds elements of zeros, so that there are `cardinality`, and True or False under `mask_key` for what was there or added.

    Raises, when it is applied:
        ValueError: elements are no dicts, have unknown shapes, or their number is unknown or larger.
    """
    wanted = as_int(cardinality, "cardinality")

    def padded(dataset: Dataset) -> Dataset:
        count = dataset.stage.cardinality
        if count in (INFINITE, UNKNOWN) or count > wanted:
            raise ValueError(
                f"The dataset passed into `pad_to_cardinality` must have a known cardinality of at most {wanted}, but has "
                f"cardinality {count}."
            )
        if not isinstance(dataset.element_spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        masked = dataset.map(lambda element: {**element, mask_key: tensor(True)})
        filler = Dataset.from_tensors(map_leaves(_zeros, masked.element_spec)).repeat(wanted - count)
        return masked.concatenate(filler.map(lambda element: {**element, mask_key: tensor(False)}))

    return padded


def _zeros(spec: Spec) -> Any:
    if not spec.shape.is_fully_defined():
        raise ValueError(f"`pad_to_cardinality` needs elements of known shapes, found {spec}.")
    zero = b"" if spec.dtype == object else 0
    return np.full(tuple(spec.shape), zero, spec.dtype)


@exported("data.experimental.prefetch_to_device")
def prefetch_to_device(device: object, buffer_size: Any = None) -> Transformation:
    """`Dataset.prefetch`. Elements come to the default device, whichever is named; a strategy brings them to all of its own."""
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


@exported("data.experimental.copy_to_device")
def copy_to_device(target_device: object, source_device: object = "/cpu:0") -> Transformation:
    """The same dataset: its elements come to the default device, whichever is named."""
    return lambda dataset: dataset


@exported("data.experimental.enable_debug_mode")
def enable_debug_mode() -> None:
    """Makes functions that are given to datasets from now on run as Python for every element, where breakpoints work."""
    run_in_python(True)
    _log.warning("tf.data runs functions as Python for every element from now on: enable_debug_mode was called.")
