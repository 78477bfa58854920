"""GraphPrefix: what a graph that is built statement by statement computes on the host, of strings for example."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, final

import jax
import numpy as np
from jax import export
from jax.extend import core as xc
from jax.tree_util import PyTreeDef

from stratagem._base.errors import InvalidArgumentError, UnimplementedError
from stratagem._core.step.host._export_sizes import (
    RUNS,
    axis_sizes,
    example_strings,
    example_zeros,
    named_size,
    size_of_runs,
)
from stratagem._core.step.host._host_call_recorder import HostCallRecorder, KnownValue
from stratagem._core.step.host._host_calls import HostCall, function_name, is_array
from stratagem._core.step.host._host_rules import HostExamples
from stratagem._core.step.host._traced_strings import TracedStrings
from stratagem._core.step.keys._eager_mode import init_scope
from stratagem._core.step.keys._host_values import HostValue
from stratagem._core.values import TensorShape
from stratagem._private import GraphTrace, names_in

# Of how many axes an unknown size has examples.
_AXES: Final = 4


def name_of_call(number: int) -> HostValue:
    """Returns what stands for a call among the values that a graph has made."""
    return HostValue(number, 0)


@final
@dataclass(frozen=True, eq=False)
class GraphHost:
    """The calls of the host that a part of a graph needs.

    calls: with their numbers in the graph, in their order. given: the values that they are given, by name: `ElementLeaf`s, and
    tensors that are fed. sized: strings on whose sizes the part depends. valued: numbers that are sizes of its tensors.
    """

    calls: tuple[tuple[int, HostCall], ...] = ()
    given: Mapping[HostValue, Any] = field(default_factory=dict)
    sized: Mapping[HostValue, Sequence[Any]] = field(default_factory=dict)
    valued: Mapping[HostValue, np.ndarray] = field(default_factory=dict)

    def values(self, value_of: Callable[[Any], Any], prefix: Any) -> dict[HostValue, Any]:
        """Returns the values by name, in the step that is being traced, whose prefix gets the calls.

        value_of: returns what the step has for one that is given.

        Raises InvalidArgumentError for strings of another number of dimensions than the graph took them to have.
        """
        found = {name: value_of(each) for name, each in self.given.items()}
        used = {v for _, call in self.calls for v in call.named}
        for name, each in self.given.items():
            if name in used and isinstance(each, TracedStrings) and found[name].ndim != np.ndim(each.example):
                raise InvalidArgumentError(
                    f"{each.name} is fed strings of shape {tuple(found[name].shape)}, and was taken to have "
                    f"{np.ndim(each.example)} dimensions. A placeholder without a shape is a scalar; give it one: "
                    "placeholder(tf.string, [None])."
                )
        for number, call in self.calls:
            record = prefix.called_once if call.pure else prefix.called
            result = record(call.function, *call.arguments(found.__getitem__))
            found |= {HostValue(number, i): leaf for i, leaf in enumerate(jax.tree.leaves(result))}
        return found


@final
class GraphPrefix(HostCallRecorder):
    """The calls of functions of the host in a graph.

    While a graph is built nothing has a value. A function is called with examples of several sizes and contents, as in exports:
    a size of its result that is the same for all is known, one that follows an unknown size of an argument is that, and any
    other is a symbol of its own. A run calls it with the strings that it is fed, or draws.

    graph: what the strings belong to, which answers what these are asked for.
    """

    gives_up = UnimplementedError

    def __init__(
        self,
        graph: Any,
        trace: GraphTrace,
        scope: export.SymbolicScope,
        on_host: HostExamples,
        need_host: Callable[[str], None],
    ) -> None:
        super().__init__(need_host)
        self.graph = graph
        self._trace, self._scope, self._on_host = trace, scope, on_host
        self._given: dict[HostValue, Any] = {}
        self._inputs: dict[xc.Var, Any] = {}
        self._known: dict[xc.Var | HostValue, KnownValue] = {}
        self._shapes: dict[HostValue, Sequence[Any]] = {}
        self._declared: dict[HostValue, TensorShape] = {}
        self._by_run: dict[str, tuple[int, ...]] = {f"axis{i}": axis_sizes(i) for i in range(_AXES)}
        self._names = dict(self._by_run)
        self._count = 0
        self._values: dict[HostValue, np.ndarray] = {}

    # --- What a run is given ------------------------------------------------------------------------------------------

    def strings(self, shape: TensorShape, stand: Any = None) -> TracedStrings:
        """Returns strings that each run is given. stand: what they stand for, None for strings that are fed."""
        name = HostValue(-1, len(self._given))
        sizes = [] if shape.rank is None else [f"axis{i}" if n is None else n for i, n in enumerate(shape)]
        number = sum(isinstance(each, TracedStrings) for each in self._given.values())
        self._shapes[name], by_run = self._symbols(sizes), [self._numbers(map(str, sizes), run) for run in range(RUNS)]
        made = tuple(self._on_host.strings(example_strings(each, number, run)) for run, each in enumerate(by_run))
        self._known[name], self._declared[name] = KnownValue(name, made), shape
        found = TracedStrings(name, made[0], False, self)
        self._given[name] = found if stand is None else stand
        return found

    def may_be_given(self, tensor: Any, stand: Any) -> None:
        """Takes note of a tensor whose value each run knows before its step. stand: what it stands for."""
        self._inputs[self._trace.variable_of(tensor)] = stand

    def holds(self, value: Any) -> bool:
        """Returns whether a value is a tensor of strings of this graph."""
        return isinstance(value, TracedStrings) and value._recorder is self

    # --- Calls --------------------------------------------------------------------------------------------------------

    def size(self, tracer: Any) -> np.ndarray | None:
        """Returns numbers that a host function computes, for tensors of such sizes, as symbols; None for any other tensor."""
        known = self._named(tracer)
        if known is None or known.name.call < 0 or np.ndim(known.examples[0]) > 1:
            return None
        if known.name not in self._values and np.dtype(tracer.dtype).kind in "iu":
            by_run = zip(*(np.ravel(each).tolist() for each in known.examples), strict=True)
            found = np.empty(np.size(known.examples[0]), object)
            found[:] = self._symbols_of(list(by_run), self._around(self._calls[known.name.call]))
            self._values[known.name] = found.reshape(np.shape(known.examples[0]))
        return self._values.get(known.name)

    def _sizes_of(self, value: HostValue, shape: Sequence[Any]) -> Sequence[Any]:
        return self._shapes[value]  # with symbols for those that each run has others of

    def declared(self, strings: TracedStrings) -> TensorShape:
        """Returns the shape with which strings that are fed were made."""
        if strings.value in self._declared:
            return self._declared[strings.value]
        return TensorShape([size if isinstance(size, int) else None for size in self._shapes[strings.value]])

    def _level(self) -> Hashable:
        return tuple(map(id, self.graph.dependencies))  # a call that depends on operations is not one that does not

    def _note(self, call: HostCall, result: Sequence[Any], structure: PyTreeDef) -> None:
        self._unknown = self._around(call)
        self.graph.made(name_of_call(len(self._calls)))

    def _around(self, call: HostCall) -> dict[tuple[int, ...], str]:
        """Returns the unknown sizes of a call's operands that only strings tell, which sizes of its results may be."""
        found = {}
        for name in call.leaves:
            for size in self._shapes.get(name, ()) if isinstance(name, HostValue) else ():
                if not isinstance(size, int) and str(size) not in self._names:
                    found[self._by_run[str(size)]] = str(size)
        return found

    def _example_results(self, call: HostCall, found: Sequence[KnownValue | None]) -> Sequence[Any]:
        return [self._example_result(call, found, run) for run in range(RUNS)]

    def _example_result(self, call: HostCall, found: Sequence[KnownValue | None], run: int) -> Any:
        examples = [v if known is None else known.examples[run] for known, v in zip(found, call.leaves, strict=True)]
        args, kwargs = jax.tree.unflatten(call.structure, examples)
        with init_scope():
            try:
                return self._on_host.called(call.function, run)(*args, **kwargs)
            except Exception as error:
                error.add_note(
                    f"{function_name(call.function)} was called while the graph is built, with strings that stand for a run's. "
                    "If it fails for these alone, let the function of Dataset.map call it, which has real ones."
                )
                raise

    def _named(self, leaf: Any) -> KnownValue | None:
        if isinstance(leaf, TracedStrings):
            return self._known.get(leaf.value) if leaf._recorder is self else None
        if not self._trace.holds(leaf):
            return None
        var = self._trace.variable_of(leaf)
        if var not in self._known and var in self._inputs:
            name = HostValue(-1, len(self._given))
            self._given[name] = self._inputs[var]
            shapes = [self._numbers(map(str, leaf.aval.shape), run) for run in range(RUNS)]
            self._known[var] = KnownValue(name, tuple(example_zeros(shape, leaf.dtype) for shape in shapes))
        return self._known.get(var)

    def _entered(self, examples: tuple[Any, ...], value: HostValue, call: HostCall) -> Any:
        (first, *others), name = examples, function_name(call.function)
        if not is_array(first):
            if any(other != first for other in others):
                self.need_host(f"{name} returns Python values that depend on the strings")
            return first
        shapes = [np.shape(each) for each in examples]
        if len(set(map(len, shapes))) > 1 or len({np.dtype(each.dtype) for each in examples}) > 1:
            self.need_host(f"the type of what {name} returns depends on the strings")
        symbols = self._symbols_of(list(zip(*shapes, strict=True)), self._unknown)
        self._shapes[value], known = symbols, KnownValue(value, examples)
        if first.dtype == object:
            self._known[value] = known
            return TracedStrings(value, first, False, self)
        tensor = self._trace.new_input(symbols, first.dtype)
        self._known[self._trace.variable_of(tensor)] = known
        return tensor

    def _symbols_of(self, by_run: Sequence[tuple[int, ...]], around: dict[tuple[int, ...], str]) -> Sequence[Any]:
        """Returns sizes, given by their values in all runs."""
        sizes = []
        for each in by_run:
            size = size_of_runs(each, self._names)
            if size is None:
                self._count += each not in around
                size = named_size(each, around, self._count)
            sizes.append(size)
        symbols = self._symbols(sizes)
        self._by_run.update((str(size), each) for size, each in zip(symbols, by_run, strict=True))
        return symbols

    def _symbols(self, sizes: Sequence[int | str]) -> Sequence[Any]:
        return tuple(export.symbolic_shape(",".join(map(str, sizes)), scope=self._scope)) if sizes else ()

    def _numbers(self, sizes: Iterable[str], run: int) -> tuple[int, ...]:
        """Returns the sizes of a run's example."""
        return tuple(int(each) if each.isdecimal() else self._by_run[each][run] for each in sizes)

    # --- Parts --------------------------------------------------------------------------------------------------------

    def name_of(self, tensor: Any) -> HostValue | None:
        """Returns the name of a tensor that runs know before their step, if functions of the host use or make it."""
        known = self._known.get(tensor.value if self.holds(tensor) else self._trace.variable_of(tensor))
        return None if known is None else known.name

    def name_of_result(self, var: xc.Var) -> HostValue:
        """Returns the name of a number that a function of the host makes."""
        return self._known[var].name

    def needed(self, names: Iterable[HostValue], fed: Mapping[HostValue, Any], symbols: set[str]) -> GraphHost:
        """Returns the calls that make these values. fed: tensors that a run is fed in place of what makes them.

        symbols: unknown sizes that nothing tells but strings.
        """
        sized = {
            v: self._shapes[v] for v in (*self._given, *self._shaped) if symbols & names_in(self._shapes.get(v, ()))
        }
        untold = symbols - {name for shape in sized.values() for name in names_in(shape)}
        valued = {name: found for name, found in self._values.items() if untold & names_in(found.ravel())}
        wanted, given, calls = [*names, *sized, *valued], dict[HostValue, Any](), dict[int, HostCall]()
        while wanted:
            name = wanted.pop()
            if name in fed or name.call < 0:
                given[name] = fed[name] if name in fed else self._given[name]
            elif name.call not in calls:
                calls[name.call] = self._calls[name.call]
                wanted += calls[name.call].named
        return GraphHost(tuple(sorted(calls.items())), given, sized, valued)
