"""What updates read, all servers share from then on: steps and code find it, and nothing is lost or counts twice meanwhile."""

import contextlib
import itertools
import pickle
import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax.numpy as jnp
import pytest

import stratagem as tf
from stratagem._context import entered
from stratagem.coordinator import _coordinator
from stratagem.remote._actors import LocalActor
from stratagem.remote._server import NotHereError, VariableServer
from stratagem.step import tracing
from stratagem.values import placement_of
from tests.coordinator.functions import Coordinator
from tests.remote.far import FarActor, far_strategy
from tests.remote.serving import Program, difference, one_device, ran, serving

SGD = tf.keras.optimizers.SGD
Schedule = tf.keras.optimizers.schedules.LearningRateSchedule


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


def copies(strategy: Any, variable: Any) -> list[float]:
    """A variable as each server has it that keeps it."""
    actors, places = strategy.servers.actors, strategy.servers.places(placement_of(variable))
    return [float(actors[p.server].call("read", [p.key]).result()[1][0]) for p in places]


# --- Programs that were compiled before -------------------------------------------------------------------------------------


def test_a_step_that_was_compiled_before_a_variable_was_shared_sets_all_copies() -> None:
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
    assert copies(strategy, optimizer._learning_rate) == [0.25, 0.25]
    assert (float(v.numpy()), float(w.numpy())) == (-0.75, -0.75)


def test_a_step_that_was_compiled_before_a_variable_was_shared_finds_it() -> None:
    coordinator = Coordinator(strategy := serving(2))
    with strategy.scope():
        v = variable()
        optimizer = SGD(1.0)
    count, step = tf.function(lambda: optimizer.iterations + 0), descent(optimizer, [v])
    found = []
    for function in (count, step, count, step, count):
        found.append(coordinator.schedule(function).fetch())
    assert found[::2] == [0, 1, 2]
    assert copies(strategy, optimizer.iterations) == [2, 2]


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


def test_a_program_is_not_traced_again_when_its_variables_are_shared() -> None:
    strategy, traces = serving(2), []
    with strategy.scope():
        v = variable()

    @tf.function
    def add() -> None:
        traces.append(1)
        v.assign_add(1.0)

    with strategy.scope():
        add()
        before = len(traces)
        strategy.servers.share(placement_of(v))
        add()
    assert len(traces) == before
    assert copies(strategy, v) == [2, 2]


def test_one_server_keeps_everything_as_it_is() -> None:
    strategy = serving(1)
    with strategy.scope():
        v = variable()
        optimizer = SGD(1.0)
        descent(optimizer, [v])()
    assert strategy.servers.sharings == 0
    assert copies(strategy, optimizer.iterations) == [1]


class Scheduled(Schedule):  # type: ignore[misc, valid-type]
    """A learning rate that a variable of the program decides on."""

    def __init__(self, rate: Any) -> None:
        self._rate = rate

    def __call__(self, step: Any) -> Any:
        return self._rate * 2.0


def test_a_schedule_may_read_a_variable_of_the_program() -> None:
    strategy = serving(3)
    with strategy.scope():
        v, w, rate = variable(), variable(), variable()
        optimizer = SGD(Scheduled(rate))
        step = descent(optimizer, [v, w])
        for value in (0.5, 0.25):
            rate.assign(value)
            step()
    assert copies(strategy, rate) == [0.25] * 3
    assert (float(v.numpy()), float(w.numpy())) == (-1.5, -1.5)


@pytest.mark.parametrize("first", ["trained", "read"])
def test_what_one_optimizer_updates_another_cannot_read_on_several_servers(first: str) -> None:
    strategy = serving(2)
    with strategy.scope():
        v, w = variable(), variable()
        train, read = descent(SGD(0.5), [v]), descent(SGD(Scheduled(v)), [w])
        steps = {"trained": [train, read], "read": [read, train]}[first]
        steps[0]()
        with pytest.raises(tf.errors.UnimplementedError, match=r"one optimizer updates .* Assign what it reads"):
            steps[1]()


# --- While it happens -------------------------------------------------------------------------------------------------------

ENGINES = ["threads", "far"]
CALLS = ("read", "rows", "push", "push_and_read")


class Job:
    """Two servers, workers, and a step of two updates, one behind the other, and of changes of variables on both servers.

    `before(n, act)`: act() comes just before the n-th of the calls to servers that follow.
    """

    def __init__(self, engine: str, monkeypatch: pytest.MonkeyPatch, workers: int = 2) -> None:
        self.strategy = serving(2, workers) if engine == "threads" else far_strategy(monkeypatch, 2, workers)
        self._left, self._act = 0, lambda: None
        for kind in (LocalActor, FarActor):
            monkeypatch.setattr(kind, "call", self._noticed(kind.call))
        with self.strategy.scope():
            self.v, self.w, self.first, self.second = (variable() for _ in range(4))
            self.optimizer = SGD(1.0)
            self.optimizer.build([self.v, self.w])
        self.step = self._step()

    def _step(self) -> Any:
        v, w, first, second, optimizer = self.v, self.w, self.first, self.second, self.optimizer

        @tf.function
        def step() -> Any:
            with tf.GradientTape(persistent=True) as tape:
                one, two = v + 0.0, w + 0.0
            optimizer.apply_gradients([(tape.gradient(one, v), v)])
            seen = v + first + second
            optimizer.apply_gradients([(tape.gradient(two, w), w)])
            first.assign_add(1.0)
            second.assign_add(1.0)
            return seen

        return step

    def _noticed(self, call: Any) -> Any:
        def noticed(actor: Any, method: str, *args: Any) -> Any:
            if self._left and method in CALLS:
                self._left -= 1
                if not self._left:
                    self._act()
            return call(actor, method, *args)

        return noticed

    def before(self, call: int, act: Callable[[], None]) -> None:
        self._left, self._act = call, act

    @property
    def interrupted(self) -> bool:
        return not self._left

    def serve(self, coordinator: str) -> None:
        if not self.strategy.servers.local:
            for server in self.strategy.servers.actors:
                server.call("serve", coordinator).result()

    def run(self, worker: int, closure: int, step: Any = None) -> None:
        """A closure, from its beginning, on this worker, as the coordinator runs it."""
        task = self.strategy.tasks[worker]
        with entered(worker=task), self.strategy.scope():
            task.begin([closure], 0, "c")
            (step or self.step)()

    def share(self) -> None:
        for v in (self.first, self.second):
            self.strategy.servers.share(placement_of(v))

    def check(self, steps: int) -> None:
        """Each of so many steps has counted once, on every server."""
        self._left = 0
        assert (float(self.v.numpy()), float(self.w.numpy())) == (-steps, -steps)
        assert copies(self.strategy, self.optimizer.iterations) == [2 * steps, 2 * steps]
        shared = self.strategy.servers.sharings > 2  # iterations and the learning rate always are
        for v in (self.first, self.second):
            assert copies(self.strategy, v) == ([steps, steps] if shared else [steps])


def interrupted_anywhere(
    engine: str, monkeypatch: pytest.MonkeyPatch, act: Callable[[Job], None], run: Callable[[Job], None]
) -> Iterator[Job]:
    """Jobs that have taken a step; act(job) has come before the first, second, … call to a server of run(job)."""
    for call in itertools.count(1):
        with monkeypatch.context() as patch:
            job = Job(engine, patch)
            job.serve("c")
            job.run(0, 0)
            job.before(call, lambda: act(job))  # noqa: B023
            run(job)
            if not job.interrupted:
                assert call > 6
                return
            yield job


@pytest.mark.parametrize("engine", ENGINES)
def test_a_step_counts_once_whenever_its_variables_are_shared(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for job in interrupted_anywhere(engine, monkeypatch, Job.share, lambda job: job.run(0, 1)):
        job.check(2)
        job.run(1, 2)
        job.check(3)


class DiedError(Exception):
    """A worker's process has ended."""


def _die(job: Job) -> None:
    raise DiedError


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("before", [True, False], ids=["shared before it died", "shared then"])
def test_a_closure_that_begins_again_after_its_variables_were_shared_counts_once(
    before: bool, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def died(job: Job) -> None:
        if before:
            job.share()
        with contextlib.suppress(DiedError):
            job.run(0, 1)

    for job in interrupted_anywhere(engine, monkeypatch, _die, died):
        job.share()
        job.run(1, 1)
        job.check(2)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_closure_that_was_over_before_its_variables_were_shared_does_not_count_again(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(engine, monkeypatch)
    job.serve("c")
    job.run(0, 0)
    job.run(0, 1)  # and its worker dies before it can say so
    job.share()
    job.run(1, 1)
    job.check(2)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_worker_that_was_frozen_while_another_took_its_closure_counts_nothing_twice(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(job: Job) -> None:
        job.share()
        job.run(1, 1)

    for job in interrupted_anywhere(engine, monkeypatch, elsewhere, lambda job: job.run(0, 1)):
        job.check(2)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("call", [1, 2, 3])
def test_no_batch_is_lost_when_variables_are_shared(call: int, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(engine, monkeypatch, workers=1)
    coordinator = Coordinator(job.strategy)
    batches = iter(coordinator.create_per_worker_dataset(_powers_of_two))

    @tf.function
    def step(iterator: Any) -> None:
        job.first.assign_add(next(iterator))
        job.second.assign_add(1.0)

    for number in range(4):
        if number == 2:
            job.before(call, job.share)
        coordinator.schedule(step, args=(batches,))
        coordinator.join()
    assert job.interrupted
    assert [copies(job.strategy, v) for v in (job.first, job.second)] == [[15, 15], [4, 4]]


def _powers_of_two() -> Any:
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 4.0, 8.0]).map(lambda x: tf.cast(x, tf.float64))


@pytest.mark.parametrize("engine", ENGINES)
def test_code_of_a_function_that_runs_in_python_counts_once(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def steps(job: Job) -> None:
        def step() -> None:
            for _ in range(2):
                job.first.assign_add(float(job.first.numpy()) * 0.0 + 1.0)
                job.second.assign_sub(-1.0)

        job.run(0, 1, step)

    for call in range(1, 7):
        with monkeypatch.context() as patch:
            job = Job(engine, patch)
            job.serve("c")
            job.before(call, job.share)
            steps(job)
            assert job.interrupted
            assert [copies(job.strategy, v) for v in (job.first, job.second)] == [[2, 2], [2, 2]]


def test_a_step_of_the_coordinators_own_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def compiled_elsewhere(job: Job) -> None:
        def compiling() -> None:
            with tracing:
                job.share()

        threads.append(threading.Thread(target=compiling))
        threads[-1].start()
        threads[-1].join(0.05)
        assert threads[-1].is_alive()

    def own(job: Job) -> None:
        with job.strategy.scope():
            job.step()

    for job in interrupted_anywhere("threads", monkeypatch, compiled_elsewhere, own):
        threads[-1].join(20)
        job.check(2)


def test_a_variable_that_is_assigned_at_this_moment_has_its_new_value_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    strategy, call = serving(2), LocalActor.call
    with strategy.scope():
        v = variable()
    thread = threading.Thread(target=lambda: strategy.servers.share(placement_of(v)))

    def noticed(actor: Any, method: str, *args: Any) -> Any:
        if method == "create" and not thread.ident:
            thread.start()
            thread.join(0.05)
        return call(actor, method, *args)

    monkeypatch.setattr(LocalActor, "call", noticed)
    v.assign(7.0)
    thread.join(20)
    assert copies(strategy, v) == [7, 7]


def test_functions_that_change_a_variable_all_count_while_updates_that_read_it_are_compiled() -> None:
    strategy = serving(3, workers=3)
    coordinator = Coordinator(strategy)
    with strategy.scope():
        rates = [variable() for _ in range(4)]
        others = [variable() for _ in range(4)]
        steps = [descent(SGD(Scheduled(rate)), [v]) for rate, v in zip(rates, others, strict=True)]

    @tf.function
    def add() -> None:
        for rate in rates:
            rate.assign_add(1.0)

    for step in steps:
        for function in (*[add] * 20, step, *[add] * 20):
            coordinator.schedule(function)
    coordinator.join()
    assert strategy.servers.sharings == 2 * len(rates)
    assert [copies(strategy, rate) for rate in rates] == [[160] * 3] * 4


# --- What is nowhere --------------------------------------------------------------------------------------------------------


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
