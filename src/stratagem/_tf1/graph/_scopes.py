"""Scopes of names: those of variables, which may be reused, and those of tensors, which are always new."""

import contextlib
import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, final

from stratagem._ops import float32


@final
class AutoReuse:
    """`tf.compat.v1.AUTO_REUSE`: make the variable if it is not there yet, else take it."""

    def __repr__(self) -> str:
        return "AUTO_REUSE"


AUTO_REUSE: Final = AutoReuse()


@final
@dataclass(eq=False, kw_only=True)
class VariableScope:
    """What `tf1.get_variable` adds to a name and takes as defaults, as `tf.compat.v1.VariableScope`.

    A fact, but for `reuse_variables`, which every holder of a scope may call on it.

    name: with slashes, "" for the outermost. reuse: False, True or AUTO_REUSE. original_name_scope: ends in a slash.
    getter: called as getter(getter=the next one, name=..., shape=..., ...) instead of making the variable; None for none.
    """

    name: str = ""
    reuse: Any = False
    initializer: Any = None
    regularizer: Any = None
    constraint: Any = None
    dtype: Any = float32
    getter: Callable[..., Any] | None = None
    original_name_scope: str = ""

    def reuse_variables(self) -> None:
        """From here on variables are reused, in this scope and in those that are opened in it, also if it is opened again."""
        self.reuse = True

    @property
    def custom_getter(self) -> Callable[..., Any] | None:
        """TensorFlow's name of the getter."""
        return self.getter


def _around(own: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    """A getter that calls own(next_getter, name, ...), where the next getter is `inner`, which asks the one after it."""
    return lambda getter, *args, **kwargs: own(functools.partial(inner, getter), *args, **kwargs)


@final
class Scopes:
    """The scopes that are open in one call of a model_fn, and which names it has used."""

    def __init__(self) -> None:
        self.variables = VariableScope()
        self.stack = ""  # of the name scopes, ends in a slash unless empty
        self._opened: Counter[str] = Counter()
        self._names: dict[str, int] = {}

    def unique_name(self, name: str) -> str:
        """`name` below the open name scopes, with `_1`, `_2` … if it was used."""
        return self.unique(self.stack + name)

    def unique(self, full: str) -> str:
        """The whole name `full`, with `_1`, `_2` … if it was used, for a scope, a tensor, an operation or a variable."""
        number = self._names.get(full.lower(), 0)
        self._names[full.lower()] = number + 1
        unique = full
        while number and unique.lower() in self._names:
            unique = f"{full}_{number}"
            number += 1
        self._names.setdefault(unique.lower(), 1)
        return unique

    def below(self, name: str) -> str:
        """The name of something that is called `name` in the variable scope that is open."""
        return f"{self.variables.name}/{name}" if self.variables.name else name

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """In the body names of tensors start with `name`, made unique; "x/" opens x again, None or "" the outermost scope."""
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
        """The name for a scope that was given only a default: one that is not yet open below the present scope."""
        prefix = self.below(name)
        if not self._opened[prefix]:
            return name
        number = 1
        while self._opened[f"{prefix}_{number}"]:
            number += 1
        return f"{name}_{number}"

    @contextlib.contextmanager
    def variable_scope(self, scope: str | VariableScope, **changes: Any) -> Iterator[VariableScope]:
        """In the body variables are those of `scope`: a name below the present one, or a scope of before.

        changes: the scope's own reuse, initializer, regularizer, dtype or getter, where None inherits, and constraint, which
        is that of one scope only. A getter is asked first, and is given the one that it inherits to ask.
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
                        del self._opened[name]  # who opens this scope again finds the same names in it
