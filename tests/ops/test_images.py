"""`tf.image` where tables of calls do not reach: draws after a seed, datasets, steps, replicas, offsets, TensorFlow 1."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import InvalidArgumentError
from stratagem._ops.images import resize_on_host

BATCH = np.arange(2 * 3 * 4 * 3, dtype=np.float32).reshape(2, 3, 4, 3) / 72
# Every seventh number of what TensorFlow 2.15.1 draws eagerly after tf.random.set_seed(7), one call after the other.
DRAWN = {
    "brightness": [0.334454, 0.431676, 0.528898, 0.62612, 0.723343, 0.820565],
    "contrast": [0.022667, 0.111647, 0.200626, 0.285485, 0.374464, 0.463444],
    "hue": [0.006428, 0.111111, 0.166667, 0.298095, 0.402778, 0.458333],
    "saturation": [0.006902, 0.100673, 0.194444, 0.298568, 0.39234, 0.486111],
    "flips": [0.0, 0.097222, 0.194444, 0.291667, 0.388889, 0.486111],
    "up": [0.333333, 0.430556, 0.194444, 0.291667, 0.055556, 0.152778],
    "crop": [0.166667, 0.347222],
}


def drawn(name: str) -> Any:
    """The call whose numbers are recorded."""
    match name:
        case "brightness":
            return tf.image.random_brightness(BATCH[0], 0.5)
        case "contrast":
            return tf.image.random_contrast(BATCH[0], 0.5, 1.5, seed=3)
        case "hue":
            return tf.image.random_hue(BATCH[0], 0.3)
        case "saturation":
            return tf.image.random_saturation(BATCH[0], 0.5, 1.5)
        case "flips":
            return tf.image.random_flip_left_right(BATCH)
        case "up":
            return tf.image.random_flip_up_down(BATCH[0])
        case _:
            return tf.image.random_crop(BATCH, [1, 2, 2, 3])


def test_eager_draws_after_a_seed_are_those_of_tensorflow() -> None:
    tf.random.set_seed(7)
    for name, numbers in DRAWN.items():
        np.testing.assert_allclose(np.ravel(drawn(name))[::7][:6], numbers, rtol=1e-4, atol=2e-6, err_msg=name)


def test_draws_of_a_step_change_from_call_to_call() -> None:
    @tf.function
    def crop() -> Any:
        return tf.image.random_crop(np.arange(1000.0), [1])

    assert len({float(crop()[0]) for _ in range(4)}) > 1


def test_a_dataset_maps_images_alone_and_in_batches() -> None:
    def change(image: Any) -> Any:
        small = tf.image.resize(tf.image.flip_left_right(image), [2, 2], antialias=True)
        return tf.image.adjust_saturation(tf.image.central_crop(small, 0.5), 0.5)

    dataset = tf.data.Dataset.from_tensor_slices(BATCH).map(change).batch(2)
    expected = np.stack([np.asarray(change(image)) for image in BATCH])
    np.testing.assert_allclose(np.asarray(next(iter(dataset))), expected, rtol=1e-5)


def test_a_replica_resizes_and_a_variable_has_its_gradient() -> None:
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        variable = tf.Variable(BATCH)

    @tf.function
    def step() -> Any:
        def of_replica() -> Any:
            with tf.GradientTape() as tape:
                total = tf.reduce_sum(tf.image.resize(variable, [6, 8], "bicubic"))
            return tape.gradient(total, variable)

        return strategy.run(of_replica)

    found = np.asarray(strategy.experimental_local_results(step())[0])
    assert found.shape == BATCH.shape
    np.testing.assert_allclose(found.sum(), 6 * 8 * 6, rtol=1e-5)  # weights of each new pixel sum to 1


def test_offsets_may_be_tensors_of_a_step() -> None:
    @tf.function
    def cut(top: Any, left: Any) -> Any:
        part = tf.image.crop_to_bounding_box(BATCH, top, left, 2, 2)
        return part, tf.image.pad_to_bounding_box(part, top, left, 4, 4)

    part, whole = cut(tf.constant(1), tf.constant(2))
    np.testing.assert_array_equal(part, BATCH[:, 1:3, 2:4])
    np.testing.assert_array_equal(np.asarray(whole)[:, 1:3, 2:4], BATCH[:, 1:3, 2:4])
    assert float(tf.reduce_sum(whole)) == float(tf.reduce_sum(part))


def test_boxes_are_suppressed_in_a_compiled_step_with_padding() -> None:
    boxes, scores = np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]], np.float32), [0.5, 0.9, 0.1]

    @tf.function(jit_compile=True)
    def kept() -> Any:
        return tf.image.non_max_suppression_padded(boxes, scores, 3, pad_to_max_output_size=True)

    numbers, count = kept()
    assert (np.asarray(numbers).tolist(), int(count)) == ([1, 2, 0], 2)
    assert np.asarray(tf.image.non_max_suppression(boxes, scores, 3)).tolist() == [1, 2]


def proposals(
    scores: np.ndarray, deltas: np.ndarray, info: np.ndarray, anchors: np.ndarray, most: int, least: float, limit: int
) -> tuple[np.ndarray, np.ndarray]:
    """The definition of `generate_bounding_box_proposals`, one box after another, with a threshold of 0.5."""
    rois, found = np.zeros((len(scores), limit, 4), np.float32), np.zeros((len(scores), limit), np.float32)
    for image in range(len(scores)):
        kept: list[tuple[float, ...]] = []
        for number in np.argsort(-scores[image].ravel(), kind="stable")[:most]:
            y1, x1, y2, x2 = (float(v) for v in anchors.reshape(-1, 4)[number])
            dy, dx, dh, dw = (float(v) for v in deltas[image].reshape(-1, 4)[number])
            ends = []
            for low, high, moved, grown, side in ((y1, y2, dy, dh, info[image, 0]), (x1, x2, dx, dw, info[image, 1])):
                center, length = (
                    (low + high) / 2 + moved * (high - low),
                    (high - low) * np.exp(min(grown, np.log(62.5))),
                )
                ends.append([min(max(center + sign * length / 2, 0.0), float(side)) for sign in (-1, 1)])
            box = (ends[0][0], ends[1][0], ends[0][1], ends[1][1])
            if min(box[2] - box[0], box[3] - box[1]) < least * info[image, 2] or len(kept) == limit:
                continue
            if all(overlap(box, other) <= 0.5 for other in kept):
                rois[image, len(kept)], found[image, len(kept)] = box, scores[image].ravel()[number]
                kept.append(box)
    return rois, found


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    height, width = (max(min(one[i + 2], other[i + 2]) - max(one[i], other[i]), 0.0) for i in range(2))
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return height * width / (sum(areas) - height * width) if min(areas) > 0 else 0.0


@pytest.mark.sampled
@pytest.mark.parametrize(("most", "least", "limit"), [(6000, 0.0, 300), (40, 9.0, 10), (7, 3.0, 4)])
def test_proposals_of_boxes_are_decoded_clipped_and_suppressed(most: int, least: float, limit: int) -> None:
    random = np.random.default_rng(limit)
    scores = random.integers(0, 40, (2, 4, 5, 3)).astype(np.float32) / 40  # some are equal
    deltas = random.normal(0, 0.4, (2, 4, 5, 12)).astype(np.float32)
    deltas[0, 0, 0] = 50.0  # grows as far as boxes may
    corners = random.uniform(-5, 50, (4, 5, 3, 2)).astype(np.float32)
    anchors = (
        np.concatenate([corners, corners + random.uniform(2, 40, corners.shape)], -1)
        .astype(np.float32)
        .reshape(4, 5, 12)
    )
    info = np.array([[60, 50, 1, 60, 50], [40, 64, 0.5, 80, 128]], np.float32)
    made = tf.function(tf.image.generate_bounding_box_proposals, jit_compile=True)(
        scores, deltas, info, anchors, 0.5, most, least, limit
    )
    rois, probabilities = proposals(scores, deltas, info, anchors, most, least, limit)
    np.testing.assert_allclose(made.rois, rois, rtol=1e-5, atol=1e-4)
    np.testing.assert_array_equal(made.roi_probabilities, probabilities)
    assert 1 < np.count_nonzero(probabilities[0]) < 60


def test_proposals_take_anchors_for_every_place() -> None:
    scores, deltas, info = np.zeros((1, 2, 2, 3)), np.zeros((1, 2, 2, 12)), np.zeros((1, 5))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"anchors \(height, width, 4 \* a\), .*broadcast_to"):
        tf.image.generate_bounding_box_proposals(scores, deltas, info, np.zeros((3, 4)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="are greater than 0, got 6000 and 0"):
        tf.image.generate_bounding_box_proposals(scores, deltas, info, np.zeros((2, 2, 12)), post_nms_topn=0)


def test_a_model_has_images_between_its_layers() -> None:
    images = tf.keras.Input((3, 4, 3))
    gray = tf.image.rgb_to_grayscale(tf.image.transpose(tf.image.resize(images, [2, 5])))
    model = tf.keras.Model(images, gray)
    assert model(BATCH).shape == (2, 5, 2, 1)


def test_tensorflow_1_has_other_arguments() -> None:
    image = tf.compat.v1.image
    box = [[0, 0, 1, 1]]
    crop = image.crop_and_resize(BATCH, box, box_ind=[1], crop_size=[2, 2])
    np.testing.assert_array_equal(crop, image.crop_and_resize(BATCH, box, box_indices=[1], crop_size=[2, 2]))
    boxes = np.array([[[0, 0, 1, 1]]] * 2, np.float32)
    drawn_first = image.draw_bounding_boxes(BATCH, boxes, colors=[[1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(drawn_first, tf.image.draw_bounding_boxes(BATCH, boxes, [[1.0, 0.0, 0.0]]))
    patches = tf.compat.v1.extract_image_patches(BATCH, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
    np.testing.assert_array_equal(
        patches, tf.image.extract_patches(BATCH, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
    )


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: tf.image.resize(BATCH, [2, 2], "cubic"), ValueError, "mitchellcubic, got 'cubic'"),
        (lambda: tf.image.resize(BATCH, [2]), ValueError, r"size is \[height, width\]"),
        (lambda: tf.image.central_crop(BATCH, 0.0), ValueError, "above 0 and at most 1, got 0.0"),
        (
            lambda: tf.image.crop_to_bounding_box(BATCH, 2, 0, 2, 2),
            ValueError,
            "reach outside of images with the height 3",
        ),
        (lambda: tf.image.hsv_to_rgb(BATCH[..., :2]), InvalidArgumentError, r"3 channel\(s\)"),
        (lambda: tf.image.ssim(BATCH, BATCH, 1.0), InvalidArgumentError, "smaller than the window, filter_size=11"),
        (lambda: tf.image.random_hue(BATCH, 0.6), ValueError, "at most 0.5, got 0.6"),
    ],
)
def test_errors_say_what_was_found(call: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        call()


@pytest.mark.parametrize("method", ["nearest", "bilinear", "bicubic", "area", "lanczos3"])
@pytest.mark.parametrize("size", [(9, 4), (3, 11), (6, 5)], ids=str)
def test_the_host_resizes_images_of_files_as_resize_does(method: str, size: tuple[int, int]) -> None:
    image = np.random.default_rng(0).integers(0, 256, (6, 5, 3)).astype(np.uint8)
    found, expected = resize_on_host(image, size, method), np.asarray(tf.image.resize(image, size, method))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)
