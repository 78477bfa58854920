"""`tf.while_loop`, `tf.scan`, `tf.map_fn`, `tf.foldl`: loops over tensors."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.context import current
from stratagem._core.step import for_every_row, is_symbolic
from stratagem._ops._convert import is_traced, static_int, tensor
from stratagem._ops._symbolic import name_results
from stratagem._ops.flow._state import (
    MAX_UNROLLED,
    BodyProgram,
    as_tensors,
    body_program,
    check_worth,
    is_known,
    is_slower,
    loop_program,
    publish,
    values_of,
)
from stratagem._ops.flow._tensor_array import element_shapes, is_array, with_buffers
from stratagem._ops.ragged import has_rows_alone, map_rows

logger = logging.getLogger("stratagem")


@exported("while_loop", v1=())
def while_loop(
    cond: UserFunction,
    body: UserFunction,
    loop_vars: Sequence[Any],
    shape_invariants: object = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any | None = None,
    name: str | None = None,
) -> Any:
    """Repeats `loop_vars = body(*loop_vars)` while `cond(*loop_vars)`. Returns the final values in the same structure.

    With known values this is a Python loop. Inside a replica's step shapes and dtypes must stay the same (TypeError);
    elsewhere, a function whose loop changes them runs in Python. `shape_invariants` has no effect. Variables may be
    assigned. With `maximum_iterations`, every iteration of a traced loop up to it costs time, even after its end.
    """
    state, count = as_tensors(loop_vars), 0
    limit = None if maximum_iterations is None else static_int(maximum_iterations, "maximum_iterations is a tensor")
    while limit is None or count < limit:
        more = cond(*state)
        if not is_known(more):
            return _traced_loop(cond, body, state, None if limit is None else limit - count)
        if not bool(tensor(more)):
            break
        state, count = _same_structure(body(*state), state), count + 1
    return state


def _same_structure(result: Any, state: Any) -> Any:
    """The body's result with the structure and dtypes of the loop variables; a single variable needs no list."""
    if len(state) == 1 and (not isinstance(result, list | tuple) or len(result) != 1):
        result = [result]
    leaves, tree = jax.tree.flatten(state, is_leaf=is_array)
    new = jax.tree.leaves(result, is_leaf=is_array)
    if len(new) != len(leaves):
        raise ValueError(f"The body of tf.while_loop returned {len(new)} values for {len(leaves)} loop variables.")
    pairs = zip(new, leaves, strict=True)
    return jax.tree.unflatten(
        tree, [n if isinstance(n, jax.Array) or is_array(n) else tensor(n, old.dtype) for n, old in pairs]
    )


def _traced_loop(cond: Callable[..., Any], body: Callable[..., Any], state: Any, limit: int | None) -> Any:
    if None in element_shapes(state):
        shapes: list[Any] = []
        body_program(lambda: shapes.extend(element_shapes(_same_structure(body(*state), state))))
        state = with_buffers(state, shapes)
    program = loop_program(lambda *s: _same_structure(body(*s), state), state)
    check_worth(program)
    _check_types(state, program.results)
    test = body_program(lambda *s: jnp.reshape(tensor(cond(*s)), ()), state, program.variables)
    start = values_of(program.variables), state
    values, final = repeated(
        lambda carry: test(carry[0], *carry[1])[1], lambda carry: program(carry[0], *carry[1]), start, limit
    )
    publish(program.variables, values)
    return final


def _check_types(before: Any, after: Sequence[Any]) -> None:
    """Lets Python drive a loop whose values change their types from round to round; inside a replica that is an error."""
    for i, (old, new) in enumerate(zip(jax.tree.leaves(before), after, strict=True)):
        if (old.shape, old.dtype) != (new.shape, new.dtype):
            text = (
                f"loop variable {i} of tf.while_loop has shape {tuple(old.shape)} and dtype {old.dtype} before a round, "
                f"{tuple(new.shape)} and {new.dtype} after it"
            )
            context = current()
            if context.recorder is not None and context.replica is None:
                context.recorder.need_host(text)
            raise TypeError(f"{text}: in a compiled loop they stay the same. shape_invariants cannot change that.")


def repeated(
    more: Callable[[Any], jax.Array], advance: Callable[[Any], Any], start: Any, limit: int | None = None
) -> Any:
    """Returns `advance(advance(… start))`, as often as `more(carry)` is true, but at most `limit` times."""
    return jax.lax.while_loop(more, advance, start) if limit is None else _bounded(more, advance, start, limit)


def _bounded(more: Any, advance: Any, start: Any, limit: int) -> Any:
    """A loop of fixed length, which unlike JAX's `while_loop` has a gradient; after its end it changes nothing."""

    def once(carry: Any, _: None) -> tuple[Any, None]:
        return jax.lax.cond(more(carry), advance, lambda c: c, carry), None

    return jax.lax.scan(once, start, None, length=limit)[0]


# --- Over the rows of tensors -----------------------------------------------------------------------------------------


def _eager(elems: Any) -> bool:
    """Returns whether the rows are known and no step is being traced: then there is one Python call per row, as in TF."""
    return current().recorder is None and not any(is_traced(leaf) for leaf in jax.tree.leaves(elems))


def _rows(elems: Any) -> int:
    """Returns the number of rows; in a function that is exported, it may be a symbol."""
    rows = jax.tree.leaves(elems)[0].shape[0]
    return rows if is_symbolic(rows) else int(rows)


def _one_row(elems: Any) -> Any:
    return jax.tree.map(lambda e: jax.ShapeDtypeStruct(e.shape[1:], e.dtype), elems)


def _running(function: Callable[[Any, Any], Any], elems: Any, start: Any, reverse: bool) -> tuple[Any, Any]:
    """Computes `carry = function(carry, row)` over the rows: returns the last carry, and all carries stacked."""
    if _eager(elems) and _rows(elems):
        return _one_by_one(function, elems, start, reverse)
    program = loop_program(function, (start, _one_row(elems)))
    if _is_written_out(program, elems):
        return _one_by_one(function, elems, start, reverse)

    def once(carry: Any, row: Any) -> tuple[Any, Any]:
        values, result = program(carry[0], carry[1], row)
        return (values, result), result

    (values, last), carries = jax.lax.scan(once, (values_of(program.variables), start), elems, reverse=reverse)
    publish(program.variables, values)
    return last, carries


def _one_by_one(function: Callable[[Any, Any], Any], elems: Any, start: Any, reverse: bool) -> tuple[Any, Any]:
    carry, carries = start, []
    for i in range(_rows(elems))[:: -1 if reverse else 1]:
        carry = as_tensors(function(carry, jax.tree.map(lambda e, i=i: e[i], elems)))
        carries.append(carry)
    return carry, jax.tree.map(lambda *c: jnp.stack(c[:: -1 if reverse else 1]), *carries)


def _is_written_out(program: BodyProgram, elems: Any) -> bool:
    """Returns whether the rounds of a loop over rows follow one another in the program, because a loop would run slower.

    One over many rows is left to Python where that is possible.
    """
    rows = _rows(elems)
    if not is_symbolic(rows) and 0 < rows <= MAX_UNROLLED:
        return is_slower(program)
    check_worth(program)
    return False


def _begin(elems: Any, initializer: Any, reverse: bool) -> tuple[Any, Any, Any]:
    """Elements, first carry, and the rows before the loop proper: without initializer the first element is both."""
    rows = as_tensors(elems)
    if initializer is not None:
        return rows, as_tensors(initializer), None
    edge, rest = (-1, slice(None, -1)) if reverse else (0, slice(1, None))
    first = jax.tree.map(lambda e: e[edge], rows)
    return jax.tree.map(lambda e: e[rest], rows), first, first


@exported("scan")
def scan(
    fn: UserFunction,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Computes `carry = fn(carry, row)` over the rows and returns all carries, stacked."""
    rows, start, first = _begin(elems, initializer, reverse)
    if not _rows(rows) and first is not None:
        return jax.tree.map(lambda f: f[None], first)
    stacked = _running(fn, rows, start, reverse)[1]
    if first is None:
        return stacked
    return jax.tree.map(lambda f, s: jnp.concatenate([s, f[None]] if reverse else [f[None], s]), first, stacked)


@exported("foldl", "keras.backend.foldl")
def foldl(
    fn: UserFunction,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Computes `carry = fn(carry, row)` over the rows from first to last and returns the last carry."""
    return _fold(fn, elems, initializer, reverse=False)


@exported("foldr", "keras.backend.foldr")
def foldr(
    fn: UserFunction,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Computes `carry = fn(carry, row)` over the rows from last to first and returns the last carry."""
    return _fold(fn, elems, initializer, reverse=True)


def _fold(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any, reverse: bool) -> Any:
    rows, start, _ = _begin(elems, initializer, reverse)
    return start if not _rows(rows) else _running(fn, rows, start, reverse)[0]


@exported("map_fn")
def map_fn(
    fn: UserFunction,
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """The results of `fn` for every row, stacked; rows may be those of ragged tensors, and strings.

    fn_output_signature: the dtypes or specs of a row's results, of which a RaggedTensorSpec makes a ragged tensor; inferred for
    rows that are numbers, else those of rows if it is None. `dtype` is its old name.

    Raises:
        ValueError, InvalidArgumentError: of ragged tensors and strings, `fn` returns something else than the signature says.
    """
    signature = dtype if fn_output_signature is None else fn_output_signature
    if has_rows_alone(elems, signature):
        return map_rows(fn, elems, signature)
    rows = as_tensors(elems)
    if _eager(rows) and _rows(rows):
        return _each(fn, rows)
    return _running_map(fn, rows)


def _each(fn: Callable[[Any], Any], rows: Any) -> Any:
    results = [as_tensors(fn(jax.tree.map(lambda e, i=i: e[i], rows))) for i in range(_rows(rows))]
    return jax.tree.map(lambda *r: jnp.stack(r), *results)


def _running_map(fn: Callable[[Any], Any], rows: Any) -> Any:
    program = loop_program(fn, (_one_row(rows),))
    if _is_written_out(program, rows):
        return _each(fn, rows)
    values, stacked = jax.lax.scan(program, values_of(program.variables), rows)
    publish(program.variables, values)
    return stacked


def vectorized_map(fn: UserFunction, elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """The results of `fn` for every row, computed at once (`jax.vmap`).

    A function that assigns variables is called for one row after another, as in TensorFlow, or is a ValueError if
    `fallback_to_while_loop` is False.
    """
    rows = as_tensors(elems)
    program = loop_program(fn, (_one_row(rows),))
    if not program.variables:
        return jax.tree.unflatten(program.structure, for_every_row(program.closed, jax.tree.leaves(rows)))
    names = ", ".join(v.path for v in program.variables)
    if not fallback_to_while_loop:
        raise ValueError(
            f"tf.vectorized_map: the function assigns {names}, which rows that are computed at once cannot. Use tf.map_fn, or "
            "fallback_to_while_loop=True."
        )
    if warn:
        logger.warning("tf.vectorized_map computes one row after another, because the function assigns %s.", names)
    return _running_map(fn, rows)


name_results(globals())
