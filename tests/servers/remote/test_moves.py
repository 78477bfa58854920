"""Variables move to other servers while steps are under way: nothing is lost, nothing counts twice, and copies stay equal."""

import contextlib
import pickle
import threading
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import pytest

import stratagem as tf
from stratagem._core.context import entered
from stratagem._core.step import tracing
from stratagem._core.values import placement_of
from stratagem._servers.remote import MissingVariableError, VariableServer, Worker
from tests.eventually import eventually
from tests.servers.coordinator.functions import Coordinator
from tests.servers.remote.moving import ENGINES, SGD, Job, Scheduled, copies, descent, interrupted_anywhere, variable
from tests.servers.remote.serving import serving

# --- At any moment of a step ------------------------------------------------------------------------------------------------


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


@pytest.mark.sampled
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
    with monkeypatch.context() as patch:  # which holds the job: its coordinator is watched as long
        job = Job(engine, patch, workers=1)
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


@pytest.mark.sampled
@pytest.mark.parametrize("worker", [None, Worker(0)])
def test_a_step_whose_pushes_have_no_numbers_is_not_interrupted(worker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
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
        """Of the coordinator itself, or of a dataset function, which runs at a worker."""
        with job.strategy.scope(), entered(worker=worker):
            job.step()

    for job in interrupted_anywhere("threads", monkeypatch, compiled_elsewhere, own):
        threads[-1].join(120)
        job.check(2)


# --- In the middle of a move ------------------------------------------------------------------------------------------------


USES: dict[str, tuple[Callable[[Job], Any], int]] = {  # and how much they add
    "a step": (lambda job: job.run(0, 1), 1),
    "a function in Python": (lambda job: job.run(0, 1, lambda: job.first.assign_add(1.0)), 1),
    "an addition of the coordinator's own": (lambda job: job.first.assign_add(1.0), 1),
    "a value of the coordinator's own": (lambda job: job.first.assign(2.0), 1),
    "a read": (lambda job: job.first.numpy(), 0),
}


@pytest.mark.sampled
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("use", USES)
def test_a_variable_is_used_in_the_middle_of_its_move(use: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    act, amount = USES[use]
    for call in (1, 2):  # the first variable was given up; now it is made on one server, or has been made there
        with monkeypatch.context() as patch:
            job, waits, failed = Job(engine, patch), threading.Event(), []
            job.serve("c")
            job.run(0, 0)
            # To know when a thread waits.
            patch.setattr(job.strategy.servers, "_moving", _Noticed(waits))

            def using(job: Job = job, failed: list[BaseException] = failed) -> None:
                try:
                    act(job)
                except BaseException as error:
                    failed.append(error)

            thread = threading.Thread(target=using)

            def begin(thread: threading.Thread = thread, waits: threading.Event = waits) -> None:
                thread.start()
                assert waits.wait(120)  # for the move to be over

            job.before(call, begin, ("create",))
            job.share()
            thread.join(120)
            assert failed == []
            assert job.interrupted
            assert copies(job.strategy, job.first) == [1 + amount] * 2


class _Noticed:
    """A lock that sets an event when another thread than its owner comes for it."""

    def __init__(self, waits: threading.Event) -> None:
        self._lock, self._waits = threading.RLock(), waits

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self._waits.set()
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_rows_are_found_of_a_table_that_moves_at_this_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job("threads", monkeypatch)
    with job.strategy.scope():
        table = tf.Variable([[1.0], [2.0], [3.0]])
    job.before(1, lambda: job.strategy.servers.move_to([0, 1], placement_of(table)))
    assert tf.nn.embedding_lookup(table, [2, 0]).numpy().tolist() == [[3], [1]]
    assert job.interrupted


def test_a_variable_whose_move_was_broken_off_is_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job("threads", monkeypatch)
    job.run(0, 0)

    def interrupt() -> None:
        raise KeyboardInterrupt

    for call in (2, 3):
        job.before(call, interrupt, ("release", "create"))
        with pytest.raises(KeyboardInterrupt):
            job.share()
        assert copies(job.strategy, job.first) == [1]
    job.share()
    job.run(0, 1)
    job.check(2)


def test_a_step_that_has_nothing_to_do_with_a_move_does_not_wait_for_what_is_compiled() -> None:
    coordinator = Coordinator(strategy := serving(2))
    with strategy.scope():
        v, other = variable(), variable()
    add = tf.function(lambda: v.assign_add(1.0))
    coordinator.schedule(add)
    coordinator.join()
    with tracing:  # as one who compiles
        strategy.servers.move_to(range(2), placement_of(other))
        coordinator.schedule(add)
        eventually(coordinator.done)
    assert float(v.numpy()) == 2


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
    assert strategy.servers.moves == 2 * len(rates)
    assert [copies(strategy, rate) for rate in rates] == [[160] * 3] * 4


# --- What is nowhere --------------------------------------------------------------------------------------------------------


def test_an_error_that_names_a_missing_variable_travels() -> None:
    server = VariableServer(3)
    server.create("a", jnp.float32(1))
    with pytest.raises(MissingVariableError, match="ps:3 has no variables b, c") as caught:
        server.read(["a", "b", "c"])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (MissingVariableError, str(caught.value))


def test_a_variable_that_is_nowhere_is_an_error_once() -> None:
    coordinator = Coordinator(strategy := serving(1))
    with strategy.scope():
        v = variable()
    placement: Any = placement_of(v)
    strategy.servers.actors[0].call("forget", [placement.key])
    with pytest.raises(MissingVariableError):
        coordinator.schedule(tf.function(lambda: v + 0.0)).fetch()
    with pytest.raises(MissingVariableError):
        coordinator.join()
    with pytest.raises(MissingVariableError):
        v.numpy()
