# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem._data.files import image_dataset_from_directory as image_dataset_from_directory
from stratagem._data.files import text_dataset_from_directory as text_dataset_from_directory
from stratagem._data.files import timeseries_dataset_from_array as timeseries_dataset_from_array
from stratagem._tf1.graph import DeterministicRandomTestTool as DeterministicRandomTestTool
from stratagem._tf1.graph import get_or_create_layer as get_or_create_layer
from stratagem._tf1.graph import track_tf1_style_variables as track_tf1_style_variables
from stratagem._training import SidecarEvaluator as SidecarEvaluator
from stratagem.keras import Layer as _keras_Layer
from stratagem.keras.backend import clear_session as clear_session
from stratagem.keras.backend import is_keras_tensor as is_keras_tensor
from stratagem.keras.backend import standardize_dtype as standardize_dtype
from stratagem.keras.config import disable_interactive_logging as disable_interactive_logging
from stratagem.keras.config import enable_interactive_logging as enable_interactive_logging
from stratagem.keras.config import is_interactive_logging_enabled as is_interactive_logging_enabled
from stratagem.keras.saving import CustomObjectScope as CustomObjectScope
from stratagem.keras.saving import CustomObjectScope as custom_object_scope
from stratagem.keras.saving import deserialize_keras_object as deserialize_keras_object
from stratagem.keras.saving import get_custom_objects as get_custom_objects
from stratagem.keras.saving import get_registered_name as get_registered_name
from stratagem.keras.saving import get_registered_object as get_registered_object
from stratagem.keras.saving import register_keras_serializable as register_keras_serializable
from stratagem.keras.saving import serialize_keras_object as serialize_keras_object
from stratagem.keras.utils import PyDataset as Sequence
from stratagem.keras.utils import bounding_boxes as bounding_boxes
from stratagem.keras.utils import experimental as experimental
from stratagem.keras.utils import legacy as legacy

__all__ = [
    "Config", "CustomObjectScope", "DeterministicRandomTestTool", "FeatureSpace", "Progbar", "PyDataset", "Sequence",
    "SidecarEvaluator", "array_to_img", "audio_dataset_from_directory", "bounding_boxes", "clear_session",
    "custom_object_scope", "deserialize_keras_object", "disable_interactive_logging", "enable_interactive_logging",
    "experimental", "get_custom_objects", "get_file", "get_or_create_layer", "get_registered_name",
    "get_registered_object", "get_source_inputs", "image_dataset_from_directory", "img_to_array",
    "is_interactive_logging_enabled", "is_keras_tensor", "legacy", "load_img", "model_to_dot", "normalize",
    "pack_x_y_sample_weight", "pad_sequences", "plot_model", "register_keras_serializable", "save_img",
    "serialize_keras_object", "set_random_seed", "split_dataset", "standardize_dtype", "text_dataset_from_directory",
    "timeseries_dataset_from_array", "to_categorical", "track_tf1_style_variables", "unpack_x_y_sample_weight"
]  # fmt: skip

class Config:
    def __init__(self, **kwargs: Any) -> None: ...
    @property
    def frozen(self) -> Any: ...
    def freeze(self) -> Any: ...
    def unfreeze(self) -> Any: ...
    def as_dict(self) -> Any: ...
    def to_json(self) -> Any: ...
    def keys(self) -> Any: ...
    def values(self) -> Any: ...
    def items(self) -> Any: ...
    def pop(self, *args: Any) -> Any: ...
    def update(self, *args: Any, **kwargs: Any) -> Any: ...
    def get(self, keyname: Any, value: Any = None) -> Any: ...
    def __setitem__(self, key: Any, item: Any) -> Any: ...
    def __getitem__(self, key: Any) -> Any: ...
    def __iter__(self) -> Any: ...
    def __len__(self) -> Any: ...
    def __contains__(self, item: Any) -> Any: ...

class Progbar:
    interval: Any
    stateful_metrics: Any
    stateless_metrics: Any
    target: Any
    unit_name: Any
    verbose: Any
    width: Any
    def __init__(
        self,
        target: Any,
        width: Any = 20,
        verbose: Any = 1,
        interval: Any = 0.05,
        stateful_metrics: Any = None,
        stateless_metrics: Any = None,
        unit_name: Any = "step",
    ) -> None: ...
    def update(self, current: Any, values: Any = None, finalize: Any = None) -> Any: ...
    def add(self, n: Any, values: Any = None) -> Any: ...

class PyDataset:
    def __init__(self, workers: Any = 1, use_multiprocessing: Any = False, max_queue_size: Any = 10) -> None: ...
    @property
    def workers(self) -> Any: ...
    @workers.setter
    def workers(self, value: Any) -> None: ...
    @property
    def use_multiprocessing(self) -> Any: ...
    @use_multiprocessing.setter
    def use_multiprocessing(self, value: Any) -> None: ...
    @property
    def max_queue_size(self) -> Any: ...
    @max_queue_size.setter
    def max_queue_size(self, value: Any) -> None: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __iter__(self) -> Any: ...
    @property
    def num_batches(self) -> Any: ...
    def on_epoch_begin(self) -> Any: ...
    def on_epoch_end(self) -> Any: ...

class FeatureSpace(_keras_Layer):
    concat: Any
    crossers: Any
    crosses: Any
    crosses_by_name: Any
    crossing_dim: Any
    encoded_features: Any
    features: Any
    hashing_dim: Any
    inputs: Any
    num_discretization_bins: Any
    one_hot_encoders: Any
    output_mode: Any
    preprocessors: Any
    @classmethod
    def cross(cls, feature_names: Any, crossing_dim: Any, output_mode: Any = "one_hot") -> Any: ...
    @classmethod
    def feature(cls, dtype: Any, preprocessor: Any, output_mode: Any) -> Any: ...
    @classmethod
    def float(cls, name: Any = None) -> Any: ...
    @classmethod
    def float_rescaled(cls, scale: Any = 1.0, offset: Any = 0.0, name: Any = None) -> Any: ...
    @classmethod
    def float_normalized(cls, name: Any = None) -> Any: ...
    @classmethod
    def float_discretized(
        cls, num_bins: Any, bin_boundaries: Any = None, output_mode: Any = "one_hot", name: Any = None
    ) -> Any: ...
    @classmethod
    def integer_categorical(
        cls, max_tokens: Any = None, num_oov_indices: Any = 1, output_mode: Any = "one_hot", name: Any = None
    ) -> Any: ...
    @classmethod
    def string_categorical(
        cls, max_tokens: Any = None, num_oov_indices: Any = 1, output_mode: Any = "one_hot", name: Any = None
    ) -> Any: ...
    @classmethod
    def string_hashed(cls, num_bins: Any, output_mode: Any = "one_hot", name: Any = None) -> Any: ...
    @classmethod
    def integer_hashed(cls, num_bins: Any, output_mode: Any = "one_hot", name: Any = None) -> Any: ...
    def __init__(
        self,
        features: Any,
        output_mode: Any = "concat",
        crosses: Any = None,
        crossing_dim: Any = 32,
        hashing_dim: Any = 32,
        num_discretization_bins: Any = 32,
        name: Any = None,
    ) -> None: ...
    def adapt(self, dataset: Any) -> Any: ...
    def get_inputs(self) -> Any: ...
    def get_encoded_features(self) -> Any: ...
    def __call__(self, data: Any) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...
    def get_build_config(self) -> Any: ...
    def build_from_config(self, config: Any) -> Any: ...
    def save(self, filepath: Any) -> Any: ...
    def save_own_variables(self, store: Any) -> Any: ...
    def load_own_variables(self, store: Any) -> Any: ...

def array_to_img(x: Any, data_format: Any = None, scale: Any = True, dtype: Any = None) -> Any: ...
def audio_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: Any = "int",
    class_names: Any = None,
    batch_size: Any = 32,
    sampling_rate: Any = None,
    output_sequence_length: Any = None,
    ragged: Any = False,
    shuffle: Any = True,
    seed: Any = None,
    validation_split: Any = None,
    subset: Any = None,
    follow_links: Any = False,
    verbose: Any = True,
) -> Any: ...
def get_file(
    fname: Any = None,
    origin: Any = None,
    untar: Any = False,
    md5_hash: Any = None,
    file_hash: Any = None,
    cache_subdir: Any = "datasets",
    hash_algorithm: Any = "auto",
    extract: Any = False,
    archive_format: Any = "auto",
    cache_dir: Any = None,
    force_download: Any = False,
) -> Any: ...
def get_source_inputs(tensor: Any) -> Any: ...
def img_to_array(img: Any, data_format: Any = None, dtype: Any = None) -> Any: ...
def load_img(
    path: Any,
    color_mode: Any = "rgb",
    target_size: Any = None,
    interpolation: Any = "nearest",
    keep_aspect_ratio: Any = False,
) -> Any: ...
def model_to_dot(
    model: Any,
    show_shapes: Any = False,
    show_dtype: Any = False,
    show_layer_names: Any = True,
    rankdir: Any = "TB",
    expand_nested: Any = False,
    dpi: Any = 200,
    subgraph: Any = False,
    show_layer_activations: Any = False,
    show_trainable: Any = False,
    splines: Any = "ortho",
    **kwargs: Any,
) -> Any: ...
def normalize(x: Any, axis: Any = -1, order: Any = 2) -> Any: ...
def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: Any = None) -> Any: ...
def pad_sequences(
    sequences: Any,
    maxlen: Any = None,
    dtype: Any = "int32",
    padding: Any = "pre",
    truncating: Any = "pre",
    value: Any = 0.0,
) -> Any: ...
def plot_model(
    model: Any,
    to_file: Any = "model.png",
    show_shapes: Any = False,
    show_dtype: Any = False,
    show_layer_names: Any = False,
    rankdir: Any = "TB",
    expand_nested: Any = False,
    dpi: Any = 200,
    show_layer_activations: Any = False,
    show_trainable: Any = False,
    splines: Any = "ortho",
    **kwargs: Any,
) -> Any: ...
def save_img(
    path: Any, x: Any, data_format: Any = None, file_format: Any = None, scale: Any = True, **kwargs: Any
) -> Any: ...
def set_random_seed(seed: Any) -> Any: ...
def split_dataset(
    dataset: Any,
    left_size: Any = None,
    right_size: Any = None,
    shuffle: Any = False,
    seed: Any = None,
    preferred_backend: Any = None,
) -> Any: ...
def to_categorical(x: Any, num_classes: Any = None) -> Any: ...
def unpack_x_y_sample_weight(data: Any) -> Any: ...
