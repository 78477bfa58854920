"""Variables that a model_fn makes by way of Keras objects or tf.Variable: made by its first call, found by later ones."""

import contextlib
from collections.abc import Callable
from typing import Any, final

from stratagem.graph._keys import GraphKeys
from stratagem.values import Variable, on_read


@final
class Objects:
    """The variables of one call of a model_fn, which makes the same ones in the same order every time.

    building: the call. making: within it, variables are made. A variable of a metric is a local one; every other is one of
    the graph's, and saved.
    """

    def __init__(self, building: Any, making: Callable[[], contextlib.AbstractContextManager[None]]) -> None:
        self._building, self.making = building, making
        self._count = 0

    def found(self, kind: type) -> Any:
        """The variable that an earlier call made at this place; None if this call is the first.

        Raises ValueError if it is of another class.
        """
        made = self._building.graph.made
        if self._count == len(made):
            return None
        variable = made[self._count]
        if type(variable) is not kind:
            raise ValueError(
                f"The model_fn now makes a {kind.__name__} where its first call made {variable.path}, a "
                f"{type(variable).__name__}. Its Python code must do the same at every call of one mode: look for counters, "
                "random choices and objects that are made only once."
            )
        return variable

    def made(self, variable: Any) -> None:
        """The call has made the variable, or found it."""
        building = self._building
        known = building.graph.made
        if self._count == len(known):
            known.append(variable)
            names = building.graph.local if on_read(variable) else building.graph.variables
            base = variable.name.removesuffix(":0") if isinstance(variable, Variable) else variable.path
            free = (name for i in range(len(names) + 1) if (name := f"{base}_{i}" if i else base) not in names)
            names[next(free)] = variable
        self._count += 1
        if on_read(variable):
            building.collections[GraphKeys.LOCAL_VARIABLES].append(variable)
        else:
            building.declare(variable.path, variable)
