"""`tf.profiler.experimental`: JAX's profiler, whose files name the sections of a program."""

import gzip
import json
from pathlib import Path

import jax
import numpy as np
import pytest

import stratagem as tf


def names_in(folder: Path) -> set[str]:
    """The names of what a profile shows on its time line."""
    (file,) = folder.glob("plugins/profile/*/*.trace.json.gz")
    return {event.get("name", "") for event in json.loads(gzip.decompress(file.read_bytes()))["traceEvents"]}


def test_a_profile_shows_the_sections_of_a_program(tmp_path: Path) -> None:
    step = tf.function(lambda x: tf.reduce_sum(x @ x))
    x = tf.constant(np.ones((64, 64), np.float32))
    with tf.profiler.experimental.Profile(tmp_path, tf.profiler.experimental.ProfilerOptions(python_tracer_level=0)):
        for number in range(3):
            with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                step(x)
        with tf.profiler.experimental.Trace("evaluation", rows=3) as section:
            section.set_metadata(seen=1)
            step(x).numpy()
    found = names_in(tmp_path)
    assert "train" in found
    assert "evaluation" in found


def test_one_profile_at_a_time(tmp_path: Path) -> None:
    profiler = tf.profiler.experimental
    profiler.start(str(tmp_path))
    try:
        with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
            profiler.start(str(tmp_path))
    finally:
        profiler.stop()
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        profiler.stop()
    with jax.profiler.trace(tmp_path), pytest.raises(tf.errors.AlreadyExistsError):
        profiler.start(str(tmp_path))
    profiler.start(str(tmp_path))
    profiler.stop(save=False)


def test_an_error_in_a_profile_ends_it(tmp_path: Path) -> None:
    with pytest.raises(KeyError), tf.profiler.experimental.Profile(tmp_path):
        raise KeyError("x")
    with pytest.raises(tf.errors.UnavailableError):
        tf.profiler.experimental.stop()


def test_other_processes_are_profiled_by_other_means() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"jax\.collect_profile"):
        tf.profiler.experimental.client.trace("localhost:6009", "/tmp", 2000)
