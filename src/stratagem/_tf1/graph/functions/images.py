"""Functions of images with TensorFlow 1's arguments and their order; those with the same arguments are `tf.image`'s own."""

from typing import Any

from stratagem._base.exports import exported
from stratagem._ops import Tensor, named
from stratagem._ops import images as rooms
from stratagem._tf1.graph.functions.reductions import one_of

extract_glimpse = exported(v1=["image.extract_glimpse"])(named(rooms.extract_first_glimpse))
extract_image_patches = exported(v1=["extract_image_patches", "image.extract_image_patches"])(
    named(rooms.extract_image_patches)
)
resize_area = exported(v1=["image.resize_area"])(named(rooms.resize_area))
resize_bicubic = exported(v1=["image.resize_bicubic"])(named(rooms.resize_bicubic))
resize_bilinear = exported(v1=["image.resize_bilinear"])(named(rooms.resize_bilinear))
resize_image_with_crop_or_pad = exported(v1=["image.resize_image_with_crop_or_pad", "image.resize_with_crop_or_pad"])(
    named(rooms.resize_with_crop_or_pad)
)
resize_image_with_pad = exported(v1=["image.resize_image_with_pad"])(named(rooms.resize_image_with_pad))
resize_images = exported(v1=["image.resize", "image.resize_images"])(named(rooms.resize_images))
resize_nearest_neighbor = exported(v1=["image.resize_nearest_neighbor"])(named(rooms.resize_nearest_neighbor))
transpose_image = exported(v1=["image.transpose", "image.transpose_image"])(named(rooms.transpose_image))


@exported(v1=["image.crop_and_resize"])
@named
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """Cuts boxes out of the images of a batch and resizes each; `box_indices` (formerly box_ind) says of which image."""
    owners = one_of(box_indices=box_indices, box_ind=box_ind)
    return rooms.crop_and_resize(image, boxes, owners, crop_size, method, extrapolation_value)


@exported(v1=["image.draw_bounding_boxes"])
@named
def draw_bounding_boxes(images: Any, boxes: Any, name: str | None = None, colors: Any = None) -> Tensor:
    """Draws the outlines of boxes on a batch of images, by default in ten colors."""
    return rooms.draw_bounding_boxes(images, boxes, colors)
