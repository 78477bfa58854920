"""GraphTrace: a trace of JAX's that stays open between statements, so that a graph can be built and run in parts."""

from collections.abc import Callable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any, final

from jax._src import core as jax_core
from jax._src import source_info_util
from jax._src.api_util import debug_info
from jax._src.interpreters import partial_eval
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Var

from stratagem._base.errors import ContextError
from stratagem._private._open_trace import OpenTrace
from stratagem._private._traces import is_literal, needed_equations


@final
class GraphTracer(partial_eval.DynamicJaxprTracer):
    """A tensor of a graph. Unlike those of other traces it can be a key of a dict: its hash is that of the object.

    graph: what the trace belongs to. name: the tensor's in the graph.
    """

    __slots__ = ()
    _trace: "GraphTrace"

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    @property
    def graph(self) -> Any:
        """The graph that the tensor is a part of."""
        return self._trace.owner

    @property
    def name(self) -> str:
        """The tensor's name in its graph, with the number of the operation's output: "loss:0"."""
        return self.graph.name_of_tensor(self)

    @property
    def op(self) -> Any:
        """The operation that makes the tensor."""
        return self.graph.operation_of(self)

    def __repr__(self) -> str:
        return self.graph.shown(self)

    __str__ = __repr__

    @property
    def _debug_info(self) -> Any:
        """Raises ContextError: JAX asks for it when a tensor is used where the graph is not being built."""
        raise ContextError(_NO_VALUE)

    @_debug_info.setter
    def _debug_info(self, info: Any) -> None:
        """Takes what JAX's constructor sets."""

    def _origin_msg(self) -> str:
        return (
            f"\nThis tensor ({self!r}) is a part of a tf.Graph, and has values in a session alone: Python cannot decide on "
            "it, and NumPy cannot take it. Use tf.cond or tf.while_loop; feed arrays; give it to a dataset whose iterator is "
            "initialized in the session (tf.compat.v1.data.make_initializable_iterator)."
        )

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Returns the tensor's value in a session, by default the one that is open."""
        return self.graph.evaluated(self, feed_dict, session)


@final
class GraphTrace(OpenTrace):
    """The trace of one graph.

    owner: the graph; it answers what its tensors are asked for.
    """

    __slots__ = ("arguments", "owner")

    def __init__(self, owner: Any) -> None:
        super().__init__(_DEBUG)
        self.owner = owner

    def is_valid(self) -> bool:
        """Returns whether operations may take tensors of this graph. Raises ContextError where they are computed at once."""
        if isinstance(jax_core.trace_ctx.trace, jax_core.EvalTrace):
            raise ContextError(_NO_VALUE)
        return bool(super().is_valid())  # type: ignore[no-untyped-call]

    def var_to_tracer(self, var: Any, source_info: Any, parent: Any = None) -> GraphTracer:
        if parent is not None:
            self.owner.made(var)
        return GraphTracer(self, var.aval, var, source_info, parent)

    def to_jaxpr_tracer(self, value: Any, source_info: Any) -> Any:
        if isinstance(value, GraphTracer) and value._trace is not self:
            raise ValueError(f"{value!r} must be from the same graph as what it is used with.")
        return super().to_jaxpr_tracer(value, source_info)

    def __reduce__(self) -> Any:
        raise TypeError("A graph holds what runs in this process, and cannot be pickled.")

    def is_current(self) -> bool:
        """Returns whether operations of the present code are parts of this graph."""
        return jax_core.trace_ctx.trace is self

    def holds(self, value: Any) -> bool:
        """Returns whether a value is a tensor of this graph, and no constant."""
        return isinstance(value, GraphTracer) and value._trace is self and not isinstance(value.val, Literal)

    def program(
        self,
        outs: Sequence[Any],
        kept: Callable[[Any, Sequence[Any]], bool],
        given: Sequence[Var] = (),
        effects: Set[int] = frozenset(),
        tied: Mapping[int, Set[Var]] = MappingProxyType({}),
    ) -> tuple[ClosedJaxpr, list[Var]]:
        """Returns the part of the graph that computes `outs`, and what it takes: inputs of the graph, and what is `given`.

        kept: for an equation, and the kept ones after it: whether it is a part although nothing needs its results.
        effects: equations by their numbers, see `count`, that are a part as well.
        tied: by the number of an equation, values of which one has to be needed for it to be a part.
        """
        with self.current():
            tracers = [self.to_jaxpr_tracer(out, source_info_util.current()) for out in outs]
            whole, constants = self.to_jaxpr(tracers, _DEBUG, source_info_util.current())
        numbers = {id(eqn): number for number, eqn in enumerate(whole.eqns)}

        def is_kept(eqn: Any, wanted: Set[Var], later: Sequence[Any]) -> bool:
            number = numbers[id(eqn)]
            return number in effects or not wanted.isdisjoint(tied.get(number, ())) or kept(eqn, later)

        eqns = needed_equations(whole.eqns, whole.outvars, given, is_kept=is_kept)
        used = {v for atoms in (whole.outvars, *(eqn.invars for eqn in eqns)) for v in atoms if not is_literal(v)}
        known = [(v, c) for v, c in zip(whole.constvars, constants, strict=True) if v in used]
        inputs = [*(v for v in whole.invars if v in used and v not in given), *given]
        part = Jaxpr([v for v, _ in known], inputs, whole.outvars, eqns, _effects(eqns), _DEBUG)
        return ClosedJaxpr(part, [c for _, c in known]), inputs

    def count(self) -> int:
        """Returns how many equations there are so far, which is the number of the next one."""
        return len(self.frame.tracing_eqns)

    def effects_since(self, number: int) -> list[int]:
        """Returns the numbers of the equations from this one on that have an effect, as checks and prints."""
        eqns: list[Any] = self.frame.tracing_eqns[number:]
        return [i for i, eqn in enumerate(eqns, number) if eqn.effects]

    def made_with(self, tensor: Any) -> Set[Var]:
        """Returns what stands for the results of the equation that makes a tensor."""
        var = self.variable_of(tensor)
        eqns: Sequence[Any] = self.frame.tracing_eqns
        return frozenset(next((eqn.outvars for eqn in reversed(eqns) if var in eqn.outvars), ()))


def _effects(eqns: Sequence[Any]) -> Set[Any]:
    return jax_core.join_effects(*(eqn.effects for eqn in eqns))


_NO_VALUE = (
    "A tensor of a tf.Graph has no value outside of it. Code that computes with it belongs into `with graph.as_default():`; "
    "session.run gives its value."
)
_DEBUG = debug_info("a graph", lambda: None, (), {})._replace(result_paths=None)
