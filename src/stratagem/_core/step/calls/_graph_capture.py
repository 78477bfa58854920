"""GraphCapture: what a graph that is built statement by statement has computed, and the parts of it that are run."""

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Final, final

import jax
import keras
import numpy as np
from jax import export
from jax.extend import core as xc

from stratagem._base.errors import InvalidArgumentError, UnimplementedError
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.context import current, entered
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.roles import RaisedError
from stratagem._core.step.differentiation._gradient_tape import tape_of_program
from stratagem._core.step.host._graph_prefix import GraphHost, GraphPrefix, name_of_call
from stratagem._core.step.host._host_rules import HostExamples
from stratagem._core.step.host._traced_strings import TracedStrings
from stratagem._core.step.keys._host_values import HostValue
from stratagem._core.step.recording._arguments import Arguments
from stratagem._core.step.recording._assertions import Check
from stratagem._core.step.recording._markers import gradient_p, mark_p
from stratagem._core.step.recording._trace_recorder import TraceRecorder, capturing
from stratagem._core.values import TensorShape
from stratagem._private import (
    GraphTrace,
    has_checks,
    is_seed_state,
    names_in,
    names_needed,
    symbol_of,
    with_sizes,
)

# An assignment of a run: the variable, its new value, and the line of the user's code.
Writes = dict[int, tuple[keras.Variable, Any, str]]


@final
@dataclass(frozen=True, eq=False)
class ElementLeaf:
    """One tensor of an element that an iterator gives to each run.

    call: the call of `get_next`, each of which is given another element. number: the position among the element's tensors.
    """

    source: Any
    call: int
    number: int


@final
@dataclass(frozen=True, eq=False)
class GraphPart:
    """A part of a graph: a program from its inputs to values.

    inputs: what it takes: variables, `ElementLeaf`s, and tensors that are fed. shapes: theirs; a size may be a symbol.
    results: for each, the name of one that the host makes; None for one of the program's. host: the calls that it needs.
    assigned: the variables whose new values follow the results. checks: all of the graph, if the part has any.
    effects: whether it does something besides, as printing.
    """

    closed: xc.ClosedJaxpr = field(repr=False)
    inputs: tuple[Any, ...]
    results: tuple[HostValue | None, ...]
    assigned: tuple[keras.Variable, ...]
    checks: tuple[Check, ...] = ()
    effects: bool = False
    host: GraphHost = field(default_factory=GraphHost)

    @functools.cached_property
    def fed(self) -> list[Any]:
        """The tensors of the graph that have to be fed, numbers and strings, in the order of the inputs."""
        found = (v for v in self._given() if not isinstance(v, keras.Variable | ElementLeaf | HostValue))
        return list({id(v): v for v in found}.values())

    @functools.cached_property
    def sources(self) -> list[Any]:
        """The iterators that it draws from, in their order."""
        found = [v.source for v in self._given() if isinstance(v, ElementLeaf)]
        return list({id(source): source for source in found}.values())

    def _given(self) -> list[Any]:
        return [*self.inputs, *self.host.given.values()]

    def __call__(self, fed: Sequence[Any], iterators: Sequence[Any]) -> list[Any]:
        """Computes it in the step that is being traced: reads variables, draws elements, assigns. Returns the results.

        iterators: those that the `sources` stand for.

        Raises InvalidArgumentError if unknown sizes that the graph has taken to be equal are not.
        """
        given, elements = dict(zip(map(id, self.fed), fed, strict=True)), dict[int, list[Any]]()
        drawn_from = dict(zip(map(id, self.sources), iterators, strict=True))

        def value_of(each: Any) -> Any:
            if isinstance(each, keras.Variable):
                return each.value
            return _leaf(each, elements, drawn_from) if isinstance(each, ElementLeaf) else given[id(each)]

        recorder = capturing()
        on_host = self.host.values(value_of, recorder.prefix)
        values = [on_host[v] if isinstance(v, HostValue) else value_of(v) for v in self.inputs]
        recorder.checks.extend(self.checks)  # the equations have their numbers
        sized = with_sizes(self.closed, self._sizes(values, on_host, recorder.prefix))
        outs = xc.jaxpr_as_fun(sized)(*map(jax.numpy.asarray, values))
        computed = iter(outs)
        results = [next(computed) if name is None else on_host[name] for name in self.results]
        for variable, value in zip(self.assigned, computed, strict=True):
            variable.assign(value)
        return results

    def _sizes(self, values: Sequence[Any], on_host: Mapping[HostValue, Any], prefix: Any) -> dict[str, int]:
        """Returns the sizes of a run, by the names of their symbols."""
        sizes: dict[str, tuple[int, int, str]] = {}
        for shape, found, name in self._shapes(values, on_host, prefix):
            for size, symbol in zip(found, shape, strict=True):
                if not export.is_symbolic_dim(symbol):
                    continue
                unknown, number = symbol_of(symbol, int(size))
                known, there, other = sizes.setdefault(unknown, (number or 0, size, name))
                if known != number:
                    raise InvalidArgumentError(
                        f"{name} has the size {size} where {other} has {there}: sizes of the same axis that a graph does not "
                        "know are taken to be equal. Give one of the tensors that size when it is made: "
                        "tf.compat.v1.placeholder(dtype, [32, 28])."
                    )
        return {name: size for name, (size, *_) in sizes.items()}

    def _shapes(
        self, values: Sequence[Any], on_host: Mapping[HostValue, Any], prefix: Any
    ) -> Iterator[tuple[tuple[Any, ...], tuple[int, ...], str]]:
        """Yields shapes of which the graph does not know all, as it has them and as they are in this run, and what has them.

        Raises InvalidArgumentError for what functions of the host have made in another shape than their examples.
        """
        for var, value, given in zip(self.closed.jaxpr.invars, values, self.inputs, strict=True):
            shape, found = var.aval.shape, tuple(value.shape)
            if isinstance(given, HostValue) and not _fits(shape, found):
                raise InvalidArgumentError(f"{_COMPUTED} has the shape {found}, where the graph was built for {shape}.")
            yield shape, found, _COMPUTED if isinstance(given, HostValue) else getattr(given, "name", _ELEMENT)
        for name, shape in self.host.sized.items():
            yield tuple(shape), tuple(on_host[name].shape), getattr(self.host.given.get(name), "name", _COMPUTED)
        for name, sizes in self.host.valued.items():
            yield tuple(sizes.ravel()), tuple(prefix.size(on_host[name]).ravel().tolist()), _COMPUTED


def _fits(shape: tuple[Any, ...], found: tuple[int, ...]) -> bool:
    return len(shape) == len(found) and all(
        not isinstance(known, int) or known == size for known, size in zip(shape, found, strict=True)
    )


_COMPUTED: Final = "what the host computes"
_ELEMENT: Final = "an element of an iterator"


def _leaf(leaf: ElementLeaf, drawn: dict[int, list[Any]], iterators: Mapping[int, Any]) -> Any:
    if leaf.call not in drawn:
        drawn[leaf.call] = jax.tree.leaves(next(iterators[id(leaf.source)]))
    return drawn[leaf.call][leaf.number]


@final
class GraphRecorder(TraceRecorder):
    """The recorder of a graph: every variable that is read becomes an input, and nothing is run.

    assigning: while it is False, an assignment is handed to `deferred`, which makes an operation of it.
    """

    is_closed_at_end = False

    def __init__(self, mesh: ReplicaMesh, trace: GraphTrace, deferred: Callable[[Any, Any], None]) -> None:
        super().__init__(mesh, trace, Arguments.of((), {}, []), first=True)
        self.assigning = False
        self.read: dict[xc.Var, Any] = {}
        self.tied: dict[int, Set[xc.Var]] = {}
        self._trace, self._deferred = trace, deferred
        with trace.current():
            self.begin()

    def _take(self, variable: Any) -> None:
        known = id(variable) in self.variables
        super()._take(variable)
        if not known:
            self.read[self._trace.variable_of(self.values[id(variable)])] = variable

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

    def __init__(
        self, owner: Any, mesh: ReplicaMesh, deferred: Callable[[Any, Any], None], on_host: HostExamples
    ) -> None:
        """owner: answers what tensors are asked for, see `GraphTracer`. deferred: see `GraphRecorder`.

        on_host: how functions of the host are called with examples, to learn the sizes of their results.
        """
        self._trace = GraphTrace(owner)
        self.recorder = GraphRecorder(mesh, self._trace, deferred)
        self._scope = export.SymbolicScope()
        self._prefix = GraphPrefix(owner, self._trace, self._scope, on_host, self.recorder.need_host)
        self.recorder.prefix = self._prefix  # type: ignore[assignment]
        self._elements: dict[xc.Var, ElementLeaf] = {}
        self._calls = itertools.count()
        self._fed: dict[xc.Var, Any] = {}
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

    def holds(self, value: Any) -> bool:
        """Returns whether a value is a tensor of this graph, of numbers or strings."""
        return self._trace.holds(value) or self._prefix.holds(value)

    def key_of(self, tensor: Any) -> Any:
        """Returns what tells a tensor of this graph from all others."""
        return tensor.value if isinstance(tensor, TracedStrings) else self.variable_of(tensor)

    def variable_of(self, tensor: Any) -> xc.Var:
        """Returns what stands for a tensor of numbers in the parts of the graph."""
        return self._trace.variable_of(tensor)

    def strings(self, shape: TensorShape) -> TracedStrings:
        """Returns strings that have to be fed."""
        return self._prefix.strings(shape)

    def declared(self, strings: TracedStrings) -> TensorShape:
        """Returns the shape with which strings that are fed were made; of unknown rank they are taken for a scalar."""
        return self._prefix.declared(strings)

    def tensor(self, shape: ShapeLike, dtype: DTypeLike) -> Any:
        """Returns a tensor that has to be fed. Unknown sizes of one axis are taken to be equal in all tensors."""
        found = self._trace.new_input(self._known_or_symbols(shape), dtype)
        self._fed[self.variable_of(found)] = found
        self._prefix.may_be_given(found, found)
        return found

    def element(self, source: Any, specs: Any) -> Any:
        """Returns the tensors of an element, which every run draws from the source. specs: in its structure."""
        leaves, structure = jax.tree.flatten(specs)
        call = next(self._calls)
        found = [self._part_of_element(spec, ElementLeaf(source, call, i)) for i, spec in enumerate(leaves)]
        return jax.tree.unflatten(structure, found)

    def _part_of_element(self, spec: Any, leaf: ElementLeaf) -> Any:
        if np.dtype(spec.dtype) == object:
            return self._prefix.strings(spec.shape, leaf)
        found = self._trace.new_input(self._known_or_symbols(spec.shape), spec.dtype)
        self._elements[self.variable_of(found)] = leaf
        self._prefix.may_be_given(found, leaf)
        return found

    def _known_or_symbols(self, shape: Any) -> tuple[Any, ...]:
        names = (_SYMBOLS.format(axis) if size is None else str(size) for axis, size in enumerate(shape))
        return tuple(export.symbolic_shape(",".join(names), scope=self._scope)) if len(shape) else ()

    @property
    def is_current(self) -> bool:
        """True unless the present code is in a trace of its own, as the body of a loop."""
        return self._trace.is_current()

    def part(
        self, outs: Sequence[Any], fed: Sequence[Any], writes: Writes, effects: Set[int] = frozenset()
    ) -> GraphPart:
        """Returns the part of the graph that computes `outs`, and the values that it assigns.

        fed: tensors whose values are given. effects: equations that belong to it, by their numbers.
        Draws of random numbers advance their seeds, if the part contains them.
        """
        strings = [v.value if isinstance(v, TracedStrings) else None for v in outs]
        values = [v for v in outs if not isinstance(v, TracedStrings)]
        values += [value for _, value, _ in writes.values()]
        assigned = [variable for variable, _, _ in writes.values()]
        numbers = [v for v in fed if not isinstance(v, TracedStrings)]
        stops = [self.variable_of(v) for v in numbers]
        closed, inputs = self._trace.program(values, _kept, stops, effects, self.recorder.tied)
        seeds = [v for var in inputs if is_seed_state(v := self.recorder.read.get(var)) and id(v) not in writes]
        if seeds:
            values += [self.recorder.values[id(v)] for v in seeds]
            assigned += seeds
            closed, inputs = self._trace.program(values, _kept, stops, effects, self.recorder.tied)
        by_var = {self.variable_of(v): v for v in numbers}
        given = [by_var[v] if v in by_var else self._input(v) for v in inputs]
        checks = tuple(self.recorder.checks) if has_checks(closed) else ()
        avals: list[Any] = [var.aval for var in inputs]
        told = {name for aval in avals for name in names_in(aval.shape)}
        host = self._prefix.needed(
            [v for v in (*given, *strings) if isinstance(v, HostValue)],
            {name: v for v in fed if (name := self._prefix.name_of(v)) is not None},
            names_needed(closed) - told,
        )
        return GraphPart(closed, tuple(given), tuple(strings), tuple(assigned), checks, bool(closed.effects), host)

    def _input(self, var: xc.Var) -> Any:
        if var in self.recorder.read:
            return self.recorder.read[var]
        if var in self._elements:
            return self._elements[var]
        return self._fed[var] if var in self._fed else self._prefix.name_of_result(var)

    def made_in(self, part: GraphPart) -> set[xc.Var | HostValue]:
        """Returns what stands for the values that a part computes, and for the calls that the host makes for it."""
        computed = {v for eqn in part.closed.jaxpr.eqns for v in eqn.outvars}
        return computed | {name_of_call(number) for number, _ in part.host.calls}


def _kept(eqn: Any, later: Sequence[Any]) -> bool:
    """Returns whether a part needs an equation that makes nothing: the mark of a tape that it differentiates."""
    return eqn.primitive is mark_p and any(
        e.primitive is gradient_p and e.params["tape"] == eqn.params["tape"] for e in later
    )
