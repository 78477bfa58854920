# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.images import FirstResizeMethod as ResizeMethod
from stratagem._tf1.graph.functions.images import crop_and_resize as crop_and_resize
from stratagem._tf1.graph.functions.images import draw_bounding_boxes as draw_bounding_boxes
from stratagem._tf1.graph.functions.images import extract_glimpse as extract_glimpse
from stratagem._tf1.graph.functions.images import extract_image_patches as extract_image_patches
from stratagem._tf1.graph.functions.images import resize_area as resize_area
from stratagem._tf1.graph.functions.images import resize_bicubic as resize_bicubic
from stratagem._tf1.graph.functions.images import resize_bilinear as resize_bilinear
from stratagem._tf1.graph.functions.images import resize_image_with_crop_or_pad as resize_image_with_crop_or_pad
from stratagem._tf1.graph.functions.images import resize_image_with_crop_or_pad as resize_with_crop_or_pad
from stratagem._tf1.graph.functions.images import resize_image_with_pad as resize_image_with_pad
from stratagem._tf1.graph.functions.images import resize_images as resize
from stratagem._tf1.graph.functions.images import resize_images as resize_images
from stratagem._tf1.graph.functions.images import resize_nearest_neighbor as resize_nearest_neighbor
from stratagem._tf1.graph.functions.images import transpose_image as transpose
from stratagem._tf1.graph.functions.images import transpose_image as transpose_image
from stratagem.image import adjust_brightness as adjust_brightness
from stratagem.image import adjust_contrast as adjust_contrast
from stratagem.image import adjust_gamma as adjust_gamma
from stratagem.image import adjust_hue as adjust_hue
from stratagem.image import adjust_jpeg_quality as adjust_jpeg_quality
from stratagem.image import adjust_saturation as adjust_saturation
from stratagem.image import central_crop as central_crop
from stratagem.image import combined_non_max_suppression as combined_non_max_suppression
from stratagem.image import convert_image_dtype as convert_image_dtype
from stratagem.image import crop_to_bounding_box as crop_to_bounding_box
from stratagem.image import decode_and_crop_jpeg as decode_and_crop_jpeg
from stratagem.image import decode_bmp as decode_bmp
from stratagem.image import decode_gif as decode_gif
from stratagem.image import decode_image as decode_image
from stratagem.image import decode_jpeg as decode_jpeg
from stratagem.image import decode_png as decode_png
from stratagem.image import encode_jpeg as encode_jpeg
from stratagem.image import encode_png as encode_png
from stratagem.image import extract_jpeg_shape as extract_jpeg_shape
from stratagem.image import extract_patches as extract_patches
from stratagem.image import flip_left_right as flip_left_right
from stratagem.image import flip_up_down as flip_up_down
from stratagem.image import generate_bounding_box_proposals as generate_bounding_box_proposals
from stratagem.image import grayscale_to_rgb as grayscale_to_rgb
from stratagem.image import hsv_to_rgb as hsv_to_rgb
from stratagem.image import image_gradients as image_gradients
from stratagem.image import is_jpeg as is_jpeg
from stratagem.image import non_max_suppression as non_max_suppression
from stratagem.image import non_max_suppression_overlaps as non_max_suppression_overlaps
from stratagem.image import non_max_suppression_padded as non_max_suppression_padded
from stratagem.image import non_max_suppression_with_scores as non_max_suppression_with_scores
from stratagem.image import pad_to_bounding_box as pad_to_bounding_box
from stratagem.image import per_image_standardization as per_image_standardization
from stratagem.image import psnr as psnr
from stratagem.image import random_brightness as random_brightness
from stratagem.image import random_contrast as random_contrast
from stratagem.image import random_crop as random_crop
from stratagem.image import random_flip_left_right as random_flip_left_right
from stratagem.image import random_flip_up_down as random_flip_up_down
from stratagem.image import random_hue as random_hue
from stratagem.image import random_jpeg_quality as random_jpeg_quality
from stratagem.image import random_saturation as random_saturation
from stratagem.image import rgb_to_grayscale as rgb_to_grayscale
from stratagem.image import rgb_to_hsv as rgb_to_hsv
from stratagem.image import rgb_to_yiq as rgb_to_yiq
from stratagem.image import rgb_to_yuv as rgb_to_yuv
from stratagem.image import rot90 as rot90
from stratagem.image import sobel_edges as sobel_edges
from stratagem.image import ssim as ssim
from stratagem.image import ssim_multiscale as ssim_multiscale
from stratagem.image import total_variation as total_variation
from stratagem.image import yiq_to_rgb as yiq_to_rgb
from stratagem.image import yuv_to_rgb as yuv_to_rgb

__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_jpeg_quality",
    "adjust_saturation", "central_crop", "combined_non_max_suppression", "convert_image_dtype", "crop_and_resize",
    "crop_to_bounding_box", "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg",
    "decode_png", "draw_bounding_boxes", "encode_jpeg", "encode_png", "extract_glimpse", "extract_image_patches",
    "extract_jpeg_shape", "extract_patches", "flip_left_right", "flip_up_down", "generate_bounding_box_proposals",
    "grayscale_to_rgb", "hsv_to_rgb", "image_gradients", "is_jpeg", "non_max_suppression",
    "non_max_suppression_overlaps", "non_max_suppression_padded", "non_max_suppression_with_scores",
    "pad_to_bounding_box", "per_image_standardization", "psnr", "random_brightness", "random_contrast", "random_crop",
    "random_flip_left_right", "random_flip_up_down", "random_hue", "random_jpeg_quality", "random_saturation", "resize",
    "resize_area", "resize_bicubic", "resize_bilinear", "resize_image_with_crop_or_pad", "resize_image_with_pad",
    "resize_images", "resize_nearest_neighbor", "resize_with_crop_or_pad", "rgb_to_grayscale", "rgb_to_hsv",
    "rgb_to_yiq", "rgb_to_yuv", "rot90", "sobel_edges", "ssim", "ssim_multiscale", "total_variation", "transpose",
    "transpose_image", "yiq_to_rgb", "yuv_to_rgb"
]  # fmt: skip
