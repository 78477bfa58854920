"""Layers that learn from data before they are used: `adapt`, on arrays, data sets and distributed data sets."""

import abc
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, final

import keras
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.job import process_job
from stratagem._checkpoints import Finalized, HostArray, Supplement
from stratagem._core.values import is_per_replica
from stratagem._data import Dataset, DistributedInput, to_numpy
from stratagem._ops import is_tensor, tensor
from stratagem._preprocessing._learned_weights import LearnedWeight
from stratagem._preprocessing._worker_states import exchanged
from stratagem._private import accept_any_input

_ROWS = 32  # of arrays, at a time: TensorFlow's


@final
class _Kept(Supplement):
    """The part of a layer that a checkpoint keeps beside its variables."""

    def __init__(self, layer: "AdaptedLayer") -> None:
        self._layer = layer

    def get_state(self) -> Any:
        return self._layer.kept()

    def set_state(self, state: Any) -> None:
        self._layer.take_up(state)


@exported("keras.layers.experimental.preprocessing.PreprocessingLayer")
class AdaptedLayer(keras.Layer, Finalized):  # type: ignore[misc]
    """A layer with a state that `adapt` computes from data in one pass.

    What it computes on strings and on data is computed on the host, outside of programs.
    """

    def __init__(self, **kwargs: Any) -> None:
        kwargs.pop("batch_input_shape", None)  # in files of Keras 2: that of the data from which the layer has learned
        super().__init__(**kwargs)
        accept_any_input(self)
        self._learned_state = _Kept(self)
        self._is_adapted = False

    @property
    def is_adapted(self) -> bool:
        """True after `adapt`."""
        return self._is_adapted

    def compile(self, run_eagerly: Any = None, steps_per_execution: Any = None) -> None:
        """Does nothing: `adapt` runs in Python."""

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Computes the state anew from data.

        data: an array, tensor or list, a `tf.data.Dataset` or another iterable of batches, or a distributed data set, of which
        every worker reads its share; the states of the workers are then merged. batch_size: the rows of an array that are read
        at a time, 32 by default. steps: the number of batches; None is all of them.
        Raises ValueError for a batch size beside a data set.
        """
        if self.built:
            self.reset_state()
        for batch in itertools.islice(_batches(data, batch_size), steps):
            if not self.built:
                self._build_for(batch)
            self.update_state(batch)
        job = process_job()
        if isinstance(data, DistributedInput) and job.workers > 1:
            self.merge(exchanged(job, f"the layer {self.name}", self.learned()))
        self.finalize_state()
        self._is_adapted = True

    @property
    def weights(self) -> list[Any]:
        """The variables, and what the layer has learned beside them: the weights of Keras 2, in its order."""
        return [*super().weights, *self.learned_weights()]

    def learned_weights(self) -> Sequence[LearnedWeight]:
        """Returns the weights that are no variables, the same objects each time: none by default."""
        return ()

    def host_arrays(self) -> dict[str, HostArray]:
        """Returns the weights that are numbers and no variables, by their names."""
        return {weight.name: weight for weight in self.learned_weights() if weight.dtype != "string"}

    def learned_beside_variables(self) -> bool:
        """Returns whether the layer has learned what a file of variables alone does not keep: False by default."""
        return False

    @abc.abstractmethod
    def update_state(self, data: Any) -> None:
        """Adds a batch of data to what has been learned."""

    @abc.abstractmethod
    def reset_state(self) -> None:
        """Forgets what has been learned since the last `finalize_state`."""

    @abc.abstractmethod
    def finalize_state(self) -> None:
        """Makes what `call` uses from what has been learned."""

    @abc.abstractmethod
    def learned(self) -> Any:
        """Returns what this worker has learned."""

    @abc.abstractmethod
    def merge(self, states: list[Any]) -> None:
        """Replaces what has been learned by what all workers have, in their order."""

    @abc.abstractmethod
    def kept(self) -> Any:
        """Returns what a checkpoint keeps of what `adapt` has learned, beside variables."""

    @abc.abstractmethod
    def take_up(self, state: Any) -> None:
        """Makes the layer what it was when `kept` returned this."""

    def _build_for(self, batch: Any) -> None:
        """Makes the variables for data of this shape, whose number of rows may change."""
        shape = np.shape(batch)
        self.build((None, *shape[1:]) if shape else shape)
        self.built = True


def _batches(data: Any, batch_size: int | None) -> Iterator[Any]:
    """Yields batches: arrays of the host, or tensors."""
    if (
        isinstance(data, list | tuple)
        or is_tensor(data)
        or isinstance(data, np.ndarray)
        or hasattr(data, "__jax_array__")
    ):
        array = to_numpy(tensor(data))
        yield from (array[start : start + (batch_size or _ROWS)] for start in range(0, len(array), batch_size or _ROWS))
        return
    if batch_size is not None:
        raise ValueError(f"`batch_size` is for arrays; {type(data).__name__} makes its batches itself.")
    if isinstance(data, Dataset):
        yield from data.as_numpy_iterator()
    elif isinstance(data, DistributedInput):
        for element in data:
            yield from element.values if is_per_replica(element) else (element,)
    elif isinstance(data, keras.utils.PyDataset):
        yield from map(data.__getitem__, range(len(data)))
    elif isinstance(data, Iterable):
        yield from data
    else:
        raise ValueError(f"`adapt` takes an array, a data set or an iterable of batches, got {type(data).__name__}.")
