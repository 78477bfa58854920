"""One call of a model_fn: its scopes, its collections and the operations that it made."""

import collections
import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, final

import jax

from stratagem._base.errors import ContextError
from stratagem._core.context import current
from stratagem._core.step import GradientTape
from stratagem._ops import is_traced
from stratagem._private import runs_at_once
from stratagem._tf1.graph._graph_effects import GraphEffects
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._scopes import Scopes


@final
@dataclass(frozen=True)
class SlotNaming:
    """The names of slots that do not begin with the open variable scope, those of TensorFlow's canned Estimators.

    part: what is between a variable's name and the slot's. mirrored: the scope that TensorFlow's MirroredStrategy puts in
    front of the variable's name, in place of the part; None if its names are the same.
    """

    part: str
    mirrored: str | None = None

    def whole(self, variable: str, slot: str) -> str:
        """Returns the name of a variable's slot."""
        return "/".join(filter(None, (variable, self.part, slot)))

    def under_mirrored(self, variable: str, slot: str) -> str | None:
        """Returns the name that a checkpoint of a training under TensorFlow's MirroredStrategy has for it, if it is another."""
        return None if self.mirrored is None else f"{self.mirrored}/{variable}/{slot}"


@final
class ModelBuild:
    """One call of a model_fn: its scopes, its collections, and the operations that its caller runs.

    graph: what outlives the call.
    mode: "train", "eval" or "infer".
    tape: records the call; None outside of a trace.
    loss_reduction: the reduction of the last loss of `tf1.losses`; None before there is one.
    named: the tensors that an argument `name` has named, by name.
    summaries: (kind, tag, tensor), in the order in which they were made.
    done: the results of the operations that have run in the trace, by the id of the operation.
    slot_names: how slots are called; None for those whose names begin with the open variable scope.
    declared: the variables, by name. operations: all operations of a graph, by name.
    first_tensors_by_name: by a variable's name, the tensor of the graph from which it takes its first value.
    sessions: those that are open, the default one last; of a graph.
    shared: the variables that `get_variable` returns, by the name that it is called with.
    owner: the `tf.Graph` that is built, which sessions run parts of; None in a model_fn.
    writers: of event files, by folder.
    draws: random tensors by id, each with a function that draws such numbers again outside of the trace. The function takes a
        function from the tensor's seed to the two seeds to use.
    receiver: the arguments that placeholders are, in a function that is exported; None in any other.
    """

    def __init__(
        self,
        graph: Any,
        mode: str,
        tape: GradientTape | None,
        owner: Any = None,
        effects: GraphEffects | None = None,
    ) -> None:
        self.graph, self.mode, self.tape = graph, mode, tape
        self.owner, self._effects = owner, effects
        self.scopes = Scopes()
        self.collections: dict[str, list[Any]] = collections.defaultdict(list)
        self.loss_reduction: str | None = None
        self.slot_names: SlotNaming | None = None
        self.named: dict[str, Any] = {}
        self.summaries: list[tuple[str, str, Any]] = []
        self.declared: dict[str, Any] = {}
        self.shared: dict[str, Any] = {}
        self.draws: dict[int, tuple[Any, Callable[[Callable[[int | None], Any]], Any]]] = {}
        self.dependencies: tuple[Any, ...] = ()
        self.done: dict[int, Any] = {}
        self._apart: dict[int, Any] | None = None  # the same of operations outside of the trace, while they run
        self._lock = threading.RLock()
        self.operations: dict[str, Any] = {}
        self.first_tensors_by_name: dict[str, Any] = {}
        self.sessions: list[Any] = []
        self.writers: dict[str, Any] = {}
        self.running = 0
        self.receiver: Any = None
        self._places: dict[int, str] = {}
        self._given: dict[int, str] = {}
        self._just_named: tuple[str, list[int]] = "", []
        self._names: dict[int, str] = {}
        self._looked_up: collections.Counter[int] = collections.Counter()

    def declare(self, name: str, variable: Any, keys: tuple[str, ...] = ()) -> None:
        """Adds a variable of this call to the collections `keys`, or to GLOBAL_VARIABLES if there are none.

        As in TensorFlow, a trainable variable is in TRAINABLE_VARIABLES, too.
        """
        self.declared[name], self._names[id(variable)] = variable, name
        trainable = [GraphKeys.TRAINABLE_VARIABLES] if variable.trainable else []
        for key in dict.fromkeys([*(keys or (GraphKeys.GLOBAL_VARIABLES,)), *trainable]):
            if not any(v is variable for v in self.collections[key]):
                self.collections[key].append(variable)

    def variable_name(self, variable: Any) -> str:
        """Returns the name of a variable in the graph, without ":0".

        A variable that this call of the model_fn did not make has the name of the object.
        """
        own: str = variable.name
        return self._names.get(id(variable), own.removesuffix(":0"))

    def is_known(self, variable: Any) -> bool:
        """Returns whether the graph knows a variable by name."""
        known = (*self.graph.variables.values(), *self.graph.local.values())
        return any(v is variable for v in known)

    def collect(self, key: str, item: Any) -> None:
        """Adds an item to a collection."""
        self.collections[key].append(item)
        self._places[id(item)] = self.scopes.stack

    def name_of(self, item: Any) -> str | None:
        """Returns the name of a variable or operation; for a tensor the name scope in which it joined its collection."""
        if isinstance(item, jax.Array):
            return self._places.get(id(item))
        if id(item) in self._names:
            return f"{self._names[id(item)]}:0"
        name = getattr(item, "name", None)
        return name if isinstance(name, str) else None

    def name_tensor(self, name: str, tensor: Any) -> None:
        """Gives a tensor a name below the open name scopes, by which it can be fetched."""
        self._give(self.scopes.new_name(name), tensor)

    def name_results(self, name: str, results: Any) -> Any:
        """Gives the results of a function a name, one or several: those after the first are `name:1`, `name:2` ….

        Returns them. A tensor that has another name already, since the function returns what it was given, is copied.
        """
        several = isinstance(results, list | tuple)
        tensors = list(results) if several else [results]
        if self._just_named == (name, [id(tensor) for tensor in tensors]):  # by the function that this one has called
            return results
        if not tensors or not all(isinstance(t, jax.Array) and self._is_here(t) for t in tensors):
            return results
        given = self.scopes.new_name(name)
        tensors = [jax.numpy.copy(t) if self.name_given(t) and is_traced(t) else t for t in tensors]
        for number, tensor in enumerate(tensors):
            self._give(f"{given}:{number}" if number else given, tensor)
        self._just_named = name, [id(tensor) for tensor in tensors]
        if not several:
            return tensors[0]
        return type(results)(*tensors) if hasattr(results, "_fields") else type(results)(tensors)

    def _give(self, name: str, tensor: Any) -> None:
        self.named[name] = tensor
        self._given.setdefault(id(tensor), name)

    def _is_here(self, tensor: Any) -> bool:
        """Returns whether a tensor is a part of the graph itself, and not of a loop's body in it, or is a constant."""
        return self.owner is None or not is_traced(tensor) or self.owner.holds(tensor)

    def name_given(self, tensor: Any) -> str | None:
        """Returns the first name that a tensor was given; None if it was given none."""
        return self._given.get(id(tensor))

    def note_lookup(self, variables: Iterable[Any]) -> None:
        """Notes that rows of a table are read from these variables."""
        self._looked_up.update(map(id, variables))

    @property
    def has_gradients(self) -> bool:
        """True if there is a tape, as in training."""
        return self.tape is not None

    def only_looked_up(self, variable: Any) -> bool:
        """Returns True if the only reads of the variable were lookups of rows, so that its gradient covers only those rows."""
        times = self._looked_up[id(variable)]
        return times > 0 and self.tape is not None and self.tape.times_read(variable) == times

    @property
    def effects(self) -> GraphEffects:
        """The effects of a graph's operations, for sessions that run them."""
        assert self._effects is not None, "a model_fn is run as a whole"
        return self._effects

    def run(self, operation: Any) -> Any:
        """Runs an operation in the trace, after its dependencies, unless it has been run. Returns its result.

        Outside of the trace, as in a hook, each call runs it.

        In a graph that is being built, what it assigns is kept apart, for sessions that run what depends on it.
        """
        if self._effects is not None:
            return self._effects.run(operation, self)
        if not runs_at_once():
            return self._run_once(operation, self.done)
        with self.apart() as done:
            return self._run_once(operation, done)

    def _run_once(self, operation: Any, done: dict[int, Any]) -> Any:
        if id(operation) not in done:
            for other in operation.dependencies:
                self._run_once(other, done)
            with self.acting():
                done[id(operation)] = operation, operation.act()
        return done[id(operation)][1]

    @contextlib.contextmanager
    def apart(self) -> Iterator[dict[int, Any]]:
        """In the body, operations that run outside of the trace run once, as in one call of a session; later they run again."""
        with self._lock:
            outer = self._apart
            self._apart = {} if outer is None else outer
            try:
                yield self._apart
            finally:
                self._apart = outer

    @contextlib.contextmanager
    def acting(self) -> Iterator[None]:
        """In the body assignments are made; elsewhere they are operations."""
        before, self.dependencies = self.dependencies, ()
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self.dependencies = before

    @contextlib.contextmanager
    def after(self, operations: tuple[Any, ...]) -> Iterator[None]:
        """Makes operations of the body depend on these, in place of what they depend on outside of it."""
        before, self.dependencies = self.dependencies, operations
        try:
            with contextlib.nullcontext() if self._effects is None else self._effects.applied(operations, self):
                yield
        finally:
            self.dependencies = before

    def name_scope(self, name: str) -> contextlib.AbstractContextManager[str]:
        """Prefixes the names of tensors and operations in the body."""
        return self.scopes.name_scope(name)

    def deferred(self, name: str, action: Callable[[], None]) -> Any:
        """Returns an operation that does this; in a model_fn, and where another trace has begun, does it at once."""
        if self.owner is None or self.running or not self.effects.capture.is_current:
            return action()
        return self.owner.operation(name, action)

    def checked(self, tensor: Any, check: Any) -> Any:
        """Returns another tensor with the same values, which depends on an operation, if there is one."""
        with self.after(self.dependencies if check is None else (*self.dependencies, check)):
            return jax.numpy.copy(tensor)

    def take_seed(self, seed: int) -> bool:
        """Makes this the seed of a graph; returns False in a model_fn, whose seed is that of the Estimator."""
        if self.owner is not None:
            self.graph.seed = seed
        return self.owner is not None

    def iterator_of(self, dataset: Any, *, ready: bool) -> Any:
        """Returns an iterator of a dataset in a graph; None in a model_fn, where one is an ordinary iterator."""
        return None if self.owner is None else self.owner.iterator(dataset, ready=ready)

    def is_fed(self, value: Any) -> bool:
        """Returns whether a value is a tensor of the graph that has values in sessions alone, numbers or strings."""
        return self.owner is not None and self.owner.holds(value)

    def run_dependencies(self) -> None:
        """Runs the operations of the open `control_dependencies`, because a tensor that depends on them is computed here."""
        for operation in self.dependencies:
            self.run(operation)


def building_here() -> ModelBuild | None:
    """The call of a model_fn that the current code is part of, if it is part of one."""
    building = current().graph
    assert building is None or isinstance(building, ModelBuild)
    return building


def begun_building() -> ModelBuild | None:
    """The same; after `disable_eager_execution()` it begins the default graph if there is none."""
    context = current()
    if context.graph is None and context.recorder is None and context.begin_graph is not None:
        context.begin_graph()
    return building_here()


def current_building() -> ModelBuild:
    """Returns the call of a model_fn that the current code is part of.

    Raises ContextError outside of a model_fn.
    """
    building = begun_building()
    if building is None:
        raise ContextError(
            "This name of tf.compat.v1 builds a graph, and here is none. It works inside the model_fn of an Estimator (a "
            "placeholder in its serving_input_receiver_fn), in `with tf.Graph().as_default():`, and after "
            "tf.compat.v1.disable_eager_execution(). Elsewhere use tf.keras, tf.Variable and tf.function."
        )
    return building
