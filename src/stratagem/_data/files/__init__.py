"""Datasets of files, and decoding of their contents: records, text, tables, serialized examples."""

from stratagem._data.files._csv_format import decode_csv as decode_csv
from stratagem._data.files._datasets import TextLineDataset as TextLineDataset
from stratagem._data.files._datasets import TFRecordDataset as TFRecordDataset
from stratagem._data.files._encodings import decode_base64 as decode_base64
from stratagem._data.files._encodings import decode_compressed as decode_compressed
from stratagem._data.files._encodings import encode_base64 as encode_base64
from stratagem._data.files._features import FixedLenFeature as FixedLenFeature
from stratagem._data.files._features import FixedLenSequenceFeature as FixedLenSequenceFeature
from stratagem._data.files._features import VarLenFeature as VarLenFeature
from stratagem._data.files._messages import BytesList as BytesList
from stratagem._data.files._messages import Example as Example
from stratagem._data.files._messages import Feature as Feature
from stratagem._data.files._messages import Features as Features
from stratagem._data.files._messages import FloatList as FloatList
from stratagem._data.files._messages import Int64List as Int64List
from stratagem._data.files._parse import parse_example as parse_example
from stratagem._data.files._parse import parse_single_example as parse_single_example
from stratagem._data.files._parse import parse_single_sequence_example as parse_single_sequence_example
from stratagem._data.files._parse_sequences import parse_sequence_example as parse_sequence_example
from stratagem._data.files._ragged_feature import RaggedFeature as RaggedFeature
from stratagem._data.files._tensor_serialization import decode_raw as decode_raw
from stratagem._data.files._writer import TFRecordOptions as TFRecordOptions
