"""Strings. A folder of its own, because some names here are also those of other functions."""

from stratagem._ops.text import _ragged_rules
from stratagem._ops.text._buckets import fingerprint as fingerprint
from stratagem._ops.text._buckets import to_hash_bucket as to_hash_bucket
from stratagem._ops.text._buckets import to_hash_bucket_fast as to_hash_bucket_fast
from stratagem._ops.text._buckets import to_hash_bucket_strong as to_hash_bucket_strong
from stratagem._ops.text._characters import unicode_decode as unicode_decode
from stratagem._ops.text._characters import unicode_decode_with_offsets as unicode_decode_with_offsets
from stratagem._ops.text._characters import unicode_encode as unicode_encode
from stratagem._ops.text._characters import unicode_split as unicode_split
from stratagem._ops.text._characters import unicode_split_with_offsets as unicode_split_with_offsets
from stratagem._ops.text._characters import unicode_transcode as unicode_transcode
from stratagem._ops.text._crossing import SEPARATOR as SEPARATOR
from stratagem._ops.text._crossing import CrossedRows as CrossedRows
from stratagem._ops.text._crossing import ragged_result as ragged_result
from stratagem._ops.text._crossing import sparse_inputs as sparse_inputs
from stratagem._ops.text._crossing import sparse_result as sparse_result
from stratagem._ops.text._integers import bucket_of_integers as bucket_of_integers
from stratagem._ops.text._integers import crossed_buckets as crossed_buckets
from stratagem._ops.text._integers import fingerprints as fingerprints
from stratagem._ops.text._kinds import is_tensor as is_tensor
from stratagem._ops.text._known_fingerprints import buckets_of_strings as buckets_of_strings
from stratagem._ops.text._parts import bytes_split as bytes_split
from stratagem._ops.text._parts import ngrams as ngrams
from stratagem._ops.text._parts import reduce_join as reduce_join
from stratagem._ops.text._parts import split as split
from stratagem._ops.text._parts import substr as substr
from stratagem._ops.text._parts import unsorted_segment_join as unsorted_segment_join
from stratagem._ops.text._patterns import regex_full_match as regex_full_match
from stratagem._ops.text._patterns import regex_replace as regex_replace
from stratagem._ops.text._scripts import unicode_script as unicode_script
from stratagem._ops.text._text import as_string as as_string
from stratagem._ops.text._text import format as format
from stratagem._ops.text._text import join as join
from stratagem._ops.text._text import length as length
from stratagem._ops.text._text import lower as lower
from stratagem._ops.text._text import strip as strip
from stratagem._ops.text._text import to_number as to_number
from stratagem._ops.text._text import upper as upper

_ragged_rules.give_rules()
