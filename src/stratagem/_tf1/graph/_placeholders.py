"""Placeholders: tensors of a graph whose values a run is fed, and the inputs of a model that is exported to be served."""

from typing import Any, final

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.values import TensorShape, TensorSpec
from stratagem._ops import as_dtype, tensor
from stratagem._tf1.graph._model_build import building_here
from stratagem._tf1.graph._session_graph import default_graph


class NewPlaceholder(BaseException):  # internal: it ends a trace, whatever the code around it catches
    """The code asks for a placeholder that is no argument yet. spec: its shape, dtype and name."""

    def __init__(self, spec: TensorSpec) -> None:
        super().__init__()
        self.spec = spec


@final
class ReceiverInputs:
    """The arguments of a function that is exported, which its placeholders are, in the order in which it makes these."""

    def __init__(self, tensors: tuple[Any, ...]) -> None:
        self._tensors = tensors
        self._used = 0

    def next(self, spec: TensorSpec) -> Any:
        """Returns the next argument. Raises NewPlaceholder if there is none left."""
        if self._used == len(self._tensors):
            raise NewPlaceholder(spec)
        self._used += 1
        return self._tensors[self._used - 1]

    def number(self, tensor: Any) -> int | None:
        """Returns the place of an argument; None for any other tensor."""
        return next((i for i, each in enumerate(self._tensors) if each is tensor), None)


def receiver_placeholder(dtype: DTypeLike, shape: ShapeLike | None, name: str | None) -> Any | None:
    """Returns the argument that a placeholder is in a function that is exported; None anywhere else."""
    building = building_here()
    if building is None or building.receiver is None:
        return None
    return building.receiver.next(TensorSpec(shape, as_dtype(dtype).dtype, name))


@exported(v1=["placeholder"])
def placeholder(dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None) -> Any:
    """Returns a tensor that every run which needs it has to be fed: `session.run(fetches, {placeholder: value})`.

    dtype: functions of strings run on the host, before the step. shape: sizes, None for one that
    each run decides; unknown sizes of the same axis are taken to be equal in all placeholders of a graph. Without a shape it
    is a scalar, such as a learning rate: a step is compiled for ranks that are known.

    In a `serving_input_receiver_fn` it is an input of the served model.

    Raises ContextError outside of a graph.
    """
    found = receiver_placeholder(dtype, shape, name)
    if found is not None:
        return found
    graph, kind, sizes = default_graph(), as_dtype(dtype), TensorShape(shape)
    if kind.name == "string":
        return graph.new_strings(sizes, name or "Placeholder")
    return graph.new_tensor(() if sizes.rank is None else sizes, kind.as_numpy_dtype, name or "Placeholder")


@exported(v1=["placeholder_with_default"])
def placeholder_with_default(input: Any, shape: ShapeLike | None, name: str | None = None) -> Any:
    """Returns a tensor with the values of `input`, in whose place a run may be fed others.

    shape: that of what may be fed; it has to be the shape of `input`, whose unknown sizes it may name.
    """
    graph, value = default_graph(), tensor(input)
    if not TensorShape(shape).is_compatible_with(value.shape):
        raise ValueError(f"placeholder_with_default: {value.shape} is not compatible with the shape {shape}.")
    return graph.with_default(value, name or "PlaceholderWithDefault")
