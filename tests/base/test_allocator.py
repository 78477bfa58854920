"""A process keeps the memory that its steps need again."""

import os
import subprocess
import sys

import pytest

from stratagem._base.allocator import give_back_freed_memory, keep_freed_memory

# Its argument is the number of its layers, each of which has an intermediate value of 4 MiB.
PROGRAM = """
import mmap, resource, sys
import numpy as np
import stratagem as tf

layers = int(sys.argv[1])
weights = [tf.Variable(np.eye(64, dtype="float32")) for _ in range(layers)]

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        values = x
        for weight in weights:
            values = tf.tanh(values @ weight)
        loss = tf.reduce_sum(values)
    return tape.gradient(loss, weights)

x = tf.constant(np.ones((1 << 14, 64), "float32"))
for _ in range(4):
    step(x)[0].numpy()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    step(x)[0].numpy()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) * mmap.PAGESIZE / 10 / (layers << 22))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other allocators")
def test_a_step_does_not_ask_the_system_for_its_memory_anew() -> None:
    """Seen by the pages that the system gives: after the first steps there are hardly any, of 160 MiB."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, "40"], capture_output=True, text=True, timeout=600, check=False
    )
    assert float(run.stdout) < 0.25, run.stderr


FREED = """
import ctypes, os, sys
import jax
from stratagem._hooks import install

install()
install()
library = ctypes.CDLL(None)
library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]

def megabytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20

blocks = [library.malloc(1 << 20) for _ in range(300)]
for block in blocks:
    ctypes.memset(block, 1, 1 << 20)
kept = library.malloc(100)
full = megabytes()
for block in blocks:
    library.free(block)
freed = megabytes()
jax.monitoring.record_event_duration_secs("/jax/core/compile/backend_compile_duration", 0.01)
short = megabytes()
jax.monitoring.record_event_duration_secs("/jax/core/compile/backend_compile_duration", 3.0)
print(full - freed, full - short, full - megabytes())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other allocators")
@pytest.mark.parametrize(("keep", "given_back"), [("on", [False, False, True]), ("off", [True, True, True])])
def test_what_a_long_compilation_freed_goes_back_to_the_system(keep: str, given_back: list[bool]) -> None:
    """Of 300 MB nothing when they are freed, nor after a compilation that took no time. Without our settings glibc does it."""
    environment = os.environ | {"STRATAGEM_KEEP_MEMORY": keep}
    run = subprocess.run(
        [sys.executable, "-c", FREED],
        capture_output=True, text=True, timeout=600, check=False, env=environment,
    )  # fmt: skip
    assert [int(amount) > 250 for amount in run.stdout.split()] == given_back, run.stdout + run.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("STRATAGEM_KEEP_MEMORY", "off"),
        ("MALLOC_ARENA_MAX", "2"),
        ("MALLOC_TRIM_THRESHOLD_", "1000000"),
        ("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=1000000"),
    ],
)
def test_settings_of_the_environment_stand(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert not keep_freed_memory()


def test_a_c_library_without_the_settings_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda _: object())
    assert not keep_freed_memory()
    give_back_freed_memory()


def test_a_word_that_nobody_knows_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_KEEP_MEMORY", "always")
    with pytest.raises(ValueError, match=r"on \(the default\) or off"):
        keep_freed_memory()
