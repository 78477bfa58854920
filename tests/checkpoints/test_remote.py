"""Checkpoints on remote file systems: whole or absent whichever request fails, verified, and named when they are damaged."""

import contextlib
import gc
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import stratagem as tf
from stratagem._events import read_scalars
from stratagem.cli import main
from stratagem.errors import DataLossError, FailedPreconditionError, NotFoundError, UnavailableError
from tests.base.faulty_storage import FaultyFileSystem, failing_changes, faulty_storage
from tests.checkpoints.faults import reseal

TENSORFLOW = tf.train.CheckpointOptions(format="tensorflow")


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[FaultyFileSystem]]:
    """The file system with faults, and no pauses between attempts."""
    # Below the door: pauses and attempts, which no caller chooses.
    monkeypatch.setattr("stratagem._base.storage._requests._FIRST_PAUSE", 0.0)
    # The same.
    monkeypatch.setattr("stratagem._base.storage._requests.ATTEMPTS", 2)
    with faulty_storage() as made:
        yield made


def objects(value: float = 0.0) -> Any:
    return tf.train.Checkpoint(v=tf.Variable([value, value]))


def value_in(path: str) -> float:
    made = objects(-1.0)
    made.read(path).expect_partial()
    first, second = np.asarray(made.v.value)
    assert first == second
    return float(first)


def test_a_manager_saves_lists_restores_and_deletes(faulty: type[FaultyFileSystem]) -> None:
    manager = tf.train.CheckpointManager(objects(), "faulty://b/m", max_to_keep=2)
    for value in (1.0, 2.0, 3.0):
        manager.checkpoint.v.assign([value, value])
        manager.save()
    assert manager.checkpoints == ["faulty://b/m/ckpt-2", "faulty://b/m/ckpt-3"]
    assert tf.train.latest_checkpoint("faulty://b/m") == "faulty://b/m/ckpt-3"
    again = tf.train.CheckpointManager(objects(), "faulty://b/m", max_to_keep=2)
    assert again.restore_or_initialize() == "faulty://b/m/ckpt-3"
    assert np.asarray(again.checkpoint.v.value).tolist() == [3.0, 3.0]
    assert again.checkpoints == manager.checkpoints
    assert sorted(tf.io.gfile.listdir("faulty://b/m")) == [".owner.json", "checkpoint", "ckpt-2", "ckpt-3"]
    assert {name for name, _ in tf.train.list_variables("faulty://b/m/ckpt-2")} >= {"v/.ATTRIBUTES/VARIABLE_VALUE"}


@pytest.mark.parametrize("options", [None, TENSORFLOW], ids=["own", "tensorflow"])
def test_whichever_request_is_the_last_one_the_earlier_save_or_the_new_one_is_there(
    faulty: type[FaultyFileSystem], options: Any
) -> None:
    made, path = objects(1.0), "faulty://b/ck"
    made.write(path, options)
    made.v.assign([2.0, 2.0])
    ended, values = False, []
    for last in range(100):
        faulty.fault = staticmethod(failing_changes(last))
        try:
            made.write(path, options)
            ended = True
        except UnavailableError:
            pass
        faulty.fault = staticmethod(lambda request, path: None)
        values.append(value_in(path))
        if ended:
            break
    assert ended
    assert values == sorted(values), "once the new one was there it went again"
    assert (values[0], values[-1]) == (1.0, 2.0)
    made.v.assign([3.0, 3.0])
    made.write(path, options)
    assert value_in(path) == 3.0
    left = tf.io.gfile.glob("faulty://b/ck/*") if options is None else tf.io.gfile.glob("faulty://b/ck.*")
    assert len(left) == (2 if options is None else 3), f"interrupted saves have left {left}"


def test_the_manifest_is_one_request_after_all_files(faulty: type[FaultyFileSystem]) -> None:
    objects(1.0).write("faulty://b/ck")
    written = [
        path for request, path in faulty.requests if request in ("pipe_file", "put_file") and ".owner" not in path
    ]
    assert [path for path in written if path.endswith("manifest.json")] == [written[-1]]
    assert len(written) == len(set(written)) == 2


def test_requests_that_fail_in_passing_do_not_show(faulty: type[FaultyFileSystem]) -> None:
    count = 0

    def fault(request: str, path: str) -> None:
        nonlocal count
        count += 1
        if count % 10 == 3:
            raise ConnectionResetError("in passing")

    faulty.fault = staticmethod(fault)
    manager = tf.train.CheckpointManager(objects(1.0), "faulty://b/m", max_to_keep=2)
    for _ in range(3):
        manager.save()
    assert tf.train.CheckpointManager(objects(), "faulty://b/m", 2).restore_or_initialize() == "faulty://b/m/ckpt-3"
    assert count > 100


@pytest.mark.parametrize("change", ["flip", "cut", "remove"])
@pytest.mark.parametrize("options", [None, TENSORFLOW], ids=["own", "tensorflow"])
def test_a_damaged_object_is_named_and_passed_over(faulty: type[FaultyFileSystem], options: Any, change: str) -> None:
    made = objects(1.0)
    made.save("faulty://b/m/ck", options)
    made.save("faulty://b/m/ck", options)
    for path in [path for path in faulty.store if "/ck-2" in path]:
        whole = faulty.store[path].getvalue()
        if not whole:
            continue  # a shard without tensors
        damaged = {"flip": whole[:-9] + bytes([whole[-9] ^ 4]) + whole[-8:], "cut": whole[:-1], "remove": b""}[change]
        fresh = FaultyFileSystem()
        if change == "remove":
            fresh.rm_file(path)
        else:
            fresh.pipe_file(path, damaged)
        with pytest.raises((DataLossError, NotFoundError)) as raised:
            objects().read("faulty://b/m/ck-2")
        assert os.path.basename(path).removesuffix(".index") in str(raised.value)
        if options is None:  # others are not numbered folders, which are found without the list
            assert tf.train.latest_checkpoint("faulty://b/m") == "faulty://b/m/ck-1"
        else:
            assert tf.train.latest_checkpoint("faulty://b/m") is None
        fresh.pipe_file(path, whole)
    assert tf.train.latest_checkpoint("faulty://b/m") == "faulty://b/m/ck-2"
    assert value_in("faulty://b/m/ck-2") == 1.0


@pytest.mark.parametrize(
    "changes",
    [
        {"files": {"../../../secret": {"bytes": 4, "crc32c": "00000000"}}},
        {"files": {"/secret": {"bytes": 4, "crc32c": "00000000"}}},
        {"generation": "../../secret"},
    ],
    ids=lambda changes: json.dumps(changes)[:30],
)
def test_a_hostile_manifest_is_refused(faulty: type[FaultyFileSystem], tmp_path: Path, changes: dict[str, Any]) -> None:
    step = Path(objects(1.0).write(tmp_path / "ck"))
    reseal(step, **changes)
    for file in (each for each in step.rglob("*") if each.is_file()):
        tf.io.gfile.copy(file, f"faulty://b/ck/{file.relative_to(step).as_posix()}")
    tf.io.write_file("faulty://secret", "text")
    faulty.requests.clear()
    with pytest.raises(DataLossError):
        value_in("faulty://b/ck")
    assert not any("secret" in path for _, path in faulty.requests)


@pytest.mark.parametrize("listed", ["../n/ck-1", "faulty://b/n/ck-1", "/b/n/ck-1"])
def test_a_list_that_leads_out_of_its_directory_is_not_followed(faulty: type[FaultyFileSystem], listed: str) -> None:
    objects(1.0).save("faulty://b/n/ck")
    tf.io.write_file("faulty://b/m/checkpoint", f'model_checkpoint_path: "{listed}"\n')
    assert tf.train.latest_checkpoint("faulty://b/m") is None


def test_a_local_list_does_not_lead_to_other_machines(
    faulty: type[FaultyFileSystem], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects(1.0).save("faulty://b/n/ck")
    monkeypatch.chdir(tmp_path)
    Path("checkpoint").write_text('model_checkpoint_path: "faulty://b/n/ck-1"\n')
    faulty.requests.clear()
    assert tf.train.latest_checkpoint("") is None
    assert not any("ck-1" in path for _, path in faulty.requests)


def test_a_second_job_is_refused(faulty: type[FaultyFileSystem]) -> None:
    made = objects(1.0)
    made.save("faulty://b/m/ck")
    owner = json.loads(faulty.store["/b/m/.owner.json"].getvalue())
    tf.io.write_file("faulty://b/m/.owner.json", json.dumps({**owner, "pid": 1, "started": _started(1)}))
    with pytest.raises(FailedPreconditionError, match=r"saves its checkpoints to 'faulty://b/m'"):
        objects(2.0).save("faulty://b/m/ck")


def _started(process: int) -> int:
    """The start of a process that runs, in clock ticks, as the system counts them."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19])


def test_values_that_are_not_finite_leave_the_last_finite_ones(faulty: type[FaultyFileSystem]) -> None:
    made = objects(1.0)
    for options, path in ((None, "faulty://b/own"), (TENSORFLOW, "faulty://b/theirs")):
        made.v.assign([1.0, 1.0])
        made.write(path, options)
        made.v.assign([np.nan, np.nan])
        made.write(path, options)
        assert value_in(f"{path}.finite") == 1.0


def test_a_saved_model_with_an_asset(faulty: type[FaultyFileSystem], tmp_path: Path) -> None:
    module = tf.Module()
    module.v = tf.Variable(3.0)
    tf.io.write_file("faulty://b/words", "one\n")
    module.words = tf.saved_model.Asset("faulty://b/words")
    module.f = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec([None])])
    assert not tf.saved_model.contains_saved_model("faulty://b/model")
    tf.saved_model.save(module, "faulty://b/model")
    assert tf.saved_model.contains_saved_model("faulty://b/model")
    loaded = tf.saved_model.load("faulty://b/model")
    assert np.asarray(loaded.f(np.ones(2, "float32"))).tolist() == [3.0, 3.0]
    assert tf.io.read_file(loaded.words.asset_path) == b"one\n"
    copy = Path(os.fsdecode(loaded.words.asset_path.item()))
    del loaded
    gc.collect()  # from Python 3.14 on it is part of a cycle
    assert not copy.exists(), "the copy of a remote SavedModel stays behind"


def test_the_command_on_remote_checkpoints(faulty: type[FaultyFileSystem], tmp_path: Path) -> None:
    made = objects(1.0)
    made.save("faulty://b/m/ck")
    made.v.assign([1.0, 4.0])
    made.save("faulty://b/m/ck")

    def run(*arguments: str) -> tuple[int, str]:
        ended = CliRunner().invoke(main, ["checkpoint", *arguments])
        return ended.exit_code, ended.output

    code, listed = run("ls", "faulty://b/m", "--json")
    found = json.loads(listed)
    assert code == 0
    assert [(each["path"], each["latest"], each["problem"]) for each in found] == [
        ("faulty://b/m/ck-1", False, ""),
        ("faulty://b/m/ck-2", True, ""),
    ]
    assert run("show", "faulty://b/m/ck-2", "--values")[1].count("[1.0, 4.0]") == 1
    code, differences = run("diff", "faulty://b/m/ck-1", "faulty://b/m/ck-2")
    assert (code, "by at most 3" in differences) == (1, True)
    for target in ("faulty://b/t/ck", str(tmp_path / "ck")):
        assert run("convert", "faulty://b/m", target, "--to", "tensorflow")[0] == 0
        assert run("diff", "faulty://b/m/ck-2", target)[0] == 0
        code, refused = run("convert", "faulty://b/m", target, "--to", "tensorflow")
        assert (code, "There is something at" in refused) == (2, True)
    code, listed = run("ls", "faulty://b/t", "--json")
    assert [(each["path"], each["format"]) for each in json.loads(listed)] == [("faulty://b/t/ck", "tensorflow")]
    assert run("verify", "faulty://b/t/ck")[0] == run("verify", "faulty://b/m")[0] == 0
    (path,) = (path for path in faulty.store if "/ck-2/" in path and path.endswith("arrays.safetensors"))
    FaultyFileSystem().pipe_file(path, faulty.store[path].getvalue()[:-1] + b"?")
    code, problems = run("verify", "faulty://b/m")
    assert (code, "arrays.safetensors" in problems) == (1, True)
    assert run("ls", "faulty://b/none")[0] == 2


def test_a_server_that_is_gone_is_no_damage(faulty: type[FaultyFileSystem]) -> None:
    made = objects(1.0)
    for options, path in ((None, "faulty://b/own"), (TENSORFLOW, "faulty://b/theirs")):
        made.write(path, options)
        for end in ("json", "arrays.safetensors", "index", "00001"):

            def fault(request: str, path: str, end: str = end) -> None:
                if request == "cat_file" and path.endswith(end):
                    raise ConnectionResetError("gone")

            faulty.fault = staticmethod(fault)
            concerned = (options is None) == (end in ("json", "arrays.safetensors"))
            with pytest.raises(UnavailableError) if concerned else contextlib.nullcontext():
                value_in(path)
        faulty.fault = staticmethod(lambda request, path: None)


@pytest.mark.parametrize("listed", ["ck-1", "faulty://b/m/ck-1"])
def test_a_list_may_have_whole_paths(faulty: type[FaultyFileSystem], listed: str) -> None:
    objects(1.0).save("faulty://b/m/ck")
    objects(1.0).save("faulty://b/m/other")
    tf.io.write_file("faulty://b/m/checkpoint", f'model_checkpoint_path: "{listed}"\n')
    assert tf.train.latest_checkpoint("faulty://b/m") == "faulty://b/m/ck-1"


def test_a_saver_of_tensorflow_1_and_its_event_files(faulty: type[FaultyFileSystem]) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    saver = tf.compat.v1.train.Saver({"v": v}, max_to_keep=2)
    for step in (1, 2, 3):
        v.assign([1.0, step])
        assert saver.save(None, "faulty://b/s/model", step) == f"faulty://b/s/model-{step}"
    assert tf.train.latest_checkpoint("faulty://b/s") == "faulty://b/s/model-3"
    assert not tf.io.gfile.glob("faulty://b/s/model-1.*")
    saver.restore(None, "faulty://b/s/model-2")
    assert np.asarray(v.value).tolist() == [1.0, 2.0]
    saver.recover_last_checkpoints(["faulty://b/s/model-1", "faulty://b/s/model-2"])
    assert saver.last_checkpoints == ["faulty://b/s/model-2"]
    with tf.compat.v1.summary.FileWriter("faulty://b/logs") as writer:
        writer.add_summary(tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="a", simple_value=3.0)]), 5)
    assert read_scalars("faulty://b/logs") == {5: {"a": 3.0}}
    assert read_scalars("faulty://b/none") == {}


def test_nothing_there(faulty: type[FaultyFileSystem]) -> None:
    with pytest.raises(NotFoundError, match="No checkpoint at 'faulty://b/none': nothing is there"):
        objects().restore("faulty://b/none")
    with pytest.raises(OSError, match="SavedModel file does not exist at: faulty://b/none"):
        tf.saved_model.load("faulty://b/none")
    assert tf.train.latest_checkpoint("faulty://b") is None
    assert tf.train.get_checkpoint_state("faulty://b") is None
