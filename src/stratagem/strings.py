"""`tf.strings`: text as tensors."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem._ops.text import as_string as as_string
from stratagem._ops.text import bytes_split as bytes_split
from stratagem._ops.text import format as format
from stratagem._ops.text import join as join
from stratagem._ops.text import length as length
from stratagem._ops.text import lower as lower
from stratagem._ops.text import ngrams as ngrams
from stratagem._ops.text import reduce_join as reduce_join
from stratagem._ops.text import regex_full_match as regex_full_match
from stratagem._ops.text import regex_replace as regex_replace
from stratagem._ops.text import split as split
from stratagem._ops.text import strip as strip
from stratagem._ops.text import substr as substr
from stratagem._ops.text import to_hash_bucket as to_hash_bucket
from stratagem._ops.text import to_hash_bucket_fast as to_hash_bucket_fast
from stratagem._ops.text import to_hash_bucket_strong as to_hash_bucket_strong
from stratagem._ops.text import to_number as to_number
from stratagem._ops.text import unicode_decode as unicode_decode
from stratagem._ops.text import unicode_decode_with_offsets as unicode_decode_with_offsets
from stratagem._ops.text import unicode_encode as unicode_encode
from stratagem._ops.text import unicode_script as unicode_script
from stratagem._ops.text import unicode_split as unicode_split
from stratagem._ops.text import unicode_split_with_offsets as unicode_split_with_offsets
from stratagem._ops.text import unicode_transcode as unicode_transcode
from stratagem._ops.text import unsorted_segment_join as unsorted_segment_join
from stratagem._ops.text import upper as upper

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("strings", name)
