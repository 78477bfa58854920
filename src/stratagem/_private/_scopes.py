"""Scopes of Keras: those in which assignments are recorded, and those that name what is made."""

import contextlib
from collections.abc import Iterator
from typing import Any, final

import keras
from keras.src import backend as keras_backend
from keras.src.backend.common import global_state
from keras.src.backend.common.name_scope import current_path
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.random.seed_generator import SeedGenerator


def in_stateless_scope() -> bool:
    """True inside a Keras stateless scope, a step's capture included: assignments are recorded, not made."""
    return bool(keras_backend.in_stateless_scope())


def record_assignment(variable: keras.Variable, value: Any) -> None:
    """Inside a Keras stateless scope: hands an assignment to the scope, without Keras' check of its shape."""
    keras_backend.get_stateless_scope().add_update((variable, value))


class _AssignmentScope(keras.StatelessScope):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.made: dict[int, tuple[Any, Any]] = {}

    def add_update(self, update: tuple[Any, Any]) -> None:
        self.made[id(update[0])] = update
        super().add_update(update)


@contextlib.contextmanager
def recorded() -> Iterator[dict[int, tuple[Any, Any]]]:
    """In the body, assignments are not made: (variable, value) is kept here. Variables created there get values after it.

    Keras' own scope would then give values to all that wait for theirs, also where it is opened while they get them.
    """
    scope, before = _AssignmentScope(), keras_backend.get_stateless_scope()
    waiting = global_state.get_global_attribute("uninitialized_variables")
    global_state.set_global_attribute("uninitialized_variables", [])
    global_state.set_global_attribute("stateless_scope", scope)
    try:
        yield scope.made
    finally:
        global_state.set_global_attribute("stateless_scope", before)
        new = global_state.get_global_attribute("uninitialized_variables")
        global_state.set_global_attribute("uninitialized_variables", waiting)
        for variable in new:
            variable._deferred_initialize()


@final
class _Unscoped:
    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = keras_backend.get_stateless_scope()
        global_state.set_global_attribute("stateless_scope", None)

    def __exit__(self, *_: object) -> None:
        global_state.set_global_attribute("stateless_scope", self._before)


def unscoped() -> contextlib.AbstractContextManager[None]:
    """In the body there is no stateless scope: what is made there has its value at once, what is assigned keeps it."""
    return _Unscoped()


def give_first_values() -> None:
    """Give the variables that wait for the end of a stateless scope their values now: outside of it, in their order."""
    waiting = global_state.get_global_attribute("uninitialized_variables") or []
    global_state.set_global_attribute("uninitialized_variables", [])
    for variable in waiting:
        variable._deferred_initialize()


def scoped_value(variable: keras.Variable, outermost: Any) -> Any:
    """The variable's value in the stateless scopes opened inside the scope `outermost` (branches, loop bodies), or None."""
    scope = keras_backend.get_stateless_scope()
    while scope is not None and scope is not outermost:
        if id(variable) in scope.state_mapping:
            return scope.state_mapping[id(variable)]
        scope = scope.original_scope
    return None


def present_slot(variable: keras.Variable) -> Any:
    """Inside a step: what a replica has of the variable in the branch or loop body that the present code is in."""
    return keras_backend.get_stateless_scope().slot(variable)


def is_making_own_state() -> bool:
    """True while an optimizer or a seed generator makes variables, which are never cut."""
    scopes = global_state.get_global_attribute("name_scope_stack")
    return bool(scopes) and isinstance(scopes[-1].caller, BaseOptimizer | SeedGenerator)


def below_scope(name: str) -> contextlib.AbstractContextManager[Any]:
    """In the body, paths of new variables go on with `name`."""
    return keras_backend.name_scope(name)


def scoped(variable: keras.Variable) -> Any:
    """Returns the variable's value in the open stateless scope, without a cast."""
    return keras_backend.get_stateless_scope().get_current_value(variable)


def scope_path() -> str:
    """The names of Keras' scopes around the present code, with slashes between: the layers that are being called."""
    return str(current_path())
