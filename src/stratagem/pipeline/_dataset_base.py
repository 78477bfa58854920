"""What every group of a data set's methods builds on: a plan, options, and how a new data set is made."""

import abc
from typing import Any, Self

from stratagem.pipeline._options import Options
from stratagem.pipeline.elements._nest import Nest
from stratagem.pipeline.elements._spec import Nestable
from stratagem.pipeline.stages._stage import Stage


class DatasetBase(Nestable, abc.ABC):
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
    def element_spec(self) -> Nest:
        """A nest of TensorSpec or DatasetSpec. A function that runs as Python is called once or twice to find it out."""
        return self._stage.spec

    def options(self) -> Options:
        """The options set so far."""
        return Options().merge(self._options)

    def _with(self, stage: Stage) -> Self:
        return type(self)(stage, self._options)


def stage_of(value: Any, error: TypeError) -> Stage:
    """The plan of what has to be a data set."""
    if not isinstance(value, DatasetBase):
        raise error
    return value.stage
