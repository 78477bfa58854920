"""Methods of layers in the forms of Keras 2: `add_metric`, and `add_weight` with the name first."""

from typing import Any

from stratagem._core.step import creating_variables
from stratagem._core.values import VariableAggregation, VariableSynchronization
from stratagem._private import add_layer_methods, add_mean, own_metrics

_Arguments = tuple[tuple[Any, ...], dict[str, Any]]
# In the order of Keras 2.
_OF_LAYERS = ("name", "shape", "dtype", "initializer", "regularizer", "trainable", "constraint")
_OF_METRICS = ("name", "shape", "aggregation", "synchronization", "initializer", "dtype")
# Arguments of TensorFlow's that change nothing here.
_WITHOUT_MEANING = ("use_resource", "experimental_autocast", "caching_device", "collections", "getter", "partitioner")


def add_metric(self: Any, value: Any, name: str | None = None, **kwargs: Any) -> None:
    """Counts a value in a metric of this name, which `fit` reports: its mean over batches.

    Raises:
        ValueError: there is no name.
        TypeError: an argument other than `aggregation`.
    """
    aggregation = kwargs.pop("aggregation", "mean")
    if kwargs:
        raise TypeError(
            f"Unknown keyword arguments: {sorted(kwargs)}. add_metric takes a value, a name and an aggregation."
        )
    if aggregation not in ("mean", None):
        raise ValueError(
            f"add_metric aggregates by 'mean' or None, got {aggregation!r}. Keep a tf.keras.metrics object."
        )
    if name is None:
        raise ValueError(
            "Please provide a name for your metric like `self.add_metric(tf.reduce_sum(inputs), name='mean_activation', "
            "aggregation='mean')`"
        )
    found = next((m for m in own_metrics(self) if m.name == name), None)
    if found is None:
        with creating_variables():
            found = add_mean(self, name)
    found.update_state(value)


def _of_layer(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Arguments:
    """Converts the arguments of `layer.add_weight`, if the first is a name."""
    args, kwargs = _by_keyword(_OF_LAYERS, args, kwargs)
    kwargs = {"initializer": None, **kwargs} if not args else kwargs
    kwargs = {k: v for k, v in kwargs.items() if k not in _WITHOUT_MEANING}
    if kwargs.pop("synchronization", None) is VariableSynchronization.ON_READ:
        if kwargs.get("trainable"):
            raise ValueError(
                "Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable variables. You "
                "have specified trainable=True and synchronization=VariableSynchronization.ON_READ."
            )
        kwargs["trainable"] = False
    if "trainable" in kwargs and kwargs["trainable"] is None:
        del kwargs["trainable"]
    if isinstance(kwargs.get("aggregation"), VariableAggregation):
        kwargs["aggregation"] = kwargs["aggregation"].name.lower()
    return args, kwargs


def _of_metric(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Arguments:
    """Converts the arguments of `metric.add_weight`, if the first is a name. Metrics have their own aggregation."""
    args, kwargs = _by_keyword(_OF_METRICS, args, kwargs)
    return args, {k: v for k, v in kwargs.items() if k not in ("aggregation", "synchronization", *_WITHOUT_MEANING)}


def _by_keyword(names: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Arguments:
    if not args or not (isinstance(args[0], str) or args[0] is None):
        return args, kwargs
    given = dict(zip(names, args, strict=False))
    twice = sorted(given.keys() & kwargs.keys())
    if len(args) > len(names) or twice:
        raise TypeError(f"add_weight() got {len(args)} positional arguments, {', '.join(names)}; given twice: {twice}.")
    return (), {**given, **kwargs}


def attach_layer_methods() -> None:
    """Give layers `add_metric`, and let `add_weight` of layers and metrics take a name first."""
    add_layer_methods(add_metric, _of_layer, _of_metric)
