"""`tf.image`: resizing, cropping, colors, boxes and random changes of images, and files of them."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
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
from stratagem._ops.images import ResizeMethod as ResizeMethod
from stratagem._ops.images import adjust_brightness as adjust_brightness
from stratagem._ops.images import adjust_contrast as adjust_contrast
from stratagem._ops.images import adjust_gamma as adjust_gamma
from stratagem._ops.images import adjust_hue as adjust_hue
from stratagem._ops.images import adjust_saturation as adjust_saturation
from stratagem._ops.images import central_crop as central_crop
from stratagem._ops.images import combined_non_max_suppression as combined_non_max_suppression
from stratagem._ops.images import convert_image_dtype as convert_image_dtype
from stratagem._ops.images import crop_and_resize as crop_and_resize
from stratagem._ops.images import crop_to_bounding_box as crop_to_bounding_box
from stratagem._ops.images import draw_bounding_boxes as draw_bounding_boxes
from stratagem._ops.images import extract_glimpse as extract_glimpse
from stratagem._ops.images import extract_patches as extract_patches
from stratagem._ops.images import flip_left_right as flip_left_right
from stratagem._ops.images import flip_up_down as flip_up_down
from stratagem._ops.images import generate_bounding_box_proposals as generate_bounding_box_proposals
from stratagem._ops.images import grayscale_to_rgb as grayscale_to_rgb
from stratagem._ops.images import hsv_to_rgb as hsv_to_rgb
from stratagem._ops.images import image_gradients as image_gradients
from stratagem._ops.images import non_max_suppression as non_max_suppression
from stratagem._ops.images import non_max_suppression_overlaps as non_max_suppression_overlaps
from stratagem._ops.images import non_max_suppression_padded as non_max_suppression_padded
from stratagem._ops.images import non_max_suppression_with_scores as non_max_suppression_with_scores
from stratagem._ops.images import pad_to_bounding_box as pad_to_bounding_box
from stratagem._ops.images import per_image_standardization as per_image_standardization
from stratagem._ops.images import psnr as psnr
from stratagem._ops.images import random_brightness as random_brightness
from stratagem._ops.images import random_contrast as random_contrast
from stratagem._ops.images import random_crop as random_crop
from stratagem._ops.images import random_flip_left_right as random_flip_left_right
from stratagem._ops.images import random_flip_up_down as random_flip_up_down
from stratagem._ops.images import random_hue as random_hue
from stratagem._ops.images import random_saturation as random_saturation
from stratagem._ops.images import resize as resize
from stratagem._ops.images import resize_with_crop_or_pad as resize_with_crop_or_pad
from stratagem._ops.images import resize_with_pad as resize_with_pad
from stratagem._ops.images import rgb_to_grayscale as rgb_to_grayscale
from stratagem._ops.images import rgb_to_hsv as rgb_to_hsv
from stratagem._ops.images import rgb_to_yiq as rgb_to_yiq
from stratagem._ops.images import rgb_to_yuv as rgb_to_yuv
from stratagem._ops.images import rot90 as rot90
from stratagem._ops.images import sample_distorted_bounding_box as sample_distorted_bounding_box
from stratagem._ops.images import sobel_edges as sobel_edges
from stratagem._ops.images import ssim as ssim
from stratagem._ops.images import ssim_multiscale as ssim_multiscale
from stratagem._ops.images import stateless_random_brightness as stateless_random_brightness
from stratagem._ops.images import stateless_random_contrast as stateless_random_contrast
from stratagem._ops.images import stateless_random_crop as stateless_random_crop
from stratagem._ops.images import stateless_random_flip_left_right as stateless_random_flip_left_right
from stratagem._ops.images import stateless_random_flip_up_down as stateless_random_flip_up_down
from stratagem._ops.images import stateless_random_hue as stateless_random_hue
from stratagem._ops.images import stateless_random_saturation as stateless_random_saturation
from stratagem._ops.images import stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box
from stratagem._ops.images import total_variation as total_variation
from stratagem._ops.images import transpose_image as transpose  # noqa: F401
from stratagem._ops.images import yiq_to_rgb as yiq_to_rgb
from stratagem._ops.images import yuv_to_rgb as yuv_to_rgb

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("image", name)
