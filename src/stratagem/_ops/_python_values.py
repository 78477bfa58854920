"""Lists of Python's own numbers and texts, which hold no tensor: seen by their types, without a call for each entry."""

from itertools import chain
from typing import Any, Final

# Of which nothing is a tensor, nor stands for one. Classes derived from them may be.
PYTHON_TYPES: Final = frozenset({bool, int, float, complex, str, bytes})
_SEQUENCES: Final = frozenset({list, tuple})


def is_of_python(values: list[Any] | tuple[Any, ...]) -> bool:
    """Returns whether a list holds nothing but Python's numbers and texts, in lists and tuples of any depth."""
    while True:
        kinds = {*map(type, values)}
        if kinds <= PYTHON_TYPES:
            return True
        if not kinds <= _SEQUENCES:
            return kinds <= PYTHON_TYPES | _SEQUENCES and all(
                type(value) in PYTHON_TYPES or is_of_python(value) for value in values
            )
        values = list(chain.from_iterable(values))
