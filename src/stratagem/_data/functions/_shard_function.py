"""A user's function that tells in which shard an element is saved."""

from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._data.elements._nest import spec_of
from stratagem._data.functions._applied import AppliedFunction
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.stages._stage import Stage


@final
class ShardFunction:
    """A user's function that tells in which shard an element is saved; without one there is one shard."""

    def __init__(self, parent: Stage, function: UserFunction | None) -> None:
        self._applied = None if function is None else AppliedFunction(parent, function)
        self._facts = {} if self._applied is None else self._applied.begin()

    def __call__(self, element: Any, position: int) -> int:
        """The number of the shard.

        Raises:
            InvalidArgumentError: the user's function did not return an int64 scalar.
        """
        if self._applied is None:
            return 0
        found = self._applied(element, self._facts, position)
        if not isinstance(found, np.ndarray) or found.dtype != np.int64 or found.ndim:
            raise InvalidArgumentError(
                f"`shard_func` must return a scalar int64: the number of a shard. It returned {spec_of(found)}."
            )
        return int(found)
