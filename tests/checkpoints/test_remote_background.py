"""Saves in the background to remote file systems: the values of the call, errors at the next one, and a program's end."""

import threading
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from stratagem.errors import UnavailableError
from tests import prepared
from tests.base.faulty_storage import FaultyFileSystem, failing_changes

# The fixture of the other tests of remote checkpoints.
from tests.checkpoints.test_remote import faulty, objects, value_in
from tests.events.reading import steps

__all__ = ["faulty"]

ASYNC = tf.train.CheckpointOptions(enable_async=True)
PATIENCE = 60.0


@pytest.mark.parametrize("format", ["stratagem", "tensorflow"])
def test_the_values_of_the_call_are_uploaded_while_steps_go_on(faulty: type[FaultyFileSystem], format: str) -> None:
    go, begun = threading.Event(), threading.Event()

    def fault(request: str, path: str) -> None:
        if request == "pipe_file" and "/ck-1" in path:
            begun.set()
            assert go.wait(PATIENCE)

    faulty.fault = staticmethod(fault)
    made = objects(1.0)
    path = made.save("faulty://b/m/ck", tf.train.CheckpointOptions(enable_async=True, format=format))
    assert begun.wait(PATIENCE), "the save does not begin"
    made.v.assign([2.0, 2.0])
    assert path == "faulty://b/m/ck-1"
    go.set()
    made.sync()
    assert value_in(path) == 1.0
    assert tf.train.latest_checkpoint("faulty://b/m") == path


def test_an_error_of_the_upload_is_raised_by_the_next_call_and_the_earlier_one_stays(
    faulty: type[FaultyFileSystem],
) -> None:
    manager = tf.train.CheckpointManager(objects(1.0), "faulty://b/m", max_to_keep=2)
    manager.save()
    faulty.fault = staticmethod(failing_changes(1))
    manager.checkpoint.v.assign([2.0, 2.0])
    manager.save(options=ASYNC)
    with pytest.raises(UnavailableError, match="the server is gone") as raised:
        manager.sync()
    assert any("'faulty://b/m/ckpt-2' was being saved in the background" in note for note in raised.value.__notes__)
    faulty.fault = staticmethod(lambda request, path: None)
    assert tf.train.latest_checkpoint("faulty://b/m") == "faulty://b/m/ckpt-1"
    assert manager.save(options=ASYNC) == "faulty://b/m/ckpt-3"
    manager.sync()
    assert value_in("faulty://b/m/ckpt-3") == 2.0


def test_weights_and_a_model_callback_are_saved_in_the_background(faulty: type[FaultyFileSystem]) -> None:
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    saving = tf.keras.callbacks.ModelCheckpoint("faulty://b/w/{epoch}", save_weights_only=True, options=ASYNC)
    model.fit(np.ones((2, 1)), np.ones((2, 1)), epochs=2, verbose=0, callbacks=[saving])
    weights = [np.asarray(each) for each in model.get_weights()]
    assert tf.train.latest_checkpoint("faulty://b/w") == "faulty://b/w/2"
    model.set_weights([each * 0 for each in weights])
    model.load_weights("faulty://b/w/2")
    for found, saved in zip(model.get_weights(), weights, strict=True):
        np.testing.assert_array_equal(found, saved)


# A file system that needs a thread of the event loop for each request, as a look-up of a host's name does, and is slow.
PROGRAM = """
import asyncio, os, sys, time
import fsspec
from fsspec.asyn import AsyncFileSystem
from fsspec.implementations.local import LocalFileSystem
import stratagem as tf

class Slow(AsyncFileSystem):
    protocol = "slow"
    here = LocalFileSystem(auto_mkdir=True)

    @classmethod
    def _strip_protocol(cls, path):
        return path.removeprefix("slow://").rstrip("/")

    async def _call(self, function, path, *args, **settings):
        await asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.2)
        return getattr(self.here, function)(os.path.join(sys.argv[1], path), *args, **settings)

    async def _info(self, path, **_):
        return {**await self._call("info", path), "name": path}

    async def _ls(self, path, detail=True, **_):
        found = await self._call("ls", path, detail=True)
        return [{**each, "name": os.path.relpath(each["name"], sys.argv[1])} for each in found]

    async def _cat_file(self, path, start=None, end=None, **_):
        return await self._call("cat_file", path, start=start, end=end)

    async def _pipe_file(self, path, value, mode="overwrite", **_):
        return await self._call("pipe_file", path, value)

    async def _rm_file(self, path, **_):
        return await self._call("rm_file", path)

    async def _makedirs(self, path, exist_ok=False):
        return await self._call("makedirs", path, exist_ok=exist_ok)

fsspec.register_implementation("slow", Slow)
writer = tf.summary.create_file_writer("slow://logs")
with writer.as_default():
    tf.summary.scalar("s", 1.0, step=1)
checkpoint = tf.train.Checkpoint(v=tf.Variable([7.0, 7.0]))
checkpoint.save("slow://m/ck", tf.train.CheckpointOptions(enable_async=True))
with writer.as_default():
    tf.summary.scalar("s", 2.0, step=2)
"""


def test_what_is_saved_and_written_when_the_program_ends_is_uploaded(tmp_path: Path) -> None:
    ended = prepared.run(PROGRAM, str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    assert value_in(str(tmp_path / "m" / "ck-1")) == 7.0
    assert not (tmp_path / "m" / ".owner.json").exists(), "the directory is not given up"
    assert steps(tmp_path / "logs") == {"s": [1, 2]}
