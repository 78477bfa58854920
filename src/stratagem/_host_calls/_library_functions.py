"""Functions of the library by the module that has them, for processes of one job, which have the same library."""

import functools
import importlib
import inspect
from typing import Any

from stratagem._base.types import UserFunction


def place_of(function: UserFunction) -> str | None:
    """Returns "module:name"; None for a function that is not in the library, or not at the top of a module or a class."""
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__qualname__", "")
    if not _is_ours(module) or inspect.ismethod(function):
        return None
    found = _at(module, name)
    return f"{module}:{name}" if inspect.unwrap(found or function) is inspect.unwrap(function) else None


def function_at(place: str) -> UserFunction:
    """Returns the function of a place. Raises ValueError if there is none, or if it is one that the module has imported."""
    module, _, name = place.partition(":")
    found = _at(module, name) if _is_ours(module) else None
    if found is None or place_of(found) != place:
        raise ValueError(f"{place!r:.100} is no function of the library")
    return found


def _is_ours(module: str) -> bool:
    return module == "_operator" or module.startswith("stratagem.")


def _at(module: str, name: str) -> Any:
    try:
        owner: Any = importlib.import_module(module)
    except ModuleNotFoundError:
        return None
    return functools.reduce(lambda found, part: getattr(found, part, None), name.split("."), owner)
