# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras.utils import PyDataset as _utils_PyDataset
from stratagem.keras.utils import array_to_img as array_to_img
from stratagem.keras.utils import img_to_array as img_to_array
from stratagem.keras.utils import load_img as load_img
from stratagem.keras.utils import save_img as save_img

__all__ = [
    "DirectoryIterator", "ImageDataGenerator", "Iterator", "NumpyArrayIterator", "apply_affine_transform",
    "apply_brightness_shift", "apply_channel_shift", "array_to_img", "img_to_array", "load_img", "random_brightness",
    "random_channel_shift", "random_rotation", "random_shear", "random_shift", "random_zoom", "save_img", "smart_resize"
]  # fmt: skip

class ImageDataGenerator:
    brightness_range: Any
    channel_axis: Any
    channel_shift_range: Any
    col_axis: Any
    cval: Any
    data_format: Any
    dtype: Any
    featurewise_center: Any
    featurewise_std_normalization: Any
    fill_mode: Any
    height_shift_range: Any
    horizontal_flip: Any
    interpolation_order: Any
    mean: Any
    preprocessing_function: Any
    rescale: Any
    rotation_range: Any
    row_axis: Any
    samplewise_center: Any
    samplewise_std_normalization: Any
    shear_range: Any
    std: Any
    vertical_flip: Any
    width_shift_range: Any
    zca_epsilon: Any
    zca_whitening: Any
    zca_whitening_matrix: Any
    zoom_range: Any
    def __init__(
        self,
        featurewise_center: Any = False,
        samplewise_center: Any = False,
        featurewise_std_normalization: Any = False,
        samplewise_std_normalization: Any = False,
        zca_whitening: Any = False,
        zca_epsilon: Any = 1e-06,
        rotation_range: Any = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Any = None,
        shear_range: Any = 0.0,
        zoom_range: Any = 0.0,
        channel_shift_range: Any = 0.0,
        fill_mode: Any = "nearest",
        cval: Any = 0.0,
        horizontal_flip: Any = False,
        vertical_flip: Any = False,
        rescale: Any = None,
        preprocessing_function: Any = None,
        data_format: Any = None,
        validation_split: Any = 0.0,
        interpolation_order: Any = 1,
        dtype: Any = None,
    ) -> None: ...
    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: Any = 32,
        shuffle: Any = True,
        sample_weight: Any = None,
        seed: Any = None,
        save_to_dir: Any = None,
        save_prefix: Any = "",
        save_format: Any = "png",
        ignore_class_split: Any = False,
        subset: Any = None,
    ) -> Any: ...
    def flow_from_directory(
        self,
        directory: Any,
        target_size: Any = ...,
        color_mode: Any = "rgb",
        classes: Any = None,
        class_mode: Any = "categorical",
        batch_size: Any = 32,
        shuffle: Any = True,
        seed: Any = None,
        save_to_dir: Any = None,
        save_prefix: Any = "",
        save_format: Any = "png",
        follow_links: Any = False,
        subset: Any = None,
        interpolation: Any = "nearest",
        keep_aspect_ratio: Any = False,
    ) -> Any: ...
    def flow_from_dataframe(
        self,
        dataframe: Any,
        directory: Any = None,
        x_col: Any = "filename",
        y_col: Any = "class",
        weight_col: Any = None,
        target_size: Any = ...,
        color_mode: Any = "rgb",
        classes: Any = None,
        class_mode: Any = "categorical",
        batch_size: Any = 32,
        shuffle: Any = True,
        seed: Any = None,
        save_to_dir: Any = None,
        save_prefix: Any = "",
        save_format: Any = "png",
        subset: Any = None,
        interpolation: Any = "nearest",
        validate_filenames: Any = True,
        **kwargs: Any,
    ) -> Any: ...
    def standardize(self, x: Any) -> Any: ...
    def get_random_transform(self, img_shape: Any, seed: Any = None) -> Any: ...
    def apply_transform(self, x: Any, transform_parameters: Any) -> Any: ...
    def random_transform(self, x: Any, seed: Any = None) -> Any: ...
    def fit(self, x: Any, augment: Any = False, rounds: Any = 1, seed: Any = None) -> Any: ...

class Iterator(_utils_PyDataset):
    batch_index: Any
    batch_size: Any
    index_array: Any
    index_generator: Any
    lock: Any
    n: Any
    seed: Any
    shuffle: Any
    total_batches_seen: Any
    white_list_formats: Any
    def __init__(self, n: Any, batch_size: Any, shuffle: Any, seed: Any, **kwargs: Any) -> None: ...
    def __getitem__(self, idx: Any) -> Any: ...
    def __len__(self) -> Any: ...
    def on_epoch_end(self) -> Any: ...
    def reset(self) -> Any: ...
    def __iter__(self) -> Any: ...
    def __next__(self) -> Any: ...

class NumpyArrayIterator(Iterator):
    data_format: Any
    dtype: Any
    image_data_generator: Any
    sample_weight: Any
    save_format: Any
    save_prefix: Any
    save_to_dir: Any
    x: Any
    x_misc: Any
    y: Any
    def __init__(
        self,
        x: Any,
        y: Any,
        image_data_generator: Any,
        batch_size: Any = 32,
        shuffle: Any = False,
        sample_weight: Any = None,
        seed: Any = None,
        data_format: Any = None,
        save_to_dir: Any = None,
        save_prefix: Any = "",
        save_format: Any = "png",
        subset: Any = None,
        ignore_class_split: Any = False,
        dtype: Any = None,
    ) -> None: ...

class DirectoryIterator(Iterator):
    class_indices: Any
    class_mode: Any
    classes: Any
    color_mode: Any
    data_format: Any
    directory: Any
    dtype: Any
    filenames: Any
    image_data_generator: Any
    image_shape: Any
    interpolation: Any
    keep_aspect_ratio: Any
    num_classes: Any
    samples: Any
    save_format: Any
    save_prefix: Any
    save_to_dir: Any
    split: Any
    subset: Any
    target_size: Any
    allowed_class_modes: Any
    def __init__(
        self,
        directory: Any,
        image_data_generator: Any,
        target_size: Any = ...,
        color_mode: Any = "rgb",
        classes: Any = None,
        class_mode: Any = "categorical",
        batch_size: Any = 32,
        shuffle: Any = True,
        seed: Any = None,
        data_format: Any = None,
        save_to_dir: Any = None,
        save_prefix: Any = "",
        save_format: Any = "png",
        follow_links: Any = False,
        subset: Any = None,
        interpolation: Any = "nearest",
        keep_aspect_ratio: Any = False,
        dtype: Any = None,
    ) -> None: ...
    @property
    def filepaths(self) -> Any: ...
    @property
    def labels(self) -> Any: ...
    @property
    def sample_weight(self) -> Any: ...
    def set_processing_attrs(
        self,
        image_data_generator: Any,
        target_size: Any,
        color_mode: Any,
        data_format: Any,
        save_to_dir: Any,
        save_prefix: Any,
        save_format: Any,
        subset: Any,
        interpolation: Any,
        keep_aspect_ratio: Any,
    ) -> Any: ...

def apply_affine_transform(
    x: Any,
    theta: Any = 0,
    tx: Any = 0,
    ty: Any = 0,
    shear: Any = 0,
    zx: Any = 1,
    zy: Any = 1,
    row_axis: Any = 1,
    col_axis: Any = 2,
    channel_axis: Any = 0,
    fill_mode: Any = "nearest",
    cval: Any = 0.0,
    order: Any = 1,
) -> Any: ...
def apply_brightness_shift(x: Any, brightness: Any, scale: Any = True) -> Any: ...
def apply_channel_shift(x: Any, intensity: Any, channel_axis: Any = 0) -> Any: ...
def random_brightness(x: Any, brightness_range: Any, scale: Any = True) -> Any: ...
def random_channel_shift(x: Any, intensity_range: Any, channel_axis: Any = 0) -> Any: ...
def random_rotation(
    x: Any,
    rg: Any,
    row_axis: Any = 1,
    col_axis: Any = 2,
    channel_axis: Any = 0,
    fill_mode: Any = "nearest",
    cval: Any = 0.0,
    interpolation_order: Any = 1,
) -> Any: ...
def random_shear(
    x: Any,
    intensity: Any,
    row_axis: Any = 1,
    col_axis: Any = 2,
    channel_axis: Any = 0,
    fill_mode: Any = "nearest",
    cval: Any = 0.0,
    interpolation_order: Any = 1,
) -> Any: ...
def random_shift(
    x: Any,
    wrg: Any,
    hrg: Any,
    row_axis: Any = 1,
    col_axis: Any = 2,
    channel_axis: Any = 0,
    fill_mode: Any = "nearest",
    cval: Any = 0.0,
    interpolation_order: Any = 1,
) -> Any: ...
def random_zoom(
    x: Any,
    zoom_range: Any,
    row_axis: Any = 1,
    col_axis: Any = 2,
    channel_axis: Any = 0,
    fill_mode: Any = "nearest",
    cval: Any = 0.0,
    interpolation_order: Any = 1,
) -> Any: ...
def smart_resize(
    x: Any, size: Any, interpolation: Any = "bilinear", data_format: Any = "channels_last", **kwargs: Any
) -> Any: ...
