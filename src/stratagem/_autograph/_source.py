"""The source of a function, and whether it is still what the function was compiled from."""

import functools
import linecache
import types

from stratagem._base.types import UserFunction
from stratagem._core.step import all_code


def source_has_changed(function: UserFunction) -> bool:
    """Returns whether the file of a function has another definition at its line than the one that Python has compiled.

    A conversion would run what the file says now. False as well where there is no source, which is told elsewhere.
    """
    code = function.__code__
    # Not by `inspect`, which looks for the module of code among the files of all modules, for a tenth of a second at first.
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    try:
        module = _compiled("".join(lines), code.co_filename)
    except (SyntaxError, ValueError):  # a half-saved one, whose text cannot be converted either
        return False
    return bool(lines) and not any(_may_be(code, other) for other in all_code(module))


@functools.lru_cache(maxsize=64)
def _compiled(text: str, name: str) -> types.CodeType:
    return compile(text, name, "exec", dont_inherit=True)


def _may_be(code: types.CodeType, found: types.CodeType) -> bool:
    """Returns whether the code is that of this definition; tools that add to it at import, as pytest does, add names."""
    if (code.co_name, code.co_firstlineno) != (found.co_name, found.co_firstlineno):
        return False
    if _parameters(code) != _parameters(found):
        return False
    if set(found.co_names) < set(code.co_names):
        return _constants(found) <= _constants(code)
    return code.co_code == found.co_code and _constants(found) == _constants(code)


def _parameters(code: types.CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _constants(code: types.CodeType) -> set[tuple[type, object]]:
    return {(type(c), c) for c in code.co_consts if isinstance(c, int | float | str)}
