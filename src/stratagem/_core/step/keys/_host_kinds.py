"""HostKind and other names of the host in exports: functions of ours, and objects whose methods compute there, as tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from stratagem._base.types import UserFunction


@final
@dataclass(frozen=True)
class HostKind:
    """A class of such objects, and the method that is a function of the host.

    name: in files. owner, method: the class, and the method's name. facts: returns what makes an object: numbers, texts,
    arrays, and lists, tuples and dicts of them. make: returns a function like the method, of an object with such facts; it
    raises ValueError, TypeError or KeyError for others. stand_in: returns what is called where strings are mere examples.
    learned: returns what the object has learned: other objects once that has changed, which is fast to see.
    """

    name: str
    owner: type
    method: str
    facts: Callable[[Any], dict[str, Any]]
    make: Callable[[Mapping[str, Any]], UserFunction]
    stand_in: Callable[[Any], UserFunction] | None = None
    learned: Callable[[Any], tuple[Any, ...]] = lambda owner: ()


_FUNCTIONS: Final[dict[str, UserFunction]] = {}
_BY_NAME: Final[dict[str, HostKind]] = {}


def host_kind(kind: HostKind) -> None:
    """Lets exports describe objects of this kind, and nothing else of theirs."""
    _BY_NAME[kind.name] = kind


def kind_of_method(function: UserFunction) -> HostKind | None:
    """Returns the kind of the object that a method is of; None for any other function."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    return next((k for k in _BY_NAME.values() if type(owner) is k.owner and name == k.method), None)


def kind_named(name: str) -> HostKind:
    """Returns the kind of this name. Raises KeyError for one that there is not."""
    return _BY_NAME[name]


def named_host_function(name: str, function: UserFunction) -> None:
    """Lets exports name a function of ours that is no public one."""
    _FUNCTIONS[name] = function


def named_host_functions() -> Mapping[str, UserFunction]:
    """Returns these functions by name."""
    return _FUNCTIONS
