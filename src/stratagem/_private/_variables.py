"""Variables of Keras: what they store, and where reads and assignments are intercepted."""

import contextlib
import functools
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
from jax._src import core as jax_core
from keras.src import backend as keras_backend

from stratagem._private._captured_values import is_staged, parent_trace
from stratagem._private._recording_trace import RecordingTrace
from stratagem._private._scopes import unscoped
from stratagem._private._staged_programs import captured_variable, recordings_below

KerasVariable = keras_backend.Variable


def intercept_variables(
    *,
    created: Callable[[keras.Variable], keras.Variable],
    initialize: Callable[[keras.Variable, keras.Variable], keras.Variable],
    read: Callable[[keras.Variable], jax.Array],
    place: Callable[[keras.Variable, jax.Array], jax.Array],
    add: Callable[[keras.Variable, keras.Variable, int], bool],
) -> None:
    """Attach placement to every Keras variable.

    created(variable) runs before the variable has a value and returns its placement (None: as Keras has it), kept in
    `variable._placement`. For a placed variable initialize(variable, initializer) returns the initializer of its first
    value, or None where it has seen to that itself; read(variable) gives what user code sees, and
    place(variable, value) what is stored. add(variable, amount, sign) may refuse `assign_add` (sign 1) and
    `assign_sub` (sign -1), or do it itself and return True.
    """
    _intercept_creation(created, initialize)
    _intercept_values(read, place)
    _intercept_additions(add)
    KerasVariable._placement, KerasVariable._creation_number = None, -1
    KerasVariable._looked_up = False
    KerasVariable.shape = property(shape_of, doc=KerasVariable.shape.__doc__)
    KerasVariable.__bool__ = lambda self: bool(self.value)


def _intercept_creation(
    created: Callable[[keras.Variable], Any], initialize: Callable[[keras.Variable, Any], Any]
) -> None:
    init, with_initializer = KerasVariable.__init__, KerasVariable._initialize_with_initializer

    @functools.wraps(init)
    def new_init(self: Any, *args: Any, **kwargs: Any) -> None:
        self._placement, self._creation_number = created(self), next(_creations)
        if kwargs.get("name") == "iteration" and kwargs.get("dtype") == "int":  # an optimizer's count, in TF of 64 bits
            kwargs["dtype"] = "int64"
        if getattr(keras_backend.get_stateless_scope(), "eager", False):
            with unscoped():  # its values are known, so the variable has its own at once
                init(self, *args, **kwargs)
        else:
            init(self, *args, **kwargs)

    def new_with_initializer(self: Any, initializer: Any) -> None:
        if self._placement is not None:
            initializer = initialize(self, initializer)
        if initializer is not None:
            with_initializer(self, initializer)

    KerasVariable.__init__ = new_init
    KerasVariable._initialize_with_initializer = new_with_initializer


def _intercept_values(read: Callable[[keras.Variable], Any], place: Callable[[keras.Variable, Any], Any]) -> None:
    value, direct_assign, represent = KerasVariable.value, KerasVariable._direct_assign, KerasVariable.__repr__

    def new_value(self: Any) -> Any:
        trace, watched = jax_core.trace_ctx.trace, _reads.watched
        if self._value is None or (self._placement is None and trace is jax_core.eval_trace and not watched):
            found = value.fget(self)
            note_read(self, found)
            return found
        scope, known = keras_backend.get_stateless_scope(), None
        # A scope of Keras' own in a step knows what it was given: other variables are the step's.
        while scope is not None and (known := scope.get_current_value(self)) is None:
            scope = scope.original_scope
        if known is None or getattr(scope, "eager", False):
            known = value_on(self, trace, known)
        elif type(scope) is not keras_backend.StatelessScope:
            # Of Keras' own scope, as `stateless_call` opens it, the value is the caller's tensor, not the variable.
            recording = trace if type(trace) is RecordingTrace else next(recordings_below(trace), None)
            if recording is not None:
                recording.recorder.note_scoped(self, known)
        if watched:
            note_read(self, known)
        return self._maybe_autocast(known)

    def value_on(variable: Any, trace: Any, scoped: Any) -> Any:
        """Returns what code that runs at once, or what JAX traces there, reads. scoped: in the scope of a replica."""
        if type(trace) is RecordingTrace:
            if scoped is None:
                return trace.recorder.read(variable, lambda: value_on(variable, trace.parent_trace, None))
            found = value_on(variable, trace.parent_trace, scoped)
            trace.recorder.note_scoped(variable, found)
            return found
        if is_staged(trace) and not has_open_shape(variable):
            return captured_variable(variable, trace, present_value)
        below = parent_trace(trace)
        if below is not None:
            return value_on(variable, below, scoped)
        if scoped is not None:
            return scoped
        return variable._value if variable._placement is None else read(variable)

    def new_direct_assign(self: Any, new: Any) -> None:
        if self._placement is None:
            direct_assign(self, new)
        else:
            self._value = place(self, new)

    def new_array(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The value as a NumPy array. (Keras' own does not know `copy`, which NumPy passes and so deprecates.)"""
        array = np.asarray(new_value(self), dtype)
        return array.copy() if copy else array

    def new_repr(self: Any) -> str:
        if self._placement is None or self._value is None:
            return str(represent(self))
        value = "" if isinstance(self.value, jax_core.Tracer) else f", value={self.value}"
        return f"<Variable path={self.path}, shape={self.shape}, dtype={self.dtype}{value}>"

    KerasVariable.value = property(new_value, doc=value.__doc__)
    KerasVariable._direct_assign = new_direct_assign
    KerasVariable.__array__, KerasVariable.numpy = new_array, lambda self: new_array(self)
    KerasVariable.__repr__ = new_repr


def _intercept_additions(add: Callable[[keras.Variable, Any, int], bool]) -> None:
    assign = KerasVariable.assign

    def new_assign_add(self: Any, delta: Any) -> Any:
        return self.value if add(self, delta, 1) else assign(self, self + _exact(self, delta))

    def new_assign_sub(self: Any, delta: Any) -> Any:
        return self.value if add(self, delta, -1) else assign(self, self - _exact(self, delta))

    KerasVariable.assign_add, KerasVariable.assign_sub = new_assign_add, new_assign_sub


def _exact(variable: Any, delta: Any) -> Any:
    """Returns a number that is added to a 64-bit variable in its type: JAX would cut it to 32 bits."""
    if variable._dtype not in ("float64", "int64") or hasattr(delta, "aval") or isinstance(delta, KerasVariable):
        return delta
    return jnp.asarray(delta, dtype=variable._dtype)


def shape_of(variable: keras.Variable) -> tuple[int, ...]:
    """Returns the shape of the variable's present value, also where it declares another, with unknown sizes."""
    found: tuple[int, ...] = variable._shape
    return _shapes.other.get(id(variable), found) if _shapes.other else found


@dataclass(frozen=True, slots=True)
class VariableRead:
    """The first read of a variable: what was read (None: in a compiled program), and the array that the variable stored."""

    variable: keras.Variable
    value: Any
    stored: Any


class _ReadWatchers(threading.local):
    """The reads of variables that code of this thread watches."""

    def __init__(self) -> None:
        self.watched: list[dict[int, VariableRead]] = []


_reads = _ReadWatchers()


@contextlib.contextmanager
def watching_reads() -> Iterator[dict[int, VariableRead]]:
    """Collects the first read of every variable in the body, by the variable's identity."""
    found: dict[int, VariableRead] = {}
    _reads.watched.append(found)
    try:
        yield found
    finally:
        _reads.watched.pop()


@contextlib.contextmanager
def unwatched_reads() -> Iterator[None]:
    """Keeps reads of variables in the body from those who watch outside of it."""
    before, _reads.watched = _reads.watched, []
    try:
        yield
    finally:
        _reads.watched = before


def note_reads(variables: Sequence[keras.Variable]) -> None:
    """Tells those who watch reads of variables that a compiled program reads."""
    if _reads.watched:
        for variable in variables:
            note_read(variable, None)


def present_value(variable: keras.Variable) -> Any:
    """Returns the variable's value as code reads it, in the variable's own dtype also inside a layer of mixed precision."""
    with keras_backend.AutocastScope(None):
        return variable.value


def note_read(variable: keras.Variable, value: Any) -> None:
    """Tells those who watch reads that a variable was read."""
    for found in _reads.watched:
        found.setdefault(id(variable), VariableRead(variable, value, variable._value))


_creations = itertools.count()


def creation_order(variable: keras.Variable) -> int:
    """A number that is larger for variables created later (the same for all that are older than this module)."""
    return int(variable._creation_number)


def note_lookup(variable: keras.Variable) -> None:
    """Notes that rows of a variable were looked up: in TensorFlow its gradients are such rows."""
    variable._looked_up = True


def was_looked_up(variable: keras.Variable) -> bool:
    """Returns whether rows of the variable have been looked up in this process."""
    return bool(variable._looked_up)


def stored(variable: keras.Variable) -> jax.Array:
    """Returns the stored value: for a placed variable the array over its whole mesh, which the next step donates."""
    return variable._value


def store(variable: keras.Variable, array: jax.Array) -> None:
    """Replace what the variable stores."""
    variable._value = array


def store_all(variables: Sequence[keras.Variable], arrays: Sequence[jax.Array]) -> None:
    """Replace what each variable stores, as `store` does: after every step, so without a call for each."""
    for variable, array in zip(variables, arrays, strict=True):
        variable._value = array


def has_open_shape(variable: keras.Variable) -> bool:
    """Returns whether the variable's values may have several shapes."""
    return getattr(variable, "_declared", None) is not None


def note_new_shape(variable: keras.Variable, shape: tuple[int, ...]) -> None:
    """Takes note of the shape of the value that the variable has from now on."""
    variable._shape, variable._ndim = shape, len(shape)


def initialized(variable: keras.Variable) -> bool:
    """False before a variable has its first value: while it is being made, or was made inside an abstract trace."""
    return getattr(variable, "_value", None) is not None


def set_initial_value(variable: keras.Variable, value: np.ndarray) -> None:
    """Give a variable this value: at once, or, while it waits for its first value, instead of its initializer."""
    if initialized(variable):
        variable.assign(value)
        return
    if tuple(value.shape) != tuple(variable.shape):
        raise ValueError(f"{variable.path} has shape {tuple(variable.shape)}, the initial value {tuple(value.shape)}.")
    # Every replica's slot of a summed variable starts from the initializer, so that gives each its part of the whole.
    summed = variable._placement is not None and variable.synchronization == "on_read" and variable.aggregation == "sum"
    part = value / variable._placement.mesh.num_replicas if summed else value
    variable._initializer = lambda shape, dtype=None: keras.ops.convert_to_tensor(part, dtype=dtype)


class _ShapeOverrides(threading.local):
    """Other shapes than their own that variables, by identity, have for code of this thread."""

    def __init__(self) -> None:
        self.other: dict[int, tuple[int, ...]] = {}


_shapes = _ShapeOverrides()


@contextlib.contextmanager
def shaped(shapes: Sequence[tuple[keras.Variable, tuple[int, ...]]]) -> Iterator[None]:
    """In the body, each of these variables has this shape: to trace an update of some rows as one of a smaller variable.

    Other threads see their own shapes.
    """
    before = _shapes.other
    _shapes.other = before | {id(variable): shape for variable, shape in shapes}
    try:
        yield
    finally:
        _shapes.other = before
