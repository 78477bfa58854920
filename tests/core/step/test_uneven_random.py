"""Random steps on random layouts: what compiled pieces compute is what plain NumPy computes replica by replica.

A step is a list of instructions over three values: rows `x`, a vector `v` and a number `s`. Each instruction is written once,
as a generator that yields what it wants reduced, and runs on both sides. NumPy differentiates by complex steps, which are
exact to the last digits: d/dw f = Im f(w + ih) / h.
"""

import random
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._core.values import per_replica
from tests.thorough import thorough_if

FEATURES, REPLICAS, PROGRAMS, LENGTH = 3, 3, 8, 6
QUICK = 3  # programs that `make test` runs
TINY, RATE = 1e-30, 0.125


@dataclass(frozen=True)
class State:
    """One replica's values. m: the functions to compute with; n: its rows; rank: its id."""

    m: Any
    x: Any
    v: Any
    s: Any
    w: Any
    n: int
    rank: Any


Instruction = Callable[[State], Generator[tuple[str, Any], Any, State]]


class Plain:
    """The functions on complex NumPy arrays; comparisons and orders go by the real part."""

    tanh, cumsum, concat = staticmethod(np.tanh), staticmethod(np.cumsum), staticmethod(np.concatenate)

    @staticmethod
    def sum(a: Any, axis: int | None = None) -> Any:
        return np.sum(a, axis)

    @staticmethod
    def sort(a: Any, axis: int) -> Any:
        return np.take_along_axis(a, np.argsort(a.real, axis, kind="stable"), axis)

    @staticmethod
    def largest(a: Any) -> Any:
        return Plain.sort(a, 0)[-1] if len(a) else np.full(a.shape[1:], -np.inf, complex)

    @staticmethod
    def finite(a: Any) -> Any:
        return np.where(np.isfinite(a.real), a, 0.0)

    @staticmethod
    def choose(value: Any, yes: Any, no: Any) -> Any:
        return yes if value.real > 0 else no


class Compiled:
    """The same functions on tensors."""

    tanh, sort = staticmethod(tf.tanh), staticmethod(tf.sort)
    cumsum, concat = staticmethod(tf.cumsum), staticmethod(tf.concat)

    @staticmethod
    def sum(a: Any, axis: int | None = None) -> Any:
        return tf.reduce_sum(a, axis)

    @staticmethod
    def largest(a: Any) -> Any:
        return tf.reduce_max(a, axis=0)

    @staticmethod
    def finite(a: Any) -> Any:
        return tf.where(tf.math.is_finite(a), a, tf.zeros_like(a))

    @staticmethod
    def choose(value: Any, yes: Any, no: Any) -> Any:
        return tf.cond(value > 0, lambda: yes, lambda: no)


def local(change: Callable[[State], State]) -> Instruction:
    """An instruction that needs no other replica."""

    def instruction(t: State) -> Generator[tuple[str, Any], Any, State]:
        return change(t)
        yield

    return instruction


def collective(how: str, give: Callable[[State], Any], take: Callable[[State, Any], State]) -> Instruction:
    """An instruction that goes on with what all replicas made."""

    def instruction(t: State) -> Generator[tuple[str, Any], Any, State]:
        return take(t, (yield how, give(t)))

    return instruction


def folded(t: State) -> Generator[tuple[str, Any], Any, State]:
    """Reductions that depend on each other, as many as there are weights: an unrolled loop."""
    total = t.s * 0.0
    for i in range(FEATURES):
        total = yield "SUM", total * 0.25 + t.m.sum(t.x) * t.w[i] * 0.1
    return replace(t, s=t.m.tanh(total))


INSTRUCTIONS: dict[str, Instruction] = {
    "weigh": local(lambda t: replace(t, x=t.m.tanh(t.x * t.w))),
    "use the vector": local(lambda t: replace(t, x=t.m.tanh(t.x * 0.5 + t.v))),
    "use the number": local(lambda t: replace(t, x=t.x * t.m.tanh(t.s))),
    "number of rows": local(lambda t: replace(t, x=t.x * (t.n + 1) * 0.5)),
    "id": local(lambda t: replace(t, x=t.x * (t.rank * 0.25 + 0.5))),
    "center": local(lambda t: replace(t, x=t.x - t.m.sum(t.x, 0) / max(t.n, 1))),
    "sort rows": local(lambda t: replace(t, x=t.m.sort(t.x, 0))),
    "sort features": local(lambda t: replace(t, x=t.m.sort(t.x, 1))),
    "running sum": local(lambda t: replace(t, x=t.m.tanh(t.m.cumsum(t.x, 0)))),
    "double the rows": local(lambda t: replace(t, x=t.m.concat([t.x, t.x * 0.5], 0))),
    "sum the rows": local(lambda t: replace(t, v=t.m.tanh(t.m.sum(t.x, 0)))),
    "largest row": local(lambda t: replace(t, v=t.m.finite(t.m.largest(t.x)))),
    "square": local(lambda t: replace(t, s=t.m.tanh(t.m.sum(t.x * t.x)))),
    "branch": local(lambda t: replace(t, v=t.m.choose(t.m.sum(t.x), t.v * 2.0, t.v * 0.5 + t.w))),
    "weights into the vector": local(lambda t: replace(t, v=t.v + t.w * t.w)),
    "reduce the vector": collective("SUM", lambda t: t.v, lambda t, got: replace(t, v=t.m.tanh(got * 0.5))),
    "average the vector": collective("MEAN", lambda t: t.v, lambda t, got: replace(t, v=got)),
    "reduce the number": collective("SUM", lambda t: t.s, lambda t, got: replace(t, s=t.m.tanh(got))),
    "mean of all rows": collective("SUM", lambda t: t.m.sum(t.x, 0), lambda t, got: replace(t, x=t.x - got * 0.2)),
    "reduce both": collective("SUM", lambda t: (t.v, t.s), lambda t, got: replace(t, v=got[0] * 0.3, s=got[1] * 0.3)),
    "gather rows": collective("GATHER", lambda t: t.x, lambda t, got: replace(t, v=t.m.sum(t.m.tanh(got), 0) * 0.2)),
    "fold": folded,
}


def program(names: list[str], start: State) -> Generator[tuple[str, Any], Any, State]:
    """The instructions in order."""
    state = start
    for name in names:
        state = yield from INSTRUCTIONS[name](state)
    return state


def loss_of(t: State) -> Any:
    """Something that depends on all values."""
    return t.m.sum(t.x * t.x) * 0.5 + t.m.sum(t.m.tanh(t.v)) + t.s * t.s + t.m.sum(t.w) * t.s


def plainly(names: list[str], pieces: list[np.ndarray], w: np.ndarray) -> list[State]:
    """All replicas side by side, one reduction at a time."""
    zero = np.zeros(FEATURES, complex)
    starts = [State(Plain, p.astype(complex), zero, 0j, w, len(p), rank) for rank, p in enumerate(pieces)]
    runs = [program(names, start) for start in starts]
    send, ends = [None] * len(runs), list[State]()
    while not ends:
        wanted = []
        for run, value in zip(runs, send, strict=True):
            try:
                wanted.append(run.send(value))
            except StopIteration as stop:
                ends.append(stop.value)
        if not ends:
            how, values = wanted[0][0], [value for _, value in wanted]
            send = [combined(how, values)] * len(runs)
    return ends


def combined(how: str, values: list[Any]) -> Any:
    if isinstance(values[0], tuple):
        return tuple(combined(how, list(column)) for column in zip(*values, strict=True))
    if how == "GATHER":
        return np.concatenate(values)
    return sum(values) / (len(values) if how == "MEAN" else 1)


def slope(names: list[str], pieces: list[np.ndarray], w: np.ndarray) -> np.ndarray:
    """The gradient of all replicas' losses with respect to the weights."""
    nudged = [w + 1j * TINY * unit for unit in np.eye(FEATURES)]
    return np.array([sum(loss_of(t).imag for t in plainly(names, pieces, n)) / TINY for n in nudged])


def compiled(names: list[str], pieces: list[np.ndarray], w: np.ndarray) -> Any:
    """The step on a strategy: every replica's values, the new weights, and a running total."""
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(len(pieces))])
    with strategy.scope():
        weights = tf.Variable(w)
        seen = tf.Variable(
            np.float64(0.0),
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )

    def replica(x: Any) -> Any:
        context = tf.distribute.get_replica_context()

        def answer(how: str, value: Any) -> Any:
            return context.all_gather(value, axis=0) if how == "GATHER" else context.all_reduce(how, value)

        with tf.GradientTape() as tape:
            rank = tf.cast(context.replica_id_in_sync_group, tf.float64)
            zero = tf.zeros([FEATURES], tf.float64)
            run = program(
                names, State(Compiled, x, zero, tf.constant(0.0, tf.float64), weights.value, x.shape[0], rank)
            )
            end = drive(run, answer)
            loss = loss_of(end)
        weights.assign_sub(context.all_reduce("SUM", tape.gradient(loss, weights)) * RATE)
        seen.assign_add(loss)
        return end.x, end.v, end.s, loss

    results = strategy.run(replica, args=(per_replica(pieces, strategy.mesh),))
    return strategy.experimental_local_results(results), weights.numpy(), seen.numpy()


def drive(run: Generator[tuple[str, Any], Any, State], answer: Callable[[str, Any], Any]) -> State:
    """Run one replica's program, its reductions made by `answer`."""
    value = None
    while True:
        try:
            value = answer(*run.send(value))
        except StopIteration as stop:
            return stop.value


def cases() -> Iterator[Any]:
    """Random programs with at least one reduction, on random layouts that are not even."""
    source = random.Random(4)
    for number in range(PROGRAMS):
        names = source.choices(list(INSTRUCTIONS), k=LENGTH)
        names.insert(source.randrange(1, LENGTH), "gather rows" if number % 4 == 3 else "mean of all rows")
        layout = [0] * REPLICAS
        while len(set(layout)) == 1:
            layout = [source.choice([0, 0, 1, 2, 4]) for _ in range(REPLICAS)]
        yield pytest.param(names, layout, id=f"{number}-{layout}", marks=thorough_if(number >= QUICK))


@pytest.mark.sampled
@pytest.mark.parametrize(("names", "layout"), list(cases()))
def test_a_random_step_is_what_numpy_computes(names: list[str], layout: list[int]) -> None:
    generator = np.random.default_rng(sum(layout))
    pieces = [generator.normal(size=(rows, FEATURES)) for rows in layout]
    w = generator.normal(size=FEATURES)
    replicas, weights, seen = compiled(names, pieces, w)
    expected = plainly(names, pieces, w)
    for rank, (ours, t) in enumerate(zip(replicas, expected, strict=True)):
        for what, a, b in zip("xvsl", ours, (t.x, t.v, t.s, loss_of(t)), strict=True):
            message = f"{what} of replica {rank} after {names} on {layout}"
            np.testing.assert_allclose(np.asarray(a), np.real(b), rtol=1e-9, atol=1e-9, err_msg=message)
    wanted = w - RATE * slope(names, pieces, w)
    np.testing.assert_allclose(weights, wanted, rtol=1e-9, atol=1e-9, err_msg=f"weights after {names} on {layout}")
    np.testing.assert_allclose(seen, sum(loss_of(t).real for t in expected), rtol=1e-9, atol=1e-9)
