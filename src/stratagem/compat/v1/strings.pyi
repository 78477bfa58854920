# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph.functions.reordered import reduce_join as reduce_join
from stratagem._tf1.graph.functions.reordered import string_length as length
from stratagem._tf1.graph.functions.reordered import string_to_hash_bucket as to_hash_bucket
from stratagem._tf1.graph.functions.reordered import string_to_number as to_number
from stratagem._tf1.graph.functions.reordered import substr as substr
from stratagem._tf1.graph.functions.splits import split as split
from stratagem.strings import as_string as as_string
from stratagem.strings import bytes_split as bytes_split
from stratagem.strings import format as format
from stratagem.strings import join as join
from stratagem.strings import lower as lower
from stratagem.strings import ngrams as ngrams
from stratagem.strings import regex_full_match as regex_full_match
from stratagem.strings import regex_replace as regex_replace
from stratagem.strings import strip as strip
from stratagem.strings import to_hash_bucket_fast as to_hash_bucket_fast
from stratagem.strings import to_hash_bucket_strong as to_hash_bucket_strong
from stratagem.strings import unicode_decode as unicode_decode
from stratagem.strings import unicode_decode_with_offsets as unicode_decode_with_offsets
from stratagem.strings import unicode_encode as unicode_encode
from stratagem.strings import unicode_script as unicode_script
from stratagem.strings import unicode_split as unicode_split
from stratagem.strings import unicode_split_with_offsets as unicode_split_with_offsets
from stratagem.strings import unicode_transcode as unicode_transcode
from stratagem.strings import unsorted_segment_join as unsorted_segment_join
from stratagem.strings import upper as upper

__all__ = [
    "as_string", "bytes_split", "format", "join", "length", "lower", "ngrams", "reduce_join", "regex_full_match",
    "regex_replace", "split", "strip", "substr", "to_hash_bucket", "to_hash_bucket_fast", "to_hash_bucket_strong",
    "to_number", "unicode_decode", "unicode_decode_with_offsets", "unicode_encode", "unicode_script", "unicode_split",
    "unicode_split_with_offsets", "unicode_transcode", "unsorted_segment_join", "upper"
]  # fmt: skip
