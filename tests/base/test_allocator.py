"""A process keeps the memory that its steps need again."""

import os
import subprocess
import sys

import pytest

from stratagem._base.allocator import keep_freed_memory

# Its argument is the square root of the number of its intermediate values.
PROGRAM = """
import mmap, resource, sys
import numpy as np
import stratagem as tf

@tf.function
def step(x):
    return tf.reduce_sum(tf.tanh(x @ tf.transpose(x)) @ x)

size = int(sys.argv[1])
x = tf.constant(np.ones((size, 2), "float32"))
for _ in range(3):
    float(step(x))
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    float(step(x))
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) * mmap.PAGESIZE / 10 / (4 * size**2))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other allocators")
@pytest.mark.parametrize(
    ("said", "size"),
    [("on", 3400), ("large", 4608)],  # 44 MiB and 81
)
def test_a_step_does_not_ask_the_system_for_its_memory_anew(said: str, size: int) -> None:
    """Seen by the pages that the system gives: after the first steps there are hardly any."""
    command, env = [sys.executable, "-c", PROGRAM, str(size)], os.environ | {"STRATAGEM_KEEP_MEMORY": said}
    run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert float(run.stdout) < 0.25, run.stderr


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


def test_a_word_that_nobody_knows_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_KEEP_MEMORY", "always")
    with pytest.raises(ValueError, match="large or off"):
        keep_freed_memory()
