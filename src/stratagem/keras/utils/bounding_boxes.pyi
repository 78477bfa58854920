# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

__all__ = [
    "affine_transform", "clip_to_image_size", "compute_ciou", "compute_iou", "convert_format", "crop",
    "decode_deltas_to_boxes", "encode_box_to_deltas", "pad"
]  # fmt: skip

def affine_transform(
    boxes: Any,
    angle: Any,
    translate_x: Any,
    translate_y: Any,
    scale: Any,
    shear_x: Any,
    shear_y: Any,
    height: Any,
    width: Any,
    center_x: Any = None,
    center_y: Any = None,
    bounding_box_format: Any = "xyxy",
) -> Any: ...
def clip_to_image_size(
    bounding_boxes: Any, height: Any = None, width: Any = None, bounding_box_format: Any = "xyxy"
) -> Any: ...
def compute_ciou(boxes1: Any, boxes2: Any, bounding_box_format: Any, image_shape: Any = None) -> Any: ...
def compute_iou(
    boxes1: Any,
    boxes2: Any,
    bounding_box_format: Any,
    use_masking: Any = False,
    mask_val: Any = -1,
    image_shape: Any = None,
) -> Any: ...
def convert_format(
    boxes: Any, source: Any, target: Any, height: Any = None, width: Any = None, dtype: Any = "float32"
) -> Any: ...
def crop(boxes: Any, top: Any, left: Any, height: Any, width: Any, bounding_box_format: Any = "xyxy") -> Any: ...
def decode_deltas_to_boxes(
    anchors: Any,
    boxes_delta: Any,
    anchor_format: Any,
    box_format: Any,
    encoded_format: Any = "center_yxhw",
    variance: Any = None,
    image_shape: Any = None,
) -> Any: ...
def encode_box_to_deltas(
    anchors: Any,
    boxes: Any,
    anchor_format: Any,
    box_format: Any,
    encoding_format: Any = "center_yxhw",
    variance: Any = None,
    image_shape: Any = None,
) -> Any: ...
def pad(
    boxes: Any, top: Any, left: Any, height: Any = None, width: Any = None, bounding_box_format: Any = "xyxy"
) -> Any: ...
