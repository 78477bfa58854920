"""Operations: what changes something, left undone by the model_fn until whoever called it runs it."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, final

import jax

from stratagem._tf1.graph._building import Building, current_building


@final
class Operation:
    """Something to do in a step: an update, an assignment, a group of such.

    action: does it and returns its result. dependencies: operations that run first.
    """

    def __init__(
        self,
        name: str,
        action: Callable[[], Any],
        dependencies: Iterable["Operation"] = (),
        place: Building | None = None,
    ) -> None:
        self._building = current_building() if place is None else place
        self.name = self._building.scopes.unique_name(name)
        self._action = action
        self._dependencies = (*self._building.dependencies, *dependencies)

    def run(self) -> Any:
        """Do it now, in the trace, what it depends on first; once only, then the same result again."""
        building = self._building
        if id(self) not in building.done:
            for operation in self._dependencies:
                operation.run()
            building.running += 1
            try:
                building.done[id(self)] = self, self._action()
            finally:
                building.running -= 1
        return building.done[id(self)][1]

    def __jax_array__(self) -> jax.Array:
        """The result as a tensor: code that reads it depends on it."""
        return jax.numpy.asarray(self.run())

    def __repr__(self) -> str:
        return f"<Operation {self.name!r}>"


def operations(values: Iterable[Any]) -> list[Operation]:
    """The operations among `values`, nested lists included; tensors and variables are there already."""
    found = []
    for value in values:
        if isinstance(value, Operation):
            found.append(value)
        elif isinstance(value, list | tuple):
            found.extend(operations(value))
    return found


def group(*inputs: Any, name: str | None = None) -> Operation:
    """An operation that runs all of `inputs` (operations, tensors, lists of them)."""
    return Operation(name or "group_deps", lambda: None, operations(inputs))


def no_op(name: str | None = None) -> Operation:
    """An operation that does nothing, but after what it depends on."""
    return Operation(name or "NoOp", lambda: None)


@contextlib.contextmanager
def control_dependencies(control_inputs: Iterable[Any] | None) -> Iterator[None]:
    """Operations made in the body run after `control_inputs`; None: after none of those named outside."""
    building = current_building()
    before = building.dependencies
    own = () if control_inputs is None else (*before, *operations(control_inputs))
    building.dependencies = own
    try:
        yield
    finally:
        building.dependencies = before


def assign(
    ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: str | None = None
) -> Operation:
    """The operation that sets the variable `ref`; its result is the new value."""
    return Operation(name or "Assign", lambda: _after(ref, ref.assign, value))


def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Operation:
    """The operation that adds to the variable `ref`; its result is the new value."""
    return Operation(name or "AssignAdd", lambda: _after(ref, ref.assign_add, value))


def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Operation:
    """The operation that subtracts from the variable `ref`; its result is the new value."""
    return Operation(name or "AssignSub", lambda: _after(ref, ref.assign_sub, value))


def _after(ref: Any, change: Callable[[Any], Any], value: Any) -> Any:
    change(value.run() if isinstance(value, Operation) else value)
    return ref.value
