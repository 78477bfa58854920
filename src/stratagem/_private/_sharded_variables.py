"""Variables of Keras that are kept in shards: layers and optimizers know the shards, files the view on all."""

import functools
from collections.abc import Callable, Iterable
from typing import Any

import keras
from keras.src.legacy.saving import legacy_h5_format
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.saving import saving_lib
from keras.src.utils import tracking

from stratagem._private._variables import KerasVariable


def intercept_shards(
    *,
    create: Callable[[type, tuple[keras.Variable, ...], dict[str, keras.Variable]], keras.Variable],
    slot: Callable[[keras.Variable, keras.Variable, str, keras.Variable], None],
) -> None:
    """Let a variable be a view on several, its shards: it has them in `variables`, and they have it in `_sharded_variable`.

    create(class, args, kwargs) runs before the constructor of a variable that is called with these, and returns what
    takes the variable's place, or None. Layers, metrics and optimizers know shards only; files that Keras writes, views.
    slot(optimizer, shard, name, variable) is told what an optimizer keeps for a shard.
    """

    def new(cls: type, *args: Any, **kwargs: Any) -> Any:
        made = create(cls, args, kwargs) if args or kwargs else None  # no arguments: a copy is being made
        return object.__new__(cls) if made is None else made

    from_reference, build = BaseOptimizer.add_variable_from_reference, BaseOptimizer.build

    @functools.wraps(build)
    def new_build(self: Any, variables: Any) -> None:
        for variable in filter(is_view, variables):
            raise ValueError(
                f"{self.name}: {variable.name} is in shards, and an optimizer takes its `variables` "
                "(model.trainable_variables has them)."
            )
        build(self, variables)

    @functools.wraps(from_reference)
    def new_from_reference(self: Any, reference_variable: Any, name: Any = None, initializer: Any = "zeros") -> Any:
        made = from_reference(self, reference_variable, name, initializer)
        if reference_variable._sharded_variable is not None:
            slot(self, reference_variable, name or "var", made)
        return made

    KerasVariable._sharded_variable, KerasVariable.__new__ = None, staticmethod(new)
    BaseOptimizer.add_variable_from_reference, BaseOptimizer.build = new_from_reference, new_build
    _track_shards()
    _save_views()


def is_view(value: Any) -> bool:
    """True for a variable that is kept in shards."""
    return getattr(type(value), "is_sharded_variable", False) is True


def joined(values: Iterable[keras.Variable]) -> list[keras.Variable]:
    """The values with, in place of the first shard of a variable, the view on all, and without the others."""
    found: list[Any] = []
    seen: set[int] = set()
    for value in values:
        whole = value._sharded_variable if isinstance(value, KerasVariable) else None
        if whole is None:
            found.append(value)
        elif id(whole) not in seen:
            found.append(whole)
            seen.add(id(whole))
    return found


def _track_shards() -> None:
    def each(original: Any, position: int) -> Any:
        @functools.wraps(original)
        def routed(self: Any, *args: Any) -> Any:
            if not is_view(args[position]):
                return original(self, *args)
            for shard in args[position].variables:
                original(self, *args[:position], shard)
            return args[position]

        return routed

    tracker = tracking.Tracker
    tracker.track, tracker.untrack = each(tracker.track, 0), each(tracker.untrack, 0)
    tracker.add_to_store = each(tracker.add_to_store, 1)


_LISTS = ("_trainable_variables", "_non_trainable_variables", "_variables")


def _save_views() -> None:
    def within(original: Any) -> Any:
        @functools.wraps(original)
        def routed(saveable: Any, *args: Any, **kwargs: Any) -> Any:
            lists = [found for name in _LISTS if isinstance(found := getattr(saveable, name, None), list)]
            shards = [(found, list(found)) for found in lists if len(joined(found)) < len(found)]
            for found, _ in shards:
                found[:] = joined(found)
            try:
                return original(saveable, *args, **kwargs)
            finally:
                for found, before in shards:
                    found[:] = before

        return routed

    saving_lib._save_state, saving_lib._load_state = within(saving_lib._save_state), within(saving_lib._load_state)
    legacy_weights = legacy_h5_format._legacy_weights
    legacy_h5_format._legacy_weights = lambda layer: joined(legacy_weights(layer))
