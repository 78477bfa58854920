"""`tf.Module`: a container of variables."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import jax
import keras

from stratagem._core.values._sharding import shards
from stratagem._private import KerasVariable, is_view

_TRACKED = (keras.layers.Layer, keras.metrics.Metric, keras.optimizers.Optimizer)


class Module:
    """Base class for objects that hold variables in their attributes, as `tf.Module`.

    Variables are found in attributes, in other modules and Keras layers, and in lists, tuples and dicts of them.
    """

    def __init__(self, name: str | None = None) -> None:
        self._name = name or type(self).__name__.lower()

    @property
    def name(self) -> str:
        """The given name, by default that of the class."""
        return getattr(self, "_name", type(self).__name__.lower())

    @property
    def variables(self) -> tuple[Any, ...]:
        """All variables, each once, in the order of the attribute names."""
        return tuple(_unique(self._collect(set())))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that training changes."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The variables that training does not change."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple["Module", ...]:
        """All modules below this one."""
        direct = [m for m in _leaves(self) if isinstance(m, Module)]
        return tuple(_unique(x for m in direct for x in (m, *m.submodules)))

    @property
    def name_scope(self) -> contextlib.AbstractContextManager[None]:
        """A context without effect: names of variables do not depend on scopes."""
        return contextlib.nullcontext()

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the method itself."""
        return method

    def _collect(self, seen: set[int]) -> Iterator[Any]:
        seen.add(id(self))
        for leaf in _leaves(self):
            if isinstance(leaf, KerasVariable) or is_view(leaf):
                yield from shards(leaf)
            elif isinstance(leaf, Module) and id(leaf) not in seen:
                yield from leaf._collect(seen)
            elif isinstance(leaf, _TRACKED):
                yield from leaf.variables


def _leaves(module: Module) -> list[Any]:
    return [leaf for _, value in sorted(vars(module).items()) for leaf in jax.tree.leaves(value)]


def _unique(values: Any) -> list[Any]:
    return list({id(v): v for v in values}.values())
