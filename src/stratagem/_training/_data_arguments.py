"""The data arguments of `fit`, `evaluate` and `predict`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np

from stratagem._base.exports import exported
from stratagem._data import Dataset
from stratagem._ops import is_strings

_OBJECTS = np.dtype(object)
_EXAMPLES = ("x", "y", "sample_weight")
_PLAIN = (bool, int, float, str, bytes, np.generic)
_LOOKED_AT = 8  # parts of a list, which may be long: they are alike, or the inputs of a model


@exported("keras.utils.experimental.DatasetCreator")
@final
@dataclass(frozen=True, eq=False)
class DatasetCreator:
    """A function that makes the dataset for `fit`: `tf.keras.utils.experimental.DatasetCreator`.

    dataset_fn(input_context) returns a `tf.data.Dataset` of per-replica batches; a worker calls it once.
    """

    dataset_fn: Callable[[Any], Dataset]
    input_options: Any = None

    def __post_init__(self) -> None:
        if not callable(self.dataset_fn):
            raise TypeError(
                f"dataset_fn of a DatasetCreator must be a function of an InputContext, got {self.dataset_fn!r}."
            )

    def __call__(self, *args: Any, **kwargs: Any) -> Dataset:
        return self.dataset_fn(*args, **kwargs)


@dataclass(frozen=True, kw_only=True)
class DataArguments:
    """The arguments of `fit`, `evaluate` or `predict` that specify the data.

    steps: the batches of an epoch; None: until the data ends.
    """

    x: Any
    y: Any = None
    sample_weight: Any = None
    class_weight: Mapping[int, float] | None = None
    batch_size: int | None = None
    steps: int | None = None
    shuffle: Any = False


def with_lists_as_arrays(
    names: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments of `fit` or the like with an array for each list of Python's numbers or strings, as in TensorFlow.

    names: those of the method's positional arguments. Lists of lists are arrays, too, whose rows are examples; lists of
    arrays, tensors or dicts are inputs or batches, and stay as they are.
    """
    found = [_given_as(name, value) for name, value in zip(names, args, strict=False)]
    return (*found, *args[len(found) :]), {name: _given_as(name, value) for name, value in kwargs.items()}


def _given_as(name: str, value: Any) -> Any:
    if name == "validation_data" and isinstance(value, tuple | list):
        return tuple(map(_of_lists, value))
    return _of_lists(value) if name in _EXAMPLES else value


def _of_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _of_lists(each) for key, each in value.items()}
    first = value
    while isinstance(first, list | tuple) and first:
        first = first[0]  # as in TensorFlow: the others are alike
    if not isinstance(value, list | tuple) or not isinstance(first, _PLAIN):
        return value
    return np.asarray(value, _OBJECTS if isinstance(first, str | bytes) else None)


def has_strings(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Returns whether the data given to `fit` or the like has strings, as arrays, lists, and elements of a dataset may."""
    data = [*args[:1], *(kwargs[name] for name in ("x", "validation_data") if name in kwargs)]
    return any(_has(each, _is_of_strings) for each in data)


def _has(data: Any, wanted: Callable[[Any], bool]) -> bool:
    if isinstance(data, Dataset):
        return any(map(wanted, jax.tree.leaves(data.element_spec)))
    if isinstance(data, Mapping):
        return any(_has(each, wanted) for each in data.values())
    if isinstance(data, list | tuple):
        return any(wanted(each) if isinstance(each, str | bytes) else _has(each, wanted) for each in data[:_LOOKED_AT])
    return not isinstance(data, str | bytes) and wanted(data)


def _is_of_strings(leaf: Any) -> bool:
    return is_strings(leaf) or isinstance(leaf, str | bytes) or getattr(leaf, "dtype", None) is _OBJECTS
