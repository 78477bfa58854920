"""`tf.GradientTape`: what it is asked for, on a recording made at once or in a compiled step."""

import contextlib
import itertools
import logging
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import keras

from stratagem._base.errors import TapeError
from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._core.eager import EagerRecording, TapeRecording
from stratagem._core.step.differentiation._traced_recording import TracedRecording
from stratagem._core.values import CompositeTensor, IndexedSlices, is_per_replica
from stratagem._private import KerasVariable, creation_order, current_recording

logger = logging.getLogger("stratagem")


@exported("UnconnectedGradients")
class UnconnectedGradients:
    """The value of `gradient` for a source that the target does not depend on (TF's names)."""

    NONE = "none"
    ZERO = "zero"


@exported("GradientTape", "autodiff.GradientTape")
class GradientTape:
    """Records operations for differentiation, as `tf.GradientTape`, in compiled steps and outside of them.

    persistent: `gradient` may be called more than once.
    watch_accessed_variables: False to record only what `watch` names; otherwise all trainable variables are watched.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_variables = watch_accessed_variables
        self._recorded: TapeRecording | None = None
        self._recording = self._used = False

    def __enter__(self) -> "GradientTape":
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if self._recorded is None or not self._recorded.again():
            recorder = current().recorder
            if recorder is None or recorder.eager or current_recording() is not None:  # an open ForwardAccumulator
                self._recorded = EagerRecording(
                    lambda v: self._watch_variables and bool(v.trainable), persistent=self._persistent
                )
            else:
                self._recorded = TracedRecording(recorder, watch_variables=self._watch_variables)
        self._recording = True
        return self

    def __exit__(self, *error: object) -> None:
        self._recording = False
        assert self._recorded is not None
        self._recorded.close(error[0] is not None)

    def watch(self, tensor: Any) -> None:
        """Records what is computed from `tensor` (a tensor, a variable, or a structure of them) from now on."""
        recorded = self._checked("watch")
        for leaf in map(_differentiable_part, jax.tree.leaves(tensor, is_leaf=_is_composite)):
            if not isinstance(leaf, KerasVariable | jax.Array):
                raise TapeError(
                    f"A tape watches tensors and variables, not the number {leaf!r}: make it a tensor with tf.constant."
                )
            _warn_unless_floating("watched", leaf)
            recorded.watch(leaf)

    def watched_variables(self) -> tuple[keras.Variable, ...]:
        """Returns the watched variables that were read, or passed to `watch`, in the order of their creation."""
        return () if self._recorded is None else tuple(sorted(self._recorded.variables(), key=creation_order))

    def times_read(self, variable: keras.Variable) -> int:
        """Returns how many times the variable was read while the tape was open."""
        return 0 if self._recorded is None else self._recorded.times_read(variable)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Does not record the operations of the body."""
        recorded = self._checked("stop_recording")
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._recording = False
        recorded.pause()
        try:
            yield
        finally:
            recorded.resume()
            self._recording = True

    def reset(self) -> None:
        """Drops the recording and starts again with the present values."""
        self._checked("reset").reset()
        self._used = False

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: str = UnconnectedGradients.NONE,
    ) -> Any:
        """Returns the gradient of `target` (its elements summed; several targets summed) with respect to every source.

        target: a tensor or structure of tensors. sources: a variable, a tensor or a structure of them.
        output_gradients: factors of the targets' elements, in the structure of `target`. The result has the structure
        of `sources`; each entry has its source's shape and dtype, or is None for a source without a path to the target
        (zeros with `unconnected_gradients="zero"`), and for sources that are not floating point. Raises TapeError for a
        second call on a tape that is not persistent.
        """
        self._use("gradient")
        given, structure = jax.tree.flatten(sources, is_leaf=_is_leaf)
        leaves = list(map(_differentiable_part, given))
        targets = [self._target(t) for t in map(_differentiable_part, jax.tree.leaves(target, is_leaf=_is_leaf))]
        seeds = [] if output_gradients is None else jax.tree.leaves(output_gradients, is_leaf=_is_leaf)
        seeds = list(map(_differentiable_part, seeds))
        if seeds and len(seeds) != len(targets):
            raise ValueError(f"gradient: {len(targets)} targets but {len(seeds)} output_gradients.")
        found = self._gradients(targets, seeds, leaves, None, unconnected_gradients)
        pairs = zip(given, found, strict=True)
        return jax.tree.unflatten(
            structure,
            [s._with_differentiable(g) if _is_composite(s) and g is not None else g for s, g in pairs],
        )

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Returns the derivative of every element of the tensor `target` with respect to every element of every source.

        The result has the structure of `sources`; each entry has shape (*target shape, *source shape), or is None as in
        `gradient`.
        """
        self._use("jacobian")
        leaves, structure = jax.tree.flatten(sources, is_leaf=lambda v: v is None)
        y = self._target(target)
        seeds = _unit_seeds(y.size, y.dtype).reshape(y.size, *y.shape)
        found = self._gradients([y], [seeds], leaves, y.size, unconnected_gradients)
        return jax.tree.unflatten(structure, [g if g is None else g.reshape(*y.shape, *g.shape[1:]) for g in found])

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
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
        seeds = jnp.broadcast_to(_unit_seeds(size, y.dtype).reshape(size, 1, *y.shape[1:]), (size, *y.shape))
        (found,) = self._gradients([y], [seeds], [source], size, unconnected_gradients)
        return None if found is None else jnp.moveaxis(found, 0, 1).reshape(*y.shape, *source.shape[1:])

    def _checked(self, what: str) -> TapeRecording:
        if self._recorded is None:
            raise TapeError(
                f"tape.{what} is called on a tape that was never opened. Open it: `with tf.GradientTape() as tape:`."
            )
        self._recorded.check(what)
        return self._recorded

    def _use(self, what: str) -> TapeRecording:
        recorded = self._checked(what)
        if self._used and not self._persistent:
            raise TapeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians). "
                "Open it with tf.GradientTape(persistent=True) to call gradient more than once."
            )
        self._used = True
        return recorded

    def _gradients(
        self, targets: list[Any], seeds: list[Any], sources: list[Any], rows: int | None, unconnected: Any
    ) -> list[Any]:
        """Returns the gradient of every source, summed over the values that a variable had; None or zeros if unconnected."""
        assert self._recorded is not None
        if not self._persistent and self._recording:
            self._recorded.pause()  # as in TensorFlow: what follows in the tape's block is not recorded
        front = () if rows is None else (rows,)
        factors = [_seed(s, (*front, *t.shape), t.dtype) for s, t in zip(seeds, targets, strict=False)]
        usable = [_warn_unless_floating("target", t) for t in targets]
        differentiable = [leaf is not None and _differentiable(leaf) for leaf in sources]
        asked = list(itertools.compress(sources, differentiable))
        found = self._recorded.gradients(
            list(itertools.compress(targets, usable)), list(itertools.compress(factors, usable)), asked, rows
        )
        if rows is None:
            found = [group or self._seeds_of(s, targets, factors) for group, s in zip(found, asked, strict=True)]
        if not self._persistent:
            self._recorded.stop()
        parts = iter(found)
        grads = []
        for leaf, ok in zip(sources, differentiable, strict=True):
            group = next(parts) if ok else []
            zeros = leaf is not None and wants_zeros(unconnected)
            missing = jnp.zeros((*front, *leaf.shape), leaf.dtype) if zeros else None
            grads.append(sum(group[1:], group[0]) if group else missing)
        return grads

    def _seeds_of(self, source: Any, targets: list[Any], factors: list[Any]) -> list[Any]:
        """Returns the factors of a source that is itself a target, which is its gradient also if it was not watched."""
        assert self._recorded is not None
        value = self._recorded.target(source)
        return [factors[i] if factors else jnp.ones_like(t) for i, t in enumerate(targets) if t is value]

    def _target(self, target: Any) -> Any:
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be "
                "differentiated, but received None."
            )
        if isinstance(target, IndexedSlices) or is_per_replica(target):
            raise TapeError(f"gradient: the target is a {type(target).__name__}, not a tensor.")
        assert self._recorded is not None
        return self._recorded.target(target)


def tape_of_program(recorder: Any, stops: Sequence[Any] = ()) -> GradientTape:
    """Returns a tape that has recorded all that the step being traced has computed. stops: what counts as a constant."""
    tape = GradientTape(persistent=True)
    tape._recorded = TracedRecording(recorder, watch_variables=False, everything=True, stops=stops)
    return tape


def _is_composite(value: Any) -> bool:
    return isinstance(value, CompositeTensor)


def _is_leaf(value: Any) -> bool:
    return value is None or _is_composite(value)


def _differentiable_part(leaf: Any) -> Any:
    """The values of a composite tensor, whose gradient is that of the whole; any other leaf as it is."""
    return leaf._differentiable if _is_composite(leaf) else leaf


def _differentiable(source: Any) -> bool:
    """Returns whether a source is floating point; logs a warning if not. Raises ValueError for a variable in shards."""
    if getattr(source, "is_sharded_variable", False):
        raise ValueError(
            f"gradient: {source.name} is in shards. Ask for the gradients of its `variables`, which is also what an "
            "optimizer takes (model.trainable_variables has them)."
        )
    return _warn_unless_floating("source", source)


def _warn_unless_floating(what: str, tensor: Any) -> bool:
    """Returns whether a tensor is floating point; logs a warning if it is not."""
    dtype = jnp.dtype(getattr(tensor.dtype, "name", tensor.dtype))
    floating = bool(jnp.issubdtype(dtype, jnp.inexact))
    if not floating:
        logger.warning(
            "The dtype of the %s tensor must be floating (e.g. tf.float32) for a GradientTape, got %s: its gradient is None.",
            what,
            dtype,
        )
    return floating


def wants_zeros(unconnected_gradients: str) -> bool:
    """Returns whether an unconnected source has zeros. unconnected_gradients: of `UnconnectedGradients`, TensorFlow's too."""
    return getattr(unconnected_gradients, "value", unconnected_gradients) == UnconnectedGradients.ZERO


def _unit_seeds(size: int, dtype: Any) -> jax.Array:
    # XLA takes the product of a condition's 0 with an infinite derivative for 0. Behind the barrier it is NaN, as outside of
    # compiled steps and in TensorFlow.
    seeds: jax.Array = jax.lax.optimization_barrier(jnp.eye(size, dtype=dtype))
    return seeds


def _seed(seed: Any, shape: tuple[int, ...], dtype: Any) -> jax.Array:
    """Returns the factors of a target's elements; None stands for ones."""
    return jnp.broadcast_to(jnp.ones((), dtype) if seed is None else jnp.asarray(seed), shape).astype(dtype)
