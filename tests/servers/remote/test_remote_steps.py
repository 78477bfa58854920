"""Steps that workers of other processes take: each once, though programs that they need come one after another."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.servers.coordinator.functions import Coordinator
from tests.servers.remote.programs import PROGRAMS
from tests.servers.remote.remote_tasks import remote_strategy
from tests.servers.remote.serving import difference, one_device, ran
from tests.servers.remote.tables import TABLES
from tests.thorough import thorough_but


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name",
    thorough_but(
        ["reads after an update", "looked up late"],
        ["reads after an update", "two optimizers", *TABLES],
    ),
)
def test_a_step_that_has_to_wait_for_programs_goes_on_where_it_was(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has read before its first update, it does not read again after it."""
    strategy, program = remote_strategy(monkeypatch, servers=2), {**PROGRAMS, **TABLES}[name].times(4)
    coordinator: Any = Coordinator(strategy)

    def send(step: Any, batch: Any) -> Any:
        return coordinator.schedule(step, args=batch).fetch()

    assert difference(ran(program, strategy, send), ran(program, one_device())) <= 1e-9
    pushes = [server.call("traffic").result() for server in strategy.servers.actors]
    assert [traffic.dropped for traffic in pushes] == [0, 0]


def test_what_a_function_does_after_a_step_that_failed_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step has sent one of its updates before the other one failed."""
    strategy = remote_strategy(monkeypatch, servers=2, workers=1)
    coordinator: Any = Coordinator(strategy)
    with strategy.scope():
        v, w = (tf.Variable(0.0, dtype="float64") for _ in range(2))
        optimizer = tf.keras.optimizers.SGD(1.0)
        optimizer.build([v, w])

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            first, second = v + 0.0, w * x
        optimizer.apply_gradients([(tape.gradient(first, v), v)])
        seen = v + 0.0
        optimizer.apply_gradients([(tape.gradient(second, w), w)])
        return seen

    @tf.function
    def careful() -> None:
        for x in (1.0, np.nan, 1.0):
            try:
                step(tf.constant(x, tf.float64)).numpy()
            except tf.errors.InvalidArgumentError:
                v.assign_add(0.5)

    coordinator.schedule(careful)
    coordinator.join()
    assert (float(v.numpy()), float(w.numpy())) == (-2.5, -2.0)
