"""`tf.image`: non-maximum suppression and the drawing of boxes."""

from typing import Any

import numpy as np

from tests.ops.drawn.draws import Draw, Function

CLOSE = {"float32": 1e-5}


def boxes(draw: Draw, *shape: int) -> Any:
    """Boxes (*shape, 4) that often overlap; any two of their corners."""
    return draw.array((*shape, 4), "float32", 0, 1, special=False)


def scores(draw: Draw, *shape: int) -> Any:
    """Scores, of which some are equal and some below the threshold."""
    return draw.array(shape, "int32", 0, 9).astype("float32") / 8


def thresholds(draw: Draw) -> dict[str, Any]:
    """Thresholds of overlap and of scores; one is not allowed."""
    found: dict[str, Any] = {"iou_threshold": draw.choice((0.0, 0.2, 0.5, 1.0))}
    if draw.flag():
        found["score_threshold"] = 0.5
    return found


def of_one(draw: Draw) -> Any:
    count = draw.integer(0, 6)
    options = thresholds(draw) | ({"iou_threshold": 1.5} if draw.number == 5 else {})
    return [boxes(draw, count), scores(draw, count), draw.integer(0, 4)], options


def of_scores(draw: Draw) -> Any:
    count = draw.integer(2, 6)
    return [boxes(draw, count), scores(draw, count), draw.integer(1, 5)], thresholds(draw) | {
        "soft_nms_sigma": draw.choice((0.0, 0.5, 1.0))
    }


def of_overlaps(draw: Draw) -> Any:
    count = draw.integer(1, 5)
    matrix = draw.array((count, count), "float32", 0, 1, special=False)
    return [matrix, scores(draw, count), draw.integer(1, 4), draw.choice((0.2, 0.5)), draw.choice((0.0, 0.5))], {}


def of_padded(draw: Draw) -> Any:
    count, batch = draw.integer(1, 6), [2] * draw.integer(0, 1)
    low, sides = (
        draw.array((*batch, count, 2), "float32", 0.1, 0.5),
        draw.array((*batch, count, 2), "float32", 0.1, 0.4),
    )
    corners = [part.clip(0.1, 0.5) for part in (low, low + sides)]
    options = {"iou_threshold": draw.choice((0.2, 0.5)), "pad_to_max_output_size": bool(batch) or draw.flag()}
    options["canonicalized_coordinates"] = draw.flag()
    own = np.argsort(draw.array((2, count), "float32", special=False), -1).astype("float32")  # no two are equal
    return [np.nan_to_num(np.concatenate(corners, -1)), own if batch else own[0], draw.integer(1, 4)], options


def of_classes(draw: Draw) -> Any:
    batch, count, classes = draw.integer(1, 2), draw.integer(1, 5), draw.integer(1, 3)
    own = draw.array((batch, count, classes), "float32", 0, 1, special=False)
    places = draw.array((batch, count, draw.choice((1, classes)), 4), "float32", -0.3, 1.3, special=False)
    options = {"pad_per_class": draw.flag(), "clip_boxes": draw.flag(), "score_threshold": draw.choice((0.0, 0.4))}
    return [places, own, draw.integer(1, 3), draw.integer(1, 5)], options | {"iou_threshold": draw.choice((0.2, 0.5))}


def of_drawings(draw: Draw) -> Any:
    batch, count, channels = draw.integer(1, 2), draw.integer(0, 2), draw.choice((1, 3, 4, 3))
    images = draw.array((batch, 4, 5, channels), "float32", 0, 1, special=False)
    places = draw.array((batch, count, 4), "float32", -0.4, 1.4, special=False)
    colors = None if draw.flag() else draw.array((2, 4), "float32", 0, 1, special=False)
    return [images, places, colors], {}


FUNCTIONS: list[Function] = [
    Function("image.non_max_suppression", of_one, 10),
    Function("image.non_max_suppression_with_scores", of_scores, 10, CLOSE, quick=()),
    Function("image.non_max_suppression_overlaps", of_overlaps, 6, quick=()),
    Function("image.non_max_suppression_padded", of_padded, 8),
    Function("image.combined_non_max_suppression", of_classes, 8, CLOSE),
    Function("image.draw_bounding_boxes", of_drawings, 8),
]
