"""Values wait for variables that do not exist yet; of overlapping restores the last wins."""

import gc
import logging
import weakref
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from stratagem._base.errors import CheckpointError
from stratagem._core.values import Variable
from stratagem._private import announce_build

# Private: a callback that nobody needs any more would be called for ever, at every build of a layer.
from stratagem._private._layers import _builders
from stratagem.train import Checkpoint
from tests.checkpoints.models import IMAGES, Plain, build, create_model, read, same, train, values


@pytest.fixture(autouse=True)
def _no_callback_stays() -> Any:
    gc.collect()  # what other tests left
    before = list(_builders)
    yield
    gc.collect()
    assert _builders == before


class Lazy(keras.Model):  # type: ignore[misc]
    """Makes a layer when it is first called."""

    def __init__(self) -> None:
        super().__init__()
        self.first = keras.layers.Dense(4)
        self.blocks = [keras.layers.Dense(4), {"deep": keras.layers.Dense(2)}]

    def call(self, x: Any) -> Any:
        x = self.first(x)
        return self.blocks[1]["deep"](self.blocks[0](x))


def saved_lazy(directory: Path) -> tuple[Lazy, str]:
    model = Lazy()
    model(np.ones((1, 3), np.float32))
    return model, Checkpoint(model=model).save(directory / "ckpt")


def test_layers_in_attributes_lists_and_dicts_are_restored_when_built(tmp_path: Path) -> None:
    model, path = saved_lazy(tmp_path)
    fresh = Lazy()
    status = Checkpoint(model=fresh).restore(path)
    with pytest.raises(AssertionError, match="model/first/kernel"):
        status.assert_consumed()
    x = np.ones((1, 3), np.float32)
    assert np.array_equal(fresh(x), model(x))  # the very first call sees the restored values
    status.assert_consumed()


def test_the_callback_ends_when_everything_was_used(tmp_path: Path) -> None:
    _, path = saved_lazy(tmp_path)
    fresh = Lazy()
    checkpoint = Checkpoint(model=fresh)
    before = len(_builders)
    checkpoint.restore(path)
    assert len(_builders) == before + 1
    fresh(np.ones((1, 3), np.float32))
    assert len(_builders) == before


def test_a_value_is_given_once(tmp_path: Path) -> None:
    model, optimizer = create_model(), keras.optimizers.Adam()
    train(model, optimizer)
    path = Checkpoint(model=model, optimizer=optimizer).save(tmp_path / "ckpt")
    fresh, adam = create_model(), keras.optimizers.Adam()
    Checkpoint(model=fresh, optimizer=adam).restore(path)
    fresh(IMAGES)
    fresh.layers[0].kernel.assign(np.zeros(fresh.layers[0].kernel.shape))
    build(adam, fresh)  # the optimizer's values arrive; the kernel's had their turn
    assert not read(fresh.layers[0].kernel).any()


def test_a_checkpoint_object_need_not_outlive_the_line_that_restores(tmp_path: Path) -> None:
    model, path = saved_lazy(tmp_path)
    fresh = Lazy()
    Checkpoint(model=fresh).restore(path).expect_partial()
    gc.collect()
    fresh(np.ones((1, 3), np.float32))
    assert same(values(model), values(fresh))


def test_a_root_outlives_its_checkpoint_object(tmp_path: Path) -> None:
    model = Lazy()
    model(np.ones((1, 3), np.float32))
    path = Checkpoint(model).save(tmp_path / "ckpt")
    fresh = Lazy()
    Checkpoint(fresh).restore(path).expect_partial()
    fresh(np.ones((1, 3), np.float32))
    assert same(values(model), values(fresh))


def test_waiting_keeps_nothing_alive_and_says_what_was_never_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _, path = saved_lazy(tmp_path)
    fresh = Lazy()
    gone = weakref.ref(fresh)
    Checkpoint(model=fresh).restore(path)
    del fresh
    with caplog.at_level(logging.WARNING):
        gc.collect()
    assert gone() is None
    assert "6 values of checkpoint" in caplog.text
    assert "model/first/kernel" in caplog.text


def test_expect_partial_silences_the_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _, path = saved_lazy(tmp_path)
    Checkpoint(model=Lazy()).restore(path).expect_partial()
    gc.collect()
    assert not caplog.records


def test_a_later_restore_takes_the_place_of_a_waiting_one(tmp_path: Path) -> None:
    first, path = saved_lazy(tmp_path / "a")
    second, later = saved_lazy(tmp_path / "b")
    fresh = Lazy()
    checkpoint = Checkpoint(model=fresh)
    before = len(_builders)
    checkpoint.restore(path)
    checkpoint.restore(later)
    assert len(_builders) == before + 1
    fresh(np.ones((1, 3), np.float32))
    assert same(values(second), values(fresh))
    assert not same(values(first), values(fresh))


@pytest.mark.parametrize("last", ["first", "second"])
def test_of_overlapping_restores_the_last_call_wins_whenever_its_value_arrives(tmp_path: Path, last: str) -> None:
    paths = {name: Checkpoint(dep=Variable(x)).save(tmp_path / name) for name, x in (("first", 12.0), ("second", 13.0))}
    roots = {"first": Checkpoint(), "second": Checkpoint()}
    order = sorted(roots, key=lambda name: name == last)
    for name in order:
        roots[name].restore(paths[name])
    variable = Variable(0.0)
    roots["first"].dep = variable
    assert read(variable) == 12.0
    roots["second"].dep = variable
    assert read(variable) == {"first": 12.0, "second": 13.0}[last]


def test_a_late_attribute_of_the_checkpoint_gets_its_value_at_once(tmp_path: Path) -> None:
    path = Checkpoint(v=Variable(1.0), w=[Variable(2.0)]).save(tmp_path / "ckpt")
    checkpoint = Checkpoint(v=Variable(0.0))
    status = checkpoint.restore(path)
    status.assert_existing_objects_matched()
    checkpoint.w = [Variable(0.0)]
    assert read(checkpoint.w[0]) == 2.0
    status.assert_consumed()


def test_a_late_attribute_of_a_plain_object_is_found_when_asked(tmp_path: Path) -> None:
    path = Checkpoint(net=Plain(w=Variable(2.0))).save(tmp_path / "ckpt")
    net: Any = Plain()
    status = Checkpoint(net=net).restore(path)
    net.w = Variable(0.0)
    status.assert_consumed()
    assert read(net.w) == 2.0


def test_a_layer_that_does_not_fit_says_so_when_it_is_built(tmp_path: Path) -> None:
    model = create_model()
    model(IMAGES)
    path = Checkpoint(model=model).save(tmp_path / "ckpt")
    model = create_model()
    model.pop()
    model.add(keras.layers.Dense(9))
    Checkpoint(model=model).restore(path).expect_partial()
    with pytest.raises(CheckpointError, match=r"model/layers/6/kernel.*shape \(5, 9\), in the checkpoint \(5, 3\)"):
        model(IMAGES)
    keras.layers.Dense(2).build((None, 2))  # others can be built


def test_a_misfit_that_keras_swallows_is_logged_and_raised_at_the_next_build(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _, path = saved_lazy(tmp_path)
    fresh = Lazy()
    fresh.blocks[1]["deep"] = keras.layers.Dense(9)
    Checkpoint(model=fresh).restore(path).expect_partial()
    fresh(np.ones((1, 3), np.float32))  # Keras' trial call fails, its second one finds everything built
    assert "shape (4, 9), in the checkpoint (4, 2)" in caplog.text
    with pytest.raises(CheckpointError, match="model/blocks/1/deep/kernel"):
        build(keras.optimizers.SGD(), fresh)


def test_variables_made_in_an_abstract_trace_start_with_the_saved_values(tmp_path: Path) -> None:
    model, path = saved_lazy(tmp_path)
    fresh = Lazy()
    Checkpoint(model=fresh).restore(path)
    with keras.StatelessScope():
        fresh(np.ones((1, 3), np.float32))
    assert same(values(model), values(fresh))


def test_an_existing_variable_is_not_assigned_inside_a_trace(tmp_path: Path) -> None:
    path = Checkpoint(v=Variable(5.0)).save(tmp_path / "ckpt")
    checkpoint = Checkpoint()
    checkpoint.restore(path)
    variable = Variable(0.0)
    with keras.StatelessScope():
        checkpoint.v = variable
    assert read(variable) == 0.0
    announce_build(None)  # as at the end of the trace
    assert read(variable) == 5.0


def test_mixed_precision_layers_built_inside_others_are_restored_in_float32(tmp_path: Path) -> None:
    def model() -> Any:
        keras.config.set_dtype_policy("mixed_float16")
        try:
            return Lazy()
        finally:
            keras.config.set_dtype_policy("float32")

    x = np.ones((1, 3), np.float32)
    one, other, traced = model(), model(), model()
    one(x)
    path = Checkpoint(model=one).save(tmp_path / "ckpt")
    for fresh in (other, traced):
        Checkpoint(model=fresh).restore(path)
    other(x)
    with keras.StatelessScope():
        traced(x)
    assert same(values(one), values(other))
    assert same(values(one), values(traced))
    assert read(traced.first.kernel).dtype == np.float32
