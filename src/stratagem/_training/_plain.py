"""Our data sets for Keras' own trainer: for models that were made under no strategy."""

from collections.abc import Callable, Iterator
from typing import Any, final

import jax

from stratagem._data import Dataset
from stratagem._private import DataAdapter
from stratagem._training._arrays import weighing

_WITH_DATA = ("x", "validation_data")


@final
class DatasetAdapter(DataAdapter):  # type: ignore[misc]
    """A `tf.data.Dataset` as Keras reads data: iterated anew for every epoch."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def get_numpy_iterator(self) -> Iterator[Any]:
        """Batches of NumPy arrays."""
        return iter(self._dataset.as_numpy_iterator())

    def get_jax_iterator(self) -> Iterator[Any]:
        """Batches of NumPy arrays, which JAX takes."""
        return self.get_numpy_iterator()

    @property
    def num_batches(self) -> int | None:
        """How many batches there are; None where that is not known, and without end."""
        cardinality = int(self._dataset.cardinality())
        return None if cardinality < 0 else cardinality

    @property
    def batch_size(self) -> int | None:
        """The rows of a batch, where all have as many."""
        first = jax.tree.leaves(self._dataset.element_spec)[0]
        return first.shape[0] if first.shape.rank else None

    @property
    def has_partial_batch(self) -> bool:
        """Whether the last batch is smaller: not known before it is read."""
        return False

    @property
    def partial_batch_size(self) -> int | None:
        """The rows of a smaller last batch: not known before it is read."""
        return None


def readable(call: Callable[..., Any]) -> Callable[..., Any]:
    """The method of a model, which takes our data sets as `x` and `validation_data` as well."""

    def called(*args: Any, **kwargs: Any) -> Any:
        weights = kwargs.get("class_weight")
        if args and isinstance(args[0], Dataset):
            args, kwargs = args[1:], {"x": args[0], **kwargs}
            if args:
                raise ValueError("With a Dataset as `x`, `y` must not be given: its elements have everything.")
        if isinstance(kwargs.get("x"), Dataset) and weights is not None:
            kwargs = {**kwargs, "x": kwargs["x"].map(weighing(weights)), "class_weight": None}
        for name in _WITH_DATA:
            if isinstance(kwargs.get(name), Dataset):
                kwargs[name] = DatasetAdapter(kwargs[name])
        return call(*args, **kwargs)

    return called
