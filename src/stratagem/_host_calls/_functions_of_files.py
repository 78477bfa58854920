"""The functions of the host that a SavedModel may name: those of this list, and methods of the objects of known kinds.

They make strings of strings, numbers of strings, and move rows. None of them reads a file, and none calls code that
its arguments name.
"""

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any, Final

from stratagem import _ops
from stratagem._base.errors import UnimplementedError
from stratagem._base.types import UserFunction
from stratagem._core.step import (
    HostExamples,
    function_name,
    host_function_if_needed,
    kind_of_method,
    named_host_functions,
)
from stratagem._data import files
from stratagem._host_calls._example_files import FILE_STAND_INS
from stratagem._host_calls._example_results import STAND_INS
from stratagem._ops import composite_rules, on_device, ragged_crosses, sparse, sparse_crosses, text
from stratagem._ops.ragged import RaggedTensor

_OF_TENSORS = (
    *(
        "boolean_mask",
        "broadcast_to",
        "concat",
        "dynamic_partition",
        "dynamic_stitch",
        "equal",
        "expand_dims",
        "gather",
    ),
    *("gather_nd", "not_equal", "one_hot", "pad", "repeat", "reshape", "reverse", "reverse_sequence", "roll", "slice"),
    *("split", "squeeze", "stack", "stop_gradient", "tensor_scatter_nd_update", "tile", "transpose"),
    *("unique_with_counts", "unstack", "where"),
)
_OF_STRINGS = (
    *(
        "as_string",
        "bytes_split",
        "fingerprint",
        "join",
        "length",
        "lower",
        "ngrams",
        "reduce_join",
        "regex_full_match",
    ),
    *("regex_replace", "split", "strip", "substr", "to_hash_bucket", "to_hash_bucket_fast", "to_hash_bucket_strong"),
    *("to_number", "unicode_decode", "unicode_decode_with_offsets", "unicode_encode", "unicode_split"),
    *("unicode_split_with_offsets", "unicode_transcode", "unsorted_segment_join", "upper"),
)
_OF_SPARSE = (
    *("add", "concat", "embedding_lookup_sparse", "expand_dims", "fill_empty_rows", "from_dense", "maximum", "minimum"),
    *(
        "reduce_max",
        "reduce_sum",
        "reorder",
        "reset_shape",
        "reshape",
        "retain",
        "safe_embedding_lookup_sparse",
        "slice",
    ),
    *("softmax", "sparse_dense_matmul", "split", "to_dense", "to_indicator", "transpose"),
)
_OF_RECORDS = (
    *("decode_base64", "decode_csv", "decode_raw", "encode_base64", "parse_example", "parse_sequence_example"),
    *("parse_single_example", "parse_single_sequence_example"),
)
_OF_RAGGED = (
    *("__getitem__", "bounding_shape", "nested_value_rowids", "nrows", "to_sparse", "to_tensor", "value_rowids"),
)

_PUBLIC: Final[dict[str, UserFunction]] = {
    **{f"operator.{f.__name__}": f for f in (operator.add, operator.eq, operator.getitem, operator.ne)},
    **{name: getattr(_ops, name) for name in _OF_TENSORS},
    **{f"strings.{name}": getattr(text, name) for name in _OF_STRINGS},
    **{f"sparse.{name}": getattr(sparse, name) for name in _OF_SPARSE},
    **{f"sparse.{f.__name__}": f for f in (sparse_crosses.cross, sparse_crosses.cross_hashed)},
    **{f"ragged.{f.__name__}": f for f in (ragged_crosses.cross, ragged_crosses.cross_hashed)},
    **{f"io.{name}": getattr(files, name) for name in _OF_RECORDS},
    **{f"RaggedTensor.{name}": getattr(RaggedTensor, name) for name in _OF_RAGGED},
    **{f"{kind.__name__}:{name}": rule for (kind, name), rule in composite_rules().items()},
}


@functools.cache
def _names() -> dict[Any, str]:
    """The name of each function, as a step records it: without what leads calls to the host."""
    named = {**_PUBLIC, **named_host_functions()}
    return {inspect.unwrap(function): name for name, function in named.items()}


def name_of(function: UserFunction) -> str:
    """Returns the name of a function. Raises UnimplementedError for one that no file may name: the user's own, for example."""
    found = _names().get(inspect.unwrap(function))
    if found is None:
        raise refusal(function)
    return found


def refusal(function: UserFunction) -> UnimplementedError:
    """Returns the error for a function of the host that no file may name."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    where = "" if code is None else f" ({code.co_filename}, line {code.co_firstlineno})"
    return UnimplementedError(
        f"it calls {function_name(function)}{where} on the host, which is no function that a SavedModel may name: it names "
        "functions of tf.strings, tf.sparse, tf.ragged, tf.io.parse_example and its like, static tables of tf.lookup and the "
        "layers that look strings up. Call it before the exported function, and give that its result."
    )


def _stand_in(function: UserFunction, run: int) -> UserFunction:
    """Returns what is called in place of a function where the strings that it is given are mere examples.

    run: the number of the example. Raises UnimplementedError for a function that no file may name.
    """
    kind = kind_of_method(function)
    if kind is not None:
        owner = function.__self__  # type: ignore[attr-defined]
        return function if kind.stand_in is None else kind.stand_in(owner)
    made: Callable[..., Any] | None = STAND_INS.get(name_of(function))
    return function if made is None else functools.partial(made, run)


def known_function(name: str) -> UserFunction:
    """Returns the function of a name. Raises KeyError for one that is not in the list."""
    return _PUBLIC[name] if name in _PUBLIC else host_function_if_needed(named_host_functions()[name])


def _open_stand_in(function: UserFunction, run: int) -> UserFunction:
    """The same where no file has to name the function, so that it may be the user's own."""
    known: Any = inspect.unwrap(function)
    if known in FILE_STAND_INS:
        return functools.partial(FILE_STAND_INS[known], run)
    return function if kind_of_method(function) is None and known not in _names() else _stand_in(function, run)


EXAMPLES: Final = HostExamples(_stand_in, on_device)
# For programs that stay in this process, as parts of a graph do.
OPEN_EXAMPLES: Final = HostExamples(_open_stand_in, on_device)
