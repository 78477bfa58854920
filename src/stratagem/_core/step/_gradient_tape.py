"""`tf.GradientTape`: records by position, with markers in the program being traced."""

import contextlib
import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import keras

from stratagem._base.errors import TapeError
from stratagem._base.types import Nest
from stratagem._core.context import current
from stratagem._core.step._markers import gradient_p, mark_p
from stratagem._core.values import IndexedSlices, is_per_replica
from stratagem._private import KerasVariable, creation_order, is_constant, scoped_value, stand_in, trace_level

_numbers = itertools.count()


class UnconnectedGradients:
    """The value of `gradient` for a source that the target does not depend on (TF's names)."""

    NONE = "none"
    ZERO = "zero"


class GradientTape:
    """Records operations for differentiation, as `tf.GradientTape`, inside `strategy.run` or a `tf.function`.

    persistent: `gradient` may be called more than once.
    watch_accessed_variables: False to record only what `watch` names; otherwise all trainable variables are watched.
    Raises TapeError when used outside a compiled step.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_variables = watch_accessed_variables
        self._number = next(_numbers)
        self._recorder: Any = None
        self._level: object = None
        self._versions: dict[int, list[Any]] = {}
        self._read: dict[int, Any] = {}
        self._times_read: Counter[int] = Counter()
        self._stand_ins: list[tuple[Any, Any]] = []
        self._used = False

    def __enter__(self) -> "GradientTape":
        recorder = current().recorder
        if recorder is None:
            raise _not_compiled()
        self._recorder, self._level = recorder, trace_level()
        if self._watch_variables:
            for variable in recorder.trainable():
                self._versions[id(variable)] = [self._present(variable)]
        self._mark("open", *(v for versions in self._versions.values() for v in versions))
        recorder.tapes.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        self._recorder.tapes.remove(self)
        if error[0] is None:
            self._mark("close")

    def watch(self, tensor: Nest) -> None:
        """Records what is computed from `tensor` (a tensor, a variable, or a structure of them) from now on."""
        self._check_context("watch")
        for leaf in jax.tree.leaves(tensor):
            if isinstance(leaf, KerasVariable):
                self.note_read(leaf)
                self.versions_of(leaf)
            else:
                self._mark("watch", self._traced(leaf))

    def versions_of(self, variable: keras.Variable) -> list[keras.Variable]:
        """Returns the values that the variable has had under this tape, at least the present one."""
        if id(variable) not in self._versions:
            self._versions[id(variable)] = [value := self._present(variable)]
            self._mark("watch", value)
        return self._versions[id(variable)]

    def note_read(self, variable: keras.Variable) -> None:
        """Notes that the variable was read while the tape was open."""
        self._read[id(variable)] = variable
        self._times_read[id(variable)] += 1

    def times_read(self, variable: keras.Variable) -> int:
        """Returns how many times the variable was read while the tape was open."""
        return self._times_read[id(variable)]

    def note_assignment(self, variable: keras.Variable) -> None:
        """Notes a new value of a watched variable: reads of it count as reads of the same variable."""
        if id(variable) in self._versions:
            self._versions[id(variable)].append(value := self._present(variable))
            self._mark("watch", value)

    def watched_variables(self) -> tuple[keras.Variable, ...]:
        """Returns the watched variables that were read, or passed to `watch`, in the order of their creation."""
        watched = [v for v in self._read.values() if id(v) in self._versions or (self._watch_variables and v.trainable)]
        return tuple(sorted(watched, key=creation_order))

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Does not record the operations of the body."""
        self._check_context("stop_recording")
        self._mark("pause")
        yield
        self._mark("resume")

    def reset(self) -> None:
        """Drops the recording and starts again with the present values."""
        self._check_context("reset")
        self._number = next(_numbers)
        watched = [v for v in self._recorder.variables.values() if id(v) in self._versions]
        self._versions = {id(v): [self._present(v)] for v in watched}
        self._read.clear()
        self._mark("open", *(v for versions in self._versions.values() for v in versions))

    def gradient(
        self,
        target: Nest,
        sources: Nest,
        output_gradients: Nest = None,
        unconnected_gradients: str = UnconnectedGradients.NONE,
    ) -> Nest:
        """Returns the gradient of `target` (its elements summed; several targets summed) with respect to every source.

        target: a tensor or structure of tensors. sources: a variable, a tensor or a structure of them.
        output_gradients: factors of the targets' elements, in the structure of `target`. The result has the structure
        of `sources`; each entry has its source's shape and dtype, or is None for a source without a path to the target
        (zeros with `unconnected_gradients="zero"`), and for sources that are not floating point. Raises TapeError for a
        second call on a tape that is not persistent.
        """
        self._use("gradient")
        leaves, structure = jax.tree.flatten(sources, is_leaf=lambda v: v is None)
        zero = _wants_zeros(unconnected_gradients)
        return jax.tree.unflatten(structure, self._gradients(target, output_gradients, leaves, None, zero))

    def jacobian(
        self,
        target: Nest,
        sources: Nest,
        unconnected_gradients: str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Nest:
        """Returns the derivative of every element of the tensor `target` with respect to every element of every source.

        The result has the structure of `sources`; each entry has shape (*target shape, *source shape), or is None as in
        `gradient`.
        """
        self._use("jacobian")
        leaves, structure = jax.tree.flatten(sources, is_leaf=lambda v: v is None)
        y = self._target(target)
        seeds = jnp.eye(y.size, dtype=y.dtype).reshape(y.size, *y.shape)
        found = self._gradients(y, seeds, leaves, y.size, _wants_zeros(unconnected_gradients))
        return jax.tree.unflatten(structure, [g if g is None else g.reshape(*y.shape, *g.shape[1:]) for g in found])

    def batch_jacobian(
        self,
        target: Nest,
        source: Nest,
        unconnected_gradients: str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Nest:
        """Returns the jacobian of every row of `target` (b, ...) with respect to its own row of `source` (b, ...).

        Rows of the target must depend on their own rows of the source only. The result has shape (b, *target row,
        *source row).
        """
        self._use("batch_jacobian")
        y = self._target(target)
        if not y.shape or not source.shape or y.shape[0] != source.shape[0]:
            raise ValueError(
                f"batch_jacobian: target {y.shape} and source {tuple(source.shape)} need the same first dimension."
            )
        size = y[:1].size
        seeds = jnp.broadcast_to(jnp.eye(size, dtype=y.dtype).reshape(size, 1, *y.shape[1:]), (size, *y.shape))
        (found,) = self._gradients(y, seeds, [source], size, _wants_zeros(unconnected_gradients))
        return None if found is None else jnp.moveaxis(found, 0, 1).reshape(*y.shape, *source.shape[1:])

    def _use(self, what: str) -> None:
        self._check_context(what)
        if self._used and not self._persistent:
            raise TapeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians). "
                "Open it with tf.GradientTape(persistent=True) to call gradient more than once."
            )
        self._used = True

    def _gradients(self, target: Any, seeds: Any, sources: list[Any], rows: int | None, zero: bool) -> list[Any]:
        """Returns the gradient of every source, summed over the values that a variable had; None or zeros if unconnected."""
        versions = [self._source(leaf) for leaf in sources]
        results = self._bind(target, seeds, [v for group in versions for v in group], rows)
        front = () if rows is None else (rows,)
        grads, position = [], 0
        for leaf, group in zip(sources, versions, strict=True):
            parts = [g for g in results[position : position + len(group)] if g is not None]
            position += len(group)
            missing = jnp.zeros((*front, *leaf.shape), leaf.dtype) if zero and leaf is not None else None
            grads.append(sum(parts[1:], parts[0]) if parts else missing)
        return grads

    def _bind(self, target: Any, output_gradients: Any, sources: list[Any], rows: int | None) -> list[Any]:
        targets = [self._target(t) for t in jax.tree.leaves(target, is_leaf=lambda v: v is None)]
        seeds = [] if output_gradients is None else jax.tree.leaves(output_gradients, is_leaf=lambda v: v is None)
        if seeds and len(seeds) != len(targets):
            raise ValueError(f"gradient: {len(targets)} targets but {len(seeds)} output_gradients.")
        front = () if rows is None else (rows,)
        seeds = [_seed(s, (*front, *t.shape), t.dtype) for s, t in zip(seeds, targets, strict=False)]
        call = self._recorder.next_gradient()
        usable = [jnp.issubdtype(t.dtype, jnp.inexact) for t in targets]
        if not any(usable) or not sources:
            return [None] * len(sources)
        inexact = [t for t, ok in zip(targets, usable, strict=True) if ok]
        seeds = [s for s, ok in zip(seeds, usable, strict=True) if ok] if seeds else []
        results = gradient_p.bind(
            *inexact,
            *seeds,
            *sources,
            tape=self._number,
            call=call,
            targets=len(inexact),
            seeded=bool(seeds),
            rows=rows,
        )
        connected = self._recorder.connected(call, len(sources))
        return [g if ok else None for g, ok in zip(results, connected, strict=True)]

    def _source(self, leaf: Any) -> list[Any]:
        if leaf is None:
            return []
        if getattr(leaf, "is_sharded_variable", False):
            raise ValueError(
                f"gradient: {leaf.name} is in shards. Ask for the gradients of its `variables`, which is also what an "
                "optimizer takes (model.trainable_variables has them)."
            )
        if not jnp.issubdtype(jnp.dtype(getattr(leaf.dtype, "name", leaf.dtype)), jnp.inexact):
            return []
        if isinstance(leaf, KerasVariable):
            known = self._versions.get(id(leaf))
            return [self._present(leaf)] if known is None else list(known)
        return [leaf]

    def _target(self, target: Any) -> Any:
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be "
                "differentiated, but received None."
            )
        if isinstance(target, IndexedSlices) or is_per_replica(target):
            raise TapeError(f"gradient: the target is a {type(target).__name__}, not a tensor.")
        return target.value if isinstance(target, KerasVariable) else jnp.asarray(target)

    def _present(self, variable: Any) -> Any:
        """Returns the variable's present value as a distinct value of the program, also if a constant was assigned."""
        inner = scoped_value(variable, self._recorder.scope)
        if inner is not None:
            return inner
        value = self._recorder.value_of(variable)
        if is_constant(value) and id(variable) in self._recorder.values:
            value = self._recorder.values[id(variable)] = jnp.copy(value)
        return value

    def _traced(self, tensor: Any) -> Any:
        """Returns the tensor; for a constant of the step, a value of the program that replaces it from now on."""
        if isinstance(tensor, jax.core.Tracer) and not is_constant(tensor):
            return tensor
        if isinstance(tensor, jax.core.Tracer) or not isinstance(tensor, jax.Array):
            raise TapeError(
                f"A tape watches tensors and variables, not the number {tensor!r}: make it a tensor with tf.constant."
            )
        known = next((t for constant, t in self._stand_ins if constant is tensor), None)
        if known is None:
            known = jnp.copy(tensor)
            stand_in(tensor, known)
            self._stand_ins.append((tensor, known))  # keeps both alive, which JAX does not
        return known

    def _check_context(self, what: str) -> None:
        recorder = current().recorder
        if self._recorder is None or recorder is None or recorder.scope is not self._recorder.scope:
            raise TapeError(
                f"tape.{what} is called outside the compiled step in which the tape was opened. Call it in the same "
                "function, before strategy.run or the tf.function returns."
            )
        if trace_level() is not self._level:
            raise TapeError(
                f"tape.{what} is called inside a cond, while, scan or map body, but the tape was opened outside of it. "
                "Open and use a tape at the same level."
            )

    def _mark(self, kind: str, *values: Any) -> None:
        mark_p.bind(*values, tape=self._number, kind=kind)


def _wants_zeros(unconnected_gradients: Any) -> bool:
    return getattr(unconnected_gradients, "value", unconnected_gradients) == UnconnectedGradients.ZERO


def _seed(seed: Any, shape: tuple[int, ...], dtype: Any) -> jax.Array:
    """Returns the factors of a target's elements; None stands for ones."""
    return jnp.broadcast_to(jnp.ones((), dtype) if seed is None else jnp.asarray(seed), shape).astype(dtype)


def _not_compiled() -> TapeError:
    """Returns the error for a tape that is used where nothing is recorded."""
    host = current().host
    if host:
        return TapeError(
            f"tf.GradientTape is used where no compiled step records: {host}. Put the code that uses the tape into a function "
            "without that, and call it from there with strategy.run(...) or decorate it with @tf.function: it is compiled."
        )
    return TapeError(
        "tf.GradientTape is used outside a compiled step. Put the code that uses the tape into a function and call "
        "it with strategy.run(...), or decorate it with @tf.function: it then becomes one compiled program."
    )
