"""tf.compat.v1.image: the names of tf.image, some with other arguments; resizing places pixels elsewhere."""

from typing import Any as _Any

from stratagem._ops.images import FirstResizeMethod as ResizeMethod  # noqa: F401
from stratagem._tf1.graph.functions.images import crop_and_resize as crop_and_resize
from stratagem._tf1.graph.functions.images import draw_bounding_boxes as draw_bounding_boxes
from stratagem._tf1.graph.functions.images import extract_glimpse as extract_glimpse
from stratagem._tf1.graph.functions.images import extract_image_patches as extract_image_patches
from stratagem._tf1.graph.functions.images import resize_area as resize_area
from stratagem._tf1.graph.functions.images import resize_bicubic as resize_bicubic
from stratagem._tf1.graph.functions.images import resize_bilinear as resize_bilinear
from stratagem._tf1.graph.functions.images import resize_image_with_crop_or_pad as resize_image_with_crop_or_pad
from stratagem._tf1.graph.functions.images import resize_image_with_pad as resize_image_with_pad
from stratagem._tf1.graph.functions.images import resize_images as resize  # noqa: F401
from stratagem._tf1.graph.functions.images import resize_images as resize_images
from stratagem._tf1.graph.functions.images import resize_nearest_neighbor as resize_nearest_neighbor
from stratagem._tf1.graph.functions.images import transpose_image as transpose_image
from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("image", name)
