"""`tf.io`: local files, records, images, and what is serialized in them."""

from stratagem import _hooks
from stratagem._data.files import FixedLenFeature as FixedLenFeature
from stratagem._data.files import FixedLenSequenceFeature as FixedLenSequenceFeature
from stratagem._data.files import RaggedFeature as RaggedFeature
from stratagem._data.files import TFRecordOptions as TFRecordOptions
from stratagem._data.files import TFRecordWriter as TFRecordWriter
from stratagem._data.files import VarLenFeature as VarLenFeature
from stratagem._data.files import decode_base64 as decode_base64
from stratagem._data.files import decode_compressed as decode_compressed
from stratagem._data.files import decode_csv as decode_csv
from stratagem._data.files import decode_json_example as decode_json_example
from stratagem._data.files import decode_raw as decode_raw
from stratagem._data.files import encode_base64 as encode_base64
from stratagem._data.files import match_filenames_once as match_filenames_once
from stratagem._data.files import matching_files as matching_files
from stratagem._data.files import parse_example as parse_example
from stratagem._data.files import parse_sequence_example as parse_sequence_example
from stratagem._data.files import parse_single_example as parse_single_example
from stratagem._data.files import parse_single_sequence_example as parse_single_sequence_example
from stratagem._data.files import parse_tensor as parse_tensor
from stratagem._data.files import serialize_tensor as serialize_tensor
from stratagem._ops import not_provided as _not_provided
from stratagem._ops.files import read_file as read_file
from stratagem._ops.files import write_file as write_file
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
from stratagem.io import gfile as gfile

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("io", name)
