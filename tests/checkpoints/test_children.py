"""Every variable that Keras knows of has a name of its own, whatever made it."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

# Private: what a survey costs.
from stratagem._checkpoints import _class_kinds
from stratagem._checkpoints._class_kinds import class_facts
from stratagem.train import Checkpoint, list_variables
from tests.checkpoints.models import Plain, create_model
from tests.thorough import thorough_but

L = keras.layers
SEQUENCE, IMAGE = np.ones((2, 4, 3), np.float32), np.ones((2, 6, 6, 2), np.float32)

LAYERS: dict[str, tuple[Callable[[], Any], np.ndarray]] = {
    "Bidirectional": (lambda: L.Bidirectional(L.LSTM(2, return_sequences=True)), SEQUENCE),
    "RNN of cells": (lambda: L.RNN([L.GRUCell(2), L.LSTMCell(3)]), SEQUENCE),
    "GRU with dropout": (lambda: L.GRU(2, dropout=0.1, recurrent_dropout=0.1), SEQUENCE),
    "stateful LSTM": (lambda: L.LSTM(2, stateful=True), SEQUENCE),
    "TimeDistributed": (lambda: L.TimeDistributed(L.Dense(2)), SEQUENCE),
    "Conv1D": (lambda: L.Conv1D(2, 3), SEQUENCE),
    "SeparableConv2D": (lambda: L.SeparableConv2D(2, 3), IMAGE),
    "ConvLSTM1D": (lambda: L.ConvLSTM1D(2, 3), IMAGE),
    "BatchNormalization": (lambda: L.BatchNormalization(), IMAGE),
    "SpectralNormalization": (lambda: L.SpectralNormalization(L.Conv2D(2, 3)), IMAGE),
    "GroupNormalization": (lambda: L.GroupNormalization(1), IMAGE),
    "RandomFlip": (lambda: L.RandomFlip(), IMAGE),
    "Dense with LoRA": (lambda: L.Dense(2, lora_rank=1), SEQUENCE),
    "EinsumDense": (lambda: L.EinsumDense("abc,cd->abd", output_shape=(None, 5), bias_axes="d"), SEQUENCE),
}

METRICS = [keras.metrics.Mean, keras.metrics.AUC, keras.metrics.SparseCategoricalAccuracy, keras.metrics.R2Score]
METRICS += [
    lambda: keras.metrics.MeanIoU(3),
    lambda: keras.metrics.PrecisionAtRecall(0.5),
    keras.metrics.MeanMetricWrapper,
]

OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "SGD": keras.optimizers.SGD,
    "Adam": keras.optimizers.Adam,
    "AdamW": keras.optimizers.AdamW,
    "RMSprop": keras.optimizers.RMSprop,
    "Adagrad": keras.optimizers.Adagrad,
    "Adadelta": keras.optimizers.Adadelta,
    "Adamax": keras.optimizers.Adamax,
    "Nadam": keras.optimizers.Nadam,
    "Ftrl": keras.optimizers.Ftrl,
    "Lion": keras.optimizers.Lion,
    "Adafactor": keras.optimizers.Adafactor,
    "Muon": keras.optimizers.Muon,
    "Lamb": keras.optimizers.Lamb,
    "SGD with Nesterov's momentum": lambda: keras.optimizers.SGD(momentum=0.9, nesterov=True),
    "Adam with every option": lambda: keras.optimizers.Adam(amsgrad=True, use_ema=True, gradient_accumulation_steps=2),
    "centered RMSprop": lambda: keras.optimizers.RMSprop(centered=True, momentum=0.5),
    "loss scale": lambda: keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam()),
}


def saved(owner: Any, directory: Path) -> str:
    return Checkpoint(it=owner).write(directory / f"{len(list(directory.iterdir()))}")


def names(owner: Any, directory: Path) -> dict[str, Any]:
    """The shapes of its variables, by name."""
    found = list_variables(saved(owner, directory))
    return {n.removeprefix("it/").removesuffix("/.ATTRIBUTES/VARIABLE_VALUE"): tuple(shape) for n, shape in found}


def assert_named(owner: Any, known: list[Any], directory: Path) -> None:
    """Each known variable has a name of its own: saved with a number of its own, it gets it back."""
    for number, v in enumerate(known):
        v.assign(np.full(v.shape, number, v.dtype))
    path = saved(owner, directory)
    for v in known:
        v.assign(np.full(v.shape, 99, v.dtype))
    Checkpoint(it=owner).restore(path)
    assert [float(np.max(v)) for v in known] == [*range(len(known))]


# A layer with layers inside, and one without.
@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(("Bidirectional", "GroupNormalization"), LAYERS))
def test_every_variable_of_a_layer_has_a_name_that_a_second_one_shares(name: str, tmp_path: Path) -> None:
    make, x = LAYERS[name]
    one, other = make(), make()
    one(x)
    other(x)
    assert_named(one, one.variables, tmp_path)
    assert names(one, tmp_path) == names(other, tmp_path)


def test_attention_has_names_for_its_inner_layers(tmp_path: Path) -> None:
    layer = L.MultiHeadAttention(2, 3, dropout=0.1)
    layer(SEQUENCE, SEQUENCE)
    assert "query_dense/kernel" in names(layer, tmp_path)
    assert_named(layer, layer.variables, tmp_path)


@pytest.mark.parametrize("make", METRICS)
def test_every_variable_of_a_metric_has_a_name(make: Any, tmp_path: Path) -> None:
    metric = make(lambda a, b: a - b) if make is keras.metrics.MeanMetricWrapper else make()
    if make is keras.metrics.R2Score:
        metric.update_state(np.ones((2, 1), np.float32), np.ones((2, 1), np.float32))
    assert_named(metric, metric.variables, tmp_path)


# No slots, two for each variable, all that Adam may have.
@pytest.mark.parametrize("name", thorough_but(("SGD", "Adamax", "Adam with every option"), OPTIMIZERS))
def test_every_variable_of_an_optimizer_has_a_name_and_the_models_have_none(name: str, tmp_path: Path) -> None:
    optimizer = OPTIMIZERS[name]()
    model = create_model()
    model(np.ones((1, 8, 8, 1), np.float32))
    optimizer.build(model.trainable_variables)
    assert_named(optimizer, optimizer.variables, tmp_path)
    assert len(names(optimizer, tmp_path)) == len(optimizer.variables)


def test_a_compiled_model_keeps_its_optimizer_but_not_what_fit_resets(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((3,)), L.Dense(2)])
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
    found = set(names(model, tmp_path))
    assert {"layers/0/kernel", "optimizer/momentums/0"} <= found
    assert all(name.startswith(("layers/", "optimizer/")) for name in found)


def test_functional_sequential_and_unbuilt_models_share_their_names(tmp_path: Path) -> None:
    inputs = keras.Input((3,))
    functional = keras.Model(inputs, L.Dense(2)(L.Dense(4)(inputs)))
    unbuilt = keras.Sequential([L.Dense(4), L.Dense(2)])
    built = keras.Sequential([keras.Input((3,)), L.Dense(4), L.Dense(2)])
    assert names(unbuilt, tmp_path) == {}
    assert names(functional, tmp_path) == names(built, tmp_path)
    unbuilt.build((None, 3))
    assert names(unbuilt, tmp_path) == names(built, tmp_path)


def test_weights_that_no_attribute_holds_are_named_by_position(tmp_path: Path) -> None:
    class Nameless(L.Layer):  # type: ignore[misc]
        def build(self, shape: Any) -> None:
            self.add_weight(shape=(2,))
            self.kept = self.add_weight(shape=(3,))
            self.add_weight(shape=(4,), trainable=False)

        def call(self, x: Any) -> Any:
            return x

    layer = Nameless()
    layer(IMAGE)
    assert names(layer, tmp_path) == {"kept": (3,), "weights/0": (2,), "weights/1": (4,)}


def test_a_subclassed_model_is_named_by_attributes_even_when_they_change_places(tmp_path: Path) -> None:
    class One(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = L.Dense(2), L.Dense(2)

    class Other(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.c, self.b, self.a = L.Dense(2), L.Dense(2), L.Dense(2)

    one, other = One(), Other()
    for layer in (one.a, one.b, other.a, other.b, other.c):
        layer.build((None, 3))
    before = other.c.kernel.numpy()
    Checkpoint(it=other).restore(saved(one, tmp_path))
    for found, wanted in ((other.a, one.a.kernel.numpy()), (other.b, one.b.kernel.numpy()), (other.c, before)):
        assert np.array_equal(found.kernel.numpy(), wanted)


def test_cycles_loggers_and_functions_in_attributes_do_no_harm(tmp_path: Path) -> None:
    plain: Any = Plain(log=logging.getLogger(), fn=print, kind=Plain, empty=[], deep=Plain(v=keras.Variable(1.0)))
    plain.me = plain
    plain.deep.up = plain
    assert list(names(plain, tmp_path)) == ["deep/v"]


def test_a_shared_variable_has_one_name_and_every_way_to_it(tmp_path: Path) -> None:
    shared = keras.Variable(3.0)
    owner = Plain(a=Plain(v=shared), b=Plain(v=shared))
    assert list(names(owner, tmp_path)) == ["a/v"]
    path = saved(owner, tmp_path)
    for way in ("a", "b"):
        other = keras.Variable(0.0)
        Checkpoint(it=Plain(**{way: Plain(v=other)})).restore(path)
        assert float(other) == 3.0


def test_a_class_is_looked_at_once_and_every_proxy_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    class Proxy:
        def __init__(self, target: Any) -> None:
            self.target = target

        @property
        def __class__(self) -> type:
            return type(self.target)

    assert class_facts(Proxy([])).container
    assert not class_facts(Proxy(3)).container
    model = keras.Sequential([keras.Input((2,)), *(L.Dense(2) for _ in range(3))])
    checkpoint = Checkpoint(model=model)
    checkpoint.snapshot()
    looked_at: list[type] = []
    found = _class_kinds._found
    monkeypatch.setattr(_class_kinds, "_found", lambda value: looked_at.append(type(value)) or found(value))
    model.add(L.Dense(2))
    assert "model/layers/3/kernel" in checkpoint.snapshot().arrays
    assert looked_at == []
