"""Variables that a branch or loop body assigns: their values are passed in and out of it like any other values."""

from collections.abc import Callable, Sequence
from typing import Any, final

import jax
import keras

from stratagem._base.errors import UnimplementedError
from stratagem._core.context import current, entered
from stratagem._core.values import on_read
from stratagem._ops._convert import is_traced, tensor


@final
class _AssignScope(keras.StatelessScope):  # type: ignore[misc]
    """Collects assignments; variables that were not assigned here are read from the enclosing scope."""

    def __init__(self) -> None:
        super().__init__(initialize_variables=False)
        self.variables: dict[int, Any] = {}
        self._replica = current().replica

    @property
    def has_replicas(self) -> bool:
        """True inside a replica function that was called in this branch.

        All replicas are then in the branch. A branch inside a replica function, in contrast, may be taken by some
        replicas only.
        """
        return current().replica is not self._replica

    def get_current_value(self, variable: Any) -> Any:
        """The value assigned here, else the one outside (None if Keras itself has it)."""
        own, outer = self.state_mapping.get(id(variable)), self.original_scope
        if own is None:
            return None if outer is None else outer.get_current_value(variable)
        recorder = current().recorder
        return own if recorder is None or not on_read(variable) else recorder.read_slot(variable, own)

    def slot(self, variable: Any) -> Any:
        """A replica's value of the variable: as `get_current_value`, but for a sync-on-read variable its own slot."""
        own, outer = self.state_mapping.get(id(variable)), self.original_scope
        if own is not None or outer is None:
            return own
        return outer.slot(variable) if hasattr(outer, "slot") else outer.get_current_value(variable)

    def add_update(self, update: tuple[Any, Any]) -> None:
        """Called by Keras for an assignment."""
        variable, value = update
        recorder = current().recorder
        if recorder is not None and on_read(variable):
            value = recorder.to_slot(variable, value)
        elif recorder is not None and self.has_replicas:
            value = recorder.to_copy(variable, value)
        self.keep(variable, value)

    def keep(self, variable: Any, value: Any) -> None:
        """Sets the replica's value of the variable."""
        self.variables[id(variable)] = variable
        super().add_update((variable, value))

    def set(self, variables: Sequence[Any], values: Sequence[Any]) -> None:
        """Sets initial values."""
        self.state_mapping.update({id(v): value for v, value in zip(variables, values, strict=True)})


@final
class _BranchRecorder:
    """The recorder inside a branch: refuses collective additions and otherwise delegates to the outer recorder."""

    def __init__(self, recorder: Any, scope: _AssignScope) -> None:
        self._recorder = recorder
        self._scope = scope

    def __getattr__(self, name: str) -> Any:
        return getattr(self._recorder, name)

    def add(self, variable: Any, delta: Any, sign: int, scope: Any = None) -> bool:
        """Refuses an `assign_add` that would add every replica's amount. scope: the nested branch that asks."""
        if on_read(variable) or self._scope.has_replicas:
            return bool(self._recorder.add(variable, delta, sign, scope or self._scope))
        if not self._recorder.in_replica(current()) or variable.aggregation != "sum":
            return False
        raise UnimplementedError(
            f"{variable.path} has aggregation SUM: assign_add and assign_sub on it add over all replicas, which is not "
            "possible inside tf.cond or a loop. Return the amount from it, and assign after it."
        )


def _inside(function: Callable[..., Any], args: Sequence[Any], variables: Sequence[Any], values: Sequence[Any]) -> Any:
    """Runs the function with these values of variables. Returns its result and the scope."""
    recorder = current().recorder
    scope = _AssignScope()
    inner = None if recorder is None else _BranchRecorder(recorder, scope)
    with entered(recorder=inner), scope:
        scope.set(variables, values)
        return as_tensors(function(*args)), scope


def as_tensors(tree: Any) -> Any:
    """Converts numbers and NumPy arrays in a structure to tensors."""
    return jax.tree.map(tensor, tree)


def assigned(*calls: tuple[Callable[..., Any], Sequence[Any]]) -> list[Any]:
    """The variables that any of these calls assigns, found by tracing each of them once more."""
    found: dict[int, Any] = {}

    def run(function: Callable[..., Any]) -> Callable[..., Any]:
        def probe(*args: Any) -> Any:
            result, scope = _inside(function, args, (), ())
            found.update(scope.variables)
            return result

        return probe

    for function, args in calls:
        jax.eval_shape(run(function), *args)
    return list(found.values())


def with_state(function: Callable[..., Any], variables: Sequence[Any]) -> Callable[..., Any]:
    """The function as (values of the variables, *args) -> (new values, result), without side effects on them."""

    def pure(values: Sequence[Any], *args: Any) -> Any:
        result, scope = _inside(function, args, variables, values)
        new = [scope.slot(v) for v in variables]
        return [tensor(n).astype(old.dtype) for n, old in zip(new, values, strict=True)], result

    return pure


def values_of(variables: Sequence[Any]) -> list[Any]:
    """A replica's current values of the variables, without Keras' automatic casts."""
    with _AssignScope() as scope:
        known = [scope.slot(v) for v in variables]
    return [v.value if k is None else k for v, k in zip(variables, known, strict=True)]


def publish(variables: Sequence[Any], values: Sequence[Any]) -> None:
    """Assigns the final values of a branch or loop to the variables, as if they had been assigned outside."""
    with _AssignScope() as scope:
        outer = scope.original_scope
    for variable, value in zip(variables, values, strict=True):
        if outer is None:
            variable.assign(value)
        elif on_read(variable) and hasattr(outer, "keep"):
            outer.keep(variable, value)
        else:
            outer.add_update((variable, value))


def is_known(value: Any) -> bool:
    """Returns whether the value is known now, so that Python can decide on it."""
    return not is_traced(tensor(value))
