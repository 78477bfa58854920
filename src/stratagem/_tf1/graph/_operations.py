"""Operations: changes that a model_fn describes and that its caller runs."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, final

import jax
import keras

from stratagem._base.exports import exported
from stratagem._tf1.graph._model_build import ModelBuild, begun_building, current_building


@exported("Operation")
@final
class Operation:
    """A deferred change of a step: an update, an assignment, or a group of operations.

    action: makes the change and returns its result. dependencies: operations that run before it.
    """

    def __init__(
        self,
        name: str,
        action: Callable[[], Any],
        dependencies: Iterable["Operation"] = (),
        place: ModelBuild | None = None,
    ) -> None:
        self._building = current_building() if place is None else place
        self.name = self._building.scopes.unique_name(name)
        self._action = action
        self._dependencies = (*self._building.dependencies, *dependencies)
        if self._building.owner is not None:
            self._building.operations[self.name] = self

    @property
    def graph(self) -> Any:
        """The graph that the operation is a part of; None in a model_fn, whose graph is no object."""
        return self._building.owner

    @property
    def dependencies(self) -> tuple["Operation", ...]:
        """The operations that run before this one."""
        return self._dependencies

    def run(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Runs the operation: in a model_fn as a part of the trace, in which further calls return the first result.

        Of a graph it is run in a session, by default the one that is open, as by `session.run(operation, feed_dict)`.
        """
        if self._building.owner is not None and not self._building.running and self._building.effects.idle:
            return self._building.owner.evaluated(self, feed_dict, session)
        return self._building.run(self)

    def act(self) -> Any:
        """Makes the change, without what it depends on, and returns its result."""
        return self._action()

    def __jax_array__(self) -> jax.Array:
        """Returns the result as a tensor, so that code which reads it depends on the operation."""
        return jax.numpy.asarray(self._building.run(self))

    def __repr__(self) -> str:
        return f"<Operation {self.name!r}>"


def operations(values: Iterable[Any]) -> list[Operation]:
    """Returns the operations among `values`, also in nested lists. Tensors and variables are computed already."""
    found = []
    for value in values:
        if isinstance(value, Operation):
            found.append(value)
        elif isinstance(value, list | tuple):
            found.extend(operations(value))
    return found


@exported("group")
def group(*inputs: Any, name: str | None = None) -> Operation | None:
    """Returns an operation that runs all of `inputs`: operations, tensors, and lists of them.

    Outside of a model_fn, where effects happen in the order of the program, there is nothing to run: returns None.
    """
    if begun_building() is None:
        return None
    return Operation(name or "group_deps", lambda: None, operations(inputs))


@exported("no_op")
def no_op(name: str | None = None) -> Operation | None:
    """Returns an operation that does nothing but run its dependencies; None outside of a model_fn."""
    if begun_building() is None:
        return None
    return Operation(name or "NoOp", lambda: None)


@exported("control_dependencies")
@contextlib.contextmanager
def control_dependencies(control_inputs: Iterable[Any] | None) -> Iterator[None]:
    """Makes operations of the body run after `control_inputs`; None drops the dependencies of enclosing blocks.

    Outside of a model_fn effects happen in the order of the program anyway. Raises TypeError for what cannot be iterated.
    """
    building = begun_building()
    if building is None:
        list(() if control_inputs is None else control_inputs)
        yield
        return
    before = building.dependencies
    own = () if control_inputs is None else (*before, *operations(control_inputs))
    with building.after(own):
        yield


@exported(v1=["assign"])
def assign(
    ref: keras.Variable,
    value: Any,
    validate_shape: object = None,
    use_locking: object = None,
    name: str | None = None,
) -> Operation:
    """Returns an operation that sets the variable `ref`; its result is the new value."""
    return Operation(name or "Assign", lambda: _after(ref, ref.assign, value))


@exported(v1=["assign_add"])
def assign_add(ref: keras.Variable, value: Any, use_locking: object = None, name: str | None = None) -> Operation:
    """Returns an operation that adds to the variable `ref`; its result is the new value."""
    return Operation(name or "AssignAdd", lambda: _after(ref, ref.assign_add, value))


@exported(v1=["assign_sub"])
def assign_sub(ref: keras.Variable, value: Any, use_locking: object = None, name: str | None = None) -> Operation:
    """Returns an operation that subtracts from the variable `ref`; its result is the new value."""
    return Operation(name or "AssignSub", lambda: _after(ref, ref.assign_sub, value))


def _after(ref: Any, change: Callable[[Any], Any], value: Any) -> Any:
    change(jax.numpy.asarray(value) if isinstance(value, Operation) else value)
    return ref.value
