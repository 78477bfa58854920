"""Checks of values, shapes and dtypes under the names of `tf.debugging`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._core.context import current
from stratagem._core.step import is_symbolic
from stratagem._core.values import as_text
from stratagem._ops._convert import Tensor, is_traced, operands, tensor
from stratagem._ops._dtypes import as_dtype
from stratagem._ops._symbolic import named
from stratagem._private import OutsideOfTraces


def _check_all(holds: Tensor, message: str | None, claim: str, **values: Tensor) -> Any:
    """Raises InvalidArgumentError unless all entries are true: now if they are known, else when the program runs.

    In a graph that sessions run it returns an operation, which raises it when it is run.

    In a program that is not one of our steps (the user's own `jax.jit`), the user gets JAX's `JaxRuntimeError`.
    """
    text = f"{f'{message} ' if message else ''}Condition {claim} did not hold."

    def check(fine: Any, *arrays: Any) -> None:
        if not np.all(np.asarray(fine)):
            shown = "".join(f"\n{label} = {as_text(np.asarray(a))}" for label, a in zip(values, arrays, strict=True))
            raise InvalidArgumentError(text + shown)

    recorder, graph = current().recorder, current().graph
    if not is_traced(holds):
        check(holds, *values.values())
        return _known_to_hold()
    if recorder is None:
        jax.debug.callback(check, jnp.all(holds), *values.values())
        return None
    shown = _shown(holds, values)

    def note() -> None:
        recorder.check(jnp.logical_not(jnp.all(holds)), text, shown)

    return note() if graph is None else graph.deferred("Assert", note)


def _holds(function: Callable[..., Tensor], *values: Any) -> Tensor:
    """Returns the result of a comparison: at once if its operands are known, also where a program is traced."""
    if any(map(is_traced, values)):
        return function(*values)
    with OutsideOfTraces():
        return function(*values)


def _known_to_hold() -> Any:
    """Returns an operation that does nothing, in a graph that sessions run; elsewhere None."""
    graph = current().graph
    return None if graph is None else graph.deferred("assert", lambda: None)


def _shown(holds: Tensor, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Returns what an error shows of values: their edges, or of unknown sizes the first entry for which the check fails."""
    if not any(map(is_symbolic, jnp.shape(holds))):
        return {label: _edges(v) for label, v in values.items()}
    first = jnp.argmin(holds.ravel())
    return {
        f"{label}, the first such entry": jnp.broadcast_to(v, holds.shape).ravel()[first]
        for label, v in values.items()
        if v.ndim <= holds.ndim
    }


# A dimension with more entries than this is shown as its first and last ones.
_MAX_SHOWN = 7


def _edges(value: Tensor) -> Tensor:
    """Removes the middle entries, which the error text omits."""
    if any(map(is_symbolic, value.shape)):  # of a function that is exported, without its checks
        return jnp.zeros((0,), value.dtype)
    for axis, size in enumerate(value.shape):
        if size > _MAX_SHOWN:
            value = jnp.take(value, np.r_[: _MAX_SHOWN - 3, size - 3 : size], axis=axis)
    return value


def _comparison(label: str, symbol: str, function: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., None]:
    def check(x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> Any:
        first, second = operands(f"debugging.{label}", x, y)
        return _check_all(_holds(function, first, second), message, f"x {symbol} y", x=first, y=second)

    return _labelled(check, label, f"Raises InvalidArgumentError unless x {symbol} y everywhere, with broadcasting.")


def _sign(label: str, symbol: str, function: Callable[[Tensor, int], Tensor]) -> Callable[..., None]:
    def check(x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> Any:
        array = tensor(x)
        return _check_all(_holds(function, array, 0), message, f"x {symbol} 0", x=array)

    return _labelled(check, label, f"Raises InvalidArgumentError unless x {symbol} 0 everywhere.")


def _labelled(function: Any, label: str, text: str) -> Any:
    function.__name__ = function.__qualname__ = label
    function.__doc__ = text
    return function


assert_equal = exported("assert_equal", "debugging.assert_equal", v1=())(_comparison("assert_equal", "==", jnp.equal))
assert_less = exported("assert_less", "debugging.assert_less", v1=())(_comparison("assert_less", "<", jnp.less))
assert_less_equal = exported("debugging.assert_less_equal", v1=())(
    _comparison("assert_less_equal", "<=", jnp.less_equal)
)
assert_greater = exported("assert_greater", "debugging.assert_greater", v1=())(
    _comparison("assert_greater", ">", jnp.greater)
)
assert_greater_equal = exported("debugging.assert_greater_equal", v1=())(
    _comparison("assert_greater_equal", ">=", jnp.greater_equal)
)
assert_positive = exported("debugging.assert_positive", v1=())(_sign("assert_positive", ">", jnp.greater))
assert_negative = exported("debugging.assert_negative", v1=())(_sign("assert_negative", "<", jnp.less))
assert_non_negative = exported("debugging.assert_non_negative", v1=())(
    _sign("assert_non_negative", ">=", jnp.greater_equal)
)
assert_non_positive = exported("debugging.assert_non_positive", v1=())(
    _sign("assert_non_positive", "<=", jnp.less_equal)
)


@exported("debugging.assert_none_equal", v1=())
def assert_none_equal(
    x: Any, y: Any, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Any:
    """Raises InvalidArgumentError when x == y anywhere, with broadcasting."""
    first, second = operands("debugging.assert_none_equal", x, y)
    return _check_all(_holds(jnp.not_equal, first, second), message, "x != y", x=first, y=second)


@exported("debugging.assert_near", v1=())
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raises InvalidArgumentError unless abs(x - y) <= atol + rtol * abs(y). Each defaults to 10 times the dtype's epsilon."""
    first, second = operands("debugging.assert_near", x, y)
    default = 10 * float(jnp.finfo(first.dtype).eps)
    absolute, relative = (tensor(default if t is None else t).astype(first.dtype) for t in (atol, rtol))
    near = jnp.abs(first - second) <= absolute + relative * jnp.abs(second)
    return _check_all(near, message, f"x is near y (rtol={rtol or default}, atol={atol or default})", x=first, y=second)


@exported("debugging.check_numerics", v1=["check_numerics", "debugging.check_numerics"])
@named
def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """Returns the tensor. Raises InvalidArgumentError when it has NaN or infinite entries."""
    array = _tensor(tensor)
    graph = current().graph
    check = _check_all(jnp.isfinite(array), f"{message} :", "tensor has neither NaN nor Inf values", tensor=array)
    return array if graph is None else graph.checked(array, check)


# The parameter `tensor` of `check_numerics`, TF's name, hides the function.
_tensor = tensor


@exported("debugging.assert_all_finite", v1=())
@named
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """The same as `check_numerics`."""
    return check_numerics(x, message)


@exported("Assert", "debugging.Assert")
def Assert(condition: Any, data: Sequence[Any], summarize: int | None = None, name: str | None = None) -> Any:
    """Raises InvalidArgumentError with `data` unless the condition is true."""
    found = {f"data[{i}]": tensor(d) for i, d in enumerate(data)}
    words = [as_text(v) for v in found.values() if isinstance(v, np.ndarray)]  # strings, which no program has
    shown = {label: v for label, v in found.items() if not isinstance(v, np.ndarray)}
    return _check_all(tensor(condition), " ".join(words) or None, "of tf.Assert", **shown)


@exported("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Raises FloatingPointError from now on where a NaN or infinity first appears (JAX's `jax_debug_nans`; it costs time)."""
    jax.config.update("jax_debug_nans", True)
    jax.config.update("jax_debug_infs", True)


@exported("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Undoes `enable_check_numerics`."""
    jax.config.update("jax_debug_nans", False)
    jax.config.update("jax_debug_infs", False)


# --- Shapes and dtypes: always known ----------------------------------------------------------------------------------


def _shape_error(array: Tensor, wanted: str, message: str | None) -> ValueError:
    return ValueError(f"{f'{message} ' if message else ''}Expected {wanted}, got a tensor of shape {array.shape}.")


@exported("assert_rank", "debugging.assert_rank", v1=())
def assert_rank(x: Any, rank: int, message: str | None = None, name: str | None = None) -> Any:
    """Raises ValueError unless the tensor has this many dimensions."""
    if tensor(x).ndim != rank:
        raise _shape_error(tensor(x), f"rank {rank}", message)
    return _known_to_hold()


@exported("debugging.assert_rank_at_least", v1=())
def assert_rank_at_least(x: Any, rank: int, message: str | None = None, name: str | None = None) -> Any:
    """Raises ValueError when the tensor has fewer dimensions."""
    if tensor(x).ndim < rank:
        raise _shape_error(tensor(x), f"rank {rank} at least", message)
    return _known_to_hold()


@exported("debugging.assert_rank_in", v1=())
def assert_rank_in(x: Any, ranks: Sequence[int], message: str | None = None, name: str | None = None) -> Any:
    """Raises ValueError unless the number of dimensions is one of these."""
    if tensor(x).ndim not in ranks:
        raise _shape_error(tensor(x), f"a rank in {list(ranks)}", message)
    return _known_to_hold()


@exported("debugging.assert_scalar", v1=())
def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> Any:
    """Raises ValueError unless the tensor is one number."""
    if _tensor(tensor).ndim:
        raise _shape_error(_tensor(tensor), "a scalar", message)
    return _known_to_hold()


@exported("debugging.assert_type", v1=["assert_type", "debugging.assert_type"])
def assert_type(tensor: Any, tf_type: DTypeLike, message: str | None = None, name: str | None = None) -> None:
    """Raises TypeError unless the tensor has this dtype."""
    found = as_dtype(_tensor(tensor).dtype)
    if found != tf_type:
        raise TypeError(f"{f'{message} ' if message else ''}Expected a tensor of {tf_type!r}, got {found!r}.")


@exported("debugging.assert_integer", v1=["assert_integer", "debugging.assert_integer"])
def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises TypeError unless the tensor has an integer dtype."""
    found = as_dtype(tensor(x).dtype)
    if not found.is_integer:
        raise TypeError(f"{f'{message} ' if message else ''}Expected a tensor of integers, got {found!r}.")


@exported("debugging.assert_shapes")
def assert_shapes(
    shapes: Any,
    data: object = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raises ValueError unless the tensors have these shapes: pairs (tensor, shape), or a dictionary.

    A shape lists numbers, None for any size, and letters that represent the same number everywhere; "..." at the start
    or end represents any dimensions.
    """
    known: dict[str, int] = {}
    for value, wanted in shapes.items() if isinstance(shapes, Mapping) else shapes:
        array = tensor(value)
        sizes, symbols = _matched(array, wanted, message)
        for size, symbol in zip(sizes, symbols, strict=True):
            expected = known.setdefault(symbol, size) if isinstance(symbol, str) else symbol
            if expected is not None and expected != size:
                raise _shape_error(array, f"shape {wanted} with {symbol} = {expected}", message)


def _matched(array: Tensor, wanted: Any, message: str | None) -> tuple[tuple[int, ...], list[Any]]:
    """The sizes that the symbols represent, without the dimensions under "..."."""
    symbols = [None if s == "*" else s for s in wanted if s != "."] if isinstance(wanted, str) else list(wanted)
    open_start = isinstance(wanted, str) and wanted.startswith("...")
    open_end = isinstance(wanted, str) and wanted.endswith("...")
    if symbols and symbols[0] in ("...", ...):
        symbols, open_start = symbols[1:], True
    if symbols and symbols[-1] in ("...", ...):
        symbols, open_end = symbols[:-1], True
    count = len(symbols)
    if array.ndim < count or (array.ndim > count and not (open_start or open_end)):
        raise _shape_error(array, f"shape {wanted}", message)
    return array.shape[array.ndim - count :] if open_start else array.shape[:count], symbols


@exported("debugging.assert_proper_iterable", v1=["assert_proper_iterable", "debugging.assert_proper_iterable"])
def assert_proper_iterable(values: Any) -> None:
    """Raises TypeError for what is no iterable, and for an iterable that is one value: a tensor, an array, a text."""
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')
    if isinstance(values, jax.Array | np.ndarray | bytes | str) or hasattr(values, "__array__"):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')


@exported("debugging.assert_same_float_dtype", v1=["assert_same_float_dtype", "debugging.assert_same_float_dtype"])
def assert_same_float_dtype(tensors: Sequence[Any] | None = None, dtype: DTypeLike | None = None) -> DTypeLike:
    """Returns the one floating dtype of all tensors, or of `dtype` and all of them; float32 without any.

    Raises ValueError if they differ, or if it is no floating dtype.
    """
    chosen, first = (None if dtype is None else as_dtype(dtype)), None
    for each in tensors or ():
        found = as_dtype(tensor(each).dtype)
        if chosen is not None and found != chosen:
            other = "" if first is None else f" as {first!r}"
            raise ValueError(f"{each!r}, type={found!r}, must be of the same type ({chosen!r}){other}.")
        chosen, first = found, each if first is None else first
    chosen = as_dtype("float32") if chosen is None else chosen
    if not chosen.is_floating:
        raise ValueError(f"Expected floating point type, got {chosen!r}.")
    return chosen


@exported("debugging.is_numeric_tensor", v1=["is_numeric_tensor", "debugging.is_numeric_tensor"])
def is_numeric_tensor(tensor: Any) -> bool:
    """Returns whether a value is a tensor (no variable, number or array) of numbers: not of truth values or texts."""
    return isinstance(tensor, Tensor) and as_dtype(tensor.dtype).is_numeric
