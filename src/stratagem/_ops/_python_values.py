"""Lists of Python's own numbers and texts, which hold no tensor: seen by their types, without a call for each entry."""

from itertools import chain
from typing import Any, Final

# Of which nothing is a tensor, nor stands for one. Classes derived from them may be.
PYTHON_TYPES: Final = frozenset({bool, int, float, complex, str, bytes})
_SEQUENCES: Final = frozenset({list, tuple})
_DEEPEST: Final = 8  # lists in lists that are put together; a list may hold itself


def is_of_python(values: list[Any] | tuple[Any, ...]) -> bool:
    """Returns whether a list is known to hold nothing but Python's numbers and texts, in a few levels of lists and tuples."""
    for _ in range(_DEEPEST):
        kinds = {*map(type, values)}
        if kinds <= PYTHON_TYPES:
            return True
        if not kinds <= PYTHON_TYPES | _SEQUENCES:
            return False
        values = list(chain.from_iterable(value for value in values if type(value) in _SEQUENCES))
    return False
