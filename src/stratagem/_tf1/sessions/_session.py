"""`tf.compat.v1.Session`: runs parts of a graph as compiled steps."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self, final

import jax
import numpy as np

from stratagem._base.errors import FailedPreconditionError, InvalidArgumentError, UnimplementedError
from stratagem._base.exports import exported
from stratagem._core.step import GraphPart, IdentityKey, StepSequence, TracedStrings, default_mesh
from stratagem._private import KerasVariable, is_seed_state
from stratagem._servers.remote import is_only_task
from stratagem._tf1.graph import Graph, building_here, default_graph, outside_of_graphs
from stratagem._tf1.sessions._planned_run import PlannedRun

# The names of masters that are this process.
_HERE = ("", "local", "localhost")


@exported(v1=["Session"])
class Session:
    """Runs parts of a graph, as `tf.compat.v1.Session`.

    target: of this process, also of a `tf.distribute.Server` in it which is the only task of its cluster. graph: by default
    the one that the present code adds to. config: ignored, since JAX has no such settings.

    Variables belong to the graph; what a session knows is which of them have been given values. It is therefore an error to
    use one before, although it has its first value already, and a new session has to be given values, or a checkpoint, again.

    Raises UnimplementedError for the target of a cluster.
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        if target not in _HERE and not is_only_task(target):
            raise UnimplementedError(
                f"Session({target!r}): there are no servers that run graphs for others. Programs of several workers use "
                "tf.distribute.MultiWorkerMirroredStrategy or ParameterServerStrategy, also in an Estimator."
            )
        self._graph = default_graph() if graph is None else graph
        self._ready: set[int] = set()
        self._begun: dict[GraphPart, StepSequence] = {}  # those that have run, and whose variables have values
        self._closed = False
        self._entered: list[contextlib.ExitStack] = []

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """Raises UnimplementedError: a graph is a program of JAX's, and no GraphDef."""
        raise UnimplementedError("graph_def: a graph is no GraphDef here. To export it, use tf.saved_model.save.")

    @property
    def sess_str(self) -> str:
        """The target."""
        return ""

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Runs what `fetches` need, as one step, and returns their values in the same structure.

        fetches: tensors, variables, operations, summaries, names, in any structure. A variable and whatever reads it has the
        value before the step, unless it was read under `control_dependencies`.
        feed_dict: by tensor, the value that it has in this run.

        Raises:
            RuntimeError: the session is closed.
            InvalidArgumentError: a placeholder that is needed is not fed.
            FailedPreconditionError: a variable that is needed has been given no value.
            OutOfRangeError: an iterator has no more elements.
            ValueError: a value does not fit the tensor that it is fed to.
        """
        self._check_open()
        if not (feed_dict is None or isinstance(feed_dict, Mapping)):
            raise TypeError(f"feed_dict must be a dictionary from tensors to values, got {feed_dict!r:.200}.")
        feeds = self._feeds(feed_dict or {})
        run = PlannedRun.of(fetches, [tensor for tensor, _ in feeds], self._graph)
        told = {id(host): host(self, feeds) for host in run.hosts}
        count = len(run.fetches.tensors)
        with outside_of_graphs():
            outs = self._computed(run, [value for _, value in feeds])
            rest = iter(outs[count:])
            answers = [self._result(result, rest, told) for result in run.results]
            return run.fetches.answered(outs[:count], answers)

    def values(self, tensors: Sequence[Any], feeds: Sequence[tuple[Any, Any]]) -> list[Any]:
        """Returns the values of tensors. feeds: what those that are fed have."""
        return list(self.run(list(tensors), dict(feeds)))

    def partial_run(self, *_: Any, **__: Any) -> Any:
        """Raises UnimplementedError: a run is one compiled step."""
        raise UnimplementedError("partial_run: a run is one compiled step. Fetch everything in one session.run.")

    partial_run_setup = partial_run

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: Any = False
    ) -> Callable[..., Any]:
        """Returns a function of values for `feed_list` that runs the fetches."""
        names = list(feed_list or ())

        def call(*values: Any) -> Any:
            return self.run(fetches, dict(zip(names, values, strict=True)))

        return call

    # --- Variables ----------------------------------------------------------------------------------------------------

    def initialize(self, variables: Iterable[Any], feeds: Sequence[tuple[Any, Any]] = ()) -> None:
        """Gives variables their first values."""
        building = self._graph.building
        for variable in variables:
            tensor = building.first_tensors_by_name.get(building.variable_name(variable))
            value = self._graph.first_value(variable) if tensor is None else self.run(tensor, dict(feeds))
            if value is not None:
                with outside_of_graphs():
                    variable.assign(value)
            self._ready.add(id(variable))

    def load(self, variable: Any, value: Any) -> None:
        """Sets the value of one variable."""
        self.loaded([variable])
        with outside_of_graphs():
            variable.assign(value)

    def has(self, variable: Any) -> bool:
        """Returns whether a variable has been given a value."""
        return id(variable) in self._ready

    def names_without_value(self, variables: Iterable[Any]) -> np.ndarray:
        """Returns the names of those of the variables that have been given none: an array of bytes objects."""
        names = [self._graph.building.variable_name(v).encode() for v in variables if not self.has(v)]
        found = np.empty(len(names), object)
        found[:] = names
        return found

    def loaded(self, variables: Iterable[Any]) -> None:
        """Takes note that variables have been given values, by a checkpoint for example."""
        for variable in variables:
            self._graph.changed(variable)
            self._ready.add(id(variable))

    def _check_ready(self, part: GraphPart) -> None:
        building = self._graph.building
        for variable in part.inputs:
            if not isinstance(variable, KerasVariable) or is_seed_state(variable) or self.has(variable):
                continue
            if not building.is_known(variable):  # made by this run itself
                continue
            name = building.variable_name(variable)
            raise FailedPreconditionError(
                f"Attempting to use uninitialized value {name}. Run tf.compat.v1.global_variables_initializer() (for the "
                "variables of metrics local_variables_initializer()), or restore a checkpoint, in this session first."
            )

    # --- Running ------------------------------------------------------------------------------------------------------

    def _feeds(self, feed_dict: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
        found: list[tuple[Any, Any]] = []
        for key, value in feed_dict.items():
            tensor = self._graph.as_graph_element(key)
            if isinstance(tensor, tuple | list):
                raise TypeError(f"The feed {tensor!r} is a structure. Feed each of its tensors.")
            if isinstance(tensor, KerasVariable):
                with self._graph.as_default():
                    tensor = tensor.value
            if not self._graph.holds(tensor):
                raise TypeError(
                    f"Cannot interpret feed_dict key {key!r} as Tensor: it is no tensor of the session's graph."
                )
            if isinstance(tensor, TracedStrings):
                found.append((tensor, self._graph.fed_strings(tensor, value)))
                continue
            if isinstance(value, jax.core.Tracer | KerasVariable):
                raise TypeError(
                    "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
                    "lists, numpy ndarrays, or TensorHandles."
                )
            array = value if isinstance(value, jax.Array) else np.asarray(value, tensor.dtype)
            sizes = tensor.aval.shape
            if len(sizes) != array.ndim or any(
                isinstance(s, int) and s != n for s, n in zip(sizes, array.shape, strict=True)
            ):
                raise ValueError(
                    f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape "
                    f"({', '.join('?' if not isinstance(s, int) else str(s) for s in tensor.shape)})"
                    + (
                        ""
                        if sizes
                        else ". A placeholder without a shape is a scalar; give it one: placeholder(dtype, [None])."
                    )
                )
            found.append((tensor, array.astype(tensor.dtype, copy=False)))
        return found

    def _computed(self, run: PlannedRun, fed: Sequence[Any]) -> list[Any]:
        part = run.part
        if not (part.results or part.assigned or part.effects):
            return []
        given, waits = [], None in part.results  # for a number that the step computes
        for number, place in enumerate(run.places):
            if place is None:
                raise InvalidArgumentError(_unfed(part.fed[number]))
            # What nobody waits for may still read its feeds when the program changes them.
            given.append(fed[place] if waits or not isinstance(fed[place], np.ndarray) else fed[place].copy())
        calls = self._begun.get(part)
        if calls is None:
            self._check_ready(part)
            for variable in part.assigned:
                self._graph.changed(variable)
            calls = StepSequence(part, IdentityKey(part), "Session.run", default_mesh())
        iterators = [source.present() for source in part.sources]
        outs = calls.begin((given, iterators))()
        if part.effects:
            jax.effects_barrier()  # what it prints is there when `run` returns
        if part not in self._begun:
            self._ready.update(map(id, part.assigned))
            self._begun[part] = calls
        return [np.asarray(out)[()] for out in outs]

    def _result(self, result: Any, rest: Iterator[Any], told: Mapping[int, Any]) -> Any:
        if self._graph.holds(result):
            return next(rest)
        if id(result) in told:
            return told[id(result)]
        return np.asarray(result)[()] if isinstance(result, jax.Array) else None

    # --- Opening and closing ------------------------------------------------------------------------------------------

    def as_default(self) -> contextlib.AbstractContextManager[Self]:
        """Makes this the session that `tensor.eval()` and `operation.run()` use in the body; it stays open after it."""
        return self._default()

    @contextlib.contextmanager
    def _default(self) -> Iterator[Self]:
        sessions = self._graph.building.sessions
        sessions.append(self)
        try:
            yield self
        finally:
            sessions.remove(self)

    def __enter__(self) -> Self:
        self._check_open()
        stack = contextlib.ExitStack()
        stack.enter_context(self._graph.as_default())
        stack.enter_context(self._default())
        self._entered.append(stack)
        return self

    def __exit__(self, *error: object) -> None:
        self._entered.pop().close()
        self.close()

    def close(self) -> None:
        """Ends the session; it runs nothing any more."""
        self._closed = True

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Does nothing: no server keeps variables for a session."""

    def list_devices(self) -> list[Any]:
        """Returns the devices of this process."""
        return list(jax.local_devices())

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")


@exported(v1=["InteractiveSession"])
@final
class InteractiveSession(Session):
    """A Session that is the default one as soon as it is made, until it is closed."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        super().__init__(target, graph, config)
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(self._graph.as_default())
        self._stack.enter_context(self._default())

    def close(self) -> None:
        """Ends the session."""
        super().close()
        self._stack.close()


@exported(v1=["get_default_session"])
def get_default_session() -> Session | None:
    """Returns the session that `eval` and `run` use; None if none is open."""
    building = building_here()
    found = [] if building is None else building.sessions
    return found[-1] if found else None


def _unfed(tensor: Any) -> str:
    """The text of the error for a placeholder without a value; TensorFlow has the shape of numbers alone in it."""
    text = f"You must feed a value for placeholder tensor {tensor.name.removesuffix(':0')!r} with dtype "
    if isinstance(tensor, TracedStrings):
        return f"{text}string"
    return f"{text}{tensor.dtype} and shape ({', '.join(str(s) if isinstance(s, int) else '?' for s in tensor.shape)})"
