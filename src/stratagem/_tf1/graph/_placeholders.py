"""Placeholders of functions that make a served model's inputs: they are the arguments of the function that is exported."""

from typing import final

from stratagem._base.types import DTypeLike, ShapeLike, TensorLike
from stratagem._core.values import TensorSpec
from stratagem._ops import as_dtype
from stratagem._tf1.graph._model_build import building_here


class NewPlaceholder(BaseException):  # internal: it ends a trace, whatever the code around it catches
    """The code asks for a placeholder that is no argument yet. spec: its shape, dtype and name."""

    def __init__(self, spec: TensorSpec) -> None:
        super().__init__()
        self.spec = spec


@final
class ReceiverInputs:
    """The arguments of a function that is exported, which its placeholders are, in the order in which it makes these."""

    def __init__(self, tensors: tuple[TensorLike, ...]) -> None:
        self._tensors = tensors
        self._used = 0

    def next(self, spec: TensorSpec) -> TensorLike:
        """Returns the next argument. Raises NewPlaceholder if there is none left."""
        if self._used == len(self._tensors):
            raise NewPlaceholder(spec)
        self._used += 1
        return self._tensors[self._used - 1]

    def number(self, tensor: TensorLike) -> int | None:
        """Returns the place of an argument; None for any other tensor."""
        return next((i for i, each in enumerate(self._tensors) if each is tensor), None)


def receiver_placeholder(dtype: DTypeLike, shape: ShapeLike, name: str | None) -> TensorLike | None:
    """Returns the argument that a placeholder is in a function that is exported; None anywhere else."""
    building = building_here()
    if building is None or building.receiver is None:
        return None
    return building.receiver.next(TensorSpec(shape, as_dtype(dtype).dtype, name))
