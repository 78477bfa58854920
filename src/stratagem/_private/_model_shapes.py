"""Models of the user's classes that are built from shapes alone: `model.build((None, 28, 28))`."""

import contextlib
import functools
import inspect
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import keras
from keras.src.utils import python_utils

from stratagem._private._traces import OutsideOfTraces

# The model whose `call` builds it now; below the context.
_called: ContextVar[keras.layers.Layer | None] = ContextVar("called", default=None)


def build_models_from_shapes() -> None:
    """Let `build` of a model without a method of that name make the weights, by its `call` on symbols, as Keras 2 does.

    Keras 3 only marks such a model as built: it has no weights then, and `set_weights` and `load_weights` are given too many.
    """
    default = keras.layers.Layer.build

    @functools.wraps(default)
    def build(self: Any, input_shape: Any) -> None:
        unbuilt = any(not layer.built for layer in self._layers)
        if unbuilt and python_utils.is_default(self.build) and _called.get() is not self:
            _call_on_symbols(self, input_shape)
        self.built = True

    keras.Model.build = python_utils.default(build)  # to be told from one of the user's
    maybe_build = keras.Model._maybe_build

    @functools.wraps(maybe_build)
    def new_maybe_build(self: Any, call_spec: Any) -> None:
        """Builds the model that is called, which Keras has called on symbols already when it comes to `build`."""
        with _calling(self):
            maybe_build(self, call_spec)

    keras.Model._maybe_build = new_maybe_build


@contextlib.contextmanager
def _calling(model: keras.Model) -> Iterator[None]:
    """A scope in which `model` is built because it is called."""
    token = _called.set(model)
    try:
        yield
    finally:
        _called.reset(token)


def _call_on_symbols(model: Any, input_shape: Any) -> None:
    """Make the weights of the layers that `model.call` uses; ValueError if it cannot be called with inputs of these shapes."""
    symbols = keras.tree.map_shape_structure(lambda shape: keras.KerasTensor(shape, model.input_dtype), input_shape)
    takes = inspect.signature(model.call).parameters
    arguments = {"training": False} if "training" in takes else {}
    try:
        with OutsideOfTraces():
            keras.src.backend.compute_output_spec(model.call, symbols, **arguments)
    except Exception as error:
        raise ValueError(
            f"{model.name}: the model cannot be built from the shape {input_shape}: its `call` failed with inputs of that "
            f"shape and type {model.input_dtype} ({type(error).__name__}: {error}). Call the model with real inputs instead."
        ) from error
