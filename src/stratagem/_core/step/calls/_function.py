"""`tf.function`: Python code that runs as one compiled program."""

import functools
import inspect
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import jax

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step.calls._concrete_function import ConcreteFunction
from stratagem._core.step.calls._execute import program_of, run_call, run_calls
from stratagem._core.step.calls._export import ExportedFunction, export_body, try_body
from stratagem._core.step.calls._function_cache import caches_of
from stratagem._core.step.calls._input_signature import InputSignature
from stratagem._core.step.calls._stages import BodyCall, StepProgram
from stratagem._core.step.host._host_rules import HostExamples
from stratagem._core.step.keys._eager_mode import functions_run_eagerly
from stratagem._core.step.keys._program_keys import RememberedKey, shown_key
from stratagem._core.step.programs._joined_results import joined
from stratagem._core.step.recording._assign_scope import AssignScope
from stratagem._core.values import is_per_replica, map_structure
from stratagem._private import KerasVariable, runs_at_once


@functools.cache
def _mesh_of(device: jax.Device) -> ReplicaMesh:
    return ReplicaMesh((device,))


def default_mesh() -> ReplicaMesh:
    """Returns the mesh of the one device that code outside of any strategy runs on."""
    chosen = jax.config.jax_default_device  # type: ignore[attr-defined]
    return _mesh_of(chosen if isinstance(chosen, jax.Device) else jax.local_devices()[0])


@exported("types.experimental.Callable", "types.experimental.GenericFunction", "types.experimental.PolymorphicFunction")
class Function:
    """A callable made by `tf.function`, compiled once for each signature.

    Tensors, NumPy arrays and PerReplica values are inputs. Python numbers, strings and objects are part of the
    signature: another value is another program. `next(iterator)` inside draws before each call. A variable that the
    function returns is returned as a tensor, with its value at the end of the call.

    traced: what is called in a trace instead of `python_function`. signature: that of `python_function`, if it is known.
    made: of a method of an instance, the function that `tf.function` made of the class's; else this.
    """

    def __init__(
        self,
        python_function: UserFunction,
        input_signature: Sequence[Any] | None = None,
        traced: UserFunction | None = None,
        signature: InputSignature | None = None,
        made: "Function | None" = None,
    ) -> None:
        self.python_function = python_function
        self.made = self if made is None else made
        self._remembered: RememberedKey = RememberedKey() if made is None else made._remembered
        self._traced = python_function if traced is None else traced
        self._body = functools.partial(_called, self._traced)
        functools.update_wrapper(self, python_function)
        self._name = getattr(python_function, "__qualname__", repr(python_function))
        self._title = f"tf.function {self._name}"  # in messages
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._signature = signature
        if signature is None and input_signature is not None:
            self._signature = InputSignature.of(self._name, python_function, input_signature)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the function; inside another compiled function it becomes a part of that."""
        call = self._begun(args, kwargs)
        return run_call(call) if isinstance(call, BodyCall) else call()

    def _begun(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BodyCall | Callable[[], Any]:
        """Returns a call of a compiled program, or a function without arguments that calls the code where that is due."""
        context = current()
        if functions_run_eagerly() and context.recorder is None:
            return functools.partial(self.python_function, *args, **kwargs)
        if self._signature is not None:
            args, kwargs = self._signature.bound(args, kwargs)
        if context.recorder is not None:
            return lambda: joined(self._body(*args, **kwargs))
        if not runs_at_once():
            return lambda: _in_a_users_trace(self._body, args, kwargs, self._name)
        mesh = default_mesh() if context.strategy is None else context.strategy.mesh
        return BodyCall.of(self._body, self._key, self._title, args, kwargs, mesh)

    def __get__(self, instance: Any, owner: type | None = None) -> "Function":
        if instance is None:
            return self
        python_function, traced = (f.__get__(instance, owner) for f in (self.python_function, self._traced))
        return Function(python_function, self.input_signature, traced, self._method_signature, self.made)

    @functools.cached_property
    def _method_signature(self) -> InputSignature | None:
        return None if self._signature is None else self._signature.without_first()

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the function for one kind of arguments, and compiles it if all its shapes are known. Runs nothing.

        args, kwargs: tensors or specs in their place; none for those of `input_signature`. Raises TypeError if they do not fit.
        """
        signature = self._full_signature
        given = signature.specs if not args and not kwargs else args
        return ConcreteFunction(self, self._program, signature, *signature.bound(given, kwargs))

    def experimental_get_tracing_count(self) -> int:
        """Returns how many programs there are of this function with its captured values as they are now.

        (Each takes one trace; the first of a function takes one more, which finds its variables.)
        """
        specializations = [s for cache in caches_of(self._key) for s in cache.specializations.values()]
        return sum(1 if s.host is not None else len(s.programs) for s in specializations)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns the arguments of those programs, a paragraph for each kind of arguments."""
        return "\n\n".join(self._full_signature.shown(*call) for call in self._called_with())

    def _called_with(self) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Returns the arguments of those programs, with specs in place of tensors."""
        keys = [key for cache in caches_of(self._key) for key in cache.specializations]
        return [jax.tree.unflatten(key[0], map(shown_key, key[1:])) for key in keys]

    @property
    def _full_signature(self) -> InputSignature:
        return self._signature or InputSignature.of(self._name, self.python_function, None)

    @property
    def _key(self) -> Hashable:
        return self._remembered.decorated(self.python_function, self.made)

    def _program(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> StepProgram | None:
        context = current()
        mesh = default_mesh() if context.strategy is None else context.strategy.mesh
        return program_of(self._body, self._key, self._title, args, kwargs, mesh)


def kinds_of_calls(function: Function) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Returns the arguments for which a function has programs, with specs in place of tensors.

    They are those of its input signature if it has one, else those of all calls so far.
    """
    signature = function._full_signature
    return [signature.bound(signature.specs, {})] if function.input_signature is not None else function._called_with()


def key_of(function: Function) -> Hashable:
    """Returns the key of a function and of all variables that it captures, as `function_key` does."""
    return function._key


def parameters_of(function: Function | ConcreteFunction) -> inspect.Signature:
    """Returns the parameters of the Python function."""
    signature = function._full_signature if isinstance(function, Function) else function._signature
    return signature.parameters


def function_of(concrete: ConcreteFunction) -> Function:
    """Returns the function that a concrete function is of."""
    found = concrete._function
    assert isinstance(found, Function), "get_concrete_function gives it this"
    return found


def export_function(
    function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], on_host: HostExamples
) -> ExportedFunction:
    """Returns the program of a function for such arguments, as other processes and platforms can run it.

    args, kwargs: all arguments, with specs in place of tensors, whose sizes may be unknown (None).
    on_host: how functions of the host are called with examples of strings.
    Raises: UnimplementedError if no such program can be made, with the reason.
    """
    return export_body(function._body, function._title, args, kwargs, default_mesh(), on_host)


def tried(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], on_host: HostExamples) -> None:
    """Traces a function once with examples of such arguments, as before it is exported: its variables are created."""
    try_body(function._body, function._title, args, kwargs, default_mesh(), on_host)


def call_many(function: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any], times: int) -> Iterator[Any]:
    """Yields the results of up to `times` calls, at least one.

    Each call is made when its result is asked for; a worker in another process may make several at once.
    """
    if not isinstance(function, Function):
        return iter([function(*args, **kwargs)])
    call = function._begun(args, kwargs)
    return run_calls(call, times) if isinstance(call, BodyCall) else iter([call()])


def _in_a_users_trace(body: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any], name: str) -> Any:
    """Calls the body as a part of the user's program: under `jax.jit`, `jax.grad` or `jax.vmap`, which hold no variables."""
    with AssignScope() as scope:
        result = body(*args, **kwargs)
    if not scope.variables:
        return result
    names = ", ".join(v.path for v in scope.variables.values())
    raise UnimplementedError(
        f"tf.function {name} assigns {names} inside of a transformation of JAX (jax.jit, jax.vmap, …): the value would "
        "be worth nothing after it. Return the value and assign it outside, or use tf.function, tf.GradientTape or "
        "tf.vectorized_map instead."
    )


def _called(body: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls the body; returns its result with tensors in place of variables, which have their values at its end."""
    result = body(*args, **kwargs)
    if not any(isinstance(leaf, KerasVariable) for leaf in jax.tree.leaves(result, is_leaf=is_per_replica)):
        return result
    return map_structure(lambda leaf: leaf.value if isinstance(leaf, KerasVariable) else leaf, result)
