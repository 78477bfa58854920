"""`metrics_names` of a model: the names of the numbers that `evaluate` and its siblings return as a list."""

from collections.abc import Callable, Mapping
from typing import Any

from stratagem._private import reported_names

Method = Callable[..., Any]


def metrics_names(model: Any) -> list[str]:
    """The names of what `evaluate`, `train_on_batch` and `test_on_batch` return as a list, in its order.

    Those of the last such list, with what a `train_step` of one's own adds; before the first one, those of the metrics that
    the model has by then.
    """
    returned = getattr(model, "_returned_names", None)
    return reported_names(model) if returned is None else list(returned)


def forget_returned_names(model: Any) -> None:
    """Lets `metrics_names` begin anew, for a model that is compiled."""
    object.__setattr__(model, "_returned_names", None)


def list_logs(model: Any, original: Method) -> Method:
    """Replaces Keras' order of the list by that of `metrics_names`, and remembers the names. One number is no list."""

    def call(logs: Mapping[str, Any]) -> Any:
        known = [name for name in reported_names(model) if name in logs]
        names = (*known, *sorted(logs.keys() - set(known)))
        object.__setattr__(model, "_returned_names", names)
        return logs[names[0]] if len(names) == 1 else [logs[name] for name in names]

    return call
