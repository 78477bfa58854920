"""TracedRecording: what a gradient tape records in a compiled step, with markers in the program being traced."""

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
import keras

from stratagem._base.errors import TapeError
from stratagem._core.context import current
from stratagem._core.eager import TapeRecording
from stratagem._core.step.differentiation._differentiate import connected_sources
from stratagem._core.step.recording._markers import gradient_p, mark_p
from stratagem._private import AtTraceLevel, KerasVariable, is_constant, scoped_value, stand_in, trace_level

_numbers = itertools.count()


@final
class TracedRecording(TapeRecording):
    """The recording of a tape in a compiled step: marks have a position in the program, and nothing else is noted."""

    def __init__(
        self, recorder: Any, *, watch_variables: bool, everything: bool = False, stops: Sequence[Any] = ()
    ) -> None:
        """everything: of all that the program has computed so far, without marks; it cannot be opened.

        stops: values that count as constants.
        """
        self._recorder, self._watch_variables = recorder, watch_variables
        self._number = None if everything else next(_numbers)
        self._versions: dict[int, list[Any]] = {}
        self._read: dict[int, Any] = {}
        self._times_read: Counter[int] = Counter()
        self._stand_ins: list[tuple[Any, Any]] = []
        self._level = trace_level()
        self._stops = [self._versions_of(leaf)[-1] for leaf in stops]
        if not everything:
            self._begin()

    def again(self) -> bool:
        if current().recorder is not self._recorder:
            return False
        self._begin()
        return True

    def _begin(self) -> None:
        self._level = trace_level()
        if self._watch_variables:
            for variable in self._recorder.trainable():
                self._versions[id(variable)] = [self._present(variable)]
        self._open()
        self._recorder.tapes.append(self)

    def close(self, failed: bool) -> None:
        self._recorder.tapes.remove(self)
        if not failed:
            self._mark("close")

    def watch(self, leaf: Any) -> None:
        if not isinstance(leaf, KerasVariable):
            self._mark("watch", self._traced(leaf))
            return
        self.note_read(leaf)
        if id(leaf) not in self._versions:
            self._versions[id(leaf)] = [value := self._present(leaf)]
            self._mark("watch", value)

    def note_read(self, variable: keras.Variable) -> None:
        """Notes that a variable was read while the tape was open."""
        self._read[id(variable)] = variable
        self._times_read[id(variable)] += 1

    def note_input(self, variable: keras.Variable, value: jax.Array) -> None:
        """Notes that a variable, which nothing had read before, has become an input while the tape was open: with this value.

        A step's program has it from its beginning. So the mark that opens the tape names it, too, as if it had been known
        there: a mark here would cut the program. A graph is never closed, and has a mark here.
        """
        if not (self._watch_variables and variable.trainable):
            return
        self._versions[id(variable)] = [value]
        if self._recorder.is_closed_at_end and self._level is self._recorder.level:
            self._recorder.late_watches.setdefault(self._number, []).append(value)
        else:
            with AtTraceLevel(self._level):
                self._mark("watch", value)

    def times_read(self, variable: keras.Variable) -> int:
        return self._times_read[id(variable)]

    def note_assignment(self, variable: keras.Variable) -> None:
        """Notes a new value of a watched variable: reads of it count as reads of the same variable."""
        if id(variable) in self._versions:
            self._versions[id(variable)].append(value := self._present(variable))
            self._mark("watch", value)

    def variables(self) -> list[keras.Variable]:
        return [v for v in self._read.values() if id(v) in self._versions or (self._watch_variables and v.trainable)]

    def pause(self) -> None:
        self._mark("pause")

    def resume(self) -> None:
        self._mark("resume")

    def reset(self) -> None:
        self._number = next(_numbers)
        watched = [v for v in self._recorder.variables.values() if id(v) in self._versions]
        self._versions = {id(v): [self._present(v)] for v in watched}
        self._read.clear()
        self._open()

    def stop(self) -> None:
        pass  # what no gradient needs is no part of the program

    def target(self, leaf: Any) -> Any:
        return leaf.value if isinstance(leaf, KerasVariable) else jnp.asarray(leaf)

    def gradients(
        self,
        targets: Sequence[Any],
        seeds: Sequence[Any],
        sources: Sequence[Any],
        rows: int | None,
    ) -> list[list[Any]]:
        call = self._recorder.next_gradient()
        groups = [self._versions_of(source) for source in sources]
        values = [v for group in groups for v in group]
        if not targets or not values:
            return [[] for _ in groups]
        results = gradient_p.bind(
            *targets,
            *seeds,
            *values,
            *self._stops,
            tape=self._number,
            call=call,
            targets=len(targets),
            seeded=bool(seeds),
            stops=len(self._stops),
            rows=rows,
        )
        connected = self._recorder.connected(call, len(values))
        if connected is None:
            connected = connected_sources(call, results, self._recorder.late_watches)
        self._recorder.told[call] = connected
        pairs = iter(zip(results, connected, strict=True))
        return [[g for g, connected in itertools.islice(pairs, len(group)) if connected] for group in groups]

    def _versions_of(self, leaf: Any) -> list[Any]:
        """Returns the values that a source has had under this tape, at least the present one."""
        if not isinstance(leaf, KerasVariable):
            return [leaf]
        known = self._versions.get(id(leaf))
        return [self._present(leaf)] if known is None else list(known)

    def _present(self, variable: Any) -> Any:
        """Returns the variable's present value as a distinct value of the program, also if a constant was assigned.

        It is the value that reads give: an average over replicas that is pending would take its place at the first read,
        so that the tape would not know it.
        """
        inner = scoped_value(variable, self._recorder.scope)
        if inner is not None:
            return inner
        value = self._recorder.averaged(variable)
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

    def check(self, what: str) -> None:
        recorder = current().recorder
        if recorder is None or recorder.scope is not self._recorder.scope:
            raise TapeError(
                f"tape.{what} is called outside the compiled step in which the tape was opened. Call it in the same "
                "function, before strategy.run or the tf.function returns."
            )
        if trace_level() is not self._level:
            raise TapeError(
                f"tape.{what} is called inside a cond, while, scan or map body, but the tape was opened outside of it. "
                "Open and use a tape at the same level."
            )

    def _open(self) -> None:
        self._mark("open", *(v for versions in self._versions.values() for v in versions))

    def _mark(self, kind: str, *values: Any) -> None:
        mark_p.bind(*values, tape=self._number, kind=kind)
