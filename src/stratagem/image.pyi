# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

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
from stratagem._ops.images import transpose_image as transpose
from stratagem._ops.images import yiq_to_rgb as yiq_to_rgb
from stratagem._ops.images import yuv_to_rgb as yuv_to_rgb

__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_jpeg_quality",
    "adjust_saturation", "central_crop", "combined_non_max_suppression", "convert_image_dtype", "crop_and_resize",
    "crop_to_bounding_box", "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg",
    "decode_png", "draw_bounding_boxes", "encode_jpeg", "encode_png", "extract_glimpse", "extract_jpeg_shape",
    "extract_patches", "flip_left_right", "flip_up_down", "generate_bounding_box_proposals", "grayscale_to_rgb",
    "hsv_to_rgb", "image_gradients", "is_jpeg", "non_max_suppression", "non_max_suppression_overlaps",
    "non_max_suppression_padded", "non_max_suppression_with_scores", "pad_to_bounding_box", "per_image_standardization",
    "psnr", "random_brightness", "random_contrast", "random_crop", "random_flip_left_right", "random_flip_up_down",
    "random_hue", "random_jpeg_quality", "random_saturation", "resize", "resize_with_crop_or_pad", "resize_with_pad",
    "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "rot90", "sample_distorted_bounding_box",
    "sobel_edges", "ssim", "ssim_multiscale", "stateless_random_brightness", "stateless_random_contrast",
    "stateless_random_crop", "stateless_random_flip_left_right", "stateless_random_flip_up_down",
    "stateless_random_hue", "stateless_random_jpeg_quality", "stateless_random_saturation",
    "stateless_sample_distorted_bounding_box", "total_variation", "transpose", "yiq_to_rgb", "yuv_to_rgb"
]  # fmt: skip
