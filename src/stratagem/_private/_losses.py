"""Losses of Keras: every place where the numbers of many examples become one."""

import functools
from collections.abc import Callable
from typing import Any

import keras
from keras.src import losses as losses_module
from keras.src.losses import loss as loss_module


def intercept_loss(check: Callable[[Any], None]) -> None:
    """Call check(loss) before every call of a Keras loss object."""
    call = keras.losses.Loss.__call__

    @functools.wraps(call)
    def new_call(self: Any, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        check(self)
        return call(self, y_true, y_pred, sample_weight)

    keras.losses.Loss.__call__ = new_call


def find_losses_by_name() -> None:
    """Find a loss that a file has by a short name ("mse" in HDF5): Keras 3.15 looks for it among the metrics' classes."""
    deserialize = losses_module.deserialize

    @functools.wraps(deserialize)
    def new_deserialize(name: Any, custom_objects: Any = None) -> Any:
        known = losses_module.ALL_OBJECTS_DICT.get(name) if isinstance(name, str) else None
        plain = known is not None and name not in (custom_objects or {}) and not isinstance(known, type)
        return known if plain else deserialize(name, custom_objects)

    losses_module.deserialize = keras.losses.deserialize = new_deserialize


def intercept_loss_reduction(
    *,
    reduce: Callable[[Any, Any, str | None, Callable[..., Any]], Any],
    weigh: Callable[[Any, Any, Callable[..., Any]], Any],
    added: Callable[[Any], Any],
    regularization: Callable[[Any], Any],
) -> None:
    """Attach to every place where Keras makes one number of the losses of many examples.

    reduce(values, sample_weight, reduction, original) for every loss object; weigh(sample_weight, mask, original) for
    the weights that a mask gives under a mean; added(loss) for every `layer.add_loss`; regularization(loss) for every
    weight regularizer.
    """
    reduce_values, apply_mask = loss_module.reduce_values, loss_module.apply_mask
    layer_class = keras.layers.Layer
    add_loss, regularizers = layer_class.add_loss, layer_class._get_regularization_losses

    @functools.wraps(reduce_values)
    def new_reduce_values(values: Any, sample_weight: Any = None, reduction: str | None = "sum_over_batch_size") -> Any:
        return reduce(values, sample_weight, reduction, reduce_values)

    @functools.wraps(apply_mask)
    def new_apply_mask(sample_weight: Any, mask: Any, dtype: Any, reduction: str | None) -> Any:
        original = functools.partial(apply_mask, dtype=dtype)
        if mask is None or reduction not in ("mean", "sum_over_batch_size"):
            return original(sample_weight, mask, reduction=reduction)
        return weigh(sample_weight, mask, original)

    @functools.wraps(add_loss)
    def new_add_loss(self: Any, loss: Any) -> None:
        add_loss(self, keras.tree.map_structure(added, loss))

    @functools.wraps(regularizers)
    def new_regularizers(self: Any) -> list[Any]:
        return [regularization(loss) for loss in regularizers(self)]

    loss_module.reduce_values, loss_module.apply_mask = new_reduce_values, new_apply_mask
    layer_class.add_loss, layer_class._get_regularization_losses = new_add_loss, new_regularizers
