"""Ctrl-C ends the wait for a compiled loop that does not end, wherever such a loop may run."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import jax
import pytest

# One room of the core, which users do not see.
from stratagem._core.interruption import interruptible, may_never_end
from tests import prepared
from tests.thorough import thorough_but

PATIENCE = 240  # seconds, on a busy machine

PROGRAM = """
import signal, sys, threading, time, traceback
import numpy as np
import stratagem as tf
import jax

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts in the background may have taken it away
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)

def tell_when_the_main_thread_waits():
    since = None
    while since is None or time.monotonic() - since < 1.0:  # a compilation waits there, too, but is not this long
        time.sleep(0.05)
        frames = traceback.extract_stack(sys._current_frames()[threading.main_thread().ident])
        waits = any(frame.filename.endswith("interruption.py") for frame in frames)
        since = (since or time.monotonic()) if waits else None
    print("waits", flush=True)

def tell():
    threading.Thread(target=tell_when_the_main_thread_waits, daemon=True).start()

{text}
"""

AS_STATEMENT = """
@tf.function
def count(limit):
    n = tf.constant(0)
    while n != limit:
        n = (n + 1) % 100
    return n

assert int(count(tf.constant(3))) == 3
tell()
count(tf.constant(-1))
"""

AT_THE_FIRST_CALL = """
@tf.function
def count(limit):
    return tf.while_loop(lambda n: n != limit, lambda n: [(n + 1) % 100], [tf.constant(0)])

tell()
count(tf.constant(-1))
"""

IN_REPLICAS = """
strategy = tf.distribute.MirroredStrategy()
assert strategy.num_replicas_in_sync == 2

@tf.function
def count(batches):
    def replica(rows):
        n = tf.constant(0)
        while n != -1:
            n = (n + 1) % 100
        return tf.reduce_sum(rows) + tf.cast(n, tf.float32)
    return strategy.run(replica, (batches,))

data = tf.data.Dataset.from_tensor_slices(np.ones({rows}, np.float32)).batch(4)
tell()
count(next(iter(strategy.experimental_distribute_dataset(data))))
"""

UNDER_A_TAPE = """
@tf.function
def count(x):
    while tf.reduce_sum(x) != -1.0:
        x = x / 2.0
    return x

with tf.GradientTape() as tape:
    x = tf.constant([1.0, 2.0])
    tape.watch(x)
    tell()
    count(x)
"""

IN_A_DATASET = """
def count(n):
    while n != -1:
        n = (n + 1) % 100
    return n

data = tf.data.Dataset.from_tensor_slices(np.arange(8)).map(count)
tell()
next(iter(data))
"""

CAUGHT = """
v, w = tf.Variable(1.0), tf.Variable(2.0)

@tf.function
def add(rounds):
    n, done = tf.constant(0), tf.constant(0)
    while {condition}:
        n, done = (n * 5 + 1) % 97, done + 1
    v.assign_add(tf.cast(done, tf.float32))
    return n + tf.cast(w, tf.int32)

{before}
tell()
try:
    add(tf.constant({rounds}))
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
{after}
"""


@dataclass(frozen=True)
class Waiting:
    """A program whose main thread waits for a compiled loop, and the files that it writes to."""

    process: prepared.PreparedProcess
    output: IO[str]
    errors: Path

    def after_ctrl_c(self) -> tuple[int, str, str]:
        """Its exit code and what it wrote from then on, and all its errors."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE), self.output.read(), self.errors.read_text()


Start = Callable[[str], Waiting]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Waiting] = []

    def begin(text: str) -> Waiting:
        """Starts a program; returns when its main thread waits for a compiled loop."""
        file, errors = tmp_path / "program.py", tmp_path / "errors"
        file.write_text(PROGRAM.replace("{text}", text))
        ours, its = os.pipe()
        with open(its, "w") as output, errors.open("w") as told:
            process = prepared.start(file, output=output, errors=told, session=True)
        running.append(Waiting(process, os.fdopen(ours), errors))
        assert running[-1].output.readline() == "waits\n", errors.read_text()
        return running[-1]

    yield begin
    for each in running:
        each.process.kill()
        each.process.wait()
        each.output.close()


PLACES = {
    "statement": AS_STATEMENT,
    "first call": AT_THE_FIRST_CALL,
    "replicas": IN_REPLICAS.replace("{rows}", "4"),
    "uneven batch": IN_REPLICAS.replace("{rows}", "3"),
    "eager tape": UNDER_A_TAPE,
    "dataset": IN_A_DATASET,
}
# In replicas the call is a first one, too.
QUICK = ("statement", "uneven batch", "eager tape", "dataset")


@pytest.mark.sampled
@pytest.mark.parametrize("place", thorough_but(QUICK, PLACES))
def test_ctrl_c_in_an_endless_loop_is_a_keyboard_interrupt_and_ends_the_process(start: Start, place: str) -> None:
    code, _, err = start(PLACES[place]).after_ctrl_c()
    assert "a compiled program with a loop of unknown length has not ended" in err
    assert code == -signal.SIGINT, err
    assert err.endswith("KeyboardInterrupt\n")


def test_after_an_endless_loop_others_run_and_the_variables_that_it_took_are_named(start: Start) -> None:
    after = "print(float(w), float(tf.reduce_sum(tf.ones([3]))), flush=True)"
    waiting = start(CAUGHT.format(condition="n != rounds", before="", rounds=-1, after=after))
    code, out, err = waiting.after_ctrl_c()
    assert (code, out) == (0, "KeyboardInterrupt\n2.0 3.0\n"), err
    assert "has taken the values of 1 variables (Variable)" in err


def test_a_loop_that_ends_after_ctrl_c_leaves_the_variables_with_their_new_values(start: Start) -> None:
    before = f"""
import stratagem._core.interruption
stratagem._core.interruption._GRACE_SECONDS = {PATIENCE}
add(tf.constant(1))
begun = time.monotonic()
add(tf.constant(10**7))
rounds = int(10**7 * 5 / (time.monotonic() - begun))  # about five seconds, on this machine
"""
    waiting = start(
        CAUGHT.format(
            condition="done != rounds", before=before, rounds="rounds", after="print(float(v) > rounds, flush=True)"
        )
    )
    assert waiting.after_ctrl_c() == (0, "KeyboardInterrupt\nTrue\n", "")


def endless(x: jax.Array) -> jax.Array:
    return jax.lax.while_loop(lambda n: n < 3, lambda n: n, x)


ENDLESS = jax.make_jaxpr(endless)(1).jaxpr


def test_only_programs_with_loops_of_unknown_length_run_in_another_thread() -> None:
    def thread() -> str:
        return threading.current_thread().name

    bounded = jax.make_jaxpr(lambda x: jax.lax.fori_loop(0, 3, lambda i, n: n + i, x))(1).jaxpr
    nested = jax.make_jaxpr(lambda x: jax.lax.cond(x > 0, jax.jit(endless), lambda n: n, x))(1).jaxpr
    assert [may_never_end(p) for p in (bounded, ENDLESS, nested)] == [False, True, True]
    assert interruptible(thread, bounded) is thread
    assert interruptible(thread, ENDLESS)() == "compiled loop"
    found: list[str] = []
    other = threading.Thread(target=lambda: found.append(interruptible(thread, ENDLESS)()), name="other")
    other.start()
    other.join()
    assert found == ["other"], "Python handles Ctrl-C in its main thread only"


def test_an_error_in_such_a_program_is_raised_where_it_was_called() -> None:
    def fails() -> None:
        raise ValueError("a cause")

    with pytest.raises(ValueError, match="a cause"):
        interruptible(fails, ENDLESS)()
