# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

__all__ = [
    "affine_transform", "crop_images", "elastic_transform", "extract_patches", "extract_patches_3d", "gaussian_blur",
    "hsv_to_rgb", "map_coordinates", "pad_images", "perspective_transform", "resize", "rgb_to_grayscale", "rgb_to_hsv",
    "scale_and_translate", "sobel_edges", "ssim"
]  # fmt: skip

def affine_transform(
    images: Any,
    transform: Any,
    interpolation: Any = "bilinear",
    fill_mode: Any = "constant",
    fill_value: Any = 0,
    data_format: Any = None,
) -> Any: ...
def crop_images(
    images: Any,
    top_cropping: Any = None,
    left_cropping: Any = None,
    bottom_cropping: Any = None,
    right_cropping: Any = None,
    target_height: Any = None,
    target_width: Any = None,
    data_format: Any = None,
) -> Any: ...
def elastic_transform(
    images: Any,
    alpha: Any = 20.0,
    sigma: Any = 5.0,
    interpolation: Any = "bilinear",
    fill_mode: Any = "reflect",
    fill_value: Any = 0.0,
    seed: Any = None,
    data_format: Any = None,
) -> Any: ...
def extract_patches(
    images: Any, size: Any, strides: Any = None, dilation_rate: Any = 1, padding: Any = "valid", data_format: Any = None
) -> Any: ...
def extract_patches_3d(
    volumes: Any,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: Any = "valid",
    data_format: Any = None,
) -> Any: ...
def gaussian_blur(images: Any, kernel_size: Any = ..., sigma: Any = ..., data_format: Any = None) -> Any: ...
def hsv_to_rgb(images: Any, data_format: Any = None) -> Any: ...
def map_coordinates(
    inputs: Any, coordinates: Any, order: Any, fill_mode: Any = "constant", fill_value: Any = 0
) -> Any: ...
def pad_images(
    images: Any,
    top_padding: Any = None,
    left_padding: Any = None,
    bottom_padding: Any = None,
    right_padding: Any = None,
    target_height: Any = None,
    target_width: Any = None,
    data_format: Any = None,
) -> Any: ...
def perspective_transform(
    images: Any,
    start_points: Any,
    end_points: Any,
    interpolation: Any = "bilinear",
    fill_value: Any = 0,
    data_format: Any = None,
) -> Any: ...
def resize(
    images: Any,
    size: Any,
    interpolation: Any = "bilinear",
    antialias: Any = False,
    crop_to_aspect_ratio: Any = False,
    pad_to_aspect_ratio: Any = False,
    fill_mode: Any = "constant",
    fill_value: Any = 0.0,
    data_format: Any = None,
) -> Any: ...
def rgb_to_grayscale(images: Any, data_format: Any = None) -> Any: ...
def rgb_to_hsv(images: Any, data_format: Any = None) -> Any: ...
def scale_and_translate(
    images: Any, output_shape: Any, scale: Any, translation: Any, spatial_dims: Any, method: Any, antialias: Any = True
) -> Any: ...
def sobel_edges(images: Any, data_format: Any = None) -> Any: ...
def ssim(
    image1: Any,
    image2: Any,
    max_val: Any = 1.0,
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
    data_format: Any = None,
) -> Any: ...
