"""What is saved is what comes back, whatever Keras calls it."""

import json
from pathlib import Path

import keras
import numpy as np
import pytest

from stratagem._base.errors import CheckpointError, InvalidArgumentError, NotFoundError
from stratagem._core.values import Variable
from stratagem.train import Checkpoint, latest_checkpoint
from tests.checkpoints.models import IMAGES, Counter, Plain, build, create_model, read, same, train, values


def test_the_documents_sequence_restores_an_unbuilt_model_and_optimizer(tmp_path: Path) -> None:
    model, optimizer = create_model(), keras.optimizers.Adam()
    checkpoint = Checkpoint(optimizer=optimizer, model=model)
    train(model, optimizer)
    checkpoint.save(tmp_path / "training_checkpoints" / "ckpt")
    wanted = values(model, optimizer)

    new_model, new_optimizer = create_model(), keras.optimizers.Adam()
    checkpoint = Checkpoint(optimizer=new_optimizer, model=new_model)
    status = checkpoint.restore(latest_checkpoint(tmp_path / "training_checkpoints"))
    assert new_optimizer.iterations == 2
    new_model(IMAGES)
    build(new_optimizer, new_model)

    assert same(wanted, values(new_model, new_optimizer))
    status.assert_consumed()


def test_training_goes_on_as_if_it_had_not_been_interrupted(tmp_path: Path) -> None:
    straight, resumed = create_model(), create_model()
    adam = keras.optimizers.Adam()
    train(straight, adam)
    path = Checkpoint(model=straight, optimizer=adam).save(tmp_path / "ckpt")
    train(straight, adam)

    adam_again = keras.optimizers.Adam()
    Checkpoint(model=resumed, optimizer=adam_again).restore(path)
    train(resumed, adam_again)
    assert same(values(straight, adam), values(resumed, adam_again))


def test_names_come_from_attributes_and_positions(tmp_path: Path) -> None:
    model, optimizer = create_model(), keras.optimizers.Adam()
    train(model, optimizer)
    path = Checkpoint(model=model, optimizer=optimizer, epoch=Variable(3)).write(tmp_path / "one")
    names = set(json.loads(Path(path, "manifest.json").read_text())["arrays"])
    assert {"epoch", "model/layers/0/kernel", "model/layers/3/seed_generator/state", "optimizer/iterations"} <= names
    assert {"model/layers/5/moving_mean", "optimizer/momentums/1", "optimizer/learning_rate"} <= names


def test_save_counts_from_one_and_the_count_is_restored(tmp_path: Path) -> None:
    checkpoint = Checkpoint(v=Variable(1.0))
    assert checkpoint.save(str(tmp_path / "ckpt")) == str(tmp_path / "ckpt-1")
    second = checkpoint.save(tmp_path / "ckpt")
    again = Checkpoint(v=Variable(0.0))
    again.restore(second).assert_consumed()
    assert again.save(tmp_path / "ckpt") == str(tmp_path / "ckpt-3")
    assert again.save_counter.dtype == "int64"


def test_write_and_read_leave_the_counter_alone(tmp_path: Path) -> None:
    path = Checkpoint(v=Variable(4.0)).write(tmp_path / "deep" / "best")
    assert path == str(tmp_path / "deep" / "best")
    assert not (tmp_path / "deep" / "checkpoint").exists()
    again = Checkpoint(v=Variable(0.0))
    again.read(path).assert_consumed()
    assert read(again.v) == 4.0
    Checkpoint(v=Variable(0.0)).restore(path).assert_consumed()


def test_a_counter_made_after_read_continues_the_saved_one(tmp_path: Path) -> None:
    path = Checkpoint(v=Variable(1.0)).save(tmp_path / "ckpt")
    again = Checkpoint(v=Variable(0.0))
    status = again.read(path)
    with pytest.raises(AssertionError, match="save_counter"):
        status.assert_consumed()
    assert again.save(tmp_path / "ckpt").endswith("ckpt-2")


def test_every_dtype_and_shape_comes_back_bit_by_bit(tmp_path: Path) -> None:
    arrays = [np.array(7, np.int64), np.array([1.5], np.float64), np.zeros((0, 3), np.float32), np.array([True, False])]
    arrays += [np.array([3], np.uint32), np.array([-1], np.int8), np.float32([np.nan, np.inf, -0.0])]
    variables = [Variable(a) for a in arrays] + [keras.Variable(np.float32([1 / 3]), dtype="bfloat16")]
    path = Checkpoint(all=variables).save(tmp_path / "ckpt")
    fresh = [keras.Variable(np.zeros(v.shape), dtype=v.dtype) for v in variables]
    Checkpoint(all=fresh).restore(path).assert_consumed()
    assert [read(f).tobytes() for f in fresh] == [read(v).tobytes() for v in variables]


def test_metrics_seeds_lists_dicts_and_nested_checkpoints_are_saved(tmp_path: Path) -> None:
    def parts(x: float) -> Checkpoint:
        metric = keras.metrics.SparseCategoricalAccuracy()
        metric.update_state([1.0, 0.0], np.float32([[0, x], [x, 0]]))
        seeds = keras.random.SeedGenerator(int(x) + 5)
        inner = Checkpoint(a=Variable(x), more={"b": [Variable(x)], 7: Variable(x)})
        return Checkpoint(metric=metric, seeds=seeds, inner=inner, data=Counter(int(x)), net=Plain(w=Variable(x)))

    saved, fresh = parts(1.0), parts(0.0)
    fresh.restore(saved.save(tmp_path / "ckpt")).assert_consumed()
    assert fresh.metric.result() == saved.metric.result()
    assert same(values(fresh.metric), values(saved.metric))
    assert np.array_equal(read(fresh.seeds.state), read(saved.seeds.state))
    assert read(fresh.inner.more["b"][0]) == read(fresh.inner.more[7]) == read(fresh.net.w) == 1.0
    assert fresh.data.at == 1


def test_loss_scaling_optimizers_keep_their_scale_and_their_inner_slots(tmp_path: Path) -> None:
    def optimizer() -> keras.optimizers.Optimizer:
        return keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1, momentum=0.9), initial_scale=8.0)

    model, scaling = create_model(), optimizer()
    model(IMAGES)
    build(scaling, model)
    for i, variable in enumerate(scaling.variables):
        variable.assign(np.full(variable.shape, i + 1))
    path = Checkpoint(model=model, optimizer=scaling).save(tmp_path / "ckpt")
    again, fresh = create_model(), optimizer()
    status = Checkpoint(model=again, optimizer=fresh).restore(path)
    again(IMAGES)
    build(fresh, again)
    assert same(values(model, scaling), values(again, fresh))
    status.assert_consumed()


def test_a_shared_object_is_saved_once_and_found_under_any_of_its_names(tmp_path: Path) -> None:
    model = create_model()
    model(IMAGES)
    path = Checkpoint(model=model, head=model.layers[-1]).save(tmp_path / "ckpt")
    names = json.loads(Path(path, "manifest.json").read_text())["arrays"]
    assert "head/kernel" in names
    assert "model/layers/6/kernel" not in names
    head, whole = keras.layers.Dense(3), create_model()
    Checkpoint(head=head).restore(path).expect_partial()
    head.build((None, 5))
    Checkpoint(model=whole).restore(path).expect_partial()
    whole(IMAGES)
    assert same(values(head), values(model.layers[-1]))
    assert same(values(whole), values(model))


def test_a_root_gives_its_parts_to_the_checkpoint(tmp_path: Path) -> None:
    model = create_model()
    model(IMAGES)
    path = Checkpoint(model, epoch=Variable(2)).save(tmp_path / "ckpt")
    fresh = create_model()
    again = Checkpoint(fresh, epoch=Variable(0))
    again.restore(path)
    fresh(IMAGES)
    assert same(values(model), values(fresh))
    assert read(again.epoch) == 2
    with pytest.raises(ValueError, match=r"keyword argument w if root\.w already exists"):
        Checkpoint(Plain(w=Variable(1.0)), w=Variable(2.0))


def test_a_shape_mismatch_names_the_variable_and_both_shapes_and_changes_nothing(tmp_path: Path) -> None:
    path = Checkpoint(a=Variable(1.0), b=Variable([1.0, 2.0])).save(tmp_path / "ckpt")
    a, b = Variable(0.0), Variable([0.0, 0.0, 0.0], name="bias")
    with pytest.raises(CheckpointError, match=r"b \(variable bias\): shape \(3,\), in the checkpoint \(2,\)"):
        Checkpoint(a=a, b=b).restore(path)
    assert read(a) == 0.0
    assert isinstance(CheckpointError(""), ValueError)


def test_a_dtype_mismatch_names_the_variable_and_changes_nothing(tmp_path: Path) -> None:
    path = Checkpoint(a=Variable(1.0), b=Variable(2.0)).save(tmp_path / "ckpt")
    a, b = Variable(0.0), Variable(0, name="step")
    with pytest.raises(InvalidArgumentError, match=r"b \(variable step\): dtype int32, in the checkpoint float32"):
        Checkpoint(a=a, b=b).restore(path)
    assert read(a) == 0.0


def test_a_missing_path_is_not_found(tmp_path: Path) -> None:
    for load in (Checkpoint(v=Variable(1.0)).restore, Checkpoint(v=Variable(1.0)).read):
        with pytest.raises(NotFoundError, match="nothing is there"):
            load(tmp_path / "ckpt-9")


@pytest.mark.parametrize("value", [3, None, np.zeros(2), "x", abs])
def test_what_holds_no_variables_is_refused_by_name(value: object) -> None:
    with pytest.raises(ValueError, match="expecting v to be a trackable object"):
        Checkpoint(v=value)


def test_a_state_that_is_no_json_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"state of data \(Counter\) cannot be kept as JSON"):
        Checkpoint(data=Counter(at=b"\0")).save(tmp_path / "ckpt")


def test_a_dictionary_key_that_cannot_be_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"under the key \(1, 2\)"):
        Checkpoint(parts={(1, 2): Variable(1.0)}).save(tmp_path / "ckpt")


def test_names_with_slashes_stay_apart(tmp_path: Path) -> None:
    def parts(x: float) -> Checkpoint:
        return Checkpoint(d={"a/b": Variable(x), "a": {"b": Variable(2 * x)}, "a%2Fb": Variable(3 * x)})

    fresh = parts(0.0)
    fresh.restore(parts(1.0).save(tmp_path / "ckpt")).assert_consumed()
    assert [read(fresh.d["a/b"]), read(fresh.d["a"]["b"]), read(fresh.d["a%2Fb"])] == [1.0, 2.0, 3.0]
