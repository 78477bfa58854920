"""One call of a model_fn: its scopes, its collections and the operations that it made."""

import collections
from collections.abc import Callable, Iterable
from typing import Any, final

import jax

from stratagem._base.errors import ContextError
from stratagem._core.context import current
from stratagem._core.step import GradientTape
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._scopes import Scopes


@final
class Building:
    """One call of a model_fn: its scopes, its collections, and the operations that it left to whoever called it.

    graph: what outlives the call. mode: "train", "eval" or "infer". loss_reduction: of the last loss of `tf1.losses`, or None.
    named: tensors by the names that `tf.identity` gave them. summaries: (kind, tag, tensor) in order. tape: records the
    call, None outside of a trace. done: results of the operations that have run. declared: the variables by their names. got:
    those that `get_variable` gives, by the names that it is asked for. draws: random tensors by identity, each with a function
    that draws such numbers anew, outside of the trace, from what own(seed) gives for their seed: two numbers.
    """

    def __init__(self, graph: Any, mode: str, tape: GradientTape | None) -> None:
        self.graph, self.mode, self.tape = graph, mode, tape
        self.scopes = Scopes()
        self.collections: dict[str, list[Any]] = collections.defaultdict(list)
        self.loss_reduction: str | None = None
        self.named: dict[str, Any] = {}
        self.summaries: list[tuple[str, str, Any]] = []
        self.declared: dict[str, Any] = {}
        self.got: dict[str, Any] = {}
        self.draws: dict[int, tuple[Any, Callable[[Callable[[int | None], Any]], Any]]] = {}
        self.dependencies: tuple[Any, ...] = ()
        self.done: dict[int, Any] = {}
        self.running = 0
        self._places: dict[int, str] = {}
        self._names: dict[int, str] = {}
        self._looked_up: collections.Counter[int] = collections.Counter()

    def declare(self, name: str, variable: Any, keys: tuple[str, ...] = ()) -> None:
        """This call of the model_fn has the variable, in the collections `keys`, or GLOBAL_VARIABLES.

        What is trainable is in TRAINABLE_VARIABLES, too, as in TensorFlow.
        """
        self.declared[name], self._names[id(variable)] = variable, name
        trainable = [GraphKeys.TRAINABLE_VARIABLES] if variable.trainable else []
        for key in dict.fromkeys([*(keys or (GraphKeys.GLOBAL_VARIABLES,)), *trainable]):
            if not any(v is variable for v in self.collections[key]):
                self.collections[key].append(variable)

    def variable_name(self, variable: Any) -> str:
        """The name of a variable in the graph, without ":0"; the object's own if this call of the model_fn did not make it."""
        own: str = variable.name
        return self._names.get(id(variable), own.removesuffix(":0"))

    def collect(self, key: str, item: Any) -> None:
        """Put something into a collection."""
        self.collections[key].append(item)
        self._places[id(item)] = self.scopes.stack

    def name_of(self, item: Any) -> str | None:
        """The name of a variable or operation; for a tensor that name scope in which it came into its collection."""
        if isinstance(item, jax.Array):
            return self._places.get(id(item))
        if id(item) in self._names:
            return f"{self._names[id(item)]}:0"
        name = getattr(item, "name", None)
        return name if isinstance(name, str) else None

    def name_tensor(self, name: str, tensor: Any) -> None:
        """`tensor` is found by this name, below the name scopes that are open."""
        self.named[self.scopes.unique_name(name)] = tensor

    def name_given(self, tensor: Any) -> str | None:
        """The name that `tf.identity` gave a tensor; None if it gave none."""
        return next((name for name, known in self.named.items() if known is tensor), None)

    def note_lookup(self, variables: Iterable[Any]) -> None:
        """Rows of a table, which these variables hold, are read."""
        self._looked_up.update(map(id, variables))

    def only_looked_up(self, variable: Any) -> bool:
        """True if the variable was read, and nothing but rows of it: its gradient is one of rows."""
        times = self._looked_up[id(variable)]
        return times > 0 and self.tape is not None and self.tape.times_read(variable) == times

    def run_dependencies(self) -> None:
        """Run what the open `control_dependencies` name, because a tensor that depends on it is computed here."""
        for operation in self.dependencies:
            operation.run()


def building_here() -> Building | None:
    """The call of a model_fn that the current code is part of, if it is part of one."""
    building = current().graph
    assert building is None or isinstance(building, Building)
    return building


def current_building() -> Building:
    """The call of a model_fn that the current code is part of.

    Raises ContextError where there is none.
    """
    building = building_here()
    if building is None:
        raise ContextError(
            "This name of tf.compat.v1 builds a graph, and here is none: there are no sessions and no default graph. It works "
            "inside the model_fn of an Estimator. Elsewhere use tf.keras, tf.Variable and tf.function."
        )
    return building
