# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

__all__ = [
    "draw_bounding_boxes", "draw_segmentation_masks", "plot_bounding_box_gallery", "plot_image_gallery",
    "plot_segmentation_mask_gallery"
]  # fmt: skip

def draw_bounding_boxes(
    images: Any,
    bounding_boxes: Any,
    bounding_box_format: Any,
    class_mapping: Any = None,
    color: Any = ...,
    line_thickness: Any = 2,
    text_thickness: Any = 1,
    font_scale: Any = 1.0,
    data_format: Any = None,
) -> Any: ...
def draw_segmentation_masks(
    images: Any,
    segmentation_masks: Any,
    num_classes: Any = None,
    color_mapping: Any = None,
    alpha: Any = 0.8,
    blend: Any = True,
    ignore_index: Any = -1,
    data_format: Any = None,
) -> Any: ...
def plot_bounding_box_gallery(
    images: Any,
    bounding_box_format: Any,
    y_true: Any = None,
    y_pred: Any = None,
    value_range: Any = ...,
    true_color: Any = ...,
    pred_color: Any = ...,
    line_thickness: Any = 2,
    font_scale: Any = 1.0,
    text_thickness: Any = None,
    class_mapping: Any = None,
    ground_truth_mapping: Any = None,
    prediction_mapping: Any = None,
    legend: Any = False,
    legend_handles: Any = None,
    rows: Any = None,
    cols: Any = None,
    data_format: Any = None,
    **kwargs: Any,
) -> Any: ...
def plot_image_gallery(
    images: Any,
    y_true: Any = None,
    y_pred: Any = None,
    label_map: Any = None,
    rows: Any = None,
    cols: Any = None,
    value_range: Any = ...,
    scale: Any = 2,
    path: Any = None,
    show: Any = None,
    transparent: Any = True,
    dpi: Any = 60,
    legend_handles: Any = None,
    data_format: Any = None,
) -> Any: ...
def plot_segmentation_mask_gallery(
    images: Any,
    num_classes: Any,
    value_range: Any = ...,
    y_true: Any = None,
    y_pred: Any = None,
    color_mapping: Any = None,
    blend: Any = True,
    alpha: Any = 0.8,
    ignore_index: Any = -1,
    data_format: Any = None,
    **kwargs: Any,
) -> Any: ...
