"""What updates read beside their variables is kept where they run: programs that were compiled before find it there."""

from itertools import product
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import MixedStrategiesError
from stratagem._core.values import placement_of
from stratagem._servers.strategy import ParameterServerStrategy
from tests.servers.coordinator.functions import Coordinator
from tests.servers.remote.moving import SGD, Scheduled, copies, descent, variable
from tests.servers.remote.serving import Program, difference, one_device, ran, serving
from tests.thorough import thorough_but

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
        strategy.servers.move_to(range(2), placement_of(v))
        add()
    assert len(traces) == before
    assert copies(strategy, v) == [2, 2]


def test_one_server_keeps_everything_as_it_is() -> None:
    strategy = serving(1)
    with strategy.scope():
        v = variable()
        optimizer = SGD(1.0)
        descent(optimizer, [v])()
    assert strategy.servers.moves == 0
    assert copies(strategy, optimizer.iterations) == [1]


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
        optimizers = {"trained": SGD(0.5), "read": SGD(Scheduled(v))}
        steps = {name: descent(optimizers[name], [x]) for name, x in (("trained", v), ("read", w))}
        steps.pop(first)()
        ((refused, step),) = steps.items()
        for _ in range(2):
            with pytest.raises(
                tf.errors.UnimplementedError, match=r"is updated by an optimizer.* Assign what it reads"
            ):
                step()
    assert set(copies(strategy, optimizers[refused].iterations)) == {0}


def test_an_optimizer_cannot_read_what_it_updates_on_several_servers() -> None:
    strategy = serving(2)
    with strategy.scope():
        v, w = variable(), variable()
        with pytest.raises(tf.errors.UnimplementedError, match=r"is updated by an optimizer.* Assign what it reads"):
            descent(SGD(Scheduled(v)), [v, w])()


def test_an_optimizer_cannot_read_what_is_of_another_strategy() -> None:
    one, other = serving(2), serving(2)
    with other.scope():
        rate = variable()
    with one.scope():
        v = variable()
        with pytest.raises(MixedStrategiesError, match="on servers of another ParameterServerStrategy"):
            descent(SGD(Scheduled(rate)), [v])()
    assert copies(other, rate) == [0]


class Counting(SGD):  # type: ignore[misc, valid-type]
    """Counts its variables' updates."""

    def build(self, variables: Any) -> None:
        super().build(variables)
        self.count = self.add_variable((), "zeros", name="count")

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        super().update_step(gradient, variable, learning_rate)
        self.count.assign_add(1.0)


def counted(strategy: Any, together: bool, *, steps: int | None = None, variables: int = 2) -> float:
    """What such an optimizer has counted after updates of some variables, together or one by one."""
    with strategy.scope():
        optimizer = Counting(0.5, gradient_accumulation_steps=steps)
        trained = [variable() for _ in range(variables)]
        optimizer.build(trained)
        for some in [trained] if together else [[v] for v in trained] * 2:
            descent(optimizer, some)()
    return float(optimizer.count.numpy())


@pytest.mark.sampled
@pytest.mark.parametrize("steps", [None, 2])
@pytest.mark.parametrize("together", [True, False])
def test_a_variable_that_updates_on_several_servers_would_change_is_refused(together: bool, steps: int | None) -> None:
    if steps is None:
        assert counted(serving(1), together) == (2 if together else 4)
        assert counted(serving(2), together, variables=1) == (1 if together else 2)
    with pytest.raises(tf.errors.UnimplementedError, match=r"count is changed by the updates of variables on several"):
        counted(serving(2), together, steps=steps)


# --- What optimizers have beside slots ---------------------------------------------------------------------------------------

OPTIMIZERS = {
    "nadam": lambda: keras.optimizers.Nadam(0.1),
    "adafactor": lambda: keras.optimizers.Adafactor(0.1),
    "adafactor, accumulating": lambda: keras.optimizers.Adafactor(0.1, gradient_accumulation_steps=2),
    "adam, accumulating": lambda: keras.optimizers.Adam(0.1, gradient_accumulation_steps=2),
    "ftrl": lambda: keras.optimizers.Ftrl(0.1, clipnorm=1.0),
}


# Ftrl has slots only, which the tests of equal weights see. Adam accumulates as Adafactor does.
QUICK = product(("nadam", "adafactor, accumulating"), (2,))


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "servers"), thorough_but([*QUICK], product(OPTIMIZERS, (2, 3))))
def test_an_optimizer_has_its_state_whichever_variables_it_updates(name: str, servers: int, tmp_path: Any) -> None:
    def trained(strategy: Any, read: str | None, write: str) -> list[Any]:
        with strategy.scope():
            a, b = (tf.Variable(np.ones((2, 3)), dtype="float64") for _ in range(2))
            optimizer = OPTIMIZERS[name]()
            optimizer.build([a, b])
            checkpoint = tf.train.Checkpoint(a=a, b=b, optimizer=optimizer)
            if read is not None:
                checkpoint.read(read)

            def step(*variables: Any) -> Any:
                @tf.function
                def step() -> None:
                    with tf.GradientTape() as tape:
                        loss = sum(tf.reduce_sum(v**4) for v in variables)
                    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

                return step

            first, second, both = step(a), step(b), step(a, b)
            for take in (first, first, second, both, second):
                take()
            checkpoint.write(write)
            others = [optimizer._u_product] if name == "nadam" else []
            if isinstance(strategy, ParameterServerStrategy):
                assert all(len(set(copies(strategy, v))) == 1 for v in (*optimizer.variables, *others) if not v.shape)
            return [v.numpy() for v in (a, b, *optimizer.variables, *others)]

    wanted = trained(one_device(), None, str(tmp_path / "wanted"))
    path = str(tmp_path / "found")
    assert difference(trained(serving(servers), None, path), wanted) <= 1e-9
    restored = trained(one_device(), str(tmp_path / "wanted"), str(tmp_path / "rest"))
    assert difference(trained(serving(servers), path, str(tmp_path / "rest")), restored) <= 1e-9
