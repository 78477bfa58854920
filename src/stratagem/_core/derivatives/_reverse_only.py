"""reverse_only: marks rules that only a tape can follow, so that forward accumulators use the functions' own programs."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

_RULES: set[Any] = set()


def reverse_only(rule: _F) -> _F:
    """Notes a reverse (`defvjp`), of which JAX refuses forward derivatives. Also partial applications of it are known then."""
    _RULES.add(rule)
    return rule


def is_reverse_only(rule: Any) -> bool:
    """Returns whether a reverse is one of ours."""
    if isinstance(rule, functools.partial):
        rule = rule.func
    try:
        return rule in _RULES
    except TypeError:  # a callable without a hash is nobody's here
        return False
