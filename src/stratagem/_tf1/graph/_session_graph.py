"""`tf.Graph`: a graph that is built statement by statement, and that sessions run parts of."""

import collections
import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, final

import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.errors import ContextError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.context import change, current, entered
from stratagem._core.step import GraphCapture, GraphPart, TracedStrings, UnknownSizes, default_mesh, with_tensors
from stratagem._core.values import TensorShape
from stratagem._host_calls import OPEN_EXAMPLES
from stratagem._ops import on_device
from stratagem._private import OutsideOfTraces, is_seed_state, named_by, seeds_from, unscoped
from stratagem._tf1.graph._collections import get_collection
from stratagem._tf1.graph._graph_effects import GraphEffects
from stratagem._tf1.graph._graph_iterator import GraphIterator
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import ModelBuild, building_here, current_building
from stratagem._tf1.graph._model_state import ModelState
from stratagem._tf1.graph._operations import Operation
from stratagem._tf1.graph._random_test_tool import unless_testing


@exported("Graph")
@final
class Graph:
    """A graph of TensorFlow 1, as `tf.Graph`: the code in `with graph.as_default():` describes tensors and operations.

    They are equations of one open trace; a session runs the part that it is asked for as a compiled step. Variables have
    their values in this process, all sessions of a graph share them.
    """

    def __init__(self) -> None:
        self._capture = GraphCapture(self, default_mesh(), self._deferred, OPEN_EXAMPLES)
        state = ModelState(None)
        self._building = ModelBuild(state, "session", self._capture.tape, self, GraphEffects(self._capture))
        self._layer_names: dict[str, int] = collections.defaultdict(int)
        self._tensor_names: dict[Any, str] = {}
        self._finalized = False
        self._open: contextlib.ExitStack | None = None
        self._first: dict[int, Callable[[], Any]] = {}
        self._sizes: dict[tuple[str, str], Any] = {}
        self.parts: dict[Any, Any] = {}
        self.runs: dict[Any, Any] = {}

    # --- Building -----------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def as_default(self) -> Iterator["Graph"]:
        """Adds what the body computes to this graph."""
        if current().graph is self._building:
            yield self
            return
        with self._entered():
            yield self

    @contextlib.contextmanager
    def _entered(self) -> Iterator[None]:
        with (
            entered(strategy=None, replica=None, graph=self._building),
            named_by(self._layer_names),
            seeds_from(unless_testing(self._building.graph.next_seed)),
            self._capture.entered(),
        ):
            yield

    def open(self) -> None:
        """Makes this the graph that all further code of this thread adds to, until `close`."""
        self._open = contextlib.ExitStack()
        self._open.enter_context(self._entered())

    def close(self) -> None:
        """Ends what `open` began."""
        if self._open is not None:
            self._open.close()
            self._open = None

    @property
    def building(self) -> ModelBuild:
        """The scopes, collections and operations."""
        return self._building

    @property
    def finalized(self) -> bool:
        """True once nothing may be added any more."""
        return self._finalized

    def finalize(self) -> None:
        """Forbids to add to the graph."""
        self._finalized = True

    @property
    def seed(self) -> int | None:
        """The seed of random numbers, as `tf.compat.v1.set_random_seed` sets it; None for other numbers in each process."""
        return self._building.graph.seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._building.graph.seed = seed

    def new_tensor(self, shape: ShapeLike, dtype: DTypeLike, name: str) -> Any:
        """Returns a tensor that has to be fed. shape: sizes, None for unknown ones."""
        with self._capture.entered():
            found = self._capture.tensor(shape, dtype)
        self._building.name_tensor(name, found)
        return found

    def new_strings(self, shape: TensorShape, name: str) -> TracedStrings:
        """Returns strings that have to be fed. Of unknown rank they are fed to datasets; elsewhere they are a scalar."""
        found = self._capture.strings(shape)
        self._building.name_tensor(name, found)
        return found

    def fed_strings(self, strings: TracedStrings, value: Any) -> Any:
        """Returns what is fed as a tensor. Raises TypeError for numbers, ValueError for another shape."""
        given = np.asarray(value, object)
        found = np.empty(given.shape, object)
        for place, text in np.ndenumerate(given):
            if not isinstance(text, str | bytes):
                raise TypeError(f"{strings.name} takes strings, got {text!r:.100} in what is fed.")
            found[place] = text.encode() if isinstance(text, str) else bytes(text)
        shape = self._capture.declared(strings)
        if not shape.is_compatible_with(found.shape):
            raise ValueError(
                f"Cannot feed value of shape {found.shape} for Tensor {strings.name}, which has shape {shape}"
            )
        return on_device(found)

    def with_default(self, value: Any, name: str) -> Any:
        """Returns a tensor with the values of `value`, in whose place a run may be fed others."""
        with self.as_default():
            found = jnp.copy(value)
        self._building.name_tensor(name, found)
        return found

    def iterator(self, dataset: Any, *, ready: bool) -> GraphIterator:
        """Returns an iterator of a dataset. ready: it needs no initializer."""
        with outside_of_graphs():
            spec = dataset.element_spec
        return GraphIterator(self, spec, dataset, _iterator, ready=ready)

    def iterator_of_structure(self, element_spec: Any) -> GraphIterator:
        """Returns an iterator of datasets with such elements, which its `make_initializer` gives it."""
        return GraphIterator(self, element_spec, None, _iterator, ready=False)

    def element(self, source: Any, specs: Any) -> Any:
        """Returns the tensors of an element that every run draws from an iterator."""
        with self._capture.entered():
            return self._capture.element(source, specs)

    def operation(self, name: str, action: Callable[[], None]) -> Operation:
        """Returns a new operation of the graph."""
        return Operation(name, action, place=self._building)

    def _deferred(self, variable: Any, value: Any) -> None:
        """Makes an operation of what a Keras layer assigns while it is called, for its updates are run by the user's code."""
        update = Operation("AssignMovingAvg", lambda: variable.assign(value), place=self._building)
        self._building.collect(GraphKeys.UPDATE_OPS, update)

    def made(self, variable: Any) -> None:
        """Takes note of a value that an equation, or a call of the host, has computed, if it depends on operations."""
        if self._finalized and self._building.effects.idle:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        if self._building.dependencies:
            self._building.effects.made(variable, self._building.dependencies)

    @property
    def dependencies(self) -> tuple[Operation, ...]:
        """The operations on which what is made now depends."""
        return self._building.dependencies

    # --- Names --------------------------------------------------------------------------------------------------------

    def name_of_tensor(self, tensor: Any) -> str:
        """Returns the name of a tensor: the one that it was given, or one that is made here."""
        given = self._building.name_given(tensor)
        if given is None:
            given = self._building.scopes.unique("Tensor")
            self._building.name_tensor(f"{given}/", tensor)
        return given if ":" in given else f"{given}:0"

    def shown(self, tensor: Any) -> str:
        """Returns a tensor as text: its name if it has one, shape and type."""
        kind = "string" if isinstance(tensor, TracedStrings) else tensor.dtype
        given = self._building.name_given(tensor)
        sizes = ", ".join(str(size) if isinstance(size, int) else "None" for size in tensor.shape)
        end = "," if len(tensor.shape) == 1 else ""
        name = "without a name" if given is None else repr(self.name_of_tensor(tensor))
        return f"<tf.Tensor {name} shape=({sizes}{end}) dtype={kind}>"

    def operation_of(self, tensor: Any) -> "TensorOperation":
        """Returns what stands for the operation that makes a tensor."""
        return TensorOperation(self.name_of_tensor(tensor).partition(":")[0], tensor)

    def get_tensor_by_name(self, name: str) -> Any:
        """Returns the tensor of a name such as "loss:0".

        Names are those of placeholders and variables, those that a function was given as its argument `name`, and those that
        `tensor.name` told. Raises ValueError without the number of an output, KeyError if there is none.
        """
        if not isinstance(name, str) or not name.rpartition(":")[2].isdecimal():
            raise ValueError(
                f"The name {name!r} refers to an Operation, not a Tensor. Tensor names must be of the form "
                "'<op_name>:<output_index>'."
            )
        return self._found(name)

    def get_operation_by_name(self, name: str) -> Any:
        """Returns the operation of a name, or what stands for the operation that makes the tensor of that name."""
        operation = self._building.operations.get(name)
        return TensorOperation(name, self._found(f"{name}:0")) if operation is None else operation

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """Returns the tensor or operation that a name stands for; anything else as it is."""
        if not isinstance(obj, str):
            return obj
        if ":" in obj and allow_tensor:
            return self.get_tensor_by_name(obj)
        return self.get_operation_by_name(obj)

    def _found(self, name: str) -> Any:
        short = name.removesuffix(":0")
        for known in (self._building.named, self._building.graph.variables, self._building.graph.local):
            if short in known:
                return known[short]
        raise KeyError(
            f"The name {name!r} refers to a Tensor which does not exist. Tensors have the names that are "
            f"given as an argument `name`: {', '.join(self._building.named) or 'none so far'}."
        )

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns a name below the open name scopes that is not used yet."""
        return self._building.scopes.unique_name(name)

    def name_scope(self, name: str | None) -> contextlib.AbstractContextManager[str]:
        """Prefixes names in the body."""
        return self._building.scopes.name_scope(name)

    def device(self, device_name_or_function: Any) -> contextlib.AbstractContextManager[None]:
        """Accepted: a graph runs on the devices of the strategy."""
        return contextlib.nullcontext()

    def control_dependencies(self, control_inputs: Any) -> contextlib.AbstractContextManager[None]:
        """Makes what the body computes run after these, as `tf.control_dependencies`."""
        return self._building.after(tuple(op for op in control_inputs or () if isinstance(op, Operation)))

    # --- Collections --------------------------------------------------------------------------------------------------

    def add_to_collection(self, name: str, value: Any) -> None:
        """Adds an item to a collection."""
        self._building.collect(name, value)

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        """Returns the items of a collection."""
        with entered(graph=self._building):
            return get_collection(name, scope)

    def get_collection_ref(self, name: str) -> list[Any]:
        """Returns the collection itself."""
        return self._building.collections[name]

    def clear_collection(self, name: str) -> None:
        """Empties a collection."""
        self._building.collections.pop(name, None)

    @property
    def collections(self) -> list[str]:
        """The names of the collections."""
        return [name for name, items in self._building.collections.items() if items]

    def get_all_collection_keys(self) -> list[str]:
        """Returns the names of the collections."""
        return self.collections

    # --- Running ------------------------------------------------------------------------------------------------------

    def part(
        self, tensors: Sequence[Any], operations: Sequence[Operation], fed: Sequence[Any]
    ) -> tuple[GraphPart, list[Any], list[Any]]:
        """Returns the part of the graph that computes tensors and runs operations, see `GraphEffects.part`."""
        with self.as_default():
            return self._building.effects.part(tensors, operations, fed, self._building)

    def first_value(self, variable: keras.Variable) -> Any:
        """Returns the first value of a variable, drawn again if it was random; None if it has that still."""
        if id(variable) not in self._first:
            return None
        return self._first[id(variable)]()

    def changed(self, variable: keras.Variable) -> None:
        """Takes note that a variable is about to have another value than its first."""
        if id(variable) in self._first or is_seed_state(variable):
            return
        state = self._building.graph
        make = next((state.makers.get(n) for n, v in self._declared() if v is variable), None)
        if make is None:
            with outside_of_graphs():
                kept = _compact(np.asarray(variable.value))
            self._first[id(variable)] = lambda: kept
        else:
            self._first[id(variable)] = lambda: _made(make)

    def _declared(self) -> Iterator[tuple[str, Any]]:
        state = self._building.graph
        yield from state.variables.items()
        yield from state.local.items()

    def holds(self, value: Any) -> bool:
        """Returns whether a value is a tensor of this graph, of numbers or strings."""
        return self._capture.holds(value)

    def key_of(self, tensor: Any) -> Any:
        """Returns what tells a tensor of this graph from all others."""
        return self._capture.key_of(tensor)

    def sizes(self, value: Any) -> Any:
        """Returns the tensor of unknown sizes, such as `tf.shape(x)` or one of these, the same in each call."""
        name = str(list(value)) if isinstance(value, UnknownSizes) else str(value)
        key = name, str(getattr(value, "dtype", ""))
        if key not in self._sizes:
            with self._entered():
                self._sizes[key] = with_tensors(value)
        return self._sizes[key]

    def session(self, given: Any = None) -> Any:
        """Returns the session, or the one that is open. Raises ValueError if there is none."""
        if given is None and not self._building.sessions:
            raise ValueError(
                "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
                "tf.compat.v1.Session().as_default()` or pass an explicit session to `eval(session=sess)`"
            )
        return self._building.sessions[-1] if given is None else given

    def evaluated(self, fetch: Any, feed_dict: Any, session: Any) -> Any:
        """Runs a tensor or an operation in a session, by default the one that is open."""
        return self.session(session).run(fetch, feed_dict)


def _iterator(dataset: Any) -> Any:
    with outside_of_graphs():
        return iter(dataset)


def _compact(value: np.ndarray) -> np.ndarray:
    """Returns the array; one number, repeated, if all its elements are the same, as those of an optimizer's slots are."""
    first = value.flat[0] if value.size else 0
    return np.broadcast_to(first, value.shape) if value.size and (value == first).all() else value.copy()


def _made(make: Callable[[], Any]) -> Any:
    with outside_of_graphs():
        return make().value


@final
class TensorOperation:
    """The `tensor.op` of a tensor: the operation that makes it, of which only the name and the result are known."""

    def __init__(self, name: str, tensor: Any) -> None:
        self.name, self.outputs = name, [tensor]
        self.type = "Operation"

    def __repr__(self) -> str:
        return f"<TensorOperation {self.name!r}>"


def default_graph() -> Graph:
    """Returns the graph that the present code adds to; after `disable_eager_execution()` it begins one if there is none.

    Raises ContextError elsewhere, and inside a model_fn.
    """
    building = current_building()
    if building.owner is None:
        raise ContextError(
            "A model_fn has no graph of its own. What belongs to one goes into `with tf.Graph().as_default():`, or after "
            "tf.compat.v1.disable_eager_execution()."
        )
    return _checked(building.owner)


def _checked(graph: Any) -> Graph:
    assert isinstance(graph, Graph)
    return graph


@exported(v1=["get_default_graph"])
def get_default_graph() -> Graph:
    """Returns the graph that the present code adds to; where there is none, an empty one."""
    building = building_here()
    if building is None and current().begin_graph is None:
        return Graph()
    return default_graph()


@exported(v1=["reset_default_graph"])
def reset_default_graph() -> None:
    """Lets the next code begin another default graph. Raises AssertionError inside of `graph.as_default()`."""
    building = building_here()
    if building is None or building.owner is None:
        return
    graph = _checked(building.owner)
    if graph._open is None:
        raise AssertionError("Do not use tf.reset_default_graph() to clear nested graphs.")
    graph.close()


@exported(v1=["disable_eager_execution"])
def disable_eager_execution() -> None:
    """Lets code outside of graphs add to a default graph, which begins with the first name that needs one."""
    context = current()
    if context.begin_graph is None:
        change(begin_graph=_begin)


@exported(v1=["enable_eager_execution"])
def enable_eager_execution(config: object = None, device_policy: object = None, execution_mode: object = None) -> None:
    """Ends what `disable_eager_execution` began: code outside of graphs runs at once."""
    if current().begin_graph is not None:
        reset_default_graph()
        change(begin_graph=None)


def _begin() -> None:
    Graph().open()


@contextlib.contextmanager
def outside_of_graphs() -> Iterator[None]:
    """Runs the body at once, as if no graph were being built around it."""
    with (
        unscoped(),
        OutsideOfTraces(),
        seeds_from(None),
        entered(graph=None, recorder=None, replica=None, crossing=False),
    ):
        yield


@contextlib.contextmanager
def at_once() -> Iterator[None]:
    """Runs the body at once; names that need a graph find the present one."""
    graph = current().graph
    with outside_of_graphs(), entered(graph=graph):
        yield
