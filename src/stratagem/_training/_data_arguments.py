"""The data arguments of `fit`, `evaluate` and `predict`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

from stratagem._base.types import Nest
from stratagem._data import Dataset


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
