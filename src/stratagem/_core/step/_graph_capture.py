"""GraphCapture: what a graph that is built statement by statement has computed, and the parts of it that are run."""

import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Final, final

import jax
import keras
from jax import export
from jax.extend import core as xc

from stratagem._base.errors import InvalidArgumentError, UnimplementedError
from stratagem._base.types import DTypeLike, Nest, ShapeLike, TensorLike, Value
from stratagem._core.context import current, entered
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.roles import RaisedError
from stratagem._core.step._assertions import Check
from stratagem._core.step._differentiate import analyse
from stratagem._core.step._gradient_tape import tape_of_program
from stratagem._core.step._markers import gradient_p, mark_p
from stratagem._core.step._prefix_recorder import NothingKnown
from stratagem._core.step._trace_recorder import TraceRecorder, capturing
from stratagem._private import GraphTrace, has_checks, is_seed_state, shape_of, with_sizes

# An assignment of a run: the variable, its new value, and the line of the user's code.
Writes = dict[int, tuple[keras.Variable, TensorLike, str]]


@final
@dataclass(frozen=True, eq=False)
class ElementLeaf:
    """One tensor of an element that an iterator gives to each run.

    call: the call of `get_next`, each of which is given another element. number: the position among the element's tensors.
    """

    source: Value
    call: int
    number: int


@final
@dataclass(frozen=True, eq=False)
class GraphPart:
    """A part of a graph: a program from its inputs to values.

    inputs: what it takes: variables, `ElementLeaf`s, and tensors that are fed. shapes: theirs; a size may be a symbol.
    assigned: the variables whose new values follow the results. checks: all of the graph, if the part has any.
    effects: whether it does something besides, as printing.
    """

    closed: xc.ClosedJaxpr = field(repr=False)
    inputs: tuple[Value, ...]
    results: int
    assigned: tuple[keras.Variable, ...]
    checks: tuple[Check, ...] = ()
    effects: bool = False

    def fed(self) -> list[TensorLike]:
        """Returns the inputs that are tensors of the graph, in their order."""
        return [v for v in self.inputs if not isinstance(v, keras.Variable | ElementLeaf)]

    def sources(self) -> list[Value]:
        """Returns the iterators that it draws from, in their order."""
        found = [v.source for v in self.inputs if isinstance(v, ElementLeaf)]
        return list({id(source): source for source in found}.values())

    def __call__(self, fed: Sequence[TensorLike], iterators: Sequence[Value]) -> list[TensorLike]:
        """Computes it in the step that is being traced: reads variables, draws elements, assigns. Returns the results.

        iterators: those that the `sources` stand for.

        Raises InvalidArgumentError if unknown sizes that the graph has taken to be equal are not.
        """
        given, elements = iter(fed), dict[int, list[Any]]()
        drawn_from = dict(zip(map(id, self.sources()), iterators, strict=True))
        values = [
            v.value
            if isinstance(v, keras.Variable)
            else _leaf(v, elements, drawn_from)
            if isinstance(v, ElementLeaf)
            else next(given)
            for v in self.inputs
        ]
        capturing().checks.extend(self.checks)  # the equations have their numbers
        sized = with_sizes(self.closed, self._sizes(values))
        outs = xc.jaxpr_as_fun(sized)(*map(jax.numpy.asarray, values))
        for variable, value in zip(self.assigned, outs[self.results :], strict=True):
            variable.assign(value)
        return outs[: self.results]

    def _sizes(self, values: Sequence[Any]) -> dict[str, int]:
        sizes: dict[str, tuple[int, str]] = {}
        for var, value, given in zip(self.closed.jaxpr.invars, values, self.inputs, strict=True):
            for size, symbol in zip(value.shape, var.aval.shape, strict=True):
                if not export.is_symbolic_dim(symbol):
                    continue
                name = getattr(given, "name", "an element of an iterator")
                known, other = sizes.setdefault(str(symbol), (int(size), name))
                if known != size:
                    raise InvalidArgumentError(
                        f"{name} has the size {size} where {other} has {known}: sizes of the same axis that a graph does not "
                        "know are taken to be equal. Give one of the tensors that size when it is made: "
                        "tf.compat.v1.placeholder(dtype, [32, 28])."
                    )
        return {name: size for name, (size, _) in sizes.items()}


def _leaf(leaf: ElementLeaf, drawn: dict[int, list[Any]], iterators: Mapping[int, Any]) -> Any:
    if leaf.call not in drawn:
        drawn[leaf.call] = jax.tree.leaves(next(iterators[id(leaf.source)]))
    return drawn[leaf.call][leaf.number]


@final
class GraphRecorder(TraceRecorder):
    """The recorder of a graph: every variable that is read becomes an input, and nothing is run.

    assigning: while it is False, an assignment is handed to `deferred`, which makes an operation of it.
    """

    def __init__(self, mesh: ReplicaMesh, trace: GraphTrace, deferred: Callable[[Value, Value], None]) -> None:
        super().__init__(mesh, [])
        self.prefix = NothingKnown()  # type: ignore[assignment]
        self.assigning = False
        self.read: dict[xc.Var, Any] = {}
        self.tied: dict[int, Set[xc.Var]] = {}
        self._trace, self._deferred = trace, deferred
        with trace.current():
            self.begin({})

    def value_of(self, variable: Any) -> Any:
        if id(variable) not in self.values:
            self.variables[id(variable)] = variable
            self._check_strategy(variable)
            value = self._trace.new_tensor(shape_of(variable), variable._dtype)
            self.read[self._trace.variable_of(value)] = variable
            self.values[id(variable)] = self._initial[id(variable)] = value
        return self.values[id(variable)]

    def add_update(self, update: tuple[Any, Any]) -> None:
        variable, value = update
        self.value_of(variable)
        if is_seed_state(variable):  # drawing is no operation: a run that draws advances the seed
            self.values[id(variable)] = value
        elif self.assigning:
            super().add_update(update)
        else:
            self._deferred(variable, value)

    def _apart(self, variable: Any, value: Any) -> Any:
        """Returns a value to assign. It does not depend on the value before, which a variable may not have been given yet."""
        return jax.lax.stop_gradient(value)

    def create(self, variable: Any) -> None:
        """Allows it: a graph may grow."""

    def connected(self, call: int, sources: int) -> tuple[bool, ...]:
        """Returns which sources of a call of `gradient` have a path to its target."""
        known = super().connected(call, sources)
        found = [g for g in analyse(self._trace.so_far()) if g.eqn.params["call"] == call]
        return found[0].connected if found else known

    def need_host(self, reason: str) -> None:
        """Raises UnimplementedError: a graph has no values."""
        raise UnimplementedError(
            f"While a graph is built {reason}, which needs values, and there are none before Session.run. Compute it outside "
            "of the graph and feed it, or use tf.function, which can run in Python."
        )

    def check(self, fails: Any, text: str, values: Mapping[str, Any], raised: RaisedError | None = None) -> None:
        """Adds a check to the graph. One of a function's exception belongs to parts that need what the function returns."""
        number = self._trace.count()
        super().check(fails, text, values, raised)
        if raised is not None and self._trace.holds(fails):
            results = self._trace.made_with(fails)
            self.tied.update((check, results) for check in self._trace.effects_since(number))

    def effects_since(self, number: int) -> list[int]:
        """Returns which equations of the graph from this number on have an effect."""
        return self._trace.effects_since(number)

    def count(self) -> int:
        """Returns the number of the graph's next equation."""
        return self._trace.count()


# The names of symbols for unknown sizes, by axis.
_SYMBOLS: Final = "axis{}"


@final
class GraphCapture:
    """The open trace of a graph.

    tape: differentiates all that the graph has computed.
    """

    def __init__(self, owner: Value, mesh: ReplicaMesh, deferred: Callable[[Value, Value], None]) -> None:
        """owner: answers what tensors are asked for, see `GraphTracer`. deferred: see `GraphRecorder`."""
        self._trace = GraphTrace(owner)
        self.recorder = GraphRecorder(mesh, self._trace, deferred)
        self._scope = export.SymbolicScope()
        self._elements: dict[xc.Var, ElementLeaf] = {}
        self._calls = itertools.count()
        self._fed: dict[xc.Var, TensorLike] = {}
        with self.entered():
            self.tape = tape_of_program(self.recorder)

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Computes the body in the graph."""
        if self._trace.is_current() and current().recorder is self.recorder:
            yield
            return
        with self._trace.current(), self.recorder, entered(recorder=self.recorder, replica=None, crossing=False):
            yield

    def holds(self, value: Value) -> bool:
        """Returns whether a value is a tensor of this graph."""
        return self._trace.holds(value)

    def variable_of(self, tensor: TensorLike) -> xc.Var:
        """Returns what stands for a tensor in the parts of the graph."""
        return self._trace.variable_of(tensor)

    def tensor(self, shape: ShapeLike, dtype: DTypeLike) -> TensorLike:
        """Returns a tensor that has to be fed. Unknown sizes of one axis are taken to be equal in all tensors."""
        found = self._trace.new_tensor(self._known_or_symbols(shape), dtype)
        self._fed[self.variable_of(found)] = found
        return found

    def element(self, source: Value, specs: Nest) -> Nest:
        """Returns the tensors of an element, which every run draws from the source. specs: in its structure."""
        leaves, structure = jax.tree.flatten(specs)
        found = [self._trace.new_tensor(self._known_or_symbols(spec.shape), spec.dtype) for spec in leaves]
        call = next(self._calls)
        self._elements.update((self.variable_of(v), ElementLeaf(source, call, i)) for i, v in enumerate(found))
        return jax.tree.unflatten(structure, found)

    def _known_or_symbols(self, shape: Any) -> tuple[Any, ...]:
        names = (_SYMBOLS.format(axis) if size is None else str(size) for axis, size in enumerate(shape))
        return tuple(export.symbolic_shape(",".join(names), scope=self._scope)) if len(shape) else ()

    @property
    def is_current(self) -> bool:
        """True unless the present code is in a trace of its own, as the body of a loop."""
        return self._trace.is_current()

    def part(
        self, outs: Sequence[TensorLike], fed: Sequence[TensorLike], writes: Writes, effects: Set[int] = frozenset()
    ) -> GraphPart:
        """Returns the part of the graph that computes `outs`, and the values that it assigns.

        fed: tensors whose values are given. effects: equations that belong to it, by their numbers.
        Draws of random numbers advance their seeds, if the part contains them.
        """
        values = [*outs, *(value for _, value, _ in writes.values())]
        assigned = [variable for variable, _, _ in writes.values()]
        stops = [self.variable_of(v) for v in fed]
        closed, inputs = self._trace.program(values, _kept, stops, effects, self.recorder.tied)
        seeds = [v for var in inputs if is_seed_state(v := self.recorder.read.get(var)) and id(v) not in writes]
        if seeds:
            values += [self.recorder.values[id(v)] for v in seeds]
            assigned += seeds
            closed, inputs = self._trace.program(values, _kept, stops, effects, self.recorder.tied)
        by_var = {self.variable_of(v): v for v in fed}
        given = [by_var[v] if v in by_var else self._input(v) for v in inputs]
        checks = tuple(self.recorder.checks) if has_checks(closed) else ()
        return GraphPart(closed, tuple(given), len(outs), tuple(assigned), checks, bool(closed.effects))

    def _input(self, var: xc.Var) -> Any:
        if var in self.recorder.read:
            return self.recorder.read[var]
        return self._elements[var] if var in self._elements else self._fed[var]

    def made_in(self, part: GraphPart) -> set[xc.Var]:
        """Returns what stands for the values that a part computes."""
        return {v for eqn in part.closed.jaxpr.eqns for v in eqn.outvars}


def _kept(eqn: Any, needed: set[xc.Var], eqns: Sequence[Any]) -> bool:
    """Returns whether a part needs an equation that makes nothing: the mark of a tape that it differentiates."""
    return eqn.primitive is mark_p and any(
        e.primitive is gradient_p and e.params["tape"] == eqn.params["tape"] for e in eqns
    )
