"""What updates count by moves to the servers that update, or gets copies there: programs and code find it."""

import pickle
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import pytest

import stratagem as tf
from stratagem.coordinator import _coordinator
from stratagem.remote._actors import LocalActor
from stratagem.remote._server import NotHereError, VariableServer
from stratagem.values import placement_of
from tests.coordinator.functions import Coordinator
from tests.remote.serving import Program, difference, one_device, ran, serving

SGD = tf.keras.optimizers.SGD


@pytest.fixture(autouse=True)
def threads_that_end_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_coordinator, "_IDLE", 0.05)


def variable() -> Any:
    return tf.Variable(0.0, dtype="float64")


def descent(optimizer: Any, variables: list[Any]) -> Any:
    """A step that moves variables by the learning rate."""

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            loss = sum(v + 0.0 for v in variables)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    return step


# --- Programs that were compiled before -------------------------------------------------------------------------------------


def test_a_step_that_was_compiled_before_a_variable_was_copied_sets_all_copies() -> None:
    coordinator = Coordinator(strategy := serving(2))
    with strategy.scope():
        v, w = variable(), variable()
        optimizer = SGD(1.0)
        optimizer.build([v, w])

    @tf.function
    def set_rate(x: Any) -> None:
        optimizer.learning_rate.assign(x)

    step = descent(optimizer, [v, w])
    for rate in (0.5, 0.25):
        for function, args in ((set_rate, (tf.constant(rate),)), (step, ())):
            coordinator.schedule(function, args=args)
            coordinator.join()
    assert strategy.servers.sharing(placement_of(optimizer._learning_rate)) == {0, 1}
    assert (float(v.numpy()), float(w.numpy())) == (-0.75, -0.75)


def test_a_step_that_was_compiled_before_a_variable_moved_finds_it() -> None:
    coordinator = Coordinator(strategy := serving(2))
    with strategy.scope():
        v = variable()
        optimizer = SGD(1.0)
    count, step = tf.function(lambda: optimizer.iterations + 0), descent(optimizer, [v])
    found = []
    for function in (count, step, count, step, count):
        found.append(coordinator.schedule(function).fetch())
    assert found[::2] == [0, 1, 2]
    placement: Any = placement_of(optimizer.iterations)
    assert strategy.servers.home(placement) != placement.home


def test_several_updates_of_a_step_count_on_all_servers_that_any_of_them_needs() -> None:
    def make() -> Any:
        v, w = variable(), variable()
        optimizer = SGD(tf.keras.optimizers.schedules.PiecewiseConstantDecay([3], [1.0, 0.125]))
        optimizer.build([v, w])

        @tf.function
        def step() -> Any:
            with tf.GradientTape(persistent=True) as tape:
                first, second = v + 0.0, w + 0.0
            optimizer.apply_gradients([(tape.gradient(first, v), v)])
            optimizer.apply_gradients([(tape.gradient(second, w), w)])
            return optimizer.iterations + 0

        return step, [v, w]

    program = Program(make, [()] * 4)
    assert difference(ran(program, serving(2)), ran(program, one_device())) == 0


def test_a_program_is_compiled_anew_only_if_one_of_its_own_variables_moves() -> None:
    strategy, traces = serving(2), []
    with strategy.scope():
        v, other = variable(), variable()

    @tf.function
    def add() -> None:
        traces.append(1)
        v.assign_add(1.0)

    with strategy.scope():
        add()
        before = len(traces)
        strategy.servers.share(placement_of(other), 0)
        add()
        assert len(traces) == before
        strategy.servers.share(placement_of(v), 1)
        add()
        assert len(traces) > before
    assert float(v.numpy()) == 3


# --- While it moves ---------------------------------------------------------------------------------------------------------


class Moving:
    """A variable, 2, and steps that are compiled. When the test calls `arm`, it moves just before the next call of `method`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
        self.strategy = serving(2)
        self.coordinator = Coordinator(self.strategy)
        with self.strategy.scope():
            self.v = v = variable()
        self.give, self.add = tf.function(lambda: v + 0.0), tf.function(lambda: v.assign_add(1.0))
        for step in (self.give, self.add):
            self.coordinator.schedule(step)
        self.coordinator.join()
        self.v.assign_add(1.0)
        self._method, self._armed, self._call = method, False, LocalActor.call
        monkeypatch.setattr(LocalActor, "call", lambda *args: self._moved_before(*args))

    def arm(self) -> None:
        self._armed = True

    def _moved_before(self, actor: LocalActor, method: str, *args: Any) -> Any:
        if self._armed and method == self._method:
            self._armed = False
            self.strategy.servers.share(placement_of(self.v), 1)
        return self._call(actor, method, *args)

    def scheduled(self, step: Any) -> Any:
        return self.coordinator.schedule(step).fetch()

    def value(self) -> float:
        assert not self._armed
        return float(self.v.numpy())


@pytest.mark.parametrize(
    ("method", "act", "value"),
    [
        pytest.param("read", lambda m: m.v.numpy(), 2, id="read"),
        pytest.param("create", lambda m: m.v.assign(7.0), 7, id="assigned"),
        pytest.param("push", lambda m: m.v.assign_add(1.0), 3, id="added to"),
        pytest.param("read", lambda m: m.scheduled(m.give), 2, id="read by a step"),
        pytest.param("push", lambda m: m.scheduled(m.add), 3, id="changed by a step"),
    ],
)
def test_a_variable_that_moves_at_this_moment_is(
    method: str, act: Callable[[Moving], Any], value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    moving = Moving(monkeypatch, method)
    moving.arm()
    found = act(moving)
    assert moving.value() == value
    if found is not None and method == "read":
        assert float(found) == value


def test_a_step_of_the_coordinators_own_says_what_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    moving = Moving(monkeypatch, "read")
    with moving.strategy.scope():
        moving.give()
        moving.arm()
        with pytest.raises(NotHereError, match=r"ps:0 has no variables v\d+\. .* run this one again"):
            moving.give()
        assert float(moving.give()) == 2


def test_an_error_that_names_a_missing_variable_travels() -> None:
    server = VariableServer(3)
    server.create("a", jnp.float32(1))
    with pytest.raises(NotHereError, match="ps:3 has no variables b, c") as caught:
        server.read(["a", "b", "c"])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (NotHereError, str(caught.value))


def test_a_variable_that_is_nowhere_is_an_error_once() -> None:
    coordinator = Coordinator(strategy := serving(1))
    with strategy.scope():
        v = variable()
    placement: Any = placement_of(v)
    strategy.servers.actors[0].call("forget", [placement.key])
    with pytest.raises(NotHereError):
        coordinator.schedule(tf.function(lambda: v + 0.0)).fetch()
    with pytest.raises(NotHereError):
        coordinator.join()
    with pytest.raises(NotHereError):
        v.numpy()
