"""The place where another way to run steps plugs in: a runner for a class of strategies, here one that uses a thread."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
import pytest

import stratagem as tf
from stratagem._strategies import AbstractStrategy, OneDeviceStrategy
from stratagem._training import (
    DataArguments,
    StartedSteps,
    StepKind,
    StepRunner,
    Steps,
    open_feed,
    open_runner,
    run_batch,
    run_steps,
)
from tests.training.small import BATCH, ROWS, X, Y, batched, close, descended, kernel


class LaterStrategy(OneDeviceStrategy):  # type: ignore[misc]
    """One device, to which steps are sent: nobody waits for a step before the epoch ends."""


class LaterRunner(StepRunner):
    """Sends batches, one by one, to a thread; logs are there when the epoch has ended."""

    opened: ClassVar[list[StepKind]] = []

    def __init__(self, strategy: AbstractStrategy, steps: Steps, kind: StepKind, data: DataArguments) -> None:
        self.opened.append(kind)
        self._strategy, self._steps, self._kind = strategy, steps, kind
        self._feed = open_feed(data, strategy, continues=kind is StepKind.TRAIN)
        self._iterator: Iterator[Any] = iter(())
        self._thread: ThreadPoolExecutor | None = None
        self._sent: list[Future[Any]] = []
        self._logs: dict[str, Any] = {}

    @property
    def batches(self) -> int | None:
        return self._feed.steps

    @property
    def batches_now(self) -> int | None:
        return self._feed.steps

    @property
    def continues(self) -> bool:
        return self._feed.continues

    def build(self) -> None:
        first = self._feed.peek()
        if not self._steps.model.built:
            self._steps.model.build((None, *first[0].shape[1:]))

    def begin_epoch(self) -> None:
        self._iterator = self._feed.epoch()
        self._thread, self._sent, self._logs = ThreadPoolExecutor(1), [], {}

    def advance(self) -> StartedSteps | None:
        batch = next(self._iterator, None)
        if batch is None:
            return None
        assert self._thread is not None
        self._sent.append(self._thread.submit(self._step, batch))
        if self._kind is StepKind.PREDICT:
            return StartedSteps(1, 0, self._sent[-1].result())
        return StartedSteps(1, 0, self._logs)

    def _step(self, batch: Any) -> Any:
        with self._strategy.scope():
            return run_steps(self._steps, self._strategy, self._kind, [batch])

    def end_epoch(self) -> None:
        assert self._thread is not None
        self._thread.shutdown()
        if self._kind is not StepKind.PREDICT and self._sent:
            self._logs.update(self._sent[-1].result()[0])
        self._feed.ended()

    def get_state(self) -> Any:
        return self._feed.iterator.get_state()

    def set_state(self, state: Any) -> None:
        self._feed.restore(state, within=True)


def run_later(strategy: LaterStrategy, steps: Steps, kind: StepKind, data: DataArguments) -> Any:
    """One step, in a thread that ends with it."""
    LaterRunner.opened.append(kind)
    runner = run_batch.dispatch(AbstractStrategy)

    def step() -> Any:
        with strategy.scope():
            return runner(strategy, steps, kind, data)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(step).result()


@pytest.fixture
def model() -> Any:
    """A model of a strategy whose steps run in a thread."""
    open_runner.register(LaterStrategy, LaterRunner)
    run_batch.register(LaterStrategy, run_later)
    LaterRunner.opened.clear()
    with LaterStrategy("CPU:0").scope():
        model = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="zeros")])
        model.compile(tf.keras.optimizers.SGD(0.125), "mse", metrics=["mae"])
    return model


def test_fit_evaluate_and_predict_run_on_it(model: Any) -> None:
    history = model.fit(X, Y, batch_size=BATCH, epochs=2, shuffle=False, verbose=0, validation_data=(X, Y)).history
    assert LaterRunner.opened == [StepKind.TRAIN, StepKind.TEST]
    close(kernel(model), descended(batched(), epochs=2))
    predicted = model.predict(X, batch_size=BATCH, verbose=0)
    close(predicted, X @ kernel(model)[:2, None] + kernel(model)[2])
    tested = model.evaluate(X, Y, verbose=0, return_dict=True)
    assert LaterRunner.opened[2:] == [StepKind.PREDICT, StepKind.TEST]
    close(np.array(tested["mae"]), np.mean(np.abs(predicted - Y)))
    close(np.array(history["val_mae"][-1]), np.array(tested["mae"]))
    assert len(history["loss"]) == 2
    assert history["loss"][1] < history["loss"][0]


def test_single_batches_run_on_it(model: Any) -> None:
    logs = model.train_on_batch(X, Y, return_dict=True)
    close(kernel(model), descended(batched(size=ROWS), epochs=1))
    predicted = model.predict_on_batch(X)
    close(predicted, X @ kernel(model)[:2, None] + kernel(model)[2])
    tested = model.test_on_batch(X, Y, return_dict=True)
    assert LaterRunner.opened == [StepKind.TRAIN, StepKind.PREDICT, StepKind.TEST]
    assert tested["loss"] < logs["loss"]


def test_callbacks_and_the_end_of_data_are_the_loops_own(model: Any) -> None:
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH)
    ends = tf.keras.callbacks.EarlyStopping("loss", patience=0, min_delta=1e9)
    assert len(model.fit(data, epochs=5, verbose=0, callbacks=[ends]).history["loss"]) == 2
    with pytest.warns(UserWarning, match="epoch 2 of 3: 1 of 2 steps"):
        model.fit(data, epochs=3, steps_per_epoch=2, verbose=0)
    assert model.predict(data, verbose=0).shape == (ROWS, 1)
