# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph.functions.records import TFRecordCompressionType as TFRecordCompressionType
from stratagem._tf1.graph.functions.records import tf_record_iterator as tf_record_iterator
from stratagem._tf1.graph.functions.reordered import decode_csv as decode_csv
from stratagem._tf1.graph.functions.reordered import decode_raw as decode_raw
from stratagem._tf1.graph.functions.reordered import parse_example as parse_example
from stratagem._tf1.graph.functions.reordered import parse_single_example as parse_single_example
from stratagem.io import FixedLenFeature as FixedLenFeature
from stratagem.io import FixedLenSequenceFeature as FixedLenSequenceFeature
from stratagem.io import RaggedFeature as RaggedFeature
from stratagem.io import TFRecordOptions as TFRecordOptions
from stratagem.io import TFRecordWriter as TFRecordWriter
from stratagem.io import VarLenFeature as VarLenFeature
from stratagem.io import decode_and_crop_jpeg as decode_and_crop_jpeg
from stratagem.io import decode_base64 as decode_base64
from stratagem.io import decode_bmp as decode_bmp
from stratagem.io import decode_compressed as decode_compressed
from stratagem.io import decode_gif as decode_gif
from stratagem.io import decode_image as decode_image
from stratagem.io import decode_jpeg as decode_jpeg
from stratagem.io import decode_json_example as decode_json_example
from stratagem.io import decode_png as decode_png
from stratagem.io import encode_base64 as encode_base64
from stratagem.io import encode_jpeg as encode_jpeg
from stratagem.io import encode_png as encode_png
from stratagem.io import extract_jpeg_shape as extract_jpeg_shape
from stratagem.io import gfile as gfile
from stratagem.io import is_jpeg as is_jpeg
from stratagem.io import match_filenames_once as match_filenames_once
from stratagem.io import matching_files as matching_files
from stratagem.io import parse_sequence_example as parse_sequence_example
from stratagem.io import parse_single_sequence_example as parse_single_sequence_example
from stratagem.io import parse_tensor as parse_tensor
from stratagem.io import read_file as read_file
from stratagem.io import serialize_tensor as serialize_tensor
from stratagem.io import write_file as write_file

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "TFRecordCompressionType", "TFRecordOptions",
    "TFRecordWriter", "VarLenFeature", "decode_and_crop_jpeg", "decode_base64", "decode_bmp", "decode_compressed",
    "decode_csv", "decode_gif", "decode_image", "decode_jpeg", "decode_json_example", "decode_png", "decode_raw",
    "encode_base64", "encode_jpeg", "encode_png", "extract_jpeg_shape", "gfile", "is_jpeg", "match_filenames_once",
    "matching_files", "parse_example", "parse_sequence_example", "parse_single_example",
    "parse_single_sequence_example", "parse_tensor", "read_file", "serialize_tensor", "tf_record_iterator", "write_file"
]  # fmt: skip
