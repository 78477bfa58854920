"""Writers, steps and conditions, outside of compiled programs."""

import gc
import resource
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import stratagem as tf
from tests.events.reading import read, steps

summary = tf.summary


@pytest.fixture(autouse=True)
def no_settings_are_left() -> Iterator[None]:
    yield
    left = summary.should_record_summaries(), summary.experimental.get_step()
    summary.experimental.set_step(None)
    assert [bool(left[0]), left[1]] == [False, None]


def the_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_a_file_is_there_as_soon_as_its_writer(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path / "new" / "folder", filename_suffix=".mine")
    path = the_file(tmp_path / "new" / "folder")
    assert path.name.startswith("events.out.tfevents.")
    assert f".{socket.gethostname()}." in path.name
    assert path.name.endswith(".mine")
    assert b"brain.Event:2" in path.read_bytes()
    writer.close()
    assert read(path.parent) == {}


def test_files_of_one_second_are_read_in_the_order_of_their_making(tmp_path: Path) -> None:
    for step in range(12):
        with summary.create_file_writer(tmp_path).as_default(step):
            summary.scalar("x", 0.0)
    assert steps(tmp_path)["x"] == list(range(12))


def test_every_record_is_framed_as_in_a_tfrecord_file(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        summary.scalar("a", 1.0, step=1)
    records = list(tf.data.TFRecordDataset([str(the_file(tmp_path))]).as_numpy_iterator())
    assert len(records) == 2
    assert b"scalars" in records[1]
    writer.close()


@pytest.mark.parametrize("step", [3, np.int16(3), np.float32(3), np.asarray(3), jnp.int32(3)])
def test_steps_of_all_kinds(step: Any, tmp_path: Path) -> None:
    with summary.create_file_writer(tmp_path).as_default():
        assert bool(summary.scalar("a", 1.0, step=step))
        assert bool(summary.scalar("b", 1.0, step=tf.Variable(3)))
    assert steps(tmp_path) == {"a": [3], "b": [3]}


def test_without_a_writer_nothing_is_written_and_no_step_is_needed() -> None:
    result = summary.scalar("a", 1.0)
    assert (result.dtype, bool(result)) == (bool, False)
    assert not summary.should_record_summaries()
    summary.flush()
    with summary.create_noop_writer().as_default():
        assert not summary.scalar("a", 1.0)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: summary.scalar("a", 1.0), ValueError, "No step set. Please specify one either through the `step`"),
        (lambda: summary.scalar("a", [1.0], step=1), ValueError, "Expected scalar shape, saw shape: (1,)"),
        (lambda: summary.scalar("a", "x", step=1), tf.errors.UnimplementedError, "takes numbers, got strings"),
        (lambda: summary.scalar("a", 1.0, step=1.5), TypeError, "step is a whole number, got 1.5"),
        (lambda: summary.scalar("a", 1.0, step=[1]), ValueError, "step is one number"),
        (lambda: summary.image("i", np.zeros((2, 3, 1)), step=1), ValueError, "rank 4. Received rank 3"),
        (lambda: summary.image("i", np.zeros((1, 2, 3, 5)), step=1), tf.errors.InvalidArgumentError, "got 5"),
        (
            lambda: summary.image("i", np.zeros((1, 2, 3, 1)), step=1, max_outputs=-1),
            tf.errors.InvalidArgumentError,
            "must not be negative, got -1",
        ),
        (lambda: summary.text("t", 1, step=1), TypeError, "tensor must be of type tf.string; got tf.int32"),
        (lambda: summary.audio("x", np.zeros((1, 1, 1)), 1, step=1, encoding="mp3"), ValueError, "encoding: 'mp3'"),
        (lambda: summary.flush(3), ValueError, "Invalid argument to flush(): 3"),
        (lambda: summary.create_file_writer(None), ValueError, "`logdir` cannot be None"),
        (lambda: summary.graph(None), tf.errors.UnimplementedError, "write_graph=True"),
        (lambda: summary.trace_on(), tf.errors.UnimplementedError, "jax.profiler.trace"),
        (lambda: summary.merge_all, AttributeError, "tf.summary.merge_all is not provided"),
    ],
)
def test_errors(call: Callable[[], Any], error: type[Exception], text: str, tmp_path: Path) -> None:
    with summary.create_file_writer(tmp_path).as_default(), pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_default_writers_and_their_steps_nest(tmp_path: Path) -> None:
    outer, inner = summary.create_file_writer(tmp_path / "outer"), summary.create_file_writer(tmp_path / "inner")
    with outer.as_default(step=10) as given:
        assert given is outer
        summary.scalar("a", 1.0)
        with inner.as_default(step=20):
            summary.scalar("b", 1.0)
        with inner.as_default():
            summary.scalar("c", 1.0)
            summary.experimental.set_step(11)
        summary.scalar("d", 1.0)
    assert steps(tmp_path / "outer") == {"a": [10], "d": [11]}
    assert steps(tmp_path / "inner") == {"b": [20], "c": [10]}


def test_conditions(tmp_path: Path) -> None:
    calls = []
    with summary.create_file_writer(tmp_path).as_default(step=1):
        for name, condition in {
            "no": False,
            "tensor": tf.constant(True),
            "function": lambda: tf.constant(True),
        }.items():
            with summary.record_if(condition):
                summary.scalar(name, 1.0)
        with summary.record_if(False):
            summary.write("x", lambda: calls.append("x"))
            assert not summary.should_record_summaries()
        assert summary.should_record_summaries()
    assert list(steps(tmp_path)) == ["tensor", "function"]
    assert calls == []


def test_a_closed_writer_refuses_and_closes_again(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path)
    with writer.as_default():
        writer.close()
        with pytest.raises(RuntimeError, match="already closed"):
            summary.scalar("a", 1.0, step=1)
    for refused in (writer.as_default, writer.set_as_default, writer.init):
        with pytest.raises(RuntimeError, match="already closed"):
            refused()
    writer.close()
    writer.flush()


def test_the_default_writer_is_the_threads_own(tmp_path: Path) -> None:
    seen = []
    with summary.create_file_writer(tmp_path).as_default(step=1):
        thread = threading.Thread(target=lambda: seen.append(bool(summary.scalar("a", 1.0))))
        thread.start()
        thread.join()
    assert seen == [False]


def test_summaries_wait_in_a_queue_of_this_length(tmp_path: Path) -> None:
    with summary.create_file_writer(tmp_path, max_queue=3).as_default():
        written = []
        for step in range(8):
            summary.scalar("a", 1.0, step=step)
            written.append(len(steps(tmp_path).get("a", [])))
    assert written == [0, 0, 0, 4, 4, 4, 4, 8]


def test_and_not_longer_than_this(tmp_path: Path) -> None:
    with summary.create_file_writer(tmp_path, flush_millis=0).as_default():
        summary.scalar("a", 1.0, step=1)
        assert steps(tmp_path) == {"a": [1]}


def test_what_waits_is_written_when_nobody_holds_the_writer(tmp_path: Path) -> None:
    def write() -> None:
        summary.create_file_writer(tmp_path).set_as_default()
        summary.scalar("a", 1.0, step=1)
        assert steps(tmp_path) == {}

    thread = threading.Thread(target=write)  # its default writer ends with it
    thread.start()
    thread.join()
    gc.collect()
    assert steps(tmp_path) == {"a": [1]}


def test_a_full_disk_leaves_whole_records_and_loses_nothing(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path, max_queue=100)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with writer.as_default():
        summary.scalar("a", 1.0, step=1)
        writer.flush()
        whole = the_file(tmp_path).read_bytes()
        summary.histogram("b", np.arange(100.0), step=1)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 50, limits[1]))
        try:
            with pytest.raises(OSError, match="File too large") as caught:
                writer.flush()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert "1 summaries still wait" in caught.value.__notes__[0]
        assert the_file(tmp_path).read_bytes() == whole
    assert steps(tmp_path) == {"a": [1], "b": [1]}


def test_a_file_that_was_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    with summary.create_file_writer(tmp_path).as_default():
        for step in range(4):
            summary.scalar("a", 1.0, step=step)
    path = the_file(tmp_path)
    path.write_bytes(path.read_bytes()[:-7])
    assert steps(tmp_path) == {"a": [0, 1, 2]}


def test_a_whole_summary_message(tmp_path: Path) -> None:
    with summary.create_file_writer(tmp_path).as_default():
        summary.scalar("a", 1.0, step=1)
    (_, event) = tf.data.TFRecordDataset([str(the_file(tmp_path))]).as_numpy_iterator()
    message = event[event.index(b"\x2a", 9) + 2 :]  # field 5, and its length; any byte may stand in the time before it
    with summary.create_file_writer(tmp_path / "again").as_default():
        summary.experimental.write_raw_pb(message, step=7)
    assert steps(tmp_path / "again") == {"a": [7]}
