"""What an undecorated step reads beside its arguments is noticed when it changes, as in TensorFlow (recorded there)."""

import gc
import json
import logging
import pathlib
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.step.reading_programs import PROGRAMS, VALUES

RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded" / "readings.json").read_text())
# decisions.md, "The program key": a global or closed-over name that is bound anew is a new program, also under tf.function.
NOT_BAKED = {"closure", "global_number"}


def strategies() -> dict[str, Any]:
    """One of each kind whose steps are compiled."""
    return {
        "default": tf.distribute.get_strategy(),
        "one device": tf.distribute.OneDeviceStrategy("cpu:0"),
        "two replicas": tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]),
    }


def answers(strategy: Any, name: str, *, decorated: bool) -> list[float]:
    """What the program gives at every call, on the first replica."""
    step, change = PROGRAMS[name](tf)
    step = tf.function(step) if decorated else step
    given = []
    for value in VALUES:
        change(value)
        result = strategy.run(step, args=(tf.constant(3.0),))
        given.append(float(np.squeeze(strategy.experimental_local_results(result)[0])))
    return given


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("kind", ["default", "one device", "two replicas"])
def test_undecorated_steps_read_what_is_there_now(name: str, kind: str) -> None:
    assert answers(strategies()[kind], name, decorated=False) == pytest.approx(RECORDED[name]["undecorated"], rel=1e-6)


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in NOT_BAKED])
def test_decorated_steps_keep_what_was_there_when_they_were_traced(name: str) -> None:
    given = answers(tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]), name, decorated=True)
    assert given == pytest.approx(RECORDED[name]["function"], rel=1e-6)


# --- How often the Python of a step runs ------------------------------------------------------------------------------


class Counted:
    """A step that counts its traces outside of what it reads."""

    def __init__(self, compute: Any) -> None:
        self.weight, self.other, self.mode = 1.0, 1, "a"
        self.compute = compute
        self.traces = 0

    def step(self, x: Any) -> Any:
        self.traces += 1
        return self.compute(self, x)


@pytest.mark.parametrize("kind", ["default", "one device", "two replicas"])
@pytest.mark.parametrize(
    "compute",
    [
        lambda t, x: x * t.weight,
        lambda t, x: x * (1 - 0.5**t.weight) + t.other,
        lambda t, x: tf.where(x > t.weight, x, -x) + t.weight // 3,
        lambda t, x: x * getattr(t, "weight") + float(t.other),  # noqa: B009
        lambda t, x: {"x": x * t.weight, "w": t.weight}["x"],
        lambda t, x: tf.cond(x > 0.0, lambda: x * t.weight, lambda: x),
    ],
)
def test_a_thousand_values_are_three_traces(kind: str, compute: Any) -> None:
    strategy, t = strategies()[kind], Counted(compute)
    for i in range(1000):
        t.weight = i / 8
        result = strategy.experimental_local_results(strategy.run(t.step, args=(tf.constant(3.0),)))[0]
        if i in (0, 1, 2, 500, 999):
            assert float(result) == pytest.approx(_eager(compute, t.weight), rel=1e-6)
    assert t.traces <= 3


def _eager(compute: Any, weight: float) -> float:
    t = Counted(compute)
    t.weight = weight
    return float(compute(t, tf.constant(3.0)))


def test_numbers_that_are_arguments_are_inputs_too() -> None:
    traces = []

    def step(x: Any, weight: float, *, more: int) -> Any:
        traces.append(1)
        return x * weight + more

    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    for i in range(100):
        result = strategy.run(step, args=(tf.constant(3.0), i / 8), kwargs={"more": i})
        assert float(result) == 3.0 * i / 8 + i
    assert len(traces) <= 3


def test_a_number_that_decides_is_traced_once_a_value_and_named(caplog: pytest.LogCaptureFixture) -> None:
    t = Counted(lambda t, x: x * 100.0 if t.other > 3 else x * t.weight)
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    for _ in range(3):
        for i in range(8):
            t.other, t.weight = i, i / 8
            expected = 300.0 if i > 3 else 3.0 * i / 8
            assert float(strategy.run(t.step, args=(tf.constant(3.0),))) == expected
    assert t.traces <= 2 + 1 + 8  # at first, one in vain, one a value
    said = [r.getMessage() for r in caplog.records if "was traced" in r.getMessage()]
    assert len(said) == 1
    assert "self.other changed from" in said[0]


def test_a_step_of_float64_gets_the_number_with_all_its_bits() -> None:
    t = Counted(lambda t, x: x * t.weight)
    for weight in (0.1, 0.2, 0.7):
        t.weight = weight
        result = tf.distribute.OneDeviceStrategy("cpu:0").run(t.step, args=(tf.constant(1.0, tf.float64),))
        assert float(result) == weight


def test_zero_and_minus_zero_are_two_values() -> None:
    t = Counted(lambda t, x: 1.0 / (x * t.weight))
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    for weight, sign in ((0.0, 1), (-0.0, -1), (1.0, 1), (-0.0, -1)):
        t.weight = weight
        assert np.sign(strategy.run(t.step, args=(tf.constant(1.0),))) == sign


def test_uneven_batches_take_numbers_as_inputs() -> None:
    strategy, t = strategies()["two replicas"], Counted(lambda t, x: tf.reduce_sum(x) * t.weight)
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(3).map(lambda v: v + 1).batch(3))
    for weight in (1.0, 5.0, 2.0, 7.0):
        t.weight = weight
        for batch in batches:
            total = strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(t.step, args=(batch,)), axis=None)
            assert float(total) == 6 * weight


def test_a_training_step_trains_alike_whether_its_numbers_are_inputs_or_not() -> None:
    def trained(*, changes: bool) -> tuple[Any, int]:
        strategy = strategies()["two replicas"]
        tf.keras.utils.set_random_seed(0)
        with strategy.scope():
            model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
            optimizer = tf.keras.optimizers.Adam(0.1)
        t = Counted(lambda t, x: t.train(x))

        def train(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(model(x) ** 2) * t.weight
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        t.train = train
        step = (lambda x: t.step(x)) if changes else None
        for i in range(6):
            t.weight = 1.0 + i % 3
            x = tf.ones((2, 3)) * (i + 1)
            strategy.run(step or (lambda x, w=t.weight: (setattr(t, "weight", w), t.step(x))[1]), args=(x,))
        return model.get_weights(), t.traces

    inputs, traces = trained(changes=True)
    fixed, _ = trained(changes=False)
    assert traces <= 3
    for a, b in zip(inputs, fixed, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


# --- What a trace leaves behind, and what it does not touch -----------------------------------------------------------


def test_numbers_are_where_they_were_after_a_trace_also_one_that_fails() -> None:
    def compute(t: Any, x: Any) -> Any:
        if t.fail:
            raise ValueError("the user's own")
        return x * t.weight

    t = Counted(compute)
    t.fail = False
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    for weight in (1.0, 2.0, 3.0):
        t.weight = weight
        strategy.run(t.step, args=(tf.constant(3.0),))
        assert type(t.weight) is float
    t.fail, t.weight = True, 4.0
    with pytest.raises(ValueError, match="the user's own"):
        strategy.run(t.step, args=(tf.constant(3.0),))
    assert t.weight == 4.0
    assert type(t.weight) is float


def test_other_threads_see_the_number_while_it_is_traced() -> None:
    seen: list[Any] = []

    def compute(t: Any, x: Any) -> Any:
        def look() -> None:
            w = t.weight
            seen.append((w * 2, float(w), isinstance(w, float), w > 1.5, f"{w}"))

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        return x * t.weight

    t = Counted(compute)
    for weight in (1.0, 2.0):
        t.weight = weight
        tf.distribute.OneDeviceStrategy("cpu:0").run(t.step, args=(tf.constant(3.0),))
    assert seen[-1] == (2 * seen[-1][1], seen[-1][1], True, seen[-1][1] > 1.5, str(seen[-1][1]))
    assert type(seen[-1][0]) is float


class Watchful:
    """It notices when code of its own runs."""

    ran: list[str]

    def __init__(self) -> None:
        self.ran = []
        self.base = 1.0

    @property
    def weight(self) -> float:
        """Computed."""
        self.ran.append("property")
        return self.base

    def __getattr__(self, name: str) -> Any:
        if name != "dynamic":
            raise AttributeError(name)
        self.ran.append("__getattr__")
        return 1.0


def test_looking_runs_no_code_of_the_users_and_what_is_not_followed_is_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    thing = Watchful()
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")

    def step(x: Any) -> Any:
        return x * thing.weight + thing.dynamic

    with caplog.at_level(logging.INFO, "stratagem"):
        for _ in range(5):
            strategy.run(step, args=(tf.constant(3.0),))
    assert thing.ran == ["property", "__getattr__"] * 2  # by the two traces
    said = [r.getMessage() for r in caplog.records if "not followed" in r.getMessage()]
    assert len(said) == 1
    assert "thing.dynamic" in said[0]


def test_what_the_python_of_a_step_changes_is_said_once_and_no_reason_to_trace_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    losses: list[Any] = []
    cfg = {"calls": 0}
    t = Counted(lambda t, x: x * t.weight)

    def step(x: Any) -> Any:
        losses.append(1.0)
        cfg["calls"] += 1
        return t.step(x)

    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    for _ in range(5):
        strategy.run(step, args=(tf.constant(3.0),))
    assert t.traces == len(losses) == cfg["calls"] == 2
    said = [r.getMessage() for r in caplog.records if " changes " in r.getMessage()]
    assert len(said) == 3
    for name in ("losses", "cfg['calls']", "t.traces"):
        assert any(f"changes {name}." in text for text in said)


def test_what_is_built_at_the_first_call_is_no_change(caplog: pytest.LogCaptureFixture) -> None:
    class Lazy:
        scale: Any = None

        def step(self, x: Any) -> Any:
            if self.scale is None:
                self.scale = 2.0
            return x * self.scale

    lazy = Lazy()
    for _ in range(3):
        assert float(tf.distribute.OneDeviceStrategy("cpu:0").run(lazy.step, args=(tf.constant(3.0),))) == 6.0
    assert not [r for r in caplog.records if " changes " in r.getMessage()]


def test_what_was_read_is_not_kept_alive() -> None:
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    t = Counted(lambda t, x: x * t.weight)
    for weight in (1.0, 2.0, 3.0):
        t.weight = weight
        strategy.run(t.step, args=(tf.constant(3.0),))
    gone = weakref.ref(t)
    del t
    gc.collect()
    assert gone() is None
