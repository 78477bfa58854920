"""What an undecorated step reads beside its arguments is noticed when it changes, as in TensorFlow (recorded there)."""

import gc
import json
import logging
import pathlib
import pickle
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.core.step.counting import Counted, strategies
from tests.core.step.readings import PROGRAMS, VALUES

RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded" / "readings.json").read_text())
# decisions.md, "The program key": a global or closed-over name that is bound anew is a new program, also under tf.function.
NOT_BAKED = {"closure", "global_number"}


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


def instances() -> list[Any]:
    """Every program under one strategy, and under the others in `make thorough`."""
    kinds = list(strategies())
    return [
        pytest.param(name, kind, marks=[] if i % 3 == kinds.index(kind) else [pytest.mark.thorough])
        for i, name in enumerate(PROGRAMS)
        for kind in kinds
    ]


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "kind"), instances())
def test_undecorated_steps_read_what_is_there_now(name: str, kind: str) -> None:
    assert answers(strategies()[kind], name, decorated=False) == pytest.approx(RECORDED[name]["undecorated"], rel=1e-6)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if i % 4 == 0 else [pytest.mark.thorough])
        for i, name in enumerate(PROGRAMS)
        if name not in NOT_BAKED
    ],
)
def test_decorated_steps_keep_what_was_there_when_they_were_traced(name: str) -> None:
    given = answers(tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]), name, decorated=True)
    assert given == pytest.approx(RECORDED[name]["function"], rel=1e-6)


@pytest.mark.parametrize("kind", ["default", "one device", "two replicas"])
def test_settings_of_an_optimizer_count_as_they_are(kind: str) -> None:
    strategy = strategies()[kind]
    with strategy.scope():
        optimizer, variable = tf.keras.optimizers.SGD(0.5, momentum=0.5), tf.Variable(0.0)

    def step() -> Any:
        optimizer.apply_gradients([(tf.constant(1.0) / strategy.num_replicas_in_sync, variable)])

    expected = velocity = 0.0
    for momentum in (0.5, 0.5, 0.9, 0.1):
        optimizer.momentum = momentum
        strategy.run(step)
        velocity = momentum * velocity - 0.5
        expected += velocity
        assert float(variable) == pytest.approx(expected, rel=1e-6)


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


def in_another_thread(look: Callable[[], None]) -> None:
    """Call it there, and wait for its end."""
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()


def test_other_threads_see_the_number_while_it_is_traced() -> None:
    seen: list[Any] = []

    def compute(t: Any, x: Any) -> Any:
        def look() -> None:
            w = t.weight
            seen.append((w * 2, float(w), isinstance(w, float), w > 1.5, f"{w}"))

        in_another_thread(look)
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


def test_looking_runs_no_code_of_the_users() -> None:
    thing = Watchful()
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")

    def step(x: Any) -> Any:
        return x * thing.weight + thing.dynamic

    for _ in range(5):
        strategy.run(step, args=(tf.constant(3.0),))
    assert thing.ran == ["property", "__getattr__"] * 2  # the first trace has changed what the step reads
    thing.base = 2.0
    assert float(strategy.run(step, args=(tf.constant(3.0),))) == 7.0


def test_what_is_too_much_to_follow_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    table = [float(i) for i in range(1000)]
    image = np.zeros((100, 100), np.float32)

    def step(x: Any) -> Any:
        return x * table[1] + image[0, 0]

    with caplog.at_level(logging.INFO, "stratagem"):
        for _ in range(3):
            tf.distribute.OneDeviceStrategy("cpu:0").run(step, args=(tf.constant(3.0),))
            tf.distribute.get_strategy().run(step, args=(tf.constant(3.0),))
    said = [r.getMessage() for r in caplog.records if "not followed" in r.getMessage()]
    assert sum("what is in table is not followed" in text for text in said) == 4  # one for each strategy
    assert sum("what is in image is not followed" in text for text in said) == 4


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


# --- What makes two calls the same ------------------------------------------------------------------------------------


def test_arguments_by_other_names_and_in_other_structures_are_other_programs() -> None:
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")

    def step(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else {}
        if isinstance(first, tuple):
            return first[0] * 10.0 if first[1] is None else first[1] * 100.0
        return first.get("k", 0.0) + 2.0 * kwargs.get("a", 0.0) + 3.0 * kwargs.get("b", 0.0)

    t = tf.constant(3.0)
    for _ in range(2):
        assert float(strategy.run(step, kwargs={"a": t})) == 6.0
        assert float(strategy.run(step, kwargs={"b": t})) == 9.0
        assert float(strategy.run(step, args=((t, None),))) == 30.0
        assert float(strategy.run(step, args=((None, t),))) == 300.0
        assert float(strategy.run(step, args=({"k": t},))) == 3.0
        assert float(strategy.run(step, args=({"l": t},))) == 0.0
        assert float(strategy.run(step, kwargs={"a": 2.0})) == 4.0
        assert float(strategy.run(step, kwargs={"b": 2.0})) == 6.0
        assert float(strategy.run(step, kwargs={"a": 2.0, "b": t})) == 13.0
        assert float(strategy.run(step, kwargs={"a": t, "b": 2.0})) == 12.0


def test_threads_that_run_one_function_with_their_own_numbers_do_not_meet() -> None:
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    barrier = threading.Barrier(6)
    wrong: list[Any] = []

    def step(x: Any, thing: Any, more: float) -> Any:
        return x * thing.kind + (more if more > 2 else -more) + thing.base

    def work(number: int) -> None:
        thing = types.SimpleNamespace(kind=float(number), base=0)
        barrier.wait()
        for i in range(40):
            thing.base, more = i, (number * 7 + i) % 5 / 2
            result = float(strategy.run(step, args=(tf.constant(3.0), thing, more)))
            if result != 3.0 * number + (more if more > 2 else -more) + i:
                wrong.append((number, i, more, result))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_a_step_keeps_of_numbers_are_numbers() -> None:
    history: list[Any] = []

    def compute(t: Any, x: Any) -> Any:
        t.last = t.weight * 2
        t.pair = (t.weight, [t.weight + 1])
        history.append(t.weight)
        return x * t.weight

    strategy, t = tf.distribute.OneDeviceStrategy("cpu:0"), Counted(compute)
    for weight in (1.0, 2.0, 3.0):
        t.weight = weight
        assert float(strategy.run(t.step, args=(tf.constant(3.0),))) == 3.0 * weight
    kept = [t.last, *history]  # type: ignore[attr-defined]
    assert {type(v) for v in kept} == {float}
    pair = t.pair  # type: ignore[attr-defined]
    assert [pair[0] * 2, pair[1][0] - 1, json.dumps([float(pair[0])])] == [4.0, 2.0, "[2.0]"]


def test_other_threads_may_compute_with_numpy_while_a_number_is_traced() -> None:
    seen: list[Any] = []

    def compute(t: Any, x: Any) -> Any:
        def look() -> None:
            w = t.weight
            ones = np.ones(2)
            seen.extend([ones * w, np.multiply(w, ones), np.asarray(w) + ones, pickle.loads(pickle.dumps(w)) * ones])

        in_another_thread(look)
        return x * t.weight

    t = Counted(compute)
    for weight in (2.0, 5.0):
        t.weight = weight
        tf.distribute.OneDeviceStrategy("cpu:0").run(t.step, args=(tf.constant(3.0),))
    assert {float(v.sum()) for v in seen} <= {4.0, 10.0, 6.0, 12.0}
    assert all(v.dtype == np.float64 for v in seen)


def test_an_error_of_the_users_own_changes_nothing_for_the_calls_after_it() -> None:
    def compute(t: Any, x: Any) -> Any:
        if t.mode == "fails":
            raise ValueError("the user's own")
        return x * t.weight

    strategy, t = tf.distribute.OneDeviceStrategy("cpu:0"), Counted(compute)
    for i in range(100):
        t.weight, t.mode = i / 8, "fails" if i == 1 else "a"
        if i == 1:
            with pytest.raises(ValueError, match="the user's own"):
                strategy.run(t.step, args=(tf.constant(3.0),))
        else:
            assert float(strategy.run(t.step, args=(tf.constant(3.0),))) == 3.0 * i / 8
    assert t.traces <= 6


def test_a_step_that_counts_its_traces_is_not_traced_for_that_again() -> None:
    class Step:
        def __init__(self) -> None:
            self.calls, self.built = 0, False

        def __call__(self, x: Any) -> Any:
            self.calls += 1
            if not self.built:
                self.scale, self.built = 2.0, True
            return x * self.scale

    strategy, step = tf.distribute.OneDeviceStrategy("cpu:0"), Step()
    for _ in range(4):
        assert float(strategy.run(step, args=(tf.constant(3.0),))) == 6.0
    assert step.calls == 2
    step.scale = 5.0
    assert float(strategy.run(step, args=(tf.constant(3.0),))) == 15.0
