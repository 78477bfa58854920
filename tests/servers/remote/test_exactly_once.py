"""Every push counts once, whoever repeats it, and one that is refused changes nothing."""

import dataclasses
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import stratagem as tf
from stratagem._core.values import placement_of
from stratagem._servers.remote import (
    MissingVariableError,
    Push,
    PushId,
    SparseGradient,
    UpdateGradients,
    VariableServer,
)
from tests.servers.remote.serving import serving

ROWS = 20


def with_a_number() -> VariableServer:
    server = VariableServer(0)
    server.create("v", jnp.float32(0))
    return server


def add(amount: float = 1.0) -> Push:
    return Push(added={"v": jnp.float32(amount)})


def value(server: VariableServer) -> float:
    return float(server.read(["v"]).values[0])


# --- Repeats ----------------------------------------------------------------------------------------------------------------


def test_the_same_push_counts_once() -> None:
    server = with_a_number()
    assert server.push(PushId(4, 1), add())
    assert not server.push(PushId(4, 1), add())
    assert value(server) == 1
    assert (server.pushes, server.dropped) == (1, 1)


def test_a_closure_that_runs_again_goes_on_where_it_was() -> None:
    server = with_a_number()
    for number in (1, 2, 1, 2, 3):
        server.push(PushId(0, number), add())
    assert value(server) == 3


def test_closures_are_told_apart() -> None:
    server = with_a_number()
    for closure in range(5):
        assert server.push(PushId(closure, 1), add())
    assert value(server) == 5


def test_what_comes_of_a_closure_that_is_over_is_late() -> None:
    server = with_a_number()
    assert server.push(PushId(7, 1, below=3), add())
    assert not server.push(PushId(2, 1), add())
    assert server.push(PushId(6, 1), add())
    assert server.push(PushId(9, 1, below=9), add())
    assert not server.push(PushId(6, 2), add())
    assert not server.push(PushId(7, 2), add())
    assert value(server) == 3


def test_the_coordinators_own_code_has_no_number() -> None:
    server = with_a_number()
    assert server.push(None, add())
    assert server.push(None, add())
    assert value(server) == 2


def test_a_server_keeps_no_record_of_what_is_over() -> None:
    server = with_a_number()
    for closure in range(1000):
        server.push(PushId(closure, 1, below=closure - 3), add())
    assert value(server) == 1000
    assert len(server._push_log.history("v")[""]) < 10


# --- Refusals ---------------------------------------------------------------------------------------------------------------


class Recorded:
    """A server whose pushes are kept: one update of a table by rows, one of a whole variable, and a counter."""

    def __init__(self) -> None:
        self.strategy = serving(servers=1)
        self.server: VariableServer = self.strategy.servers.actors[0]._target
        self.pushes: list[Push] = []
        push = self.server.push
        with self.strategy.scope():
            table, bias = tf.Variable(np.ones((ROWS, 2), "float32")), tf.Variable(np.zeros(2, "float32"))
            count = tf.Variable(np.zeros((), "int32"))
            optimizer = tf.keras.optimizers.SGD(0.1)

            @tf.function
            def step(ids: Any) -> None:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum((tf.nn.embedding_lookup(table, ids) + bias) ** 2)
                optimizer.apply_gradients(zip(tape.gradient(loss, [table, bias]), [table, bias], strict=True))
                count.assign_add(1)

            self.step, self.variables = step, [table, bias, count, optimizer.iterations]
            self.server.push = lambda origin, given: self.pushes.append(given) or push(origin, given)  # type: ignore
            step(np.array([1, 2, 2], "int32"))
            del self.server.push  # type: ignore[method-assign]

    def values(self) -> list[Any]:
        return [v.numpy().tolist() for v in self.variables]


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return Recorded()


def gradients_of(push: Push) -> UpdateGradients:
    (pushed,) = push.updates
    return pushed


def with_gradients(change: Callable[[SparseGradient, Any], list[Any]]) -> Callable[[Push], Push]:
    def changed(push: Push) -> Push:
        pushed = gradients_of(push)
        return dataclasses.replace(push, updates=[UpdateGradients(pushed.update, change(*pushed.gradients))])

    return changed


def key_of(push: Push) -> str:
    return next(iter(push.added))


WRONG: dict[str, Callable[[Push], Push]] = {
    "an unknown update": lambda p: dataclasses.replace(p, updates=[UpdateGradients(99, gradients_of(p).gradients)]),
    "too few gradients": with_gradients(lambda rows, whole: [rows]),
    "another shape": with_gradients(lambda rows, whole: [rows, jnp.zeros(3)]),
    "another dtype": with_gradients(lambda rows, whole: [rows, jnp.zeros(2, jnp.bfloat16)]),
    "a whole gradient in place of rows": with_gradients(lambda rows, whole: [jnp.zeros((ROWS, 2)), whole]),
    "rows in place of a whole gradient": with_gradients(lambda rows, whole: [rows, rows]),
    "rows of another width": with_gradients(
        lambda rows, whole: [SparseGradient(rows.ids, jnp.zeros((len(rows.ids), 3))), whole]
    ),
    "more ids than rows": with_gradients(
        lambda rows, whole: [SparseGradient(np.zeros(99, "int32"), rows.values), whole]
    ),
    "a negative id": with_gradients(lambda rows, whole: [SparseGradient(rows.ids - 5, rows.values), whole]),
    "an id beyond": with_gradients(lambda rows, whole: [SparseGradient(rows.ids + 2, rows.values), whole]),
    "an unknown variable": lambda p: dataclasses.replace(p, added={**p.added, "other": jnp.zeros(())}),
    "a change of another shape": lambda p: dataclasses.replace(p, added={key_of(p): jnp.zeros(2, "int32")}),
    "a change of another dtype": lambda p: dataclasses.replace(p, added={key_of(p): jnp.zeros((), "float32")}),
    "a value of another shape": lambda p: dataclasses.replace(p, set={key_of(p): jnp.zeros(2, "int32")}),
}


def test_a_push_whose_update_reads_what_is_not_here_is_refused_and_changes_nothing(recorded: Recorded) -> None:
    before, push = recorded.values(), recorded.pushes[0]
    placement: Any = placement_of(recorded.variables[3])
    value = recorded.server.release(placement.key).value
    try:
        with pytest.raises(
            MissingVariableError, match=r"ps:0 refuses a push, and has changed nothing: it has no variables v\d+"
        ):
            recorded.server.push(PushId(5, 1), push)
    finally:
        recorded.server.create(placement.key, value)
    assert recorded.values() == before


@pytest.mark.parametrize("wrong", WRONG)
def test_a_push_that_does_not_fit_is_refused_and_changes_nothing(wrong: str, recorded: Recorded) -> None:
    before, push = recorded.values(), recorded.pushes[0]
    assert push.added
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"ps:0 refuses a push, and has changed nothing: "):
        recorded.server.push(PushId(5, 1), WRONG[wrong](push))
    assert recorded.values() == before


def test_a_refused_push_may_be_sent_again_as_it_should_be(recorded: Recorded) -> None:
    before, push = recorded.values(), recorded.pushes[0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        recorded.server.push(PushId(6, 1), WRONG["another shape"](push))
    assert recorded.server.push(PushId(6, 1), push)
    assert recorded.values()[3] == before[3] + 1


@pytest.mark.parametrize("ids", [[-1, 3], [3, ROWS], [2**31 - 1, 0]])
def test_a_look_up_of_no_row_is_an_error_and_changes_nothing(ids: list[int], recorded: Recorded) -> None:
    before = recorded.values()
    with recorded.strategy.scope(), pytest.raises(tf.errors.InvalidArgumentError, match=r"not in \[0, 20\)"):
        recorded.step(np.array([*ids, 0][:3], "int32"))
    assert recorded.values() == before


def test_a_server_gives_no_rows_that_there_are_not(recorded: Recorded) -> None:
    key = next(iter(recorded.server._tables))
    (none,) = recorded.server.rows([(key, np.array([ROWS], "int32"))]).values
    np.testing.assert_array_equal(none, [[0, 0]])
    for ids in ([-1], [ROWS + 1]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="ids"):
            recorded.server.rows([(key, np.array(ids, "int32"))])


@pytest.mark.parametrize(
    ("number", "shards"),
    [
        (np.nan, 2),
        pytest.param(np.nan, None, marks=pytest.mark.thorough),
        pytest.param(np.inf, 2, marks=pytest.mark.thorough),
        pytest.param(-np.inf, None, marks=pytest.mark.thorough),
    ],
)
def test_a_gradient_that_is_no_number_is_an_error_and_changes_nothing(number: float, shards: int | None) -> None:
    strategy = serving(servers=3, shards=shards)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)])
        optimizer, seen = tf.keras.optimizers.Adam(0.1), tf.Variable(0.0)

        @tf.function
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(model(x))
            optimizer.apply_gradients(
                zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
            )
            seen.assign_add(1.0)
            return loss

        step(np.ones((4, 2), "float32"))
        every = [*model.weights, *optimizer.variables, seen]
        before = [v.numpy().tolist() for v in every]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"gradient of .*kernel.* has NaN or infinity"):
            step(np.full((4, 2), number, "float32"))
        assert [v.numpy().tolist() for v in every] == before
        step(np.ones((4, 2), "float32"))
        assert int(optimizer.iterations.numpy()) == 2


# --- Arrays that others hold -------------------------------------------------------------------------------------------------


def updating(table: Any, optimizer: Any) -> Any:
    @tf.function
    def step(ids: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])

    return lambda: step(np.array([0, 1], "int32"))


def test_a_table_is_updated_in_place_and_yet_nobody_loses_an_array() -> None:
    strategy = serving(servers=1)
    with strategy.scope():
        first, second = (tf.Variable(np.ones((ROWS, 2), "float32")) for _ in range(2))
        optimizer = tf.keras.optimizers.SGD(0.25)
        optimizer.build([first, second])
        early = first.value
        steps = [updating(v, optimizer) for v in (first, second)]
        for step in steps:
            step()
        assert float(jnp.sum(early)) == 2 * ROWS
        given = jnp.full((ROWS, 2), 2.0)
        for v in (first, second):
            v.assign(given)
        late = first.value
        for step in steps:
            step()
        assert float(jnp.sum(given)) == float(jnp.sum(late)) == 4 * ROWS
        for v in (first, second):
            np.testing.assert_array_equal(v.numpy(), [[1, 1]] * 2 + [[2, 2]] * (ROWS - 2))


# --- Several workers ----------------------------------------------------------------------------------------------------------


def test_two_hundred_functions_on_three_workers_add_two_hundred() -> None:
    strategy = serving(servers=2, workers=3)
    coordinator = tf.distribute.experimental.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        v, w = tf.Variable(0), tf.Variable(np.zeros(3, "float32"))

    @tf.function
    def add() -> None:
        v.assign_add(1)
        w.assign_add([1.0, 2.0, 3.0])

    for _ in range(200):
        coordinator.schedule(add)
    coordinator.join()
    assert int(v.numpy()) == 200
    assert w.numpy().tolist() == [200, 400, 600]


@pytest.fixture
def unsteady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers pause at random before they read and push."""
    pause, lock = random.Random(5), threading.Lock()

    def after_a_while(method: Any) -> Any:
        def called(*args: Any) -> Any:
            with lock:
                seconds = pause.choice([0, 0, 0, 0.002, 0.01])
            time.sleep(seconds)
            return method(*args)

        return called

    for name in ("read", "rows", "push"):
        # A network that is slow at times.
        monkeypatch.setattr(VariableServer, name, after_a_while(getattr(VariableServer, name)))


@pytest.mark.usefixtures("unsteady")
def test_updates_of_three_workers_all_count_whatever_their_order() -> None:
    """With plain gradient descent on a loss that is linear the order does not matter: the sum of all updates is known."""
    strategy = serving(servers=3, workers=3, shards=2)
    coordinator = tf.distribute.experimental.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        table = tf.Variable(np.zeros((ROWS, 2), "float64"))
        bias, optimizer = tf.Variable(np.zeros(2, "float64")), tf.keras.optimizers.SGD(1.0)
    trained = [*table.variables, *bias.variables]
    optimizer.build(trained)

    @tf.function
    def step(ids: Any, amounts: Any) -> None:
        with tf.GradientTape() as tape:
            rows = tf.nn.embedding_lookup(table, ids)
            loss = tf.reduce_sum((rows + tf.convert_to_tensor(bias)) * tf.expand_dims(amounts, -1))
        optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained, strict=True))

    draw, wanted, total = np.random.default_rng(0), np.zeros((ROWS, 2)), 0
    for _ in range(90):
        ids, amounts = draw.integers(0, ROWS, 4).astype("int32"), draw.integers(-3, 4, 4).astype("float64")
        np.subtract.at(wanted, ids, amounts[:, None])
        total -= amounts.sum()
        coordinator.schedule(step, args=(ids, amounts))
    coordinator.join()
    np.testing.assert_allclose(table.numpy(), wanted, atol=1e-12)
    np.testing.assert_allclose(bias.numpy(), [total, total], atol=1e-12)
    assert int(optimizer.iterations.numpy()) == 90
