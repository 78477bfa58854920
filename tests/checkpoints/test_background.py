"""Saves in the background: the values, the order, the errors, and the end of the program."""

import contextlib
import errno
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf

# Private: a disk that is slow or full, and ranks as threads.
from stratagem._checkpoints import _background, _checkpoint_files, is_good
from stratagem._core.context import entered
from tests import prepared
from tests.checkpoints.test_together import run
from tests.rendezvous import Rendezvous

ASYNC = tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True)
PATIENCE = 60.0


class SlowDisk:
    """A disk that begins to write when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go = threading.Event()
        self.begun: list[str] = []
        self.memory: list[set[int]] = []  # of each save the addresses of its arrays
        write = _checkpoint_files.write_arrays

        def waiting(file: Path, arrays: Any) -> Any:
            self.begun.append(file.parent.parent.name)
            self.memory.append({array.ctypes.data for array in arrays.values()})
            assert self.go.wait(PATIENCE)
            return write(file, arrays)

        monkeypatch.setattr(_checkpoint_files, "write_arrays", waiting)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowDisk]:
    disk = SlowDisk(monkeypatch)
    yield disk
    disk.go.set()


def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on nothing can be written."""

    def write(file: Path, arrays: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))

    monkeypatch.setattr(_checkpoint_files, "write_arrays", write)


def value_in(path: Any) -> float:
    found: np.ndarray = tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    return float(found.ravel()[0])


@pytest.mark.parametrize("format", ["stratagem", "tensorflow"])
@pytest.mark.parametrize("strategy", [None, tf.distribute.MirroredStrategy], ids=["plain", "mirrored"])
def test_values_are_those_of_the_call_though_steps_go_on(
    tmp_path: Path, slow: SlowDisk, format: str, strategy: Callable[..., Any] | None
) -> None:
    scope = contextlib.nullcontext() if strategy is None else strategy(["CPU:0", "CPU:1"]).scope()
    with scope:
        v = tf.Variable(np.zeros(1 << 16, np.float32))
    states: dict[str, Any] = {"list": [0]}

    class Stateful(tf.train.experimental.PythonState):
        def serialize(self) -> bytes:
            return bytes(states["list"])

        def deserialize(self, string_value: bytes) -> None:
            states["list"] = list(string_value)

    checkpoint = tf.train.Checkpoint(v=v, state=Stateful())

    @tf.function  # type: ignore[untyped-decorator]
    def step() -> None:
        v.assign_add(tf.ones_like(v))

    step()
    options = tf.train.CheckpointOptions(enable_async=True, format=format)
    if format == "tensorflow":
        slow.go.set()  # its files are written elsewhere
    path = checkpoint.save(tmp_path / "ckpt", options)
    for number in range(1, 6):
        step()
        states["list"][0] = number
    slow.go.set()
    checkpoint.sync()
    assert v.numpy()[0] == 6
    checkpoint.restore(path).assert_consumed()
    assert set(v.numpy().tolist()) == {1.0}
    assert states["list"] == [0]
    step()  # what was restored is the variable's own
    assert set(v.numpy().tolist()) == {2.0}


def test_the_call_does_not_wait_and_everything_else_does(tmp_path: Path, slow: SlowDisk) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1)
    called: list[str] = []
    options = tf.train.CheckpointOptions(enable_async=True, experimental_write_callbacks=[called.append])
    path = manager.save(options=options)
    assert path == str(tmp_path / "ckpt-1") == manager.latest_checkpoint
    assert manager.checkpoints == [path]
    assert not (tmp_path / "ckpt-1" / "manifest.json").exists()
    assert called == []
    threading.Timer(0.2, slow.go.set).start()
    assert tf.train.latest_checkpoint(tmp_path) == path  # of this process, so it is worth the wait
    assert called == [path]
    assert value_in(path) == 1.0
    assert manager.checkpoints == [path]
    checkpoint.v.assign(2.0)
    manager.save(options=ASYNC)
    manager.sync()
    assert sorted(each.name for each in tmp_path.glob("ckpt-*")) == ["ckpt-2"]


@pytest.mark.parametrize("strategy", [None, tf.distribute.MirroredStrategy], ids=["plain", "mirrored"])
def test_the_copies_of_a_save_lie_where_those_of_the_last_one_did(
    tmp_path: Path, slow: SlowDisk, strategy: Callable[..., Any] | None
) -> None:
    slow.go.set()
    with contextlib.nullcontext() if strategy is None else strategy(["CPU:0", "CPU:1"]).scope():
        v = tf.Variable(np.zeros(1 << 16, np.float32))
    checkpoint = tf.train.Checkpoint(v=v)
    for number in (1.0, 2.0, 3.0):
        v.assign(np.full(v.shape, number))
        checkpoint.save(tmp_path / "ckpt", ASYNC)
    checkpoint.sync()
    assert slow.memory[0] == slow.memory[1] == slow.memory[2]
    assert [value_in(tmp_path / f"ckpt-{number}") for number in (1, 2, 3)] == [1.0, 2.0, 3.0]


def test_what_no_step_has_replaced_since_the_last_save_is_not_copied_again(
    tmp_path: Path, slow: SlowDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow.go.set()
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        frozen, trained = (tf.Variable(np.zeros(1 << size, np.float32)) for size in (14, 15))
    by_hand = tf.Variable(np.zeros(1 << 16, np.float32))
    copied: list[int] = []
    copy = np.copyto

    def noting(target: np.ndarray, source: np.ndarray) -> None:
        copied.append(target.size)
        copy(target, source)

    @tf.function  # type: ignore[untyped-decorator]
    def step() -> None:
        trained.assign_add(tf.ones_like(trained) * (1.0 + frozen[0]))

    step()
    checkpoint = tf.train.Checkpoint(v=trained, frozen=frozen, by_hand=by_hand)
    monkeypatch.setattr(np, "copyto", noting)
    for number in range(3):
        checkpoint.save(tmp_path / "ckpt", ASYNC)
        checkpoint.sync()
        assert sorted(size for size in copied if size > 1)[-3:] == ([1 << 14] if number == 0 else []) + [
            1 << 15,
            1 << 16,
        ]
        copied.clear()
        step()
        by_hand.assign(np.full(1 << 16, number + 1.0))
    assert [value_in(tmp_path / f"ckpt-{number}") for number in (1, 2, 3)] == [1.0, 2.0, 3.0]
    frozen.assign(np.ones(frozen.shape))
    step()
    path = checkpoint.save(tmp_path / "ckpt", ASYNC)
    checkpoint.sync()
    reader = tf.train.load_checkpoint(path)
    held = {
        name: float(reader.get_tensor(f"{name}/.ATTRIBUTES/VARIABLE_VALUE")[0]) for name in ("v", "frozen", "by_hand")
    }
    assert held == {"v": 6.0, "frozen": 1.0, "by_hand": 3.0}


def test_a_save_in_another_thread_does_not_write_over_the_copies_of_this_one(
    tmp_path: Path, slow: SlowDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(np.full(1 << 16, 1.0, np.float32)))
    checkpoint.write(tmp_path / "first", ASYNC)
    # Both threads have found that no save is in the background when the first of them begins one.
    with monkeypatch.context() as patched:
        patched.setattr(checkpoint, "sync", lambda: None)
        checkpoint.v.assign(np.full(1 << 16, 2.0))
        other = threading.Thread(target=checkpoint.write, args=(tmp_path / "second", ASYNC))
        other.start()
        other.join(PATIENCE)
    slow.go.set()
    _background.wait_for_saves()
    checkpoint.sync()
    assert (value_in(tmp_path / "first"), value_in(tmp_path / "second")) == (1.0, 2.0)
    assert not slow.memory[0] & slow.memory[1]


def test_no_save_overtakes_another(tmp_path: Path, slow: SlowDisk) -> None:
    first, second = (tf.train.Checkpoint(v=tf.Variable(float(n))) for n in (1, 2))
    first.write(tmp_path / "a", ASYNC)
    second.write(tmp_path / "b", ASYNC)
    third = tf.train.Checkpoint(v=tf.Variable(3.0))
    last = threading.Thread(target=third.write, args=(tmp_path / "c",))  # not in the background
    last.start()
    last.join(0.2)
    assert last.is_alive()
    assert slow.begun == ["a"]
    slow.go.set()
    last.join()
    assert slow.begun == ["a", "b", "c"]
    first.sync()
    second.sync()


def test_a_second_save_of_one_object_waits_for_the_first(tmp_path: Path, slow: SlowDisk) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.save(tmp_path / "ckpt", ASYNC)
    again = threading.Thread(target=checkpoint.save, args=(tmp_path / "ckpt", ASYNC))
    again.start()
    again.join(0.2)
    assert again.is_alive()
    assert checkpoint.save_counter.numpy() == 1
    slow.go.set()
    again.join()
    checkpoint.sync()
    assert slow.begun == ["ckpt-1", "ckpt-2"]


@pytest.mark.parametrize("call", ["save", "sync", "restore", "manager.save", "manager.sync"])
def test_an_error_is_raised_by_the_next_call_once_and_names_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 2)
    good = manager.save()
    with monkeypatch.context() as patch:
        full(patch)
        manager.save(options=ASYNC)
        _background.wait_for_saves()
        assert manager.latest_checkpoint == good
        calls = {
            "save": lambda: checkpoint.save(tmp_path / "ckpt"),
            "sync": checkpoint.sync,
            "restore": lambda: checkpoint.restore(good),
            "manager.save": lambda: manager.save(options=ASYNC),
            "manager.sync": manager.sync,
        }
        with pytest.raises(OSError, match="No space left on device") as raised:
            calls[call]()
    assert any(
        f"The checkpoint {str(tmp_path / 'ckpt-2')!r} was being saved" in note for note in raised.value.__notes__
    )
    assert checkpoint.save_counter.numpy() == 2  # the call that raised did nothing else
    manager.sync()
    checkpoint.restore(good).assert_consumed()
    assert manager.save() == str(tmp_path / "ckpt-2")
    assert [path.name for path in tmp_path.glob("ckpt-*")].sort() == ["ckpt-1", "ckpt-2"].sort()


def test_an_error_of_agreeing_is_raised_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(tf.errors.FailedPreconditionError, match="file"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).save(tmp_path / "file" / "ckpt", ASYNC)


def test_a_callback_may_use_the_checkpoint_that_was_written(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    seen: list[Any] = []

    def callback(path: str) -> None:
        checkpoint.sync()
        seen.append((tf.train.latest_checkpoint(tmp_path), value_in(path)))

    options = tf.train.CheckpointOptions(enable_async=True, experimental_write_callbacks=[callback])
    path = checkpoint.save(tmp_path / "ckpt", options)
    checkpoint.sync()
    assert seen == [(path, 1.0)]


def test_sigterm_is_the_programs_own_again_once_all_is_written(tmp_path: Path, slow: SlowDisk) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    checkpoint.write(tmp_path / "a", ASYNC)
    assert callable(signal.getsignal(signal.SIGTERM))
    slow.go.set()
    checkpoint.sync()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_ranks_save_in_the_background_and_hear_of_each_others_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(rank: int) -> list[Any]:
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(3.0)), tmp_path, 2)
        for _ in range(3):
            manager.save(options=ASYNC)
        if rank == 1:  # without the others: nobody has to wait for them
            manager.sync()
        meet(rank)
        if rank == 0:
            full(monkeypatch)
        meet(rank)
        manager.save(options=ASYNC)
        try:
            manager.sync()
        except Exception as error:
            return [manager.checkpoints, error]
        return [manager.checkpoints]

    barrier = threading.Barrier(3, timeout=PATIENCE)

    def meet(rank: int) -> None:
        barrier.wait()

    results = run(work)
    assert all(each[0] == [str(tmp_path / "ckpt-2"), str(tmp_path / "ckpt-3")] for each in results)
    assert isinstance(results[0][1], OSError)
    assert all(isinstance(each[1], tf.errors.AbortedError) for each in results[1:])
    assert "worker:0 could not save" in str(results[1][1])


def test_a_rank_that_counted_differently_is_told_by_the_call_itself(tmp_path: Path) -> None:
    def work(rank: int) -> None:
        checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
        checkpoint.save_counter.assign(5 if rank == 1 else 0)
        checkpoint.save(tmp_path / "ckpt", ASYNC)

    assert all("worker:0 saves 'ckpt-1' and worker:1 saves 'ckpt-6'" in str(result) for result in run(work))


def test_agreements_in_the_background_have_an_order_of_their_own(tmp_path: Path, slow: SlowDisk) -> None:
    meeting = Rendezvous(2)
    orders: dict[str, str] = {}

    class Noting(Rendezvous):
        def agree(self, what: str, value: Any, *, order: str = "", given_up: Any = None) -> list[Any]:
            orders[what] = order
            return super().agree(what, value, order=order, given_up=given_up)

    jobs = [Noting(2, rank, meeting) for rank in range(2)]

    def work(rank: int) -> None:
        with entered(job=jobs[rank]):
            checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
            checkpoint.save(tmp_path / "ckpt", ASYNC)
            for number in range(3):  # the main threads go on to agree on other things
                assert jobs[rank].agree("a step", [number]) == [[number]] * 2
            slow.go.set()
            checkpoint.sync()

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert is_good(str(tmp_path / "ckpt-1"))
    assert orders["save a checkpoint"] == orders["a step"] == ""
    assert orders["have saved a checkpoint"] == "saves in the background"


# A program that saves in the background and ends: {end} is how. Its disk takes a while.
PROGRAM = """
import os, signal, sys, time
import numpy as np
import stratagem as tf
from stratagem._checkpoints import _checkpoint_files

write = _checkpoint_files.write_arrays
def slowly(file, arrays):
    print("writing", flush=True)
    time.sleep(0.5)
    {fault}
    return write(file, arrays)
_checkpoint_files.write_arrays = slowly

checkpoint = tf.train.Checkpoint(v=tf.Variable(np.full(1000, 7.0)))
checkpoint.save(sys.argv[1] + "/ckpt", tf.train.CheckpointOptions(enable_async=True))
{end}
"""


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("raise KeyError('the program fails')", 1),
        ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", -signal.SIGTERM),
    ],
)
def test_the_last_save_is_on_disk_however_the_program_ends(tmp_path: Path, end: str, code: int) -> None:
    ended = prepared.run(PROGRAM.format(end=end, fault=""), str(tmp_path))
    assert ended.returncode == code, ended.stderr
    assert value_in(tf.train.latest_checkpoint(tmp_path)) == 7.0


@pytest.mark.parametrize(
    ("end", "code"), [("", 120), ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", -signal.SIGTERM)]
)
def test_an_error_that_nobody_was_told_of_is_printed_at_the_end(tmp_path: Path, end: str, code: int) -> None:
    fault = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))"
    ended = prepared.run(PROGRAM.format(end=end, fault=fault), str(tmp_path))
    assert ended.returncode == code, ended.stderr
    assert "File too large" in ended.stderr
    assert f"{str(tmp_path / 'ckpt-1')!r} was being saved in the background" in ended.stderr
    assert tf.train.latest_checkpoint(tmp_path) is None


def model() -> Any:
    """One weight, which every step of a batch changes."""
    made = tf.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")])
    made.compile("sgd", "mse")
    made.build((None, 1))
    return made


@pytest.mark.parametrize("strategy", [None, tf.distribute.OneDeviceStrategy], ids=["plain", "one device"])
def test_checkpoints_of_weights_are_written_while_fit_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: Callable[..., Any] | None
) -> None:
    with contextlib.nullcontext() if strategy is None else strategy("CPU:0").scope():
        trained = model()
    told: list[float] = []
    options = tf.train.CheckpointOptions(
        enable_async=True, experimental_write_callbacks=[lambda path: told.append(threading.current_thread().name)]
    )
    seen: list[float] = []
    callbacks = [
        tf.keras.callbacks.LambdaCallback(
            on_epoch_end=lambda e, logs: seen.append(float(trained.get_weights()[0][0, 0]))
        ),
        tf.keras.callbacks.ModelCheckpoint(tmp_path / "w-{epoch}", save_weights_only=True, options=options),
    ]
    ones = np.ones((4, 1), np.float32)
    trained.fit(ones, ones, batch_size=4, epochs=3, verbose=0, callbacks=callbacks)
    assert told == ["stratagem save"] * 3  # all of them, when `fit` returns
    loaded = model()
    for epoch, value in enumerate(seen, 1):
        loaded.load_weights(tmp_path / f"w-{epoch}").expect_partial()
        assert loaded.get_weights()[0][0, 0] == np.float32(value)


def test_fit_raises_what_its_last_checkpoint_raised(tmp_path: Path) -> None:
    trained = model()
    (tmp_path / "w").mkdir()

    def unwritable(epoch: int, logs: Any) -> None:
        (tmp_path / "w" / "checkpoint").mkdir()  # where a file has to be

    callbacks = [
        tf.keras.callbacks.LambdaCallback(on_epoch_end=unwritable),
        tf.keras.callbacks.ModelCheckpoint(tmp_path / "w" / "c", save_weights_only=True, options=ASYNC),
    ]
    ones = np.ones((4, 1), np.float32)
    with pytest.raises(OSError, match="checkpoint"):
        trained.fit(ones, ones, epochs=1, verbose=0, callbacks=callbacks)


def test_options_of_something_else_are_refused_and_hdf5_is_said_to_wait(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(TypeError, match=r"must be None or a tf\.train\.CheckpointOptions"):
        tf.keras.callbacks.ModelCheckpoint(tmp_path / "w", save_weights_only=True, options={"enable_async": True})
    with pytest.raises(TypeError, match=r"must be None or a tf\.saved_model\.SaveOptions"):
        tf.keras.callbacks.ModelCheckpoint(tmp_path / "m", options=ASYNC)
    tf.keras.callbacks.ModelCheckpoint(tmp_path / "w.weights.h5", save_weights_only=True, options=ASYNC)
    assert "HDF5 files are not written in the background" in caplog.text


def test_a_backup_in_the_background_is_whole_when_fit_returns(tmp_path: Path, slow: SlowDisk) -> None:
    with tf.distribute.OneDeviceStrategy("CPU:0").scope():
        trained = model()
    backup = tf.keras.callbacks.BackupAndRestore(tmp_path, options=ASYNC, delete_checkpoint=False)
    ones = np.ones((4, 1), np.float32)
    threading.Timer(0.5, slow.go.set).start()
    trained.fit(ones, ones, epochs=2, verbose=0, callbacks=[backup])
    assert slow.begun == ["ckpt-1", "ckpt-2"]
    assert is_good(str(tmp_path / "chief" / "ckpt-2"))
