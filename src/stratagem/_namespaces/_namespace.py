"""Namespace: a module whose names are imported when they are first used."""

import inspect
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, Final, final

from stratagem import _hooks
from stratagem._base.allocator import without_collections
from stratagem._namespaces._names import NAMES, STARS, VALUES
from stratagem._ops import named, not_provided

_ROOT: Final = __name__.partition(".")[0]
_OF_TENSORFLOW_1: Final = f"{_ROOT}._tf1."  # a function from there names its results itself
_ADDONS: Final = f"{_ROOT}._addons"  # which few programs use
_MISSING: Final = object()


def attach(module: str) -> None:
    """Makes a module, `stratagem.image` for example, a namespace: gives it `__all__`, `__getattr__` and `__dir__`."""
    _hooks.install()  # before a name is taken from Keras: hooks replace some
    namespace = Namespace(module)
    own = {"__all__": namespace.names(), "__getattr__": namespace.value, "__dir__": namespace.names}
    vars(sys.modules[module]).update(VALUES.get(namespace.path, {}), **own)
    for name, whole in namespace.modules():
        sys.modules.setdefault(f"{module}.{name}", whole)  # for `import tensorflow.compat.v2 as tf`


@final
class Namespace:
    """The names of one public module.

    path: its name below `tf`, "" for `tf` itself.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self.path = module.partition(".")[2]
        self._names = NAMES[self.path]
        self._below = f"{self.path}." if self.path else ""

    def value(self, name: str) -> Any:
        """Returns what a name means, and keeps it in the module.

        Raises: NotProvidedError for a name of TensorFlow's that is missing, AttributeError for any other.
        """
        with without_collections():
            found = self._declared(name)
            if found is _MISSING:
                found = self._of_stars(name)
        if found is _MISSING:
            raise self._error(name)
        vars(sys.modules[self._module])[name] = found
        return found

    def names(self) -> list[str]:
        """The public names, sorted."""
        of_stars = {name for star in self._stars() for name in getattr(star, "__all__", vars(star)) if name[0] != "_"}
        below = {
            path.removeprefix(self._below).partition(".")[0]
            for path in NAMES
            if path.startswith(self._below) and path != self.path
        }
        return sorted({*self._names, *VALUES.get(self.path, ()), *of_stars, *below})

    def modules(self) -> Iterator[tuple[str, ModuleType]]:
        """The names that are modules as a whole, as `tf.compat.v2` is `tf`."""
        for name, place in self._names.items():
            if place.endswith(":"):
                yield name, import_module(place.removesuffix(":"))

    def _declared(self, name: str) -> Any:
        if self._below + name in NAMES:
            return import_module(f"{self._module}.{name}")
        place = self._names.get(name)
        if place is None:
            return _MISSING
        module, renamed, own = place.partition(":")
        found = import_module(module)
        if not renamed or own:
            found = getattr(found, own or name)
        shared = self._below.startswith("compat.v1.") and not module.startswith(_OF_TENSORFLOW_1)
        return named(found) if shared and inspect.isfunction(found) else found

    def _of_stars(self, name: str) -> Any:
        if name.startswith("__"):  # `__path__` of Keras' module would make this one its package
            return _MISSING
        for star in self._stars():
            found = getattr(star, name, _MISSING)
            if found is not _MISSING:
                return found
        return _MISSING

    def _stars(self) -> list[ModuleType]:
        return [import_module(star) for star in STARS.get(self.path, ())]

    def _error(self, name: str) -> AttributeError:
        if self.path.partition(".")[0] == "addons":
            return import_module(_ADDONS).not_in_addons(self.path.removeprefix("addons").lstrip("."), name)
        return not_provided(self.path, name)
