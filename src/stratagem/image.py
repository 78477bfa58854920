"""`tf.image`: resizing, flipping and converting images."""

from stratagem import _hooks
from stratagem._ops import convert_image_dtype as convert_image_dtype
from stratagem._ops import flip_left_right as flip_left_right
from stratagem._ops import flip_up_down as flip_up_down
from stratagem._ops import not_provided as _not_provided
from stratagem._ops import per_image_standardization as per_image_standardization
from stratagem._ops import resize as resize
from stratagem._ops import rgb_to_grayscale as rgb_to_grayscale

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("image", name)
