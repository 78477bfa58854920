"""Inputs as in TensorFlow: their names where a program gives none, and the shapes that a Sequential's first layer knows."""

import contextlib
import contextvars
import functools
from collections.abc import Iterator
from typing import Any, final

import keras
from keras.src.models.functional import Functional

_INPUT, _NAMES = "input", "input_names"
# Of the input that a Sequential is making of its first layer's shape. Below the context.
_of_first_layer: contextvars.ContextVar[str] = contextvars.ContextVar("stratagem_name_of_input", default="")
INPUT_PLACES = (
    "keras.src.models.sequential.Sequential.add",
    "keras.src.models.sequential.Sequential.build",
    "keras.src.models.functional.Functional._standardize_inputs",
    "keras.src.models.model.Model.input_names",
)


def unnamed_input() -> str:
    """Returns the name of a new input without one: `input_1`, `input_2`, …, or `<layer>_input` in a Sequential."""
    found = _of_first_layer.get()
    _of_first_layer.set("")  # of the first input alone: building the layers may make others
    return found or f"{_INPUT}_{keras.backend.get_uid(_INPUT)}"


def name_inputs_as_tensorflow() -> None:
    """Let a Sequential name the input that it makes by its first layer, and models have `input_names`."""
    sequential: Any = keras.Sequential
    add, build = sequential.add, sequential.build

    @functools.wraps(add)
    def new_add(self: Any, layer: Any, *args: Any, **kwargs: Any) -> None:
        makes_input = not self._layers and getattr(layer, "_input_shape_arg", None) is not None
        with _named(layer if makes_input else None):
            add(self, layer, *args, **kwargs)

    @functools.wraps(build)
    def new_build(self: Any, *args: Any, **kwargs: Any) -> Any:
        makes_input = self._layers and not isinstance(self._layers[0], keras.layers.InputLayer)
        with _named(self._layers[0] if makes_input else None):
            return build(self, *args, **kwargs)

    standardized = Functional._standardize_inputs

    @functools.wraps(standardized)
    def new_standardized(self: Any, inputs: Any) -> Any:
        # Keras finds the only input by its name, too, and then warns that it is in a list.
        only = self._inputs_struct
        by_name = isinstance(inputs, dict) and isinstance(only, keras.KerasTensor) and only.name in inputs
        return standardized(self, inputs[only.name] if by_name else inputs)

    sequential.add, sequential.build = new_add, new_build
    Functional._standardize_inputs = new_standardized
    keras.Model.input_names = _InputNames()


def take_input_shapes() -> None:
    """Let layers take `input_shape` and `input_dim` without a warning: in TensorFlow a Sequential begins with them."""
    kind: Any = keras.layers.Layer
    init = kind.__init__

    @functools.wraps(init)
    def new_init(self: Any, *args: Any, input_dim: Any = None, input_shape: Any = None, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        shape = input_shape if input_dim is None else (input_dim,)
        if shape is not None:
            vars(self)["_input_shape_arg"] = shape

    kind.__init__ = new_init


@contextlib.contextmanager
def _named(first: Any) -> Iterator[None]:
    token = _of_first_layer.set("" if first is None else f"{first.name}_input")
    try:
        yield
    finally:
        _of_first_layer.reset(token)


@final
class _InputNames:
    """The names of a model's inputs in their order; free on users' classes, whose models have none."""

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        if _NAMES in vars(model):
            return vars(model)[_NAMES]
        known = getattr(model, "_functional", None) if isinstance(model, keras.Sequential) else model
        if not isinstance(known, Functional):
            raise AttributeError(
                f"{type(model).__name__} has no `{_NAMES}` yet: it has no inputs before it is built. Give a Sequential a "
                "keras.Input, or call it; a model of a class of one's own has none."
            )
        return [each._keras_history.operation.name for each in known.inputs]

    def __set__(self, model: Any, value: Any) -> None:
        vars(model)[_NAMES] = value

    def __delete__(self, model: Any) -> None:
        vars(model).pop(_NAMES, None)
