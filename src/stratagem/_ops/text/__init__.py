"""Strings. A folder of its own, because some names here are also those of other functions."""

from stratagem._ops.text._text import as_string as as_string
from stratagem._ops.text._text import format as format
from stratagem._ops.text._text import join as join
from stratagem._ops.text._text import length as length
from stratagem._ops.text._text import lower as lower
from stratagem._ops.text._text import strip as strip
from stratagem._ops.text._text import to_number as to_number
from stratagem._ops.text._text import upper as upper
