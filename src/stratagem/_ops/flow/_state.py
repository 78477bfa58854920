"""Bodies of branches and loops as programs: values of variables that they assign are passed in and out like any others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import keras
from jax.extend import core as xc

from stratagem._base.types import UserFunction
from stratagem._core.context import current, entered, recording
from stratagem._core.step import AssignScope, BranchRecorder, furthest_seed, input_spec, is_slower_in_loops
from stratagem._core.values import on_read
from stratagem._ops._convert import is_traced, tensor
from stratagem._ops.flow._tensor_array import is_array
from stratagem._private import is_seed_state

# A loop over so many rows whose body runs slower in a compiled loop, or changes shapes, is written out instead.
MAX_UNROLLED = 64


def _inside(function: Callable[..., Any], args: Sequence[Any], variables: Sequence[Any], values: Sequence[Any]) -> Any:
    """Runs the function with these values of variables. Returns its result and the scope."""
    recorder = current().recorder
    scope = AssignScope()
    inner = None if recorder is None else BranchRecorder(recorder, scope)
    with entered(recorder=inner), scope:
        scope.set(variables, values)
        return as_tensors(function(*args)), scope


def as_tensors(tree: Any) -> Any:
    """Converts numbers and NumPy arrays in a structure to tensors."""
    return jax.tree.map(lambda leaf: leaf if is_array(leaf) else tensor(leaf), tree, is_leaf=is_array)


@final
@dataclass(frozen=True, eq=False)
class BodyProgram:
    """A body as a program: (values of the first `inputs` of `variables`, arguments) -> (values of `variables`, result).

    variables: those that were asked for, then all others that the body assigns. structure: of the result.
    """

    closed: xc.ClosedJaxpr
    variables: tuple[keras.Variable, ...]
    inputs: int
    structure: Any

    @property
    def results(self) -> list[jax.core.AbstractValue]:
        """The types of the leaves of the result."""
        return list(self.closed.out_avals[len(self.variables) :])

    def __call__(self, values: Sequence[jax.Array], *args: Any) -> tuple[list[jax.Array], Any]:
        """Returns the new values of `variables` and the result, given the present values of the inputs."""
        outs = xc.jaxpr_as_fun(self.closed)(*values[: self.inputs], *jax.tree.leaves(args))
        count = len(self.variables)
        return outs[:count], jax.tree.unflatten(self.structure, outs[count:])


def body_program(
    function: UserFunction, args: Sequence[Any] = (), variables: Sequence[keras.Variable] = ()
) -> BodyProgram:
    """Traces `function(*args)` once. args: structures of arrays, or of what has their shapes and dtypes.

    variables: those whose values are inputs. Others are read from the surrounding code.
    """
    order, structure = list(variables), []

    def pure(values: Sequence[Any], args: Sequence[Any]) -> list[Any]:
        result, scope = _inside(function, args, variables, values)
        order.extend(v for v in scope.variables.values() if not any(v is known for known in variables))
        leaves, tree = jax.tree.flatten(result)
        structure.append(tree)
        new = [scope.slot(v) for v in order]
        return [*(tensor(n).astype(v._dtype) for n, v in zip(new, order, strict=True)), *leaves]

    inputs = jax.tree.map(lambda v: input_spec(v.shape, v.dtype), (values_of(variables), list(args)))
    return BodyProgram(jax.make_jaxpr(pure)(*inputs), tuple(order), len(variables), structure[0])


def loop_program(function: UserFunction, args: Sequence[Any]) -> BodyProgram:
    """Traces `function(*args)` as the body of a loop: all variables that it assigns are inputs."""
    program = body_program(function, args)
    while len(program.variables) > program.inputs:
        program = body_program(function, args, program.variables)
    return program


def is_slower(program: BodyProgram) -> bool:
    """Returns whether a loop with this body would run slower as a part of the program than its rounds do alone."""
    recorder = current().recorder
    return recorder is not None and is_slower_in_loops(program.closed.jaxpr, recorder.platform)


def check_worth(program: BodyProgram) -> None:
    """Lets Python drive a loop that a compiled program would run slower."""
    if current().replica is None and is_slower(program):
        recording().need_host("a loop has convolutions, which a compiled loop runs without threads")


def choose(
    index: jax.Array, branches: Sequence[BodyProgram], results: Sequence[Callable[[Any], Any]] | None = None
) -> Any:
    """Returns the result of the branch with this index, an int32 scalar, and assigns the variables of all branches.

    results: for every branch a function of its result, which gives all of them one structure, shape and dtype.
    """
    variables = list({id(v): v for branch in branches for v in branch.variables}.values())
    places = {id(v): i for i, v in enumerate(variables)}

    def pure(branch: BodyProgram, result: Callable[[Any], Any]) -> Callable[..., Any]:
        def run(values: Sequence[Any]) -> Any:
            new, found = branch(())
            after = list(values)
            for variable, value in zip(branch.variables, new, strict=True):
                after[places[id(variable)]] = value.astype(values[places[id(variable)]].dtype)
            return after, result(found)

        return run

    chosen = [pure(b, r) for b, r in zip(branches, results or [lambda found: found] * len(branches), strict=True)]
    values, found = jax.lax.switch(index, chosen, values_of(variables))
    publish(variables, values)
    return found


def values_of(variables: Sequence[keras.Variable]) -> list[jax.Array]:
    """A replica's current values of the variables, without Keras' automatic casts."""
    with AssignScope() as scope:
        known = [scope.slot(v) for v in variables]
    return [v.value if k is None else k for v, k in zip(variables, known, strict=True)]


def publish(variables: Sequence[keras.Variable], values: Sequence[jax.Array]) -> None:
    """Assigns the final values of a branch or loop to the variables, as if they had been assigned outside."""
    with AssignScope() as scope:
        outer = scope.original_scope
    for variable, value in zip(variables, values, strict=True):
        if outer is None:
            variable.assign(value)
        elif hasattr(outer, "keep") and (on_read(variable) or _in_shards(variable)):
            outer.keep(variable, value)
        elif is_seed_state(variable) and not isinstance(outer, AssignScope):
            outer.add_update((variable, furthest_seed(value)))
        else:
            outer.add_update((variable, value))


def _in_shards(variable: Any) -> bool:
    recorder = current().recorder
    return recorder is not None and recorder.in_shards(variable)


def is_known(value: Any) -> bool:
    """Returns whether the value is known now, so that Python can decide on it."""
    return not is_traced(tensor(value))
