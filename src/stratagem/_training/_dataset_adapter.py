"""Adapter that makes our datasets readable for Keras' own trainer, for models that were made without a strategy."""

from collections.abc import Callable, Iterator
from typing import Any, final

import jax

from stratagem._data import Dataset
from stratagem._private import DataAdapter
from stratagem._training._array_preparation import adding_class_weights

_DATA_ARGUMENTS = ("x", "validation_data")


@final
class DatasetAdapter(DataAdapter):  # type: ignore[misc]
    """Adapts a `tf.data.Dataset` to Keras' trainer: iterated anew for every epoch."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def get_numpy_iterator(self) -> Iterator[Any]:
        """An iterator over batches of NumPy arrays."""
        return iter(self._dataset.as_numpy_iterator())

    def get_jax_iterator(self) -> Iterator[Any]:
        """An iterator over batches of NumPy arrays, which JAX accepts."""
        return self.get_numpy_iterator()

    @property
    def num_batches(self) -> int | None:
        """The number of batches; None if it is unknown or infinite."""
        cardinality = int(self._dataset.cardinality())
        return None if cardinality < 0 else cardinality

    @property
    def batch_size(self) -> int | None:
        """The number of rows of a batch, if all batches have the same."""
        first = jax.tree.leaves(self._dataset.element_spec)[0]
        return first.shape[0] if first.shape.rank else None

    @property
    def has_partial_batch(self) -> bool:
        """False, since a smaller last batch is not known before it is read."""
        return False

    @property
    def partial_batch_size(self) -> int | None:
        """None, since a smaller last batch is not known before it is read."""
        return None


def accepting_datasets(call: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a model's method so that it also accepts our datasets as `x` and `validation_data`."""

    def called(*args: Any, **kwargs: Any) -> Any:
        weights = kwargs.get("class_weight")
        if args and isinstance(args[0], Dataset):
            args, kwargs = args[1:], {"x": args[0], **kwargs}
            if args:
                raise ValueError("With a Dataset as `x`, `y` must not be given: its elements have everything.")
        if isinstance(kwargs.get("x"), Dataset) and weights is not None:
            kwargs = {**kwargs, "x": kwargs["x"].map(adding_class_weights(weights)), "class_weight": None}
        for name in _DATA_ARGUMENTS:
            if isinstance(kwargs.get(name), Dataset):
                kwargs[name] = DatasetAdapter(kwargs[name])
        return call(*args, **kwargs)

    return called
