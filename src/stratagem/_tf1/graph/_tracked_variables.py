"""`tf.keras.utils.track_tf1_style_variables`: methods of modules and layers that get their variables by name."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar, final

import keras

from stratagem._base.exports import exported
from stratagem._core.values import Module
from stratagem._private import seeds_from, track_late
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import ModelBuild, current_building
from stratagem._tf1.graph._model_state import ModelState
from stratagem._tf1.graph._random_test_tool import unless_testing
from stratagem._tf1.graph._scopes import AUTO_REUSE

P = ParamSpec("P")
T = TypeVar("T")

_ATTRIBUTE = "_tf1_style_var_store"
_LAYERS = "layers that get_or_create_layer has returned"


@final
class VariableStore(Module):
    """The variables and layers of one object's decorated methods, by name: each call finds those of the calls before."""

    def __init__(self) -> None:
        super().__init__()
        self._state = ModelState()
        self.by_name = self._state.variables
        self.local_by_name = self._state.local
        self.layers: list[Any] = []

    @contextlib.contextmanager
    def opened(self) -> Iterator[ModelBuild]:
        """In the body, variables are those of the store, and whatever changes them does so at once."""
        with (
            self._state.building("train", records=False) as building,
            seeds_from(unless_testing(None)),
            building.acting(),
        ):
            building.scopes.variables.reuse = AUTO_REUSE
            yield building
            for operation in building.collections[GraphKeys.UPDATE_OPS]:
                building.run(operation)
            self.layers += [new for new in building.collections[_LAYERS] if not any(new is old for old in self.layers)]

    def tell(self, layer: keras.layers.Layer) -> None:
        """Adds the variables and layers to those of a layer of Keras."""
        for made in (*self.by_name.values(), *self.local_by_name.values(), *self.layers):
            track_late(layer, made)


@exported("keras.utils.track_tf1_style_variables")
def track_tf1_style_variables(method: Callable[P, T]) -> Callable[P, T]:
    """Decorates a method of a tf.Module or a Keras layer, as `tf.compat.v1.keras.utils.track_tf1_style_variables`.

    In it `tf.compat.v1.get_variable`, `variable_scope`, `tf.compat.v1.layers` and `get_or_create_layer` make variables in the
    first call, and return the same by their names in all others. They are among the variables of the object. Regularization
    losses are among the `losses` of a layer. What would be in UPDATE_OPS, and assignments, happen at once.

    Raises ValueError if the method's object is no tf.Module and no layer.
    """

    @functools.wraps(method)
    def tracked(*args: P.args, **kwargs: P.kwargs) -> T:
        owner = args[0] if args else None
        store = _store_of(owner)
        with store.opened() as building:
            result = method(*args, **kwargs)
        if isinstance(owner, keras.layers.Layer):
            store.tell(owner)
            for loss in building.collections[GraphKeys.REGULARIZATION_LOSSES]:
                owner.add_loss(loss)
        return result

    return tracked


def _store_of(owner: Any) -> VariableStore:
    found: VariableStore | None = vars(owner).get(_ATTRIBUTE) if hasattr(owner, "__dict__") else None
    if found is None:
        if not isinstance(owner, Module | keras.layers.Layer):
            raise ValueError(
                "`@tf.compat.v1.keras.utils.track_tf1_style_variables` must be applied to a method of a subclassed "
                f"`tf.Module`, `tf.keras.layers.Layer`, or `tf.keras.Model`, got one of {type(owner).__name__}."
            )
        found = VariableStore()
        vars(owner)[_ATTRIBUTE] = found  # a layer's own attributes are locked once it is built
    return found


@exported("keras.utils.get_or_create_layer")
def get_or_create_layer(name: str, create_layer_method: Callable[[], Any]) -> Any:
    """Returns the layer of this name in the open variable scope, which `create_layer_method()` makes the first time.

    Raises ContextError outside of a method that `track_tf1_style_variables` decorates, of a model_fn, and of a graph.
    """
    building = current_building()
    layer = building.graph.kept(f"layers/{building.scopes.below(name)}", create_layer_method)
    building.collect(_LAYERS, layer)
    return layer
