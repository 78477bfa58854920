"""Faults of saving and restoring, one trial a call: what `make test` runs a few times and `make soak` many."""

import errno
import os
import random
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from stratagem import Module, TensorSpec, Variable, function

# `stratagem checkpoint verify` prints these reports.
from stratagem._checkpoints import report_on
from stratagem.errors import DataLossError, FailedPreconditionError, NotFoundError
from stratagem.saved_model import Asset, load, save
from stratagem.train import CheckpointManager, CheckpointOptions, latest_checkpoint
from tests.checkpoints.faults import files_of, flip_a_bit, manifest_of
from tests.checkpoints.object_server import Gateway
from tests.checkpoints.owners import NAME, owned_by, process
from tests.checkpoints.saving import KEPT, Savers, checkpoint, set_to, step_of


@dataclass(frozen=True)
class Trial:
    """One trial that was passed: how long it took, and how long until the fault was detected, in seconds."""

    seconds: float
    detection: float


def saved(directory: Path, steps: int = 2) -> None:
    """Checkpoints of the steps 1, 2, ... in the directory."""
    objects = checkpoint()
    manager = CheckpointManager(objects, directory, KEPT)
    for step in range(1, steps + 1):
        set_to(objects, step)
        manager.save()


def killed_while_saving(seed: int, directory: Path, savers: Savers, *, background: bool = False) -> Trial:
    """C1: SIGKILL at a random moment; the newest complete step is restored, and saving goes on. C8: in the background."""
    began, rng = time.perf_counter(), random.Random(seed)
    saver = savers.start(directory, background=background)
    saver.wait_for("saved 1")
    complete = rng.randrange(1, 6)
    if complete > 1:
        saver.wait_for(f"saved {complete}")
    saver.wait_for(f"saving {complete + 1 + background}")
    time.sleep(rng.uniform(0.0, 0.15))
    complete = max([complete, *(int(line.split()[1]) for line in saver.kill() if line.startswith("saved "))])
    looked = time.perf_counter()
    objects = checkpoint()
    manager = CheckpointManager(objects, directory, KEPT)
    assert manager.restore_or_initialize() is not None
    detection = time.perf_counter() - looked
    step = step_of(objects)
    assert complete <= step <= complete + 1 + background, f"step {step}, after {complete} saves were complete"
    set_to(objects, step + 1)
    assert manager.save() == str(directory / f"ckpt-{step + 1}")
    again = checkpoint()
    again.restore(latest_checkpoint(directory))
    assert step_of(again) == step + 1
    assert not strays(directory)
    return Trial(time.perf_counter() - began, detection)


def killed_often(
    seed: int, directory: Path, savers: Savers, *, background: bool = False, format: str = "stratagem"
) -> Trial:
    """C1: five savers are killed at random moments, one after the other; three more saves leave what is kept, nothing else."""
    began, rng = time.perf_counter(), random.Random(seed)
    for number in range(5):
        folder = directory.with_name(f"pipe {number}")
        saver = savers.start(directory, background=background, format=format, first=1 + 100 * number, pipe=folder)
        saver.wait_for(f"saving {1 + 100 * number + rng.randrange(0, 4)}")
        time.sleep(rng.uniform(0.0, 0.15))
        saver.kill()
    looked = time.perf_counter()
    objects = checkpoint()
    manager = CheckpointManager(objects, directory, KEPT)
    restored = manager.restore_or_initialize()
    assert restored is not None
    options = CheckpointOptions(enable_async=background, format=format)
    for step in range(1000, 1003):
        set_to(objects, step)
        manager.save(step, options=options)
    manager.sync()
    kept = [f"ckpt-{step}" for step in range(1000, 1003)]
    assert [Path(path).name for path in manager.checkpoints] == kept
    names = {path.name for path in directory.iterdir()} - {"checkpoint", ".owner.json"}
    assert {name.partition(".")[0] for name in names} == {*kept}, names
    assert len(names) == len(kept) * (2 if format == "tensorflow" else 1), names
    return Trial(time.perf_counter() - began, time.perf_counter() - looked)


def strays(directory: Path) -> list[str]:
    """What dead processes left in the checkpoints that are there."""
    kept = [step for step in directory.glob("ckpt-*") if (step / "manifest.json").exists()]
    return [str(found) for step in kept for found in step.iterdir() if found.name not in _names(step)]


def _names(step: Path) -> set[str]:
    return {"manifest.json", manifest_of(step)["generation"]}


def flipped_bit(seed: int, directory: Path) -> Trial:
    """C2: one bit anywhere in the newest step; it is detected, named and passed over, and no value is changed by it."""
    saved(directory)
    file = flip_a_bit(directory / "ckpt-2", seed)
    return passed_over(directory, file)


def passed_over(directory: Path, file: str, error: type[Exception] = DataLossError) -> Trial:
    """`ckpt-2` is not restored, however it is asked for, its bad `file` is named, and `ckpt-1` is restored instead."""
    began = time.perf_counter()
    objects = checkpoint()
    set_to(objects, 7)
    with pytest.raises(error) as raised:
        objects.restore(directory / "ckpt-2")
    detection = time.perf_counter() - began
    assert file in str(raised.value), f"{file} is not named in: {raised.value}"
    if error is DataLossError:
        assert f"The newest good one is {str(directory / 'ckpt-1')!r}" in str(raised.value)
    assert step_of(objects) == 7, "a restore that failed changed values"
    assert latest_checkpoint(directory) == str(directory / "ckpt-1")
    assert CheckpointManager(objects, directory, KEPT).restore_or_initialize() == str(directory / "ckpt-1")
    assert step_of(objects) == 1
    return Trial(time.perf_counter() - began, detection)


def _cut_short(step: Path, rng: random.Random) -> str:
    file = rng.choice(files_of(step))
    os.truncate(file, rng.randrange(file.stat().st_size))
    return file.name


def _deleted(step: Path, rng: random.Random) -> str:
    file = rng.choice([file for file in files_of(step) if file.name != "manifest.json"])
    file.unlink()
    return file.name


def _unfinished(step: Path, rng: random.Random) -> str:
    (step / "manifest.json").unlink()
    return "manifest.json"


def _emptied(step: Path, rng: random.Random) -> str:
    shutil.rmtree(step)
    step.mkdir()
    return "manifest.json"


def _without_data(step: Path, rng: random.Random) -> str:
    generation = str(manifest_of(step)["generation"])
    shutil.rmtree(step / generation)
    return generation


def _exchanged(step: Path, rng: random.Random) -> str:
    """A file of another checkpoint in its place, of the same size."""
    file = max(files_of(step), key=lambda file: file.stat().st_size)
    other = max(files_of(step.with_name("ckpt-1")), key=lambda file: file.stat().st_size)
    content = other.read_bytes()[: file.stat().st_size]
    file.write_bytes(content + bytes(file.stat().st_size - len(content)))
    return file.name


# C3: name → what happens to the newest step; gives the file to be named.
DAMAGES: dict[str, Callable[[Path, random.Random], str]] = {
    "cut short": _cut_short,
    "deleted file": _deleted,
    "unfinished": _unfinished,
    "empty step": _emptied,
    "no data": _without_data,
    "exchanged file": _exchanged,
}


def damaged(seed: int, directory: Path, damage: str) -> Trial:
    """C3: the step before is used, and the bad file is named."""
    saved(directory)
    file = DAMAGES[damage](directory / "ckpt-2", random.Random(seed))
    return passed_over(directory, file, NotFoundError if damage in ("unfinished", "empty step") else DataLossError)


def _own(directory: Path) -> Path:
    saved(directory, 1)
    return directory / "ckpt-1"


def _tensorflow(directory: Path) -> Path:
    """Saved twice, so that it has an empty shard."""
    objects = checkpoint()
    for _ in range(2):
        objects.write(directory / "ckpt", CheckpointOptions(format="tensorflow"))
    return directory / "ckpt"


def _exported(directory: Path) -> Path:
    module = Module()
    module.factor, module.words = Variable([2.0, 3.0]), Asset(__file__)
    module.scaled = function(lambda x: x * module.factor, input_signature=[TensorSpec([None, 2])])
    save(module, directory / "model")
    return directory / "model"


def _restored(path: Path) -> None:
    checkpoint().restore(path)


# C8: each kind of file: how it is made, and how it is read.
STORED: dict[str, tuple[Callable[[Path], Path], Callable[[Path], object]]] = {
    "checkpoint": (_own, _restored),
    "TensorFlow's checkpoint": (_tensorflow, _restored),
    "export": (_exported, load),
}


def any_file_damaged(seed: int, directory: Path) -> Trial:
    """C8: a bit of any file of any kind flipped, or the file cut or gone: reading and `verify` notice it, and name the file."""
    kind = list(STORED)[seed % len(STORED)]
    name = STORED[kind][0](directory).name
    path, rng = directory / name, random.Random(seed)
    inside = files_of(path) if path.is_dir() else sorted(directory.glob(f"{name}.*"))
    file = rng.choice(inside)
    damage = rng.choice(["flipped", "cut", "missing"]) if file.stat().st_size else "missing"
    content = bytearray(file.read_bytes())
    if damage == "missing":
        file.unlink()
    elif damage == "cut":
        os.truncate(file, rng.randrange(len(content)))
    else:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        file.write_bytes(content)
    began = time.perf_counter()
    with pytest.raises((DataLossError, NotFoundError, OSError)) as raised:
        STORED[kind][1](path)
    detection = time.perf_counter() - began
    said = str(raised.value)
    absent = "SavedModel file does not exist at" in said and file.name == "manifest.json"
    assert file.name in said or absent, f"{kind}, {damage}: {file.name} is not named in: {said}"
    try:
        (report,) = report_on(path, thorough=True)
    except NotFoundError:
        assert damage == "missing"
    else:
        assert file.name in report.problem, f"{kind}, {damage}: {file.name} is not named in: {report.problem}"
    return Trial(time.perf_counter() - began, detection)


def stale_traces(seed: int, directory: Path) -> Trial:
    """C3: what killed processes leave (half a step, temporary files, an owner's file) disturbs nothing."""
    began, rng = time.perf_counter(), random.Random(seed)
    saved(directory)
    stray = directory / "ckpt-2" / f"{rng.getrandbits(64):016x}"
    stray.mkdir()
    (stray / "d").write_bytes(rng.randbytes(100))
    (directory / "ckpt-2" / ".0123abcd.manifest.json").write_text("{")
    (directory / "ckpt-3" / f"{rng.getrandbits(64):016x}").mkdir(parents=True)
    (directory / ".0123abcd.checkpoint").write_text("model")
    owned_by(directory, process(os.getpid()) | {"pid": 1 << 22, "started": 5})
    objects = checkpoint()
    manager = CheckpointManager(objects, directory, KEPT)
    assert manager.restore_or_initialize() == str(directory / "ckpt-2")
    assert step_of(objects) == 2
    detection = time.perf_counter() - began
    set_to(objects, 3)
    assert manager.save() == str(directory / "ckpt-3")
    assert {path.name for path in (directory / "ckpt-3").iterdir()} == _names(directory / "ckpt-3")
    assert not (directory / ".0123abcd.checkpoint").exists()
    again = checkpoint()
    again.restore(latest_checkpoint(directory))
    assert step_of(again) == 3
    return Trial(time.perf_counter() - began, detection)


def second_job(seed: int, directory: Path, savers: Savers) -> Trial:
    """C6: another process saves to the directory; this one is refused, with the owner's number, and writes nothing."""
    began = time.perf_counter()
    saver = savers.start(directory, pause=random.Random(seed).uniform(0.0, 0.2))
    try:
        saver.wait_for("saved 1")
        objects = checkpoint()
        set_to(objects, 7)
        looked = time.perf_counter()
        with pytest.raises(
            FailedPreconditionError, match=f"Process {saver.pid} on {os.uname().nodename} saves"
        ) as raised:
            CheckpointManager(objects, directory, KEPT).save()
        detection = time.perf_counter() - looked
        assert str(directory / NAME) in str(raised.value)
        saver.wait_for("saving 4")  # undisturbed
    finally:
        saver.kill()
    manager = CheckpointManager(objects, directory, KEPT)
    assert manager.restore_or_initialize() is not None
    assert step_of(objects) in (3, 4, 5)
    assert manager.save() is not None  # its owner is dead
    return Trial(time.perf_counter() - began, detection)


def failing_disk(seed: int, directory: Path) -> Trial:
    """C4: EIO from any of the calls that make a save durable; a whole step stays the latest, and the next save works."""
    began, rng = time.perf_counter(), random.Random(seed)
    objects = checkpoint()
    manager = CheckpointManager(objects, directory, KEPT)
    calls, last, fsync = [0], 0, os.fsync

    def failing(handle: int) -> None:
        calls[0] += 1
        if calls[0] == last:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        fsync(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        set_to(objects, 1)
        manager.save()
    # One less: the first save made the directory.
    calls, last = [0], rng.randrange(1, calls[0] - 1)
    set_to(objects, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        looked = time.perf_counter()
        with pytest.raises(OSError, match="Input/output error"):
            manager.save()
        detection = time.perf_counter() - looked
    again = checkpoint()
    again.restore(latest_checkpoint(directory))
    assert step_of(again) in (1, 2)  # 2: only the list of checkpoints was not on disk for certain
    path = manager.save()
    assert path == latest_checkpoint(directory)
    again.restore(path)
    assert step_of(again) == 2
    return Trial(time.perf_counter() - began, detection)


def object_server_ends(seed: int, server: Gateway) -> Trial:
    """C10: an object server fails one request in ten, and is gone in the middle of a save: no good checkpoint is lost."""
    began, rng = time.perf_counter(), random.Random(seed)
    server.rng, directory = rng, f"s3://box/{seed}"
    server.ends_after = None
    objects = checkpoint()
    manager = CheckpointManager(objects, directory, KEPT)
    for step in (1, 2):
        set_to(objects, step)
        manager.save()
    set_to(objects, 3)
    server.ends_after = server.changes + rng.randrange(12)
    looked = time.perf_counter()
    try:
        manager.save()
        ended = False
    except OSError:
        ended = True
    detection = time.perf_counter() - looked
    server.ends_after = None
    again = checkpoint()
    manager = CheckpointManager(again, directory, KEPT)
    assert manager.restore_or_initialize() is not None
    step = step_of(again)
    assert step in (2, 3), f"step {step} is restored"
    assert ended or step == 3, "the save returned, and is not there"
    set_to(again, step + 1)
    assert manager.save() == f"{directory}/ckpt-{step + 1}"
    last = checkpoint()
    last.restore(latest_checkpoint(directory))
    assert step_of(last) == step + 1
    return Trial(time.perf_counter() - began, detection)
