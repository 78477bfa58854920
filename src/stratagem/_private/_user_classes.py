"""Classes that users derive from Keras' layers, models, losses and metrics: the methods of theirs that Keras calls."""

from collections.abc import Callable
from typing import Any

import keras

from stratagem._base.types import UserFunction

_CALLED = {
    keras.Layer: ("call", "train_step", "test_step", "predict_step", "compute_loss", "compute_metrics"),
    keras.Metric: ("update_state",),
    keras.Loss: ("call",),
}


def intercept_overrides(wrap: Callable[[UserFunction], UserFunction]) -> None:
    """Replaces, in each class that is derived from now on, the methods that Keras calls by wrap(method)."""
    for base, names in _CALLED.items():
        _wrap_members(base, names, wrap)


def _wrap_members(base: Any, names: tuple[str, ...], wrap: Callable[[UserFunction], UserFunction]) -> None:
    before = vars(base).get("__init_subclass__")

    def new_init_subclass(cls: Any, /, **kwargs: Any) -> None:
        if before is None:
            super(base, cls).__init_subclass__(**kwargs)
        else:
            before.__func__(cls, **kwargs)
        for name in names:
            method = vars(cls).get(name)
            if callable(method):
                setattr(cls, name, wrap(method))

    base.__init_subclass__ = classmethod(new_init_subclass)
