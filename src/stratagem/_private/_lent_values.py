"""The values of a model, which Keras' own trainer takes away from its variables while it trains: lent, and given back."""

import functools
import logging
from collections.abc import Callable
from typing import Any, Final

import jax
from keras.src.backend.jax import trainer as jax_trainer

_log = logging.getLogger("stratagem")

_PARTS: Final = ("trainable_variables", "non_trainable_variables", "optimizer_variables", "metrics_variables")
_METHODS: Final = ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch")
LENT_PLACES: Final = tuple(
    f"keras.src.backend.jax.trainer.JAXTrainer.{name}" for name in ("_get_jax_state", "jax_state_sync", *_METHODS)
)


def give_values_back() -> None:
    """Let a model have its values whatever ends `fit`, `evaluate` and their like; and no value be lent twice.

    Keras gives back what the last step returned: a first step that raises, an exception in `evaluate`, or two variables that
    share an array would leave the model without values.
    """
    cls = jax_trainer.JAXTrainer
    cls._get_jax_state = _noting(cls._get_jax_state)
    cls.jax_state_sync = _giving_back(cls.jax_state_sync)
    for name in _METHODS:
        setattr(cls, name, _returning(getattr(cls, name)))


def _noting(lend: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(lend)
    def new_lend(self: Any, **which: bool) -> tuple[list[Any], ...]:
        lent = _each_once(lend(self, **which))
        self._jax_state = dict(zip([name for name in _PARTS if which.get(name)], lent, strict=True))
        return lent

    return new_lend


def _each_once(lent: tuple[list[Any], ...]) -> tuple[list[Any], ...]:
    """Returns these arrays, with a copy of each that is there already: a step takes the memory of all of them."""
    seen: set[int] = set()

    def one(value: Any) -> Any:
        known = id(value) in seen
        seen.add(id(value))
        return value.copy() if known else value

    return tuple([one(value) for value in part] for part in lent)


def _giving_back(give_back: Callable[[Any], None]) -> Callable[[Any], None]:
    @functools.wraps(give_back)
    def new_give_back(self: Any) -> None:
        state = getattr(self, "_jax_state", None)
        if not state or self._jax_state_synced or not any(_is_gone(value) for part in state.values() for value in part):
            give_back(self)
            return
        lost = []
        for name, part in state.items():
            for variable, value in zip(_variables(self, name), part, strict=True):
                if _is_gone(value):
                    lost.append(variable.path)
                else:
                    variable.assign(value)
        self._jax_state_synced = True
        _log.error(
            "A step of model %r failed while devices computed it, when they had taken the memory of %d variables (%s%s): their "
            "values are lost. Make the model again, and load its weights.",
            self.name, len(lost), ", ".join(lost[:3]), ", ..." if len(lost) > 3 else "",
        )  # fmt: skip

    return new_give_back


def _variables(model: Any, part: str) -> Any:
    return model.optimizer.variables if part == "optimizer_variables" else getattr(model, part)


def _is_gone(value: Any) -> bool:
    return isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer) and value.is_deleted()


def _returning(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def new_method(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except BaseException:  # Ctrl-C, too
            self.jax_state_sync()
            self._jax_state = None
            raise

    return new_method
