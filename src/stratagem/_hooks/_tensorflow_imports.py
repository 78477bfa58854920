"""install_as_tensorflow: lets other people's `import tensorflow` statements find this library."""

import importlib
import importlib.abc
import importlib.machinery
import logging
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, final

from stratagem._base.exports import exported
from stratagem._private import hide_tensorflow_from_keras

logger = logging.getLogger("stratagem")

_NAME = "tensorflow"
# Our module for each package that is found here.
_OURS = {_NAME: "stratagem", "tensorflow_addons": "stratagem.addons"}
# Names that TensorFlow has for `tf` itself: `import tensorflow.compat.v2 as tf` is how libraries import it.
_SYNONYMS = {"compat.v2": ""}


@final
class _TensorFlowModule(ModuleType):
    """A module of ours under TensorFlow's name. It has no names of its own: reading and setting one goes to ours."""

    _ours: ModuleType
    _finder: "_TensorFlowFinder"

    def __init__(self, name: str, ours: ModuleType, finder: "_TensorFlowFinder") -> None:
        super().__init__(name, ours.__doc__)
        spec = importlib.machinery.ModuleSpec(name, finder, is_package=True)
        vars(self).update(__path__=[], __spec__=spec, __loader__=finder, __package__=name, _ours=ours, _finder=finder)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__version__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        path = f"{self.__name__}.{name}"
        if path.removeprefix(f"{_NAME}.") in _SYNONYMS:
            return importlib.import_module(path)
        try:
            value = getattr(self._ours, name)
        except AttributeError as error:
            self._finder.tell(path, str(error))
            raise
        return self._finder.module(path, value) if isinstance(value, ModuleType) else value

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__") or isinstance(value, _TensorFlowModule):  # by the import system
            super().__setattr__(name, value)
        else:
            setattr(self._ours, name, value)

    def __dir__(self) -> Iterable[str]:
        return dir(self._ours)


@final
class _TensorFlowFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `tensorflow` and `tensorflow_addons` among our public modules, and tells who asks for what is not there."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str, int]] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in _OURS:
            return None
        if _ours(fullname) is None:
            self.tell(fullname, "stratagem has no module of this name")
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        ours = _ours(spec.name)
        assert ours is not None  # or there was no spec
        return _TensorFlowModule(spec.name, ours, self)

    def exec_module(self, module: ModuleType) -> None:
        """Does nothing: the module is complete."""

    def module(self, path: str, ours: ModuleType) -> ModuleType:
        """Returns our module under this name of TensorFlow's."""
        found = sys.modules.get(path)
        if not isinstance(found, _TensorFlowModule) or found._ours is not ours:
            found = sys.modules[path] = _TensorFlowModule(path, ours, self)
        return found

    def tell(self, name: str, why: str) -> None:
        """Logs, once for each place of a program, that it asks for a name that is missing."""
        frame = sys._getframe(1)
        while frame.f_back and (frame.f_globals.get("__name__") == __name__ or "importlib" in frame.f_code.co_filename):
            frame = frame.f_back
        place = (name, frame.f_code.co_filename, frame.f_lineno)
        if place not in self._told:
            self._told.add(place)
            logger.warning("%s, line %d, asks for %s: %s", place[1], place[2], name, why)


def _ours(fullname: str) -> ModuleType | None:
    """Returns our module for a module of TensorFlow's, or of TensorFlow Addons; None if there is none."""
    package, _, inner = fullname.partition(".")
    for synonym, ours in _SYNONYMS.items():
        if inner == synonym or inner.startswith(f"{synonym}."):
            inner = f"{ours}{inner.removeprefix(synonym)}".removeprefix(".")
    found: Any = importlib.import_module(_OURS[package])
    for part in filter(None, inner.split(".")):
        if part.startswith("_"):
            return None
        try:
            found = getattr(found, part)
        except AttributeError:
            return None
        if not isinstance(found, ModuleType):
            return None
    return found


@exported("install_as_tensorflow", v1=())
def install_as_tensorflow() -> None:
    """Lets `import tensorflow` in any module of this process find this library, for libraries that import it themselves.

    Call it at the beginning of a program, before such a library is imported. `tensorflow.compat.v2` is `tensorflow`, as
    in TensorFlow 2; `tensorflow_addons` is `stratagem.addons`. A name that is missing here is an AttributeError as elsewhere
    (a missing module: ModuleNotFoundError), and the log tells once which line asked for it. Keras goes on without TensorFlow:
    its own uses of it need the original. Another call changes nothing.

    Raises RuntimeError if TensorFlow itself is imported already.
    """
    imported = sys.modules.get(_NAME)
    if isinstance(imported, _TensorFlowModule):
        return
    if imported is not None:
        where = getattr(imported, "__file__", None)
        raise RuntimeError(
            f"install_as_tensorflow() was called after TensorFlow itself was imported"
            f"{f' (from {Path(where).parent})' if where else ''}: parts of the program hold its objects already. Call it "
            "first, before the import of any library that imports TensorFlow; to use TensorFlow itself, do not call it."
        )
    hide_tensorflow_from_keras()
    sys.meta_path.insert(0, _TensorFlowFinder())
