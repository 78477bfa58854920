"""Functions of `tf.image` that compute: resizing, colors, crops, boxes, random changes, and TensorFlow 1's forms of them."""

from stratagem._ops.images._conversion import convert_image_dtype as convert_image_dtype
from stratagem._ops.images._drawing import draw_bounding_boxes as draw_bounding_boxes
from stratagem._ops.images._geometry import resize_with_crop_or_pad as resize_with_crop_or_pad
from stratagem._ops.images._geometry import transpose_image as transpose_image
from stratagem._ops.images._projections import attach_affine_transforms as attach_affine_transforms
from stratagem._ops.images._projections import project as project
from stratagem._ops.images._resize import resize as resize
from stratagem._ops.images._resize import resize_area as resize_area
from stratagem._ops.images._resize import resize_bicubic as resize_bicubic
from stratagem._ops.images._resize import resize_bilinear as resize_bilinear
from stratagem._ops.images._resize import resize_image_with_pad as resize_image_with_pad
from stratagem._ops.images._resize import resize_images as resize_images
from stratagem._ops.images._resize import resize_nearest_neighbor as resize_nearest_neighbor
from stratagem._ops.images._resize import resize_on_host as resize_on_host
from stratagem._ops.images._windows import crop_and_resize as crop_and_resize
from stratagem._ops.images._windows import extract_first_glimpse as extract_first_glimpse
from stratagem._ops.images._windows import extract_image_patches as extract_image_patches
