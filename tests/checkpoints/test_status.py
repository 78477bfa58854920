"""The questions that `restore` lets one ask, answered as TensorFlow answers them."""

from pathlib import Path

import keras
import pytest

from stratagem._base.errors import NotFoundError
from stratagem._core.values import Variable
from stratagem.train import Checkpoint, list_variables, load_checkpoint
from tests.checkpoints.models import Plain


@pytest.fixture
def path(tmp_path: Path) -> str:
    return Checkpoint(v=Variable(1.0), net=Plain(w=Variable([2.0, 3.0]))).save(tmp_path / "ckpt")


def test_nothing_to_restore_is_no_match() -> None:
    status = Checkpoint(v=Variable(1.0)).restore(None)
    for question in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(AssertionError, match="No checkpoint specified"):
            question()
    assert status.expect_partial() is status


def test_a_value_that_nobody_took_is_not_consumed(path: str) -> None:
    status = Checkpoint(v=Variable(0.0)).restore(path).expect_partial()
    status.assert_existing_objects_matched().assert_nontrivial_match()
    with pytest.raises(AssertionError, match=r"1 values .* were not used: net/w"):
        status.assert_consumed()


def test_an_object_without_a_value_is_not_matched(path: str) -> None:
    checkpoint = Checkpoint(v=Variable(0.0), net=Plain(w=Variable([0.0, 0.0])), extra=Variable(0.0))
    status = checkpoint.restore(path)
    for question in (status.assert_existing_objects_matched, status.assert_consumed):
        with pytest.raises(AssertionError, match=r"1 Python objects have no value .*: extra"):
            question()


def test_an_unbuilt_layer_without_a_counterpart_is_not_matched(path: str) -> None:
    status = Checkpoint(v=Variable(0.0), layer=keras.layers.Dense(1)).restore(path).expect_partial()
    with pytest.raises(AssertionError, match="layer"):
        status.assert_existing_objects_matched()


def test_nothing_in_common_is_a_trivial_match(tmp_path: Path) -> None:
    path = Checkpoint(a=Variable(1.0)).write(tmp_path / "one")
    with pytest.raises(AssertionError, match=r"Nothing in checkpoint .*: b"):
        Checkpoint(b=Variable(1.0)).read(path).expect_partial().assert_nontrivial_match()


def test_a_reader_shows_the_arrays_under_tensorflows_names(path: str) -> None:
    name = "net/w/.ATTRIBUTES/VARIABLE_VALUE"
    assert (name, [2]) in list_variables(path)
    reader = load_checkpoint(Path(path).parent)
    assert reader.get_variable_to_shape_map()[name] == [2]
    assert str(reader.get_variable_to_dtype_map()[name]) == "float32"
    assert reader.get_tensor(name).tolist() == reader.get_tensor("net/w").tolist() == [2.0, 3.0]
    assert reader.has_tensor("v")
    with pytest.raises(NotFoundError, match="Key x not found"):
        reader.get_tensor("x")


def test_a_reader_of_nothing_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        load_checkpoint(tmp_path / "absent")
