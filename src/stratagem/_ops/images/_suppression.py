"""Non-maximum suppression of `tf.image`: of boxes that overlap, those with the highest scores."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, static_int, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.images._shapes import batch_of

_MOST_GROWTH: Final = np.float32(np.log(1000 / 16))  # of a side of an anchor, as a logarithm
Similarity = Callable[[Tensor], Tensor]


class CombinedNonMaxSuppression(NamedTuple):
    """The results of `combined_non_max_suppression`."""

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


class GenerateBoundingBoxProposals(NamedTuple):
    """The results of `generate_bounding_box_proposals`."""

    rois: Tensor
    roi_probabilities: Tensor


class _Chosen(NamedTuple):
    """The boxes that are kept, in order: numbers and scores (limit,), of which `valid` mean something."""

    numbers: Tensor
    scores: Tensor
    valid: Tensor


def _corners(boxes: Tensor) -> Tensor:
    """Boxes (..., 4) with the smaller corner first."""
    low = jnp.minimum(boxes[..., :2], boxes[..., 2:])
    return jnp.concatenate([low, jnp.maximum(boxes[..., :2], boxes[..., 2:])], -1)


def _overlap_with(boxes: Tensor) -> Similarity:
    """A function of a box's number: the share of its union with each of the boxes (n, 4) that they have in common."""
    ordered = _corners(boxes)
    areas = (ordered[:, 2] - ordered[:, 0]) * (ordered[:, 3] - ordered[:, 1])

    def overlap(number: Tensor) -> Tensor:
        one, area = ordered[number], areas[number]
        sides = jnp.maximum(jnp.minimum(ordered[:, 2:], one[2:]) - jnp.maximum(ordered[:, :2], one[:2]), 0)
        common = sides[:, 0] * sides[:, 1]
        some = (areas > 0) & (area > 0)
        return jnp.where(some, common / jnp.where(some, areas + area - common, 1), 0)

    return overlap


def _greedy(
    scores: Tensor, similar: Similarity, limit: int, threshold: Tensor, least: Tensor, sigma: Tensor | float = 0.0
) -> _Chosen:
    """Chooses the highest score again and again, each time removing what is more similar to it than the threshold.

    With a sigma, what is similar counts less instead of being removed (Bodla and others, https://arxiv.org/abs/1704.04503).
    """
    scale = jnp.where(jnp.asarray(sigma) > 0, -0.5 / jnp.where(jnp.asarray(sigma) > 0, sigma, 1.0), 0.0)

    def choose(place: Tensor, state: tuple[Tensor, _Chosen]) -> tuple[Tensor, _Chosen]:
        left, chosen = state
        number = jnp.argmax(left).astype(np.int32)
        score = left[number]
        found = score > least
        similarity = similar(number)
        kept = jnp.where(similarity <= threshold, left * jnp.exp(scale * similarity * similarity), -jnp.inf)
        kept = jnp.where(jnp.isneginf(left), left, kept).at[number].set(-jnp.inf)
        return jnp.where(found, kept, left), _Chosen(
            chosen.numbers.at[place].set(jnp.where(found, number, 0)),
            chosen.scores.at[place].set(jnp.where(found, score, 0)),
            chosen.valid + found.astype(np.int32),
        )

    left = jnp.where(scores > least, scores, -jnp.inf)
    none = _Chosen(jnp.zeros(limit, np.int32), jnp.zeros(limit, np.float32), jnp.zeros((), np.int32))
    if min(limit, scores.shape[0]) == 0:
        return none
    return jax.lax.fori_loop(0, min(limit, scores.shape[0]), choose, (left, none))[1]


def _checked(name: str, boxes: Any, scores: Any, iou_threshold: Any, limit: Any) -> tuple[Tensor, Tensor, int]:
    """Boxes (n, 4) and scores (n,) in float32. Raises InvalidArgumentError for other shapes."""
    places, numbers = tensor(boxes), tensor(scores)
    if places.ndim != 2 or places.shape[1] != 4 or numbers.shape != places.shape[:1]:
        raise InvalidArgumentError(
            f"tf.image.{name} takes boxes (n, 4) and scores (n,), got the shapes {places.shape} and {numbers.shape}."
        )
    _check_threshold(name, iou_threshold)
    return places.astype(np.float32), numbers.astype(np.float32), _limit(name, limit)


def _limit(name: str, limit: Any) -> int:
    number = static_int(limit, "a tensor is the largest number of boxes")
    if number < 0:
        raise InvalidArgumentError(f"tf.image.{name}: the largest number of boxes is not negative, got {number}.")
    return number


def _check_threshold(name: str, threshold: Any) -> None:
    if isinstance(threshold, int | float) and not 0 <= threshold <= 1:
        raise InvalidArgumentError(f"tf.image.{name}: the threshold of overlap is between 0 and 1, got {threshold}.")


def _float(number: Any) -> Tensor:
    return tensor(number).astype(np.float32)


def _cut(chosen: _Chosen) -> tuple[Tensor, Tensor]:
    """The numbers and scores that mean something: how many is a value."""
    count = static_int(chosen.valid, "the number of boxes that are kept depends on their scores")
    return chosen.numbers[:count], chosen.scores[:count]


@exported("image.non_max_suppression")
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Returns the numbers of boxes with the highest scores that overlap less than the threshold: (m,) int32, highest first.

    boxes: (n, 4), any two opposite corners; scores: (n,), above score_threshold. How many there are depends on values: inside a
    replica's step use `non_max_suppression_padded`. Raises InvalidArgumentError for other shapes.
    """
    places, numbers, limit = _checked("non_max_suppression", boxes, scores, iou_threshold, max_output_size)
    return _cut(_greedy(numbers, _overlap_with(places), limit, _float(iou_threshold), _float(score_threshold)))[0]


@exported("image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns numbers as `non_max_suppression` does, and their scores, of the dtype of `scores`.

    soft_nms_sigma: if it is positive, overlapping boxes have lower scores (Bodla and others, https://arxiv.org/abs/1704.04503).
    """
    places, numbers, limit = _checked("non_max_suppression_with_scores", boxes, scores, iou_threshold, max_output_size)
    overlap, sigma = _overlap_with(places), _float(soft_nms_sigma)
    chosen, own = _cut(_greedy(numbers, overlap, limit, _float(iou_threshold), _float(score_threshold), sigma))
    return chosen, own.astype(tensor(scores).dtype)


@exported("image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Returns numbers as `non_max_suppression` does, of boxes whose overlaps are known: (n, n).

    Raises InvalidArgumentError for other shapes.
    """
    matrix, numbers = tensor(overlaps).astype(np.float32), _float(scores)
    if numbers.ndim != 1 or matrix.shape != numbers.shape * 2:
        raise InvalidArgumentError(
            f"tf.image.non_max_suppression_overlaps takes overlaps (n, n) and scores (n,), got the shapes {matrix.shape} and "
            f"{numbers.shape}."
        )
    limit = _limit("non_max_suppression_overlaps", max_output_size)
    # A row belongs to the box that may be removed, a column to the one that is kept.
    chosen = _greedy(numbers, lambda n: matrix[:, n], limit, _float(overlap_threshold), _float(score_threshold))
    return _cut(chosen)[0]


@exported("image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: Any = 512,
) -> tuple[Tensor, Tensor]:
    """Returns numbers as `non_max_suppression` does, with zeros up to max_output_size, and how many mean something.

    boxes: (..., n, 4) and scores (..., n), with results (..., max_output_size) and (...) int32. sorted_input,
    canonicalized_coordinates, tile_size: of no effect. Raises ValueError for a batch without pad_to_max_output_size.
    """
    places, numbers = _float(boxes), _float(scores)
    if places.ndim > 2 and not pad_to_max_output_size:
        raise ValueError("tf.image.non_max_suppression_padded of a batch needs pad_to_max_output_size=True.")
    if places.ndim < 2 or places.shape[-1] != 4 or numbers.shape != places.shape[:-1]:
        raise InvalidArgumentError(
            f"tf.image.non_max_suppression_padded takes boxes (..., n, 4) and scores (..., n), got the shapes {places.shape} "
            f"and {numbers.shape}."
        )
    limit = _limit("non_max_suppression_padded", max_output_size)

    def of_one(own: Tensor, own_scores: Tensor) -> _Chosen:
        return _greedy(own_scores, _overlap_with(own), limit, _float(iou_threshold), _float(score_threshold))

    for _ in range(places.ndim - 2):
        of_one = jax.vmap(of_one)
    chosen = of_one(places, numbers)
    return (chosen.numbers if pad_to_max_output_size else _cut(chosen)[0]), chosen.valid


@exported("image.combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """Suppresses boxes of each class on its own, and returns the best of all: boxes (batch, m, 4), scores, classes, counts.

    boxes: (batch, n, 1 or classes, 4); scores: (batch, n, classes). m is max_total_size, or with pad_per_class at most that of
    all classes together; what is left of it is 0. clip_boxes: their corners are within 0 and 1. Raises InvalidArgumentError for
    other shapes.
    """
    places, numbers = batch_of("combined_non_max_suppression", boxes).astype(np.float32), _float(scores)
    if numbers.ndim != 3 or places.shape[:2] != numbers.shape[:2] or places.shape[2] not in (1, numbers.shape[2]):
        raise InvalidArgumentError(
            "tf.image.combined_non_max_suppression takes boxes (batch, n, 1 or classes, 4) and scores (batch, n, classes), got "
            f"the shapes {places.shape} and {numbers.shape}."
        )
    _check_threshold("combined_non_max_suppression", iou_threshold)
    per_class = _limit("combined_non_max_suppression", max_output_size_per_class)
    total = _limit("combined_non_max_suppression", max_total_size)
    count = numbers.shape[2]
    size = min(total, per_class * count) if pad_per_class else total

    def of_class(own: Tensor, own_scores: Tensor) -> _Chosen:
        return _greedy(own_scores, _overlap_with(own), per_class, _float(iou_threshold), _float(score_threshold))

    def of_image(own: Tensor, own_scores: Tensor) -> CombinedNonMaxSuppression:
        spread = jnp.broadcast_to(own, (own.shape[0], count, 4)).swapaxes(0, 1)
        chosen = jax.vmap(of_class)(spread, own_scores.T)
        return _best(spread, chosen, size, clip_boxes)

    return jax.vmap(of_image)(places, numbers)


@exported("image.generate_bounding_box_proposals")
def generate_bounding_box_proposals(
    scores: Any,
    bbox_deltas: Any,
    image_info: Any,
    anchors: Any,
    nms_threshold: Any = 0.7,
    pre_nms_topn: Any = 6000,
    min_size: Any = 16,
    post_nms_topn: Any = 300,
    name: str | None = None,
) -> GenerateBoundingBoxProposals:
    """Returns regions that may show something: rois (n, post_nms_topn, 4), roi_probabilities (n, post_nms_topn), then zeros.

    Of the pre_nms_topn highest scores of each image the boxes are decoded (Ren and others, https://arxiv.org/abs/1506.01497,
    equation 2), clipped to the image, dropped where a side is below min_size times the image's scale, and suppressed as by
    `non_max_suppression`. TensorFlow has this on GPUs alone.

    scores: (n, height, width, a) for `a` anchors at each place. bbox_deltas: (n, height, width, 4 * a), of each anchor the
    changes [dy, dx, dh, dw]. image_info: (n, 5), of which the first are height, width and scale. anchors: (height, width,
    4 * a), of each anchor [y1, x1, y2, x2]. Raises InvalidArgumentError for other shapes, and numbers that are not positive.
    """
    numbers, changes, facts, places = map(_float, (scores, bbox_deltas, image_info, anchors))
    _check_proposals(numbers, changes, facts, places)
    _check_threshold("generate_bounding_box_proposals", nms_threshold)
    limit, most = (_limit("generate_bounding_box_proposals", each) for each in (post_nms_topn, pre_nms_topn))
    if not limit or not most:
        raise InvalidArgumentError(
            "tf.image.generate_bounding_box_proposals: pre_nms_topn and post_nms_topn are greater than 0, got "
            f"{most} and {limit}."
        )

    def of_image(own: Tensor, deltas: Tensor, info: Tensor) -> GenerateBoundingBoxProposals:
        best, order = jax.lax.top_k(own.ravel(), min(most, own.size))
        boxes = _decoded(places.reshape(-1, 4)[order], deltas.reshape(-1, 4)[order])
        boxes = jnp.clip(boxes, 0, jnp.stack([info[0], info[1], info[0], info[1]]))
        sides = boxes[:, 2:] - boxes[:, :2]
        large = jnp.min(sides, 1) >= _float(min_size) * info[2]
        candidates = jnp.where(large, best, -jnp.inf)
        chosen = _greedy(candidates, _overlap_with(boxes), limit, _float(nms_threshold), _float(-jnp.inf))
        found = np.arange(limit) < chosen.valid
        return GenerateBoundingBoxProposals(
            jnp.where(found[:, None], boxes[chosen.numbers], 0), jnp.where(found, chosen.scores, 0)
        )

    return jax.vmap(of_image)(numbers, changes, facts)


def _check_proposals(scores: Tensor, deltas: Tensor, info: Tensor, anchors: Tensor) -> None:
    shape = scores.shape
    fit = (
        len(shape) == 4 and deltas.shape == (*shape[:3], 4 * shape[3]) and anchors.shape == (*shape[1:3], 4 * shape[3])
    )
    if not fit or info.shape != (shape[0], 5) or scores[0].size == 0:
        raise InvalidArgumentError(
            "tf.image.generate_bounding_box_proposals takes scores (n, height, width, a), bbox_deltas (n, height, width, "
            "4 * a), image_info (n, 5) and anchors (height, width, 4 * a), got the shapes "
            f"{shape}, {deltas.shape}, {info.shape} and {anchors.shape}. Anchors (a, 4) that are the same at all places: "
            "tf.broadcast_to(tf.reshape(anchors, [-1]), [height, width, 4 * a])."
        )


def _decoded(anchors: Tensor, deltas: Tensor) -> Tensor:
    """The boxes (n, 4) that changes (n, 4) make of anchors (n, 4): moved by shares of their sides, which grow exponentially."""
    sides = anchors[:, 2:] - anchors[:, :2]
    centers = anchors[:, :2] + 0.5 * sides + sides * deltas[:, :2]
    grown = sides * jnp.exp(jnp.minimum(deltas[:, 2:], _MOST_GROWTH))
    return jnp.concatenate([centers - 0.5 * grown, centers + 0.5 * grown], 1)


def _best(boxes: Tensor, chosen: _Chosen, size: int, clip_boxes: bool) -> CombinedNonMaxSuppression:
    """The highest scores of all classes: boxes (classes, n, 4), what was chosen of each class (classes, limit)."""
    count, limit = chosen.numbers.shape
    valid = (np.arange(limit) < chosen.valid[:, None]).ravel()
    order = jnp.argsort(jnp.where(valid, -chosen.scores.ravel(), jnp.inf), stable=True)
    taken = jnp.pad(order, (0, max(size - order.size, 0)))[:size]
    kept = np.arange(size) < jnp.minimum(jnp.sum(valid), size)
    classes = taken // max(limit, 1)
    found = boxes[classes, chosen.numbers.ravel()[taken]] if count * limit else jnp.zeros((size, 4), np.float32)
    if clip_boxes:
        found = jnp.clip(found, 0, 1)
    return CombinedNonMaxSuppression(
        jnp.where(kept[:, None], found, 0),
        jnp.where(kept, chosen.scores.ravel()[taken] if count * limit else 0, 0),
        jnp.where(kept, classes, 0).astype(np.float32),
        jnp.sum(kept).astype(np.int32),
    )


accept_symbols(globals())
