"""The base of all groups of a dataset's methods: a plan, options, and the creation of new datasets."""

import abc
import operator
from typing import Any, Self

import jax

from stratagem._data.elements._spec import NestedDataset
from stratagem._data.stages._options import Options, fixed
from stratagem._data.stages._stage import Stage


class DatasetBase(NestedDataset, abc.ABC):
    """A plan and its options. Immutable."""

    def __init__(self, stage: Stage, options: Options | None = None) -> None:
        if not isinstance(stage, Stage):
            raise TypeError("A Dataset is made with Dataset.from_tensor_slices, from_tensors, from_generator or range.")
        self._stage = stage
        self._options = options or Options()

    @property
    def stage(self) -> Stage:
        """The plan."""
        return self._stage

    @property
    def element_spec(self) -> Any:
        """A nest of TensorSpec or DatasetSpec. A function that runs as Python is called once or twice to determine it."""
        return self._stage.spec

    def options(self) -> Options:
        """The options set so far; they can be read, and set by `with_options`."""
        return fixed(self._options)

    @classmethod
    @abc.abstractmethod
    def _of(cls, stage: Stage, options: Options | None = None) -> Self:
        """A dataset with this plan, never of the class of a source: a TFRecordDataset's `map` makes a plain Dataset."""

    def _with(self, stage: Stage) -> Self:
        return self._of(stage, self._options)


def as_int(value: Any, name: str) -> int:
    """Converts an argument that counts something to an int: an integer scalar of Python, NumPy or JAX.

    Raises:
        TypeError: it is anything else, such as a float or a string.
    """
    if isinstance(value, jax.core.Tracer):
        return int(value)  # raises the error that ends a trace: Python has to run the function
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"`{name}` must be an integer, got {type(value).__name__}: {value!r:.100}.") from None


def seed_of(seed: Any) -> int | None:
    """Converts a user's seed; None selects the program's seed."""
    return None if seed is None else as_int(seed, "seed")


def stage_of(value: Any, error: TypeError) -> Stage:
    """The plan of an argument that must be a dataset."""
    if not isinstance(value, DatasetBase):
        raise error
    return value.stage
