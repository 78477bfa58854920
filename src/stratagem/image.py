"""`tf.image`: resizing, flipping and converting images, and reading and writing files of them."""

from stratagem import _hooks
from stratagem._ops import convert_image_dtype as convert_image_dtype
from stratagem._ops import flip_left_right as flip_left_right
from stratagem._ops import flip_up_down as flip_up_down
from stratagem._ops import not_provided as _not_provided
from stratagem._ops import per_image_standardization as per_image_standardization
from stratagem._ops import resize as resize
from stratagem._ops import rgb_to_grayscale as rgb_to_grayscale
from stratagem._ops.image_files import adjust_jpeg_quality as adjust_jpeg_quality
from stratagem._ops.image_files import decode_and_crop_jpeg as decode_and_crop_jpeg
from stratagem._ops.image_files import decode_bmp as decode_bmp
from stratagem._ops.image_files import decode_gif as decode_gif
from stratagem._ops.image_files import decode_image as decode_image
from stratagem._ops.image_files import decode_jpeg as decode_jpeg
from stratagem._ops.image_files import decode_png as decode_png
from stratagem._ops.image_files import encode_jpeg as encode_jpeg
from stratagem._ops.image_files import encode_png as encode_png
from stratagem._ops.image_files import extract_jpeg_shape as extract_jpeg_shape
from stratagem._ops.image_files import is_jpeg as is_jpeg
from stratagem._ops.image_files import random_jpeg_quality as random_jpeg_quality
from stratagem._ops.image_files import stateless_random_jpeg_quality as stateless_random_jpeg_quality

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("image", name)
