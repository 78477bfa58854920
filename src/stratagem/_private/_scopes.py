"""Scopes of Keras: those in which assignments are recorded, and those that name what is made."""

import contextlib
from typing import Any, cast

from keras.src import backend as keras_backend
from keras.src.backend.common import global_state
from keras.src.backend.common.name_scope import current_path
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.random.seed_generator import SeedGenerator


def in_stateless_scope() -> bool:
    """True inside a Keras stateless scope, a step's capture included: assignments are recorded, not made."""
    return bool(keras_backend.in_stateless_scope())


def scoped_value(variable: Any, outermost: Any) -> Any:
    """The variable's value in the stateless scopes opened inside the scope `outermost` (branches, loop bodies), or None."""
    scope = keras_backend.get_stateless_scope()
    while scope is not None and scope is not outermost:
        if id(variable) in scope.state_mapping:
            return scope.state_mapping[id(variable)]
        scope = scope.original_scope
    return None


def is_making_own_state() -> bool:
    """True while an optimizer or a seed generator makes variables, which are never cut."""
    scopes = global_state.get_global_attribute("name_scope_stack")
    return bool(scopes) and isinstance(scopes[-1].caller, BaseOptimizer | SeedGenerator)


def below_scope(name: str) -> contextlib.AbstractContextManager[Any]:
    """In the body, paths of new variables go on with `name`."""
    return cast(contextlib.AbstractContextManager[Any], keras_backend.name_scope(name))


def scoped(variable: Any) -> Any:
    """What the variable is in the stateless scope that is open, without a cast."""
    return keras_backend.get_stateless_scope().get_current_value(variable)


def scope_path() -> str:
    """The names of Keras' scopes around the present code, with slashes between: the layers that are being called."""
    return str(current_path())
