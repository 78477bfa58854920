"""Calls of functions of the host as plain values: what a file, or a worker in another process, has instead of code.

In: calls that a step, an export or a graph has recorded; or values of an unknown sender.
Out: functions by name, and arguments of numbers, texts, arrays and known classes; or calls that can be made.
Never: names a function that is not of the library, or pickles.
"""

from stratagem._host_calls._arguments import ArgumentReader as ArgumentReader
from stratagem._host_calls._arguments import ArgumentWriter as ArgumentWriter
from stratagem._host_calls._arguments import read_array as read_array
from stratagem._host_calls._arguments import whole_number as whole_number
from stratagem._host_calls._arguments import written_array as written_array
from stratagem._host_calls._functions_of_files import EXAMPLES as EXAMPLES
from stratagem._host_calls._functions_of_files import OPEN_EXAMPLES as OPEN_EXAMPLES
from stratagem._host_calls._functions_of_files import known_function as known_function
from stratagem._host_calls._functions_of_files import name_of as name_of
from stratagem._host_calls._library_functions import function_at as function_at
from stratagem._host_calls._library_functions import place_of as place_of
