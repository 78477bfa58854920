"""Placeholders: tensors of a graph whose values a run is fed."""

from stratagem._base.errors import UnimplementedError
from stratagem._base.types import DTypeLike, ShapeLike, TensorLike
from stratagem._core.values import TensorShape
from stratagem._ops import as_dtype, tensor
from stratagem._tf1.graph import default_graph, receiver_placeholder


def placeholder(dtype: DTypeLike, shape: ShapeLike = None, name: str | None = None) -> TensorLike:
    """Returns a tensor that every run which needs it has to be fed: `session.run(fetches, {placeholder: value})`.

    dtype: of numbers. shape: sizes, None for one that each run decides; unknown sizes of the same axis are taken to be equal
    in all placeholders of a graph.

    In a `serving_input_receiver_fn` it is an input of the served model, which may be strings.

    Raises UnimplementedError for strings and for an unknown rank, ContextError outside of a graph.
    """
    found = receiver_placeholder(dtype, shape, name)
    if found is not None:
        return found
    kind, sizes = as_dtype(dtype), TensorShape(shape)
    if kind.name == "string":
        raise UnimplementedError(
            f"placeholder({name!r}) of strings: a compiled step takes numbers alone. Look strings up before they are fed, or "
            "put them into a dataset, whose `map` takes strings."
        )
    if sizes.rank is None:
        raise UnimplementedError(
            f"placeholder({name!r}) of unknown rank: a step is compiled for ranks that are known. Give a shape; its sizes may "
            "be None."
        )
    return default_graph().new_tensor(sizes, kind.as_numpy_dtype, name or "Placeholder")


def placeholder_with_default(input: TensorLike, shape: ShapeLike, name: str | None = None) -> TensorLike:
    """Returns a tensor with the values of `input`, in whose place a run may be fed others.

    shape: that of what may be fed; it has to be the shape of `input`, whose unknown sizes it may name.
    """
    graph, value = default_graph(), tensor(input)
    if not TensorShape(shape).is_compatible_with(value.shape):
        raise ValueError(f"placeholder_with_default: {value.shape} is not compatible with the shape {shape}.")
    return graph.with_default(value, name or "PlaceholderWithDefault")
