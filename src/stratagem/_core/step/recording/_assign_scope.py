"""AssignScope: collects the assignments of code inside a trace: of a branch, a loop body, a function that is traced again."""

from collections.abc import Sequence
from typing import Any, final

import keras

from stratagem._base.errors import UnimplementedError
from stratagem._core.context import current
from stratagem._core.values import on_read


@final
class AssignScope(keras.StatelessScope):  # type: ignore[misc]
    """Collects assignments; variables that were not assigned here are read from the enclosing scope.

    A variable in shards has its replica's shard here, as in the recorder; its whole value if `whole`, as in scopes inside.
    """

    def __init__(self, whole: bool = False) -> None:
        super().__init__(initialize_variables=False)
        self.variables: dict[int, Any] = {}
        self._whole = whole
        self._replica = current().replica

    @property
    def whole(self) -> bool:
        """True if variables in shards have their whole values here, as they do in scopes inside of one where they have."""
        return self._whole or getattr(self.original_scope, "whole", False)

    @property
    def has_replicas(self) -> bool:
        """True inside a replica function that was called in this branch.

        All replicas are then in the branch. A branch inside a replica function, in contrast, may be taken by some
        replicas only.
        """
        return current().replica is not self._replica

    def get_current_value(self, variable: keras.Variable) -> Any:
        """The value assigned here, else the one outside (None if Keras itself has it)."""
        own, outer = self.state_mapping.get(id(variable)), self.original_scope
        if own is None:
            return None if outer is None else outer.get_current_value(variable)
        recorder = current().recorder
        return recorder.read_slot(variable, own) if recorder is not None and self._has_slot(variable) else own

    def slot(self, variable: keras.Variable) -> Any:
        """A replica's value of the variable: as `get_current_value`, but what it stores of one of which each stores its own."""
        own, outer = self.state_mapping.get(id(variable)), self.original_scope
        if own is not None or outer is None:
            return own
        if self.whole and not on_read(variable) and not getattr(outer, "whole", False):
            return outer.get_current_value(variable)
        return outer.slot(variable) if hasattr(outer, "slot") else outer.get_current_value(variable)

    def add_update(self, update: tuple[keras.Variable, Any]) -> None:
        """Called by Keras for an assignment."""
        variable, value = update
        recorder = current().recorder
        if recorder is not None and self._has_slot(variable):
            value = recorder.to_slot(variable, value)
        elif recorder is not None and self.has_replicas:
            value = recorder.to_copy(variable, value)
        self.keep(variable, value)

    def _has_slot(self, variable: keras.Variable) -> bool:
        """Returns whether what this scope has of a variable is a replica's own part."""
        recorder = current().recorder
        return on_read(variable) or (not self.whole and recorder is not None and recorder.scope.in_shards(variable))

    def keep(self, variable: keras.Variable, value: Any) -> None:
        """Sets the replica's value of the variable."""
        self.variables[id(variable)] = variable
        super().add_update((variable, value))

    def set(self, variables: Sequence[keras.Variable], values: Sequence[Any]) -> None:
        """Sets initial values."""
        self.state_mapping.update({id(v): value for v, value in zip(variables, values, strict=True)})


@final
class BranchRecorder:
    """The recorder inside a branch: refuses collective additions and otherwise delegates to the outer recorder."""

    def __init__(self, recorder: Any, scope: AssignScope) -> None:
        self._recorder = recorder
        self._scope = scope

    def __getattr__(self, name: str) -> Any:
        return getattr(self._recorder, name)

    def in_shards(self, variable: keras.Variable) -> bool:
        """Returns whether what the branch has of a variable is its replica's shard."""
        return not self._scope.whole and bool(self._recorder.in_shards(variable))

    def draw(self, source: Any) -> Any:
        """Lets Python run the function: a program draws before it starts, always, and once."""
        self._recorder.need_host("it draws from an iterator in a branch or loop")

    def add(self, variable: keras.Variable, delta: Any, sign: int, scope: AssignScope | None = None) -> bool:
        """Refuses an `assign_add` that would add every replica's amount. scope: the nested branch that asks."""
        if on_read(variable) or self._scope.has_replicas:
            return bool(self._recorder.add(variable, delta, sign, scope or self._scope))
        if not self._recorder.in_replica(current()) or variable.aggregation != "sum":
            return False
        raise UnimplementedError(
            f"{variable.path} has aggregation SUM: assign_add and assign_sub on it add over all replicas, which is not "
            "possible inside tf.cond or a loop. Return the amount from it, and assign after it."
        )
