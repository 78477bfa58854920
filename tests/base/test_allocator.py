"""A process keeps the memory that its steps need again."""

import subprocess
import sys

import pytest

from stratagem._base.allocator import keep_freed_memory

# 81 MiB of intermediate values, more than any arena of glibc's but the first can hold.
PROGRAM = """
import mmap, resource
import numpy as np
import stratagem as tf

@tf.function
def step(x):
    return tf.reduce_sum(tf.tanh(x @ tf.transpose(x)) @ x)

x = tf.constant(np.ones((4608, 2), "float32"))
for _ in range(3):
    float(step(x))
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    float(step(x))
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) * mmap.PAGESIZE / 10 / (4 * 4608**2))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other allocators")
def test_a_step_does_not_ask_the_system_for_its_memory_anew() -> None:
    """Seen by the pages that the system gives: after the first steps there are hardly any."""
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=600, check=False)
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
