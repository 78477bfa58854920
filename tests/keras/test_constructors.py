"""Arguments and methods of Keras 2 that Keras 3 refuses give TensorFlow's numbers; so does normalization over all replicas."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.keras import keras2_programs

RECORDED = json.loads((Path(__file__).parent / "recorded" / "keras2.json").read_text())
pytestmark = pytest.mark.filterwarnings(
    "ignore:Do not pass an `input_shape`:UserWarning", "ignore:`shuffle=True` was passed:UserWarning"
)


def agree(mine: Any, theirs: Any, tolerance: float) -> None:
    """Compares nests of numbers, by the same keys."""
    if isinstance(theirs, dict):
        assert sorted(mine) == sorted(theirs)
        mine, theirs = list(mine.values()), [theirs[name] for name in mine]
    if isinstance(theirs, list) and any(isinstance(each, dict | list) for each in theirs):
        assert len(mine) == len(theirs)
        for one, other in zip(mine, theirs, strict=True):
            agree(one, other, tolerance)
    else:
        np.testing.assert_allclose(np.array(mine, float), np.array(theirs, float), rtol=tolerance, atol=tolerance)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "tolerance"),
    [("arguments_of_keras_2", 1e-6), ("models_that_read_generators", 1e-6), ("shapes_of_symbols", 0.0)],
)
def test_a_program_of_keras_2_gives_tensorflows_numbers(name: str, tolerance: float) -> None:
    agree(keras2_programs.PROGRAMS[name](tf), RECORDED[name], tolerance)


@pytest.mark.parametrize("masked", [False, True])
def test_replicas_normalize_over_all_rows(masked: bool) -> None:
    agree(keras2_programs.normalize_over_all_rows(tf, masked=masked), RECORDED["synchronized"][str(masked)], 2e-5)


def test_a_synchronized_layer_is_saved(tmp_path: Path) -> None:
    layer = tf.keras.layers.BatchNormalization(synchronized=True)
    model = tf.keras.Sequential([tf.keras.Input((3,)), layer, tf.keras.layers.experimental.SyncBatchNormalization()])
    model.save(tmp_path / "model.keras")
    loaded = tf.keras.models.load_model(tmp_path / "model.keras")
    assert [each.synchronized for each in loaded.layers] == [True, True]
    assert isinstance(loaded.layers[1], tf.keras.layers.experimental.SyncBatchNormalization)
    assert not tf.keras.layers.BatchNormalization().synchronized


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "SimpleRNN", "Attention", "AdditiveAttention"])
def test_modes_of_keras_2_are_refused_with_what_to_write_and_may_be_off(kind: str) -> None:
    layer, of = getattr(tf.keras.layers, kind), () if "Attention" in kind else (1,)
    name, advice = ("causal", "use_causal_mask=True") if "Attention" in kind else ("time_major", "transpose")
    layer(*of, **{name: False})
    with pytest.raises(tf.errors.UnimplementedError, match=f"{name}=True is not implemented: .*{advice}"):
        layer(*of, **{name: True})


@pytest.mark.parametrize("name", ["add_slot", "add_weight", "get_gradients", "get_updates"])
def test_an_optimizers_lost_method_says_what_to_use(name: str) -> None:
    for optimizer in (tf.keras.optimizers.SGD(), tf.keras.optimizers.legacy.SGD()):
        with pytest.raises(AttributeError, match=f"no `{name}`, as in Keras 3: .*(variable|GradientTape)"):
            getattr(optimizer, name)


def test_what_has_no_meaning_here_is_still_refused() -> None:
    with pytest.raises(ValueError, match="virtual_batch_size"):
        tf.keras.layers.BatchNormalization(virtual_batch_size=2)
    with pytest.raises(ValueError, match="dynamic"):
        tf.keras.layers.Dense(1, dynamic=True)
    with pytest.raises(ValueError, match=r"Unrecognized arguments in `TensorBoard` Callback: \['other'\]"):
        tf.keras.callbacks.TensorBoard("logs", other=1)
    tf.keras.callbacks.TensorBoard("logs", write_grads=True, batch_size=3)
