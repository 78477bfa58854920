"""The data arguments of `fit`, `evaluate` and `predict`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax

from stratagem._base.types import Nest
from stratagem._data import Dataset
from stratagem._ops import is_strings

_LOOKED_AT = 8  # parts of a list, which may be long: they are alike, or the inputs of a model


@final
@dataclass(frozen=True, eq=False)
class DatasetCreator:
    """A function that makes the dataset for `fit`: `tf.keras.utils.experimental.DatasetCreator`.

    dataset_fn(input_context) returns a `tf.data.Dataset` of per-replica batches; a worker calls it once.
    """

    dataset_fn: Callable[[Nest], Dataset]
    input_options: Nest = None

    def __post_init__(self) -> None:
        if not callable(self.dataset_fn):
            raise TypeError(
                f"dataset_fn of a DatasetCreator must be a function of an InputContext, got {self.dataset_fn!r}."
            )

    def __call__(self, *args: Nest, **kwargs: Nest) -> Dataset:
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


def gives_strings(args: Sequence[Nest], kwargs: Mapping[str, Nest]) -> bool:
    """Returns whether there are strings in the data given to `fit` or the like: arrays, lists, or elements of a dataset."""
    data = [*args[:1], *(kwargs[name] for name in ("x", "validation_data") if name in kwargs)]
    return any(_has_strings(each) for each in data)


def _has_strings(data: Any) -> bool:
    if isinstance(data, Dataset):
        return any(spec.dtype == object for spec in jax.tree.leaves(data.element_spec))
    if isinstance(data, Mapping):
        return any(map(_has_strings, data.values()))
    if isinstance(data, list | tuple):
        return any(isinstance(each, str | bytes) or _has_strings(each) for each in data[:_LOOKED_AT])
    return is_strings(data)
