"""`tf.image.draw_bounding_boxes`."""

from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.images._shapes import batch_of

# Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia.
_COLORS: Final = (
    (1, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0.5, 0, 0.5, 1),
    (0.5, 0.5, 0, 1), (0.5, 0, 0, 1), (0, 0, 0.5, 1), (0, 1, 1, 1), (1, 0, 1, 1),
)  # fmt: skip


@exported("image.draw_bounding_boxes", v1=())
def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Tensor:
    """Draws the outlines of boxes, one pixel wide, on a batch of images with 1, 3 or 4 channels; keeps the dtype.

    boxes: (n, boxes, 4), their corners y1, x1, y2, x2 in shares of the image, which they may reach out of. colors: (colors,
    channels or more), in turns; None: ten colors of TensorFlow's, white on one channel. Raises InvalidArgumentError for
    shapes that do not fit.
    """
    array, places = batch_of("draw_bounding_boxes", images), tensor(boxes).astype(np.float32)
    channels = array.shape[-1]
    if channels not in (1, 3, 4) or places.ndim != 3 or places.shape[::2] != (array.shape[0], 4):
        raise InvalidArgumentError(
            "tf.image.draw_bounding_boxes takes images (n, height, width, 1, 3 or 4) and boxes (n, boxes, 4), got the shapes "
            f"{array.shape} and {places.shape}."
        )
    table = _colors_of(colors, channels)
    height, width = array.shape[1:3]
    corners = (places * np.array([height - 1, width - 1] * 2, np.float32)).astype(np.int32)

    def draw(number: Tensor, drawn: Tensor) -> Tensor:
        outline = _outlines(corners[:, number], height, width)
        color = table[number % table.shape[0], :channels].astype(array.dtype)
        return jnp.where(outline[..., None], color, drawn)

    return jax.lax.fori_loop(0, places.shape[1], draw, array) if places.shape[1] else array


def _colors_of(colors: Any, channels: int) -> Tensor:
    """The colors to draw with, by default TensorFlow's ten, or white on one channel."""
    table = None if colors is None else tensor(colors).astype(np.float32)
    if table is not None and (table.ndim != 2 or (table.shape[0] and table.shape[1] < channels)):
        raise InvalidArgumentError(
            f"tf.image.draw_bounding_boxes: colors are (colors, {channels}), got the shape {table.shape}."
        )
    if table is None or not table.shape[0]:
        return jnp.asarray(np.ones((1, 1)) if channels == 1 else np.array(_COLORS), np.float32)
    return table


def _outlines(corners: Tensor, height: int, width: int) -> Tensor:
    """The pixels on the outline of each image's box: corners (n, 4) to (n, height, width)."""
    top, left, bottom, right = (corners[:, k, None, None] for k in range(4))
    rows, columns = np.arange(height)[None, :, None], np.arange(width)[None, None, :]
    within = (rows >= top) & (rows <= bottom) & (columns >= left) & (columns <= right)
    return within & ((rows == top) | (rows == bottom) | (columns == left) | (columns == right))


accept_symbols(globals())
