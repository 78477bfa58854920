"""The trainer of Keras: a model's methods, and the adapters with which it reads data."""

import functools
import sys
from collections.abc import Callable
from typing import Any

import keras
from keras.src.trainers import data_adapters
from keras.src.trainers import trainer as trainer_module
from keras.src.trainers.data_adapters import array_slicing
from keras.src.utils import python_utils

Method = Callable[..., Any]
Route = Callable[[Any, Method], Method]
_sorted_logs = python_utils.pythonify_logs


def intercept_trainer(
    *,
    created: Callable[[keras.Variable], keras.Variable],
    methods: dict[str, Callable[[Any, Method], Any]],
    owner: Callable[[Any], Any],
    metrics_names: Callable[[keras.Model], list[str]],
) -> None:
    """Route methods of every `keras.Model`.

    created(model) is called when a model is made and gives what it remembers; `model.distribute_strategy` is
    owner(what it remembers), `model.metrics_names` is metrics_names(model). A call `model.<name>(*args, **kwargs)` becomes
    methods[name](model, bound original)(*args, **kwargs).
    """
    init = trainer_module.Trainer.__init__

    @functools.wraps(init)
    def new_init(self: Any) -> None:
        init(self)
        object.__setattr__(self, "_creation_strategy", created(self))

    trainer_module.Trainer.__init__ = new_init
    keras.Model._creation_strategy = None
    keras.Model.distribute_strategy = property(lambda self: owner(self._creation_strategy))
    trainer_module.Trainer.metrics_names = property(metrics_names)
    python_utils.pythonify_logs = _logs_as_they_come
    for name, route in methods.items():
        # Where Keras defines it: a class whose `compile` is not that of its base is taken for a user's.
        holder = next(cls for cls in keras.Model.__mro__ if name in vars(cls))
        setattr(holder, name, routed_method(getattr(holder, name), route))


def _logs_as_they_come(logs: Any) -> dict[str, Any]:
    """Stands for Keras' function, which makes numbers of what callbacks are given, without sorting the names."""
    found: dict[str, Any] = {}
    for name, value in (logs or {}).items():
        found |= _sorted_logs({name: value})
    return found


def routed_method(original: Method, route: Callable[[Any, Method], Any]) -> Method:
    @functools.wraps(original)
    def routed(self: Any, *args: Any, **kwargs: Any) -> Any:
        return route(self, functools.partial(original, self))(*args, **kwargs)

    return routed


def user_level() -> int:
    """The `stacklevel` with which the caller's warning points to the line of the user's code that everything comes from."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _LIBRARIES:
        frame, level = frame.f_back, level + 1
    return level


_LIBRARIES = ("stratagem", "keras", "contextlib", "functools")


def data_adapter(x: Any, **options: Any) -> Any:
    """Keras' own reader of a `PyDataset`: its worker threads or processes, and its epochs."""
    return data_adapters.get_data_adapter(x, **options)


def train_validation_split(arrays: Any, validation_split: float) -> tuple[Any, Any]:
    """The arrays as two nests: all but the last part, and that part of the examples."""
    return array_slicing.train_validation_split(arrays, validation_split=validation_split)
