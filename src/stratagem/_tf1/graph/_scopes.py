"""Scopes of names: variable scopes, whose variables may be reused, and name scopes, whose names are always new."""

import contextlib
import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, final

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops import float32


@final
class AutoReuse:
    """The type of `tf.compat.v1.AUTO_REUSE`: reuse a variable that exists, create one that does not."""

    def __repr__(self) -> str:
        return "AUTO_REUSE"


AUTO_REUSE: Final = exported(v1=["AUTO_REUSE"])(AutoReuse())


@exported(v1=["VariableScope"])
@final
@dataclass(eq=False, kw_only=True)
class VariableScope:
    """The prefix and the defaults of `tf1.get_variable`, as `tf.compat.v1.VariableScope`.

    Immutable except for `reuse_variables`, which any holder of the scope may call.

    name: the parts joined by slashes; "" for the outermost scope.
    reuse: False, True or AUTO_REUSE.
    original_name_scope: ends in a slash.
    getter: called as getter(getter=the next one, name=..., shape=..., ...) instead of creating the variable; may be None.
    """

    name: str = ""
    reuse: Any = False
    initializer: Any = None
    regularizer: Any = None
    constraint: Any = None
    dtype: DTypeLike = float32
    getter: Callable[..., Any] | None = None
    original_name_scope: str = ""

    def reuse_variables(self) -> None:
        """Makes this scope, and every scope opened in it, reuse variables from now on, also when it is opened again."""
        self.reuse = True

    @property
    def custom_getter(self) -> Callable[..., Any] | None:
        """The getter, under TensorFlow's name."""
        return self.getter


def _around(own: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a getter that calls own(next_getter, name, ...). The next getter is `inner`, which calls the one after it."""
    return lambda getter, *args, **kwargs: own(functools.partial(inner, getter), *args, **kwargs)


@final
class Scopes:
    """The scopes that are open in one call of a model_fn, and the names that it has used."""

    def __init__(self) -> None:
        self.variables = VariableScope()
        self.stack = ""  # the open name scopes; ends in a slash unless empty
        self._opened: Counter[str] = Counter()
        self._names: dict[str, int] = {}

    def unique_name(self, name: str) -> str:
        """Returns `name` below the open name scopes, with `_1`, `_2` … appended if it was used."""
        return self.unique(self.stack + name)

    def new_name(self, name: str) -> str:
        """Returns the name of a tensor that is to be called so: as `unique_name`, or all of one that ends in a slash."""
        return name[:-1] if name.endswith("/") else self.unique_name(name)

    def unique(self, full: str) -> str:
        """Returns a name for a scope, tensor, operation or variable: `full`, with `_1`, `_2` … appended if it was used."""
        number = self._names.get(full.lower(), 0)
        self._names[full.lower()] = number + 1
        unique = full
        while number and unique.lower() in self._names:
            unique = f"{full}_{number}"
            number += 1
        self._names.setdefault(unique.lower(), 1)
        return unique

    def below(self, name: str) -> str:
        """Returns the full name of `name` in the open variable scope."""
        return f"{self.variables.name}/{name}" if self.variables.name else name

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Prefixes the names of tensors in the body with `name`, made unique.

        "x/" reopens x; None or "" opens the outermost scope.
        """
        before = self.stack
        if not name:
            self.stack = ""
        else:
            self.stack = name if name.endswith("/") else self.unique_name(name) + "/"
        try:
            yield self.stack
        finally:
            self.stack = before

    def default_name(self, name: str) -> str:
        """Returns a name, made from a default one, that no scope opened so far below the current one has."""
        prefix = self.below(name)
        if not self._opened[prefix]:
            return name
        number = 1
        while self._opened[f"{prefix}_{number}"]:
            number += 1
        return f"{name}_{number}"

    @contextlib.contextmanager
    def variable_scope(self, scope: str | VariableScope, **changes: Any) -> Iterator[VariableScope]:
        """Opens the variable scope `scope` for the body: a name below the current one, or an earlier scope.

        changes: the scope's own reuse, initializer, regularizer, dtype or getter, where None inherits; and its constraint,
            which is never inherited. The scope's own getter is called first, with the inherited one as its next getter.
        """
        before, opened = self.variables, None
        if isinstance(scope, VariableScope):
            opened, base = self._opened, scope
            short = scope.name.rpartition("/")[2]
        else:
            short = scope
            base = dataclasses.replace(before, name=self.below(scope))
        given = {"constraint": None} | {key: value for key, value in changes.items() if value is not None}
        if given.get("reuse") is False:
            del given["reuse"]
        if "getter" in given and base.getter is not None:
            given["getter"] = _around(given["getter"], base.getter)
        with self.name_scope(short) if short else contextlib.nullcontext(self.stack) as name_scope:
            original = base.original_name_scope if opened is not None else name_scope
            inner = dataclasses.replace(base, original_name_scope=original, **given)
            self._opened[inner.name] += 1
            if opened is not None:
                self._opened = Counter(self._opened)
            self.variables = inner
            try:
                yield inner
            finally:
                self.variables = before
                if opened is not None:
                    self._opened = opened
                else:
                    for name in [n for n in self._opened if n.startswith(f"{inner.name}/")]:
                        del self._opened[name]  # opened again, this scope hands out the same names
