"""Random parts of images that contain enough of an object."""

from typing import Any

import numpy as np

from tests.ops.drawn.draws import Draw, Function


def _arguments(draw: Draw) -> tuple[list[Any], dict[str, Any]]:
    size = [draw.integer(1, 60), draw.integer(1, 60), 3]
    corners = np.sort(draw.array((1, draw.integer(0, 3), 2, 2), "float32", 0.0, 1.0, special=False), axis=2)
    boxes = corners.reshape(1, -1, 4) * np.float32(2 if draw.number == 5 else 1)
    options: dict[str, Any] = {
        "min_object_covered": draw.choice((0.0, 0.1, 0.5, 0.9)),
        "area_range": draw.choice((None, (0.3, 0.9), (0.01, 0.02), (1.0, 1.0))),
        "aspect_ratio_range": draw.choice((None, (0.5, 2.0), (3.0, 4.0))),
        "max_attempts": draw.choice((None, 1, 5)),
        "use_image_if_no_bounding_boxes": draw.number != 7,
    }
    return [np.array(size, draw.choice(("int32", "int64"))), boxes], options


def _stateless(draw: Draw) -> Any:
    args, options = _arguments(draw)
    return [*args, [draw.integer(0, 99), draw.number]], options


def _twice(tf: Any, *args: Any, **options: Any) -> Any:
    """Two draws: the second one continues behind the first."""
    tf.random.set_seed(3)
    return [tf.image.sample_distorted_bounding_box(*args, seed=7, **options) for _ in range(2)]


FUNCTIONS = [
    Function("image.stateless_sample_distorted_bounding_box", _stateless, count=24, quick=range(4)),
    Function("image.sample_distorted_bounding_box", _arguments, count=2, quick=(0, 1), called=_twice),
]
