"""Shapes of tensors, variables and Keras' symbolic tensors: of which class they are, and how trees take them apart."""

from collections.abc import Iterable
from typing import Any, Protocol, Self

import jax
import keras
from jax._src import core as jax_core
from jax._src.array import ArrayImpl
from keras.src.layers import layer as keras_layer
from keras.src.tree import tree_api

from stratagem._private._variables import KerasVariable


class PytreeShape(Protocol):
    """A kind of tuple that trees take apart."""

    def tree_flatten(self) -> tuple[tuple[Any, ...], bool]:
        """Returns the children of this node, and what else there is to know of it."""

    @classmethod
    def tree_unflatten(cls, known: bool, children: Iterable[Any]) -> Self:
        """Returns the node with these children, which may be anything."""


def intercept_shapes(kind: type[PytreeShape]) -> None:
    """Let `.shape` be of this class, a kind of tuple that is made without a check, and let trees take it apart.

    The shape of an array's type, `x.aval.shape`, which JAX's own transformations use, remains a tuple, as do shapes of
    NumPy's arrays.
    """
    new: Any = tuple.__new__
    array: Any = ArrayImpl
    array.shape = property(lambda self: new(kind, self.aval.shape), doc=array.shape.__doc__)
    for owner in (jax_core.Tracer, KerasVariable, keras.KerasTensor):
        _wrap(owner, kind)
    shapes_dict = keras_layer.get_shapes_dict

    def new_shapes_dict(call_spec: Any) -> dict[str, Any]:
        """Lets the method `build` of layers get such shapes; an argument that is not given has None."""

        def converted(shape: Any) -> Any:
            return new(kind, shape) if isinstance(shape, tuple) else shape

        shapes = shapes_dict(call_spec).items()
        return {name: keras.tree.map_shape_structure(converted, value) for name, value in shapes}

    keras_layer.get_shapes_dict = new_shapes_dict
    tree_api.register_tree_node_class(kind)
    jax.tree_util.register_pytree_with_keys(kind, _flatten_with_keys, kind.tree_unflatten, kind.tree_flatten)


def _wrap(owner: Any, kind: Any) -> None:
    get, new = owner.shape.fget, tuple.__new__
    owner.shape = property(lambda self: new(kind, get(self)), owner.shape.fset, doc=owner.shape.__doc__)


def _flatten_with_keys(shape: Any) -> tuple[list[Any], bool]:
    children, known = shape.tree_flatten()
    return [(jax.tree_util.SequenceKey(i), child) for i, child in enumerate(children)], known
