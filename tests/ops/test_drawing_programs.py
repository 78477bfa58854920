"""Stateful random numbers are TensorFlow's: integers and uniforms to the bit, normals within 4 units in the last place."""

import json
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from tests.ops.drawing_programs import PROGRAMS, results

ANSWERS = json.loads(Path(__file__).with_name("tensorflow_drawings.json").read_text())
UNITS = 4


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_draws_what_tensorflow_draws(name: str) -> None:
    drawn, wanted = results(PROGRAMS[name], tf), ANSWERS[name]
    assert len(drawn) == len(wanted)
    for i, (part, (dtype, value)) in enumerate(zip(drawn, wanted, strict=True)):
        assert str(part.dtype) == dtype, f"part {i}"
        expected = np.array(value, dtype=part.dtype)
        if "float" in dtype:
            spacing = np.spacing(np.maximum(np.abs(expected), 0.25).astype(part.dtype))
            assert part.shape == expected.shape, f"part {i}"
            assert (np.abs(part - expected) <= UNITS * spacing).all(), f"part {i}: {part}, not {expected}"
        else:
            np.testing.assert_array_equal(part, expected, f"part {i}")


def test_a_restored_generator_goes_on_as_the_saved_one(tmp_path: Path) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        saved = tf.random.Generator.from_seed(5)
    saved.normal([3])
    path = tf.train.Checkpoint(generator=saved).save(str(tmp_path / "saved"))
    other = tf.random.Generator.from_non_deterministic_state()
    tf.train.Checkpoint(generator=other).restore(path).assert_consumed()
    np.testing.assert_array_equal(other.state.numpy(), [3 * 256 + 5, 0, 0])
    np.testing.assert_array_equal(other.uniform([3]), saved.uniform([3]))


def test_generators_refuse_what_tensorflow_refuses() -> None:
    generator = tf.random.Generator.from_seed(5)
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        generator.reset([1, 2])
    with pytest.raises(ValueError, match="counter of shape"):
        generator.reset_from_key_counter(1, 2)
    with pytest.raises(ValueError, match="both of `state` and `alg`"):
        tf.random.Generator(state=[1, 2, 3])
    with pytest.raises(ValueError, match="whole range"):
        generator.uniform_full_int([2], dtype="int8")
    with pytest.raises(NotImplementedError, match="threefry"):
        tf.random.Generator.from_seed(5, "threefry").normal([2])
