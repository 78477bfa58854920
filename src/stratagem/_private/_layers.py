"""Layers of Keras: building them, and announcing that they are built."""

import functools
from collections.abc import Callable
from typing import Any

import keras

from stratagem._private._traces import OutsideOfTraces

_builders: list[Callable[[Any], None]] = []


def after_build(callback: Callable[[keras.layers.Layer], None]) -> Callable[[], None]:
    """Call `callback(owner)` after any layer or optimizer has made its variables. Returns a function that ends this."""
    _builders.append(callback)

    def unregister() -> None:
        if callback in _builders:
            _builders.remove(callback)

    return unregister


def announce_build(owner: keras.layers.Layer) -> None:
    """Tell those who wait for variables that `owner` may have new ones."""
    for callback in list(_builders):
        callback(owner)


def accept_any_input(layer: keras.layers.Layer) -> None:
    """Let a layer be called with what Keras would convert or refuse: strings, lists, and structures of them."""
    layer._convert_input_args = False
    layer._allow_non_tensor_positional_args = True


def before_embedding(checked: Callable[[keras.layers.Embedding, Any], Any]) -> None:
    """Let embeddings look up what `checked` returns for the ids that they are called with."""
    look_up = keras.layers.Embedding.call

    @functools.wraps(look_up)
    def call(self: Any, inputs: Any) -> Any:
        return look_up(self, checked(self, inputs))

    keras.layers.Embedding.call = call


def track_late(layer: keras.layers.Layer, made: Any) -> None:
    """Add a variable or a layer to those of a layer, which may have been built already."""
    locked = layer._tracker.locked
    layer._tracker.unlock()
    layer._tracker.track(made)
    if locked:
        layer._tracker.lock()


def _average_statistics(layer: Any) -> None:
    """TF averages BatchNormalization's moving statistics over replicas; Keras 3 says 'none'."""
    for variable in layer._non_trainable_variables:
        variable._aggregation = "mean"


def build_layers_as_tensorflow() -> None:
    """Build layers outside of traces, tell those who wait for variables, and keep batch statistics as TF does."""
    post_build = keras.layers.Layer._post_build

    def new_post_build(self: Any) -> None:
        post_build(self)
        if isinstance(self, keras.layers.BatchNormalization):
            _average_statistics(self)
        announce_build(self)

    keras.layers.Layer._post_build = new_post_build
    maybe_build = keras.layers.Layer._maybe_build

    @functools.wraps(maybe_build)
    def new_maybe_build(self: Any, call_spec: Any) -> None:
        """Builds the layer outside of the trace, as TF does: what it computes from its own numbers outlives the trace."""
        if self.built:
            return
        with OutsideOfTraces():
            maybe_build(self, call_spec)

    keras.layers.Layer._maybe_build = new_maybe_build
    moments = keras.layers.BatchNormalization._moments

    @functools.wraps(moments)
    def new_moments(self: Any, inputs: Any, mask: Any) -> Any:
        """Lets a replica without rows use, and so keep, the moving statistics, as TF does (Keras: NaN)."""
        if inputs.shape[0] != 0 or self.moving_mean._placement is None:
            return moments(self, inputs, mask)
        return tuple(keras.ops.cast(v.value, inputs.dtype) for v in (self.moving_mean, self.moving_variance))

    keras.layers.BatchNormalization._moments = new_moments
