"""tf.GradientTape: records by position, as markers in the program that is being traced."""

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._context import current
from stratagem._errors import TapeError
from stratagem._private import KerasVariable, creation_order, stand_in, trace_level
from stratagem.step._markers import gradient_p, mark_p
from stratagem.values import IndexedSlices, is_per_replica

_numbers = itertools.count()


class UnconnectedGradients:
    """What `gradient` returns for a source that the target does not depend on (TF's names)."""

    NONE = "none"
    ZERO = "zero"


class GradientTape:
    """Records operations for differentiation, as `tf.GradientTape`, inside `strategy.run` or a `tf.function`.

    persistent: `gradient` may be called more than once.
    watch_accessed_variables: False to record only what `watch` names; else all trainable variables are watched.
    Raises TapeError when used outside a compiled step.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_variables = watch_accessed_variables
        self._number = next(_numbers)
        self._recorder: Any = None
        self._level: object = None
        self._versions: dict[int, list[Any]] = {}
        self._stand_ins: list[tuple[Any, Any]] = []
        self._used = False

    def __enter__(self) -> "GradientTape":
        recorder = current().recorder
        if recorder is None:
            raise TapeError(
                "tf.GradientTape is used outside a compiled step. Put the code that uses the tape into a function and call "
                "it with strategy.run(...), or decorate it with @tf.function: it then becomes one compiled program."
            )
        self._recorder, self._level = recorder, trace_level()
        if self._watch_variables:
            for variable in recorder.trainable():
                self._versions[id(variable)] = [self._traced(recorder.value_of(variable))]
        self._mark("open", *(v for versions in self._versions.values() for v in versions))
        recorder.tapes.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        self._recorder.tapes.remove(self)
        if error[0] is None:
            self._mark("close")

    def watch(self, tensor: Any) -> None:
        """Record what is computed from `tensor` (a tensor, a variable, or a structure of them) from now on."""
        self._check_place("watch")
        for leaf in jax.tree.leaves(tensor):
            if isinstance(leaf, KerasVariable):
                self.versions_of(leaf)
            else:
                self._mark("watch", self._traced(leaf))

    def versions_of(self, variable: Any) -> list[Any]:
        """The values that the variable has had under this tape, its present one at least."""
        if id(variable) not in self._versions:
            self._versions[id(variable)] = [value := self._traced(self._recorder.value_of(variable))]
            self._mark("watch", value)
        return self._versions[id(variable)]

    def note_assignment(self, variable: Any, value: Any) -> None:
        """A watched variable got a new value: later reads count as reads of the same variable."""
        if id(variable) in self._versions:
            self._versions[id(variable)].append(self._traced(value))
            self._mark("watch", self._versions[id(variable)][-1])

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that this tape watches, in the order of their creation."""
        if self._recorder is None:
            return ()
        return tuple(sorted((v for v in self._watched()), key=creation_order))

    def _watched(self) -> list[Any]:
        return [v for v in self._recorder.variables.values() if id(v) in self._versions]

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Do not record the operations of the body."""
        self._check_place("stop_recording")
        self._mark("pause")
        yield
        self._mark("resume")

    def reset(self) -> None:
        """Forget what was recorded; start again with the present values."""
        self._check_place("reset")
        self._number = next(_numbers)
        self._versions = {id(v): [self._traced(self._recorder.value_of(v))] for v in self._watched()}
        self._mark("open", *(v for versions in self._versions.values() for v in versions))

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: str = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of `target` (its elements summed; several targets summed) for every source.

        target: a tensor or structure of tensors. sources: a variable, a tensor or a structure of them.
        output_gradients: factors of the targets' elements, in the structure of `target`.
        Returns the structure of `sources`, each entry with its source's shape and dtype, or None for a source without a
        path to the target (zeros with `unconnected_gradients="zero"`), and for sources that are not floating point.
        Raises TapeError for a second call on a tape that is not persistent.
        """
        self._check_place("gradient")
        if self._used and not self._persistent:
            raise TapeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians). "
                "Open it with tf.GradientTape(persistent=True) to call gradient more than once."
            )
        self._used = True
        leaves, structure = jax.tree.flatten(sources, is_leaf=lambda v: v is None)
        versions = [self._source(leaf) for leaf in leaves]
        results = self._bind(target, output_gradients, [v for group in versions for v in group])
        zero = getattr(unconnected_gradients, "value", unconnected_gradients) == UnconnectedGradients.ZERO
        grads, position = [], 0
        for leaf, group in zip(leaves, versions, strict=True):
            parts = [g for g in results[position : position + len(group)] if g is not None]
            position += len(group)
            missing = jnp.zeros(leaf.shape, leaf.dtype) if zero and leaf is not None else None
            grads.append(sum(parts[1:], parts[0]) if parts else missing)
        return jax.tree.unflatten(structure, grads)

    def _bind(self, target: Any, output_gradients: Any, sources: list[Any]) -> list[Any]:
        targets = [self._target(t) for t in jax.tree.leaves(target, is_leaf=lambda v: v is None)]
        seeds = [] if output_gradients is None else [jnp.asarray(g) for g in jax.tree.leaves(output_gradients)]
        if seeds and len(seeds) != len(targets):
            raise ValueError(f"gradient: {len(targets)} targets but {len(seeds)} output_gradients.")
        call = self._recorder.next_gradient()
        usable = [jnp.issubdtype(t.dtype, jnp.inexact) for t in targets]
        if not any(usable) or not sources:
            return [None] * len(sources)
        kept = [t for t, ok in zip(targets, usable, strict=True) if ok]
        seeds = [s for s, ok in zip(seeds, usable, strict=True) if ok] if seeds else []
        results = gradient_p.bind(
            *kept, *seeds, *sources, tape=self._number, call=call, targets=len(kept), seeded=bool(seeds)
        )
        connected = self._recorder.connected(call, len(sources))
        return [g if ok else None for g, ok in zip(results, connected, strict=True)]

    def _source(self, leaf: Any) -> list[Any]:
        if leaf is None:
            return []
        if not jnp.issubdtype(jnp.dtype(getattr(leaf.dtype, "name", leaf.dtype)), jnp.inexact):
            return []
        if isinstance(leaf, KerasVariable):
            known = self._versions.get(id(leaf))
            return [self._recorder.value_of(leaf)] if known is None else list(known)
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

    def _traced(self, tensor: Any) -> Any:
        """The tensor; for a constant of the step a value of the program that takes its place from now on."""
        if isinstance(tensor, jax.core.Tracer):
            return tensor
        if not isinstance(tensor, jax.Array):
            raise TypeError(f"A tape watches tensors and variables, not {type(tensor).__name__}: {tensor!r}.")
        known = next((t for constant, t in self._stand_ins if constant is tensor), None)
        if known is None:
            known = jnp.copy(tensor)
            stand_in(tensor, known)
            self._stand_ins.append((tensor, known))  # JAX itself keeps neither alive
        return known

    def _check_place(self, what: str) -> None:
        if self._recorder is None or current().recorder is not self._recorder:
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
