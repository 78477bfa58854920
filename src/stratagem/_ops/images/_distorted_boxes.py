"""Random parts of images that contain enough of an object: `tf.image.sample_distorted_bounding_box` and its stateless form.

They are found on the host, by as many random words as it takes, with TensorFlow's words where `tf.random` has them.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, is_traced, need_value, on_device, tensor
from stratagem._ops._dtypes import uint32
from stratagem._ops.sampling import stateless_uniform, words_of

_float = np.float32  # TensorFlow's numbers: the products of others would round otherwise
_NEARLY_HALF = 0.5 - float(_float(1e-7))
_MORE_WORDS = 16  # than four an attempt: numbers below a bound are drawn again where they would not be uniform


class _Rectangle(NamedTuple):
    """Pixels from a left and upper to a right and lower edge."""

    left: int
    top: int
    right: int
    bottom: int

    def area(self) -> np.float32:
        """The number of pixels."""
        return _float((self.right - self.left) * (self.bottom - self.top))

    def common_area(self, other: "_Rectangle") -> np.float32:
        """The number of pixels in both."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return _float(0) if left > right or top > bottom else _Rectangle(left, top, right, bottom).area()


class _Limits(NamedTuple):
    """The parts that are wanted: their share of an object, their width by height, their share of the image; and attempts."""

    covered: np.float32
    aspects: tuple[np.float32, np.float32]
    areas: tuple[np.float32, np.float32]
    attempts: int


@exported("image.sample_distorted_bounding_box", v1=())
def sample_distorted_bounding_box(
    image_size: Any, bounding_boxes: Any, seed: int | None = 0, min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None, area_range: Any = None, max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Returns a random part of an image as (begin, size, boxes): what `tf.slice` takes, (3,) each, and a box, (1, 1, 4).

    image_size: height, width, channels, whose dtype `begin` and `size` have. bounding_boxes: (n, boxes, 4), float32, the
    objects' corners y1, x1, y2, x2 from 0 to 1. seed: 0 is none. min_object_covered: the share of one object
    that is in the part, at least. aspect_ratio_range: its width by its height, (0.75, 1.33) by default. area_range: its share
    of the image, (0.05, 1). max_attempts: 100; after them the part is the whole image.
    use_image_if_no_bounding_boxes: take the image for the object where there is none. The values are known, as in functions of
    datasets. Raises InvalidArgumentError for other shapes and limits, and without boxes.
    """
    what = "sample_distorted_bounding_box"
    limits = _limits(what, min_object_covered, aspect_ratio_range, area_range, max_attempts)
    settings = (str(aspect_ratio_range), str(area_range), str(max_attempts), str(use_image_if_no_bounding_boxes))
    dtype = str(tensor(image_size).dtype)
    operation = ("SampleDistortedBoundingBoxV2", dtype, *settings)
    drawn = words_of(operation, seed or None, limits.attempts * 4 + _MORE_WORDS, limits.attempts)
    return _sampled(what, image_size, bounding_boxes, drawn, limits, bool(use_image_if_no_bounding_boxes))


@exported("image.stateless_sample_distorted_bounding_box", v1=())
def stateless_sample_distorted_bounding_box(
    image_size: Any, bounding_boxes: Any, seed: Any, min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None, area_range: Any = None, max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Does what `sample_distorted_bounding_box` does, with TensorFlow's part for a seed of two integers."""
    what = "stateless_sample_distorted_bounding_box"
    limits = _limits(what, min_object_covered, aspect_ratio_range, area_range, max_attempts)
    drawn = stateless_uniform([limits.attempts * 4 + _MORE_WORDS], seed, None, None, dtype=uint32)
    return _sampled(what, image_size, bounding_boxes, drawn, limits, bool(use_image_if_no_bounding_boxes))


def _limits(what: str, covered: Any, aspects: Any, areas: Any, attempts: Any | None) -> _Limits:
    share = _known(what, covered, "float32")
    ratios = tuple(map(_float, (0.75, 1.33) if aspects is None else aspects))
    sizes = tuple(map(_float, (0.05, 1.0) if areas is None else areas))
    count = 100 if attempts is None else int(attempts)
    ranges = len(ratios) == len(sizes) == 2 and min(*ratios, *sizes) > 0 and max(sizes) <= 1
    if share.ndim or not share >= 0 or not ranges or count <= 0:
        raise InvalidArgumentError(
            f"tf.image.{what}: min_object_covered is one number from 0, aspect_ratio_range two above 0, area_range two above 0 "
            f"and up to 1, max_attempts from 1; got {covered!r}, {aspects!r}, {areas!r} and {attempts!r}."
        )
    return _Limits(_float(share), (ratios[0], ratios[1]), (sizes[0], sizes[1]), count)


def _known(what: str, value: Any, dtype: str | None = None) -> np.ndarray:
    array = tensor(value, dtype)
    if is_traced(array):
        need_value(f"tf.image.{what} tries parts of an image until one fits")
    return np.asarray(array)


def _sampled(
    what: str, image_size: Any, bounding_boxes: Any, words: Tensor, limits: _Limits, use_image: bool
) -> tuple[Tensor, Tensor, Tensor]:
    size, boxes = _known(what, image_size), _known(what, bounding_boxes, "float32")
    if size.shape != (3,) or size.dtype.kind not in "iu" or boxes.ndim != 3 or boxes.shape[-1] != 4:
        raise InvalidArgumentError(
            f"tf.image.{what} takes the three sizes of an image and boxes (n, boxes, 4), got {size!r} and the shape "
            f"{list(boxes.shape)}."
        )
    if not ((boxes >= 0) & (boxes <= 1)).all() or not (boxes.size or use_image):
        raise InvalidArgumentError(
            f"tf.image.{what}: All bounding box coordinates must be in [0.0, 1.0], and there is at least one box unless "
            f"use_image_if_no_bounding_boxes is set; got {boxes.tolist()}."
        )
    height, width = size[:2].tolist()
    if not (0 <= height < 2**31 - 1 and 0 <= width < 2**31 - 1):
        raise InvalidArgumentError(f"tf.image.{what}: an image of {height} by {width} pixels is none.")
    whole = _Rectangle(0, 0, width, height)
    scaled = (boxes.reshape(-1, 4)[:, [1, 0, 3, 2]] * np.array([width, height] * 2, _float)).astype(np.int32)
    objects = [_Rectangle(*row) for row in scaled.tolist()] or [whole]
    found = _part(_Draws(iter(_known(what, words).tolist())), whole, objects, limits)
    with np.errstate(all="ignore"):  # an image without pixels
        corners = np.array([found.top, found.left, found.bottom, found.right], _float) / np.array(
            [height, width] * 2, _float
        )
    begin = np.array([found.top, found.left, 0], size.dtype)
    extent = np.array([found.bottom - found.top, found.right - found.left, -1]).astype(size.dtype)
    return on_device(begin), on_device(extent), on_device(corners.astype(_float).reshape(1, 1, 4))


class _Draws:
    """Numbers made of random words as TensorFlow makes them."""

    def __init__(self, words: Iterator[int]) -> None:
        self._words = words

    def fraction(self) -> np.float32:
        """A number of [0, 1): 23 bits of a word."""
        return _float(next(self._words) % 2**23) / _float(2**23)

    def below(self, bound: int) -> int:
        """A number of [0, bound). The first words, of which there are a few more than a multiple of the bound, are no use."""
        if bound & (bound - 1) == 0:
            return next(self._words) & (bound - 1)
        useless = (2**32 - 1) % bound + 1
        return next(word for word in self._words if word >= useless) % bound


def _part(draws: _Draws, whole: _Rectangle, objects: list[_Rectangle], limits: _Limits) -> _Rectangle:
    """The first part that contains enough of an object; the whole image after so many attempts."""
    low, high = limits.aspects
    for _ in range(limits.attempts):
        part = _attempt(draws, whole, draws.fraction() * (high - low) + low, limits.areas)
        if part is None or part.area() < 1:
            continue
        shares = (part.common_area(each) / each.area() for each in objects if each.area() >= 1)
        if any(share >= limits.covered for share in shares):
            return part
    return whole


def _attempt(
    draws: _Draws, whole: _Rectangle, aspect: np.float32, areas: tuple[np.float32, np.float32]
) -> _Rectangle | None:
    """A part of this width by height at a random place, whose area is within these shares; None where it does not fit.

    Rounding may put the area outside: then a height of one pixel more, or less, is tried.
    """
    width, height = whole.right, whole.bottom
    if areas[0] > areas[1] or not (width > 0 and height > 0):
        return None
    least, most = (area * _float(width) * _float(height) for area in areas)
    highest = min(_highest(width, aspect, most), height)
    rows = min(_round(np.sqrt(least / aspect)), highest)
    if rows < highest:
        rows += draws.below(highest - rows + 1)
    if _float(_round(rows * aspect) * rows) < least:
        rows += 1
    if _float(_round(rows * aspect) * rows) > most:
        rows -= 1
    columns = _round(rows * aspect)
    if not least <= _float(columns * rows) <= most or not (0 < columns <= width and 0 < rows <= height):
        return None
    top = draws.below(height - rows) if rows < height else 0
    left = draws.below(width - columns) if columns < width else 0
    return _Rectangle(left, top, left + columns, top + rows)


def _highest(width: int, aspect: np.float32, most: np.float32) -> int:
    """The height of the largest part that is not wider than the image."""
    highest = _round(np.sqrt(most / aspect))
    if _round(highest * aspect) <= width:
        return highest
    highest = int((width + _NEARLY_HALF) / float(aspect))
    return highest - 1 if _round(highest * aspect) > width else highest


def _round(number: np.float32) -> int:
    """The nearest whole number, the even one of two."""
    return int(np.rint(_float(number)))
