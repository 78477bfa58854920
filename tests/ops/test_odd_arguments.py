"""Arguments that TensorFlow refuses are refused with its class of error."""

from pathlib import Path

import numpy as np
import pytest

import stratagem as tf


@pytest.mark.parametrize("axis", [-3, -2, 2])
def test_one_hot_takes_no_axis_below_the_last(axis: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"got {axis}"):
        tf.one_hot([1, 2], 3, axis=axis)


def test_files_without_a_name_or_contents_are_value_errors(tmp_path: Path) -> None:
    file = tmp_path / "file"
    for call in (
        lambda: tf.io.read_file(None),
        lambda: tf.io.write_file(None, b"x"),
        lambda: tf.io.write_file(file, None),
        lambda: tf.io.matching_files(None),
    ):
        with pytest.raises(ValueError, match="got None"):
            call()
    assert not file.exists()


def test_a_floor_quotient_is_the_rounded_quotient() -> None:
    """JAX's and Python's 5 // 0.1 is 49."""
    assert tf.math.floordiv([5.0, 5.2, -5.2], [0.1, -np.inf, np.inf]).tolist() == [50.0, 0.0, 0.0]
