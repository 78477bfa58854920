"""`tf.name_scope`: the first part of the names of variables that are created in it."""

import contextlib
import weakref
from types import TracebackType
from typing import Any, final

from stratagem._base.exports import exported
from stratagem._core.context import change, current

# Of each trace, how many times each scope was opened: as in TF, a compiled function's second one has another name.
_opened: "weakref.WeakKeyDictionary[Any, dict[str, int]]" = weakref.WeakKeyDictionary()


@final
class NameScope:
    """A context in which names of variables begin with `name`; entering it returns the whole scope, with a slash.

    A name that ends in a slash is the whole scope itself, and an empty one leaves all scopes.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(f"name for name_scope must be a string, got {name!r}.")
        self._name = name
        self._outer: list[dict[str, Any]] = []
        self._of_graph: list[contextlib.AbstractContextManager[str]] = []

    @property
    def name(self) -> str:
        """The name that was given."""
        return self._name

    def __enter__(self) -> str:
        context = current()
        if context.graph is None and context.recorder is None and context.begin_graph is not None:
            context.begin_graph()
        graph = current().graph
        self._of_graph.append(contextlib.nullcontext("") if graph is None else graph.name_scope(self._name))
        of_graph = self._of_graph[-1].__enter__()
        scope = self._name
        if scope and not scope.endswith("/"):
            scope = _unique(current().name_scope + scope) + "/"
        self._outer.append(change(name_scope=scope))
        return of_graph or scope

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        change(**self._outer.pop())
        self._of_graph.pop().__exit__(kind, error, trace)

    def __deepcopy__(self, memo: dict[int, Any]) -> "NameScope":
        return NameScope(self._name)


@exported("name_scope", "keras.backend.name_scope", v1=())
def name_scope(name: str) -> NameScope:
    """Returns a context in which names of variables begin with `name`, as `tf.name_scope`."""
    return NameScope(name)


def open_name_scope() -> str:
    """Returns what the name of a variable that is created now begins with: "" or the open scopes, with a slash at the end."""
    return current().name_scope


@exported("get_current_name_scope", v1=())
def get_current_name_scope() -> str:
    """Returns the open scopes, such as "a/b"; "" outside of all."""
    return current().name_scope.rstrip("/")


def _unique(scope: str) -> str:
    recorder = current().recorder
    if recorder is None:
        return scope
    opened = _opened.setdefault(recorder, {})
    times = opened[scope] = opened.get(scope, -1) + 1
    return f"{scope}_{times}" if times else scope
