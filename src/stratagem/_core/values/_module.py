"""`tf.Module`: a container of variables."""

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import keras

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.values._name_scope import NameScope
from stratagem._core.values._variable_partitioning import shards
from stratagem._private import KerasVariable, is_view

Path = tuple[Any, ...]

_LETTERS = re.compile(r"((?<=[a-z0-9])[A-Z]|(?!^)(?<!_)[A-Z](?=[a-z]))")
_IDENTIFIER = re.compile(r"[a-zA-Z_]([a-zA-Z0-9_])*\Z")


@exported("Module")
class Module:
    """Base class for objects that hold variables in their attributes, as `tf.Module`.

    Variables are found in attributes, in other modules and Keras layers, and in lists, tuples and dicts of them: those of
    this module first, in the order of the attributes' names, then those of the modules in it.
    """

    # Names of attributes in which nothing is looked for.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _LETTERS.sub(r"_\1", type(self).__name__).lower()
        elif not _IDENTIFIER.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid class name)."
            )
        self._name = name
        with NameScope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The given name, by default that of the class."""
        return self._name

    @property
    def name_scope(self) -> NameScope:
        """The scope of this module's variables: the module's name, below the scopes that it was created in."""
        return NameScope(self._scope_name)

    @property
    def variables(self) -> tuple[Any, ...]:
        """All variables, each once."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that training changes."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The variables that training does not change."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Any, ...]:
        """All modules below this one, Keras layers included."""
        return tuple(self._flatten(predicate=_is_module))

    @classmethod
    def with_name_scope(cls, method: UserFunction) -> UserFunction:
        """Decorates a method, whose variables are created in the module's name scope."""

        @functools.wraps(method)
        def scoped(self: Any, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """Yields attribute values, and what is in lists and dicts of them, for which `predicate` is true, each once.

        recursive: also of modules below this one. attribute_traversal_key: the key by which attributes are sorted.
        with_path: yields pairs of a path of attributes, positions and keys, and a value; each value for every path.
        """
        chosen = predicate or (lambda value: True)
        seen = {id(self)}
        level: list[tuple[Path, Any, tuple[int, ...]]] = [((), self, (id(self),))]
        while level:
            path, module, above = level.pop(0)
            below: list[tuple[Path, Any, tuple[int, ...]]] = []
            for inner, leaf in _leaves(module, attribute_traversal_key):
                repeated = id(leaf) in (above if with_path else seen)
                if not repeated:
                    seen.add(id(leaf))
                    if chosen(leaf):
                        yield ((*path, *inner), leaf) if with_path else leaf
                    if recursive and _is_module(leaf):
                        below.append(((*path, *inner), leaf, (*above, id(leaf))))
            level = below + level


def _is_variable(value: Any) -> bool:
    return isinstance(value, KerasVariable)


def _is_module(value: Any) -> bool:
    return isinstance(value, Module | keras.layers.Layer | keras.metrics.Metric)


def _leaves(module: Any, key: Callable[[str], Any] | None) -> Iterator[tuple[Path, Any]]:
    """Yields what a module has in its attributes, with paths; a Keras object answers itself, with its variables."""
    if not isinstance(module, Module):
        yield from _flat(getattr(module, "layers", []), ("layers",))
        yield from _flat(list(module.variables), ("variables",))
        return
    for name in sorted(vars(module), key=key):
        if name not in module._TF_MODULE_IGNORED_PROPERTIES:
            yield from _flat(vars(module)[name], (name,))


def _flat(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if is_view(value):
        yield from ((path, shard) for shard in shards(value))
    elif isinstance(value, Mapping):
        for key in _sorted(value):
            yield from _flat(value[key], (*path, key))
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes | range):
        for i, item in enumerate(value):
            yield from _flat(item, (*path, i))
    else:
        yield path, value


def _sorted(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError:  # keys of several kinds
        return list(mapping)
