# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

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

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "TFRecordOptions", "TFRecordWriter", "VarLenFeature",
    "decode_and_crop_jpeg", "decode_base64", "decode_bmp", "decode_compressed", "decode_csv", "decode_gif",
    "decode_image", "decode_jpeg", "decode_json_example", "decode_png", "decode_raw", "encode_base64", "encode_jpeg",
    "encode_png", "extract_jpeg_shape", "gfile", "is_jpeg", "match_filenames_once", "matching_files", "parse_example",
    "parse_sequence_example", "parse_single_example", "parse_single_sequence_example", "parse_tensor", "read_file",
    "serialize_tensor", "write_file"
]  # fmt: skip
