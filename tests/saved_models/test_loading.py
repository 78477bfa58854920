"""What a load does: what another process reads for it, and that nothing is compiled before the first call."""

from collections.abc import Sequence
from pathlib import Path

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.reader_process import Reading

# Private: a program that this process has exported is not read by another one.
from stratagem._core.step.programs import _restored_program
from tests.core.step.observing import compilations
from tests.saved_models.stranger import description_of, replaced

SIZES = (101, 102, 103)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A SavedModel of another process, with three functions, of which two have equal programs."""
    module = tf.Module()
    module.factors = [tf.Variable(np.full((2, size), 3.0, "float32")) for size in SIZES]
    module.counts = tf.Variable(np.arange(104))
    specs = [tf.TensorSpec([None, 101])]
    module.scaled = tf.function(lambda x: x * module.factors[0][0], input_signature=specs)
    module.again = tf.function(lambda x: x * module.factors[0][0], input_signature=specs)
    module.added = tf.function(lambda x: x + module.factors[0][0], input_signature=specs)
    tf.saved_model.save(module, tmp_path / "model", signatures=module.scaled)
    monkeypatch.setattr(_restored_program, "_known", set())
    return tmp_path / "model"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many programs each process is given to read."""
    counts: list[int] = []
    answers = Reading.answers

    def counted(self: Reading, requests: Sequence[bytes]) -> list[bytes | str]:
        counts.append(len(requests))
        return answers(self, requests)

    monkeypatch.setattr(Reading, "answers", counted)
    return counts


def test_a_load_compiles_nothing(model: Path) -> None:
    """A variable is a copy of what was read. (A program for each shape would take longer than all the rest of a load.)"""
    jax.clear_caches()  # this process has had variables of these shapes
    with compilations() as compiled:
        loaded = tf.saved_model.load(model)
    assert compiled == []
    assert [v.numpy().tolist() for v in loaded.factors] == [[[3.0] * size] * 2 for size in SIZES]
    assert loaded.counts.numpy().dtype == np.int64
    assert loaded.counts.numpy().tolist() == list(range(104))
    with compilations() as compiled:
        assert loaded.scaled(tf.ones([2, 101])).numpy().tolist() == [[3.0] * 101] * 2
    assert compiled != []


def test_equal_programs_are_read_once_by_one_process_and_then_known(model: Path, asked: list[int]) -> None:
    loaded = [tf.saved_model.load(model) for _ in range(2)]
    assert asked == [4]  # two programs, each with its gradient
    for each in loaded:
        assert each.again([[1.0] * 101]).numpy().tolist() == [[3.0] * 101]
        assert each.added([[1.0] * 101]).numpy().tolist() == [[4.0] * 101]


def test_a_variable_that_is_none_ends_the_process_that_reads_programs(model: Path, asked: list[int]) -> None:
    """A process that was left would fail the test."""
    file = description_of(model)
    text = file.read_text()
    changed = text.replace('"float32"', '"float16"', 1)
    assert changed != text
    replaced(model, file, changed.encode())
    with pytest.raises(tf.errors.DataLossError, match="expected float16"):
        tf.saved_model.load(model)
    assert asked == [4]
