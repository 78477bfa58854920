"""The names of the numbers that `fit`, `evaluate` and their siblings report, in TensorFlow's order; `metrics_names`."""

from collections.abc import Callable, Mapping
from typing import Any, final

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
        names = _in_order(model, logs)
        object.__setattr__(model, "_returned_names", names)
        return logs[names[0]] if len(names) == 1 else [logs[name] for name in names]

    return call


def _in_order(model: Any, logs: Mapping[str, Any]) -> tuple[str, ...]:
    known = [name for name in reported_names(model) if name in logs]
    return (*known, *sorted(logs.keys() - set(known)))


def ordered_results(model: Any, original: Method) -> Method:
    """Lets Keras report its metrics in the order of `metrics_names`; a compiled step has returned them by the alphabet."""

    def call(logs: Any) -> Any:
        return LogOrder(model)(original(logs))

    return call


@final
class LogOrder:
    """Puts the logs of a pass, step by step, into the order of `metrics_names`."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._names: tuple[str, ...] = ()

    def __call__(self, logs: Any) -> Any:
        """Returns a dict in this order; anything else as it is, and an empty dict, which a step that goes on may fill later."""
        if not isinstance(logs, dict) or not logs:
            return logs
        if len(self._names) != len(logs) or any(name not in logs for name in self._names):
            self._names = _in_order(self._model, logs)
        return {name: logs[name] for name in self._names}
