"""A NaN in what is saved is said, and never displaces the last finite checkpoint."""

import logging
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from click.testing import CliRunner

import stratagem as tf
from stratagem._checkpoints import not_finite
from stratagem._core.values import Variable
from stratagem.cli import main
from stratagem.train import Checkpoint, CheckpointManager, latest_checkpoint
from tests.checkpoints.models import read

NAN, INF = float("nan"), float("inf")


@pytest.fixture(autouse=True)
def warnings(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING)
    return caplog


def manager(directory: Path, keep: int | None = 2, **options: Any) -> CheckpointManager:
    return CheckpointManager(Checkpoint(v=Variable(0.0), w=Variable([0.0, 0.0])), directory, keep, **options)


def save(kept: CheckpointManager, *values: float) -> list[str]:
    for value in values:
        kept.checkpoint.v.assign(value)
        kept.save()
    return there(Path(kept.directory))


def there(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob("ckpt-*"))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "bfloat16", "float8_e5m2"])
def test_every_kind_of_number_is_looked_at(dtype: str) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    large = np.full((300, 300), ml_dtypes.finfo(kind).max, kind)  # their sum is infinite
    assert not_finite({"large": large, "none": np.zeros((0,), kind), "one": np.ones((), kind)}) == []
    for value in (NAN, INF, -INF):
        bad, cancels = np.zeros((300, 300), kind), np.zeros((4,), kind)
        bad[200, 7] = value
        cancels[:2] = value, -value
        assert not_finite({"bad": bad, "good": large, "cancels": cancels, "turned": bad.T[::2]}) == ["bad", "cancels"]


def test_what_is_no_floating_point_number_is_finite() -> None:
    arrays = [np.array([1, 2]), np.array([True]), np.array([255], np.uint8), np.array([1], ml_dtypes.int4)]
    assert not_finite({str(i): array for i, array in enumerate(arrays)}) == []


def test_the_last_finite_checkpoint_stays_beyond_max_to_keep(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept = manager(tmp_path)
    assert save(kept, 1.0, 2.0, 3.0) == ["ckpt-2", "ckpt-3"]
    assert save(kept, NAN) == ["ckpt-3", "ckpt-4"]
    assert save(kept, NAN, INF, NAN) == ["ckpt-3", "ckpt-6", "ckpt-7"]
    assert latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-7") == kept.latest_checkpoint  # as in TensorFlow
    assert [line for line in caplog.messages if "not finite" in line] == [
        "Saved values that are not finite (NaN or infinite): v, in "
        f"{str(tmp_path / 'ckpt-4')!r}. The last checkpoint of finite values stays."
    ]
    kept.checkpoint.w.assign([0.0, NAN])
    save(kept, NAN)
    assert "v, w, in" in caplog.text  # what is new is said
    kept.checkpoint.w.assign([0.0, 0.0])
    assert save(kept, 8.0, 9.0) == ["ckpt-10", "ckpt-9"]  # the old one has done its duty


@pytest.mark.parametrize("keep", [1, 3])
def test_it_stays_also_for_a_program_that_was_started_again(
    tmp_path: Path, keep: int, caplog: pytest.LogCaptureFixture
) -> None:
    save(manager(tmp_path, keep), 1.0, NAN)
    for _ in range(3):
        again = manager(tmp_path, keep)
        again.restore_or_initialize()
        save(again, NAN)
    assert len(there(tmp_path)) == keep + 1
    fresh = Checkpoint(v=Variable(0.0))
    fresh.restore(tmp_path / "ckpt-1").expect_partial()
    assert read(fresh.v) == 1.0
    newest = f"Restored values that are not finite (NaN or infinite): v, from {str(tmp_path / 'ckpt-4')!r}. "
    assert f"{newest}The newest finite one beside it is {str(tmp_path / 'ckpt-1')!r}." in caplog.messages


def test_one_that_is_preserved_for_good_needs_no_second_keeping(tmp_path: Path) -> None:
    kept = manager(tmp_path, 1, keep_checkpoint_every_n_hours=1e-12)
    assert save(kept, 1.0, NAN, NAN) == ["ckpt-1", "ckpt-2", "ckpt-3"]
    again = manager(tmp_path, 1)
    again.restore_or_initialize()
    assert save(again, NAN) == ["ckpt-1", "ckpt-2", "ckpt-4"]


@pytest.mark.parametrize("method", ["write", "manager"])
def test_a_finite_checkpoint_whose_place_is_taken_is_kept_beside_it(
    tmp_path: Path, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    objects = Checkpoint(v=Variable(1.0))
    kept = CheckpointManager(objects, tmp_path, 3)

    def save(value: float) -> None:
        objects.v.assign(value)
        objects.write(tmp_path / "ckpt-5") if method == "write" else kept.save(5)

    def value(path: str) -> float:
        objects = Checkpoint(v=Variable(0.0))
        objects.read(tmp_path / path).expect_partial()
        return float(read(objects.v))

    save(1.0)
    save(2.0)
    assert caplog.messages == []
    save(NAN)
    assert (
        f"v, in {str(tmp_path / 'ckpt-5')!r}. What was there is now {str(tmp_path / 'ckpt-5.finite')!r}." in caplog.text
    )
    save(NAN)
    assert value("ckpt-5.finite") == 2.0
    assert np.isnan(value("ckpt-5"))
    save(3.0)
    save(INF)
    assert value("ckpt-5.finite") == 3.0
    assert value("ckpt-5") == INF


def test_the_list_of_the_command_shows_them(tmp_path: Path) -> None:
    save(manager(tmp_path, None), 1.0, NAN)
    lines = CliRunner().invoke(main, ["checkpoint", "list", str(tmp_path)]).output.splitlines()
    assert "NOT FINITE" not in lines[1]
    assert lines[2].endswith("NOT FINITE: v")


def test_a_manifest_without_that_part_is_read(tmp_path: Path) -> None:
    """As earlier versions wrote it."""
    from tests.checkpoints.faults import manifest_of, reseal

    save(manager(tmp_path, None), 1.0)
    body = manifest_of(tmp_path / "ckpt-1")
    assert body["listed"] is True
    assert body["non_finite"] == []
    reseal(tmp_path / "ckpt-1", listed=True, non_finite=["nothing of this name"])
    assert latest_checkpoint(tmp_path) is None


def test_an_estimator_keeps_its_last_finite_checkpoint(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tf1 = tf.compat.v1

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        w = tf1.get_variable("w", (), initializer=tf1.zeros_initializer())
        step = tf1.train.get_global_step()
        train = tf1.group(w.assign_add(tf.reduce_sum(features)), tf1.assign_add(step, 1))
        return tf.estimator.EstimatorSpec(mode, loss=tf.constant(1.0), train_op=train)

    data = np.ones((8, 1), np.float32)
    data[3:] = NAN
    config = tf.estimator.RunConfig(save_checkpoints_steps=1, keep_checkpoint_max=2)
    tf.estimator.Estimator(model_fn, str(tmp_path), config).train(
        lambda: tf.data.Dataset.from_tensor_slices(data).batch(1), steps=8
    )
    assert sorted(path.name for path in tmp_path.glob("model.ckpt-*")) == [f"model.ckpt-{n}" for n in (3, 7, 8)]
    assert tf.train.load_variable(str(tmp_path / "model.ckpt-3"), "w") == 3.0
    assert "not finite (NaN or infinite): w, in" in caplog.text
